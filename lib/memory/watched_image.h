/* SPDX-License-Identifier: MIT */
/* The watched program in memory: a copy for each node, and the meaning of addresses in them. */
#pragma once

#include <peal/program.h>
#include <peal/watch.h>
#include <stdbool.h>
#include <stdint.h>

/* Use these copies from now on, copy i for node i.  owner: borrows them until image_end. */
void image_begin(const struct peal_program_file *file);
void image_end(void);
/* Whether there are copies: all other functions except those of lines, offsets and code need them. */
bool image_there(void);

/* The node whose global the address lies in; -1: it lies in none, or all nodes have the same ones. */
int image_owner(uintptr_t address);

/* Which bytes of the word at the address, in a node's globals, belong to one, or may: a bit each.  The others lie
 * between two globals. */
uint64_t image_valid(uintptr_t address);

/* Find the global that ends before this byte, which lies between two globals. */
bool image_before(uintptr_t address, struct peal_block *variable);

/* Whether the address lies in memory that no node may write: code, constants. */
bool image_constant(uintptr_t address);

/* The words in which the node's globals lie, or those of all nodes. */
void image_globals(int rank, const uintptr_t **begin, const uintptr_t **end);

/* Find the name of the global or constant at the address. */
bool image_variable(uintptr_t address, char *name, size_t bytes);

/* Find the line of the call that returns to `pc`, or to the offset in each copy. */
bool image_line(void *pc, char *file, size_t bytes, int *line);
bool image_line_at(uintptr_t offset, char *file, size_t bytes, int *line);

/* The offset of an address in its copy; false: it lies in none, or there are none. */
bool image_offset(const void *address, uintptr_t *offset);

/* In the browser code is a list of its places; of a function or a call the value is the index of the function, of a
 * line its number. */
struct code_place {
    enum { CODE_FUNCTION, CODE_BLOCK, CODE_LINE, CODE_CALL } what;
    int value;
};

/* The code and constants of one copy, and a file with their debug information (-1: none); base NULL: there are none. */
struct image_code {
    const unsigned char *base;
    size_t bytes;
    int symbols;
};
struct image_code image_code(void);
