/* SPDX-License-Identifier: MIT */
/* The reports that an observer gets of a run. */
#include "tests/machine/harness.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static struct peal_machine *
observed(struct peal_options options, struct peal_observer observer)
{
    struct peal_error error;
    struct peal_machine *machine = machine_from(options);

    cr_assert_eq(peal_machine_observe(machine, &observer, &error), PEAL_OK);
    return machine;
}

/* One word goes round twice: a transfer a round. */
static void
twice_round(struct peal_node *me, void *arg)
{
    int64_t token = 1;
    int P = peal_size(me), right = (peal_rank(me) + 1) % P, left = (peal_rank(me) + P - 1) % P;

    (void)arg;
    for (int turn = 0; turn < 2; turn++) {
        if (peal_rank(me) == 0)
            peal_send(me, &token, 1, right);
        peal_recv(me, &token, 1, left);
        if (peal_rank(me) != 0)
            peal_send(me, &token, 1, right);
    }
}

Test(progress, a_machine_without_one_reports_nothing, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(3), twice_round, NULL);
    struct peal_progress progress = {.rounds = 7};

    cr_expect_not(peal_machine_progress(machine, &progress));
    cr_expect_eq(progress.rounds, 0);
    cr_assert_eq(peal_machine_observe(machine, &(struct peal_observer){.seconds = 1}, NULL), PEAL_OK);
    cr_expect(peal_machine_progress(machine, &progress));
    cr_expect(progress.run == 0 && !progress.running && progress.nodes == 3 && progress.rounds == 0);
    cr_assert_eq(peal_machine_observe(machine, NULL, NULL), PEAL_OK);
    cr_expect_not(peal_machine_progress(machine, &progress));
    peal_machine_destroy(machine);
}

Test(progress, the_last_snapshot_is_the_end_of_the_run, .timeout = 20)
{
    struct peal_machine *machine = observed(options_for(5), (struct peal_observer){.seconds = 1});
    struct peal_progress progress;

    for (unsigned run = 1; run <= 2; run++) {
        cr_assert_null(peal_run(machine, twice_round, NULL));
        cr_assert(peal_machine_progress(machine, &progress));
        cr_expect_eq(progress.run, run);
        cr_expect_not(progress.running);
        cr_expect(progress.nodes == 5 && progress.finished == 5);
        cr_expect_eq(progress.rounds, 10);
        cr_expect_eq(progress.copied_words, 10);
        cr_expect(peal_cost_equal(progress.cost, (struct peal_cost){.alpha = 10, .beta = 10}));
        cr_expect(progress.seconds > 0);
    }
    peal_machine_destroy(machine);
}

static void
wait_for_ever(struct peal_node *me, void *arg)
{
    int64_t word = 0;

    (void)arg;
    peal_barrier(me);
    if (peal_rank(me) != 2)
        peal_recv(me, &word, 1, 2);
}

