/* nodes: 2 */
/* exit: 0 */
/* error: NAME.c:LINE: finding: invalid-argument: MPI_Compare_and_swap of node *: MPI_CHAR is neither an integer */
/* error: NAME.c:LINE2: finding: invalid-argument: MPI_Compare_and_swap of node *: MPI_DOUBLE is neither an integer */
/* output: x 2.5 */
/* also: --strict => 1 */
/* A compare-and-swap of a type that it is not defined for (11.3.4), which the byte comparison carries out. */
#include <mpi.h>
#include <stdio.h>

int
main(int argc, char **argv)
{
    int rank;
    char letter = 'x', old_letter = 'x', was_letter, *letters;
    double number = 2.5, old_number = 0, was_number, *numbers;
    MPI_Win text, doubles;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(sizeof *letters, sizeof *letters, MPI_INFO_NULL, MPI_COMM_WORLD, &letters, &text);
    MPI_Win_allocate(sizeof *numbers, sizeof *numbers, MPI_INFO_NULL, MPI_COMM_WORLD, &numbers, &doubles);
    *letters = 'x';
    *numbers = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, text);
    if (rank == 1)
        MPI_Compare_and_swap(&letter, &old_letter, &was_letter, MPI_CHAR, 0, 0, text); /* HERE */
    MPI_Win_unlock_all(text);
    MPI_Win_lock_all(0, doubles);
    if (rank == 1)
        MPI_Compare_and_swap(&number, &old_number, &was_number, MPI_DOUBLE, 0, 0, doubles); /* HERE2 */
    MPI_Win_unlock_all(doubles);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%c %g\n", *letters, *numbers);
    MPI_Win_free(&doubles);
    MPI_Win_free(&text);
    MPI_Finalize();
    return 0;
}
