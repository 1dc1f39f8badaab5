/* SPDX-License-Identifier: MIT */
/* Notes the heap blocks of linked programs.  Any number of nodes allocate and free at once: a bit is set and cleared by
 * whoever has the block, and read by nodes that use the block. */
#include "lib/memory/linked_blocks.h"
#include "lib/base/text.h"
#include "lib/machine/image.h"
#include "lib/machine/lookup.h"
#include "lib/machine/machine.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watch.h"
#include "lib/memory/watched_linked.h"
#include "lib/program/lines.h"
#include "lib/program/wraps.h"
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <peal/author.h>
#include <peal/post.h>
#include <peal/watch.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* malloc aligns blocks to 16 bytes: each such granule has a bit, whether a block begins there, and a number, which
 * block.  A chunk of both is made when a block begins in its 16 MiB; pages that nobody writes take no memory. */
enum { SPAN_SHIFT = 24, GRANULE_SHIFT = 4, WORD_SHIFT = GRANULE_SHIFT + 6 };
enum { CHUNKS = 1 << (ADDRESS_BITS - SPAN_SHIFT), GRANULES = 1 << (SPAN_SHIFT - GRANULE_SHIFT), WORDS = GRANULES / 64 };

struct blocks_chunk {
    _Atomic uint64_t begins[WORDS];    /* bits: set last, cleared first */
    _Atomic uint64_t blocks[GRANULES]; /* the bytes, times MAX_CALLS, plus the number of the call */
};

static _Atomic(struct blocks_chunk *) *chunks; /* NULL: nothing is noted.  Set before a program runs, then constant */
static _Atomic size_t longest;                 /* block so far */

/* Behind each block there is room that no other has, so that an address right behind it is known to be outside. */
enum { BEHIND = 16 };

/* The calls that allocated, each for a node: an open hash whose places are filled once.  Number 0 is none. */
enum { MAX_CALLS = 1 << 20 };
static struct blocks_call {
    _Atomic(const char *) code; /* after the call */
    int rank;
} * calls;
static atomic_flag adding = ATOMIC_FLAG_INIT; /* held while a call is added */

