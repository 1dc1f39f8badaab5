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

/* The first algorithm from the *i-th on that is to be tested, at its place in *i; NULL after the last.  All of them
 * are, unless PEAL_TEST_ALGORITHM is set to the beginning of their names: "scatter/", "allgather/ring". */
static const struct peal_algorithm *
algorithm_from(int *i)
{
    const char *wanted = getenv("PEAL_TEST_ALGORITHM");
    const struct peal_algorithm *algorithm;
    char name[80];

    for (; (algorithm = peal_algorithm_get(*i)) != NULL; (*i)++) {
        snprintf(name, sizeof name, "%s/%s", peal_collective_name(algorithm->collective), algorithm->name);
        if (wanted == NULL || strncmp(name, wanted, strlen(wanted)) == 0)
            return algorithm;
    }
    return NULL;
}

/* The collectives that have such an algorithm. */
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

/* Whether a list of kinds, NULL for all, has that of this network. */
static bool
has_kind(const char *kinds, const char *topology)
{
    size_t length = strcspn(topology, ":");
    char kind[20] = "";

    memcpy(kind, topology, length);
    return kinds == NULL || strstr(kinds, kind) != NULL;
}

/* Whether the algorithm can run here, with one port unless `ports` says otherwise. */
static bool
fits(const struct peal_algorithm *algorithm, const char *topology, int nodes, size_t words, int ports)
{
    struct peal_error error = {0};
    struct peal_network *network = peal_network_create(topology, nodes, NULL, &error);
    struct peal_situation situation = {.collective = algorithm->collective,
                                       .nodes = nodes,
                                       .words = words,
                                       .network = network,
                                       .ports = ports,
                                       .op = PEAL_SUM_INT64};
    bool fits;

    cr_assert_not_null(network, "%s", error.text);
    fits = peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK;
    peal_network_destroy(network);
    return fits;
}

/* The ports of the machines it is tried on: one, unless it needs more. */
static int
ports_for(const struct peal_algorithm *algorithm)
{
    return algorithm->needs.ports != 0 ? algorithm->needs.ports : 1;
}

