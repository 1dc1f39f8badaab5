/* SPDX-License-Identifier: MIT */
/* Waits and tests. */
#include "lib/machine/post.h"

uint32_t
request_of(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    struct peal_machine *machine = me->node->machine;

    if (handle.slot == 0 || handle.slot >= atomic_load_explicit(&machine->requests_used, memory_order_relaxed))
        node_fail(me, PEAL_BAD_REQUEST, file, line, "this is not a handle that a post gave");
    const struct request *request = &machine->requests[handle.slot];

    if (request->generation != handle.generation || request->kind == REQUEST_FREE)
        node_fail(me, PEAL_BAD_REQUEST, file, line, "this handle was waited for before: a handle is good for one wait");
    if (request->node != me->node->rank)
        node_fail(me, PEAL_BAD_REQUEST, file, line, "this handle belongs to node %d", request->node);
    return handle.slot;
}

void
peal_wait_all_at(struct peal_node *me, const char *file, int line)
{
    struct node *node = me->node;
    struct request *requests = node->machine->requests;
    uint32_t next;

    enter(me, &file, &line);
    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if (requests[id].view == me)
            await(node, &requests[id]);
    wait_for_awaited(node);
    for (uint32_t id = node->open; id; id = next) {
        next = requests[id].open_next;
        if (requests[id].view == me)
            finish(me, id);
    }
    leave(me);
}

struct peal_message
peal_wait_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    enter(me, &file, &line);
    struct peal_message message = wait_for(me, request_of(me, handle, file, line));
    leave(me);
    return message;
}

/* Rest for a round, for the sake of these requests: `wanted` more of them are to be complete. */
static void
rest_for(struct node *node, const uint32_t *ids, int count, uint32_t wanted)
{
    struct request *requests = node->machine->requests;

    for (int i = 0; i < count; i++)
        requests[ids[i]].flags |= REQUEST_ASKED;
    node->asks = wanted;
    node_park(node, NODE_TESTS);
    for (int i = 0; i < count; i++)
        requests[ids[i]].flags &= (uint16_t)~REQUEST_ASKED;
}

bool
peal_test_at(struct peal_node *me, struct peal_handle handle, struct peal_message *message, const char *file, int line)
{
    struct request *requests = me->node->machine->requests;
    struct peal_message got;

    enter(me, &file, &line);
    note_asking(me->node->machine);
    uint32_t id = request_of(me, handle, file, line);

    if (me->node->machine->remote)
        me->node->machine->remote->test(me->node, id);
    else if (!(requests[id].flags & REQUEST_COMPLETE))
        rest_for(me->node, &id, 1, 1);
    bool complete = requests[id].flags & REQUEST_COMPLETE;

    if (complete) {
        got = finish(me, id);
        if (message)
            *message = got;
    }
    leave(me);
    return complete;
}

void
peal_next_round_at(struct peal_node *me, const char *file, int line)
{
    enter(me, &file, &line);
    node_park(me->node, NODE_RESTS);
    leave(me);
}

void
peal_sleep_at(struct peal_node *me, const char *file, int line)
{
    enter(me, &file, &line);
    post_refuse_remote(me, "peal_sleep", file, line);
    node_park(me->node, NODE_SLEEPS);
    leave(me);
}

/* ------------------------------------------------------------------ of posts with envelopes */

struct peal_envelope
peal_finish_at(struct peal_node *me, struct peal_handle handle, const char *file, int line)
{
    enter(me, &file, &line);
    post_refuse_remote(me, "peal_finish", file, line);
    uint32_t id = request_of(me, handle, file, line);

    await(me->node, &me->node->machine->requests[id]);
    wait_for_awaited(me->node);
    struct peal_envelope envelope = envelope_of(me, id);

    finish(me, id);
    leave(me);
    return envelope;
}

bool
peal_ready_at(struct peal_node *me, struct peal_handle handle, struct peal_envelope *envelope, const char *file,
              int line)
{
    enter(me, &file, &line);
    post_refuse_remote(me, "peal_ready", file, line);
    note_asking(me->node->machine);
    uint32_t id = request_of(me, handle, file, line);
    bool complete = me->node->machine->requests[id].flags & REQUEST_COMPLETE;

    if (complete && envelope)
        *envelope = envelope_of(me, id);
    leave(me);
    return complete;
}