/* The number of a call, which may be a new one; 0 where there is no more room. */
static uint64_t
call_number(const char *code, int rank)
{
    uint64_t hash = ((uint64_t)(uintptr_t)code ^ (uint64_t)(unsigned)rank << 32) * UINT64_C(0x9E3779B97F4A7C15);

    for (unsigned tries = 0; tries < 64; tries++) {
        uint64_t at = ((hash >> 40) + tries) % MAX_CALLS;
        struct blocks_call *call = &calls[at];
        const char *there = atomic_load_explicit(&call->code, memory_order_acquire);

        if (at > 0 && !there) {
            while (atomic_flag_test_and_set_explicit(&adding, memory_order_acquire))
                sched_yield();
            there = atomic_load_explicit(&call->code, memory_order_relaxed); /* perhaps another's by now */
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

/* The chunk of an address; NULL: there is none, or, with `make`, no memory for one. */
static struct blocks_chunk *
chunk_of(uintptr_t address, bool make)
{
    uintptr_t i = address >> SPAN_SHIFT;
    struct blocks_chunk *chunk = i < CHUNKS ? atomic_load_explicit(&chunks[i], memory_order_acquire) : NULL,
                        *none = NULL;

    if (!chunk && make && i < CHUNKS) {
        chunk = mmap(NULL, sizeof *chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (chunk == MAP_FAILED)
            return NULL;
        if (!atomic_compare_exchange_strong(&chunks[i], &none, chunk)) {
            munmap(chunk, sizeof *chunk);
            chunk = none;
        }
    }
    return chunk;
}

static _Atomic uint64_t *
word_of(struct blocks_chunk *chunk, uintptr_t address)
{
    return &chunk->begins[address >> WORD_SHIFT & (WORDS - 1)];
}

static uint64_t
bit_of(uintptr_t address)
{
    return UINT64_C(1) << (address >> GRANULE_SHIFT & 63);
}

/* Begin to know the block; whoever sees its bit sees its size and call. */
static void
add(void *memory, size_t bytes, const void *pc)
{
    struct peal_node *me = peal_self();
    uintptr_t address = (uintptr_t)memory;
    struct blocks_chunk *chunk = chunk_of(address, true);
    size_t most = atomic_load_explicit(&longest, memory_order_relaxed);

    if (!chunk)
        return;
    while (bytes > most && !atomic_compare_exchange_weak(&longest, &most, bytes))
        ;
    atomic_store_explicit(&chunk->blocks[address >> GRANULE_SHIFT & (GRANULES - 1)],
                          bytes * MAX_CALLS + call_number(pc, me ? peal_world_rank(me) : -1), memory_order_relaxed);
    atomic_fetch_or_explicit(word_of(chunk, address), bit_of(address), memory_order_release);
}

/* End it; false: it was not known. */
static bool
drop(void *memory)
{
    struct blocks_chunk *chunk = chunks && memory ? chunk_of((uintptr_t)memory, false) : NULL;
    uint64_t bit = bit_of((uintptr_t)memory);

    return chunk && atomic_fetch_and_explicit(word_of(chunk, (uintptr_t)memory), ~bit, memory_order_relaxed) & bit;
}

void *
blocks_malloc(size_t bytes, size_t align, bool zero, const void *pc)
{
    size_t all = bytes + (chunks ? BEHIND : 0);
    void *memory;

    if (all < bytes) {
        errno = ENOMEM;
        return NULL;
    }
    memory = align > 16 ? memalign(align, all) : zero ? calloc(1, all) : malloc(all);
    if (memory && chunks)
        add(memory, bytes, pc);
    return memory;
}

void *
blocks_realloc(void *memory, size_t bytes, const void *pc)
{
    size_t all = bytes + BEHIND;

    if (!memory)
        return blocks_malloc(bytes, 0, false, pc);
    linked_freed(memory, pc);
    if (!drop(memory) || bytes == 0 || all < bytes)
        return realloc(memory, bytes);
    void *more = realloc(memory, all);

    if (more)
        add(more, bytes, pc);
    return more;
}

void
blocks_free(void *memory)
{
    drop(memory);
    free(memory);
}

/* ------------------------------------------------------------------ found */

/* Fill in the block that begins there. */
static void
describe(struct blocks_chunk *chunk, const char *begin, struct peal_block *block)
{
    uint64_t of =
        atomic_load_explicit(&chunk->blocks[(uintptr_t)begin >> GRANULE_SHIFT & (GRANULES - 1)], memory_order_relaxed);
    const struct blocks_call *call = &calls[of % MAX_CALLS];

    block->begin = begin;
    block->bytes = of / MAX_CALLS;
    block->code = atomic_load_explicit(&call->code, memory_order_acquire);
    block->rank = block->code ? call->rank : -1;
    block->variable[0] = '\0';
}

/* Find the block from malloc: an address right behind it is of it, too. */
static bool
find_block(const void *of, struct peal_block *block)
{
    uintptr_t address = (uintptr_t)of;
    size_t most = atomic_load_explicit(&longest, memory_order_relaxed) + BEHIND;
    uint64_t bit = bit_of(address), mask = bit | (bit - 1);

    if (address >> ADDRESS_BITS != 0)
        return false;
    for (uintptr_t at = address >> WORD_SHIFT; at > 0 && address - (at << WORD_SHIFT) <= most + (1 << WORD_SHIFT);
         at--, mask = ~UINT64_C(0)) {
        struct blocks_chunk *chunk = chunk_of(at << WORD_SHIFT, false);
        uint64_t found =
            chunk ? atomic_load_explicit(word_of(chunk, at << WORD_SHIFT), memory_order_acquire) & mask : 0;

        if (found) {
            describe(chunk, (char *)(at << WORD_SHIFT) + ((size_t)(63 - __builtin_clzll(found)) << GRANULE_SHIFT),
                     block);
            return (size_t)((const char *)of - block->begin) < block->bytes + BEHIND;
        }
        if (!chunk) /* on in the chunk before */
            at &= ~(uintptr_t)(WORDS - 1);
    }
    return false;
}

/* The variables that were found before, of one program: reading its symbols takes long. */
static struct {
    const struct image *of;
    size_t count;
    struct lines_variable list[256];
} variables;
static atomic_flag reading = ATOMIC_FLAG_INIT; /* held while they are read or changed */

/* A question for the program's symbols. */
struct symbol_question {
    const char *path; /* NULL: there are none */
    uintptr_t offset;
    struct lines_variable *variable; /* unchanged where it is not found */
};

static void *
read_symbols(void *arg)
{
    const struct symbol_question *question = arg;
    int fd = question->path ? open(question->path, O_RDONLY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        lines_variable(fd, question->offset, question->variable);
        close(fd);
    }
    return NULL;
}

/* Find the variable at this offset of the program. */
static bool
find_variable(struct node *node, uintptr_t offset, struct lines_variable *variable)
{
    enum { MAX = sizeof variables.list / sizeof *variables.list };
    bool found = false;

    while (atomic_flag_test_and_set_explicit(&reading, memory_order_acquire))
        sched_yield();
    if (variables.of != node->machine->image)
        variables.count = 0;
    variables.of = node->machine->image;
    for (size_t i = 0; i < variables.count && !found; i++) {
        *variable = variables.list[i];
        found = offset >= variable->begin && offset - variable->begin < variable->bytes;
    }
    if (!found) {
        struct symbol_question question = {node->machine->symbols, offset, variable};

        *variable = (struct lines_variable){.begin = offset, .bytes = 1}; /* none: remembered, too */
        node->inside = true;
        lookup_apart(read_symbols, &question);
        node->inside = false;
        variables.list[variables.count < MAX ? variables.count++ : offset % MAX] = *variable;
    }
    atomic_flag_clear_explicit(&reading, memory_order_release);
    return variable->name[0];
}

bool
peal_block_find(struct peal_node *me, const void *address, struct peal_block *block)
{
    struct node *node = me->node;
    const struct image_copy *copy;
    struct lines_variable variable;

    if (!chunks)
        return false;
    if (find_block(address, block))
        return true;
    copy = image_copy_at(node->machine->image, (uintptr_t)address);
    if (!copy || !find_variable(node, (uintptr_t)address - copy->base, &variable))
        return false;
    *block = (struct peal_block){
        .begin = (const char *)copy->base + variable.begin, .bytes = variable.bytes, .rank = copy->rank};
    memcpy(block->variable, variable.name, sizeof block->variable);
    return true;
}

void
blocks_look(const void *address, size_t bytes, bool write, const void *pc)
{
    struct peal_node *me = chunks && bytes > 0 ? peal_self() : NULL;
    struct peal_block block;

    if (!me || !find_block(address, &block) || (const char *)address + bytes <= block.begin + block.bytes)
        return;
    const struct peal_place made = {block.rank, block.code, PEAL_CODE};
    struct peal_run_finding finding = {.kind = PEAL_OUT_OF_BOUNDS, .places = &made, .place_count = block.rank >= 0};
    char words[PEAL_BLOCK_TEXT];

    peal_block_text(me, &block, words);
    snprintf(finding.message, sizeof finding.message, "node %d %s %zu byte%s from byte %zu on of %s",
             peal_world_rank(me), write ? "writes" : "reads", bytes, plural(bytes),
             (size_t)((const char *)address - block.begin), words);
    if (write) /* what is behind it would be lost, and with it the finding */
        peal_fail_at(me, PEAL_OUT_OF_BOUNDS, pc, PEAL_CODE, "%s", finding.message);
    peal_add_finding_at(me, &finding, pc, PEAL_CODE);
}

/* Whether two calls are of one line: a loop may have been unrolled.  *last is the last one that was. */
static bool
same_line(struct peal_node *me, const char *code, const char *other, const char **last)
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

    for (uintptr_t i = 0; i < CHUNKS; i++) {
        struct blocks_chunk *chunk = atomic_load_explicit(&chunks[i], memory_order_acquire);

        for (uintptr_t at = 0; chunk && at < WORDS; at++)
            for (uint64_t bits = atomic_load_explicit(&chunk->begins[at], memory_order_acquire); bits;
                 bits &= bits - 1) {
                struct peal_block other;

                describe(chunk,
                         (char *)(i << SPAN_SHIFT | at << WORD_SHIFT) +
                             ((size_t)__builtin_ctzll(bits) << GRANULE_SHIFT),
                         &other);
                count += other.rank == block->rank && other.bytes == block->bytes &&
                         same_line(me, block->code, other.code, &last);
            }
    }
    return count;
}

int
peal_block_text(struct peal_node *me, const struct peal_block *block, char text[PEAL_BLOCK_TEXT])
{
    int alike = block->variable[0] ? 1 : count_alike(me, block);
    struct peal_text words = empty_text(text, PEAL_BLOCK_TEXT);
    char place[SITE_WORDS];

    if (block->variable[0]) {
        peal_append(words, "%s, a variable of %zu byte%s", block->variable, block->bytes, plural(block->bytes));
        return alike;
    }
    peal_append(words, "a block of %zu byte%s, which %s allocated", block->bytes, plural(block->bytes),
                block->rank == peal_world_rank(me) ? "it" : "another node");
    if (block->code && site_of(me->node->machine, block->code, PEAL_CODE).line > 0)
        peal_append(words, " at %s", site_words(me->node->machine, (struct call_site){block->code, PEAL_CODE}, place));
    if (alike > 1)
        peal_append(words, ", one of %d alike", alike);
    return alike;
}

/* ------------------------------------------------------------------ bound */

/* Where a linked program's call of this name goes, in strict runs and of watched programs. */
static void *
address_of(const char *name)
{
    if (getenv("PEAL_STRICT") && !chunks) {
        void *table = mmap(NULL, CHUNKS * sizeof *chunks + MAX_CALLS * sizeof *calls, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (table != MAP_FAILED) {
            chunks = table;
            calls = (struct blocks_call *)(chunks + CHUNKS);
        }
    }
    return linked_watched() || chunks ? watch_call_address(name) : NULL;
}

__attribute__((constructor)) static void
offer(void)
{
    wraps_further = address_of;
}
