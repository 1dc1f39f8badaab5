/* SPDX-License-Identifier: MIT */
/* Writes a sweep's data and its gnuplot script, and lets gnuplot draw it where that is installed. */
#include "lib/base/process.h"
#include "lib/base/shell_word.h"
#include "show/print.h"
#include "show/sweep_show.h"
#include "write/document.h"
#include "write/writings.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* A plot and the names of its files. */
struct plot {
    const struct trial_grid *grid;
    const char *name;
    char *data, *script, *picture;
    int code; /* of gnuplot; 127: it is not installed */
};

/* ------------------------------------------------------------------ the data */

/* The coordinate of a point on the horizontal axis. */
static size_t
abscissa(const struct trial_grid *grid, const struct point_result *point)
{
    return grid->by_size ? peal_grid_size(grid, point) : (size_t)point->situation.nodes;
}

static bool
is_map(const struct trial_grid *grid)
{
    return grid->by_size && grid->by_nodes;
}

/* The algorithm with the least measured median; -1 without one. */
static int
fastest(const struct trial_grid *grid, const struct point_result *point)
{
    int least = -1;

    for (int i = 0; i < grid->candidates.count; i++)
        if (point->trials[i].repetitions > 0 &&
            (least < 0 || point->trials[i].measured.median < point->trials[least].measured.median))
            least = i;
    return least;
}

/* What is drawn of an algorithm: its cost by the model, the times by the clock; the bound is of none (0). */
enum series { BY_MODEL, BY_CLOCK, BOUND };

/* Whether a block of data has this point; on a map, that of the point's best algorithm. */
static bool
has_point(const struct trial_grid *grid, const struct point_result *point, enum series series, int algorithm)
{
    if (is_map(grid))
        return (series == BY_CLOCK ? fastest(grid, point) : point->winner) == algorithm;
    return series == BY_CLOCK ? point->trials[algorithm].repetitions > 0
           : series == BOUND  ? point->has_bound
                              : peal_trial_counts(&point->trials[algorithm]);
}

static double
point_ordinate(const struct trial_grid *grid, const struct point_result *point, enum series series, int algorithm)
{
    const struct trial *trial = &point->trials[algorithm];

    return series == BY_CLOCK
               ? trial->measured.median
               : peal_cost_time(series == BOUND ? point->bound : peal_trial_cost(trial), grid->options.parameters);
}

/* Whether a block of data has a point (gnuplot counts those that are not empty); `shown`: one that a logarithmic axis
 * can show. */
static bool
has_block(const struct trial_grid *grid, enum series series, int algorithm, bool shown)
{
    for (size_t i = 0; i < grid->column_count * grid->size_count; i++) {
        const struct point_result *point = &grid->points[i];

        if (has_point(grid, point, series, algorithm) &&
            (!shown ||
             (abscissa(grid, point) > 0 && (is_map(grid) || point_ordinate(grid, point, series, algorithm) > 0))))
            return true;
    }
    return false;
}

static bool
can_show_bound(const struct trial_grid *grid)
{
    return !is_map(grid) && has_block(grid, BOUND, 0, true);
}

/* One curve, a line per point, of an algorithm, or of the bound; a point without a cost is left out. */
static void
write_curve(FILE *out, const struct trial_grid *grid, enum series series, int algorithm)
{
    fprintf(out, "# %s: %s, model time\n", series == BOUND ? "lower bound" : grid->candidates.all[algorithm].name,
            grid->by_size ? peal_grid_unit(grid) : "P");
    for (size_t i = 0; i < grid->column_count; i++)
        for (size_t j = 0; j < grid->size_count; j++) {
            const struct point_result *point = peal_grid_point(grid, i, j);

            if (!has_point(grid, point, series, algorithm))
                continue;
            fprintf(out, "%zu ", abscissa(grid, point));
            csv_row(out, PEAL_NUMBER(NULL, point_ordinate(grid, point, series, algorithm)));
        }
    fputs("\n\n", out);
}

