/* SPDX-License-Identifier: MIT */
/* Delivering: a round's transfers end on the critical path, their requests are complete, and their copies are
 * listed. */
#include "lib/round/match.h"
#include <peal/post.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ copies */

/* There is room: round_deliver makes it for one copy per message, list_pieces for those of its message. */
static inline void
list_copy(struct round *round, void *to, const void *from, size_t words)
{
    round->copies[round->copy_count++] = (struct copy){.to = to, .from = from, .bytes = words * round->word_bytes};
}

/* List the copies between two lists of pieces. */
static __attribute__((noinline)) bool
list_pieces(struct round *round, const struct request *receive, const struct request *send)
{
    struct peal_piece one_from = {send->data, (size_t)send->words}, one_to = {receive->data, (size_t)receive->words};
    const struct peal_piece *from = send->flags & REQUEST_PIECES ? send->pieces : &one_from;
    const struct peal_piece *to = receive->flags & REQUEST_PIECES ? receive->pieces : &one_to;
    size_t from_done = 0, to_done = 0;                               /* words done of the current pieces */
    size_t messages = round->complete_count + round->transfer_count; /* at most this many are added to the list */
    uint64_t left = send->words < receive->words ? send->words : receive->words;

    while (left > 0) {
        while (from->words == from_done)
            from++, from_done = 0;
        while (to->words == to_done)
            to++, to_done = 0;
        size_t words = from->words - from_done;

        if (words > to->words - to_done)
            words = to->words - to_done;
        if (words > left)
            words = (size_t)left;
        if (!array_grow(&round->copies, &round->copies_capacity, round->copy_count + 1 + messages,
                        sizeof *round->copies))
            return false;
        list_copy(round, (char *)to->data + to_done * round->word_bytes,
                  (const char *)from->data + from_done * round->word_bytes, words);
        from_done += words;
        to_done += words;
        left -= words;
    }
    return true;
}

static inline bool
delivery_list_copies(struct round *round, const struct request *receive, const struct request *send)
{
    if ((send->flags | receive->flags) & REQUEST_PIECES)
        return list_pieces(round, receive, send);
    uint64_t words = send->words < receive->words ? send->words : receive->words; /* fewer where a message is cut */

    if (words > 0)
        list_copy(round, receive->data, send->data, (size_t)words);
    return true;
}

/* ------------------------------------------------------------------ the critical path */

/* State passed from one transfer to the next.  Most nodes are in step: a transfer whose four clocks equal those of the
 * previous one, and that costs the same, ends at the same time. */
struct delivery {
    struct clock_lanes before[4]; /* of the sender, the receiver and their ports */
    struct clock_lanes end;       /* the end of that transfer */
    struct clock_lanes last;      /* the latest end */
    uint64_t words;
    uint32_t hops;
    size_t released_count, taken_count;
    /* constant */
    int32_t *released;
    uint32_t *taken;
    struct request *requests;
    struct round_node *node;
    struct peal_cost *clocks;
    struct peal_cost *sends_at, *receives_at; /* one for each node; NULL: ports have several places */
    bool alike;                               /* transfers of as many words and hops cost the same alone */
};

static inline struct delivery
delivery_of(const struct round *round)
{
    const struct ports *ports = &round->ports;
    bool one_place = ports->places == 1;

    return (struct delivery){.before = {no_clock},
                             .last = clock_load(&round->clocks.last),
                             .released = round->released,
                             .taken = round->taken,
                             .requests = round->requests,
                             .node = round->node,
                             .clocks = round->clocks.node,
                             .sends_at = one_place ? ports->free_at : NULL,
                             .receives_at = one_place ? ports->free_at + ports_row(ports, 0, PORT_RECEIVE) : NULL,
                             .alike = charge_alike(&round->charger)};
}

/* The cost of the transfer alone. */
static inline struct clock_lanes
cost_alone(struct round *round, bool alike, const struct peal_transfer *transfer)
{
    if (round->alone.words != transfer->words || round->alone.hops != transfer->hops || !round->alone.known) {
        round->alone.words = transfer->words;
        round->alone.hops = transfer->hops;
        round->alone.known = alike;
        round->alone.cost = charge_alone(&round->charger, round->transfers, (size_t)(transfer - round->transfers));
    }
    return clock_load(&round->alone.cost);
}

/* Compute the end of a transfer that starts as soon as these four clocks allow, also for the next transfers. */
static __attribute__((noinline)) void
compute_end(struct round *round, struct delivery *delivery, const struct peal_transfer *transfer,
            const struct peal_cost *sent, const struct peal_cost *received, const struct peal_cost *out,
            const struct peal_cost *in)
{
    const struct peal_parameters *parameters = &round->clocks.parameters;
    struct clock_lanes cost = cost_alone(round, delivery->alike, transfer);
    struct clock_lanes start[4] = {clock_load(sent), clock_load(received), clock_load(out), clock_load(in)};

    memcpy(delivery->before, start, sizeof start);
    delivery->words = delivery->alike ? transfer->words : UINT64_MAX; /* no transfer has this */
    delivery->hops = transfer->hops;
    delivery->end = clock_sum(clock_latest(parameters, clock_latest(parameters, start[0], start[1]),
                                           clock_latest(parameters, start[2], start[3])),
                              cost);
    delivery->last = clock_latest(parameters, delivery->last, delivery->end);
}

