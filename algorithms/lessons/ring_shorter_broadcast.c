/* SPDX-License-Identifier: MIT */
/* Recursive doubling is not optimal in distance on a ring: a shorter broadcast and a shorter scatter. */
#include "lesson.h"
#include <string.h>

enum { mu = 10, SMALLER = 0, GREATER = 1 };

/* The collective on the ring, and the part of an odd split that the holder keeps. */
struct ring_plan {
    int keeps;
    bool broadcast, both_ways; /* both_ways: the shorter one */
};

static void
give(struct peal_node *me, const struct ring_plan *plan, int64_t *packet, int first, int end, int from, int to)
{
    int64_t *bundle = plan->broadcast ? packet : peal_block(packet, mu, first);
    size_t words = plan->broadcast ? mu : (size_t)(mu * (end - first));

    if (peal_rank(me) == from) peal_send(me, bundle, words, to);
    if (peal_rank(me) == to) peal_recv(me, bundle, words, from);
}

static void
program(struct peal_node *me, void *arg)
{
    const struct ring_plan *plan = arg;
    int RANK = peal_rank(me), z = peal_size(me), left = 0, right = z;
    int64_t *packet = peal_alloc(me, (size_t)(mu * z));

    if (RANK == 0)
        for (int i = 0; i < mu * z; i++)
            packet[i] = 1 + i / mu;
    if (plan->both_ways) {                                /* one hop backwards: both halves have a holder at an end */
        int half = (z + 1) / 2;

        give(me, plan, packet, half, z, 0, z - 1);
        if (RANK < half) right = half;
        else left = half;
    }
    while (right - left > 1) {                            /* left..right-1 is a line with its holder at an end */
        int n = right - left, keep = plan->keeps == GREATER ? (n + 1) / 2 : n / 2;
        bool upper = plan->both_ways && left >= (z + 1) / 2;

        if (upper) {
            int cut = right - keep;

            give(me, plan, packet, left, cut, right - 1, cut - 1);
            if (RANK < cut) right = cut;
            else left = cut;
        } else {
            int cut = left + keep;

            give(me, plan, packet, cut, right, left, cut);
            if (RANK < cut) right = cut;
            else left = cut;
        }
    }
    lesson_note(me, 0, peal_block(packet, mu, plan->broadcast ? 0 : RANK), mu);
}

static struct peal_options
ring(int z)
{
    struct peal_options options = lesson_options(z, "ring");

    options.switching = PEAL_WORMHOLE;
    return options;
}

/* "what    4 + 2 + 1 = 7 hops" */
static void
show_distances(struct peal_board *board, const char *what, const struct peal_machine *machine)
{
    char sum[200] = "";

    for (int i = 0; i < lesson_rounds(machine); i++)
        snprintf(sum + strlen(sum), sizeof sum - strlen(sum), "%s%d", i > 0 ? " + " : "",
                 (int)lesson_round(machine, i).hops);
    lesson_show(board, "  %s%s = %d hops", lesson_cell(what, 32), sum, (int)peal_machine_cost(machine).hop);
}

/* Σ⌈z/2^i⌉ over the rounds, as in the notes. */
static int
sum_of_ceilings(int z)
{
    int sum = 0;

    for (int i = 1; i <= lesson_log2(z); i++)
        sum += (z + (1 << i) - 1) >> i;
    return sum;
}

/* Whether round i goes ⌊n/2⌋ hops, n = ⌈z/2^(i-1)⌉ the longest part then: its holder keeps the smaller half. */
static bool
goes_floors(const struct peal_machine *machine, int z)
{
    for (int i = 1; i <= lesson_log2(z); i++)
        if (lesson_round(machine, i - 1).hops != ((z + (1 << (i - 1)) - 1) >> (i - 1)) / 2)
            return false;
    return true;
}

