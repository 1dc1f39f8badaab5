/* SPDX-License-Identifier: MIT */
/* Prints a filled sweep: times or a map, crossovers, and how much of it was run. */
#include "show/sweep_show.h"
#include "show/show.h"
#include "show/table.h"
#include <inttypes.h>

/* ------------------------------------------------------------------ sizes and algorithms */

/* Whether the algorithm has a cost anywhere, or failed. */
static bool
is_shown(const struct trial_grid *grid, int algorithm)
{
    for (size_t i = 0; i < grid->column_count * grid->size_count; i++) {
        const struct trial *trial = &grid->points[i].trials[algorithm];

        if (peal_trial_counts(trial) || (!trial->excluded[0] && trial->status != PEAL_OK))
            return true;
    }
    return false;
}

/* Begin a table with a row for each size, or for each number of nodes, and a column for each algorithm. */
static size_t
begin_points(const struct trial_grid *grid, struct table *table, size_t more_columns)
{
    size_t points = grid->column_count * grid->size_count, column = 1;

    for (int i = 0; i < grid->candidates.count; i++)
        column += is_shown(grid, i);
    table_begin(table, points, column + more_columns, NULL);
    table_set(table, 0, 0, "%s", grid->by_nodes ? "P" : peal_grid_unit(grid));
    for (size_t j = 0; j < points; j++)
        table_set(table, j + 1, 0, "%zu",
                  grid->by_nodes ? (size_t)grid->points[j].situation.nodes : peal_grid_size(grid, &grid->points[j]));
    column = 1;
    for (int i = 0; i < grid->candidates.count; i++)
        if (is_shown(grid, i))
            table_set(table, 0, column++, "%.60s ", grid->candidates.all[i].name);
    return column;
}

static void
fill_times(const struct trial_grid *grid, const struct point_result *point, struct table *table, size_t row)
{
    struct peal_parameters parameters = grid->options.parameters;
    size_t column = 1;
    char number[32];

    for (int i = 0; i < grid->candidates.count; i++) {
        const struct trial *trial = &point->trials[i];

        if (!is_shown(grid, i))
            continue;
        if (peal_trial_counts(trial))
            table_set(table, row, column, "%s%c",
                      print_number(peal_cost_time(peal_trial_cost(trial), parameters), number),
                      i == point->winner ? '*' : ' ');
        else
            table_set(table, row, column, "%s ",
                      trial->excluded[0] ? "-"
                      : trial->kind      ? "WRONG"
                      : trial->too_large ? "too large to count"
                                         : "?");
        column++;
    }
    table_set(table, row, column, "%s",
              point->has_bound ? print_number(peal_cost_time(point->bound, parameters), number) : "-");
    table_set(table, row, column + 1, "%d/%d", point->executed, point->known);
}

static enum peal_status
show_times(const struct trial_grid *grid, struct peal_error *error)
{
    struct table table;
    size_t column = begin_points(grid, &table, 2);

    table_set(&table, 0, column, "bound");
    table_set(&table, 0, column + 1, "run");
    for (size_t i = 1; i < table.rows; i++)
        fill_times(grid, &grid->points[i - 1], &table, i);
    table_print_parts(stdout, &table);
    return table_end(&table, error);
}

/* "124 (72.7 – 184)*" */
static void
fill_measured(const struct trial_grid *grid, const struct point_result *point, int algorithm, char text[64])
{
    const struct trial *trial = &point->trials[algorithm];
    bool least = trial->repetitions > 0;

    for (int i = 0; i < grid->candidates.count && least; i++)
        least = point->trials[i].repetitions == 0 || point->trials[i].measured.median >= trial->measured.median;
    peal_measured_text(trial, text);
    strcat(text, least ? "*" : " "); /* three numbers of at most 19 digits leave room */
}

