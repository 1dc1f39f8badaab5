/* SPDX-License-Identifier: MIT */
/* Gather is scatter backwards, at the same cost, if the routes are reversed too. */
#include "lesson.h"

enum { mu = 10, MAX = 64 };

/* Gather or scatter, by which algorithm of the catalogue. */
struct gather_call {
    bool gather;
    const char *algorithm;
};

static void
program(struct peal_node *me, void *arg)
{
    const struct gather_call *call = arg;
    int64_t *all = peal_alloc(me, (size_t)(mu * peal_size(me))), *own = peal_alloc(me, mu);

    if (call->gather)
        peal_gather_by(me, call->algorithm, own, mu, 0, all);
    else
        peal_scatter_by(me, call->algorithm, all, mu, 0, own);
}

/* Two messages on a ring of six nodes, one of which goes exactly half way round. */
static void
half_way(struct peal_node *me, void *arg)
{
    bool reversed = *(const bool *)arg;
    int RANK = peal_rank(me);
    int from[2] = {reversed ? 3 : 0, reversed ? 1 : 5}, to[2] = {reversed ? 0 : 3, reversed ? 5 : 1};
    int64_t *x = peal_alloc(me, mu);

    for (int i = 0; i < 2; i++) {
        if (RANK == from[i]) peal_send(me, x, mu, to[i]);
        if (RANK == to[i]) peal_recv(me, x, mu, from[i]);
    }
}

static void
run(struct peal_board *board)
{
    static const char *const networks[] = {"hypercube", "line", "ring", "mesh", "torus", "full"};
    static const struct gather_call scatter = {false, "binomial"}, gather = {true, "binomial"},
                                    scatter_rda = {false, "rda"}, gather_rda = {true, "rda"};
    static const bool forth = false, back = true;
    const struct peal_machine *s, *g;
    int reversed = 0, equal = 0, all = 0;

    s = lesson_run(board, lesson_options(8, "hypercube"), program, &scatter, "scatter, μ = %d", mu);
    g = lesson_run(board, lesson_options(8, "hypercube"), program, &gather, "gather, μ = %d", mu);
    lesson_check(board, lesson_same_tree(s, g, true, true),
                 "round i of one is round n+1-i of the other, with every arrow reversed");
    lesson_check_cost(board, "cost of the gather", peal_machine_cost(g), peal_machine_cost(s), "that of the scatter");
    for (int i = 0; i < 6; i++)
        for (int switching = PEAL_IDEAL; switching <= PEAL_STORE_FORWARD; switching++)
            for (int P = 4; P <= MAX; P *= 4, all++) {
                struct peal_options options = lesson_options(P, networks[i]);

                options.switching = (enum peal_switching)switching;
                s = lesson_try(board, options, program, &scatter);
                g = lesson_try(board, options, program, &gather);
                reversed += lesson_same_tree(s, g, true, true);
                equal += peal_cost_equal(peal_machine_cost(s), peal_machine_cost(g));
            }
    lesson_say(board, "Hypercube, line, ring, mesh, torus, complete graph; ideal, wormhole, store-and-forward; P = "
                      "4, 16, 64:");
    lesson_check_all(board, reversed, all, "the gather is the scatter backwards");
    lesson_check_all(board, equal, all, "the gather costs what the scatter costs");
    s = lesson_try(board, lesson_options(7, "line"), program, &scatter_rda);
    g = lesson_try(board, lesson_options(7, "line"), program, &gather_rda);
    lesson_check(board, lesson_same_tree(s, g, true, true)
                            && peal_cost_equal(peal_machine_cost(s), peal_machine_cost(g)),
                 "the same holds with odd splits, on a line of 7");

    lesson_answer(board, "Read the rounds backwards and reverse every arrow: packets that were split are now "
                         "concatenated. A message keeps its length and distance. Sends become receives, and a node "
                         "may do one of each in a round, so every round costs the same.");
    lesson_say(board, "There is one condition: every message must go back on its route. A network that chooses "
                      "between equally long routes may break it, as for the message that goes half way round this ring "
                      "(ties go upwards):");
    s = lesson_run(board, lesson_options(6, "ring"), half_way, &forth, "0→3 and 5→1");
    g = lesson_run(board, lesson_options(6, "ring"), half_way, &back, "3→0 and 1→5, reversed");
    lesson_check_cost(board, "0→1→2→3 and 5→0→1 share the link 0→1",
                      peal_machine_cost(s), lesson_cost(1, 2 * mu, 0), "α + 2βμ");
    lesson_check_cost(board, "3→4→5→0 and 1→0→5 share none", peal_machine_cost(g), lesson_cost(1, mu, 0), "α + βμ");
}

const struct peal_lesson lesson_rev_gather_reversed = {
    .id       = "REV",
    .title    = "Gather is scatter reversed",
    .source   = "PDP course, combining OAS",
    .code     = "rev_gather_reversed.c",
    .question = "Compare combining OAS with all-to-one gather. Why does reversing the direction of data flow not "
                "change the latency?",
    .run      = run,
};
