/* SPDX-License-Identifier: MIT */
/* Strands: several stacks of one node, of which one runs (strand.c). */
#pragma once

#include "lib/machine/announced.h"
#include "lib/machine/group.h"
#include "lib/machine/nodes.h"
#include <peal/post.h>

/* What a strand is in, and waits for. */
struct strand {
    struct strand *next; /* of the node's, in the order of their starts */
    struct node *node;
    void *context; /* where it continues; good for one jump */
    struct strand_stack *stack;
    struct peal_node *view;
    peal_strand run;
    void *arg;
    uint32_t request;    /* its own; 0: the first strand */
    uint8_t state;       /* enum node_state, as if it were a node */
    uint8_t blocked_box; /* NODE_POSTS: of what it wants to post */
    bool rested;         /* a round has been made since it began to test, rest or sleep */
    uint32_t *claims;    /* requests that it waits for or tests */
    size_t claim_count, claim_room;
    uint32_t need;           /* of these, to be complete before it goes on */
    struct meet_call *meets; /* NODE_MEETS */
    /* of the node, while it does not run */
    struct peal_cost clock;
    const char *file;
    int line;
    void *held;
    struct announced_stack announced;
};

struct strands {
    struct strand first; /* on the node's own stack */
    struct strand *running;
    int started, open;      /* in all; not ended */
    enum node_exit leaving; /* the strand that ran leaves the node's program this way */
    uint64_t released;      /* the last round that has released the node */
    struct strand_stack *spare;
    /* Wait as the strand that runs: let others run, and park the node when none can. */
    void (*wait)(struct node *node, enum node_state state);
    /* Leave the node's program, from a strand that is not the first. */
    __attribute__((noreturn)) void (*leave)(struct node *node, enum node_exit way);
};

/* A signal handler has jumped to the node's entry, perhaps from another stack. */
void strands_return(struct node *node);
/* The node has ended: forget all of them. */
void strands_clear(struct node *node);
/* Whether the address lies in the guard, or the last page, of one of the node's stacks. */
bool strands_overflowed(const struct node *node, const char *address);

/* The view of the strand that the node's first strand waits for; NULL: for none. */
const struct peal_node *strand_awaited(const struct node *node);

/* Whether a view, or what was posted on it, belongs to the strand that the node waits in. */
static inline bool
strand_waits_in(const struct node *node, const struct peal_node *view)
{
    const struct peal_node *awaited = strand_awaited(node);

    return view->collectives == (awaited ? awaited->collectives : view->group->context + 1);
}

/* The stacks of strands, each in a mapping of its own. */

struct strand_stack;

/* Take a stack from a node's spare ones, or a new one of `bytes`; NULL without memory. */
struct strand_stack *strand_stack_take(struct strand_stack **spare, size_t bytes);
/* Give one back to the spare ones. */
void strand_stack_give(struct strand_stack **spare, struct strand_stack *stack);
/* Free the spare ones. */
void strand_stacks_free(struct strand_stack **spare);

/* The lowest address of a stack, and its size in bytes, a multiple of 64. */
char *strand_stack_bottom(struct strand_stack *stack, size_t *bytes);
/* Whether the address lies in the guard, or the last page, of the stack. */
bool strand_stack_overflowed(const struct strand_stack *stack, const char *address);
