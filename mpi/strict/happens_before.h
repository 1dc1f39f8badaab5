/* SPDX-License-Identifier: MIT */
/* What happens before what, in strict runs with windows: a vector clock per node.
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
 *   a giver      vclock_give returns a snapshot that never changes, and ends the node's present time: its next act
 *                has a later one.  A snapshot lives until all its references are dropped.
 *   messages     The note of a send is replaced by the place of an entry with the note and the clock (stamps.c).
 *                The receive gets the note back, and frees the entry if it is the `last` to ask.  The sender of a
 *                synchronous message takes the clock of its receive, and frees that entry.
 *   collectives  A meeting lasts from the first member that comes to the last that goes (meetings.c).  The
 *                collective lets a node go only when those have come whose data it needs, so their clocks are there.
 *   forgetting   An access may be forgotten when all nodes that may still make one know its end: vclock_is_past. */
#pragma once

#include "mpi/coll/coll.h"
#include <stdatomic.h>

/* A snapshot of a clock, which no longer changes. */
struct vclock_clock {
    int references; /* guarded by the lock */
    uint32_t of[];  /* by rank in the machine */
};

/* The clocks that one call of a collective has brought together; NULL: clocks are not kept. */
struct vclock_meeting;

/* What the holders of the lock of one node's memory in a window knew: at all unlocks, and at exclusive unlocks. */
struct vclock_locks {
    uint32_t *all, *exclusive; /* NULL: none yet */
};

void vclock_begin(int nodes);

/* Called at the end of a run, with the lock; not `whole`: a node ended holding it, and lists may be half made. */
void vclock_end(bool whole);
void meetings_end(bool whole);
void stamps_end(bool whole);

extern atomic_bool vclock_kept;

static inline bool
vclock_is_kept(void)
{
    return __builtin_expect(atomic_load_explicit(&vclock_kept, memory_order_acquire), 0);
}

/* The node makes a window, as others are about to; the node makes no more accesses. */
void vclock_start(struct mpi *mpi);
void vclock_leave(const struct mpi *mpi);

/* One lock for all clocks and accesses; the next holder sees the writes of the last. */
void vclock_lock(void);
void vclock_unlock(void);
bool vclock_try_lock(void);

/* The time of another node that the node knows; the time of what it does now. */
uint32_t vclock_known(int node, int of);
uint32_t vclock_time(int node);

/* The node gives or takes something.  How often it has, apart from atomic accesses and polling. */
void vclock_turn(struct mpi *mpi);
void vclock_count_turn(int node);
uint32_t vclock_turns(int node);

/* Whether every node that may still access a window knows of this time. */
bool vclock_is_past(int node, uint32_t time);

/* With the lock: the node's clock, to be given to others, with a reference for the caller; and drop that reference.
 * NULL without memory, or without a window. */
struct vclock_clock *vclock_give(int node);
void vclock_drop(struct vclock_clock *clock);

/* With the lock: merge a clock into another, which is made if it is NULL; into the node's. */
void vclock_add(uint32_t **sum, const uint32_t *clock);
void vclock_add_node(uint32_t **sum, int node);
void vclock_take(int node, const uint32_t *clock);

/* ------------------------------------------------------------------ messages */

/* The note of a message that is posted now, which carries the clock beside its own note.  Take the clock from what
 * came, and restore its own note.  `last`: nobody asks for it again. */
uint64_t vclock_sent(struct mpi *mpi, uint64_t note, bool synchronous);
void vclock_received(struct mpi *mpi, struct peal_envelope *came, bool last, uint64_t awaited);

static inline uint64_t
vclock_send(struct mpi *mpi, uint64_t note, bool synchronous)
{
    return vclock_is_kept() ? vclock_sent(mpi, note, synchronous) : note;
}

/* `awaited`: what vclock_await gave for the receive; 0: nothing. */
static inline void
vclock_receive(struct mpi *mpi, struct peal_envelope *came, bool last, uint64_t awaited)
{
    if (vclock_is_kept())
        vclock_received(mpi, came, last, awaited);
}

/* The note of a receive that is posted now: a synchronous send is complete only after that.  Take the clock that such a
 * send got. */
uint64_t vclock_await(struct mpi *mpi);
void vclock_was_received(struct mpi *mpi, const struct peal_envelope *sent);

/* ------------------------------------------------------------------ collectives */

/* The node enters a collective, and leaves it: what it knows reaches those that need its data. */
struct vclock_meeting *vclock_come(struct mpi *mpi, struct comm *c, coll_function carry_out, const struct coll_args *a);
void vclock_go(struct mpi *mpi, const struct comm *c, coll_function carry_out, const struct coll_args *a,
               struct vclock_meeting *meeting);

/* Likewise for a barrier of the communicator; for one of some of its nodes, with a separate number. */
struct vclock_meeting *vclock_meet(struct mpi *mpi, struct comm *c);
struct vclock_meeting *vclock_meet_some(struct mpi *mpi, const struct comm *c, uint64_t number, int size);
void vclock_met(struct mpi *mpi, const struct comm *c, struct vclock_meeting *meeting);

/* Split it, as peal_split does. */
struct peal_node *vclock_split(struct mpi *mpi, struct comm *comm, int color, int key);

/* ------------------------------------------------------------------ locks */

void vclock_locked(const struct mpi *mpi, const struct vclock_locks *locks, bool shared);
void vclock_unlocks(const struct mpi *mpi, struct vclock_locks *locks, bool shared);
void vclock_locks_fini(struct vclock_locks *locks);
