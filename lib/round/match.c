/* SPDX-License-Identifier: MIT */
/* Matching.  A node's receives are served in the order of their posts; each takes the first send it may take in the order
 * of admission.  What was unmatched before this round and finds nothing new stays unmatched, so only nodes with new sends
 * or new receives are looked at.  Lists that are long on both sides are matched through a hash of (context, source, tag). */
#include "lib/round/match.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* After so many pairs have been looked at in vain, a hash is built. */
enum { PLAIN_PAIRS = 256 };

/* With so many new sends a node they are sorted by their receivers first. */
enum { MANY_SENDS = 8 };

/* ------------------------------------------------------------------ the order of admission */

/* The rank that counts for a receive from any source: permuted by the seed, a Feistel network over the next power of four
 * walked until it falls below P. */
static uint32_t
permuted(const struct round *round, int32_t rank)
{
    if (round->seed == 0)
        return (uint32_t)rank;
    int bits = 2;

    while ((UINT64_C(1) << bits) < (uint64_t)round->nodes)
        bits += 2;
    uint32_t half = (uint32_t)bits / 2, mask = (UINT32_C(1) << half) - 1;
    uint32_t x = (uint32_t)rank;

    do {
        uint32_t left = x >> half, right = x & mask;

        for (uint64_t i = 0; i < 4; i++) {
            uint64_t mixed = (right + round->seed * UINT64_C(0x9E3779B97F4A7C15) + i) * UINT64_C(0xBF58476D1CE4E5B9);

            mixed ^= mixed >> 29;
            uint32_t swapped = left ^ ((uint32_t)(mixed >> 17) & mask);

            left = right;
            right = swapped;
        }
        x = left << half | right;
    } while (x >= (uint32_t)round->nodes);
    return x;
}

