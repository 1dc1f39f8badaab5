/* SPDX-License-Identifier: MIT */
/* Probes, receives of messages that a matched probe has found, and cancelled requests.
 *
 * They are in their node's list of receives, in a context that no send has (REQUEST_APART): so the matching of plain
 * receives skips them.  A node with such requests is matched here, in the order of its receives.  A message found by a
 * matched probe is in no list; its partner is the request that holds it. */
#include "lib/round/match.h"
#include <limits.h>

uint32_t
probe_find(const struct round *round, const struct round_node *node, const struct request *probe, uint32_t *previous)
{
    return match_by(round, node, probe, previous, &(int){INT_MAX}, may_find);
}

void
probe_take(struct round *round, struct round_node *node, uint32_t previous, uint32_t send, uint32_t holder)
{
    unlink_after(round, &node->sends, &node->sends_last, previous, send);
    node->send_count--;
    round->requests[send].partner = holder;
    round->extras[holder].message = send;
}

void
probe_tell(const struct round *round, uint32_t id, uint32_t send_id)
{
    struct request *probe = &round->requests[id];
    const struct request *send = &round->requests[send_id];
    unsigned known = (unsigned)send->known << REQUEST_SHOWN_SHIFT;

    probe->words = send->words;
    probe->rank = send->rank;
    probe->tag = send->tag;
    round->extras[id].note = known & REQUEST_EXTRA ? round->extras[send_id].note : 0;
    /* the message was not available before it was posted */
    clock_store(&probe->clock,
                clock_latest(&round->clocks.parameters, clock_load(&probe->clock),
                             clock_load(known & REQUEST_BLOCKING ? &round->clocks.node[send->node] : &send->clock)));
}

static bool
probe_settle(struct round *round, uint32_t id)
{
    if (!array_grow(&round->settled, &round->settled_capacity, round->settled_count + 1, sizeof *round->settled))
        return false;
    round->settled[round->settled_count++] = id;
    return true;
}

/* Let the request in the node's list find or take a message.  *gone: it has left the list. */
static enum round_status
serve(struct round *round, struct round_node *node, uint32_t id, bool *gone, struct round_failure *failure)
{
    struct request *request = &round->requests[id];
    uint32_t previous = 0, send;

    *gone = true;
    if (request->context & REQUEST_APART && !is_probe(request)) {
        node->probes--;
        return match_bind(round, id, round->extras[id].message, failure);
    }
    if (round->hold && hold_has(round, request)) {
        send = id == round->chosen.receive ? round->chosen.send : 0;
        previous = send ? hold_predecessor(round, node, send) : 0;
    } else {
        send = is_probe(request) ? probe_find(round, node, request, &previous)
                                 : match_first(round, node, request, &previous, &(int){INT_MAX});
    }
    *gone = send;
    if (!send)
        return ROUND_MADE;
    if (!is_probe(request)) {
        unlink_after(round, &node->sends, &node->sends_last, previous, send);
        node->send_count--;
        return match_bind(round, id, send, failure);
    }
    node->probes--;
    round->extras[id].message = send; /* filled in when the round is delivered: a round that fails has no effect */
    if (request->kind == REQUEST_MATCHED_PROBE)
        probe_take(round, node, previous, send, id);
    return probe_settle(round, id) ? ROUND_MADE : ROUND_NO_MEMORY;
}

enum round_status
match_probing(struct round *round, struct round_node *node, bool plain_too, struct round_failure *failure)
{
    enum round_status status = ROUND_MADE;
    uint32_t before = 0, next;

    for (uint32_t id = node->receives; id && status == ROUND_MADE; id = next) {
        bool gone = false;

        next = round->requests[id].next;
        if (plain_too || round->requests[id].context & REQUEST_APART)
            status = serve(round, node, id, &gone, failure);
        if (!gone) {
            before = id;
            continue;
        }
        if (before)
            round->requests[before].next = next;
        else
            node->receives = next;
        if (node->receives_last == id)
            node->receives_last = before;
    }
    return status;
}

/* ------------------------------------------------------------------ cancelled requests */

static void
unlink_from(struct round *round, uint32_t *first, uint32_t *last, uint32_t id)
{
    uint32_t previous = 0;

    for (uint32_t at = *first; at != id; at = round->requests[at].next)
        previous = at;
    unlink_after(round, first, last, previous, id);
}

/* Cancel the request, unless its message has a receive, or a probe holds it.  false without memory. */
static bool
round_cancel_request(struct round *round, uint32_t id)
{
    struct request *request = &round->requests[id];
    struct round_node *own = &round->node[request->node];

    request->flags &= (uint16_t)~REQUEST_CANCELS;
    if (request->flags & (REQUEST_MATCHED | REQUEST_COMPLETE) || (request->kind == REQUEST_SEND && request->partner))
        return true;
    if (request->kind == REQUEST_SEND) {
        struct round_node *to = &round->node[request->peer];

        unlink_from(round, &to->sends, &to->sends_last, id);
        to->send_count--;
        round->unmatched--;
        own->outbox--;
    } else {
        unlink_from(round, &own->receives, &own->receives_last, id);
        if (request->context & REQUEST_APART)
            own->probes--;
        if (request->kind == REQUEST_RECEIVE)
            own->mailbox--;
    }
    request->flags |= REQUEST_CANCELLED;
    return probe_settle(round, id);
}

bool
round_cancel(struct round *round, const int32_t *active, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct round_node *node = &round->node[active[i]];
        uint32_t next;

        for (uint32_t id = node->cancels; id; id = next) {
            next = round->extras[id].next;
            if (!round_cancel_request(round, id))
                return false;
        }
        node->cancels = 0;
    }
    return true;
}
