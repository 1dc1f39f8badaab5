/* SPDX-License-Identifier: MIT */
/* A recorded run on another machine. */
#include "lib/collective/closed_row.h"
#include "lib/record/read.h"
#include "lib/record/record.h"
#include <peal/form.h>
#include <stdlib.h>
#include <string.h>

/* Whether the critical path, which depends on when requests were posted, on ports, and on what each transfer takes
 * alone, is the same on both machines: with ideal switching a transfer takes the same on every network. */
static bool
same_critical_path(const struct peal_options *here, const struct peal_options *there)
{
    struct peal_parameters a = here->parameters, b = there->parameters;
    bool same_ways = strcmp(here->topology, there->topology) == 0 && strcmp(here->routing, there->routing) == 0;

    return a.alpha == b.alpha && a.beta == b.beta && a.hop == b.hop && a.tau == b.tau &&
           here->switching == there->switching &&
           (same_ways || (here->switching == PEAL_IDEAL && here->ports != PEAL_PORTS_ALL));
}

/* With more nodes than this a document is more likely wrong than recorded. */
enum { MAX_NODES = 1 << 24 };

/* The lists that the record has as text, in the form that a situation takes.  Zeroed: none. */
struct price_lists {
    size_t *sizes, *ranks, *begins;
    int *to;
    struct peal_blocks blocks;
};

static void
price_lists_fini(struct price_lists *lists)
{
    free(lists->sizes);
    free(lists->ranks);
    free(lists->begins);
    free(lists->to);
}

/* Put the lengths of the run's blocks into the situation; false when that is impossible. */
static bool
take_sizes(const struct peal_record *run, struct price_lists *lists, struct peal_situation *situation)
{
    int count = 0, nodes = situation->nodes;

    if (!run->sizes)
        return true;
    if (nodes > MAX_NODES || read_numbers(run->sizes, &lists->sizes, &count, NULL) != PEAL_OK || count == 0 ||
        !(lists->begins = calloc((size_t)nodes + 1, sizeof *lists->begins)))
        return false;
    situation->unequal = true;
    situation->words = 0;
    for (int i = 0; i < count; i++)
        situation->words = lists->sizes[i] > situation->words ? lists->sizes[i] : situation->words;
    for (int b = 0; b < nodes; b++)
        if (__builtin_add_overflow(lists->begins[b], lists->sizes[b % count], &lists->begins[b + 1]))
            return false;
    lists->blocks.begins = lists->begins;
    situation->blocks = peal_form_of(situation->collective)->in == PEAL_SIDE_PAIRS ? NULL : &lists->blocks;
    return true;
}

/* Put the ranks of a multicast into the situation; false when that is impossible. */
static bool
take_ranks(const struct peal_record *run, struct price_lists *lists, struct peal_situation *situation)
{
    int count = 0;
    bool *seen = NULL;

    bool listed = peal_form_of(situation->collective)->to;

    situation->to_count = listed ? situation->nodes : 0;
    if (!run->to || !listed)
        return true;
    if (read_numbers(run->to, &lists->ranks, &count, NULL) != PEAL_OK ||
        !(lists->to = calloc((size_t)count + 1, sizeof *lists->to)))
        return false;
    bool right = situation->nodes <= MAX_NODES && (seen = calloc((size_t)situation->nodes, sizeof *seen));

    for (int i = 0; right && i < count; i++) {
        right = lists->ranks[i] < (size_t)situation->nodes && !seen[lists->ranks[i]];
        if (right)
            seen[lists->to[i] = (int)lists->ranks[i]] = true;
    }
    free(seen);
    situation->to = lists->to;
    situation->to_count = count;
    return right;
}

/* Find the catalogue's entries for the run on its new machine. */
static void
price_find_entries(struct peal_record *run, const struct peal_network *network)
{
    enum peal_collective collective;
    const struct peal_options *options = &run->options;
    struct peal_situation situation = peal_situation_on(options, network);
    struct price_lists lists = {0};

    run->closed_form_source = NULL;
    if (!run->collective || !run->has_root || !run->has_vector_words ||
        !peal_collective_find(run->collective, &collective))
        return;
    situation.collective = collective;
    situation.words = peal_form_of(collective)->out == PEAL_SIDE_NONE ? 0
                      : peal_collective_has_blocks(collective)        ? run->block_words
                                                                      : run->vector_words;
    situation.root = peal_collective_has_root(collective) ? run->root : 0;
    situation.by = peal_form_of(collective)->by ? run->by : 0;
    situation.parameter = run->parameter;
    situation.op = peal_collective_has_op(collective) ? PEAL_SUM_INT64 : NULL; /* any operator: no cost depends on it */

    if ((!run->has_block_words && !run->sizes && peal_collective_has_blocks(collective)) ||
        !take_sizes(run, &lists, &situation) || !take_ranks(run, &lists, &situation)) {
        price_lists_fini(&lists);
        return;
    }
    run->has_lower_bound = peal_lower_bound(&situation, &run->lower_bound, &run->lower_bound_source);
    peal_lower_bound_cut(&situation, &run->lower_bound_cut);
    situation.blocks = NULL; /* as the closed forms are evaluated when it runs */
    run->known = peal_algorithm_find(collective, run->algorithm);
    run->closed_form_source =
        run->known ? "none: the algorithm does not run there" : "none: the algorithm is not of the catalogue";
    if (run->known && peal_algorithm_fits(run->known, &situation, NULL) != PEAL_OK)
        run->known = NULL;
    run->has_closed_form = run->known && peal_algorithm_cost(run->known, &situation, &run->closed_form);
    if (run->has_closed_form) {
        peal_closed_form_text(run->known, &situation, run->closed_form_text, PEAL_CLOSED_TEXT);
        run->closed_form_source = peal_closed_form_source(run->known, &situation);
    } else if (run->known) {
        run->closed_form_source = peal_closed_form_missing(run->known, &situation);
    }
    run->closed_form_equal = run->has_closed_form && !run->failure && peal_cost_equal(run->closed_form, run->cost);
    price_lists_fini(&lists);
}

struct peal_record *
peal_record_price(const struct peal_record *record, const struct peal_options *options, struct peal_error *error)
{
    struct peal_network *network =
        peal_network_create(options->topology, record->options.nodes, options->routing, error);
    struct peal_pricing pricing = {network, options->switching, options->congestion};
    struct peal_record there = *record, *priced;

    if (!network)
        return NULL;
    there.options.topology = peal_network_name(network);
    there.options.routing = peal_network_routing(network);
    there.options.switching = options->switching;
    there.options.congestion = options->congestion;
    there.options.parameters = options->parameters;
    there.options.rounds = options->rounds;
    there.findings = NULL;
    there.has_critical_path = record->has_critical_path && same_critical_path(&there.options, &record->options);
    if (!there.has_critical_path)
        there.critical_path = (struct peal_cost){0};
    priced = record_copy(&there);
    if (!priced) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory for a second record of the run");
        goto fail;
    }
    if (peal_price(&pricing, &priced->schedule, &priced->cost, error) != PEAL_OK)
        goto fail;
    price_find_entries(priced, network);
    peal_network_destroy(network);
    return priced;

fail:
    peal_record_destroy(priced);
    peal_network_destroy(network);
    return NULL;
}
