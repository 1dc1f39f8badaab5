/* nodes: 5 */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: type-mismatch: MPI_Bcast: the data of the 3rd collective of a communicator of 5 nodes made by MPI_Intercomm_create at */
/* error: NAME.c:LINE2: note: node 0 */
/* error: NAME.c:LINE3: finding: type-mismatch: MPI_Igather: */
/* error: NAME.c:LINE4: finding: type-mismatch: MPI_Scatter: */
/* error: NAME.c:LINE5: finding: type-mismatch: MPI_Reduce: */
/* error: NAME.c:LINE6: finding: type-mismatch: MPI_Allreduce: */
/* error: NAME.c:LINE7: finding: type-mismatch: MPI_Ireduce_scatter_block: */
/* error: NAME.c:LINE8: finding: collective-mismatch: MPI_Bcast: node 2 expects a block of 8 bytes from node 0, which sends 4 */
/* error: NAME.c:LINE9: finding: collective-mismatch: MPI_Gatherv: node 0 expects a block of 8 bytes from node 3, which sends 4 */
/* error: NAME.c:LINE10: note: node 3 */
/* error: 8 findings at 8 lines */
/* also: -- operators => 1 of 8 bytes by MPI_MAX (between_groups.c:90): the operators differ */
/* also: -- sizes => 1 of 4 bytes by MPI_SUM (between_groups.c:92): the sizes differ */
/* Nodes 0 and 1, and nodes 2 to 4. */
#include <mpi.h>
#include <string.h>

static int rank, low, in[16], out[16], ones[] = {1, 1, 1}, twos[] = {2, 2, 2}, displs[] = {0, 2, 4};
static MPI_Comm groups;

static int
root(void)
{
    return !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

/* Other datatypes of the same basic types, untyped bytes, and nodes that take no part: each right. */
static void
right(void)
{
    MPI_Datatype pair;

    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Bcast(in, low ? 2 : 1, rank == 1 ? MPI_CHAR : low ? MPI_INT : pair, root(), groups);
    MPI_Bcast(in, low ? 2 : 8, low ? MPI_INT : MPI_BYTE, root(), groups);
    MPI_Type_free(&pair);
}

static void
types(void)
{
    MPI_Request request;

    if (low)
        MPI_Bcast(in, 1, MPI_INT, root(), groups); /* HERE2 */
    else
        MPI_Bcast(in, 1, MPI_FLOAT, root(), groups); /* HERE1 */
    if (low)
        MPI_Igather(NULL, 0, MPI_INT, out, 1, MPI_INT, root(), groups, &request);
    else
        MPI_Igather(in, 1, MPI_FLOAT, NULL, 0, MPI_INT, root(), groups, &request); /* HERE3 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (low)
        MPI_Scatter(in, 1, MPI_INT, NULL, 0, MPI_INT, root(), groups);
    else
        MPI_Scatter(NULL, 0, MPI_INT, out, 1, MPI_FLOAT, root(), groups); /* HERE4 */
    if (low)
        MPI_Reduce(NULL, out, 1, MPI_INT, MPI_SUM, root(), groups);
    else
        MPI_Reduce(in, NULL, 1, MPI_FLOAT, MPI_SUM, root(), groups); /* HERE5 */
    if (low)
        MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, groups);
    else
        MPI_Allreduce(in, out, 1, MPI_FLOAT, MPI_SUM, groups); /* HERE6 */
    if (low)
        MPI_Ireduce_scatter_block(in, out, 3, MPI_INT, MPI_SUM, groups, &request);
    else
        MPI_Ireduce_scatter_block(in, out, 2, MPI_FLOAT, MPI_SUM, groups, &request); /* HERE7 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void
lengths(void)
{
    MPI_Bcast(in, low ? 1 : 2, MPI_INT, root(), groups); /* HERE8 */
    if (low)
        MPI_Gatherv(NULL, 0, MPI_INT, out, twos, displs, MPI_INT, root(), groups); /* HERE9 */
    else
        MPI_Gatherv(in, rank == 3 ? 1 : 2, MPI_INT, NULL, ones, displs, MPI_INT, root(), groups); /* HERE10 */
}

static void
reductions(const char *which)
{
    if (strcmp(which, "operators") == 0)
        MPI_Allreduce(in, out, 2, MPI_INT, low ? MPI_SUM : MPI_MAX, groups);
    else
        MPI_Allreduce(in, out, low ? 2 : 1, MPI_INT, MPI_SUM, groups);
}

int
main(int argc, char **argv)
{
    MPI_Comm local;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    low = rank < 2;
    MPI_Comm_split(MPI_COMM_WORLD, low, rank, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, low ? 2 : 0, 0, &groups);
    if (argc > 1) {
        reductions(argv[1]);
    } else {
        right();
        types();
        lengths();
    }
    MPI_Comm_free(&groups);
    MPI_Comm_free(&local);
    MPI_Finalize();
    return 0;
}
