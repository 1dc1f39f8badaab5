/* SPDX-License-Identifier: MIT */
/* Words the failure of a wrong access: what lies there, whose it is, which request holds it.  It runs on the node's
 * stack, so lines are looked up later. */
#include "lib/memory/report_fault.h"
#include "lib/base/unbacked.h"
#include "lib/machine/machine.h"
#include "lib/machine/rules.h"
#include "lib/memory/arena.h"
#include "lib/memory/holds.h"
#include "lib/memory/linked_blocks.h"
#include "lib/memory/named_blocks.h"
#include "lib/memory/received.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watched_image.h"
#include <peal/author.h>
#include <peal/hints.h>
#include <stdlib.h>

static struct {
    const struct vectors *data; /* of the run; NULL: there are none */
    int rank;                   /* the lowest one that failed at `pc`; -1: none */
    void *pc;
} blamed = {.rank = -1};

void
report_fault_begin(const struct vectors *data)
{
    blamed.data = data;
    blamed.rank = -1;
}

/* ------------------------------------------------------------------ words for it */

/* A place in the text for a line that is found later: write its address. */
enum { LINE_BEGIN = 1, LINE_END = 2 };

static void
write_site(char *text, size_t bytes, const char *file, int line, void *pc)
{
    if (line <= PEAL_CODE)
        pc = (void *)(uintptr_t)file;
    if (file && line > PEAL_CODE)
        snprintf(text, bytes, "%s:%d", file, line);
    else
        snprintf(text, bytes, "%c%llx%c", LINE_BEGIN, (unsigned long long)(uintptr_t)pc, LINE_END);
}

/* The array of `owner` at or around the address, of any call; NULL: none is near. */
static const struct row *
row_near(uintptr_t address, int owner, const struct vectors **of, const char **name)
{
    for (const struct vectors *data = blamed.data; data; data = data->earlier) {
        int rank = vectors_rank(data, owner);

        for (int i = 0; rank >= 0 && i < 2; i++) {
            const struct row *row = i == 0 ? &data->in[rank] : &data->out[rank];
            uintptr_t begin = (uintptr_t)row->words;

            if (row == vectors_inner(data, rank)) /* it is reported as a part of the other row */
                continue;

            *of = data;
            *name = i == 0 ? vectors_input_name(data) : vectors_result_name(data);
            if (begin && address >= begin - 8 * VECTORS_MARGIN &&
                address < begin + 8 * (vectors_room(data, row) + VECTORS_MARGIN))
                return row;
        }
    }
    return NULL;
}

static void
describe_row(uintptr_t address, const struct row *row, const char *whose, const char *name, char *text, size_t bytes)
{
    ptrdiff_t width = (ptrdiff_t)vectors_width(blamed.data ? blamed.data->element : PEAL_ELEMENT_LABEL);
    ptrdiff_t word = ((ptrdiff_t)address - (ptrdiff_t)(uintptr_t)row->words) >> (width == 4 ? 2 : 3);
    ptrdiff_t stride = (ptrdiff_t)(blamed.data ? blamed.data->stride : 1);

    word = word < 0 ? word : word / stride;

    if (word < 0)
        snprintf(text, bytes, "word %td of %s `%s`, which begins at 0", word, whose, name);
    else if (row->spare)
        snprintf(text, bytes, "word %td of %s `%s`, which counts at the root alone", word, whose, name);
    else if ((size_t)word < row->count)
        snprintf(text, bytes, "word %td of %s `%s`", word, whose, name);
    else
        snprintf(text, bytes, "word %td of %s `%s`, which has %zu word%s", word, whose, name, row->count,
                 plural(row->count));
}

/* Whether the node's program is a linked one. */
static bool
is_linked(const struct node *node)
{
    return !node->machine->memory_hooks;
}

/* The block at or nearest to an address: who allocated it, and where. */
struct near_block {
    uintptr_t begin;
    size_t bytes;
    int owner;  /* -1: not known */
    bool words; /* from peal_alloc */
    bool by_new;
    char site[SITE_WORDS];
};

