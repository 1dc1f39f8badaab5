/* SPDX-License-Identifier: MIT */
/* The nodes' accesses to memory, compared with their rights.
 *
 * A node that breaks a rule fails there, before the access is made (report_fault.h). */
#include "lib/memory/watch.h"
#include "lib/base/unbacked.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include "lib/memory/arena.h"
#include "lib/memory/heap.h"
#include "lib/memory/holds.h"
#include "lib/memory/named_blocks.h"
#include "lib/memory/report_fault.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watched_image.h"

/* A word is taken as never written only if the shadow says so and the word still has its old value: a write by the
 * C library, which is not seen, makes it a written one. */

static struct {
    enum instrument how;
    struct peal_machine *machine; /* of the current or last run; NULL */
    const struct vectors *data;
    struct watch_variables variables;
    const struct row *guarded; /* a row whose words are held, as by a send; NULL */
    bool noted;                /* whether it was noted that a receive of the run is longer than its buffer */
} watched;

/* ------------------------------------------------------------------ the meaning of an address */

static bool
is_unbacked(uintptr_t address)
{
    return unbacked_is_on() && unbacked_at(address);
}

enum { NULL_PAGE = 1024 }; /* in the browser: where nothing lies */

#ifndef __EMSCRIPTEN__ /* in the browser a node has two: watched_browser.c */
int
watch_stack(const struct peal_machine *machine, uintptr_t address)
{
    uintptr_t stacks = (uintptr_t)machine->stacks.mapping, offset = address - stacks;

    if (!stacks || offset >= machine->stacks.stride * (size_t)machine->options.nodes)
        return -1;
    return offset % machine->stacks.stride - machine->stacks.guard_bytes < machine->stacks.stack_bytes
               ? (int)(offset / machine->stacks.stride)
               : -1;
}
#endif

static uint64_t
watch_range_shadow(uintptr_t address)
{
    const struct peal_machine *machine = watched.machine;
    uintptr_t nodes = (uintptr_t)machine->nodes;
    int owner;

    if (address - nodes < sizeof *machine->nodes * (size_t)machine->options.nodes)
        return shadow_of_machine((int)((address - nodes) / sizeof *machine->nodes));
    if ((owner = watch_stack(machine, address)) >= 0)
        return shadow_whole(REGION_STACK, owner, true, true);
    if ((owner = arena_owner(address)) >= 0)
        return shadow_whole(REGION_BEYOND, owner, false, false);
    if ((owner = vectors_owner(watched.data, address)) >= 0)
        return shadow_whole(REGION_BEYOND, owner, false, false);
    owner = image_owner(address);
    return owner >= 0 ? shadow_whole(REGION_GLOBAL, owner, false, true) | image_valid(address) << SHADOW_VALID : 0;
}

/* ------------------------------------------------------------------ looking */

/* The bits of `held` whose requests really hold any of these bytes of the word. */
static uint64_t
holds_really(const struct node *node, uintptr_t word, uint64_t mask, uint64_t held)
{
    uintptr_t begin = word + (uintptr_t)__builtin_ctzll(mask), end = word + 64 - (uintptr_t)__builtin_clzll(mask);

    if (held & SHADOW_HELD_SENDS && !holds_find(node, begin, end, false))
        held &= ~(uint64_t)SHADOW_HELD_SENDS;
    if (held & SHADOW_HELD_RECEIVES && !holds_find(node, begin, end, true))
        held &= ~(uint64_t)SHADOW_HELD_RECEIVES;
    return held;
}

