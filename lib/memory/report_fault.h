/* SPDX-License-Identifier: MIT */
/* The message about a wrong access to memory: the owner of the memory, the object it is in, the request that holds it.
 *
 * The node fails there; a node of a linked program (watched_linked.h) goes on after a read.  A line known only as an
 * address in the program stands in the message as that address, and is looked up after the run (report_fault_explain),
 * on a stack with room for it.
 *
 *   thread   one carrier: one node runs at a time; report_fault_explain after the run */
#pragma once

#include "lib/labels/vectors.h"
#include "lib/machine/nodes.h"
#include <peal/watch.h>

struct unbacked_block;

/* The access that a node, or the machine for it, is about to make to a word. */
enum access_kind { READS, WRITES, SENDS, RECEIVES, GOT };

/* The place of an access: a line, or an address in the program; in a linked one with PEAL_CODE as its line. */
struct access_site {
    const char *file;
    int line;
    void *pc;
    bool goes_on;        /* of a linked program: it is a finding, and the node goes on */
    const char *brought; /* the call that received the address; NULL */
    const void *freed;   /* of a free: where the block was freed before; NULL */
    size_t bytes;        /* of the access, or of the whole message; 0: not known */
};

/* A run begins; `data` (NULL: none) are the arrays that nodes are given, borrowed until the next one. */
void report_fault_begin(const struct vectors *data);

/* End the node with this failure, unless it goes on. */
void report_fault(struct node *node, enum peal_failure_kind kind, const struct access_site *where, const char *format,
                  ...) PEAL_PRINTF(4, 5);

/* End it since the word at the address, with this shadow, forbids the access. */
void report_fault_word(struct node *node, enum access_kind access, uintptr_t address, uint64_t shadow,
                       const struct access_site *where);

/* The memory that the call at `pc` looks at next is text. */
void report_fault_of_text(const void *pc);

/* End it since it follows NULL, or writes to memory of the machine's own: in the browser. */
void report_fault_nobody(struct node *node, enum access_kind access, uintptr_t address,
                         const struct access_site *where);

/* End it since its message begins at byte `from` of the variable, and goes past its end. */
void report_fault_variable(struct node *node, enum access_kind access, size_t from, size_t bytes,
                           const struct peal_block *variable, const struct access_site *where);

/* End it since it accesses a byte between two globals, past the end of one. */
void report_fault_past_global(struct node *node, enum access_kind access, uintptr_t at,
                              const struct access_site *where);

/* End it since it frees, by peal_free, free or realloc, what it may not: an address that begins no block, another
 * node's block, a free block, or one of the other kind. */
void report_fault_free(struct node *node, uintptr_t memory, const char *call, const struct access_site *where);

/* End it since an access of `bytes` bytes leaves a block that is not stored, or that block is another node's. */
void report_fault_unbacked(struct node *node, enum access_kind access, uintptr_t address, size_t bytes,
                           const struct unbacked_block *block, const struct access_site *where);

/* Note that the receive which begins here is longer than its memory, which has room for `fits` bytes. */
void report_fault_long(struct node *node, uintptr_t begin, size_t fits, const struct access_site *where);

/* End it since it would write to the constant at the address. */
void report_fault_constant(struct node *node, enum access_kind access, uintptr_t address,
                           const struct access_site *where);

/* End it since word `i` of the message that request `id` sends was never written; the word lies at the address. */
void report_fault_unwritten(struct node *node, uint32_t id, size_t i, uintptr_t address, uint64_t shadow,
                            const struct access_site *where);

/* After a run: put the lines into the message of its failure, or of a finding. */
void report_fault_explain(struct peal_fault *fault);
