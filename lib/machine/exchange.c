/* SPDX-License-Identifier: MIT */
/* Blocking calls: post and wait in one. */
#include "lib/machine/failure.h"
#include "lib/machine/post.h"

/* Whether the call can take the short path: the node has no other requests, and has left none to the machine.  So its
 * boxes and lists are empty, and its posts cannot fail. */
static inline bool
goes_short(const struct peal_node *me, const struct peal_short_post *send, const struct peal_short_post *receive)
{
    const struct node *node = me->node;
    const struct round_node *boxes = &node->machine->round.node[node->rank];

    return node->machine->short_calls && node->open == 0 && (boxes->outbox | boxes->mailbox) == 0 &&
           (!send || is_valid_post(me, REQUEST_SEND, send->piece, send->peer, send->tag)) &&
           (!receive || is_valid_post(me, REQUEST_RECEIVE, receive->piece, receive->peer, receive->tag));
}

/* Fill in request `id`, which its node awaits from the start; `other` follows it in the node's list. */
static inline __attribute__((always_inline)) void
fill_blocking(struct peal_node *me, uint32_t id, enum request_kind kind, const struct peal_short_post *side, bool noted,
              uint32_t other)
{
    struct peal_machine *machine = me->node->machine;
    struct request *request = &machine->requests[id];

    request->round = machine->round.number;
    request->words = side->piece.words * me->scale;
    request->data = side->piece.data;
    request->sequence = request->next = 0;
    request->node = me->node->rank;
    request->peer = rank_in_world(me, side->peer);
    request->rank = me->rank;
    request->tag = side->tag;
    request->context = me->context;
    request->open_next = other;
    request->flags = noted ? REQUEST_AWAITED | REQUEST_BLOCKING | REQUEST_EXTRA : REQUEST_AWAITED | REQUEST_BLOCKING;
    request->kind = (uint8_t)kind;
    if (noted)
        fill_short(&machine->extras[id], kind, side);
}

/* Post the given ones of the two, wait for them and consume them: post, await, wait_for_awaited and finish in one, for
 * a call that goes_short.  The node's clock does not move while it is parked, and no transfer ends before it started:
 * so its clock is the latest end, and a port is free from the end of its last transfer.  Gives the receive's message
 * and the envelope, NULL where one is not wanted; with `noted` the sides' notes and lenience count.  Inlined for each
 * of the calls.  False: no slots for requests, nothing was done. */
static inline __attribute__((always_inline)) bool
exchange_short(struct peal_node *me, const struct peal_short_post *send, const struct peal_short_post *receive,
               bool noted, struct peal_message *message, struct peal_envelope *envelope)
{
    struct node *node = me->node;
    struct round *round = &node->machine->round;
    struct request *requests = round->requests;
    struct round_node *boxes = &round->node[node->rank];
    uint32_t first = node->carrier->free_request, second = send && receive ? requests[first].next : first;

    if (!first || !second) /* number 0 is all zero */
        return false;
    node->carrier->free_request = requests[second].next;
    node->open = first;
    node->open_last = second;
    if (send) {
        fill_blocking(me, first, REQUEST_SEND, send, noted, receive ? second : 0);
        boxes->posted = boxes->posted_last = first;
        boxes->sequence = 1;
        boxes->outbox = 1;
    }
    if (receive) {
        fill_blocking(me, second, REQUEST_RECEIVE, receive, noted, 0);
        boxes->receives = boxes->receives_last = second;
        boxes->received = true;
        boxes->mailbox = 1;
    }
    boxes->waiting = send && receive ? 2 : 1;
    node_park(node, NODE_WAITS);

    const struct peal_cost *send_end = &round->ports.free_at[ports_row(&round->ports, node->rank, PORT_SEND)];
    const struct peal_cost *receive_end = &round->ports.free_at[ports_row(&round->ports, node->rank, PORT_RECEIVE)];

    if (__builtin_expect(round->accessed, 0)) {
        send_end = &requests[first].clock;
        receive_end = &requests[second].clock;
    }
    struct clock_lanes end = clock_load(receive ? receive_end : send_end);

    if (send &&
        __builtin_expect(requests[first].flags & REQUEST_KEPT, 0)) /* it was lent, and takes no time of the node */
        end = clock_load(receive ? receive_end : &round->clocks.node[node->rank]);
    else if (send && receive)
        end = clock_latest(&round->clocks.parameters, end, clock_load(send_end));
    clock_store(&round->clocks.node[node->rank], end);
    if (envelope)
        envelope_write(me, second, receive ? REQUEST_RECEIVE : REQUEST_SEND, REQUEST_EXTRA, envelope);
    if (receive && message)
        *message =
            (struct peal_message){requests[second].rank, requests[second].tag, view_words(me, requests[second].words)};
    node->open = node->open_last = 0;
    requests[first].kind = requests[second].kind = REQUEST_FREE;
    requests[second].next = node->carrier->free_request;
    if (send && receive)
        requests[first].next = second;
    node->carrier->free_request = first;
    return true;
}

