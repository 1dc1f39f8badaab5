/* SPDX-License-Identifier: MIT */
/* Notes the heap blocks of linked programs.  Any number of nodes allocate and free at once: the owner of a block sets
 * and clears its bit, and nodes that use the block read it. */
#include "lib/memory/linked_blocks.h"
#include "lib/base/text.h"
#include "lib/machine/rules.h"
#include "lib/machine/stacks.h"
#include "lib/memory/named_blocks.h"
#include "lib/memory/shadow.h"
#include <malloc.h>
#include <peal/author.h>
#include <peal/hints.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* malloc aligns blocks to 16 bytes: each such granule has a bit (a block begins there), and the size and origin of that
 * block.  A chunk of these is made when a block begins in its 16 MiB; pages that nobody writes take no memory. */
enum { SPAN_SHIFT = 24, GRANULE_SHIFT = 4, WORD_SHIFT = GRANULE_SHIFT + 6 };
enum { CHUNKS = 1 << (ADDRESS_BITS - SPAN_SHIFT), GRANULES = 1 << (SPAN_SHIFT - GRANULE_SHIFT), WORDS = GRANULES / 64 };

struct blocks_chunk {
    _Atomic uint64_t begins[WORDS];    /* bits: set last, cleared first */
    _Atomic uint32_t sizes[GRANULES];  /* in bytes; from 2 GiB on rounded up: see blocks_unpack_size */
    _Atomic uint32_t origin[GRANULES]; /* the number of the call, and the kind of allocation; seldom read */
    uintptr_t begin;                   /* the first address; constant once the chunk is in the list of all */
    struct blocks_chunk *previous;     /* the one made before it; likewise */
};

static _Atomic(struct blocks_chunk *) *chunks; /* NULL: nothing is noted.  Set before a program runs, then constant */
static _Atomic(struct blocks_chunk *) newest;  /* of all that were made */
static _Atomic size_t longest;                 /* the longest block so far */

/* Behind each block there is room that belongs to no other, so that an address right behind it is known to be outside:
 * in watched runs more, for accesses further behind it.  Not behind mappings.  8 bytes more seldom make malloc's block
 * larger. */
enum { BEHIND = PEAL_BLOCK_BEHIND, BEHIND_WATCHED = 64 };
static size_t behind = BEHIND; /* bytes behind a block */
size_t blocks_added = BEHIND;  /* to the size asked of malloc: 0 where a sanitizer adds such room, and watches it */

enum { COARSE_SHIFT = 12 }; /* the unit of sizes with this bit */
static const uint32_t coarse = UINT32_C(1) << 31;

static uint32_t
size_word(size_t bytes)
{
    return bytes < coarse ? (uint32_t)bytes : coarse | (uint32_t)((bytes + (1 << COARSE_SHIFT) - 1) >> COARSE_SHIFT);
}

static size_t
blocks_unpack_size(uint32_t word)
{
    return word & coarse ? (size_t)(word & ~coarse) << COARSE_SHIFT : word;
}

/* The calls that allocated, each for a node: an open hash whose places are filled once.  Number 0 means none. */
enum { MAX_CALLS = 1 << 20 };
static struct blocks_call {
    _Atomic(const char *) code; /* after the call */
    int rank;
} * calls;
static atomic_flag adding = ATOMIC_FLAG_INIT; /* held while a call is added */