/* The measurements of one algorithm, a line per point: the median, the least and the most. */
static void
plot_write_measured(FILE *out, const struct trial_grid *grid, int algorithm)
{
    fprintf(out, "# %s: %s, measured µs, least, most\n", grid->candidates.all[algorithm].name,
            grid->by_size ? peal_grid_unit(grid) : "P");
    for (size_t i = 0; i < grid->column_count * grid->size_count; i++) {
        const struct trial *trial = &grid->points[i].trials[algorithm];

        if (trial->repetitions > 0)
            fprintf(out, "%zu %.6g %.6g %.6g\n", abscissa(grid, &grid->points[i]), 1e6 * trial->measured.median,
                    1e6 * trial->measured.minimum, 1e6 * trial->measured.maximum);
    }
    fputs("\n\n", out);
}

/* Where one algorithm is best, by the model or by the clock: a size and a number of nodes per line. */
static void
write_range(FILE *out, const struct trial_grid *grid, int algorithm, enum series series)
{
    fprintf(out, "# %s is %s: %s, P\n", grid->candidates.all[algorithm].name,
            series == BY_CLOCK ? "measured the fastest" : "best", peal_grid_unit(grid));
    for (size_t i = 0; i < grid->column_count; i++)
        for (size_t j = 0; j < grid->size_count; j++) {
            const struct point_result *point = peal_grid_point(grid, i, j);

            if (has_point(grid, point, series, algorithm))
                fprintf(out, "%zu %d\n", peal_grid_size(grid, point), grid->columns[i].nodes);
        }
    fputs("\n\n", out);
}

/* The size of a crossing, in the unit of the sweep. */
static double
plot_crossing_place(const struct trial_grid *grid, const struct column *column, const struct crossing *crossing)
{
    bool blocks = peal_collective_has_blocks(grid->candidates.collective);
    double words = (double)crossing->from;

    return blocks == grid->in_blocks ? words : grid->in_blocks ? words / column->nodes : words * column->nodes;
}

static void
write_crossings(FILE *out, const struct trial_grid *grid)
{
    fprintf(out, "# crossovers: %s, P\n", peal_grid_unit(grid));
    for (size_t i = 0; i < grid->column_count; i++)
        for (size_t j = 0; j < grid->columns[i].winners.crossing_count; j++) {
            csv_put(out, PEAL_NUMBER(NULL, plot_crossing_place(grid, &grid->columns[i],
                                                               &grid->columns[i].winners.crossings[j])));
            fprintf(out, " %d\n", grid->columns[i].nodes);
        }
    fputs("\n\n", out);
}

static void
plot_write_data(FILE *out, const struct plot *plot)
{
    const struct trial_grid *grid = plot->grid;

    fprintf(out, "# peal sweep %s: blocks of two columns, drawn by the script beside this file\n",
            peal_collective_name(grid->candidates.collective));
    for (int i = 0; i < grid->candidates.count; i++)
        if (has_block(grid, BY_MODEL, i, false) && is_map(grid))
            write_range(out, grid, i, BY_MODEL);
        else if (has_block(grid, BY_MODEL, i, false))
            write_curve(out, grid, BY_MODEL, i);
    for (int i = 0; i < grid->candidates.count; i++)
        if (has_block(grid, BY_CLOCK, i, true) && is_map(grid))
            write_range(out, grid, i, BY_CLOCK);
        else if (has_block(grid, BY_CLOCK, i, true))
            plot_write_measured(out, grid, i);
    if (is_map(grid))
        write_crossings(out, grid);
    else
        write_curve(out, grid, BOUND, 0);
}

/* ------------------------------------------------------------------ the script */

/* A string of gnuplot, in single quotes. */
static void
plot_quote(FILE *out, const char *text, const char *more)
{
    fputc('\'', out);
    for (; *text; text++)
        fputs(*text == '\'' ? "''" : (char[]){*text, '\0'}, out);
    fprintf(out, "%s'", more);
}

/* A line across the picture at each crossover, with its size. */
static void
mark_crossings(FILE *out, const struct trial_grid *grid)
{
    const struct column *column = &grid->columns[0];

    for (size_t i = 0; i < column->winners.crossing_count; i++) {
        const struct crossing *crossing = &column->winners.crossings[i];
        double x = plot_crossing_place(grid, column, crossing);

        if (!(x > 0))
            continue;
        fprintf(out, "set arrow from %.17g, graph 0 to %.17g, graph 1 nohead dashtype 3 linecolor rgb '#808080'\n", x,
                x);
        fputs("set label ", out);
        plot_quote(out, grid->candidates.all[column->curves[crossing->after]].name, "");
        fprintf(out, " . ' from %s = %.17g' at %.17g, graph 0.02 rotate by 90 offset -0.6,0 font ',9'\n",
                peal_grid_unit(grid), x, x);
    }
}

