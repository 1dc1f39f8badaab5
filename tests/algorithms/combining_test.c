/* SPDX-License-Identifier: MIT */
/* Reduce-scatter, all-reduce, all-to-all, scan, exscan, barrier and shift beside their numbers: rounds and words at P
 * that are not powers of two, the numbers after their names, and ports. */
#include "harness.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static int
floor_log2(int x)
{
    int q = 0;

    while (x >> (q + 1) > 0)
        q++;
    return q;
}

static int
ceiling_log(int base, int x)
{
    int rounds = 0;

    for (int64_t reached = 1; reached < x; reached *= base)
        rounds++;
    return rounds;
}

/* The cost of a run with verified data on a network with k ports; its closed form, if it has one, is checked. */
static struct peal_cost
cost_of(const char *collective, const char *algorithm, const char *topology, int nodes, size_t words, int ports,
        const struct peal_op *op)
{
    struct peal_options options = options_for(nodes, topology);
    struct performance run;
    struct peal_cost cost;

    options.ports = ports;
    perform(&run, &options, collective, algorithm, words, 0, op);
    cr_assert(run.status == PEAL_OK && run.outcome.verified, "%s/%s P = %d on %s, %d ports: %s", collective, algorithm,
              nodes, topology, ports, run.error.text);
    cost = peal_machine_cost(run.machine);
    cr_expect(!run.outcome.has_closed_form || run.outcome.closed_form_equal,
              "%s/%s P = %d on %s, %d ports: %ldα %ldβ, closed form %ldα %ldβ", collective, algorithm, nodes, topology,
              ports, cost.alpha, cost.beta, run.outcome.closed_form.alpha, run.outcome.closed_form.beta);
    performance_fini(&run);
    return cost;
}

