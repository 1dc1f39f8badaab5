/* nodes: 2 */
/* compiler: --watch */
/* exit: 0 */
/* error: NAME.c:LINE1: finding: early-read: node */
/* error: NAME.c:LINE2: finding: buffer-reuse: node */
/* error: NAME.c:LINE3: finding: buffer-reuse: node */
/* error: NAME.c:LINE4: finding: early-read: node */
/* error: NAME.c:LINE5: finding: early-read: MPI_Send: node */
/* error: NAME.c:LINE6: finding: buffer-reuse: node */
/* error: NAME.c:LINE7: finding: early-read: node */
/* error: NAME.c:LINE8: finding: buffer-reuse: node */
/* error: that MPI_Irecv receives into, which is not complete */
/* error: NAME.c:LINE11: note: node */
/* error: NAME.c:LINE12: note: node */
/* error: 16 findings at 8 lines */
/* also: --strict => 1 16 findings at 8 lines */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 5 };

/* Memory beside a buffer, and the words between its elements, are always the program's. */
static int
messages(int other)
{
    int in[2 * COUNT] = {0}, out[2 * COUNT] = {0}, sum = 0;
    MPI_Request requests[3];
    MPI_Datatype gaps;

    MPI_Type_vector(COUNT, 1, 2, MPI_INT, &gaps);
    MPI_Type_commit(&gaps);
    MPI_Irecv(in, 1, gaps, other, 0, MPI_COMM_WORLD, &requests[0]);         /* HERE11 */
    MPI_Isend(out, COUNT, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[1]); /* HERE12 */
    in[1] = out[COUNT] = 1;
    sum += out[0] + in[2 * COUNT - 1];
    sum += in[8];                            /* HERE1 */
    memset(out + COUNT - 1, 0, sizeof *out); /* HERE2 */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Irecv(in, COUNT, MPI_INT, other, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(in + 4, 1, MPI_INT, other, 1, MPI_COMM_WORLD); /* HERE5 */
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Recv_init(in, COUNT, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, COUNT, MPI_INT, other, 2, MPI_COMM_WORLD, &requests[1]);
    out[0] = in[0];
    MPI_Startall(1, requests);
    MPI_Start(&requests[1]);
    out[0] = 5; /* HERE8 */
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    out[0] = in[0];
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Type_free(&gaps);
    return sum + out[0];
}

static int
collective(void)
{
    int counts[2] = {1, 2}, places[2] = {3, 0}, all[4] = {0}, own[2] = {1, 2}, rank, seen;
    MPI_Request request;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Iallgatherv(own, rank + 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD, &request);
    all[2] = counts[0] + own[0]; /* between the blocks; lists and sent data may be read */
    places[0] = 3;               /* HERE3 */
    seen = all[3];               /* HERE4 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return seen + all[3];
}

static int
window(int other)
{
    int memory[2] = {0}, from = 1, to, seen;
    MPI_Win win;

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(&from, 1, MPI_INT, other, 0, 1, MPI_INT, win);
    from = 2; /* HERE6 */
    MPI_Get(&to, 1, MPI_INT, other, 1, 1, MPI_INT, win);
    seen = to; /* HERE7 */
    MPI_Win_flush(other, win);
    from = to;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    return seen + from;
}

int
main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    volatile int sum = messages(1 - rank) + collective() + window(1 - rank);

    (void)sum;
    MPI_Finalize();
    return 0;
}
