/* SPDX-License-Identifier: MIT */
/* Conflicts in windows, by happens-before (happens_before.h). */
#include "mpi/strict/touch.h"
#include <peal/watch.h>
#include <stdlib.h>

/* An access begins when its call is made.  It is complete at the origin after a wait or MPI_Win_flush_local, and at its
 * target after a fence, MPI_Win_complete, an unlock or a flush: then it is given a time of the origin.  A later access
 * is ordered after it if its node's clock includes that time.  Accesses are forgotten when they are in the past of
 * every node that may still make one, or when a later one of the same call replaces them.
 *
 * A node may poll (polls.h).  What it reads then orders what follows, as for atomic accesses. */

enum { LARGEST_ELEMENT = 16 }; /* a long double */
enum { FEW_TOUCHES = 64 };     /* accesses to one node's memory: with fewer, none are forgotten */
enum { LONG_TOUCH = 1024 };    /* the most bytes of merged accesses: a set with longer ones takes longer to search */

/* The accesses to one node's memory, and its polling. */
struct bucket {
    struct spans set;
    size_t enough; /* from this number of accesses on, look for some to forget */
    struct own_pages *own;
    struct touch *calling; /* the present call's */
    struct polls polls;
    uint32_t *arrived; /* the clocks of the nodes that have updated one element here */
};

static struct bucket *buckets; /* by rank in the machine; guarded by vclock_lock */
static int bucket_count;

bool
conflict_begin(int nodes)
{
    vclock_begin(nodes);
    buckets = calloc((size_t)nodes, sizeof *buckets);
    bucket_count = buckets ? nodes : 0;
    return buckets;
}

void
conflict_end(bool whole)
{
    for (int i = 0; i < bucket_count && whole; i++) {
        for (size_t j = 0; j < buckets[i].set.count; j++)
            touch_free((struct touch *)buckets[i].set.list[j]);
        spans_fini(&buckets[i].set);
        own_pages_free(buckets[i].own);
        polls_free(&buckets[i].polls);
        free(buckets[i].arrived);
    }
    own_sites_free();
    if (whole)
        free(buckets);
    buckets = NULL;
    bucket_count = 0;
}

/* Forget accesses that are in the past of all nodes. */
static void
conflict_forget(struct bucket *bucket)
{
    size_t kept = 0;

    if (bucket->set.count < bucket->enough)
        return;
    for (size_t i = 0; i < bucket->set.count; i++) {
        struct touch *touch = (struct touch *)bucket->set.list[i];

        if (!touch->open && vclock_is_past(touch->node, touch->end))
            touch_free(touch);
        else
            bucket->set.list[kept++] = &touch->span;
    }
    bucket->set.count = kept;
    bucket->enough = 2 * kept + FEW_TOUCHES;
}

/* ------------------------------------------------------------------ polling */

/* The last race does not count if the node turns out to poll with what it reads at this site. */
static void
conflict_suspect(int node, const char *site, const char *at, bool loads, struct race_list *races)
{
    polls_suspect(&buckets[node].polls, &races->list[--races->count], site, at, loads);
}

void
conflict_settle(struct mpi *mpi)
{
    vclock_lock();
    struct suspect *list = polls_end(&buckets[peal_world_rank(mpi->me)].polls);

    vclock_unlock();
    suspects_tell(mpi->me, list);
}

/* The node has read there what others have written: it now knows what they knew then. */
static void
conflict_learn(struct bucket *bucket, int node, const struct byte_span *span, uint32_t **sum)
{
    for (size_t i = spans_first(&bucket->set, span); i < bucket->set.count && bucket->set.list[i]->begin < span->end;
         i++) {
        struct touch *touch = (struct touch *)bucket->set.list[i];

        if (!touch->gives || span_overlap(span, &touch->span) == 0)
            continue;
        bool known = touch->node == node || vclock_known(node, touch->node) >= touch->gives->of[touch->node];

        if (!known && sum)
            vclock_add(sum, touch->gives->of);
        else if (!known)
            vclock_take(node, touch->gives->of);
        if (!sum)
            touch->seen = touch->owner == node ? vclock_time(node) : 0;
    }
}

