/* SPDX-License-Identifier: MIT */
/* Copies of the buffers of a process: filled before a call and emptied after it, piece by piece, since what lies
 * between pieces is the program's. */
#include "mpi/p2p/pieces.h"
#include "mpi/process/node_process.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

enum { LARGE = 1 << 20, VECTORS = 512 };

static bool forbidden; /* the system forbids reading another process's memory: the process itself copies */

void
process_memory_forbid(void)
{
    forbidden = true;
}

/* ------------------------------------------------------------------ bytes */

/* Have the process copy its bytes to or from the room. */
static void
copy_by_room(struct process *process, uint64_t theirs, char *ours, size_t bytes, bool writes)
{
    struct channel *channel = process->channel;

    for (size_t part; bytes > 0; theirs += part, ours += part, bytes -= part) {
        part = bytes < ROOM_BYTES ? bytes : ROOM_BYTES;
        if (writes)
            memcpy(channel->room, ours, part);
        channel->function_at = theirs;
        channel->with[0] = part;
        process->ask(process, writes ? ASK_WRITE : ASK_READ);
        if (!writes)
            memcpy(ours, channel->room, part);
    }
}

/* Copy `count` pieces. */
static bool
process_memory_copy(struct process *process, struct iovec *ours, struct iovec *theirs, size_t count, bool writes)
{
    size_t wanted = 0;

    for (size_t i = 0; i < count; i++)
        wanted += ours[i].iov_len;
    if (wanted == 0 || atomic_load(&process->channel->ended))
        return true;
    if (!forbidden) {
        const pid_t pid = (pid_t)atomic_load(&process->channel->pid);
        ssize_t done = (writes ? process_vm_writev : process_vm_readv)(pid, ours, count, theirs, count, 0);

        if (done == (ssize_t)wanted || (done < 0 && errno == ESRCH))
            return true;
        forbidden = done < 0 && (errno == EPERM || errno == ENOSYS);
        if (!forbidden)
            return false;
    }
    for (size_t i = 0; i < count; i++)
        copy_by_room(process, (uintptr_t)theirs[i].iov_base, ours[i].iov_base, ours[i].iov_len, writes);
    return true;
}

bool
process_read(struct process *process, uint64_t from, void *to, size_t bytes)
{
    return process_memory_copy(process, &(struct iovec){to, bytes}, &(struct iovec){(void *)from, bytes}, 1, false);
}

bool
process_write(struct process *process, uint64_t to, const void *from, size_t bytes)
{
    return process_memory_copy(process, &(struct iovec){(void *)(uintptr_t)from, bytes},
                               &(struct iovec){(void *)to, bytes}, 1, true);
}

/* ------------------------------------------------------------------ memory */

static struct process_block *
block_make(struct process *process, size_t bytes)
{
    struct process_block *block;
    const size_t all = sizeof *block + bytes;

    block = all < LARGE ? calloc(1, all)
                        : mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!block || block == MAP_FAILED)
        mpi_fail(process->mpi, PEAL_OUT_OF_MEMORY, "no memory for a copy of %zu bytes of its process", bytes);
    block->mapped = all < LARGE ? 0 : all;
    return block;
}

void *
process_alloc(struct process *process, size_t bytes)
{
    struct process_block *block = block_make(process, bytes);

    block->next = process->blocks;
    process->blocks = block;
    return block->bytes;
}

void
process_free(struct process_block *blocks)
{
    for (struct process_block *block; (block = blocks);) {
        blocks = block->next;
        if (block->mapped)
            munmap(block, block->mapped);
        else
            free(block);
    }
}

/* ------------------------------------------------------------------ shadows */

/* The bounds of a part, from its first byte to after its last. */
static void
bounds(const struct copied_part *part, ptrdiff_t *low, ptrdiff_t *high)
{
    ptrdiff_t extent = part->type ? type_extent(part->type) : 1, first = part->type ? part->type->true_lb : 0,
              size = part->type ? part->type->true_ub - part->type->true_lb : 1,
              last = first + (ptrdiff_t)(part->count - 1) * extent;

    *low = part->offset + (first < last ? first : last);
    *high = part->offset + (first < last ? last : first) + size;
}

/* The address in the process of a byte of a part. */
static uint64_t
theirs_of(const struct buffer_copy *shadow, const struct copied_part *part, const char *at)
{
    return shadow->theirs + (uint64_t)(at - shadow->copy) + (uint64_t)(part->theirs - part->offset);
}

