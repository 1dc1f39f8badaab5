/* SPDX-License-Identifier: MIT */
/* Watches linked programs, on any number of carriers: owners of words, freed blocks, and what operations hold. */
#include "lib/memory/watched_linked.h"
#include "lib/base/unbacked.h"
#include "lib/machine/image.h"
#include "lib/machine/stacks.h"
#include "lib/memory/fresh_locals.h"
#include "lib/memory/linked_blocks.h"
#include "lib/memory/received.h"
#include "lib/memory/report_fault.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watch.h"
#include "lib/memory/watched_image.h"
#include <peal/author.h>
#include <stdlib.h>

/* The copies of programs that are loaded and whose accesses are calls.  The chunks of a run are published by
 * shadow_get, and seen by the calls before accesses (hooks_linked.c), on the same node or after a message. */
static struct {
    struct shadow_copy **list;
    size_t count, room;
} copies;
static peal_touched touched;
static _Atomic uint64_t known[1 << 12]; /* reads that are findings */

/* ------------------------------------------------------------------ loaded */

/* A copy is loaded or unloaded: called from its constructors and destructors (hooks_linked.c). */
PEAL_API void peal_wrap_watched(struct shadow_copy *copy, bool more);

void
peal_wrap_watched(struct shadow_copy *copy, bool more)
{
    size_t i = 0;

    if (more && array_grow(&copies.list, &copies.room, copies.count + 1, sizeof *copies.list))
        copies.list[copies.count++] = copy;
    while (i < copies.count && copies.list[i] != copy)
        i++;
    if (!more && i < copies.count)
        copies.list[i] = copies.list[--copies.count];
}

bool
linked_watched(void)
{
    return copies.count > 0;
}

/* ------------------------------------------------------------------ runs */

static void freed_release(size_t most);

/* The shadow of a word outside of blocks: on a stack, in a node's variables, or nobody's. */
static uint64_t
linked_range_shadow(uintptr_t address)
{
    const struct peal_machine *machine = self ? self->machine : NULL;
    int rank = machine ? watch_stack(machine, address) : -1;
#ifdef __EMSCRIPTEN__
    int owner = image_owner(address);

    if (rank < 0 && owner >= 0)
        return shadow_whole(REGION_GLOBAL, owner % SHADOW_ANYONE, true, true);
#endif
    const struct image_copy *copy =
        machine && machine->image && machine->image->count > 1 ? image_copy_at(machine->image, address) : NULL;

    if (rank >= 0)
        return shadow_whole(REGION_STACK, rank % SHADOW_ANYONE, true, true);
    if (copy && address - copy->base >= machine->image->frozen)
        return shadow_whole(REGION_GLOBAL, copy->rank % SHADOW_ANYONE, true, true);
    return shadow_whole(REGION_GLOBAL, SHADOW_ANYONE, true, true);
}

struct node *
linked_node(void)
{
    return touched ? self : NULL;
}

static uint64_t
mark_of(const struct node *node)
{
    return shadow_run | shadow_whole(REGION_NONE, node->rank % SHADOW_ANYONE, true, false);
}

struct shadow_copy *
linked_copy(const struct node *node)
{
    return node->copy;
}

static const uint64_t stored_nothing;

void
peal_wrap_stored(struct shadow_copy *copy)
{
    const char *stored = copy->stored;
    size_t bytes = copy->stored_bytes;

    copy->stored = (const char *)&stored_nothing;
    copy->stored_bytes = 0;
    if (self && shadow_looks_fresh((uintptr_t)stored, bytes))
        shadow_store((uintptr_t)stored, bytes, !copy->stored_by || !fresh_local_begins(self, copy->stored_by));
}

/* A library call is about to store there for the node. */
static void
linked_store(struct node *node, const void *address, size_t bytes)
{
    struct shadow_copy *copy = node->copy;

    if (!copy)
        return;
    peal_wrap_stored(copy);
    if ((uintptr_t)address - copy->stack >= copy->stack_bytes)
        return;
    copy->stored = address;
    copy->stored_bytes = bytes;
    copy->stored_by = NULL;
}

