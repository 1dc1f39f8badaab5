/* SPDX-License-Identifier: MIT */
#include "sweep_write.h"
#include "document.h"
#include "print.h"
#include <inttypes.h>
#include <string.h>

static size_t
block_words(const struct point_result *point)
{
    bool blocks = peal_collective_has_blocks(point->situation.collective);

    return blocks ? point->situation.words : point->situation.words / (size_t)point->situation.nodes;
}

static size_t
vector_words(const struct point_result *point)
{
    bool blocks = peal_collective_has_blocks(point->situation.collective);

    return blocks ? point->situation.words * (size_t)point->situation.nodes : point->situation.words;
}

void
sweep_write_csv(FILE *out, const struct grid *grid)
{
    bool measured = is_measured(&grid->options);

    fputs("nodes,block_words,vector_words,algorithm,from,alpha,beta,hop,tau,time,bound,best", out);
    fputs(measured ? MEASURED_HEAD "\n" : "\n", out);
    for (size_t i = 0; i < grid->column_count * grid->size_count; i++)
        for (int j = 0; j < grid->field.count; j++) {
            const struct point_result *point = &grid->points[i];
            const struct trial *trial = &point->trials[j];

            if (!trial_counts(trial))
                continue;
            struct peal_cost cost = trial_cost(trial);

            fprintf(out, "%d,%zu,%zu,", point->situation.nodes, block_words(point), vector_words(point));
            csv_text(out, trial->name);
            fprintf(out, ",%s,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", trial->executed ? "run" : "form",
                    cost.alpha, cost.beta, cost.hop, cost.tau);
            csv_number(out, peal_cost_time(cost, grid->options.parameters));
            fputc(',', out);
            if (point->has_bound)
                csv_number(out, peal_cost_time(point->bound, grid->options.parameters));
            fprintf(out, ",%d", point->winner == j);
            if (measured)
                csv_measured(out, trial);
            fputc('\n', out);
        }
}

void
sweep_write_osu(FILE *out, const struct grid *grid)
{
    bool follows = false;

    for (size_t i = 0; i < grid->column_count; i++)
        for (int j = 0; j < grid->field.count; j++) {
            bool headed = false;

            for (size_t k = 0; k < grid->size_count; k++) {
                const struct point_result *point = grid_point(grid, i, k);

                if (!trial_counts(&point->trials[j]))
                    continue;
                if (!headed)
                    fprintf(out, "%s# Peal %s/%s on %d node%s, model time\n# %-10s%18s\n", follows ? "\n\n" : "",
                            peal_collective_name(grid->field.collective), grid->field.entrants[j].name,
                            grid->columns[i].nodes, print_plural(grid->columns[i].nodes), "Size", "Avg Latency(us)");
                headed = follows = true;
                fprintf(out, "%-12zu%18.2f\n", point->situation.words * grid->options.word_bytes,
                        peal_cost_time(trial_cost(&point->trials[j]), grid->options.parameters));
            }
        }
}

static void
write_point(FILE *out, const struct grid *grid, const struct point_result *point, const struct column *column)
{
    struct peal_parameters parameters = grid->options.parameters;
    bool follows = false;

    fprintf(out, "    {\"nodes\": %d, \"block_words\": %zu, \"vector_words\": %zu, ", point->situation.nodes,
            block_words(point), vector_words(point));
    document_text(out, "topology", peal_network_name(column->network));
    fputs(", ", out);
    document_text(out, "best", point->winner >= 0 ? grid->field.entrants[point->winner].name : NULL);
    fputs(",\n     \"lower_bound\": ", out);
    if (point->has_bound)
        document_cost(out, point->bound, parameters);
    else
        fputs("null", out);
    fputs(", \"algorithms\": [", out);
    for (int i = 0; i < grid->field.count; i++) {
        const struct trial *trial = &point->trials[i];

        if (trial->unfit[0])
            continue;
        fputs(follows ? ",\n      {" : "\n      {", out);
        follows = true;
        document_text(out, "algorithm", trial->name);
        if (trial->parameter > 0)
            fprintf(out, ", \"parameter\": %d", trial->parameter);
        fprintf(out, ", \"executed\": %s, \"cost\": ", trial->executed ? "true" : "false");
        if (trial->executed || trial->has_form)
            document_cost(out, trial_cost(trial), parameters);
        else
            fputs("null", out);
        fputs(", \"closed_form\": ", out);
        document_form(out, trial, parameters);
        fputs(", ", out);
        document_text(out, "wrong", trial->status != PEAL_OK ? trial->wrong : NULL);
        document_measured(out, trial);
        fputc('}', out);
    }
    fputs("]}", out);
}

static void
write_fraction(FILE *out, const char *key, struct fraction fraction)
{
    fprintf(out, "\"%s\": [%" PRId64 ", %" PRId64 "]", key, fraction.num, fraction.den);
}

static void
write_crossing(FILE *out, const struct grid *grid, const struct column *column, const struct crossing *crossing)
{
    char text[200];

    fprintf(out, "    {\"nodes\": %d, \"unit\": \"%s\", ", column->nodes, grid_native_unit(grid));
    document_text(out, "before", grid_curve_name(grid, column, crossing->before));
    fputs(", ", out);
    document_text(out, "after", grid_curve_name(grid, column, crossing->after));
    fprintf(out, ", \"last_before\": %" PRIu64 ", \"from\": %" PRIu64 ", \"meeting\": ", crossing->last_before,
            crossing->from);
    if (!crossing->has_meeting) {
        fputs("null}", out);
        return;
    }
    fputc('{', out);
    document_text(out, "text", meeting_text(&crossing->meeting, text));
    fputs(", ", out);
    write_fraction(out, "alpha", crossing->meeting.alpha);
    fputs(", ", out);
    write_fraction(out, "hop", crossing->meeting.hop);
    fputs(", ", out);
    write_fraction(out, "tau", crossing->meeting.tau);
    fputs(", ", out);
    write_fraction(out, "words", crossing->meeting.words);
    fputs(", \"size\": ", out);
    document_number(out, crossing->meeting.size);
    fputs("}}", out);
}

