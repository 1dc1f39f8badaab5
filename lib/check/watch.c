/* SPDX-License-Identifier: MIT */
/* What nodes do with memory, held against what they may do.
 *
 * A node that breaks a rule fails there, before the access is made; its line is looked up after the run, on a stack that
 * has room for it.
 *
 * A word is taken as never written only if the shadow says so and the word still holds what it held before: a write by the
 * C library, which is not seen, makes it a written one. */
#include "lib/check/watch.h"
#include "lib/base/plural.h"
#include "lib/check/arena.h"
#include "lib/check/lines.h"
#include "lib/check/shadow.h"
#include "lib/program/load.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What fresh memory from malloc holds, and what gcc gives a local that is not initialised. */
enum { FRESH_BYTE = 0xFE };
static const uint64_t FRESH_WORD = UINT64_C(0xFEFEFEFEFEFEFEFE);

/* The pieces of a request. */
struct hold {
    struct peal_piece one, *pieces; /* pieces: &one, or an allocation */
    int count;
    bool receive;
};

/* One node's copy of the program. */
struct copy_of {
    uintptr_t base;
    int rank;
};

static struct {
    const struct loaded *loaded;
    enum instrument how;
    struct copy_of *copies; /* by address */

    struct peal_machine *machine; /* of the run that is on, or was last; NULL */
    const struct vectors *data;
    struct hold *holds; /* by the number of the request */
    size_t hold_capacity;

    int blamed; /* the lowest rank that failed at `pc`; -1: none */
    void *pc;
    int leaked; /* the lowest rank that left memory; -1: none */
    struct {
        size_t bytes;
        int count;
        void *pc;
    } leak;
} watched = {.blamed = -1, .leaked = -1};

/* What a node is about to do with a word, or the machine for it. */
enum deed { READS, WRITES, SENDS, RECEIVES, GOT };

/* ------------------------------------------------------------------ what an address is */

static int
by_address(const void *a, const void *b)
{
    const struct copy_of *left = a, *right = b;

    return left->base < right->base ? -1 : left->base > right->base;
}