/* Look at some bytes of one word.  Gives its shadow, NULL for memory that is not watched. */
static uint64_t *
watch_check_word(struct node *node, uintptr_t word, uint64_t mask, enum access_kind access,
                 const struct access_site *where)
{
    uint64_t *shadow = shadow_get(word), held = 0;

    if (!shadow && (access == WRITES || access == RECEIVES) && image_constant(word))
        report_fault_constant(node, access, word + (uintptr_t)__builtin_ctzll(mask), where);
#ifdef __EMSCRIPTEN__ /* elsewhere no page is there, or a program can harm only itself */
    if (!shadow && where->pc && (word < NULL_PAGE || access == WRITES))
        report_fault_nobody(node, access, word, where);
#endif
    if (!shadow)
        return NULL;
    uint64_t invalid = mask & ~(*shadow >> SHADOW_VALID);

    if (access == READS || access == WRITES || access == SENDS)
        held |= SHADOW_HELD_RECEIVES;
    if (access == WRITES || access == RECEIVES || (access == GOT && watched.guarded))
        held |= SHADOW_HELD_SENDS;
    held &= *shadow;
    if (held && !watched.guarded && mask != 0xFF &&
        node->machine->options.word_bytes < 8) /* others may hold only the rest of the word */
        held = holds_really(node, word, mask, held);
    if (access == RECEIVES && !shadow_is_machine(*shadow))
        invalid = 0; /* only the message of a receive must fit */
    if (invalid && shadow_owner(*shadow) == node->rank && shadow_region(*shadow) == REGION_GLOBAL)
        report_fault_past_global(node, access, word + (uintptr_t)__builtin_ctzll(invalid), where);
    if (shadow_owner(*shadow) != node->rank || invalid || held)
        report_fault_word(node, access, word + (uintptr_t)__builtin_ctzll(invalid ? invalid : mask), *shadow, where);
    if (access == WRITES || access == GOT)
        *shadow |= mask << SHADOW_WRITTEN;
    return shadow;
}

struct node *
watch_node(void)
{
    struct node *node = self;

    return node && watched.machine && node->machine == watched.machine ? node : NULL;
}

/* Look at an access to memory that is not stored, or beside it: only its ends are compared.  False: it is elsewhere. */
static bool
look_unbacked(struct node *node, uintptr_t begin, size_t bytes, enum access_kind access,
              const struct access_site *where)
{
    const struct unbacked_block *block = unbacked_is_on() ? unbacked_at(begin) : NULL;
    size_t offset = block ? begin - (uintptr_t)block->begin : 0;

    if (!block)
        return false;
    if (access == RECEIVES)
        bytes = offset = 0; /* only the message must fit */
    if (block->owner != node->rank || offset > block->bytes || bytes > block->bytes - offset)
        report_fault_unbacked(node, access, begin, bytes, block, where);
    return true;
}

void
watch_access(const void *address, size_t bytes, bool write, void *pc)
{
    struct node *node = watch_node();
    const struct access_site where = {.pc = pc, .bytes = bytes};
    uintptr_t begin = (uintptr_t)address, end = begin + bytes;

    if (!node || bytes == 0 || look_unbacked(node, begin, bytes, write ? WRITES : READS, &where) || end < begin)
        return;
    node->mark = shadow_run | (uint64_t)node->rank << SHADOW_OWNER | SHADOW_ALL_VALID;
    for (uintptr_t word = begin / 8 * 8; word < end; word += 8)
        watch_check_word(node, word, shadow_mask(word, begin, end), write ? WRITES : READS, &where);
}

/* ------------------------------------------------------------------ posts and waits */

/* The bytes of a piece that are looked at if its words are stored: never this many in a run on lengths alone. */
static size_t
looked_at(size_t bytes)
{
    return unbacked_holds(bytes) ? MIN_UNBACKED >> 6 : bytes;
}

bool
watch_unwritten(uintptr_t address, uint64_t shadow, uint64_t mask)
{
    const uint64_t bytes = (mask & 1 ? 0xFFFFFFFF : 0) | (mask & 0x10 ? UINT64_C(0xFFFFFFFF) << 32 : 0);
    uint64_t word = *(const volatile uint64_t *)address;
    bool fresh = ((word ^ FRESH_WORD) & bytes) == 0;

    if (watched.data && label_kind(word) == LABEL_UNSET)
        return true;
    switch (shadow_region(shadow)) {
    case REGION_BLOCK:
        return (shadow & mask) == 0 && fresh;
    case REGION_STACK:
        return watched.how != INSTRUMENT_CLANG && fresh;
    case REGION_FRAME:
        return (shadow & mask) == 0 && shadow_is_old(address);
    case REGION_NONE:
    case REGION_GLOBAL:
    case REGION_ARRAY:
    case REGION_BEYOND:
    case REGION_FREED:
        break;
    }
    return false;
}

/* The variable in which words with this shadow begin; false: its limits are unknown, or there is none. */
static bool
watch_find_variable(struct node *node, uintptr_t begin, uint64_t shadow, struct peal_block *variable)
{
    if (shadow_region(shadow) == REGION_GLOBAL && shadow_owner(shadow) == node->rank) {
        const bool known = named_find(node, (void *)begin, variable) && variable->bytes > 0;

        watched.variables.globals |= !known;
        return known;
    }
    if (shadow_region(shadow) != REGION_STACK && shadow_region(shadow) != REGION_FRAME)
        return false;
    named_find_on_stack(node, (void *)begin, NULL, variable);
    watched.variables.frames |= variable->kind != PEAL_BLOCK_VARIABLE;
    return variable->kind == PEAL_BLOCK_VARIABLE;
}

