/* SPDX-License-Identifier: MIT */
/* Threads that read the progress of runs without pause, as fast as snapshots are made.  Every snapshot must be one
 * moment's (its numbers agree), never an earlier one than the reader has seen, and must not change while it is held.
 *
 *   progress [RUNS] */
#include "lib/machine/progress.h"
#include "tests/stress/stress.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include <urcu/urcu-memb.h>

enum { NODES = 7, TURNS = 400, WORDS = 3, READERS = 3 };

/* Words go round and round: one transfer a round; one node prints now and then. */
static void
round_and_round(struct peal_node *me, void *arg)
{
    int64_t words[WORDS] = {0};
    int right = (peal_rank(me) + 1) % NODES, left = (peal_rank(me) + NODES - 1) % NODES;

    (void)arg;
    for (int turn = 0; turn < TURNS; turn++) {
        if (peal_rank(me) == 0)
            peal_send(me, words, WORDS, right);
        peal_recv(me, words, WORDS, left);
        if (peal_rank(me) != 0)
            peal_send(me, words, WORDS, right);
        if (peal_rank(me) == turn % 100)
            peal_printf(me, "turn %d\n", turn);
    }
}

struct reader {
    pthread_t thread;
    const struct peal_machine *machine;
    bool holds; /* reads by holding the snapshot, as the machine itself does; else by the public call */
    struct peal_progress last;
    uint64_t reads, changes, midway;
    const char *wrong;
};

static _Atomic bool over;

/* Note what is wrong with a snapshot, first by itself, then after the last one. */
static void
judge(struct reader *reader, const struct peal_progress *now)
{
    const struct peal_progress *last = &reader->last;
    int64_t rounds = (int64_t)now->rounds;

    if (now->cost.alpha != rounds || now->cost.beta != WORDS * rounds || now->copied_words != WORDS * now->rounds ||
        now->nodes != NODES || now->rounds > (uint64_t)NODES * TURNS)
        reader->wrong = "torn: its numbers are not of one moment";
    else if (now->run > 0 && !now->running && (now->rounds != (uint64_t)NODES * TURNS || now->finished != NODES))
        reader->wrong = "torn: it is said to be the end, and is not";
    else if (now->run < last->run || (now->run == last->run && (now->rounds < last->rounds ||
                                                                (now->running && !last->running && last->run > 0))))
        reader->wrong = "of an earlier moment than the one before";
    reader->changes += now->run != last->run || now->rounds != last->rounds;
    reader->midway += now->running && now->rounds > 0;
    reader->last = *now;
}

static bool
same(const struct peal_progress *a, const struct peal_progress *b)
{
    return a->run == b->run && a->running == b->running && a->finished == b->finished && a->rounds == b->rounds &&
           peal_cost_equal(a->cost, b->cost) && a->copied_words == b->copied_words && a->seconds == b->seconds;
}

static void *
read_on(void *arg)
{
    struct reader *reader = arg;
    struct peal_progress first, again;

    if (reader->holds)
        urcu_memb_register_thread();
    for (; !atomic_load(&over) && !reader->wrong; reader->reads++) {
        if (reader->holds) {
            const struct peal_progress *snapshot = progress_enter(reader->machine);

            first = *snapshot;
            dawdle();
            again = *(const volatile struct peal_progress *)snapshot;
            progress_leave(snapshot);
            if (!same(&first, &again))
                reader->wrong = "changed while it was held";
        } else {
            peal_machine_progress(reader->machine, &first);
            dawdle();
        }
        if (!reader->wrong)
            judge(reader, &first);
    }
    if (reader->holds)
        urcu_memb_unregister_thread();
    return NULL;
}

/* Guarded by the machine: it never calls two of these at a time. */
static struct screen {
    uint64_t shown, hidden;
    int inside;
    bool met;
} screen;

static void
show(const struct peal_progress *progress, void *arg)
{
    (void)progress, (void)arg;
    screen.met |= screen.inside++ > 0;
    screen.shown++;
    dawdle();
    screen.inside--;
}

static void
hide(void *arg)
{
    (void)arg;
    screen.met |= screen.inside++ > 0;
    screen.hidden++;
    screen.inside--;
}

static const char *
watched_runs(const char *engine, int runs, uint64_t *reads, uint64_t *changes, uint64_t *midway)
{
    const struct peal_observer observer = {.show = show, .hide = hide};
    struct reader readers[READERS] = {0};
    struct peal_options options;
    struct peal_error error;
    const char *wrong = NULL;

    peal_options_init(&options);
    options.nodes = NODES;
    options.engine = engine;
    options.timeout_seconds = 100;
    options.output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    struct peal_machine *machine = peal_machine_create(&options, &error);

    if (!machine || peal_machine_observe(machine, &observer, &error) != PEAL_OK) {
        printf("%s\n", error.text);
        return "no machine";
    }
    atomic_store(&over, false);
    for (int i = 0; i < READERS; i++) {
        readers[i].machine = machine;
        readers[i].holds = i > 0;
        pthread_create(&readers[i].thread, NULL, read_on, &readers[i]);
    }
    for (int run = 0; run < runs && !wrong; run++) {
        const struct peal_failure *failure = peal_run(machine, round_and_round, NULL);

        totals.runs++;
        totals.rounds += peal_machine_host(machine).rounds;
        if (failure) {
            printf("%s\n", failure->message);
            wrong = "a run failed";
        }
    }
    atomic_store(&over, true);
    for (int i = 0; i < READERS; i++) {
        pthread_join(readers[i].thread, NULL);
        if (readers[i].wrong)
            wrong = readers[i].wrong;
        *reads += readers[i].reads;
        *changes += readers[i].changes;
        *midway += readers[i].midway;
    }
    if (screen.met)
        wrong = "show and hide were called at the same time";
    peal_machine_destroy(machine);
    close(options.output);
    return wrong;
}

int
main(int argc, char **argv)
{
    int runs = how_many(argc, argv, 20);
    uint64_t reads = 0, changes = 0, midway = 0;
    const char *wrong = watched_runs("threads", runs, &reads, &changes, &midway);

    if (!wrong && peal_fibers_built())
        wrong = watched_runs("fibers", runs, &reads, &changes, &midway);
    if (!wrong && (midway == 0 || screen.shown == 0 || screen.hidden == 0))
        wrong = "no reader saw a run go on";
    printf("progress: %d runs, %" PRIu64 " rounds; %" PRIu64 " reads saw %" PRIu64 " changes, %" PRIu64
           " midway; shown %" PRIu64 " times, hidden %" PRIu64 ": %s\n",
           (int)totals.runs, totals.rounds, reads, changes, midway, screen.shown, screen.hidden,
           wrong ? wrong : "all of one moment");
    return wrong ? 1 : 0;
}
