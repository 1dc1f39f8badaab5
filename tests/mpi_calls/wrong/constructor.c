/* A crash before main. */
/* nodes: 3 */
/* exit: 1 */
/* error: crash: node 0, in a constructor, crashed: segmentation fault at address 0x8 (NAME.c:LINE) */
#include <mpi.h>

static int rank;
static int *volatile nowhere = (int *)8;

__attribute__((constructor)) static void
begin(void)
{
    *nowhere = 1; /* HERE */
}

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return 0;
}
