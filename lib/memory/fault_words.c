/* SPDX-License-Identifier: MIT */
/* What lies at an address, in words: a word of an array, a block, a variable. */
#include "lib/memory/fault_words.h"
#include "lib/memory/arena.h"
#include "lib/memory/linked_blocks.h"
#include "lib/memory/named_blocks.h"
#include "lib/memory/shadow.h"
#include "lib/memory/watched_image.h"
#include <stdlib.h>

const struct vectors *fault_data;

/* A place in the text for a line that is found later: write its address. */
enum { LINE_BEGIN = 1, LINE_END = 2 };

void
fault_write_site(char *text, size_t bytes, const char *file, int line, void *pc)
{
    if (line <= PEAL_CODE)
        pc = (void *)(uintptr_t)file;
    if (file && line > PEAL_CODE)
        snprintf(text, bytes, "%s:%d", file, line);
    else
        snprintf(text, bytes, "%c%llx%c", LINE_BEGIN, (unsigned long long)(uintptr_t)pc, LINE_END);
}

const struct row *
fault_row_near(uintptr_t address, int owner, const struct vectors **of, const char **name)
{
    for (const struct vectors *data = fault_data; data; data = data->earlier) {
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
    ptrdiff_t width = (ptrdiff_t)vectors_width(fault_data ? fault_data->element : PEAL_ELEMENT_LABEL);
    ptrdiff_t word = ((ptrdiff_t)address - (ptrdiff_t)(uintptr_t)row->words) >> (width == 4 ? 2 : 3);
    ptrdiff_t stride = (ptrdiff_t)(fault_data ? fault_data->stride : 1);

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

bool
fault_find_near(const struct node *node, uintptr_t address, struct near_block *near)
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
    fault_write_site(near->site, sizeof near->site, block->file, block->line, block->pc);
    return true;
}

struct bounds
fault_bounds(const struct near_block *block, uintptr_t address, const struct node *node)
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

    if (!fault_find_near(node, address, &block)) {
        snprintf(text, bytes, "memory that node %d never allocated", shadow_owner(shadow));
        return;
    }
    struct bounds at = fault_bounds(&block, address, node);

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

void
fault_describe_address(uintptr_t address, uint64_t shadow, struct node *node, char *text, size_t bytes)
{
    const char *name = NULL;
    int owner = shadow_owner(shadow);
    const struct vectors *of = NULL;
    const struct row *row = fault_row_near(address, owner, &of, &name);
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

void
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
