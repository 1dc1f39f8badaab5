/* SPDX-License-Identifier: MIT */
/* Every algorithm of the catalogue, for many P, roots and sizes: the data it leaves, and its closed form and the lower
 * bound against what its schedule costs on every network.  A new algorithm is tested by being listed. */
#include "harness.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sanitizer takes several times as long, and finds what it finds on small machines.  The last node counts are tried
 * with PEAL_TEST_THOROUGH=1 only. */
#ifdef __SANITIZE_ADDRESS__
enum { VARIANT_STEP = 19 }; /* of other machines: 6 of the 96 combinations, with each value of each option */
static const int node_counts[] = {1, 2, 3, 4, 5, 6, 8, 9}, host_counts[] = {2, 3, 4, 6, 8, 9};
enum { USUAL_COUNTS = sizeof node_counts / sizeof *node_counts };
#else
enum { VARIANT_STEP = 1, USUAL_COUNTS = 26 };
static const int node_counts[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,  15,
                                  16, 17, 20, 24, 25, 27, 31, 32, 33, 36, 64, 18, 19, 21,  22,
                                  23, 26, 28, 29, 30, 34, 35, 37, 38, 39, 40, 63, 65, 100, 128},
                 host_counts[] = {2, 3, 4, 6, 8, 9, 12, 16, 18, 24, 32};
#endif

/* The collectives that have an algorithm that is to be tested. */
static struct criterion_test_params
every_collective(void)
{
    bool has[PEAL_COLLECTIVES] = {false};
    enum peal_collective *collectives = cr_malloc(sizeof has / sizeof has[0] * sizeof *collectives);
    const struct peal_algorithm *algorithm;
    size_t count = 0;

    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        if (!has[algorithm->collective]) {
            has[algorithm->collective] = true;
            collectives[count++] = algorithm->collective;
        }
    return cr_make_param_array(enum peal_collective, collectives, count, NULL);
}

Test(catalogue, has_the_algorithm_to_be_tested, .timeout = 10)
{
    int first = 0;

    cr_expect_not_null(algorithm_from(&first), "no algorithm's name begins with PEAL_TEST_ALGORITHM=%s",
                       getenv("PEAL_TEST_ALGORITHM"));
}

static bool
is_thorough(void)
{
    return getenv("PEAL_TEST_THOROUGH") != NULL;
}

/* Whether few roots and sizes do, to keep the suite short; PEAL_TEST_THOROUGH=1 tries all of them everywhere. */
static bool
is_sparse(const struct peal_algorithm *algorithm, int nodes)
{
    if (is_thorough())
        return false;
    return nodes > 24 || (algorithm->asks_network && nodes > 17); /* every network wants a run of its own */
}

/* Some roots: all of a small machine, else the ends, the middle, and a few whose bits differ. */
static bool
is_tried(const struct peal_algorithm *algorithm, int root, int nodes)
{
    if (is_sparse(algorithm, nodes))
        return root == 0 || root == nodes / 3;
    return nodes <= 9 || root == 0 || root == 1 || root == nodes - 1 || root == nodes / 2 || root == nodes / 3 ||
           root == nodes / 2 - 1;
}

/* The schedule's price.  Ideal switching charges what wormhole does but for the hops, so one pricing is both, and on
 * the full network it is seen that this is so. */
static struct peal_cost
price(struct peal_schedule *schedule, struct peal_pricing pricing, const struct peal_cost *wormhole)
{
    bool ideal = pricing.switching == PEAL_IDEAL;
    struct peal_error error = {0};
    struct peal_cost cost = *wormhole;

    cost.hop = 0;
    if (ideal && strcmp(peal_network_name(pricing.network), "full") != 0)
        return cost;
    cr_assert_eq(peal_price(&pricing, schedule, &cost, &error), PEAL_OK, "%s", error.text);
    if (ideal)
        cr_expect(cost.alpha == wormhole->alpha && cost.beta == wormhole->beta && cost.tau == wormhole->tau &&
                      cost.hop == 0,
                  "ideal switching is not wormhole switching without hops");
    return cost;
}

