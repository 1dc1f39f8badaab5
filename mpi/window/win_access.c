/* SPDX-License-Identifier: MIT */
/* How an access to a window proceeds: `reach` makes its effect at the target when its message is delivered. */
#include "mpi/window/win_access.h"
#include "mpi/call/mpi_advice.h"
#include "mpi/p2p/mpi_request.h"
#include <peal/watch.h>
#include <string.h>

const struct access_kind access_kinds[] = {[PUT] = {"put", PEAL_POST_PUT, TOUCH_PUT},
                                           [GET] = {"get", PEAL_POST_GET, TOUCH_GET},
                                           [ACCUMULATE] = {"accumulate", PEAL_POST_PUT, TOUCH_ACCUMULATE},
                                           [FETCH] = {"get_accumulate", PEAL_POST_UPDATE, TOUCH_ACCUMULATE},
                                           [SWAP] = {"compare_and_swap", PEAL_POST_UPDATE, TOUCH_ACCUMULATE}};

/* ------------------------------------------------------------------ at the target */

/* Whether all of it is attached, possibly in pieces: attached regions do not overlap.  *shift: of the last of them. */
static bool
is_attached(const struct win_access *access, ptrdiff_t *shift)
{
    const struct win_region *first = *access->win->members[access->rank].regions, *region = first;
    size_t bytes;
    uintptr_t at = (uintptr_t)data_range(&access->target, &bytes), end = at + bytes;

    while (region && at < end) {
        if (at - (uintptr_t)region->base < region->bytes) {
            *shift = region->shift;
            at = (uintptr_t)region->base + region->bytes;
            region = first;
        } else {
            region = region->next;
        }
    }
    return at >= end;
}

/* Combine the operand with the data there. */
static void
access_combine(const struct win_access *access, const void *operand)
{
    const struct typed_data *target = &access->target;

    if (access->keeps)
        return;
    if (!access->combine) {
        type_unpack(target->type, target->buffer, target->count, operand, target->bytes);
        return;
    }
    char *there = data_is_one_piece(target) ? target->buffer + target->type->true_lb : access->scratch;

    if (there == access->scratch)
        type_pack(target->type, target->buffer, target->count, there, target->bytes);
    access->combine(there, operand, there, target->bytes / access->one->size);
    if (there == access->scratch)
        type_unpack(target->type, target->buffer, target->count, there, target->bytes);
}

/* In a watched run, check that the data read were written, and note the data written. */
static void
access_watch(struct win_access *access, bool reads)
{
    const struct typed_data *target = &access->target;
    size_t bytes;
    const char *begin = data_range(target, &bytes);

    if (!reads)
        peal_watch_received(NULL, begin, bytes, NULL);
    else if (data_is_one_piece(target) && target->type->basic)
        access->unwritten = peal_watch_unwritten(begin, bytes, basic_types[target->type->basic].size, &access->first);
}

/* The machine delivers the message. */
static void
access_apply(void *memory, void *words, void *result, size_t count, void *closure)
{
    struct win_access *access = closure;
    const struct typed_data *target = &access->target;
    ptrdiff_t shift = 0;

    (void)memory, (void)count;
    if (access->win->members[access->rank].regions && !is_attached(access, &shift)) {
        access->outside = true;
        return;
    }
    access->target.buffer += shift;
    if (access->what == GET || result)
        access_watch(access, true);
    if (access->what != GET && !access->keeps)
        access_watch(access, false);
    if (result)
        type_pack(target->type, target->buffer, target->count, result, target->bytes);
    bool swaps = access->what == SWAP && memcmp(result, words, target->bytes) == 0;

    conflict_reach(access->touch, &access->order, access->what == SWAP ? swaps : access->what != GET && !access->keeps,
                   access->what == GET || result);
    switch (access->what) {
    case PUT:
        type_unpack(target->type, target->buffer, target->count, words, target->bytes);
        break;
    case GET:
        type_pack(target->type, target->buffer, target->count, words, target->bytes);
        break;
    case ACCUMULATE:
    case FETCH:
        access_combine(access, words);
        break;
    case SWAP: /* the value to compare is first */
        if (swaps)
            memcpy(target->buffer, (char *)words + target->bytes, target->bytes);
        break;
    }
}

