/* SPDX-License-Identifier: MIT */
/* The epoch that a window is in at this node, and what it allows. */
#include "mpi/call/mpi_advice.h"
#include "mpi/window/win.h"

const char *
win_epoch_call(const struct win *win)
{
    return win->started               ? "MPI_Win_start"
           : win->posted              ? "MPI_Win_post"
           : win->all                 ? "MPI_Win_lock_all"
           : win->locks > 0           ? "MPI_Win_lock"
           : win->fenced && win->used ? "MPI_Win_fence"
                                      : NULL;
}

/* After MPI_Win_post the assertion is of puts only, not of other updates (11.5.5). */
void
win_compare_asserted(struct mpi *mpi, const struct win *win, int rank, bool puts)
{
    static const struct peal_rule rule = {
        "MPI 3.1, 11.5.5: MPI_MODE_NOPUT asserts that the node's window is not updated until the next synchronization",
        "leave MPI_MODE_NOPUT out, or do not update this window in the epoch"};
    const struct asserted *asserted = win->members[rank].asserted;
    bool odd = win->fences % 2;
    const char *site = NULL;

    if (win->started)
        site = puts ? asserted->post_site : NULL;
    else if (asserted->fences[odd] == win->fences)
        site = asserted->fence_sites[odd];
    if (!finding_strict() || !site || win->all || win->targets[rank].lock != UNLOCKED)
        return;
    mpi_remark(
        mpi,
        &(struct remark){.kind = PEAL_EPOCH, .rule = &rule, .rank = comm_world_rank(win->comm, rank), .site = site},
        "node %d updates the window of node %d, which has asserted MPI_MODE_NOPUT in %s", peal_world_rank(mpi->me),
        comm_world_rank(win->comm, rank), win->started ? "MPI_Win_post" : "MPI_Win_fence");
}

void
win_take_lock(struct mpi *mpi, struct win *win, int rank, bool shared)
{
    const struct peal_post post = {.kind = PEAL_POST_LOCK, .peer = rank, .shared = shared};
    struct peal_handle asked = peal_post_at(win->comm->view, &post, mpi->file, mpi->line);

    win->targets[rank].held = peal_wait_envelope_at(win->comm->view, asked, mpi->file, mpi->line).message;
    vclock_locked(mpi, win->members[rank].locks, shared);
}

int
win_check_access(struct mpi *mpi, struct win *win, int rank, bool passive_only)
{
    struct target *target = rank >= 0 ? &win->targets[rank] : NULL; /* NULL: MPI_PROC_NULL */
    bool passive = win->all || (target ? target->lock != UNLOCKED : win->locks > 0);

    if (!passive && passive_only)
        return mpi_error(mpi, win->comm, MPI_ERR_RMA_SYNC,
                         "called outside of an epoch of MPI_Win_lock or MPI_Win_lock_all");
    if (!passive && win->started && target && !target->started)
        return mpi_error(mpi, win->comm, MPI_ERR_RMA_SYNC, "rank %d is not in the group of MPI_Win_start", rank);
    if (!passive && !win->started && win->locks > 0)
        peal_advise(mpi->me, PEAL_HINT(not_locked), rank);
    if (!passive && !win->started && win->locks > 0)
        return mpi_error(mpi, win->comm, MPI_ERR_RMA_SYNC, "rank %d is not locked", rank);
    if (!passive && !win->started && !win->fenced)
        peal_advise(mpi->me, PEAL_HINT(no_epoch));
    if (!passive && !win->started && !win->fenced)
        return mpi_error(mpi, win->comm, MPI_ERR_RMA_SYNC,
                         "called outside of an epoch: expected one of MPI_Win_fence, "
                         "MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all");
    if (win->fence && !win->fenced && !win->inner) {
        win->inner = win->opened;
        win->inner_call = win_epoch_call(win);
    }
    if (target && win->all && !win->all_free && target->held.slot == PEAL_NO_HANDLE.slot)
        win_take_lock(mpi, win, rank, true);
    return MPI_SUCCESS;
}
