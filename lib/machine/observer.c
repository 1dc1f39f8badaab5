/* SPDX-License-Identifier: MIT */
/* Progress: how far a run has come, for any thread to read while it goes on.
 *
 * Two snapshots take turns.  One is published; the other is asked for, filled between two rounds by whoever makes the
 * round, and then published in place of the first by the thread that called peal_run, the only publisher.  It waits until
 * nobody reads the first one any more, and asks for that next.  So a run allocates and frees nothing for it, a round costs
 * one look whether a snapshot is asked for, and readers hold up nobody but the publisher.
 *
 * ThreadSanitizer does not see liburcu's order of things; it is told what RCU promises where it promises it. */
#include "lib/machine/futex.h"
#include "lib/machine/machine.h"
#include "lib/machine/sanitize.h"
#include <stdlib.h>
#include <urcu/static/urcu-memb.h> /* whether a thread is registered */
#include <urcu/urcu-memb.h>

enum { LEAST_NANOSECONDS = 20 * 1000 }; /* between two snapshots: no thread wakes more often */

struct observer {
    struct peal_observer who;
    int64_t interval; /* nanoseconds */
    uint64_t runs;
    int64_t began, published_at;
    struct peal_progress snapshots[2];
    struct peal_progress *published; /* published by rcu_assign_pointer in publish(); seen by observer_enter() */
    struct peal_progress *next;      /* the other one: the publisher's, and the round's while `asked` */
    _Atomic bool asked; /* set by ask(), gives `next` to the round; cleared by observer_fill(), gives it back */

