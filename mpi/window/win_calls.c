/* SPDX-License-Identifier: MIT */
/* The calls that access windows: their arguments. */
#include "mpi/call/mpi_advice.h"
#include "mpi/coll/coll_types.h"
#include "mpi/p2p/mpi_request.h"
#include "mpi/window/win_access.h"
#include <string.h>

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

/* Find the target's data, and check that it lies in the window. */
static int
find_target(struct mpi *mpi, struct win_access *access, MPI_Aint disp, int count, MPI_Datatype type)
{
    struct win *win = access->win;
    const struct member *member = &win->members[access->rank];
    MPI_Aint offset;

    TRY(typed_data_check(mpi, win->comm, (void *)4, count, type, "target_count", &access->target));
    if (__builtin_mul_overflow(disp, (MPI_Aint)member->unit, &offset))
        return mpi_error(mpi, win->comm, MPI_ERR_DISP, "target_disp is %lld, in units of %d bytes: too large",
                         (long long)disp, member->unit);
    access->target.buffer = (char *)((uintptr_t)member->base + (uintptr_t)offset);
    if (member->regions || access->target.bytes == 0)
        return MPI_SUCCESS; /* dynamic: attached memory is checked when the message is delivered */
    size_t bytes;
    ptrdiff_t first = data_range(&access->target, &bytes) - member->base;

    if (first < 0 || first > member->size - (ptrdiff_t)bytes) {
        if (member->unit > 1)
            peal_advise(mpi->me, PEAL_HINT(window_units), member->unit, (long long)(member->size / member->unit));
        else
            peal_advise(mpi->me, PEAL_HINT(window_end), access->rank, (long long)member->size);
        return mpi_error(mpi, win->comm, MPI_ERR_RMA_RANGE,
                         "the %s is out of range: bytes %td to %td, the window of rank %d has bytes 0 to %lld",
                         access_kinds[access->what].name, first, (ptrdiff_t)((size_t)first + bytes - 1), access->rank,
                         (long long)member->size - 1);
    }
    return MPI_SUCCESS;
}

static int
find_operator(struct mpi *mpi, struct win_access *access, MPI_Op op)
{
    struct win *win = access->win;

    if (!op_name(op))
        return mpi_error(mpi, win->comm, MPI_ERR_OP, "op %s",
                         op_find(mpi, op) ? "was made by the program: expected one of MPI's"
                                          : handle_wrong(mpi, KIND_OP, (uintptr_t)op));
    access->keeps = op == MPI_NO_OP;
    access->op = op;
    if (op == MPI_NO_OP || op == MPI_REPLACE || access->target.bytes == 0)
        return MPI_SUCCESS;
    if (!access->target.type->basic)
        return mpi_error(mpi, win->comm, MPI_ERR_TYPE, "target_datatype has several basic types: expected one");
    access->one = &basic_types[access->target.type->basic];
    access->combine = op_combiner(op, access->one);
    if (!access->combine)
        return mpi_error(mpi, win->comm, MPI_ERR_OP, "%s is not defined for %s", op_name(op), access->one->name);
    return MPI_SUCCESS;
}

/* Report it if the two are not made of the same basic types (11.3). */
static void
access_compare_types(struct mpi *mpi, const struct typed_data *data, const struct typed_data *target, const char *what)
{
    uint64_t a = block_note(data->type, data->count), b = block_note(target->type, target->count);

    if (a && b && a != b) {
        if (data->type->basic && target->type->basic)
            peal_advise(mpi->me, PEAL_HINT(same_type_of_target), type_basic_name(data->type->basic),
                        type_basic_name(target->type->basic));
        mpi_find(mpi, PEAL_TYPE_MISMATCH, -1, NULL, "the %s has %zu bytes of %s, the target of %s", what, data->bytes,
                 type_basic_name(data->type->basic), type_basic_name(target->type->basic));
    }
}

/* Check that the data and the target have the same size.  What is written, except by a fetch, may have room for more
 * whole elements, as that of a receive (11.3.1). */
static int
fit_sizes(struct mpi *mpi, struct win_access *access, struct typed_data *data, const char *what)
{
    const bool updates = access_kinds[access->what].post == PEAL_POST_UPDATE;
    struct typed_data *written = access->what == GET ? data : &access->target;
    const size_t bytes = access->what == GET ? access->target.bytes : data->bytes;

    if (!updates && bytes < written->bytes && bytes % written->type->size == 0) {
        written->count = bytes / written->type->size;
        written->bytes = bytes;
    }
    if (data->bytes != access->target.bytes)
        return mpi_error(mpi, access->win->comm, MPI_ERR_TYPE, "the %s has %zu bytes, the target %zu: expected %s",
                         what, data->bytes, access->target.bytes, updates ? "the same" : "room for whole elements");
    if (data->type != access->target.type)
        access_compare_types(mpi, data, &access->target, what);
    return MPI_SUCCESS;
}

