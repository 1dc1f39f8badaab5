/* SPDX-License-Identifier: MIT */
/* An empty program from start to end, and what it takes of memory; the same with many rounds.
 *
 * Protocol
 *   child    a process of its own that creates a machine of P nodes, default options but for the engine, in which every
 *            node makes a barrier and one reduce of a word; destroys the machine and exits.  With --rounds it also
 *            makes that many rounds of a ring, none of which is recorded.
 *   seconds  from before the process is made until it is gone, the loading of the library in it.  The first child is a
 *            warm-up.
 *   peak     the most that was resident of the child, program and libraries in it, as the kernel counted at its end.
 *
 *   empty [--threads] [--nodes=64] [--rounds=0] [--repetitions=11] */
#include "bench/bench.h"

#include <errno.h>
#include <peal/tools.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

static void
program(struct peal_node *me, void *arg)
{
    int64_t one = 1, other;
    int rank = peal_rank(me), size = peal_size(me);

    for (int rounds = *(const int *)arg; rounds > 0; rounds--)
        peal_sendrecv(me, &one, 1, (rank + 1) % size, &other, 1, (rank + size - 1) % size);
    peal_barrier(me);
    peal_reduce(me, PEAL_SUM_INT64, &one, 1, 0);
    if (peal_rank(me) == 0 && one != peal_size(me))
        peal_abort(me, "a wrong sum");
}

static void
be_the_child(const struct peal_options *options, int rounds)
{
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(options, &error);

    if (!machine)
        give_up("%s", error.text);
    const struct peal_failure *failure = peal_run(machine, program, &rounds);
    if (failure)
        give_up("%s", failure->message);
    peal_machine_destroy(machine);
}

/* Run this program as a child; gives its seconds, and its peak in MiB. */
static double
measure(char **argv, double *peak)
{
    char *child[] = {argv[0], (char[]){"--child"}, argv[1], argv[2], argv[3], NULL};
    struct rusage usage;
    int status, error;
    pid_t id;
    double begin = now_seconds();

    if ((error = posix_spawn(&id, "/proc/self/exe", NULL, NULL, child, environ)) != 0)
        give_up("a second process: %s", strerror(error));
    while (wait4(id, &status, 0, &usage) < 0 && errno == EINTR)
        ;
    double seconds = now_seconds() - begin;

    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        give_up("the empty program failed");
    *peak = (double)usage.ru_maxrss / 1024;
    return seconds;
}

int
main(int argc, char **argv)
{
    static double milliseconds[MAX_VALUES], peak[MAX_VALUES];
    bool child = option_flag(argc, argv, "child");
    struct peal_options options;

    peal_options_init(&options);
    options.engine = option_flag(argc, argv, "threads") ? "threads" : "fibers";
    options.nodes = (int)option_number(argc, argv, "nodes", 64);
    int repetitions = (int)option_number(argc, argv, "repetitions", 11);
    int rounds = (int)option_number(argc, argv, "rounds", 0);
    refuse_unknown(argc, argv);
    if (repetitions > MAX_VALUES)
        repetitions = MAX_VALUES;
    if (rounds > 0)
        options.rounds = PEAL_ROUNDS_NONE;
    if (child) {
        be_the_child(&options, rounds);
        return 0;
    }

    char nodes[32], ring[32], threads[] = "--threads", *arguments[4] = {argv[0], nodes};
    int given = 2;
    snprintf(nodes, sizeof nodes, "--nodes=%d", options.nodes);
    snprintf(ring, sizeof ring, "--rounds=%d", rounds);
    if (strcmp(options.engine, "threads") == 0)
        arguments[given++] = threads;
    if (rounds > 0)
        arguments[given++] = ring;
    for (int r = -1; r < repetitions; r++)
        milliseconds[r < 0 ? 0 : r] = 1e3 * measure(arguments, &peak[r < 0 ? 0 : r]);
    const char *work = rounds > 0 ? "many rounds" : "empty program";
    figure(work, "ms", milliseconds, repetitions, "\"nodes\": %d, \"engine\": \"%s\", \"rounds\": %d", options.nodes,
           options.engine, rounds);
    figure(rounds > 0 ? "peak of many rounds" : "peak", "MiB", peak, repetitions,
           "\"nodes\": %d, \"engine\": \"%s\", \"rounds\": %d", options.nodes, options.engine, rounds);
    return 0;
}
