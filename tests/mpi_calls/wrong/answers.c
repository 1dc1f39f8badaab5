/* SPDX-License-Identifier: MIT */
/* nodes: 4 */
/* options: --explore */
/* exit: 1 */
/* error: NAME.c:LINE: finding: order-dependent: MPI_Waitany of node 0 returns request 2, and the run ends with wrong-result: */
/* error: (in 2 of 6 orders; others are right) */
/* error: --choices 2 */
/* error: 6 orders of arrival in 6 runs, all there are */
/* also: --choices 2 => 1 */
/* also: --choices 1 => 0 */
/* also: --choices 3 => 2 or another choice there */
/* also: --explore -j 3 => 1 (in 2 of 6 orders; others are right) */
/* also: -n 1 --explore -- any => 0 1 order of arrival in 1 run: nothing had a choice */
/* also: -n 2 --explore -- any => 0 1 order of arrival in 1 run: nothing had a choice */
/* also: -n 5 --explore -- any => 0 24 orders of arrival in 24 runs, all there are */
/* also: --explore -- wild => 0 36 orders of arrival in 51 runs, all there are */
/* also: --explore -- late => 1 (in 2 of 4 orders; others are right) */
/* also: --explore -- some => 0 13 orders of arrival in 13 runs, all there are */
/* also: --explore -- most => 1 MPI_Waitsome of node 0 returns all that is complete */
/* also: --choices -3 -- most => 1 */
/* also: --explore -- pair => 1 MPI_Waitsome of node 0 returns request 0 2 alone */
/* also: --choices 5 -- pair => 1 */
/* also: -n 2 --explore --max-runs 20 -- many => 1 MPI_Waitsome of node 0 returns request 0 alone */
/* also: --explore -- test => 0 455 orders of arrival in 455 runs, all in which each call says "not yet" at most 12 times */
/* also: --explore -- noes => 1 MPI_Test of node 0 says "not yet" */
/* also: --choices -2 -- noes => 1 */
/* also: -n 2 --explore -- twice => 1 MPI_Iprobe of node 0 says "not yet", and the run ends with wrong-result */
/* also: -n 2 --choices -2 -- twice => 0 */
/* also: -n 2 --choices -2,-2 -- twice => 1 */
/* also: --explore -- all => 0 17 orders of arrival in 17 runs, all in which each call says "not yet" at most 16 times */
/* also: --explore -- testany => 0 504 orders of arrival in 504 runs, all in which each call says "not yet" at most 6 times */
/* also: --explore -- testsome => 0 468 orders of arrival in 468 runs, all in which each call says "not yet" at most 5 times */
/* also: --explore -- status => 0 17 orders of arrival in 17 runs, all in which each call says "not yet" at most 16 times */
/* also: --explore -- iprobe => 0 455 orders of arrival in 455 runs, all in which each call says "not yet" at most 12 times */
/* also: --explore -- anyprobe => 0 210 orders of arrival in 354 runs, all in which each call says "not yet" at most 4 times */
/* also: --explore -- improbe => 0 210 orders of arrival in 354 runs, all in which each call says "not yet" at most 4 times */
/* also: --explore -j 3 -- anyprobe => 0 210 orders of arrival in 354 runs, all in which each call says "not yet" at most 4 times */
/* also: --explore --timeout 5 --livelock-after 1000 -- never => 1 livelock: */
/* also: --explore -- collective => 0 17 orders of arrival in 17 runs, all in which each call says "not yet" at most 16 times */
/* also: --explore -- nobody => 0 1 order of arrival in 1 run: nothing had a choice */
/* also: -n 2 --explore --strict -- polls => 0 5 orders of arrival in 5 runs, all there are */
/* also: --explore -- stuck => 1 returns request 2, and the run ends with deadlock: nothing can move: node 0 waits in MPI_Recv */
/* also: --explore -- stuck => 1 answers.c:245: note: node 0 */
/* Numbers of orders that are known: n requests waited for one by one are n!, some at a time the ordered partitions of
 * a set of n; k times "not yet" at most before n answers come in C(k + n, n) ways. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MAX = 8 };

static int rank, size, words[MAX];
static MPI_Request requests[MAX];

static int
receive_all(int source)
{
    for (int i = 1; i < size; i++)
        MPI_Irecv(&words[i - 1], 1, MPI_INT, source < 0 ? source : i, 0, MPI_COMM_WORLD, &requests[i - 1]);
    return size - 1;
}

static int
wait_any(int source)
{
    int count = receive_all(source), index, last = 0;

    for (int i = 0; i < count; i++) {
        MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE); /* HERE */
        printf("%d ", index);
        last = i == 0 ? index : last;
    }
    puts("");
    return last;
}

/* Whether the first call returns all, or the first and the third, as `how` says. */
static int
wait_some(const char *how)
{
    int count = receive_all(0), done = 0, some, indices[MAX], wrong = 0;

    while (done < count) {
        MPI_Waitsome(count, requests, &some, indices, MPI_STATUSES_IGNORE);
        wrong |= how[0] == 'm' && some == 3;
        wrong |= how[0] == 'p' && done == 0 && some == 2 && indices[0] == 0 && indices[1] == 2;
        done += some;
    }
    return wrong;
}

static int
test_each(void)
{
    int count = receive_all(0), noes = 0, flag;

    for (int i = 0; i < count; i++)
        do {
            MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);
            noes += !flag;
        } while (!flag);
    return noes;
}