/* The words of a message must be of one variable, if they begin in one whose limits are known. */
static void
look_variable(struct node *node, uintptr_t begin, uintptr_t end, enum access_kind access,
              const struct access_site *where)
{
    const uint64_t *shadow = begin < end ? shadow_get(begin) : NULL;
    struct peal_block variable;

    if (!shadow)
        return;
    if (watch_find_variable(node, begin, *shadow, &variable) && end > (uintptr_t)variable.begin + variable.bytes)
        report_fault_variable(node, access, begin - (uintptr_t)variable.begin, end - begin, &variable, where);
}

/* How many of the bytes from `begin` on have one owner, which may write to all of them. */
static size_t
fitting(uintptr_t begin, size_t bytes)
{
    const uint64_t *shadow = shadow_get(begin / 8 * 8);
    const uintptr_t end = begin + bytes;
    const int owner = shadow ? shadow_owner(*shadow) : -1;

    for (uintptr_t word = begin / 8 * 8; word < end; word += 8) {
        const uint64_t mask = shadow_mask(word, begin, end);

        shadow = shadow_get(word);
        const uint64_t lost = shadow && shadow_owner(*shadow) == owner ? mask & ~(*shadow >> SHADOW_VALID) : mask;

        if (lost)
            return word + (uintptr_t)__builtin_ctzll(lost) - begin;
    }
    return bytes;
}

/* How many bytes of a piece of a receive belong to the node and to the variable or block in which it begins: beyond
 * them only the message must fit. */
static size_t
receivable(struct node *node, uintptr_t begin, size_t bytes)
{
    const struct unbacked_block *unbacked = unbacked_is_on() ? unbacked_at(begin) : NULL;
    const uintptr_t unbacked_end = unbacked ? (uintptr_t)unbacked->begin + unbacked->bytes : 0;
    const uint64_t *shadow = bytes > 0 && !unbacked ? shadow_get(begin / 8 * 8) : NULL;
    struct peal_block variable;

    if (unbacked && begin + bytes > unbacked_end)
        return begin < unbacked_end ? unbacked_end - begin : 0;
    if (!shadow)
        return bytes;
    if (shadow_owner(*shadow) != node->rank)
        return 0;
    if (watch_find_variable(node, begin, *shadow, &variable) &&
        begin + bytes > (uintptr_t)variable.begin + variable.bytes)
        bytes = (uintptr_t)variable.begin + variable.bytes - begin;
    return fitting(begin, bytes);
}

/* Note that a receive is longer than what is the node's, once in a run. */
static void
note_long(struct node *node, uintptr_t begin, size_t fits, const struct access_site *where)
{
    if (fits == where->bytes || watched.noted)
        return;
    watched.noted = true;
    report_fault_long(node, begin, fits, where);
}

/* Look at the pieces of a receive, and hold what is the node's, up to the first that is too long. */
static void
look_received(struct node *node, struct hold *hold, const struct access_site *where)
{
    size_t fits = 0, all = 0;

    for (int i = 0; i < hold->count; i++) {
        struct held_piece *piece = &hold_pieces(hold)[i];
        const uintptr_t begin = piece->begin, first = begin / 8 * 8, end = begin + piece->bytes;
        const uint64_t *shadow = begin < end && !is_unbacked(begin) ? shadow_get(first) : NULL;

        if (look_unbacked(node, begin, piece->bytes, RECEIVES, where))
            shadow = NULL;
        else if (i == 0 && begin < end &&
                 (!shadow || shadow_owner(*shadow) != node->rank || shadow_is_machine(*shadow)))
            watch_check_word(node, first, shadow_mask(first, begin, begin + 1), RECEIVES, where);
        piece->held = fits < all ? 0 : receivable(node, begin, piece->bytes);
        fits += piece->held;
        all += piece->bytes;
        for (uintptr_t word = first; shadow && word < begin + piece->held; word += 8)
            watch_check_word(node, word, shadow_mask(word, begin, end), RECEIVES, where);
    }
    if (hold->count > 0)
        note_long(node, hold_pieces(hold)->begin, fits, where);
}

