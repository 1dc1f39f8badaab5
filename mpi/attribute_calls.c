/* SPDX-License-Identifier: MIT */
/* The calls for attributes of communicators, each with its name from MPI-1, and of datatypes. */
#include "mpi/attribute.h"
#include "mpi/comm.h"
#include "mpi/error.h"
#include "mpi/notes.h"
#include "mpi/type.h"
#include "mpi/win.h"
#include <limits.h>
#include <string.h>

static int
create_key(struct mpi *mpi, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *remove, int *key,
           void *extra)
{
    return keyval_create(mpi, KIND_COMM, (union copy_function){.comm = copy}, (union delete_function){.comm = remove},
                         key, extra);
}

MPI_FUNCTION(int, Comm_create_keyval, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *remove,
             int *keyval, void *extra_state)
{
    struct mpi *mpi = ENTER(Comm_create_keyval);

    return create_key(mpi, copy, remove, keyval, extra_state);
}

MPI_FUNCTION(int, Keyval_create, MPI_Copy_function *copy, MPI_Delete_function *remove, int *keyval, void *extra_state)
{
    struct mpi *mpi = ENTER(Keyval_create);

    return create_key(mpi, copy, remove, keyval, extra_state);
}

MPI_FUNCTION(int, Comm_free_keyval, int *keyval)
{
    struct mpi *mpi = ENTER(Comm_free_keyval);

    return keyval_free(mpi, KIND_COMM, keyval);
}

MPI_FUNCTION(int, Keyval_free, int *keyval)
{
    struct mpi *mpi = ENTER(Keyval_free);

    return keyval_free(mpi, KIND_COMM, keyval);
}

static int
set(struct mpi *mpi, MPI_Comm comm, int key, void *value)
{
    FIND_COMM(c, comm);
    const struct owner owner = comm_owner(c);

    return attribute_set(mpi, &owner, key, value);
}

MPI_FUNCTION(int, Comm_set_attr, MPI_Comm comm, int keyval, void *value)
{
    struct mpi *mpi = ENTER(Comm_set_attr);

    return set(mpi, comm, keyval, value);
}

MPI_FUNCTION(int, Attr_put, MPI_Comm comm, int keyval, void *value)
{
    struct mpi *mpi = ENTER(Attr_put);

    return set(mpi, comm, keyval, value);
}

/* MPI's own, of every communicator; NULL: none. */
static const int *
own_value(struct mpi *mpi, int key)
{
    static const int tag_ub = INT_MAX, wtime_is_global = 0, appnum = 0, reads_input = 0, nowhere = MPI_PROC_NULL;

    switch (key) {
    case MPI_TAG_UB:
        return &tag_ub;
    case MPI_HOST:
        return &nowhere;
    case MPI_IO:
        return &reads_input; /* rank 0 */
    case MPI_WTIME_IS_GLOBAL:
        return &wtime_is_global;
    case MPI_APPNUM:
        return &appnum;
    case MPI_LASTUSEDCODE:
        return error_last_used(mpi);
    case MPI_UNIVERSE_SIZE:
        return &mpi->world->size;
    default:
        return NULL;
    }
}

static int
get(struct mpi *mpi, MPI_Comm comm, int key, void *value, int *flag)
{
    FIND_COMM(c, comm);
    const struct owner owner = comm_owner(c);
    const void *own = own_value(mpi, key);

    if (!own)
        return attribute_get(mpi, &owner, key, value, flag);
    NEED(flag);
    NEED(value);
    if (key == MPI_TAG_UB)
        notes_tag_asked(mpi);
    *flag = 1;
    memcpy(value, &own, sizeof own);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_get_attr, MPI_Comm comm, int keyval, void *value, int *flag)
{
    struct mpi *mpi = ENTER(Comm_get_attr);

    return get(mpi, comm, keyval, value, flag);
}

MPI_FUNCTION(int, Attr_get, MPI_Comm comm, int keyval, void *value, int *flag)
{
    struct mpi *mpi = ENTER(Attr_get);

    return get(mpi, comm, keyval, value, flag);
}

static int delete (struct mpi *mpi, MPI_Comm comm, int key)
{
    FIND_COMM(c, comm);
    const struct owner owner = comm_owner(c);

    return attribute_delete(mpi, &owner, key);
}

MPI_FUNCTION(int, Comm_delete_attr, MPI_Comm comm, int keyval)
{
    struct mpi *mpi = ENTER(Comm_delete_attr);

    return delete (mpi, comm, keyval);
}

MPI_FUNCTION(int, Attr_delete, MPI_Comm comm, int keyval)
{
    struct mpi *mpi = ENTER(Attr_delete);

    return delete (mpi, comm, keyval);
}

