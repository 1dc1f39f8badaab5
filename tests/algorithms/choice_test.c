/* SPDX-License-Identifier: MIT */
/* The choice of an algorithm, and the table that it is made from. */
#include "reports.h"

/* ------------------------------------------------------------------ the choice */

/* Call `expect` in many situations that an algorithm is chosen in. */
static void
in_many_situations(void (*expect)(const struct peal_situation *situation))
{
    static const struct {
        const char *topology;
        int nodes;
    } networks[] = {{"full", 1},      {"full", 6},       {"full", 8},      {"line", 5},       {"ring", 8},
                    {"torus:3x3", 9}, {"torus:3x5", 15}, {"mesh:4x4", 16}, {"hypercube", 16}, {"star", 7}};
    static const struct peal_parameters prices[] = {{1000, 1, 0, 0}, {1, 1, 0, 0}, {1000, 1, 5, 0}};
    static const size_t sizes[] = {0, 1, 60, 5600, 1000000};

    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct peal_network *network = peal_network_create(networks[i].topology, networks[i].nodes, NULL, NULL);

        for (int collective = 0; collective < PEAL_COLLECTIVES; collective++)
            for (int variant = 0; variant < 5 * 3 * 2 * 2; variant++) {
                struct peal_situation situation = {.collective = (enum peal_collective)collective,
                                                   .nodes = networks[i].nodes,
                                                   .words = sizes[variant % 5],
                                                   .network = network,
                                                   .ports = 1 + variant / 30,
                                                   .by = networks[i].nodes > 2 ? 2 : 0,
                                                   .to_count = networks[i].nodes,
                                                   .switching = PEAL_WORMHOLE,
                                                   .parameters = prices[variant / 5 % 3]};

                if (peal_collective_has_op(situation.collective))
                    situation.op = variant / 15 % 2 ? PEAL_SUM_INT64 : PEAL_AFFINE;
                expect(&situation);
            }
        peal_network_destroy(network);
    }
}

static void
expect_lowest(const struct peal_situation *situation)
{
    const struct peal_algorithm *chosen = peal_algorithm_choose(situation), *other;
    struct peal_cost cost, least;

    if (situation->collective == PEAL_BARRIER) { /* the machine's rules say which */
        cr_expect_str_eq(chosen->name, "dissemination");
        return;
    }
    if (!peal_algorithm_cost(chosen, situation, &cost))
        return;
    for (int i = 0; (other = peal_algorithm_get(i)) != NULL; i++)
        if (other->collective == situation->collective && !(other->differs & PEAL_DIFFERS(NODES)) &&
            peal_algorithm_fits(other, situation, NULL) == PEAL_OK && peal_algorithm_cost(other, situation, &least))
            cr_expect_leq(peal_cost_time(cost, situation->parameters), peal_cost_time(least, situation->parameters),
                          "%s, %d nodes, %zu words: %s is chosen, %s costs less",
                          peal_collective_name(situation->collective), situation->nodes, situation->words, chosen->name,
                          other->name);
}

Test(choice, is_the_lowest_closed_form, .timeout = 60)
{
    in_many_situations(expect_lowest);
}

static void
expect_fits(const struct peal_situation *situation)
{
    struct peal_error error;

    cr_expect_eq(peal_algorithm_fits(peal_algorithm_choose(situation), situation, &error), PEAL_OK, "%s", error.text);
}

/* Every collective has an algorithm for any number of nodes, any operator, any network. */
Test(choice, is_one_that_fits, .timeout = 60)
{
    in_many_situations(expect_fits);
}

/* What a choice for unequal blocks must be as good as: the choice among those that take them, for blocks of the
 * longest. */
static void
expect_same_for_unequal(const struct peal_situation *situation)
{
    const struct peal_algorithm *equal = peal_algorithm_choose(situation);
    struct peal_situation unequal = *situation;

    if (!peal_collective_has_blocks(situation->collective) || situation->collective == PEAL_ALLTOALL)
        return;
    unequal.unequal = true;
    if (!equal->needs.equal_blocks)
        cr_expect_eq(peal_algorithm_choose(&unequal), equal, "%s, %d nodes, %zu words: %s, not %s",
                     peal_collective_name(situation->collective), situation->nodes, situation->words,
                     peal_algorithm_choose(&unequal)->name, equal->name);
}

