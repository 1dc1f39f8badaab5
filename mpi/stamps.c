/* SPDX-License-Identifier: MIT */
/* The clocks that travel with messages and locks. */
#include "mpi/conflict.h"
#include <stdlib.h>

/* A message with a clock. */
struct stamped {
    uint64_t note;
    struct order_clock *clock; /* NULL: free, and note is the next free one */
    bool synchronous;          /* its send gets the receive's */
};

static struct stamped *stamped;
static size_t stamped_count, stamped_free; /* 0: none; counted from 1 */

/* The node synchronises with others: polling ends. */
void
order_turn(struct mpi *mpi)
{
    order_count_turn(peal_world_rank(mpi->me));
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
    order_drop(stamped[place - 1].clock);
    stamped[place - 1] = (struct stamped){stamped_free, NULL, false};
    stamped_free = place;
}

/* A message, or a receive, with the node's clock. */
static size_t
stamp(struct mpi *mpi, uint64_t note, bool synchronous)
{
    int node = peal_world_rank(mpi->me);

    order_lock();
    struct order_clock *clock = order_give(node);
    size_t place = clock ? stamped_place() : 0;

    if (place)
        stamped[place - 1] = (struct stamped){note, clock, synchronous};
    else
        order_drop(clock);
    order_unlock();
    if (!place)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory for a clock");
    return place;
}

uint64_t
order_sent(struct mpi *mpi, uint64_t note, bool synchronous)
{
    order_turn(mpi);
    return is_stamped | stamp(mpi, note, synchronous);
}

void
order_received(struct mpi *mpi, struct peal_envelope *came, bool last, uint64_t awaited)
{
    bool known = (came->note & is_stamped) && !came->cancelled, asked = false;

    if (known)
        order_turn(mpi);
    order_lock();
    if (known) {
        size_t place = (size_t)(came->note & ~is_stamped);
        const struct stamped *message = &stamped[place - 1];

        came->note = message->note;
        asked = message->synchronous;
        order_take(peal_world_rank(mpi->me), message->clock->of);
        if (last)
            stamped_leave(place);
    }
    if (awaited && !asked) /* otherwise its sender has it */
        stamped_leave((size_t)(awaited & ~is_awaited));
    order_unlock();
}

uint64_t
order_await(struct mpi *mpi)
{
    return order_is_kept() ? is_awaited | stamp(mpi, 0, false) : 0;
}

void
order_was_received(struct mpi *mpi, const struct peal_envelope *sent)
{
    if (!(sent->note & is_awaited) || sent->note & is_stamped)
        return;
    order_turn(mpi);
    order_lock();
    size_t place = (size_t)(sent->note & ~is_awaited);

    order_take(peal_world_rank(mpi->me), stamped[place - 1].clock->of);
    stamped_leave(place);
    order_unlock();
}

/* ------------------------------------------------------------------ locks */

void
order_locked(const struct mpi *mpi, const struct order_locks *locks, bool shared)
{
    if (!order_is_kept())
        return;
    order_turn((struct mpi *)(uintptr_t)mpi);
    order_lock();
    order_take(peal_world_rank(mpi->me), shared ? locks->exclusive : locks->all);
    order_unlock();
}

void
order_unlocks(const struct mpi *mpi, struct order_locks *locks, bool shared)
{
    int node = peal_world_rank(mpi->me);

    if (!order_is_kept())
        return;
    order_turn((struct mpi *)(uintptr_t)mpi);
    order_lock();
    order_add_node(&locks->all, node);
    if (!shared)
        order_add_node(&locks->exclusive, node);
    order_unlock();
}

void
order_locks_fini(struct order_locks *locks)
{
    free(locks->all);
    free(locks->exclusive);
    *locks = (struct order_locks){NULL, NULL};
}

void
stamps_end(bool whole)
{
    for (size_t i = 0; i < stamped_count && whole; i++)
        order_drop(stamped[i].clock);
    free(stamped);
    stamped = NULL;
    stamped_count = stamped_free = 0;
}
