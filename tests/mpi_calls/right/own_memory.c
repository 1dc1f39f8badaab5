/* nodes: 2 3 */
/* explore: 2 */
/* SPDX-License-Identifier: MIT */
/* Memory that is used as it may be: no use of it is accused in a watched run. */
#include "check.h"

struct padded {
    double x;
    char kind;
    int id;
    char tag;
};

static int table[4];

/* Messages of a fixed length of which a part is used, and structs with their gaps. */
static void
parts(void)
{
    char text[100];
    struct padded *items = malloc(3 * sizeof *items), item;
    int *few = malloc(100 * sizeof *few);

    snprintf(text, sizeof text, "node %d", rank);
    for (int i = 0; i < 3; i++) {
        items[i].x = i;
        items[i].kind = 'k';
        items[i].id = rank;
        items[i].tag = 't';
    }
    item.x = 1;
    item.kind = item.tag = 'x';
    item.id = rank;
    for (int i = 0; i < 100; i++)
        few[i] = i;
    MPI_Bcast(text, sizeof text, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Bcast(items, 3 * sizeof *items, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&item, sizeof item, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(few + 50, 50, MPI_INT, 0, MPI_COMM_WORLD);
    CHECK(strcmp(text, "node 0") == 0 && items[2].id == 0 && item.id == 0 && few[99] == 99);
    free(items);
    free(few);
}

/* Memory that the C library allocates, changes, or fills. */
static void
library(void)
{
    char *line = malloc(8), *copy = strdup("two words"), *words = NULL;
    size_t room = 8;
    FILE *file = tmpfile();

    fputs("a line that is longer than eight bytes\n", file);
    rewind(file);
    CHECK(getline(&line, &room, file) == 39 && line[38] == '\n' && strlen(line) == 39);
    rewind(file);
    unsigned char *bytes = malloc(39);
    CHECK(fread(bytes, 1, 39, file) == 39);
    MPI_Bcast(bytes, 39, MPI_UNSIGNED_CHAR, 0, MPI_COMM_WORLD);
    CHECK(bytes[0] == 'a' && copy[4] == 'w');
    copy = realloc(copy, 1000);
    memset(copy + 10, 'x', 990);
    for (size_t i = 1; i < 300; i++) {
        words = realloc(words, i);
        words[i - 1] = (char)i;
    }
    CHECK(words[10] == 11 && copy[999] == 'x');
    fclose(file);
    free(line);
    free(copy);
    free(words);
    free(bytes);
}

/* Memory on the stack, the last element of each object, and memory that nodes share. */
static void
places(int count)
{
    int numbers[4] = {1, 2, 3, 4}, row[count];
    int(*matrix)[4] = malloc(3 * sizeof *matrix), *base, disp;
    MPI_Aint bytes;
    MPI_Win win;

    for (int i = 0; i < count; i++)
        row[i] = i;
    for (int i = 0; i < 12; i++)
        matrix[i / 4][i % 4] = i;
    MPI_Bcast(numbers + 3, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(row, count, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(matrix[2], 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, table, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    *base = rank;
    MPI_Win_fence(0, win);
    MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &disp, &base);
    CHECK(*base == (rank + 1) % size);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    CHECK(row[count - 1] == count - 1 && matrix[2][3] == 11);
    free(matrix);
}

static void
add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

/* Blocks that come and go, some of them sent while others are freed. */
static void
blocks(void)
{
    int *ring[8] = {NULL}, sum;
    MPI_Request request;
    MPI_Op op;

    for (int i = 0; i < 200; i++) {
        int **place = &ring[i * 5 % 8];

        free(*place);
        *place = calloc((size_t)i + 1, sizeof **place);
        (*place)[i] = i;
        MPI_Isend(*place, i + 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
        int *got = malloc(((size_t)i + 1) * sizeof *got);
        MPI_Recv(got, i + 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(got[i] == i);
        free(got);
    }
    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    CHECK(sum == size * (size - 1) / 2);
    MPI_Op_free(&op);
    for (int i = 0; i < 8; i++)
        free(ring[i]);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    parts();
    library();
    places(5);
    blocks();
    MPI_Finalize();
    return 0;
}
