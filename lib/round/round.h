/* SPDX-License-Identifier: MIT */
/* One round: match, admit, route, charge; gives back a list of copies and of completed requests.
 *
 * Plain data in, plain data out: no threads.  The caller ensures that nothing else touches this data while round_make
 * runs. */
#pragma once

#include "lib/base/grow.h"
#include "lib/cost/charge.h"
#include "lib/cost/schedule.h"
#include "lib/round/node_clock.h"
#include "lib/round/ports.h"
#include "lib/round/request.h"
#include <stdatomic.h>

/* The round's data of a node: one cache line. */
struct round_node {
    _Alignas(64) uint32_t posted; /* its sends since the last round, in the order of their posts */
    uint32_t posted_last;
    uint32_t sends, sends_last;       /* unmatched sends to it, in the order of admission */
    uint32_t receives, receives_last; /* its unmatched receives, in the order of their posts */
    int32_t outbox;                   /* its sends not yet carried */
    int32_t mailbox;                  /* its receives not yet complete */
    int32_t ahead;                    /* messages carried ahead of their receives */
    uint32_t sequence;                /* sends it posted since the last round */
    uint32_t send_count;              /* the length of sends */
    uint32_t waiting;                 /* its awaited requests that are incomplete */
    uint32_t carried;                 /* direct.c: the number, from 1, of the last round that brought it a message */
    uint32_t probes;                  /* among its receives: probes, and receives of messages found by them */
    uint32_t cancels;                 /* its requests to be cancelled */
    bool received;                    /* it posted receives since the last round: they are in receives already */
    bool touched;                     /* has new sends or receives to match */
};
static_assert(sizeof(struct round_node) == 64, "one line of the cache");

/* A send that waits for admission: matched, or eager. */
struct pending {
    uint32_t send;
    int32_t from, to; /* a hole, carried: `from` is P, `send` 0 */
};

/* Up to 64 pairs in a row that were passed over, whose senders lie in one aligned block of 64 ranks. */
struct cell {
    uint64_t all, live; /* senders, a bit each: the original ones, and those not carried since */
    uint32_t first;     /* the place of the first one in the order */
    int32_t block;      /* sender / 64 */
    int32_t to;         /* the receiver of all of them; -1: several */
};

struct copy {
    void *to;
    const void *from;
    size_t bytes;
};

/* Called when a request of `node` for the lock of this name and owner, or to update the owner's memory, arrives:
 * whether it waits for a choice (round_choose).  The answer is the same for all of one name in a run.  shares: others
 * may have the lock at the same time. */
typedef bool (*access_holder_function)(void *arg, int owner, uint64_t name, int node, bool shares);

struct round {
    /* set by round_init; then constant */
    int nodes;
    int mailbox; /* places of each box */
    size_t word_bytes;
    uint64_t seed;
    enum peal_rounds keep;
    const struct peal_network *network;
    struct peal_pricing pricing;
    struct request *requests;     /* the caller's table; the first is all zero */
    struct request_extra *extras; /* and the extra data of some */
    bool eager;                   /* sends may be */
    bool hold;                    /* receives from any source take only what round_choose chose: hold.c */
    bool one_port;                /* one place a port, full duplex, no eager sends */
    _Atomic bool cancels;         /* a request was to be cancelled, in this run */
    bool any_waits;               /* a receive from any source may not take the first send: hold, or a seed */
    access_holder_function holds; /* NULL: locks and updates are served as they come.  Set between runs */
    void *holds_arg;

    uint64_t number; /* rounds made */
    struct {
        uint32_t receive, send;
    } chosen; /* of round_choose, for the next round; 0: none */
    struct {  /* the cost of a transfer alone: the last one computed */
        uint64_t words;
        uint32_t hops;
        bool known;
        struct peal_cost cost;
    } alone;
    struct round_node *node;
    struct charger charger;
    struct ports ports;
    struct clocks clocks;
    struct recorder recorder;
    struct course course;
    struct peal_cost cost; /* of all rounds so far */

    struct pending *order;          /* in the order of admission */
    size_t pending, order_capacity; /* pending: with the holes */
    size_t holes;
    size_t unmatched;   /* sends in the lists of all nodes */
    struct cell *cells; /* over order[0 .. celled): see admit.c */
    size_t cell_count, cells_capacity, celled;
    size_t cells_done; /* this many first cells have no pair left */
    uint64_t *idle;    /* one bit per node: it may still send in this round.  Made with the first cells */
    size_t idle_capacity;

    /* scratch, and the results of the last round */
    struct pending *sends; /* new sends in the order of admission */
    size_t send_count, sends_capacity;
    struct pending *by_level;
    size_t by_level_capacity;
    size_t *levels;
    size_t levels_capacity;
    uint32_t *late; /* sends of earlier rounds that were matched in this one */
    size_t late_count, late_capacity;
    int32_t *touched;
    size_t touched_count, touched_capacity;
    size_t brought;       /* this many of the new sends, the first ones, were passed to their receivers when taken in */
    size_t taken_at_once; /* new sends that found their receive waiting, or need none */
    bool one_sided;       /* some of the new sends are one-sided */
    bool accessed;        /* some in this run may be: blocking requests have clocks, too */
    uint32_t *admitted;   /* sends carried by this round: a place in their outboxes is free */
    size_t admitted_capacity;
    struct peal_cost charge;
    struct peal_transfer *transfers; /* in the schedule, or scratch when nothing is kept */
    size_t transfer_count, transfers_capacity;
    struct copy *copies;
    size_t copy_count, copies_capacity;
    uint32_t *complete; /* receives completed by messages carried before */
    size_t complete_count, complete_capacity;
    uint32_t *settled; /* probes that have found a message, and cancelled requests */
    size_t settled_count, settled_capacity;
    int32_t *released; /* nodes whose awaited requests are all complete now */
    size_t released_count, released_capacity;
    uint32_t *taken; /* kept sends whose copies are free after the delivery, and complete requests that were let go */
    size_t taken_count, taken_capacity;
    uint32_t *accesses; /* puts, gets and updates that the round carried to their memory, in the order of admission */
    size_t access_count, accesses_capacity;
    uint32_t *replies; /* updates and granted locks whose second message is to be carried next */
    size_t reply_count, replies_capacity;
    struct lock **locks; /* held or waited for, hashed; made with the first one */
    uint64_t *table;     /* matching's hash of a long list */
    size_t table_capacity;
};