static void
expect_closed_form(struct performance *run, const struct peal_network *network)
{
    static const enum peal_switching switchings[] = {PEAL_WORMHOLE, PEAL_IDEAL, PEAL_STORE_FORWARD};
    const struct peal_algorithm *algorithm = run->outcome.algorithm;
    struct peal_situation situation = run->outcome.situation;
    struct peal_cost closed, bound, executed = {0};
    const char *source;
    char closed_text[100], executed_text[100], bound_text[100];

    situation.network = network;
    for (int congestion = PEAL_COUNT; congestion <= PEAL_VOLUME; congestion++)
        for (int i = 0; i < 3; i++) {
            struct peal_pricing pricing = {network, switchings[i], (enum peal_congestion)congestion};

            executed = price(&run->schedule, pricing, &executed);
            situation.switching = pricing.switching;
            situation.congestion = pricing.congestion;
            if (peal_algorithm_cost(algorithm, &situation, &closed))
                cr_expect(peal_cost_equal(closed, executed),
                          "%s/%s P=%d words=%zu root=%d on %s (%s), %s %s: closed form %s, executed %s",
                          peal_collective_name(algorithm->collective), algorithm->name, situation.nodes,
                          situation.words, situation.root, peal_network_name(network), peal_network_routing(network),
                          peal_switching_name(pricing.switching), peal_congestion_name(pricing.congestion),
                          peal_cost_text(closed, closed_text, sizeof closed_text),
                          peal_cost_text(executed, executed_text, sizeof executed_text));
            if (algorithm->at_most != NULL && algorithm->at_most(&situation, &closed))
                cr_expect(executed.alpha <= closed.alpha && executed.beta <= closed.beta && executed.hop <= closed.hop,
                          "%s/%s P=%d words=%zu on %s, %s: executed %s above %s",
                          peal_collective_name(algorithm->collective), algorithm->name, situation.nodes,
                          situation.words, peal_network_name(network), peal_switching_name(pricing.switching),
                          peal_cost_text(executed, executed_text, sizeof executed_text),
                          peal_cost_text(closed, closed_text, sizeof closed_text));
            cr_assert(peal_lower_bound(&situation, &bound, &source));
            cr_expect(executed.alpha >= bound.alpha && executed.beta >= bound.beta && executed.hop >= bound.hop &&
                          executed.tau >= bound.tau,
                      "%s/%s P=%d words=%zu root=%d on %s, %s: executed %s below the bound %s",
                      peal_collective_name(algorithm->collective), algorithm->name, situation.nodes, situation.words,
                      situation.root, peal_network_name(network), peal_switching_name(pricing.switching),
                      peal_cost_text(executed, executed_text, sizeof executed_text),
                      peal_cost_text(bound, bound_text, sizeof bound_text));
        }
}

/* Expect the closed form of an algorithm whose schedule depends on the network: run it again under this routing. */
static void
expect_closed_form_of_another(const struct performance *run, const char *topology, const char *routing,
                              const struct peal_network *network)
{
    const struct peal_situation *situation = &run->outcome.situation;
    struct peal_options options = options_for(situation->nodes, topology);
    struct performance again;

    options.routing = routing;
    options.ports = situation->ports;
    perform(&again, &options, peal_collective_name(situation->collective), run->outcome.algorithm->name,
            situation->words, situation->root, NULL);
    cr_assert(again.status == PEAL_OK && again.outcome.verified, "%s", again.error.text);
    expect_closed_form(&again, network);
    performance_fini(&again);
}

