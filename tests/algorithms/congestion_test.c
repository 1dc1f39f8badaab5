/* SPDX-License-Identifier: MIT */
/* The table of congestion: for each schedule the words on the busiest link, summed over the rounds, read from executed
 * runs of 8, 16, 32 and 64 nodes and held against the formulas that are derived for full networks and hypercubes,
 * lines, rings, square meshes and tori.  And the crossovers that follow from such sums, read from executed runs on both
 * sides of them. */
#include "harness.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <string.h>

/* ------------------------------------------------------------------ the formulas, in units of the row */

static int64_t
log2_of(int64_t P)
{
    int64_t q = 0;

    while (1 << q < P)
        q++;
    return q;
}

static int64_t
side_of(int64_t P)
{
    int64_t side = 1;

    while (side * side < P)
        side++;
    return side;
}

static int64_t
doublings(int64_t P)
{
    return log2_of(P);
}
static int64_t
others(int64_t P)
{
    return P - 1;
}
static int64_t
sides(int64_t P)
{
    return 2 * (side_of(P) - 1);
}
static int64_t
half_q(int64_t P)
{
    return log2_of(P) * P / 2;
}
static int64_t
quarter_q(int64_t P)
{
    return log2_of(P) * (P + side_of(P)) / 4;
}
static int64_t
third(int64_t P)
{
    return (P * P - 1) / 3;
}
static int64_t
third_sides(int64_t P)
{
    return (side_of(P) + 1) * (P - 1) / 3;
}
static int64_t
quarter(int64_t P)
{
    return P * P / 4;
}
static int64_t
pairs(int64_t P)
{
    return P * (P - 1) / 2;
}
static int64_t
times_side(int64_t P)
{
    return P * (side_of(P) - 1);
}

/* Swing on a ring: in step s, P/2^(s+1) blocks over (δ+1)/2 shared links, δ = |1 - (-2)^(s+1)| / 3. */
static int64_t
swing_ring(int64_t P)
{
    int64_t words = 0;

    for (int64_t s = 0, power = -2; s < log2_of(P); s++, power *= -2) {
        int64_t delta = (1 - power < 0 ? power - 1 : 1 - power) / 3;

        words += (P >> (s + 1)) * ((delta + 1) / 2);
    }
    return words;
}

static int64_t
swing_line(int64_t P)
{
    return P == 8 ? 11 : P == 16 ? 28 : P == 32 ? 67 : 156;
}
static int64_t
swing_torus(int64_t P)
{
    return P == 16 ? 16 : 79;
}
static int64_t
shift_mesh(int64_t P)
{
    return P == 16 ? 24 : 184;
}
static int64_t
xor_ring(int64_t P)
{
    return P == 8 ? 15 : P == 16 ? 57 : P == 32 ? 221 : 869;
}
static int64_t
xor_mesh(int64_t P)
{
    return P == 16 ? 27 : 219;
}

/* ------------------------------------------------------------------ the table */

typedef int64_t formula(int64_t P);

struct row {
    char collective[20], algorithm[24];
    formula *full, *line, *ring, *mesh, *torus; /* NULL: the table does not say */
};

/* Units: the vector of a broadcast or all-reduce by recursive doubling, else a block (a P-th of the vector). */
static const struct row rows[] = {
    {"broadcast", "binomial", doublings, doublings, doublings, doublings, NULL},
    {"broadcast", "binomial-near", doublings, others, others, sides, NULL},
    {"scatter", "binomial", others, others, others, others, NULL},
    {"scatter", "binomial-near", others, half_q, half_q, quarter_q, NULL},
    {"allreduce", "recursive-doubling", doublings, others, others, sides, NULL},
    {"allgather", "recursive-doubling", others, third, third, third_sides, NULL},
    {"allgather", "distance-halving", others, half_q, half_q, quarter_q, NULL},
    {"allgather", "bruck", others, third, third, third_sides, NULL},
    {"allgather", "ring", others, others, others, others, NULL},
    {"reduce-scatter", "halving", others, third, third, third_sides, NULL},
    {"reduce-scatter", "distance-doubling", others, half_q, half_q, quarter_q, NULL},
    {"reduce-scatter", "swing", others, swing_line, swing_ring, NULL, swing_torus},
    {"alltoall", "shift", others, quarter, quarter, shift_mesh, NULL},
    {"alltoall", "xor", others, third, xor_ring, xor_mesh, NULL},
    {"alltoall", "bruck", half_q, pairs, pairs, times_side, NULL},
    {"alltoall", "store-forward", half_q, pairs, pairs, times_side, NULL},
};

enum { UNIT = 3 }; /* words */

/* 0 .. count-1: a test runs in a process of its own, where functions lie elsewhere. */
static struct criterion_test_params
numbers_to(size_t count)
{
    static int numbers[32];

    for (size_t i = 0; i < count; i++)
        numbers[i] = (int)i;
    return cr_make_param_array(int, numbers, count, NULL);
}

static void
expect_words(const struct row *row, struct performance *run, const char *topology, formula *words)
{
    int64_t P = run->outcome.situation.nodes;
    struct peal_cost cost;

    if (words == NULL)
        return;
    cost = price_on(run, topology, PEAL_IDEAL);
    cr_expect_eq(cost.beta, UNIT * words(P), "%s/%s, P = %d, on %s: %ld words of %d, not %ld", row->collective,
                 row->algorithm, (int)P, topology, (long)cost.beta, UNIT, (long)(UNIT * words(P)));
}

