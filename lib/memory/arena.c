/* SPDX-License-Identifier: MIT */
/* Hands out each node's memory of a watched run from its own arena, with room between blocks that no node may
 * access. */
#include "lib/memory/arena.h"
#include "lib/base/grow.h"
#include "lib/base/unbacked.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __EMSCRIPTEN__ /* where reserved address space is memory */
static const size_t MAX_BYTES = (size_t)1 << 24, MIN_BYTES = (size_t)1 << 20;
#else
static const size_t MAX_BYTES = (size_t)1 << 30, MIN_BYTES = (size_t)1 << 24;
#endif
enum { PAGE = 4096, REDZONE = 64 };

struct arena {
    char *next, *end;
    struct arena_block *newest, *live;
};

struct large {
    void *memory;
    struct arena_block *block;
};

static struct {
    char *base;
    size_t bytes, stride;
    struct arena *of; /* one per node */
    int nodes;
    struct large *large; /* blocks from malloc */
    size_t large_count, large_capacity;
} arenas;

void
arena_fini(void)
{
    arena_begin();
    if (arenas.base)
        munmap(arenas.base, arenas.bytes);
    free(arenas.of);
    free(arenas.large);
    memset(&arenas, 0, sizeof arenas);
}

enum peal_status
arena_init(int nodes, struct peal_error *error)
{
    arena_fini();
    arenas.of = calloc((size_t)nodes, sizeof *arenas.of);
    for (size_t bytes = MAX_BYTES; arenas.of && bytes >= MIN_BYTES; bytes /= 2) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (memory == MAP_FAILED)
            continue;
        arenas.base = memory;
        arenas.bytes = bytes;
        arenas.stride = bytes / (size_t)nodes / PAGE * PAGE;
        arenas.nodes = nodes;
        arena_begin();
        return PEAL_OK;
    }
    return peal_refuse(error, PEAL_RESOURCES, "no address space for the memory of %d nodes: raise `ulimit -v`", nodes);
}

void
arena_begin(void)
{
    while (arenas.large_count > 0)
        free(arenas.large[--arenas.large_count].memory);
    for (int i = 0; i < arenas.nodes; i++) {
        char *begin = arenas.base + (size_t)i * arenas.stride;

        arenas.of[i] = (struct arena){.next = begin, .end = begin + arenas.stride};
    }
}

int
arena_owner(uintptr_t address)
{
    uintptr_t offset = address - (uintptr_t)arenas.base;

    return arenas.stride > 0 && offset < (uintptr_t)arenas.stride * (uintptr_t)arenas.nodes
               ? (int)(offset / arenas.stride)
               : -1;
}

static uintptr_t
arena_block_check(const struct arena_block *block)
{
    return (uintptr_t)block ^ (uintptr_t)0x9E3779B97F4A7C15;
}

/* Memory from malloc, whose first and last REDZONE bytes are not handed out. */
static char *
get_large(size_t bytes)
{
    if (!array_grow(&arenas.large, &arenas.large_capacity, arenas.large_count + 1, sizeof *arenas.large))
        return NULL;
    char *memory = malloc(bytes);

    if (!memory)
        unbacked_lack(bytes);
    else
        arenas.large[arenas.large_count++].memory = memory;
    return memory;
}

/* Note what is now in the header. */
static struct arena_block *
arena_block_begin(struct arena_block *block, int owner, size_t header, size_t bytes)
{
    struct arena *arena = &arenas.of[owner];

    *block = (struct arena_block){.before = arena->newest,
                                  .header = header,
                                  .bytes = bytes,
                                  .owner = owner,
                                  .live = true,
                                  .check = arena_block_check(block)};
    arena->newest = block;
    return block;
}

/* A block whose memory is not stored, in a run on lengths alone. */
static struct arena_block *
get_unbacked(int owner, size_t header, size_t bytes)
{
    if (!array_grow(&arenas.large, &arenas.large_capacity, arenas.large_count + 1, sizeof *arenas.large))
        return NULL;
    char *data = unbacked_get(sizeof(struct arena_block) + header, bytes, owner);

    if (!data)
        return NULL;
    struct arena_block *block = (struct arena_block *)(void *)(data - header) - 1;

    arenas.large[arenas.large_count++] = (struct large){NULL, block};
    return arena_block_begin(block, owner, header, bytes);
}

struct arena_block *
arena_get(int owner, size_t header, size_t bytes, size_t align)
{
    struct arena *arena = &arenas.of[owner];
    size_t total;

    if (unbacked_holds(bytes))
        return get_unbacked(owner, header, bytes);
    if (__builtin_add_overflow(bytes, sizeof(struct arena_block) + header + align + 2 * (size_t)REDZONE, &total))
        return NULL;
    bool fits = total <= (size_t)(arena->end - arena->next);
    char *memory = fits ? arena->next : get_large(total);

    if (!memory)
        return NULL;
    uintptr_t data = (uintptr_t)memory + (fits ? 0 : REDZONE) + sizeof(struct arena_block) + header;

    data = (data + align - 1) / align * align;
    struct arena_block *block = (struct arena_block *)(data - header) - 1;

    if (!fits)
        arenas.large[arenas.large_count - 1].block = block;
    else
        arena->next = (char *)((data + bytes + 15) / 16 * 16 + 16);
    return arena_block_begin(block, owner, header, bytes);
}

struct arena_block *
arena_block_at(const void *memory)
{
    struct arena_block *block = (struct arena_block *)(uintptr_t)memory - 1;
    int owner = arena_owner((uintptr_t)block);

    if (owner >= 0) /* a block contains its own address */
        return (uintptr_t)block % _Alignof(struct arena_block) == 0 && (const char *)memory < arenas.of[owner].next &&
                       block->check == arena_block_check(block)
                   ? block
                   : NULL;
    for (size_t i = 0; i < arenas.large_count; i++)
        if (arenas.large[i].block + 1 == memory)
            return arenas.large[i].block;
    return NULL;
}

/* The distance in bytes from the address to the block; 0: it lies inside. */
static uintptr_t
arena_block_distance(const struct arena_block *block, uintptr_t address)
{
    uintptr_t begin = (uintptr_t)arena_data(block), end = begin + block->bytes;

    return address < begin ? begin - address : address < end ? 0 : address - end + 1;
}

const struct arena_block *
arena_near(uintptr_t address)
{
    const struct arena_block *nearest = NULL;

    for (int i = 0; i < arenas.nodes; i++)
        for (const struct arena_block *block = arenas.of[i].newest; block; block = block->before)
            if (!nearest || arena_block_distance(block, address) < arena_block_distance(nearest, address))
                nearest = block;
    return nearest;
}

struct arena_block *
arena_live(int owner)
{
    return arenas.of[owner].live;
}

void
arena_hang(struct arena_block *block)
{
    struct arena *arena = &arenas.of[block->owner];

    block->previous = NULL;
    block->next = arena->live;
    if (block->next)
        block->next->previous = block;
    arena->live = block;
}

void
arena_drop(struct arena_block *block)
{
    if (block->previous)
        block->previous->next = block->next;
    else
        arenas.of[block->owner].live = block->next;
    if (block->next)
        block->next->previous = block->previous;
}