/* The copy in which the address lies, if it lies in one; NULL: it lies before all of them. */
static const struct copy_of *
copy_before(uintptr_t address)
{
    int low = 0, high = watched.loaded->count; /* copies[low - 1] is before, copies[high] is not */

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (watched.copies[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &watched.copies[low - 1] : NULL;
}

static bool
is_global(uintptr_t address, const struct copy_of *copy)
{
    return copy && address - copy->base >= watched.loaded->writable &&
           address - copy->base < watched.loaded->writable_end;
}

static uint64_t
whole(enum region region, int owner, bool valid)
{
    return (uint64_t)region << SHADOW_REGION | (uint64_t)owner << SHADOW_OWNER |
           (valid ? SHADOW_ALL_VALID | SHADOW_ALL_WRITTEN : 0);
}

static uint64_t
range_of(uintptr_t address)
{
    const struct peal_machine *machine = watched.machine;
    uintptr_t stacks = (uintptr_t)machine->stacks;

    if (stacks && address - stacks < machine->stack_stride * (size_t)machine->options.nodes) {
        size_t offset = (address - stacks) % machine->stack_stride;

        if (offset < machine->guard_bytes || offset - machine->guard_bytes >= machine->stack_bytes)
            return 0;
        return whole(REGION_STACK, (int)((address - stacks) / machine->stack_stride), true);
    }
    int owner = arena_owner(address);

    if (owner >= 0)
        return whole(REGION_BEYOND, owner, false);
    if (watched.loaded->count > 1) {
        const struct copy_of *copy = copy_before(address);

        if (is_global(address, copy))
            return whole(REGION_GLOBAL, copy->rank, true);
    }
    return 0;
}

/* ------------------------------------------------------------------ words for it */

/* Where in a text a line is put in when it is known: write its address. */
enum { LINE_BEGIN = 1, LINE_END = 2 };

static void
write_site(char *text, size_t bytes, const char *file, int line, void *pc)
{
    if (file)
        snprintf(text, bytes, "%s:%d", file, line);
    else
        snprintf(text, bytes, "%c%llx%c", LINE_BEGIN, (unsigned long long)(uintptr_t)pc, LINE_END);
}

/* The array of `owner` at or around the address; NULL: neither of them is near. */
static const struct row *
row_near(uintptr_t address, int owner, const char **name)
{
    const struct vectors *data = watched.data;
    const struct row *rows[2] = {data ? &data->in[owner] : NULL, data ? &data->out[owner] : NULL};

    for (int i = 0; data && i < 2; i++) {
        uintptr_t begin = (uintptr_t)rows[i]->words;

        if (rows[i] == vectors_inner(data, owner)) /* it is told as a part of the other one */
            continue;

        *name = i == 0 ? "in" : vectors_result_name(data->collective);
        if (begin && address >= begin - 8 * VECTORS_GUARD && address < begin + 8 * (rows[i]->count + VECTORS_GUARD))
            return rows[i];
    }
    return NULL;
}

static void
describe_row(uintptr_t address, const struct row *row, const char *whose, const char *name, char *text, size_t bytes)
{
    ptrdiff_t word = ((ptrdiff_t)address - (ptrdiff_t)(uintptr_t)row->words) >> 3;

    if (word < 0)
        snprintf(text, bytes, "word %td of %s `%s`, which begins at 0", word, whose, name);
    else if ((size_t)word < row->count)
        snprintf(text, bytes, "word %td of %s `%s`", word, whose, name);
    else
        snprintf(text, bytes, "word %td of %s `%s`, which has %zu word%s", word, whose, name, row->count,
                 plural(row->count));
}

static void
describe_block(uintptr_t address, uint64_t shadow, int rank, char *text, size_t bytes)
{
    const struct arena_block *block = arena_near(address);
    size_t word = watched.machine->options.word_bytes;
    char site[100], owner[24];

    if (!block) {
        snprintf(text, bytes, "memory that node %d never got", shadow_owner(shadow));
        return;
    }
    bool words = block->header > 0;
    size_t unit = words ? word : 1, offset = (address - (uintptr_t)arena_data(block)) / unit;

    write_site(site, sizeof site, block->file, block->line, block->pc);
    if (block->owner == rank)
        snprintf(owner, sizeof owner, "it");
    else
        snprintf(owner, sizeof owner, "node %d", block->owner);
    snprintf(text, bytes, "%s %zu of the %zu %s%s that %s got %sat %s%s", words ? "word" : "byte", offset,
             block->bytes / unit, words ? "word" : "byte", plural(block->bytes / unit), owner,
             words ? "" : "from malloc ", site, shadow_region(shadow) == REGION_FREED ? " and gave back" : "");
}

/* Say what lies at the address, to node `rank`. */
static void
describe(uintptr_t address, uint64_t shadow, int rank, char *text, size_t bytes)
{
    const char *name = NULL;
    int owner = shadow_owner(shadow);
    const struct row *row = row_near(address, owner, &name);
    char whose[24] = "its", variable[80];

    if (owner != rank)
        snprintf(whose, sizeof whose, "node %d's", owner);
    switch (shadow_region(shadow)) {
    case REGION_STACK:
    case REGION_FRAME:
        snprintf(text, bytes, "%s stack", whose);
        return;
    case REGION_GLOBAL:
        if (lines_variable(watched.loaded->symbols, address - copy_before(address)->base, variable, sizeof variable))
            snprintf(text, bytes, "%s copy of `%s`", whose, variable);
        else
            snprintf(text, bytes, "%s copy of the globals", whose);
        return;
    case REGION_ARRAY:
    case REGION_BEYOND:
        if (row) {
            describe_row(address, row, whose, name, text, bytes);
            return;
        }
        break;
    case REGION_NONE:
    case REGION_BLOCK:
    case REGION_FREED:
        break;
    }
    describe_block(address, shadow, rank, text, bytes);
}

static const char *
verb(enum deed deed)
{
    switch (deed) {
    case READS:
        return "reads";
    case WRITES:
        return "writes";
    case SENDS:
        return "sends";
    case RECEIVES:
        return "receives into";
    case GOT:
        break;
    }
    return "was sent words that went to";
}

/* ------------------------------------------------------------------ blame */

/* Where a deed was done: at a line, or at an address of the program's. */
struct scene {
    const char *file;
    int line;
    void *pc;
};

static _Noreturn void blame(struct node *node, enum peal_failure_kind kind, const struct scene *scene,
                            const char *format, ...) PEAL_PRINTF(4, 5);

static void
blame(struct node *node, enum peal_failure_kind kind, const struct scene *scene, const char *format, ...)
{
    char text[500];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (scene->pc && (watched.blamed < 0 || node->rank < watched.blamed)) {
        watched.blamed = node->rank;
        watched.pc = scene->pc;
    }
    peal_fail_at(&node->world, (int)kind, scene->pc ? node->file : scene->file, scene->pc ? node->line : scene->line,
                 "%s", text);
}

/* The open request of this kind whose pieces hold the address; 0: none. */
static uint32_t
holder_of(const struct node *node, uintptr_t address, bool receive)
{
    const struct request *requests = node->machine->requests;
    size_t word = node->machine->options.word_bytes;

    for (uint32_t id = node->open; id; id = requests[id].open_next) {
        if (id >= watched.hold_capacity || watched.holds[id].receive != receive)
            continue;
        for (int i = 0; i < watched.holds[id].count; i++) {
            const struct peal_piece *piece = &watched.holds[id].pieces[i];

            if (address / 8 * 8 + 7 >= (uintptr_t)piece->data &&
                address / 8 * 8 < (uintptr_t)piece->data + piece->words * word)
                return id;
        }
    }
    return 0;
}

static _Noreturn void
blame_held(struct node *node, enum deed deed, uintptr_t address, uint64_t shadow, bool receive,
           const struct scene *scene)
{
    uint32_t id = holder_of(node, address, receive);
    const struct request *request = &node->machine->requests[id];
    char what[200], peer[24] = "any node", site[100] = "?";

    describe(address, shadow, node->rank, what, sizeof what);
    if (id && request->peer != PEAL_ANY_SOURCE)
        snprintf(peer, sizeof peer, "node %d", request->peer);
    if (id)
        write_site(site, sizeof site, request->file, request->line, NULL);
    blame(node, receive && (deed == READS || deed == SENDS) ? PEAL_EARLY_READ : PEAL_BUFFER_REUSE, scene,
          "node %d %s %s before it has waited for its %s %s at %s", node->rank, verb(deed), what,
          receive ? "receive from" : "send to", peer, site);
}

/* A word may not be touched so. */
static _Noreturn void
blame_word(struct node *node, enum deed deed, uintptr_t address, uint64_t shadow, const struct scene *scene)
{
    char what[300];

    if (shadow_owner(shadow) != node->rank) {
        describe(address, shadow, node->rank, what, sizeof what);
        blame(node, PEAL_PRIVATE_MEMORY, scene, "node %d %s %s: a node touches its own memory only", node->rank,
              verb(deed), what);
    }
    if (shadow & SHADOW_HELD_RECEIVES && deed != GOT)
        blame_held(node, deed, address, shadow, true, scene);
    if (shadow & SHADOW_HELD_SENDS && deed != GOT)
        blame_held(node, deed, address, shadow, false, scene);
    describe(address, shadow, node->rank, what, sizeof what);
    blame(node, PEAL_OUT_OF_BOUNDS, scene, "node %d %s %s", node->rank, verb(deed), what);
}

/* ------------------------------------------------------------------ looking */

/* Look at some bytes of one word.  Gives its shadow, NULL for nobody's. */
static uint64_t *
look(struct node *node, uintptr_t word, uint64_t mask, enum deed deed, const struct scene *scene)
{
    uint64_t *shadow = shadow_get(word), held = 0;

    if (!shadow)
        return NULL;
    uint64_t invalid = mask & ~(*shadow >> SHADOW_VALID);

    if (deed == READS || deed == WRITES || deed == SENDS)
        held |= SHADOW_HELD_RECEIVES;
    if (deed == WRITES || deed == RECEIVES)
        held |= SHADOW_HELD_SENDS;
    if (deed == RECEIVES)
        invalid = 0; /* of a receive only what comes must fit */
    if (shadow_owner(*shadow) != node->rank || invalid || *shadow & held)
        blame_word(node, deed, word + (uintptr_t)__builtin_ctzll(invalid ? invalid : mask), *shadow, scene);
    if (deed == WRITES || deed == GOT)
        *shadow |= mask << SHADOW_WRITTEN;
    return shadow;
}

/* The bytes begin .. end of the word at `word`, as a mask. */
static uint64_t
mask_of(uintptr_t word, uintptr_t begin, uintptr_t end)
{
    uint64_t mask = 0xFF;

    if (begin > word)
        mask &= (uint64_t)0xFF << (begin - word);
    if (end < word + 8)
        mask &= 0xFF >> (word + 8 - end);
    return mask & 0xFF;
}

struct node *
watch_node(void)
{
    struct node *node = self;

    return node && watched.machine && node->machine == watched.machine ? node : NULL;
}

void
watch_access(const void *address, size_t bytes, bool write, void *pc)
{
    struct node *node = watch_node();
    const struct scene scene = {.pc = pc};
    uintptr_t begin = (uintptr_t)address, end = begin + bytes;

    if (!node || end < begin)
        return;
    node->mark = shadow_run | (uint64_t)node->rank << SHADOW_OWNER | SHADOW_ALL_VALID;
    for (uintptr_t word = begin / 8 * 8; word < end; word += 8)
        look(node, word, mask_of(word, begin, end), write ? WRITES : READS, &scene);
}

void
watch_range(const void *address, size_t bytes, bool write, void *pc)
{
    if (watched.machine && bytes > 0)
        watch_access(address, bytes, write, pc);
}

void
watch_copy(void *to, const void *from, size_t bytes, void *pc)
{
    bool aligned = ((uintptr_t)to | (uintptr_t)from) % 8 == 0;

    watch_range(from, bytes, false, pc);
    watch_range(to, bytes, true, pc);
    if (!aligned || !watch_node())
        return;
    for (size_t i = 0; i + 8 <= bytes; i += 8) {
        const uint64_t *source = shadow_get((uintptr_t)from + i);
        uint64_t *target = source ? shadow_get((uintptr_t)to + i) : NULL;

        if (target && shadow_region(*source) == REGION_BLOCK && shadow_region(*target) == REGION_BLOCK)
            *target = (*target & ~(uint64_t)0xFF) | (*source & 0xFF);
    }
}

/* ------------------------------------------------------------------ posts and waits */

/* Say that nobody wrote word `i` of a message. */
static _Noreturn void
blame_unwritten(struct node *node, uint32_t id, size_t i, uintptr_t address, uint64_t shadow, const struct scene *scene)
{
    const struct request *request = &node->machine->requests[id];
    uint64_t word = *(const volatile uint64_t *)address;
    char what[200];

    describe(address, shadow, node->rank, what, sizeof what);
    if (watched.data && label_kind(word) == LABEL_UNSET) {
        struct leaf leaf = label_leaf(word, 0);

        snprintf(what, sizeof what, "word %u of node %d's `%s`", leaf.index, leaf.node,
                 vectors_result_name(watched.data->collective));
    }
    blame(node, PEAL_UNINITIALISED_SEND, scene,
          "node %d sends %llu word%s to node %d, and nobody has written word %zu of them, %s", node->rank,
          (unsigned long long)request->words, plural(request->words), request->peer, i, what);
}

static bool
is_unwritten(uintptr_t address, uint64_t shadow)
{
    uint64_t word = *(const volatile uint64_t *)address;

    if (watched.data && label_kind(word) == LABEL_UNSET)
        return true;
    switch (shadow_region(shadow)) {
    case REGION_BLOCK:
        return (shadow & 0xFF) == 0 && word == FRESH_WORD;
    case REGION_STACK:
        return watched.how == INSTRUMENT_GCC && word == FRESH_WORD;
    case REGION_FRAME:
        return (shadow & 0xFF) == 0 && shadow_is_old(address);
    case REGION_NONE:
    case REGION_GLOBAL:
    case REGION_ARRAY:
    case REGION_BEYOND:
    case REGION_FREED:
        break;
    }
    return false;
}

/* Keep the pieces of a request; false without memory. */
static struct hold *
keep_pieces(uint32_t id, const struct peal_piece *pieces, int count, bool receive)
{
    if (id >= watched.hold_capacity) {
        size_t more = 2 * (size_t)id + 64;
        struct hold *holds = realloc(watched.holds, more * sizeof *holds);

        if (!holds)
            return NULL;
        memset(holds + watched.hold_capacity, 0, (more - watched.hold_capacity) * sizeof *holds);
        for (size_t i = 0; i < watched.hold_capacity; i++)
            if (holds[i].count == 1)
                holds[i].pieces = &holds[i].one;
        watched.holds = holds;
        watched.hold_capacity = more;
    }
    struct hold *hold = &watched.holds[id];

    if (hold->count > 1)
        free(hold->pieces);
    *hold = (struct hold){.pieces = &hold->one, .receive = receive};
    if (count > 1 && !(hold->pieces = malloc((size_t)count * sizeof *hold->pieces)))
        return NULL;
    if (count > 0)
        memcpy(hold->pieces, pieces, (size_t)count * sizeof *pieces);
    hold->count = count;
    return hold;
}

/* One more or one less request holds the word. */
static void
count_holder(struct node *node, uint64_t *shadow, uintptr_t word, bool receive, bool more)
{
    uint64_t all = receive ? SHADOW_HELD_RECEIVES : SHADOW_HELD_SENDS;
    uint64_t one = UINT64_C(1) << (receive ? SHADOW_RECEIVES : SHADOW_SENDS);

    if ((*shadow & all) == all) { /* there may be more of them than fit: it is free when the last is gone */
        if (!more && !holder_of(node, word, receive))
            *shadow &= ~all;
    } else if (more) {
        *shadow += one;
    } else if (*shadow & all) {
        *shadow -= one;
    }
}

static void
posted(struct node *node, uint32_t id, const struct peal_piece *pieces, int count)
{
    const struct request *request = &node->machine->requests[id];
    const struct scene scene = {.file = request->file, .line = request->line};
    bool receive = request->kind == REQUEST_RECEIVE;
    size_t before = 0, word_bytes = node->machine->options.word_bytes;
    const struct hold *hold = keep_pieces(id, pieces, count, receive);

    if (!hold)
        blame(node, PEAL_OUT_OF_MEMORY, &scene, "no memory to watch a request of %d pieces", count);
    for (int i = 0; i < count; before += pieces[i++].words) {
        uintptr_t begin = (uintptr_t)pieces[i].data, end = begin + pieces[i].words * word_bytes;

        for (uintptr_t word = begin / 8 * 8; word < end; word += 8) {
            uint64_t mask = mask_of(word, begin, end);
            uint64_t *shadow = look(node, word, mask, receive ? RECEIVES : SENDS, &scene);

            if (shadow && !receive && mask == 0xFF && is_unwritten(word, *shadow))
                blame_unwritten(node, id, before + (word - begin) / word_bytes, word, *shadow, &scene);
        }
    }
    for (int i = 0; i < count; i++) {
        uintptr_t begin = (uintptr_t)pieces[i].data, end = begin + pieces[i].words * word_bytes;

        for (uintptr_t word = begin / 8 * 8; word < end; word += 8) {
            uint64_t *shadow = shadow_get(word);

            if (shadow)
                count_holder(node, shadow, word, receive, true);
        }
    }
}

static void
finished(struct node *node, uint32_t id)
{
    const struct request *request = &node->machine->requests[id];
    size_t word_bytes = node->machine->options.word_bytes;
    struct hold *hold = id < watched.hold_capacity ? &watched.holds[id] : NULL;
    size_t left = request->words * word_bytes; /* of a receive: what came */
    const struct scene scene = {.file = request->file, .line = request->line};

    if (!hold)
        return;
    int count = hold->count;

    hold->count = 0; /* it holds nothing any more */
    for (int i = 0; i < count; i++) {
        uintptr_t begin = (uintptr_t)hold->pieces[i].data;
        size_t bytes = hold->pieces[i].words * word_bytes, came = bytes < left ? bytes : left;

        for (uintptr_t word = begin / 8 * 8; word < begin + bytes; word += 8) {
            uint64_t *shadow = shadow_get(word);

            if (shadow)
                count_holder(node, shadow, word, hold->receive, false);
            if (shadow && hold->receive && word < begin + came)
                look(node, word, mask_of(word, begin, begin + came), GOT, &scene);
        }
        left -= came;
    }
    if (count > 1)
        free(hold->pieces);
}

/* ------------------------------------------------------------------ memory */

static void *
get(struct node *node, size_t header, size_t bytes, bool zero, bool ours, const char *file, int line)
{
    struct arena_block *block = arena_get(node->rank, header, bytes, 16);

    if (!block)
        return NULL;
    block->file = file ? file : "?";
    block->line = line;
    if (!ours || zero)
        memset(arena_data(block), zero ? 0 : FRESH_BYTE, bytes);
    shadow_set((uintptr_t)arena_data(block), bytes, REGION_BLOCK, node->rank, zero || ours);
    return block + 1;
}

static void
put_block(struct arena_block *block)
{
    block->live = false;
    shadow_set((uintptr_t)arena_data(block), block->bytes, REGION_FREED, block->owner, false);
}

static void
put(struct node *node, void *memory)
{
    (void)node;
    put_block((struct arena_block *)memory - 1);
}

void *
watch_malloc(struct node *node, size_t bytes, size_t align, bool zero, void *pc)
{
    struct arena_block *block = arena_get(node->rank, 0, bytes, align < 16 ? 16 : align);

    if (!block)
        return NULL;
    block->pc = pc;
    memset(block + 1, zero ? 0 : FRESH_BYTE, bytes);
    shadow_set((uintptr_t)(block + 1), bytes, REGION_BLOCK, node->rank, zero);
    arena_hang(block);
    return block + 1;
}

bool
watch_bytes(const void *memory, size_t *bytes)
{
    const struct arena_block *block = arena_block_at(memory);

    if (block)
        *bytes = block->bytes;
    return block != NULL;
}

void
watch_free(struct node *node, void *memory, void *pc)
{
    const struct scene scene = {.pc = pc};
    struct arena_block *block = arena_block_at(memory);
    char site[100];

    if (!block && arena_owner((uintptr_t)memory) < 0) {
        free(memory);
        return;
    }
    if (!block)
        blame(node, PEAL_OUT_OF_BOUNDS, &scene, "node %d frees memory that does not begin a block from malloc",
              node->rank);
    write_site(site, sizeof site, block->file, block->line, block->pc);
    if (block->owner != node->rank)
        blame(node, PEAL_PRIVATE_MEMORY, &scene, "node %d frees memory that node %d got from malloc at %s", node->rank,
              block->owner, site);
    if (!block->live)
        blame(node, PEAL_OUT_OF_BOUNDS, &scene, "node %d frees what it got from malloc at %s a second time", node->rank,
              site);
    arena_drop(block);
    put_block(block);
}

static void
ended(struct node *node)
{
    struct arena_block *first = arena_live(node->rank);

    if (!first || (watched.leaked >= 0 && watched.leaked < node->rank))
        return;
    watched.leaked = node->rank;
    watched.leak.bytes = 0;
    watched.leak.count = 0;
    for (const struct arena_block *block = first; block; block = block->next) {
        watched.leak.bytes += block->bytes;
        watched.leak.count++;
        watched.leak.pc = block->pc; /* the first one that it got */
    }
}

/* ------------------------------------------------------------------ begin and end */

static const struct watch watch = {.posted = posted, .finished = finished, .get = get, .put = put, .ended = ended};

enum peal_status
watch_prepare(int nodes, struct peal_error *error)
{
    enum peal_status status = shadow_init(error);

    if (status == PEAL_OK)
        status = arena_init(nodes, error);
    shadow_range = range_of;
    return status;
}

bool
watch_loaded(const struct peal_program_file *file, enum instrument how)
{
    const struct loaded *loaded = load_of(file);

    watched.how = how;
    if (how == INSTRUMENT_NONE || !(watched.copies = calloc((size_t)loaded->count, sizeof *watched.copies)))
        return false;
    for (int i = 0; i < loaded->count; i++)
        watched.copies[i] = (struct copy_of){(uintptr_t)loaded->copies[i].base, i};
    qsort(watched.copies, (size_t)loaded->count, sizeof *watched.copies, by_address);
    watched.loaded = loaded;
    labels_watch = watch_range;
    return true;
}

void
watch_fini(void)
{
    for (size_t i = 0; i < watched.hold_capacity; i++)
        if (watched.holds[i].count > 1)
            free(watched.holds[i].pieces);
    free(watched.holds);
    free(watched.copies);
    memset(&watched, 0, sizeof watched);
    watched.blamed = watched.leaked = -1;
    labels_watch = NULL;
    arena_fini();
    shadow_fini();
}

static void
set_row(const struct row *row, int rank)
{
    uintptr_t begin = (uintptr_t)row->words, guard = 8 * VECTORS_GUARD;

    if (!row->words)
        return;
    shadow_set(begin - guard, guard, REGION_BEYOND, rank, false);
    shadow_set(begin, 8 * row->count, REGION_ARRAY, rank, row->count > 0 && label_kind(row->words[0]) == LABEL_WORD);
    shadow_set(begin + 8 * row->count, guard, REGION_BEYOND, rank, false);
}

void
watch_begin(struct peal_machine *machine, const struct vectors *data)
{
    if (!watched.loaded)
        return;
    machine->watch = &watch;
    watched.machine = machine;
    watched.data = data;
    watched.blamed = watched.leaked = -1;
    shadow_begin();
    arena_begin();
    for (size_t i = 0; i < watched.hold_capacity; i++) {
        if (watched.holds[i].count > 1)
            free(watched.holds[i].pieces);
        watched.holds[i].count = 0;
    }
    for (int rank = 0; data && rank < machine->options.nodes; rank++) {
        const struct row *inner = vectors_inner(data, rank);

        for (int i = 0; i < 2; i++) {
            const struct row *row = i == 0 ? &data->in[rank] : &data->out[rank];

            if (row != inner)
                set_row(row, rank);
        }
        if (inner)
            shadow_set((uintptr_t)inner->words, 8 * inner->count, REGION_ARRAY, rank, true);
    }
}

/* ------------------------------------------------------------------ lines */

/* Find the line of the call that returns to `pc`. */
static bool
find_line(uintptr_t pc, char *file, size_t bytes, int *line)
{
    const struct copy_of *copy = watched.loaded ? copy_before(pc) : NULL;

    return copy && watched.loaded->symbols >= 0 &&
           lines_find(watched.loaded->symbols, pc - 1 - copy->base, file, bytes, line);
}

/* Put lines in the places of addresses. */
static void
write_lines(char *text, size_t bytes)
{
    for (char *at = text; (at = strchr(at, LINE_BEGIN));) {
        char *end, site[300], file[256], rest[800];
        int line;
        uintptr_t pc = (uintptr_t)strtoull(at + 1, &end, 16);

        if (find_line(pc, file, sizeof file, &line))
            snprintf(site, sizeof site, "%s:%d", file, line);
        else
            snprintf(site, sizeof site, "a line that is not known");
        snprintf(rest, sizeof rest, "%s", *end == LINE_END ? end + 1 : end);
        snprintf(at, bytes - (size_t)(at - text), "%s%s", site, rest);
    }
}

void
watch_explain(const struct peal_failure *failure, struct peal_finding *finding)
{
    char file[256];
    int line;

    if (watched.blamed >= 0 && watched.blamed == failure->rank &&
        find_line((uintptr_t)watched.pc, file, sizeof file, &line)) {
        snprintf(finding->file, sizeof finding->file, "%s", file);
        finding->line = line;
    }
    write_lines(finding->message, sizeof finding->message);
}

bool
watch_leaked(struct peal_finding *finding)
{
    if (watched.leaked < 0)
        return false;
    finding->kind = PEAL_LEAK;
    snprintf(finding->message, sizeof finding->message,
             "node %d ends and has not freed %d block%s from malloc, %zu byte%s in all", watched.leaked,
             watched.leak.count, plural(watched.leak.count), watched.leak.bytes, plural(watched.leak.bytes));
    if (!find_line((uintptr_t)watched.leak.pc, finding->file, sizeof finding->file, &finding->line))
        finding->line = 0;
    return true;
}
