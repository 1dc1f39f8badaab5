/* SPDX-License-Identifier: MIT */
/* Recursive doubling on a wormhole line whose length is odd: which part does the source keep? */
#include "lesson.h"
#include <string.h>

enum { mu = 10 };
enum kept_part { GREATER, SMALLER };

/* The source of the scatter (or of the broadcast of one packet), and the rule of the split. */
struct split_plan {
    int source;
    enum kept_part keeps;
    bool broadcast;
};

/* Where the part left..right-1 of the holder is cut, the holder keeping the greater or the smaller.  A holder in the
 * middle of an odd line keeps the greater in any case: the smaller part, at whichever end, does not contain it. */
static int
cut_of(int left, int right, int holder, enum kept_part keeps)
{
    int n = right - left, keep = keeps == GREATER ? (n + 1) / 2 : n / 2;

    if (holder - left >= keep && right - 1 - holder >= keep)
        keep = n - keep;
    return holder - left < keep ? left + keep : right - keep;
}

/* Source s splits the mesh into two parts, and sends the other part's packets to its node nearest to s. */
static void
program(struct peal_node *me, void *arg)
{
    const struct split_plan *plan = arg;
    int RANK = peal_rank(me), left = 0, right = peal_size(me), holder = plan->source;
    int64_t *packet = peal_alloc(me, (size_t)(mu * peal_size(me)));

    if (RANK == holder)
        for (int i = 0; i < mu * peal_size(me); i++)
            packet[i] = 1 + i / mu;
    while (right - left > 1) {
        int cut = cut_of(left, right, holder, plan->keeps), nearest = holder < cut ? cut : cut - 1;
        int first = holder < cut ? cut : left, end = holder < cut ? right : cut; /* of the other part */
        int64_t *bundle = plan->broadcast ? packet : peal_block(packet, mu, first);
        size_t words = plan->broadcast ? mu : (size_t)(mu * (end - first));

        if (RANK == holder) peal_send(me, bundle, words, nearest);
        if (RANK == nearest) peal_recv(me, bundle, words, holder);
        if ((RANK < cut) != (holder < cut)) holder = nearest;
        if (RANK < cut) right = cut;
        else left = cut;
    }
    lesson_note(me, 0, peal_block(packet, mu, plan->broadcast ? 0 : RANK), mu);
}

static const struct peal_machine *
attempt(struct peal_board *board, int z, int source, enum kept_part keeps, bool broadcast)
{
    struct peal_options options = lesson_options(z, "line");
    struct split_plan plan = {source, keeps, broadcast};

    options.switching = PEAL_WORMHOLE;
    return lesson_try(board, options, program, &plan);
}

/* ------------------------------------------------------------------ from the end of the line */

static void
show_first_split(struct peal_board *board)
{
    int right = 0, all = 0;

    lesson_say(board, "The first round from node 0, an odd split of z nodes:");
    lesson_show(board, "  source keeps     z = 5                z = 7                z = 9");
    for (int keeps = GREATER; keeps <= SMALLER; keeps++) {
        const char *cells[3];

        for (int z = 5; z <= 9; z += 2, all++) {
            struct peal_cost first;
            int greater = (z + 1) / 2, smaller = z / 2;

            first = peal_machine_schedule(attempt(board, z, 0, (enum kept_part)keeps, false))->rounds[0].charge;
            cells[(z - 5) / 2] = lesson_text(first);
            right += peal_cost_equal(first, keeps == GREATER ? lesson_cost(1, mu * smaller, greater)
                                                             : lesson_cost(1, mu * greater, smaller));
        }
        lesson_show(board, "  the %s      %s%s%s", keeps == GREATER ? "greater" : "smaller", lesson_cell(cells[0], 21),
                    lesson_cell(cells[1], 21), cells[2]);
    }
    lesson_check_all(board, right, all,
                     "t_s + ⌈z/2⌉t_d + ⌊z/2⌋μ·t_m with the greater, t_s + ⌊z/2⌋t_d + ⌈z/2⌉μ·t_m with the smaller");
}

static void
show_lengths(struct peal_board *board)
{
    int right = 0, all = 0, differ = 0;

    lesson_say(board, "The whole scatter from node 0; f(z) is the number of zeros of z-1 in binary:");
    lesson_show(board, "   z  f(z)   keeps the greater     keeps the smaller     difference");
    for (int z = 2; z <= 64; z++, all++) {
        int q = lesson_log2(z), f = lesson_zeros(z), words = mu * (z - 1);
        struct peal_cost greater = peal_machine_cost(attempt(board, z, 0, GREATER, false)), smaller;
        bool served_all = lesson_served(board, z, mu, false) == z;

        smaller = peal_machine_cost(attempt(board, z, 0, SMALLER, false));
        served_all = served_all && lesson_served(board, z, mu, false) == z;
        right += served_all && peal_cost_equal(greater, lesson_cost(q, words, z - 1 + f))
                 && peal_cost_equal(smaller, lesson_cost(q, words + f * mu, z - 1));
        differ += smaller.beta - greater.beta == (int64_t)f * mu && greater.hop - smaller.hop == f;
        if (z >= 5 && z <= 9)
            lesson_show(board, "  %2d  %4d   %s%s%+dβ %+dt_d", z, f, lesson_cell(lesson_text(greater), 22),
                        lesson_cell(lesson_text(smaller), 22), (int)(smaller.beta - greater.beta),
                        (int)(smaller.hop - greater.hop));
    }
    lesson_check_all(board, right, all, "with the greater t_s⌈log₂z⌉ + t_d(z-1+f(z)) + μ·t_m(z-1), z = 2..64");
    lesson_check_all(board, differ, all, "keeping the smaller part costs f(z)(μ·t_m - t_d) more");
}

