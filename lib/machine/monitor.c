/* SPDX-License-Identifier: MIT */
/* The monitor: the thread that waits in peal_run for a run's end.  It spreads long phases, ends a run whose time is up,
 * and abandons one whose nodes cannot go on. */
#include "lib/machine/monitor.h"
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/machine/carrier.h"
#include "lib/machine/engine.h"
#include "lib/machine/failure.h"
#include "lib/machine/futex.h"
#include "lib/machine/hooks.h"
#include "lib/machine/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

/* The time is up: stop every node.  A node that still computes is interrupted, and reports itself. */
static void
expire(struct peal_machine *machine)
{
    crash_hooks->expires();
    failure_set(machine, NO_RANK, PEAL_TIMED_OUT, NULL, 0, "after %g second%s the run has not ended",
                machine->options.timeout_seconds, plural(machine->options.timeout_seconds));
    atomic_store(&machine->stopping, true);
}

static void
machine_interrupt(struct peal_machine *machine)
{
    for (int i = 0; i < machine->phase.carrier_count; i++) {
        const struct carrier *carrier = &machine->phase.carriers[i];
        struct node *node = atomic_load(&carrier->current);

        if (node)
            machine->engine->interrupt(carrier, node);
    }
}

void
machine_expire(struct peal_machine *machine)
{
    if (!atomic_load(&machine->stopping))
        expire(machine);
    machine_interrupt(machine);
}

/* Whether the thread waits for a word in memory: for a lock, say.  *joins becomes true if other processes could write
 * it: for the end of a thread, whose word the kernel writes.  Called while the heap may be locked. */
static bool
waits_for_word(pid_t thread, bool *joins)
{
    char path[64], call[80] = "", *rest; /* "202 0x7f0123456780 0x80 0x2 ...": the call's number, its arguments */

    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)thread);
    int in = open(path, O_RDONLY | O_CLOEXEC);

    if (in < 0)
        return false;
    if (read(in, call, sizeof call - 1) < 0)
        call[0] = '\0';
    close(in);
    if (strtol(call, &rest, 10) != SYS_futex || !strtoul(rest, &rest, 16))
        return false;
    *joins |= !(strtoul(rest, NULL, 16) & FUTEX_PRIVATE_FLAG);
    return true;
}

static void
look_for_work(void *works, int folder, const char *thread)
{
    bool joins;

    (void)folder;
    *(bool *)works |= atoi(thread) != gettid() && !waits_for_word(atoi(thread), &joins);
}

/* Whether another thread of this process does not wait so: it may be the one whose end is waited for, as no file says
 * which one that is. */
static bool
another_works(void)
{
    bool works = false;

    peal_threads_each(getpid(), look_for_work, &works);
    return works;
}

/* How many looks in a row saw that a node has failed and no other computes; when the last look was, and how much the
 * process had computed by then. */
struct standstill {
    int looks;
    int64_t looked, used;
};

/* Abandon this process when a node's thread is gone: it may have ended itself, by pthread_cancel or a system call.
 * Also when a node has failed, and for a second all running nodes have waited for words in memory while nothing was
 * computed: they wait for ever for locks that it held, that of stdout, say. */
static void
look_for_lost(struct peal_machine *machine, struct standstill *still, int64_t now)
{
    enum { IDLE = 16, LOOKS = 5 };
    const int64_t used = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID);
    struct node *node = NULL;
    bool joins = false;

    pthread_mutex_lock(&machine->reports.lock);
    bool locked = machine->reports.failed && !atomic_load(&machine->stopping) &&
                  used - still->used < (now - still->looked) / IDLE;
    pthread_mutex_unlock(&machine->reports.lock);
    *still = (struct standstill){still->looks, now, used};
    for (int i = 0; i < machine->phase.carrier_count; i++) {
        const struct carrier *carrier = &machine->phase.carriers[i];
        struct node *current = atomic_load(&carrier->current);
        pid_t task = current ? machine->engine->task(carrier, current) : 0;

        /* checked again: a thread that ends normally has passed its turn on before */
        if (task > 0 && syscall(SYS_tgkill, getpid(), task, 0) != 0 && errno == ESRCH &&
            atomic_load(&carrier->current) == current)
            crash_hooks->lose(current, NODE_THREAD);
        node = current ? current : node;
        locked = locked && (!current || waits_for_word(task, &joins));
    }
    locked = locked && !(joins && another_works());
    still->looks = locked && node ? still->looks + 1 : 0;
    if (still->looks == LOOKS)
        crash_hooks->lose(node, NODE_LOCKED);
}