void
conflict_rest(struct mpi *mpi, bool flushes)
{
    int node = peal_world_rank(mpi->me);
    struct bucket *bucket = &buckets[node];

    if (!vclock_is_kept())
        return;
    vclock_lock();
    if (!finding_watched)
        vclock_take(node, bucket->arrived);
    bucket->polls.synced_count = 0;
    for (const char *at; !flushes && (at = polls_take_load(&bucket->polls));)
        conflict_learn(bucket, node, &(struct byte_span){(char *)(uintptr_t)at, (char *)(uintptr_t)at + 1, NULL, 1},
                       NULL);
    vclock_unlock();
}

/* ------------------------------------------------------------------ accesses */

/* Compare a call's access with the owner's own accesses that are not ordered before it. */
static void
compare_own(struct bucket *bucket, const struct touch *touch, struct race_list *races)
{
    struct own_found found[MAX_RACES];
    int count = touch->node == touch->owner ? 0
                                            : own_find(bucket->own, &touch->span, touch_only_reads(touch),
                                                       vclock_known(touch->node, touch->owner), found, MAX_RACES);

    for (int i = 0; i < count && races->count < MAX_RACES; i++) {
        const struct own_found *own = &found[i];
        struct race *race = &races->list[races->count++];

        race_note(race, touch_side(touch), touch_side_of_own(touch->owner, own->site, own->writes), touch->owner,
                  own->bytes);
        race->undefined = !own->site.call && (!own->writes || touch_only_reads(touch));
        if (!race->undefined)
            continue;
        if (!own->writes && polls_at(&bucket->polls, touch->owner, own->site.site, own->first))
            conflict_suspect(touch->owner, own->site.site, own->first, true, races);
        else if (own->writes && touch->small && touch->polling)
            races->count--;
        else if (own->writes && touch->small)
            conflict_suspect(touch->node, touch->site, touch->span.begin, false, races);
    }
}

/* Compare an access with those in the bucket; add it, or count it with an equal one.  NULL without memory. */
static struct touch *
conflict_add_touch(struct bucket *bucket, struct touch *touch, struct race_list *races)
{
    struct touch *same = NULL;

    for (size_t i = spans_first(&bucket->set, &touch->span);
         i < bucket->set.count && bucket->set.list[i]->begin < touch->span.end; i++) {
        struct touch *other = (struct touch *)bucket->set.list[i];
        size_t bytes = races->count < MAX_RACES && touch_conflicts(touch, other) && !touch_is_before(other, touch->node)
                           ? span_overlap(&touch->span, &other->span)
                           : 0;

        if (bytes > 0)
            race_note(&races->list[races->count++], touch_side(touch), touch_side(other), touch->owner, bytes);
        if (other->open && touch_is_alike(touch, other) && touch->kind >= TOUCH_GET &&
            touch->span.begin == other->span.begin && touch->span.end == other->span.end)
            same = other;
    }
    if (!same && !spans_add(NULL, &bucket->set, &touch->span))
        return NULL;
    if (!same)
        return touch;
    same->shares++;
    same->polling |= touch->polling;
    touch_free(touch);
    return same;
}

