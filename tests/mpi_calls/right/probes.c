/* nodes: 2 4 */
/* SPDX-License-Identifier: MIT */
/* Probe, Iprobe, Mprobe, Improbe, Mrecv, Imrecv; Bsend and its buffer; groups that meet without the others. */
#include "check.h"

static void
probes(int right, int left)
{
    int numbers[10], count = 0, flag = 0, *room;
    MPI_Status status;
    MPI_Request request, second;
    MPI_Message message;

    for (int i = 0; i < 10; i++)
        numbers[i] = rank * 10 + i;
    MPI_Isend(numbers, rank + 1, MPI_INT, right, 4, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    CHECK(status.MPI_SOURCE == left && count == left + 1);
    room = malloc((size_t)count * sizeof *room);
    MPI_Recv(room, count, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(room[0] == left * 10 && room[count - 1] == left * 10 + left);
    free(room);
    MPI_Wait(&request, MPI_STATUS_IGNORE);

    MPI_Isend(numbers, 2, MPI_INT, right, 5, MPI_COMM_WORLD, &request);
    MPI_Isend(numbers + 2, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &second);
    MPI_Mprobe(left, 5, MPI_COMM_WORLD, &message, &status);
    MPI_Recv(&count, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* the second: the first is kept */
    CHECK(count == left * 10 + 2);
    MPI_Mrecv(numbers + 5, 2, MPI_INT, &message, &status);
    CHECK(numbers[5] == left * 10 && numbers[6] == left * 10 + 1 && message == MPI_MESSAGE_NULL);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Wait(&second, MPI_STATUS_IGNORE);

    MPI_Isend(numbers, 1, MPI_INT, right, 6, MPI_COMM_WORLD, &request);
    while (!flag)
        MPI_Iprobe(left, 6, MPI_COMM_WORLD, &flag, &status);
    for (flag = 0; !flag;)
        MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, &status);
    CHECK(status.MPI_TAG == 6);
    MPI_Imrecv(&count, 1, MPI_INT, &message, &second);
    MPI_Wait(&second, &status);
    CHECK(count == left * 10 && status.MPI_SOURCE == left && status.MPI_TAG == 6);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(&count, 1, MPI_INT, &message, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
}

static void
buffered(int right, int left)
{
    int bytes = 1000 + MPI_BSEND_OVERHEAD, size_back = 0, in[50];
    char *buffer = malloc((size_t)bytes), *back;

    for (int i = 0; i < 50; i++)
        in[i] = rank;
    MPI_Buffer_attach(buffer, bytes);
    MPI_Bsend(in, 50, MPI_INT, right, 8, MPI_COMM_WORLD);
    in[7] = -1;
    MPI_Recv(in, 50, MPI_INT, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in[7] == left);
    MPI_Buffer_detach(&back, &size_back);
    CHECK(back == buffer && size_back == bytes);
    free(buffer);
}

/* Only the members call. */
static void
meeting(void)
{
    MPI_Group world, some;
    MPI_Comm comm;
    int members[2] = {size - 1, 0}, own = -1, sum;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &some);
    if (rank == 0 || rank == size - 1) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 3, &comm);
        MPI_Comm_rank(comm, &own);
        CHECK(own == (rank == 0));
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
        CHECK(sum == size - 1);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    probes((rank + 1) % size, (rank + size - 1) % size);
    buffered((rank + 1) % size, (rank + size - 1) % size);
    meeting();
    MPI_Finalize();
    return 0;
}
