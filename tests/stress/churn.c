/* SPDX-License-Identifier: MIT */
/* Machines created and destroyed in a loop: never run, run once, run twice, two alive at the same time, of 1 to 64
 * nodes. After each turn the process must have as many threads and open files as before the first.
 *
 *   churn [TURNS] */
#include "tests/stress/stress.h"

#include <dirent.h>
#include <stdio.h>
#include <time.h>

static void
pass_on(struct peal_node *me, void *arg)
{
    int64_t token = 0;

    (void)arg;
    peal_alloc(me, 1 + (size_t)peal_rank(me));
    if (peal_rank(me) > 0)
        peal_recv(me, &token, 1, peal_rank(me) - 1);
    token += peal_rank(me);
    if (peal_rank(me) < peal_size(me) - 1)
        peal_send(me, &token, 1, peal_rank(me) + 1);
    else if (token != (int64_t)peal_size(me) * (peal_size(me) - 1) / 2)
        peal_abort(me, "the token lost count");
}

/* The number of entries in a directory of /proc/self. */
static int
entries(const char *path)
{
    DIR *directory = opendir(path);
    int count = 0;

    if (!directory)
        return -1;
    while (readdir(directory)) // NOLINT(concurrency-mt-unsafe)
        count++;
    closedir(directory);
    return count;
}

/* Whether the number of threads comes back to `threads`: one that was joined may take the kernel a moment to forget. */
static bool
threads_are_back(int threads)
{
    for (int i = 0; i < 2000; i++) {
        if (entries("/proc/self/task") <= threads)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

static bool
run(struct peal_machine *machine, int turn)
{
    const struct peal_failure *failure = peal_run(machine, pass_on, NULL);
    int nodes = peal_machine_options(machine)->nodes;

    totals.runs++;
    totals.rounds += peal_machine_schedule(machine)->round_count;
    totals.transfers += peal_machine_schedule(machine)->transfer_count;
    if (failure)
        printf("turn %d: %s\n", turn, failure->message);
    else if (peal_machine_cost(machine).alpha != nodes - 1)
        printf("turn %d: %d nodes took another number of rounds than %d\n", turn, nodes, nodes - 1);
    else
        return true;
    return false;
}

static struct peal_machine *
create(int turn, int which)
{
    struct peal_options options;
    struct peal_error error;
    uint64_t number = chance(1, (uint64_t)turn, (uint64_t)which, 0);

    peal_options_init(&options);
    options.nodes = 1 + (int)(number % MAX_NODES);
    options.carriers = (int)(number >> 16) & 3;
    options.wake_all = number >> 24 & 1;
    if (!options.wake_all && peal_fibers_built() && number >> 25 & 1)
        options.engine = "fibers";
    options.timeout_seconds = 100;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    if (!machine)
        printf("turn %d: %s\n", turn, error.text);
    return machine;
}

int
main(int argc, char **argv)
{
    int turns = how_many(argc, argv, 60), threads = 0, files = 0;
    bool good = true;

    for (int turn = 0; turn < turns && good; turn++) {
        struct peal_machine *first = create(turn, 0), *second = create(turn, 1);

        good = first && second;
        if (good && turn % 4 > 0)
            good = run(first, turn);
        if (good && turn % 4 > 1)
            good = run(second, turn);
        if (good && turn % 4 > 2)
            good = run(first, turn);
        peal_machine_destroy(first);
        peal_machine_destroy(second);
        if (turn == 3) { /* what a sanitizer or the library starts once is there by now */
            threads = entries("/proc/self/task");
            files = entries("/proc/self/fd");
        } else if (turn > 3 && good) {
            good = threads_are_back(threads) && entries("/proc/self/fd") == files;
            if (!good)
                printf("turn %d: %d threads and %d files, but %d and %d at the start\n", turn,
                       entries("/proc/self/task"), entries("/proc/self/fd"), threads, files);
        }
    }
    printf("churn: %d turns, %d machines, %d runs, %d rounds: %s\n", turns, 2 * turns, (int)totals.runs,
           (int)totals.rounds, good ? "all given back" : "NOT well");
    return good ? 0 : 1;
}