static struct touch *
conflict_begin_touch(struct mpi *mpi, const struct byte_span *span, struct touch what, struct touch_order *order)
{
    struct touch *touch = malloc(sizeof *touch);
    struct race_list races = {.count = 0};
    bool remote = what.kind >= TOUCH_GET, polls = remote && what.small && touch_only_reads(&what);

    if (!touch || !span_keep(span, &what.span))
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory to remember an access");
    what.call = mpi->call;
    what.site = mpi->file;
    what.node = peal_world_rank(mpi->me);
    what.shares = 1;
    what.open = true;
    *touch = what;
    vclock_lock();
    struct bucket *bucket = &buckets[what.owner];

    conflict_forget(bucket);
    vclock_time(what.node);
    touch->polling = polls && polls_again(&buckets[what.node].polls, mpi->me, what.site, what.span.begin);
    if (remote) {
        order->gives = vclock_give(what.node);
        order->polls = touch->polling;
        compare_own(bucket, touch, &races);
    }
    touch = conflict_add_touch(bucket, touch, &races);
    vclock_unlock();
    races_tell(mpi->me, &races);
    if (!touch)
        mpi_fail(mpi, PEAL_OUT_OF_MEMORY, "no memory to remember an access");
    return touch;
}

struct touch *
conflict_open(struct mpi *mpi, const struct win *win, int rank, const struct typed_data *target, enum touch_kind kind,
              struct touch_op op, struct touch_order *order)
{
    /* the memory of all nodes of a shared window is rank 0's */
    int owner = comm_world_rank(win->comm, win->flavor == MPI_WIN_FLAVOR_SHARED ? 0 : rank);
    struct touch *touch;
    struct byte_span span;

    if (!vclock_is_kept() || target->bytes == 0)
        return NULL;
    span_open(mpi, target, &span);
    touch = conflict_begin_touch(mpi, &span,
                                 (struct touch){.kind = kind,
                                                .op = op,
                                                .signature = op.one ? op.one->signature : 0,
                                                .unit = op.one ? op.one->size : 0,
                                                .owner = owner,
                                                .rank = rank,
                                                .small = target->bytes <= LARGEST_ELEMENT},
                                 order);
    span_fini(mpi, &span);
    return touch;
}

void
conflict_reach(struct touch *touch, struct touch_order *order, bool updates, bool reads)
{
    if (!touch || !vclock_try_lock()) /* a node has ended while it held the lock */
        return;
    struct bucket *bucket = &buckets[touch->owner];

    if (reads && (touch->small || touch->kind == TOUCH_ACCUMULATE))
        conflict_learn(bucket, touch->node, &touch->span, &order->got);
    if (reads && touch->small && touch->kind == TOUCH_GET)
        vclock_add_node(&order->got, touch->owner);
    if (updates) {
        vclock_drop(touch->gives);
        touch->gives = order->gives;
        if (touch->gives)
            touch->gives->references++;
    }
    if (updates && touch->small && touch->gives)
        vclock_add(&bucket->arrived, touch->gives->of);
    vclock_unlock();
}

void
conflict_got(const struct mpi *mpi, struct touch *touch, struct touch_order *order)
{
    if (!touch)
        return;
    vclock_lock();
    if (order->got && (touch->kind == TOUCH_ACCUMULATE || order->polls || touch->polling || !finding_watched))
        vclock_take(peal_world_rank(mpi->me), order->got);
    vclock_drop(order->gives);
    free(order->got);
    *order = (struct touch_order){.gives = NULL};
    vclock_unlock();
}

/* Remove an access from the set. */
static void
conflict_drop_touch(struct bucket *bucket, struct touch *touch)
{
    spans_remove(&bucket->set, &touch->span);
    touch_free(touch);
}

/* Merge the other access, of the same call and also complete, into this one, which is later. */
static bool
absorb(struct bucket *bucket, struct touch *touch, struct touch *other)
{
    char *begin = touch->span.begin, *end = touch->span.end;

    if (other == touch || other->open || !touch_is_alike(touch, other) || other->span.end < begin ||
        other->span.begin > end)
        return false;
    if (begin <= other->span.begin && other->span.end <= end) {
        conflict_drop_touch(bucket, other);
        return true;
    }
    if (other->end != touch->end ||
        (end > other->span.end ? end : other->span.end) - (begin < other->span.begin ? begin : other->span.begin) >
            LONG_TOUCH)
        return false;
    spans_remove(&bucket->set, &touch->span);
    touch->span.begin = begin < other->span.begin ? begin : other->span.begin;
    touch->span.end = end > other->span.end ? end : other->span.end;
    touch->small = false;
    conflict_drop_touch(bucket, other);
    spans_add(NULL, &bucket->set, &touch->span); /* it has room for both */
    return true;
}

