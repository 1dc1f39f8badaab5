/* SPDX-License-Identifier: MIT */
/* Conflicts in windows.
 *
 * An access lasts from its call to the call that completes it: a fence, MPI_Win_complete, an unlock, a flush, or a wait
 * for its request.  Two accesses of different nodes that overlap in time are not ordered: order would let the second
 * begin after the first is complete.  So no correct program is accused; some orders of arrival hide a wrong one's
 * conflict.
 *
 * Time is counted in phases, which are the same on all engines: within one phase no node hears of another.  Hence an
 * access that was complete in this phase overlaps with one that begins in it.
 *
 * The program's own loads and stores are such accesses, each of one phase.  In the unified memory model, in which these
 * windows are, a node may poll: load what others update, or get what its owner stores, until it changes (MPI 3.1,
 * 11.7).  So these two pairs are left alone where they may be meant so: in a passive epoch, if the call accesses no
 * more than one element, and everywhere once the program has called MPI_Win_sync or asked for the model. */
#include "mpi/conflict.h"
#include "mpi/finding.h"
#include "mpi/op.h"
#include <peal/hints.h>
#include <peal/watch.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RACES = 4 };        /* conflicts of one access */
enum { MAX_OWN = 256 };        /* accesses of one node's program in one phase that are remembered */
enum { LARGEST_ELEMENT = 16 }; /* a long double */

struct touch {
    struct byte_span span; /* first: it is one of a bucket */
    enum touch_kind kind;
    struct touch_op op;
    uint64_t signature; /* of op.one, which may be freed */
    int node, owner;    /* in the machine: the accessing node, the owner of the memory */
    int shares;         /* equal accesses of one call, which are one */
    bool open;
    bool polls;           /* perhaps: one element, in a passive epoch */
    uint64_t called, end; /* the phases; of the end, unless it is open */
    const char *call, *site;
    struct touch *next; /* of those that are complete */
};

/* Loads or stores at one place in the program of neighbouring bytes. */
struct own {
    char *begin, *end;
    const char *site;
    bool writes;
    bool within; /* an epoch of MPI_Win_lock_all, and others were not kept out */
};

/* What a node's program does itself in one phase. */
struct owns {
    uint64_t phase;
    int count;
    struct own list[MAX_OWN];
    int last[MAX_OWN]; /* in the list, of the sites with that hash */
};

/* The accesses to one node's memory. */
struct bucket {
    struct spans set;
    struct touch *complete; /* some of the set */
    struct owns *owns[2];   /* of even phases and of odd ones; NULL: none yet */
    int locks, alls;        /* of its own, exclusive; of all */
};

static atomic_flag locked = ATOMIC_FLAG_INIT; /* around the buckets */
static struct bucket *buckets;                /* by rank in the machine */
static int bucket_count;
static atomic_bool shared, unified;

