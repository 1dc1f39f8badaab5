/* SPDX-License-Identifier: MIT */
/* nodes: 5 */
/* options: --explore */
/* exit: 0 */
/* error: peal: note: the program prints 24 different outputs, compared node by node: node 0 prints "1 2 3 4 "; if MPI_Recv of node 0 takes what node 2 sent (NAME.c:LINE), it prints "2 1 3 4 " */
/* error: 24 orders of arrival in 24 runs, all there are */
/* never: finding */
/* also: --explore -j 3 => 0 24 orders of arrival in 24 runs, all there are */
/* also: --explore -- named => 0 1 order of arrival in 1 run: nothing had a choice */
/* also: --explore -- tags => 0 1 order of arrival in 1 run: nothing had a choice */
/* also: -n 6 --explore -- apart => 0 3 orders of arrival in 5 runs, all there are */
/* also: -n 6 --explore -- joined => 0 4 orders of arrival in 10 runs, all there are */
/* also: --explore -- last => 1 (in 6 of 24 orders; others are right) */
/* also: --explore -- last => 1 also   --choices 2 | 3 | 1,3 | 2,3 | 3,2 */
/* also: --explore -- probe => 0 24 orders of arrival in 24 runs, all there are */
/* also: --explore -- mprobe => 0 24 orders of arrival in 24 runs, all there are */
/* also: --explore -- look => 0 360 orders of arrival in 501 runs, all in which each call says "not yet" at most 2 times */
/* also: --explore -- time => 0 other timings were not explored */
/* also: --choices 3,1 -- probe => 0 */
/* also: -n 3 --explore --strict -- ready => 0 2 orders of arrival in 2 runs, all there are */
/* also: --explore -- unsafe => 0 finding: deadlock-if-unbuffered */
/* also: --explore -- lent => 0 2 orders of arrival in 2 runs, all there are */
/* Numbers of orders that are known: those of n messages that one node receives are n!; a message that a receive cannot
 * take is not a choice; choices of nodes that exchange no messages add up. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

static void
give(int to, int tag)
{
    MPI_Send(&rank, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static int
take(int from, int tag)
{
    MPI_Status status;
    int word;

    MPI_Recv(&word, 1, MPI_INT, from, tag, MPI_COMM_WORLD, &status); /* HERE */
    return status.MPI_SOURCE;
}

/* Take a message that a probe has found. */
static int
take_found(const char *how)
{
    MPI_Status status;
    MPI_Message message;
    int word, flag = 0;

    if (how[0] == 'm') {
        MPI_Mprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        return word;
    }
    if (how[0] == 'p')
        MPI_Probe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    while (how[0] == 'l' && !flag)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
    return take(status.MPI_SOURCE, 0);
}

/* Nodes 0 and 3 each receive from the two nodes after them. */
static void
take_apart(void)
{
    if (rank % 3)
        give(rank - rank % 3, 0);
    for (int i = 0; i < 2 && rank % 3 == 0; i++)
        take(MPI_ANY_SOURCE, 0);
}

/* A message in ready mode finds its receive posted, whichever takes it. */
static void
take_ready(void)
{
    MPI_Request requests[2];
    int words[2];

    for (int i = 0; i < 2 && rank == 0; i++)
        MPI_Irecv(&words[i], 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank > 0)
        MPI_Rsend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Every node sends to the next one first, which needs buffers. */
static void
take_unsafe(void)
{
    give((rank + 1) % size, 0);
    take(MPI_ANY_SOURCE, 0);
}

/* Node 1's message to node 0 only comes in time if that to node 2, which is busy, is buffered. */
static void
take_lent(void)
{
    if (rank == 0) {
        take(MPI_ANY_SOURCE, 0);
        take(MPI_ANY_SOURCE, 0);
        give(2, 1);
    } else if (rank == 1) {
        give(2, 2);
        give(0, 0);
    } else if (rank == 2) {
        take(0, 1);
        take(1, 2);
    } else if (rank == 3) {
        give(0, 0);
    }
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int last = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "apart") == 0 || strcmp(how, "joined") == 0) {
        take_apart();
        if (how[0] == 'j')
            MPI_Barrier(MPI_COMM_WORLD);
    } else if (strcmp(how, "ready") == 0) {
        take_ready();
    } else if (strcmp(how, "unsafe") == 0) {
        take_unsafe();
    } else if (strcmp(how, "lent") == 0) {
        take_lent();
    } else if (rank > 0) {
        give(0, strcmp(how, "tags") == 0 ? rank : 0);
    } else {
        for (int i = 1; i < size; i++) {
            if (strcmp(how, "probe") == 0 || strcmp(how, "mprobe") == 0 || strcmp(how, "look") == 0)
                last = take_found(how);
            else
                last = take(strcmp(how, "named") == 0 ? i : MPI_ANY_SOURCE, strcmp(how, "tags") == 0 ? i : 0);
            printf("%d ", last);
        }
        puts("");
        if (strcmp(how, "time") == 0)
            MPI_Wtime();
    }
    MPI_Finalize();
    return strcmp(how, "last") == 0 && last == 4;
}
