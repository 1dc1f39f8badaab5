/* SPDX-License-Identifier: MIT */
/* Tests of crossover.c: winners and meeting points against a comparison of every single size. */
#include "lib/study/crossover.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <math.h>

/* ------------------------------------------------------------------ curves as the catalogue has them */

struct machine {
    int64_t nodes, rounds; /* P, ⌈log₂P⌉ */
};

static struct machine
machine_of(int nodes)
{
    struct machine machine = {nodes, 0};

    while (INT64_C(1) << machine.rounds < nodes)
        machine.rounds++;
    return machine;
}

static int64_t
part(const struct machine *m, uint64_t n)
{
    return ((int64_t)n + m->nodes - 1) / m->nodes;
}

static bool
binomial(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;

    *cost = (struct peal_cost){.alpha = m->rounds, .beta = m->rounds * (int64_t)n};
    return true;
}

static bool
linear(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;

    *cost = (struct peal_cost){.alpha = m->nodes - 1, .beta = (m->nodes - 1) * (int64_t)n};
    return true;
}

static bool
scatter_ring(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;

    *cost = (struct peal_cost){.alpha = m->rounds + m->nodes - 1,
                               .beta = (int64_t)n - part(m, n) + (m->nodes - 1) * part(m, n),
                               .hop = m->nodes};
    return true;
}

/* scatter, then all-gather by recursive doubling */
static bool
scatter_doubling(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;

    *cost = (struct peal_cost){.alpha = 2 * m->rounds, .beta = 2 * (m->nodes - 1) * part(m, n)};
    return true;
}

static bool
ring_allreduce(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;

    *cost = (struct peal_cost){.alpha = 2 * (m->nodes - 1), .beta = 2 * (m->nodes - 1) * part(m, n)};
    return true;
}

/* A chain whose number of pieces grows with the vector: start-ups are not constant. */
static bool
chain(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;
    int64_t pieces = 1 + (int64_t)sqrt((double)n / 16), words = ((int64_t)n + pieces - 1) / pieces;

    *cost = (struct peal_cost){.alpha = m->nodes - 2 + pieces, .beta = (m->nodes - 2 + pieces) * words};
    return true;
}

/* Bruck's all-to-all and pairwise exchange, over m. */
static bool
bruck(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;

    *cost = (struct peal_cost){.alpha = m->rounds, .beta = m->nodes * m->rounds / 2 * (int64_t)n};
    return true;
}

static bool
pairwise(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;

    *cost = (struct peal_cost){.alpha = m->nodes - 1, .beta = (m->nodes - 1) * (int64_t)n};
    return true;
}

static bool
only_multiples(const void *about, uint64_t n, struct peal_cost *cost)
{
    const struct machine *m = about;

    return n % (uint64_t)m->nodes == 0 && binomial(about, n, cost);
}

static struct contest
contest_of(const struct machine *m, struct peal_parameters parameters)
{
    struct contest contest = {
        .parameters = parameters, .nodes = (uint64_t)m->nodes, .evaluations = DEFAULT_EVALUATIONS};

    cr_assert(peal_weights_of(parameters, &contest.weights));
    return contest;
}

static __int128
time_of(const struct contest *contest, const struct curve *curve, uint64_t size)
{
    struct peal_cost cost;
    __int128 time = 0;

    cr_assert(curve->cost(curve->about, size, &cost));
    cr_assert(peal_weights_time(&contest->weights, cost, &time));
    return time;
}

/* ------------------------------------------------------------------ against brute force */

struct brute_case {
    int nodes;
    double alpha, beta, hop;
};

ParameterizedTestParameters(crossover, winners_are_those_of_every_single_size)
{
    static const int nodes[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 64, 100};
    static const double prices[][3] = {{1000, 1, 0}, {100, 1, 3}, {7, 1, 0},     {0.5, 1, 0.25}, {0, 1, 0},
                                       {1, 0, 0},    {0, 0, 0},   {1, 0.1, 2.5}, {3, 7, 0},      {1e-3, 1e-5, 1e-4}};
    static struct brute_case cases[sizeof nodes / sizeof *nodes * (sizeof prices / sizeof *prices)];
    size_t count = 0;

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
        for (size_t j = 0; j < sizeof prices / sizeof *prices; j++)
            cases[count++] = (struct brute_case){nodes[i], prices[j][0], prices[j][1], prices[j][2]};
    return cr_make_param_array(struct brute_case, cases, count);
}

