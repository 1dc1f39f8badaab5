/* SPDX-License-Identifier: MIT */
/* Conflicts in windows.
 *
 * An access lasts from its call to the call that completes it: a fence, MPI_Win_complete, an unlock, a flush, or a wait for its
 * request.  Two accesses of different nodes that overlap in time are not ordered by anything: what orders them lets the second
 * begin after the first is complete.  So no correct program is accused; of those that are wrong, some orders hide it.
 *
 * Time is counted in phases, which are the same on all engines: within one phase no node hears of another.  Hence an access that
 * was complete in this phase overlaps with one that begins in it. */
#include "lib/mpi/conflict.h"
#include "lib/mpi/finding.h"
#include "lib/mpi/op.h"
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_TOLD = 4 }; /* conflicts of one access */

struct touch {
    struct span span; /* first: it is one of a bucket */
    enum touch_kind kind;
    struct touch_op op;
    uint64_t signature; /* of op.one, which may be freed */
    int node, owner;    /* in the machine: who accesses, and whose memory */
    int shares;         /* equal accesses of one call, which are one */
    bool open;
    uint64_t end; /* the phase, unless it is open */
    const char *call, *site;
    struct touch *next; /* of those that are complete */
};

/* The accesses to one node's memory. */
struct bucket {
    struct spans set;
    struct touch *complete; /* some of the set */
};

static atomic_flag locked = ATOMIC_FLAG_INIT; /* around the buckets */
static struct bucket *buckets;                /* by rank in the machine */
static int bucket_count;
static atomic_bool shared;

/* What the last one to have the lock wrote is seen by the next. */
static void
lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        sched_yield();
}

static void
unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

bool
conflict_begin(int nodes)
{
    buckets = calloc((size_t)nodes, sizeof *buckets);
    bucket_count = buckets ? nodes : 0;
    atomic_store(&shared, false);
    return buckets;
}

static void
touch_free(struct touch *touch)
{
    free((struct peal_piece *)(uintptr_t)touch->span.pieces);
    free(touch);
}

void
conflict_end(void)
{
    bool whole = !atomic_flag_test_and_set(&locked); /* else a node was ended within, and the lists may be half made */

    for (int i = 0; i < bucket_count && whole; i++) {
        for (size_t j = 0; j < buckets[i].set.count; j++)
            touch_free((struct touch *)buckets[i].set.list[j]);
        free(buckets[i].set.list);
    }
    unlock();
    if (whole)
        free(buckets);
    buckets = NULL;
    bucket_count = 0;
}

void
conflict_share(void)
{
    atomic_store(&shared, true);
}

/* Forget what was complete before this phase. */
static void
purge(struct bucket *bucket, uint64_t phase)
{
    struct touch **at = &bucket->complete;

    while (*at) {
        struct touch *touch = *at;

        if (touch->end >= phase) {
            at = &touch->next;
            continue;
        }
        *at = touch->next;
        spans_remove(&bucket->set, &touch->span);
        touch_free(touch);
    }
}

/* ------------------------------------------------------------------ what conflicts */

static bool
only_reads(const struct touch *touch)
{
    return touch->kind == TOUCH_LOAD || touch->kind == TOUCH_GET ||
           (touch->kind == TOUCH_ACCUMULATE && touch->op.op == MPI_NO_OP);
}

/* Two accumulates may concern one place if they have the same operator and basic type.  (MPI 3.1, 11.7.  MPI_REPLACE and a swap, by
 * which locks are programmed, are taken beside any other.) */
static bool
accumulates_agree(const struct touch *a, const struct touch *b)
{
    bool any = a->op.op == MPI_OP_NULL || b->op.op == MPI_OP_NULL || a->op.op == MPI_REPLACE ||
               b->op.op == MPI_REPLACE || a->op.op == MPI_NO_OP || b->op.op == MPI_NO_OP;

    return a->signature == b->signature && (any || a->op.op == b->op.op);
}

static bool
conflict(const struct touch *a, const struct touch *b)
{
    bool accumulates = a->kind == TOUCH_ACCUMULATE && b->kind == TOUCH_ACCUMULATE;

    if (only_reads(a) && only_reads(b))
        return false;
    if (a->node != b->node)
        return !accumulates || !accumulates_agree(a, b);
    /* of one node, accumulates are done in order, and held.c compares its own buffers */
    return !accumulates && a->kind >= TOUCH_GET && b->kind >= TOUCH_GET;
}

/* ------------------------------------------------------------------ findings */

/* A conflict that is reported outside of the lock. */
struct told {
    struct peal_place places[2];
    const char *calls[2];
    bool local[2];
    int owner;
    size_t bytes;
};

/* By rank, and of one node by place, so that it does not matter who found it. */
static void
note(struct told *told, const struct touch *a, const struct touch *b, size_t bytes)
{
    bool turned = b->node < a->node || (b->node == a->node && (uintptr_t)b->site < (uintptr_t)a->site);
    const struct touch *both[2] = {turned ? b : a, turned ? a : b};

    *told = (struct told){.owner = a->owner, .bytes = bytes};
    for (int i = 0; i < 2; i++) {
        told->places[i] = (struct peal_place){both[i]->node, both[i]->site, PEAL_CODE};
        told->calls[i] = both[i]->call;
        told->local[i] = both[i]->kind < TOUCH_GET;
    }
}

