/* nodes: 2 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: leak: MPI_Comm_dup: node */
/* error: NAME.c:LINE2: finding: leak: MPI_Comm_group: node */
/* error: NAME.c:LINE3: finding: leak: MPI_Type_contiguous: node */
/* error: NAME.c:LINE4: finding: leak: MPI_Op_create: node */
/* error: NAME.c:LINE5: finding: leak: MPI_Send_init: node */
/* error: NAME.c:LINE6: note: node */
/* error: rule   MPI 3.1, 2.5.1 and 8.7 */
/* error: fix    call MPI_Comm_free on it before MPI_Finalize */
/* error: 10 findings at 5 lines */
/* error: has not freed this communicator */
/* also:  => 0  */
#include <mpi.h>

static void
add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)count, (void)type;
}

int
main(int argc, char **argv)
{
    MPI_Comm copy, freed;
    MPI_Group group;
    MPI_Datatype type, gone;
    MPI_Op op;
    MPI_Request request;
    int word = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy); /* HERE1 */
    MPI_Comm_dup(MPI_COMM_WORLD, &freed);
    MPI_Comm_free(&freed);
    MPI_Comm_group(copy, &group);           /* HERE2 */
    MPI_Type_contiguous(4, MPI_INT, &type); /* HERE3 */
    MPI_Type_contiguous(4, MPI_INT, &gone);
    MPI_Type_free(&gone);
    MPI_Op_create(add, 1, &op);                                                   /* HERE4 */
    MPI_Send_init(&word, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request); /* HERE5 */
    MPI_Finalize();                                                               /* HERE6 */
    return 0;
}
