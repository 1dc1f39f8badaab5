/* nodes: 2 3 5 */
/* SPDX-License-Identifier: MIT */
/* What orders accesses to windows, other than fences: flags that are polled, atomic accesses, locks that a program
 * makes of them, messages, collectives of which each node knows only a part.  A strict run finds nothing. */
#include "check.h"

enum { FLAG, TICKET, NOW, LOCK, DATA, COUNT = DATA + 8 };

static int *memory, next, previous;
static MPI_Win win;

/* Begin a part with zeros everywhere, in an epoch of all. */
static void
start(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++)
        memory[i] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
}

static void
put(int to, int at, int value)
{
    MPI_Put(&value, 1, MPI_INT, to, at, 1, MPI_INT, win);
    MPI_Win_flush(to, win);
}

static int
get(int from, int at)
{
    int value = -1;

    MPI_Get(&value, 1, MPI_INT, from, at, 1, MPI_INT, win);
    MPI_Win_flush(from, win);
    return value;
}

static int
fetch(int from, int at, MPI_Op op, int value)
{
    int old = -1;

    MPI_Fetch_and_op(&value, &old, MPI_INT, from, at, op, win);
    MPI_Win_flush(from, win);
    return old;
}

/* Node 1 puts data at node 0, then a flag, for which node 0 polls in its own memory. */
static void
a_flag_that_is_put(void)
{
    volatile int *flag = &memory[FLAG];

    start();
    if (rank == 1) {
        put(0, DATA, 7);
        put(0, FLAG, 1);
    }
    while (rank == 0 && !*flag)
        MPI_Win_sync(win);
    if (rank == 0)
        CHECK(memory[DATA] == 7);
    if (rank == 0)
        memory[DATA] = 8;
    MPI_Win_unlock_all(win);
}

/* The flag is atomic, and another node than its owner polls for it. */
static void
a_flag_that_is_atomic(void)
{
    int last = size - 1;

    start();
    if (rank == 0) {
        put(1, DATA, 5);
        fetch(1, FLAG, MPI_REPLACE, 1);
    }
    if (rank == last) {
        while (fetch(1, FLAG, MPI_NO_OP, 0) != 1)
            ;
        CHECK(get(1, DATA) == 5);
        put(1, DATA, 6);
    }
    MPI_Win_unlock_all(win);
}

/* A lock of compare and swap: its holders put and get what it guards. */
static void
a_lock_of_swaps(void)
{
    const int free = 0, mine = rank + 1;
    int found = -1;

    start();
    do {
        MPI_Compare_and_swap(&mine, &free, &found, MPI_INT, 0, LOCK, win);
        MPI_Win_flush(0, win);
    } while (found != free);
    put(0, DATA, get(0, DATA) + 1);
    CHECK(fetch(0, LOCK, MPI_REPLACE, free) == mine);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(rank != 0 || memory[DATA] == size);
}

/* A lock of tickets. */
static void
a_lock_of_tickets(void)
{
    start();
    int ticket = fetch(0, TICKET, MPI_SUM, 1);

    while (fetch(0, NOW, MPI_NO_OP, 0) != ticket)
        ;
    put(0, DATA, get(0, DATA) + 1);
    fetch(0, NOW, MPI_SUM, 1);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(rank != 0 || memory[DATA] == size);
}

/* The window's own lock, whose holders do more than one access. */
static void
exclusive_locks(void)
{
    start();
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        if (rank == 0)
            memory[DATA]++;
        else
            put(0, DATA, get(0, DATA) + 1);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    CHECK(get(0, DATA) >= 3);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(rank != 0 || memory[DATA] == 3 * size);
}

/* A token goes round: sent, sent again by the same request, found by a probe, received by any means. */
static void
messages(void)
{
    int token = 0, flag = 0;
    MPI_Request request;

    start();
    for (int turn = 0; turn < 4; turn++) {
        if (rank > 0 || turn > 0) {
            while (turn == 1 && !flag)
                MPI_Iprobe(previous, turn - (rank == 0), MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Irecv(&token, 1, MPI_INT, previous, turn - (rank == 0), MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        put(0, DATA, get(0, DATA) + 1);
        if (rank < size - 1 || turn < 3) {
            MPI_Send_init(&token, 1, MPI_INT, next, turn, MPI_COMM_WORLD, &request);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Request_free(&request);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(rank != 0 || memory[DATA] == 4 * size);
}

/* A synchronous send is complete after its receive was posted: what its receiver did before is done. */
static void
synchronous_sends(void)
{
    MPI_Request request;
    int token = 0;

    start();
    if (rank == 0) {
        CHECK(memory[DATA] == 0);
        MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memory[DATA + 1] = 5;
        MPI_Irecv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (rank == 1) {
        MPI_Ssend(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        put(0, DATA, 7);
        MPI_Send(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Issend(&token, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        put(0, DATA + 1, 6);
    }
    MPI_Win_unlock_all(win);
}

/* Node 1 puts, all others get after a broadcast from it; they are done when their reduction has ended there. */
static void
collectives(void)
{
    int one = 1, sum = 0;
    MPI_Request request;
    MPI_Comm half, copy;

    start();
    if (rank == 1)
        put(0, DATA, 3);
    MPI_Bcast(&one, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (rank != 1)
        CHECK(rank == 0 ? memory[DATA] == 3 : get(0, DATA) == 3);
    MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
    if (rank == 1)
        put(0, DATA, 4);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    put(next, DATA + 1, rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    put(previous, DATA + 1, rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    CHECK(memory[DATA + 1] == next && (rank != 0 || memory[DATA] == 4));
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&half);
    MPI_Comm_free(&copy);
}

/* The nodes with one bit put where the others get, and the other way round. */
static void
post_and_start(void)
{
    MPI_Group all, to, from;
    int value = rank;

    start();
    MPI_Win_unlock_all(win);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &previous, &from);
    for (int i = 0; i < 3; i++) {
        memory[DATA] = -1;
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&value, 1, MPI_INT, next, DATA, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        CHECK(memory[DATA] == previous);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
}

/* Memory that all nodes share, in which stores order them, and another window beside it. */
static void
shared_memory(void)
{
    volatile int *shared, *first;
    int *own, unit;
    MPI_Aint bytes;
    MPI_Win there;

    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &there);
    MPI_Win_shared_query(there, 0, &bytes, &unit, &first);
    shared = first;
    *own = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, there);
    start();
    while (*shared != rank)
        MPI_Win_sync(there);
    put(0, DATA, get(0, DATA) + 1);
    MPI_Win_sync(there);
    *shared = rank + 1;
    MPI_Win_sync(there);
    MPI_Win_unlock_all(win);
    MPI_Win_unlock_all(there);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(rank != 0 || memory[DATA] == size);
    MPI_Win_free(&there);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Win_allocate(COUNT * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    a_flag_that_is_put();
    a_flag_that_is_atomic();
    a_lock_of_swaps();
    a_lock_of_tickets();
    exclusive_locks();
    messages();
    synchronous_sends();
    collectives();
    post_and_start();
    shared_memory();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