static void
write_axes(FILE *out, const struct trial_grid *grid)
{
    struct peal_parameters p = grid->options.parameters;
    const char *name = strcmp(peal_grid_unit(grid), "m") == 0 ? "m, words of a block" : "n, words of a vector";

    fputs("set title ", out);
    plot_quote(out, peal_collective_name(grid->candidates.collective), "");
    if (grid->by_nodes)
        fputs(is_map(grid) ? " . ': which algorithm is best'" : "", out);
    else
        fprintf(out, " . ' on %d node%s'", grid->columns[0].nodes, plural(grid->columns[0].nodes));
    fputs(" . ', ' . ", out);
    plot_quote(out, grid->by_nodes ? grid->options.topology : peal_network_name(grid->columns[0].network), "");
    fprintf(out, "\nset xlabel '%s'\n", grid->by_size ? name : "P, nodes");
    if (is_map(grid))
        fputs("set ylabel 'P, nodes'\n", out);
    else
        fprintf(out, "set ylabel 'model time (α = %g, β = %g, t_d = %g, τ = %g)'\n", p.alpha, p.beta, p.hop, p.tau);
}

/* Room around the points where all that a logarithmic axis can show have the same abscissa. */
static void
write_room(FILE *out, const struct trial_grid *grid)
{
    size_t least = 0, most = 0;

    for (size_t i = 0; i < grid->column_count * grid->size_count; i++) {
        size_t x = abscissa(grid, &grid->points[i]);

        least = x > 0 && (least == 0 || x < least) ? x : least;
        most = x > most ? x : most;
    }
    if (least > 0 && least == most)
        fprintf(out, "set xrange [%g:%g]\n", (double)least / 2, 2 * (double)most);
}

/* Room around the points of a map. */
static void
write_extent(FILE *out, const struct trial_grid *grid)
{
    const struct point_result *last = peal_grid_point(grid, grid->column_count - 1, grid->size_count - 1);
    double first_size = (double)peal_grid_size(grid, &grid->points[0]);

    fprintf(out, "set xrange [%g:%g]\n", first_size > 0 ? first_size / 2 : 0.5, 2 * (double)peal_grid_size(grid, last));
    fprintf(out, "set yrange [%g:%g]\n", grid->columns[0].nodes / 1.5, last->situation.nodes * 1.5);
}

/* The drawing commands for each block of the data. */
static void
write_series(FILE *out, const struct trial_grid *grid)
{
    int block = 0;

    for (int i = 0; i < grid->candidates.count; i++) {
        int index = block;

        block += has_block(grid, BY_MODEL, i, false);
        if (!has_block(grid, BY_MODEL, i, true))
            continue;
        fprintf(out, " \\\n  data index %d with ", index);
        if (is_map(grid))
            fprintf(out, "points pointtype 5 linecolor %d title ", i + 1);
        else
            fputs("linespoints title ", out);
        plot_quote(out, grid->candidates.all[i].name, "");
        fputc(',', out);
    }
    for (int i = 0; i < grid->candidates.count; i++) {
        if (!has_block(grid, BY_CLOCK, i, true))
            continue;
        fprintf(out, " \\\n  data index %d ", block++);
        if (is_map(grid)) /* a square of its colour around the one of the model's best */
            fprintf(out, "with points pointtype 4 pointsize 2 linewidth 2 linecolor %d title ", i + 1);
        else
            fputs("using 1:2:3:4 with yerrorbars title ", out);
        plot_quote(out, grid->candidates.all[i].name, is_map(grid) ? ", measured the fastest" : ", measured µs");
        fputc(',', out);
    }
    if (is_map(grid)) {
        size_t crossings = 0;

        for (size_t i = 0; i < grid->column_count; i++)
            crossings += grid->columns[i].winners.crossing_count;
        if (crossings > 0)
            fprintf(out, " \\\n  data index %d with points pointtype 6 linecolor rgb 'black' title 'crossover',",
                    block);
    } else if (can_show_bound(grid)) {
        fprintf(out,
                " \\\n  data index %d with lines dashtype (6,3) linewidth 2 linecolor rgb 'black' title 'lower bound',",
                block);
    }
}

