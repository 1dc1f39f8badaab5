/* nodes: 1 2 3 5 8 */
/* SPDX-License-Identifier: MIT */
/* Every nonblocking collective, many outstanding at once, completed in any order with every wait and test; blocking
 * calls and messages meanwhile. */
#include "check.h"

enum { CALLS = 17, MAX = 16 };

static MPI_Comm other;
static int in[CALLS][MAX * MAX], out[CALLS][MAX * MAX], counts[MAX], displs[MAX];
static MPI_Datatype types[MAX];
static int bytes[MAX], pairs[MAX], places[MAX];

/* Fill the buffers and start all of them, on two communicators in turns. */
static void
start_all(MPI_Request *r, int root)
{
    MPI_Comm w = MPI_COMM_WORLD;

    for (int call = 0; call < CALLS; call++)
        for (int i = 0; i < MAX * MAX; i++) {
            in[call][i] = 10000 * call + 100 * rank + i;
            out[call][i] = -1;
        }
    for (int i = 0; i < size; i++) {
        counts[i] = 1 + i % 3;
        displs[i] = i ? displs[i - 1] + counts[i - 1] + 1 : 0;
        types[i] = MPI_INT;
        pairs[i] = 1 + (rank + i) % 2; /* of unequal all-to-alls */
        places[i] = 2 * i;
        bytes[i] = places[i] * (int)sizeof(int);
    }
    MPI_Ibarrier(w, &r[0]);
    if (rank == root)
        memcpy(out[1], in[1], sizeof in[1]);
    MPI_Ibcast(out[1], 5, MPI_INT, root, other, &r[1]);
    MPI_Igather(in[2], 2, MPI_INT, out[2], 2, MPI_INT, root, w, &r[2]);
    MPI_Igatherv(in[3], counts[rank], MPI_INT, out[3], counts, displs, MPI_INT, root, other, &r[3]);
    MPI_Iscatter(in[4], 3, MPI_INT, out[4], 3, MPI_INT, root, w, &r[4]);
    MPI_Iscatterv(in[5], counts, displs, MPI_INT, out[5], counts[rank], MPI_INT, root, w, &r[5]);
    MPI_Iallgather(in[6], 1, MPI_INT, out[6], 1, MPI_INT, w, &r[6]);
    MPI_Iallgatherv(in[7], counts[rank], MPI_INT, out[7], counts, displs, MPI_INT, other, &r[7]);
    MPI_Ialltoall(in[8], 2, MPI_INT, out[8], 2, MPI_INT, w, &r[8]);
    MPI_Ireduce(in[11], out[11], 4, MPI_INT, MPI_SUM, root, w, &r[11]);
    MPI_Iallreduce(in[12], out[12], 4, MPI_INT, MPI_SUM, other, &r[12]);
    MPI_Ireduce_scatter(in[13], out[13], counts, MPI_INT, MPI_SUM, w, &r[13]);
    MPI_Ireduce_scatter_block(in[14], out[14], 2, MPI_INT, MPI_SUM, w, &r[14]);
    MPI_Iscan(in[15], out[15], 3, MPI_INT, MPI_SUM, w, &r[15]);
    MPI_Iexscan(in[16], out[16], 3, MPI_INT, MPI_SUM, w, &r[16]);
    MPI_Ialltoallv(in[9], pairs, places, MPI_INT, out[9], pairs, places, MPI_INT, w, &r[9]);
    MPI_Ialltoallw(in[10], pairs, bytes, types, out[10], pairs, bytes, types, w, &r[10]);
}

static int
sum_of(int call, int element, int nodes)
{
    return nodes * (10000 * call + element) + 100 * (nodes * (nodes - 1) / 2);
}

static void
check_all(int root)
{
    for (int i = 0; i < 5; i++)
        CHECK(out[1][i] == 10000 + 100 * root + i);
    for (int i = 0; i < 2 * size && rank == root; i++)
        CHECK(out[2][i] == 20000 + 100 * (i / 2) + i % 2);
    for (int i = 0; i < 3; i++)
        CHECK(out[4][i] == 40000 + 100 * root + 3 * rank + i);
    for (int i = 0; i < size; i++)
        CHECK(out[6][i] == 60000 + 100 * i);
    for (int i = 0; i < 2 * size; i++)
        CHECK(out[8][i] == 80000 + 100 * (i / 2) + 2 * rank + i % 2);
    for (int i = 0; i < size; i++)
        for (int j = 0; j < 1 + (rank + i) % 2; j++)
            CHECK(out[9][2 * i + j] == 90000 + 100 * i + 2 * rank + j &&
                  out[10][2 * i + j] == out[9][2 * i + j] + 10000);
    for (int i = 0; i < 4; i++)
        CHECK((rank != root || out[11][i] == sum_of(11, i, size)) && out[12][i] == sum_of(12, i, size));
    for (int i = 0; i < 2; i++)
        CHECK(out[14][i] == sum_of(14, 2 * rank + i, size));
    for (int i = 0; i < 3; i++)
        CHECK(out[15][i] == sum_of(15, i, rank + 1) && (rank == 0 || out[16][i] == sum_of(16, i, rank)));
    int before = 0, place = 0;

    for (int i = 0; i < size; place += 2 + i % 3, before += 1 + i % 3, i++) {
        for (int j = 0; j < 1 + i % 3; j++) {
            CHECK(rank != root || out[3][place + j] == 30000 + 100 * i + j);
            CHECK(out[7][place + j] == 70000 + 100 * i + j);
            CHECK(i != rank || out[5][j] == 50000 + 100 * root + place + j);
            CHECK(i != rank || out[13][j] == sum_of(13, before + j, size));
        }
    }
}

