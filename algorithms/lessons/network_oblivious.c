/* SPDX-License-Identifier: MIT */
/* Which algorithms cost the same on every network? */
#include "halving.h"

enum { P = 16, m = 10 };

/* Scatter by halving: the holder sends the upper half of its part away. */
static void
halving(struct peal_node *me, void *arg)
{
    const struct halved_line line = {.z = P, .stride = 1, .words = m};

    (void)arg;
    halve(me, &line, peal_rank(me), peal_alloc(me, P * m));
}

/* All-gather along a ring of the ranks: a block to the next node, P - 1 times. */
static void
bucket(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me);
    int64_t *X = peal_alloc(me, P * m);

    (void)arg;
    for (int i = 0; i < P - 1; i++)
        peal_sendrecv(me, peal_block(X, m, (RANK - i + P) % P), m, (RANK + 1) % P,
                      peal_block(X, m, (RANK - i - 1 + P) % P), m, (RANK - 1 + P) % P);
}

/* All-gather by recursive doubling: all blocks at hand, exchanged with the partner across a bit. */
static void
doubling(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me);
    int64_t *X = peal_alloc(me, P * m);

    (void)arg;
    for (int mask = 1; mask < P; mask *= 2) {
        int partner = RANK ^ mask, mine = RANK & ~(mask - 1), its = partner & ~(mask - 1);

        peal_sendrecv(me, peal_block(X, m, mine), (size_t)(m * mask), partner, peal_block(X, m, its),
                      (size_t)(m * mask), partner);
    }
}

static void
run(struct peal_board *board)
{
    static const char *const networks[] = {"full", "hypercube:4", "torus:4x4", "ring:16", "line:16"};
    static const struct {
        const char *name;
        peal_program program;
        const char *cost;
    } algorithms[] = {{"scatter, halving", halving, "α lg P + βm(P-1)"},
                      {"all-gather, bucket", bucket, "(P-1)(α + βm)"},
                      {"all-gather, doubling", doubling, "α lg P + βm(P-1)"}};
    enum { NETWORKS = sizeof networks / sizeof *networks };
    struct peal_cost cost[3][NETWORKS];
    int same[3] = {0};

    lesson_run(board, lesson_options(P, "line"), doubling, NULL, "doubling on a line, m = %d", m);
    lesson_show(board, "  P = %d, m = %d        %s%s%s%s%s", P, m, lesson_cell("full", 11),
                lesson_cell("hypercube", 11), lesson_cell("torus", 11), lesson_cell("ring", 11), "line");
    for (int a = 0; a < 3; a++) {
        char line[100] = "";
        int used = snprintf(line, sizeof line, "  %-22s", algorithms[a].name);

        for (int i = 0; i < NETWORKS; i++) {
            cost[a][i] =
                peal_machine_cost(lesson_try(board, lesson_options(P, networks[i]), algorithms[a].program, NULL));
            same[a] += peal_cost_equal(cost[a][i], cost[a][0]);
            used += snprintf(line + used, sizeof line - (size_t)used, "%s",
                             lesson_cell(lesson_text(cost[a][i]), i + 1 < NETWORKS ? 11 : 0));
        }
        lesson_show(board, "%s", line);
    }
    lesson_check_cost(board, "halving on the complete graph", cost[0][0], lesson_cost(4, (P - 1) * m, 0),
                      algorithms[0].cost);
    lesson_check_cost(board, "bucket on the complete graph", cost[1][0], lesson_cost(P - 1, (P - 1) * m, 0),
                      algorithms[1].cost);
    lesson_check_cost(board, "doubling on the complete graph", cost[2][0], lesson_cost(4, (P - 1) * m, 0),
                      algorithms[2].cost);
    lesson_check_all(board, same[0], NETWORKS, "halving costs the same on every network");
    lesson_check_all(board, same[1], NETWORKS, "bucket costs the same on every network");
    lesson_check_cost(board, "doubling on the line", cost[2][NETWORKS - 1], lesson_cost(4, (P * P - 1) / 3 * m, 0),
                      "α lg P + βm(P²-1)/3");
    lesson_check(board, peal_cost_equal(cost[2][1], cost[2][0]) && cost[2][3].beta > cost[2][0].beta,
                 "doubling costs the same on the hypercube, and more on the ring");

    lesson_answer(board,
                  "Some are, as far as this model goes. None of the three asks what the network is; what differs is "
                  "whether messages of a round share links. Halving scatters in parts of neighbouring ranks, so "
                  "messages of a round stay in parts of their own, on the line too: it costs Lemma 7's bound "
                  "everywhere. The bucket sends to the next rank only, and the way back round the line runs "
                  "against the others: (P-1)(α + βm) everywhere, with the best data term and the worst start-ups. "
                  "Doubling is best on the hypercube, whose wires it uses; on a line the 2^i messages of round i "
                  "share the links in the middle, Σ 2^i·2^i m = m(P²-1)/3. So an algorithm can be efficient on all "
                  "of these networks, but what is best on one of them may not be: how often its messages meet has "
                  "to be shown for each network, and that is what k counts.");
}

const struct peal_lesson lesson_network_oblivious = {
    .id       = "OBLIV",
    .title    = "Network-oblivious algorithms",
    .source   = "Georgia Tech CS 6220, ¶ 48",
    .code     = "network_oblivious.c",
    .question =
        "Are there algorithms that are efficient whatever the network is? Compare a scatter by halving, the bucket "
        "all-gather and an all-gather by recursive doubling on five networks.",
    .run      = run,
};