static void
try(const struct peal_algorithm *algorithm, int nodes, size_t words, int root)
{
    const char *collective = peal_collective_name(algorithm->collective);
    const char *topology;
    struct performance run;

    if (!algorithm->asks_network && ports_for(algorithm) != PEAL_PORTS_ALL) { /* one schedule for all networks */
        if (!fits(algorithm, "full", nodes, words, ports_for(algorithm)))
            return;
        perform_on(&run, "full", nodes, collective, algorithm->name, words, root, ports_for(algorithm));
        for (int i = 0; (topology = network_of(nodes, i)) != NULL; i++)
            expect_closed_forms_on(&run, topology);
        performance_fini(&run);
        return;
    }
    for (int i = 0; (topology = network_of(nodes, i)) != NULL; i++) {
        if (!fits(algorithm, topology, nodes, words, ports_for(algorithm)))
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
                    !fits(algorithm, "full", nodes, words, ports_for(algorithm)))
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

            if (!fits(algorithm, networks[j % 3], 8, words, ports_for(algorithm)))
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

/* ------------------------------------------------------------------ where a closed form is promised, and where not */

static bool
has_closed_form(const struct peal_algorithm *algorithm, const char *topology, int nodes, int root,
                const struct peal_situation *base)
{
    struct peal_situation situation = *base;
    struct peal_error error = {0};
    struct peal_network *network = peal_network_create(topology, nodes, NULL, &error);
    struct peal_cost cost;
    bool has;

    cr_assert_not_null(network, "%s", error.text);
    situation.collective = algorithm->collective;
    situation.nodes = nodes;
    situation.root = root;
    situation.network = network;
    has = peal_algorithm_cost(algorithm, &situation, &cost);
    peal_network_destroy(network);
    return has;
}

static const struct peal_situation plain = {.words = 5, .ports = 1};

static const char *const regular[] = {"full", "line", "ring", "mesh:4x4", "torus:4x4", "hypercube"};

Test(closed_form, is_given_from_rank_0_on_every_kind_of_network_that_the_algorithm_names, .timeout = 10)
{
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        for (size_t j = 0; j < sizeof regular / sizeof regular[0]; j++) {
            struct peal_situation situation = plain;

            situation.ports = ports_for(algorithm);
            situation.words = peal_collective_has_blocks(algorithm->collective) ? 5 : 32;
            situation.by = algorithm->collective == PEAL_SHIFT ? 3 : 0;
            situation.to_count = algorithm->collective == PEAL_MULTICAST ? 16 : 0;
            if ((algorithm->cost || algorithm->costs_as) && has_kind(algorithm->closed_on, regular[j]) &&
                fits(algorithm, regular[j], 16, situation.words, situation.ports))
                cr_expect(has_closed_form(algorithm, regular[j], 16, 0, &situation),
                          "%s/%s has no closed form on %s: expected one, or .closed_on without that kind",
                          peal_collective_name(algorithm->collective), algorithm->name, regular[j]);
        }
}

/* The other tests compare them with runs. */
Test(closed_form, is_given_under_store_forward_where_equal_messages_share_links, .timeout = 10)
{
    static const struct {
        enum peal_collective collective;
        const char *name, *on;
    } cases[] = {{PEAL_ALLREDUCE, "recursive-doubling", "line ring mesh torus"},
                 {PEAL_ALLREDUCE, "rabenseifner", "line ring mesh torus"},
                 {PEAL_ALLGATHER, "recursive-doubling", "line ring mesh torus"},
                 {PEAL_ALLGATHER, "distance-halving", "line ring mesh torus"},
                 {PEAL_ALLGATHER, "bruck", "line ring"},
                 {PEAL_REDUCE_SCATTER, "halving", "line ring mesh torus"},
                 {PEAL_ALLTOALL, "shift", "line ring"},
                 {PEAL_ALLTOALL, "xor", "line mesh"},
                 {PEAL_BROADCAST, "binomial-near", "line ring mesh torus"},
                 {PEAL_SCAN, "shift-doubling", "line ring"}};
    const struct peal_situation stored = {.words = 32, .ports = 1, .switching = PEAL_STORE_FORWARD};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t j = 0; j < sizeof regular / sizeof regular[0]; j++)
            if (has_kind(cases[i].on, regular[j]))
                cr_expect(has_closed_form(peal_algorithm_find(cases[i].collective, cases[i].name), regular[j], 16, 0,
                                          &stored),
                          "%s on %s", cases[i].name, regular[j]);
}

/* The other tests compare them with runs, on one host of all that they are on a full network. */
Test(closed_form, is_given_on_shared_hosts_where_whole_hosts_do_the_same, .timeout = 10)
{
    static const struct {
        enum peal_collective collective;
        const char *name;
    } cases[] = {{PEAL_ALLGATHER, "ring"},         {PEAL_ALLREDUCE, "recursive-doubling"},
                 {PEAL_ALLREDUCE, "rabenseifner"}, {PEAL_ALLREDUCE, "reduce-scatter-allgather"},
                 {PEAL_ALLGATHER, "bruck"},        {PEAL_ALLGATHER, "recursive-doubling"},
                 {PEAL_REDUCE_SCATTER, "ring"},    {PEAL_REDUCE_SCATTER, "halving"},
                 {PEAL_BARRIER, "dissemination"},  {PEAL_ALLTOALL, "xor"}};
    static const char *const on[] = {"full@4", "ring@4:cyclic", "torus@2", "hypercube@4:cyclic", "mesh@2:cyclic"};
    const struct peal_situation even = {.words = 32, .ports = 1};
    const struct peal_algorithm *algorithm;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t j = 0; j < sizeof on / sizeof *on; j++)
            cr_expect(has_closed_form(peal_algorithm_find(cases[i].collective, cases[i].name), on[j], 16, 0, &even),
                      "%s on %s", cases[i].name, on[j]);
    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        cr_expect(algorithm->asks_network || has_closed_form(algorithm, "ring@16", 16, 0, &even) ==
                                                 has_closed_form(algorithm, "full", 16, 0, &even),
                  "%s/%s", peal_collective_name(algorithm->collective), algorithm->name);
}

