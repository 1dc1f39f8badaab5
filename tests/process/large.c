/* SPDX-License-Identifier: MIT */
/* Functions of MPI 4 that end in _c, by prototypes of its own: mpi.h of MPI 3.1 has none.  With a word it is wrong. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(right) (void)((right) || printf("line %d: not so: %s\n", __LINE__, #right))

typedef void user_function(void *in, void *inout, MPI_Count *count, MPI_Datatype *type);
int MPI_Op_create_c(user_function *function, int commutes, MPI_Op *op);
int MPI_Allreduce_c(const void *in, void *out, MPI_Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Allgatherv_c(const void *in, MPI_Count count, MPI_Datatype type, void *out, const MPI_Count counts[],
                     const MPI_Aint displs[], MPI_Datatype out_type, MPI_Comm comm);
int MPI_Get_count_c(const MPI_Status *status, MPI_Datatype type, MPI_Count *count);
int MPI_Type_create_subarray_c(int ndims, const MPI_Count sizes[], const MPI_Count subsizes[], const MPI_Count starts[],
                               int order, MPI_Datatype of, MPI_Datatype *type);
int MPI_Type_size_c(MPI_Datatype type, MPI_Count *size);
int MPI_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, void *session);
int MPI_Status_get_tag(const MPI_Status *status, int *tag);

static void
add(void *in, void *inout, MPI_Count *count, MPI_Datatype *type)
{
    EXPECT(*type == MPI_INT);
    for (MPI_Count i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static void
gather(int me, int size)
{
    MPI_Count *counts = calloc((size_t)size, sizeof *counts);
    MPI_Aint *places = calloc((size_t)size, sizeof *places);
    int *all = calloc(2 * (size_t)size, sizeof *all), sent[2] = {me, me + 1};

    for (int i = 0; i < size; i++) {
        counts[i] = 1 + i % 2;
        places[i] = 2 * i;
    }
    MPI_Allgatherv_c(sent, 1 + me % 2, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        EXPECT(all[2 * i] == i && all[2 * i + 1] == (i % 2 ? i + 1 : 0));
    free(counts);
    free(places);
    free(all);
}

int
main(int argc, char **argv)
{
    int me, size, sum, got, tag;
    MPI_Count count = 1LL << 40; /* only written */
    MPI_Status status;
    MPI_Datatype type;
    MPI_Op op;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Op_create_c(add, 1, &op);
    MPI_Allreduce_c(&me, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    EXPECT(sum == size * (size - 1) / 2);
    MPI_Op_free(&op);
    gather(me, size);
    MPI_Sendrecv(&me, 1, MPI_INT, 0, 5, &got, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
    MPI_Get_count_c(&status, MPI_INT, &count);
    MPI_Status_get_tag(&status, &tag);
    EXPECT(count == 1 && tag == 5 && got == me);
    MPI_Type_create_subarray_c(1, (MPI_Count[]){4}, (MPI_Count[]){2}, (MPI_Count[]){1}, MPI_ORDER_C, MPI_INT, &type);
    MPI_Type_size_c(type, &count);
    EXPECT(count == 8);
    MPI_Type_free(&type);
    if (argc > 1 && strcmp(argv[1], "many") == 0)
        MPI_Bcast_c(&got, (MPI_Count)1 << 32, MPI_INT, 0, MPI_COMM_SELF);
    if (argc > 1 && strcmp(argv[1], "session") == 0)
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &type);
    puts("done");
    MPI_Finalize();
}
