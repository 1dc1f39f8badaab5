/* SPDX-License-Identifier: MIT */
/* The message about a wrong access to memory: the owner of the memory, the object it is in, the request that holds it.
 *
 * The node fails there.  A line that is known only as an address of the program's is in the message as an address, and
 * is looked up after the run (blame_explain), on a stack that has room for it.
 *
 *   thread   one carrier: one node runs at a time; blame_explain after the run */
#pragma once

#include "lib/labels/vectors.h"
#include "lib/machine/machine.h"

/* The access that a node, or the machine for it, is about to make to a word. */
enum deed { READS, WRITES, SENDS, RECEIVES, GOT };

/* The place of an access: a line, or an address of the program. */
struct scene {
    const char *file;
    int line;
    void *pc;
};

/* A run begins; `data` (NULL: none) are the arrays that nodes are given, borrowed until the next one. */
void blame_begin(const struct vectors *data);

/* End the node with this failure. */
_Noreturn void blame(struct node *node, enum peal_failure_kind kind, const struct scene *scene, const char *format, ...)
    PEAL_PRINTF(4, 5);

/* End it since the word at the address, with this shadow, forbids the access. */
_Noreturn void blame_word(struct node *node, enum deed deed, uintptr_t address, uint64_t shadow,
                          const struct scene *scene);

/* End it since it would write to the constant at the address. */
_Noreturn void blame_constant(struct node *node, enum deed deed, uintptr_t address, const struct scene *scene);

/* End it since word `i` was never written, of the message that request `id` sends; it lies at the address. */
_Noreturn void blame_unwritten(struct node *node, uint32_t id, size_t i, uintptr_t address, uint64_t shadow,
                               const struct scene *scene);

/* Write a place in the program for a message: a file and line, or, with `file` NULL, an address. */
void blame_site(char *text, size_t bytes, const char *file, int line, void *pc);

/* After a run: put the lines into the message of its failure. */
void blame_explain(const struct peal_failure *failure, struct peal_finding *finding);