/* ------------------------------------------------------------------ what is not there, and why */

static bool
is_compared(const struct column *column, int algorithm)
{
    for (int i = 0; i < column->curve_count; i++)
        if (column->curves[i] == algorithm)
            return true;
    return false;
}

/* Whether the algorithm has a cost at any size. */
static bool
has_costs(const struct grid *grid, size_t column, int algorithm)
{
    for (size_t i = 0; i < grid->size_count; i++)
        if (trial_counts(&grid_point(grid, column, i)->trials[algorithm]))
            return true;
    return false;
}

/* Of each number of nodes, the algorithms that are not among those whose crossovers are solved. */
static void
write_without(FILE *out, const struct grid *grid)
{
    fputs("\n  ],\n  \"not_crossed\": [", out);
    for (size_t i = 0; i < grid->column_count; i++) {
        bool follows = false;

        fprintf(out, "%s\n    {\"nodes\": %d, \"algorithms\": [", i > 0 ? "," : "", grid->columns[i].nodes);
        for (int j = 0; j < grid->field.count; j++) {
            if (is_compared(&grid->columns[i], j) || !has_costs(grid, i, j))
                continue;
            fputs(follows ? ", " : "", out);
            follows = true;
            peal_write_json_string(out, grid->field.entrants[j].name);
        }
        fputs("]}", out);
    }
}

/* Why an algorithm has no cost at a point; NULL: it has one. */
static const char *
absence(const struct trial *trial)
{
    if (trial_counts(trial))
        return NULL;
    return trial->unfit[0]            ? trial->unfit
           : trial->status != PEAL_OK ? "its run went wrong"
           : trial->too_large         ? "its closed form is too large to count, and it was not run"
                                      : "has no closed form here, and was not run (--execute all runs it)";
}

/* Sizes on end at which an algorithm has no cost, for one reason: sizes first .. last of the column. */
static void
write_absence(FILE *out, const struct grid *grid, size_t column, int algorithm, size_t first, size_t last)
{
    const struct point_result *from = grid_point(grid, column, first), *to = grid_point(grid, column, last);

    fprintf(out, "\n    {\"nodes\": %d, ", grid->columns[column].nodes);
    document_text(out, "algorithm", grid->field.entrants[algorithm].name);
    fprintf(out, ", \"block_words\": [%zu, %zu], \"vector_words\": [%zu, %zu], \"everywhere\": %s, ", block_words(from),
            block_words(to), vector_words(from), vector_words(to),
            first == 0 && last + 1 == grid->size_count ? "true" : "false");
    document_text(out, "reason", absence(&from->trials[algorithm]));
    fputc('}', out);
}

static void
write_absences(FILE *out, const struct grid *grid)
{
    bool follows = false;

    fputs("\n  ],\n  \"absent\": [", out);
    for (size_t i = 0; i < grid->column_count; i++)
        for (int j = 0; j < grid->field.count; j++)
            for (size_t first = 0, next; first < grid->size_count; first = next) {
                const char *why = absence(&grid_point(grid, i, first)->trials[j]), *other;

                for (next = first + 1; next < grid->size_count; next++) {
                    other = absence(&grid_point(grid, i, next)->trials[j]);
                    if (!why != !other || (why && strcmp(why, other) != 0))
                        break;
                }
                if (!why)
                    continue;
                fputs(follows ? "," : "", out);
                follows = true;
                write_absence(out, grid, i, j, first, next - 1);
            }
}

void
sweep_write_json(FILE *out, const struct grid *grid)
{
    bool follows = false;

    fputs("{\n  \"schema\": \"peal/sweep/1\", ", out);
    document_text(out, "collective", peal_collective_name(grid->field.collective));
    fputs(", ", out);
    document_text(out, "op", grid->points[0].situation.op ? grid->points[0].situation.op->name : NULL);
    fprintf(out, ", \"root\": %d,\n", grid->points[0].situation.root);
    document_machine(out, grid->request, grid->column_count == 1 ? grid->columns[0].network : NULL, grid->engine);
    fputs("  \"points\": [", out);
    for (size_t i = 0; i < grid->column_count; i++)
        for (size_t j = 0; j < grid->size_count; j++) {
            fputs(follows ? ",\n" : "\n", out);
            follows = true;
            write_point(out, grid, grid_point(grid, i, j), &grid->columns[i]);
        }
    fputs("\n  ],\n  \"crossovers\": [", out);
    follows = false;
    for (size_t i = 0; i < grid->column_count; i++)
        for (size_t j = 0; j < grid->columns[i].winners.crossing_count; j++) {
            fputs(follows ? ",\n" : "\n", out);
            follows = true;
            write_crossing(out, grid, &grid->columns[i], &grid->columns[i].winners.crossings[j]);
        }
    write_without(out, grid);
    write_absences(out, grid);
    fputs("\n  ]\n}\n", out);
}
