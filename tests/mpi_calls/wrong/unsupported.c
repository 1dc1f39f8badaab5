/* nodes: 2 */
/* exit: 1 */
/* warning: Peal has no MPI_File_open */
/* error: unsupported: MPI_File_open of node 0: Peal has no such function (peal-mpi(7) lists those it has) (NAME.c:LINE) */
#include <mpi.h>

int
main(int argc, char **argv)
{
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_File_open(MPI_COMM_WORLD, "out", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); /* HERE */
    MPI_Finalize();
    return 0;
}