static void
absorb_all(struct bucket *bucket, struct touch *touch)
{
    bool again = touch->span.count == 1;

    while (again) {
        const struct byte_span near = {touch->span.begin - 1, touch->span.end + 1, NULL, 1};

        again = false;
        for (size_t i = spans_first(&bucket->set, &near);
             i < bucket->set.count && bucket->set.list[i]->begin < near.end && !again; i++)
            again = absorb(bucket, touch, (struct touch *)bucket->set.list[i]);
    }
}

/* With the lock. */
static void
close_one(struct touch *touch)
{
    struct bucket *bucket = &buckets[touch->owner];

    if (--touch->shares > 0)
        return;
    touch->end = vclock_time(touch->node);
    touch->open = false;
    if (touch->kind < TOUCH_GET) {
        own_add(&bucket->own, &touch->span, touch->kind == TOUCH_STORE, (struct own_site){touch->site, touch->call},
                touch->end);
        conflict_drop_touch(bucket, touch);
    } else {
        absorb_all(bucket, touch);
    }
}

void
conflict_close(struct touch *touch)
{
    if (!touch)
        return;
    vclock_lock();
    close_one(touch);
    vclock_unlock();
}

void
conflict_wait(struct win *win, struct touch *touch)
{
    if (!touch)
        return;
    vclock_lock();
    if (touch->shares > 1) { /* one entry stands for all */
        touch->shares--;
    } else {
        touch->later = win->touches;
        win->touches = touch;
    }
    vclock_unlock();
}

void
conflict_flush(struct win *win, int rank)
{
    if (!win->touches)
        return;
    vclock_lock();
    for (struct touch **at = &win->touches; *at;) {
        struct touch *touch = *at;

        if (rank >= 0 && touch->rank != rank) {
            at = &touch->later;
            continue;
        }
        *at = touch->later;
        close_one(touch);
    }
    vclock_unlock();
}

/* ------------------------------------------------------------------ a node's own */

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
conflict_local(struct mpi *mpi, const struct byte_span *span, bool writes, bool blocking)
{
    const struct handle_table *table = &mpi->tables[KIND_WIN];
    int node = peal_world_rank(mpi->me);
    struct touch *touch;

    if (!vclock_is_kept())
        return NULL;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct win *win = table->slots[i].object;

        if (!win || win->flavor == MPI_WIN_FLAVOR_SHARED || !is_in(win, span))
            continue;
        touch = conflict_begin_touch(mpi, span,
                                     (struct touch){.kind = writes ? TOUCH_STORE : TOUCH_LOAD, .owner = node}, NULL);
        touch->later = blocking ? buckets[node].calling : NULL;
        buckets[node].calling = blocking ? touch : buckets[node].calling;
        return touch;
    }
    return NULL;
}

void
conflict_return(struct mpi *mpi)
{
    struct bucket *bucket = vclock_is_kept() ? &buckets[peal_world_rank(mpi->me)] : NULL;

    while (bucket && bucket->calling) {
        struct touch *touch = bucket->calling;

        bucket->calling = touch->later;
        conflict_close(touch);
    }
}

void
conflict_expose(const void *base, size_t bytes, bool more)
{
    if (finding_strict() && bytes > 0)
        peal_watch_expose(base, bytes, more);
}

void
conflict_set_up(const struct mpi *mpi, const struct win *win)
{
    const struct member *own = &win->members[win->comm->rank];
    int node = peal_world_rank(mpi->me);

    if (!vclock_is_kept() || !own->base || win->flavor == MPI_WIN_FLAVOR_SHARED || win->opened ||
        vclock_turns(node) != win->made)
        return;
    vclock_lock();
    own_forget(buckets[node].own, own->base, (size_t)own->size, NULL);
    vclock_unlock();
}

