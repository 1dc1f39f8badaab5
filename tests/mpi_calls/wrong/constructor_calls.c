/* A call of MPI before main. */
/* nodes: 3 */
/* exit: 1 */
/* error: bad-request: MPI_Init was called before main, by a constructor of node 0 (NAME.c:LINE) */
#include <mpi.h>

static int rank;

__attribute__((constructor)) static void
begin(void)
{
    MPI_Init(NULL, NULL); /* HERE */
}

int
main(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return 0;
}
