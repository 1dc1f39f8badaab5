/* nodes: 2 */
/* exit: 1 */
/* error: bad-request: main returned without MPI_Finalize */
#include <mpi.h>

int
main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    return 0;
}
