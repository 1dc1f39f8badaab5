/* SPDX-License-Identifier: MIT */
/* Writes a filled sweep as CSV, as peal/sweep/1 and in the columns of the OSU micro-benchmarks. */
#include "show/show.h"
#include "show/sweep_show.h"
#include "write/document.h"
#include <math.h>

void
sweep_write_csv(FILE *out, const struct trial_grid *grid)
{
    bool measured = peal_is_measured(&grid->options);

    fputs("nodes,block_words,vector_words,algorithm,from,alpha,beta,hop,tau,time,bound,best", out);
    fputs(measured ? MEASURED_HEAD "\n" : "\n", out);
    for (size_t i = 0; i < grid->column_count * grid->size_count; i++)
        for (int j = 0; j < grid->candidates.count; j++) {
            const struct point_result *point = &grid->points[i];
            const struct trial *trial = &point->trials[j];

            if (!peal_trial_counts(trial))
                continue;
            struct peal_cost cost = peal_trial_cost(trial);

            csv_put(out, PEAL_INT(NULL, point->situation.nodes),
                    PEAL_UINT(NULL, document_block_words(&point->situation)),
                    PEAL_UINT(NULL, document_vector_words(&point->situation)), PEAL_STRING(NULL, trial->name),
                    PEAL_STRING(NULL, trial->executed ? "run" : "form"), CSV_COST(cost),
                    PEAL_NUMBER(NULL, peal_cost_time(cost, grid->options.parameters)),
                    PEAL_NUMBER(NULL, point->has_bound ? peal_cost_time(point->bound, grid->options.parameters)
                                                       : (double)NAN),
                    PEAL_INT(NULL, point->winner == j));
            if (measured)
                csv_measured(out, trial);
            fputc('\n', out);
        }
}

void
sweep_write_osu(FILE *out, const struct trial_grid *grid)
{
    bool follows = false;

    for (size_t i = 0; i < grid->column_count; i++)
        for (int j = 0; j < grid->candidates.count; j++) {
            bool headed = false;

            for (size_t k = 0; k < grid->size_count; k++) {
                const struct point_result *point = peal_grid_point(grid, i, k);

                if (!peal_trial_counts(&point->trials[j]))
                    continue;
                if (!headed && follows)
                    fputs("\n\n", out);
                if (!headed)
                    show_osu_head(out, grid->candidates.collective, grid->candidates.all[j].name,
                                  grid->columns[i].nodes);
                headed = follows = true;
                show_osu_line(out, point->situation.words, peal_trial_cost(&point->trials[j]), &grid->options);
            }
        }
}

static void
sweep_write_point(struct peal_json *json, const struct trial_grid *grid, const struct point_result *point,
                  const struct column *column)
{
    struct peal_parameters parameters = grid->options.parameters;

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("nodes", point->situation.nodes));
    document_sizes(json, &point->situation);
    peal_json_network(json, peal_network_name(column->network), NULL, point->situation.nodes);
    peal_json_put(json, PEAL_STRING("best", point->winner >= 0 ? grid->candidates.all[point->winner].name : NULL),
                  PEAL_LINE(5));
    peal_json_member_cost(json, "lower_bound", point->has_bound ? &point->bound : NULL, parameters);
    peal_json_put(json, PEAL_OPEN("algorithms", '['));
    for (int i = 0; i < grid->candidates.count; i++) {
        const struct trial *trial = &point->trials[i];

        if (trial->excluded[0])
            continue;
        struct peal_cost cost = peal_trial_cost(trial);

        peal_json_put(json, PEAL_LINE(6), PEAL_OPEN(NULL, '{'), PEAL_STRING("algorithm", trial->name),
                      PEAL_WHERE(trial->parameter > 0, PEAL_INT("parameter", trial->parameter)),
                      PEAL_BOOL("executed", trial->executed));
        peal_json_member_cost(json, "cost", trial->executed || trial->has_form ? &cost : NULL, parameters);
        document_form(json, trial, parameters);
        peal_json_put(json, PEAL_STRING("wrong", trial->status != PEAL_OK ? trial->wrong : NULL));
        document_measured(json, trial);
        peal_json_put(json, PEAL_CLOSE('}'));
    }
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

/* A list of two numbers. */
static void
write_pair(struct peal_json *json, const char *key, int64_t first, int64_t second)
{
    peal_json_put(json, PEAL_OPEN(key, '['), PEAL_INT(NULL, first), PEAL_INT(NULL, second), PEAL_CLOSE(']'));
}

static void
write_crossing(struct peal_json *json, const struct trial_grid *grid, const struct column *column,
               const struct crossing *crossing)
{
    const struct meeting_point *meeting = &crossing->meeting;
    char text[200];

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("nodes", column->nodes),
                  PEAL_STRING("unit", peal_grid_native_unit(grid)),
                  PEAL_STRING("before", peal_grid_curve_name(grid, column, crossing->before)),
                  PEAL_STRING("after", peal_grid_curve_name(grid, column, crossing->after)),
                  PEAL_UINT("last_before", crossing->last_before), PEAL_UINT("from", crossing->from));
    if (crossing->has_meeting) {
        peal_json_put(json, PEAL_OPEN("meeting", '{'), PEAL_STRING("text", peal_meeting_text(meeting, text)));
        write_pair(json, "alpha", meeting->alpha.num, meeting->alpha.den);
        write_pair(json, "hop", meeting->hop.num, meeting->hop.den);
        write_pair(json, "tau", meeting->tau.num, meeting->tau.den);
        write_pair(json, "words", meeting->words.num, meeting->words.den);
        peal_json_put(json, PEAL_NUMBER("size", meeting->size), PEAL_CLOSE('}'));
    } else {
        peal_json_put(json, PEAL_NULL("meeting"));
    }
    peal_json_put(json, PEAL_CLOSE('}'));
}

