/* SPDX-License-Identifier: MIT */
/* nodes: 3 */
/* exit: 1 */
/* error: deadlock: nothing can move: node 0 waits in MPI_Finalize for node 1 (near_miss.c: */
/* error: node 1 waits in MPI_Recv to receive 4 bytes with tag 7 from node 0 (near_miss.c: */
/* error: the message of node 0 (NAME.c:LINE1) and the receive of node 1 (NAME.c:LINE2) do not match: the tags differ: 0 and 7 */
/* never: unless messages are buffered */
/* also: -- comm => 1 do not match: the communicators differ: MPI_COMM_WORLD and a communicator of 3 nodes made by MPI_Comm_dup at near_miss.c:30 */
/* also: -- both => 1 made by MPI_Comm_dup at near_miss.c:30; the tags differ: 0 and 7 */
/* also: -- named => 1 the communicators differ: MPI_COMM_WORLD and communicator 'rows' of 3 nodes made by MPI_Comm_dup */
/* also: -- long => 1 MPI_COMM_WORLD and communicator '?every node talks to the node below it in its column, 59 by' of 3 nodes made by MPI_Comm_dup */
/* also: -- probe => 1 (near_miss.c:43) and the probe of node 1 (near_miss.c:48) do not match: the tags differ: 0 and 7 */
/* also: -- any => 1 (near_miss.c:43) and the receive of node 1 (near_miss.c:50) do not match: the tags differ: 0 and 7 */
/* also: -- ssend => 1 do not match: the tags differ: 0 and 7 */
/* also: -- isend => 1 do not match: the tags differ: 0 and 7 */
/* also: --livelock-after 200 -- polled => 1 do not match: the tags differ: 0 and 7 */
#include <mpi.h>
#include <string.h>

int
main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "tag";
    int rank, x = 0, flag, tag = strcmp(how, "comm") && strcmp(how, "named") && strcmp(how, "long") ? 7 : 0;
    MPI_Comm copy, comm = MPI_COMM_WORLD;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    if (strcmp(how, "named") == 0)
        MPI_Comm_set_name(copy, "rows");
    else if (strcmp(how, "long") == 0) /* its last character begins at byte 60 */
        MPI_Comm_set_name(copy, "\nevery node talks to the node below it in its column, 59 byä");
    if (tag == 0 || strcmp(how, "both") == 0)
        comm = copy;
    if (rank == 0 && strcmp(how, "ssend") == 0) {
        MPI_Ssend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 0 && strcmp(how, "isend") == 0) {
        MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* HERE1 */
    }
    for (flag = 0; rank == 1 && strcmp(how, "polled") == 0 && !flag;)
        MPI_Iprobe(0, tag, comm, &flag, MPI_STATUS_IGNORE);
    if (rank == 1 && strcmp(how, "probe") == 0)
        MPI_Probe(0, tag, comm, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Recv(&x, 1, MPI_INT, strcmp(how, "any") ? 0 : MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE); /* HERE2 */
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