/* The host's times, a row for each point; the head distinguishes them from the model's times. */
static enum peal_status
show_measured_times(const struct trial_grid *grid, struct peal_error *error)
{
    struct table table;
    char text[64];

    begin_points(grid, &table, 0);
    for (size_t j = 1; j < table.rows; j++)
        for (size_t i = 0, column = 1; i < (size_t)grid->candidates.count; i++)
            if (is_shown(grid, (int)i)) {
                fill_measured(grid, &grid->points[j - 1], (int)i, text);
                table_set(&table, j, column++, "%s", text);
            }
    print_title(stdout, "Measured, in µs: the median (the least – the most)");
    table_print_parts(stdout, &table);
    puts("\n  * the least median   - was not run");
    return table_end(&table, error);
}

/* ------------------------------------------------------------------ the map */

/* Whether the algorithm is best anywhere. */
static bool
wins(const struct trial_grid *grid, int algorithm)
{
    for (size_t i = 0; i < grid->column_count * grid->size_count; i++)
        if (grid->points[i].winner == algorithm)
            return true;
    return false;
}

/* The letter of an algorithm on the map: the first of its kind is A; a dot for none. */
static char
letter(const struct trial_grid *grid, int winner)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    int place = 0;

    if (winner < 0)
        return '.';
    for (int i = 0; i < winner; i++)
        place += wins(grid, i);
    return place < (int)sizeof letters - 1 ? letters[place] : '+';
}

/* Which algorithm is best: a row for each size, a column for each number of nodes. */
static enum peal_status
show_map(const struct trial_grid *grid, struct peal_error *error)
{
    struct table table;

    table_begin(&table, grid->size_count, 1 + grid->column_count, NULL);
    table_set(&table, 0, 0, "%s \\ P", peal_grid_unit(grid));
    for (size_t i = 0; i < grid->column_count; i++)
        table_set(&table, 0, i + 1, "%d", grid->columns[i].nodes);
    for (size_t j = 0; j < grid->size_count; j++) {
        table_set(&table, j + 1, 0, "%zu", peal_grid_size(grid, peal_grid_point(grid, 0, j)));
        for (size_t i = 0; i < grid->column_count; i++)
            table_set(&table, j + 1, i + 1, "%c", letter(grid, peal_grid_point(grid, i, j)->winner));
    }
    table_print_parts(stdout, &table);
    putchar('\n');
    for (int i = 0; i < grid->candidates.count; i++)
        if (wins(grid, i))
            printf("  %c  %s\n", letter(grid, i), grid->candidates.all[i].name);
    return table_end(&table, error);
}

/* ------------------------------------------------------------------ crossovers */

static void
show_crossing(const struct trial_grid *grid, const struct column *column, const struct crossing *crossing)
{
    char text[200], number[32], line[600];
    const char *unit = peal_grid_native_unit(grid);

    snprintf(line, sizeof line, "%s → %s from %s = %" PRIu64, peal_grid_curve_name(grid, column, crossing->before),
             peal_grid_curve_name(grid, column, crossing->after), unit, crossing->from);
    if (crossing->last_before + 1 < crossing->from)
        peal_append(IN_ARRAY(line), " (by turns from %" PRIu64 " on)", crossing->last_before + 1);
    fputs("  ", stdout);
    print_wrapped(stdout, line, 2);
    if (!crossing->has_meeting)
        return;
    printf("      %s* = %s", unit, peal_meeting_text(&crossing->meeting, text));
    printf(" = %s\n", print_number(crossing->meeting.size, number));
}

/* Name the algorithms that are not compared, since no closed form is known at every size. */
static void
sweep_show_left_out(const struct trial_grid *grid, const struct column *column)
{
    char line[1000] = "without";
    int left_out = 0;

    for (int i = 0; i < grid->candidates.count; i++) {
        bool compared = grid->points[0].trials[i].excluded[0];

        for (int j = 0; j < column->curve_count && !compared; j++)
            compared = column->curves[j] == i;
        if (!compared)
            peal_append(IN_ARRAY(line), "%s %.60s", left_out++ ? "," : "", grid->candidates.all[i].name);
    }
    if (left_out == 0)
        return;
    peal_append(IN_ARRAY(line), ": no closed form at every size");
    fputs("  ", stdout);
    print_wrapped(stdout, line, 2);
}

