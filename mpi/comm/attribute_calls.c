/* SPDX-License-Identifier: MIT */
/* The calls for attributes of communicators, each with its name from MPI-1, of datatypes and of windows. */
#include "mpi/comm/attribute.h"
#include "mpi/strict/finding.h"
#include "mpi/window/win.h"
#include <limits.h>
#include <string.h>

/* ------------------------------------------------------------------ values that the library sets */

/* The value of one of MPI's own keys, which every communicator has; NULL: it is not one. */
static const int *
own_value(struct mpi *mpi, int key)
{
    static const int tag_ub = INT_MAX, wtime_is_global = 0, appnum = 0, reads_input = 0, nowhere = MPI_PROC_NULL;

    switch (key) {
    case MPI_TAG_UB:
        notes_tag_asked(mpi);
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

struct owner
win_owner(struct win *win)
{
    return (struct owner){KIND_WIN, (uintptr_t)win->handle, &win->attributes, win->comm};
}

/* The value that the library sets; NULL: it is not one of its keys. */
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

/* Get an attribute, or, if it is the library's `own`, that value. */
static int
attribute_get_or_own(struct mpi *mpi, struct owner owner, bool own, const void *own_value, int key, void *value,
                     int *flag)
{
    if (!own)
        return attribute_get(mpi, owner, key, value, flag);
    NEED(flag, value);
    *flag = 1;
    memcpy(value, &own_value, sizeof own_value);
    return MPI_SUCCESS;
}

static int
get_of_comm(struct mpi *mpi, struct comm *comm, int key, void *value, int *flag)
{
    const int *own = own_value(mpi, key);

    return attribute_get_or_own(mpi, comm_owner(comm), own, own, key, value, flag);
}

static int
get_of_win(struct mpi *mpi, struct win *win, int key, void *value, int *flag)
{
    bool own = key >= MPI_WIN_BASE && key <= MPI_WIN_MODEL;

    return attribute_get_or_own(mpi, win_owner(win), own, win_value(win, key), key, value, flag);
}

/* ------------------------------------------------------------------ the calls */

/* Define the calls that make and free keys, whose functions are of these types. */
#define KEYS(create, free, kind, member, copy_function, delete_function)                                               \
    MPI_CALL(create, (copy_function * copy, delete_function * remove, int *keyval, void *extra_state),                 \
             keyval_create(mpi, kind, (union key_copy){.member = copy}, (union key_delete){.member = remove}, keyval,  \
                           extra_state));                                                                              \
    MPI_CALL(free, (int *keyval), keyval_free(mpi, kind, keyval))

/* Define the calls that set, delete and get attributes of the object that `check` finds. */
#define ATTRIBUTES(set, delete, get, handle, check, owner, value_of)                                                   \
    MPI_CHECKED(set, (handle, int keyval, void *value), check, attribute_set(mpi, owner, keyval, value));              \
    MPI_CHECKED(delete, (handle, int keyval), check, attribute_delete(mpi, owner, keyval));                            \
    MPI_CHECKED(get, (handle, int keyval, void *value, int *flag), check, value_of)

KEYS(Comm_create_keyval, Comm_free_keyval, KIND_COMM, comm, MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function);
KEYS(Keyval_create, Keyval_free, KIND_COMM, comm, MPI_Copy_function, MPI_Delete_function);
KEYS(Type_create_keyval, Type_free_keyval, KIND_TYPE, type, MPI_Type_copy_attr_function, MPI_Type_delete_attr_function);
KEYS(Win_create_keyval, Win_free_keyval, KIND_WIN, win, MPI_Win_copy_attr_function, MPI_Win_delete_attr_function);
ATTRIBUTES(Comm_set_attr, Comm_delete_attr, Comm_get_attr, MPI_Comm comm, FIND_COMM(c, comm), comm_owner(c),
           get_of_comm(mpi, c, keyval, value, flag));
ATTRIBUTES(Attr_put, Attr_delete, Attr_get, MPI_Comm comm, FIND_COMM(c, comm), comm_owner(c),
           get_of_comm(mpi, c, keyval, value, flag));
ATTRIBUTES(Type_set_attr, Type_delete_attr, Type_get_attr, MPI_Datatype datatype, FIND_TYPE(type, datatype),
           type_owner(mpi, type), attribute_get(mpi, type_owner(mpi, type), keyval, value, flag));
ATTRIBUTES(Win_set_attr, Win_delete_attr, Win_get_attr, MPI_Win win, FIND_WIN(w, win), win_owner(w),
           get_of_win(mpi, w, keyval, value, flag));
