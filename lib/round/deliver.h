/* SPDX-License-Identifier: MIT */
/* Delivering the transfers of a plain round one after the other: what direct.c does as it goes, and round.c with the rest. */
#ifndef LIB_ROUND_DELIVER_H
#define LIB_ROUND_DELIVER_H

#include "lib/round/round.h"

/* What one transfer leaves to the next.  Most nodes are in step: a transfer whose four clocks are what those of the one
 * before were, and that costs the same, ends when that one did. */
struct delivery {
    struct clock_lanes before[4]; /* of the sender, the receiver and their ports */
    struct clock_lanes end;       /* of that transfer */
    struct clock_lanes last;      /* of all ends */
    uint64_t words;
    uint32_t hops;
    size_t released_count;
    /* constant */
    struct round_node *node;
    struct peal_cost *clocks, *sends_at, *receives_at; /* a node each */
    int32_t *released;
};

static inline struct delivery
delivery_of(const struct round *round)
{
    struct peal_cost *free_at = round->ports.free_at;

    return (struct delivery){.before = {no_clock},
                             .last = clock_load(&round->clocks.last),
                             .released_count = round->released_count,
                             .node = round->node,
                             .clocks = round->clocks.node,
                             .sends_at = free_at,
                             .receives_at = free_at + ports_row(&round->ports, 0, PORT_RECEIVE),
                             .released = round->released};
}

static inline void
delivery_end(struct round *round, const struct delivery *delivery)
{
    clock_store(&round->clocks.last, delivery->last);
    round->released_count = delivery->released_count;
}

/* Compute the end of a transfer from its four clocks, for the next ones too. */
void delivery_compute(struct round *round, struct delivery *delivery, const struct peal_transfer *transfer,
                      const struct peal_cost *const clocks[4]);

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

/* The flags of a request that is complete, and no longer awaited. */
static inline uint16_t
completed(unsigned flags)
{
    return (uint16_t)((flags | REQUEST_MATCHED | REQUEST_COMPLETE) & ~(unsigned)REQUEST_AWAITED);
}

/* Deliver a transfer whose two requests, and room for two more released nodes, are there; false without memory. */
static inline bool
deliver_one(struct round *round, struct delivery *delivery, const struct peal_transfer *transfer, struct request *send,
            struct request *receive)
{
    size_t from = (size_t)transfer->from, to = (size_t)transfer->to;
    struct round_node *sender = &delivery->node[from], *receiver = &delivery->node[to];
    struct peal_cost *sends_at = &delivery->sends_at[from], *receives_at = &delivery->receives_at[to];
    unsigned send_flags = send->flags, receive_flags = receive->flags;
    bool blocking = send_flags & receive_flags & REQUEST_BLOCKING;
    const struct peal_cost *sent = send_flags & REQUEST_BLOCKING ? &delivery->clocks[from] : &send->clock;
    const struct peal_cost *received = receive_flags & REQUEST_BLOCKING ? &delivery->clocks[to] : &receive->clock;

    if (transfer->words != delivery->words || transfer->hops != delivery->hops ||
        clocks_differ(delivery->before, sent, received, sends_at, receives_at))
        delivery_compute(round, delivery, transfer,
                         (const struct peal_cost *const[4]){sent, received, sends_at, receives_at});
    clock_store(sends_at, delivery->end);
    clock_store(receives_at, delivery->end);
    if (!blocking && !(send_flags & REQUEST_BLOCKING))
        clock_store(&send->clock, delivery->end);
    if (!blocking && !(receive_flags & REQUEST_BLOCKING))
        clock_store(&receive->clock, delivery->end);
    if (!list_copies(round, receive, send))
        return false;
    receive->words = send->words;
    receive->rank = send->rank;
    receive->tag = send->tag;
    sender->outbox--;
    receiver->mailbox--;
    send->flags = completed(send_flags);
    receive->flags = completed(receive_flags);
    if ((send_flags & REQUEST_AWAITED) && --sender->waiting == 0)
        delivery->released[delivery->released_count++] = (int32_t)from;
    if ((receive_flags & REQUEST_AWAITED) && --receiver->waiting == 0)
        delivery->released[delivery->released_count++] = (int32_t)to;
    return true;
}

#endif
