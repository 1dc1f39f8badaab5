/* SPDX-License-Identifier: MIT */
/* What this machine allows: copies, wakes, switches, pages.  No Peal in it.
 *
 * Protocol (every figure the median of the repetitions, with the least and the greatest)
 *   memcpy        bytes from one buffer to another of the same size, again and again: touched, and in the cache that
 *                 they fit.  On one thread, then on one per core, each with buffers of its own; the rates are added up.
 *                 "first touch": into memory just mapped, once.
 *   futex ring    a hop of a token among bare threads (bench/ring.c), on one core; and free, where there are more.
 *   sched_yield   two threads on one core that yield to each other: a switch.
 *   jump          Boost's jump_fcontext from one stack to another and back, a jump: of two stacks; of 1024; of --stacks
 *                 that are gone through in a row.
 *   stack page    the first write to a page of a mapping like that of fibers' stacks.
 *
 *   limits [--repetitions=7] [--milliseconds=20] [--hops=200000] [--stacks=1000000] [--most=64]
 *          milliseconds: of a batch of copies; most: MiB of the largest copy */
#include "bench/bench.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int repetitions;
static double values[MAX_VALUES];

static void *
map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        give_up("no memory for %zu bytes", bytes);
    return memory;
}

/* ------------------------------------------------------------------ memcpy */

/* Called through this no copy is folded away. */
static void *(*volatile copy)(void *to, const void *from, size_t bytes) = memcpy;

struct copying {
    size_t bytes;
    double seconds; /* of a batch, about */
    double *rates;  /* one per thread, GB/s */
};

static void
copy_again(int thread, void *arg)
{
    struct copying *copying = arg;
    size_t bytes = copying->bytes;
    char *to = malloc(bytes), *from = malloc(bytes);
    double copies = 0, seconds = 0;

    if (!to || !from)
        give_up("no memory for two buffers of %zu bytes", bytes);
    memset(from, 1, bytes);
    memset(to, 2, bytes);
    for (double begin = now_seconds(); copies == 0 || seconds < copying->seconds; seconds = now_seconds() - begin)
        for (size_t done = 0; done < (size_t)1 << 18; done += bytes < 64 ? 64 : bytes, copies++)
            copy(to, from, bytes);
    copying->rates[thread] = copies * (double)bytes / seconds / 1e9;
    free(to);
    free(from);
}

static void
measure_copies(size_t bytes, int threads, double seconds)
{
    double rates[1024];
    struct copying copying = {.bytes = bytes, .seconds = seconds, .rates = rates};

    if (threads > 1024)
        threads = 1024;
    for (int r = 0; r < repetitions; r++) {
        run_threads(threads, 0, -1, copy_again, &copying);
        values[r] = 0;
        for (int i = 0; i < threads; i++)
            values[r] += rates[i];
    }
    figure("memcpy", "GB/s", values, repetitions, "\"bytes\": %zu, \"threads\": %d, \"memory\": \"touched\"", bytes,
           threads);
}

static void
measure_first_touch(size_t bytes)
{
    char *from = malloc(bytes);

    if (!from)
        give_up("no memory for %zu bytes", bytes);
    memset(from, 1, bytes);
    for (int r = 0; r < repetitions; r++) {
        void *to = map(bytes);
        double begin = now_seconds();

        copy(to, from, bytes);
        values[r] = (double)bytes / (now_seconds() - begin) / 1e9;
        munmap(to, bytes);
    }
    figure("memcpy", "GB/s", values, repetitions, "\"bytes\": %zu, \"threads\": 1, \"memory\": \"first touch\"", bytes);
    free(from);
}

/* ------------------------------------------------------------------ threads */

static void
measure_rings(int threads, bool free_threads, int hops)
{
    for (int r = 0; r < repetitions; r++)
        values[r] = measure_ring(threads, free_threads ? -1 : first_core(), hops);
    figure("futex ring", "ns", values, repetitions, "\"threads\": %d, \"cores\": %d", threads,
           free_threads ? core_count() : 1);
}

struct yielding {
    int times;
    double seconds[2];
};

static void
yield_again(int thread, void *arg)
{
    struct yielding *yielding = arg;
    double begin = now_seconds();

    for (int i = 0; i < yielding->times; i++)
        sched_yield();
    yielding->seconds[thread] = now_seconds() - begin;
}