static int
compare_sends(const struct request *a, const struct request *b)
{
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

/* ------------------------------------------------------------------ a pair */

void
match_truncated(const struct round *round, uint32_t receive, uint32_t send, struct round_failure *failure)
{
    if (!failure->request || round->requests[receive].node < round->requests[failure->request].node)
        *failure = (struct round_failure){.kind = PEAL_TRUNCATION, .request = receive, .partner = send};
}

/* Bind the two, of which the send is new. */
static inline void
bind_new(struct round *round, uint32_t receive_id, uint32_t send_id, struct round_failure *failure)
{
    struct request *receive = &round->requests[receive_id], *send = &round->requests[send_id];

    if (send->words > receive->words)
        match_truncated(round, receive_id, send_id, failure);
    round->unmatched--;
    receive->partner = send_id;
    receive->flags |= REQUEST_MATCHED;
    send->partner = receive_id;
    send->flags |= REQUEST_MATCHED;
}

enum round_status
match_bind(struct round *round, uint32_t receive_id, uint32_t send_id, struct round_failure *failure)
{
    const struct request *receive = &round->requests[receive_id], *send = &round->requests[send_id];

    bind_new(round, receive_id, send_id, failure);
    if (send->flags & REQUEST_CARRIED) {
        if (!grow(&round->complete, &round->complete_capacity, round->complete_count + 1, sizeof *round->complete))
            return ROUND_NO_MEMORY;
        round->complete[round->complete_count++] = receive_id;
        round->node[receive->node].ahead--; /* this round's admission may use the place */
    } else if (!(send->flags & REQUEST_EAGER) && send->round != round->number) {
        if (!grow(&round->late, &round->late_capacity, round->late_count + 1, sizeof *round->late))
            return ROUND_NO_MEMORY;
        round->late[round->late_count++] = send_id;
    }
    return ROUND_MADE;
}

/* ------------------------------------------------------------------ taking in what was posted */

static void
append(struct round *round, uint32_t *first, uint32_t *last, uint32_t id)
{
    round->requests[id].next = 0;
    if (*first)
        round->requests[*last].next = id;
    else
        *first = id;
    *last = id;
}

static bool
touch(struct round *round, int32_t rank)
{
    if (round->node[rank].touched)
        return true;
    if (!grow(&round->touched, &round->touched_capacity, round->touched_count + 1, sizeof *round->touched))
        return false;
    round->node[rank].touched = true;
    round->touched[round->touched_count++] = rank;
    return true;
}

/* Give the array at *a the place of that at *b. */
static void
swap_pending(struct pending **a, size_t *a_capacity, struct pending **b, size_t *b_capacity)
{
    struct pending *array = *a;
    size_t capacity = *a_capacity;

    *a = *b;
    *a_capacity = *b_capacity;
    *b = array;
    *b_capacity = capacity;
}

/* Put the new sends, which are by rank and sequence, into the order of admission: by sequence, then rank.  A node's
 * sequence begins at 0 and leaves nothing out, so none need be looked up. */
static bool
order_by_level(struct round *round, uint32_t levels)
{
    size_t count = round->send_count;
    uint32_t level = 0;

    if (!grow(&round->levels, &round->levels_capacity, levels + 1, sizeof *round->levels) ||
        !grow(&round->by_level, &round->by_level_capacity, count, sizeof *round->by_level))
        return false;
    memset(round->levels, 0, (levels + 1) * sizeof *round->levels);
    for (size_t i = 0; i < count; i++) {
        level = i > 0 && round->sends[i].from == round->sends[i - 1].from ? level + 1 : 0;
        round->levels[level + 1]++;
    }
    for (uint32_t i = 1; i <= levels; i++)
        round->levels[i] += round->levels[i - 1];
    for (size_t i = 0; i < count; i++) {
        level = i > 0 && round->sends[i].from == round->sends[i - 1].from ? level + 1 : 0;
        round->by_level[round->levels[level]++] = round->sends[i];
    }

    swap_pending(&round->sends, &round->sends_capacity, &round->by_level, &round->by_level_capacity);
    return true;
}

/* The first of the node's receives, out of its list, if the send is the one that it takes: no send waits before this one,
 * and a later one cannot be preferred (any_waits: by a receive from any source it can).  Else 0. */
static inline uint32_t
first_taker(const struct round *round, struct round_node *node, const struct request *send)
{
    uint32_t id = node->receives;
    const struct request *receive = &round->requests[id];

    if (!id || node->sends || !may_take(receive, send) || (receive->peer == PEAL_ANY_SOURCE && round->any_waits))
        return 0;
    node->receives = receive->next;
    if (!receive->next)
        node->receives_last = 0;
    return id;
}

/* Bring a new send to its receiver, where it is matched at once or lines up. */
static inline bool
bring(struct round *round, uint32_t id, int32_t to, struct round_failure *failure)
{
    struct round_node *node = &round->node[to];
    uint32_t taker = first_taker(round, node, &round->requests[id]);

    if (taker) {
        bind_new(round, taker, id, failure);
        round->taken_at_once++;
        return true;
    }
    append(round, &node->sends, &node->sends_last, id);
    node->send_count++;
    return touch(round, to);
}

/* Take the sends off their nodes, into the order of admission, and bring the first of each node to its receiver: these
 * come before all others, by rank.  Receives are in the list where they are matched already. */
static enum round_status
take_in(struct round *round, const int32_t *active, size_t count, struct round_failure *failure)
{
    uint32_t levels = 0;

    round->send_count = round->brought = round->taken_at_once = 0;
    for (size_t i = 0; i < count; i++) {
        struct round_node *node = &round->node[active[i]];
        uint32_t next;

        if (i + 2 * ROUND_AHEAD < count)
            prefetch_post(round, active, i);
        if (node->received && node->sends && !touch(round, active[i]))
            return ROUND_NO_MEMORY;
        node->received = false;
        for (uint32_t id = node->posted; id; id = next) {
            const struct request *request = &round->requests[id];

            next = request->next;
            if (!grow(&round->sends, &round->sends_capacity, round->send_count + 1, sizeof *round->sends))
                return ROUND_NO_MEMORY;
            round->sends[round->send_count++] =
                (struct pending){.send = id, .from = request->node, .to = request->peer};
            if (request->sequence >= levels)
                levels = request->sequence + 1;
            if (request->sequence > 0)
                continue;
            round->brought++;
            if (!bring(round, id, request->peer, failure))
                return ROUND_NO_MEMORY;
        }
        node->posted = node->posted_last = 0;
        node->sequence = 0;
    }
    round->unmatched += round->send_count;
    if (levels > 1 && !order_by_level(round, levels))
        return ROUND_NO_MEMORY;
    return ROUND_MADE;
}

/* Bring the other new sends to their receivers one after the other: for few sends a node, most of which are matched at
 * once. */
static enum round_status
arrive(struct round *round, struct round_failure *failure)
{
    for (size_t i = round->brought; i < round->send_count; i++) {
        if (i + 2 * ROUND_AHEAD < round->send_count) {
            const struct pending *ahead = &round->sends[i + 2 * ROUND_AHEAD];

            __builtin_prefetch(&round->requests[ahead->send], 1);
            __builtin_prefetch(&round->node[ahead->to], 1);
            __builtin_prefetch(&round->requests[round->node[round->sends[i + ROUND_AHEAD].to].receives], 1);
        }
        if (!bring(round, round->sends[i].send, round->sends[i].to, failure))
            return ROUND_NO_MEMORY;
    }
    return ROUND_MADE;
}

/* ------------------------------------------------------------------ matching one node */

/* The first send that the receive may take, with its predecessor; 0 when there is none, or when *pairs have been looked at
 * (it is then negative).  Among sends of the same round and
 * sequence a receive from any source prefers the lowest permuted rank. */
static uint32_t
first_send(const struct round *round, const struct round_node *node, const struct request *receive, uint32_t *previous,
           int *pairs)
{
    uint32_t best = 0, before = 0;

    for (uint32_t id = node->sends; id; before = id, id = round->requests[id].next) {
        const struct request *send = &round->requests[id], *found = &round->requests[best];

        if (best && (send->round != found->round || send->sequence != found->sequence))
            break;
        if (--*pairs < 0)
            return 0;
        if (!may_take(receive, send) || (best && permuted(round, send->node) > permuted(round, found->node)))
            continue;
        best = id;
        *previous = before;
        if (receive->peer != PEAL_ANY_SOURCE || round->seed == 0)
            break;
    }
    return best;
}

static enum round_status match_hashed(struct round *round, struct round_node *node, struct round_failure *failure);

static enum round_status
match(struct round *round, struct round_node *node, struct round_failure *failure)
{
    int pairs = PLAIN_PAIRS;
    uint32_t before = 0, next;

    if (round->hold)
        return match_held(round, node, failure);

    for (uint32_t id = node->receives; id && node->sends; id = next) {
        uint32_t previous = 0, send = first_send(round, node, &round->requests[id], &previous, &pairs);

        if (pairs < 0)
            return match_hashed(round, node, failure);
        next = round->requests[id].next;
        if (!send) {
            before = id;
            continue;
        }
        pairs++; /* that one was not in vain */
        unlink_after(round, &node->sends, &node->sends_last, previous, send);
        unlink_after(round, &node->receives, &node->receives_last, before, id);
        node->send_count--;
        enum round_status status = match_bind(round, id, send, failure);

        if (status != ROUND_MADE)
            return status;
    }
    return ROUND_MADE;
}

/* ------------------------------------------------------------------ long lists */

/* The unmatched sends of one node in the order of admission, and for each (context, source, tag) a queue of them, found
 * through a hash.  Numbers count from 1; 0 is none. */
struct entry {
    uint32_t send;
    uint32_t next; /* in its queue */
};

struct queue {
    uint32_t head; /* the first that may be unmatched */
    uint32_t last; /* names the queue, also when head has run off its end; 0: the slot is free */
};

struct queues {
    const struct request *requests;
    struct entry *entries; /* 1 .. count */
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
    if (!grow(&round->table, &round->table_capacity, size + count + 1, sizeof *round->table))
        return false;
    static_assert(sizeof(struct queue) == sizeof *round->table && sizeof(struct entry) == sizeof *round->table, "");
    *queues = (struct queues){.requests = round->requests,
                              .slots = (struct queue *)round->table,
                              .entries = (struct entry *)(round->table + size),
                              .mask = size - 1,
                              .shift = 64 - __builtin_ctzll(size)};
    memset(queues->slots, 0, size * sizeof *queues->slots);

    uint32_t number = 0;

    for (uint32_t id = node->sends; id; id = round->requests[id].next) {
        const struct request *send = &round->requests[id];
        struct queue *queue = queue_of(queues, send->context, send->node, send->tag);

        queues->entries[++number] = (struct entry){.send = id};
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

/* The number of the first send that the receive may take; *first is the first unmatched one of all. */
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
            (found && permuted(round, send->node) > permuted(round, found->node)))
            continue;
        best = number;
        if (receive->peer != PEAL_ANY_SOURCE || round->seed == 0)
            break;
    }
    return best;
}

