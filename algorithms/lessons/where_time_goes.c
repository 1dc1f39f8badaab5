/* SPDX-License-Identifier: MIT */
/* Four programs of equal time on a line of eight nodes: one thing is changed at a time, to see what each waits for. */
#include "lesson.h"

enum { P = 8, LONG = 7008, SHARED = LONG / 4, WORK = 7007 };

/* A program, and what is changed of its work. */
struct exercise {
    char name; /* 'A' to 'D' */
    bool even; /* the work is shared */
};

static void
program(struct peal_node *me, void *arg)
{
    const struct exercise *which = arg;
    static int64_t x[P][LONG];
    int rank = peal_rank(me), left = (rank + P - 1) % P, right = (rank + 1) % P;

    switch (which->name) {
    case 'A': /* a word goes once around */
        if (rank > 0) peal_recv(me, x[rank], 1, left);
        peal_send(me, x[rank], 1, right);
        if (rank == 0) peal_recv(me, x[rank], 1, left);
        break;
    case 'B': /* a long vector to the neighbour */
        if (rank % 2 == 0) peal_send(me, x[rank], LONG, rank + 1);
        else peal_recv(me, x[rank], LONG, rank - 1);
        break;
    case 'C': /* a shorter one from each node of the left half to one of the right half */
        if (rank < P / 2) peal_send(me, x[rank], SHARED, rank + P / 2);
        else peal_recv(me, x[rank], SHARED, rank - P / 2);
        break;
    case 'D': /* node 7 computes, then node 0 gets a word of it */
        if (which->even) peal_compute(me, (WORK + P - 1) / P);
        else if (rank == P - 1) peal_compute(me, WORK);
        if (rank == P - 1) peal_send(me, x[rank], 1, 0);
        if (rank == 0) peal_recv(me, x[rank], 1, P - 1);
        break;
    }
}

/* The change that shortens a program's time most: 0 is α, 1 β, 2 the links, 3 the work. */
static int
change(struct peal_board *board, char name)
{
    double least = 0, times[5];
    int found = 0;

    for (int i = 0; i < 5; i++) { /* the last is without a change */
        struct exercise which = {name, i == 3};
        struct peal_options options = lesson_options(P, i == 2 ? "full" : "line");

        options.parameters.tau = 1;
        if (i == 0) options.parameters.alpha /= 2;
        if (i == 1) options.parameters.beta /= 2;
        times[i] = lesson_time(lesson_try(board, options, program, &which));
        if (i == 0 || times[i] < least) least = times[i], found = i;
    }
    lesson_show(board, "%8c %8.0f %8.1f %8.1f %12.0f %14.0f", name, times[4], times[0], times[1], times[2], times[3]);
    return found;
}

static void
run(struct peal_board *board)
{
    static const char *const causes[] = {"latency: the start-ups of messages that follow one another",
                                         "bandwidth: the words of one message",
                                         "congestion: k = 4 messages share the middle link",
                                         "waiting: node 0 waits for what node 7 computes"};
    static const char *const captions[] = {"a word goes once around", "7008 words to the neighbour",
                                           "1752 words from each left node to a right one",
                                           "7007 operations of node 7, then a word"};
    struct peal_cost costs[] = {{P, P, 0, 0}, {1, LONG, 0, 0}, {1, LONG, 0, 0}, {1, 1, 0, WORK}};

    for (int i = 0; i < 4; i++) {
        struct exercise which = {(char)('A' + i), false};
        struct peal_options options = lesson_options(P, "line");

        options.parameters.tau = 1;
        const struct peal_machine *machine =
            lesson_run(board, options, program, &which, "%c: %s", which.name, captions[i]);

        lesson_check_cost(board, "cost", peal_machine_cost(machine), costs[i], "8008 with α = 1000, β = τ = 1");
    }
    lesson_say(board, "One time does not say why. Change one thing at a time, and run again: half α, half β, a link "
                      "between every two nodes, the work shared by all.");
    lesson_show(board, "%8s %8s      α/2      β/2 %12s %14s", "program", "T", "full network", "work shared");
    int found[4];

    for (int i = 0; i < 4; i++)
        found[i] = change(board, (char)('A' + i));
    for (int i = 0; i < 4; i++)
        lesson_check(board, found[i] == i, "%c is %s", 'A' + i, causes[i]);
    lesson_answer(board, "A takes half of α best: its 8 messages follow one another, so a tree, with three of "
                         "them, would help. B and C both take half of β, and their costs are equal; only other "
                         "links tell them apart: in C each message alone would take 2752, so other partners "
                         "help, and B must send fewer words. In D no price of messages matters: the work is to "
                         "be shared. Of an MPI program, pealrun --json keeps the run, peal price --alpha, "
                         "--beta and --topology price it again, and pealrun --profile shows who waits for whom.");
}

const struct peal_lesson lesson_where_time_goes = {
    .id       = "WHERE",
    .title    = "Where the time of a program goes",
    .source   = "Grama et al. 2003, section 5.1",
    .code     = "where_time_goes.c",
    .question = "Four programs on a line of 8 nodes take 8008 each, with α = 1000, β = τ = 1: A sends a word "
                "once around, B 7008 words to the neighbour, C 1752 words from each node of the left half to one "
                "of the right half; in D node 7 computes 7007 operations and sends node 0 a word. Is it "
                "latency, bandwidth, congestion or waiting, and what would you change first?",
    .run      = run,
};
