/* SPDX-License-Identifier: MIT */
/* Epochs of windows.  The window's state at this node alone decides which calls are right; between nodes there are
 * messages without words, in the window's own context: a barrier for a fence; from MPI_Win_post to MPI_Win_start and
 * from MPI_Win_complete to MPI_Win_wait; and those of the machine's locks. */
#include "mpi/call/mpi_advice.h"
#include "mpi/p2p/mpi_request.h"
#include "mpi/strict/conflict.h"
#include <string.h>

enum { TAG_POST, TAG_COMPLETE }; /* of messages in the window's context */

static void
advise_open_epoch(const struct mpi *mpi, const struct win *win)
{
    const char *call = win_epoch_call(win);
    const char *ends = !call                                   ? NULL
                       : strcmp(call, "MPI_Win_start") == 0    ? "MPI_Win_complete"
                       : strcmp(call, "MPI_Win_post") == 0     ? "MPI_Win_wait"
                       : strcmp(call, "MPI_Win_lock") == 0     ? "MPI_Win_unlock"
                       : strcmp(call, "MPI_Win_lock_all") == 0 ? "MPI_Win_unlock_all"
                                                               : "MPI_Win_fence with MPI_MODE_NOSUCCEED";

    if (ends)
        peal_advise(mpi->me, PEAL_HINT(open_epoch), ends);
}

/* Refuse a call that requires that no other epoch is open. */
static int
win_refuse_epoch(struct mpi *mpi, struct win *win)
{
    char words[PLACE_WORDS];

    advise_open_epoch(mpi, win);
    return mpi_error(mpi, win->comm, MPI_ERR_RMA_SYNC, "called while the epoch that %s opened is not closed",
                     place_words(mpi, win_epoch_call(win), win->opened, words));
}

static int
check_assert(struct mpi *mpi, struct win *win, int mode, int allowed)
{
    if ((mode & ~allowed) == 0)
        return MPI_SUCCESS;
    return mpi_error(mpi, win->comm, MPI_ERR_ASSERT, "assert is %d, which has bits that this call does not take", mode);
}

/* The fence's epoch, which had no access, is over: another kind begins. */
static int
leave_fence(struct mpi *mpi, struct win *win)
{
    if (win->fenced && win->first)
        return win_refuse_epoch(mpi, win);
    win->fenced = win->used = false;
    return MPI_SUCCESS;
}

/* The epoch with the rank (-1: with all) ends: its accesses are complete at both ends. */
static int
win_complete_epoch(struct mpi *mpi, struct win *win, int rank)
{
    int error = access_complete(mpi, win, rank, NULL);

    conflict_flush(win, rank);
    win->inner_end = peal_phase(mpi->me);
    return error;
}

/* ------------------------------------------------------------------ fences */

/* Two fences with accesses between them make one epoch, even if the accesses were made in another one.  (The standard:
 * a fence opens an epoch if another follows and there are accesses between the two; epochs of a node do not overlap.)
 * Programs with a barrier after the inner epoch use the fence as a barrier, too: they get no finding. */
static void
find_inner(struct mpi *mpi, struct win *win, int mode)
{
    if (win->fence && win->inner && !(mode & MPI_MODE_NOPRECEDE) && win->inner_end == peal_phase(mpi->me) &&
        finding_strict())
        mpi_find(mpi, PEAL_EPOCH, peal_world_rank(mpi->me), win->inner,
                 "it ends an epoch that the fence before it opened, and within that epoch %s opened another: expected "
                 "MPI_MODE_NOSUCCEED there and MPI_MODE_NOPRECEDE here, or a barrier",
                 win->inner_call);
    win->inner = NULL;
}