/* ------------------------------------------------------------------ from inside */

/* Show the sums over the rounds from every source of a line of z nodes: packets in one row, hops in another. */
static void
show_sources(struct peal_board *board, int z, enum kept_part keeps, int *right, int *all)
{
    char packets[100] = "", hops[100] = "";

    for (int s = 0; s < z; s++, ++*all) {
        struct peal_cost cost = peal_machine_cost(attempt(board, z, s, keeps, false));
        int farthest = s > z - 1 - s ? s : z - 1 - s, central = 2 * s == z - 1, f = lesson_zeros(z);
        int extra = keeps == SMALLER ? central : f > central ? f : central; /* hops beyond the farthest node's */

        bool as_greater = cost.beta == mu * (z - 1) && cost.hop >= farthest && cost.hop <= farthest + extra;
        bool as_smaller = cost.beta >= mu * (z - 1) && cost.hop == farthest + extra;

        *right += lesson_served(board, z, mu, false) == z && cost.alpha == lesson_log2(z)
                  && (keeps == GREATER ? as_greater : as_smaller);
        snprintf(packets + strlen(packets), sizeof packets - strlen(packets), "  %2d", (int)cost.beta / mu);
        snprintf(hops + strlen(hops), sizeof hops - strlen(hops), "  %2d", (int)cost.hop);
    }
    lesson_show(board, "  %2d  %s  packets %s", z, keeps == GREATER ? "greater" : "smaller", packets);
    lesson_show(board, "               hops    %s", hops);
}

/* A broadcast goes over the tree of the smaller parts. */
static void
check_broadcasts(struct peal_board *board)
{
    int right = 0, all = 0;

    for (int z = 2; z <= 33; z++)
        for (int s = 0; s < z; s++, all++) {
            struct peal_cost cost = peal_machine_cost(attempt(board, z, s, SMALLER, true));
            int farthest = s > z - 1 - s ? s : z - 1 - s, central = 2 * s == z - 1, q = lesson_log2(z);

            right += lesson_served(board, z, mu, true) == z &&
                     peal_cost_equal(cost, lesson_cost(q, q * mu, farthest + central));
        }
    lesson_check_all(board, right, all, "a broadcast costs ⌈log₂z⌉(t_s + μ·t_m) + t_d·exc(s), and t_d more from the "
                                        "centre of an odd line: z = 2..33, every s");
}

static void
run(struct peal_board *board)
{
    struct peal_options options = lesson_options(7, "line");
    struct split_plan greater = {0, GREATER, false}, smaller = {0, SMALLER, false};
    int right = 0, all = 0;

    options.switching = PEAL_WORMHOLE;
    lesson_run(board, options, program, &greater, "z = 7, keep the greater, μ = %d", mu);
    lesson_run(board, options, program, &smaller, "z = 7, keep the smaller, μ = %d", mu);
    show_first_split(board);
    show_lengths(board);

    lesson_answer(board, "A scatter keeps the greater part: it sends the smaller bundle over one more hop. An odd "
                         "split then saves μ·t_m and costs t_d, in total f(z)(μ·t_m - t_d): 0 for z = 2^q, and 0 <= "
                         "f(z) < log₂z otherwise. A broadcast sends the same μ either way, so it keeps the smaller "
                         "part and saves the hop.");
    lesson_correct(board, "The notes call option (a), t_s + ⌊z/2⌋t_d + ⌈z/2⌉μ·t_m, \"source keeps the larger half\". "
                          "The labels of (a) and (b) are swapped: the distance to the nearest node of the other part "
                          "is the length of the kept part, so keeping the larger half means ⌈z/2⌉ hops and ⌊z/2⌋ "
                          "packets, which is (b). The notes' rule, keep the greater part, is right.");
    lesson_say(board, "Now from any source. A source in the middle of an odd line has no choice: the smaller part "
                      "cannot contain it.");
    lesson_show(board, "   z  keeps             s = 0   1   2   3   4   5   6   7   8");
    for (int keeps = GREATER; keeps <= SMALLER; keeps++)
        for (int z = 5; z <= 9; z += 2)
            show_sources(board, z, (enum kept_part)keeps, &right, &all);
    lesson_check_all(board, right, all, "⌈log₂z⌉ rounds; the greater: z-1 packets and at most f(z) hops beyond "
                                        "exc(s) (one, if more, in the centre); the smaller: exc(s) hops, one more in "
                                        "the centre");
    check_broadcasts(board);
}

const struct peal_lesson lesson_odd_splits = {
    .id       = "ODD",
    .title    = "Odd splits: which part to keep?",
    .source   = "PDP course, combining OAS",
    .code     = "odd_splits.c",
    .question = "A source on a wormhole line of z nodes splits it into two parts and sends one part's packets to its "
                "nearest node. If z is odd, should it keep the greater or the smaller part, and what is the "
                "difference in latency?",
    .run      = run,
};