/* Price the run on a network, under each of its dimension orders. */
static void
expect_closed_forms_on(struct performance *run, const char *topology)
{
    static const char *const routings[] = {NULL, "yx"};

    for (int i = 0; i < 2; i++) {
        bool grid = strncmp(topology, "mesh", 4) == 0 || strncmp(topology, "torus", 5) == 0;
        struct peal_error error = {0};
        struct peal_network *network;

        if (i > 0 && !grid)
            continue;
        network = peal_network_create(topology, run->outcome.situation.nodes, routings[i], &error);
        cr_assert_not_null(network, "%s", error.text);
        if (i > 0 && run->outcome.algorithm->asks_network)
            expect_closed_form_of_another(run, topology, routings[i], network);
        else
            expect_closed_form(run, network);
        peal_network_destroy(network);
    }
}

static void
try(const struct peal_algorithm *algorithm, int nodes, size_t words, int root)
{
    const char *collective = peal_collective_name(algorithm->collective);
    const char *topology;
    struct performance run;

    if (!algorithm->asks_network && ports_for(algorithm) != PEAL_PORTS_ALL) { /* one schedule for all networks */
        if (!fits_on(algorithm, "full", nodes, words, ports_for(algorithm)))
            return;
        perform_on(&run, "full", nodes, collective, algorithm->name, words, root, ports_for(algorithm));
        for (int i = 0; (topology = network_of(nodes, i)) != NULL; i++)
            expect_closed_forms_on(&run, topology);
        performance_fini(&run);
        return;
    }
    for (int i = 0; (topology = network_of(nodes, i)) != NULL; i++) {
        if (!fits_on(algorithm, topology, nodes, words, ports_for(algorithm)))
            continue;
        perform_on(&run, topology, nodes, collective, algorithm->name, words, root, ports_for(algorithm));
        expect_closed_forms_on(&run, topology);
        performance_fini(&run);
    }
}

/* The sizes of blocks, which scale alike, or of a vector, which is cut into P parts, so its length matters against
 * P. */
static size_t
size_of(bool blocks, int nodes, int i)
{
    const size_t p = (size_t)nodes, of_blocks[] = {0, 1, 3}, of_vectors[] = {0, p / 2, p, 3 * p + 2};

    return blocks ? of_blocks[i] : of_vectors[i];
}

/* Try all algorithms with one root and size, then the next: a bound depends on the network, the root and the size only,
 * and most of the work is to find its cut, which the library keeps for the next algorithm. */
static void
try_roots_and_sizes(enum peal_collective collective, int nodes)
{
    bool blocks = peal_collective_has_blocks(collective);
    int sizes = collective == PEAL_BARRIER ? 1 : blocks ? 3 : 4;
    const struct peal_algorithm *algorithm;

    for (int root = 0; root < (peal_collective_has_root(collective) ? nodes : 1); root++)
        for (int size = 0; size < sizes; size++)
            for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++) {
                bool small = collective != PEAL_BARRIER && (size == 0 || size == (blocks ? 1 : 2));

                if (algorithm->collective == collective && is_tried(algorithm, root, nodes) &&
                    !(small && is_sparse(algorithm, nodes)))
                    try(algorithm, nodes, size_of(blocks, nodes, size), root);
            }
}

ParameterizedTestParameters(catalogue, leaves_the_right_data_at_the_closed_forms_price)
{
    return every_collective();
}

ParameterizedTest(enum peal_collective *collective, catalogue, leaves_the_right_data_at_the_closed_forms_price,
                  .timeout = 600)
{
    for (size_t i = 0; i < (is_thorough() ? sizeof node_counts / sizeof *node_counts : USUAL_COUNTS); i++)
        try_roots_and_sizes(*collective, node_counts[i]);
}

