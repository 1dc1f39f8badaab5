/* SPDX-License-Identifier: MIT */
/* What a sweep finds out: every algorithm at every size on every number of nodes. */
#ifndef PEAL_GRID_H
#define PEAL_GRID_H

#include "crossover.h"
#include "trial.h"

/* One number of nodes. */
struct column {
    int nodes;
    struct peal_network *network;
    bool has_winners;       /* two or more closed forms, more than one size, and prices that fit */
    struct winners winners; /* of `curves`, in words (m of a collective of blocks, n of one of vectors) */
    int *curves;            /* which algorithms of the field: winner i is curves[i] */
    int curve_count;
};

/* One number of nodes and one size. */
struct point_result {
    struct peal_situation situation;
    bool has_bound;
    struct peal_cost bound;
    struct trial *trials; /* one an algorithm of the field, in its order */
    int winner;           /* in the field; -1 when nothing is known */
    int executed, known;  /* how many ran; of how many a cost is known */
};

struct grid {
    const struct request *request;
    struct peal_options options;
    struct field field;
    const char *engine; /* what a node was; "none" when nothing was run */
    struct column *columns;
    size_t column_count;
    struct point_result *points; /* sizes of the first column, then of the next */
    size_t size_count;
    bool by_nodes, by_size; /* which of the two has several values */
    bool in_blocks;         /* the sizes asked for are those of blocks (-m) */
    size_t last_size;       /* of the range, which the last point need not reach */
    int refused;            /* numbers of nodes that the network cannot have */
};

/* Lay out the grid that the request asks for.
 *
 *   owner    the caller gives it back with grid_fini, also after an error
 *   errors   PEAL_USAGE for ranges that do not go together, a root that is not there, a network of no such size */
enum peal_status grid_begin(struct grid *grid, const struct request *request, struct peal_error *error);

/* Compute what closed forms tell, run what is to be run, find winners and crossovers. */
enum peal_status grid_fill(struct grid *grid, struct peal_error *error);
void grid_fini(struct grid *grid);

struct point_result *grid_point(const struct grid *grid, size_t column, size_t size);

/* The first thing that went wrong as an exit code; 0 when nothing did. */
int grid_code(const struct grid *grid);

/* What the sizes are called: "m" or "n"; the size of a point in it. */
const char *grid_unit(const struct grid *grid);
size_t grid_size(const struct grid *grid, const struct point_result *point);

/* What the sizes of crossovers count, which closed forms are made of: "m" or "n".  Whose closed form the curve is. */
const char *grid_native_unit(const struct grid *grid);
const char *grid_curve_name(const struct grid *grid, const struct column *column, int curve);

#endif