static void
run(struct peal_board *board)
{
    enum { z = 8, MAX = 64 };
    static const struct ring_plan doubling = {SMALLER, true, false}, shorter = {SMALLER, true, true};
    static const struct ring_plan scatter = {GREATER, false, true};
    const struct peal_machine *usual, *machine;
    int all = 0, usuals = 0, floors = 0, sums = 0, optimal = 0, packets = 0;

    usual = lesson_run(board, ring(z), program, &doubling, "recursive doubling, z = %d", z);
    machine = lesson_run(board, ring(z), program, &shorter, "both ways round, z = %d", z);
    show_distances(board, "recursive doubling", usual);
    show_distances(board, "both ways round", machine);
    lesson_check_count(board, "nodes that have the packet", lesson_served(board, z, mu, true), z, "z");
    lesson_check_count(board, "hops", peal_machine_cost(machine).hop,
                       peal_network_eccentricity(peal_machine_network(machine), 0),
                       "exc(s) of the ring, the minimum");
    for (int n = 2; n <= MAX; n++, all++) {
        int q = lesson_log2(n), half = (n + 1) / 2;
        struct peal_cost cost = peal_machine_cost(lesson_try(board, ring(n), program, &shorter));

        optimal += lesson_served(board, n, mu, true) == n && peal_cost_equal(cost, lesson_cost(q, q * mu, half));
        cost = peal_machine_cost(lesson_try(board, ring(n), program, &scatter));
        packets += lesson_served(board, n, mu, false) == n
                   && peal_cost_equal(cost, lesson_cost(q, mu * (n - 1), half + lesson_zeros(half)));
        machine = lesson_try(board, ring(n), program, &doubling);
        usuals += lesson_served(board, n, mu, true) == n
                  && peal_cost_equal(peal_machine_cost(machine), lesson_cost(q, q * mu, n - 1));
        floors += goes_floors(machine, n);
        sums += sum_of_ceilings(n) == n - 1 + lesson_zeros(n);
    }
    lesson_say(board, "On the rings of z = 2 to %d nodes:", MAX);
    lesson_check_all(board, usuals, all, "recursive doubling: ⌈log₂z⌉(t_s + μ·t_m) + (z-1)t_d");
    lesson_check_all(board, optimal, all, "both ways round: ⌈log₂z⌉(t_s + μ·t_m) + ⌈z/2⌉t_d");
    lesson_check_all(board, packets, all, "a scatter both ways round: ⌈log₂z⌉t_s + (z-1)μ·t_m + (⌈z/2⌉ + "
                                          "f(⌈z/2⌉))t_d, f(x) the zeros of x-1 in binary");

    lesson_answer(board, "No. Send one hop backwards first. Then both halves of the ring are lines with a holder at "
                         "one end, and recursive doubling on both at once takes ⌈z/2⌉-1 hops more. That is ⌈z/2⌉ hops "
                         "instead of z-1, in the same number of rounds and without congestion. For even z that is the "
                         "eccentricity.");
    lesson_correct(board, "The course writes the distance on a ring as the sum of ⌈z/2^i⌉ = z-1, the diameter's lower "
                          "bound \"achieved with equality\". The diameter of a ring is ⌊z/2⌋, and the sum is z-1 only "
                          "for z = 2^q: in general it is z-1 plus the zeros of z-1 in binary. A broadcast that keeps "
                          "the smaller part does take z-1 hops, but as a sum of floors:");
    usual = lesson_run(board, ring(6), program, &doubling, "recursive doubling, z = 6");
    show_distances(board, "measured, z = 6", usual);
    lesson_show(board, "  ⌈6/2⌉ + ⌈6/4⌉ + ⌈6/8⌉           3 + 2 + 1 = %d", sum_of_ceilings(6));
    lesson_check_all(board, floors, all, "measured in round i: ⌊n/2⌋ hops, n = ⌈z/2^(i-1)⌉ nodes in the longest part");
    lesson_check_all(board, sums, all, "the sum of ⌈z/2^i⌉ is z-1+f(z)");
}

const struct peal_lesson lesson_ring_shorter_broadcast = {
    .id       = "RING",
    .title    = "A ring broadcast with half the distance",
    .source   = "PDP course, OAB in 1-port WH",
    .code     = "ring_shorter_broadcast.c",
    .question = "Recursive doubling broadcasts on a wormhole ring of z nodes in ⌈log₂z⌉ rounds over z-1 hops. Is "
                "that distance optimal?",
    .run      = run,
};
