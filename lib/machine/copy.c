/* SPDX-License-Identifier: MIT */
/* Performing a round's copies.  Small rounds are copied by whoever makes the round; large ones are cut into as many equal
 * parts as there are cores, and threads that sleep until then copy the others. */
#include "lib/machine/futex.h"
#include "lib/machine/machine.h"
#include <stdlib.h>
#include <string.h>

/* Worth waking another core: that takes up to 50 µs, in which one thread copies half a MiB.  Rounds that follow one another
 * closely find the copiers awake: they look for so long before they sleep. */
enum { LARGE_ROUND = 2 << 20, MOST_COPIERS = 64, AHEAD = 8, SPIN_NANOSECONDS = 100 * 1000, LOOKS = 64 };

static const size_t ALL = SIZE_MAX;

struct copier {
    pthread_t thread;
    struct copiers *all;
    int part;
};

struct copiers {
    struct peal_machine *machine;
    int parts; /* the maker of the round copies part 0 */
    struct copier copier[MOST_COPIERS];

    /* set before `turn` is moved on, which publishes them to the copiers; constant until `left` is 0 */
    const struct copy *copies;
    size_t count, bytes;
    bool ending;
    _Atomic(void *) fault; /* where a part could not be copied; NULL when all could */
    _Atomic uint32_t turn;
    _Atomic uint32_t left; /* parts not yet copied: the last decrement publishes the words to the maker */
};

static void
copy_range(const struct copy *copies, size_t count, size_t begin, size_t end)
{
    size_t at = 0; /* bytes before copies[i] */

    for (size_t i = 0; i < count && at < end; at += copies[i++].bytes) {
        size_t low = begin > at ? begin - at : 0, high = end - at < copies[i].bytes ? end - at : copies[i].bytes;

        if (low < high)
            memcpy((char *)copies[i].to + low, (const char *)copies[i].from + low, high - low);
    }
}

static void
copy_all(const struct copy *copies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            __builtin_prefetch(copies[i + AHEAD].from);
            __builtin_prefetch(copies[i + AHEAD].to, 1);
        }
        if (copies[i].bytes == 8) /* one word, mostly */
            memcpy(copies[i].to, copies[i].from, 8);
        else
            memcpy(copies[i].to, copies[i].from, copies[i].bytes);
    }
}

/* A program may have given us a buffer that is not there: the handler (crash.c) then comes back here with the address.
 * Copies bytes begin .. end, all of them if end is ALL. */
static void *
copy_guarded(const struct copy *copies, size_t count, size_t begin, size_t end)
{
    struct copy_guard guard;

    if (sigsetjmp(guard.jump, 0)) {
        copy_guard = NULL;
        return guard.address;
    }
    copy_guard = &guard;
    if (end == ALL)
        copy_all(copies, count);
    else
        copy_range(copies, count, begin, end);
    copy_guard = NULL;
    return NULL;
}

static void
copy_part(struct copiers *all, int part)
{
    size_t share = (all->bytes / (size_t)all->parts + 63) / 64 * 64;
    size_t begin = share * (size_t)part, end = part == all->parts - 1 ? all->bytes : begin + share;

    void *fault = copy_guarded(all->copies, all->count, begin < all->bytes ? begin : all->bytes, end);

    if (fault)
        atomic_store(&all->fault, fault);
}

/* Look whether the word has changed, for a while; others may have the core meanwhile. */
static void
spin(const _Atomic uint32_t *word, uint32_t seen)
{
    int64_t until = nanoseconds_now() + SPIN_NANOSECONDS;

    do {
        for (int i = 0; i < LOOKS; i++)
            if (atomic_load_explicit(word, memory_order_relaxed) != seen)
                return;
        sched_yield();
    } while (nanoseconds_now() < until);
}

static void *
copier_main(void *arg)
{
    struct copier *copier = arg;
    struct copiers *all = copier->all;

    for (uint32_t seen = 0;; seen++) {
        spin(&all->turn, seen);
        while (atomic_load(&all->turn) == seen)
            futex_wait(&all->turn, seen, 0);
        if (all->ending)
            return NULL;
        copy_part(all, copier->part);
        if (atomic_fetch_sub(&all->left, 1) == 1)
            futex_wake(&all->left, 1);
    }
}

static void
copiers_create(struct peal_machine *machine)
{
    struct copiers *all = calloc(1, sizeof *all);
    pthread_attr_t attributes;

    if (!all)
        return;
    machine->copiers = all;
    all->machine = machine;
    all->parts = 1;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * 1024 + (size_t)PTHREAD_STACK_MIN);
    pthread_attr_setaffinity_np(&attributes, sizeof machine->cores, &machine->cores);
    while (all->parts < machine->core_count && all->parts < MOST_COPIERS) {
        struct copier *copier = &all->copier[all->parts];

        *copier = (struct copier){.all = all, .part = all->parts};
        if (pthread_create(&copier->thread, &attributes, copier_main, copier) != 0)
            break; /* fewer threads copy more slowly, and as rightly */
        all->parts++;
    }
    pthread_attr_destroy(&attributes);
}

static void
next_turn(struct copiers *all)
{
    atomic_fetch_add(&all->turn, 1);
    futex_wake(&all->turn, MOST_COPIERS);
}

void
copiers_destroy(struct peal_machine *machine)
{
    struct copiers *all = machine->copiers;

    if (!all)
        return;
    all->ending = true;
    next_turn(all);
    for (int part = 1; part < all->parts; part++)
        pthread_join(all->copier[part].thread, NULL);
    free(all);
    machine->copiers = NULL;
}

void *
copies_perform(struct peal_machine *machine, const struct copy *copies, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += copies[i].bytes;
    machine->host.copies += count;
    if (bytes == 0)
        return NULL;
    machine->host.copied_words += bytes / machine->options.word_bytes;
    if (bytes >= LARGE_ROUND && !machine->copiers && machine->core_count > 1)
        copiers_create(machine);

    struct copiers *all = machine->copiers;

    if (bytes < LARGE_ROUND || !all || all->parts == 1) {
        return copy_guarded(copies, count, 0, ALL);
    }
    all->copies = copies;
    all->count = count;
    all->bytes = bytes;
    atomic_store(&all->fault, NULL);
    atomic_store(&all->left, (uint32_t)all->parts - 1);
    next_turn(all);
    copy_part(all, 0);
    for (uint32_t left; (left = atomic_load(&all->left)) > 0;) {
        spin(&all->left, left);
        if (atomic_load(&all->left) == left)
            futex_wait(&all->left, left, 0);
    }
    return atomic_load(&all->fault);
}
