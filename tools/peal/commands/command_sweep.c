/* SPDX-License-Identifier: MIT */
/* peal sweep: the costs of a collective's algorithms over sizes and numbers of nodes, and the best one of each. */
#include "commands/commands.h"
#include "run/launch.h"
#include "show/sweep_show.h"
#include "study/candidates.h"
#include <stdio_ext.h>

/* The sizes: of -m or -n, or the default. */
static enum peal_status
find_sizes(struct trial_grid *grid, const struct sweep_options *sweep, struct peal_error *error)
{
    bool blocks = peal_collective_has_blocks(grid->candidates.collective), one = peal_range_is_wide(&sweep->nodes);

    grid->in_blocks = true;
    if (peal_form_of(grid->candidates.collective)->out == PEAL_SIDE_NONE) {
        grid->sizes = (struct range){.step = 1};
        return PEAL_OK;
    }
    if (sweep->block.step && sweep->words.step)
        return peal_refuse(error, PEAL_USAGE, "--block and --words: sweep over one of the two");
    grid->in_blocks = sweep->block.step || (!sweep->words.step && (blocks || one));
    grid->sizes = sweep->block.step   ? sweep->block
                  : sweep->words.step ? sweep->words
                  : one               ? (struct range){.first = 4, .last = 4, .step = 1}
                                      : (struct range){.first = 1, .last = 1 << 20, .step = 4, .geometric = true};
    return PEAL_OK;
}

static enum peal_status
sweep_prepare(struct trial_grid *grid, const struct command_request *request, struct peal_error *error)
{
    size_t nodes = (size_t)request->machine.nodes;
    enum peal_status status = candidates_find(&grid->candidates, request, error);

    grid->options = request->machine;
    grid->options.rounds = PEAL_ROUNDS_ALL;
    if (request->sweep->nodes.step)
        grid->options.nodes = (int)request->sweep->nodes.last;
    target_suit(request, NULL, &grid->options);
    grid->execute = request->sweep->execute;
    grid->repetitions = request->launch.repetitions;
    grid->nodes =
        request->sweep->nodes.step ? request->sweep->nodes : (struct range){.first = nodes, .last = nodes, .step = 1};
    if (status == PEAL_OK)
        status = find_sizes(grid, request->sweep, error);
    if (status != PEAL_OK)
        return status;
    grid->exercise = exercise_of(request, grid->candidates.collective);
    status = peal_grid_begin(grid, error);
    if (status == PEAL_OK)
        exercise_notes(request, grid->candidates.collective);
    return status;
}

DOCUMENT_WRITER(sweep_document_csv, sweep_write_csv)
DOCUMENT_WRITER(sweep_document_json, sweep_write_json)
DOCUMENT_WRITER(sweep_document_osu, sweep_write_osu)

static enum peal_status
sweep_report(const struct trial_grid *grid, struct writings *writings, struct peal_error *error)
{
    const char *plot = launch_is_silent() ? NULL : writings->request->sweep->plot;
    enum peal_status status = writings_here(writings) ? PEAL_OK : sweep_show(grid, error);

    if (status == PEAL_OK)
        status = writings_end(writings, grid, NULL, error);
    if (plot && status == PEAL_OK)
        return plot_write(grid, plot, error);
    if (plot && ferror(stdout)) { /* the plot's files are kept all the same, like the other files */
        struct peal_error other;

        __fpurge(stdout);
        clearerr(stdout);
        plot_write(grid, plot, &other);
    }
    return status;
}

/* Report on stderr what went wrong, and where. */
static void
sweep_report_wrong(const struct trial_grid *grid)
{
    for (size_t i = 0; i < grid->column_count * grid->size_count; i++)
        for (int j = 0; j < grid->candidates.count; j++) {
            const struct point_result *point = &grid->points[i];
            const struct trial *trial = &point->trials[j];

            if (!trial->excluded[0] && trial->status != PEAL_OK)
                fprintf(stderr, "peal: %s/%s on %d node%s, %s = %zu: %s: %s\n",
                        peal_collective_name(grid->candidates.collective), trial->name, point->situation.nodes,
                        plural(point->situation.nodes), peal_grid_unit(grid), peal_grid_size(grid, point), trial->kind,
                        trial->wrong);
        }
}

/* Report on stderr the first point at which each algorithm was left out for want of room. */
static void
tell_unfit(const struct trial_grid *grid)
{
    for (int j = 0; j < grid->candidates.count; j++)
        for (size_t i = 0; i < grid->column_count * grid->size_count; i++) {
            const struct point_result *point = &grid->points[i];
            const struct trial *trial = &point->trials[j];

            if (!trial->unfit[0])
                continue;
            fprintf(stderr, "peal: note: %s/%s is not run from %d node%s, %s = %zu on: it %s\n",
                    peal_collective_name(grid->candidates.collective), trial->name, point->situation.nodes,
                    plural(point->situation.nodes), peal_grid_unit(grid), peal_grid_size(grid, point), trial->unfit);
            break;
        }
}

static enum peal_status
check_formats(const struct command_request *request, struct peal_error *error)
{
    if (request->document.json + request->document.csv + request->compare->osu > 1)
        return peal_refuse(
            error, PEAL_USAGE,
            "--json, --csv and --format osu: one of them at a time (--json=FILE and --csv=FILE go with any)");
    return PEAL_OK;
}

static int
command_sweep_run(const struct command_request *request)
{
    struct writings writings = {
        .request = request,
        .list = {{sweep_document_csv, request->document.csv_file, request->document.csv, false},
                 {sweep_document_json, request->document.json_file, request->document.json, false},
                 {sweep_document_osu, NULL, request->compare->osu, false},
                 {rules_write, request->sweep->rules, false, false}},
        .page = sweep_document_json};
    struct peal_error error = {PEAL_OK, ""};
    struct trial_grid grid = {.engine = "none"};
    enum peal_status status = check_formats(request, &error);

    if (status == PEAL_OK)
        status = sweep_prepare(&grid, request, &error);
    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK && request->sweep->plot) /* it is written only at the end, which may be far off */
        status = output_try(request->sweep->plot, ".dat", &error);
    if (status == PEAL_OK && grid.refused > 0)
        fprintf(stderr, "peal: note: %d numbers of nodes are left out, which %s cannot have\n", grid.refused,
                grid.options.topology);
    if (status == PEAL_OK)
        status = peal_grid_fill(&grid, &error);
    if (status == PEAL_OK)
        status = sweep_report(&grid, &writings, &error);
    int code = status == PEAL_OK ? peal_grid_code(&grid) : complain(&error);

    if (status == PEAL_OK) {
        tell_unfit(&grid);
        sweep_report_wrong(&grid);
    }
    writings_fini(&writings);
    peal_grid_fini(&grid);
    return code;
}

const struct command command_sweep = {
    .name = "sweep",
    .arguments = "COLLECTIVE[/ALGORITHM]...  [options]",
    .summary = "report which algorithm is best at which size, exactly",
    .examples = "  peal sweep broadcast -n 1:1M                      over sizes that double\n"
                "  peal sweep allreduce -p 2:1K -m 100               over numbers of nodes\n"
                "  peal sweep allreduce -n 8:8M:x8 -p 2:64           over both: a map\n"
                "  peal sweep broadcast/binomial broadcast/linear    only these two\n"
                "  peal sweep alltoall -m 1:4K --plot figure         figure.svg, by gnuplot\n"
                "  peal sweep broadcast -p 16 --rules bcast.rules    for Open MPI's tuned\n",
    .completes = WORDS_TARGET,
    .run = command_sweep_run,
};