static void
show_crossings(const struct trial_grid *grid, const struct column *column)
{
    const struct winners *winners = &column->winners;
    const char *unit = peal_grid_native_unit(grid);
    char text[200], number[32];
    struct weights weights;

    print_title(stdout, "Crossovers");
    if (!column->has_winners) {
        puts(column->curve_count < 2 ? "  fewer than two closed forms are known here"
             : !peal_weights_of(grid->options.parameters, &weights)
                 ? "  not solved: the prices are too far apart for whole numbers"
                 : "  not solved: the closed forms cannot be compared at every size in between");
        return;
    }
    sweep_show_left_out(grid, column);
    for (size_t i = 0; i < winners->crossing_count; i++)
        show_crossing(grid, column, &winners->crossings[i]);
    const struct winner_range *last = &winners->ranges[winners->range_count - 1];

    if (winners->crossing_count == 0 && winners->complete)
        printf("  none: %s is best from %s = %" PRIu64 " to %" PRIu64 "\n",
               peal_grid_curve_name(grid, column, last->winner), unit, winners->ranges[0].first, last->last);
    if (winners->crossing_count == 0 && winners->crossings[0].has_meeting && winners->crossings[0].meeting.size > 0)
        printf("      %s* = %s = %s lies outside\n", unit, peal_meeting_text(&winners->crossings[0].meeting, text),
               print_number(winners->crossings[0].meeting.size, number));
    if (!winners->complete)
        printf("  not solved beyond %s = %" PRIu64 ": there are too many sizes to compare\n", unit, last->last);
}

/* ------------------------------------------------------------------ the whole, for people */

static void
show_heading_of(const struct trial_grid *grid)
{
    const struct point_result *first = &grid->points[0],
                              *last = peal_grid_point(grid, grid->column_count - 1, grid->size_count - 1);
    const struct peal_network *network = grid->columns[0].network;
    char count[64];

    print_inked(stdout, BOLD, "%s", peal_collective_name(grid->candidates.collective));
    if (grid->by_nodes)
        printf(" on %d to %s", grid->columns[0].nodes,
               print_count((unsigned)grid->columns[grid->column_count - 1].nodes, "node", count));
    else
        printf(" on %s", print_count((unsigned)grid->columns[0].nodes, "node", count));
    if (grid->by_size)
        printf(", %s = %zu to %zu words", peal_grid_unit(grid), peal_grid_size(grid, first),
               peal_grid_size(grid, last));
    else if (peal_form_of(grid->candidates.collective)->out != PEAL_SIDE_NONE)
        printf(", %s = %zu word%s", peal_grid_unit(grid), peal_grid_size(grid, first),
               plural(peal_grid_size(grid, first)));
    if (first->situation.op)
        printf(", %s", first->situation.op->name);
    if (peal_collective_has_root(grid->candidates.collective))
        printf(", root %d", first->situation.root);
    putchar('\n');
    show_machine_line(stdout, &grid->options, grid->by_nodes ? grid->options.topology : peal_network_name(network),
                      peal_network_routing(network));
}

/* How nodes ran: with few nodes differently than with many, if the engine was left to the machine. */
static void
show_engine(const struct trial_grid *grid)
{
    const struct point_result *last = NULL; /* the last one on another engine than the final one */
    char text[100];

    for (size_t i = 0; i < grid->column_count * grid->size_count; i++)
        if (grid->points[i].executed > 0 && strcmp(grid->points[i].engine, grid->engine) != 0)
            last = &grid->points[i];
    if (last)
        snprintf(text, sizeof text, "%s up to %d nodes, %s beyond", last->engine, last->situation.nodes, grid->engine);
    print_labelled(stdout, "engine", last ? text : grid->engine);
}