static bool
find_near(const struct node *node, uintptr_t address, struct near_block *near)
{
    struct peal_block found;

    if (is_linked(node)) {
        if (!blocks_near(address, &found))
            return false;
        *near = (struct near_block){(uintptr_t)found.begin, found.bytes, found.rank, false, false, "an unknown line"};
        if (found.code)
            site_words(node->machine, (struct call_site){found.code, PEAL_CODE}, near->site);
        if (found.code && site_is_of_system(node->machine, found.code, PEAL_CODE))
            snprintf(near->site, sizeof near->site, "a line of a library");
        return true;
    }
    const struct arena_block *block = arena_near(address);

    if (!block)
        return false;
    *near = (struct near_block){
        (uintptr_t)arena_data(block), block->bytes, block->owner, block->header > 0, block->by_new, ""};
    write_site(near->site, sizeof near->site, block->file, block->line, block->pc);
    return true;
}

/* Where the address lies, by the units in which the block was allocated. */
struct bounds {
    const char *unit; /* "word", "byte" */
    size_t count, offset;
    bool before; /* the offset is to the left of the block */
};

static struct bounds
bounds_of(const struct near_block *block, uintptr_t address, const struct node *node)
{
    size_t unit = block->words ? node->machine->options.word_bytes : 1;
    bool before = address < block->begin;

    return (struct bounds){.unit = block->words ? "word" : "byte",
                           .count = block->bytes / unit,
                           .offset = (before ? block->begin - address + unit - 1 : address - block->begin) / unit,
                           .before = before};
}

static void
describe_block(uintptr_t address, uint64_t shadow, const struct node *node, char *text, size_t bytes)
{
    struct near_block block;
    char owner[24], which[60];

    if (!find_near(node, address, &block)) {
        snprintf(text, bytes, "memory that node %d never allocated", shadow_owner(shadow));
        return;
    }
    struct bounds at = bounds_of(&block, address, node);

    if (block.owner == node->rank)
        snprintf(owner, sizeof owner, "it");
    else
        snprintf(owner, sizeof owner, "node %d", block.owner);
    if (at.before)
        snprintf(which, sizeof which, "%zu %s%s before the beginning", at.offset, at.unit, plural(at.offset));
    else
        snprintf(which, sizeof which, "%s %zu", at.unit, at.offset);
    peal_append(empty_text(text, bytes), "%s of the %zu %s%s that %s allocated %sat %s%s", which, at.count, at.unit,
                plural(at.count), owner,
                block.words    ? ""
                : block.by_new ? "with new "
                               : "with malloc ",
                block.site, shadow_region(shadow) == REGION_FREED ? " and freed" : "");
}

/* The name of the variable at the address. */
static bool
fault_find_variable(struct node *node, uintptr_t address, char *name, size_t bytes)
{
    struct peal_block found;

    if (!is_linked(node))
        return image_variable(address, name, bytes);
    if (!named_find(node, (void *)address, &found))
        return false;
    snprintf(name, bytes, "%s", found.name);
    return true;
}

/* Describe what lies at the address, for this node. */
static void
fault_describe_address(uintptr_t address, uint64_t shadow, struct node *node, char *text, size_t bytes)
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
        if (fault_find_variable(node, address, variable, sizeof variable))
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

static const char *const verbs[] = {[READS] = "reads",
                                    [WRITES] = "writes",
                                    [SENDS] = "sends",
                                    [RECEIVES] = "receives into",
                                    [GOT] = "was sent words that went to"};

/* ------------------------------------------------------------------ report_fault */

void
report_fault(struct node *node, enum peal_failure_kind kind, const struct access_site *where, const char *format, ...)
{
    struct peal_run_finding finding = {.kind = kind};
    va_list list;

    va_start(list, format);
    vsnprintf(finding.message, 500, format, list);
    va_end(list);
    if (where->goes_on) {
        const struct peal_place brought = {node->rank, where->brought, PEAL_CODE};

        finding.places = &brought;
        finding.place_count = where->brought != NULL;
        peal_add_finding_at(&node->world, &finding, where->file, where->line);
        return;
    }
    if (where->pc && (blamed.rank < 0 || node->rank < blamed.rank)) {
        blamed.rank = node->rank;
        blamed.pc = (void *)(uintptr_t)passed_by_system(node, where->pc, PEAL_CODE);
    }
    peal_fail_at(&node->world, (int)kind, where->pc ? node->file : where->file, where->pc ? node->line : where->line,
                 "%s", finding.message);
}

