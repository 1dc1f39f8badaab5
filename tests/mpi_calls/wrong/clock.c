/* nodes: 2 */
/* exit: 0 */
/* also: --clock host -- host => 0 */
/* also: --clock host => 3 */
/* also: -- host => 3 */
/* also: --clock sun => 2 --clock */
/* Computing takes time by the host's clock, and none by the model's. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int
main(int argc, char **argv)
{
    volatile double x = 0;
    double begin, took;
    int wants_host = argc > 1 && strcmp(argv[1], "host") == 0, rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    begin = MPI_Wtime();
    for (int i = 0; i < 3000000; i++)
        x += i;
    took = MPI_Wtime() - begin;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return x > 0 && wants_host == (took > 1e-4) ? 0 : 3;
}