/* The next holder of the lock sees the writes of the last. */
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
    atomic_store(&unified, false);
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
    bool whole = !atomic_flag_test_and_set(&locked); /* else a node ended within, and the lists may be half made */

    for (int i = 0; i < bucket_count && whole; i++) {
        for (size_t j = 0; j < buckets[i].set.count; j++)
            touch_free((struct touch *)buckets[i].set.list[j]);
        free(buckets[i].set.list);
        free(buckets[i].owns[0]);
        free(buckets[i].owns[1]);
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

void
conflict_unify(void)
{
    atomic_store(&unified, true);
}

/* Forget accesses that were complete before this phase. */
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

/* ------------------------------------------------------------------ conflicts */

static bool
only_reads(const struct touch *touch)
{
    return touch->kind == TOUCH_LOAD || touch->kind == TOUCH_GET ||
           (touch->kind == TOUCH_ACCUMULATE && touch->op.op == MPI_NO_OP);
}

/* Two accumulates may concern one place if they have the same operator and basic type.  (MPI 3.1, 11.7.  MPI_REPLACE
 * and a swap, by which locks are programmed, are taken beside any other.) */
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

/* Whether the program's own access conflicts with one that overlaps in place and in time. */
static bool
own_conflict(const struct own *own, const struct touch *touch)
{
    if (touch->kind < TOUCH_GET || touch->node == touch->owner || (!own->writes && only_reads(touch)))
        return false;
    return (own->writes && !only_reads(touch)) || (!touch->polls && !atomic_load(&unified));
}

/* ------------------------------------------------------------------ findings */

/* A conflict that is reported outside of the lock. */
struct race {
    struct peal_place places[2];
    const char *calls[2];
    bool local[2];
    bool undefined; /* wrong but for the value */
    int owner;
    size_t bytes;
};

static const char undefined_rule[] = "MPI 3.1, 11.3 and 11.7: what a load finds during an update, or a get during a "
                                     "store, is undefined; in the unified memory "
                                     "model a node may poll for one value";

/* By rank, and of one node by place, so that the finding does not depend on the node that makes it. */
static void
note(struct race *race, const struct touch *a, const struct touch *b, size_t bytes)
{
    bool turned = b->node < a->node || (b->node == a->node && (uintptr_t)b->site < (uintptr_t)a->site);
    const struct touch *both[2] = {turned ? b : a, turned ? a : b};

    *race = (struct race){.owner = a->owner, .bytes = bytes};
    for (int i = 0; i < 2; i++) {
        race->places[i] = (struct peal_place){both[i]->node, both[i]->site, PEAL_CODE};
        race->calls[i] = both[i]->call;
        race->local[i] = both[i]->kind < TOUCH_GET;
    }
}

/* Note a race of a load or a store of the program with an access. */
static void
note_own(struct race *race, const struct own *own, const struct touch *touch)
{
    struct byte_span span = {own->begin, own->end, NULL, 1};
    struct touch access = {.node = touch->owner, .owner = touch->owner, .site = own->site, .kind = TOUCH_GET};

    access.call = own->writes ? "a store" : "a load";
    note(race, touch, &access, span_overlap(&span, &touch->span));
    race->undefined = !own->writes || only_reads(touch);
}

static void
tell(struct peal_node *me, const struct race *race)
{
    struct peal_run_finding finding = {.kind = PEAL_REMOTE_CONFLICT, .places = race->places, .place_count = 2};
    char fix[300];

    snprintf(
        finding.message, sizeof finding.message,
        "%s of node %d%s and %s of node %d%s access the same %zu bytes of node %d's window, and nothing orders them",
        race->calls[0], race->places[0].rank, race->local[0] ? " with its buffer" : "", race->calls[1],
        race->places[1].rank, race->local[1] ? " with its buffer" : "", race->bytes, race->owner);
    if (race->undefined)
        finding.rule = undefined_rule;
    bool own = strncmp(race->calls[0], "a ", 2) == 0 || strncmp(race->calls[1], "a ", 2) == 0;
    bool updates = !strstr(race->calls[0], "Get") && !strstr(race->calls[1], "Get");

    if (own)
        snprintf(fix, sizeof fix, PEAL_HINT_conflict_own, race->owner);
    else
        snprintf(fix, sizeof fix, "%s", updates ? PEAL_HINT_conflict_update : PEAL_HINT_conflict_read);
    finding.fix = fix;
    peal_record_places(me, &finding);
}

/* ------------------------------------------------------------------ accesses */

static bool
is_same(const struct touch *a, const struct touch *b)
{
    return b->open && a->node == b->node && a->kind == b->kind && a->site == b->site && a->op.op == b->op.op &&
           a->signature == b->signature && a->span.count == 1 && b->span.count == 1 && a->span.begin == b->span.begin &&
           a->span.end == b->span.end;
}

/* Compare a call's access with the program's own of a phase; `within`: only those within an epoch of
 * MPI_Win_lock_all. */
static void
compare_own(const struct bucket *bucket, const struct touch *new, uint64_t phase, bool within, struct race *race,
            int *count)
{
    const struct owns *owns = bucket->owns[phase % 2];

    for (int i = 0; owns && owns->phase == phase && i < owns->count && *count < MAX_RACES; i++) {
        const struct own *own = &owns->list[i];

        if (own_conflict(own, new) && (own->within || !within) &&
            span_overlap(&(struct byte_span){own->begin, own->end, NULL, 1}, &new->span) > 0)
            note_own(&race[(*count)++], own, new);
    }
}

/* Nothing orders a call with what the owner does in the same phase, nor does a shared lock that the call waits for no
 * longer than a round: only an exclusive one of the owner's would.  What the owner does before its own MPI_Win_lock_all
 * is left alone: programs set their windows up so, and often nothing but time orders that with the first access. */
static void
compare_owns(const struct bucket *bucket, const struct touch *new, uint64_t phase, struct race *race, int *count)
{
    compare_own(bucket, new, phase, false, race, count);
    if (new->called + 1 == phase)
        compare_own(bucket, new, new->called, true, race, count);
}

/* Compare with the accesses there, and add it, or find its equal.  NULL without memory. */
static struct touch *
enter(struct bucket *bucket, struct touch *new, struct race *race, int *count)
{
    struct touch *same = NULL;

    for (size_t i = spans_first(&bucket->set, &new->span);
         i < bucket->set.count && bucket->set.list[i]->begin < new->span.end; i++) {
        struct touch *other = (struct touch *)bucket->set.list[i];
        bool at_once = other->open || other->node != new->node; /* a complete access was completed in this phase */
        size_t bytes =
            at_once && *count < MAX_RACES && conflict(new, other) ? span_overlap(&new->span, &other->span) : 0;

        if (bytes > 0)
            note(&race[(*count)++], new, other, bytes);
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
begin(struct mpi *mpi, const struct byte_span *span, struct touch what)
{
    struct touch *touch = malloc(sizeof *touch);
    struct race race[MAX_RACES];
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
    if (what.kind >= TOUCH_GET)
        compare_owns(&buckets[what.owner], touch, peal_phase(mpi->me), race, &count);
    touch = enter(&buckets[what.owner], touch, race, &count);
    unlock();
    for (int i = 0; i < count; i++)
        tell(mpi->me, &race[i]);
    if (!touch)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory to remember an access");
    return touch;
}

struct touch *
conflict_open(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target, enum touch_kind kind,
              struct touch_op op, uint64_t called)
{
    /* the memory of all nodes of a shared window is rank 0's */
    int owner = comm_world_rank(win->comm, win->flavor == MPI_WIN_FLAVOR_SHARED ? 0 : rank);
    bool passive = win->all || win->targets[rank].lock != UNLOCKED;
    struct touch *touch;
    struct byte_span span;

    if (!finding_strict() || target->bytes == 0)
        return NULL;
    span_open(mpi, target, &span);
    touch = begin(mpi, &span,
                  (struct touch){.kind = kind,
                                 .op = op,
                                 .signature = op.one ? op.one->signature : 0,
                                 .owner = owner,
                                 .called = called,
                                 .polls = passive && target->bytes <= LARGEST_ELEMENT});
    span_fini(mpi, &span);
    return touch;
}

static bool
is_in(const struct win *win, const struct byte_span *span)
{
    const struct member *own = &win->members[win->comm->rank];

    for (const struct win_region *region = win->regions; region; region = region->next)
        if (span->begin < region->base + region->bytes && region->base < span->end)
            return true;
    return own->base && span->begin < own->base + own->size && own->base < span->end;
}

struct touch *
conflict_local(struct mpi *mpi, const struct byte_span *span, bool writes)
{
    const struct handle_table *table = &mpi->tables[KIND_WIN];

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

/* ------------------------------------------------------------------ the program's own */

void
conflict_expose(const void *base, size_t bytes, bool more)
{
    if (finding_strict() && bytes > 0)
        peal_watch_expose(base, bytes, more);
}

/* Remember an access of this phase.  False: it was made at that place before. */
static bool
own_add(struct owns *owns, const struct own *new, uint64_t phase)
{
    size_t hash = ((uintptr_t) new->site *UINT64_C(0x9E3779B97F4A7C15)) >> 56;
    struct own *last = &owns->list[owns->last[hash]];

    if (owns->phase != phase)
        owns->count = 0;
    owns->phase = phase;
    if (owns->last[hash] < owns->count && last->site == new->site && last->writes == new->writes &&
        last->within == new->within &&new->begin <= last->end && last->begin <= new->end) {
        if (last->begin <= new->begin &&new->end <= last->end)
            return false;
        last->begin = new->begin < last->begin ? new->begin : last->begin;
        last->end = new->end > last->end ? new->end : last->end;
    } else if (owns->count < MAX_OWN) {
        owns->last[hash] = owns->count;
        owns->list[owns->count++] = *new;
    }
    return true;
}

/* Compare it with the calls' accesses to the node's memory that are not complete before this phase. */
static int
look(struct bucket *bucket, struct own *own, uint64_t phase, struct race *race)
{
    const struct byte_span span = {own->begin, own->end, NULL, 1};
    struct owns **owns = &bucket->owns[phase % 2];
    int count = 0;

    own->within = bucket->alls > 0 && bucket->locks == 0;
    if (!*owns)
        *owns = calloc(1, sizeof **owns); /* without memory it is compared, and not remembered */
    if (*owns && !atomic_load(&shared) && !own_add(*owns, own, phase))
        return 0;
    purge(bucket, phase);
    for (size_t i = spans_first(&bucket->set, &span);
         i < bucket->set.count && bucket->set.list[i]->begin < span.end && count < MAX_RACES; i++) {
        const struct touch *touch = (const struct touch *)bucket->set.list[i];

        if (own_conflict(own, touch) && span_overlap(&span, &touch->span) > 0)
            note_own(&race[count++], own, touch);
    }
    return count;
}

void
conflict_lock(const struct mpi *mpi, bool all, bool more)
{
    struct bucket *bucket = &buckets[peal_world_rank(mpi->me)];

    lock();
    *(all ? &bucket->alls : &bucket->locks) += more ? 1 : -1;
    unlock();
}

void
conflict_look(struct peal_node *me, const void *address, size_t bytes, bool writes, const char *site)
{
    char *begin = (char *)(uintptr_t)address;
    struct own own = {begin, begin + bytes, site, writes, false};
    struct race race[MAX_RACES];

    lock();
    int count = look(&buckets[peal_world_rank(me)], &own, peal_phase(me), race);

    unlock();
    for (int i = 0; i < count; i++)
        tell(me, &race[i]);
}