/* The node, whose copy this is, makes an access. */
static void
set_copy(struct node *node, struct shadow_copy *copy)
{
    const struct peal_machine *machine = node->machine;

    copy->mark = mark_of(node);
    if (node->copy == copy)
        return;
    node->copy = copy;
    copy->stack = machine->stacks.mapping ? (uintptr_t)node_stack(machine, node->rank) : 0;
    copy->stack_bytes = machine->stacks.mapping ? machine->stacks.stack_bytes : 0;
}

bool
peal_watch_begin(peal_touched what)
{
    struct peal_error error;

#ifdef __EMSCRIPTEN__
    if (!linked_image_begin())
        return false;
#else
    if (copies.count == 0)
        return false;
#endif
    if (shadow_init(linked_range_shadow, &error) != PEAL_OK)
        return false;
    shadow_begin();
    touched = what;
    received_clear();
    fresh_begin();
    memset(known, 0, sizeof known);
    for (size_t i = 0; i < copies.count; i++) {
        copies.list[i]->stored_bytes = 0;
        peal_wrap_stored(copies.list[i]);
        copies.list[i]->chunks = shadow_chunks;
    }
    return true;
}

void
peal_watch_end(void)
{
    if (!touched)
        return;
    for (size_t i = 0; i < copies.count; i++)
        copies.list[i]->chunks = NULL;
    touched = NULL;
    freed_release(0);
    shadow_fini();
#ifdef __EMSCRIPTEN__
    image_end();
#endif
}

/* Count up or down in the bits `all` of the shadow of each word. */
static void
linked_count(const void *begin, size_t bytes, uint64_t all, int shift, bool more)
{
    const uint64_t one = UINT64_C(1) << shift;
    uintptr_t end = (uintptr_t)begin + bytes;

    if (!touched)
        return;
    shadow_lock(&shadow_busy);
    for (uintptr_t word = (uintptr_t)begin / 8 * 8; word < end; word += 8) {
        uint64_t *shadow = shadow_get(word);

        if (!shadow || (*shadow & all) == all) /* the counter is full: it stays so until the end of the run */
            continue;
        if (more)
            *shadow += one;
        else if (*shadow & all)
            *shadow -= one;
    }
    shadow_unlock(&shadow_busy);
}

void
peal_watch_hold(const void *begin, size_t bytes, bool writes, bool more)
{
    linked_count(begin, bytes, writes ? SHADOW_HELD_RECEIVES : SHADOW_HELD_SENDS,
                 writes ? SHADOW_RECEIVES : SHADOW_SENDS, more);
}

void
peal_watch_expose(const void *begin, size_t bytes, bool more)
{
    linked_count(begin, bytes, SHADOW_ALL_EXPOSED, SHADOW_EXPOSED, more);
}

/* ------------------------------------------------------------------ accesses */

/* Whether a word with this shadow is of a block, or beside one. */
static bool
region_is_block(uint64_t shadow)
{
    enum region region = shadow_region(shadow);

    return region == REGION_BLOCK || region == REGION_BEYOND || region == REGION_FREED;
}

bool
linked_is_known(const struct node *node, const char *code)
{
    uint64_t hash = ((uint64_t)(uintptr_t)code * 64 + (uint64_t)node->rank) * UINT64_C(0x9E3779B97F4A7C15) | 1;

    return atomic_exchange_explicit(&known[hash >> 52], hash, memory_order_relaxed) == hash;
}

/* Look at an access of the node's before it is made. */
static void
linked_check_access(struct node *node, const void *address, size_t bytes, bool write, const void *pc)
{
    const uint64_t own = (uint64_t)node->rank % SHADOW_ANYONE,
                   held = SHADOW_HELD_RECEIVES | SHADOW_ALL_EXPOSED | (write ? SHADOW_HELD_SENDS : 0);
    uintptr_t begin = (uintptr_t)address, end = begin + bytes, wrong = 0;
    uint64_t of_wrong = 0;
    struct peal_block block;
    bool asks = false;

    for (uintptr_t word = begin / 8 * 8; word < end; word += 8) {
        uint64_t *shadow = shadow_get(word), mask = shadow_mask(word, begin, end);

        if (!shadow)
            continue;
        asks |= *shadow & held;
        if ((uint64_t)shadow_owner(*shadow) == SHADOW_ANYONE)
            continue;
        uint64_t invalid = mask & ~(*shadow >> SHADOW_VALID);

        if (!wrong && ((uint64_t)shadow_owner(*shadow) != own || invalid)) {
            wrong = word + (uintptr_t)__builtin_ctzll(invalid ? invalid : mask);
            of_wrong = *shadow;
        } else if (write) {
            *shadow |= mask << SHADOW_WRITTEN;
        }
    }
    if (!asks && !wrong)
        return;
    const struct access_site where = {.file = pc, .line = PEAL_CODE, .goes_on = !write, .bytes = bytes};
    bool its_own = touched(&node->world, address, bytes, write, pc);

    if (region_is_block(of_wrong) && !blocks_near(wrong, &block))
        return; /* the memory belongs to the C library by now */
    if (wrong && its_own && (write || !linked_is_known(node, pc)))
        report_fault_word(node, write ? WRITES : READS, wrong, of_wrong, &where);
}

