/* nodes: 3 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE: finding: invalid-argument: MPI_Allreduce of node *: the operator's function, called for 6 elements, does not */
/* error: NAME.c:LINE2: note: invalid-argument: MPI_Allreduce of node *: the operator's function, called for one element, changes */
/* error: NAME.c:LINE3: finding: bad-request: MPI_Barrier of node *: called by the function of an operator */
/* error: NAME.c:LINE4: finding: bad-request: MPI_Ireduce_scatter_block of node *: called by the function of an operator */
/* error: rule   MPI 3.1, 5.9.5: the function of an operator combines *len elements */
/* error: rule   MPI 3.1, 5.9.5: the function of an operator calls no communication */
/* also:  => 0 */
/* Functions of operators that take another number of elements than they are given, or that call MPI. */
#include <mpi.h>

enum { COUNT = 6 };

static void
first_three(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)len, (void)type;
    for (int i = 0; i < 3; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void
whole_vector(void *in, void *inout, int *len, MPI_Datatype *type)
{
    (void)len, (void)type;
    for (int i = 0; i < COUNT; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void
with_barrier(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int size;

    MPI_Type_size(*type, &size); /* may be asked */
    MPI_Barrier(MPI_COMM_SELF);  /* HERE3 */
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void
with_nonblocking(void *in, void *inout, int *len, MPI_Datatype *type)
{
    int one = 1, sum;
    MPI_Request request;

    (void)type;
    MPI_Ireduce_scatter_block(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, &request); /* HERE4 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < *len; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

int
main(int argc, char **argv)
{
    int in[COUNT] = {1, 2, 3, 4, 5, 6}, out[COUNT];
    MPI_Op op;

    MPI_Init(&argc, &argv);
    MPI_Op_create(first_three, 1, &op);
    MPI_Allreduce(in, out, COUNT, MPI_INT, op, MPI_COMM_WORLD); /* HERE */
    MPI_Op_free(&op);
    MPI_Op_create(whole_vector, 1, &op);
    MPI_Allreduce(in, out, COUNT, MPI_INT, op, MPI_COMM_WORLD); /* HERE2 */
    MPI_Op_free(&op);
    MPI_Op_create(with_barrier, 1, &op);
    MPI_Allreduce(in, out, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Op_create(with_nonblocking, 1, &op);
    MPI_Allreduce(in, out, 1, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
    MPI_Finalize();
    return 0;
}