/* ------------------------------------------------------------------ requests */

/* A request is complete; its node may go on when it was the last one awaited. */
static inline void
delivery_complete(struct delivery *delivery, struct round_node *node, int32_t rank, struct request *request)
{
    unsigned flags = request->flags;

    request->flags = (uint16_t)((flags | REQUEST_COMPLETE) & ~(unsigned)REQUEST_AWAITED);
    if (flags & REQUEST_AWAITED) {
        if (--node->waiting == 0)
            delivery->released[delivery->released_count++] = rank;
    } else if (__builtin_expect(flags & REQUEST_LET_GO, 0)) {
        delivery->taken[delivery->taken_count++] = (uint32_t)(request - delivery->requests);
    }
}

/* Note in a receive with a note the envelope of its message, before its number of words is overwritten. */
static __attribute__((noinline)) void
delivery_note_message(const struct round *round, const struct request *receive, const struct request *send)
{
    struct request_extra *extra = &round->extras[receive - round->requests],
                         *sent = send->flags & REQUEST_EXTRA ? &round->extras[send - round->requests] : NULL;
    uint64_t own = extra->note;

    extra->note = sent ? sent->note : 0;
    if (sent && sent->mode == PEAL_SYNCHRONOUS && own)
        sent->note = own;
    extra->delivered = send->words < receive->words ? send->words : receive->words;
}

/* The receive has its message: fill in the envelope, free its place. */
static inline bool
complete_receive(struct round *round, struct delivery *delivery, struct request *receive, struct request *send)
{
    struct round_node *node = &delivery->node[receive->node];

    if (!delivery_list_copies(round, receive, send))
        return false;
    if (__builtin_expect(receive->flags & REQUEST_EXTRA, 0))
        delivery_note_message(round, receive, send);
    receive->words = send->words;
    receive->rank = send->rank;
    receive->tag = send->tag;
    node->mailbox--;
    delivery_complete(delivery, node, receive->node, receive);
    if (__builtin_expect(send->flags & REQUEST_KEPT, 0)) {
        send->flags |= REQUEST_TAKEN;
        delivery->taken[delivery->taken_count++] = receive->partner;
    }
    return true;
}

/* Complete the receive of a message that was carried before. */
static bool
complete_carried(struct round *round, struct delivery *delivery, struct request *receive)
{
    struct request *send = &round->requests[receive->partner];

    receive->clock = send->clock;
    return complete_receive(round, delivery, receive, send);
}

/* ------------------------------------------------------------------ a transfer */

/* Prefetch the requests of the next transfers.  Both lines of those that have clocks of their own. */
static PREFETCHING void
prefetch_transfer(const struct round *round, size_t i, size_t count)
{
    if (i + 2 * ROUND_AHEAD >= count)
        return;
    const struct request *send = &round->requests[round->admitted[i + ROUND_AHEAD]];
    const struct request *receive = &round->requests[send->partner];

    __builtin_prefetch(&round->requests[round->admitted[i + 2 * ROUND_AHEAD]], 1);
    __builtin_prefetch(receive, 1);
    if (!(send->flags & REQUEST_BLOCKING)) {
        __builtin_prefetch(&send->clock, 1);
        __builtin_prefetch(&receive->clock, 1);
    }
}

/* Deliver a transfer; an eager message without a receive is carried ahead. */
static inline bool
deliver_one(struct round *round, struct delivery *delivery, const struct peal_transfer *transfer, struct request *send)
{
    size_t from = (size_t)transfer->from, to = (size_t)transfer->to;
    struct request *receive = send->flags & REQUEST_MATCHED ? &delivery->requests[send->partner] : NULL;
    bool send_blocks = send->flags & REQUEST_BLOCKING, receive_blocks = receive && (receive->flags & REQUEST_BLOCKING);
    const struct peal_cost *sent = send_blocks ? &delivery->clocks[from] : &send->clock;
    const struct peal_cost *received = receive_blocks ? &delivery->clocks[to] : receive ? &receive->clock : sent;
    struct peal_cost *out, *in; /* of the ports */

    if (__builtin_expect(delivery->sends_at != NULL, 1)) {
        out = &delivery->sends_at[from];
        in = &delivery->receives_at[to];
    } else {
        struct peal_cost *places[2];

        ports_clocks(&round->ports, &round->clocks.parameters, transfer->from, transfer->to, places);
        out = places[0];
        in = places[1];
    }
    if (transfer->words != delivery->words || transfer->hops != delivery->hops ||
        clocks_differ(delivery->before, sent, received, out, in))
        compute_end(round, delivery, transfer, sent, received, out, in);
    clock_store(out, delivery->end);
    clock_store(in, delivery->end);
    if (!send_blocks || round->accessed)
        clock_store(&send->clock, delivery->end);
    if (receive && (!receive_blocks || round->accessed))
        clock_store(&receive->clock, delivery->end);
    delivery->node[from].outbox--;
    if (!(send->flags & REQUEST_EAGER))
        delivery_complete(delivery, &delivery->node[from], transfer->from, send);
    if (receive)
        return complete_receive(round, delivery, receive, send);
    send->flags |= REQUEST_CARRIED;
    return true;
}

