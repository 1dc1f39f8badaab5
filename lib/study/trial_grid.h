/* SPDX-License-Identifier: MIT */
/* The results of a sweep: every algorithm at every size on every number of nodes. */
#pragma once

#include "lib/study/crossover.h"
#include "lib/study/range.h"
#include "lib/study/trial.h"

/* One number of nodes. */
struct column {
    int nodes;
    struct peal_network *network;
    bool has_winners;       /* two or more closed forms, more than one size, and prices in range */
    struct winners winners; /* of `curves`, in words (m of a collective of blocks, n of one of vectors) */
    int *curves;            /* which algorithms of the field: winner i is curves[i] */
    int curve_count;
};

/* One number of nodes and one size. */
struct point_result {
    struct peal_situation situation;
    bool has_bound;
    struct peal_cost bound;
    struct trial *trials; /* one per algorithm of the field, in its order */
    int winner;           /* in the field; -1: unknown */
    int executed, known;  /* the number that ran; the number with a known cost */
    const char *engine;   /* how nodes ran; "none" when nothing was run */
};

/* Which of its schedules are run: those of little effort, all, or none; for the rest the closed form is evaluated. */
enum execute { EXECUTE_CHEAP, EXECUTE_ALL, EXECUTE_NONE };

/* The caller fills in the members up to `repetitions`; peal_grid_begin and peal_grid_fill those after it. */
struct trial_grid {
    struct candidates candidates;  /* owned by the grid */
    struct peal_exercise exercise; /* the calls' other arguments than the size; its lists are borrowed */
    struct peal_options options;   /* of every machine */
    struct range nodes, sizes;     /* neither is empty */
    bool in_blocks;                /* the sizes are those of blocks (-m) */
    enum execute execute;
    int repetitions; /* of a measured run; 0: the default */

    const char *engine; /* of the last point that was run; "none" */
    struct column *columns;
    size_t column_count;
    struct point_result *points; /* sizes of the first column, then of the next */
    size_t size_count;
    bool by_nodes, by_size; /* which of the two has several values */
    int refused;            /* numbers of nodes that the network cannot have */
};

/* Lay out the grid that was asked for.
 *
 *   owner    the caller frees it with peal_grid_fini, also after an error
 *   errors   PEAL_USAGE for too many points, a root out of range, a network without such a size */
PEAL_PRIVATE enum peal_status peal_grid_begin(struct trial_grid *grid, struct peal_error *error);

/* Evaluate the closed forms, run the trials that are to be run, find winners and crossovers. */
PEAL_PRIVATE enum peal_status peal_grid_fill(struct trial_grid *grid, struct peal_error *error);
PEAL_PRIVATE void peal_grid_fini(struct trial_grid *grid);

PEAL_PRIVATE struct point_result *peal_grid_point(const struct trial_grid *grid, size_t column, size_t size);

/* The exit code of the first failure; 0 without one. */
PEAL_PRIVATE int peal_grid_code(const struct trial_grid *grid);

/* The name of the sizes, "m" or "n"; the size of a point in that unit. */
PEAL_PRIVATE const char *peal_grid_unit(const struct trial_grid *grid);
PEAL_PRIVATE size_t peal_grid_size(const struct trial_grid *grid, const struct point_result *point);

/* The unit of the crossovers' sizes and of the closed forms, "m" or "n".  The algorithm whose closed form the curve
 * is. */
PEAL_PRIVATE const char *peal_grid_native_unit(const struct trial_grid *grid);
PEAL_PRIVATE const char *peal_grid_curve_name(const struct trial_grid *grid, const struct column *column, int curve);
