/* SPDX-License-Identifier: MIT */
/* Requests: one posted send or receive, from the post to the wait that consumes it.
 *
 * Hot objects are arrays indexed by 32-bit numbers.  Request 0 is never used, and all zero: 0 ends a list. */
#pragma once

#include <assert.h>
#include <peal/cost.h>
#include <peal/node.h>

enum request_kind {
    REQUEST_FREE,
    REQUEST_SEND,
    REQUEST_RECEIVE,
    REQUEST_PROBE,         /* among the receives: complete when a message that it may take is available; leaves it */
    REQUEST_MATCHED_PROBE, /* a probe that removes the message, so that no other request finds it */
    REQUEST_STRAND,        /* a strand of its node: complete when that has ended.  In no list of the round's */
    /* one-sided (access.c): among the sends of the node that posts them, matched from the post on */
    REQUEST_PUT,
    REQUEST_GET,    /* its words go from the peer to the node */
    REQUEST_UPDATE, /* and a second message comes back */
    REQUEST_LOCK,   /* the same; complete and consumed, it is held until it is unlocked */
    REQUEST_UNLOCK
};

/* Whether the node posts both ends of the message. */
static inline bool
is_access(unsigned kind)
{
    return kind >= REQUEST_PUT;
}

/* The context of one-sided requests: no receive has it. */
#define REQUEST_ONE_SIDED UINT32_MAX

enum request_flag {
    REQUEST_MATCHED = 1,  /* has a partner, for good */
    REQUEST_COMPLETE = 2, /* a wait for it returns at once */
    REQUEST_EAGER = 4,    /* a send that was complete at the post, and may be carried ahead of its receive; also KEPT */
    REQUEST_CARRIED = 8,  /* an eager send that was carried ahead of its receive; a one-sided request whose (first)
                           * message was carried */
    REQUEST_AWAITED = 16, /* its node is parked until this is complete */
    REQUEST_CONSUMED = 32, /* waited for; a kept send stays until its receive takes it */
    REQUEST_TAKEN = 64,    /* a kept send whose words have left the machine's copy; a lock that is being unlocked */
    REQUEST_PIECES = 128,  /* `pieces` is an allocation of the request's */
    REQUEST_BLOCKING =
        256, /* its node has posted only this, or this and one of the other kind, and is parked in the call that posted
                             * them: nothing is written in the second line.  With one_port only */
    REQUEST_KEPT = 512,        /* a send whose data is the machine's copy: eager, buffered or lent */
    REQUEST_EXTRA = 1024,      /* has more data: its struct request_extra */
    REQUEST_ASKED = 2048,      /* its node rests for a round to test whether it is complete */
    REQUEST_LET_GO = 4096,     /* no node waits for it: the machine frees it when it is complete */
    REQUEST_CANCELS = 8192,    /* is to be cancelled unless the next round matches it */
    REQUEST_CANCELLED = 16384, /* was cancelled */
    REQUEST_CLAIMED = 32768,   /* a strand waits for it: its handle is stale for the node's other strands */
};

/* Flags that a send's receiver may read: `known` is 8 bits of the flags, from the bit of REQUEST_BLOCKING on. */
enum { REQUEST_SHOWN = REQUEST_BLOCKING | REQUEST_EXTRA, REQUEST_SHOWN_SHIFT = 8 };

/* Data that few requests have: a table beside that of the requests, valid for those with REQUEST_EXTRA. */
struct request_extra {
    /* of a send or a receive; of a complete receive or probe: the message's; of a complete synchronous send: the
     * receive's, if it has one; of a lock: its context and number */
    uint64_t note;
    union {
        uint64_t delivered;    /* of a complete receive: words that arrived and fit */
        struct access *access; /* of a put, get or update: after its pieces */
    };
    uint32_t message;    /* of a matched probe: the send that it found; of a receive: the send that it is to take; of an
                          * unlock: the lock; of a lent send, whose other data may be unset: the number of its
                          * finding */
    uint32_t next;       /* of the node's requests to be cancelled; of a lock: the next one that holds or awaits it */
    uint32_t next_ready; /* of the node's ready sends since the last round */
    uint8_t mode;        /* of a send: enum peal_send_mode */
    bool lenient;        /* of a receive: a longer message is truncated */
    bool shared;         /* of a lock, or a put that combines */
    bool combines;       /* of a put: it is in the order of updates */
};
static_assert(sizeof(struct request_extra) == 32, "few bytes a request");

/* What a put, get or update does with the memory of its peer. */
struct access {
    void *memory, *result, *closure;
    void (*apply)(void *memory, void *words, void *result, size_t count, void *closure); /* NULL: copies */
    size_t count;          /* words that `apply` is called with */
    uint64_t result_words; /* of an update's second message, in words of the machine */
};

/* A bit of a context: of probes, and of receives of messages that a matched probe has found.  No send has it. */
#define REQUEST_APART (UINT32_C(1) << 31)

/* Written by its node while the node runs, by the round while every node is parked.  Two cache lines: the fields that
 * matching, admission and delivery read, and the rest, which the node may not touch for a while. */
struct request {
    _Alignas(64) uint64_t round; /* rounds made before it was posted */
    uint64_t words;              /* posted; of a complete receive: received */
    union {
        void *data;                /* the `words` posted words */
        struct peal_piece *pieces; /* REQUEST_PIECES */
    };
    uint32_t sequence; /* sends its node posted between that round and it */
    uint32_t next;     /* in the one list it is in: a node's new sends, unmatched sends to it, its unmatched receives */
    uint32_t partner;  /* the request it is matched with */
    int32_t node, peer; /* ranks in the whole machine; peer may be PEAL_ANY_SOURCE */
    int32_t rank;       /* of the node in the view's group; of a complete receive: the sender's */
    int32_t tag;        /* may be PEAL_ANY_TAG; of a complete receive: the message's */
    uint32_t context;
    uint32_t open_next; /* the node's list of requests not yet consumed, in the order of their posts */
    uint16_t flags;     /* enum request_flag */
    uint8_t kind;       /* enum request_kind */
    uint8_t known;      /* of an unmatched send: its flags of REQUEST_SHOWN when it was queued.  Its receiver reads it
                         * while its node may write the flags */

    _Alignas(64) struct peal_cost clock; /* of the node at the post; of a complete one: the end of its transfer */
    struct peal_node *view;              /* the node view it was posted on */
    const char *file;                    /* of the post */
    int32_t line;
    uint32_t open_previous;
    uint32_t generation; /* of the slot: a handle with another one is stale */
    uint32_t piece_count;
};
static_assert(sizeof(struct request) == 128, "two lines of the cache");
