/* SPDX-License-Identifier: MIT */
/* The buffers of pending calls.  Overlaps are found when the second call is made; what the program itself writes there, by a hash of
 * what the buffer held. */
#include "lib/mpi/active.h"
#include "lib/mpi/conflict.h"
#include "lib/mpi/finding.h"
#include <string.h>

/* ------------------------------------------------------------------ what a buffer holds */

enum { LANES = 4 };

/* Four numbers at once: memory is read as fast as it comes. */
static uint64_t
hash_of(const void *bytes, size_t count, uint64_t seed)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    const unsigned char *at = bytes;
    uint64_t lanes[LANES] = {seed, seed + 1, seed + 2, seed + 3}, words[LANES], hash = count;

    for (; count >= sizeof words; count -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < LANES; i++) {
            lanes[i] = (lanes[i] ^ words[i]) * odd;
            lanes[i] ^= lanes[i] >> 29;
        }
    }
    for (int i = 0; i < LANES; i++)
        hash = (hash ^ lanes[i]) * odd;
    for (; count > 0; count--, at++)
        hash = (hash ^ *at) * odd;
    return hash ^ hash >> 32;
}

static uint64_t
hash_span(const struct span *span)
{
    uint64_t hash = 0;

    for (int i = 0; i < span->count; i++) {
        char *end, *begin = span_piece(span, i, &end);

        hash = hash_of(begin, (size_t)(end - begin), hash);
    }
    return hash;
}

/* ------------------------------------------------------------------ overlaps */

/* The pending call's use of the bytes forbids the other one. */
static bool
forbids(const struct active *active, bool writes)
{
    return active->writes || writes;
}

static void
check(struct mpi *mpi, const struct span *span, bool writes, const void *owner)
{
    const struct spans *set = mpi->active;

    for (size_t i = set ? spans_first(set, span) : 0; set && i < set->count && set->list[i]->begin < span->end; i++) {
        const struct active *other = (const struct active *)set->list[i];
        size_t bytes = forbids(other, writes) && other->owner != owner ? span_overlap(&other->span, span) : 0;

        if (bytes > 0)
            mpi_find(mpi, writes ? PEAL_BUFFER_REUSE : PEAL_EARLY_READ, peal_world_rank(mpi->me), other->site,
                     "it %s %zu bytes that the pending %s %s", writes ? "writes" : "reads", bytes, other->call,
                     other->writes ? "writes" : "reads");
    }
}

struct active *
active_open(struct mpi *mpi, const struct data *data, bool writes, const char *call, const char *site,
            const void *owner)
{
    if (!finding_strict() || data->bytes == 0)
        return NULL;
    struct active *active = mpi_alloc(mpi, sizeof *active);

    *active = (struct active){.data = *data, .writes = writes, .call = call, .site = site, .owner = owner};
    span_open(mpi, data, &active->span);
    check(mpi, &active->span, writes, owner);
    if (!mpi->active)
        mpi->active = mpi_alloc(mpi, sizeof *mpi->active);
    spans_add(mpi, mpi->active, &active->span);
    active->hash = hash_span(&active->span);
    active->touch = conflict_local(mpi, active);
    return active;
}

void
active_compare(struct mpi *mpi, const struct active *active)
{
    /* in a window others may have changed it, which is a conflict */
    if (!active->touch && hash_span(&active->span) != active->hash)
        mpi_find(mpi, PEAL_BUFFER_REUSE, peal_world_rank(mpi->me), active->site,
                 "the buffer of this %s was changed before it was complete", active->call);
}

void
active_close(struct mpi *mpi, struct active *active, bool compare)
{
    if (!active)
        return;
    if (compare)
        active_compare(mpi, active);
    conflict_close(mpi, active->touch);
    spans_remove(mpi->active, &active->span);
    span_fini(mpi, &active->span);
    mpi_free(mpi, active);
}

void
active_check(struct mpi *mpi, const struct data *data, bool writes)
{
    struct span span;

    if (!mpi->active || mpi->active->count == 0 || data->bytes == 0)
        return;
    span_open(mpi, data, &span);
    check(mpi, &span, writes, NULL);
    span_fini(mpi, &span);
}

const struct active *
active_find(const struct mpi *mpi, const void *at, size_t bytes, bool writes)
{
    char *begin = (char *)(uintptr_t)at;
    const struct span span = {begin, begin + bytes, NULL, 1};
    const struct spans *set = mpi->active;

    for (size_t i = set ? spans_first(set, &span) : 0; set && i < set->count && set->list[i]->begin < span.end; i++) {
        const struct active *active = (const struct active *)set->list[i];

        if (forbids(active, writes) && span_overlap(&active->span, &span) > 0)
            return active;
    }
    return NULL;
}
