/* SPDX-License-Identifier: MIT */
/* Lays out the points of a sweep and fills each with a closed form's cost or, where that is cheap, a run's. */
#include "lib/study/trial_grid.h"
#include "lib/cluster/part.h"
#include <stdlib.h>
#include <string.h>

/* The limits of cheap runs: of one, and of all together. */
static const uint64_t run_transfers = 1 << 14, run_bytes = 1 << 24, all_transfers = 1 << 19, all_bytes = 1 << 29;
enum { MAX_RUNS = 512, MAX_GRID = 4096 };

/* ------------------------------------------------------------------ the layout */

struct point_result *
peal_grid_point(const struct trial_grid *grid, size_t column, size_t size)
{
    return &grid->points[column * grid->size_count + size];
}

const char *
peal_grid_unit(const struct trial_grid *grid)
{
    return grid->in_blocks ? "m" : "n";
}

size_t
peal_grid_size(const struct trial_grid *grid, const struct point_result *point)
{
    size_t words = point->situation.words, nodes = (size_t)point->situation.nodes;
    bool blocks = peal_collective_has_blocks(grid->candidates.collective);

    return blocks == grid->in_blocks ? words : grid->in_blocks ? words / nodes : words * nodes;
}

/* The arguments of the calls at one point. */
static enum peal_status
lay_point(struct trial_grid *grid, const struct column *column, size_t size, struct point_result *point,
          struct peal_error *error)
{
    struct peal_exercise exercise = grid->exercise;
    struct peal_options options = grid->options;

    options.nodes = column->nodes;
    enum peal_status status =
        peal_size_words(exercise.collective, column->nodes, grid->in_blocks, size, &exercise.words, error);

    point->trials = calloc((size_t)grid->candidates.count + 1, sizeof *point->trials);
    if (status == PEAL_OK && !point->trials)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK)
        status = peal_exercise_situation(&exercise, &options, column->network, &point->situation, error);
    return status;
}

static enum peal_status
lay_column(struct trial_grid *grid, int nodes, bool only, struct peal_error *error)
{
    struct column *column = &grid->columns[grid->column_count];
    enum peal_status status = PEAL_OK;
    struct peal_error why;

    *column = (struct column){.nodes = nodes};
    column->network = peal_network_create(grid->options.topology, nodes, grid->options.routing, &why);
    if (!column->network && (only || why.status != PEAL_USAGE))
        return peal_refuse(error, why.status, "%s", why.text);
    if (!column->network) {
        grid->refused++;
        return PEAL_OK;
    }
    grid->column_count++;
    column->curves = calloc((size_t)grid->candidates.count + 1, sizeof *column->curves);
    if (!column->curves)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < grid->size_count && status == PEAL_OK; i++)
        status = lay_point(grid, column, peal_range_get(&grid->sizes, i),
                           peal_grid_point(grid, grid->column_count - 1, i), error);
    return status;
}

enum peal_status
peal_grid_begin(struct trial_grid *grid, struct peal_error *error)
{
    size_t node_count = peal_range_count(&grid->nodes);
    enum peal_status status = PEAL_OK;

    grid->engine = "none";
    grid->size_count = peal_range_count(&grid->sizes);
    grid->by_size = grid->size_count > 1;
    grid->by_nodes = node_count > 1;
    if (node_count * grid->size_count > MAX_GRID)
        return peal_refuse(error, PEAL_USAGE,
                           "%zu numbers of nodes with %zu sizes are more than %d points: take larger steps", node_count,
                           grid->size_count, MAX_GRID);
    grid->columns = calloc(node_count, sizeof *grid->columns);
    grid->points = calloc(node_count * grid->size_count, sizeof *grid->points);
    if (!grid->columns || !grid->points)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < node_count && status == PEAL_OK; i++)
        status = lay_column(grid, (int)peal_range_get(&grid->nodes, i), i + 1 == node_count && grid->column_count == 0,
                            error);
    return status;
}

void
peal_grid_fini(struct trial_grid *grid)
{
    for (size_t i = 0; i < grid->column_count; i++) {
        struct column *column = &grid->columns[i];

        for (size_t j = 0; j < grid->size_count; j++)
            free(peal_grid_point(grid, i, j)->trials);
        peal_winners_fini(&column->winners);
        free(column->curves);
        peal_network_destroy(column->network);
    }
    free(grid->columns);
    free(grid->points);
    peal_candidates_fini(&grid->candidates);
}

