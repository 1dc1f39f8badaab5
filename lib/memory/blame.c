/* SPDX-License-Identifier: MIT */
/* Words the failure of a wrong access: what lies there, whose it is, which request holds it.  It runs on the node's
 * stack, so that lines are looked up later. */
#include "lib/memory/blame.h"
#include "lib/base/text.h"
#include "lib/memory/arena.h"
#include "lib/memory/holds.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watched_image.h"
#include <peal/author.h>
#include <peal/hints.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const struct vectors *data; /* of the run; NULL: there are none */
    int rank;                   /* the lowest one that failed at `pc`; -1: none */
    void *pc;
} blamed = {.rank = -1};

void
blame_begin(const struct vectors *data)
{
    blamed.data = data;
    blamed.rank = -1;
}

/* ------------------------------------------------------------------ words for it */

/* A place in the text for a line that is found later: write its address. */
enum { LINE_BEGIN = 1, LINE_END = 2 };

void
blame_site(char *text, size_t bytes, const char *file, int line, void *pc)
{
    if (line <= PEAL_CODE)
        pc = (void *)(uintptr_t)file;
    if (file && line > PEAL_CODE)
        snprintf(text, bytes, "%s:%d", file, line);
    else
        snprintf(text, bytes, "%c%llx%c", LINE_BEGIN, (unsigned long long)(uintptr_t)pc, LINE_END);
}

/* The array of `owner` at or around the address, of whichever call; NULL: none is near. */
static const struct row *
row_near(uintptr_t address, int owner, const struct vectors **of, const char **name)
{
    for (const struct vectors *data = blamed.data; data; data = data->earlier) {
        int rank = vectors_rank(data, owner);

        for (int i = 0; rank >= 0 && i < 2; i++) {
            const struct row *row = i == 0 ? &data->in[rank] : &data->out[rank];
            uintptr_t begin = (uintptr_t)row->words;

            if (row == vectors_inner(data, rank)) /* it is reported as a part of the other one */
                continue;

            *of = data;
            *name = i == 0 ? vectors_input_name(data) : vectors_result_name(data);
            if (begin && address >= begin - 8 * VECTORS_GUARD &&
                address < begin + 8 * (row->count * data->stride + VECTORS_GUARD))
                return row;
        }
    }
    return NULL;
}

static void
describe_row(uintptr_t address, const struct row *row, const char *whose, const char *name, char *text, size_t bytes)
{
    ptrdiff_t word = ((ptrdiff_t)address - (ptrdiff_t)(uintptr_t)row->words) >> 3;
    ptrdiff_t stride = (ptrdiff_t)(blamed.data ? blamed.data->stride : 1);

    word = word < 0 ? word : word / stride;

    if (word < 0)
        snprintf(text, bytes, "word %td of %s `%s`, which begins at 0", word, whose, name);
    else if ((size_t)word < row->count)
        snprintf(text, bytes, "word %td of %s `%s`", word, whose, name);
    else
        snprintf(text, bytes, "word %td of %s `%s`, which has %zu word%s", word, whose, name, row->count,
                 plural(row->count));
}

/* Where the address lies, by the units in which the block was allocated. */
struct bounds {
    const char *unit; /* "word", "byte" */
    size_t count, offset;
    bool before; /* the offset is to the left of the block */
};

static struct bounds
bounds_of(const struct arena_block *block, uintptr_t address, const struct node *node)
{
    bool words = block->header > 0;
    size_t unit = words ? node->machine->options.word_bytes : 1;
    uintptr_t begin = (uintptr_t)arena_data(block);
    bool before = address < begin;

    return (struct bounds){.unit = words ? "word" : "byte",
                           .count = block->bytes / unit,
                           .offset = (before ? begin - address + unit - 1 : address - begin) / unit,
                           .before = before};
}

static void
describe_block(uintptr_t address, uint64_t shadow, const struct node *node, char *text, size_t bytes)
{
    const struct arena_block *block = arena_near(address);
    char site[100], owner[24], which[60];

    if (!block) {
        snprintf(text, bytes, "memory that node %d never allocated", shadow_owner(shadow));
        return;
    }
    struct bounds at = bounds_of(block, address, node);

    blame_site(site, sizeof site, block->file, block->line, block->pc);
    if (block->owner == node->rank)
        snprintf(owner, sizeof owner, "it");
    else
        snprintf(owner, sizeof owner, "node %d", block->owner);
    if (at.before)
        snprintf(which, sizeof which, "%zu %s%s before the beginning", at.offset, at.unit, plural(at.offset));
    else
        snprintf(which, sizeof which, "%s %zu", at.unit, at.offset);
    snprintf(text, bytes, "%s of the %zu %s%s that %s allocated %sat %s%s", which, at.count, at.unit, plural(at.count),
             owner, block->header > 0 ? "" : "with malloc ", site,
             shadow_region(shadow) == REGION_FREED ? " and freed" : "");
}

