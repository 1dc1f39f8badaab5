/* SPDX-License-Identifier: MIT */
/* Performing a round's copies.  The thread that makes the round copies small rounds.  Large rounds are cut into several
 * parts a core; that thread and the copiers, which sleep until then, take one part after another, so none waits long
 * for another at the end. */
#include "lib/machine/copy.h"
#include "lib/base/clock.h"
#include "lib/base/unbacked.h"
#include "lib/machine/futex.h"
#include "lib/machine/hooks.h"
#include "lib/machine/machine.h"
#include <limits.h>
#include <stdlib.h>

/* A store to memory that is not in the cache reads it first.  Where a round copies so much that the present contents of
 * the cache are evicted before they are used again, long pieces are stored past the cache, which saves that reading. */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A round this large is worth waking another core: that takes up to 50 µs, in which one thread copies half a MiB.  When
 * rounds follow closely, the copiers are still awake: they spin for this long before they sleep. */
enum { LARGE_ROUND = 2 << 20, MAX_COPIERS = 64, AHEAD = 8, SPIN_NANOSECONDS = 100 * 1000, LOOKS = 64 };

/* Bytes of a piece that is worth storing past the cache; parts per core, and the least bytes of a part; places of
 * deliveries remembered. */
enum { LONG_PIECE = 16 << 10, PARTS = 8, MIN_PART = 128 << 10, SEEN = 256, DEFAULT_CACHE = 32 << 20 };

_Thread_local struct copy_guard *copy_guard;

struct copier {
    pthread_t thread;
    struct copiers *all;
};

/* When a round was delivered here. */
struct delivered {
    const void *to;  /* of its first copy */
    uint64_t copied; /* bytes by then */
};

struct copiers {
    int threads; /* with the maker of the round, which has no copier[0] */
    struct copier copier[MAX_COPIERS];
    uint64_t copied; /* bytes of all large rounds */
    size_t cache;    /* bytes of the last level */
    struct delivered seen[SEEN];

    /* set before `turn` is moved on, which publishes them to the copiers; constant until `left` is 0 */
    const struct copy *copies;
    size_t count, bytes, part;
    bool streams; /* long pieces go past the cache */
    bool ending;
    _Atomic size_t taken;  /* bytes of the parts already taken */
    _Atomic(void *) fault; /* where a part could not be copied; NULL when all could */
    _Atomic uint32_t turn;
    _Atomic uint32_t left; /* copiers not yet done: the last decrement publishes the words to the maker */
};

/* Copy past the cache.  The caller makes a store fence before it publishes the words. */
static void
copy_stream(char *to, const char *from, size_t bytes)
{
#ifdef __SSE2__
    size_t head = -(uintptr_t)to & 63, at = head;

    memcpy(to, from, head);
    for (; at + 64 <= bytes; at += 64) {
        const __m128i *line = (const __m128i *)(const void *)(from + at);
        __m128i a = _mm_loadu_si128(line), b = _mm_loadu_si128(line + 1), c = _mm_loadu_si128(line + 2),
                d = _mm_loadu_si128(line + 3);
        __m128i *place = (__m128i *)(void *)(to + at);

        __builtin_prefetch(from + at + 1024, 0, 0);
        _mm_stream_si128(place, a);
        _mm_stream_si128(place + 1, b);
        _mm_stream_si128(place + 2, c);
        _mm_stream_si128(place + 3, d);
    }
    memcpy(to + at, from + at, bytes - at);
#else
    memcpy(to, from, bytes);
#endif
}

static void
stream_fence(void)
{
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* A thread's position in the list: parts are taken in order, so it never goes back. */
struct position {
    size_t i, at; /* copies[i] begins after `at` bytes */
};

/* Copy bytes begin .. end. */
static void
copy_range(const struct copiers *all, struct position *position, size_t begin, size_t end)
{
    const struct copy *copies = all->copies;

    while (position->i < all->count && position->at + copies[position->i].bytes <= begin)
        position->at += copies[position->i++].bytes;
    size_t at = position->at;

    for (size_t i = position->i; i < all->count && at < end; at += copies[i++].bytes) {
        size_t low = begin > at ? begin - at : 0, high = end - at < copies[i].bytes ? end - at : copies[i].bytes;
        char *to = (char *)copies[i].to + low;
        const char *from = (const char *)copies[i].from + low;

        if (all->streams && high - low >= LONG_PIECE)
            copy_stream(to, from, high - low);
        else
            memcpy(to, from, high - low);
    }
}

static void
copies_copy_all(const struct copy *copies, size_t count)
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

/* A program may have passed a buffer that is not mapped: the handler (lib/child) then jumps back here with the address.
 * Copies bytes begin .. end of a large round, or with `all` NULL all of a small one. */
static void *
copy_guarded(const struct copiers *all, struct position *position, size_t begin, size_t end, const struct copy *copies,
             size_t count)
{
    struct copy_guard guard;

    if (copy_fails(guard)) {
        copy_guard = NULL;
        return guard.address;
    }
    copy_guard = &guard;
    if (all)
        copy_range(all, position, begin, end);
    else
        copies_copy_all(copies, count);
    copy_guard = NULL;
    return NULL;
}

/* Take parts and copy them until there are none. */
static void
copy_parts(struct copiers *all)
{
    struct position position = {0};

    for (size_t begin;
         (begin = atomic_fetch_add_explicit(&all->taken, all->part, memory_order_relaxed)) < all->bytes;) {
        size_t end = all->bytes - begin < all->part ? all->bytes : begin + all->part;
        void *fault = copy_guarded(all, &position, begin, end, NULL, 0);

        if (fault)
            atomic_store(&all->fault, fault);
    }
    stream_fence();
}

/* Spin for a while until the word changes; yield the core to others meanwhile. */
static void
copier_spin(const _Atomic uint32_t *word, uint32_t seen)
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
        copier_spin(&all->turn, seen);
        while (atomic_load(&all->turn) == seen)
            futex_wait(&all->turn, seen, 0);
        if (all->ending)
            return NULL;
        copy_parts(all);
        if (atomic_fetch_sub(&all->left, 1) == 1)
            futex_wake(&all->left, 1);
    }
}