static void
report_fault_held(struct node *node, enum access_kind access, uintptr_t address, uint64_t shadow, bool receive,
                  const struct access_site *where)
{
    uint32_t id = holds_find(node, address / 8 * 8, address / 8 * 8 + 8, receive);
    const struct request *request = &node->machine->requests[id];
    char what[200], peer[24] = "any node", site[100] = "?";

    fault_describe_address(address, shadow, node, what, sizeof what);
    if (id && request->peer != PEAL_ANY_SOURCE)
        snprintf(peer, sizeof peer, "node %d", request->peer);
    if (id)
        write_site(site, sizeof site, request->file, request->line, NULL);
    bool early = receive && (access == READS || access == SENDS);

    if (early)
        peal_advise(&node->world, PEAL_HINT(held_by_receive), site);
    else
        peal_advise(&node->world, PEAL_HINT(held_by_send), receive ? "receive" : "send", site);
    report_fault(node, early ? PEAL_EARLY_READ : PEAL_BUFFER_REUSE, where,
                 "node %d %s %s before it has waited for its %s %s at %s", node->rank, verbs[access], what,
                 receive ? "receive from" : "send to", peer, site);
}

static _Thread_local const void *text_call; /* the last call; never reset, since a failure may leave it */

void
report_fault_of_text(const void *pc)
{
    text_call = pc;
}

/* Whether `bytes` bytes are one element: a number, or a struct if the block is a whole number of these. */
static bool
is_element(size_t bytes, size_t offset, size_t block)
{
    bool number = bytes <= sizeof(double) && (bytes & (bytes - 1)) == 0;

    return bytes > 1 && (number || (bytes <= block && offset % bytes == 0));
}

/* Advise what keeps an access, or a message, within the words that it missed. */
static void
advise_bounds(struct node *node, enum access_kind access, uintptr_t address, uint64_t shadow,
              const struct access_site *where)
{
    size_t word = node->machine->options.word_bytes;
    bool message = access != READS && access != WRITES;
    const struct vectors *of;
    const char *name;
    const struct row *row = row_near(address, node->rank, &of, &name);
    struct near_block block = {.bytes = 0};
    struct bounds at;

    if (row)
        at = (struct bounds){.unit = "word",
                             .count = row->count,
                             .offset = (address - (uintptr_t)row->words) / vectors_width(of->element) / of->stride,
                             .before = address < (uintptr_t)row->words};
    else if (find_near(node, address, &block))
        at = bounds_of(&block, address, node);
    else
        return;
    if (!row && shadow_region(shadow) == REGION_FREED)
        peal_advise(&node->world, "%s", PEAL_HINT(after_free));
    else if (message && !at.before && word > 1 && block.bytes > 0 && where->bytes == block.bytes * word)
        peal_advise(&node->world, block.words ? PEAL_HINT(words_not_bytes) : PEAL_HINT(words_of_malloc), word,
                    block.bytes / word, plural(block.bytes / word));
    else if (message && !at.before && !row && !block.words)
        peal_advise(&node->world, PEAL_HINT(shorter_message), block.bytes / word, machine_unit(node->machine),
                    plural(block.bytes / word));
    else if (message && !at.before)
        peal_advise(&node->world, PEAL_HINT(shorter_message), at.count, at.unit, plural(at.count));
    else if (!row && !block.words && !at.before && text_call == (where->pc ? where->pc : where->file))
        peal_advise(&node->world, access == READS ? PEAL_HINT(text_unended) : PEAL_HINT(text_room), block.bytes,
                    plural(block.bytes));
    else if (!row && !block.words && !at.before && block.bytes > 0 && is_element(where->bytes, at.offset, block.bytes))
        peal_advise(&node->world, PEAL_HINT(malloc_bytes), block.bytes / where->bytes,
                    plural(block.bytes / where->bytes), where->bytes);
    else if (!row && !block.words && !at.before && where->bytes > 1 && block.bytes > 0)
        peal_advise(&node->world, PEAL_HINT(more_bytes), block.bytes, plural(block.bytes), where->bytes);
    else if (at.before)
        peal_advise(&node->world, PEAL_HINT(first_word), at.unit);
    else if (at.count == 0 && at.offset > 0)
        peal_advise(&node->world, PEAL_HINT(no_such_word), at.unit, at.offset);
    else if (at.count == 0)
        peal_advise(&node->world, "%s", PEAL_HINT(no_words));
    else if (!row && !block.words && at.offset == at.count && where->bytes == 1)
        peal_advise(&node->world, PEAL_HINT(last_byte), at.count - 1);
    else
        peal_advise(&node->world, PEAL_HINT(last_word), at.unit, at.count - 1);
}

