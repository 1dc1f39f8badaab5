/* SPDX-License-Identifier: MIT */
/* Running one collective on a machine with its data checked. */
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/collective/catalog.h"
#include "lib/collective/closed_row.h"
#include "lib/collective/data.h"
#include "lib/collective/estimate.h"
#include "lib/collective/layout.h"
#include "lib/machine/host.h"
#include <peal/loaded.h>
#include <peal/observe.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The times at which a node called and left a barrier, in nanoseconds. */
struct stay {
    int64_t came, left;
};

/* Data that the nodes of an exercise share.  All but the counters is constant during the run. */
struct shared {
    const struct data *data;
    struct peal_callee callee;
    atomic_int arrived; /* nodes that called the barrier */
    atomic_int early;   /* nodes that left it before all had called */
    struct stay *stays; /* by node, if every node is a process: then the counters are not shared.  NULL otherwise */
};

/* The node's part of a barrier: no node may leave before all have called it. */
static void
pass_barrier(struct peal_node *me, struct shared *shared, const struct peal_arguments *arguments)
{
    const struct data *data = shared->data;

    if (shared->stays != NULL) {
        shared->stays[peal_rank(me)].came = nanoseconds_now();
        peal_make_call(me, data->form, &shared->callee, arguments);
        shared->stays[peal_rank(me)].left = nanoseconds_now();
        return;
    }
    atomic_fetch_add(&shared->arrived, 1);
    peal_make_call(me, data->form, &shared->callee, arguments);
    if (atomic_load(&shared->arrived) < data->layout.nodes)
        atomic_fetch_add(&shared->early, 1);
}

static void
exercise_program(struct peal_node *me, void *arg)
{
    struct shared *shared = arg;
    const struct data *data = shared->data;
    const struct peal_layout *layout = &data->layout;
    const size_t *lengths = layout_lengths(layout, data->form, me);
    const struct peal_arguments arguments = {.op = data->op,
                                             .in = data_in(data, peal_rank(me)),
                                             .out = data_out(data, peal_rank(me)),
                                             .lengths = lengths,
                                             .receive = lengths != NULL ? lengths + layout->nodes : NULL,
                                             .shape = layout->shape};

    if (data->form->out == PEAL_SIDE_NONE)
        pass_barrier(me, shared, &arguments);
    else
        peal_make_call(me, data->form, &shared->callee, &arguments);
}

static bool
has_sizes(const struct peal_exercise *exercise)
{
    return exercise->sizes != NULL && peal_collective_has_blocks(exercise->collective);
}

static size_t
exercise_longest_size(const struct peal_exercise *exercise)
{
    size_t words = 0;

    for (int i = 0; i < exercise->size_count; i++)
        words = exercise->sizes[i] > words ? exercise->sizes[i] : words;
    return words;
}

/* Refuse an invalid request. */
static enum peal_status
exercise_check(const struct peal_exercise *exercise, const struct peal_situation *situation, size_t word_bytes,
               struct peal_error *error)
{
    const struct peal_form *form = peal_form_of(exercise->collective);
    const char *name = form->name;

    if (situation->root < 0 || situation->root >= situation->nodes)
        return peal_refuse(error, PEAL_USAGE, "root %d is out of range: ranks are 0 to %d", situation->root,
                           situation->nodes - 1);
    if (situation->op != NULL && situation->op->word_bytes != word_bytes)
        return peal_refuse(error, PEAL_USAGE, "%s works on words of %zu bytes, this machine's have %zu",
                           situation->op->name, situation->op->word_bytes, word_bytes);
    if (exercise->sizes != NULL && exercise->size_count <= 0)
        return peal_refuse(error, PEAL_USAGE, "an empty list of lengths of blocks");
    if (exercise->sizes != NULL && !peal_collective_has_blocks(exercise->collective))
        return peal_refuse(error, PEAL_USAGE, "%s has no blocks, of equal or other lengths", name);
    if (situation->to != NULL) {
        enum peal_status status = catalog_check_ranks(situation->to, situation->to_count, situation->nodes, error);

        if (status != PEAL_OK)
            return status;
    }
    if ((exercise->input != NULL || exercise->output != NULL) && exercise->sizes != NULL)
        return peal_refuse(error, PEAL_USAGE,
                           "%s of blocks of different lengths takes no input or output file: its data is generated",
                           name);
    if ((exercise->input != NULL || exercise->output != NULL) && !form->file)
        return peal_refuse(error, PEAL_USAGE, "%s takes no input or output file: its data is generated", name);
    return PEAL_OK;
}

