/* SPDX-License-Identifier: MIT */
/* Matching.  A node's receives are served in the order of their posts; each takes the first send it may take in the
 * order of admission.  Requests that were unmatched before this round and have no new partner stay unmatched, so only
 * nodes with new sends or new receives are visited.  Lists that are long on both sides are matched through a hash
 * (hash.c). */
#include "lib/round/match.h"

/* After this many futile comparisons a hash is built. */
enum { PLAIN_PAIRS = 256 };

/* From this many new sends per node on, they are first sorted by receiver. */
enum { MANY_SENDS = 8 };

/* ------------------------------------------------------------------ taking in the posts */

static bool
match_touch(struct round *round, int32_t rank)
{
    if (round->node[rank].touched)
        return true;
    if (!array_grow(&round->touched, &round->touched_capacity, round->touched_count + 1, sizeof *round->touched))
        return false;
    round->node[rank].touched = true;
    round->touched[round->touched_count++] = rank;
    return true;
}

/* Remove the first of the node's receives from its list and return it, if the send is the one it takes: no earlier send
 * waits, and no later one is preferred (any_waits: a receive from any source can prefer one).  Else 0. */
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

/* Pass a new send to its receiver, where it is matched at once or queued. */
static inline bool
match_bring(struct round *round, uint32_t id, int32_t to, struct round_failure *failure)
{
    struct round_node *node = &round->node[to];
    uint32_t taker = first_taker(round, node, &round->requests[id]);

    if (taker) {
        match_new(round, taker, id, failure);
        round->taken_at_once++;
        return true;
    }
    match_line_up(round, node, id);
    node->send_count++;
    return match_touch(round, to);
}

/* A one-sided request is matched. */
static inline void
pass_by(struct round *round)
{
    round->unmatched--;
    round->taken_at_once++;
}

/* Move the sends of the nodes into the order of admission, and pass the first of each node to its receiver: these come
 * before all others, by rank.  Receives are already in the list in which they are matched. */
