/* nodes: 2 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: type-mismatch: MPI_Recv: node 1 receives 4 bytes as MPI_FLOAT, and node 0 sent them as MPI_INT */
/* error: NAME.c:LINE2: note: node 0 */
/* error: NAME.c:LINE3: finding: type-mismatch: MPI_Irecv: node 1 receives 16 bytes as several basic types, and node 0 sent them as MPI_DOUBLE */
/* error: 2 findings at 2 lines */
/* error: rule   MPI 3.1, 3.3.1 */
/* also:  => 0 finding: type-mismatch */
#include <mpi.h>

/* Messages 0 and 1 are wrong; the others have the same basic types, or none. */
int
main(int argc, char **argv)
{
    int rank, lengths[] = {1, 2};
    long number = 0, numbers[2];
    double values[4] = {1, 2, 3, 4};
    MPI_Aint places[] = {0, 8};
    MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT}, mixed, pair, vector;
    MPI_Request request;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, lengths, places, types, &mixed);
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &vector);
    MPI_Type_commit(&mixed);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&vector);
    if (rank == 0) {
        MPI_Send(values, 1, MPI_INT, 1, 0, MPI_COMM_WORLD); /* HERE2 */
        MPI_Send(values, 1, pair, 1, 1, MPI_COMM_WORLD);
        MPI_Send(values, 2, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
        MPI_Send(values, 3, MPI_DOUBLE, 1, 3, MPI_COMM_WORLD);
        MPI_Send(values, 4, MPI_INT, 1, 4, MPI_COMM_WORLD);
        MPI_Send(&number, 1, MPI_LONG, 1, 5, MPI_COMM_WORLD);
        MPI_Send(values, 1, mixed, 1, 6, MPI_COMM_WORLD);
        MPI_Send(values, 0, MPI_INT, 1, 7, MPI_COMM_WORLD);
    } else {
        float real;

        MPI_Recv(&real, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE1 */
        MPI_Irecv(values, 1, mixed, 0, 1, MPI_COMM_WORLD, &request);            /* HERE3 */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(values, 1, vector, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(values, 2, pair, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* one and a half of the type */
        MPI_Recv(values, 16, MPI_BYTE, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(numbers, 2, MPI_INT64_T, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(values, 2, mixed, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(values, 1, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&mixed);
    MPI_Type_free(&pair);
    MPI_Type_free(&vector);
    MPI_Finalize();
    return 0;
}
