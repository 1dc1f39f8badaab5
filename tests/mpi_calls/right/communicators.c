/* nodes: 1 2 5 12 */
/* SPDX-License-Identifier: MIT */
/* Communicators, groups, Cartesian topologies, attributes, names. */
#include "check.h"

static int deleted;

static int
forget(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    ++*(int *)extra;
    return MPI_SUCCESS;
}

static void
split(void)
{
    MPI_Comm half, copy, none;
    int own_rank, own_size, sum = 0, result, flag = 1;

    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &own_rank);
    MPI_Comm_size(half, &own_size);
    CHECK(own_size == (size + !(rank % 2)) / 2 && own_rank == own_size - 1 - rank / 2);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, half);
    CHECK(sum == (rank % 2 ? own_size * own_size : own_size * (own_size - 1)));
    MPI_Comm_dup(half, &copy);
    MPI_Comm_compare(half, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_compare(half, half, &result);
    CHECK(result == MPI_IDENT);
    MPI_Comm_free(&half);
    CHECK(half == MPI_COMM_NULL);
    MPI_Barrier(copy);
    MPI_Comm_test_inter(copy, &flag);
    CHECK(flag == 0);
    MPI_Comm_free(&copy);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 3, 0, &none);
    CHECK((none == MPI_COMM_NULL) == (rank == 0));
    if (none != MPI_COMM_NULL)
        MPI_Comm_free(&none);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    CHECK(sum == rank);
}

static void
groups(void)
{
    MPI_Group world, even, odd, both, back;
    MPI_Comm comm;
    int *evens = malloc((size_t)size * sizeof *evens), count = 0, members, own, result, translated = -1;

    for (int i = 0; i < size; i += 2)
        evens[count++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, evens, &even);
    MPI_Group_excl(world, count, evens, &odd);
    MPI_Group_size(odd, &members);
    MPI_Group_rank(even, &own);
    CHECK(members == size - count && own == (rank % 2 ? MPI_UNDEFINED : rank / 2));
    MPI_Group_union(even, odd, &both);
    MPI_Group_compare(both, world, &result);
    CHECK(result == (size > 2 ? MPI_SIMILAR : MPI_IDENT));
    MPI_Group_intersection(both, even, &back);
    MPI_Group_compare(back, even, &result);
    CHECK(result == MPI_IDENT);
    MPI_Group_free(&back);
    MPI_Group_difference(world, world, &back);
    CHECK(back == MPI_GROUP_EMPTY);
    MPI_Group_range_incl(world, 1, (int[][3]){{size - 1, 0, -1}}, &back);
    MPI_Group_translate_ranks(world, 1, &rank, back, &translated);
    CHECK(translated == size - 1 - rank);
    MPI_Comm_create(MPI_COMM_WORLD, even, &comm);
    CHECK((comm == MPI_COMM_NULL) == (rank % 2));
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_rank(comm, &own);
        CHECK(own == rank / 2);
        MPI_Comm_free(&comm);
    }
    MPI_Group_free(&back);
    MPI_Group_free(&both);
    MPI_Group_free(&odd);
    MPI_Group_free(&even);
    MPI_Group_free(&world);
    free(evens);
}

static void
grid(void)
{
    int dims[2] = {0, 0}, periods[2] = {1, 0}, at[2], source, dest, back, kept[2] = {0, 1}, status, row_size;
    MPI_Comm comm, row;

    MPI_Dims_create(size, 2, dims);
    CHECK(dims[0] * dims[1] == size && dims[0] >= dims[1]);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
    MPI_Topo_test(comm, &status);
    CHECK(status == MPI_CART);
    MPI_Cart_coords(comm, rank, 2, at);
    CHECK(at[0] == rank / dims[1] && at[1] == rank % dims[1]);
    MPI_Cart_rank(comm, at, &back);
    CHECK(back == rank);
    MPI_Cart_shift(comm, 0, 1, &source, &dest);
    CHECK(dest == (rank + dims[1]) % size && source == (rank + size - dims[1]) % size);
    MPI_Cart_shift(comm, 1, 1, &source, &dest);
    CHECK(dest == (at[1] == dims[1] - 1 ? MPI_PROC_NULL : rank + 1) &&
          source == (at[1] == 0 ? MPI_PROC_NULL : rank - 1));
    MPI_Cart_sub(comm, kept, &row);
    MPI_Comm_size(row, &row_size);
    CHECK(row_size == dims[1]);
    MPI_Comm_free(&row);
    MPI_Comm_free(&comm);
}

static void
attributes(void)
{
    int key, value = 7, flag, *found, copies, length;
    char name[MPI_MAX_OBJECT_NAME];
    MPI_Comm copy;

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, forget, &key, &deleted);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, &value);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_attr(copy, key, &found, &flag);
    CHECK(flag && found == &value);
    MPI_Comm_free(&copy);
    CHECK(deleted == 1);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    copies = deleted;
    CHECK(copies == 2);
    MPI_Comm_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &found, &flag);
    CHECK(flag && *found >= 32767);
    MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
    CHECK(strcmp(name, "MPI_COMM_WORLD") == 0 && length == 14);
}

/* Fortran's handles: numbers of this node, valid until the object is freed. */
static void
numbered(void)
{
    MPI_Comm copy;
    MPI_Datatype pair;
    MPI_Group group;
    MPI_Info info;
    MPI_Request request;
    MPI_Status status, back;
    MPI_Fint integers[MPI_F_STATUS_SIZE], number;
    int in = -1, count = 0;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_group(copy, &group);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Info_create(&info);
    MPI_Irecv(&in, 1, MPI_INT, rank, 3, copy, &request);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(copy)) == copy && MPI_Group_f2c(MPI_Group_c2f(group)) == group);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(pair)) == pair && MPI_Info_f2c(MPI_Info_c2f(info)) == info);
    CHECK(MPI_Request_f2c(MPI_Request_c2f(request)) == request && MPI_Op_f2c(MPI_Op_c2f(MPI_MAX)) == MPI_MAX);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
    CHECK(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)) == MPI_COMM_NULL);
    CHECK(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE)) == MPI_DOUBLE);
    CHECK(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)) == MPI_ERRORS_RETURN);
    CHECK(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NO_PROC)) == MPI_MESSAGE_NO_PROC);
    CHECK(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL);
    MPI_Send(&rank, 1, MPI_INT, rank, 3, copy);
    MPI_Wait(&request, &status);
    MPI_Status_c2f(&status, integers);
    MPI_Status_f2c(integers, &back);
    MPI_Get_count(&back, MPI_INT, &count);
    CHECK(in == rank && count == 1 && back.MPI_SOURCE == rank && back.MPI_TAG == 3);
    number = MPI_Comm_c2f(copy);
    MPI_Comm gone = copy;

    MPI_Comm_free(&copy);
    CHECK(MPI_Comm_c2f(gone) == -1 && MPI_Comm_f2c(number) != MPI_COMM_WORLD);
    MPI_Group_free(&group);
    MPI_Type_free(&pair);
    MPI_Info_free(&info);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    split();
    groups();
    grid();
    attributes();
    numbered();
    MPI_Finalize();
    return 0;
}
