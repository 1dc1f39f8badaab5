/* SPDX-License-Identifier: MIT */
/* Words the failure of a wrong access: what lies there, whose it is, which request holds it.  It runs on the node's
 * stack, so lines are looked up later. */
#include "lib/memory/report_fault.h"
#include "lib/base/unbacked.h"
#include "lib/machine/rules.h"
#include "lib/memory/arena.h"
#include "lib/memory/fault_words.h"
#include "lib/memory/holds.h"
#include "lib/memory/named_blocks.h"
#include "lib/memory/received.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watched_image.h"
#include <peal/author.h>
#include <peal/hints.h>
#include <stdlib.h>

static struct {
    int rank; /* the lowest one that failed at `pc`; -1: none */
    void *pc;
} blamed = {.rank = -1};

void
report_fault_begin(const struct vectors *data)
{
    fault_data = data;
    blamed.rank = -1;
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
        fault_write_site(site, sizeof site, request->file, request->line, NULL);
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
    const struct row *row = fault_row_near(address, node->rank, &of, &name);
    struct near_block block = {.bytes = 0};
    struct bounds at;

    if (row)
        at = (struct bounds){.unit = "word",
                             .count = row->count,
                             .offset = (address - (uintptr_t)row->words) / vectors_width(of->element) / of->stride,
                             .before = address < (uintptr_t)row->words};
    else if (fault_find_near(node, address, &block))
        at = fault_bounds(&block, address, node);
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
    const struct row *row = fault_row_near(memory, node->rank, &of, &name);
    struct near_block block;
    char what[300] = "", first[SITE_WORDS] = "", again[SITE_WORDS];

    if (!row && fault_find_near(node, memory, &block) && block.begin == memory) {
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
            fault_write_site(first, sizeof first, NULL, 0, (void *)(uintptr_t)where->freed);
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
    const struct row *row = fault_row_near((uintptr_t)block->begin, block->owner, &of, &name);
    const struct arena_block *allocated = row ? NULL : arena_block_at(block->begin);
    char what[200], site[100];

    if (row) {
        snprintf(what, sizeof what, "`%s`, which has %zu bytes", name, block->bytes);
    } else if (allocated) {
        fault_write_site(site, sizeof site, allocated->file, allocated->line, allocated->pc);
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
           each = (fault_data ? vectors_width(fault_data->element) : sizeof word) / bytes;
    uint64_t words = (request->words + each - 1) / each;
    char what[200];

    fault_describe_address(address, shadow, node, what, sizeof what);
    if (fault_data && label_kind(word) == LABEL_UNSET) {
        struct leaf leaf = label_leaf(word, 0);

        snprintf(what, sizeof what, "word %u of node %d's `%s`", leaf.index, leaf.node % LABEL_EARLIER,
                 vectors_result_name(fault_data));
    }
    peal_advise(&node->world, PEAL_HINT(fill_first), node->rank);
    report_fault(node, PEAL_UNINITIALISED_SEND, where,
                 "node %d sends %llu word%s to node %d, and word %zu of them (%s) was never written", node->rank,
                 (unsigned long long)words, plural(words), request->peer, i / each, what);
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