/* ------------------------------------------------------------------ posts */

/* Count a use of the types of all its data, or end it. */
static void
access_use_types(struct mpi *mpi, struct win_access *access, bool more)
{
    struct type *const types[] = {access->origin.type, access->result.type, access->target.type};

    for (int i = 0; i < 3; i++)
        if (types[i] && more)
            type_use(types[i]);
        else if (types[i])
            type_drop(mpi, types[i]);
}

static void
access_free(struct mpi *mpi, struct win_access *access)
{
    held_give(mpi, &access->holds);
    mpi_free(mpi, access->origin_copy);
    mpi_free(mpi, access->result_copy);
    mpi_free(mpi, access->scratch);
    access_use_types(mpi, access, false);
    mpi_free(mpi, access);
}

/* In a strict run: remember the memory that it uses at both ends.  Received data go to a separate place until it is
 * complete. */
static void
access_remember(struct mpi *mpi, struct win_access *access)
{
    bool gets = access->what == GET;
    int basic = gets || access->what == PUT ? 0 : access->target.type->basic;
    const struct touch_op op = {access->op, basic ? &basic_types[basic] : NULL};

    access->touch = conflict_open(mpi, access->win, access->rank, &access->target, access_kinds[access->what].touch, op,
                                  &access->order);
    if (finding_strict() && gets && access->origin.bytes > 0)
        access->origin_copy = mpi_scratch(mpi, access->target.bytes);
    if (finding_strict() && access->result.bytes > 0)
        access->result_copy = mpi_scratch(mpi, access->target.bytes);
}

/* Whether several of these accumulates give the same result in every order: with all operators except MPI_REPLACE and
 * sums or products of rounded numbers. */
static bool
access_commutes(const struct win_access *access)
{
    bool rounds = access->one && (access->one->class == CLASS_REAL || access->one->class == CLASS_COMPLEX);

    return access->op != MPI_REPLACE && !(rounds && (access->op == MPI_SUM || access->op == MPI_PROD));
}

/* Fail if a loop waits for the result, which is written when the access is complete: nothing in the loop completes it,
 * or allows a round. */
static void
check_spin(struct mpi *mpi, struct win_access *access)
{
    enum { MAX_ASKED = 100000 };
    const void *result = access->what == GET ? access->origin.buffer : access->result.buffer;
    struct spin *spin = &access->win->spins[((uintptr_t)mpi->file >> 2) % SPINS];
    uint64_t phase = peal_phase(mpi->me);

    if (access->what == PUT || access->what == ACCUMULATE)
        return;
    if (spin->site != mpi->file || spin->result != result || spin->target != access->target.buffer ||
        spin->phase != phase)
        *spin = (struct spin){mpi->file, result, access->target.buffer, phase, 0};
    if (++spin->count < MAX_ASKED)
        return;
    peal_advise(mpi->me, PEAL_HINT(polled_access), mpi->call);
    mpi_fail(mpi, PEAL_LIVELOCK,
             "called %d times in a row for one result, which nothing in this loop completes: it is not there before a "
             "flush, or the end of the epoch",
             MAX_ASKED);
}

void
access_post(struct mpi *mpi, struct win_access *access)
{
    struct win *win = access->win;
    const struct typed_data *target = &access->target;
    struct peal_piece piece = {NULL, access->what == SWAP ? 2 * target->bytes : access->keeps ? 0 : target->bytes};
    struct peal_post post = {
        .kind = access_kinds[access->what].post, .peer = access->rank, .pieces = &piece, .piece_count = 1};
    bool direct = (access->what == PUT || access->what == GET) && !win->members[access->rank].regions &&
                  data_is_one_piece(target);

    check_spin(mpi, access);
    access_remember(mpi, access);
    direct &= !access->touch && !finding_watched;
    if (access->what == GET)
        piece.data = access->origin_copy ? access->origin_copy : data_place(mpi, &access->origin, &access->origin_copy);
    else if (access->what == SWAP)
        piece.data = access->origin_copy;
    else if (!access->keeps)
        piece.data = data_packed(mpi, &access->origin, &access->origin_copy);
    if (direct)
        post.remote.memory = target->buffer + target->type->true_lb;
    else
        post.remote.apply = access_apply;
    post.remote.closure = access;
    post.combines = access->what == ACCUMULATE;
    post.shared = post.combines && access_commutes(access);
    if (post.kind == PEAL_POST_UPDATE) {
        post.remote.result =
            access->result_copy ? access->result_copy : data_place(mpi, &access->result, &access->result_copy);
        post.remote.result_words = target->bytes;
    }
    if (access->combine && !data_is_one_piece(target))
        access->scratch = mpi_scratch(mpi, target->bytes);
    access_use_types(mpi, access, true);
    access->handle = peal_post_at(win->comm->view, &post, mpi->file, mpi->line);
    access->previous = win->last;
    *(win->last ? &win->last->next : &win->first) = access;
    win->last = access;
    win->used = true;
}