MPI_FUNCTION(int, Win_fence, int mode, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_fence);
    FIND_WIN(w, win);

    TRY(check_assert(mpi, w, mode, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED));
    if (w->started || w->posted || w->all || w->locks > 0)
        return win_refuse_epoch(mpi, w);
    if (mode & MPI_MODE_NOPRECEDE && w->first)
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_SYNC, "MPI_MODE_NOPRECEDE is asserted after an access");
    find_inner(mpi, w, mode);
    if (++w->fences, mode & MPI_MODE_NOPUT) { /* the epoch that had this place before is over everywhere */
        w->asserted.fences[w->fences % 2] = w->fences;
        w->asserted.fence_sites[w->fences % 2] = mpi->file;
    }
    int error = win_complete_epoch(mpi, w, -1);
    struct vclock_meeting *meeting = vclock_meet(mpi, w->comm);

    peal_barrier_at(w->comm->view, NULL, mpi->file, mpi->line);
    vclock_met(mpi, w->comm, meeting);
    w->fenced = !(mode & MPI_MODE_NOSUCCEED);
    w->opened = w->fence = w->fenced ? mpi->file : NULL;
    w->used = false;
    return error;
}

/* ------------------------------------------------------------------ post, start, complete, wait */

/* Post a message without words, to be sent without a wait, or received. */
static struct peal_handle
post_empty(struct mpi *mpi, struct win *win, enum peal_post_kind kind, int peer, int tag)
{
    const struct peal_post post = {.kind = kind,
                                   .mode = kind == PEAL_POST_SEND ? PEAL_BUFFERED : PEAL_STANDARD,
                                   .peer = peer,
                                   .tag = tag,
                                   .note = kind == PEAL_POST_SEND ? vclock_send(mpi, 0, false) : 0};
    struct peal_handle handle = peal_post_at(win->comm->view, &post, mpi->file, mpi->line);

    if (kind == PEAL_POST_SEND)
        peal_detach_at(win->comm->view, handle, mpi->file, mpi->line);
    return handle;
}

/* Wait for such a message. */
static void
receive_empty(struct mpi *mpi, const struct win *win, struct peal_handle handle)
{
    struct peal_envelope came = peal_wait_envelope_at(win->comm->view, handle, mpi->file, mpi->line);

    vclock_receive(mpi, &came, true, 0);
}

/* The ranks in the window of a group's nodes; scratch. */
static int
find_ranks(struct mpi *mpi, struct win *win, MPI_Group handle, int **ranks, int *count)
{
    const struct mpi_group *group = group_find(mpi, handle);

    if (!group)
        return mpi_error(mpi, win->comm, MPI_ERR_GROUP, "group %s", handle_wrong(mpi, KIND_GROUP, (uintptr_t)handle));
    *ranks = group_ranks_in(mpi, group, win->comm);
    *count = group->size;
    if (!*ranks)
        return mpi_error(mpi, win->comm, MPI_ERR_GROUP, "group has nodes that are not in the group of the window");
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_post, MPI_Group group, int mode, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_post);
    FIND_WIN(w, win);
    int *ranks, count = 0;

    TRY(check_assert(mpi, w, mode, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT));
    if (w->posted)
        return win_refuse_epoch(mpi, w);
    TRY(leave_fence(mpi, w));
    TRY(find_ranks(mpi, w, group, &ranks, &count));
    w->completes = mpi_alloc(mpi, (size_t)count * sizeof *w->completes);
    w->complete_count = count;
    w->posted = true;
    w->asserted.post_site = mode & MPI_MODE_NOPUT ? mpi->file : NULL;
    w->opened = mpi->file;
    for (int i = 0; i < count; i++) {
        if (!(mode & MPI_MODE_NOCHECK))
            post_empty(mpi, w, PEAL_POST_SEND, ranks[i], TAG_POST);
        w->completes[i] = post_empty(mpi, w, PEAL_POST_RECEIVE, ranks[i], TAG_COMPLETE);
    }
    mpi_free(mpi, ranks);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_start, MPI_Group group, int mode, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_start);
    FIND_WIN(w, win);
    int *ranks, count = 0;

    TRY(check_assert(mpi, w, mode, MPI_MODE_NOCHECK));
    if (w->started || w->all || w->locks > 0)
        return win_refuse_epoch(mpi, w);
    TRY(leave_fence(mpi, w));
    TRY(find_ranks(mpi, w, group, &ranks, &count));
    struct peal_handle *posts = mpi_scratch(mpi, (size_t)count * sizeof *posts);

    for (int i = 0; i < count; i++) {
        w->start[i] = ranks[i];
        w->targets[ranks[i]].started = true;
        if (!(mode & MPI_MODE_NOCHECK))
            posts[i] = post_empty(mpi, w, PEAL_POST_RECEIVE, ranks[i], TAG_POST);
    }
    for (int i = 0; i < count && !(mode & MPI_MODE_NOCHECK); i++)
        receive_empty(mpi, w, posts[i]);
    w->start_count = count;
    w->started = true;
    w->opened = mpi->file;
    mpi_free(mpi, posts);
    mpi_free(mpi, ranks);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_complete, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_complete);
    FIND_WIN(w, win);

    if (!w->started)
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_SYNC, "called without MPI_Win_start before");
    int error = win_complete_epoch(mpi, w, -1);

    for (int i = 0; i < w->start_count; i++) {
        w->targets[w->start[i]].started = false;
        post_empty(mpi, w, PEAL_POST_SEND, w->start[i], TAG_COMPLETE);
    }
    w->started = w->used = false;
    return error;
}

