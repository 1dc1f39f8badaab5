/* SPDX-License-Identifier: MIT */
/* What matching (match.c) and matching with held receives (hold.c) share. */
#ifndef LIB_ROUND_MATCH_H
#define LIB_ROUND_MATCH_H

#include "lib/round/round.h"

static inline bool
may_take(const struct request *receive, const struct request *send)
{
    return receive->context == send->context && (receive->peer == PEAL_ANY_SOURCE || receive->peer == send->node) &&
           (receive->tag == PEAL_ANY_TAG || receive->tag == send->tag);
}

/* Unlink `id`, whose predecessor is `previous` (0: none). */
static inline void
unlink_after(struct round *round, uint32_t *first, uint32_t *last, uint32_t previous, uint32_t id)
{
    uint32_t next = round->requests[id].next;

    if (previous)
        round->requests[previous].next = next;
    else
        *first = next;
    if (*last == id)
        *last = previous;
}

/* Bind the two.  A message already carried completes its receive now, without a transfer. */
enum round_status match_bind(struct round *round, uint32_t receive_id, uint32_t send_id, struct round_failure *failure);

/* hold.c: match one node with receives from any source held. */
enum round_status match_held(struct round *round, struct round_node *node, struct round_failure *failure);

#endif
