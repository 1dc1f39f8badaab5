/* nodes: 2 */ /* not with a sanitizer */
/* exit: 1 */
/* error: crash: node 1 crashed: segmentation fault */
/* error: NAME.c:LINE) */
/* error:   fix    the buffer of MPI_Bcast at NAME.c:LINE2 was a variable that held a */
/* also: -- small => 1 crash: node 1 crashed: segmentation fault at address 0x8 (ampersand.c:46) */
/* also: -- twice => 1 crash: node 1 crashed: abort (ampersand.c:48) */
/* also: -- other => 1 crash: node 1 crashed: segmentation fault at address 0x0 (ampersand.c:38) */
/* A buffer that is the pointer itself, not the memory that it points to. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main(int argc, char **argv)
{
    double number = 1.5, *numbers = calloc(1, sizeof *numbers);
    int64_t small = 8, *words = calloc(1, sizeof *words);
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc == 1) {
        if (rank == 0)
            *numbers = number;
        MPI_Bcast(rank == 0 ? numbers : (void *)&numbers, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* HERE2 */
        printf("%g\n", *numbers);                                                            /* HERE */
    } else if (argv[1][0] == 't') {                                                          /* all free node 0's */
        MPI_Bcast(&numbers, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    } else if (argv[1][0] == 'o') { /* what was in the buffer before does not matter */
        volatile int *volatile nowhere = NULL;

        memcpy(&number, &numbers, sizeof number);
        MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        if (rank == 1)
            *nowhere = 1;
    } else {
        if (rank == 0)
            MPI_Send(&small, 1, MPI_INT64_T, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&words, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        small = 0;
        if (rank == 1)
            small = words[0];
    }
    free(numbers);
    free(words);
    MPI_Finalize();
    return (int)small;
}
