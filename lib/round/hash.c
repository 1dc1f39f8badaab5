/* SPDX-License-Identifier: MIT */
/* Matching a node with long lists of sends and receives through a hash of (context, source, tag).  A table of its own
 * and not lib/base's: on the path of messages, emptied for each node, and its places are queues. */
#include "lib/round/match.h"

/* The unmatched sends of one node in the order of admission, and for each (context, source, tag) a queue of them, found
 * through a hash.  Numbers count from 1; 0: none. */
struct hash_entry {
    uint32_t send;
    uint32_t next; /* in its queue */
};

struct queue {
    uint32_t head; /* the first that may be unmatched */
    uint32_t last; /* names the queue, even when head is past its end; 0: the slot is free */
};

struct queues {
    const struct request *requests;
    struct hash_entry *entries; /* 1 .. count */
    struct queue *slots;
    size_t mask;
    int shift; /* 64 less the bits of a slot's number */
};

static struct queue *
queue_of(const struct queues *queues, uint32_t context, int32_t source, int32_t tag)
{
    uint64_t key =
        ((uint64_t)(uint32_t)source << 32 | (uint32_t)tag) + (uint64_t)context * UINT64_C(0xD6E8FEB86659FD93);
    /* the upper bits: those of the source, in the upper half of the key, do not reach the lower ones */
    size_t slot = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> queues->shift);

    for (; queues->slots[slot].last; slot = (slot + 1) & queues->mask) {
        const struct request *named = &queues->requests[queues->entries[queues->slots[slot].last].send];

        if (named->context == context && named->node == source && named->tag == tag)
            break;
    }
    return &queues->slots[slot];
}

static bool
queues_fill(struct queues *queues, struct round *round, const struct round_node *node)
{
    size_t size = 64, count = node->send_count;

    while (size < count * 2)
        size *= 2;
    if (!array_grow(&round->table, &round->table_capacity, size + count + 1, sizeof *round->table))
        return false;
    static_assert(sizeof(struct queue) == sizeof *round->table && sizeof(struct hash_entry) == sizeof *round->table,
                  "");
    *queues = (struct queues){.requests = round->requests,
                              .slots = (struct queue *)round->table,
                              .entries = (struct hash_entry *)(round->table + size),
                              .mask = size - 1,
                              .shift = 64 - __builtin_ctzll(size)};
    memset(queues->slots, 0, size * sizeof *queues->slots);

    uint32_t number = 0;

    for (uint32_t id = node->sends; id; id = round->requests[id].next) {
        const struct request *send = &round->requests[id];
        struct queue *queue = queue_of(queues, send->context, send->node, send->tag);

        queues->entries[++number] = (struct hash_entry){.send = id};
        if (queue->last)
            queues->entries[queue->last].next = number;
        else
            queue->head = number;
        queue->last = number;
    }
    return true;
}

static bool
is_matched(const struct queues *queues, uint32_t number)
{
    return queues->requests[queues->entries[number].send].flags & REQUEST_MATCHED;
}

/* The number of the first send that the receive may take; *first is the first unmatched send. */
static uint32_t
first_entry(const struct round *round, const struct queues *queues, const struct request *receive, uint32_t count,
            uint32_t *first)
{
    uint32_t best = 0;

    if (receive->peer != PEAL_ANY_SOURCE && receive->tag != PEAL_ANY_TAG) {
        struct queue *queue = queue_of(queues, receive->context, receive->peer, receive->tag);

        while (queue->head && is_matched(queues, queue->head))
            queue->head = queues->entries[queue->head].next;
        return queue->head;
    }
    while (*first <= count && is_matched(queues, *first))
        ++*first;
    for (uint32_t number = *first; number <= count; number++) {
        const struct request *send = &queues->requests[queues->entries[number].send];
        const struct request *found = best ? &queues->requests[queues->entries[best].send] : NULL;

        if (found && (send->round != found->round || send->sequence != found->sequence))
            break;
        if (is_matched(queues, number) || !may_take(receive, send) ||
            (found && match_permuted(round, send->node) > match_permuted(round, found->node)))
            continue;
        best = number;
        if (receive->peer != PEAL_ANY_SOURCE || round->seed == 0)
            break;
    }
    return best;
}

enum round_status
match_hashed(struct round *round, struct round_node *node, struct round_failure *failure)
{
    struct queues queues;
    uint32_t count = node->send_count, first = 1, next;

    if (!queues_fill(&queues, round, node))
        return ROUND_NO_MEMORY;

    uint32_t receives = node->receives;

    node->receives = node->receives_last = 0;
    for (uint32_t id = receives; id; id = next) {
        uint32_t number = first_entry(round, &queues, &round->requests[id], count, &first);

        next = round->requests[id].next;
        if (!number) {
            match_append(round, &node->receives, &node->receives_last, id);
        } else {
            enum round_status status = match_bind(round, id, queues.entries[number].send, failure);

            if (status != ROUND_MADE)
                return status;
        }
    }
    node->sends = node->sends_last = node->send_count = 0;
    for (uint32_t number = 1; number <= count; number++)
        if (!is_matched(&queues, number)) {
            match_append(round, &node->sends, &node->sends_last, queues.entries[number].send);
            node->send_count++;
        }
    return ROUND_MADE;
}