/* ------------------------------------------------------------------ datatypes */

#define FIND_TYPE(found, handle)                                                                                       \
    struct type *found = type_find(mpi, handle);                                                                       \
    if (!found)                                                                                                        \
    return mpi_error(mpi, NULL, MPI_ERR_TYPE, #handle " %s", handle_wrong(mpi, KIND_TYPE, (uintptr_t)handle))

MPI_FUNCTION(int, Type_create_keyval, MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *remove,
             int *keyval, void *extra_state)
{
    struct mpi *mpi = ENTER(Type_create_keyval);

    return keyval_create(mpi, KIND_TYPE, (union copy_function){.type = copy}, (union delete_function){.type = remove},
                         keyval, extra_state);
}

MPI_FUNCTION(int, Type_free_keyval, int *keyval)
{
    struct mpi *mpi = ENTER(Type_free_keyval);

    return keyval_free(mpi, KIND_TYPE, keyval);
}

MPI_FUNCTION(int, Type_set_attr, MPI_Datatype datatype, int keyval, void *value)
{
    struct mpi *mpi = ENTER(Type_set_attr);
    FIND_TYPE(type, datatype);
    const struct owner owner = type_owner(mpi, type);

    return attribute_set(mpi, &owner, keyval, value);
}

MPI_FUNCTION(int, Type_get_attr, MPI_Datatype datatype, int keyval, void *value, int *flag)
{
    struct mpi *mpi = ENTER(Type_get_attr);
    FIND_TYPE(type, datatype);
    const struct owner owner = type_owner(mpi, type);

    return attribute_get(mpi, &owner, keyval, value, flag);
}

MPI_FUNCTION(int, Type_delete_attr, MPI_Datatype datatype, int keyval)
{
    struct mpi *mpi = ENTER(Type_delete_attr);
    FIND_TYPE(type, datatype);
    const struct owner owner = type_owner(mpi, type);

    return attribute_delete(mpi, &owner, keyval);
}

/* ------------------------------------------------------------------ windows */

static struct owner
win_owner(struct win *win)
{
    return (struct owner){KIND_WIN, (uintptr_t)win->handle, &win->attributes, win->comm};
}

/* The value that the library sets; NULL: none of its keys. */
static const void *
win_value(struct win *win, int key)
{
    struct member *own = &win->members[win->comm->rank];

    switch (key) {
    case MPI_WIN_BASE:
        return own->base;
    case MPI_WIN_SIZE:
        return &own->size;
    case MPI_WIN_DISP_UNIT:
        return &own->unit;
    case MPI_WIN_CREATE_FLAVOR:
        return &win->flavor;
    case MPI_WIN_MODEL:
        return &win->model;
    default:
        return NULL;
    }
}

MPI_FUNCTION(int, Win_create_keyval, MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *remove,
             int *keyval, void *extra_state)
{
    struct mpi *mpi = ENTER(Win_create_keyval);

    return keyval_create(mpi, KIND_WIN, (union copy_function){.win = copy}, (union delete_function){.win = remove},
                         keyval, extra_state);
}

MPI_FUNCTION(int, Win_free_keyval, int *keyval)
{
    struct mpi *mpi = ENTER(Win_free_keyval);

    return keyval_free(mpi, KIND_WIN, keyval);
}

MPI_FUNCTION(int, Win_set_attr, MPI_Win win, int keyval, void *value)
{
    struct mpi *mpi = ENTER(Win_set_attr);
    FIND_WIN(w, win);
    const struct owner owner = win_owner(w);

    return attribute_set(mpi, &owner, keyval, value);
}

MPI_FUNCTION(int, Win_get_attr, MPI_Win win, int keyval, void *value, int *flag)
{
    struct mpi *mpi = ENTER(Win_get_attr);
    FIND_WIN(w, win);
    const struct owner owner = win_owner(w);

    if (keyval < MPI_WIN_BASE || keyval > MPI_WIN_MODEL)
        return attribute_get(mpi, &owner, keyval, value, flag);
    NEED(flag);
    NEED(value);
    const void *own = win_value(w, keyval);

    *flag = 1;
    memcpy(value, &own, sizeof own);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_delete_attr, MPI_Win win, int keyval)
{
    struct mpi *mpi = ENTER(Win_delete_attr);
    FIND_WIN(w, win);
    const struct owner owner = win_owner(w);

    return attribute_delete(mpi, &owner, keyval);
}

int
win_attributes_delete(struct mpi *mpi, struct win *win)
{
    const struct owner owner = win_owner(win);

    return attributes_delete(mpi, &owner);
}
