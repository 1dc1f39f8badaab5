/* SPDX-License-Identifier: MIT */
/* The part of posts and waits that every call uses, inlined in each: post.c, wait.c, exchange.c. */
#pragma once

#include "lib/machine/hooks.h"
#include "lib/machine/park.h"
#include "lib/machine/requests.h"

/* Append a request to a list of its node. */
static inline void
hang(struct request *requests, uint32_t *first, uint32_t *last, uint32_t id)
{
    if (*first)
        requests[*last].next = id;
    else
        *first = id;
    *last = id;
}

/* Fill in a fresh request, except for its pieces. */
static inline void
request_fill(struct request *request, struct peal_node *me, size_t words, int peer, int tag)
{
    struct round *round = &me->node->machine->round;

    request->round = round->number;
    request->words = words;
    request->peer = peer;
    request->rank = me->rank;
    request->tag = tag;
    request->context = me->context;
    request->line = me->node->line;
    request->clock = round->clocks.node[me->node->rank];
    request->view = me;
    request->file = me->node->file;
}

/* Pass the request to the round. */
static inline void
hand_over(struct round_node *boxes, struct request *requests, enum request_kind kind, uint32_t id)
{
    if (kind == REQUEST_SEND) {
        requests[id].sequence = boxes->sequence++;
        hang(requests, &boxes->posted, &boxes->posted_last, id);
    } else {
        hang(requests, &boxes->receives, &boxes->receives_last, id);
        boxes->received = true;
    }
}

/* Inlined in every post: peal_rank_in_world; PEAL_ANY_SOURCE stays. */
static inline int
rank_in_world(const struct peal_node *me, int rank)
{
    return me->group->members && rank >= 0 ? me->group->members[rank] : rank;
}

/* Whether the post is valid, and needs no check against a machine's other limits (unhooked_posts). */
static inline bool
is_valid_post(const struct peal_node *me, enum request_kind kind, struct peal_piece piece, int peer, int tag)
{
    bool receives = kind == REQUEST_RECEIVE;

    return ((unsigned)peer < (unsigned)me->group->size || (receives && peer == PEAL_ANY_SOURCE)) &&
           (tag >= 0 || (receives && tag == PEAL_ANY_TAG)) && piece.words <= me->words_limit &&
           (piece.data || piece.words == 0);
}

/* A fresh request, or fail. */
uint32_t request_take(struct peal_node *me, enum request_kind kind);

/* Post any request, or fail. */
uint32_t post_pieces(struct peal_node *me, enum request_kind kind, const struct peal_piece *pieces, int count, int peer,
                     int tag, enum peal_send_mode mode);

/* Whether posting cannot fail: most posts have a place in the box, no limit but the machine's, and a slot that the
 * carrier has already. */
static inline bool
is_sure(const struct peal_node *me, enum request_kind kind, struct peal_piece piece, int peer, int tag)
{
    const struct node *node = me->node;
    const struct peal_machine *machine = node->machine;
    const struct round_node *boxes = &machine->round.node[node->rank];

    return is_valid_post(me, kind, piece, peer, tag) && machine->unhooked_posts &&
           (kind == REQUEST_SEND ? boxes->outbox : boxes->mailbox) < machine->round.mailbox &&
           has_request(node->carrier);
}

/* Post one piece, where that is_sure. */
static inline __attribute__((always_inline)) uint32_t
post_surely(struct peal_node *me, enum request_kind kind, struct peal_piece piece, int peer, int tag)
{
    struct node *node = me->node;
    struct peal_machine *machine = node->machine;
    struct round_node *boxes = &machine->round.node[node->rank];

    ++*(kind == REQUEST_SEND ? &boxes->outbox : &boxes->mailbox);

    uint32_t id = request_create(node, kind);
    struct request *request = &machine->requests[id];

    request_fill(request, me, piece.words * me->scale, rank_in_world(me, peer), tag);
    request->data = piece.data;
    request->piece_count = 1;
    if (__builtin_expect(machine->remote != NULL, 0))
        machine->remote->posted(node, id, peer);
    else
        hand_over(boxes, machine->requests, kind, id);
    return id;
}

/* Post one piece. */
static inline uint32_t
post_one(struct peal_node *me, enum request_kind kind, struct peal_piece piece, int peer, int tag)
{
    return is_sure(me, kind, piece, peer, tag) ? post_surely(me, kind, piece, peer, tag)
                                               : post_pieces(me, kind, &piece, 1, peer, tag, PEAL_STANDARD);
}

/* Fill in those of the extra data that the rounds read of a short post. */
static inline void
fill_short(struct request_extra *extra, enum request_kind kind, const struct peal_short_post *post)
{
    extra->note = post->note;
    if (kind == REQUEST_SEND)
        extra->mode = PEAL_STANDARD;
    else
        extra->lenient = post->lenient;
}

/* Post a short one, where that is_sure. */
static inline __attribute__((always_inline)) uint32_t
post_noted(struct peal_node *me, enum request_kind kind, const struct peal_short_post *post)
{
    struct peal_machine *machine = me->node->machine;
    uint32_t id = post_surely(me, kind, post->piece, post->peer, post->tag);

    machine->requests[id].flags = REQUEST_EXTRA;
    fill_short(&machine->extras[id], kind, post);
    return id;
}

