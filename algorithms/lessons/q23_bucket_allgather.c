/* SPDX-License-Identifier: MIT */
/* Bucketing: all-gather round the nodes, and when it is the right one. */
#include "lesson.h"

/* Every node passes on the block that it received last. */
static void
bucket(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), P = peal_size(me);
    size_t m = *(const size_t *)arg;
    int64_t *Out = peal_alloc(me, m * (size_t)P);

    for (size_t i = 0; i < m; i++)
        peal_block(Out, m, RANK)[i] = RANK + 1;
    lesson_note_blocks(me, 0, Out, m);
    for (int i = 0; i < P - 1; i++) {
        int newest = (RANK - i + P) % P, next = (RANK - i - 1 + P) % P;

        peal_send_async(me, peal_block(Out, m, newest), m, (RANK + 1) % P);
        peal_recv_async(me, peal_block(Out, m, next), m, (RANK + P - 1) % P);
        peal_wait_all(me);
        if (i < 3) lesson_note_blocks(me, i + 1, Out, m);
    }
    lesson_note_blocks(me, 4, Out, m);
}

/* Recursive doubling, P = 2^k: partners exchange all their blocks. */
static void
doubling(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), P = peal_size(me);
    size_t m = *(const size_t *)arg;
    int64_t *Out = peal_alloc(me, m * (size_t)P);

    for (size_t i = 0; i < m; i++)
        peal_block(Out, m, RANK)[i] = RANK + 1;
    for (int have = 1; have < P; have *= 2) {
        int partner = RANK ^ have, mine = RANK & ~(have - 1), theirs = mine ^ have;

        peal_sendrecv(me, peal_block(Out, m, mine), m * (size_t)have, partner,
                      peal_block(Out, m, theirs), m * (size_t)have, partner);
    }
    lesson_note_blocks(me, 4, Out, m);
}

static int
complete(struct peal_board *board, int P)
{
    int64_t all[64];
    int count = 0;

    for (int i = 0; i < P; i++)
        all[i] = i;
    for (int rank = 0; rank < P; rank++)
        count += lesson_noted_is(board, rank, 4, all, (size_t)P);
    return count;
}

static struct peal_options
line(int P, double alpha)
{
    struct peal_options options = lesson_options(P, "line");

    options.parameters.alpha = alpha;
    return options;
}

static void
show_condition(struct peal_board *board, int P)
{
    const double alpha = 100;
    double share[3];
    int i = 0;

    lesson_show(board, "  P = %d, α/β = %.0f           words a node    time      of it in β", P, alpha);
    for (size_t m = 1; m <= 10000; m *= 100, i++) {
        const struct peal_machine *machine = lesson_try(board, line(P, alpha), bucket, &m);
        double beta = (double)peal_machine_cost(machine).beta;

        share[i] = 100 * beta / lesson_time(machine);
        lesson_show(board, "    n/P %s α/β                    %6zu   %7.0f        %4.1f %%",
                    i == 0 ? "<<" : i == 1 ? "= " : ">>", m, lesson_time(machine), share[i]);
    }
    lesson_check(board, share[0] < 2,
                 "n/P << α/β: start-ups dominate, and their number is (P-1)/log₂P times the optimum");
    lesson_check_count(board, "percent at n/P = α/β", (int64_t)share[1], 50, "(one half)");
    lesson_check(board, share[2] > 98, "n/P >> α/β: βn(P-1)/P dominates, which is optimal");
}

static void
show_crossing(struct peal_board *board, int P)
{
    const int64_t alpha = 1000, more_words = ((int64_t)P * P - 1) / 3 - (P - 1), fewer_rounds = P - 1 - lesson_log2(P);
    size_t below = (size_t)(alpha * fewer_rounds / more_words), above = below + 1;
    const struct peal_machine *machine = lesson_run(board, line(P, alpha), doubling, &below,
                                                    "recursive doubling, m = %zu", below);
    double time[2][2];

    lesson_check_cost(board, "cost", peal_machine_cost(machine),
                      lesson_cost(lesson_log2(P), (int64_t)below * (P * P - 1) / 3, 0),
                      "α·log₂P + βm(P²-1)/3: a line congests");
    time[0][0] = lesson_time(machine);
    time[1][0] = lesson_time(lesson_try(board, line(P, alpha), doubling, &above));
    time[0][1] = lesson_time(lesson_try(board, line(P, alpha), bucket, &below));
    time[1][1] = lesson_time(lesson_try(board, line(P, alpha), bucket, &above));
    lesson_show(board, "  α = 1000, β = 1        recursive doubling    bucketing");
    for (int i = 0; i < 2; i++)
        lesson_show(board, "    m = %zu                      %8.0f     %8.0f",
                    i == 0 ? below : above, time[i][0], time[i][1]);
    lesson_check(board, time[0][0] < time[0][1] && time[1][0] > time[1][1],
                 "on this line bucketing wins as soon as βm((P²-1)/3 - (P-1)) > α(P-1 - log₂P)");
}

static void
run(struct peal_board *board)
{
    enum { P = 8 };
    size_t m = 4;
    const struct peal_machine *machine = lesson_run(board, lesson_options(P, "line"), bucket, &m,
                                                    "bucketing, P = %d, m = %zu", P, m);

    lesson_draw_line(board, machine, 0);
    lesson_say(board, "The blocks that each node has:");
    lesson_show_blocks(board, "at first", 0);
    lesson_show_blocks(board, "round 1", 1);
    lesson_show_blocks(board, "round 2", 2);
    lesson_check_count(board, "nodes that have all blocks at the end", complete(board, P), P, "P");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(P - 1, (int64_t)m * (P - 1), 0),
                      "(α + βn/P)(P-1)");
    lesson_check(board, lesson_uncongested(machine), "k = 1 although the line has no link from P-1 to 0: that message "
                                                     "goes back on links that are otherwise unused");

    lesson_answer(board, "(α + βn/P)(P-1) ≈ αP + βn: optimal in β, suboptimal in α.");
    lesson_correct(board, "The lesson says that this is fine if n/P << α/β. The condition is the opposite, n/P >> α/β "
                          "(as a reader noted in the margin): the β term, which is optimal, must outweigh the α term, "
                          "which is not.");
    show_condition(board, P);
    show_crossing(board, P);
}

const struct peal_lesson lesson_q23_bucket_allgather = {
    .id       = "Q23",
    .title    = "Bucketing: all-gather in a ring",
    .source   = "Georgia Tech CS 6220, ¶ 43",
    .code     = "q23_bucket_allgather.c",
    .question = "Every node of a line sends its block to the next node, and the last node to node 0. Then every node "
                "passes on the block that it has just received, until all nodes have all blocks. What does it cost, "
                "and when is it a good all-gather?",
    .run      = run,
};
