/* SPDX-License-Identifier: MIT */
/* Attributes of communicators: MPI's, and the program's own. */
#include "lib/mpi/comm.h"
#include <limits.h>
#include <string.h>

enum { FIRST_KEY = 100, MOST_KEYS = 1024 };

struct keyval {
    MPI_Comm_copy_attr_function *copy;
    MPI_Comm_delete_attr_function *remove;
    void *extra;
    int references; /* the program's, and one of each attribute */
};

struct keyvals {
    int count;
    struct keyval keys[MOST_KEYS];
};

struct attribute {
    int key;
    void *value;
    struct attribute *next;
};

int
peal_mpi_comm_dup_fn(MPI_Comm oldcomm, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)oldcomm, (void)keyval, (void)extra_state;
    memcpy(out, &in, sizeof in);
    *flag = 1;
    return MPI_SUCCESS;
}

int
peal_mpi_type_dup_fn(MPI_Datatype oldtype, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)oldtype;
    return peal_mpi_comm_dup_fn(MPI_COMM_NULL, keyval, extra_state, in, out, flag);
}

int
peal_mpi_win_dup_fn(MPI_Win oldwin, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)oldwin;
    return peal_mpi_comm_dup_fn(MPI_COMM_NULL, keyval, extra_state, in, out, flag);
}

static struct keyval *
find_key(const struct mpi *mpi, int key)
{
    if (!mpi->keyvals || key < FIRST_KEY || key - FIRST_KEY >= mpi->keyvals->count)
        return NULL;
    struct keyval *found = &mpi->keyvals->keys[key - FIRST_KEY];

    return found->references > 0 ? found : NULL;
}

static int
create_key(struct mpi *mpi, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *remove, int *key,
           void *extra)
{
    NEED(key);
    if (!mpi->keyvals)
        mpi->keyvals = mpi_alloc(mpi, sizeof *mpi->keyvals);
    if (mpi->keyvals->count == MOST_KEYS)
        return mpi_error(mpi, NULL, MPI_ERR_OTHER, "at most %d keys of attributes can be made", MOST_KEYS);
    *key = FIRST_KEY + mpi->keyvals->count;
    mpi->keyvals->keys[mpi->keyvals->count++] = (struct keyval){copy, remove, extra, 1};
    return MPI_SUCCESS;
}