/* An access of a linked program's that the calls before accesses cannot decide. */
PEAL_API void peal_wrap_look(const void *address, size_t bytes, bool write, const void *pc, struct shadow_copy *copy);

void
peal_wrap_look(const void *address, size_t bytes, bool write, const void *pc, struct shadow_copy *copy)
{
    struct node *node = linked_node();

    if (!node || (uintptr_t)address + bytes < (uintptr_t)address)
        return;
    set_copy(node, copy);
    if (!write)
        shadow_keep(copy, address, pc);
    linked_check_access(node, address, bytes, write, pc);
}

void
watch_range(const void *address, size_t bytes, bool write, void *pc)
{
    struct node *node = linked_node();

    if (watch_node())
        watch_access(address, bytes, write, pc);
    else if (!node)
        blocks_look(address, bytes, write, pc);
    else if (bytes > 0) {
        node->mark = mark_of(node); /* in the browser: watched_access.c */
        if (write)
            linked_store(node, address, bytes);
        linked_check_access(node, address, bytes, write, pc);
    }
}

void
watch_text(const void *address, size_t bytes, bool write, void *pc)
{
    report_fault_of_text(pc);
    watch_range(address, bytes, write, pc);
}

void
watch_copy(void *to, const void *from, size_t bytes, void *pc)
{
    bool aligned = ((uintptr_t)to | (uintptr_t)from) % 8 == 0 && !unbacked_holds(bytes);

    watch_range(from, bytes, false, pc);
    watch_range(to, bytes, true, pc);
    if (aligned && (watch_node() || linked_node()))
        shadow_carry((uintptr_t)to, (uintptr_t)from, bytes);
}

/* ------------------------------------------------------------------ messages */

size_t
peal_watch_unwritten(const void *begin, size_t bytes, size_t unit, const void **first)
{
    uintptr_t step = unit == 4 ? 4 : 8, end = (uintptr_t)begin + bytes;
    const struct node *node = linked_node();
    size_t unwritten = 0;

    if (node && node->copy)
        peal_wrap_stored(node->copy);
    for (uintptr_t at = ((uintptr_t)begin + step - 1) / step * step; touched && at + step <= end; at += step) {
        const uint64_t *shadow = shadow_get(at);

        uint64_t mask = shadow_mask(at / 8 * 8, at, at + step);

        if (!shadow || !watch_unwritten(at / 8 * 8, *shadow, mask) ||
            (shadow_region(*shadow) == REGION_STACK && (shadow_stored(at) & mask)))
            continue;
        if (unwritten == 0)
            *first = (const void *)at;
        unwritten += step;
    }
    return unwritten;
}

void
peal_watch_received(struct peal_node *me, const void *begin, size_t bytes, const char *code)
{
    uintptr_t from = (uintptr_t)begin, end = from + bytes;

    for (uintptr_t word = from / 8 * 8; touched && word < end; word += 8) {
        uint64_t *shadow = shadow_get(word);

        if (shadow && shadow_region(*shadow) == REGION_BLOCK)
            *shadow |= shadow_mask(word, from, end) << SHADOW_WRITTEN;
    }
    if (!touched || !me || bytes < sizeof(void *))
        return;
    received_note(peal_world_rank(me), begin, bytes, code);
}