enum peal_status
peal_exercise_situation(const struct peal_exercise *exercise, const struct peal_options *options,
                        const struct peal_network *network, struct peal_situation *situation, struct peal_error *error)
{
    const struct peal_form *form = peal_form_of(exercise->collective);

    *situation = peal_situation_on(options, network);
    situation->collective = exercise->collective;
    situation->words = form->out == PEAL_SIDE_NONE ? 0
                       : has_sizes(exercise)       ? exercise_longest_size(exercise)
                                                   : exercise->words;
    situation->root = form->root ? exercise->root : 0;
    situation->sizes = exercise->sizes;
    situation->size_count = exercise->size_count;
    situation->unequal = has_sizes(exercise);
    if (form->op)
        situation->op = exercise->op != NULL ? exercise->op : PEAL_SUM_INT64;
    if (form->by)
        situation->by = (exercise->by % situation->nodes + situation->nodes) % situation->nodes;
    if (form->to) {
        situation->to = exercise->to;
        situation->to_count = exercise->to != NULL ? exercise->to_count : situation->nodes;
    }
    return exercise_check(exercise, situation, options->word_bytes, error);
}

/* Find the situation of the exercise on the machine's network. */
static enum peal_status
find_situation(const struct peal_machine *machine, const struct peal_exercise *exercise, struct peal_outcome *outcome,
               struct peal_error *error)
{
    return peal_exercise_situation(exercise, peal_machine_options(machine), peal_machine_network(machine),
                                   &outcome->situation, error);
}

/* Count the nodes that left before the last one called. */
static int
left_early(const struct stay *stays, int nodes)
{
    int64_t last = stays[0].came;
    int early = 0;

    for (int i = 1; i < nodes; i++)
        last = stays[i].came > last ? stays[i].came : last;
    for (int i = 0; i < nodes; i++)
        early += stays[i].left < last;
    return early;
}

/* Run it on the machine, and describe the resulting data in *outcome. */
static enum peal_status
run_checked(struct peal_machine *machine, const struct data *data, struct peal_outcome *outcome,
            struct peal_error *error)
{
    struct shared shared = {.data = data,
                            .callee = {.algorithm = outcome->algorithm, .parameter = outcome->situation.parameter}};
    const struct peal_failure *failure;
    size_t bytes = (size_t)data->layout.nodes * sizeof *shared.stays;
    bool separate = peal_machine_processes(machine) > 1 && data->form->out == PEAL_SIDE_NONE;
    enum peal_status status = PEAL_OK;

    outcome->nodes_correct = -1;
    if (separate && (shared.stays = calloc(1, bytes)) == NULL)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the times of %d nodes", data->layout.nodes);
    if (separate)
        status = peal_machine_share(machine, shared.stays, bytes, error);
    if (status == PEAL_OK && data->out_rows > 0)
        status =
            peal_machine_share(machine, data->out, (size_t)data->out_rows * data->out_words * data->word_bytes, error);
    machine_stacks_apart(machine, outcome->algorithm->loaded == NULL); /* the catalogue keeps its data on the heap */
    if (status == PEAL_OK &&
        (failure = peal_algorithm_start(outcome->algorithm, machine, exercise_program, &shared)) != NULL)
        status = peal_refuse(error, failure->status, "%s", failure->message);
    machine_stacks_apart(machine, false);
    if (status == PEAL_OK && separate && machine_has_one_clock(machine))
        atomic_store(&shared.early, left_early(shared.stays, data->layout.nodes));
    free(shared.stays);
    if (status != PEAL_OK)
        return status;