uint64_t
shadow_address(const struct buffer_copy *shadow, const char *at)
{
    ptrdiff_t low, high;
    size_t i = 0;

    for (; i < shadow->part_count - 1; i++) {
        bounds(&shadow->parts[i], &low, &high);
        if (at >= shadow->copy + low && at < shadow->copy + high)
            break;
    }
    return theirs_of(shadow, &shadow->parts[i], at);
}

/* Pieces that are to be copied. */
struct piece_vectors {
    struct iovec ours[VECTORS], theirs[VECTORS];
    size_t count;
};

/* Copy all pieces of a shadow, in or out, but for those that are left in the vectors. */
static bool
move_most(struct process *process, const struct buffer_copy *shadow, bool writes, struct piece_vectors *left)
{
    bool whole = true;

    for (size_t p = 0; p < shadow->part_count; p++) {
        const struct copied_part *part = &shadow->parts[p];
        struct typed_data data = {shadow->copy + part->offset, part->count, part->type,
                                  part->type ? part->count * part->type->size : part->count};
        struct peal_piece one = {data.buffer, data.bytes};
        struct piece_list list = {.pieces = &one, .count = 1};

        if (part->type)
            pieces_all(process->mpi, &data, &list);
        for (int i = 0; i < list.count; i++) {
            char *at = list.pieces[i].data;
            const uint64_t to = theirs_of(shadow, part, at);
            size_t bytes = list.pieces[i].words;

            if (to < shadow->array_end && to + bytes > shadow->array_end)
                bytes = shadow->array_end - to;
            left->ours[left->count] = (struct iovec){at, bytes};
            left->theirs[left->count++] = (struct iovec){(void *)to, bytes};
            if (left->count == VECTORS) {
                whole &= process_memory_copy(process, left->ours, left->theirs, VECTORS, writes);
                left->count = 0;
            }
        }
        if (part->type)
            pieces_posted(process->mpi, &list);
    }
    return whole;
}

bool
shadow_move(struct process *process, const struct buffer_copy *shadow, bool writes)
{
    struct piece_vectors left;

    left.count = 0;
    const bool whole = move_most(process, shadow, writes, &left);

    return process_memory_copy(process, left.ours, left.theirs, left.count, writes) && whole;
}

/* The pieces as the process can copy them by itself, with what is to be written; false: they are too many, or too
 * long. */
static bool
short_pieces_of(const struct piece_vectors *pieces, struct short_pieces *to, bool writes)
{
    memset(to, 0, offsetof(struct short_pieces, data));
    if (pieces->count > MAX_PIECES)
        return false;
    for (size_t i = 0, used = 0; i < pieces->count; used += pieces->ours[i++].iov_len) {
        if (used + pieces->ours[i].iov_len > PIECES_BYTES)
            return false;
        to->at[i] = (uintptr_t)pieces->theirs[i].iov_base;
        to->bytes[i] = (uint32_t)pieces->ours[i].iov_len;
        if (writes)
            memcpy(to->data + used, pieces->ours[i].iov_base, pieces->ours[i].iov_len);
    }
    to->count = (uint32_t)pieces->count;
    return true;
}

bool
shadows_fill(struct process *process, bool again)
{
    struct short_pieces *ahead = &process->channel->ahead, wanted;
    const unsigned char *data = ahead->data;
    struct piece_vectors left;
    bool whole = true;

    left.count = 0;
    for (const struct buffer_copy *shadow = process->shadows; shadow; shadow = shadow->next) {
        again &= shadow->part_count == 1 && shadow->parts[0].type && shadow->parts[0].type->number;
        whole &= move_most(process, shadow, false, &left);
    }
    again &= short_pieces_of(&left, &wanted, false);
    if (again && ahead->count > 0 && memcmp(ahead, &wanted, offsetof(struct short_pieces, data)) == 0) {
        for (size_t i = 0; i < left.count; data += left.ours[i++].iov_len)
            memcpy(left.ours[i].iov_base, data, left.ours[i].iov_len);
        return whole;
    }
    whole &= process_memory_copy(process, left.ours, left.theirs, left.count, false);
    ahead->count = 0;
    if (again && whole)
        memcpy(ahead, &wanted, offsetof(struct short_pieces, data));
    return whole;
}