/* Check the data of the origin and of the result. */
static int
find_data(struct mpi *mpi, struct win_access *access, const struct arguments *given)
{
    struct comm *comm = access->win->comm;

    if (!access->keeps) {
        TRY(typed_data_check(mpi, comm, given->origin, given->origin_count, given->origin_type, "origin_count",
                             &access->origin));
        TRY(fit_sizes(mpi, access, &access->origin, "origin"));
    }
    if (access_kinds[access->what].post != PEAL_POST_UPDATE)
        return MPI_SUCCESS;
    TRY(typed_data_check(mpi, comm, given->result, given->result_count, given->result_type, "result_count",
                         &access->result));
    return fit_sizes(mpi, access, &access->result, "result");
}

/* The value to compare, followed by the new value. */
static int
find_swap(struct mpi *mpi, struct win_access *access, const struct arguments *given)
{
    const struct type *type = access->target.type;
    enum class class = type->class;
    struct typed_data compare;
    TRY(typed_data_check(mpi, access->win->comm, given->compare, 1, given->type, "count", &compare));
    if (class != CLASS_INTEGER && class != CLASS_LOGICAL && class != CLASS_BYTES && class != CLASS_MULTI) {
        if (!type->number || !type->dense)
            return mpi_error(mpi, access->win->comm, MPI_ERR_TYPE,
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

/* Check the arguments, and find the data. */
static int
access_prepare(struct mpi *mpi, struct win_access *access, const struct arguments *given)
{
    TRY(find_target(mpi, access, given->disp, given->count, given->type));
    if (access->what == ACCUMULATE || access->what == FETCH)
        TRY(find_operator(mpi, access, given->op));
    TRY(find_data(mpi, access, given));
    return access->what == SWAP ? find_swap(mpi, access, given) : MPI_SUCCESS;
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

/* Give the program a request of the access; NULL: it is complete. */
static void
give_request(struct mpi *mpi, struct win *win, struct win_access *access, const struct arguments *given)
{
    struct mpi_request *made = request_of(mpi, win->comm, PEAL_POST_PUT, access ? access->handle : PEAL_NO_HANDLE);

    made->of_window = true;
    made->access = access;
    if (access)
        access->request = made;
    *given->request = made->own;
}

static int
access_begin(struct mpi *mpi, const struct arguments *given)
{
    FIND_WIN(win, given->win);

    if (given->requests && !given->request)
        return mpi_error(mpi, win->comm, MPI_ERR_ARG, "request is NULL");
    TRY(win_check_rank(mpi, win, "target_rank", given->rank));
    TRY(win_check_access(mpi, win, given->rank, given->requests));
    if (given->rank == MPI_PROC_NULL) {
        if (given->requests)
            give_request(mpi, win, NULL, given);
        return MPI_SUCCESS;
    }
    struct win_access *access = mpi_alloc(mpi, sizeof *access);

    *access = (struct win_access){.win = win, .what = given->what, .rank = given->rank};
    int error = access_prepare(mpi, access, given);

    if (error || access->target.bytes == 0) { /* no use of a type is counted yet */
        mpi_free(mpi, access->origin_copy);
        mpi_free(mpi, access);
        access = NULL;
    } else {
        if (access->what != GET && given->op != MPI_NO_OP)
            win_compare_asserted(mpi, win, access->rank, access->what == PUT);
        if (access->what == PUT && access->origin.type == access->target.type)
            counter_put(mpi, win, access->rank, &access->target, access->origin.buffer);
        hold(mpi, access, given);
        access_post(mpi, access);
    }
    if (!error && given->requests)
        give_request(mpi, win, access, given);
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
    MPI_CALL(call, (PARAMETERS parameters, MPI_Win win),                                                               \
             access_begin(mpi, &(struct arguments){__VA_ARGS__, .win = win}));                                         \
    MPI_CALL(rcall, (PARAMETERS parameters, MPI_Win win, MPI_Request * request),                                       \
             access_begin(mpi, &(struct arguments){__VA_ARGS__, .win = win, .request = request, .requests = true}))

ACCESS(Put, Rput, (ORIGIN, TARGET), PUT, FROM, AT, .op = MPI_OP_NULL);
ACCESS(Get, Rget, (void *origin_addr, int origin_count, MPI_Datatype origin_datatype, TARGET), GET, FROM, AT,
       .op = MPI_OP_NULL);
ACCESS(Accumulate, Raccumulate, (ORIGIN, TARGET, MPI_Op op), ACCUMULATE, FROM, AT, .op = op);
ACCESS(Get_accumulate, Rget_accumulate, (ORIGIN, RESULT, TARGET, MPI_Op op), FETCH, FROM, TO, AT, .op = op);

MPI_FUNCTION(int, Fetch_and_op, const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank,
             MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
    struct mpi *mpi = ENTER(Fetch_and_op);

    return access_begin(mpi, &(struct arguments){FETCH, origin_addr, NULL, 1, datatype, result_addr, 1, datatype,
                                                 target_rank, target_disp, 1, datatype, op, win, NULL, false});
}

MPI_FUNCTION(int, Compare_and_swap, const void *origin_addr, const void *compare_addr, void *result_addr,
             MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
    struct mpi *mpi = ENTER(Compare_and_swap);

    return access_begin(mpi, &(struct arguments){SWAP, origin_addr, compare_addr, 1, datatype, result_addr, 1, datatype,
                                                 target_rank, target_disp, 1, datatype, MPI_OP_NULL, win, NULL, false});
}
