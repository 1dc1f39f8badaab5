/* SPDX-License-Identifier: MIT */
/* The results of a sweep: every algorithm at every size on every number of nodes. */
#ifndef PEAL_TRIAL_GRID_H
#define PEAL_TRIAL_GRID_H

#include "study/crossover.h"
#include "study/trial.h"

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
};

struct trial_grid {
    const struct command_request *request;
    struct peal_options options;
    struct candidates candidates;
    const char *engine; /* how nodes ran; "none" when nothing was run */
    struct column *columns;
    size_t column_count;
    struct point_result *points; /* sizes of the first column, then of the next */
    size_t size_count;
    bool by_nodes, by_size; /* which of the two has several values */
    bool in_blocks;         /* the sizes asked for are those of blocks (-m) */
    size_t last_size;       /* of the range, which the last point need not reach */
    int refused;            /* numbers of nodes that the network cannot have */
};

/* Lay out the requested grid.
 *
 *   owner    the caller frees it with grid_fini, also after an error
 *   errors   PEAL_USAGE for ranges that exclude each other, a root out of range, a network without such a size */
enum peal_status grid_begin(struct trial_grid *grid, const struct command_request *request, struct peal_error *error);

/* Evaluate the closed forms, run the trials that are to be run, find winners and crossovers. */
enum peal_status grid_fill(struct trial_grid *grid, struct peal_error *error);
void grid_fini(struct trial_grid *grid);

struct point_result *grid_point(const struct trial_grid *grid, size_t column, size_t size);

/* The exit code of the first failure; 0 without one. */
int grid_code(const struct trial_grid *grid);

/* The name of the sizes, "m" or "n"; the size of a point in that unit. */
const char *grid_unit(const struct trial_grid *grid);
size_t grid_size(const struct trial_grid *grid, const struct point_result *point);

/* The unit of the crossovers' sizes and of the closed forms, "m" or "n".  The algorithm whose closed form the curve
 * is. */
const char *grid_native_unit(const struct trial_grid *grid);
const char *grid_curve_name(const struct trial_grid *grid, const struct column *column, int curve);

#endif