/* The node that was running at the last check after the time was up, and since when, as the time is counted. */
struct stuck_node {
    const struct node *node;
    uint64_t phase;
    int64_t since;
};

/* Abandon this process when a node does not stop a second after its time is up.  A node that reports has longer: it
 * looks up a line. */
static void
stuck_node_abandon(struct peal_machine *machine, struct stuck_node *stuck, int64_t spent)
{
    enum { SECOND = 1000 * 1000 * 1000, REPORT = 5 };
    uint64_t phase = atomic_load_explicit(&machine->phase.number, memory_order_relaxed);
    struct node *node = NULL;

    for (int i = 0; i < machine->phase.carrier_count && !node; i++)
        node = atomic_load(&machine->phase.carriers[i].current);
    if (!node || node != stuck->node || phase != stuck->phase)
        *stuck = (struct stuck_node){node, phase, spent};
    else if (spent - stuck->since > (int64_t)SECOND * (node->ends ? REPORT : 1))
        crash_hooks->lose(node, NODE_STUCK);
}

void
machine_watch(struct peal_machine *machine, struct time_spent spent)
{
    enum { FIRST = 1000 * 1000, LONGEST = 20 * FIRST, LOOK = 250 * FIRST };
    struct stuck_node stuck = {.node = NULL};
    struct standstill still = {.looked = spent.looked};
    int64_t interval = FIRST, phase_seen_at = still.looked;
    int64_t limit = machine->options.timeout_seconds > 0 && machine->options.timeout_seconds < 1e9
                        ? (int64_t)(machine->options.timeout_seconds * 1e9)
                        : INT64_MAX;
    const int64_t began = spent.looked, window = peal_spent_window(machine->options.timeout_seconds);
    uint64_t phase = 0;
    bool sharing = machine->phase.carrier_count > 1 && machine->options.carriers == PEAL_CARRIERS_AUTO;

    while (!atomic_load(&machine->done)) {
        int64_t now, wait = sharing || atomic_load(&machine->stopping) ? interval : 0;

        if (limit != INT64_MAX)
            peal_spent_look(&spent, window, false);
        if (!atomic_load(&machine->stopping) && limit != INT64_MAX) {
            if (spent.counted >= limit) {
                expire(machine);
                continue;
            }
            if (wait == 0 || window < wait)
                wait = window;
        }
        futex_wait(&machine->done, 0, progress_wait(machine, wait == 0 || wait > LOOK ? LOOK : wait));
        if (atomic_load(&machine->done))
            break;
        now = nanoseconds_now();
        progress_publish(machine, now);
        if (now - still.looked >= LOOK)
            look_for_lost(machine, &still, now);
        if (atomic_load(&machine->stopping) && spent.counted >= limit) {
            machine_interrupt(machine);
            stuck_node_abandon(machine, &stuck, spent.counted);
            interval = interval * 2 < LONGEST ? interval * 2 : LONGEST; /* looking must not count as computing */
            continue;
        }
        uint64_t phase_now = atomic_load_explicit(&machine->phase.number, memory_order_relaxed);

        if (phase_now != phase) {
            phase = phase_now;
            phase_seen_at = now;
            interval = interval * 2 < LONGEST ? interval * 2 : LONGEST;
        } else if (sharing) {
            interval = FIRST;
            machine_rebalance(machine, now - phase_seen_at);
        }
    }
    /* The end of the run may be seen before its time limit: whether a run took too long does not depend on which came
     * first. */
    if (!machine->reports.failed && limit != INT64_MAX && nanoseconds_now() - began >= limit &&
        peal_spent_look(&spent, window, true) >= limit)
        expire(machine);
}