    outcome->nodes_correct = data_check(data, outcome->wrong, sizeof outcome->wrong);
    if (data->form->out == PEAL_SIDE_NONE && atomic_load(&shared.early) > 0) {
        int early = atomic_load(&shared.early);

        outcome->nodes_correct -= early;
        snprintf(outcome->wrong, sizeof outcome->wrong, "%d node%s left before all had called", early,
                 early == 1 ? "" : "s");
    }
    outcome->verified = outcome->nodes_correct == data->layout.nodes;
    if (!outcome->verified)
        return peal_refuse(error, PEAL_FAILED, "%s/%s: %s", data->form->name, outcome->algorithm->name, outcome->wrong);
    return PEAL_OK;
}

/* Gather scattered blocks back, on a second machine made as the first, and copy `bytes` bytes of them to output. */
static enum peal_status
gather_back(const struct peal_machine *machine, const struct data *scattered, const struct peal_outcome *scatter,
            void *output, size_t bytes, struct peal_error *error)
{
    struct peal_options options = *peal_machine_options(machine);
    struct peal_exercise exercise = {.collective = PEAL_GATHER,
                                     .words = scatter->situation.words,
                                     .root = scatter->situation.root,
                                     .input = scattered->out,
                                     .input_bytes = scattered->in_words * scattered->word_bytes,
                                     .output = output};
    struct peal_machine *second;
    struct peal_outcome outcome = {0};
    struct data data = {0};
    enum peal_status status;

    options.rounds = PEAL_ROUNDS_NONE;
    second = peal_machine_create(&options, error);
    if (second == NULL)
        return error != NULL ? error->status : PEAL_RESOURCES;
    status = find_situation(second, &exercise, &outcome, error);
    outcome.algorithm = peal_algorithm_choose(&outcome.situation);
    if (status == PEAL_OK)
        status = data_init(&data, &outcome.situation, options.word_bytes, &exercise, error);
    if (status == PEAL_OK)
        status = run_checked(second, &data, &outcome, error);
    if (status == PEAL_OK && bytes > 0)
        memcpy(output, data.out, bytes);
    data_fini(&data);
    peal_machine_destroy(second);
    return status;
}

/* Copy the result to the caller's output: the root's, or for a collective from the root that of the highest other
 * rank. */
static enum peal_status
give_output(const struct peal_machine *machine, const struct peal_exercise *exercise, const struct data *data,
            const struct peal_outcome *outcome, struct peal_error *error)
{
    size_t all = (data->in_words > data->out_words ? data->in_words : data->out_words) * data->word_bytes;
    size_t bytes = exercise->input_bytes < all ? exercise->input_bytes : all;
    int from = data->layout.root;

    if (data->form->from_root && data->form->out == PEAL_SIDE_BLOCK) /* scattered */
        return gather_back(machine, data, outcome, exercise->output, bytes, error);
    if (data->form->from_root && data->layout.nodes > 1)
        from = data->layout.root == data->layout.nodes - 1 ? data->layout.nodes - 2 : data->layout.nodes - 1;
    if (bytes > 0)
        memcpy(exercise->output, data_out(data, from), bytes);
    return PEAL_OK;
}

/* Find the lower bound; blocks of unequal lengths are listed for it. */
static enum peal_status
find_bound(struct peal_outcome *outcome, struct peal_error *error)
{
    struct peal_situation situation = outcome->situation;
    struct peal_blocks blocks = {0};
    size_t *begins = NULL;

    if (situation.unequal && peal_form_of(situation.collective)->in != PEAL_SIDE_PAIRS) {
        begins = calloc((size_t)situation.nodes + 1, sizeof *begins);
        if (begins == NULL)
            return peal_refuse(error, PEAL_RESOURCES, "no memory for the lengths of %d blocks", situation.nodes);
        for (int b = 0; b < situation.nodes; b++)
            begins[b + 1] = begins[b] + peal_layout_block(&situation.layout, b);
        blocks.begins = begins;
        situation.blocks = &blocks;
    }
    outcome->has_lower_bound = peal_lower_bound(&situation, &outcome->lower_bound, &outcome->lower_bound_source);
    free(begins);
    return PEAL_OK;
}