static void
write_script(FILE *out, const struct plot *plot)
{
    const struct trial_grid *grid = plot->grid;
    const char *name = plot->name;
    int shown = 0;

    fputs("# Draw the picture again:  gnuplot ", out);
    print_word(out, plot->script);
    fputs("\nset encoding utf8\nif (!exists('to')) to = ", out);
    plot_quote(out, name, ".svg");
    fputs("\nset terminal svg size 960,640 dynamic noenhanced background 'white'\n"
          "if (to ne '-') set output to\n"
          "set key below\nset grid\n",
          out);
    write_axes(out, grid);
    for (int i = 0; i < grid->candidates.count; i++)
        shown += has_block(grid, BY_MODEL, i, true);
    shown += can_show_bound(grid);
    fputs(shown > 0 ? is_map(grid) ? "set logscale x\nset logscale y 2\n" : "set logscale xy\n"
                    : "set xrange [0:1]\nset yrange [0:1]\n",
          out);
    if (is_map(grid))
        write_extent(out, grid);
    else
        mark_crossings(out, grid);
    if (shown > 0 && !is_map(grid))
        write_room(out, grid);
    fputs("data = ", out);
    plot_quote(out, name, ".dat");
    fputs("\nplot", out);
    write_series(out, grid);
    fputs(shown > 0 ? "\n" : " \\\n  -1 notitle\n", out); /* gnuplot needs something to draw */
}

/* ------------------------------------------------------------------ writing and drawing */

DOCUMENT_WRITER(write_data_file, plot_write_data)
DOCUMENT_WRITER(write_script_file, write_script)

/* Run gnuplot on the script, its standard output going to `file`.  Returns its exit status, 127 when it is not
 * installed. */
static int
run_gnuplot(const char *script, int file)
{
    char program[] = "gnuplot", flag[] = "-e", to[] = "to = '-'", *path = strdup(script);
    char *argv[] = {program, flag, to, path, NULL};
    pid_t child;
    int from, why = path ? peal_spawn(argv, (int[]){PEAL_SPAWN_NOTHING, file, PEAL_SPAWN_SAME}, &child, &from) : ENOMEM;

    free(path);
    if (why != 0)
        return why == ENOENT ? 127 : 1;
    int status = peal_spawn_wait(child, 127 << 8);

    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Draw into `out`.  errors: PEAL_RESOURCES, with plot->code, when gnuplot is not installed or failed */
static enum peal_status
plot_draw(FILE *out, const void *what, struct peal_error *error)
{
    struct plot *plot = *(struct plot *const *)what;
    char *script = NULL;

    if (asprintf(&script, "%s%s", plot->script[0] == '-' ? "./" : "", plot->script) < 0)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    plot->code = run_gnuplot(script, fileno(out));
    free(script);
    return plot->code == 0 ? PEAL_OK
                           : peal_refuse(error, PEAL_RESOURCES, "gnuplot could not draw it from %s (it ended with %d)",
                                         plot->script, plot->code);
}

/* Write the data and the script that draws them, and run that. */
static enum peal_status
write_and_draw(struct plot *plot, struct peal_error *error)
{
    struct writings both = {
        .list = {{write_data_file, plot->data, false, false}, {write_script_file, plot->script, false, false}}};
    enum peal_status status = writings_open(&both, error);

    status = writings_close(&both, status, plot, error);
    if (status == PEAL_OK)
        status = writings_put(plot->picture, plot_draw, &plot, error);
    if (plot->code != 127)
        return status;
    fprintf(stderr, "peal: note: gnuplot is not installed, so %s is not drawn; gnuplot %s draws it later\n",
            plot->picture, pasted(plot->script).text);
    return PEAL_OK;
}

enum peal_status
plot_write(const struct trial_grid *grid, const char *name, struct peal_error *error)
{
    struct plot plot = {.grid = grid, .name = name};
    enum peal_status status;

    if (name[strcspn(name, "\n\r")])
        return peal_refuse(error, PEAL_USAGE, "--plot: the name has a line break in it");
    if (asprintf(&plot.data, "%s.dat", name) < 0)
        plot.data = NULL;
    if (asprintf(&plot.script, "%s.gp", name) < 0)
        plot.script = NULL;
    if (asprintf(&plot.picture, "%s.svg", name) < 0)
        plot.picture = NULL;
    status = plot.data && plot.script && plot.picture ? write_and_draw(&plot, error)
                                                      : peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    free(plot.data);
    free(plot.script);
    free(plot.picture);
    return status;
}