/* Deliver a message of a one-sided request. */
static __attribute__((noinline)) bool
deliver_access(struct round *round, struct delivery *delivery, const struct peal_transfer *transfer, uint32_t id)
{
    struct request *request = &delivery->requests[id];
    struct round_node *node = &delivery->node[request->node];
    size_t from = (size_t)transfer->from, to = (size_t)transfer->to;
    struct peal_cost *places[2];
    uint32_t unlocked = 0;
    bool is_complete;

    if (delivery->sends_at) {
        places[0] = &delivery->sends_at[from];
        places[1] = &delivery->receives_at[to];
    } else {
        ports_clocks(&round->ports, &round->clocks.parameters, transfer->from, transfer->to, places);
    }
    compute_end(round, delivery, transfer, &request->clock, &request->clock, places[0], places[1]);
    clock_store(places[0], delivery->end);
    clock_store(places[1], delivery->end);
    clock_store(&request->clock, delivery->end);
    if (request->flags & REQUEST_CARRIED) {
        delivery_complete(delivery, node, request->node, request);
        return true;
    }
    request->flags |= REQUEST_CARRIED;
    node->outbox--;
    if (!access_carried(round, id, &unlocked, &is_complete))
        return false;
    if (unlocked) { /* the machine forgets the lock */
        delivery->requests[unlocked].flags |= REQUEST_LET_GO;
        delivery->taken[delivery->taken_count++] = unlocked;
    }
    if (is_complete)
        delivery_complete(delivery, node, request->node, request);
    return true;
}

/* Deliver any transfer. */
static inline bool
deliver_any(struct round *round, struct delivery *delivery, size_t i)
{
    uint32_t id = round->admitted[i];

    return is_access(round->requests[id].kind)
               ? deliver_access(round, delivery, &round->transfers[i], id)
               : deliver_one(round, delivery, &round->transfers[i], &round->requests[id]);
}

bool
round_deliver(struct round *round)
{
    size_t count = round->transfer_count;

    size_t others = round->settled_count + round->access_count;

    if (!array_grow(&round->released, &round->released_capacity, round->complete_count + others + count * 2,
                    sizeof *round->released) ||
        !array_grow(&round->taken, &round->taken_capacity, 2 * (round->complete_count + count) + others,
                    sizeof *round->taken) ||
        !array_grow(&round->copies, &round->copies_capacity, round->complete_count + count, sizeof *round->copies))
        return false;
    struct delivery delivery = delivery_of(round);

    for (size_t i = 0; i < round->complete_count; i++)
        if (!complete_carried(round, &delivery, &round->requests[round->complete[i]]))
            return false;
    for (size_t i = 0; i < round->settled_count; i++) {
        struct request *request = &round->requests[round->settled[i]];

        if (!(request->flags & REQUEST_CANCELLED))
            probe_tell(round, round->settled[i], round->extras[round->settled[i]].message);
        delivery_complete(&delivery, &delivery.node[request->node], request->node, request);
    }
    for (size_t i = 0; i < round->access_count; i++) { /* that were chosen since the last round */
        struct request *request = &round->requests[round->accesses[i]];

        if (request->kind == REQUEST_PUT)
            delivery_complete(&delivery, &delivery.node[request->node], request->node, request);
    }
    for (size_t i = 0; i < count; i++) {
        prefetch_transfer(round, i, count);
        if (!deliver_any(round, &delivery, i))
            return false;
    }
    if (round->reply_count > 0 && !access_reply(round))
        return false;
    clock_store(&round->clocks.last, delivery.last);
    round->released_count = delivery.released_count;
    round->taken_count = delivery.taken_count;
    return true;
}

void
round_delivered(struct round *round)
{
    size_t kept = 0;

    for (size_t i = 0; i < round->taken_count; i++) {
        struct request *send = &round->requests[round->taken[i]];

        if (send->flags & REQUEST_KEPT) {
            free(send->data);
            send->data = NULL;
        }
        if (send->flags & (REQUEST_CONSUMED | REQUEST_LET_GO))
            round->taken[kept++] = round->taken[i];
    }
    round->taken_count = kept;
    round->access_count = 0;
}