#define EXPECT_COST(rounds, words, ...)                                                                                \
    do {                                                                                                               \
        struct peal_cost cost_ = cost_of(__VA_ARGS__);                                                                 \
        cr_expect(cost_.alpha == (rounds) && cost_.beta == (words), "%s: %ldα %ldβ instead of %ldα %ldβ",              \
                  #__VA_ARGS__, cost_.alpha, cost_.beta, (long)(rounds), (long)(words));                               \
    } while (0)

/* ------------------------------------------------------------------ any P */

Test(reduce_scatter, takes_the_rounds_and_words_of_its_kind_for_any_number_of_nodes, .timeout = 60)
{
    for (int P = 2; P <= 40; P++) {
        int stay = 1 << floor_log2(P), rem = P - stay, q = floor_log2(P), ceiling = q + (rem > 0);
        int64_t far = 0, near = 0, folded = rem > 0 ? P + 1 : 0;

        for (int j = 0; j < q; j++) {
            far += (1 << j) + ((1 << j) < rem ? 1 << j : rem);
            near += stay / (2 << j) + (rem + (2 << j) - 1) / (2 << j);
        }
        EXPECT_COST(q + (rem > 0 ? 2 : 0), far + folded, "reduce-scatter", "halving", "full", P, 1, 1, NULL);
        EXPECT_COST(q + (rem > 0 ? 2 : 0), near + folded, "reduce-scatter", "distance-doubling", "full", P, 1, 1,
                    PEAL_AFFINE);
        EXPECT_COST(P - 1, P - 1, "reduce-scatter", "pairwise", "full", P, 1, 1, PEAL_AFFINE);
        EXPECT_COST(ceiling, P - 1, "reduce-scatter", "circulant", "full", P, 1, 1, NULL);
        if (P % 2 == 0)
            EXPECT_COST(ceiling, P - 1, "reduce-scatter", "swing", "full", P, 1, 1, NULL);
    }
}

Test(allreduce, takes_the_rounds_and_words_of_its_kind_for_any_number_of_nodes, .timeout = 60)
{
    for (int P = 2; P <= 40; P++) {
        int stay = 1 << floor_log2(P), rem = P - stay, q = floor_log2(P), ceiling = q + (rem > 0),
            fold = rem > 0 ? 2 : 0;
        int n = P * stay; /* both divide it */

        EXPECT_COST(q + fold, (q + fold) * n, "allreduce", "recursive-doubling", "full", P, (size_t)n, 1, PEAL_AFFINE);
        EXPECT_COST(2 * q + fold, 2 * (stay - 1) * (n / stay) + fold * n, "allreduce", "rabenseifner", "full", P,
                    (size_t)n, 1, PEAL_AFFINE);
        EXPECT_COST(2 * ceiling, 2 * (P - 1) * (n / P), "allreduce", "circulant", "full", P, (size_t)n, 1, NULL);
        EXPECT_COST(ceiling, (P - 1) * n, "allreduce", "allgather-reduce", "full", P, (size_t)n, 1, PEAL_AFFINE);
        if (P % 2 == 0)
            EXPECT_COST(2 * ceiling, 2 * (P - 1) * (n / P), "allreduce", "swing", "full", P, (size_t)n, 1, NULL);
    }
}

Test(scan, takes_the_rounds_of_its_kind_for_any_number_of_nodes, .timeout = 60)
{
    for (int P = 3; P <= 40; P++) {
        int sweeps = floor_log2(P) + floor_log2(P / 3) + 1;

        EXPECT_COST(sweeps, sweeps, "scan", "sweep", "full", P, 1, 1, PEAL_AFFINE);
        EXPECT_COST(sweeps, sweeps, "scan", "sweep", "line", P, 1, 1, PEAL_AFFINE);
        EXPECT_COST(ceiling_log(2, P), ceiling_log(2, P), "scan", "recursive-doubling", "full", P, 1, 1, PEAL_AFFINE);
        EXPECT_COST(ceiling_log(2, P), ceiling_log(2, P), "exscan", "recursive-doubling", "full", P, 1, 1, PEAL_AFFINE);
        EXPECT_COST(P - 2 + 5, 2 * (P - 2 + 5), "scan", "linear:5", "line", P, 10, 1, PEAL_AFFINE);
        EXPECT_COST(P - 2 + 5, 2 * (P - 2 + 5), "exscan", "linear:5", "line", P, 10, 1, PEAL_AFFINE);
        EXPECT_COST(2 * P - 2, 0, "barrier", "double-ring", "ring", P, 0, 1, NULL);
        EXPECT_COST(2 * ceiling_log(2, P), 0, "barrier", "tree", "ring", P, 0, 1, NULL);
    }
}

/* ------------------------------------------------------------------ numbers after names */

Test(parameter, of_pat_is_how_many_blocks_a_message_may_have, .timeout = 60)
{
    for (int P = 2; P <= 33; P++)
        for (int A = 1; 2 * A <= P; A *= 2) {
            int round_up = 1 << ceiling_log(2, P), rest = P < round_up / A ? P : round_up / A;
            char name[20];

            snprintf(name, sizeof name, "pat:%d", A);
            EXPECT_COST(floor_log2(A) + rest - 1, P - 1, "reduce-scatter", name, "full", P, 1, 1, NULL);
        }
    EXPECT_COST(3, 4, "reduce-scatter", "pat:1000000", "full", 5, 1, 1, NULL); /* as many as there can be */
}

/* Slots x < P by their digits, counted one by one. */
static struct peal_cost
bruck(int P, int R, int k)
{
    struct peal_cost cost = {0};

    for (int w = 1; w < P; w *= R)
        for (int d = 1; d < R && d * w < P; d += k) {
            int most = 0;

            for (int i = d; i < d + k && i < R; i++) {
                int slots = 0;

                for (int x = 0; x < P; x++)
                    slots += x / w % R == i;
                most = slots > most ? slots : most;
            }
            cost.alpha++;
            cost.beta += most;
        }
    return cost;
}

Test(parameter, of_bruck_is_the_radix, .timeout = 120)
{
    static const int sizes[] = {2, 3, 5, 9, 16, 21, 27, 33};
    static const int radices[] = {2, 3, 4, 5, 8, 40};

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (size_t j = 0; j < sizeof radices / sizeof radices[0]; j++)
            for (int k = 1; k <= 4; k++) {
                struct peal_cost expected = bruck(sizes[i], radices[j], k);
                char name[20];

                snprintf(name, sizeof name, "bruck:%d", radices[j]);
                EXPECT_COST(expected.alpha, expected.beta, "alltoall", name, "full", sizes[i], 1, k, NULL);
            }
}

Test(parameter, of_the_segmented_ring_is_how_many_segments_a_part_has, .timeout = 60)
{
    for (int P = 1; P <= 9; P++)
        for (int S = 2; S <= 5; S++) {
            char name[30];

            snprintf(name, sizeof name, "segmented-ring:%d", S);
            EXPECT_COST((S + 1) * (P - 1), 2 * (P - 1) * 7, "allreduce", name, "ring", P, 7 * (size_t)P, 1, NULL);
        }
}

Test(parameter, of_recursive_multiplying_is_the_largest_factor, .timeout = 60)
{
    EXPECT_COST(4, 4 * 3, "allreduce", "recursive-multiplying:3", "full", 9, 3, 1, PEAL_AFFINE);
    EXPECT_COST(2, 2 * 3, "allreduce", "recursive-multiplying:3", "full", 9, 3, 2, PEAL_AFFINE);
    EXPECT_COST(3, 3 * 3, "allreduce", "recursive-multiplying:3", "full", 6, 3, 1, PEAL_AFFINE);
    EXPECT_COST(4, 4 * 3, "allreduce", "recursive-multiplying:2", "full", 6, 3, 1, PEAL_AFFINE);  /* 4 stay */
    EXPECT_COST(5, 5 * 3, "allreduce", "recursive-multiplying:3", "full", 7, 3, 1, PEAL_AFFINE);  /* 6 stay */
    EXPECT_COST(6, 6 * 3, "allreduce", "recursive-multiplying:99", "full", 7, 3, 1, PEAL_AFFINE); /* a stage of 7 */
    EXPECT_COST(2, 2 * 3, "allreduce", "recursive-multiplying:7", "full", 7, 3, 3, PEAL_AFFINE);
    EXPECT_COST(2, 2 * 3, "allreduce", "recursive-multiplying:4", "full", 16, 3, 3, PEAL_AFFINE);
    EXPECT_COST(4, 4 * 3, "allreduce", "recursive-multiplying", "full", 16, 3, 1, PEAL_AFFINE);
    for (int P = 1; P <= 30; P++)
        for (int K = 2; K <= 8; K++)
            for (int k = 1; k <= 3; k++) {
                char name[40];

                snprintf(name, sizeof name, "recursive-multiplying:%d", K);
                cost_of("allreduce", name, k == 1 ? "line" : "full", P, 2, k, PEAL_AFFINE);
            }
}

/* ------------------------------------------------------------------ ports */

Test(ports, let_dissemination_tell_k_nodes_a_round, .timeout = 60)
{
    for (int P = 1; P <= 40; P++)
        for (int k = 1; k <= 5; k++)
            EXPECT_COST(ceiling_log(k + 1, P), 0, "barrier", "k-dissemination", "full", P, 0, k, NULL);
    EXPECT_COST(1, 0, "barrier", "k-dissemination", "full", 9, 0, PEAL_PORTS_ALL, NULL);
    EXPECT_COST(4, 0, "barrier", "k-dissemination", "ring", 9, 0, PEAL_PORTS_ALL, NULL);
}

/* peal_barrier is this one, and its rounds are a rule of the machine: ⌈log₂P⌉. */
Test(ports, do_not_change_the_rounds_of_dissemination, .timeout = 60)
{
    for (int P = 1; P <= 40; P++)
        for (int k = 1; k <= 5; k++)
            EXPECT_COST(ceiling_log(2, P), 0, "barrier", "dissemination", "full", P, 0, k, NULL);
}

Test(ports, let_the_linear_all_to_all_take_as_many_shifts_a_round, .timeout = 60)
{
    for (int P = 2; P <= 12; P++)
        for (int k = 1; k <= 4; k++)
            EXPECT_COST((P - 1 + k - 1) / k, 3 * ((P - 1 + k - 1) / k), "alltoall", "linear", "full", P, 3, k, NULL);
    EXPECT_COST(1, 3, "alltoall", "linear", "full", 12, 3, PEAL_PORTS_ALL, NULL);
}

/* ------------------------------------------------------------------ networks */

Test(alltoall, alternating_shifts_take_half_of_the_words_of_shifts_on_a_ring, .timeout = 60)
{
    for (int P = 2; P <= 40; P += 2)
        EXPECT_COST(P - 1, 2 * (P * P / 16) + P / 2, "alltoall", "alternating-shift", "ring", P, 1, 1, NULL);
}

Test(alltoall, in_two_phases_takes_the_words_of_its_rows_and_columns_on_a_mesh, .timeout = 60)
{
    for (int a = 1; a <= 5; a++)
        for (int b = 1; b <= 6; b++) {
            char mesh[20];

            snprintf(mesh, sizeof mesh, "mesh:%dx%d", a, b);
            EXPECT_COST(a + b - 2, a * b * (b - 1) / 2 + a * b * (a - 1) / 2, "alltoall", "mesh", mesh, a * b, 1, 1,
                        NULL);
            EXPECT_COST(a + b - 2, a * (b * b / 4) + b * (a * a / 4), "alltoall", "mesh-shift", mesh, a * b, 1, 1,
                        NULL);
        }
}

Test(allreduce, buckets_share_no_link_on_grids_of_any_dimension, .timeout = 60)
{
    static const struct {
        const char *topology;
        int nodes, rounds;
    } grids[] = {{"line", 7, 12},         {"mesh:3x5", 15, 12},      {"torus:3x5", 15, 12}, {"mesh:2x3x4", 24, 12},
                 {"torus:4x4x4", 64, 18}, {"torus:2x2x3x2", 24, 10}, {"hypercube", 32, 10}, {"full", 12, 10}};

    for (size_t i = 0; i < sizeof grids / sizeof grids[0]; i++)
        EXPECT_COST(grids[i].rounds, 2 * (grids[i].nodes - 1) * 3, "allreduce", "torus-bucket", grids[i].topology,
                    grids[i].nodes, 3 * (size_t)grids[i].nodes, 1, NULL);
}

/* Σ distance of the Bine tree on a ring is ⌊2P/3⌋ where the binomial tree's is P-1. */
Test(allreduce, bine_goes_two_thirds_of_the_way_on_a_ring, .timeout = 60)
{
    for (int P = 2; P <= 128; P *= 2) {
        struct performance run;
        struct peal_cost cost;

        perform_on(&run, "ring", P, "allreduce", "bine", 1, 0, 1);
        cost = price_on(&run, "ring", PEAL_WORMHOLE);
        cr_expect_eq(cost.hop, 2 * (2 * P / 3), "P = %d: %ld hops", P, cost.hop);
        cr_expect_eq(cost.beta, 2 * floor_log2(P));
        performance_fini(&run);
    }
}

Test(shift, from_neighbour_to_neighbour_pays_once_a_link_under_store_forward, .timeout = 60)
{
    for (int P = 1; P <= 9; P++)
        for (int by = 0; by < P; by++) {
            struct peal_options options = options_for(P, "ring");
            struct peal_exercise exercise = {
                .collective = PEAL_SHIFT, .algorithm = "store-forward", .words = 5, .by = by};
            struct peal_outcome outcome;
            struct peal_error error = {0};
            struct peal_machine *machine;
            int steps = by < P - by ? by : P - by;

            options.switching = PEAL_STORE_FORWARD;
            machine = peal_machine_create(&options, &error);
            cr_assert_not_null(machine, "%s", error.text);
            cr_expect_eq(peal_exercise(machine, &exercise, &outcome, &error), PEAL_OK, "P = %d, by %d: %s", P, by,
                         error.text);
            cr_expect(outcome.verified && outcome.has_closed_form && outcome.closed_form_equal);
            cr_expect_eq(peal_machine_cost(machine).alpha, by == 0 ? 0 : steps);
            cr_expect_eq(peal_machine_cost(machine).beta, by == 0 ? 0 : 5 * steps);
            peal_machine_destroy(machine);
        }
}
