/* SPDX-License-Identifier: MIT */
/* What matching (match.c, order.c, hash.c), the common round (direct.c) and matching with held receives (hold.c)
 * share. */
#pragma once

#include "lib/round/round.h"

static inline bool
may_take(const struct request *receive, const struct request *send)
{
    return receive->context == send->context && (receive->peer == PEAL_ANY_SOURCE || receive->peer == send->node) &&
           (receive->tag == PEAL_ANY_TAG || receive->tag == send->tag);
}

/* Append `id` to a list. */
static inline void
match_append(struct round *round, uint32_t *first, uint32_t *last, uint32_t id)
{
    round->requests[id].next = 0;
    if (*first)
        round->requests[*last].next = id;
    else
        *first = id;
    *last = id;
}

/* Queue a send for its receiver, which may read it from now on. */
static inline void
match_line_up(struct round *round, struct round_node *node, uint32_t id)
{
    struct request *send = &round->requests[id];

    send->known = (uint8_t)((send->flags & REQUEST_SHOWN) >> REQUEST_SHOWN_SHIFT);
    send->partner = 0;
    match_append(round, &node->sends, &node->sends_last, id);
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

/* Prefetch what taking in the nodes from active[i] on touches: a node, then its send, then the receiver, then the
 * receive that will take it. */
static PREFETCHING void
prefetch_post(const struct round *round, const int32_t *active, size_t i)
{
    enum { STEP = ROUND_AHEAD / 2 };
    const struct round_node *node = round->node;
    const struct request *requests = round->requests;

    __builtin_prefetch(&node[active[i + 4 * STEP]], 1);
    __builtin_prefetch(&requests[node[active[i + 3 * STEP]].posted], 1);
    __builtin_prefetch(&node[requests[node[active[i + 2 * STEP]].posted].peer], 1);
    __builtin_prefetch(&requests[node[requests[node[active[i + STEP]].posted].peer].receives], 1);
}

/* The message is too long for the receive, which is a failure unless the receive is lenient.  Of several in one round
 * the lowest rank's is reported: its first receive in the order of posts. */
static inline void
match_truncated(const struct round *round, uint32_t receive, uint32_t send, struct round_failure *failure)
{
    if ((round->requests[receive].flags & REQUEST_EXTRA) && round->extras[receive].lenient)
        return;
    if (!failure->request || round->requests[receive].node < round->requests[failure->request].node)
        *failure = (struct round_failure){.kind = PEAL_TRUNCATION, .request = receive, .partner = send};
}

/* Match the two, of which the send is new. */
static inline void
match_new(struct round *round, uint32_t receive_id, uint32_t send_id, struct round_failure *failure)
{
    struct request *receive = &round->requests[receive_id], *send = &round->requests[send_id];

    if (send->words > receive->words)
        match_truncated(round, receive_id, send_id, failure);
    round->unmatched--;
    receive->partner = send_id;
    receive->flags |= REQUEST_MATCHED;
    send->partner = receive_id;
    send->flags |= REQUEST_MATCHED;
}

/* Match the two.  A message already carried completes its receive now, without a transfer. */
static inline enum round_status
match_bind(struct round *round, uint32_t receive_id, uint32_t send_id, struct round_failure *failure)
{
    const struct request *receive = &round->requests[receive_id], *send = &round->requests[send_id];

    match_new(round, receive_id, send_id, failure);
    if (send->flags & REQUEST_CARRIED) {
        if (!array_grow(&round->complete, &round->complete_capacity, round->complete_count + 1,
                        sizeof *round->complete))
            return ROUND_NO_MEMORY;
        round->complete[round->complete_count++] = receive_id;
        round->node[receive->node].ahead--; /* this round's admission may use the place */
    } else if (!(send->flags & REQUEST_EAGER) && send->round != round->number) {
        if (!array_grow(&round->late, &round->late_capacity, round->late_count + 1, sizeof *round->late))
            return ROUND_NO_MEMORY;
        round->late[round->late_count++] = send_id;
    }
    return ROUND_MADE;
}

/* order.c: the rank of a sender permuted by the seed, which is not 0. */
uint32_t order_permute(const struct round *round, int32_t rank);

/* The rank by which a receive from any source prefers a sender. */
static inline uint32_t
match_permuted(const struct round *round, int32_t rank)
{
    return round->seed == 0 ? (uint32_t)rank : order_permute(round, rank);
}

/* The first send that the receive or probe may take, as `may` says, with its predecessor; 0 when there is none, or
 * after *pairs comparisons (it is then negative).  Among sends of the same round and sequence one from any source
 * prefers the lowest permuted rank. */
static inline __attribute__((always_inline)) uint32_t
match_by(const struct round *round, const struct round_node *node, const struct request *receive, uint32_t *previous,
         int *pairs, bool (*may)(const struct request *receive, const struct request *send))
{
    uint32_t best = 0, before = 0;

    for (uint32_t id = node->sends; id; before = id, id = round->requests[id].next) {
        const struct request *send = &round->requests[id], *found = &round->requests[best];

        if (best && (send->round != found->round || send->sequence != found->sequence))
            break;
        if (--*pairs < 0)
            return 0;
        if (!may(receive, send) || (best && match_permuted(round, send->node) > match_permuted(round, found->node)))
            continue;
        best = id;
        *previous = before;
        if (receive->peer != PEAL_ANY_SOURCE || round->seed == 0)
            break;
    }
    return best;
}

static inline uint32_t
match_first(const struct round *round, const struct round_node *node, const struct request *receive, uint32_t *previous,
            int *pairs)
{
    return match_by(round, node, receive, previous, pairs, may_take);
}

/* order.c: put the new sends, which are by rank and sequence, into the order of admission. */
bool order_by_level(struct round *round, uint32_t levels);
/* Sort the new sends that have not been passed on by receiver, each one's in the order of admission, into by_level;
 * levels[r + 1] is then the end of those of receiver r. */
bool order_by_receiver(struct round *round);
/* Merge the late ones into what is pending, then append the new ones that can be admitted: they come after all
 * others. */
bool order_merge(struct round *round);

/* hash.c: match one node with long lists. */
enum round_status match_hashed(struct round *round, struct round_node *node, struct round_failure *failure);

/* direct.c: match and admit the posts of the first nodes of active[0 .. count), as long as each is one send that is
 * taken at once and has its ports; *done nodes were taken in this way.  Nothing may be pending or unmatched from
 * before, and the round must be plain.  false without memory. */
bool round_direct(struct round *round, const int32_t *active, size_t count, size_t *done,
                  struct round_failure *failure);

/* probe.c: match one node that has probes, or receives of messages that probes found; plain_too: the other receives as
 * well. */
enum round_status match_probing(struct round *round, struct round_node *node, bool plain_too,
                                struct round_failure *failure);
/* The first send that the probe may find, with its predecessor; 0: none. */
uint32_t probe_find(const struct round *round, const struct round_node *node, const struct request *probe,
                    uint32_t *previous);
/* Remove the message that a matched probe has found from the sends to its node. */
void probe_take(struct round *round, struct round_node *node, uint32_t previous, uint32_t send, uint32_t holder);
/* Write the envelope of the found message into the probe. */
void probe_tell(const struct round *round, uint32_t id, uint32_t send);

/* Whether the request is a probe; as may_take, for one. */
static inline bool
is_probe(const struct request *request)
{
    return request->kind == REQUEST_PROBE || request->kind == REQUEST_MATCHED_PROBE;
}

static inline bool
may_find(const struct request *probe, const struct request *send)
{
    return (probe->context & ~REQUEST_APART) == send->context &&
           (probe->peer == PEAL_ANY_SOURCE || probe->peer == send->node) &&
           (probe->tag == PEAL_ANY_TAG || probe->tag == send->tag);
}

/* hold.c: match one node with receives from any source held. */
enum round_status match_held(struct round *round, struct round_node *node, struct round_failure *failure);
/* Whether the probe is held, too: it is from any source, and its node waits for it; or the chooser decides whether it
 * finds anything (REQUEST_ASKED). */
bool hold_has(const struct round *round, const struct request *probe);
/* The send's predecessor in the list of sends to the node. */
uint32_t hold_predecessor(const struct round *round, const struct round_node *node, uint32_t send);