static void
test_any(void)
{
    int count = receive_all(0), flag, index;

    for (int i = 0; i < count; i += flag)
        MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
}

static void
probe(int source)
{
    int flag = 0;
    MPI_Status status;

    for (int i = 1; i < size; i++) {
        do {
            MPI_Iprobe(source < 0 ? source : i, 0, MPI_COMM_WORLD, &flag, &status);
        } while (!flag);
        MPI_Recv(words, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Tests that all is received, or is received first. */
static void
test_all(const char *how)
{
    int count = receive_all(0), flag = 0, some = 0, indices[MAX];

    while (how[0] == 'a' && !flag)
        MPI_Testall(count, requests, &flag, MPI_STATUSES_IGNORE);
    for (int done = 0; how[0] == 't' && done < count; done += some)
        MPI_Testsome(count, requests, &some, indices, MPI_STATUSES_IGNORE);
    while (how[0] == 's' && !flag)
        MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
    if (how[0] == 's')
        MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* Whether two looks find nothing. */
static int
look_twice(void)
{
    int flag = 0;

    for (int i = 0; i < 2 && !flag; i++)
        MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(words, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return !flag;
}

static void
matched_probe(void)
{
    MPI_Message message;

    for (int i = 1, flag; i < size; i += flag) {
        MPI_Improbe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
        if (flag)
            MPI_Mrecv(words, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
}

/* Node 2's message comes first only if node 1's is late: it is sent when node 3 has what node 1 then sends. */
static int
wait_for_late(void)
{
    int index = 0;

    if (rank == 0) {
        receive_all(0);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    } else if (rank == 3) {
        MPI_Recv(words, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(words, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(words, 1, MPI_INT, 2, 2, MPI_COMM_WORLD);
        MPI_Send(words, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        if (rank == 1)
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 3, 1, MPI_COMM_WORLD);
        if (rank == 2) {
            MPI_Recv(words, 1, MPI_INT, 3, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    return index == 1;
}

/* A collective on all nodes, tested on one. */
static void
test_collective(void)
{
    MPI_Request request;
    int flag = rank > 0;

    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Node 1 sends what is tested once node 0 has tested often enough. */
static void
test_often(void)
{
    int flag;

    if (rank == 1) {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        return;
    }
    MPI_Irecv(words, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, requests);
    for (int i = 0; i < 2 * size; i++)
        MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(words + 1, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(requests, MPI_STATUS_IGNORE);
}

static void
test_nobody(void)
{
    int flag = 0, index;

    for (int i = 0; i < 2; i++)
        MPI_Irecv(words, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[i]);
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

/* Receive what nobody sends if node 3's message is first. */
static void
get_stuck(void)
{
    int count = receive_all(0), index;

    MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    if (index == 2)
        MPI_Recv(words, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

/* Receive from all others as `how` says.  Gives whether something has come as it rarely does. */
static int
receive(const char *how)
{
    int got = 0, flag = 0;

    if (strcmp(how, "last") == 0)
        return wait_any(0) == 2;
    if (strcmp(how, "any") == 0 || strcmp(how, "wild") == 0)
        wait_any(how[0] == 'a' ? 0 : MPI_ANY_SOURCE);
    else if (strcmp(how, "some") == 0 || strcmp(how, "most") == 0 || strcmp(how, "pair") == 0)
        got = wait_some(how);
    else if (strcmp(how, "test") == 0 || strcmp(how, "noes") == 0)
        return test_each() == 1 && how[0] == 'n';
    else if (strcmp(how, "testany") == 0)
        test_any();
    else if (strcmp(how, "all") == 0 || strcmp(how, "testsome") == 0 || strcmp(how, "status") == 0)
        test_all(how);
    else if (strcmp(how, "iprobe") == 0 || strcmp(how, "anyprobe") == 0)
        probe(how[0] == 'i' ? 0 : MPI_ANY_SOURCE);
    else if (strcmp(how, "improbe") == 0)
        matched_probe();
    else if (strcmp(how, "twice") == 0)
        return look_twice();
    else if (strcmp(how, "stuck") == 0)
        get_stuck();
    while (strcmp(how, "never") == 0 && !flag)
        MPI_Iprobe(1, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return got;
}

/* More complete requests than a number of subsets has bits; wrong if the first comes alone. */
static int
wait_for_many(void)
{
    enum { MANY = 66 };
    MPI_Request all[MANY];
    int got[MANY], indices[MANY], count = 0, first = 0;

    for (int i = 0; i < MANY; i++)
        if (rank == 0)
            MPI_Irecv(&got[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &all[i]);
        else
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    for (int left = rank == 0 ? MANY : 0; left > 0; left -= count) {
        MPI_Waitsome(MANY, all, &count, indices, MPI_STATUSES_IGNORE);
        first |= left == MANY && count == 1 && indices[0] == 0;
    }
    return first;
}

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "last";
    int wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "late") == 0)
        wrong = wait_for_late();
    else if (strcmp(how, "collective") == 0)
        test_collective();
    else if (strcmp(how, "polls") == 0)
        test_often();
    else if (strcmp(how, "nobody") == 0)
        test_nobody();
    else if (strcmp(how, "many") == 0)
        wrong = wait_for_many();
    else if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    else
        wrong = receive(how);
    MPI_Finalize();
    return wrong;
}