Test(closed_form, of_rda_is_given_for_all_extents_and_roots, .timeout = 10)
{
    static const struct {
        const char *topology;
        int nodes;
    } networks[] = {{"mesh:3x5", 15},   {"torus:3x5", 15}, {"torus:3x3x3", 27},
                    {"mesh:2x3x5", 30}, {"line", 13},      {"ring", 13}};
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        for (size_t j = 0; j < sizeof networks / sizeof networks[0] && strncmp(algorithm->name, "rda", 3) == 0; j++)
            for (int root = 0; root < networks[j].nodes; root++)
                cr_expect(has_closed_form(algorithm, networks[j].topology, networks[j].nodes, root, &plain), "%s on %s",
                          algorithm->name, networks[j].topology);
}

Test(closed_form, of_a_binomial_tree_is_null_on_grids_whose_extents_are_not_powers_of_two, .timeout = 10)
{
    const struct peal_algorithm *trees[] = {
        peal_algorithm_find(PEAL_SCATTER, "binomial"), peal_algorithm_find(PEAL_GATHER, "binomial"),
        peal_algorithm_find(PEAL_BROADCAST, "binomial"), peal_algorithm_find(PEAL_REDUCE, "binomial")};

    for (int i = 0; i < 4; i++) {
        cr_expect_not(has_closed_form(trees[i], "torus:3x4", 12, 0, &plain));
        cr_expect_not(has_closed_form(trees[i], "torus:4x3", 12, 0, &plain));
        cr_expect_not(has_closed_form(trees[i], "mesh:4x3", 12, 0, &plain));
        cr_expect_not(has_closed_form(trees[i], "mesh:3x3", 9, 1, &plain));
    }
}

Test(closed_form, is_null_under_eager_delivery_half_duplex_exchanges_and_best_routes, .timeout = 10)
{
    struct peal_situation eager = plain, half = plain, many = plain;
    const struct peal_algorithm *algorithm;

    eager.eager = true;
    half.half_duplex = true;
    many.ports = 2;
    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        cr_expect_not(has_closed_form(algorithm, "line", 8, 0, &eager), "%s", algorithm->name);
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_ALLGATHER, "ring"), "full", 8, 0, &half));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_BARRIER, "dissemination"), "full", 8, 0, &half));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_SCATTER, "linear"), "full", 8, 0, &many));
}

Test(closed_form, is_null_when_it_does_not_fit_in_64_bits, .timeout = 10)
{
    struct peal_situation huge = {.words = (size_t)INT64_MAX / 4, .ports = 1, .switching = PEAL_STORE_FORWARD};

    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_SCATTER, "binomial"), "line", 8, 0, &huge));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_SCATTER, "linear"), "line", 8, 0, &huge));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_SCATTER, "rda"), "line", 8, 0, &huge));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_ALLGATHER, "gather-broadcast"), "line", 8, 0, &huge));
    cr_expect_not(has_closed_form(peal_algorithm_find(PEAL_ALLGATHER, "ring"), "line", 8, 0, &huge));
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
            if (fits(algorithm, one->topology, one->nodes, words, options.ports))
                expect_holds(&options, algorithm, words);
    }
}

Test(catalogue, works_with_boxes_of_one_place, .timeout = 60)
{
    const struct peal_algorithm *algorithm;
    struct peal_options options = options_for(7, "line");

    options.mailbox = 1;
    for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++)
        if (fits(algorithm, "line", 7, 4, options.ports))
            expect_holds(&options, algorithm, 4);
}

Test(catalogue, works_with_words_of_other_sizes, .timeout = 60)
{
    const struct peal_algorithm *algorithm;

    for (size_t bytes = 1; bytes <= 24; bytes++)
        for (int i = 0; (algorithm = algorithm_from(&i)) != NULL; i++) {
            struct peal_options options = options_for(6, "line");
            struct performance run;

            if (peal_collective_has_op(algorithm->collective) || !fits(algorithm, "line", 6, 5, options.ports))
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
        if (!fits(algorithm, "line", 13, 3, options.ports))
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
