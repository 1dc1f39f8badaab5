/* SPDX-License-Identifier: MIT */
/* The memory that data occupy, and sets of such spans, searched by address. */
#pragma once

#include "mpi/type/type.h"

struct byte_span {
    char *begin, *end;               /* of the first and the last piece */
    const struct peal_piece *pieces; /* by address; NULL: everything between */
    int count;
};

/* Find the memory of data; span_fini frees it.  The list of pieces is the node's own memory. */
void span_open(struct mpi *mpi, const struct typed_data *data, struct byte_span *span);
void span_fini(struct mpi *mpi, struct byte_span *span);

/* Reduce it to the memory that the node may receive into (peal_watch_receive). */
void span_receive(struct mpi *mpi, struct byte_span *span);

/* Copy one so that it outlives its node: free() frees the list.  false without memory. */
bool span_keep(const struct byte_span *span, struct byte_span *kept);

/* Piece i: where it begins, and *end. */
char *span_piece(const struct byte_span *span, int i, char **end);

/* How many bytes both share. */
size_t span_overlap(const struct byte_span *a, const struct byte_span *b);

/* A set, by the address of the first byte. */
struct spans {
    struct byte_span **list;
    size_t count, room;
    size_t skipped; /* places before the list that the first ones have left */
    size_t longest; /* the longest span since the set was empty */
};

/* Add one, which the set does not own, or remove it.  The set's list is the node's own memory; with NULL it outlives
 * the node, and false means no memory. */
bool spans_add(struct mpi *mpi, struct spans *spans, struct byte_span *span);
void spans_remove(struct spans *spans, const struct byte_span *span);
/* Free the list of a set that outlives nodes. */
void spans_fini(struct spans *spans);

/* The first that may overlap the span: go on from there while they begin before its end. */
size_t spans_first(const struct spans *spans, const struct byte_span *span);
