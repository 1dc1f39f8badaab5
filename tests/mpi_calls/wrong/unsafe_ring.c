/* nodes: 3 */
/* exit: 0 */
/* error: finding: deadlock-if-unbuffered: */
/* error: NAME.c:LINE */
/* error: cycle  0 → 1 → 2 → 0 */
/* output: node 1 has 0 */
/* also: --strict => 1 deadlock-if-unbuffered */
/* also: --fallback-buffer 0 => 1 deadlock: nothing can move: node 0 waits in MPI_Send to send 4 bytes */
/* also: --fallback-buffer unlimited -- 65537 => 0 deadlock-if-unbuffered */
/* also: -- 65537 => 1 deadlock: nothing can move: node 0 waits in MPI_Send to send 65537 bytes */
/* All send, then all receive: that works only where messages are buffered. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    int rank, size, bytes = argc > 1 ? atoi(argv[1]) : 4;
    char *out = calloc((size_t)bytes, 1), *in = calloc((size_t)bytes, 1);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out[0] = (char)rank;
    MPI_Send(out, bytes, MPI_BYTE, (rank + 1) % size, 0, MPI_COMM_WORLD); /* HERE */
    out[0] = 99;
    MPI_Recv(in, bytes, MPI_BYTE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("node %d has %d\n", rank, in[0]);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
