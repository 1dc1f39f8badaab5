/* An array on the stack is overrun upwards: until the stack ends, and only so far that the return address is lost. */
/* nodes: 3 */
/* exit: 1 */
/* error: crash: node 2 crashed: it wrote beyond the upper end of its stack */
/* error: NAME.c:LINE */
/* also: -- 200 => 1 crash: node 2 crashed: */
/* also: --engine fibers -- 200 => 1 crash: node 2 crashed: */
/* also: --engine fibers -- 2000 => 1 crash: node 2 crashed: */
/* also: -- 2000 => 1 crash: node 2 crashed: */
#include <mpi.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
    volatile char few[16], *volatile at = few;
    static int rank;
    static long count;

    count = argc > 1 ? atol(argv[1]) : 1L << 40;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 2)
        while (count-- > 0)
            *at++ = 'A'; /* HERE */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
