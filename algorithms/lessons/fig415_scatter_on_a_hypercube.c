/* SPDX-License-Identifier: MIT */
/* Figure 4.15: the scatter operation on an eight-node hypercube. */
#include "lesson.h"

enum { d = 3, p = 1 << d, m = 4 };

static void
program(struct peal_node *me, void *arg)
{
    int my_id = peal_rank(me), mask = p - 1;              /* as in the book's broadcast, algorithm 4.1 */
    int64_t *X = peal_alloc(me, p * m);

    (void)arg;
    if (my_id == 0)
        for (int i = 0; i < p * m; i++)
            X[i] = 1 + i;
    lesson_note_blocks(me, 0, X, m);
    for (int i = d - 1; i >= 0; i--) {
        int half = 1 << i;

        mask = mask ^ half;
        if ((my_id & mask) == 0) {                        /* the lower i bits are 0 */
            if ((my_id & half) == 0) {
                int msg_destination = my_id ^ half;

                peal_send(me, peal_block(X, m, msg_destination), (size_t)(half * m), msg_destination);
                for (int j = 0; j < half * m; j++)
                    peal_block(X, m, msg_destination)[j] = 0; /* keep half of the data only */
            } else {
                int msg_source = my_id ^ half;

                peal_recv(me, peal_block(X, m, my_id), (size_t)(half * m), msg_source);
            }
        }
        lesson_note_blocks(me, d - i, X, m);
    }
}

/* Whether after a step the multiples of `held` have the messages of the next `held` nodes, and the others have nothing.
 * */
static bool
placed(struct peal_board *board, int step)
{
    int held = p >> step;
    int64_t messages[p];
    size_t count;

    for (int node = 0; node < p; node++) {
        for (int i = 0; i < held; i++)
            messages[i] = node + i;
        if (node % held == 0 ? !lesson_noted_is(board, node, step, messages, (size_t)held)
                             : lesson_noted(board, node, step, &count) != NULL)
            return false;
    }
    return true;
}

static void
run(struct peal_board *board)
{
    const struct peal_machine *machine = lesson_run(board, lesson_options(p, "hypercube"), program, NULL,
                                                    "p = %d, m = %d", p, m);
    char label[20];
    int right = 0, senders = 0;

    lesson_say(board, "The messages, labelled by their destinations, before and after each step:");
    for (int step = 0; step <= d; step++) {
        snprintf(label, sizeof label, step == 0 ? "at first" : "step %d", step);
        lesson_show_blocks(board, label, step);
        right += placed(board, step);
    }
    for (int step = 1; step <= d; step++) {
        struct lesson_round round = lesson_round(machine, step - 1);

        senders += round.count == 1 << (step - 1) && round.words == m * (p >> step) && round.hops == 1;
    }
    lesson_check_all(board, right, d + 1,
                     "after step i, 2^i nodes have p/2^i messages each, their own and those of the nodes that follow");
    lesson_check_all(board, senders, d,
                     "in step i, 2^(i-1) nodes send half of their messages across one dimension, one hop");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(d, m * (p - 1), 0),
                      "t_s·log₂p + t_w·m(p-1), equation 4.6");

    lesson_answer(board, "There are log₂p steps, one for each dimension. All links of a dimension join two subcubes; "
                         "a node keeps the half of its data that is for its own subcube and sends the rest to its "
                         "neighbour in the other. At least m(p-1) words must leave node 0, so no network does it in "
                         "less t_w.");
}

const struct peal_lesson lesson_fig415_scatter_on_a_hypercube = {
    .id       = "FIG415",
    .title    = "Figure 4.15: scatter on eight nodes",
    .source   = "Grama et al. 2003, figure 4.15",
    .code     = "fig415_scatter_on_a_hypercube.c",
    .question = "Show the scatter on an eight-node hypercube: which messages does each node have after each step, and "
                "in what time are all messages at their destinations?",
    .run      = run,
};
