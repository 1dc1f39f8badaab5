/* SPDX-License-Identifier: MIT */
/* Windows: made and freed by all nodes of a communicator together, which exchange the addresses of their memory. */
#include "mpi/window/win.h"
#include "mpi/call/mpi_advice.h"
#include "mpi/comm/attribute.h"
#include "mpi/strict/conflict.h"
#include "mpi/strict/held.h"
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ made */

int
win_check_rank(struct mpi *mpi, struct win *win, const char *name, int rank)
{
    if (rank == MPI_PROC_NULL || (rank >= 0 && rank < win->comm->size))
        return MPI_SUCCESS;
    if (strcmp(name, "target_rank") == 0)
        advise_partner(mpi, win->comm, rank, true);
    return mpi_error(mpi, win->comm, MPI_ERR_RANK, "%s is %d: ranks are 0 to %d", name, rank, win->comm->size - 1);
}

/* Each node's part in the meeting that makes a window. */
struct win_share {
    struct member member;
    int flavor;
};

/* A window of the nodes of the communicator, without memory. */
static struct win *
win_new(struct mpi *mpi, struct comm *comm, int flavor)
{
    struct win *win = mpi_alloc(mpi, sizeof *win);
    struct peal_node *view = peal_meet_at(comm->view, &(struct peal_meeting){.group = true}, mpi->file, mpi->line);

    win->comm = comm_without_handle(mpi, view, comm);
    errhandler_drop(mpi, win->comm->errhandler);
    win->comm->errhandler = MPI_ERRORS_ARE_FATAL;
    win->comm->win = win;
    win->flavor = flavor;
    win->model = MPI_WIN_UNIFIED;
    win->members = mpi_alloc(mpi, (size_t)comm->size * sizeof *win->members);
    win->targets = mpi_alloc(mpi, (size_t)comm->size * sizeof *win->targets);
    win->start = mpi_alloc(mpi, (size_t)comm->size * sizeof *win->start);
    return win;
}

/* Give each node the parts of the others.  The nodes of a window agree on its flavor. */
static int
win_exchange(struct mpi *mpi, struct win *win, struct member own)
{
    int size = win->comm->size, error = MPI_SUCCESS;
    struct win_share mine, *all = mpi_scratch(mpi, (size_t)size * sizeof *all);

    memset(&mine, 0, sizeof mine);
    mine.member = own;
    mine.member.asserted = &win->asserted;
    mine.member.locks = &win->known;
    mine.member.syncs = &win->synced;
    mine.flavor = win->flavor;
    vclock_start(mpi);
    struct vclock_meeting *meeting = vclock_meet(mpi, win->comm);

    peal_meet_at(win->comm->view, &(struct peal_meeting){.mine = &mine, .all = all, .bytes = sizeof mine}, mpi->file,
                 mpi->line);
    vclock_met(mpi, win->comm, meeting);
    for (int i = 0; i < size; i++) {
        win->members[i] = all[i].member;
        if (all[i].flavor != win->flavor && !error)
            error = mpi_error(mpi, win->comm, MPI_ERR_RMA_FLAVOR, "rank %d makes a window of another kind", i);
    }
    mpi_free(mpi, all);
    return error;
}

static int
win_check_size(struct mpi *mpi, struct comm *comm, MPI_Aint size, int unit)
{
    if (size < 0)
        return mpi_error(mpi, comm, MPI_ERR_SIZE, "size is %lld: expected 0 or more", (long long)size);
    if (unit <= 0)
        return mpi_error(mpi, comm, MPI_ERR_DISP, "disp_unit is %d: expected 1 or more", unit);
    return MPI_SUCCESS;
}

/* Watch the program's own accesses to this node's memory in the window, or stop.  Memory of shared windows is not
 * watched. */
static void
expose(const struct win *win, bool more)
{
    const struct member *own = &win->members[win->comm->rank];

    if (own->base && win->flavor != MPI_WIN_FLAVOR_SHARED)
        conflict_expose(own->base, (size_t)own->size, more);
    for (const struct win_region *region = win->regions; region; region = region->next)
        conflict_expose(region->base, region->bytes, more);
}

static int
win_publish(struct mpi *mpi, struct win *win, MPI_Info info, MPI_Win *handle)
{
    win->handle = (MPI_Win)handle_make(mpi, KIND_WIN, win);
    *handle = win->handle;
    expose(win, true);
    win->made = vclock_is_kept() ? vclock_turns(peal_world_rank(mpi->me)) : 0;
    return win_take_hints(mpi, win, info);
}