Test(choice, for_unequal_blocks_is_that_for_blocks_as_long_as_the_longest, .timeout = 60)
{
    in_many_situations(expect_same_for_unequal);
}

/* Where trees have no closed form, P-1 messages that all share a link take no longer than one after the other. */
Test(choice, never_prefers_a_chain_of_messages_to_a_tree_of_as_many, .timeout = 10)
{
    struct peal_network *network = peal_network_create("torus:3x5", 15, NULL, NULL);
    struct peal_situation situation = {.collective = PEAL_REDUCE,
                                       .nodes = 15,
                                       .words = 60,
                                       .network = network,
                                       .op = PEAL_SUM_INT64,
                                       .ports = 1,
                                       .parameters = {1000, 1, 0, 0}};

    cr_expect_str_neq(peal_algorithm_choose(&situation)->name, "linear");
    situation.words = 1000000;
    cr_expect_str_neq(peal_algorithm_choose(&situation)->name, "linear");
    peal_network_destroy(network);
}

/* ... as if ports were single and messages not eager. */
Test(choice, is_made_without_closed_forms_too, .timeout = 10)
{
    struct peal_situation situation = {
        .collective = PEAL_BROADCAST, .nodes = 8, .words = 10, .ports = 1, .parameters = {1000, 1, 0, 0}};

    for (; situation.words <= 100000; situation.words *= 100) {
        struct peal_situation other = situation;

        other.ports = 2;
        other.eager = other.half_duplex = true;
        cr_expect_eq(peal_algorithm_choose(&other), peal_algorithm_choose(&situation), "%zu words", situation.words);
    }
}

static void
allreduce_once(struct peal_node *me, void *arg)
{
    int64_t *a = peal_alloc(me, *(size_t *)arg + 1);

    peal_allreduce(me, PEAL_SUM_INT64, a, *(size_t *)arg);
}

/* Choices are remembered by the process: none may be taken for another machine's, size's or network's.  More of them
 * than are kept, each asked for twice. */
Test(catalogue, is_chosen_from_anew_for_every_size_network_and_price, .timeout = 60)
{
    static const char *const topologies[] = {"full", "line", "torus:2x4", "mesh:4x2", "hypercube"};
    static const double alphas[] = {1, 1000};
    int different = 0;
    const struct peal_algorithm *last = NULL;

    for (int again = 0; again < 2; again++)
        for (size_t words = 0; words <= 4096; words = words == 0 ? 8 : words * 8)
            for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
                for (size_t j = 0; j < 2; j++) {
                    struct peal_options options = options_for(8, topologies[i]);
                    struct peal_situation situation = {
                        .collective = PEAL_ALLREDUCE, .nodes = 8, .words = words, .op = PEAL_SUM_INT64, .ports = 1};
                    struct peal_machine *machine;
                    struct peal_cost cost;

                    options.parameters.alpha = alphas[j];
                    machine = peal_machine_create(&options, NULL);
                    cr_assert_not_null(machine);
                    situation.network = peal_machine_network(machine);
                    situation.parameters = options.parameters;
                    cr_assert_null(peal_run(machine, allreduce_once, &words));
                    different += last != peal_algorithm_choose(&situation);
                    last = peal_algorithm_choose(&situation);
                    if (peal_algorithm_cost(last, &situation, &cost))
                        cr_expect(peal_cost_equal(cost, peal_machine_cost(machine)), "%zu words on %s at α = %g: %s",
                                  words, topologies[i], alphas[j], last->name);
                    peal_machine_destroy(machine);
                }
    cr_expect_gt(different, 10);
}

/* ------------------------------------------------------------------ the table */