/* The networks of `hosts` hosts, N nodes on each, one after the other; NULL after the last. */
static const char *
placed_network_of(int hosts, int per_host, int i)
{
    static char name[80];
    static const char *const kinds[] = {"full", "line", "ring", "mesh", "torus", "hypercube"};
    static const char *const orders[] = {"block", "cyclic", "random:3"};
    const int kind_count = (hosts & (hosts - 1)) == 0 ? 6 : 5;

    if (i >= 3 * kind_count)
        return NULL;
    snprintf(name, sizeof name, "%s@%d:%s", kinds[i / 3], per_host, orders[i % 3]);
    return name;
}

ParameterizedTestParameters(catalogue, has_the_closed_forms_of_nodes_on_shared_hosts)
{
    return every_collective();
}

ParameterizedTest(enum peal_collective *collective, catalogue, has_the_closed_forms_of_nodes_on_shared_hosts,
                  .timeout = 600)
{
    const struct peal_algorithm *algorithm;
    const char *topology;

    for (size_t c = 0; c < sizeof host_counts / sizeof *host_counts; c++)
        for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
            for (size_t words = 0; algorithm->collective == *collective && words <= 37; words += words ? 31 : 6) {
                const int nodes = host_counts[c];
                const int root = words > 6 && peal_collective_has_root(*collective) ? nodes - 1 : 0;
                struct performance run;

                if (algorithm->asks_network || ports_for(algorithm) == PEAL_PORTS_ALL ||
                    !fits_on(algorithm, "full", nodes, words, ports_for(algorithm)))
                    continue;
                perform_on(&run, "full", nodes, peal_collective_name(*collective), algorithm->name, words, root,
                           ports_for(algorithm));
                for (int N = 2; N <= nodes; N++)
                    for (int t = 0; nodes % N == 0 && (topology = placed_network_of(nodes / N, N, t)) != NULL; t++)
                        expect_closed_forms_on(&run, topology);
                performance_fini(&run);
            }
}

/* ------------------------------------------------------------------ what a check leaves out */

/* Run under a limit up to which messages are eager; -1: none is. */
static void
perform_eager(struct performance *run, const struct peal_algorithm *algorithm, const char *topology, size_t words,
              int limit)
{
    struct peal_options options = options_for(8, topology);

    options.ports = ports_for(algorithm);
    options.eager = limit >= 0;
    options.eager_words = limit >= 0 ? (size_t)limit : 0;
    perform(run, &options, peal_collective_name(algorithm->collective), algorithm->name, words, 3, NULL);
    cr_assert_eq(run->status, PEAL_OK, "%s", run->error.text);
}

/* How many messages have from `least` to `most` words. */
static size_t
count_messages(const struct peal_schedule *schedule, uint64_t least, uint64_t most)
{
    size_t count = 0;

    for (size_t i = 0; i < schedule->transfer_count; i++)
        count += schedule->transfers[i].words >= least && schedule->transfers[i].words <= most;
    return count;
}

static bool
same_schedule(const struct peal_schedule *a, const struct peal_schedule *b)
{
    bool same = a->round_count == b->round_count && a->transfer_count == b->transfer_count;

    for (size_t i = 0; same && i < a->round_count; i++)
        same = a->rounds[i].first == b->rounds[i].first && a->rounds[i].count == b->rounds[i].count;
    for (size_t i = 0; same && i < a->transfer_count; i++)
        same = a->transfers[i].words == b->transfers[i].words && a->transfers[i].from == b->transfers[i].from &&
               a->transfers[i].to == b->transfers[i].to;
    return same;
}