void
peal_watch_arrived(struct peal_node *me, const void *begin, size_t bytes)
{
    const struct node *node = linked_node();

    if (node && &node->world == me && node->copy && (uintptr_t)begin - node->copy->stack < node->copy->stack_bytes)
        shadow_store((uintptr_t)begin, bytes, true);
}

/* ------------------------------------------------------------------ blocks */

/* Freed blocks, the oldest first: they are not reused for a while, so that uses of them are seen. */
enum { MAX_FREED = 1 << 14 };
static const size_t MAX_FREED_BYTES = (size_t)64 << 20, MAX_FILLED_BYTES = (size_t)256 << 20;
static struct {
    void *list[MAX_FREED];
    size_t bytes_of[MAX_FREED];
    const void *by[MAX_FREED]; /* the calls */
    size_t first, count, bytes;
    atomic_flag busy; /* guards it */
} freed = {.busy = ATOMIC_FLAG_INIT};

/* Return the oldest ones until there are at most `most` bytes, and room for one more. */
static void
freed_release(size_t most)
{
    shadow_lock(&freed.busy);
    while (freed.count > 0 && (freed.bytes > most || freed.count > MAX_FREED / 2 || most == 0)) {
        blocks_return(freed.list[freed.first]);
        freed.bytes -= freed.bytes_of[freed.first];
        freed.first = (freed.first + 1) % MAX_FREED;
        freed.count--;
    }
    shadow_unlock(&freed.busy);
}

void
linked_given(void *memory, size_t bytes, size_t behind, bool zero)
{
    const struct node *node = linked_node();
    uintptr_t begin = (uintptr_t)memory, end = (begin + bytes + 7) / 8 * 8;
    bool filled = !zero && bytes <= MAX_FILLED_BYTES; /* larger ones may be used only in part */

    if (!node)
        return;
    int owner = node->rank % SHADOW_ANYONE;

    if (filled)
        memset(memory, FRESH_BYTE, bytes);
    shadow_set(begin - 8, 8, REGION_BEYOND, owner, false);
    shadow_set(begin, bytes, REGION_BLOCK, owner, !filled);
    shadow_set(end, begin + bytes + behind - end, REGION_BEYOND, owner, false);
}

/* Put a freed block at the end of the list. */
static void
keep_freed(void *memory, size_t bytes, const void *by)
{
    shadow_lock(&freed.busy);
    size_t last = (freed.first + freed.count++) % MAX_FREED;

    freed.list[last] = memory;
    freed.bytes_of[last] = bytes;
    freed.by[last] = by;
    freed.bytes += bytes;
    shadow_unlock(&freed.busy);
}

/* The call that has freed the memory; NULL: not known. */
static const void *
freed_by(const void *memory)
{
    const void *by = NULL;

    shadow_lock(&freed.busy);
    for (size_t i = 0; i < freed.count && !by; i++)
        if (freed.list[(freed.first + i) % MAX_FREED] == memory)
            by = freed.by[(freed.first + i) % MAX_FREED];
    shadow_unlock(&freed.busy);
    return by;
}

void
linked_free(struct node *node, void *memory, const void *pc)
{
    struct access_site where = {.file = pc, .line = PEAL_CODE};
    const uint64_t *shadow = shadow_get((uintptr_t)memory);
    struct peal_block block;
    bool near = blocks_near((uintptr_t)memory, &block), own = near && block.begin == memory && block.rank == node->rank;
    const enum region region = shadow ? shadow_region(*shadow) : REGION_NONE;

    if ((near && shadow && region_is_block(*shadow) && (!own || region == REGION_FREED)) || region == REGION_STACK ||
        region == REGION_FRAME) {
        where.freed = region == REGION_FREED ? freed_by(memory) : NULL;
        report_fault_free(node, (uintptr_t)memory, "free", &where);
    }
    if (!near || block.begin != memory) {
        free(memory); /* the C library's */
        return;
    }
    if (block.bytes > 0)
        linked_check_access(node, memory, block.bytes, true, pc); /* an operation may hold it */
    shadow_set((uintptr_t)memory, block.bytes, REGION_FREED, node->rank % SHADOW_ANYONE, false);
    if (block.bytes > MAX_FREED_BYTES / 2) {
        blocks_return(memory);
        return;
    }
    freed_release(MAX_FREED_BYTES);
    keep_freed(memory, block.bytes, pc);
}
