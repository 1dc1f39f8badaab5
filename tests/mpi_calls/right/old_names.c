/* nodes: 1 4 */
/* SPDX-License-Identifier: MIT */
/* The functions of MPI-1 that MPI-3 removed work like those that replaced them. */
#include "check.h"

struct record {
    char letter;
    double number[2];
    int count;
};

static void
datatypes(void)
{
    struct record mine = {'a', {1.5, 2.5}, 7}, came = {0};
    int lengths[] = {1, 2, 1}, twos[] = {2, 1}, right = (rank + 1) % size, left = (rank + size - 1) % size;
    int grid[4][5], column[4] = {-1, -1, -1, -1};
    MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT}, record, part, every;
    MPI_Aint base, at[3], bound, bytes[] = {0, 3 * (MPI_Aint)sizeof(int)};

    MPI_Address(&mine, &base);
    MPI_Address(&mine.letter, &at[0]);
    MPI_Address(&mine.number, &at[1]);
    MPI_Address(&mine.count, &at[2]);
    for (int i = 0; i < 3; i++)
        at[i] -= base;
    MPI_Type_struct(3, lengths, at, types, &record);
    MPI_Type_commit(&record);
    MPI_Type_lb(record, &bound);
    CHECK(bound == 0);
    MPI_Type_ub(record, &bound);
    CHECK(bound == (MPI_Aint)sizeof(struct record));
    MPI_Type_extent(record, &bound);
    CHECK(bound == (MPI_Aint)sizeof(struct record));
    mine.count += rank;
    MPI_Sendrecv(&mine, 1, record, right, 0, &came, 1, record, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(came.letter == 'a' && came.number[1] == 2.5 && came.count == 7 + left);
    MPI_Type_free(&record);

    for (int i = 0; i < 20; i++)
        grid[i / 5][i % 5] = 100 * rank + i;
    MPI_Type_hvector(4, 1, sizeof grid[0], MPI_INT, &part); /* a column */
    MPI_Type_commit(&part);
    MPI_Sendrecv(&grid[0][2], 1, part, right, 0, column, 4, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        CHECK(column[i] == 100 * left + 5 * i + 2);
    MPI_Type_free(&part);
    MPI_Type_hindexed(2, twos, bytes, MPI_INT, &every); /* places 0, 1 and 3 */
    MPI_Type_commit(&every);
    MPI_Sendrecv(grid, 1, every, right, 0, column, 3, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(column[0] == 100 * left && column[1] == 100 * left + 1 && column[2] == 100 * left + 3);
    MPI_Type_free(&every);
}

static int
copy_one_more(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key;
    ++*(int *)extra;
    *(char **)out = (char *)in + 1;
    *flag = 1;
    return MPI_SUCCESS;
}

static int
count_deleted(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm, (void)key, (void)value;
    *(int *)extra += 10;
    return MPI_SUCCESS;
}

static void
attributes(void)
{
    static char values[2];
    int key, calls = 0, flag;
    void *value;
    MPI_Comm copy;

    MPI_Keyval_create(copy_one_more, count_deleted, &key, &calls);
    MPI_Attr_put(MPI_COMM_WORLD, key, values);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Attr_get(copy, key, &value, &flag);
    CHECK(flag && value == &values[1] && calls == 1);
    MPI_Attr_delete(copy, key);
    MPI_Attr_get(copy, key, &value, &flag);
    CHECK(!flag && calls == 11);
    MPI_Attr_delete(MPI_COMM_WORLD, key);
    MPI_Keyval_free(&key);
    CHECK(key == MPI_KEYVAL_INVALID && calls == 21);
    MPI_Comm_free(&copy);
}

static int handled;

static void
handle(MPI_Comm *comm, int *code, ...)
{
    CHECK(*comm == MPI_COMM_WORLD);
    MPI_Error_class(*code, &handled);
}

static void
handlers(void)
{
    MPI_Errhandler mine, before;

    MPI_Errhandler_get(MPI_COMM_WORLD, &before);
    CHECK(before == MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_create(handle, &mine);
    MPI_Errhandler_set(MPI_COMM_WORLD, mine);
    CHECK(MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD) != MPI_SUCCESS && handled == MPI_ERR_RANK);
    MPI_Errhandler_set(MPI_COMM_WORLD, before);
    MPI_Errhandler_free(&mine);
    CHECK(mine == MPI_ERRHANDLER_NULL);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    datatypes();
    attributes();
    handlers();
    MPI_Finalize();
    return 0;
}
