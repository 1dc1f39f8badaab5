/* The address of the pointer in place of the pointer: node 1 frees what node 0 has freed, and Peal used meanwhile. */
/* nodes: 2 */ /* not with a sanitizer */
/* options: --engine fibers */
/* exit: 1 */
/* error: crash: node 1 crashed: abort (NAME.c:LINE) */
/* never: deadlock */
/* also: --explore => 1 crash: node 1 crashed: abort */
#include <mpi.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    double *data = malloc(12 * sizeof *data);

    MPI_Init(&argc, &argv);
    MPI_Bcast(&data, sizeof data, MPI_BYTE, 0, MPI_COMM_WORLD);
    free(data); /* HERE */
    MPI_Finalize();
    return 0;
}
