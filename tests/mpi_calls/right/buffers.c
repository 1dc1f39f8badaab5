/* nodes: 2 */
/* SPDX-License-Identifier: MIT */
/* The buffer of buffered sends is one piece: carried messages free their room; it is returned when all are. */
#include "check.h"

enum { BYTES = 100 };

static char data[BYTES];

static void
from(void)
{
    int room = 2 * (BYTES + MPI_BSEND_OVERHEAD), length;
    char *buffer = malloc((size_t)room), *back;
    MPI_Request request, started;

    MPI_Buffer_attach(buffer, room);
    MPI_Bsend_init(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &started);
    MPI_Bsend(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Ibsend(data, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(MPI_Bsend(data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER); /* full: no receive is posted yet */
    CHECK(MPI_Ibsend(data, 1, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request) == MPI_ERR_BUFFER);
    CHECK(MPI_Start(&started) == MPI_ERR_BUFFER);
    CHECK(MPI_Bsend(data, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
    MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* one was received */
    CHECK(MPI_Start(&started) == MPI_SUCCESS);
    MPI_Wait(&started, MPI_STATUS_IGNORE);
    MPI_Request_free(&started);
    MPI_Send(NULL, 0, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Buffer_detach(&back, &length);
    CHECK(back == buffer && length == room);
    CHECK(getenv("THEY_WERE_RECEIVED") != NULL); /* nodes share the environment */
    CHECK(MPI_Bsend(data, 0, MPI_CHAR, 1, 0, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
    free(buffer);
}

static void
to(void)
{
    int flag;

    MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    MPI_Recv(NULL, 0, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 20; i++)
        MPI_Iprobe(0, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    setenv("THEY_WERE_RECEIVED", "1", 1);
    MPI_Recv(data, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    unsetenv("THEY_WERE_RECEIVED");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Barrier(MPI_COMM_WORLD);
    (rank == 0 ? from : to)();
    MPI_Finalize();
    return 0;
}
