/* SPDX-License-Identifier: MIT */
/* Waits and tests. */
#include "lib/machine/wait.h"
#include "lib/machine/engine.h"
#include "lib/machine/failure.h"
#include "lib/machine/outsiders.h"
#include "lib/machine/post.h"
#include "lib/round/match.h"
#include <peal/outside.h>

/* Whether a wait for all on this view includes the request.  It excludes requests let go, those that another strand
 * waits for, messages of matched probes, and locks.  With `complete`: whether it is also complete, since another strand
 * may have posted more. */
static inline bool
is_waited_for(const struct peal_node *me, const struct request *request, bool complete)
{
    unsigned looked_at = REQUEST_LET_GO | REQUEST_CLAIMED | (complete ? REQUEST_COMPLETE : 0);

    return request->view == me && (request->flags & looked_at) == (complete ? REQUEST_COMPLETE : 0) &&
           request->kind != REQUEST_MATCHED_PROBE && request->kind != REQUEST_LOCK;
}

/* The request, which must not be a matched probe or a lock: what those give would be lost. */
static inline uint32_t
plain_request_of(struct peal_node *me, struct peal_handle handle)
{
    uint32_t id = request_by_handle(me, handle);

    if (me->node->machine->requests[id].kind == REQUEST_MATCHED_PROBE)
        node_fail(me, PEAL_BAD_REQUEST, "what a matched probe has found is given by peal_wait_envelope");
    if (me->node->machine->requests[id].kind == REQUEST_LOCK)
        node_fail(me, PEAL_BAD_REQUEST, "a lock is given by peal_wait_envelope");
    return id;
}

void
peal_wait_all_at(struct peal_node *me, const char *file, int line)
{
    struct node *node = me->node;
    struct request *requests = node->machine->requests;
    uint32_t next;

    call_enter(me, file, line);
    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if (is_waited_for(me, &requests[id], false))
            request_await(node, &requests[id]);
    wait_for_awaited(node);
    for (uint32_t id = node->open; id; id = next) {
        next = requests[id].open_next;
        if (is_waited_for(me, &requests[id], true))
            request_finish(me, id);
    }
    call_leave(me);
}

struct peal_message
peal_wait_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    call_enter(me, file, line);
    struct peal_message message = request_wait_finish(me, plain_request_of(me, handle));
    call_leave(me);
    return message;
}

/* Park, with the flag on these requests meanwhile. */
static void
park_marked(struct node *node, const uint32_t *ids, int count, unsigned flag, enum node_state state)
{
    struct request *requests = node->machine->requests;

    for (int i = 0; i < count; i++)
        requests[ids[i]].flags |= (uint16_t)flag;
    node_park(node, state);
    for (int i = 0; i < count; i++)
        requests[ids[i]].flags &= (uint16_t)~flag;
}

/* Rest for a round on behalf of these requests, of which `wanted` more must complete. */
static void
rest_for(struct node *node, const uint32_t *ids, int count, uint32_t wanted)
{
    node->wanted = wanted;
    if (node->machine->remote)
        node->machine->remote->ask(node, ids, count, (int)wanted);
    else
        park_marked(node, ids, count, REQUEST_ASKED, NODE_TESTS);
}

bool
peal_test_at(struct peal_node *me, struct peal_handle handle, struct peal_message *message, const char *file, int line)
{
    struct request *requests = me->node->machine->requests;
    struct peal_message got;

    call_enter(me, file, line);
    note_asking(me->node->machine);
    uint32_t id = plain_request_of(me, handle);

    if (me->node->machine->remote)
        me->node->machine->remote->test(me->node, id);
    else if (!(requests[id].flags & REQUEST_COMPLETE))
        rest_for(me->node, &id, 1, 1);
    bool complete = requests[id].flags & REQUEST_COMPLETE;

    if (complete) {
        got = request_finish(me, id);
        if (message)
            *message = got;
    }
    call_leave(me);
    return complete;
}

void
peal_next_round_at(struct peal_node *me, const char *file, int line)
{
    call_enter(me, file, line);
    node_park(me->node, NODE_RESTS);
    call_leave(me);
}