bool
blocks_begin(bool watched, bool roomy)
{
    void *table = chunks ? NULL
                         : mmap(NULL, CHUNKS * sizeof *chunks + MAX_CALLS * sizeof *calls, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (table && table != MAP_FAILED) {
        behind = watched ? BEHIND_WATCHED : BEHIND;
        blocks_added = roomy ? 0 : behind;
        chunks = table;
        calls = (struct blocks_call *)(chunks + CHUNKS);
    }
    return chunks;
}

bool
blocks_are_kept(void)
{
    return chunks;
}

/* The number of a call, which may be a new one; 0 where there is no more room. */
static uint32_t
call_number(const char *code, int rank)
{
    uint64_t hash = ((uint64_t)(uintptr_t)code ^ (uint64_t)(unsigned)rank << 32) * UINT64_C(0x9E3779B97F4A7C15);

    for (unsigned tries = 0; tries < 64; tries++) {
        uint32_t at = (uint32_t)((hash >> 40) + tries) % MAX_CALLS;
        struct blocks_call *call = &calls[at];
        const char *there = atomic_load_explicit(&call->code, memory_order_acquire);

        if (at > 0 && !there) {
            while (atomic_flag_test_and_set_explicit(&adding, memory_order_acquire))
                sched_yield();
            there = atomic_load_explicit(&call->code, memory_order_relaxed); /* another may have filled it by now */
            if (!there) {
                call->rank = rank;
                atomic_store_explicit(&call->code, there = code, memory_order_release); /* shows the rank */
            }
            atomic_flag_clear_explicit(&adding, memory_order_release);
        }
        if (there == code && call->rank == rank)
            return at;
    }
    return 0;
}

/* The chunk of an address; NULL: there is none. */
static inline struct blocks_chunk *
chunk_of(uintptr_t address)
{
    uintptr_t i = address >> SPAN_SHIFT;

    return i < CHUNKS ? atomic_load_explicit(&chunks[i], memory_order_acquire) : NULL;
}

/* Make it, unless another node has; NULL: no memory. */
static __attribute__((noinline)) struct blocks_chunk *
chunk_make(uintptr_t address)
{
    uintptr_t i = address >> SPAN_SHIFT;
    struct blocks_chunk *none = NULL, *chunk;

    if (i >= CHUNKS)
        return NULL;
    chunk = mmap(NULL, sizeof *chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (chunk == MAP_FAILED)
        return NULL;
    if (!atomic_compare_exchange_strong(&chunks[i], &none, chunk)) {
        munmap(chunk, sizeof *chunk);
        return none;
    }
    chunk->begin = i << SPAN_SHIFT;
    chunk->previous = atomic_load(&newest);
    while (!atomic_compare_exchange_weak(&newest, &chunk->previous, chunk))
        ;
    return chunk;
}

static _Atomic uint64_t *
blocks_chunk_word(struct blocks_chunk *chunk, uintptr_t address)
{
    return &chunk->begins[address >> WORD_SHIFT & (WORDS - 1)];
}

static size_t
granule_of(uintptr_t address)
{
    return address >> GRANULE_SHIFT & (GRANULES - 1);
}

static uint64_t
blocks_word_bit(uintptr_t address)
{
    return UINT64_C(1) << (address >> GRANULE_SHIFT & 63);
}

void
blocks_clear(uintptr_t begin, uintptr_t end)
{
    for (uintptr_t at = begin; at < end; at = (at | ((UINT64_C(1) << WORD_SHIFT) - 1)) + 1) {
        struct blocks_chunk *chunk = chunk_of(at);
        uint64_t mask = ~(blocks_word_bit(at) - 1);

        if (!chunk) {
            at |= (UINT64_C(1) << SPAN_SHIFT) - 1;
            continue;
        }
        if (end >> WORD_SHIFT == at >> WORD_SHIFT)
            mask &= blocks_word_bit(end) - 1;
        if (atomic_load_explicit(blocks_chunk_word(chunk, at), memory_order_relaxed) & mask)
            atomic_fetch_and_explicit(blocks_chunk_word(chunk, at), ~mask, memory_order_relaxed);
    }
}

void
blocks_add(void *memory, size_t bytes, uint32_t from, const void *pc)
{
    struct peal_node *me = peal_self();
    uintptr_t address = (uintptr_t)memory;
    struct blocks_chunk *chunk = chunk_of(address);
    size_t most = atomic_load_explicit(&longest, memory_order_relaxed);

    if (!chunk && !(chunk = chunk_make(address)))
        return;
    while (bytes > most && !atomic_compare_exchange_weak(&longest, &most, bytes))
        ;
    blocks_clear(address + (1 << GRANULE_SHIFT), address + bytes);
    atomic_store_explicit(&chunk->sizes[granule_of(address)], size_word(bytes), memory_order_relaxed);
    atomic_store_explicit(&chunk->origin[granule_of(address)], from | call_number(pc, me ? peal_world_rank(me) : -1),
                          memory_order_relaxed);
    atomic_fetch_or_explicit(blocks_chunk_word(chunk, address), blocks_word_bit(address), memory_order_release);
}

bool
blocks_drop(const void *memory)
{
    struct blocks_chunk *chunk = chunks && memory ? chunk_of((uintptr_t)memory) : NULL;
    uint64_t bit = blocks_word_bit((uintptr_t)memory);

    return chunk &&
           atomic_fetch_and_explicit(blocks_chunk_word(chunk, (uintptr_t)memory), ~bit, memory_order_relaxed) & bit;
}

bool
blocks_find_whole(const void *begin, struct peal_block *block)
{
    return begin && chunks && blocks_find(begin, block) && block->begin == begin;
}

/* The origin of a block: its call, and FROM_MALLOC or FROM_MMAP. */
static uint32_t
blocks_origin(const void *begin)
{
    struct blocks_chunk *chunk = chunk_of((uintptr_t)begin);

    return chunk ? atomic_load_explicit(&chunk->origin[granule_of((uintptr_t)begin)], memory_order_relaxed) : 0;
}

void
blocks_forget(const struct peal_block *block)
{
    size_t behind_it = blocks_origin(block->begin) & FROM_MALLOC ? blocks_added : BEHIND;

    if (shadow_chunks)
        shadow_forget((uintptr_t)block->begin - 8, block->bytes + behind_it + 8);
    blocks_drop(block->begin);
}

void
blocks_return(void *memory)
{
    struct peal_block block;

    if (shadow_chunks && blocks_find_whole(memory, &block))
        blocks_forget(&block);
    blocks_drop(memory);
    free(memory);
}

/* ------------------------------------------------------------------ found */

/* Fill in the call that allocated a block. */
static void
find_origin(struct peal_block *block)
{
    const struct blocks_call *call = &calls[blocks_origin(block->begin) % MAX_CALLS];

    block->code = atomic_load_explicit(&call->code, memory_order_acquire);
    block->rank = block->code ? call->rank : -1;
}

/* Fill in the block that begins there, without its origin. */
static void
blocks_describe(struct blocks_chunk *chunk, const char *begin, struct peal_block *block)
{
    block->kind = PEAL_BLOCK_ALLOCATED;
    block->begin = begin;
    block->bytes =
        blocks_unpack_size(atomic_load_explicit(&chunk->sizes[granule_of((uintptr_t)begin)], memory_order_relaxed));
    block->code = NULL;
    block->rank = -1;
    block->name[0] = '\0';
}

/* The last block that was found far before an address: a large one is often looked up again. */
static _Thread_local const char *large;

/* Whether the address lies in that block, and it still exists. */
static bool
is_in_large(uintptr_t address, struct peal_block *block)
{
    uintptr_t begin = (uintptr_t)large;
    struct blocks_chunk *chunk = large ? chunk_of(begin) : NULL;

    if (!chunk ||
        !(atomic_load_explicit(blocks_chunk_word(chunk, begin), memory_order_acquire) & blocks_word_bit(begin)))
        return false;
    blocks_describe(chunk, large, block);
    return address >= begin && address - begin < block->bytes;
}

bool
blocks_find(const void *of, struct peal_block *block)
{
    enum { FAR = 16 };
    uintptr_t address = (uintptr_t)of;
    size_t most = atomic_load_explicit(&longest, memory_order_relaxed) + behind;
    uint64_t bit = blocks_word_bit(address), mask = bit | (bit - 1);
    int steps = 0;

    if (address >> ADDRESS_BITS != 0)
        return false;
    for (uintptr_t at = address >> WORD_SHIFT; at > 0 && address - (at << WORD_SHIFT) <= most + (1 << WORD_SHIFT);
         at--, mask = ~UINT64_C(0)) {
        struct blocks_chunk *chunk = chunk_of(at << WORD_SHIFT);
        uint64_t found =
            chunk ? atomic_load_explicit(blocks_chunk_word(chunk, at << WORD_SHIFT), memory_order_acquire) & mask : 0;

        if (found) {
            blocks_describe(
                chunk, (char *)(at << WORD_SHIFT) + ((size_t)(63 - __builtin_clzll(found)) << GRANULE_SHIFT), block);
            size_t far = (size_t)((const char *)of - block->begin);
            uint32_t origin = far < block->bytes ? 0 : blocks_origin(block->begin);

            if (steps > FAR)
                large = block->begin;
            return far < block->bytes ||
                   (!(origin & FROM_MMAP) && far < block->bytes + (origin & FROM_MALLOC ? behind : BEHIND));
        }
        if (++steps == FAR && is_in_large(address, block))
            return true;
        if (!chunk) /* continue in the chunk before */
            at &= ~(uintptr_t)(WORDS - 1);
    }
    return false;
}

/* Whether a block from malloc still exists: another library may have freed it.  The allocator knows its size. */
static bool
is_still(const struct peal_block *block)
{
    if (block->kind != PEAL_BLOCK_ALLOCATED || !(blocks_origin(block->begin) & FROM_MALLOC))
        return true;
    if (stack_guard_holds(block->begin - sizeof(size_t)))
        return false;
    size_t usable = malloc_usable_size((void *)(uintptr_t)block->begin);

    return usable >= block->bytes + blocks_added && usable - block->bytes < block->bytes / 2 + 8192;
}

bool
blocks_near(uintptr_t address, struct peal_block *block)
{
    enum { BEFORE = 16 };
    struct peal_block next;
    bool found = chunks && blocks_find((void *)address, block);

    /* Only the next block can be nearer than the one that begins before the address. */
    if (chunks && blocks_find((void *)(address + BEFORE), &next) && (uintptr_t)next.begin > address &&
        (!found || (uintptr_t)next.begin - address < address - (uintptr_t)(block->begin + block->bytes))) {
        *block = next;
        found = true;
    }
    if (found && !is_still(block)) {
        blocks_forget(block);
        return false;
    }
    if (found)
        find_origin(block);
    return found;
}

bool
peal_block_find(struct peal_node *me, const void *address, const void *call, struct peal_block *block)
{
    if (!chunks)
        return false;
    if (named_on_stack(me->node, address)) {
        named_find_on_stack(me->node, address, call, block);
        return true;
    }
    return blocks_find(address, block) || named_find(me->node, address, block);
}

void
blocks_look(const void *address, size_t bytes, bool write, const void *pc)
{
    struct peal_node *me = chunks && bytes > 0 ? peal_self() : NULL;
    struct peal_block block;
    char words[PEAL_BLOCK_TEXT];

    if (!me || !blocks_find(address, &block) || (const char *)address + bytes <= block.begin + block.bytes ||
        peal_block_text(me, &block, words) == 0)
        return;
    const struct peal_place made = {block.rank, block.code, PEAL_CODE};
    struct peal_run_finding finding = {.kind = PEAL_OUT_OF_BOUNDS, .places = &made, .place_count = block.rank >= 0};

    snprintf(finding.message, sizeof finding.message, "node %d %s %zu byte%s from byte %zu on of %s",
             peal_world_rank(me), write ? "writes" : "reads", bytes, plural(bytes),
             (size_t)((const char *)address - block.begin), words);
    /* one of several equal parts, all of which would lie inside if the elements were half as long */
    size_t at = (size_t)((const char *)address - block.begin), handle = sizeof(void *);

    if (at > 0 && at % bytes == 0 && bytes % handle == 0 && (at + bytes) / 2 <= block.bytes)
        peal_advise(me, PEAL_HINT(copied_bytes), handle);
    if (write) /* the write would destroy what is behind it, and so the finding */
        peal_fail_at(me, PEAL_OUT_OF_BOUNDS, pc, PEAL_CODE, "%s", finding.message);
    peal_add_finding_at(me, &finding, pc, PEAL_CODE);
}

/* Whether two calls are of one line: a loop may have been unrolled.  *last is the last match. */
static bool
blocks_same_line(struct peal_node *me, const char *code, const char *other, const char **last)
{
    const char *files[2];
    int lines[2];

    if (other == code || other == *last)
        return true;
    if (!peal_code_line(me, code, &files[0], &lines[0]) || !peal_code_line(me, other, &files[1], &lines[1]) ||
        lines[0] != lines[1] || strcmp(files[0], files[1]) != 0)
        return false;
    *last = other;
    return true;
}

/* The number of blocks of the same size that the same node has from the same line, this one included. */
static int
count_alike(struct peal_node *me, const struct peal_block *block)
{
    const char *last = NULL;
    int count = 0;

    for (struct blocks_chunk *chunk = atomic_load(&newest); chunk; chunk = chunk->previous)
        for (uintptr_t at = 0; at < WORDS; at++)
            for (uint64_t bits = atomic_load_explicit(&chunk->begins[at], memory_order_acquire); bits;
                 bits &= bits - 1) {
                struct peal_block other;

                blocks_describe(
                    chunk, (char *)(chunk->begin | at << WORD_SHIFT) + ((size_t)__builtin_ctzll(bits) << GRANULE_SHIFT),
                    &other);
                find_origin(&other);
                count += other.rank == block->rank && other.bytes == block->bytes &&
                         blocks_same_line(me, block->code, other.code, &last);
            }
    return count;
}

int
peal_block_text(struct peal_node *me, struct peal_block *block, char text[PEAL_BLOCK_TEXT])
{
    struct peal_text words = empty_text(text, PEAL_BLOCK_TEXT);
    char place[SITE_WORDS];
    int alike = 1;

    if (!is_still(block))
        return 0;
    if (block->kind == PEAL_BLOCK_ALLOCATED) {
        find_origin(block);
        alike = count_alike(me, block);
        if (block->code && site_is_of_system(me->node->machine, block->code, PEAL_CODE))
            block->code = NULL;
    }
    switch (block->kind) {
    case PEAL_BLOCK_VARIABLE:
        peal_append(words, "%s, a variable of %zu byte%s", block->name, block->bytes, plural(block->bytes));
        break;
    case PEAL_BLOCK_FRAME:
        peal_append(words, "the last %zu byte%s of the stack frame of %s", block->bytes, plural(block->bytes),
                    block->name[0] ? block->name : "a function");
        break;
    case PEAL_BLOCK_STACK:
    case PEAL_BLOCK_ENDED:
        peal_append(words, "its stack of %zu bytes", block->bytes);
        break;
    case PEAL_BLOCK_ALLOCATED:
        peal_append(words, "a block of %zu byte%s, which %s allocated", block->bytes, plural(block->bytes),
                    block->rank == peal_world_rank(me) ? "it" : "another node");
        if (block->code && site_of(me->node->machine, block->code, PEAL_CODE).line > 0)
            peal_append(words, " at %s",
                        site_words(me->node->machine, (struct call_site){block->code, PEAL_CODE}, place));
        if (alike > 1)
            peal_append(words, ", one of %d alike", alike);
        break;
    }
    return alike;
}