/* Compare the node's own access with those of calls to its memory. */
static void
conflict_compare(struct bucket *bucket, int node, const struct byte_span *span, bool writes, const char *site,
                 bool polls, struct race_list *races)
{
    bool small = span->end - span->begin <= LARGEST_ELEMENT;

    for (size_t i = spans_first(&bucket->set, span);
         i < bucket->set.count && bucket->set.list[i]->begin < span->end && races->count < MAX_RACES; i++) {
        const struct touch *touch = (const struct touch *)bucket->set.list[i];
        size_t bytes = touch->kind >= TOUCH_GET && (writes || !touch_only_reads(touch)) && !touch_is_before(touch, node)
                           ? span_overlap(span, &touch->span)
                           : 0;

        if (bytes == 0 || (polls && !writes))
            continue;
        struct race *race = &races->list[races->count++];

        race_note(race, touch_side(touch), touch_side_of_own(node, (struct own_site){site, NULL}, writes), node, bytes);
        race->undefined = !writes || touch_only_reads(touch);
        if (!writes && small)
            conflict_suspect(node, site, span->begin, true, races);
        else if (writes && touch_only_reads(touch) && touch->small && touch->polling)
            races->count--;
        else if (writes && touch_only_reads(touch) && touch->small && touch->node != node)
            conflict_suspect(touch->node, touch->site, touch->span.begin, false, races);
    }
}

/* The node compares something after MPI_Win_sync, or prints it: if it was waiting for what it has loaded, it polls. */
static void
compared(struct peal_node *me, uint64_t left, uint64_t right, size_t bytes)
{
    int node = peal_world_rank(me);
    struct bucket *bucket = vclock_is_kept() ? &buckets[node] : NULL;
    bool synced = mpi_nodes[node].call == mpi_call_names[CALL_Win_sync];

    if (bucket)
        vclock_lock();
    if (bucket && bytes > 0 && synced && polls_compared(&bucket->polls, left, right, bytes)) {
        for (int i = 0; i < bucket->polls.synced_count; i++) {
            const struct synced_load *load = &bucket->polls.synced[i];
            char *begin = (char *)(uintptr_t)load->at;

            polls_clear(&bucket->polls, load->site, load->at);
            conflict_learn(bucket, node, &(struct byte_span){begin, begin + load->bytes, NULL, 1}, NULL);
            own_forget(bucket->own, begin, load->bytes, load->site);
        }
        bucket->polls.synced_count = 0;
    }
    if (bucket && bytes == 0)
        polls_none(&bucket->polls);
    if (!bucket || !synced || bucket->polls.synced_count == SYNCED_LOADS)
        peal_watch_compares(me, NULL);
    if (bucket)
        vclock_unlock();
}

void
conflict_look(struct peal_node *me, const void *address, size_t bytes, bool writes, const char *site)
{
    int node = peal_world_rank(me);
    struct bucket *bucket = &buckets[node];
    char *begin = (char *)(uintptr_t)address;
    const struct byte_span span = {begin, begin + bytes, NULL, 1};
    struct race_list races = {.count = 0};

    if (!vclock_is_kept())
        return;
    vclock_lock();
    bool small = !writes && bytes <= LARGEST_ELEMENT;
    bool synced = small && mpi_nodes[node].call == mpi_call_names[CALL_Win_sync];
    bool polls = small && polls_again(&bucket->polls, me, site, begin);

    synced &= !polls && polls_synced(&bucket->polls, site, begin, bytes);
    polls |= synced && !peal_watch_compares(me, compared);

    if (polls) {
        conflict_learn(bucket, node, &span, NULL);
        own_forget(bucket->own, begin, bytes, site);
    }
    conflict_compare(bucket, node, &span, writes, site, polls, &races);
    if (!polls)
        own_add(&bucket->own, &span, writes, (struct own_site){site, NULL}, vclock_time(node));
    vclock_unlock();
    races_tell(me, &races);
}
