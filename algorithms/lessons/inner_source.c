/* SPDX-License-Identifier: MIT */
/* Combining scatter on a wormhole line from a source that is not at its end. */
#include "halving.h"

enum { mu = 10, MAX_Z = 17 };

static void
program(struct peal_node *me, void *arg)
{
    int P = peal_size(me);
    struct halved_line line = {.z = P, .stride = 1, .holder = *(const int *)arg, .words = mu, .greater = true};
    int64_t *packet = peal_alloc(me, (size_t)(mu * P));

    for (int i = 0; i < P && peal_rank(me) == line.holder; i++)
        *peal_block(packet, mu, i) = 1 + i;
    halve(me, &line, peal_rank(me), packet);
    lesson_note(me, 0, peal_block(packet, mu, peal_rank(me)), 1);
}

/* Scatter from s on a line of z; whether every node has its packet then. */
static const struct peal_machine *
attempt(struct peal_board *board, int z, int s, bool *served)
{
    struct peal_options options = lesson_options(z, "line");
    const struct peal_machine *machine;

    options.switching = PEAL_WORMHOLE;
    machine = lesson_try(board, options, program, &s);
    for (int node = 0; node < z; node++) {
        int64_t packet = 1 + node;

        *served = *served && lesson_noted_is(board, node, 0, &packet, 1);
    }
    return machine;
}

static int
eccentricity(int z, int s)
{
    return s > z - 1 - s ? s : z - 1 - s;
}

static void
run(struct peal_board *board)
{
    struct peal_options options = lesson_options(8, "line");
    bool served = true;
    int even = 0, exact = 0, odd = 0, near = 0, all = 0, terms = 0, source = 3;

    options.switching = PEAL_WORMHOLE;
    lesson_run(board, options, program, &source, "z = 8, source 3, μ = %d", mu);
    lesson_say(board,
               "Every source of a line of 8 and of 9 nodes: the hops of all rounds, and exc(s), the least that the "
               "farthest packet must travel.");
    for (int z = 8; z <= 9; z++)
        for (int s = 0; s < z; s++) {
            struct peal_cost cost = peal_machine_cost(attempt(board, z, s, &served));

            lesson_show(board, "  z = %d  s = %d   %s  exc(s) = %d", z, s, lesson_cell(lesson_text(cost), 24),
                        eccentricity(z, s));
        }
    for (int z = 2; z <= MAX_Z; z++)
        for (int s = 0; s < z; s++, all++) {
            struct peal_cost cost = peal_machine_cost(attempt(board, z, s, &served));
            int64_t more = cost.hop - eccentricity(z, s);
            int most = lesson_zeros(z) > (2 * s == z - 1) ? lesson_zeros(z) : (2 * s == z - 1);

            terms += cost.alpha == lesson_log2(z) && cost.beta == (z - 1) * mu;
            even += z % 2 == 0;
            odd += z % 2;
            exact += z % 2 == 0 && more == lesson_zeros(z);
            near += z % 2 && more >= 0 && more <= most;
        }
    lesson_check(board, served, "every node of every run has its packet");
    lesson_check_all(board, terms, all, "⌈lg z⌉·t_s and (z-1)μ·t_m, whatever the source");
    lesson_check_all(board, exact, even, "z even: exc(s) + f(z) hops, where exc(s) = max(s, z-1-s)");
    lesson_check_all(board, near, odd, "z odd: at least exc(s), at most f(z) more (1 more for a source in the middle)");

    lesson_answer(
        board,
        "Only the middle term changes: t_s⌈lg z⌉ + t_d(exc(s) + f(z)) + μt_m(z-1) for even z, with "
        "exc(s) = max(s, z-1-s) in place of z-1. The source's own part is always the largest that is "
        "still being divided, so the data term stays z-1: each packet leaves the source once. The rounds "
        "stay, since each halves the parts. The bundle goes to the nearest node of the other part; to "
        "the counterpart s ± z/2 it would go z/2 + z/4 + ... + 1 = z-1 hops for z = 2^q, whatever the "
        "source. A source in the middle of an odd line has no choice: the smaller part, at either end, does not "
        "contain it.");
}

const struct peal_lesson lesson_inner_source = {
    .id       = "INNER",
    .title    = "A source inside the 1-D mesh",
    .source   = "PDP course, OAS on 1-D meshes",
    .code     = "inner_source.c",
    .question =
        "Combining OAS on a wormhole line M(z) from its end takes t_s⌈lg z⌉ + t_d(z-1+f(z)) + μt_m(z-1). Which terms "
        "change when the source is an inner node s, and how?",
    .run      = run,
};