/* ------------------------------------------------------------------ what is missing, and why */

static bool
is_compared(const struct column *column, int algorithm)
{
    for (int i = 0; i < column->curve_count; i++)
        if (column->curves[i] == algorithm)
            return true;
    return false;
}

static bool
has_costs(const struct trial_grid *grid, size_t column, int algorithm)
{
    for (size_t i = 0; i < grid->size_count; i++)
        if (peal_trial_counts(&peal_grid_point(grid, column, i)->trials[algorithm]))
            return true;
    return false;
}

/* For each number of nodes, the algorithms whose crossovers are not solved. */
static void
write_without(struct peal_json *json, const struct trial_grid *grid)
{
    for (size_t i = 0; i < grid->column_count; i++) {
        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("nodes", grid->columns[i].nodes),
                      PEAL_OPEN("algorithms", '['));
        for (int j = 0; j < grid->candidates.count; j++)
            if (!is_compared(&grid->columns[i], j) && has_costs(grid, i, j))
                peal_json_put(json, PEAL_STRING(NULL, grid->candidates.all[j].name));
        peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
    }
}

/* Why an algorithm has no cost at a point; NULL: it has one. */
static const char *
absence(const struct trial *trial)
{
    if (peal_trial_counts(trial))
        return NULL;
    return trial->excluded[0]         ? trial->excluded
           : trial->status != PEAL_OK ? "its run went wrong"
           : trial->too_large         ? "its closed form is too large to count, and it was not run"
                                      : "has no closed form here, and was not run (--execute all runs it)";
}

/* Consecutive sizes at which an algorithm has no cost, for one reason: sizes first .. last of the column. */
static void
write_absence(struct peal_json *json, const struct trial_grid *grid, size_t column, int algorithm, size_t first,
              size_t last)
{
    const struct trial *trial = &peal_grid_point(grid, column, first)->trials[algorithm];
    const struct peal_situation *from = &peal_grid_point(grid, column, first)->situation,
                                *to = &peal_grid_point(grid, column, last)->situation;

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("nodes", grid->columns[column].nodes),
                  PEAL_STRING("algorithm", grid->candidates.all[algorithm].name));
    write_pair(json, "block_words", (int64_t)document_block_words(from), (int64_t)document_block_words(to));
    write_pair(json, "vector_words", (int64_t)document_vector_words(from), (int64_t)document_vector_words(to));
    peal_json_put(json, PEAL_BOOL("everywhere", first == 0 && last + 1 == grid->size_count),
                  PEAL_STRING("reason", absence(trial)), PEAL_CLOSE('}'));
}

static void
write_absences(struct peal_json *json, const struct trial_grid *grid)
{
    for (size_t i = 0; i < grid->column_count; i++)
        for (int j = 0; j < grid->candidates.count; j++)
            for (size_t first = 0, next; first < grid->size_count; first = next) {
                const char *why = absence(&peal_grid_point(grid, i, first)->trials[j]), *other;

                for (next = first + 1; next < grid->size_count; next++) {
                    other = absence(&peal_grid_point(grid, i, next)->trials[j]);
                    if (!why != !other || (why && strcmp(why, other) != 0))
                        break;
                }
                if (why)
                    write_absence(json, grid, i, j, first, next - 1);
            }
}

/* Begin a list of the document on a line of its own; end it so, too. */
static void
open_list(struct peal_json *json, const char *key)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(key, '['));
}

static void
close_list(struct peal_json *json)
{
    peal_json_put(json, PEAL_BREAK, PEAL_CLOSE(']'));
}

void
sweep_write_json(FILE *out, const struct trial_grid *grid)
{
    const struct peal_situation *situation = &grid->points[0].situation;
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/sweep/1"),
                  PEAL_STRING("collective", peal_collective_name(grid->candidates.collective)),
                  PEAL_STRING("op", situation->op ? situation->op->name : NULL), PEAL_INT("root", situation->root));
    document_machine(&json, &grid->options, grid->column_count == 1 ? grid->columns[0].network : NULL, grid->engine);
    open_list(&json, "points");
    for (size_t i = 0; i < grid->column_count; i++)
        for (size_t j = 0; j < grid->size_count; j++)
            sweep_write_point(&json, grid, peal_grid_point(grid, i, j), &grid->columns[i]);
    close_list(&json);
    open_list(&json, "crossovers");
    for (size_t i = 0; i < grid->column_count; i++)
        for (size_t j = 0; j < grid->columns[i].winners.crossing_count; j++)
            write_crossing(&json, grid, &grid->columns[i], &grid->columns[i].winners.crossings[j]);
    close_list(&json);
    open_list(&json, "not_crossed");
    write_without(&json, grid);
    close_list(&json);
    open_list(&json, "absent");
    write_absences(&json, grid);
    close_list(&json);
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE('}'));
}