/* Look at bytes of a message that came. */
static void
look_came(struct node *node, uintptr_t begin, size_t bytes, const struct access_site *where)
{
    const uintptr_t end = begin + looked_at(bytes);

    if (look_unbacked(node, begin, bytes, GOT, where))
        return;
    look_variable(node, begin, end, GOT, where);
    for (uintptr_t word = begin / 8 * 8; word < end; word += 8)
        watch_check_word(node, word, shadow_mask(word, begin, end), GOT, where);
}

void
peal_watch_receive(struct peal_node *me, struct peal_piece *pieces, int count, const char *code)
{
    const bool checked = watched.machine == me->node->machine;
    struct access_site where = {.file = code, .line = PEAL_CODE};
    struct peal_block block;
    size_t fits = 0;

    for (int i = 0; i < count; i++) {
        const char *begin = pieces[i].data;

        where.bytes += pieces[i].words;
        if (fits + pieces[i].words < where.bytes) /* behind one that is too long */
            pieces[i].words = 0;
        else if (checked)
            pieces[i].words = receivable(me->node, (uintptr_t)begin, pieces[i].words);
        else if (peal_block_find(me, begin, code, &block) && begin < block.begin + block.bytes &&
                 pieces[i].words > (size_t)(block.begin + block.bytes - begin))
            pieces[i].words = (size_t)(block.begin + block.bytes - begin);
        fits += pieces[i].words;
    }
    if (checked && count > 0)
        note_long(me->node, (uintptr_t)pieces->data, fits, &where);
}

void
peal_watch_came(struct peal_node *me, const void *begin, size_t bytes, const char *code)
{
    const struct access_site where = {.file = code, .line = PEAL_CODE, .bytes = bytes};

    if (watched.machine == me->node->machine)
        look_came(me->node, (uintptr_t)begin, bytes, &where);
}

/* Look at the pieces of a message that the node sends. */
static void
look_sent(struct node *node, uint32_t id, struct hold *hold, const struct access_site *where)
{
    const size_t word_bytes = node->machine->options.word_bytes;
    size_t before = 0;

    for (int i = 0; i < hold->count; before += hold_pieces(hold)[i++].bytes / word_bytes) {
        const struct held_piece *piece = &hold_pieces(hold)[i];
        const uintptr_t begin = piece->begin, end = begin + looked_at(piece->bytes);

        if (look_unbacked(node, begin, piece->bytes, SENDS, where))
            continue;
        look_variable(node, begin, end, SENDS, where);
        for (uintptr_t word = begin / 8 * 8; word < end; word += 8) {
            const uint64_t mask = shadow_mask(word, begin, end),
                           *shadow = watch_check_word(node, word, mask, SENDS, where);

            if (shadow && mask == 0xFF && watch_unwritten(word, *shadow, mask))
                report_fault_unwritten(node, id, before + (word - begin) / word_bytes, word, *shadow, where);
        }
    }
}

/* Count the words of a piece as held by one more request, or by one less. */
static void
hold_words(struct node *node, const struct held_piece *piece, bool receive, bool more)
{
    if (is_unbacked(piece->begin))
        return;
    for (uintptr_t word = piece->begin / 8 * 8; word < piece->begin + looked_at(piece->held); word += 8) {
        uint64_t *shadow = shadow_get(word);

        if (shadow)
            holds_count(node, shadow, word, receive, more);
    }
}

static void
watch_posted(struct node *node, uint32_t id, const struct peal_piece *pieces, int count, size_t word_bytes)
{
    const struct request *request = &node->machine->requests[id];
    const bool receive = request->kind == REQUEST_RECEIVE;
    const struct access_site where = {.file = request->file,
                                      .line = request->line,
                                      .bytes = (size_t)request->words * node->machine->options.word_bytes};
    struct hold *hold = holds_keep(id, pieces, count, word_bytes, receive);

    if (!hold)
        report_fault(node, PEAL_OUT_OF_MEMORY, &where, "no memory to watch a request of %d pieces", count);
    if (receive)
        look_received(node, hold, &where);
    else
        look_sent(node, id, hold, &where);
    for (int i = 0; i < count; i++)
        hold_words(node, &hold_pieces(hold)[i], receive, true);
}

