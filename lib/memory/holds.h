/* SPDX-License-Identifier: MIT */
/* The pieces of memory that open requests hold: those of each request by its number, and in the shadow of each word how
 * many sends and receives hold it.
 *
 *   thread   one carrier: one node runs at a time */
#pragma once

#include "lib/machine/nodes.h"

/* A piece of memory of a request: of a receive longer than its buffer only `held` bytes are the node's. */
struct held_piece {
    uintptr_t begin;
    size_t bytes, held;
};

/* The pieces of one request; zeroed it has none. */
struct hold {
    struct held_piece one, *many; /* many: an allocation, of more than one */
    int count;                    /* 0: it no longer holds anything */
    bool receive;
};

static inline struct held_piece *
hold_pieces(struct hold *hold)
{
    return hold->many ? hold->many : &hold->one;
}

/* A run begins: nothing is held.  The last one is over. */
void holds_begin(void);
void holds_end(void);

/* Keep the pieces of a request that is posted, all of them held; NULL without memory. */
struct hold *holds_keep(uint32_t id, const struct peal_piece *pieces, int count, size_t word_bytes, bool receive);

/* The pieces that a request holds; NULL: none with that number was kept.  Its pieces stay until another request has the
 * number. */
struct hold *holds_get(uint32_t id);

/* The first open request of the node's, of this kind, that holds a byte from `begin` to before `end`; 0. */
uint32_t holds_find(const struct node *node, uintptr_t begin, uintptr_t end, bool receive);

/* Note in its shadow that one request more, or one less, holds the word; holds_find must no longer find that one. */
void holds_count(struct node *node, uint64_t *shadow, uintptr_t word, bool receive, bool more);
