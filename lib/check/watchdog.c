/* SPDX-License-Identifier: MIT */
/* A thread that ends a run of the prover's thread once it has used too much processor time, or has waited ten times
 * as long. */
#include "lib/check/watchdog.h"
#include "lib/machine/futex.h"

static struct {
    pthread_t thread, prover;
    pthread_mutex_t lock;         /* held to end a run or change the machine */
    struct peal_machine *machine; /* that runs; NULL */
    uint64_t runs;                /* begun */
    int64_t limit;                /* nanoseconds */
    _Atomic uint32_t over;
    bool there;
} watchdog = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The processor time that the prover's thread has used. */
static int64_t
nanoseconds_used(void)
{
    struct timespec used = {0};
    clockid_t clock;

    if (pthread_getcpuclockid(watchdog.prover, &clock) == 0)
        clock_gettime(clock, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

/* A run's time is its processor time, so that load on the machine ends none; it may wait for ten times as long. */
static void *
watchdog_main(void *arg)
{
    enum { LOOKS = 4, PATIENCE = 10 }; /* looks in the time limit of a run; multiple of that time for waiting */
    uint64_t seen = 0;
    int64_t used = 0, began = 0;

    (void)arg;
    while (!atomic_load(&watchdog.over)) {
        futex_wait(&watchdog.over, 0, watchdog.limit / LOOKS + 1);
        int64_t used_now = nanoseconds_used(), now_is = nanoseconds_now();

        pthread_mutex_lock(&watchdog.lock);
        if (watchdog.machine && watchdog.runs == seen &&
            (used_now - used >= watchdog.limit || (now_is - began) / PATIENCE >= watchdog.limit))
            machine_expire(watchdog.machine);
        if (watchdog.runs != seen) {
            seen = watchdog.runs;
            used = used_now;
            began = now_is;
        }
        pthread_mutex_unlock(&watchdog.lock);
    }
    return NULL;
}

void
watchdog_begin(double seconds)
{
    watchdog.limit = seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX / 2;
    watchdog.prover = pthread_self();
    watchdog.there = pthread_create(&watchdog.thread, NULL, watchdog_main, NULL) == 0;
}

bool
watchdog_there(void)
{
    return watchdog.there;
}

void
watchdog_end(void)
{
    if (!watchdog.there)
        return;
    atomic_store(&watchdog.over, 1);
    futex_wake(&watchdog.over, 1);
    pthread_join(watchdog.thread, NULL);
}

void
watchdog_watch(struct peal_machine *machine)
{
    if (!watchdog.there)
        return;
    pthread_mutex_lock(&watchdog.lock);
    watchdog.machine = machine;
    watchdog.runs += machine != NULL;
    pthread_mutex_unlock(&watchdog.lock);
}