ParameterizedTestParameters(congestion, is_what_the_table_of_schedules_and_networks_says)
{
    return numbers_to(sizeof rows / sizeof rows[0]);
}

ParameterizedTest(int *number, congestion, is_what_the_table_of_schedules_and_networks_says, .timeout = 60)
{
    const struct row *row = &rows[*number];

    for (int P = 8; P <= 64; P *= 2) {
        struct performance run;

        perform_on(&run, "full", P, row->collective, row->algorithm, UNIT, 0, 1);
        expect_words(row, &run, "full", row->full);
        expect_words(row, &run, "hypercube", row->full); /* k = 1 in every round of every row */
        expect_words(row, &run, "line", row->line);
        expect_words(row, &run, "ring", row->ring);
        if (P == 16 || P == 64) {
            expect_words(row, &run, P == 16 ? "mesh:4x4" : "mesh:8x8", row->mesh);
            expect_words(row, &run, P == 16 ? "torus:4x4" : "torus:8x8", row->torus);
        }
        performance_fini(&run);
    }
}

/* ------------------------------------------------------------------ crossovers, on a full network and one on a line */

/* The first is cheaper with fewer than n* = (numerator/denominator)·α/β words, the second with more. */
struct crossover {
    char collective[20], fewer[32], more[32], topology[8];
    int64_t (*numerator)(int64_t P), (*denominator)(int64_t P);
};

/* Binomial against scatter and all-gather by doubling: α·q / (β(q - 2(P-1)/P)), times P. */
static int64_t
q_times_P(int64_t P)
{
    return log2_of(P) * P;
}
static int64_t
spared(int64_t P)
{
    return log2_of(P) * P - 2 * (P - 1);
}
/* Against scatter and ring: α(P-1) over the same. */
static int64_t
ring_times_P(int64_t P)
{
    return (P - 1) * P;
}
/* Doubling against two rings. */
static int64_t
rings_times_P(int64_t P)
{
    return (2 * (P - 1) - log2_of(P)) * P;
}
/* Doubling against two rings on a line, where doubling costs P-1 times the vector. */
static int64_t
spared_on_line(int64_t P)
{
    return (P - 1) * P - 2 * (P - 1);
}
/* Bruck's against pairs, in words of a block. */
static int64_t
more_rounds(int64_t P)
{
    return P - 1 - log2_of(P);
}
static int64_t
more_words(int64_t P)
{
    return P * log2_of(P) / 2 - (P - 1);
}

static const struct crossover crossovers[] = {
    {"broadcast", "binomial", "scatter-doubling", "full", q_times_P, spared},
    {"broadcast", "binomial", "scatter-allgather", "full", ring_times_P, spared},
    {"allreduce", "recursive-doubling", "reduce-scatter-allgather", "full", rings_times_P, spared},
    {"allreduce", "recursive-doubling", "reduce-scatter-allgather", "line", rings_times_P, spared_on_line},
    {"alltoall", "bruck", "shift", "full", more_rounds, more_words},
};

static struct peal_cost
executed(const char *collective, const char *algorithm, const char *topology, int P, int64_t words)
{
    struct performance run;
    struct peal_cost cost;

    perform_on(&run, topology, P, collective, algorithm, (size_t)words, 0, 1);
    cost = peal_machine_cost(run.machine);
    performance_fini(&run);
    return cost;
}

ParameterizedTestParameters(crossover, is_where_executed_runs_cost_the_same)
{
    return numbers_to(sizeof crossovers / sizeof crossovers[0]);
}

/* With α = P·denominator and β = 1 the crossover is a whole number of words that P divides: there both cost the same, a
 * P-th less or more words decide. */
ParameterizedTest(int *number, crossover, is_where_executed_runs_cost_the_same, .timeout = 60)
{
    const struct crossover *pair = &crossovers[*number];

    for (int P = 8; P <= 16; P *= 2) {
        int64_t alpha = P * pair->denominator(P), words = P * pair->numerator(P);

        for (int64_t side = -1; side <= 1; side++) {
            int64_t n = words + side * P;
            struct peal_cost one = executed(pair->collective, pair->fewer, pair->topology, P, n);
            struct peal_cost two = executed(pair->collective, pair->more, pair->topology, P, n);
            int64_t difference = (one.alpha - two.alpha) * alpha + one.beta - two.beta;

            cr_expect_eq((difference > 0) - (difference < 0), side,
                         "%s: %s against %s, P = %d, %ld words on %s: %ld apart", pair->collective, pair->fewer,
                         pair->more, P, (long)n, pair->topology, (long)difference);
        }
    }
}

/* Divide-and-conquer has the words of the naive scatter and fewer rounds: there is no size at which they cost the
 * same. */
Test(crossover, of_the_two_scatters_is_nowhere, .timeout = 60)
{
    for (int P = 4; P <= 64; P *= 2) {
        struct peal_cost naive = executed("scatter", "linear", "full", P, 5),
                         halves = executed("scatter", "binomial", "full", P, 5);

        cr_expect_eq(naive.beta, halves.beta);
        cr_expect_eq(naive.alpha - halves.alpha, P - 1 - log2_of(P));
    }
}