Test(catalogue, has_whole_entries_of_different_names, .timeout = 10)
{
    const struct peal_algorithm *algorithm;
    int count = 0;

    for (; (algorithm = peal_algorithm_get(count)) != NULL; count++) {
        cr_expect(algorithm->name && algorithm->summary && algorithm->source && algorithm->run.scatter, "entry %d",
                  count);
        cr_expect(algorithm->cost || algorithm->costs_as || !algorithm->texts, "%s: a text is that of a closed form",
                  algorithm->name);
        cr_expect_eq(peal_algorithm_find(algorithm->collective, algorithm->name), algorithm);
        for (int i = 0; i < count; i++)
            cr_expect_neq(peal_algorithm_get(i), algorithm, "duplicate %s in the list", algorithm->name);
    }
    cr_expect_null(peal_algorithm_get(-1));
    cr_expect_null(peal_algorithm_find(PEAL_GATHER, "rda-smaller"));
    cr_expect_str_eq(peal_algorithm_find(PEAL_ALLREDUCE, "ring")->name, "reduce-scatter-allgather");
}

Test(catalogue, knows_collectives_by_name, .timeout = 10)
{
    static const char *const names[] = {"scatter",        "gather",    "broadcast", "reduce", "allgather",
                                        "reduce-scatter", "allreduce", "alltoall",  "scan",   "exscan",
                                        "shift",          "multicast", "barrier"};
    enum peal_collective collective;

    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        cr_expect_str_eq(peal_collective_name((enum peal_collective)i), names[i]); /* a number keeps its collective */
    for (int i = 0; i < PEAL_COLLECTIVES; i++) {
        cr_assert(peal_collective_find(peal_collective_name((enum peal_collective)i), &collective));
        cr_expect_eq((int)collective, i);
    }
    cr_expect_not(peal_collective_find("scater", &collective));
}

Test(catalogue, says_what_an_algorithm_requires, .timeout = 10)
{
    struct peal_algorithm all = {.needs = {.power_of_two = true, .commutative = true, .kinds = "ring torus"}};
    char text[200];

    cr_expect_str_eq(peal_requirements_text(peal_algorithm_find(PEAL_SCATTER, "binomial"), text, sizeof text), "");
    cr_expect_str_eq(peal_requirements_text(peal_algorithm_find(PEAL_SCATTER, "rda"), text, sizeof text),
                     "network: line, ring, mesh or torus");
    cr_expect_str_eq(peal_requirements_text(peal_algorithm_find(PEAL_REDUCE_SCATTER, "ring"), text, sizeof text),
                     "a commutative operator");
    cr_expect_str_eq(peal_requirements_text(&all, text, sizeof text),
                     "P = 2^q; a commutative operator; network: ring or torus");
    all.needs.commutative = false;
    cr_expect_str_eq(peal_requirements_text(&all, text, sizeof text), "P = 2^q; network: ring or torus");
    all.needs = (struct peal_requirements){.even = true, .divides = true, .equal_blocks = true, .ports = 2};
    cr_expect_str_eq(peal_requirements_text(&all, text, sizeof text), "P even; P divides n; equal blocks; --ports 2");
    all.needs = (struct peal_requirements){.power_of_two = true};
    cr_expect_str_eq(peal_requirements_text(&all, text, sizeof text), "P = 2^q");
}

Test(catalogue, refuses_with_the_sizes_that_would_fit, .timeout = 10)
{
    struct peal_algorithm power = {.name = "butterfly", .needs = {.power_of_two = true}};
    struct peal_situation situation = {.nodes = 6};
    struct peal_error error;

    cr_expect_eq(peal_algorithm_fits(&power, &situation, &error), PEAL_USAGE);
    cr_expect_str_eq(error.text, "scatter/butterfly needs a power of two of nodes, not 6: 4 or 8 would fit");
    situation.nodes = 8;
    cr_expect_eq(peal_algorithm_fits(&power, &situation, &error), PEAL_OK);
}

Test(blocks, of_a_vector_are_as_equal_as_can_be_the_longer_first, .timeout = 10)
{
    for (size_t n = 0; n < 60; n++)
        for (int nodes = 1; nodes < 20; nodes++) {
            size_t begin = 0;

            for (int block = 0; block < nodes; block++) {
                size_t words = n / (size_t)nodes + (block < (int)(n % (size_t)nodes));

                cr_expect_eq(peal_block_begin(n, nodes, block), begin);
                cr_expect_eq(peal_block_words(n, nodes, block), words);
                begin += words;
            }
            cr_expect_eq(peal_block_begin(n, nodes, nodes), n);
        }
}
