/* SPDX-License-Identifier: MIT */
/* Simulating the brain: how many memories a problem needs. */
#include "lesson.h"

enum { PERCENT = 100 };

static const int64_t synapses_of_a_percent = 10000000000000, /* ten trillion */
                     bytes_of_a_synapse = 24,
                     bytes_of_a_workstation = (int64_t)1 << 34; /* 16 GiB */

/* Node i has the i-th percent of the brain in its memory; node 0 ends with the sum of the bytes needed. */
static void
program(struct peal_node *me, void *arg)
{
    int64_t bytes = synapses_of_a_percent * bytes_of_a_synapse;

    (void)arg;
    peal_reduce_by(me, "binomial", PEAL_SUM_INT64, &bytes, 1, 0);
    if (peal_rank(me) == 0)
        lesson_note(me, 0, &bytes, 1);
}

/* Round to two significant figures: 232 is 230. */
static int64_t
two_figures(int64_t number)
{
    int64_t power = 1;

    while (number / power >= 100)
        power *= 10;
    return (number + power / 2) / power * power;
}

static void
run(struct peal_board *board)
{
    const struct peal_machine *machine =
        lesson_run(board, lesson_options(PERCENT, "full"), program, NULL,
                   "100 nodes, a percent of the brain on each: their sum");
    size_t count;
    const int64_t *sum = lesson_noted(board, 0, 0, &count);
    int64_t bytes = sum != NULL ? *sum : 0;
    int64_t workstations = (bytes + bytes_of_a_workstation - 1) / bytes_of_a_workstation;

    lesson_say(board, "Node 0 now has %lld bytes; divided by 2^34 that is %lld workstations.", (long long)bytes,
               (long long)workstations);
    lesson_check_count(board, "bytes", bytes, PERCENT * synapses_of_a_percent * bytes_of_a_synapse,
                       "10^13 synapses · 24 bytes · 100 percent");
    lesson_check_cost(board, "the sum itself", peal_machine_cost(machine),
                      lesson_cost(lesson_log2(PERCENT), lesson_log2(PERCENT), 0), "⌈log₂100⌉(α + β)");
    lesson_check_count(board, "two significant figures", two_figures(workstations), 14 * 100000, "1.4 million");

    lesson_answer(board, "1.4 million workstations of 16 GiB. A problem of this size is distributed over private "
                         "memories, and the parts exchange data in messages: here 99 messages, in 7 rounds, for one "
                         "sum.");
}

const struct peal_lesson lesson_q1_brain = {
    .id       = "Q1",
    .title    = "Simulating the brain",
    .source   = "Georgia Tech CS 6220, ¶ 2-3",
    .code     = "q1_brain.c",
    .question = "One percent of a brain is a network of ten trillion synapses, each of which takes 24 bytes. How many "
                "workstations of 16 GiB does it take to store all of a brain, to two significant figures?",
    .run      = run,
};