    pthread_t thread; /* that calls show */
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
fill(const struct peal_machine *machine, struct peal_progress *snapshot, bool running)
{
    *snapshot = (struct peal_progress){
        .run = machine->observer->runs,
        .running = running,
        .nodes = machine->options.nodes,
        .finished = machine->options.nodes - machine->unfinished,
        .rounds = machine->rounds_made,
        .cost = machine->round.cost,
        .copied_words = machine->host.copied_words,
        .seconds = (double)(nanoseconds_now() - machine->observer->began) * 1e-9,
    };
}

void
observer_fill(struct peal_machine *machine)
{
    struct observer *observer = machine->observer;

    /* acquire: the publisher has seen the last reader of `next` leave */
    if (!atomic_load_explicit(&observer->asked, memory_order_acquire))
        return;
    fill(machine, observer->next, true);
    atomic_store_explicit(&observer->asked, false, memory_order_release); /* the publisher may publish it */
}

/* Let the round fill `next`. */
static void
ask(struct observer *observer)
{
    atomic_store_explicit(&observer->asked, true, memory_order_release);
}

/* Show `next` to all readers from now on, and take back the former snapshot once nobody reads it. */
static void
publish(struct observer *observer)
{
    struct peal_progress *former = observer->published;

    __tsan_release(observer->next);
    rcu_assign_pointer(observer->published, observer->next);
    urcu_memb_synchronize_rcu();
    __tsan_acquire(former);
    observer->next = former;
}

int64_t
observer_wait(const struct peal_machine *machine, int64_t wait)
{
    const struct observer *observer = machine->observer;

    return observer && (wait == 0 || observer->interval < wait) ? observer->interval : wait;
}

void
observer_publish(struct peal_machine *machine, int64_t now)
{
    struct observer *observer = machine->observer;

    /* acquire: what the round wrote into `next` */
    if (!observer || now - observer->published_at < observer->interval ||
        atomic_load_explicit(&observer->asked, memory_order_acquire))
        return;
    observer->published_at = now;
    publish(observer);
    ask(observer);
}

/* ------------------------------------------------------------------ reading them */

const struct peal_progress *
observer_enter(const struct peal_machine *machine)
{
    urcu_memb_read_lock();

    struct peal_progress *snapshot = rcu_dereference(machine->observer->published);

    __tsan_acquire(snapshot);
    return snapshot;
}

void
observer_leave(const struct peal_progress *snapshot)
{
    __tsan_release((void *)(uintptr_t)snapshot);
    urcu_memb_read_unlock();
}

bool
peal_machine_progress(const struct peal_machine *machine, struct peal_progress *progress)
{
    bool registered = URCU_TLS(urcu_memb_reader).registered, inside = true;

    *progress = (struct peal_progress){0};
    if (!machine->observer)
        return false;
    if (self) { /* a node must not be interrupted while it reads: it would never be seen to leave */
        inside = self->inside;
        self->inside = true;
    }
    if (!registered)
        urcu_memb_register_thread();
    const struct peal_progress *snapshot = observer_enter(machine);

    *progress = *snapshot;
    observer_leave(snapshot);
    if (!registered)
        urcu_memb_unregister_thread();
    if (self)
        self->inside = inside;
    return true;
}

/* ------------------------------------------------------------------ showing them */

void
observer_take_screen(struct peal_machine *machine)
{
    struct observer *observer = machine->observer;

    if (!observer || !observer->who.hide)
        return;
    pthread_mutex_lock(&observer->screen);
    observer->who.hide(observer->who.arg);
}

void
observer_give_screen(struct peal_machine *machine)
{
    struct observer *observer = machine->observer;

    if (observer && observer->who.hide)
        pthread_mutex_unlock(&observer->screen);
}

static void *
show_main(void *arg)
{
    struct peal_machine *machine = arg;
    struct observer *observer = machine->observer;
    struct peal_progress progress;

    urcu_memb_register_thread();
    while (!atomic_load(&observer->over)) {
        futex_wait(&observer->over, 0, observer->interval);
        if (atomic_load(&observer->over))
            break;
        peal_machine_progress(machine, &progress);
        pthread_mutex_lock(&observer->screen);
        observer->who.show(&progress, observer->who.arg);
        pthread_mutex_unlock(&observer->screen);
    }
    urcu_memb_unregister_thread();
    return NULL;
}

/* ------------------------------------------------------------------ the run */

void
observer_begin(struct peal_machine *machine)
{
    struct observer *observer = machine->observer;

    if (!observer)
        return;
    observer->runs++;
    observer->began = observer->published_at = nanoseconds_now();
    fill(machine, observer->next, true);
    publish(observer);
    ask(observer);
    atomic_store(&observer->over, 0);
    /* where no thread is to be had, nothing is shown */
    observer->has_thread = observer->who.show && pthread_create(&observer->thread, NULL, show_main, machine) == 0;
}

void
observer_end(struct peal_machine *machine)
{
    struct observer *observer = machine->observer;

    if (!observer)
        return;
    atomic_store(&observer->asked, false); /* nobody makes rounds any more */
    fill(machine, observer->next, false);
    publish(observer);
    if (observer->has_thread) {
        atomic_store(&observer->over, 1);
        futex_wake(&observer->over, 1);
        pthread_join(observer->thread, NULL);
    }
    observer->has_thread = false;
    observer_take_screen(machine);
    observer_give_screen(machine);
}

void
observer_destroy(struct peal_machine *machine)
{
    if (!machine->observer)
        return;
    pthread_mutex_destroy(&machine->observer->screen);
    free(machine->observer);
    machine->observer = NULL;
}

enum peal_status
peal_machine_observe(struct peal_machine *machine, const struct peal_observer *observer, struct peal_error *error)
{
    observer_destroy(machine);
    if (!observer)
        return PEAL_OK;
    if (!(observer->seconds >= 0 && observer->seconds < 1e9))
        return peal_refuse(error, PEAL_USAGE, "%g seconds between two looks cannot be: from 0 to 1e9 they can",
                           observer->seconds);
    struct observer *made = calloc(1, sizeof *made);

    if (!made)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for an observer");
    made->who = *observer;
    made->interval = (int64_t)(observer->seconds * 1e9);
    if (made->interval < LEAST_NANOSECONDS)
        made->interval = LEAST_NANOSECONDS;
    made->published = &made->snapshots[0];
    made->next = &made->snapshots[1];
    made->snapshots[0].nodes = machine->options.nodes;
    pthread_mutex_init(&made->screen, NULL);
    machine->observer = made;
    return PEAL_OK;
}