/* The word is another node's: name the message that brought its address, where there was one. */
static void
report_fault_foreign(struct node *node, enum access_kind access, uintptr_t address, const char *what,
                     const struct access_site *where)
{
    struct access_site whole = *where;
    char site[SITE_WORDS];

    whole.brought = is_linked(node) ? received_from(node, address) : NULL;
    if (whole.brought)
        report_fault(node, PEAL_PRIVATE_MEMORY, &whole,
                     "node %d %s %s, by an address that it received at %s: a node touches its "
                     "own memory only",
                     node->rank, verbs[access], what,
                     site_words(node->machine, (struct call_site){whole.brought, PEAL_CODE}, site));
    else
        report_fault(node, PEAL_PRIVATE_MEMORY, &whole, "node %d %s %s: a node touches its own memory only", node->rank,
                     verbs[access], what);
}

void
report_fault_word(struct node *node, enum access_kind access, uintptr_t address, uint64_t shadow,
                  const struct access_site *where)
{
    char what[300];

    if (shadow_is_machine(shadow))
        report_fault(
            node, PEAL_PRIVATE_MEMORY, where,
            "node %d %s the memory of a `struct peal_node *`: it belongs to Peal, and is only passed to Peal's calls",
            node->rank, verbs[access]);
    if (shadow_owner(shadow) != (is_linked(node) ? node->rank % SHADOW_ANYONE : node->rank)) {
        fault_describe_address(address, shadow, node, what, sizeof what);
        if (access == READS)
            peal_advise(&node->world, PEAL_HINT(send_words), shadow_owner(shadow), node->rank);
        else if (access == WRITES)
            peal_advise(&node->world, PEAL_HINT(write_own), node->rank, shadow_owner(shadow));
        report_fault_foreign(node, access, address, what, where);
        return;
    }
    bool held = access != GOT && !is_linked(node);

    if (held && shadow & SHADOW_HELD_RECEIVES)
        report_fault_held(node, access, address, shadow, true, where);
    if (held && shadow & SHADOW_HELD_SENDS)
        report_fault_held(node, access, address, shadow, false, where);
    fault_describe_address(address, shadow, node, what, sizeof what);
    advise_bounds(node, access, address, shadow, where);
    report_fault(node, PEAL_OUT_OF_BOUNDS, where, "node %d %s %s", node->rank, verbs[access], what);
}

void
report_fault_variable(struct node *node, enum access_kind access, size_t from, size_t bytes,
                      const struct peal_block *variable, const struct access_site *where)
{
    size_t unit = node->machine->options.word_bytes, count = variable->bytes / unit;
    const char *noun = machine_unit(node->machine);

    if (unit > 1 && where->bytes == variable->bytes * unit)
        peal_advise(&node->world, PEAL_HINT(words_not_bytes), unit, count, plural(count));
    else
        peal_advise(&node->world, PEAL_HINT(shorter_for_variable), variable->name, count, noun, plural(count));
    report_fault(node, PEAL_OUT_OF_BOUNDS, where, "node %d %s %ss %zu to %zu of its `%s`, which has %zu %s%s",
                 node->rank, verbs[access], noun, from / unit, (from + bytes) / unit - 1, variable->name, count, noun,
                 plural(count));
}

void
report_fault_past_global(struct node *node, enum access_kind access, uintptr_t at, const struct access_site *where)
{
    struct peal_block variable;

    if (image_before(at, &variable))
        report_fault(node, PEAL_OUT_OF_BOUNDS, where, "node %d %s byte %zu of its `%s`, which has %zu byte%s",
                     node->rank, verbs[access], at - (uintptr_t)variable.begin, variable.name, variable.bytes,
                     plural(variable.bytes));
}

