/* SPDX-License-Identifier: MIT */
#include "lib/check/keeper.h"
#include "lib/machine/futex.h"

static struct {
    pthread_t thread, prover;
    pthread_mutex_t lock;         /* held to end a run, and to have it over */
    struct peal_machine *machine; /* that runs; NULL */
    uint64_t runs;                /* begun */
    int64_t limit;                /* nanoseconds */
    _Atomic uint32_t over;
    bool there;
} keeper = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* What the prover's thread has had of the processor. */
static int64_t
nanoseconds_used(void)
{
    struct timespec used = {0};
    clockid_t clock;

    if (pthread_getcpuclockid(keeper.prover, &clock) == 0)
        clock_gettime(clock, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* A run's time is what it had of the processor, so that none is ended because others have it; it may wait for ten times as
 * long. */
static void *
keeper_main(void *arg)
{
    enum { LOOKS = 4, PATIENCE = 10 }; /* in the time that a run may take; times that */
    uint64_t seen = 0;
    int64_t used = 0, began = 0;

    (void)arg;
    while (!atomic_load(&keeper.over)) {
        futex_wait(&keeper.over, 0, keeper.limit / LOOKS + 1);
        int64_t used_now = nanoseconds_used(), now_is = nanoseconds_now();

        pthread_mutex_lock(&keeper.lock);
        if (keeper.machine && keeper.runs == seen &&
            (used_now - used >= keeper.limit || (now_is - began) / PATIENCE >= keeper.limit))
            machine_expire(keeper.machine);
        if (keeper.runs != seen) {
            seen = keeper.runs;
            used = used_now;
            began = now_is;
        }
        pthread_mutex_unlock(&keeper.lock);
    }
    return NULL;
}

void
keeper_begin(double seconds)
{
    keeper.limit = seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX / 2;
    keeper.prover = pthread_self();
    keeper.there = pthread_create(&keeper.thread, NULL, keeper_main, NULL) == 0;
}

bool
keeper_there(void)
{
    return keeper.there;
}

void
keeper_end(void)
{
    if (!keeper.there)
        return;
    atomic_store(&keeper.over, 1);
    futex_wake(&keeper.over, 1);
    pthread_join(keeper.thread, NULL);
}

void
keeper_watch(struct peal_machine *machine)
{
    if (!keeper.there)
        return;
    pthread_mutex_lock(&keeper.lock);
    keeper.machine = machine;
    keeper.runs += machine != NULL;
    pthread_mutex_unlock(&keeper.lock);
}