/* Receive all messages that end the exposure epoch. */
static void
end_exposure(struct mpi *mpi, struct win *win)
{
    for (int i = 0; i < win->complete_count; i++)
        receive_empty(mpi, win, win->completes[i]);
    mpi_free(mpi, win->completes);
    win->completes = NULL;
    win->posted = false;
}

MPI_FUNCTION(int, Win_wait, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_wait);
    FIND_WIN(w, win);

    if (!w->posted)
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_SYNC, "called without MPI_Win_post before");
    end_exposure(mpi, w);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_test, MPI_Win win, int *flag)
{
    struct mpi *mpi = ENTER(Win_test);
    FIND_WIN(w, win);

    if (!flag)
        return mpi_error(mpi, w->comm, MPI_ERR_ARG, "flag is NULL");
    if (!w->posted)
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_SYNC, "called without MPI_Win_post before");
    if (mpi->picks)
        *flag = pick_handles(mpi, w->completes, w->complete_count);
    else
        *flag = peal_count_complete_at(w->comm->view, w->completes, w->complete_count, w->complete_count, mpi->file,
                                       mpi->line) == w->complete_count;
    if (*flag)
        end_exposure(mpi, w);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ locks */

static void
win_give_lock(struct mpi *mpi, struct win *win, int rank)
{
    const struct peal_post post = {.kind = PEAL_POST_UNLOCK, .message = win->targets[rank].held};

    if (win->targets[rank].held.slot == PEAL_NO_HANDLE.slot)
        return;
    vclock_unlocks(mpi, win->members[rank].locks, win->targets[rank].lock != LOCKED_EXCLUSIVE);
    peal_detach_at(win->comm->view, peal_post_at(win->comm->view, &post, mpi->file, mpi->line), mpi->file, mpi->line);
    win->targets[rank].held = PEAL_NO_HANDLE;
}

static bool
is_locked(const struct win *win, int rank)
{
    return rank == MPI_PROC_NULL ? win->nobody : win->targets[rank].lock != UNLOCKED;
}

MPI_FUNCTION(int, Win_lock, int lock_type, int rank, int mode, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_lock);
    FIND_WIN(w, win);
    TRY(check_assert(mpi, w, mode, MPI_MODE_NOCHECK));
    if (lock_type != MPI_LOCK_EXCLUSIVE && lock_type != MPI_LOCK_SHARED)
        return mpi_error(mpi, w->comm, MPI_ERR_LOCKTYPE,
                         "lock_type is %d: expected MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED", lock_type);
    TRY(win_check_rank(mpi, w, "rank", rank));
    if (w->started || w->all)
        return win_refuse_epoch(mpi, w);
    if (is_locked(w, rank))
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_SYNC, "rank %d is locked already", rank);
    TRY(leave_fence(mpi, w));
    if (rank == w->comm->rank)
        conflict_set_up(mpi, w);
    w->locks++;
    w->opened = mpi->file;
    if (rank == MPI_PROC_NULL) {
        w->nobody = true;
        return MPI_SUCCESS;
    }
    if (!(mode & MPI_MODE_NOCHECK))
        win_take_lock(mpi, w, rank, lock_type == MPI_LOCK_SHARED);
    w->targets[rank].lock = lock_type == MPI_LOCK_SHARED ? LOCKED_SHARED : LOCKED_EXCLUSIVE;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_unlock, int rank, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_unlock);
    FIND_WIN(w, win);

    TRY(win_check_rank(mpi, w, "rank", rank));
    if (!is_locked(w, rank))
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_SYNC, "rank %d is not locked by MPI_Win_lock", rank);
    w->locks--;
    if (rank == MPI_PROC_NULL) {
        w->nobody = false;
        return MPI_SUCCESS;
    }
    int error = win_complete_epoch(mpi, w, rank);

    win_give_lock(mpi, w, rank);
    w->targets[rank].lock = UNLOCKED;
    return error;
}