ParameterizedTest(struct brute_case *c, crossover, winners_are_those_of_every_single_size, .timeout = 60)
{
    enum { COUNT = 6, TOP = 6000 };
    struct machine m = machine_of(c->nodes);
    struct contest contest = contest_of(&m, (struct peal_parameters){c->alpha, c->beta, c->hop, 0});
    const struct curve curves[COUNT] = {{binomial, &m},         {linear, &m},         {scatter_ring, &m},
                                        {scatter_doubling, &m}, {ring_allreduce, &m}, {binomial, &m}};
    struct winners winners;
    size_t range = 0;

    cr_assert_eq(peal_contest_winners(&contest, curves, COUNT, 0, TOP, &winners, NULL), PEAL_OK);
    /* where start-ups cost nothing two may take turns for ever: then it is given up, and says so */
    cr_assert(winners.complete || winners.range_count > 1000, "P = %d: %zu ranges", c->nodes, winners.range_count);
    for (uint64_t n = 0; n <= TOP && n <= winners.ranges[winners.range_count - 1].last; n++) {
        int best = 0;

        for (int i = 1; i < COUNT; i++)
            if (time_of(&contest, &curves[i], n) < time_of(&contest, &curves[best], n))
                best = i;
        range += n > winners.ranges[range].last;
        cr_assert(range < winners.range_count && winners.ranges[range].first <= n && n <= winners.ranges[range].last);
        cr_assert_eq(winners.ranges[range].winner, best, "P = %d, n = %zu: %d, not %d", c->nodes, (size_t)n,
                     winners.ranges[range].winner, best);
    }
    for (size_t i = 0; i < winners.crossing_count; i++) {
        const struct crossing *x = &winners.crossings[i];

        cr_expect(time_of(&contest, &curves[x->after], x->from) <= time_of(&contest, &curves[x->before], x->from));
        cr_expect(time_of(&contest, &curves[x->before], x->last_before) <=
                  time_of(&contest, &curves[x->after], x->last_before));
        cr_expect_lt(x->last_before, x->from);
    }
    peal_winners_fini(&winners);
}

Test(crossover, reigns_of_two_end_where_every_single_size_says, .timeout = 60)
{
    for (int nodes = 2; nodes <= 33; nodes++) {
        struct machine m = machine_of(nodes);
        struct contest contest = contest_of(&m, (struct peal_parameters){37, 1, 0, 0});
        const struct curve curves[] = {{binomial, &m}, {scatter_ring, &m}};
        struct winners winners;
        size_t range = 0;

        cr_assert_eq(peal_contest_winners(&contest, curves, 2, 0, 5000, &winners, NULL), PEAL_OK);
        cr_assert(winners.complete, "P = %d", nodes);
        for (uint64_t n = 0; n <= 5000; n++) {
            int best = time_of(&contest, &curves[1], n) < time_of(&contest, &curves[0], n);

            range += n > winners.ranges[range].last;
            cr_assert_eq(winners.ranges[range].winner, best, "P = %d, n = %zu", nodes, (size_t)n);
        }
        peal_winners_fini(&winners);
    }
}

Test(crossover, a_chain_with_ever_more_pieces_is_compared_at_every_size, .timeout = 60)
{
    for (int nodes = 3; nodes <= 20; nodes++) {
        struct machine m = machine_of(nodes);
        struct contest contest = contest_of(&m, (struct peal_parameters){16, 1, 0, 0});
        const struct curve curves[] = {{binomial, &m}, {chain, &m}, {scatter_doubling, &m}};
        struct winners winners;
        size_t range = 0;

        cr_assert_eq(peal_contest_winners(&contest, curves, 3, 0, 20000, &winners, NULL), PEAL_OK);
        for (uint64_t n = 0; n <= 20000 && winners.complete; n++) {
            int best = 0;

            for (int i = 1; i < 3; i++)
                if (time_of(&contest, &curves[i], n) < time_of(&contest, &curves[best], n))
                    best = i;
            range += n > winners.ranges[range].last;
            cr_assert_eq(winners.ranges[range].winner, best, "P = %d, n = %zu", nodes, (size_t)n);
        }
        cr_expect(winners.complete);
        peal_winners_fini(&winners);
    }
}

