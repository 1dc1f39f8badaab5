/* SPDX-License-Identifier: MIT */
/* Accesses to windows: each is one post of the machine's, put, get or update; its effect at the target is made by
 * `reach` when its message is delivered. */
#include "mpi/coll_types.h"
#include "mpi/conflict.h"
#include "mpi/counter.h"
#include "mpi/finding.h"
#include "mpi/held.h"
#include "mpi/mpi_advice.h"
#include "mpi/mpi_request.h"
#include "mpi/op.h"
#include "mpi/win.h"
#include <peal/watch.h>
#include <string.h>

enum what { PUT, GET, ACCUMULATE, FETCH, SWAP };

static const char *const names[] = {"put", "get", "accumulate", "get_accumulate", "compare_and_swap"};

struct win_access {
    struct win *win;
    enum what what;
    int rank;
    struct win_access *previous, *next; /* of the window's */
    struct mpi_request *request;        /* of a request-based access; NULL */
    struct peal_handle handle;
    struct buffer_hold *holds; /* origin and result (held.h) */

    struct typed_data origin, result; /* of this node; a count of 0: none */
    struct typed_data target;         /* its buffer is at the target */
    void *origin_copy, *result_copy, *scratch;
    combiner combine;       /* NULL: replaces */
    const struct type *one; /* that is combined */
    bool keeps;             /* MPI_NO_OP */
    bool outside;           /* of the memory that is attached there */
    size_t unwritten;       /* bytes of it that were read, and that nobody has written */
    const void *first;      /* of them */
    MPI_Op op;
    struct touch *touch;
    struct touch_order order;
};

/* ------------------------------------------------------------------ at the target */

/* The bytes that data occupies, from *begin on. */
static size_t
span(const struct typed_data *data, char **begin)
{
    const struct type *type = data->type;
    ptrdiff_t last = data->count ? (ptrdiff_t)(data->count - 1) * type_extent(type) : 0;
    ptrdiff_t low = last < 0 ? last : 0, high = last > 0 ? last : 0;

    *begin = (char *)((uintptr_t)data->buffer + (uintptr_t)(low + type->true_lb));
    return (size_t)(high + type->true_ub - low - type->true_lb);
}

/* Whether all of it is attached, be it in pieces: those that are attached do not overlap. */
static bool
is_attached(const struct win_access *access)
{
    const struct win_region *first = *access->win->members[access->rank].regions, *region = first;
    char *begin;
    size_t bytes = span(&access->target, &begin);
    uintptr_t at = (uintptr_t)begin, end = at + bytes;

    while (region && at < end) {
        if (at - (uintptr_t)region->base < region->bytes) {
            at = (uintptr_t)region->base + region->bytes;
            region = first;
        } else {
            region = region->next;
        }
    }
    return at >= end;
}

static bool
is_dense(const struct typed_data *data)
{
    return data->type->dense || (data->count <= 1 && data->type->solid);
}

/* Combine the operand with the data there. */
static void
combine(const struct win_access *access, const void *operand)
{
    const struct typed_data *target = &access->target;

    if (access->keeps)
        return;
    if (!access->combine) {
        type_unpack(target->type, target->buffer, target->count, operand, target->bytes);
        return;
    }
    char *there = is_dense(target) ? target->buffer + target->type->true_lb : access->scratch;

    if (there == access->scratch)
        type_pack(target->type, target->buffer, target->count, there, target->bytes);
    access->combine(there, operand, there, target->bytes / access->one->size);
    if (there == access->scratch)
        type_unpack(target->type, target->buffer, target->count, there, target->bytes);
}

/* In a watched run, look whether the data that are read were written, and note that others are. */
static void
watch(struct win_access *access, bool reads)
{
    const struct typed_data *target = &access->target;
    char *begin;
    size_t bytes = span(target, &begin);

    if (!reads)
        peal_watch_received(NULL, begin, bytes, NULL);
    else if (is_dense(target) && target->type->basic)
        access->unwritten = peal_watch_unwritten(begin, bytes, basic_types[target->type->basic].size, &access->first);
}

/* The machine delivers the message. */
static void
reach(void *memory, void *words, void *result, size_t count, void *closure)
{
    struct win_access *access = closure;
    const struct typed_data *target = &access->target;

    (void)memory, (void)count;
    if (access->win->members[access->rank].regions && !is_attached(access)) {
        access->outside = true;
        return;
    }
    if (access->what == GET || result)
        watch(access, true);
    if (access->what != GET && !access->keeps)
        watch(access, false);
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
        combine(access, words);
        break;
    case SWAP: /* the value to compare is first */
        if (swaps)
            memcpy(target->buffer, (char *)words + target->bytes, target->bytes);
        break;
    }
}

