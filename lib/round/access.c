/* SPDX-License-Identifier: MIT */
/* One-sided requests: puts, gets, updates, locks.
 *
 * The node that posts one posts both ends of its message: it is matched from the start, and needs nothing but ports.
 * What a message does at its peer is done when it is delivered, in the order of admission.  Updates and locks have an
 * answer, a second message from the peer: it is in the order before all sends posted since its cause was delivered. */
#include "lib/round/match.h"
#include <stdlib.h>

/* A lock is held by one request, or by several that share it; the others wait in the order in which they arrived.
 * Where round->holds says so, they wait until one is chosen; and so do the updates of a node's memory, and the puts
 * that combine with what is there, as for a lock that is released at once.  Puts that commute exactly (integer sums,
 * say) share it: where no update reads between them, every order leaves the same, and none is explored. */

enum { LOCK_CHAINS = 256 };

struct lock {
    struct lock *next;
    uint64_t name; /* context and number */
    int32_t owner;
    bool updates;           /* it is the memory, for updates */
    bool held;              /* requests in the queue wait for a choice */
    bool shared;            /* by its holders */
    uint32_t turn;          /* of the next one that is chosen, from 0 on */
    struct peal_cost since; /* held: when it was last released */
    uint32_t holders;
    uint32_t queue, queue_last;
};

/* ------------------------------------------------------------------ locks */

/* Whether the request is in the order of updates of its peer's memory. */
static bool
is_update(const struct round *round, uint32_t id)
{
    return round->requests[id].kind == REQUEST_UPDATE ||
           (round->requests[id].kind == REQUEST_PUT && round->extras[id].combines);
}

static struct lock **
lock_find(const struct round *round, uint32_t id)
{
    const struct request *request = &round->requests[id];
    uint64_t name = round->extras[id].note;
    uint64_t mixed = (name ^ (uint64_t)(uint32_t)request->peer << 40) * UINT64_C(0x9E3779B97F4A7C15);
    struct lock **at = &round->locks[(mixed >> 32) % LOCK_CHAINS];
    bool updates = is_update(round, id);

    while (*at && !((*at)->name == name && (*at)->owner == request->peer && (*at)->updates == updates))
        at = &(*at)->next;
    return at;
}

static bool
reply(struct round *round, uint32_t id)
{
    if (!array_grow(&round->replies, &round->replies_capacity, round->reply_count + 1, sizeof *round->replies))
        return false;
    round->replies[round->reply_count++] = id;
    return true;
}

/* Whether the request may have the lock now, beside its holders. */
static bool
is_free(const struct round *round, const struct lock *lock, uint32_t id)
{
    return !lock->holders || (lock->shared && round->extras[id].shared);
}

/* Grant the lock to a request that has left its queue, not before `now`. */
static bool
lock_give(struct round *round, struct lock *lock, uint32_t id, struct clock_lanes now)
{
    struct request_extra *extra = &round->extras[id];

    lock->shared = extra->shared;
    extra->next = lock->holders;
    lock->holders = id;
    clock_store(&round->requests[id].clock,
                clock_latest(&round->clocks.parameters, clock_load(&round->requests[id].clock), now));
    return reply(round, id);
}

/* Grant the lock to those first in its queue, not before `now`. */
static bool
grant(struct round *round, struct lock *lock, struct clock_lanes now)
{
    while (!lock->held && lock->queue && is_free(round, lock, lock->queue)) {
        uint32_t id = lock->queue;

        lock->queue = round->extras[id].next;
        if (!lock->queue)
            lock->queue_last = 0;
        if (!lock_give(round, lock, id, now))
            return false;
    }
    return true;
}

/* Carry out an update. */
static bool
update(struct round *round, uint32_t id)
{
    if (!array_grow(&round->accesses, &round->accesses_capacity, round->access_count + 1, sizeof *round->accesses))
        return false;
    round->accesses[round->access_count++] = id;
    return true;
}

/* A request joins the queue of its lock, and may get it. */
static bool
lock_ask(struct round *round, uint32_t id, bool held)
{
    const struct request *request = &round->requests[id];
    struct request_extra *extra = &round->extras[id];

    if (!round->locks && !(round->locks = calloc(LOCK_CHAINS, sizeof *round->locks)))
        return false;
    struct lock **at = lock_find(round, id), *lock = *at;

    if (!lock) {
        if (!(lock = calloc(1, sizeof *lock)))
            return false;
        lock->name = extra->note;
        lock->owner = request->peer;
        lock->updates = is_update(round, id);
        lock->held = held;
        *at = lock;
    }
    extra->next = 0;
    if (lock->queue)
        round->extras[lock->queue_last].next = id;
    else
        lock->queue = id;
    lock->queue_last = id;
    return grant(round, lock, clock_load(&request->clock));
}

/* Take the lock, which is held, from its holder. */
static bool
lock_take_back(struct round *round, uint32_t held, struct clock_lanes now)
{
    struct lock **at = lock_find(round, held), *lock = *at;
    uint32_t *holder = &lock->holders;

    while (*holder != held)
        holder = &round->extras[*holder].next;
    *holder = round->extras[held].next;
    if (!grant(round, lock, now))
        return false;
    if (lock->held)
        clock_store(&lock->since, clock_latest(&round->clocks.parameters, clock_load(&lock->since), now));
    if (!lock->holders && !lock->held) { /* else its turns count on */
        *at = lock->next;
        free(lock);
    }
    return true;
}