void
peal_sleep_at(struct peal_node *me, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_apart(me, "peal_sleep");
    node_park(me->node, NODE_SLEEPS);
    call_leave(me);
}

/* ------------------------------------------------------------------ of posts with envelopes */

/* Consume the complete request; a probe that has found a message holds it for a receive, a lock is held until it is
 * unlocked.  Writes its envelope. */
static inline void
take_envelope(struct peal_node *me, uint32_t id, struct peal_envelope *envelope)
{
    struct request *request = &me->node->machine->requests[id];
    struct clocks *clocks = &me->node->machine->round.clocks;

    envelope_write(me, id, request->kind, request->flags, envelope);
    if (__builtin_expect(
            (request->kind != REQUEST_MATCHED_PROBE && request->kind != REQUEST_LOCK) || envelope->cancelled, 1)) {
        request_end(me->node, id);
        return;
    }
    clock_advance(&clocks->parameters, &clocks->node[me->node->rank], clock_load(&request->clock));
    request->flags |= REQUEST_CONSUMED;
    request->generation++;
    envelope->message = request_handle(me, id);
}

struct peal_envelope
peal_wait_envelope_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_remote(me, "peal_wait_envelope");
    uint32_t id = request_by_handle(me, handle);

    request_await(me->node, &me->node->machine->requests[id]);
    wait_for_awaited(me->node);
    struct peal_envelope envelope;

    take_envelope(me, id, &envelope);
    call_leave(me);
    return envelope;
}

void
peal_wait_envelopes_at(struct peal_node *me, const struct peal_handle *handles, int count,
                       struct peal_envelope *envelopes, const char *file, int line)
{
    struct request *requests = me->node->machine->requests;

    call_enter(me, file, line);
    post_refuse_remote(me, "peal_wait_envelopes");
    for (int i = 0; i < count; i++)
        if (handles[i].slot != 0) {
            struct request *request = &requests[request_by_handle(me, handles[i])];

            if (!(request->flags & REQUEST_AWAITED)) /* else it is there twice: refused below */
                request_await(me->node, request);
        }
    wait_for_awaited(me->node);
    for (int i = 0; i < count; i++) {
        if (handles[i].slot == 0)
            continue;
        if (requests[handles[i].slot].generation != handles[i].generation)
            request_refuse(me, handles[i]); /* it is there twice */
        take_envelope(me, handles[i].slot, &envelopes[i]);
    }
    call_leave(me);
}

bool
peal_is_complete_at(struct peal_node *me, struct peal_handle handle, struct peal_envelope *envelope, const char *file,
                    int line)
{
    call_enter(me, file, line);
    post_refuse_remote(me, "peal_is_complete");
    note_asking(me->node->machine);
    uint32_t id = request_by_handle(me, handle);

    if (me->node->machine->remote)
        me->node->machine->remote->ask(me->node, &id, 1, 0);
    bool complete = me->node->machine->requests[id].flags & REQUEST_COMPLETE;

    if (complete && envelope)
        *envelope = envelope_of(me, id);
    call_leave(me);
    return complete;
}

/* ------------------------------------------------------------------ several at once */

/* The requests of the handles, in a list that the caller frees; *count is how many there are. */
static uint32_t *
requests_of(struct peal_node *me, const struct peal_handle *handles, int *count)
{
    uint32_t *ids = malloc(((size_t)(*count > 0 ? *count : 0) + 1) * sizeof *ids);
    int kept = 0;

    if (!ids)
        node_fail(me, PEAL_OUT_OF_MEMORY, "no memory to wait for %d requests", *count);
    me->node->held = ids; /* until the caller frees it: request_of may fail the node, as may a park */
    for (int i = 0; i < *count; i++)
        if (handles[i].slot != 0)
            ids[kept++] = request_by_handle(me, handles[i]);
    *count = kept;
    return ids;
}

static void
node_held_free(struct node *node)
{
    free(node->held);
    node->held = NULL;
}

