/* nodes: 2 */
/* compiler: --watch */ /* compiler: -w */
/* exit: 0 */
/* not with a sanitizer */
/* also: --strict -- right => 0 */
/* also: -- key => 0 NAME.c:LINE1: finding: uninitialised-use: MPI_Comm_split: node 0 passes key, 4 bytes that nobody has written */
/* also: --strict -- key => 1 NAME.c:LINE1: finding: uninitialised-use: MPI_Comm_split: node 0 passes key, 4 bytes that nobody has written */
/* also: -- color => 0 NAME.c:LINE2: finding: uninitialised-use: MPI_Comm_split: node 0 passes what it computes from 4 bytes that nobody has written, from byte 4 on of a block of 32 bytes */
/* also: -- count => 0 NAME.c:LINE3: finding: uninitialised-use: MPI_Bcast: node 0 passes what it computes from 4 bytes that nobody has written, from byte 8 on of a block of 32 bytes */
/* also: -- displs => 0 NAME.c:LINE4: finding: uninitialised-use: MPI_Allgatherv: node 0 passes displs[1], 4 bytes that nobody has written, from byte 4 on of a block of 8 bytes */
/* also: -- tag => 0 NAME.c:LINE5: finding: uninitialised-use: MPI_Sendrecv: node 0 passes what it computes from 4 bytes */
/* also: -- dims => 0 NAME.c:LINE6: finding: uninitialised-use: MPI_Dims_create: node 0 passes dims[1], 4 bytes that nobody has written, from byte 4 on of dims, a variable of 8 bytes */
/* also: -- lengths => 0 NAME.c:LINE7: finding: uninitialised-use: MPI_Type_indexed: node 0 passes array_of_displacements[2], 4 bytes that nobody has written, from byte 8 on of a block of 12 bytes */
/* also: -- ranks => 0 NAME.c:LINE8: finding: uninitialised-use: MPI_Group_translate_ranks: node 0 passes ranks1[0], 4 bytes that nobody has written */
/* also: -- halves => 0 NAME.c:LINE9: finding: uninitialised-send: MPI_Bcast: node 0 sends 32 bytes from a block of 32 bytes, which it allocated at */
/* Arguments of calls, and entries of lists that calls read, that nobody has written; and what calls do not read. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;

/* Counts beside MPI_IN_PLACE, and those of the root alone, are not read; nor is a list of no entries. */
static void
unread(int *blank)
{
    int data[4] = {1, 2, 3, 4}, all[8], counts[2] = {1, 1}, displs[2] = {0, 1}, *at = rank == 0 ? counts : blank;
    MPI_Comm grid;

    MPI_Allgather(MPI_IN_PLACE, blank[0], MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Gather(data, 1, MPI_INT, all, rank == 0 ? 1 : blank[1], MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Gatherv(data, 1, MPI_INT, all, at, rank == 0 ? displs : blank, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatterv(data, at, rank == 0 ? displs : blank, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Waitall(0, (MPI_Request *)blank, MPI_STATUSES_IGNORE);
    blank[2] = blank[3] = 0;
    MPI_Cart_create(MPI_COMM_SELF, 1, (int[]){1}, &blank[2], 0, &grid);
    MPI_Comm_free(&grid);
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "right";
    int data[8] = {0}, all[8], dims[2], counts[2] = {1, 1}, key, out;
    MPI_Comm part;
    MPI_Datatype type;
    MPI_Group group;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *blank = malloc(8 * sizeof *blank), *displs = malloc(2 * sizeof *displs), *three = malloc(3 * sizeof *three);

    displs[0] = three[0] = three[1] = 0;
    dims[0] = 0;
    if (strcmp(what, "key") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, 1, key, &part); /* HERE1 */
        MPI_Comm_rank(part, &key);
        MPI_Comm_free(&part);
    } else if (strcmp(what, "color") == 0) {
        MPI_Comm_split(MPI_COMM_WORLD, blank[1] & 1, 0, &part); /* HERE2 */
        MPI_Comm_free(&part);
    } else if (strcmp(what, "count") == 0) {
        MPI_Bcast(data, blank[2] & 3, MPI_INT, 0, MPI_COMM_WORLD); /* HERE3 */
    } else if (strcmp(what, "displs") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        counts[1] = 0;
        MPI_Allgatherv(data, counts[rank], MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD); /* HERE4 */
    } else if (strcmp(what, "tag") == 0) {
        MPI_Sendrecv(data, 1, MPI_INT, 1 - rank, blank[5] & 7, all, 1, MPI_INT, 1 - rank, 6, MPI_COMM_WORLD, /* HERE5 */
                     MPI_STATUS_IGNORE);
    } else if (strcmp(what, "dims") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Dims_create(size, 2, dims); /* HERE6 */
    } else if (strcmp(what, "lengths") == 0) {
        MPI_Type_indexed(3, (int[]){1, 1, 1}, three, MPI_INT, &type); /* HERE7 */
        MPI_Type_free(&type);
    } else if (strcmp(what, "ranks") == 0) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_group(MPI_COMM_WORLD, &group);
        MPI_Group_translate_ranks(group, 1, blank, group, &out); /* HERE8 */
        MPI_Group_free(&group);
    } else if (strcmp(what, "halves") == 0) { /* of numbers of 8 bytes */
        for (int i = 0; i < 8; i += 2)
            blank[i] = 1;
        MPI_Bcast(blank, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* HERE9 */
    } else {
        unread(blank);
    }
    free(blank), free(displs), free(three);
    MPI_Finalize();
    return 0;
}