/* ------------------------------------------------------------------ arguments */

/* The basic type that all of the type is made of; NULL: of several. */
static const struct type *
basic_of(const struct type *type)
{
    const struct type *one = NULL;

    if (type->number)
        return type;
    for (size_t i = 0; i < type->part_count; i++) {
        const struct type *of = type->parts[i].count ? basic_of(type->parts[i].of) : NULL;

        if (type->parts[i].count == 0 || type->parts[i].of->size == 0)
            continue;
        if (!of || (one && of != one))
            return NULL;
        one = of;
    }
    return one;
}

/* Find the target's data, and check that it lies in the window. */
static int
find_target(struct mpi *mpi, struct win_access *access, MPI_Aint disp, int count, MPI_Datatype type)
{
    struct win *win = access->win;
    const struct member *member = &win->members[access->rank];
    int error = data_check(mpi, win->comm, (void *)4, count, type, "target_count", &access->target);
    MPI_Aint offset;
    char *begin;

    if (error)
        return error;
    if (__builtin_mul_overflow(disp, (MPI_Aint)member->unit, &offset))
        return win_error(mpi, win, MPI_ERR_DISP, "target_disp is %lld, in units of %d bytes: too large",
                         (long long)disp, member->unit);
    access->target.buffer = (char *)((uintptr_t)member->base + (uintptr_t)offset);
    if (member->regions || access->target.bytes == 0)
        return MPI_SUCCESS; /* dynamic: attached memory is checked when the message is delivered */
    size_t bytes = span(&access->target, &begin);
    ptrdiff_t first = begin - member->base;

    if (first < 0 || first + (ptrdiff_t)bytes > member->size) {
        if (member->unit > 1)
            peal_advise(mpi->me, PEAL_HINT_window_units, member->unit, (long long)(member->size / member->unit));
        else
            peal_advise(mpi->me, PEAL_HINT_window_end, access->rank, (long long)member->size);
        return win_error(mpi, win, MPI_ERR_RMA_RANGE,
                         "the %s is out of range: bytes %td to %td, the window of rank %d has bytes 0 to %lld",
                         names[access->what], first, first + (ptrdiff_t)bytes - 1, access->rank,
                         (long long)member->size - 1);
    }
    return MPI_SUCCESS;
}

static int
find_operator(struct mpi *mpi, struct win_access *access, MPI_Op op)
{
    struct win *win = access->win;

    if (!op_name(op))
        return win_error(mpi, win, MPI_ERR_OP, "op %s",
                         op_find(mpi, op) ? "was made by the program: expected one of MPI's"
                                          : handle_wrong(mpi, KIND_OP, (uintptr_t)op));
    access->keeps = op == MPI_NO_OP;
    access->op = op;
    if (op == MPI_NO_OP || op == MPI_REPLACE || access->target.bytes == 0)
        return MPI_SUCCESS;
    access->one = basic_of(access->target.type);
    if (!access->one)
        return win_error(mpi, win, MPI_ERR_TYPE, "target_datatype has several basic types: expected one");
    access->combine = op_combiner(op, access->one);
    if (!access->combine)
        return win_error(mpi, win, MPI_ERR_OP, "%s is not defined for %s", op_name(op), access->one->name);
    return MPI_SUCCESS;
}

/* Report it if the two are not made of the same basic types (11.3). */
static void
compare_types(struct mpi *mpi, const struct typed_data *data, const struct typed_data *target, const char *what)
{
    uint64_t a = block_note(data->type, data->count), b = block_note(target->type, target->count);

    if (a && b && a != b) {
        if (data->type->basic && target->type->basic)
            peal_advise(mpi->me, PEAL_HINT_same_type, type_basic_name(data->type->basic),
                        type_basic_name(target->type->basic));
        mpi_find(mpi, PEAL_TYPE_MISMATCH, -1, NULL, "the %s has %zu bytes of %s, the target of %s", what, data->bytes,
                 type_basic_name(data->type->basic), type_basic_name(target->type->basic));
    }
}

