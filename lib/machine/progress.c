/* SPDX-License-Identifier: MIT */
/* Progress: how far a run has come, for any thread to read while the run continues. */
#include "lib/machine/progress.h"
#include "lib/base/clock.h"
#include "lib/machine/futex.h"
#include "lib/machine/sanitize.h"
#include <stdlib.h>

/* Two snapshots take turns.  One is published; the other is asked for, filled between two rounds by the maker of the
 * round, and then published in place of the first by the thread that called peal_run, the only publisher.  The
 * publisher waits until no thread still reads the first one, and asks for that next.  So a run allocates and frees
 * nothing for it, a round only checks whether a snapshot is asked for, and readers delay only the publisher.
 *
 * ThreadSanitizer does not see liburcu's ordering; annotations declare RCU's guarantees to it. */
#if PEAL_THREADS
#include <urcu/static/urcu-memb.h> /* to ask whether a thread is registered */
#include <urcu/urcu-memb.h>
#else /* the publisher is the only reader */
#define rcu_assign_pointer(to, value) ((to) = (value))
#define rcu_dereference(from) (from)
#define URCU_TLS(variable) (variable)
static struct {
    bool registered;
} urcu_memb_reader = {true};
static inline void
urcu_memb_register_thread(void)
{
}
#define urcu_memb_unregister_thread urcu_memb_register_thread
#define urcu_memb_read_lock urcu_memb_register_thread
#define urcu_memb_read_unlock urcu_memb_register_thread
#define urcu_memb_synchronize_rcu urcu_memb_register_thread
#endif

enum { MIN_NANOSECONDS = 20 * 1000 }; /* between two snapshots: no thread wakes more often */

struct progress {
    struct peal_observer who;
    int64_t interval; /* nanoseconds */
    uint64_t runs;
    int64_t began, published_at;
    struct peal_progress snapshots[2];
    struct peal_progress
        *published;             /* published by rcu_assign_pointer in snapshot_publish(); seen by progress_enter() */
    struct peal_progress *next; /* the other one: the publisher's, and the round's while `asked` */
    _Atomic bool
        asked; /* set by snapshot_ask(), gives `next` to the round; cleared by progress_fill(), gives it back */

    pthread_t thread; /* the one that calls show */
    bool has_thread;
    _Atomic uint32_t over;
    pthread_mutex_t screen; /* held while show or hide is called, and while nodes print */
};

#if THREAD_SANITIZER
void __tsan_acquire(void *address);
void __tsan_release(void *address);
#else
static inline void
__tsan_acquire(void *address)
{
    (void)address;
}
static inline void
__tsan_release(void *address)
{
    (void)address;
}
#endif

/* ------------------------------------------------------------------ making snapshots */

static void
snapshot_fill(const struct peal_machine *machine, struct peal_progress *snapshot, bool running)
{
    *snapshot = (struct peal_progress){
        .run = machine->progress->runs,
        .running = running,
        .nodes = machine->options.nodes,
        .finished = machine->options.nodes - machine->phase.unfinished,
        .rounds = machine->rounds_made,
        .cost = machine->round.cost,
        .copied_words = machine->host.copied_words,
        .seconds = (double)(nanoseconds_now() - machine->progress->began) * 1e-9,
    };
}

void
progress_fill(struct peal_machine *machine)
{
    struct progress *progress = machine->progress;

    /* acquire: the publisher has seen the last reader of `next` leave */
    if (!atomic_load_explicit(&progress->asked, memory_order_acquire))
        return;
    snapshot_fill(machine, progress->next, true);
    atomic_store_explicit(&progress->asked, false, memory_order_release); /* the publisher may publish it */
}

/* Ask the round to fill `next`. */
static void
snapshot_ask(struct progress *progress)
{
    atomic_store_explicit(&progress->asked, true, memory_order_release);
}

/* Show `next` to all readers from now on, and reclaim the previous snapshot once no thread reads it. */
static void
snapshot_publish(struct progress *progress)
{
    struct peal_progress *former = progress->published;

    __tsan_release(progress->next);
    rcu_assign_pointer(progress->published, progress->next);
    urcu_memb_synchronize_rcu();
    __tsan_acquire(former);
    progress->next = former;
}

int64_t
progress_wait(const struct peal_machine *machine, int64_t wait)
{
    const struct progress *progress = machine->progress;

    return progress && (wait == 0 || progress->interval < wait) ? progress->interval : wait;
}

void
progress_publish(struct peal_machine *machine, int64_t now)
{
    struct progress *progress = machine->progress;

    /* acquire: what the round wrote into `next` */
    if (!progress || now - progress->published_at < progress->interval ||
        atomic_load_explicit(&progress->asked, memory_order_acquire))
        return;
    progress->published_at = now;
    snapshot_publish(progress);
    snapshot_ask(progress);
}