static enum round_status
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
            append(round, &node->receives, &node->receives_last, id);
        } else {
            enum round_status status = match_bind(round, id, queues.entries[number].send, failure);

            if (status != ROUND_MADE)
                return status;
        }
    }
    node->sends = node->sends_last = node->send_count = 0;
    for (uint32_t number = 1; number <= count; number++)
        if (!is_matched(&queues, number)) {
            append(round, &node->sends, &node->sends_last, queues.entries[number].send);
            node->send_count++;
        }
    return ROUND_MADE;
}

/* ------------------------------------------------------------------ many sends a node */

/* Sort the new sends by receiver, each one's in the order of admission, into by_level; levels[r + 1] is then where those
 * of receiver r end. */
static bool
sort_by_receiver(struct round *round)
{
    size_t nodes = (size_t)round->nodes, *end;

    if (!grow(&round->levels, &round->levels_capacity, nodes + 2, sizeof *round->levels) ||
        !grow(&round->by_level, &round->by_level_capacity, round->send_count, sizeof *round->by_level))
        return false;
    end = round->levels;
    memset(end, 0, (nodes + 2) * sizeof *end);
    for (size_t i = round->brought; i < round->send_count; i++)
        end[round->sends[i].to + 2]++;
    for (size_t node = 2; node <= nodes; node++)
        end[node] += end[node - 1];
    for (size_t i = round->brought; i < round->send_count; i++)
        round->by_level[end[round->sends[i].to + 1]++] = round->sends[i];
    return true;
}

