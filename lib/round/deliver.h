/* SPDX-License-Identifier: MIT */
/* Delivering the transfers of a plain round one after the other: what direct.c does as it goes, and round.c with the rest. */
#ifndef LIB_ROUND_DELIVER_H
#define LIB_ROUND_DELIVER_H

#include "lib/round/round.h"

/* What one transfer leaves to the next.  Most nodes are in step: a transfer whose four clocks are all what those of the one
 * before were, and that costs the same, ends when that one did. */
struct delivery {
    struct clock_lanes step, end; /* the clocks, if they were one, and the end */
    struct clock_lanes last;      /* of all ends */
    uint64_t words;
    uint32_t hops;
    size_t released_count;
};

static inline struct delivery
delivery_of(const struct round *round)
{
    return (struct delivery){no_clock, no_clock, clock_load(&round->clocks.last), 0, 0, round->released_count};
}

static inline void
delivery_end(struct round *round, const struct delivery *delivery)
{
    clock_store(&round->clocks.last, delivery->last);
    round->released_count = delivery->released_count;
}

/* What the transfer costs by itself. */
static inline struct clock_lanes
cost_alone(struct round *round, uint64_t words, uint32_t hops)
{
    if (round->alone.words != words || round->alone.hops != hops || !round->alone.known) {
        round->alone.words = words;
        round->alone.hops = hops;
        round->alone.known = true;
        round->alone.cost = charge_alone(&round->pricing, words, hops);
    }
    return clock_load(&round->alone.cost);
}

static inline bool
list_copy(struct round *round, void *to, const void *from, size_t words)
{
    if (!grow(&round->copies, &round->copies_capacity, round->copy_count + 1, sizeof *round->copies))
        return false;
    round->copies[round->copy_count++] = (struct copy){.to = to, .from = from, .bytes = words * round->word_bytes};
    return true;
}

/* The same between two lists of pieces. */
bool list_pieces(struct round *round, const struct request *receive, const struct request *send);

/* List the copies of the words of `send` between two lists of pieces. */
static inline bool
list_copies(struct round *round, const struct request *receive, const struct request *send)
{
    if ((send->flags | receive->flags) & REQUEST_PIECES)
        return list_pieces(round, receive, send);
    return send->words == 0 || list_copy(round, receive->data, send->data, send->words);
}

/* Take the request's mark of being awaited for that of being complete; gives 1 if it was awaited. */
static inline uint32_t
complete_one(struct request *request)
{
    uint16_t flags = request->flags;

    request->flags = (uint16_t)((flags | REQUEST_COMPLETE) & ~REQUEST_AWAITED);
    return flags / REQUEST_AWAITED & 1;
}

/* Since when the request could be carried. */
static inline struct clock_lanes
posted_at(const struct request *request, const struct peal_cost *node_clock)
{
    return clock_load(request->flags & REQUEST_BLOCKING ? node_clock : &request->clock);
}

/* Deliver a transfer whose two requests, and room for two more released nodes, are there; false without memory. */
static inline bool
deliver_one(struct round *round, struct delivery *delivery, const struct peal_transfer *transfer, struct request *send,
            struct request *receive)
{
    const struct peal_parameters *parameters = &round->clocks.parameters;
    int32_t from = transfer->from, to = transfer->to;
    struct round_node *sender = &round->node[from], *receiver = &round->node[to];
    struct peal_cost *sends_at = &round->ports.free_at[from];
    struct peal_cost *receives_at = &round->ports.free_at[ports_row(&round->ports, to, PORT_RECEIVE)];
    struct clock_lanes sent = posted_at(send, &round->clocks.node[from]);
    struct clock_lanes received = posted_at(receive, &round->clocks.node[to]);
    struct clock_lanes send_free = clock_load(sends_at), receive_free = clock_load(receives_at);

    if (transfer->words != delivery->words || transfer->hops != delivery->hops
        || clock_differs(delivery->step, sent, received, send_free, receive_free)) {
        delivery->words = transfer->words;
        delivery->hops = transfer->hops;
        delivery->step = clock_differs(sent, sent, received, send_free, receive_free) ? no_clock : sent;
        delivery->end = clock_latest(parameters, clock_latest(parameters, sent, received),
                                     clock_latest(parameters, send_free, receive_free));
        delivery->end = clock_sum(delivery->end, cost_alone(round, transfer->words, transfer->hops));
        delivery->last = clock_latest(parameters, delivery->last, delivery->end);
    }
    clock_store(sends_at, delivery->end);
    clock_store(receives_at, delivery->end);
    if (!(send->flags & REQUEST_BLOCKING))
        clock_store(&send->clock, delivery->end);
    if (!(receive->flags & REQUEST_BLOCKING))
        clock_store(&receive->clock, delivery->end);
    if (!list_copies(round, receive, send))
        return false;
    receive->words = send->words;
    receive->rank = send->rank;
    receive->tag = send->tag;
    sender->outbox--;
    receiver->mailbox--;
    if (complete_one(send) && --sender->waiting == 0)
        round->released[delivery->released_count++] = from;
    if (complete_one(receive) && --receiver->waiting == 0)
        round->released[delivery->released_count++] = to;
    return true;
}

#endif