static void
measure_yields(int times)
{
    struct yielding yielding = {.times = times};

    for (int r = 0; r < repetitions; r++) {
        run_threads(2, 0, first_core(), yield_again, &yielding);
        /* while both yield, each call is a switch there and one back, less what was not yet or no longer shared */
        values[r] =
            1e9 * (yielding.seconds[0] < yielding.seconds[1] ? yielding.seconds[0] : yielding.seconds[1]) / times / 2;
    }
    figure("sched_yield", "ns", values, repetitions, "\"threads\": 2, \"cores\": 1");
}

/* ------------------------------------------------------------------ stacks */

enum { PAGE = 4096 };

#if PEAL_FIBERS
struct transfer {
    void *context, *data;
};
struct transfer jump_fcontext(void *to, void *data);
void *make_fcontext(void *top, size_t bytes, void (*entry)(struct transfer));

static void
jump_back(struct transfer from)
{
    for (;;)
        from = jump_fcontext(from.context, NULL);
}

/* Jump to each of the stacks in turn, and back, about `jumps` times in all. */
static void
measure_jumps(int stacks, int jumps)
{
    size_t bytes = (size_t)stacks * PAGE;
    char *memory = map(bytes);
    void **contexts = malloc((size_t)stacks * sizeof *contexts);
    int laps = jumps / 2 / stacks > 1 ? jumps / 2 / stacks : 1;

    if (!contexts)
        give_up("no memory for %d contexts", stacks);
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    for (int i = 0; i < stacks; i++) /* tops at different lines of their pages, as those of fibers */
        contexts[i] = make_fcontext(memory + (size_t)(i + 1) * PAGE - (size_t)(i % 16) * 64, PAGE / 2, jump_back);
    for (int r = -1; r < repetitions; r++) { /* -1: warm-up */
        double begin = now_seconds();

        for (int lap = 0; lap < laps; lap++)
            for (int i = 0; i < stacks; i++)
                contexts[i] = jump_fcontext(contexts[i], NULL).context;
        if (r >= 0)
            values[r] = 1e9 * (now_seconds() - begin) / ((double)laps * stacks * 2);
    }
    figure("jump", "ns", values, repetitions, "\"stacks\": %d", stacks + 1);
    free(contexts);
    munmap(memory, bytes);
}
#endif

static void
measure_pages(int pages)
{
    size_t bytes = (size_t)pages * PAGE;

    for (int r = 0; r < repetitions; r++) {
        char *memory = map(bytes);

        madvise(memory, bytes, MADV_NOHUGEPAGE);
        double begin = now_seconds();
        for (size_t i = 0; i < bytes; i += PAGE)
            *(volatile char *)(memory + i) = 1;
        values[r] = 1e9 * (now_seconds() - begin) / pages;
        munmap(memory, bytes);
    }
    figure("stack page", "ns", values, repetitions, "\"pages\": %d", pages);
}

/* ------------------------------------------------------------------ all of them */

int
main(int argc, char **argv)
{
    static const size_t sizes[] = {8, 4096, (size_t)64 << 10, (size_t)1 << 20, (size_t)16 << 20, (size_t)64 << 20};
    static const int rings[] = {2, 8, 64, 1024};
    int asked = (int)option_number(argc, argv, "repetitions", 7);
    double seconds = option_number(argc, argv, "milliseconds", 20) / 1000;
    int hops = (int)option_number(argc, argv, "hops", 200000);
    int stacks = (int)option_number(argc, argv, "stacks", 1000000);
    size_t most = (size_t)option_number(argc, argv, "most", 64) << 20;

    refuse_unknown(argc, argv);
    repetitions = asked < MAX_VALUES ? asked : MAX_VALUES;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= most; i++) {
        measure_copies(sizes[i], 1, seconds);
        if (core_count() > 1)
            measure_copies(sizes[i], core_count(), seconds);
    }
    measure_first_touch(most);
    for (size_t i = 0; i < sizeof rings / sizeof *rings && rings[i] <= hops; i++)
        measure_rings(rings[i], false, hops);
    if (core_count() > 1)
        measure_rings(64, true, hops / 10 > 64 ? hops / 10 : 64);
    measure_yields(hops);
#if PEAL_FIBERS
    measure_jumps(1, hops * 10);
    if (stacks >= 1024)
        measure_jumps(1024, hops * 10);
    if (stacks > 1024)
        measure_jumps(stacks, stacks * 2);
#endif
    measure_pages(stacks < 65536 ? stacks : 65536);
    return 0;
}