/* The access has read data of the target that nobody has written. */
static void
tell_unwritten(struct mpi *mpi, const struct win_access *access)
{
    char words[PEAL_BLOCK_TEXT] = "its window";
    struct peal_block block = {.rank = -1};

    if (peal_block_find(mpi->me, access->first, mpi->file, &block))
        peal_block_text(mpi->me, &block, words);
    peal_advise(mpi->me, PEAL_HINT(fill_before_get), access->rank);
    mpi_remark(
        mpi,
        &(struct remark){.kind = PEAL_UNINITIALISED_SEND, .rank = block.code ? block.rank : -1, .site = block.code},
        "node %d gets %zu bytes of rank %d's window; nobody has written %zu of them, the first at byte %td",
        peal_world_rank(mpi->me), access->target.bytes, access->rank, access->unwritten,
        (const char *)access->first - access->win->members[access->rank].base);
}

int
access_finish(struct mpi *mpi, struct win_access *access)
{
    struct win *win = access->win;
    int rank = access->rank, error = MPI_SUCCESS;
    enum what what = access->what;
    bool outside;

    peal_wait_envelope_at(win->comm->view, access->handle, mpi->file, mpi->line);
    *(access->previous ? &access->previous->next : &win->first) = access->next;
    *(access->next ? &access->next->previous : &win->last) = access->previous;
    conflict_got(mpi, access->touch, &access->order);
    if (what == PUT || what == ACCUMULATE) /* it is complete at the target only after a flush, or the epoch */
        conflict_wait(win, access->touch);
    else
        conflict_close(access->touch);
    held_compare(mpi, access->holds);
    if (what == GET && !access->outside) {
        data_unpack(mpi, &access->origin, access->origin_copy, access->target.bytes);
        access->origin_copy = NULL;
        if (access->origin.type == access->target.type)
            counter_got(mpi, win, rank, &access->target, access->origin.buffer);
    }
    if (access_kinds[what].post == PEAL_POST_UPDATE && !access->outside) {
        data_unpack(mpi, &access->result, access->result_copy, access->target.bytes);
        access->result_copy = NULL;
    }
    if (access->request)
        access->request->access = NULL;
    outside = access->outside;
    uintptr_t at = (uintptr_t)access->target.buffer;

    if (access->unwritten > 0)
        tell_unwritten(mpi, access);
    access_free(mpi, access);
    if (outside)
        error = mpi_error(mpi, win->comm, MPI_ERR_RMA_RANGE,
                          "the %s to address %#zx of rank %d is out of range: not attached", access_kinds[what].name,
                          (size_t)at, rank);
    return error;
}

void
access_give(struct mpi *mpi, struct win_access *access)
{
    held_give(mpi, &access->holds);
}

void
win_access_free(struct win_access *access)
{
    access->request = NULL;
}

int
access_complete(struct mpi *mpi, struct win *win, int rank, bool *any)
{
    int result = MPI_SUCCESS;
    bool some = false;

    for (struct win_access *access = win->first, *next; access; access = next) {
        next = access->next;
        if (rank >= 0 && access->rank != rank)
            continue;
        some = true;
        int error = access_finish(mpi, access);

        if (!result)
            result = error;
    }
    if (any)
        *any = some;
    return result;
}
