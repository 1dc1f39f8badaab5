/* nodes: 3 */
/* exit: 1 */
/* error: crash: node 1 crashed: arithmetic error (a division by zero?) */
/* error: NAME.c:LINE */
/* also: -- trapped => 1 crash: node 1 crashed: arithmetic error */
/* also: -- handled => 5 exit with code 5 */
#define _GNU_SOURCE
#include <fenv.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where divisions by zero do not trap, as on arm64, the signal is raised. */
#if defined __x86_64__
#define DIVIDE(a, b) ((a) / (b))
#else
#define DIVIDE(a, b) (raise(SIGFPE), (a) * (b))
#endif

static void
handle(int number)
{
    (void)number;
    exit(5);
}

int
main(int argc, char **argv)
{
    int rank;
    volatile double x = 1, y;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "handled") == 0)
        signal(SIGFPE, handle);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && argc > 1 && strcmp(argv[1], "trapped") == 0) {
        feenableexcept(FE_DIVBYZERO);
        y = DIVIDE(x, x - 1);
        printf("%g\n", y);
    } else if (rank == 1) {
        printf("%d\n", DIVIDE(7, rank - 1)); /* HERE */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