/* ------------------------------------------------------------------ running */

/* The effort of runs: those so far and one more. */
struct effort {
    uint64_t transfers, bytes;
    int runs;
};

/* Words that all nodes hold before and after, in bytes. */
static uint64_t
trial_grid_bytes(const struct trial_grid *grid, const struct peal_situation *situation, const struct trial *trial)
{
    uint64_t bytes = 2 * grid->options.word_bytes, nodes = (uint64_t)situation->nodes;
    const struct peal_form *form = peal_form_of(situation->collective);
    bool all = (form->unequal && !form->root) ||          /* every node has all blocks on one side */
               trial->algorithm->holds == PEAL_HOLDS_ALL; /* or takes them */

    if (__builtin_mul_overflow(bytes, situation->words, &bytes) || __builtin_mul_overflow(bytes, nodes, &bytes) ||
        (all && __builtin_mul_overflow(bytes, nodes, &bytes)))
        return UINT64_MAX;
    return bytes;
}

/* Whether a trial is to be run.  One without a closed form is worth sixteen times as much effort. */
static bool
is_cheap(const struct trial_grid *grid, const struct trial *trial, const struct peal_situation *situation,
         struct effort *effort)
{
    uint64_t nodes = (uint64_t)situation->nodes, transfers = 0, bytes = trial_grid_bytes(grid, situation, trial);
    uint64_t worth = trial->has_form ? 1 : 16, rounds = trial->has_form ? (uint64_t)trial->form.alpha : nodes;

    if (grid->execute != EXECUTE_CHEAP)
        return grid->execute == EXECUTE_ALL;
    if (__builtin_mul_overflow(nodes, rounds + 1, &transfers) || transfers > worth * run_transfers ||
        bytes > worth * run_bytes || effort->transfers + transfers > all_transfers ||
        effort->bytes + bytes > all_bytes || effort->runs >= MAX_RUNS)
        return false;
    effort->transfers += transfers;
    effort->bytes += bytes;
    effort->runs++;
    return true;
}

/* A process that takes no part in the runs of this number of nodes (`runs` false) still counts their effort, so that
 * all choose the same runs. */
static enum peal_status
fill_point(struct trial_grid *grid, struct point_result *point, struct effort *effort, bool runs,
           struct peal_error *error)
{
    struct peal_options options = grid->options;
    double best = 0;

    options.nodes = point->situation.nodes;
    point->winner = -1;
    point->engine = "none";
    point->has_bound = peal_lower_bound(&point->situation, &point->bound, NULL);
    for (int i = 0; i < grid->candidates.count; i++) {
        struct trial *trial = &point->trials[i];

        peal_trial_begin(trial, &grid->candidates.all[i], &point->situation);
        if (!trial->excluded[0] && is_cheap(grid, trial, &point->situation, effort) && runs) {
            enum peal_status status =
                peal_trial_run(trial, &point->situation, &options, grid->repetitions, &point->engine, error);

            if (status != PEAL_OK)
                return status;
            if (!trial->has_form && trial->unfit[0])
                memcpy(trial->excluded, trial->unfit, sizeof trial->excluded);
        }
        if (!peal_trial_counts(trial))
            continue;
        double time = peal_cost_time(peal_trial_cost(trial), options.parameters);

        point->known++;
        point->executed += trial->executed;
        if (point->winner < 0 || time < best) {
            point->winner = i;
            best = time;
        }
    }
    if (point->executed > 0)
        grid->engine = point->engine;
    return PEAL_OK;
}

/* ------------------------------------------------------------------ crossovers */

/* A curve's closed form. */
struct form {
    const struct peal_algorithm *algorithm;
    struct peal_situation situation;
};

static bool
cost_at(const void *about, uint64_t size, struct peal_cost *cost)
{
    const struct form *form = about;
    struct peal_situation situation = form->situation;

    situation.words = (size_t)size; /* in units that fit, below */
    return size <= SIZE_MAX && peal_algorithm_cost(form->algorithm, &situation, cost);
}

