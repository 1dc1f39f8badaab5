/* SPDX-License-Identifier: MIT */
/* Lemma 7, the lower bounds for combining one-to-all scatter: met and missed. */
#include "lesson.h"

enum { mu = 10, MAX_PORTS = 2 };

/* Cut my part into k+1 pieces as equal as can be, and send each but the first to its first node. */
static void
split(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), left = 0, right = peal_size(me), k = *(const int *)arg;
    int64_t *packet = peal_alloc(me, (size_t)mu * (size_t)peal_size(me));

    while (right - left > 1) {
        int n = right - left, pieces = n < k + 1 ? n : k + 1, mine = 0, cut[MAX_PORTS + 2] = {0};

        for (int p = 0; p <= pieces; p++)
            cut[p] = left + (p * n + pieces - 1) / pieces;
        for (int p = 1; p < pieces; p++) {
            size_t words = (size_t)mu * (size_t)(cut[p + 1] - cut[p]);

            if (RANK == left) peal_send_async(me, peal_block(packet, mu, cut[p]), words, cut[p]);
            if (RANK == cut[p]) peal_recv_async(me, peal_block(packet, mu, cut[p]), words, left);
            if (RANK >= cut[p]) mine = p;
        }
        peal_wait_all(me);
        left = cut[mine];
        right = cut[mine + 1];
    }
}

/* The source sends every packet itself. */
static void
alone(struct peal_node *me, void *arg)
{
    int P = peal_size(me);
    int64_t *packet = peal_alloc(me, (size_t)(mu * P));

    (void)arg;
    for (int i = 1; i < P; i++) {
        if (peal_rank(me) == 0) peal_send_async(me, peal_block(packet, mu, i), mu, i);
        if (peal_rank(me) == i) peal_recv_async(me, packet, mu, 0);
    }
    peal_wait_all(me);
}

/* ρ·t_s + γ·t_d + ⌈(N-1)/k⌉μ·t_m, wormhole: ρ = ⌈log_{k+1} N⌉, γ = exc(s). */
static struct peal_cost
lemma_7(const struct peal_network *network, int k, int source)
{
    int N = peal_network_nodes(network), rounds = 0;

    for (int64_t informed = 1; informed < N; informed *= k + 1)
        rounds++;
    return lesson_cost(rounds, (N - 1 + k - 1) / k * mu, peal_network_eccentricity(network, source));
}

/* A run, and which terms of the lemma it is expected to miss. */
struct example {
    const char *name, *network;
    int nodes, ports;
    peal_program program;
    bool misses_alpha, misses_beta, misses_hop;
};

/* Show the run's cost beside its bound; return whether it misses the expected terms and no others. */
static bool
compare(struct peal_board *board, const struct example *example, bool *below)
{
    struct peal_options options = lesson_options(example->nodes, example->network);
    const struct peal_machine *machine;
    struct peal_cost cost, bound;
    bool alpha, beta, hop;

    options.switching = PEAL_WORMHOLE;
    options.ports = example->ports;
    machine = lesson_try(board, options, example->program, &example->ports);
    cost = peal_machine_cost(machine);
    bound = lemma_7(peal_machine_network(machine), example->ports, 0);
    alpha = cost.alpha > bound.alpha;
    beta = cost.beta > bound.beta;
    hop = cost.hop > bound.hop;
    *below = *below || cost.alpha < bound.alpha || cost.beta < bound.beta || cost.hop < bound.hop;
    lesson_show(board, "  %-18s%-12s%d  %s%s%s%s%s%s", example->name, example->network, example->ports,
                lesson_cell(lesson_text(cost), 18), lesson_cell(lesson_text(bound), 17), alpha ? "t_s " : "",
                hop ? "t_d " : "", beta ? "t_m" : "",
                alpha || beta || hop ? "" : "met");
    return alpha == example->misses_alpha && beta == example->misses_beta && hop == example->misses_hop;
}

static void
run(struct peal_board *board)
{
    static const struct example examples[] = {
        {"halving", "hypercube:3", 8, 1, split, false, false, false},
        {"halving", "line:8", 8, 1, split, false, false, false},
        {"keep the greater", "line:5", 5, 1, split, false, false, true},
        {"halving", "ring:8", 8, 1, split, false, false, true},
        {"source alone", "full:8", 8, 1, alone, true, false, true},
        {"three parts", "full:9", 9, 2, split, false, false, true},
        {"three parts", "full:27", 27, 2, split, false, false, true},
        {"parts of 2, 2, 1", "full:5", 5, 2, split, false, true, true},
        {"two, then two", "full:5", 5, 2, alone, false, false, true},
    };
    int count = (int)(sizeof examples / sizeof *examples), right = 0, k = 2;
    bool below = false;
    struct peal_options options = lesson_options(9, "full");

    options.ports = k;
    lesson_run(board, options, split, &k, "nine nodes in parts of three, μ = %d", mu);
    lesson_say(board, "Wormhole runs from node 0, their bounds by Lemma 7, and the terms they miss (k ports):");
    lesson_show(board, "  scatter           network     k  cost              bound            missed");
    for (int i = 0; i < count; i++)
        right += compare(board, &examples[i], &below);
    lesson_check_all(board, right, count, "every run misses the terms that were predicted, and no others");
    lesson_check(board, !below, "no run is below its bound in any term");

    lesson_answer(board, "τ >= ρ·t_s + γ·t_d + ⌈(N-1)/k⌉μ·t_m, with ρ = ⌈log_{k+1} N⌉ rounds (wormhole) and γ = exc(s) "
                         "hops. A round multiplies the informed nodes by at most k+1, the packet of the farthest node "
                         "must travel exc(s) hops, and N-1 packets must leave the source through k ports. A "
                         "round-synchronous run pays for these three separately, so the bounds add up. One scatter "
                         "can meet all three (Q3, a line of 2^q nodes). There are four ways to miss it. An odd split "
                         "costs a hop more. Halving does not use a ring both ways. On a complete graph exc(s) = 1, "
                         "but every round has a hop. And nearly equal parts can be larger than their receivers can "
                         "pass on (2, 2, 1).");
}

const struct peal_lesson lesson_lem7_lower_bounds = {
    .id       = "LEM7",
    .title    = "Lemma 7 met and missed",
    .source   = "PDP course, Lemma 7",
    .code     = "lem7_lower_bounds.c",
    .question = "State Lemma 7, the lower bounds for combining OAS in a k-port network with N nodes. Which scatters "
                "meet them?",
    .run      = run,
};