/* Complete them in one of many ways. */
static void
complete(MPI_Request *r, int way)
{
    MPI_Status statuses[CALLS];
    int done = 0, flag = 0, index, indices[CALLS], left = CALLS;

    if (way == 0)
        MPI_Waitall(CALLS, r, statuses);
    else if (way == 1)
        for (int i = CALLS; i-- > 0;)
            MPI_Wait(&r[(i * 5 + rank) % CALLS], MPI_STATUS_IGNORE);
    else if (way == 2)
        for (; left > 0; left--) {
            MPI_Waitany(CALLS, r, &index, MPI_STATUS_IGNORE);
            CHECK(index >= 0 && index < CALLS);
        }
    else if (way == 3)
        for (; left > 0; left -= done)
            MPI_Waitsome(CALLS, r, &done, indices, MPI_STATUSES_IGNORE);
    else if (way == 4)
        while (!flag)
            MPI_Testall(CALLS, r, &flag, MPI_STATUSES_IGNORE);
    else if (way == 5)
        while (left > 0) {
            MPI_Testany(CALLS, r, &index, &flag, MPI_STATUS_IGNORE);
            left -= flag;
        }
    else
        while (left > 0) {
            MPI_Testsome(CALLS, r, &done, indices, MPI_STATUSES_IGNORE);
            left -= done;
        }
    for (int i = 0; i < CALLS; i++)
        CHECK(r[i] == MPI_REQUEST_NULL);
}

/* Freed while they are in use; data with gaps; an operator of the program's own that is not commutative. */
static void
second(void *left, void *right, int *length, MPI_Datatype *type)
{
    for (int i = 0; i < *length; i++)
        ((int *)right)[2 * i] += 0 * ((int *)left)[2 * i];
    (void)type;
}

static void
freed_early(void)
{
    int a[8], b[8] = {0};
    MPI_Comm comm;
    MPI_Datatype gaps;
    MPI_Op op;
    MPI_Request r[2];

    for (int i = 0; i < 8; i++)
        a[i] = 10 * rank + i;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &gaps);
    MPI_Type_commit(&gaps);
    MPI_Op_create(second, 0, &op);
    MPI_Iallreduce(a, b, 4, gaps, op, comm, &r[0]);
    MPI_Ibcast(&a[1], 3, gaps, size - 1, comm, &r[1]);
    MPI_Op_free(&op);
    MPI_Type_free(&gaps);
    MPI_Comm_free(&comm);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 4; i++)
        CHECK(b[2 * i] == 10 * (size - 1) + 2 * i && b[2 * i + 1] == 0);
    for (int i = 0; i < 3; i++)
        CHECK(a[2 * i + 1] == 10 * (size - 1) + 2 * i + 1);
}

static void
in_place(void)
{
    int a[MAX], b[4] = {rank, 1, 2, 3};
    MPI_Request r[2];

    for (int i = 0; i < size; i++)
        a[i] = i == rank ? 7 * rank : -1;
    MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, a, 1, MPI_INT, MPI_COMM_WORLD, &r[0]);
    MPI_Iallreduce(MPI_IN_PLACE, b, 4, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < size; i++)
        CHECK(a[i] == 7 * i);
    CHECK(b[0] == size - 1 && b[3] == 3);
}

static void
copies(void)
{
    MPI_Comm comm[3];
    MPI_Request r[3];
    int result, got = rank;

    for (int i = 0; i < 3; i++)
        MPI_Comm_idup(MPI_COMM_WORLD, &comm[i], &r[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++)
        MPI_Wait(&r[(i + rank) % 3], MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_compare(comm[i], MPI_COMM_WORLD, &result);
        CHECK(result == MPI_CONGRUENT);
        MPI_Bcast(&got, 1, MPI_INT, 0, comm[i]);
        MPI_Comm_free(&comm[i]);
    }
    CHECK(got == 0);
}

/* Data that MPI_Request_get_status calls complete are there, though the request lives on. */
static void
looked_at(void)
{
    int sum = -1, flag = 0;
    MPI_Request request;

    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
    CHECK(sum == size * (size - 1) / 2);
    sum = 7;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(sum == 7);
}

int
main(int argc, char **argv)
{
    MPI_Request requests[CALLS];

    begin(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int way = 0; way < 7; way++) {
        int mine = rank, came = -1, root = way % size, last = -1;

        start_all(requests, root);
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &came, 1, MPI_INT, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(came == (rank + size - 1) % size);
        MPI_Allreduce(&mine, &last, 1, MPI_INT, MPI_MAX, way % 2 ? MPI_COMM_WORLD : other);
        CHECK(last == size - 1);
        complete(requests, way);
        check_all(root);
    }
    freed_early();
    in_place();
    copies();
    looked_at();
    MPI_Comm_free(&other);
    MPI_Finalize();
    if (rank == 0)
        printf("nonblocking collectives on %d\n", size);
    return 0;
}
