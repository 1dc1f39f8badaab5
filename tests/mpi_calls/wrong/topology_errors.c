/* nodes: 4 */
/* exit: 1 */
/* output: edges[1] MPI_ERR_ARG; index[1] MPI_ERR_ARG; sources[0] MPI_ERR_RANK; weights MPI_ERR_ARG; kind MPI_ERR_TOPOLOGY; rank MPI_ERR_RANK; grid MPI_ERR_DIMS; extents MPI_ERR_DIMS; */
/* error: invalid-argument: MPI_Graph_create of node 0: edges[1] is 4: expected a rank from 0 to 3 (NAME.c:LINE) */
#include <mpi.h>
#include <stdio.h>

static int rank;

static void
show(const char *what, int error)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(error, text, &length);
    for (int i = 0; i < length; i++)
        if (text[i] == ':')
            text[i] = '\0';
    if (rank == 0)
        printf("%s %s; ", what, text);
}

int
main(int argc, char **argv)
{
    int index[] = {1, 2, 3, 4}, falling[] = {2, 1, 3, 4}, edges[] = {0, 4, 0, 0}, dims[] = {5, 0}, out;
    MPI_Comm comm;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    show("edges[1]", MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm));
    show("index[1]", MPI_Graph_map(MPI_COMM_WORLD, 4, falling, edges, &out));
    show("sources[0]", MPI_Dist_graph_create(MPI_COMM_WORLD, 1, (int[]){9}, (int[]){1}, (int[]){0}, MPI_UNWEIGHTED,
                                             MPI_INFO_NULL, 0, &comm));
    show("weights", MPI_Dist_graph_create(MPI_COMM_WORLD, 1, (int[]){0}, (int[]){1}, (int[]){0},
                                          rank ? (int[]){1} : MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm));
    show("kind", MPI_Graph_neighbors_count(MPI_COMM_WORLD, 0, &out));
    edges[1] = 3;
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm);
    show("rank", MPI_Graph_neighbors_count(comm, 4, &out));
    MPI_Comm_free(&comm);
    show("grid", MPI_Cart_map(MPI_COMM_WORLD, 1, dims, dims, &out));
    show("extents", MPI_Dims_create(4, 2, dims));
    if (rank == 0)
        puts("");
    fflush(stdout);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    edges[1] = 4;
    MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &comm); /* HERE */
    MPI_Finalize();
    return 0;
}
