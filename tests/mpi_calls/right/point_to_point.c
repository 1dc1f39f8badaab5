/* nodes: 1 2 3 7 */
/* SPDX-License-Identifier: MIT */
/* MPI_Send, Ssend, Rsend, Recv, Sendrecv, Sendrecv_replace, Isend, Issend, Irsend, Irecv, Wait, Waitall, Get_count. */
#include "check.h"

static int right, left;

static void
exchange(void)
{
    int out = rank, in = -1, count = 0;
    MPI_Status status;

    MPI_Sendrecv(&out, 1, MPI_INT, right, 5, &in, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &status);
    CHECK(in == left && status.MPI_SOURCE == left && status.MPI_TAG == 5);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(count == 1);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Sendrecv_replace(&out, 1, MPI_INT, left, 6, right, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(out == right);
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 5, &in, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &status);
    CHECK(in == left && status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
}

static void
post(void)
{
    MPI_Request requests[4];
    MPI_Status statuses[4];
    int got[2] = {-1, -1}, done = rank;

    MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&done, 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[2]);
    MPI_Issend(&done, 1, MPI_INT, left, 2, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, statuses);
    CHECK(got[0] == left && got[1] == right && statuses[0].MPI_SOURCE == left && statuses[1].MPI_TAG == 2);
    for (int i = 0; i < 4; i++)
        CHECK(requests[i] == MPI_REQUEST_NULL);
    MPI_Irecv(got, 2, MPI_INT, left, 3, MPI_COMM_WORLD, requests);
    MPI_Barrier(MPI_COMM_WORLD); /* all have posted it */
    MPI_Irsend(&done, 1, MPI_INT, right, 3, MPI_COMM_WORLD, requests + 1);
    MPI_Wait(requests, statuses);
    MPI_Wait(requests + 1, MPI_STATUS_IGNORE);
    CHECK(got[0] == left && got[1] == right); /* the second word is left alone */
}

/* Messages from one source with one tag do not overtake, whatever posts them. */
static void
order(void)
{
    int a = 1, b = 2, c = 3, got[3] = {0, 0, 0};
    MPI_Request requests[3];

    for (int i = 0; i < 3; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    MPI_Send(&a, 1, MPI_INT, right, 10, MPI_COMM_WORLD);
    MPI_Ssend(&b, 1, MPI_INT, right, 11, MPI_COMM_WORLD);
    MPI_Rsend(&c, 1, MPI_INT, right, 12, MPI_COMM_WORLD);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    CHECK(got[0] == 1 && got[1] == 2 && got[2] == 3);
}

/* A column of a matrix becomes a row. */
static void
column(void)
{
    double matrix[6][5], row[6];
    MPI_Datatype type;
    MPI_Request request;

    MPI_Type_vector(6, 1, 5, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < 30; i++)
        matrix[i / 5][i % 5] = rank * 100 + i;
    MPI_Irecv(row, 6, MPI_DOUBLE, left, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&matrix[0][2], 1, type, right, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < 6; i++)
        CHECK(row[i] == left * 100 + 5 * i + 2);
    MPI_Sendrecv_replace(&matrix[0][1], 1, type, right, 4, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 6; i++)
        CHECK(matrix[i][1] == left * 100 + 5 * i + 1 && matrix[i][2] == rank * 100 + 5 * i + 2);
    MPI_Type_free(&type);
    CHECK(type == MPI_DATATYPE_NULL);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    exchange();
    post();
    order();
    column();
    MPI_Finalize();
    return 0;
}