/* Describe what lies at the address, for this node. */
static void
describe(uintptr_t address, uint64_t shadow, const struct node *node, char *text, size_t bytes)
{
    const char *name = NULL;
    int owner = shadow_owner(shadow);
    const struct vectors *of = NULL;
    const struct row *row = row_near(address, owner, &of, &name);
    char whose[24] = "its", variable[80];

    if (owner != node->rank)
        snprintf(whose, sizeof whose, "node %d's", owner);
    switch (shadow_region(shadow)) {
    case REGION_STACK:
    case REGION_FRAME:
        snprintf(text, bytes, "%s stack", whose);
        return;
    case REGION_GLOBAL:
        if (image_variable(address, variable, sizeof variable))
            snprintf(text, bytes, "%s copy of `%s`", whose, variable);
        else
            snprintf(text, bytes, "%s copy of the globals", whose);
        return;
    case REGION_ARRAY:
    case REGION_BEYOND:
        if (row) {
            describe_row(address, row, whose, name, text, bytes);
            if (of->is_earlier)
                peal_append((struct peal_text){text, bytes}, ", of the first call");
            return;
        }
        break;
    case REGION_NONE:
    case REGION_BLOCK:
    case REGION_FREED:
        break;
    }
    describe_block(address, shadow, node, text, bytes);
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

void
blame(struct node *node, enum peal_failure_kind kind, const struct scene *scene, const char *format, ...)
{
    char text[500];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (scene->pc && (blamed.rank < 0 || node->rank < blamed.rank)) {
        blamed.rank = node->rank;
        blamed.pc = scene->pc;
    }
    peal_fail_at(&node->world, (int)kind, scene->pc ? node->file : scene->file, scene->pc ? node->line : scene->line,
                 "%s", text);
}

static _Noreturn void
blame_held(struct node *node, enum deed deed, uintptr_t address, uint64_t shadow, bool receive,
           const struct scene *scene)
{
    uint32_t id = holds_find(node, address, receive);
    const struct request *request = &node->machine->requests[id];
    char what[200], peer[24] = "any node", site[100] = "?";

    describe(address, shadow, node, what, sizeof what);
    if (id && request->peer != PEAL_ANY_SOURCE)
        snprintf(peer, sizeof peer, "node %d", request->peer);
    if (id)
        blame_site(site, sizeof site, request->file, request->line, NULL);
    bool early = receive && (deed == READS || deed == SENDS);

    if (early)
        node_advise(node, PEAL_HINT_held_by_receive, site);
    else
        node_advise(node, PEAL_HINT_held_by_send, receive ? "receive" : "send", site);
    blame(node, early ? PEAL_EARLY_READ : PEAL_BUFFER_REUSE, scene,
          "node %d %s %s before it has waited for its %s %s at %s", node->rank, verb(deed), what,
          receive ? "receive from" : "send to", peer, site);
}

/* What keeps an access, or a message, within the words that it missed. */
static void
advise_bounds(struct node *node, enum deed deed, uintptr_t address, uint64_t shadow)
{
    const struct vectors *of;
    const char *name;
    const struct row *row = row_near(address, node->rank, &of, &name);
    const struct arena_block *block = row ? NULL : arena_near(address);
    struct bounds at;

    if (row)
        at = (struct bounds){.unit = "word", .count = row->count, .before = address < (uintptr_t)row->words};
    else if (block)
        at = bounds_of(block, address, node);
    else
        return;
    if (block && shadow_region(shadow) == REGION_FREED)
        node_advise(node, "%s", PEAL_HINT_after_free);
    else if (deed != READS && deed != WRITES && !at.before)
        node_advise(node, PEAL_HINT_shorter_message, at.count, at.unit, plural(at.count));
    else if (at.count == 0)
        node_advise(node, "%s", PEAL_HINT_no_words);
    else if (at.before)
        node_advise(node, PEAL_HINT_first_word, at.unit);
    else
        node_advise(node, PEAL_HINT_last_word, at.unit, at.count - 1);
}

void
blame_word(struct node *node, enum deed deed, uintptr_t address, uint64_t shadow, const struct scene *scene)
{
    char what[300];

    if (shadow_is_machine(shadow))
        blame(node, PEAL_PRIVATE_MEMORY, scene,
              "node %d %s the memory of a `struct peal_node *`: it belongs to Peal, and is only passed to Peal's calls",
              node->rank, verb(deed));
    if (shadow_owner(shadow) != node->rank) {
        describe(address, shadow, node, what, sizeof what);
        if (deed == READS)
            node_advise(node, PEAL_HINT_send_words, shadow_owner(shadow), node->rank);
        else if (deed == WRITES)
            node_advise(node, PEAL_HINT_write_own, node->rank, shadow_owner(shadow));
        blame(node, PEAL_PRIVATE_MEMORY, scene, "node %d %s %s: a node touches its own memory only", node->rank,
              verb(deed), what);
    }
    if (shadow & SHADOW_HELD_RECEIVES && deed != GOT)
        blame_held(node, deed, address, shadow, true, scene);
    if (shadow & SHADOW_HELD_SENDS && deed != GOT)
        blame_held(node, deed, address, shadow, false, scene);
    describe(address, shadow, node, what, sizeof what);
    advise_bounds(node, deed, address, shadow);
    blame(node, PEAL_OUT_OF_BOUNDS, scene, "node %d %s %s", node->rank, verb(deed), what);
}

void
blame_constant(struct node *node, enum deed deed, uintptr_t address, const struct scene *scene)
{
    char name[80];

    node_advise(node, PEAL_HINT_own_copy, node->rank);
    if (image_variable(address, name, sizeof name))
        blame(node, PEAL_PRIVATE_MEMORY, scene, "node %d %s the constant `%s`, which is read-only", node->rank,
              verb(deed), name);
    blame(node, PEAL_PRIVATE_MEMORY, scene,
          "node %d %s a constant: string literals, const objects and code are read-only", node->rank,
          deed == WRITES ? "writes to" : verb(deed));
}

void
blame_unwritten(struct node *node, uint32_t id, size_t i, uintptr_t address, uint64_t shadow, const struct scene *scene)
{
    const struct request *request = &node->machine->requests[id];
    uint64_t word = *(const volatile uint64_t *)address;
    size_t bytes = node->machine->options.word_bytes, each = sizeof word / bytes; /* words are of 8 bytes here */
    uint64_t words = (request->words + each - 1) / each;
    char what[200];

    describe(address, shadow, node, what, sizeof what);
    if (blamed.data && label_kind(word) == LABEL_UNSET) {
        struct leaf leaf = label_leaf(word, 0);

        snprintf(what, sizeof what, "word %u of node %d's `%s`", leaf.index, leaf.node % LABEL_EARLIER,
                 vectors_result_name(blamed.data));
    }
    node_advise(node, PEAL_HINT_fill_first, node->rank);
    blame(node, PEAL_UNINITIALISED_SEND, scene,
          "node %d sends %llu word%s to node %d, and word %zu of them (%s) was never written", node->rank,
          (unsigned long long)words, plural(words), request->peer, i / each, what);
}

/* ------------------------------------------------------------------ lines */

/* Put lines in the places of addresses. */
static void
write_lines(char *text, size_t bytes)
{
    for (char *at = text; (at = strchr(at, LINE_BEGIN));) {
        char *end, site[300], file[256], rest[800];
        int line;
        void *pc = (void *)(uintptr_t)strtoull(at + 1, &end, 16);

        if (image_line(pc, file, sizeof file, &line))
            snprintf(site, sizeof site, "%s:%d", file, line);
        else
            snprintf(site, sizeof site, "an unknown line");
        snprintf(rest, sizeof rest, "%s", *end == LINE_END ? end + 1 : end);
        snprintf(at, bytes - (size_t)(at - text), "%s%s", site, rest);
    }
}

void
blame_explain(const struct peal_failure *failure, struct peal_finding *finding)
{
    char file[256];
    int line;

    if (blamed.rank >= 0 && blamed.rank == failure->rank && image_line(blamed.pc, file, sizeof file, &line)) {
        snprintf(finding->file, sizeof finding->file, "%s", file);
        finding->line = line;
    }
    write_lines(finding->message, sizeof finding->message);
    write_lines(finding->fix, sizeof finding->fix);
}