static int
same_size(struct mpi *mpi, const struct win_access *access, const struct typed_data *data, const char *what)
{
    if (data->bytes != access->target.bytes)
        return win_error(mpi, access->win, MPI_ERR_TYPE, "the %s has %zu bytes, the target %zu: expected the same",
                         what, data->bytes, access->target.bytes);
    if (data->type != access->target.type)
        compare_types(mpi, data, &access->target, what);
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ posts */

static struct win_access *
access_new(struct mpi *mpi, struct win *win, enum what what, int rank)
{
    struct win_access *access = mpi_alloc(mpi, sizeof *access);

    access->win = win;
    access->what = what;
    access->rank = rank;
    return access;
}

static void
access_free(struct mpi *mpi, struct win_access *access)
{
    held_give(mpi, &access->holds);
    mpi_free(mpi, access->origin_copy);
    mpi_free(mpi, access->result_copy);
    mpi_free(mpi, access->scratch);
    for (int i = 0; i < 3; i++) {
        struct type *type = (const struct typed_data *[]){&access->origin, &access->result, &access->target}[i]->type;

        if (type)
            type_drop(mpi, type);
    }
    mpi_free(mpi, access);
}

/* In a strict run: remember the memory it uses here and there.  Received data get a place of their own until it is
 * complete. */
static void
remember(struct mpi *mpi, struct win_access *access)
{
    bool gets = access->what == GET;
    const struct touch_op op = {access->op, gets || access->what == PUT ? NULL : basic_of(access->target.type)};

    access->touch = conflict_open(mpi, access->win, access->rank, &access->target,
                                  gets                  ? TOUCH_GET
                                  : access->what == PUT ? TOUCH_PUT
                                                        : TOUCH_ACCUMULATE,
                                  op, &access->order);
    if (finding_strict() && gets && access->origin.bytes > 0)
        access->origin_copy = mpi_scratch(mpi, access->target.bytes);
    if (finding_strict() && access->result.bytes > 0)
        access->result_copy = mpi_scratch(mpi, access->target.bytes);
}

/* Whether several such accumulates leave the same in every order: all operators but a sum or a product of numbers that
 * are rounded, and MPI_REPLACE. */
static bool
commutes(const struct win_access *access)
{
    bool rounds = access->one && (access->one->class == CLASS_REAL || access->one->class == CLASS_COMPLEX);

    return access->op != MPI_REPLACE && !(rounds && (access->op == MPI_SUM || access->op == MPI_PROD));
}

/* Post it; it is one of the window's until it is complete. */
static void
post(struct mpi *mpi, struct win_access *access)
{
    struct win *win = access->win;
    const struct typed_data *target = &access->target;
    struct peal_piece piece = {NULL, access->what == SWAP ? 2 * target->bytes : access->keeps ? 0 : target->bytes};
    struct peal_post post = {.peer = access->rank, .pieces = &piece, .piece_count = 1};
    bool plain =
        (access->what == PUT || access->what == GET) && !win->members[access->rank].regions && is_dense(target);

    remember(mpi, access);
    plain &= !access->touch && !finding_watched;

    post.kind = access->what == GET                             ? PEAL_POST_GET
                : access->what == FETCH || access->what == SWAP ? PEAL_POST_UPDATE
                                                                : PEAL_POST_PUT;
    if (access->what == GET)
        piece.data = access->origin_copy ? access->origin_copy : data_place(mpi, &access->origin, &access->origin_copy);
    else if (access->what == SWAP)
        piece.data = access->origin_copy;
    else if (!access->keeps)
        piece.data = data_packed(mpi, &access->origin, &access->origin_copy);
    if (plain)
        post.remote.memory = target->buffer + target->type->true_lb;
    else
        post.remote.apply = reach;
    post.remote.closure = access;
    post.combines = access->what == ACCUMULATE;
    post.shared = post.combines && commutes(access);
    if (post.kind == PEAL_POST_UPDATE) {
        post.remote.result =
            access->result_copy ? access->result_copy : data_place(mpi, &access->result, &access->result_copy);
        post.remote.result_words = target->bytes;
    }
    if (access->combine && !is_dense(target))
        access->scratch = mpi_scratch(mpi, target->bytes);
    for (int i = 0; i < 3; i++) {
        struct type *type = (const struct typed_data *[]){&access->origin, &access->result, target}[i]->type;

        if (type)
            type_use(type);
    }
    access->handle = peal_post_at(win->comm->view, &post, mpi->file, mpi->line);
    access->previous = win->last;
    *(win->last ? &win->last->next : &win->first) = access;
    win->last = access;
    win->used = true;
}

/* The access has read data of the target's that nobody has written. */
static void
tell_unwritten(struct mpi *mpi, const struct win_access *access)
{
    char words[PEAL_BLOCK_TEXT] = "its window";
    struct peal_block block = {.rank = -1};

    if (peal_block_find(mpi->me, access->first, mpi->file, &block))
        peal_block_text(mpi->me, &block, words);
    peal_advise(mpi->me, PEAL_HINT_fill_before_get, access->rank);
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
        conflict_wait(win, rank, access->touch);
    else
        conflict_close(mpi, access->touch);
    held_compare(mpi, access->holds);
    if (what == GET && !access->outside) {
        data_unpack(mpi, &access->origin, access->origin_copy, access->target.bytes);
        access->origin_copy = NULL;
        if (access->origin.type == access->target.type)
            counter_got(mpi, win, rank, &access->target, access->origin.buffer);
    }
    if ((what == FETCH || what == SWAP) && !access->outside) {
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
        error =
            win_error(mpi, win, MPI_ERR_RMA_RANGE, "the %s to address %#zx of rank %d is out of range: not attached",
                      names[what], (size_t)at, rank);
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

    *any = false;
    for (struct win_access *access = win->first, *next; access; access = next) {
        next = access->next;
        if (rank >= 0 && access->rank != rank)
            continue;
        *any = true;
        int error = access_finish(mpi, access);

        if (!result)
            result = error;
    }
    return result;
}

/* ------------------------------------------------------------------ the calls */

/* All arguments of an access; origin and result as far as there are any. */
struct arguments {
    enum what what;
    const void *origin, *compare;
    int origin_count;
    MPI_Datatype origin_type;
    void *result;
    int result_count;
    MPI_Datatype result_type;
    int rank;
    MPI_Aint disp;
    int count;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Win win;
    MPI_Request *request; /* of an R-form */
    bool requests;
};

/* Check the data of the origin and of the result. */
static int
find_data(struct mpi *mpi, struct win_access *access, const struct arguments *given)
{
    struct comm *comm = access->win->comm;
    bool fetches = access->what == FETCH || access->what == SWAP;
    int error = MPI_SUCCESS;

    if (!access->keeps || access->what == GET)
        error = data_check(mpi, comm, given->origin, given->origin_count, given->origin_type, "origin_count",
                           &access->origin);
    if (!error && (!access->keeps || access->what == GET))
        error = same_size(mpi, access, &access->origin, "origin");
    if (!error && fetches)
        error = data_check(mpi, comm, given->result, given->result_count, given->result_type, "result_count",
                           &access->result);
    if (!error && fetches)
        error = same_size(mpi, access, &access->result, "result");
    return error;
}

/* The value to compare, followed by the new value. */
static int
find_swap(struct mpi *mpi, struct win_access *access, const struct arguments *given)
{
    const struct type *type = access->target.type;
    enum class class = type->class;
    struct typed_data compare;
    int error = data_check(mpi, access->win->comm, given->compare, 1, given->type, "count", &compare);

    if (error)
        return error;
    if (class != CLASS_INTEGER && class != CLASS_LOGICAL && class != CLASS_BYTES && class != CLASS_MULTI) {
        if (!type->number || !type->dense)
            return win_error(mpi, access->win, MPI_ERR_TYPE,
                             "the datatype is neither an integer, a logical, a multi-language type nor MPI_BYTE");
        mpi_find(mpi, PEAL_INVALID_ARGUMENT, -1, NULL,
                 "%s is neither an integer, a logical, a multi-language type nor MPI_BYTE: its bytes are compared",
                 type_basic_name(type->number));
    }
    access->origin_copy = mpi_scratch(mpi, 2 * access->target.bytes);
    memcpy(access->origin_copy, given->compare, access->target.bytes);
    memcpy((char *)access->origin_copy + access->target.bytes, given->origin, access->target.bytes);
    return MPI_SUCCESS;
}

/* Check the arguments; *posts: there is a message to post. */
static int
prepare(struct mpi *mpi, struct win_access *access, const struct arguments *given)
{
    int error = find_target(mpi, access, given->disp, given->count, given->type);

    if (!error && (access->what == ACCUMULATE || access->what == FETCH))
        error = find_operator(mpi, access, given->op);
    if (!error)
        error = find_data(mpi, access, given);
    if (!error && access->what == SWAP)
        error = find_swap(mpi, access, given);
    return error;
}

/* Until it is complete the program must not use this node's data. */
static void
hold(struct mpi *mpi, struct win_access *access, const struct arguments *given)
{
    if (access->what == SWAP) {
        struct typed_data operand = access->target;

        operand.buffer = (char *)(uintptr_t)given->origin;
        held_take(mpi, &operand, false, WINDOW, &access->holds);
        operand.buffer = (char *)(uintptr_t)given->compare;
        held_take(mpi, &operand, false, WINDOW, &access->holds);
    } else if (access->origin.bytes > 0) {
        held_take(mpi, &access->origin, access->what == GET, WINDOW, &access->holds);
    }
    if (access->result.bytes > 0)
        held_take(mpi, &access->result, true, WINDOW, &access->holds);
}

static int
begin(struct mpi *mpi, const struct arguments *given)
{
    FIND_WIN(win, given->win);

    if (given->requests && !given->request)
        return win_error(mpi, win, MPI_ERR_ARG, "request is NULL");
    if (given->rank != MPI_PROC_NULL && (given->rank < 0 || given->rank >= win->comm->size))
        return win_error(mpi, win, MPI_ERR_RANK, "target_rank is %d: ranks are 0 to %d", given->rank,
                         win->comm->size - 1);
    int error = win_check_access(mpi, win, given->rank, given->requests);

    if (error)
        return error;
    if (given->rank == MPI_PROC_NULL) {
        if (given->requests)
            *given->request = request_of_access(mpi, win->comm, NULL, PEAL_NO_HANDLE)->own;
        return MPI_SUCCESS;
    }
    struct win_access *access = access_new(mpi, win, given->what, given->rank);
    bool nothing;

    error = prepare(mpi, access, given);
    nothing = error || access->target.bytes == 0;
    if (nothing) { /* of the types, none is counted yet */
        mpi_free(mpi, access->origin_copy);
        mpi_free(mpi, access);
        access = NULL;
    } else {
        if (access->what != GET && given->op != MPI_NO_OP)
            win_compare_asserted(mpi, win, access->rank, access->what == PUT);
        if (access->what == PUT && access->origin.type == access->target.type)
            counter_put(mpi, win, access->rank, &access->target, access->origin.buffer);
        hold(mpi, access, given);
        post(mpi, access);
    }
    if (!error && given->requests)
        *given->request = request_of_access(mpi, win->comm, access, access ? access->handle : PEAL_NO_HANDLE)->own;
    if (!error && access && given->requests)
        access->request = handle_find(mpi, KIND_REQUEST, (uintptr_t)*given->request);
    return error;
}

/* The parameters of accesses, and the members of struct arguments that take them. */
#define ORIGIN const void *origin_addr, int origin_count, MPI_Datatype origin_datatype
#define FROM .origin = origin_addr, .origin_count = origin_count, .origin_type = origin_datatype
#define RESULT void *result_addr, int result_count, MPI_Datatype result_datatype
#define TO .result = result_addr, .result_count = result_count, .result_type = result_datatype
#define TARGET int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype
#define AT .rank = target_rank, .disp = target_disp, .count = target_count, .type = target_datatype
#define PARAMETERS(...) __VA_ARGS__

/* Define MPI_<call> and MPI_<rcall>, which gives a request. */
#define ACCESS(call, rcall, parameters, ...)                                                                           \
    MPI_CALL(call, (PARAMETERS parameters, MPI_Win win), begin(mpi, &(struct arguments){__VA_ARGS__, .win = win}));    \
    MPI_CALL(rcall, (PARAMETERS parameters, MPI_Win win, MPI_Request * request),                                       \
             begin(mpi, &(struct arguments){__VA_ARGS__, .win = win, .request = request, .requests = true}))

ACCESS(Put, Rput, (ORIGIN, TARGET), PUT, FROM, AT, .op = MPI_OP_NULL);
ACCESS(Get, Rget, (void *origin_addr, int origin_count, MPI_Datatype origin_datatype, TARGET), GET, FROM, AT,
       .op = MPI_OP_NULL);
ACCESS(Accumulate, Raccumulate, (ORIGIN, TARGET, MPI_Op op), ACCUMULATE, FROM, AT, .op = op);
ACCESS(Get_accumulate, Rget_accumulate, (ORIGIN, RESULT, TARGET, MPI_Op op), FETCH, FROM, TO, AT, .op = op);
MPI_CALL(Fetch_and_op,
         (const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp,
          MPI_Op op, MPI_Win win),
         begin(mpi, &(struct arguments){FETCH, origin_addr, NULL, 1, datatype, result_addr, 1, datatype, target_rank,
                                        target_disp, 1, datatype, op, win, NULL, false}));

MPI_CALL(Compare_and_swap,
         (const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype, int target_rank,
          MPI_Aint target_disp, MPI_Win win),
         begin(mpi, &(struct arguments){SWAP, origin_addr, compare_addr, 1, datatype, result_addr, 1, datatype,
                                        target_rank, target_disp, 1, datatype, MPI_OP_NULL, win, NULL, false}));
