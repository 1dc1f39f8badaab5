/* SPDX-License-Identifier: MIT */
/* Store-and-forward against wormhole: when there is no difference. */
#include "lesson.h"

enum { mu = 10 };

/* Divide and conquer: a node with the packets of left..right-1 sends those of the far half to its first node. */
static void
halving(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), left = 0, right = peal_size(me), holder = 0;
    int64_t *packet = peal_alloc(me, (size_t)(mu * peal_size(me)));

    (void)arg;
    while (right - left > 1) {
        int mid = (left + right) / 2;

        if (RANK == holder) peal_send(me, peal_block(packet, mu, mid), (size_t)(mu * (right - mid)), mid);
        if (RANK == mid) peal_recv(me, peal_block(packet, mu, mid), (size_t)(mu * (right - mid)), holder);
        if (RANK < mid) {
            right = mid;
        } else {
            left = mid;
            holder = mid;
        }
    }
}

/* Without bundles, from neighbour to neighbour: the packet of the farthest node starts first. */
static void
farthest_first(struct peal_node *me, void *arg)
{
    int RANK = peal_rank(me), P = peal_size(me), packets = P - 1 - RANK; /* that I pass on */
    int64_t *packet = peal_alloc(me, (size_t)(mu * P));

    (void)arg;
    peal_packet(me, mu);                                  /* no message is longer */
    for (int i = 0; i <= packets; i++) {
        if (RANK > 0) peal_recv_async(me, peal_block(packet, mu, P - 1 - i), mu, RANK - 1);
        if (RANK == 0 && i < packets) peal_send_async(me, peal_block(packet, mu, P - 1 - i), mu, RANK + 1);
        if (RANK > 0 && i > 0) peal_send_async(me, peal_block(packet, mu, P - i), mu, RANK + 1);
        peal_wait_all(me);
    }
}

/* The longest way of a message of the run. */
static int64_t
longest_way(const struct peal_machine *machine)
{
    int64_t hops = 0;

    for (int i = 0; i < lesson_rounds(machine); i++)
        if (lesson_round(machine, i).hops > hops)
            hops = lesson_round(machine, i).hops;
    return hops;
}

static struct peal_options
on(const char *network, int nodes, enum peal_switching switching)
{
    struct peal_options options = lesson_options(nodes, network);

    options.switching = switching;
    return options;
}

/* Whether the switchings differ exactly where some message goes more than one hop, on each of these networks. */
static void
compare(struct peal_board *board)
{
    static const struct {
        const char *network;
        int nodes;
    } list[] = {{"hypercube:3", 8}, {"full", 8}, {"mesh:2x2x2", 8}, {"hypercube:5", 32}, {"line:2", 2},
                {"line:8", 8},      {"ring:8", 8}, {"mesh:2x4", 8}, {"torus:4x4", 16}};
    int alike = 0, count = (int)(sizeof list / sizeof *list);

    lesson_show(board, "  network        longest way   store-and-forward   wormhole");
    for (int i = 0; i < count; i++) {
        struct peal_cost sf =
            peal_machine_cost(lesson_try(board, on(list[i].network, list[i].nodes, PEAL_STORE_FORWARD), halving, NULL));
        const struct peal_machine *machine =
            lesson_try(board, on(list[i].network, list[i].nodes, PEAL_WORMHOLE), halving, NULL);
        struct peal_cost wh = peal_machine_cost(machine);
        bool equal = sf.alpha == wh.alpha && sf.beta == wh.beta;

        lesson_show(board, "  %-13s  %6d %s   %s%s%s", list[i].network, (int)longest_way(machine),
                    longest_way(machine) == 1 ? "hop " : "hops", lesson_cell(lesson_text(sf), 20),
                    lesson_cell(lesson_text(wh), 21), equal ? "equal" : "");
        alike += equal == (longest_way(machine) == 1);
    }
    lesson_check_all(board, alike, count, "α and β are equal exactly if no message goes two hops");
}

static void
run(struct peal_board *board)
{
    enum { z = 8 };
    int64_t product = 0;
    const struct peal_machine *machine;
    struct peal_cost sf;

    machine = lesson_run(board, on("hypercube:3", 8, PEAL_STORE_FORWARD), halving, NULL,
                         "the scatter on Q3, μ = %d", mu);
    sf = peal_machine_cost(machine);
    machine = lesson_run(board, on("hypercube:3", 8, PEAL_WORMHOLE), halving, NULL, "the scatter on Q3");
    lesson_check(board, sf.alpha == peal_machine_cost(machine).alpha && sf.beta == peal_machine_cost(machine).beta,
                 "the same start-ups and words; every message goes one hop");
    machine = lesson_run(board, on("line:8", z, PEAL_STORE_FORWARD), halving, NULL, "the scatter on a line");
    for (int d = z / 2; d >= 1; d /= 2)
        product += d * d * mu;                            /* d packets go d hops */
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(lesson_log2(z), product, 0),
                      "t_s·log₂z + μ·t_m(z²-1)/3: bundle times distance");
    machine = lesson_run(board, on("line:8", z, PEAL_WORMHOLE), halving, NULL, "the scatter on a line");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(lesson_log2(z), mu * (z - 1), z - 1),
                      "t_s·log₂z + t_d(z-1) + μ·t_m(z-1): distance added");
    compare(board);
    machine = lesson_run(board, on("line:8", z, PEAL_STORE_FORWARD), farthest_first, NULL,
                         "single packets, the farthest first");
    lesson_check_cost(board, "cost", peal_machine_cost(machine), lesson_cost(z - 1, mu * (z - 1), 0),
                      "(z-1)(t_s + μ·t_m): more start-ups, a third of the words");

    lesson_answer(board, "Store-and-forward multiplies a message by its distance, wormhole adds the distance. At "
                         "distance one there is no difference, and on Q3 every message goes to a neighbour. The same "
                         "holds on a complete graph and wherever the tree's edges are links (products of K2). It ends "
                         "with the first message that goes two hops, as on a line of more than two nodes.");
}

const struct peal_lesson lesson_sfwh_switching = {
    .id       = "SFWH",
    .title    = "Store-and-forward against wormhole",
    .source   = "PDP course, combining OAS",
    .code     = "sfwh_switching.c",
    .question = "Why does the switching, store-and-forward or wormhole, make no difference for combining OAS on the "
                "hypercube? In which other topologies does this hold, and where does it stop holding?",
    .run      = run,
};
