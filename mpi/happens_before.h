/* SPDX-License-Identifier: MIT */
/* What happens before what, in strict runs with windows: a vector clock a node.
 *
 * A node's own component is its time.  What it gives to others (messages, collectives, unlocks) carries its clock of
 * that moment; what it does later has a later time.  So an event of node n at time t happens before what a node does
 * whose clock has t or more for n.  Clocks are kept from the first window on: before it there is nothing to order.
 *
 * Who guarantees what:
 *
 *   the lock     Guards clocks, snapshots, entries of messages, meetings and accesses.  A node holds it for short
 *                steps, and never parks with it.  A crash or a time limit may end the node there.  So the maker of a
 *                round, and the end of a run, only try it; without it the lists may be half made, and are left alone
 *                (`whole`).
 *   a clock      Only its node raises its components; they never fall.
 *   a giver      order_give returns a snapshot that never changes, and ends the node's present time: its next act
 *                has a later one.  A snapshot lives until all its references are dropped.
 *   messages     The note of a send is replaced by the place of an entry with the note and the clock (stamps.c).
 *                The receive gets the note back, and frees the entry if it is the `last` to ask.  The sender of a
 *                synchronous message takes the clock of its receive, and frees that entry.
 *   collectives  A meeting lasts from the first member that comes to the last that goes (meetings.c).  The
 *                collective lets a node go only when those have come whose data it needs, so their clocks are there.
 *   forgetting   An access may be forgotten when all nodes that may still make one know its end: order_is_past. */
#pragma once

#include "mpi/coll.h"
#include <stdatomic.h>

/* A snapshot of a clock, which no longer changes. */
struct order_clock {
    int references; /* guarded by the lock */
    uint32_t of[];  /* by rank in the machine */
};

/* The clocks that one call of a collective has brought together; NULL: clocks are not kept. */
struct order_meeting;

/* What the holders of the lock of one node's memory in a window knew: at all unlocks, and at exclusive unlocks. */
struct order_locks {
    uint32_t *all, *exclusive; /* NULL: none yet */
};

void order_begin(int nodes);

/* Called at the end of a run, with the lock; not `whole`: a node ended holding that, and lists may be half made. */
void order_end(bool whole);
void meetings_end(bool whole);
void stamps_end(bool whole);

extern atomic_bool order_kept;

static inline bool
order_is_kept(void)
{
    return __builtin_expect(atomic_load_explicit(&order_kept, memory_order_relaxed), 0);
}

/* The node makes a window, as others are about to; the node makes no more accesses. */
void order_start(struct mpi *mpi);
void order_leave(const struct mpi *mpi);

/* One lock for all clocks and accesses; the next holder sees the writes of the last. */
void order_lock(void);
void order_unlock(void);
bool order_try_lock(void);

/* The time of another node that the node knows; the time of what it does now. */
uint32_t order_known(int node, int of);
uint32_t order_time(int node);

/* The node gives or takes something.  How often it has, apart from atomic accesses and polling. */
void order_turn(struct mpi *mpi);
void order_count_turn(int node);
uint32_t order_turns(int node);

/* Whether every node that may still access a window knows of this time. */
bool order_is_past(int node, uint32_t time);

/* With the lock: the node's clock, to be given to others, with a reference for the caller; and drop that reference.
 * NULL without memory, or without a window. */
struct order_clock *order_give(int node);
void order_drop(struct order_clock *clock);

/* With the lock: merge a clock into another, which is made if it is NULL; into the node's. */
void order_add(uint32_t **sum, const uint32_t *clock);
void order_add_node(uint32_t **sum, int node);
void order_take(int node, const uint32_t *clock);

/* ------------------------------------------------------------------ messages */

/* The note of a message that is posted now, which carries the clock beside its own note.  Take the clock from what
 * came, and restore its own note.  `last`: nobody asks for it again. */
uint64_t order_sent(struct mpi *mpi, uint64_t note, bool synchronous);
void order_received(struct mpi *mpi, struct peal_envelope *came, bool last, uint64_t awaited);

static inline uint64_t
order_send(struct mpi *mpi, uint64_t note, bool synchronous)
{
    return order_is_kept() ? order_sent(mpi, note, synchronous) : note;
}

/* `awaited`: what order_await gave for the receive; 0: nothing. */
static inline void
order_receive(struct mpi *mpi, struct peal_envelope *came, bool last, uint64_t awaited)
{
    if (order_is_kept())
        order_received(mpi, came, last, awaited);
}

/* The note of a receive that is posted now: a synchronous send is complete only after that.  Take the clock that such a
 * send got. */
uint64_t order_await(struct mpi *mpi);
void order_was_received(struct mpi *mpi, const struct peal_envelope *sent);

/* ------------------------------------------------------------------ collectives */

/* The node enters a collective, and leaves it: what it knows reaches those that need its data. */
struct order_meeting *order_come(struct mpi *mpi, struct comm *c, coll_function carry_out, const struct coll_args *a);
void order_go(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
              struct order_meeting *meeting);

/* Likewise for a barrier of the communicator; for one of some of its nodes, with a separate number. */
struct order_meeting *order_meet(struct mpi *mpi, struct comm *c);
struct order_meeting *order_meet_some(struct mpi *mpi, const struct comm *c, uint64_t number, int size);
void order_met(struct mpi *mpi, const struct comm *c, struct order_meeting *meeting);

/* Split it, as peal_split does. */
struct peal_node *order_split(struct mpi *mpi, struct comm *comm, int color, int key);

/* ------------------------------------------------------------------ locks */

void order_locked(const struct mpi *mpi, const struct order_locks *locks, bool shared);
void order_unlocks(const struct mpi *mpi, struct order_locks *locks, bool shared);
void order_locks_fini(struct order_locks *locks);