/* Bring the other new sends to their receivers, one receiver after the other: its sends come from all over the table of
 * requests, and stay in the cache until they are matched. */
static enum round_status
arrive_sorted(struct round *round, struct round_failure *failure)
{
    enum round_status status = ROUND_MADE;

    if (!sort_by_receiver(round))
        return ROUND_NO_MEMORY;
    for (size_t begin = 0, end, count = round->send_count - round->brought; begin < count && status == ROUND_MADE;
         begin = end) {
        int32_t to = round->by_level[begin].to;
        struct round_node *node = &round->node[to];

        end = round->levels[to + 1];
        for (size_t i = begin; i < end; i++) {
            if (i + 2 * ROUND_AHEAD < count)
                __builtin_prefetch(&round->requests[round->by_level[i + 2 * ROUND_AHEAD].send], 1);
            append(round, &node->sends, &node->sends_last, round->by_level[i].send);
        }
        node->send_count += (uint32_t)(end - begin);
        node->touched = false; /* matched here */
        if (node->receives)
            status = match(round, node, failure);
    }
    return status;
}

/* ------------------------------------------------------------------ the order of admission, brought up to date */

static int
compare_late(const void *a, const void *b, void *requests)
{
    const struct request *table = requests;

    return compare_sends(&table[*(const uint32_t *)a], &table[*(const uint32_t *)b]);
}

static struct pending
pending_of(const struct round *round, uint32_t send)
{
    return (struct pending){.send = send, .from = round->requests[send].node, .to = round->requests[send].peer};
}

/* Merge the late ones into what is pending, then append the new ones: they come after all others. */
static bool
line_up(struct round *round)
{
    if (round->pending + round->late_count == 0 &&
        round->taken_at_once == round->send_count) { /* they are the order, as they are */
        swap_pending(&round->order, &round->order_capacity, &round->sends, &round->sends_capacity);
        round->pending = round->send_count;
        return true;
    }
    if (!grow(&round->order, &round->order_capacity, round->pending + round->late_count + round->send_count,
              sizeof *round->order))
        return false;
    if (round->late_count > 1)
        qsort_r(round->late, round->late_count, sizeof *round->late, compare_late, round->requests);

    if (round->late_count > 0)
        round_close_holes(round);

    size_t from = round->pending, late = round->late_count, to = round->pending + round->late_count;

    round->pending = to;
    while (late > 0) { /* from the back, in place */
        const struct request *send = &round->requests[round->late[late - 1]];

        if (from > 0 && compare_sends(&round->requests[round->order[from - 1].send], send) > 0)
            round->order[--to] = round->order[--from];
        else
            round->order[--to] = pending_of(round, round->late[--late]);
    }
    for (size_t i = 0; i < round->send_count; i++) {
        if (i + ROUND_AHEAD < round->send_count)
            __builtin_prefetch(&round->requests[round->sends[i + ROUND_AHEAD].send]);
        if (round->requests[round->sends[i].send].flags & (REQUEST_MATCHED | REQUEST_EAGER))
            round->order[round->pending++] = round->sends[i];
    }
    return true;
}

enum round_status
round_match(struct round *round, const int32_t *active, size_t count, struct round_failure *failure)
{
    round->late_count = round->touched_count = 0;

    enum round_status status = take_in(round, active, count, failure);

    if (status == ROUND_MADE)
        status = round->send_count / MANY_SENDS > (size_t)round->nodes ? arrive_sorted(round, failure)
                                                                       : arrive(round, failure);
    if (round->chosen.receive && !touch(round, round->requests[round->chosen.receive].node))
        status = ROUND_NO_MEMORY;
    for (size_t i = 0; i < round->touched_count; i++) {
        struct round_node *node = &round->node[round->touched[i]];
        bool touched = node->touched;

        node->touched = false;
        if (status != ROUND_MADE || !touched || !node->sends || !node->receives)
            continue;
        status = match(round, node, failure);
    }
    round->chosen.receive = 0;
    if (status == ROUND_MADE && failure->request)
        status = ROUND_FAILED;
    if (status == ROUND_MADE && !line_up(round))
        status = ROUND_NO_MEMORY;
    return status;
}
