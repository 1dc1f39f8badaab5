/* SPDX-License-Identifier: MIT */
/* A ring of bare threads that pass a token: store to the next one's futex word, wake it, wait for one's own. */
#include "bench/bench.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct seat {
    _Alignas(64) atomic_uint token; /* 1 while the token is here */
};

struct ring {
    int threads, warm_up, laps; /* laps in all */
    struct seat *seats;
    double begin, end; /* written by thread 0 and by the last */
};

static void
pass_token(int i, void *arg)
{
    struct ring *ring = arg;
    atomic_uint *mine = &ring->seats[i].token, *next = &ring->seats[(i + 1) % ring->threads].token;

    for (int lap = 0; lap < ring->laps; lap++) {
        while (!atomic_load(mine))
            syscall(SYS_futex, mine, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        atomic_store(mine, 0);
        if (i == 0 && lap == ring->warm_up)
            ring->begin = now_seconds();
        atomic_store(next, 1);
        syscall(SYS_futex, next, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    if (i == ring->threads - 1)
        ring->end = now_seconds();
}

double
measure_ring(int threads, int core, int hops)
{
    int measured = hops / threads > 10 ? hops / threads : 10, warm_up = measured / 10;
    struct ring ring = {.threads = threads, .warm_up = warm_up, .laps = warm_up + measured};
    size_t bytes = (size_t)threads * sizeof *ring.seats;

    ring.seats = aligned_alloc(_Alignof(struct seat), bytes);
    if (!ring.seats)
        give_up("no memory for a ring of %d", threads);
    memset(ring.seats, 0, bytes);
    atomic_store(&ring.seats[0].token, 1);
    run_threads(threads, (size_t)64 * 1024, core, pass_token, &ring);
    free(ring.seats);
    return 1e9 * (ring.end - ring.begin) / ((double)measured * threads);
}