uint32_t
access_holder(const struct round *round, uint32_t id, int rank)
{
    const struct lock *lock = round->locks ? *lock_find(round, id) : NULL;
    uint32_t by = 0;

    for (uint32_t at = lock ? lock->queue : 0; at && at != id && !by; at = round->extras[at].next)
        by = round->requests[at].node == rank ? at : 0;
    for (uint32_t at = lock ? lock->holders : 0; at; at = round->extras[at].next) {
        if (at == id)
            return 0;
        if (round->requests[at].node == rank)
            by = at;
    }
    return by;
}

bool
access_each_holder(const struct round *round, uint32_t id, bool (*visit)(void *state, int from, int peer), void *state)
{
    const struct request *request = &round->requests[id];
    const struct lock *lock = round->locks ? *lock_find(round, id) : NULL;

    for (uint32_t at = lock ? lock->holders : 0; at; at = round->extras[at].next)
        if (at == id)
            return false;
    for (uint32_t at = lock ? lock->holders : 0; at; at = round->extras[at].next)
        if (visit(state, request->node, round->requests[at].node))
            return true;
    for (uint32_t at = lock ? lock->queue : 0; at && at != id; at = round->extras[at].next)
        if (visit(state, request->node, round->requests[at].node))
            return true;
    return false;
}

void
access_forget(struct round *round, bool all)
{
    for (int i = 0; round->locks && i < LOCK_CHAINS; i++)
        for (struct lock *lock; (lock = round->locks[i]); free(lock))
            round->locks[i] = lock->next;
    if (all)
        free(round->locks);
}

/* ------------------------------------------------------------------ messages */

bool
access_carried(struct round *round, uint32_t id, uint32_t *unlocked, bool *complete)
{
    const struct request *request = &round->requests[id];
    bool locks = request->kind == REQUEST_LOCK, held = false;

    *unlocked = 0;
    if (round->holds && (locks || is_update(round, id))) {
        uint64_t name = round->extras[id].note ^ (uint64_t)(locks ? REQUEST_LOCK : REQUEST_UPDATE) << 32;

        held = round->holds(round->holds_arg, request->peer, name, request->node, round->extras[id].shared);
    }
    *complete = !held && !locks && request->kind != REQUEST_UPDATE;
    if (held || locks)
        return lock_ask(round, id, held);
    if (request->kind == REQUEST_UNLOCK) {
        *unlocked = round->extras[id].message;
        return lock_take_back(round, *unlocked, clock_load(&request->clock));
    }
    return update(round, id) && (request->kind != REQUEST_UPDATE || reply(round, id));
}

bool
access_reply(struct round *round)
{
    if (!array_grow(&round->order, &round->order_capacity, round->pending + round->reply_count, sizeof *round->order))
        return false;
    for (size_t i = 0; i < round->reply_count; i++) {
        struct request *request = &round->requests[round->replies[i]];

        request->round = round->number;
        request->sequence = UINT32_MAX; /* after every send of the round before its cause, and before those since */
        if (request->kind == REQUEST_UPDATE)
            request->words = round->extras[round->replies[i]].access->result_words;
        round->order[round->pending++] =
            (struct pending){.send = round->replies[i], .from = request->peer, .to = request->node};
    }
    return true;
}

/* ------------------------------------------------------------------ choices */

/* Whether an earlier request of the same node waits there, too. */
static bool
follows_own(const struct round *round, const struct lock *lock, uint32_t id)
{
    uint32_t at = lock->queue;

    while (at != id && round->requests[at].node != round->requests[id].node)
        at = round->extras[at].next;
    return at != id;
}

bool
access_option(const struct round *round, size_t number, struct round_option *option)
{
    size_t before = 0;

    for (int i = 0; round->locks && i < LOCK_CHAINS; i++)
        for (const struct lock *lock = round->locks[i]; lock; lock = lock->next)
            for (uint32_t id = lock->held ? lock->queue : 0; id; id = round->extras[id].next) {
                if (!is_free(round, lock, id) || follows_own(round, lock, id) || before++ < number)
                    continue;
                *option = (struct round_option){lock->owner, lock->queue, id, lock->turn, number + 1};
                return true;
            }
    return false;
}

bool
access_choose(struct round *round, const struct round_option *option)
{
    uint32_t id = option->send, *at;
    struct lock *lock = *lock_find(round, id);

    lock->queue_last = 0;
    for (at = &lock->queue; *at != id; at = &round->extras[*at].next)
        lock->queue_last = *at;
    *at = round->extras[id].next;
    for (uint32_t after = *at; after; after = round->extras[after].next)
        lock->queue_last = after;
    lock->turn++;
    round->reply_count = 0;
    if (lock->updates && round->requests[id].kind == REQUEST_PUT) /* complete with the next round (deliver.c) */
        return update(round, id);
    if (lock->updates)
        return update(round, id) && reply(round, id) && access_reply(round);
    return lock_give(round, lock, id, clock_load(&lock->since)) && access_reply(round);
}
