/* SPDX-License-Identifier: MIT */
/* Allocates and frees for the nodes of a watched run, and remembers the lowest rank that leaves memory. */
#include "lib/memory/heap.h"
#include "lib/base/unbacked.h"
#include "lib/memory/arena.h"
#include "lib/memory/report_fault.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watched_image.h"
#include <peal/hints.h>
#include <stdlib.h>

/* The memory that was not freed. */
static struct {
    int rank; /* the lowest one that left memory; -1: none */
    size_t bytes;
    int count;
    void *pc; /* where it allocated the first such block */
    bool by_new;
} left = {.rank = -1};

void
heap_begin(void)
{
    left.rank = -1;
    arena_begin();
}

static void
heap_mark(const struct arena_block *block, enum region region, bool written)
{
    if (!unbacked_holds(block->bytes))
        shadow_set((uintptr_t)arena_data(block), block->bytes, region, block->owner, written);
}

void *
heap_get(struct node *node, size_t header, size_t bytes, bool zero, bool ours, const char *file, int line)
{
    struct arena_block *block = arena_get(node->rank, header, bytes, 16);

    if (!block)
        return NULL;
    block->file = file ? file : "?";
    block->line = line;
    if (!unbacked_holds(bytes) && (!ours || zero))
        memset(arena_data(block), zero ? 0 : FRESH_BYTE, bytes);
    heap_mark(block, REGION_BLOCK, zero || ours);
    return block + 1;
}

static void
heap_put_block(struct arena_block *block)
{
    block->live = false;
    heap_mark(block, REGION_FREED, false);
}

void
heap_put(struct node *node, void *memory)
{
    (void)node;
    heap_put_block((struct arena_block *)memory - 1);
}

/* Whether the node may free the block this way: by peal_free if it has a header. */
static bool
may_free(const struct node *node, const struct arena_block *block, size_t header)
{
    return block && block->live && block->owner == node->rank && block->header == header;
}

void
heap_frees(struct node *node, void *memory, size_t header, void *pc)
{
    struct arena_block *block = arena_block_at((char *)memory - header);

    if (!may_free(node, block, header))
        report_fault_free(node, (uintptr_t)memory, "peal_free",
                          &(struct access_site){.pc = pc, .freed = block ? block->freed : NULL});
    block->freed = pc;
}

void *
heap_malloc(struct node *node, size_t bytes, size_t align, bool zero, void *pc)
{
    struct arena_block *block = arena_get(node->rank, 0, bytes, align < 16 ? 16 : align);

    if (!block)
        return NULL;
    block->pc = pc;
    if (!unbacked_holds(bytes))
        memset(block + 1, zero ? 0 : FRESH_BYTE, bytes);
    heap_mark(block, REGION_BLOCK, zero);
    arena_hang(block);
    return block + 1;
}

void *
heap_new(struct node *node, size_t bytes, size_t align, void *pc)
{
    struct arena_block *block = heap_malloc(node, bytes, align, false, pc);

    if (block)
        block[-1].by_new = true;
    return block;
}

bool
heap_bytes(const void *memory, size_t *bytes)
{
    const struct arena_block *block = arena_block_at(memory);

    if (block)
        *bytes = block->bytes;
    return block != NULL;
}

void
heap_free(struct node *node, void *memory, void *pc)
{
    struct arena_block *block = arena_block_at(memory);

    if (!block && !shadow_get((uintptr_t)memory / 8 * 8)) { /* allocated by a call of the C library */
        free(memory);
        return;
    }
    if (!may_free(node, block, 0))
        report_fault_free(node, (uintptr_t)memory, "free",
                          &(struct access_site){.pc = pc, .freed = block ? block->freed : NULL});
    block->freed = pc;
    arena_drop(block);
    heap_put_block(block);
}

/* Put the blocks of new that these words point to before the others in *list. */
static void
heap_reach(const uintptr_t *at, const uintptr_t *end, struct arena_block **list)
{
    for (; at < end; at++) {
        struct arena_block *block = arena_block_at((const void *)*at);

        if (block && block->live && block->by_new && !block->reached) {
            block->reached = true;
            block->next_reached = *list;
            *list = block;
        }
    }
}

/* Static objects of C++ are destroyed when the process ends: mark what they, and all that they point to, hold. */
static void
heap_mark_static(int rank)
{
    struct arena_block *list = NULL;
    const uintptr_t *begin, *end;

    image_globals(rank, &begin, &end);
    heap_reach(begin, end, &list);
    while (list) {
        const struct arena_block *block = list;

        list = block->next_reached;
        begin = (const uintptr_t *)(const void *)arena_data(block);
        if (!unbacked_holds(block->bytes))
            heap_reach(begin, begin + block->bytes / sizeof *begin, &list);
    }
}

void
heap_ended(struct node *node)
{
    const struct arena_block *first = arena_live(node->rank);

    if (!first || (left.rank >= 0 && left.rank < node->rank))
        return;
    if (image_there())
        heap_mark_static(node->rank);
    while (first && first->reached)
        first = first->next;
    if (!first)
        return;
    left.rank = node->rank;
    left.bytes = 0;
    left.count = 0;
    for (const struct arena_block *block = first; block; block = block->next) {
        if (block->reached)
            continue;
        left.bytes += block->bytes;
        left.count++;
        left.pc = block->pc; /* the first one that it allocated */
        left.by_new = block->by_new;
    }
}

bool
heap_leaked(bool mpi, struct peal_finding *finding)
{
    if (left.rank < 0)
        return false;
    finding->kind = PEAL_LEAK;
    snprintf(finding->fix, sizeof finding->fix, "%s", mpi ? PEAL_HINT(free_block_mpi) : PEAL_HINT(free_block));
    snprintf(finding->message, sizeof finding->message,
             "node %d ends and has not freed %d block%s from %s, %zu byte%s in all", left.rank, left.count,
             plural(left.count), left.by_new ? "new" : "malloc", left.bytes, plural(left.bytes));
    if (!image_line(left.pc, finding->file, sizeof finding->file, &finding->line))
        finding->line = 0;
    return true;
}
