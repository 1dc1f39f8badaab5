/* SPDX-License-Identifier: MIT */
/* An access to a window: one post of the machine's, put, get or update. */
#pragma once

#include "mpi/coll/op.h"
#include "mpi/strict/conflict.h"

enum what { PUT, GET, ACCUMULATE, FETCH, SWAP };

extern const struct access_kind {
    const char *name;
    enum peal_post_kind post; /* an update brings back what was there before */
    enum touch_kind touch;
} access_kinds[];

struct win_access {
    struct win *win;
    enum what what;
    int rank;
    struct win_access *previous, *next; /* of the window's */
    struct mpi_request *request;        /* of a request-based access, or NULL */
    struct peal_handle handle;
    struct buffer_hold *holds; /* origin and result (held.h) */

    struct typed_data origin, result; /* of this node; a count of 0: none */
    struct typed_data target;         /* its buffer is at the target */
    void *origin_copy, *result_copy, *scratch;
    combiner combine;       /* NULL: replaces */
    const struct type *one; /* that is combined */
    bool keeps;             /* MPI_NO_OP */
    bool outside;           /* outside of the memory that is attached there */
    size_t unwritten;       /* bytes of it that were read, and that nobody has written */
    const void *first;      /* of them */
    MPI_Op op;
    struct touch *touch;
    struct touch_order order;
};

/* Post it; it is one of the window's until it is complete. */
void access_post(struct mpi *mpi, struct win_access *access);
