/* SPDX-License-Identifier: MIT */
/* Info objects: lists of keys and values, stored and returned; Peal uses no hints.  Memory. */
#include "mpi/strict/held.h"
#include "mpi/window/win.h"
#include <stdio.h>
#include <string.h>

struct info_pair {
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    struct info_pair *next;
};

struct info {
    struct info_pair *first;
};

/* MPI_INFO_ENV says nothing about how the program was started. */
static struct info *
info_find(const struct mpi *mpi, MPI_Info handle)
{
    static struct info environment;

    return handle == MPI_INFO_ENV ? &environment : handle_find(mpi, KIND_INFO, (uintptr_t)handle);
}

#define FIND_INFO(found, handle)                                                                                       \
    struct info *found = info_find(mpi, handle);                                                                       \
    if (!found)                                                                                                        \
    return mpi_error(mpi, NULL, MPI_ERR_INFO, #handle " %s", handle_wrong(mpi, KIND_INFO, (uintptr_t)handle))

static struct info_pair **
info_find_pair(struct info *info, const char *key)
{
    struct info_pair **at = &info->first;

    while (*at && strcmp((*at)->key, key) != 0)
        at = &(*at)->next;
    return at;
}

static MPI_Info
info_make(struct mpi *mpi, struct info **info)
{
    *info = mpi_alloc(mpi, sizeof **info);
    return (MPI_Info)handle_make(mpi, KIND_INFO, *info);
}

static void
info_put(struct mpi *mpi, struct info *info, const char *key, const char *value)
{
    struct info_pair **at = info_find_pair(info, key);

    if (!*at) {
        *at = mpi_alloc(mpi, sizeof **at);
        snprintf((*at)->key, sizeof(*at)->key, "%s", key);
    }
    snprintf((*at)->value, sizeof(*at)->value, "%s", value);
}

static void
info_clear(struct mpi *mpi, struct info *info)
{
    while (info->first) {
        struct info_pair *gone = info->first;

        info->first = gone->next;
        mpi_free(mpi, gone);
    }
}

static void
info_release(struct mpi *mpi, MPI_Info handle, struct info *info)
{
    info_clear(mpi, info);
    handle_free(mpi, KIND_INFO, (uintptr_t)handle);
    mpi_free(mpi, info);
}

MPI_FUNCTION(int, Info_create, MPI_Info *info)
{
    struct mpi *mpi = ENTER(Info_create);
    struct info *made;

    NEED(info);
    *info = info_make(mpi, &made);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Info_free, MPI_Info *info)
{
    struct mpi *mpi = ENTER(Info_free);

    NEED(info);
    FIND_INFO(found, *info);
    if (*info == MPI_INFO_ENV)
        return mpi_error(mpi, NULL, MPI_ERR_INFO, "MPI_INFO_ENV cannot be freed");
    info_release(mpi, *info, found);
    *info = MPI_INFO_NULL;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Info_set, MPI_Info info, const char *key, const char *value)
{
    struct mpi *mpi = ENTER(Info_set);
    FIND_INFO(found, info);

    if (info == MPI_INFO_ENV)
        return mpi_error(mpi, NULL, MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed");
    NEED(key, value);
    if (!*key || strlen(key) > MPI_MAX_INFO_KEY)
        return mpi_error(mpi, NULL, MPI_ERR_INFO_KEY, "the key has %zu characters: expected 1 to %d", strlen(key),
                         MPI_MAX_INFO_KEY);
    if (!*value || strlen(value) > MPI_MAX_INFO_VAL)
        return mpi_error(mpi, NULL, MPI_ERR_INFO_VALUE, "the value has %zu characters: expected 1 to %d", strlen(value),
                         MPI_MAX_INFO_VAL);
    info_put(mpi, found, key, value);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Info_get, MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
    struct mpi *mpi = ENTER(Info_get);
    FIND_INFO(found, info);

    NEED(key, flag);
    const struct info_pair *pair = *info_find_pair(found, key);

    *flag = pair != NULL;
    if (pair && valuelen >= 0)
        snprintf(value, (size_t)valuelen + 1, "%s", pair->value);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Info_get_valuelen, MPI_Info info, const char *key, int *valuelen, int *flag)
{
    struct mpi *mpi = ENTER(Info_get_valuelen);
    FIND_INFO(found, info);

    NEED(key, flag);
    const struct info_pair *pair = *info_find_pair(found, key);

    *flag = pair != NULL;
    if (pair)
        *valuelen = (int)strlen(pair->value);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Info_delete, MPI_Info info, const char *key)
{
    struct mpi *mpi = ENTER(Info_delete);
    FIND_INFO(found, info);

    NEED(key);
    struct info_pair **at = info_find_pair(found, key), *gone = *at;

    if (!gone)
        return mpi_error(mpi, NULL, MPI_ERR_INFO_NOKEY, "the info object has no key '%s'", key);
    *at = gone->next;
    mpi_free(mpi, gone);
    return MPI_SUCCESS;
}

static struct info *
copy_info(struct mpi *mpi, const struct info *from, MPI_Info *handle)
{
    struct info *copy;

    *handle = info_make(mpi, &copy);
    for (const struct info_pair *pair = from ? from->first : NULL; pair; pair = pair->next)
        info_put(mpi, copy, pair->key, pair->value);
    return copy;
}

MPI_FUNCTION(int, Info_dup, MPI_Info info, MPI_Info *newinfo)
{
    struct mpi *mpi = ENTER(Info_dup);
    FIND_INFO(found, info);
    NEED(newinfo);
    copy_info(mpi, found, newinfo);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Info_get_nkeys, MPI_Info info, int *nkeys)
{
    struct mpi *mpi = ENTER(Info_get_nkeys);
    FIND_INFO(found, info);

    NEED(nkeys);
    *nkeys = 0;
    for (const struct info_pair *pair = found->first; pair; pair = pair->next)
        (*nkeys)++;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Info_get_nthkey, MPI_Info info, int n, char *key)
{
    struct mpi *mpi = ENTER(Info_get_nthkey);
    FIND_INFO(found, info);
    const struct info_pair *pair = found->first;

    NEED(key);
    for (int i = 0; i < n && pair; i++)
        pair = pair->next;
    if (n < 0 || !pair)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "the info object has no key %d", n);
    memcpy(key, pair->key, strlen(pair->key) + 1);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ a communicator's hints */

MPI_FUNCTION(int, Comm_set_info, MPI_Comm comm, MPI_Info info)
{
    struct mpi *mpi = ENTER(Comm_set_info);
    FIND_COMM(c, comm);
    FIND_INFO(found, info);

    (void)c, (void)found; /* an implementation may ignore all hints */
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Comm_get_info, MPI_Comm comm, MPI_Info *info_used)
{
    struct mpi *mpi = ENTER(Comm_get_info);
    FIND_COMM(c, comm);

    (void)c;
    NEED(info_used);
    copy_info(mpi, NULL, info_used);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ a window's hints */

/* Those of the standard, with their default values; Peal behaves the same with all values. */
static const char *const window_keys[][2] = {
    {"no_locks", "false"},
    {"accumulate_ordering", "rar,raw,war,waw"},
    {"accumulate_ops", "same_op_no_op"},
    {"same_size", "false"},
    {"same_disp_unit", "false"},
    {"alloc_shared_noncontig", "false"},
};

int
win_take_hints(struct mpi *mpi, struct win *win, MPI_Info handle)
{
    struct info *given = handle == MPI_INFO_NULL ? NULL : info_find(mpi, handle);

    if (!given && handle != MPI_INFO_NULL)
        return mpi_error(mpi, win->comm, MPI_ERR_INFO, "info %s", handle_wrong(mpi, KIND_INFO, (uintptr_t)handle));
    if (!win->hints)
        win->hints = mpi_alloc(mpi, sizeof *win->hints);
    for (size_t i = 0; i < sizeof window_keys / sizeof *window_keys; i++) {
        const struct info_pair *pair = given ? *info_find_pair(given, window_keys[i][0]) : NULL;

        if (pair || !*info_find_pair(win->hints, window_keys[i][0]))
            info_put(mpi, win->hints, window_keys[i][0], pair ? pair->value : window_keys[i][1]);
    }
    return MPI_SUCCESS;
}

void
win_drop_hints(struct mpi *mpi, struct win *win)
{
    if (win->hints)
        info_clear(mpi, win->hints);
    mpi_free(mpi, win->hints);
}

MPI_FUNCTION(int, Win_set_info, MPI_Win win, MPI_Info info)
{
    struct mpi *mpi = ENTER(Win_set_info);
    FIND_WIN(w, win);

    if (info == MPI_INFO_NULL)
        return mpi_error(mpi, w->comm, MPI_ERR_INFO, "info is MPI_INFO_NULL");
    return win_take_hints(mpi, w, info);
}

MPI_FUNCTION(int, Win_get_info, MPI_Win win, MPI_Info *info_used)
{
    struct mpi *mpi = ENTER(Win_get_info);
    FIND_WIN(w, win);
    NEED(info_used);
    copy_info(mpi, w->hints, info_used);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ memory */

MPI_FUNCTION(int, Alloc_mem, MPI_Aint size, MPI_Info info, void *baseptr)
{
    struct mpi *mpi = ENTER(Alloc_mem);

    (void)info;
    NEED(baseptr);
    if (size < 0)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "size is %lld: expected 0 or more", (long long)size);
    void *memory = bounds_alloc(mpi, (size_t)size, true);

    memcpy(baseptr, &memory, sizeof memory);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Free_mem, void *base)
{
    struct mpi *mpi = ENTER(Free_mem);

    bounds_free(mpi, base);
    return MPI_SUCCESS;
}