void
peal_send_at(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    const struct peal_short_post send = {.piece = piece_to_send(buf, words), .peer = dest, .tag = tag};

    call_enter(me, file, line);
    if (!goes_short(me, &send, NULL) || !exchange_short(me, &send, NULL, false, NULL, NULL))
        request_wait_finish(me, post_one(me, REQUEST_SEND, send.piece, dest, tag));
    call_leave(me);
}

struct peal_message
peal_recv_at(struct peal_node *me, void *buf, size_t words, int source, int tag, const char *file, int line)
{
    const struct peal_short_post receive = {.piece = {buf, words}, .peer = source, .tag = tag};
    struct peal_message message;

    call_enter(me, file, line);
    if (!goes_short(me, NULL, &receive) || !exchange_short(me, NULL, &receive, false, &message, NULL))
        message = request_wait_finish(me, post_one(me, REQUEST_RECEIVE, receive.piece, source, tag));
    call_leave(me);
    return message;
}

/* Post both and wait: any posts. */
static __attribute__((noinline)) struct peal_message
exchange_any(struct peal_node *me, struct peal_short_post out, struct peal_short_post in)
{
    struct node *node = me->node;
    struct request *requests = node->machine->requests;
    uint32_t send = post_one(me, REQUEST_SEND, out.piece, out.peer, out.tag);
    uint32_t receive = post_one(me, REQUEST_RECEIVE, in.piece, in.peer, in.tag);

    request_await(node, &requests[send]);
    request_await(node, &requests[receive]);
    wait_for_awaited(node);
    request_finish(me, send);
    return request_finish(me, receive);
}

struct peal_message
peal_sendrecv_at(struct peal_node *me, const void *out, size_t out_words, int dest, int out_tag, void *in,
                 size_t in_words, int source, int in_tag, const char *file, int line)
{
    const struct peal_short_post send = {.piece = piece_to_send(out, out_words), .peer = dest, .tag = out_tag},
                                 receive = {.piece = {in, in_words}, .peer = source, .tag = in_tag};
    struct peal_message message;

    call_enter(me, file, line);
    if (!goes_short(me, &send, &receive) || !exchange_short(me, &send, &receive, false, &message, NULL))
        message = exchange_any(me, send, receive);
    call_leave(me);
    return message;
}

/* ------------------------------------------------------------------ with all arguments of a post */

static __attribute__((noinline, cold)) void
refuse_exchange(struct peal_node *me, const struct peal_post *send, const struct peal_post *receive)
{
    post_refuse_remote(me, "peal_exchange");
    if (!send && !receive)
        node_fail(me, PEAL_BAD_REQUEST, "peal_exchange expects a send or a receive, got neither");
    node_fail(me, PEAL_BAD_REQUEST, "peal_exchange expects first a send, then a receive");
}

