/* nodes: 2 */
/* options: --strict */
/* exit: 0 */
/* error: NAME.c:LINE: note: invalid-argument: MPI_Type_get_extent of node *: the struct has lb 32 and extent 80 */
/* error: as MPICH does, have lb 0 and extent 112 */
/* error: NAME.c:LINE2: note: invalid-argument: MPI_Bcast of node *: the struct has lb 8 and extent 16 */
/* error: NAME.c:LINE3: note: invalid-argument: MPI_Type_contiguous of node *: the struct has lb 8 and extent 16 */
/* output: 32 80 */
/* never: finding */
/* never: lb 4 */
/* also:  => 0 */
/* The extent of a struct one of whose members has bounds of its own: libraries differ about it. */
#include <mpi.h>
#include <stdio.h>

static MPI_Datatype
pair_of(MPI_Datatype first, MPI_Datatype second, MPI_Aint second_at)
{
    MPI_Datatype type;

    MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, second_at}, (MPI_Datatype[]){first, second}, &type);
    MPI_Type_commit(&type);
    return type;
}

int
main(int argc, char **argv)
{
    int rank, data[16] = {0};
    MPI_Aint lb, extent;
    MPI_Datatype columns, header, wide, record, odd, row, whole;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_subarray(2, (int[]){5, 4}, (int[]){5, 2}, (int[]){0, 1}, MPI_ORDER_C, MPI_INT, &columns);
    MPI_Type_contiguous(16, MPI_BYTE, &header);
    record = pair_of(header, columns, 32);
    MPI_Type_get_extent(record, &lb, &extent); /* HERE */
    if (rank == 0)
        printf("%ld %ld\n", (long)lb, (long)extent);
    MPI_Type_create_resized(MPI_INT, 0, 16, &wide);
    odd = pair_of(MPI_INT, wide, 8);
    MPI_Bcast(data, 1, odd, 0, MPI_COMM_WORLD);
    MPI_Bcast(data, 2, odd, 0, MPI_COMM_WORLD);  /* HERE2 */
    MPI_Type_contiguous(2, odd, &row);           /* HERE3 */
    MPI_Type_create_resized(odd, 4, 24, &whole); /* now they agree */
    MPI_Type_get_extent(whole, &lb, &extent);
    MPI_Type_free(&columns);
    MPI_Type_free(&header);
    MPI_Type_free(&record);
    MPI_Type_free(&wide);
    MPI_Type_free(&odd);
    MPI_Type_free(&row);
    MPI_Type_free(&whole);
    MPI_Finalize();
    return 0;
}