Test(progress, a_run_that_fails_ends_too, .timeout = 20)
{
    struct peal_machine *machine = observed(options_for(3), (struct peal_observer){.seconds = 1});
    struct peal_progress progress;

    cr_assert(peal_run(machine, wait_for_ever, NULL));
    cr_assert(peal_machine_progress(machine, &progress));
    cr_expect_not(progress.running);
    cr_expect_eq(progress.finished, 1);
    cr_expect_geq(progress.rounds, 2); /* the barrier's */
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ while it goes on */

static _Atomic bool enough;

static void
until_enough(struct peal_node *me, void *arg)
{
    int64_t on = 1;

    (void)arg;
    while (on) {
        if (peal_rank(me) == 0)
            on = !atomic_load(&enough);
        peal_broadcast(me, &on, 1, 0);
    }
}

/* Read until the run is seen to go on, twice. */
static void *
look(void *arg)
{
    struct peal_progress first = {0}, later = {0};

    while (!first.running || first.rounds == 0)
        peal_machine_progress(arg, &first);
    while (later.rounds <= first.rounds)
        peal_machine_progress(arg, &later);
    cr_expect(later.running && later.run == 1 && later.nodes == 4 && later.finished == 0);
    cr_expect_geq(later.seconds, first.seconds);
    atomic_store(&enough, true);
    return NULL;
}

Test(progress, any_thread_sees_rounds_being_made, .timeout = 30)
{
    pthread_t reader;
    struct peal_machine *machine = observed(options_for(4), (struct peal_observer){.seconds = 0.001});

    cr_assert_eq(pthread_create(&reader, NULL, look, machine), 0);
    cr_expect_null(peal_run(machine, until_enough, NULL));
    pthread_join(reader, NULL);
    peal_machine_destroy(machine);
}

static void
look_from_inside(struct peal_node *me, void *arg)
{
    struct peal_progress progress;

    do {
        int64_t out = 1, in = 0;

        peal_sendrecv(me, &out, 1, 0, &in, 1, 0); /* a round that carries something */
        cr_assert(peal_machine_progress(*(struct peal_machine **)arg, &progress));
        cr_assert(progress.running);
    } while (progress.rounds == 0);
    atomic_store(&enough, true);
}

Test(progress, a_node_may_look_too, .timeout = 30)
{
    struct peal_machine *machine = observed(options_for(1), (struct peal_observer){.seconds = 0});

    cr_expect_null(peal_run(machine, look_from_inside, &machine));
    peal_machine_destroy(machine);
}

static void
look_for_ever(struct peal_node *me, void *arg)
{
    struct peal_progress progress;

    for (;;)
        if (peal_rank(me) > 0 || !peal_machine_progress(*(struct peal_machine **)arg, &progress))
            break;
}

Test(progress, a_node_that_looks_for_ever_can_be_stopped, .timeout = 60)
{
    struct peal_options options = options_for(2);

    options.timeout_seconds = 0.1;
    struct peal_machine *machine = observed(options, (struct peal_observer){.seconds = 0});
    const struct peal_failure *failure = peal_run(machine, look_for_ever, &machine);

    cr_assert(failure);
    cr_expect_eq(failure->kind, PEAL_TIMED_OUT);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ show and hide */

enum { SHOWN = 300 }; /* often enough that one would fall between hiding and printing */

struct screen {
    struct peal_machine *machine;
    int shown, hidden, at_once;
    bool visible, run_over;
    int file; /* where the nodes print */
    off_t seen;
};

static void
show(const struct peal_progress *progress, void *arg)
{
    struct screen *screen = arg;

    cr_assert_eq(screen->at_once++, 0);
    cr_expect_eq(progress->run, 1);
    screen->visible = true;
    screen->seen = lseek(screen->file, 0, SEEK_END);
    if (++screen->shown == SHOWN)
        atomic_store(&enough, true);
    screen->at_once--;
}

static void
hide(void *arg)
{
    struct screen *screen = arg;

    cr_assert_eq(screen->at_once++, 0);
    if (screen->visible) /* nothing was printed since it was shown */
        cr_expect_eq(lseek(screen->file, 0, SEEK_END), screen->seen);
    screen->visible = false;
    screen->hidden++;
    screen->at_once--;
}

static void
print_until_enough(struct peal_node *me, void *arg)
{
    int64_t on = 1;

    (void)arg;
    for (int round = 0; on; round++) {
        if (peal_rank(me) == 0) {
            on = !atomic_load(&enough);
            peal_printf(me, "round %d\n", round);
        }
        peal_broadcast(me, &on, 1, 0);
    }
}

Test(progress, a_shown_report_is_hidden_before_nodes_print_and_at_the_end, .timeout = 30)
{
    FILE *out = tmpfile();
    struct screen screen = {.file = fileno(out)};
    struct peal_options options = options_for(2);

    options.output = screen.file;
    struct peal_machine *machine =
        observed(options, (struct peal_observer){.seconds = 1e-5, .show = show, .hide = hide, .arg = &screen});

    cr_expect_null(peal_run(machine, print_until_enough, NULL));
    cr_expect_geq(screen.shown, SHOWN);
    cr_expect_gt(screen.hidden, 0);
    cr_expect_not(screen.visible);
    peal_machine_destroy(machine);
    fclose(out);
}

Test(progress, times_that_cannot_be_are_refused, .timeout = 20)
{
    struct peal_machine *machine = machine_from(options_for(1));
    struct peal_error error;
    struct peal_progress progress;
    const double times[] = {-1, 1e9, 0.0 / 0.0};

    for (int i = 0; i < 3; i++) {
        cr_expect_eq(peal_machine_observe(machine, &(struct peal_observer){.seconds = times[i]}, &error), PEAL_USAGE);
        cr_expect(strstr(error.text, "seconds between two reports"), "%s", error.text);
        cr_expect_not(peal_machine_progress(machine, &progress));
    }
    peal_machine_destroy(machine);
}