static void
finished(struct node *node, uint32_t id)
{
    const struct request *request = &node->machine->requests[id];
    struct hold *hold = holds_get(id);
    size_t left = (size_t)request->words * node->machine->options.word_bytes; /* the words received */
    const struct access_site where = {.file = request->file, .line = request->line, .bytes = left};

    if (!hold)
        return;
    int count = hold->count;

    hold->count = 0; /* it no longer holds anything */
    for (int i = 0; i < count; i++) {
        const struct held_piece *piece = &hold_pieces(hold)[i];
        const size_t came = piece->bytes < left ? piece->bytes : left;

        left -= came;
        hold_words(node, piece, hold->receive, false);
        if (hold->receive)
            look_came(node, piece->begin, came, &where);
    }
}

static size_t
watch_room(const void *to, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)to;
    const size_t fits = is_unbacked(begin) || !shadow_get(begin / 8 * 8) ? bytes : fitting(begin, bytes);

    return fits < bytes && !shadow_get((begin + fits) / 8 * 8) ? bytes : fits;
}

/* ------------------------------------------------------------------ begin and end */

static const struct memory_hooks hooks = {.posted = watch_posted,
                                          .finished = finished,
                                          .get = heap_get,
                                          .put = heap_put,
                                          .frees = heap_frees,
                                          .touched = watch_access,
                                          .room = watch_room,
                                          .ended = heap_ended};

enum peal_status
watch_prepare(int nodes, struct peal_error *error)
{
    enum peal_status status = shadow_init(watch_range_shadow, error);

    if (status == PEAL_OK)
        status = arena_init(nodes, error);
    watched.variables = (struct watch_variables){false, false};
    return status;
}

struct watch_variables
watch_variables(void)
{
    return watched.variables;
}

void
watch_loaded(const struct peal_program_file *file, enum instrument how)
{
    if (how == INSTRUMENT_NONE)
        return;
    image_begin(file);
    watched.how = how;
}

void
watch_fini(void)
{
    watched.machine = NULL;
    watched.data = NULL;
    image_end();
    holds_end();
    arena_fini();
    shadow_fini();
}

unsigned
watch_written(const void *word)
{
    const uint64_t *shadow = watched.machine && !is_unbacked((uintptr_t)word) ? shadow_get((uintptr_t)word) : NULL;

    return shadow ? (unsigned)(*shadow >> SHADOW_WRITTEN & 0xFF) : 0;
}

void
watch_guard(const struct row *row)
{
    watched.guarded = row;
}

static void
set_row(const struct vectors *data, const struct row *row, int node)
{
    uintptr_t begin = (uintptr_t)row->words, guard = 8 * VECTORS_GUARD;
    size_t bytes = row->count * data->stride * vectors_width(data->element), room = 8 * vectors_room(data, row);

    bytes = row->gap ? room : bytes;
    if (!row->words || is_unbacked(begin))
        return;
    shadow_set(begin - guard, guard, REGION_BEYOND, node, false);
    shadow_set(begin, bytes, row->spare ? REGION_BEYOND : REGION_ARRAY, node,
               row->count > 0 && (data->element || label_kind(*vectors_word(data, row, 0)) == LABEL_WORD));
    shadow_set(begin + room, guard, REGION_BEYOND, node, false);
    for (size_t at = 0; row == watched.guarded && at < bytes; at += 8) {
        uint64_t *shadow = shadow_get(begin + at);

        if (shadow)
            *shadow += UINT64_C(1) << SHADOW_SENDS;
    }
}

static void
set_rows(const struct vectors *data)
{
    for (int rank = 0; rank < data->where->nodes; rank++) {
        const struct row *inner = vectors_inner(data, rank);
        int node = vectors_node(data, rank);

        for (int i = 0; i < 2; i++) {
            const struct row *row = i == 0 ? &data->in[rank] : &data->out[rank];

            if (row != inner)
                set_row(data, row, node);
        }
        if (inner && !data->element && !is_unbacked((uintptr_t)inner->words))
            shadow_set((uintptr_t)inner->words, 8 * inner->count * data->stride, REGION_ARRAY, node, true);
    }
}

void
watch_begin(struct peal_machine *machine, const struct vectors *data)
{
    if (!image_there())
        return;
    machine->memory_hooks = &hooks;
    watched.machine = machine;
    watched.data = data;
    watched.noted = false;
    shadow_begin();
    heap_begin();
    holds_begin();
    report_fault_begin(data);
    for (; data; data = data->earlier)
        set_rows(data);
}
