/* A destructor, and with an argument a function given to atexit, that does not end. */
/* nodes: 2 */
/* options: --timeout 0.2 */
/* exit: 124 */
/* error: timeout: after 0.2 seconds the run has not ended (NAME.c:LINE) */
/* also: --timeout 0.2 -- atexit => 124 timeout: after 0.2 seconds node 0 is still computing, since its call at destructor.c: */
#include <mpi.h>
#include <stdlib.h>

static int rank;
static volatile int turns;

static void
turn(void)
{
    for (;;)
        turns++;
}

__attribute__((destructor)) static void
end(void)
{
    for (;;)
        turns++; /* HERE */
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        atexit(turn);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Finalize();
    return 0;
}
