/* SPDX-License-Identifier: MIT */
/* How the data of a message goes from memory, or to it: in pieces, or packed. */
#pragma once

#include "mpi/type/type.h"

enum { FEW_PIECES = 16 };

struct piece_list {
    const struct peal_piece *pieces; /* for the post, which copies the list */
    int count;
    void *copy; /* the packed data; NULL: it goes from or to its place */
    struct peal_piece few[FEW_PIECES];
    struct peal_piece *many; /* the pieces, if they are more than these; or NULL */
};

/* Find the pieces of data that are sent or received, or pack them; pieces_posted frees the list, data_unpack or
 * mpi_free the copy. */
void pieces_find(struct mpi *mpi, const struct typed_data *data, bool sends, struct piece_list *list);

static inline void
pieces_posted(struct mpi *mpi, struct piece_list *list)
{
    mpi_free(mpi, list->many);
    list->many = NULL;
}

/* The places of data, one by one, however many. */
void pieces_all(struct mpi *mpi, const struct typed_data *data, struct piece_list *list);