static enum round_status
take_in(struct round *round, const int32_t *active, size_t count, struct round_failure *failure)
{
    uint32_t levels = 0;

    round->send_count = round->brought = round->taken_at_once = 0;
    round->one_sided = false;
    for (size_t i = 0; i < count; i++) {
        struct round_node *node = &round->node[active[i]];
        uint32_t next;

        if (i + 2 * ROUND_AHEAD < count)
            prefetch_post(round, active, i);
        if (node->received && (node->sends || node->probes) && !match_touch(round, active[i]))
            return ROUND_NO_MEMORY;
        node->received = false;
        for (uint32_t id = node->posted; id; id = next) {
            const struct request *request = &round->requests[id];

            next = request->next;
            if (!array_grow(&round->sends, &round->sends_capacity, round->send_count + 1, sizeof *round->sends))
                return ROUND_NO_MEMORY;
            round->sends[round->send_count++] =
                request->kind == REQUEST_GET ? (struct pending){.send = id, .from = request->peer, .to = request->node}
                                             : (struct pending){.send = id, .from = request->node, .to = request->peer};
            round->one_sided |= is_access(request->kind);
            if (request->sequence >= levels)
                levels = request->sequence + 1;
            if (request->sequence > 0)
                continue;
            round->brought++;
            if (is_access(request->kind))
                pass_by(round);
            else if (!match_bring(round, id, request->peer, failure))
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

/* Pass the other new sends to their receivers one after the other: for few sends per node, most of which are matched at
 * once. */
static enum round_status
match_arrive(struct round *round, struct round_failure *failure)
{
    for (size_t i = round->brought; i < round->send_count; i++) {
        if (i + 2 * ROUND_AHEAD < round->send_count) {
            const struct pending *ahead = &round->sends[i + 2 * ROUND_AHEAD];

            __builtin_prefetch(&round->requests[ahead->send], 1);
            __builtin_prefetch(&round->node[ahead->to], 1);
            __builtin_prefetch(&round->requests[round->node[round->sends[i + ROUND_AHEAD].to].receives], 1);
        }
        if (round->one_sided && is_access(round->requests[round->sends[i].send].kind))
            pass_by(round);
        else if (!match_bring(round, round->sends[i].send, round->sends[i].to, failure))
            return ROUND_NO_MEMORY;
    }
    return ROUND_MADE;
}

/* ------------------------------------------------------------------ matching one node */

static enum round_status
match_node(struct round *round, struct round_node *node, struct round_failure *failure)
{
    int pairs = PLAIN_PAIRS;
    uint32_t before = 0, next;

    if (round->hold) {
        enum round_status status = node->sends ? match_held(round, node, failure) : ROUND_MADE;

        return status == ROUND_MADE && node->probes ? match_probing(round, node, false, failure) : status;
    }
    if (node->probes)
        return match_probing(round, node, true, failure);

    for (uint32_t id = node->receives; id && node->sends; id = next) {
        uint32_t previous = 0, send = match_first(round, node, &round->requests[id], &previous, &pairs);

        if (pairs < 0)
            return match_hashed(round, node, failure);
        next = round->requests[id].next;
        if (!send) {
            before = id;
            continue;
        }
        pairs++; /* this comparison was not in vain */
        unlink_after(round, &node->sends, &node->sends_last, previous, send);
        unlink_after(round, &node->receives, &node->receives_last, before, id);
        node->send_count--;
        enum round_status status = match_bind(round, id, send, failure);

        if (status != ROUND_MADE)
            return status;
    }
    return ROUND_MADE;
}

/* ------------------------------------------------------------------ many sends per node */

/* Pass the other new sends to their receivers, one receiver after the other: its sends are scattered over the table of
 * requests, and stay in the cache until they are matched. */
static enum round_status
arrive_sorted(struct round *round, struct round_failure *failure)
{
    enum round_status status = ROUND_MADE;

    if (!order_by_receiver(round))
        return ROUND_NO_MEMORY;
    for (size_t begin = 0, end, count = round->send_count - round->brought; begin < count && status == ROUND_MADE;
         begin = end) {
        int32_t to = round->by_level[begin].to;
        struct round_node *node = &round->node[to];

        end = round->levels[to + 1];
        for (size_t i = begin; i < end; i++) {
            if (i + 2 * ROUND_AHEAD < count)
                __builtin_prefetch(&round->requests[round->by_level[i + 2 * ROUND_AHEAD].send], 1);
            match_line_up(round, node, round->by_level[i].send);
        }
        node->send_count += (uint32_t)(end - begin);
        node->touched = false; /* matched here */
        if (node->receives)
            status = match_node(round, node, failure);
    }
    return status;
}

enum round_status
round_match(struct round *round, const int32_t *active, size_t count, struct round_failure *failure)
{
    round->late_count = round->touched_count = 0;

    enum round_status status = take_in(round, active, count, failure);

    if (status == ROUND_MADE)
        status = !round->one_sided && round->send_count / MANY_SENDS > (size_t)round->nodes
                     ? arrive_sorted(round, failure)
                     : match_arrive(round, failure);
    if (round->chosen.receive && !match_touch(round, round->requests[round->chosen.receive].node))
        status = ROUND_NO_MEMORY;
    for (size_t i = 0; i < round->touched_count; i++) {
        struct round_node *node = &round->node[round->touched[i]];
        bool touched = node->touched;

        node->touched = false;
        if (status != ROUND_MADE || !touched || !(node->sends || node->probes) || !node->receives)
            continue;
        status = match_node(round, node, failure);
    }
    round->chosen.receive = 0;
    if (status == ROUND_MADE && failure->request)
        status = ROUND_FAILED;
    if (status == ROUND_MADE && !order_merge(round))
        status = ROUND_NO_MEMORY;
    return status;
}
