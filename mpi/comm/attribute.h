/* SPDX-License-Identifier: MIT */
/* Attributes of communicators, datatypes and windows. */
#pragma once

#include "mpi/call/node.h"

/* The functions of a key, by the kind of object that it is for. */
union key_copy {
    MPI_Comm_copy_attr_function *comm;
    MPI_Type_copy_attr_function *type;
    MPI_Win_copy_attr_function *win;
};

union key_delete {
    MPI_Comm_delete_attr_function *comm;
    MPI_Type_delete_attr_function *type;
    MPI_Win_delete_attr_function *win;
};

/* The object whose attributes a call reads or sets. */
struct owner {
    enum handle_kind kind; /* KIND_COMM, KIND_TYPE or KIND_WIN */
    uintptr_t handle;
    struct attribute **list; /* the latest first */
    struct comm *comm;       /* its handler is called for errors; NULL: that of MPI_COMM_WORLD */
};

/* The calls of MPI_X_create_keyval, MPI_X_free_keyval, MPI_X_set_attr, MPI_X_get_attr and MPI_X_delete_attr.  Each
 * gives MPI_SUCCESS or the error that was raised. */
int keyval_create(struct mpi *mpi, enum handle_kind kind, union key_copy copy, union key_delete remove, int *key,
                  void *extra);
int keyval_free(struct mpi *mpi, enum handle_kind kind, int *key);
int attribute_set(struct mpi *mpi, struct owner owner, int key, void *value);
int attribute_get(struct mpi *mpi, struct owner owner, int key, void *value, int *flag);
int attribute_delete(struct mpi *mpi, struct owner owner, int key);

/* Copy all attributes to a new object, in the order in which they were set; delete all, the latest first.  Give the
 * error of the first function that fails, which is not raised. */
int attributes_copy(struct mpi *mpi, struct owner from, struct owner to);
int attributes_delete(struct mpi *mpi, struct owner owner);