/* ------------------------------------------------------------------ the labs' numbers */

struct lab {
    struct curve a, b;
    int64_t num, den;
};

Test(crossover, the_labs_of_eight_nodes_meet_where_the_book_says, .timeout = 10)
{
    struct machine m = machine_of(8);
    struct contest contest = contest_of(&m, (struct peal_parameters){1000, 1, 0, 0});
    const struct lab labs[] = {
        {{binomial, &m}, {scatter_doubling, &m}, 12, 5}, /* 2.4 α/β */
        {{binomial, &m}, {scatter_ring, &m}, 28, 5},     /* 5.6 */
        {{binomial, &m}, {ring_allreduce, &m}, 44, 5},   /* recursive doubling and a ring: 8.8 */
        {{bruck, &m}, {pairwise, &m}, 4, 5},             /* 0.8 */
    };

    for (size_t i = 0; i < sizeof labs / sizeof *labs; i++) {
        struct curve curves[] = {labs[i].a, labs[i].b};
        struct winners winners;

        cr_assert_eq(peal_contest_winners(&contest, curves, 2, 1, 1000000, &winners, NULL), PEAL_OK);
        cr_assert_eq(winners.crossing_count, 1, "lab %zu", i);
        const struct crossing *x = &winners.crossings[0];

        cr_expect(x->has_meeting);
        cr_expect_eq(x->meeting.alpha.num, labs[i].num, "lab %zu", i);
        cr_expect_eq(x->meeting.alpha.den, labs[i].den, "lab %zu", i);
        cr_expect_eq(x->meeting.words.num, 0);
        cr_expect(time_of(&contest, &curves[1], x->from) < time_of(&contest, &curves[0], x->from));
        cr_expect(time_of(&contest, &curves[1], x->from - 1) >= time_of(&contest, &curves[0], x->from - 1));
        peal_winners_fini(&winners);
    }
}

Test(crossover, hops_are_written_beside_start_ups_where_lines_meet, .timeout = 10)
{
    struct machine m = machine_of(8);
    struct contest contest = contest_of(&m, (struct peal_parameters){10, 2, 5, 0});
    const struct curve a = {binomial, &m}, b = {scatter_ring, &m};
    struct meeting_point meeting;
    char text[200];

    cr_assert(peal_contest_meeting(&contest, &a, &b, 100, &meeting));
    cr_expect_str_eq(peal_meeting_text(&meeting, text), "28/5·α/β + 32/5·t_d/β");
    cr_expect_float_eq(meeting.size, 28.0 / 5 * 10 / 2 + 32.0 / 5 * 5 / 2, 1e-12);
}

Test(crossover, a_range_up_to_a_thousand_billion_is_settled_with_few_looks, .timeout = 20)
{
    static const int nodes[] = {8, 100, 1000, 1024};

    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct machine m = machine_of(nodes[i]);
        struct contest contest = contest_of(&m, (struct peal_parameters){1e6, 1, 0, 0});
        const struct curve curves[] = {{binomial, &m}, {linear, &m}, {scatter_ring, &m}, {scatter_ring, &m}};
        struct winners winners;

        cr_assert_eq(peal_contest_winners(&contest, curves, 4, 0, UINT64_C(1000000000000), &winners, NULL), PEAL_OK);
        cr_expect(winners.complete);
        cr_assert_eq(winners.crossing_count, 1);
        uint64_t from = winners.crossings[0].from;

        cr_expect(time_of(&contest, &curves[2], from) < time_of(&contest, &curves[0], from));
        cr_expect(time_of(&contest, &curves[2], from - 1) >= time_of(&contest, &curves[0], from - 1));
        peal_winners_fini(&winners);
    }
}

/* ------------------------------------------------------------------ what cannot be settled */

