/* SPDX-License-Identifier: MIT */
/* Notes the heap blocks of linked programs.  Any number of nodes allocate and free at once: a bit is set and cleared by
 * whoever has the block, and read by nodes that use the block. */
#include "lib/memory/linked_blocks.h"
#include "lib/machine/image.h"
#include "lib/machine/machine.h"
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

/* malloc aligns blocks to 16 bytes: one bit for each.  A chunk of the table is made when a block begins in its
 * 16 MiB. */
enum { ADDRESS_BITS = 47, CHUNK_SHIFT = 24, WORD_SHIFT = 4 + 6 }; /* a word of bits is of a KiB */
enum { CHUNKS = 1 << (ADDRESS_BITS - CHUNK_SHIFT), WORDS = 1 << (CHUNK_SHIFT - WORD_SHIFT) };

struct blocks_chunk {
    _Atomic uint64_t begins[WORDS];
};

static _Atomic(struct blocks_chunk *) *chunks; /* NULL: nothing is noted.  Set before a program runs, then constant */
static _Atomic size_t longest;                 /* block so far */

/* At the end of a block. */
struct block_note {
    uint64_t check;
    size_t bytes;
    const char *code; /* after the call */
    int rank;         /* -1: no node's */
};

static uint64_t
check_of(const void *memory, const struct block_note *note)
{
    uint64_t x = (uint64_t)(uintptr_t)memory ^ note->bytes * UINT64_C(0x9E3779B97F4A7C15) ^
                 (uint64_t)(uintptr_t)note->code ^ (uint64_t)note->rank << 48;

    return (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9) | 1;
}

static char *
note_of(void *memory)
{
    return (char *)memory + (malloc_usable_size(memory) - sizeof(struct block_note)) / 8 * 8;
}

/* The word of the table for an address; NULL: it has no chunk, or, with `make`, no memory for one. */
static _Atomic uint64_t *
word_of(uintptr_t address, bool make)
{
    uintptr_t i = address >> CHUNK_SHIFT;
    struct blocks_chunk *chunk = i < CHUNKS ? atomic_load_explicit(&chunks[i], memory_order_acquire) : NULL,
                        *none = NULL;

    if (!chunk && make && i < CHUNKS) {
        chunk = mmap(NULL, sizeof *chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk == MAP_FAILED)
            return NULL;
        if (!atomic_compare_exchange_strong(&chunks[i], &none, chunk)) {
            munmap(chunk, sizeof *chunk);
            chunk = none;
        }
    }
    return chunk ? &chunk->begins[address >> WORD_SHIFT & (WORDS - 1)] : NULL;
}

static uint64_t
bit_of(uintptr_t address)
{
    return UINT64_C(1) << (address >> 4 & 63);
}

/* Begin to know the block; whoever reads its bit sees the note. */
static void
add(void *memory, size_t bytes, const void *pc)
{
    struct peal_node *me = peal_self();
    struct block_note note = {0, bytes, pc, me ? peal_world_rank(me) : -1};
    _Atomic uint64_t *word = word_of((uintptr_t)memory, true);
    size_t most = atomic_load_explicit(&longest, memory_order_relaxed);

    if (!word)
        return;
    note.check = check_of(memory, &note);
    memcpy(note_of(memory), &note, sizeof note);
    while (bytes > most && !atomic_compare_exchange_weak(&longest, &most, bytes))
        ;
    atomic_fetch_or_explicit(word, bit_of((uintptr_t)memory), memory_order_release);
}

/* End it; false: it was not known. */
static bool
drop(void *memory)
{
    _Atomic uint64_t *word = chunks && memory ? word_of((uintptr_t)memory, false) : NULL;
    uint64_t bit = bit_of((uintptr_t)memory);

    return word && atomic_fetch_and_explicit(word, ~bit, memory_order_relaxed) & bit;
}

void *
blocks_malloc(size_t bytes, size_t align, bool zero, const void *pc)
{
    size_t all = bytes + (chunks ? sizeof(struct block_note) + 8 : 0);
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
    size_t all = bytes + sizeof(struct block_note) + 8;
    struct block_note before;
    void *more;

    if (!memory)
        return blocks_malloc(bytes, 0, false, pc);
    if (bytes == 0 || all < bytes || !drop(memory)) {
        linked_freed(memory, pc);
        return realloc(memory, bytes);
    }
    memcpy(&before, note_of(memory), sizeof before);
    linked_freed(memory, pc);
    more = realloc(memory, all);
    if (more)
        add(more, bytes, pc);
    else
        add(memory, before.bytes, before.code);
    return more;
}

void
blocks_free(void *memory)
{
    drop(memory);
    free(memory);
}

/* ------------------------------------------------------------------ found */

/* Find the note of the block that begins there; false: its end was overwritten, or the block is gone. */
static bool
read_note(char *memory, struct block_note *note)
{
    memcpy(note, note_of(memory), sizeof *note);
    return note->check == check_of(memory, note);
}