/* Whether the algorithm can be compared over all the sizes: its closed form is known at each, and no run was wrong. */
static bool
has_curve(const struct trial_grid *grid, size_t column, int algorithm)
{
    for (size_t i = 0; i < grid->size_count; i++) {
        const struct trial *trial = &peal_grid_point(grid, column, i)->trials[algorithm];

        if (trial->excluded[0] || !trial->has_form || trial->status != PEAL_OK)
            return false;
    }
    return true;
}

/* For two curves that do not cross in the range, print where their lines do. */
static void
add_meeting(struct contest *contest, const struct curve *curves, uint64_t to, struct winners *winners)
{
    struct crossing *crossing = &winners->crossings[0];

    if (winners->crossing_count > 0 || !winners->complete)
        return;
    *crossing = (struct crossing){.before = winners->ranges[0].winner, .after = 1 - winners->ranges[0].winner};
    crossing->has_meeting = peal_contest_meeting(contest, &curves[0], &curves[1], to, &crossing->meeting);
}

/* The last size of the range in the unit of the closed forms; the last point's where that does not fit. */
static size_t
last_words(const struct trial_grid *grid, const struct point_result *last)
{
    bool blocks = peal_collective_has_blocks(grid->candidates.collective);
    size_t nodes = (size_t)last->situation.nodes, words = grid->sizes.last;

    if (grid->in_blocks && !blocks && __builtin_mul_overflow(words, nodes, &words))
        return last->situation.words;
    return !grid->in_blocks && blocks ? words / nodes : words;
}

static enum peal_status
find_winners(struct trial_grid *grid, size_t c, struct peal_error *error)
{
    struct column *column = &grid->columns[c];
    const struct point_result *first = peal_grid_point(grid, c, 0),
                              *last = peal_grid_point(grid, c, grid->size_count - 1);
    struct contest contest = {
        .parameters = grid->options.parameters, .nodes = (uint64_t)column->nodes, .evaluations = DEFAULT_EVALUATIONS};
    struct form *forms = calloc((size_t)grid->candidates.count + 1, sizeof *forms);
    struct curve *curves = calloc((size_t)grid->candidates.count + 1, sizeof *curves);
    enum peal_status status = PEAL_OK;

    if (!forms || !curves) {
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
        goto out;
    }
    for (int i = 0; i < grid->candidates.count; i++) {
        if (!has_curve(grid, c, i))
            continue;
        forms[i] = (struct form){grid->candidates.all[i].algorithm, first->situation};
        forms[i].situation.parameter = grid->candidates.all[i].parameter;
        column->curves[column->curve_count] = i;
        curves[column->curve_count++] = (struct curve){cost_at, &forms[i]};
    }
    if (column->curve_count < 2 || !peal_weights_of(contest.parameters, &contest.weights))
        goto out;
    status = peal_contest_winners(&contest, curves, column->curve_count, first->situation.words, last_words(grid, last),
                                  &column->winners, error);
    column->has_winners = status == PEAL_OK && column->winners.range_count > 0;
    if (column->has_winners && column->curve_count == 2)
        add_meeting(&contest, curves, last_words(grid, last), &column->winners);
out:
    free(forms);
    free(curves);
    return status;
}

enum peal_status
peal_grid_fill(struct trial_grid *grid, struct peal_error *error)
{
    struct effort effort = {0, 0, 0};
    enum peal_status status = PEAL_OK;

    for (size_t i = 0; i < grid->column_count && status == PEAL_OK; i++) {
        bool runs = peal_mpi_narrow(grid->columns[i].nodes);

        for (size_t j = 0; j < grid->size_count && status == PEAL_OK; j++)
            status = fill_point(grid, peal_grid_point(grid, i, j), &effort, runs, error);
        status = (enum peal_status)peal_mpi_widen((int)status);
        if (status == PEAL_OK && grid->by_size)
            status = find_winners(grid, i, error);
    }
    return status;
}

int
peal_grid_code(const struct trial_grid *grid)
{
    int code = 0;

    for (size_t i = 0; i < grid->column_count * grid->size_count && code == 0; i++)
        code = peal_trials_code(grid->points[i].trials, grid->candidates.count);
    return code;
}

const char *
peal_grid_native_unit(const struct trial_grid *grid)
{
    return peal_collective_has_blocks(grid->candidates.collective) ? "m" : "n";
}

const char *
peal_grid_curve_name(const struct trial_grid *grid, const struct column *column, int curve)
{
    return grid->candidates.all[column->curves[curve]].name;
}