/* The first failure that a round found. */
struct round_failure {
    enum peal_failure_kind kind;
    uint32_t request; /* the receive that is too short */
    uint32_t partner; /* the message that is too long */
};

/* Distance, in elements, of prefetching in ordered passes. */
enum { ROUND_AHEAD = 8 };

/* For functions that only prefetch: gcc considers them free of effects, and drops calls. */
#define PREFETCHING inline __attribute__((always_inline))

enum round_status { ROUND_MADE, ROUND_FAILED, ROUND_NO_MEMORY };

/* errors: PEAL_RESOURCES.  round_fini also takes a zeroed round. */
enum peal_status round_init(struct round *round, const struct peal_options *options, const struct peal_network *network,
                            struct request *requests, struct request_extra *extras, struct peal_error *error);
void round_fini(struct round *round);

/* Forget a run: as after round_init, with the memory kept. */
void round_reset(struct round *round);

/* Make one round of the posts of the nodes active[0 .. count) (by rank) since the last one.  `operations` is the
 * largest number of operations a node declared since then.
 *
 *   errors   ROUND_FAILED: *failure says what; the round was not made
 *            ROUND_NO_MEMORY: the same, without memory */
enum round_status round_make(struct round *round, const int32_t *active, size_t count, int64_t operations,
                             struct round_failure *failure);

/* The copies of the last round are done: frees the machine's copies of messages.  The slots of those that were already
 * waited for are free: they are in round->taken[0 .. round->taken_count). */
void round_delivered(struct round *round);

/* Charge operations in a round of their own, after the last node finished. */
void round_close(struct round *round, int64_t operations);

/* Append the last round to the schedule, if that is kept.  False without memory. */
bool round_keep(struct round *round);

/* Begin (or stop) holding receives from any source; only before a run. */
void round_hold(struct round *round, bool hold);

/* One message that a held receive may take: the first from its source.  Or one of the requests that wait for a lock, or
 * to update memory: the first of its node. */
struct round_option {
    int32_t node;           /* the receiver; the owner of the lock or the memory */
    uint32_t receive, send; /* receive: the first of these requests to arrive */
    uint32_t turn;          /* requests that were served there before */
    size_t served;          /* options of such requests so far, this one included; 0: of a receive */
};

/* Advance from *option, {0} at first, to the next option: by receiver, then in the order of its receives, then in the
 * order of admission; then those of locks and updates.  False: none is left. */
bool round_next_option(const struct round *round, struct round_option *option);
/* Make the next round match the two of this option, or serve the request.  false without memory. */
bool round_choose(struct round *round, const struct round_option *option);

/* probe.c: cancel the requests that the nodes active[0 .. count) asked to cancel, if they are unmatched.  false without
 * memory. */
bool round_cancel(struct round *round, const int32_t *active, size_t count);

/* access.c: the first message of a one-sided request was carried.  What has an answer becomes one of round->replies; a
 * lock that it unlocks is *unlocked, else that is 0; *complete: it is carried out.  false without memory. */
bool access_carried(struct round *round, uint32_t id, uint32_t *unlocked, bool *complete);
/* Append the replies to the order: they come before all posts since. */
bool access_reply(struct round *round);
/* Visit the nodes that hold the lock which a request waits for, and those before it in the queue, until visit returns
 * true. */
bool access_each_holder(const struct round *round, uint32_t id, bool (*visit)(void *state, int from, int peer),
                        void *state);
/* The request of node `rank` that keeps request `id` waiting for its lock; 0: there is none. */
uint32_t access_holder(const struct round *round, uint32_t id, int rank);
/* Find option number `number`, from 0 on, of those of locks and updates; false: there are fewer. */
bool access_option(const struct round *round, size_t number, struct round_option *option);
/* Serve the request of such an option now.  false without memory. */
bool access_choose(struct round *round, const struct round_option *option);
/* Forget all locks; with `all` their table, too. */
void access_forget(struct round *round, bool all);

/* match.c */
enum round_status round_match(struct round *round, const int32_t *active, size_t count, struct round_failure *failure);
/* admit.c: adds the admitted part of the order to transfers and admitted */
bool round_admit(struct round *round);
/* Make room for this many of both. */
bool round_make_room(struct round *round, size_t most);
/* deliver.c: the transfers are charged: complete their requests, list the copies and the released.  false without
 * memory. */
bool round_deliver(struct round *round);
/* Remove the holes from the order. */
void round_close_holes(struct round *round);

/* The end of a complete request's transfer; for a blocking one, valid while its node is parked: that of its port's last
 * transfer, until one-sided requests are posted, which use ports of other nodes. */
static inline struct peal_cost
round_end_of(const struct round *round, const struct request *request)
{
    enum port_way way = request->kind == REQUEST_SEND ? PORT_SEND : PORT_RECEIVE;

    return request->flags & REQUEST_BLOCKING && !round->accessed
               ? round->ports.free_at[ports_row(&round->ports, request->node, way)]
               : request->clock;
}
