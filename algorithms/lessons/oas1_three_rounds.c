/* SPDX-License-Identifier: MIT */
/* Combining one-to-all scatter on the hypercube Q3: the three rounds. */
#include "lesson.h"

enum { DIMENSIONS = 3, P = 1 << DIMENSIONS, mu = 10, source = 0 };

/* The dimension of phase 1, 2, 3. */
struct phase_order {
    int dimension[DIMENSIONS];
};

/* CombiningOAS_Hypercube(Q_n, s): in phase i the source and every node informed so far sends the packets of the far
 * side across dimension i. */
static void
program(struct peal_node *me, void *arg)
{
    const struct phase_order *order = arg;
    int RANK = peal_rank(me), done = 0;                   /* the bits of the dimensions that were crossed */
    int64_t *packet = peal_alloc(me, P * mu);

    if (RANK == source)
        for (int i = 0; i < P * mu; i++)
            packet[i] = 1;
    lesson_note_blocks(me, 0, packet, mu);
    for (int i = 0; i < DIMENSIONS; i++) {
        int bit = 1 << order->dimension[i], partner = RANK ^ bit, far = RANK | bit, pieces = 0;
        bool informed = (RANK & ~done) == 0, next = (RANK & ~done) == bit;
        struct peal_piece bundle[P];

        done |= bit;
        for (int d = 0; d < P; d++)                       /* the destinations of the far side */
            if ((d & done) == (far & done))
                bundle[pieces++] = (struct peal_piece){peal_block(packet, mu, d), mu};
        if (informed)
            peal_sendv_async(me, bundle, pieces, partner);
        if (next)
            peal_recvv_async(me, bundle, pieces, partner);
        peal_wait_all(me);
        for (int p = 0; informed && p < pieces; p++)      /* they are sent */
            *(int64_t *)bundle[p].data = 0;
        lesson_note_blocks(me, i + 1, packet, mu);
    }
}

static void
show_packets(struct peal_board *board)
{
    lesson_say(board, "Which packets each informed node has:");
    lesson_show_blocks(board, "at first", 0);
    lesson_show_blocks(board, "round 1", 1);
    lesson_show_blocks(board, "round 2", 2);
    lesson_show_blocks(board, "round 3", 3);
}

static bool
all_served(struct peal_board *board)
{
    for (int64_t rank = 0; rank < P; rank++)
        if (!lesson_noted_is(board, (int)rank, DIMENSIONS, &rank, 1))
            return false;
    return true;
}

static void
run(struct peal_board *board)
{
    static const struct phase_order highest_first = {{2, 1, 0}}, lowest_first = {{0, 1, 2}};
    struct peal_options options = lesson_options(P, "hypercube:3");
    int n = DIMENSIONS, halves = 0;
    const struct peal_machine *machine = lesson_run(board, options, program, &highest_first,
                                                    "highest dimension first, μ = %d", mu);
    struct peal_cost cost = peal_machine_cost(machine);

    show_packets(board);
    lesson_check(board, all_served(board), "every node ends with its own packet and no other");
    for (int i = 1; i <= n; i++)
        halves += lesson_round(machine, i - 1).words == mu << (n - i);
    lesson_check_all(board, halves, n, "in round i every bundle has 2^(n-i) packets: 4, 2, 1");
    lesson_check_cost(board, "cost", cost, lesson_cost(n, mu * (P - 1), 0), "n·α + (2^n - 1)μ·β");

    machine = lesson_run(board, options, program, &lowest_first, "lowest dimension first");
    show_packets(board);
    lesson_check(board, all_served(board), "every node ends with its own packet and no other");
    lesson_check_cost(board, "\"dimension 0 (or 2)\": cost", peal_machine_cost(machine), cost, "the same");

    lesson_answer(board, "t = n·t_s + (2^n - 1)μ·t_m, with α = t_s and β = t_m: bundles of 4, 2 and 1 packets, 7 in "
                         "all. Lemma 7 requires log₂N = n rounds and (N-1)μ words, so both terms are optimal.");
    lesson_correct(board, "Lemma 7 has a third term, the distance: γ = exc(s) hops, t_d each. The notes' formula for "
                          "Q_n omits it. With wormhole switching the machine charges it:");
    options.switching = PEAL_WORMHOLE;
    machine = lesson_try(board, options, program, &highest_first);
    lesson_check_cost(board, "wormhole cost", peal_machine_cost(machine), lesson_cost(n, mu * (P - 1), n),
                      "n·t_s + n·t_d + (2^n - 1)μ·t_m");
    lesson_check_count(board, "hops, the longest of every round", peal_machine_cost(machine).hop,
                       peal_network_eccentricity(peal_machine_network(machine), source), "exc(s), still optimal");
}

const struct peal_lesson lesson_oas1_three_rounds = {
    .id       = "OAS1",
    .title    = "Combining scatter: three rounds on Q3",
    .source   = "PDP course, combining OAS",
    .code     = "oas1_three_rounds.c",
    .question = "A source in the hypercube Q3 has a packet of μ words for every other node. In phase i, all informed "
                "nodes send a bundle across dimension i. How large are the bundles, what is the latency, and is it "
                "optimal?",
    .run      = run,
};
