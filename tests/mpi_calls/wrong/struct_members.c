/* nodes: 2 */
/* options: --strict */
/* exit: 0 */
/* error: NAME.c:LINE: note: invalid-argument: MPI_Type_create_struct of node *: block 2, of MPI_INT, has displacement 9 */
/* error: lies at a multiple of 4 */
/* never: finding */
/* also:  => 0 */
/* Displacements that are the sums of the members' sizes, not those of the struct. */
#include <mpi.h>

struct item {
    double x;
    char kind;
    int id;
    char last;
};

int
main(int argc, char **argv)
{
    struct item items[5] = {{0}};
    MPI_Datatype of[4] = {MPI_DOUBLE, MPI_CHAR, MPI_INT, MPI_CHAR}, type;

    MPI_Init(&argc, &argv);
    MPI_Type_create_struct(4, (int[]){1, 1, 1, 1}, (MPI_Aint[]){0, 8, 9, 13}, of, &type); /* HERE */
    MPI_Type_commit(&type);
    MPI_Bcast(items, 5, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
