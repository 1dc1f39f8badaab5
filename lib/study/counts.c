/* SPDX-License-Identifier: MIT */
/* Counts the rounds, words and operations of one run of an algorithm. */
#include "lib/study/counts.h"
#include "lib/cost/arithmetic.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include <stdlib.h>

/* The state of a counted run. */
struct counting {
    struct run_counts *counts;
    struct peal_cost cost; /* of the rounds so far */
    uint64_t *combined;    /* by each node */
    bool full;             /* more sizes than there is room for */
};

static void
add_round(struct counting *c, uint64_t words, struct peal_cost charge)
{
    struct run_counts *counts = c->counts;
    int i = 0;

    while (i < counts->size_count && counts->sizes[i].words != words)
        i++;
    if (i == MAX_COUNTED_SIZES) {
        c->full = true;
        return;
    }
    if (i == counts->size_count)
        counts->sizes[counts->size_count++].words = words;
    counts->sizes[i].startups += charge.alpha;
    counts->sizes[i].charge += charge.beta;
    counts->startups += charge.alpha;
    counts->sent += words;
}

static void
counts_note_round(struct peal_machine *machine, void *arg)
{
    struct counting *c = arg;
    const struct round *made = &machine->round;
    struct peal_cost charge = cost_minus(made->cost, c->cost);
    uint64_t largest = 0;

    for (size_t i = 0; i < made->transfer_count; i++)
        largest = made->transfers[i].words > largest ? made->transfers[i].words : largest;
    if (made->transfer_count > 0)
        add_round(c, largest, charge);
    c->cost = made->cost;
}

/* Combine, and count the words for the combining node. */
static void
counts_combine(const void *left, const void *right, void *result, size_t words, void *closure)
{
    struct counting *c = closure;
    const struct peal_node *me = peal_self(); /* NULL: the result is checked */

    peal_combine(&peal_sum_int64, left, right, result, words);
    if (me)
        c->combined[peal_rank(me)] += words;
}

/* Run the algorithm on a machine of its own, and count. */
static enum peal_status
count_run(struct counting *c, enum peal_collective collective, const char *algorithm,
          const struct peal_options *options, struct peal_error *error)
{
    struct peal_op op = peal_sum_int64;
    struct peal_exercise exercise = {.collective = collective, .algorithm = algorithm, .op = &op};
    struct round_listener listener = {.look = counts_note_round, .arg = c};
    struct peal_outcome outcome;
    struct peal_machine *machine = peal_machine_create(options, error);

    if (!machine)
        return error->status;
    op.combine_with = counts_combine;
    op.closure = c;
    exercise.nodes = options->nodes;
    exercise.words = c->counts->words;
    c->combined = calloc((size_t)options->nodes, sizeof *c->combined);
    round_listener_add(machine, &listener);

    enum peal_status status = c->combined ? peal_exercise(machine, &exercise, &outcome, error)
                                          : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    round_listener_remove(machine, &listener);
    for (int i = 0; c->combined && i < options->nodes; i++)
        c->counts->combined = c->combined[i] > c->counts->combined ? c->combined[i] : c->counts->combined;
    free(c->combined);
    peal_machine_destroy(machine);
    if (status == PEAL_OK && c->full)
        status = peal_refuse(error, PEAL_USAGE, "its messages have more than %d sizes", MAX_COUNTED_SIZES);
    return status;
}

/* Count the rounds without limits of ports on a full network: the longest chain of messages, each of which waits for
 * the previous one. */
static enum peal_status
count_chain(enum peal_collective collective, const char *algorithm, const struct peal_options *options, int nodes,
            int64_t *rounds, struct peal_error *error)
{
    struct run_counts counts = {.words = peal_collective_has_blocks(collective) ? 1 : (size_t)nodes};
    struct counting c = {.counts = &counts};
    struct peal_options wide = *options;

    wide.nodes = nodes;
    wide.topology = "full";
    wide.routing = NULL;
    wide.ports = PEAL_PORTS_ALL;
    enum peal_status status = count_run(&c, collective, algorithm, &wide, error);

    *rounds = counts.startups;
    return status;
}

/* The nodes of the run that shows whether rounds overlap. */
enum { FEW_NODES = 16 };

static enum peal_status
count_overlapped(enum peal_collective collective, const char *algorithm, const struct peal_options *options,
                 struct run_counts *counts, struct peal_error *error)
{
    int few = options->nodes < FEW_NODES ? options->nodes : FEW_NODES;
    struct run_counts narrow = {.words = peal_collective_has_blocks(collective) ? 1 : (size_t)few};
    struct counting c = {.counts = &narrow};
    struct peal_options small = *options;
    int64_t chain = 0;

    small.nodes = few;
    small.topology = "full";
    small.routing = NULL;
    enum peal_status status = count_chain(collective, algorithm, options, few, &chain, error);

    if (status == PEAL_OK)
        status = count_run(&c, collective, algorithm, &small, error);
    if (status == PEAL_OK && chain < narrow.startups && chain > 1)
        status = count_chain(collective, algorithm, options, options->nodes, &chain, error);
    else if (status == PEAL_OK && chain >= narrow.startups)
        chain = counts->startups;
    counts->overlapped = counts->startups > chain ? counts->startups - chain : 0;
    return status;
}

/* The most messages of one run: larger ones take minutes, or the memory. */
static const double MAX_MESSAGES = 2e8, MAX_POSTED = 4e6;

enum peal_status
peal_counts_find(enum peal_collective collective, const char *algorithm, const struct peal_options *options,
                 struct run_counts *counts, struct peal_error *error)
{
    double P = options->nodes;
    bool blocks = peal_collective_has_blocks(collective);
    struct peal_options own = *options;
    struct counting c = {.counts = counts};
    enum peal_status status;

    *counts = (struct run_counts){.words = blocks ? 1 : (size_t)options->nodes};
    own.rounds = PEAL_ROUNDS_NONE;
    own.word_bytes = 8;
    own.engine = "auto";
    if (strcmp(algorithm, "linear") == 0 && collective == PEAL_ALLTOALL && P * P > MAX_POSTED)
        return peal_refuse(error, PEAL_USAGE, "posts %g messages at once, too many to be run", P * P);
    if (2 * P * P > MAX_MESSAGES)
        return peal_refuse(error, PEAL_USAGE, "%d nodes are too many to be run", options->nodes);
    status = count_run(&c, collective, algorithm, &own, error);
    if (status == PEAL_OK)
        status = count_overlapped(collective, algorithm, &own, counts, error);
    counts->cuts = true;
    for (int i = 0; i < counts->size_count; i++)
        counts->cuts = counts->cuts && (blocks || counts->sizes[i].words < counts->words);
    return status;
}