static int
free_key(struct mpi *mpi, int *key)
{
    NEED(key);
    struct keyval *found = find_key(mpi, *key);

    if (!found)
        return mpi_error(mpi, NULL, MPI_ERR_KEYVAL, "keyval %d is no key of an attribute", *key);
    found->references--;
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ a communicator's */

/* Take one out of the list, once its function agrees. */
static int
remove_one(struct mpi *mpi, struct comm *comm, struct attribute **at)
{
    struct attribute *gone = *at;
    struct keyval *key = &mpi->keyvals->keys[gone->key - FIRST_KEY];
    int error = key->remove ? key->remove(comm->handle, gone->key, gone->value, key->extra) : MPI_SUCCESS;

    if (error)
        return error;
    *at = gone->next;
    key->references--;
    mpi_free(mpi, gone);
    return MPI_SUCCESS;
}

int
attributes_delete(struct mpi *mpi, struct comm *comm)
{
    int error = MPI_SUCCESS;

    while (comm->attributes && !error)
        error = remove_one(mpi, comm, &comm->attributes);
    return error;
}

int
attributes_copy(struct mpi *mpi, const struct comm *from, struct comm *to)
{
    for (const struct attribute *one = from->attributes; one; one = one->next) {
        struct keyval *key = &mpi->keyvals->keys[one->key - FIRST_KEY];
        void *value = NULL;
        int flag = 0,
            error = key->copy ? key->copy(from->handle, one->key, key->extra, one->value, &value, &flag) : MPI_SUCCESS;

        if (error)
            return error;
        if (!flag)
            continue;
        struct attribute *copy = mpi_alloc(mpi, sizeof *copy);

        *copy = (struct attribute){one->key, value, to->attributes};
        to->attributes = copy;
        key->references++;
    }
    return MPI_SUCCESS;
}

static struct attribute **
find_attribute(struct comm *comm, int key)
{
    struct attribute **at = &comm->attributes;

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

static int
set(struct mpi *mpi, MPI_Comm comm, int key, void *value)
{
    FIND_COMM(c, comm);
    struct keyval *found = find_key(mpi, key);

    if (!found)
        return mpi_error(mpi, c, MPI_ERR_KEYVAL, "keyval %d is no key of an attribute that can be set", key);
    struct attribute **at = find_attribute(c, key);
    int error = *at ? remove_one(mpi, c, at) : MPI_SUCCESS;

    if (error)
        return mpi_error(mpi, c, error, "the old value could not be deleted");
    struct attribute *made = mpi_alloc(mpi, sizeof *made);

    *made = (struct attribute){key, value, c->attributes};
    c->attributes = made;
    found->references++;
    return MPI_SUCCESS;
}

/* MPI's own, of MPI_COMM_WORLD; NULL: there is no such, or it has no value. */
static const int *
own_value(struct mpi *mpi, int key)
{
    static const int tag_ub = INT_MAX, wtime_is_global = 0, appnum = 0, reads_input = 0, last = MPI_ERR_LASTCODE,
                     nowhere = MPI_PROC_NULL;

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
        return &last;
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
    NEED(flag);
    NEED(value);
    const void *found = own_value(mpi, key);

    if (!found && !find_key(mpi, key))
        return mpi_error(mpi, c, MPI_ERR_KEYVAL, "keyval %d is no key of an attribute", key);
    *flag = found != NULL;
    if (!found) {
        struct attribute *own = *find_attribute(c, key);

        *flag = own != NULL;
        found = own ? own->value : NULL;
    }
    if (*flag)
        memcpy(value, &found, sizeof found);
    return MPI_SUCCESS;
}

static int delete (struct mpi *mpi, MPI_Comm comm, int key)
{
    FIND_COMM(c, comm);
    struct attribute **at = find_attribute(c, key);

    if (!*at)
        return mpi_error(mpi, c, MPI_ERR_KEYVAL, "the communicator has no attribute of keyval %d", key);
    int error = remove_one(mpi, c, at);

    return error ? mpi_error(mpi, c, error, "the attribute could not be deleted") : MPI_SUCCESS;
}

/* ------------------------------------------------------------------ the calls, each with its name from MPI-1 */

MPI_FUNCTION(int, Comm_create_keyval, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *remove,
             int *keyval, void *extra_state)
{
    return create_key(ENTER(Comm_create_keyval), copy, remove, keyval, extra_state);
}

MPI_FUNCTION(int, Keyval_create, MPI_Copy_function *copy, MPI_Delete_function *remove, int *keyval, void *extra_state)
{
    return create_key(ENTER(Keyval_create), copy, remove, keyval, extra_state);
}

MPI_FUNCTION(int, Comm_free_keyval, int *keyval)
{
    return free_key(ENTER(Comm_free_keyval), keyval);
}

MPI_FUNCTION(int, Keyval_free, int *keyval)
{
    return free_key(ENTER(Keyval_free), keyval);
}

MPI_FUNCTION(int, Comm_set_attr, MPI_Comm comm, int keyval, void *value)
{
    return set(ENTER(Comm_set_attr), comm, keyval, value);
}

MPI_FUNCTION(int, Attr_put, MPI_Comm comm, int keyval, void *value)
{
    return set(ENTER(Attr_put), comm, keyval, value);
}

MPI_FUNCTION(int, Comm_get_attr, MPI_Comm comm, int keyval, void *value, int *flag)
{
    return get(ENTER(Comm_get_attr), comm, keyval, value, flag);
}

MPI_FUNCTION(int, Attr_get, MPI_Comm comm, int keyval, void *value, int *flag)
{
    return get(ENTER(Attr_get), comm, keyval, value, flag);
}

MPI_FUNCTION(int, Comm_delete_attr, MPI_Comm comm, int keyval)
{
    return delete (ENTER(Comm_delete_attr), comm, keyval);
}

MPI_FUNCTION(int, Attr_delete, MPI_Comm comm, int keyval)
{
    return delete (ENTER(Attr_delete), comm, keyval);
}