/* Fill in the extra data of a request. */
static inline void
fill_extra(struct request_extra *extra, const struct peal_post *post)
{
    extra->note = post->note;
    extra->delivered = 0;
    extra->message = extra->next = extra->next_ready = 0;
    extra->mode = (uint8_t)post->mode;
    extra->lenient = post->lenient;
    extra->shared = extra->combines = false;
}

/* Post with all arguments, or fail. */
uint32_t post_all(struct peal_node *me, const struct peal_post *post);

/* Wait until the chooser has decided whether the probe finds a message (pick.c). */
void question_probe(struct node *node, uint32_t id);

/* Fail where nodes are processes that do not support this call. */
_Noreturn void post_refuse(struct peal_node *me, const char *call);

static inline void
post_refuse_remote(struct peal_node *me, const char *call)
{
    if (__builtin_expect(me->node->machine->remote != NULL, 0) && !me->node->machine->remote->ask)
        post_refuse(me, call);
}

/* Fail where nodes are processes of any kind. */
static inline void
post_refuse_apart(struct peal_node *me, const char *call)
{
    if (__builtin_expect(me->node->machine->remote != NULL, 0))
        post_refuse(me, call);
}

static inline struct peal_handle
request_handle(struct peal_node *me, uint32_t id)
{
    return (struct peal_handle){.slot = id, .generation = me->node->machine->requests[id].generation};
}

/* The machine only reads the words of a send: the const is cast away for the one type of piece that both directions
 * share. */
static inline struct peal_piece
piece_to_send(const void *buf, size_t words)
{
    return (struct peal_piece){.data = (void *)(uintptr_t)buf, .words = words};
}

/* Fail because the handle does not, or no longer, name a request of the node. */
_Noreturn void request_refuse(struct peal_node *me, struct peal_handle handle);

/* The request that a handle names, or fail. */
static inline uint32_t
request_by_handle(struct peal_node *me, struct peal_handle handle)
{
    const struct peal_machine *machine = me->node->machine;
    const struct request *request = &machine->requests[handle.slot]; /* of slot 0: free */

    if (handle.slot >= atomic_load_explicit(&machine->requests_used, memory_order_relaxed) ||
        request->generation != handle.generation || request->kind == REQUEST_FREE || request->node != me->node->rank)
        request_refuse(me, handle);
    return handle.slot;
}

/* Words of the machine in words of `me`: whole ones. */
static inline size_t
view_words(const struct peal_node *me, uint64_t words)
{
    return (size_t)(__builtin_expect(me->scale == 1, 1) ? words : words / me->scale);
}

/* The request is complete: move the node's clock on, and free its slot. */
static inline __attribute__((always_inline)) void
request_end(struct node *node, uint32_t id)
{
    struct request *request = &node->machine->requests[id];
    struct clocks *clocks = &node->machine->round.clocks;

    if (node->machine->memory_hooks && request->kind != REQUEST_STRAND)
        node->machine->memory_hooks->finished(node, id);
    if (node->machine->remote)
        node->machine->remote->consumed(node, id);
    else if (!(request->flags & REQUEST_KEPT)) /* a kept send is complete before it is carried */
        clock_advance(&clocks->parameters, &clocks->node[node->rank], clock_load(&request->clock));
    request_consume(node, id);
}

static inline struct peal_message
request_finish(struct peal_node *me, uint32_t id)
{
    const struct request *request = &me->node->machine->requests[id];
    struct peal_message message = {request->rank, request->tag, view_words(me, request->words)};

    request_end(me->node, id);
    return message;
}

/* The node is about to wait for the request: count it, unless it is complete. */
static inline void
request_await(const struct node *node, struct request *request)
{
    if (request->flags & REQUEST_COMPLETE)
        return;
    request->flags |= REQUEST_AWAITED;
    node->machine->round.node[node->rank].waiting++;
}

/* Wait until no awaited request is left. */
static inline void
wait_for_awaited(struct node *node)
{
    if (node->machine->round.node[node->rank].waiting > 0)
        node_park(node, NODE_WAITS);
}

/* Write the envelope of a complete request of this kind and these flags, member by member in its place: a copy of what
 * was just written in parts waits for them. */
static inline __attribute__((always_inline)) void
envelope_write(const struct peal_node *me, uint32_t id, unsigned kind, unsigned flags, struct peal_envelope *envelope)
{
    const struct request *request = &me->node->machine->requests[id];
    const struct request_extra *extra = flags & REQUEST_EXTRA ? &me->node->machine->extras[id] : NULL;
    uint64_t delivered = kind == REQUEST_PROBE || kind == REQUEST_MATCHED_PROBE ? 0
                         : extra && kind == REQUEST_RECEIVE                     ? extra->delivered
                                                                                : request->words;

    envelope->source = request->rank;
    envelope->tag = request->tag;
    envelope->words = view_words(me, request->words);
    envelope->delivered = view_words(me, delivered);
    envelope->note = extra && !is_access(kind) ? extra->note : 0;
    envelope->cancelled = flags & REQUEST_CANCELLED;
    envelope->message = PEAL_NO_HANDLE;
}

static inline struct peal_envelope
envelope_of(const struct peal_node *me, uint32_t id)
{
    const struct request *request = &me->node->machine->requests[id];
    struct peal_envelope envelope;

    envelope_write(me, id, request->kind, request->flags, &envelope);
    return envelope;
}

static inline struct peal_message
request_wait_finish(struct peal_node *me, uint32_t id)
{
    request_await(me->node, &me->node->machine->requests[id]);
    wait_for_awaited(me->node);
    return request_finish(me, id);
}