void
report_fault_long(struct node *node, uintptr_t begin, size_t fits, const struct access_site *where)
{
    struct peal_run_finding finding = {.kind = PEAL_OUT_OF_BOUNDS, .severity = PEAL_SEVERITY_NOTE};
    const size_t unit = node->machine->options.word_bytes;
    const char *noun = machine_unit(node->machine);
    struct peal_block variable = {.kind = PEAL_BLOCK_STACK};
    const uint64_t *shadow = shadow_get(begin / 8 * 8);
    char what[200];

    if (named_on_stack(node, (void *)begin))
        named_find_on_stack(node, (void *)begin, NULL, &variable);
    else if (shadow && shadow_region(*shadow) == REGION_GLOBAL && shadow_owner(*shadow) == node->rank)
        named_find(node, (void *)begin, &variable);
    if (variable.kind == PEAL_BLOCK_VARIABLE)
        snprintf(what, sizeof what, "its `%s`", variable.name);
    else
        fault_describe_address(begin, shadow ? *shadow : 0, node, what, sizeof what);
    snprintf(finding.message, sizeof finding.message,
             "node %d receives up to %zu %s%s into %s, where %zu fit: right as long as no longer message comes",
             node->rank, where->bytes / unit, noun, plural(where->bytes / unit), what, fits / unit);
    peal_advise(&node->world, PEAL_HINT(shorter_receive), fits / unit, noun, plural(fits / unit));
    peal_add_finding_at(&node->world, &finding, where->file, where->line);
}

void
report_fault_free(struct node *node, uintptr_t memory, const char *call, const struct access_site *where)
{
    const bool words = strcmp(call, "peal_free") == 0;
    const uint64_t *shadow = shadow_get(memory / 8 * 8);
    const struct vectors *of;
    const char *name, *beside = "";
    const struct row *row = row_near(memory, node->rank, &of, &name);
    struct near_block block;
    char what[300] = "", first[SITE_WORDS] = "", again[SITE_WORDS];

    if (!row && find_near(node, memory, &block) && block.begin == memory) {
        const char *by = block.words ? "peal_alloc" : block.by_new ? "new" : "malloc";

        if (block.owner != node->rank)
            report_fault(node, PEAL_PRIVATE_MEMORY, where, "node %d frees memory that node %d allocated with %s at %s",
                         node->rank, block.owner, by, block.site);
        peal_advise(&node->world, "%s", block.words != words ? PEAL_HINT(free_alike) : PEAL_HINT(free_once));
        if (block.words != words)
            report_fault(node, PEAL_OUT_OF_BOUNDS, where, "node %d frees by %s what it allocated with %s at %s",
                         node->rank, call, by, block.site);
        if (where->freed && is_linked(node)) {
            site_words(node->machine, (struct call_site){(const char *)where->freed, PEAL_CODE}, first);
            if (strcmp(first, site_words(node->machine, (struct call_site){where->file, PEAL_CODE}, again)) == 0)
                first[0] = '\0';
        } else if (where->freed) {
            write_site(first, sizeof first, NULL, 0, (void *)(uintptr_t)where->freed);
        }
        report_fault(node, PEAL_OUT_OF_BOUNDS, where, "node %d frees what it allocated with %s at %s a second time%s%s",
                     node->rank, by, block.site, first[0] ? "; the first time at " : "", first);
    }
    peal_advise(&node->world, "%s", PEAL_HINT(free_allocated));
    if (row && memory == (uintptr_t)row->words)
        report_fault(node, PEAL_OUT_OF_BOUNDS, where, "node %d passes its `%s` to %s, but it is the caller's",
                     node->rank, name, call);
    if (shadow) {
        fault_describe_address(memory, *shadow, node, what, sizeof what);
        beside = ": ";
    }
    report_fault(node, PEAL_OUT_OF_BOUNDS, where, "node %d frees memory that does not begin a block from %s%s%s",
                 node->rank, words ? "peal_alloc" : "malloc", beside, what);
}