MPI_FUNCTION(int, Win_lock_all, int mode, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_lock_all);
    FIND_WIN(w, win);
    TRY(check_assert(mpi, w, mode, MPI_MODE_NOCHECK));
    if (w->started || w->all || w->locks > 0)
        return win_refuse_epoch(mpi, w);
    TRY(leave_fence(mpi, w));
    w->all = true;
    conflict_set_up(mpi, w);
    w->opened = mpi->file;
    w->all_free = mode & MPI_MODE_NOCHECK;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Win_unlock_all, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_unlock_all);
    FIND_WIN(w, win);

    if (!w->all)
        return mpi_error(mpi, w->comm, MPI_ERR_RMA_SYNC, "called without MPI_Win_lock_all before");
    int error = win_complete_epoch(mpi, w, -1);

    for (int i = 0; i < w->comm->size; i++)
        win_give_lock(mpi, w, i);
    w->all = w->used = false;
    return error;
}

/* ------------------------------------------------------------------ within an epoch */

/* Complete the accesses at the rank, or at all, or only the node's side of them.  If there is nothing to wait for, the
 * node rests for a round, since programs poll this way. */
static int
flush(struct mpi *mpi, MPI_Win window, int rank, bool all, bool local)
{
    FIND_WIN(win, window);
    bool any;

    TRY(win_check_rank(mpi, win, "rank", rank));
    if (!win->all && (rank == MPI_PROC_NULL ? win->locks == 0 : win->targets[rank].lock == UNLOCKED))
        return mpi_error(mpi, win->comm, MPI_ERR_RMA_SYNC,
                         "called outside of an epoch of MPI_Win_lock or MPI_Win_lock_all");
    if (!all && rank == MPI_PROC_NULL)
        return MPI_SUCCESS;
    int error = access_complete(mpi, win, all ? -1 : rank, &any);

    if (!local)
        conflict_flush(win, all ? -1 : rank);
    if (!any)
        peal_next_round_at(win->comm->view, mpi->file, mpi->line);
    conflict_rest(mpi, true);
    return error;
}

MPI_CALL(Win_flush, (int rank, MPI_Win win), flush(mpi, win, rank, false, false));
MPI_CALL(Win_flush_local, (int rank, MPI_Win win), flush(mpi, win, rank, false, true));
MPI_CALL(Win_flush_all, (MPI_Win win), flush(mpi, win, MPI_PROC_NULL, true, false));
MPI_CALL(Win_flush_local_all, (MPI_Win win), flush(mpi, win, MPI_PROC_NULL, true, true));

MPI_FUNCTION(int, Win_sync, MPI_Win win)
{
    struct mpi *mpi = ENTER(Win_sync);
    FIND_WIN(w, win);

    conflict_rest(mpi, false);
    if (w->flavor == MPI_WIN_FLAVOR_SHARED) /* what it stores there orders nodes, and is not watched */
        vclock_unlocks(mpi, w->members[0].syncs, true);
    peal_next_round_at(w->comm->view, mpi->file, mpi->line); /* others write in the meantime: programs poll this way */
    if (w->flavor == MPI_WIN_FLAVOR_SHARED)
        vclock_locked(mpi, w->members[0].syncs, false);
    return MPI_SUCCESS;
}