/* Park until one of them is complete: the first completion ends the wait. */
static void
wait_for_one(struct node *node, const uint32_t *ids, int count)
{
    uint32_t *waiting = &node->machine->round.node[node->rank].waiting;

    if (node->machine->remote) {
        node->machine->remote->ask(node, ids, count, -1);
        return;
    }
    *waiting = 1;
    park_marked(node, ids, count, REQUEST_AWAITED, NODE_WAITS);
    *waiting = 0; /* others may have been completed in the same round */
}

static int
count_complete(const struct node *node, const uint32_t *ids, int count)
{
    int complete = 0;

    for (int i = 0; i < count; i++)
        complete += (node->machine->requests[ids[i]].flags & REQUEST_COMPLETE) != 0;
    return complete;
}

int
peal_wait_any_at(struct peal_node *me, const struct peal_handle *handles, int count, const char *file, int line)
{
    const struct request *requests = me->node->machine->requests;
    int first = 0, open = count;

    call_enter(me, file, line);
    post_refuse_remote(me, "peal_wait_any");
    note_asking(me->node->machine);
    uint32_t *ids = requests_of(me, handles, &open);

    if (open > 0 && count_complete(me->node, ids, open) == 0)
        wait_for_one(me->node, ids, open);
    while (open > 0 && (handles[first].slot == 0 || !(requests[handles[first].slot].flags & REQUEST_COMPLETE)))
        first++;
    node_held_free(me->node);
    call_leave(me);
    return open > 0 ? first : -1;
}

int
peal_count_complete_at(struct peal_node *me, const struct peal_handle *handles, int count, int enough, const char *file,
                       int line)
{
    call_enter(me, file, line);
    post_refuse_remote(me, "peal_count_complete");
    note_asking(me->node->machine);
    uint32_t *ids = requests_of(me, handles, &count);
    int complete = count_complete(me->node, ids, count);

    if (complete < enough) {
        rest_for(me->node, ids, count, (uint32_t)(enough - complete));
        complete = count_complete(me->node, ids, count);
    }
    node_held_free(me->node);
    call_leave(me);
    return complete;
}

/* ------------------------------------------------------------------ requests that no node waits for */

void
peal_detach_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_remote(me, "peal_detach");
    uint32_t id = plain_request_of(me, handle);
    struct request *request = &me->node->machine->requests[id];

    if (request->kind == REQUEST_STRAND)
        node_fail(me, PEAL_BAD_REQUEST, "a strand is joined: it cannot be let go");
    if (request->flags & REQUEST_COMPLETE) {
        request_finish(me, id);
    } else {
        request->flags |= REQUEST_LET_GO;
        request->generation++;
    }
    call_leave(me);
}

void
node_settle(struct node *node, const struct peal_node *view)
{
    struct request *requests = node->machine->requests;
    uint32_t *waiting = &node->machine->round.node[node->rank].waiting, next;

    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if ((requests[id].flags & (REQUEST_LET_GO | REQUEST_COMPLETE | REQUEST_CLAIMED)) == REQUEST_LET_GO &&
            is_posted_in(&requests[id], view)) {
            requests[id].flags |= REQUEST_AWAITED;
            ++*waiting;
        }
    if (*waiting == 0)
        return;
    node_park(node, NODE_WAITS);
    for (uint32_t id = node->open; id; id = next) { /* the machine forgets only requests that no node waits for */
        next = requests[id].open_next;
        if ((requests[id].flags & (REQUEST_LET_GO | REQUEST_COMPLETE)) == (REQUEST_LET_GO | REQUEST_COMPLETE) &&
            is_posted_in(&requests[id], view))
            request_consume(node, id);
    }
}

void
peal_wait_detached_at(struct peal_node *me, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_remote(me, "peal_wait_detached");
    node_settle(me->node, NULL);
    call_leave(me);
}

