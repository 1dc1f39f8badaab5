/* SPDX-License-Identifier: MIT */
/* A thread that ends a run on the prover's thread once its time is up. */
#include "lib/child/watchdog.h"
#include "lib/base/clock.h"
#include "lib/machine/futex.h"
#include "lib/machine/monitor.h"

static struct {
    pthread_t thread;
    pthread_mutex_t lock;         /* held to end a run or change the machine */
    struct peal_machine *machine; /* that runs; NULL */
    uint64_t runs;                /* begun */
    int64_t limit, window;        /* nanoseconds */
    _Atomic uint32_t over;
    bool there;
} watchdog = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void *
watchdog_main(void *arg)
{
    const int64_t window = watchdog.window;
    struct time_spent spent = {0};
    uint64_t seen = 0;

    (void)arg;
    while (!atomic_load(&watchdog.over)) {
        futex_wait(&watchdog.over, 0, window + 1);
        pthread_mutex_lock(&watchdog.lock);
        if (watchdog.runs != seen)
            spent = peal_spent_begin(0);
        else if (watchdog.machine && peal_spent_look(&spent, window, false) >= watchdog.limit)
            machine_expire(watchdog.machine);
        seen = watchdog.runs;
        pthread_mutex_unlock(&watchdog.lock);
    }
    return NULL;
}

void
watchdog_begin(double seconds)
{
    watchdog.limit = seconds < 1e9 ? (int64_t)(seconds * 1e9) : INT64_MAX / 2;
    watchdog.window = peal_spent_window(seconds);
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