static void
copiers_create(struct peal_machine *machine)
{
    struct copiers *all = calloc(1, sizeof *all);
    pthread_attr_t attributes;
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);

    if (!all)
        return;
    machine->copiers = all;
    all->cache = cache > 0 ? (size_t)cache : DEFAULT_CACHE;
    all->threads = 1;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 * 1024 + (size_t)PTHREAD_STACK_MIN);
    pthread_attr_setaffinity_np(&attributes, sizeof machine->phase.cores, &machine->phase.cores);
    while (all->threads < machine->phase.core_count && all->threads < MAX_COPIERS) {
        struct copier *copier = &all->copier[all->threads];

        copier->all = all;
        if (pthread_create(&copier->thread, &attributes, copier_main, copier) != 0)
            break; /* with fewer threads it is slower, and still correct */
        all->threads++;
    }
    pthread_attr_destroy(&attributes);
}

static void
next_turn(struct copiers *all)
{
    atomic_fetch_add(&all->turn, 1);
    futex_wake(&all->turn, MAX_COPIERS);
}

void
copiers_destroy(struct peal_machine *machine)
{
    struct copiers *all = machine->copiers;

    if (!all)
        return;
    all->ending = true;
    next_turn(all);
    for (int i = 1; i < all->threads; i++)
        pthread_join(all->copier[i].thread, NULL);
    free(all);
    machine->copiers = NULL;
}

/* Whether the delivered words leave the cache before they are used: the round is larger than the cache, or so much was
 * copied, read and written, since a round was last delivered to this place. */
static bool
leaves_cache(struct copiers *all, const void *to, size_t bytes)
{
    struct delivered *seen = &all->seen[((uintptr_t)to >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    bool again = seen->to == to && all->copied - seen->copied >= all->cache / 2;

    *seen = (struct delivered){to, all->copied};
    all->copied += bytes;
    return again || bytes >= all->cache;
}

/* Copy a large round with all threads. */
static void *
perform_together(struct copiers *all, const struct copy *copies, size_t count, size_t bytes)
{
    size_t part = bytes / (size_t)all->threads / PARTS;

    all->copies = copies;
    all->count = count;
    all->bytes = bytes;
    all->part = part < MIN_PART ? MIN_PART : (part + 4095) / 4096 * 4096;
    all->streams = leaves_cache(all, copies[0].to, bytes);
    atomic_store(&all->taken, 0);
    atomic_store(&all->fault, NULL);
    atomic_store(&all->left, (uint32_t)all->threads - 1);
    if (all->threads > 1)
        next_turn(all);
    copy_parts(all);
    for (uint32_t left; (left = atomic_load(&all->left)) > 0;) {
        copier_spin(&all->left, left);
        if (atomic_load(&all->left) == left)
            futex_wait(&all->left, left, 0);
    }
    return atomic_load(&all->fault);
}

/* ------------------------------------------------------------------ one-sided messages */

/* A peer's memory may overlap other copies of the round, so one thread does the accesses, one after the other. */
static void
access_memory(const struct peal_machine *machine, uint32_t id)
{
    const struct request *request = &machine->requests[id];
    const struct access *access = machine->extras[id].access;
    char *memory = access->memory;

    if (access->apply) {
        access->apply(memory, request->pieces[0].data, access->result, access->count, access->closure);
        return;
    }
    for (uint32_t i = 0; i < request->piece_count; i++) {
        const struct peal_piece *piece = &request->pieces[i];
        size_t bytes = piece->words * machine->options.word_bytes;

        if (bytes > 0 && request->kind == REQUEST_GET)
            memmove(piece->data, memory, bytes);
        else if (bytes > 0)
            memmove(memory, piece->data, bytes);
        memory += bytes;
    }
}

void *
accesses_perform(struct peal_machine *machine)
{
    const struct round *round = &machine->round;
    struct copy_guard guard;

    if (copy_fails(guard)) {
        copy_guard = NULL;
        return guard.address;
    }
    copy_guard = &guard;
    for (size_t i = 0; i < round->access_count; i++)
        access_memory(machine, round->accesses[i]);
    copy_guard = NULL;
    return NULL;
}

void *
copy_bytes(void *to, const void *from, size_t bytes)
{
    const struct copy copy = {.to = to, .from = from, .bytes = bytes};

    return bytes > 0 ? copy_guarded(NULL, NULL, 0, 0, &copy, 1) : NULL;
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
    if (unbacked_is_on()) { /* long messages store nothing */
        void *fault = NULL;

        for (size_t i = 0; i < count && !fault; i++)
            if (!unbacked_swallows(copies[i].to, copies[i].bytes))
                fault = copy_guarded(NULL, NULL, 0, 0, &copies[i], 1);
        return fault;
    }
    if (bytes >= LARGE_ROUND && !machine->copiers)
        copiers_create(machine);
    if (bytes < LARGE_ROUND || !machine->copiers)
        return copy_guarded(NULL, NULL, 0, 0, copies, count);
    return perform_together(machine->copiers, copies, count, bytes);
}