/* peal check makes one run of several deliveries where that holds: see is_decided in lib/check/prover.c. */
Test(catalogue, runs_the_same_for_all_limits_of_eager_between_which_no_message_lies, .timeout = 60)
{
    static const char *const networks[] = {"full", "torus:2x4", "hypercube"};
    static const int limits[] = {-1, 1, 1000};
    const struct peal_algorithm *algorithm;
    size_t decided = 0;

    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        for (size_t j = 0; j < 9; j++) {
            size_t words = j / 3 == 0 ? 1 : j / 3 == 1 ? 9 : 40;
            struct performance run, other;

            if (!fits_on(algorithm, networks[j % 3], 8, words, ports_for(algorithm)))
                continue;
            for (int one = 0; one < 2; one++) {
                perform_eager(&run, algorithm, networks[j % 3], words, limits[one]);
                perform_eager(&other, algorithm, networks[j % 3], words, limits[one + 1]);
                if (count_messages(&run.schedule, (uint64_t)limits[one] + 1, (uint64_t)limits[one + 1]) == 0 &&
                    peal_algorithm_parameter(algorithm, &run.outcome.situation) ==
                        peal_algorithm_parameter(algorithm, &other.outcome.situation)) {
                    cr_expect(same_schedule(&run.schedule, &other.schedule), "%s/%s on %s, %zu words, eager:%d",
                              peal_collective_name(algorithm->collective), algorithm->name, networks[j % 3], words,
                              limits[one + 1]);
                    decided++;
                }
                performance_fini(&run);
                performance_fini(&other);
            }
        }
    if (getenv("PEAL_TEST_ALGORITHM") == NULL)
        cr_expect_gt(decided, 100);
}

/* ------------------------------------------------------------------ other machines */

/* Ports, duplex, delivery, combining, mailbox: where a closed form is given it holds, and the bound holds
 * everywhere. */
static void
expect_holds(const struct peal_options *options, const struct peal_algorithm *algorithm, size_t words)
{
    const struct peal_op *op = peal_collective_has_op(algorithm->collective) ? PEAL_SUM_INT64 : NULL;
    struct performance run;
    struct peal_cost executed, bound;

    perform(&run, options, peal_collective_name(algorithm->collective), algorithm->name, words,
            peal_collective_has_root(algorithm->collective) ? options->nodes / 3 : 0, op);
    if (options->noncombining && run.status != PEAL_OK) {
        cr_expect_eq(peal_machine_failure(run.machine)->kind, PEAL_NONCOMBINING, "%s: %s", algorithm->name,
                     run.error.text);
        cr_expect_not(run.outcome.has_closed_form, "%s/%s is refused, and has a closed form",
                      peal_collective_name(algorithm->collective), algorithm->name);
        performance_fini(&run);
        return;
    }
    cr_assert_eq(run.status, PEAL_OK, "%s/%s: %s", peal_collective_name(algorithm->collective), algorithm->name,
                 run.error.text);
    executed = peal_machine_cost(run.machine);
    bound = run.outcome.lower_bound;
    cr_expect(!run.outcome.has_closed_form || run.outcome.closed_form_equal,
              "%s/%s P=%d on %s, ports %d%s%s: closed form %ldα %ldβ %ldt, executed %ldα %ldβ %ldt",
              peal_collective_name(algorithm->collective), algorithm->name, options->nodes, options->topology,
              options->ports, options->half_duplex ? " half duplex" : "", options->eager ? " eager" : "",
              run.outcome.closed_form.alpha, run.outcome.closed_form.beta, run.outcome.closed_form.hop, executed.alpha,
              executed.beta, executed.hop);
    cr_expect(run.outcome.has_lower_bound && executed.alpha >= bound.alpha && executed.beta >= bound.beta &&
                  executed.hop >= bound.hop,
              "%s/%s P=%d on %s, ports %d%s%s: executed %ldα %ldβ %ldt below the bound %ldα %ldβ %ldt",
              peal_collective_name(algorithm->collective), algorithm->name, options->nodes, options->topology,
              options->ports, options->half_duplex ? " half duplex" : "", options->eager ? " eager" : "",
              executed.alpha, executed.beta, executed.hop, bound.alpha, bound.beta, bound.hop);
    performance_fini(&run);
}

struct machine_case {
    int nodes;
    char topology[16];
};

