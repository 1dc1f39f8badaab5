/* nodes: 1 4 */
/* SPDX-License-Identifier: MIT */
/* Datatypes asked for their sizes and bounds in both widths, chosen by size, and made of blocks; statuses that a
 * program fills in. */
#include "check.h"
#include <limits.h>

static void
bounds(void)
{
    MPI_Datatype type, wide;
    MPI_Count lb, extent, bytes;
    MPI_Aint at[2] = {4, 24}, small_lb, small_extent;
    int numbers[12], packed[4] = {0, 0, 0, 0};

    MPI_Type_create_hindexed_block(2, 2, at, MPI_INT, &type); /* places 1, 2, 6 and 7 */
    MPI_Type_commit(&type);
    MPI_Type_size_x(type, &bytes);
    CHECK(bytes == 16);
    MPI_Type_get_extent_x(type, &lb, &extent);
    CHECK(lb == 4 && extent == 28);
    MPI_Type_create_resized(type, -8, 100, &wide);
    MPI_Type_get_extent_x(wide, &lb, &extent);
    CHECK(lb == -8 && extent == 100);
    MPI_Type_get_true_extent_x(wide, &lb, &extent);
    MPI_Type_get_true_extent(wide, &small_lb, &small_extent);
    CHECK(lb == 4 && extent == 28 && small_lb == 4 && small_extent == 28);
    CHECK(MPI_Aint_diff(MPI_Aint_add(at[0], 20), at[1]) == 0);
    for (int i = 0; i < 12; i++)
        numbers[i] = 10 * rank + i;
    MPI_Sendrecv(numbers, 1, type, rank, 0, packed, 4, MPI_INT, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 4; i++)
        CHECK(packed[i] == 10 * rank + 1 + i % 2 + 5 * (i / 2));
    MPI_Type_free(&type);
    MPI_Type_free(&wide);
}

static void
by_size(void)
{
    MPI_Datatype type;

    MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);
    CHECK(type == MPI_DOUBLE || type == MPI_REAL8);
    for (int bytes = 1; bytes <= 8; bytes *= 2) {
        int found;

        MPI_Type_match_size(MPI_TYPECLASS_INTEGER, bytes, &type);
        MPI_Type_size(type, &found);
        CHECK(found == bytes);
    }
    MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, &type);
    CHECK(type == MPI_COMPLEX16 || type == MPI_DOUBLE_COMPLEX || type == MPI_C_DOUBLE_COMPLEX);
}

/* A matrix of 5 x 7 dealt out to a grid of nodes: rows in blocks, columns cyclically; together they have each element
 * once. */
static void
dealt_out(void)
{
    enum { ROWS = 5, COLUMNS = 7 };
    int whole[2] = {ROWS, COLUMNS}, how[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
    int arguments[2] = {MPI_DISTRIBUTE_DFLT_DARG, 1}, grid[2] = {size == 4 ? 2 : 1, size == 4 ? 2 : 1}, bytes;
    int matrix[ROWS * COLUMNS], mine[ROWS * COLUMNS], all[ROWS * COLUMNS], count = 0, position = 0;
    int coordinates[2] = {rank / grid[1], rank % grid[1]}, rows = (ROWS + grid[0] - 1) / grid[0];
    MPI_Datatype part;

    MPI_Type_create_darray(size, rank, 2, whole, how, arguments, grid, MPI_ORDER_C, MPI_INT, &part);
    MPI_Type_commit(&part);
    MPI_Type_size(part, &bytes);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        matrix[i] = i;
    MPI_Pack(matrix, 1, part, mine, sizeof mine, &position, MPI_COMM_WORLD);
    CHECK(position == bytes);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (i / rows == coordinates[0] && j % grid[1] == coordinates[1])
                CHECK(mine[count++] == i * COLUMNS + j);
    CHECK(count * (int)sizeof(int) == bytes);
    memset(all, 0, sizeof all);
    for (int i = 0; i < count; i++)
        all[mine[i]] = 1;
    MPI_Allreduce(MPI_IN_PLACE, all, ROWS * COLUMNS, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        CHECK(all[i] == 1);
    MPI_Type_free(&part);
}

/* As many bytes as an int counts, over two nodes. */
static void
dealt_out_to_the_limit(void)
{
    int bytes;
    MPI_Datatype half;

    MPI_Type_create_darray(2, 0, 1, (int[]){INT_MAX}, (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){MPI_DISTRIBUTE_DFLT_DARG},
                           (int[]){2}, MPI_ORDER_C, MPI_BYTE, &half);
    MPI_Type_size(half, &bytes);
    CHECK(bytes == INT_MAX / 2 + 1);
    MPI_Type_free(&half);
}

static void
statuses(void)
{
    MPI_Status status = {0};
    MPI_Datatype pair;
    MPI_Count wide;
    int count, flag;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Status_set_elements_x(&status, MPI_INT, 5);
    MPI_Get_elements_x(&status, pair, &wide);
    MPI_Get_elements(&status, pair, &count);
    CHECK(wide == 5 && count == 5);
    MPI_Get_count(&status, pair, &count);
    CHECK(count == MPI_UNDEFINED);
    MPI_Status_set_elements(&status, MPI_INT, 6);
    MPI_Get_count(&status, pair, &count);
    CHECK(count == 3);
    for (int n = 0; n < 6; n++) { /* of a double and an int */
        MPI_Status_set_elements(&status, MPI_DOUBLE_INT, n);
        MPI_Get_elements(&status, MPI_DOUBLE_INT, &count);
        CHECK(count == n);
        MPI_Get_count(&status, MPI_DOUBLE_INT, &count);
        CHECK(count == (n % 2 == 0 ? n / 2 : MPI_UNDEFINED));
    }
    MPI_Status_set_cancelled(&status, 1);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
    MPI_Status_set_cancelled(&status, 0);
    MPI_Test_cancelled(&status, &flag);
    CHECK(!flag);
    MPI_Type_free(&pair);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    bounds();
    by_size();
    dealt_out();
    dealt_out_to_the_limit();
    statuses();
    MPI_Finalize();
    return 0;
}