void
shadows_empty(struct process *process)
{
    struct piece_vectors left;

    left.count = 0;
    for (const struct buffer_copy *shadow = process->shadows; shadow; shadow = shadow->next)
        if (shadow->out)
            move_most(process, shadow, true, &left);
    if (!short_pieces_of(&left, &process->channel->back, true))
        process_memory_copy(process, left.ours, left.theirs, left.count, true);
}

struct buffer_copy *
shadow_make(struct process *process, uint64_t buffer, const struct copied_part *parts, size_t count, bool out)
{
    ptrdiff_t low = PTRDIFF_MAX, high = PTRDIFF_MIN, first, last;
    struct buffer_copy *shadow = calloc(1, sizeof *shadow + (count ? count : 1) * sizeof *parts);

    if (!shadow)
        mpi_fail(process->mpi, PEAL_OUT_OF_MEMORY, "no memory for a copy of its process's buffer");
    shadow->parts = (struct copied_part *)(shadow + 1);
    shadow->next = process->shadows;
    process->shadows = shadow;
    shadow->theirs = buffer;
    shadow->out = out;
    for (size_t i = 0; i < count; i++)
        if (parts[i].count > 0 && (!parts[i].type || parts[i].type->size > 0)) {
            bounds(&parts[i], &first, &last);
            low = first < low ? first : low;
            high = last > high ? last : high;
            if (parts[i].type)
                type_use(parts[i].type);
            shadow->parts[shadow->part_count++] = parts[i];
        }
    if (high < low) /* no data: only the address is used */
        shadow->copy = (char *)(uintptr_t)buffer;
    else {
        shadow->bytes = (size_t)(high - low);
        shadow->block = block_make(process, shadow->bytes + 16);
        shadow->copy = (char *)((uintptr_t)shadow->block->bytes - (uintptr_t)low);
    }
    return shadow;
}

void
shadow_remember(struct process *process, struct buffer_copy *shadow)
{
    if (!shadow->block)
        return;
    if (!shadow->before)
        shadow->before = block_make(process, shadow->bytes + 16);
    memcpy(shadow->before->bytes, shadow->block->bytes, shadow->bytes);
}

bool
shadow_is_current(struct process *process, const struct buffer_copy *shadow)
{
    const struct process_block *before = shadow->before ? shadow->before : shadow->block;
    struct buffer_copy now = *shadow;

    if (!before)
        return true;
    now.block = block_make(process, shadow->bytes + 16);
    now.copy = now.block->bytes + (shadow->copy - shadow->block->bytes);
    memcpy(now.block->bytes, before->bytes, shadow->bytes); /* what lies between pieces is the same */
    shadow_move(process, &now, false);
    bool current = memcmp(now.block->bytes, before->bytes, shadow->bytes) == 0;

    process_free(now.block);
    return current;
}

static struct buffer_copy *
find_among(struct buffer_copy *shadows, const char *at)
{
    while (shadows && !(shadows->block && at >= shadows->block->bytes && at < shadows->block->bytes + shadows->bytes))
        shadows = shadows->next;
    return shadows;
}

struct buffer_copy *
shadow_find(struct process *process, const char *at)
{
    struct buffer_copy *shadow = find_among(process->shadows, at);

    for (struct kept_call *one = process->pending; one && !shadow; one = one->next)
        shadow = find_among(one->shadows, at);
    return shadow;
}

void
shadows_free(struct process *process, struct buffer_copy *shadows)
{
    for (struct buffer_copy *shadow; (shadow = shadows);) {
        shadows = shadow->next;
        for (size_t i = 0; process && i < shadow->part_count; i++)
            if (shadow->parts[i].type)
                type_drop(process->mpi, shadow->parts[i].type);
        process_free(shadow->block);
        process_free(shadow->before);
        free(shadow);
    }
}

bool
process_array(struct process *process, uint64_t *address, size_t *bytes, char *name, size_t room)
{
    struct channel *channel = process->channel;

    if (channel->place.line == 0) /* it is not Python that calls */
        return false;
    channel->with[0] = *address;
    process->ask(process, ASK_ARRAY);
    snprintf(name, room, "%.*s", (int)room - 1, (const char *)channel->room);
    *address = channel->with[0];
    *bytes = channel->with[1];
    return *bytes > 0;
}