Test(crossover, a_search_that_runs_out_of_looks_says_so, .timeout = 10)
{
    struct machine m = machine_of(8);
    struct contest contest = contest_of(&m, (struct peal_parameters){1000, 1, 0, 0});
    const struct curve curves[] = {{binomial, &m}, {scatter_ring, &m}};
    struct winners winners;

    contest.evaluations = 20;
    cr_assert_eq(peal_contest_winners(&contest, curves, 2, 0, 1000000, &winners, NULL), PEAL_OK);
    cr_expect_not(winners.complete);
    peal_winners_fini(&winners);
}

Test(crossover, a_curve_that_is_not_known_everywhere_settles_nothing, .timeout = 10)
{
    struct machine m = machine_of(8);
    struct contest contest = contest_of(&m, (struct peal_parameters){1000, 1, 0, 0});
    const struct curve curves[] = {{scatter_ring, &m}, {only_multiples, &m}};
    struct winners winners;

    cr_assert_eq(peal_contest_winners(&contest, curves, 2, 8, 1000000, &winners, NULL), PEAL_OK);
    cr_expect_eq(winners.range_count, 0);
    cr_expect_not(winners.complete);
    cr_expect(contest.unsettled);
    peal_winners_fini(&winners);
}

/* ------------------------------------------------------------------ numbers */

Test(crossover, prices_are_the_decimals_that_were_typed, .timeout = 10)
{
    struct weights w;

    cr_assert(peal_weights_of((struct peal_parameters){1000, 0.1, 0, 0}, &w));
    cr_expect(w.alpha == 10000 && w.beta == 1 && w.hop == 0 && w.tau == 0);
    cr_assert(peal_weights_of((struct peal_parameters){1.7e-6, 3.2e-10, 2.5e-9, 1e-12}, &w));
    cr_expect(w.alpha == 1700000 && w.beta == 320 && w.hop == 2500 && w.tau == 1);
    cr_assert(peal_weights_of((struct peal_parameters){1e6, 1e-12, 0, 0}, &w));
    cr_expect(w.alpha == INT64_C(1000000000000000000) && w.beta == 1);
    cr_assert(peal_weights_of((struct peal_parameters){0, 0, 0, 0}, &w));
    cr_expect(w.alpha == 0 && w.beta == 0);
    cr_expect_not(peal_weights_of((struct peal_parameters){1e12, 1e-12, 0, 0}, &w));
}

Test(crossover, fractions_are_in_lowest_terms_or_refused, .timeout = 10)
{
    struct fraction f;
    char text[48];

    cr_assert(peal_fraction_make(56, 10, &f));
    cr_expect_str_eq(peal_fraction_text(f, text), "28/5");
    cr_assert(peal_fraction_make(6, -4, &f));
    cr_expect_str_eq(peal_fraction_text(f, text), "−3/2");
    cr_assert(peal_fraction_make(-8, -4, &f));
    cr_expect_str_eq(peal_fraction_text(f, text), "2");
    cr_assert(peal_fraction_make(0, -7, &f));
    cr_expect(f.num == 0 && f.den == 1);
    cr_expect_not(peal_fraction_make(1, 0, &f));
    cr_expect_not(peal_fraction_make((__int128)1 << 100, 3, &f));
    cr_assert(peal_fraction_make((__int128)1 << 100, (__int128)1 << 99, &f));
    cr_expect(f.num == 2 && f.den == 1);
}

Test(crossover, a_meeting_is_written_as_one_reads_it, .timeout = 10)
{
    const struct {
        struct meeting_point meeting;
        const char *text;
    } cases[] = {
        {{{1, 1}, {0, 1}, {0, 1}, {0, 1}, 0}, "α/β"},
        {{{-1, 1}, {1, 1}, {-2, 1}, {1, 1}, 0}, "−α/β + t_d/β − 2·τ/β + 1"},
        {{{2, 3}, {-1, 1}, {0, 1}, {-5, 2}, 0}, "2/3·α/β − t_d/β − 5/2"},
        {{{0, 1}, {0, 1}, {0, 1}, {0, 1}, 0}, "0"},
        {{{0, 1}, {0, 1}, {0, 1}, {7, 1}, 0}, "7"},
    };
    char text[200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(peal_meeting_text(&cases[i].meeting, text), cases[i].text);
}
