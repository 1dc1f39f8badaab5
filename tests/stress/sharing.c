/* SPDX-License-Identifier: MIT */
/* Lists shared in the middle of a phase: the lower half of the nodes computes for longer than waking a core costs,
 * while the upper half, and so the carrier that has it, has nothing to do but wait.  The monitor then gives that
 * carrier half of what is left, as often as it looks.  Every node must run exactly once a turn.  The runs last longer
 * than the monitor waits before it looks whether a node's thread has died, so ThreadSanitizer sees that look beside
 * working carriers. */
#include "tests/stress/stress.h"

#include <stdio.h>
#include <time.h>

/* sharing [TURNS] */

enum { NODES = 8, COMPUTING = 30 * 1000 * 1000 /* nanoseconds: longer than the monitor's sleep */ };

static int turns;

static int64_t
nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
compute_below(struct peal_node *me, void *arg)
{
    struct stage *stage = arg;
    int half = peal_size(me) / 2, rank = peal_rank(me);
    int64_t mine = rank, left = 0;

    for (int turn = 0; turn < turns && rank < half; turn++) {
        int64_t until = nanoseconds() + COMPUTING / (rank * rank + 1); /* so either carrier may be the last to end */

        while (nanoseconds() < until)
            continue;
        peal_sendrecv(me, &mine, 1, (rank + 1) % half, &left, 1, (rank + half - 1) % half);
        mine = left + 1;
    }
    if (rank < half)
        peal_send(me, &mine, 1, rank + half);
    else
        peal_recv(me, &mine, 1, rank - half);
    saw(stage, me, (uint64_t)mine);
}

/* Run once on that engine; whether every node ran exactly once a turn. */
static bool
share(const char *engine)
{
    struct stage stage = {0};
    struct peal_options options;
    struct peal_error error;

    peal_options_init(&options);
    options.nodes = NODES;
    options.engine = engine;
    options.timeout_seconds = 100;
    struct peal_machine *machine = peal_machine_create(&options, &error);

    if (!machine) {
        printf("%s\n", error.text);
        return false;
    }
    const struct peal_failure *failure = peal_run(machine, compute_below, &stage);
    bool good = !failure;

    if (failure)
        printf("%s\n", failure->message);
    for (int rank = 0; rank < NODES && good; rank++) {
        int half = NODES / 2, from = (rank % half - turns % half + half) % half; /* who the word set out from */

        good = stage.digest[rank] == mix(0 + mix((uint64_t)(from + turns) + 1));
    }
    printf("sharing: %s: %d turns on %d carriers: %s\n", engine, turns, peal_machine_host(machine).carriers,
           good ? "every node ran once a turn" : "WRONG");
    peal_machine_destroy(machine);
    return good;
}

int
main(int argc, char **argv)
{
    turns = how_many(argc, argv, 10);
    bool good = share("threads");

    if (peal_fibers_built())
        good = share("fibers") && good;
    return good ? 0 : 1;
}