static inline void
check_exchange(struct peal_node *me, const struct peal_post *send, const struct peal_post *receive)
{
    const struct remote *remote = me->node->machine->remote;

    if (__builtin_expect((remote && !remote->ask) || (!send && !receive) || (send && send->kind != PEAL_POST_SEND) ||
                             (receive && receive->kind != PEAL_POST_RECEIVE),
                         0))
        refuse_exchange(me, send, receive);
}

/* Whether the post may take the short path: a standard send, a receive, of one piece or no words. */
static inline bool
is_simple(const struct peal_post *post)
{
    return post->mode == PEAL_STANDARD && (unsigned)post->piece_count <= 1 && !post->message.slot;
}

static inline struct peal_short_post
side_of(const struct peal_post *post)
{
    return (struct peal_short_post){.piece = post->piece_count == 1 ? post->pieces[0] : (struct peal_piece){NULL, 0},
                                    .peer = post->peer,
                                    .tag = post->tag,
                                    .note = post->note,
                                    .lenient = post->lenient};
}

/* Exchange beside other requests of the node: one side, which then cannot fail.  False: nothing was done. */
static __attribute__((noinline)) bool
exchange_beside(struct peal_node *me, enum request_kind kind, const struct peal_short_post *side,
                struct peal_envelope *envelope)
{
    struct peal_machine *machine = me->node->machine;

    if (!me->node->open || machine->remote || !is_sure(me, kind, side->piece, side->peer, side->tag))
        return false;
    uint32_t id = post_noted(me, kind, side);

    request_await(me->node, &machine->requests[id]);
    wait_for_awaited(me->node);
    if (envelope)
        envelope_write(me, id, kind, machine->requests[id].flags, envelope);
    request_end(me->node, id);
    return true;
}

bool
peal_exchange_short_at(struct peal_node *me, const struct peal_short_post *send, const struct peal_short_post *receive,
                       struct peal_envelope *envelope, const char *file, int line)
{
    bool done;

    call_enter(me, file, line);
    if (!send)
        done = (goes_short(me, NULL, receive) && exchange_short(me, NULL, receive, true, NULL, envelope)) ||
               exchange_beside(me, REQUEST_RECEIVE, receive, envelope);
    else if (!receive)
        done = (goes_short(me, send, NULL) && exchange_short(me, send, NULL, true, NULL, envelope)) ||
               exchange_beside(me, REQUEST_SEND, send, envelope);
    else
        done = goes_short(me, send, receive) && exchange_short(me, send, receive, true, NULL, envelope);
    call_leave(me);
    return done;
}

/* Exchange by posts that take the long path. */
static __attribute__((noinline)) struct peal_envelope
exchange_all(struct peal_node *me, const struct peal_post *send, const struct peal_post *receive)
{
    struct request *requests = me->node->machine->requests;
    uint32_t sent = send ? post_all(me, send) : 0;
    uint32_t received = receive ? post_all(me, receive) : 0;
    struct peal_envelope envelope;

    if (send)
        request_await(me->node, &requests[sent]);
    if (receive)
        request_await(me->node, &requests[received]);
    wait_for_awaited(me->node);
    envelope = envelope_of(me, receive ? received : sent);
    if (send)
        request_finish(me, sent);
    if (receive)
        request_finish(me, received);
    return envelope;
}

struct peal_envelope
peal_exchange_at(struct peal_node *me, const struct peal_post *send, const struct peal_post *receive, const char *file,
                 int line)
{
    struct peal_envelope envelope;

    call_enter(me, file, line);
    check_exchange(me, send, receive);
    if ((!send || is_simple(send)) && (!receive || is_simple(receive))) {
        const struct peal_short_post out = send ? side_of(send) : (struct peal_short_post){.peer = 0},
                                     in = receive ? side_of(receive) : (struct peal_short_post){.peer = 0};

        if (peal_exchange_short_at(me, send ? &out : NULL, receive ? &in : NULL, &envelope, file, line))
            return envelope;
        call_enter(me, file, line);
    }
    envelope = exchange_all(me, send, receive);
    call_leave(me);
    return envelope;
}