void
report_fault_unbacked(struct node *node, enum access_kind access, uintptr_t address, size_t bytes,
                      const struct unbacked_block *block, const struct access_site *where)
{
    const struct vectors *of;
    const char *name = NULL;
    const struct row *row = row_near((uintptr_t)block->begin, block->owner, &of, &name);
    const struct arena_block *allocated = row ? NULL : arena_block_at(block->begin);
    char what[200], site[100];

    if (row) {
        snprintf(what, sizeof what, "`%s`, which has %zu bytes", name, block->bytes);
    } else if (allocated) {
        write_site(site, sizeof site, allocated->file, allocated->line, allocated->pc);
        snprintf(what, sizeof what, "the %zu bytes allocated at %s", block->bytes, site);
    } else {
        snprintf(what, sizeof what, "a block of %zu bytes", block->bytes);
    }
    report_fault(node, block->owner == node->rank ? PEAL_OUT_OF_BOUNDS : PEAL_PRIVATE_MEMORY, where,
                 "node %d %s %zd bytes from byte %td on of %s%s", node->rank, verbs[access], (ssize_t)bytes,
                 (ptrdiff_t)(address - (uintptr_t)block->begin), what,
                 block->owner == node->rank ? "" : ": a node touches its own memory only");
}

void
report_fault_constant(struct node *node, enum access_kind access, uintptr_t address, const struct access_site *where)
{
    char name[80];

    peal_advise(&node->world, PEAL_HINT(own_copy), node->rank);
    if (image_variable(address, name, sizeof name))
        report_fault(node, PEAL_PRIVATE_MEMORY, where, "node %d %s the constant `%s`, which is read-only", node->rank,
                     verbs[access], name);
    report_fault(node, PEAL_PRIVATE_MEMORY, where,
                 "node %d %s a constant: string literals, const objects and code are read-only", node->rank,
                 access == WRITES ? "writes to" : verbs[access]);
}

#ifdef __EMSCRIPTEN__
void
report_fault_nobody(struct node *node, enum access_kind access, uintptr_t address, const struct access_site *where)
{
    if (address < 1024)
        report_fault(node, PEAL_CRASH, where, "node %d crashed: it followed NULL", node->rank);
    report_fault(node, PEAL_PRIVATE_MEMORY, where, "node %d %s memory of no node: a node touches its own memory only",
                 node->rank, verbs[access]);
}
#endif

void
report_fault_unwritten(struct node *node, uint32_t id, size_t i, uintptr_t address, uint64_t shadow,
                       const struct access_site *where)
{
    const struct request *request = &node->machine->requests[id];
    uint64_t word = *(const volatile uint64_t *)address;
    size_t bytes = node->machine->options.word_bytes,
           each = (blamed.data ? vectors_width(blamed.data->element) : sizeof word) / bytes;
    uint64_t words = (request->words + each - 1) / each;
    char what[200];

    fault_describe_address(address, shadow, node, what, sizeof what);
    if (blamed.data && label_kind(word) == LABEL_UNSET) {
        struct leaf leaf = label_leaf(word, 0);

        snprintf(what, sizeof what, "word %u of node %d's `%s`", leaf.index, leaf.node % LABEL_EARLIER,
                 vectors_result_name(blamed.data));
    }
    peal_advise(&node->world, PEAL_HINT(fill_first), node->rank);
    report_fault(node, PEAL_UNINITIALISED_SEND, where,
                 "node %d sends %llu word%s to node %d, and word %zu of them (%s) was never written", node->rank,
                 (unsigned long long)words, plural(words), request->peer, i / each, what);
}

/* ------------------------------------------------------------------ lines */

/* Put lines in the places of addresses. */
static void
fault_write_lines(char *text, size_t bytes)
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
report_fault_explain(struct peal_fault *fault)
{
    char file[256];
    int line;

    if (blamed.rank >= 0 && blamed.rank == fault->rank && image_line(blamed.pc, file, sizeof file, &line)) {
        snprintf(fault->file, sizeof fault->file, "%s", file);
        fault->line = line;
    }
    fault_write_lines(fault->message, sizeof fault->message);
    fault_write_lines(fault->fix, sizeof fault->fix);
}