MPI_FUNCTION(int, Win_create, void *base, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    struct mpi *mpi = ENTER(Win_create);
    FIND_INTRA(c, comm);

    TRY(win_check_size(mpi, c, size, disp_unit));
    NEED(win);
    if (!base && size > 0)
        return mpi_error(mpi, c, MPI_ERR_ARG, "base is NULL, with a size of %lld", (long long)size);
    bounds_look_window(mpi, base, (size_t)size);
    struct win *made = win_new(mpi, c, MPI_WIN_FLAVOR_CREATE);

    TRY(win_exchange(mpi, made, (struct member){.base = base, .size = size, .unit = disp_unit}));
    return win_publish(mpi, made, info, win);
}

/* Allocate memory for the program, which may be a process of its own. */
static void *
win_alloc(struct mpi *mpi, size_t bytes, bool own)
{
    return mpi->outside ? mpi->outside->allocate(mpi, bytes) : bounds_alloc(mpi, bytes, own);
}

MPI_FUNCTION(int, Win_allocate, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
    struct mpi *mpi = ENTER(Win_allocate);
    FIND_INTRA(c, comm);

    TRY(win_check_size(mpi, c, size, disp_unit));
    NEED(win, baseptr);
    struct win *made = win_new(mpi, c, MPI_WIN_FLAVOR_ALLOCATE);

    made->memory = win_alloc(mpi, (size_t)size, true);
    memcpy(baseptr, &made->memory, sizeof made->memory);
    TRY(win_exchange(mpi, made, (struct member){.base = made->memory, .size = size, .unit = disp_unit}));
    return win_publish(mpi, made, info, win);
}

/* Rank 0 allocates the memory of all, one share after the other. */
static int
win_share_memory(struct mpi *mpi, struct win *win, MPI_Aint size, int unit)
{
    int error = win_exchange(mpi, win, (struct member){.size = size, .unit = unit});
    size_t total = 0;
    struct member own = win->members[win->comm->rank];

    for (int i = 0; i < win->comm->size; i++)
        total += (size_t)win->members[i].size;
    if (win->comm->rank == 0)
        own.base = win->memory = win_alloc(mpi, total, false);
    if (!error)
        error = win_exchange(mpi, win, own);
    for (int i = 1; i < win->comm->size; i++)
        win->members[i].base = win->members[i - 1].base + win->members[i - 1].size;
    return error;
}

MPI_FUNCTION(int, Win_allocate_shared, MPI_Aint size, int disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,
             MPI_Win *win)
{
    struct mpi *mpi = ENTER(Win_allocate_shared);
    FIND_INTRA(c, comm);

    TRY(win_check_size(mpi, c, size, disp_unit));
    NEED(win, baseptr);
    struct win *made = win_new(mpi, c, MPI_WIN_FLAVOR_SHARED);

    int error = win_share_memory(mpi, made, size, disp_unit);

    memcpy(baseptr, &made->members[made->comm->rank].base, sizeof(void *));
    return error ? error : win_publish(mpi, made, info, win);
}

MPI_FUNCTION(int, Win_shared_query, MPI_Win win, int rank, MPI_Aint *size, int *disp_unit, void *baseptr)
{
    struct mpi *mpi = ENTER(Win_shared_query);
    FIND_WIN(w, win);
    struct member found = {0};

    if (w->flavor != MPI_WIN_FLAVOR_SHARED)
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_FLAVOR, "the window was not made by MPI_Win_allocate_shared");
    TRY(win_check_rank(mpi, w, "rank", rank));
    if (!size || !disp_unit || !baseptr)
        return mpi_error(mpi, w->comm, MPI_ERR_ARG, "size, disp_unit or baseptr is NULL");
    for (int i = w->comm->size; rank == MPI_PROC_NULL && i-- > 0;) /* of the lowest rank that has memory */
        if (w->members[i].size > 0)
            found = w->members[i];
    if (rank != MPI_PROC_NULL)
        found = w->members[rank];
    *size = found.size;
    *disp_unit = found.unit;
    if (found.size == 0) /* between other shares, but not part of any */
        found.base = NULL;
    memcpy(baseptr, &found.base, sizeof found.base);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ dynamic */

MPI_FUNCTION(int, Win_create_dynamic, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
    struct mpi *mpi = ENTER(Win_create_dynamic);
    FIND_INTRA(c, comm);

    NEED(win);
    struct win *made = win_new(mpi, c, MPI_WIN_FLAVOR_DYNAMIC);

    TRY(win_exchange(mpi, made, (struct member){.unit = 1, .regions = &made->regions}));
    return win_publish(mpi, made, info, win);
}

