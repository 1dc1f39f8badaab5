/* SPDX-License-Identifier: MIT */
/* The clocks that travel with messages and locks. */
#include "mpi/strict/conflict.h"
#include <stdlib.h>

/* A message with a clock. */
struct stamped {
    uint64_t note;
    struct vclock_clock *clock; /* NULL: free, and note is the next free one */
    bool synchronous;           /* its send gets the receive's clock */
};

static struct stamped *stamped;
static size_t stamped_count, stamped_free; /* 0: none; counted from 1 */

/* The node synchronises with others: polling ends. */
void
vclock_turn(struct mpi *mpi)
{
    vclock_count_turn(peal_world_rank(mpi->me));
    conflict_settle(mpi);
}

/* ------------------------------------------------------------------ messages */

static const uint64_t is_stamped = UINT64_C(1) << 63, is_awaited = UINT64_C(1) << 62;

/* A place for a message; 0 without memory. */
static size_t
stamped_place(void)
{
    size_t place = stamped_free;

    if (place == 0) {
        size_t room = stamped_count ? 2 * stamped_count : 64;
        struct stamped *more = realloc(stamped, room * sizeof *more);

        if (!more)
            return 0;
        stamped = more;
        for (size_t i = room; i-- > stamped_count;) {
            stamped[i] = (struct stamped){stamped_free, NULL, false};
            stamped_free = i + 1;
        }
        stamped_count = room;
        place = stamped_free;
    }
    stamped_free = (size_t)stamped[place - 1].note;
    return place;
}

static void
stamped_leave(size_t place)
{
    vclock_drop(stamped[place - 1].clock);
    stamped[place - 1] = (struct stamped){stamped_free, NULL, false};
    stamped_free = place;
}

/* A message, or a receive, with the node's clock. */
static size_t
stamp(struct mpi *mpi, uint64_t note, bool synchronous)
{
    int node = peal_world_rank(mpi->me);

    vclock_lock();
    struct vclock_clock *clock = vclock_give(node);
    size_t place = clock ? stamped_place() : 0;

    if (place)
        stamped[place - 1] = (struct stamped){note, clock, synchronous};
    else
        vclock_drop(clock);
    vclock_unlock();
    if (!place)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory for a clock");
    return place;
}

uint64_t
vclock_sent(struct mpi *mpi, uint64_t note, bool synchronous)
{
    vclock_turn(mpi);
    return is_stamped | stamp(mpi, note, synchronous);
}

void
vclock_received(struct mpi *mpi, struct peal_envelope *came, bool last, uint64_t awaited)
{
    bool known = (came->note & is_stamped) && !came->cancelled, asked = false;

    if (known)
        vclock_turn(mpi);
    vclock_lock();
    if (known) {
        size_t place = (size_t)(came->note & ~is_stamped);
        const struct stamped *message = &stamped[place - 1];

        came->note = message->note;
        asked = message->synchronous;
        vclock_take(peal_world_rank(mpi->me), message->clock->of);
        if (last)
            stamped_leave(place);
    }
    if (awaited && !asked) /* otherwise its sender has it */
        stamped_leave((size_t)(awaited & ~is_awaited));
    vclock_unlock();
}

uint64_t
vclock_await(struct mpi *mpi)
{
    return vclock_is_kept() ? is_awaited | stamp(mpi, 0, false) : 0;
}

void
vclock_was_received(struct mpi *mpi, const struct peal_envelope *sent)
{
    if (!(sent->note & is_awaited) || sent->note & is_stamped)
        return;
    vclock_turn(mpi);
    vclock_lock();
    size_t place = (size_t)(sent->note & ~is_awaited);

    vclock_take(peal_world_rank(mpi->me), stamped[place - 1].clock->of);
    stamped_leave(place);
    vclock_unlock();
}

/* ------------------------------------------------------------------ locks */

void
vclock_locked(const struct mpi *mpi, const struct vclock_locks *locks, bool shared)
{
    if (!vclock_is_kept())
        return;
    vclock_turn((struct mpi *)(uintptr_t)mpi);
    vclock_lock();
    vclock_take(peal_world_rank(mpi->me), shared ? locks->exclusive : locks->all);
    vclock_unlock();
}

void
vclock_unlocks(const struct mpi *mpi, struct vclock_locks *locks, bool shared)
{
    int node = peal_world_rank(mpi->me);

    if (!vclock_is_kept())
        return;
    vclock_turn((struct mpi *)(uintptr_t)mpi);
    vclock_lock();
    vclock_add_node(&locks->all, node);
    if (!shared)
        vclock_add_node(&locks->exclusive, node);
    vclock_unlock();
}

void
vclock_locks_fini(struct vclock_locks *locks)
{
    free(locks->all);
    free(locks->exclusive);
    *locks = (struct vclock_locks){NULL, NULL};
}

void
stamps_end(bool whole)
{
    for (size_t i = 0; i < stamped_count && whole; i++)
        vclock_drop(stamped[i].clock);
    free(stamped);
    stamped = NULL;
    stamped_count = stamped_free = 0;
}
