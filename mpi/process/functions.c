/* SPDX-License-Identifier: MIT */
/* Functions of a program that is a process: the process calls them. */
#include "mpi/process/process_windows.h"
#include "mpi/process/served.h"
#include <peal/watch.h>
#include <string.h>

/* Have the process call a function with these arguments; gives the error that it returns. */
static int
call(struct mpi *mpi, const void *function, const uint64_t with[6])
{
    struct channel *channel = mpi->process->channel;

    channel->function_at = (uintptr_t)function;
    memcpy(channel->with, with, sizeof channel->with);
    mpi->process->ask(mpi->process, ASK_CALL);
    return (int)number_in(mpi->process, ELEMENT_ERROR, (int)channel->result);
}
#define CALL(mpi, function, ...) call(mpi, (const void *)(function), (const uint64_t[6]){__VA_ARGS__})

/* The process's own handle for it. */
static uint64_t
theirs(const struct mpi *mpi, uint64_t handle)
{
    return handle_out(mpi->process, handle);
}

/* The address in the process of a place in the channel. */
static uint64_t
in_process(const struct mpi *mpi, const void *place)
{
    const struct channel *channel = mpi->process->channel;

    return channel->self + (uint64_t)((const char *)place - (const char *)channel);
}

/* The operands go through the room, as many as it holds at a time. */
static void
operate(struct mpi *mpi, MPI_User_function *function, void *in, void *inout, int count, MPI_Datatype handle)
{
    enum { HALF = ROOM_BYTES / 2 };
    const struct type *type = type_find(mpi, handle);
    struct channel *channel = mpi->process->channel;
    unsigned char *room = channel->room;
    size_t extent = (size_t)type_extent(type),
           rest = (size_t)(type->true_ub - type->lb) > extent ? (size_t)(type->true_ub - type->lb) - extent : 0,
           most = extent ? (HALF - rest) / extent : (size_t)count;
    ptrdiff_t lb = type->lb;

    if (most == 0 || HALF < rest)
        mpi_fail(mpi, PEAL_UNSUPPORTED,
                 "the operator's elements of %zu bytes are larger than the %d that a process can be given",
                 extent + rest, HALF);
    for (size_t done = 0; done < (size_t)count;) {
        size_t part = (size_t)count - done < most ? (size_t)count - done : most, bytes = part * extent + rest;
        char *from = (char *)in + lb + done * extent, *to = (char *)inout + lb + done * extent;

        memcpy(room, from, bytes);
        memcpy(room + HALF, to, bytes);
        channel->cells[0] = part; /* read as an int, or as an MPI_Count */
        channel->cells[1] = theirs(mpi, (uintptr_t)handle);
        CALL(mpi, function, in_process(mpi, room - lb), in_process(mpi, room + HALF - lb),
             in_process(mpi, &channel->cells[0]), in_process(mpi, &channel->cells[1]));
        memcpy(to, room + HALF, bytes);
        done += part;
    }
}

static void
handle_error(struct mpi *mpi, MPI_Comm_errhandler_function *function, uintptr_t object, int code)
{
    uint64_t *cells = mpi->process->channel->cells;

    cells[0] = theirs(mpi, object);
    cells[1] = (uint64_t)number_out(mpi->process, ELEMENT_ERROR, code);
    CALL(mpi, function, in_process(mpi, &cells[0]), in_process(mpi, &cells[1]));
}

static int
functions_copy(struct mpi *mpi, MPI_Comm_copy_attr_function *function, uintptr_t object, int key, void *extra, void *in,
               void **out, int *flag)
{
    uint64_t *cells = mpi->process->channel->cells;
    int result = MPI_SUCCESS;

    cells[0] = (uintptr_t)in;
    cells[1] = 1;
    if ((uintptr_t)function != 1) { /* the standard ABI's function that copies the value */
        cells[0] = cells[1] = 0;
        result = CALL(mpi, function, theirs(mpi, object), (uint64_t)key, (uintptr_t)extra, (uintptr_t)in,
                      in_process(mpi, &cells[0]), in_process(mpi, &cells[1]));
    }
    *out = (void *)cells[0];
    *flag = (int)cells[1];
    return result;
}

static int
remove_value(struct mpi *mpi, MPI_Comm_delete_attr_function *function, uintptr_t object, int key, void *value,
             void *extra)
{
    return CALL(mpi, function, theirs(mpi, object), (uint64_t)key, (uintptr_t)value, (uintptr_t)extra);
}

static int
query(struct mpi *mpi, MPI_Grequest_query_function *function, void *extra, MPI_Status *status)
{
    void *room = mpi->process->channel->room;

    elements_out(mpi->process, ELEMENT_STATUS, sizeof *status, status, room, 1);
    int result = CALL(mpi, function, (uintptr_t)extra, in_process(mpi, room));

    elements_in(mpi->process, ELEMENT_STATUS, sizeof *status, room, status, 1);
    return result;
}

static int
free_request(struct mpi *mpi, MPI_Grequest_free_function *function, void *extra)
{
    return CALL(mpi, function, (uintptr_t)extra);
}

static int
cancel(struct mpi *mpi, MPI_Grequest_cancel_function *function, void *extra, int complete)
{
    return CALL(mpi, function, (uintptr_t)extra, (uint64_t)complete);
}

static bool
functions_array(struct mpi *mpi, const char *data, const char *address, struct peal_block *block)
{
    struct buffer_copy *shadow = shadow_find(mpi->process, data);
    const uint64_t theirs = shadow ? shadow_address(shadow, data) + (uint64_t)(address - data) : 0;
    uint64_t begin = theirs;

    *block = (struct peal_block){.kind = PEAL_BLOCK_VARIABLE, .rank = -1};
    if (!shadow || !process_array(mpi->process, &begin, &block->bytes, block->name, sizeof block->name))
        return false;
    block->begin = address - (theirs - begin);
    shadow->array_end = begin + block->bytes;
    return true;
}

const struct outside_calls process_calls = {operate,      handle_error, functions_copy,  remove_value, query,
                                            free_request, cancel,       shared_allocate, shared_free,  functions_array};