static int
check_dynamic(struct mpi *mpi, struct win *win)
{
    if (win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
        return MPI_SUCCESS;
    return mpi_error(mpi, win->comm, MPI_ERR_RMA_FLAVOR, "the window was not made by MPI_Win_create_dynamic");
}

MPI_FUNCTION(int, Win_attach, MPI_Win win, void *base, MPI_Aint size)
{
    struct mpi *mpi = ENTER(Win_attach);
    FIND_WIN(w, win);
    TRY(check_dynamic(mpi, w));
    if (size < 0)
        return mpi_error(mpi, w->comm, MPI_ERR_SIZE, "size is %lld: expected 0 or more", (long long)size);
    if (!base && size > 0)
        return mpi_error(mpi, w->comm, MPI_ERR_ARG, "base is NULL, with a size of %lld", (long long)size);
    for (const struct win_region *at = w->regions; at; at = at->next)
        if ((uintptr_t)base < (uintptr_t)at->base + at->bytes && (uintptr_t)at->base < (uintptr_t)base + (size_t)size)
            return mpi_error(mpi, w->comm, MPI_ERR_RMA_ATTACH, "%lld bytes at %p overlap %zu that are attached at %p",
                             (long long)size, base, at->bytes, (void *)at->base);
    bounds_look_window(mpi, base, (size_t)size);
    struct win_region *made = mpi_alloc(mpi, sizeof *made);

    *made = (struct win_region){base, (size_t)size, w->regions, 0};
    w->regions = made;
    conflict_expose(base, (size_t)size, true);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_detach, MPI_Win win, const void *base)
{
    struct mpi *mpi = ENTER(Win_detach);
    FIND_WIN(w, win);
    int error = check_dynamic(mpi, w);
    struct win_region **at = &w->regions;

    if (error)
        return error;
    while (*at && (*at)->base != base)
        at = &(*at)->next;
    if (!*at)
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_ATTACH, "nothing is attached at base, %#zx",
                         (size_t)(uintptr_t)base);
    struct win_region *gone = *at;

    *at = gone->next;
    conflict_expose(gone->base, gone->bytes, false);
    mpi_free(mpi, gone);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ names, and the end */

MPI_FUNCTION(int, Win_set_name, MPI_Win win, const char *win_name)
{
    struct mpi *mpi = ENTER(Win_set_name);
    FIND_WIN(w, win);

    if (!win_name)
        return mpi_error(mpi, w->comm, MPI_ERR_ARG, "win_name is NULL");
    mpi_set_name(mpi, &w->name, win_name);
    peal_name_group(w->comm->view, w->name);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_get_name, MPI_Win win, char *win_name, int *resultlen)
{
    struct mpi *mpi = ENTER(Win_get_name);
    FIND_WIN(w, win);

    if (!win_name || !resultlen)
        return mpi_error(mpi, w->comm, MPI_ERR_ARG, "win_name or resultlen is NULL");
    *resultlen = snprintf(win_name, MPI_MAX_OBJECT_NAME, "%s", w->name ? w->name : "");
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_free, MPI_Win *win)
{
    struct mpi *mpi = ENTER(Win_free);

    NEED(win);
    FIND_WIN(w, *win);
    char words[PLACE_WORDS];
    const char *open = place_words(mpi, win_epoch_call(w), w->opened, words);

    if (open)
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_SYNC, "the epoch that %s opened is not closed", open);
    int error = attributes_delete(mpi, win_owner(w));

    if (error)
        return mpi_error(mpi, w->comm, error, "an attribute could not be deleted");
    /* this node's accesses at others are done, and all of them have come */
    peal_wait_detached_at(mpi->me, mpi->file, mpi->line);
    struct vclock_meeting *meeting = vclock_meet(mpi, w->comm);

    peal_meet_at(w->comm->view, &(struct peal_meeting){.ranks = NULL}, mpi->file, mpi->line);
    vclock_met(mpi, w->comm, meeting);
    vclock_locks_fini(&w->known);
    vclock_locks_fini(&w->synced);
    expose(w, false);
    while (w->regions) {
        struct win_region *gone = w->regions;

        w->regions = gone->next;
        mpi_free(mpi, gone);
    }
    win_drop_hints(mpi, w);
    mpi_free(mpi, w->members);
    mpi_free(mpi, w->targets);
    mpi_free(mpi, w->start);
    if (mpi->outside && w->memory)
        mpi->outside->release(mpi, w->memory);
    else
        bounds_free(mpi, w->memory);
    mpi_free(mpi, w->name);
    w->comm->win = NULL;
    comm_drop(mpi, w->comm);
    handle_free(mpi, KIND_WIN, (uintptr_t)*win);
    mpi_free(mpi, w);
    *win = MPI_WIN_NULL;
    return MPI_SUCCESS;
}

void
win_end(struct mpi *mpi)
{
    const struct handle_table *table = &mpi->tables[KIND_WIN];
    char words[PLACE_WORDS];

    for (uint32_t i = 0; i < table->count; i++) {
        struct win *win = table->slots[i].object;
        const char *open = win ? place_words(mpi, win_epoch_call(win), win->opened, words) : NULL;

        if (open)
            mpi_error(mpi, win->comm, MPI_ERR_RMA_SYNC, "the epoch that %s opened on a window is not closed", open);
        if (win)
            expose(win, false);
    }
}