/* ------------------------------------------------------------------ reading them */

const struct peal_progress *
progress_enter(const struct peal_machine *machine)
{
    urcu_memb_read_lock();

    struct peal_progress *snapshot = rcu_dereference(machine->progress->published);

    __tsan_acquire(snapshot);
    return snapshot;
}

void
progress_leave(const struct peal_progress *snapshot)
{
    __tsan_release((void *)(uintptr_t)snapshot);
    urcu_memb_read_unlock();
}

bool
peal_machine_progress(const struct peal_machine *machine, struct peal_progress *progress)
{
    bool registered = URCU_TLS(urcu_memb_reader).registered, inside = true;

    *progress = (struct peal_progress){0};
    if (!machine->progress)
        return false;
    if (self) { /* a node must not be interrupted while it reads: the publisher would wait for it for ever */
        inside = self->inside;
        self->inside = true;
    }
    if (!registered)
        urcu_memb_register_thread();
    const struct peal_progress *snapshot = progress_enter(machine);

    *progress = *snapshot;
    progress_leave(snapshot);
    if (!registered)
        urcu_memb_unregister_thread();
    if (self)
        self->inside = inside;
    return true;
}

/* ------------------------------------------------------------------ showing them */

void
progress_take_screen(struct peal_machine *machine)
{
    struct progress *progress = machine->progress;

    if (!progress || !progress->who.hide)
        return;
    pthread_mutex_lock(&progress->screen);
    progress->who.hide(progress->who.arg);
}

void
progress_give_screen(struct peal_machine *machine)
{
    struct progress *progress = machine->progress;

    if (progress && progress->who.hide)
        pthread_mutex_unlock(&progress->screen);
}

static void *
show_main(void *arg)
{
    struct peal_machine *machine = arg;
    struct progress *progress = machine->progress;
    struct peal_progress snapshot;

    urcu_memb_register_thread();
    while (!atomic_load(&progress->over)) {
        futex_wait(&progress->over, 0, progress->interval);
        if (atomic_load(&progress->over))
            break;
        peal_machine_progress(machine, &snapshot);
        pthread_mutex_lock(&progress->screen);
        progress->who.show(&snapshot, progress->who.arg);
        pthread_mutex_unlock(&progress->screen);
    }
    urcu_memb_unregister_thread();
    return NULL;
}

/* ------------------------------------------------------------------ the run */

void
progress_begin(struct peal_machine *machine)
{
    struct progress *progress = machine->progress;

    if (!progress)
        return;
    progress->runs++;
    progress->began = progress->published_at = nanoseconds_now();
    snapshot_fill(machine, progress->next, true);
    snapshot_publish(progress);
    snapshot_ask(progress);
    atomic_store(&progress->over, 0);
    /* without a thread, nothing is shown */
    progress->has_thread = progress->who.show && pthread_create(&progress->thread, NULL, show_main, machine) == 0;
}

void
progress_end(struct peal_machine *machine)
{
    struct progress *progress = machine->progress;

    if (!progress)
        return;
    atomic_store(&progress->asked, false); /* no more rounds are made */
    snapshot_fill(machine, progress->next, false);
    snapshot_publish(progress);
    if (progress->has_thread) {
        atomic_store(&progress->over, 1);
        futex_wake(&progress->over, 1);
        pthread_join(progress->thread, NULL);
    }
    progress->has_thread = false;
    progress_take_screen(machine);
    progress_give_screen(machine);
}

void
progress_destroy(struct peal_machine *machine)
{
    if (!machine->progress)
        return;
    pthread_mutex_destroy(&machine->progress->screen);
    free(machine->progress);
    machine->progress = NULL;
}

enum peal_status
peal_machine_observe(struct peal_machine *machine, const struct peal_observer *observer, struct peal_error *error)
{
    progress_destroy(machine);
    if (!observer)
        return PEAL_OK;
    if (!(observer->seconds >= 0 && observer->seconds < 1e9))
        return peal_refuse(error, PEAL_USAGE, "%g seconds between two reports are out of range: expected 0 to 1e9",
                           observer->seconds);
    struct progress *made = calloc(1, sizeof *made);

    if (!made)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for an observer");
    made->who = *observer;
    made->interval = (int64_t)(observer->seconds * 1e9);
    if (made->interval < MIN_NANOSECONDS)
        made->interval = MIN_NANOSECONDS;
    made->published = &made->snapshots[0];
    made->next = &made->snapshots[1];
    made->snapshots[0].nodes = machine->options.nodes;
    pthread_mutex_init(&made->screen, NULL);
    machine->progress = made;
    return PEAL_OK;
}
