/* SPDX-License-Identifier: MIT */
/* Functions of a program that is a process: the process calls them. */
#include "mpi/process/functions.h"
#include "mpi/process/process_windows.h"
#include "mpi/process/served.h"
#include <peal/watch.h>
#include <string.h>

/* Ask the process to call a function; gives the error that it returns. */
static int
call(struct mpi *mpi, enum process_request what, void (*function)(void), const uint64_t with[5])
{
    struct channel *channel = mpi->process->channel;

    channel->function_at = (uintptr_t)function;
    memcpy(channel->with, with, sizeof channel->with);
    mpi->process->ask(mpi->process, what);
    return (int)number_in(mpi->process, ELEMENT_ERROR, (int)channel->result);
}

/* The process's own handle for it. */
static uint64_t
theirs(const struct mpi *mpi, uint64_t handle)
{
    return handle_out(mpi->process, handle);
}

/* The operands go through the room, as many as it holds at a time. */
static void
operate(struct mpi *mpi, MPI_User_function *function, void *in, void *inout, int count, MPI_Datatype handle)
{
    const struct type *type = type_find(mpi, handle);
    struct channel *channel = mpi->process->channel;
    size_t extent = (size_t)type_extent(type),
           rest = (size_t)(type->true_ub - type->lb) > extent ? (size_t)(type->true_ub - type->lb) - extent : 0,
           most = extent ? (ROOM_BYTES / 2 - rest) / extent : (size_t)count;
    ptrdiff_t lb = type->lb;

    if (most == 0 || ROOM_BYTES / 2 < rest)
        mpi_fail(mpi, PEAL_UNSUPPORTED,
                 "the operator's elements of %zu bytes are larger than the %d that a process can be given",
                 extent + rest, ROOM_BYTES / 2);
    for (size_t done = 0; done < (size_t)count;) {
        size_t part = (size_t)count - done < most ? (size_t)count - done : most, bytes = part * extent + rest;
        char *from = (char *)in + lb + done * extent, *to = (char *)inout + lb + done * extent;
        const uint64_t with[5] = {part, theirs(mpi, (uintptr_t)handle), (uint64_t)-lb};

        memcpy(channel->room, from, bytes);
        memcpy(channel->room + ROOM_BYTES / 2, to, bytes);
        call(mpi, ASK_OPERATE, (void (*)(void))function, with);
        memcpy(to, channel->room + ROOM_BYTES / 2, bytes);
        done += part;
    }
}

static void
handle_error(struct mpi *mpi, MPI_Comm_errhandler_function *function, uintptr_t object, int code)
{
    call(mpi, ASK_HANDLE, (void (*)(void))function,
         (const uint64_t[5]){theirs(mpi, object), (uint64_t)number_out(mpi->process, ELEMENT_ERROR, code)});
}

static int
functions_copy(struct mpi *mpi, MPI_Comm_copy_attr_function *function, uintptr_t object, int key, void *extra, void *in,
               void **out, int *flag)
{
    int result = call(mpi, ASK_COPY, (void (*)(void))function,
                      (const uint64_t[5]){theirs(mpi, object), (uint64_t)key, (uintptr_t)extra, (uintptr_t)in});

    *out = (void *)mpi->process->channel->with[0];
    *flag = (int)mpi->process->channel->with[1];
    return result;
}

static int
remove_value(struct mpi *mpi, MPI_Comm_delete_attr_function *function, uintptr_t object, int key, void *value,
             void *extra)
{
    return call(mpi, ASK_DELETE, (void (*)(void))function,
                (const uint64_t[5]){theirs(mpi, object), (uint64_t)key, (uintptr_t)extra, (uintptr_t)value});
}

static int
query(struct mpi *mpi, MPI_Grequest_query_function *function, void *extra, MPI_Status *status)
{
    void *room = mpi->process->channel->room;

    elements_out(mpi->process, ELEMENT_STATUS, sizeof *status, status, room, 1);
    int result = call(mpi, ASK_QUERY, (void (*)(void))function, (const uint64_t[5]){[2] = (uintptr_t)extra});

    elements_in(mpi->process, ELEMENT_STATUS, sizeof *status, room, status, 1);
    return result;
}

static int
free_request(struct mpi *mpi, MPI_Grequest_free_function *function, void *extra)
{
    return call(mpi, ASK_FREE, (void (*)(void))function, (const uint64_t[5]){[2] = (uintptr_t)extra});
}

static int
cancel(struct mpi *mpi, MPI_Grequest_cancel_function *function, void *extra, int complete)
{
    return call(mpi, ASK_CANCEL, (void (*)(void))function,
                (const uint64_t[5]){0, (uint64_t)complete, (uintptr_t)extra});
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