/* The algorithm's name, as the caller gave it. */
static const char *
exercise_algorithm_name(const struct peal_exercise *exercise, const struct peal_outcome *outcome)
{
    return exercise->algorithm ? exercise->algorithm : outcome->algorithm->name;
}

enum peal_status
peal_exercise_expect(const struct peal_machine *machine, const struct peal_exercise *exercise,
                     struct peal_outcome *outcome, struct peal_error *error)
{
    enum peal_status status;

    *outcome = (struct peal_outcome){.nodes_correct = -1};
    status = find_situation(machine, exercise, outcome, error);
    if (status != PEAL_OK)
        return status;

    outcome->algorithm = exercise->algorithm == NULL ? peal_algorithm_choose(&outcome->situation)
                                                     : peal_algorithm_parse(exercise->collective, exercise->algorithm,
                                                                            &outcome->situation.parameter);
    if (outcome->algorithm == NULL)
        return peal_algorithm_check(exercise->collective, exercise->algorithm, error);
    status = peal_algorithm_fits(outcome->algorithm, &outcome->situation, error);
    if (status != PEAL_OK)
        return status;

    outcome->block_words = outcome->vector_words = outcome->situation.words;
    if (peal_collective_has_blocks(exercise->collective))
        outcome->vector_words = layout_begin(&outcome->situation.layout, outcome->situation.nodes);
    else
        outcome->block_words /= (size_t)outcome->situation.nodes;
    outcome->situation.parameter = peal_algorithm_parameter(outcome->algorithm, &outcome->situation);
    outcome->has_closed_form = peal_algorithm_cost(outcome->algorithm, &outcome->situation, &outcome->closed_form);
    if (!outcome->has_closed_form || peal_closed_form_text(outcome->algorithm, &outcome->situation,
                                                           outcome->closed_form_text, PEAL_CLOSED_TEXT) == NULL)
        outcome->closed_form_text[0] = '\0';
    outcome->closed_form_source = outcome->has_closed_form
                                      ? peal_closed_form_source(outcome->algorithm, &outcome->situation)
                                      : peal_closed_form_missing(outcome->algorithm, &outcome->situation);
    return find_bound(outcome, error);
}

enum peal_status
peal_exercise(struct peal_machine *machine, const struct peal_exercise *exercise, struct peal_outcome *outcome,
              struct peal_error *error)
{
    size_t word_bytes = peal_machine_options(machine)->word_bytes;
    struct peal_error ignored = {PEAL_OK, ""}, unused;
    struct data data = {0};
    enum peal_status status;

    if (error == NULL)
        error = &unused;
    status = peal_exercise_expect(machine, exercise, outcome, error);
    if (status == PEAL_OK &&
        peal_run_fits(peal_machine_options(machine), &outcome->situation, outcome->algorithm, &ignored) != PEAL_OK)
        status = peal_refuse(error, PEAL_RESOURCES, "%s/%s of %zu word%s on %d node%s %s",
                             peal_collective_name(exercise->collective), exercise_algorithm_name(exercise, outcome),
                             outcome->situation.words, plural(outcome->situation.words), outcome->situation.nodes,
                             plural(outcome->situation.nodes), ignored.text);
    if (status == PEAL_OK)
        status = data_init(&data, &outcome->situation, word_bytes, exercise, error);
    if (status == PEAL_OK) {
        status = run_checked(machine, &data, outcome, error);
        outcome->closed_form_equal = outcome->has_closed_form && outcome->nodes_correct >= 0 &&
                                     peal_cost_equal(outcome->closed_form, peal_machine_cost(machine));
    }
    if (status == PEAL_OK && exercise->output != NULL)
        status = give_output(machine, exercise, &data, outcome, error);
    data_fini(&data);
    return status;
}