static void
tell(struct mpi *mpi, const struct told *told)
{
    struct peal_run_finding finding = {.kind = PEAL_REMOTE_CONFLICT, .places = told->places, .place_count = 2};

    snprintf(
        finding.message, sizeof finding.message,
        "%s of node %d%s and %s of node %d%s access the same %zu bytes of node %d's window, and nothing orders them",
        told->calls[0], told->places[0].rank, told->local[0] ? " with its buffer" : "", told->calls[1],
        told->places[1].rank, told->local[1] ? " with its buffer" : "", told->bytes, told->owner);
    peal_record_places(mpi->me, &finding);
}

/* ------------------------------------------------------------------ accesses */

static bool
is_same(const struct touch *a, const struct touch *b)
{
    return b->open && a->node == b->node && a->kind == b->kind && a->site == b->site && a->op.op == b->op.op &&
           a->signature == b->signature && a->span.count == 1 && b->span.count == 1 && a->span.begin == b->span.begin &&
           a->span.end == b->span.end;
}

/* Compare with what is there, and add it, or find its equal.  NULL without memory. */
static struct touch *
enter(struct bucket *bucket, struct touch *new, struct told *told, int *count)
{
    struct touch *same = NULL;

    for (size_t i = spans_first(&bucket->set, &new->span);
         i < bucket->set.count && bucket->set.list[i]->begin < new->span.end; i++) {
        struct touch *other = (struct touch *)bucket->set.list[i];
        bool at_once = other->open || other->node != new->node; /* what is complete, is so since this phase */
        size_t bytes =
            at_once && *count < MOST_TOLD && conflict(new, other) ? span_overlap(&new->span, &other->span) : 0;

        if (bytes > 0)
            note(&told[(*count)++], new, other, bytes);
        if (is_same(new, other))
            same = other;
    }
    if (!same && !spans_add(NULL, &bucket->set, &new->span))
        return NULL;
    if (!same)
        return new;
    same->shares++;
    touch_free(new);
    return same;
}

static struct touch *
begin(struct mpi *mpi, const struct span *span, struct touch what)
{
    struct touch *touch = malloc(sizeof *touch);
    struct told told[MOST_TOLD];
    int count = 0;

    if (!touch || !span_keep(span, &what.span))
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory to remember an access");
    what.call = mpi->call;
    what.site = mpi->file;
    what.node = peal_world_rank(mpi->me);
    what.shares = 1;
    what.open = true;
    *touch = what;
    lock();
    purge(&buckets[what.owner], peal_phase(mpi->me));
    touch = enter(&buckets[what.owner], touch, told, &count);
    unlock();
    for (int i = 0; i < count; i++)
        tell(mpi, &told[i]);
    if (!touch)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory to remember an access");
    return touch;
}

struct touch *
conflict_open(struct mpi *mpi, const struct win *win, int rank, const struct data *target, enum touch_kind kind,
              struct touch_op op)
{
    /* the memory of all nodes of a shared window is rank 0's */
    int owner = comm_world_rank(win->comm, win->flavor == MPI_WIN_FLAVOR_SHARED ? 0 : rank);

    struct touch *touch;
    struct span span;

    if (!finding_strict() || target->bytes == 0)
        return NULL;
    span_open(mpi, target, &span);
    touch = begin(mpi, &span,
                  (struct touch){.kind = kind, .op = op, .signature = op.one ? op.one->signature : 0, .owner = owner});
    span_fini(mpi, &span);
    return touch;
}

static bool
is_in(const struct win *win, const struct span *span)
{
    const struct member *own = &win->members[win->comm->rank];

    for (const struct region *region = win->regions; region; region = region->next)
        if (span->begin < region->base + region->bytes && region->base < span->end)
            return true;
    return own->base && span->begin < own->base + own->size && own->base < span->end;
}

struct touch *
conflict_local(struct mpi *mpi, const struct span *span, bool writes)
{
    const struct table *table = &mpi->tables[KIND_WIN];

    for (uint32_t i = 0; i < table->count; i++) {
        const struct win *win = table->slots[i].object;

        if (win && win->flavor != MPI_WIN_FLAVOR_SHARED && is_in(win, span))
            return begin(mpi, span,
                         (struct touch){.kind = writes ? TOUCH_STORE : TOUCH_LOAD, .owner = peal_world_rank(mpi->me)});
    }
    return NULL;
}

void
conflict_close(struct mpi *mpi, struct touch *touch)
{
    struct bucket *bucket = touch ? &buckets[touch->owner] : NULL;

    if (!touch)
        return;
    lock();
    if (--touch->shares == 0 && atomic_load(&shared)) {
        spans_remove(&bucket->set, &touch->span);
        touch_free(touch);
    } else if (touch->shares == 0) {
        touch->open = false;
        touch->end = peal_phase(mpi->me);
        touch->next = bucket->complete;
        bucket->complete = touch;
    }
    unlock();
}
