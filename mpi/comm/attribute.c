/* SPDX-License-Identifier: MIT */
/* Attributes: keys with functions that copy and delete, and an object's list of values. */
#include "mpi/comm/attribute.h"
#include "mpi/comm/comm.h"
#include <string.h>

enum { FIRST_KEY = 100, FIRST_ROOM = 16 };

/* The language of a key's functions: in Fortran handles are numbers, and attributes integers, short ones in MPI-1. */
enum call_language { IN_C, IN_FORTRAN, IN_FORTRAN_77 };

struct keyval {
    enum handle_kind kind;
    union key_copy copy;
    union key_delete remove;
    void *extra;
    enum call_language language;
    int attributes; /* that have this key */
    bool freed;
};

/* Keys are never used twice. */
struct keyvals {
    int count, room;
    struct keyval *keys;
};

struct attribute {
    int key;
    bool fortran; /* set by a Fortran call: C gets the address of the number */
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

/* ------------------------------------------------------------------ keys */

static struct keyval *
keyval_at(const struct mpi *mpi, int key)
{
    return &mpi->keyvals->keys[key - FIRST_KEY];
}

/* The key of a call; NULL: it is not a key for objects of this kind. */
static struct keyval *
find_key(const struct mpi *mpi, enum handle_kind kind, int key)
{
    if (!mpi->keyvals || key < FIRST_KEY || key - FIRST_KEY >= mpi->keyvals->count)
        return NULL;
    struct keyval *found = keyval_at(mpi, key);

    return found->kind == kind && (!found->freed || found->attributes > 0) ? found : NULL;
}

static const char *
object_of(enum handle_kind kind)
{
    return kind == KIND_COMM ? "communicators" : kind == KIND_TYPE ? "datatypes" : "windows";
}

static int
unknown_key(struct mpi *mpi, struct comm *comm, enum handle_kind kind, int key)
{
    if (key == MPI_KEYVAL_INVALID)
        return mpi_error(mpi, comm, MPI_ERR_KEYVAL, "keyval is MPI_KEYVAL_INVALID");
    return mpi_error(mpi, comm, MPI_ERR_KEYVAL, "keyval %d is not a key for attributes of %s", key, object_of(kind));
}

static void
keyvals_grow(struct mpi *mpi, struct keyvals *keyvals)
{
    int room = keyvals->room ? 2 * keyvals->room : FIRST_ROOM;
    struct keyval *keys = mpi_alloc(mpi, (size_t)room * sizeof *keys);

    if (keyvals->count)
        memcpy(keys, keyvals->keys, (size_t)keyvals->count * sizeof *keys);
    mpi_free(mpi, keyvals->keys);
    keyvals->keys = keys;
    keyvals->room = room;
}

static enum call_language
keyval_language(const struct mpi *mpi)
{
    if (!mpi->fortran)
        return IN_C;
    return mpi->line == PEAL_CODE_OF(CALL_Keyval_create) ? IN_FORTRAN_77 : IN_FORTRAN;
}

int
keyval_create(struct mpi *mpi, enum handle_kind kind, union key_copy copy, union key_delete remove, int *key,
              void *extra)
{
    NEED(key);
    if (!mpi->keyvals)
        mpi->keyvals = mpi_alloc(mpi, sizeof *mpi->keyvals);
    struct keyvals *keyvals = mpi->keyvals;

    if (keyvals->count == keyvals->room)
        keyvals_grow(mpi, keyvals);
    *key = FIRST_KEY + keyvals->count;
    keyvals->keys[keyvals->count++] =
        (struct keyval){.kind = kind, .copy = copy, .remove = remove, .extra = extra, .language = keyval_language(mpi)};
    return MPI_SUCCESS;
}

int
keyval_free(struct mpi *mpi, enum handle_kind kind, int *key)
{
    NEED(key);
    struct keyval *found = find_key(mpi, kind, *key);

    if (!found)
        return unknown_key(mpi, NULL, kind, *key);
    found->freed = true; /* the key stays until the last attribute is deleted, and may be freed again until then */
    *key = MPI_KEYVAL_INVALID;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ an object's */

/* Call a Fortran function that copies, or one that deletes. */
static int
copy_in_fortran(const struct mpi *mpi, const struct owner *owner, int key, const struct keyval *about, void *in,
                void **out, int *flag)
{
    typedef void function(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Aint *, MPI_Fint *, MPI_Fint *);
    MPI_Fint object = handle_number(mpi, owner->kind, owner->handle), error = MPI_SUCCESS;
    MPI_Aint extra = (MPI_Aint)about->extra, value = (MPI_Aint)in, result = 0;

    ((function *)(void (*)(void))about->copy.comm)(&object, &key, &extra, &value, &result, flag, &error);
    *out = (void *)(about->language == IN_FORTRAN_77 ? (intptr_t)(MPI_Fint)result : result);
    return error;
}

static int
delete_in_fortran(const struct mpi *mpi, const struct owner *owner, int key, const struct keyval *about, void *in)
{
    typedef void function(MPI_Fint *, MPI_Fint *, MPI_Aint *, MPI_Aint *, MPI_Fint *);
    MPI_Fint object = handle_number(mpi, owner->kind, owner->handle), error = MPI_SUCCESS;
    MPI_Aint extra = (MPI_Aint)about->extra, value = (MPI_Aint)in;

    ((function *)(void (*)(void))about->remove.comm)(&object, &key, &value, &extra, &error);
    return error;
}

/* The program's functions may call MPI: keep the name and place of the call that calls them. */
static int
call_copy(struct mpi *mpi, const struct owner *owner, const struct attribute *attribute, void **value, int *flag)
{
    const struct keyval key = *keyval_at(mpi, attribute->key);
    const struct mpi site = *mpi;
    int error = MPI_SUCCESS;

    if (mpi->outside && key.copy.comm)
        error = mpi->outside->copy(mpi, key.copy.comm, owner->handle, attribute->key, key.extra, attribute->value,
                                   value, flag);
    else if (key.language != IN_C)
        error = copy_in_fortran(mpi, owner, attribute->key, &key, attribute->value, value, flag);
    else if (owner->kind == KIND_COMM && key.copy.comm)
        error =
            key.copy.comm((MPI_Comm)owner->handle, attribute->key, key.extra, attribute->value, (void *)value, flag);
    else if (owner->kind == KIND_TYPE && key.copy.type)
        error = key.copy.type((MPI_Datatype)owner->handle, attribute->key, key.extra, attribute->value, (void *)value,
                              flag);
    else if (owner->kind == KIND_WIN && key.copy.win)
        error = key.copy.win((MPI_Win)owner->handle, attribute->key, key.extra, attribute->value, (void *)value, flag);
    mpi->call = site.call;
    mpi->file = site.file;
    return error;
}

static int
call_delete(struct mpi *mpi, const struct owner *owner, const struct attribute *attribute)
{
    const struct keyval key = *keyval_at(mpi, attribute->key);
    const struct mpi site = *mpi;
    int error = MPI_SUCCESS;

    if (mpi->outside && key.remove.comm)
        error = mpi->outside->remove(mpi, key.remove.comm, owner->handle, attribute->key, attribute->value, key.extra);
    else if (key.language != IN_C)
        error = delete_in_fortran(mpi, owner, attribute->key, &key, attribute->value);
    else if (owner->kind == KIND_COMM && key.remove.comm)
        error = key.remove.comm((MPI_Comm)owner->handle, attribute->key, attribute->value, key.extra);
    else if (owner->kind == KIND_TYPE && key.remove.type)
        error = key.remove.type((MPI_Datatype)owner->handle, attribute->key, attribute->value, key.extra);
    else if (owner->kind == KIND_WIN && key.remove.win)
        error = key.remove.win((MPI_Win)owner->handle, attribute->key, attribute->value, key.extra);
    mpi->call = site.call;
    mpi->file = site.file;
    return error;
}

static struct attribute **
find_attribute(const struct owner *owner, int key)
{
    struct attribute **at = owner->list;

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

/* Remove an attribute from the list, if its function agrees. */
static int
remove_one(struct mpi *mpi, const struct owner *owner, struct attribute *gone)
{
    struct attribute **at = owner->list;

    TRY(call_delete(mpi, owner, gone));
    while (*at && *at != gone) /* the function may have changed the list */
        at = &(*at)->next;
    if (*at)
        *at = gone->next;
    keyval_at(mpi, gone->key)->attributes--;
    mpi_free(mpi, gone);
    return MPI_SUCCESS;
}

int
attributes_delete(struct mpi *mpi, struct owner owner)
{
    int error = MPI_SUCCESS;

    while (*owner.list && !error)
        error = remove_one(mpi, &owner, *owner.list);
    return error;
}

/* Add an attribute at the head of the list. */
static void
attribute_put(struct mpi *mpi, const struct owner *owner, int key, void *value, bool fortran)
{
    struct attribute *made = mpi_alloc(mpi, sizeof *made);

    *made = (struct attribute){key, fortran, value, *owner->list};
    *owner->list = made;
    keyval_at(mpi, key)->attributes++;
}

/* Copy the oldest first: the list begins with the latest. */
static int
copy_list(struct mpi *mpi, const struct owner *from, const struct attribute *one, const struct owner *to)
{
    void *value = NULL;
    int flag = 0, error = one ? copy_list(mpi, from, one->next, to) : MPI_SUCCESS;

    if (!one || error)
        return error;
    error = call_copy(mpi, from, one, &value, &flag);
    if (!error && flag)
        attribute_put(mpi, to, one->key, value, one->fortran);
    return error;
}

int
attributes_copy(struct mpi *mpi, struct owner from, struct owner to)
{
    return copy_list(mpi, &from, *from.list, &to);
}

int
attribute_set(struct mpi *mpi, struct owner owner, int key, void *value)
{
    const struct keyval *found = find_key(mpi, owner.kind, key);

    if (!found || found->freed)
        return unknown_key(mpi, owner.comm, owner.kind, key);
    struct attribute *old = *find_attribute(&owner, key);
    int error = old ? remove_one(mpi, &owner, old) : MPI_SUCCESS;

    if (error)
        return mpi_error(mpi, owner.comm, error, "the old value could not be deleted");
    attribute_put(mpi, &owner, key, value, mpi->fortran);
    return MPI_SUCCESS;
}

int
attribute_get(struct mpi *mpi, struct owner owner, int key, void *value, int *flag)
{
    NEED(flag, value);
    if (!find_key(mpi, owner.kind, key))
        return unknown_key(mpi, owner.comm, owner.kind, key);
    struct attribute *found = *find_attribute(&owner, key);
    void *address = found ? &found->value : NULL;

    *flag = found != NULL;
    if (found)
        memcpy(value, found->fortran && !mpi->fortran ? &address : &found->value, sizeof found->value);
    return MPI_SUCCESS;
}

int
attribute_delete(struct mpi *mpi, struct owner owner, int key)
{
    struct attribute *found = find_key(mpi, owner.kind, key) ? *find_attribute(&owner, key) : NULL;

    if (!found)
        return mpi_error(mpi, owner.comm, MPI_ERR_KEYVAL, "there is no attribute of keyval %d to delete", key);
    int error = remove_one(mpi, &owner, found);

    return error ? mpi_error(mpi, owner.comm, error, "the attribute could not be deleted") : MPI_SUCCESS;
}