ParameterizedTestParameters(catalogue, holds_on_machines_with_other_ports_duplex_delivery_and_combining)
{
    static struct machine_case cases[] = {
        {1, "full"},     {2, "full"},      {3, "line"},      {6, "full"},       {8, "hypercube"},   {8, "line"},
        {9, "ring"},     {11, "line"},     {12, "mesh:3x4"}, {16, "torus:4x4"}, {15, "mesh:5x3"},   {8, "dgx1"},
        {8, "dgx-a100"}, {15, "tree:2x4"}, {7, "star"},      {16, "fattree:4"}, {12, "butterfly:2"}};

    return cr_make_param_array(struct machine_case, cases, sizeof cases / sizeof cases[0], NULL);
}

ParameterizedTest(struct machine_case *one, catalogue, holds_on_machines_with_other_ports_duplex_delivery_and_combining,
                  .timeout = 120)
{
    static const int ports[] = {1, 2, 3, PEAL_PORTS_ALL};
    const struct peal_algorithm *algorithm;

    for (int variant = 0; variant < 4 * 2 * 3 * 2 * 2; variant += VARIANT_STEP) {
        struct peal_options options = options_for(one->nodes, one->topology);
        static const enum peal_switching switchings[] = {PEAL_IDEAL, PEAL_WORMHOLE, PEAL_STORE_FORWARD};
        size_t words = variant % 5 == 0 ? 1 : 4;

        options.ports = ports[variant % 4];
        options.half_duplex = variant / 4 % 2;
        options.switching = switchings[variant / 8 % 3];
        options.congestion = variant % 3 == 1 ? PEAL_VOLUME : PEAL_COUNT;
        options.eager = variant / 24 % 2;
        options.eager_words = 2;
        options.noncombining = variant / 48 % 2;
        for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
            if (fits_on(algorithm, one->topology, one->nodes, words, options.ports))
                expect_holds(&options, algorithm, words);
    }
}

Test(catalogue, works_with_boxes_of_one_place, .timeout = 60)
{
    const struct peal_algorithm *algorithm;
    struct peal_options options = options_for(7, "line");

    options.mailbox = 1;
    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        if (fits_on(algorithm, "line", 7, 4, options.ports))
            expect_holds(&options, algorithm, 4);
}

Test(catalogue, works_with_words_of_other_sizes, .timeout = 60)
{
    const struct peal_algorithm *algorithm;

    for (size_t bytes = 1; bytes <= 24; bytes++)
        for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++) {
            struct peal_options options = options_for(6, "line");
            struct performance run;

            if (peal_collective_has_op(algorithm->collective) || !fits_on(algorithm, "line", 6, 5, options.ports))
                continue;
            options.word_bytes = bytes;
            perform(&run, &options, peal_collective_name(algorithm->collective), algorithm->name, 5, 0, NULL);
            cr_expect(run.status == PEAL_OK && run.outcome.verified, "%s: %s", algorithm->name, run.error.text);
            performance_fini(&run);
        }
}

Test(catalogue, has_the_same_result_on_every_machine, .timeout = 60)
{
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++) {
        struct peal_options options = options_for(13, "line");
        struct performance one, two;

        options.engine = "threads";
        if (!fits_on(algorithm, "line", 13, 3, options.ports))
            continue;
        options.carriers = 1;
        perform(&one, &options, peal_collective_name(algorithm->collective), algorithm->name, 3, 0, NULL);
        options.carriers = 2;
        options.wake_all = true;
        perform(&two, &options, peal_collective_name(algorithm->collective), algorithm->name, 3, 0, NULL);
        cr_assert(one.status == PEAL_OK && two.status == PEAL_OK, "%s", algorithm->name);
        cr_assert_eq(one.schedule.transfer_count, two.schedule.transfer_count);
        cr_expect_eq(memcmp(one.schedule.transfers, two.schedule.transfers,
                            one.schedule.transfer_count * sizeof *one.schedule.transfers),
                     0, "%s", algorithm->name);
        performance_fini(&one);
        performance_fini(&two);
    }
}