/* The last known block that begins at or before the address; NULL. */
static char *
begin_before(uintptr_t address)
{
    size_t most = atomic_load_explicit(&longest, memory_order_relaxed);
    uint64_t bits = bit_of(address), mask = bits | (bits - 1);

    for (uintptr_t at = address >> WORD_SHIFT;; at--, mask = ~UINT64_C(0)) {
        const _Atomic uint64_t *word = word_of(at << WORD_SHIFT, false);
        uint64_t found = word ? atomic_load_explicit(word, memory_order_acquire) & mask : 0;

        if (found)
            return (char *)(at << WORD_SHIFT) + (size_t)(63 - __builtin_clzll(found)) * 16;
        if (address - (at << WORD_SHIFT) > most || at == 0)
            return NULL;
        if (!word) /* on in the chunk before */
            at = at & ~(uintptr_t)(WORDS - 1);
    }
}

/* Find the block from malloc: an address between its end and the next block, where its note lies, is of it, too. */
static bool
find_block(const void *address, struct peal_block *block)
{
    char *begin = chunks && (uintptr_t)address >> ADDRESS_BITS == 0 ? begin_before((uintptr_t)address) : NULL;
    struct block_note note;

    if (!begin || !read_note(begin, &note) || (size_t)((const char *)address - begin) >= malloc_usable_size(begin))
        return false;
    block->begin = begin;
    block->bytes = note.bytes;
    block->rank = note.rank;
    block->code = note.code;
    block->variable[0] = '\0';
    return true;
}

/* The variables that were found before, of one program: reading its symbols takes long. */
static struct {
    const struct image *of;
    size_t count;
    struct lines_variable list[256];
} variables;
static atomic_flag reading = ATOMIC_FLAG_INIT; /* held while they are read or changed */

/* Find the variable at this offset of the program. */
static bool
find_variable(const struct node *node, uintptr_t offset, struct lines_variable *variable)
{
    enum { MAX = sizeof variables.list / sizeof *variables.list };
    const char *symbols = node->machine->symbols;
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
    int fd = found || !symbols ? -1 : open(symbols, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        found = lines_variable(fd, offset, variable);
        if (!found) /* remembered as well: no bytes are beyond it */
            *variable = (struct lines_variable){.begin = offset, .bytes = 1};
        variables.list[variables.count < MAX ? variables.count++ : offset % MAX] = *variable;
        close(fd);
    }
    atomic_flag_clear_explicit(&reading, memory_order_release);
    return found && variable->name[0];
}

bool
peal_block_find(struct peal_node *me, const void *address, struct peal_block *block)
{
    const struct node *node = me->node;
    const struct image_copy *copy;
    struct lines_variable variable;

    if (!chunks || find_block(address, block))
        return chunks;
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
    char place[100] = "";
    const char *file, *slash;
    int line;

    if (peal_code_line(me, block.code, &file, &line)) {
        slash = strrchr(file, '/');
        snprintf(place, sizeof place, " at %.80s:%d", slash ? slash + 1 : file, line);
    }
    snprintf(finding.message, sizeof finding.message,
             "node %d %s %zu byte%s from byte %zu on of a block of %zu bytes, which %s allocated%s",
             peal_world_rank(me), write ? "writes" : "reads", bytes, bytes == 1 ? "" : "s",
             (size_t)((const char *)address - block.begin), block.bytes,
             block.rank == peal_world_rank(me) ? "it" : "another node", place);
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

int
peal_block_twins(struct peal_node *me, const struct peal_block *block)
{
    const char *last = NULL;
    int count = 0;

    for (uintptr_t i = 0; i < CHUNKS; i++) {
        struct blocks_chunk *chunk = atomic_load_explicit(&chunks[i], memory_order_acquire);

        for (uintptr_t at = 0; chunk && at < WORDS; at++)
            for (uint64_t bits = atomic_load_explicit(&chunk->begins[at], memory_order_acquire); bits;
                 bits &= bits - 1) {
                struct block_note note;
                char *begin = (char *)(i << CHUNK_SHIFT | at << WORD_SHIFT) + (size_t)__builtin_ctzll(bits) * 16;

                count += read_note(begin, &note) && note.rank == block->rank && note.bytes == block->bytes &&
                         same_line(me, block->code, note.code, &last);
            }
    }
    return count;
}

/* ------------------------------------------------------------------ bound */

/* Where a linked program's call of this name goes, in strict runs and of watched programs. */
static void *
address_of(const char *name)
{
    if (getenv("PEAL_STRICT") && !chunks) {
        void *table = mmap(NULL, CHUNKS * sizeof *chunks, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        chunks = table == MAP_FAILED ? NULL : table;
    }
    return linked_watched() || chunks ? watch_call_address(name) : NULL;
}

__attribute__((constructor)) static void
offer(void)
{
    wraps_further = address_of;
}