void
peal_cancel_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    call_enter(me, file, line);
    post_refuse_apart(me, "peal_cancel");
    note_asking(me->node->machine);
    uint32_t id = request_by_handle(me, handle);
    struct peal_machine *machine = me->node->machine;
    struct request *request = &machine->requests[id];

    if (request->kind == REQUEST_STRAND)
        node_fail(me, PEAL_BAD_REQUEST, "a strand is joined: it cannot be canceled");
    if (!(request->flags & (REQUEST_COMPLETE | REQUEST_MATCHED | REQUEST_CANCELS))) {
        struct round_node *boxes = &machine->round.node[me->node->rank];

        request->flags |= REQUEST_CANCELS;
        machine->extras[id].next = boxes->cancels;
        boxes->cancels = id;
        atomic_store_explicit(&machine->round.cancels, true, memory_order_relaxed);
    }
    call_leave(me);
}

/* ------------------------------------------------------------------ looking for messages */

/* Remove the probe from the node's list of receives. */
static void
unhang(struct node *node, uint32_t id)
{
    struct round_node *boxes = &node->machine->round.node[node->rank];
    struct request *requests = node->machine->requests;
    uint32_t previous = 0;

    for (uint32_t at = boxes->receives; at != id; at = requests[at].next)
        previous = at;
    *(previous ? &requests[previous].next : &boxes->receives) = requests[id].next;
    if (boxes->receives_last == id)
        boxes->receives_last = previous;
    boxes->probes--;
}

/* Whether a message is available for the probe, which was posted just now.  Receives posted since the last round come
 * first, and only the round knows which messages they take: then the round decides, as where a check chooses the
 * match. */
static bool
finds_at_once(struct node *node, uint32_t id, bool was_received)
{
    struct round *round = &node->machine->round;
    struct round_node *boxes = &round->node[node->rank];
    uint32_t previous = 0,
             send = was_received || round->hold ? 0 : probe_find(round, boxes, &round->requests[id], &previous);

    if (!send)
        return false;
    probe_tell(round, id, send);
    if (round->requests[id].kind == REQUEST_MATCHED_PROBE)
        probe_take(round, boxes, previous, send, id);
    return true;
}

bool
peal_probe_now_at(struct peal_node *me, const struct peal_post *probe, struct peal_envelope *envelope, const char *file,
                  int line)
{
    struct peal_machine *machine = me->node->machine;
    struct round_node *boxes = &machine->round.node[me->node->rank];

    call_enter(me, file, line);
    post_refuse_remote(me, "peal_probe_now");
    bool picks = machine->match_chooser && peal_picks(me);

    if (!picks)
        note_asking(machine);
    if (probe->kind != PEAL_POST_PROBE && probe->kind != PEAL_POST_MATCHED_PROBE)
        node_fail(me, PEAL_BAD_REQUEST, "peal_probe_now expects a probe");
    if (machine->remote) {
        bool there = machine->remote->probe(me, probe, envelope);

        call_leave(me);
        return there;
    }
    bool was_received = boxes->received;
    uint32_t id = post_all(me, probe);
    struct request *request = &machine->requests[id];
    bool found = finds_at_once(me->node, id, was_received);

    if (!found) {
        if (picks)
            question_probe(me->node, id);
        else
            node_park(me->node, NODE_TESTS);
        found = request->flags & REQUEST_COMPLETE;
    } else {
        boxes->received = was_received;
        request->flags |= REQUEST_COMPLETE;
        unhang(me->node, id);
    }
    if (found) {
        take_envelope(me, id, envelope);
    } else {
        unhang(me->node, id);
        request_consume(me->node, id);
    }
    call_leave(me);
    return found;
}

/* ------------------------------------------------------------------ for another process */

void
peal_wait_outside(struct peal_node *me, bool (*came)(void *arg), void *arg, void (*sleep)(void))
{
    struct node *node = me->node;
    struct outsider mine = {node, came, arg, sleep, NULL}, **last = &node->carrier->outside;
    bool inside = node->inside;

    node->inside = true;
    while (*last)
        last = &(*last)->next;
    *last = &mine;
    struct node *next = node_next(node);

    if (next != node)
        node->machine->engine->yield(node, next);
    if (atomic_load(&node->machine->stopping)) {
        node->stopped = 1 + NODE_RUNS;
        node_leave(node, EXIT_UNWOUND);
    }
    node->inside = inside;
}
