/* SPDX-License-Identifier: MIT */
/* The data that every node holds, round after round, as one strip of cells per node.
 *
 * In a collective that moves words every word has one place in the strip, and is present or not.  In one that combines
 * them a place holds the combination with the most contributors that the node has had.  In an all-to-all an arriving
 * block takes the cell where it belongs in the end, or, on its way to another node, that of a block that was sent on.
 * A cell is a block, or a piece of a vector that is moved and combined as a whole. */
#pragma once

#include "lib/base/map.h"
#include "lib/labels/holdings_rerun.h"

/* Zeroed it is empty. */
struct combinations {
    struct peal_contributors **list; /* of each number */
    uint32_t count;
    struct map by_contributors /* by their hash */, by_label;
};

void combinations_fini(struct combinations *c);

/* The number of a label's combination, UINT32_MAX without memory.  The labels' table must still be there
 * (labels_end). */
uint32_t combinations_number(struct combinations *c, uint64_t label);

/* The contents of a cell: a number of a node, word, pair or combination, or one of these; below HOLDS_PARTS: the number
 * of its words that are present. */
enum { HOLDS_NOTHING = -1, HOLDS_PARTS = -2 };

struct strips {
    const struct peal_form *form;
    int nodes;
    const struct peal_check_case *where; /* the run's, like the data */
    const struct vectors *data;
    size_t words;       /* of a strip */
    size_t *cell_begin; /* cells + 1 */
    int cells;
    uint32_t *place;  /* nodes × words: the contents; 0 nothing */
    uint64_t *best;   /* of a collective that combines, nodes × words: the label that is there */
    bool *sent_on;    /* of an all-to-all, nodes × cells */
    int32_t *changed; /* nodes, in the order in which they changed first */
    int changed_count;
    bool *is_changed;
    struct combinations combinations;
    bool full; /* memory ran out for a combination */
};

/* Cut the strips of a run into cells; they are empty.
 *
 *   owner    borrows `of` until strips_fini, which takes them also after an error, and zeroed ones
 *   errors   PEAL_USAGE if a vector is moved in too many pieces; PEAL_RESOURCES */
enum peal_status strips_begin(struct strips *s, const struct rerun *of, struct peal_error *error);
void strips_fini(struct strips *s);

/* Put in the nodes' inputs; then, round after round, the words of its events; last, an all-to-all's blocks where the
 * results have them.  Nodes whose strips change are listed in `changed` until strips_told. */
void strips_give(struct strips *s);
void strips_take(struct strips *s, const struct event *events, size_t count);
void strips_settle(struct strips *s);
void strips_told(struct strips *s);

/* The present contents of a node's cell. */
int64_t strips_hold(const struct strips *s, int node, int cell);

/* The cell that word i of the node's result belongs to, and the word of the result at which it ends. */
int strips_result_cell(const struct strips *s, int node, size_t i, size_t *end);

/* The cells of copies that an event's words lie in: from the one given up to *end. */
int strips_cells(struct strips *s, const struct event *event, int *end);