/* The number of costs that come from runs. */
static void
show_effort(const struct trial_grid *grid)
{
    int executed = 0, known = 0;
    char text[300];

    for (size_t i = 0; i < grid->column_count * grid->size_count; i++) {
        executed += grid->points[i].executed;
        known += grid->points[i].known;
    }
    if (known == 0)
        snprintf(text, sizeof text, "no schedule was run, and no closed form gives a cost");
    else if (executed == known)
        snprintf(text, sizeof text,
                 "every schedule (%d) was run, its data checked, its cost equal to its closed form where there is one",
                 executed);
    else if (executed == 0)
        snprintf(text, sizeof text, "no schedule was run: all is computed from closed forms%s",
                 grid->execute == EXECUTE_NONE ? "" : "; --execute all runs them, however long that takes");
    else
        snprintf(text, sizeof text,
                 "%d of %d schedules were run, data checked, cost equal to the closed form where there is one; "
                 "the rest is computed from closed forms",
                 executed, known);
    print_labelled(stdout, "run", text);
    if (executed > 0)
        show_engine(grid);
    if (peal_is_measured(&grid->options) && grid->by_nodes && grid->by_size)
        print_labelled(stdout, "measured", "each point's times are in --csv, --json and --report");
    fputs("prices       ", stdout);
    show_parameters(stdout, &grid->options, (struct peal_cost){0});
}

/* The parameters of algorithms that were named without one. */
static void
show_choices(const struct trial_grid *grid)
{
    for (int i = 0; i < grid->candidates.count; i++) {
        const struct candidate *candidate = &grid->candidates.all[i];
        int least = 0, most = 0;
        char text[200];

        if (!candidate->algorithm->parameter.name || candidate->parameter > 0)
            continue;
        for (size_t j = 0; j < grid->column_count * grid->size_count; j++) {
            int number = grid->points[j].trials[i].parameter;

            least = number > 0 && (least == 0 || number < least) ? number : least;
            most = number > most ? number : most;
        }
        if (least == 0)
            continue;
        char range[40];

        snprintf(range, sizeof range, least < most ? "%d to %d" : "%d", least, most);
        snprintf(text, sizeof text, "%.80s: %s (%.60s)", candidate->name, range, candidate->algorithm->parameter.name);
        print_labelled(stdout, "own choice", text);
    }
}

/* Those that fit at no point, each with the reason at the first. */
static void
show_excluded(const struct trial_grid *grid)
{
    bool headed = false;

    for (int i = 0; i < grid->candidates.count; i++) {
        const struct trial *trial = &grid->points[0].trials[i];

        if (is_shown(grid, i))
            continue;
        if (!headed)
            print_title(stdout, "Excluded");
        headed = true;
        printf("  %s: ", grid->candidates.all[i].name);
        print_wrapped(stdout,
                      trial->excluded[0] ? trial->excluded
                      : trial->too_large ? "its closed form is too large to count, and it was not run"
                                         : "has no closed form here, and was not run",
                      4 + print_width(grid->candidates.all[i].name));
    }
}

enum peal_status
sweep_show(const struct trial_grid *grid, struct peal_error *error)
{
    bool map = grid->by_nodes && grid->by_size;

    show_heading_of(grid);
    enum peal_status status = map ? show_map(grid, error) : show_times(grid, error);

    if (status != PEAL_OK)
        return status;
    if (!map)
        puts("\n  * the best   - does not fit   ? not known   run: how many were run");
    if (!map && peal_is_measured(&grid->options))
        status = show_measured_times(grid, error);
    if (status != PEAL_OK)
        return status;
    if (grid->by_size && grid->column_count == 1)
        show_crossings(grid, &grid->columns[0]);
    putchar('\n');
    show_effort(grid);
    show_choices(grid);
    show_excluded(grid);
    return PEAL_OK;
}
