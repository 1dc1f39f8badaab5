/* SPDX-License-Identifier: MIT */
/* What a report of a wrong access says of an address. */
#pragma once

#include "lib/labels/vectors.h"
#include "lib/machine/machine.h"

/* The arrays that the nodes of the run are given; NULL: there are none. */
extern const struct vectors *fault_data;

/* The array of `owner` at or around the address, of any call; NULL: none is near. */
const struct row *fault_row_near(uintptr_t address, int owner, const struct vectors **of, const char **name);

/* The block at or nearest to an address: who allocated it, and where. */
struct near_block {
    uintptr_t begin;
    size_t bytes;
    int owner;  /* -1: not known */
    bool words; /* from peal_alloc */
    bool by_new;
    char site[SITE_WORDS];
};
bool fault_find_near(const struct node *node, uintptr_t address, struct near_block *near);

/* Where the address lies, by the units in which the block was allocated. */
struct bounds {
    const char *unit; /* "word", "byte" */
    size_t count, offset;
    bool before; /* the offset is to the left of the block */
};
struct bounds fault_bounds(const struct near_block *block, uintptr_t address, const struct node *node);

/* Describe what lies at the address, which has this shadow, for this node. */
void fault_describe_address(uintptr_t address, uint64_t shadow, struct node *node, char *text, size_t bytes);

/* Write a place of the program; for a line that is found later its address.  Put lines in the places of addresses. */
void fault_write_site(char *text, size_t bytes, const char *file, int line, void *pc);
void fault_write_lines(char *text, size_t bytes);

/* Whether the node's program is a linked one. */
static inline bool
is_linked(const struct node *node)
{
    return !node->machine->memory_hooks;
}
