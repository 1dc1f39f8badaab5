/* nodes: 1 2 6 12 */
/* SPDX-License-Identifier: MIT */
/* Grids, graphs, distributed graphs, balanced extents. */
#include "check.h"

/* A ring in which node i also has an edge to itself. */
static MPI_Comm
ring_graph(MPI_Comm comm, int nodes)
{
    int *index = malloc(sizeof(int) * (size_t)size), *edges = malloc(sizeof(int) * 3 * (size_t)size);
    MPI_Comm graph;

    for (int i = 0; i < nodes; i++) {
        index[i] = 3 * (i + 1);
        edges[3 * i] = (i + 1) % nodes;
        edges[3 * i + 1] = i;
        edges[3 * i + 2] = (i + nodes - 1) % nodes;
    }
    MPI_Graph_create(comm, nodes, index, edges, 1, &graph);
    free(index);
    free(edges);
    return graph;
}

static void
graphs(void)
{
    int nodes = size > 2 ? size - 1 : size, kind = 0, count = -1, all = -1, own[3] = {-1, -1, -1}, place = -1;
    MPI_Comm graph = ring_graph(MPI_COMM_WORLD, nodes), copy;

    CHECK((graph == MPI_COMM_NULL) == (rank >= nodes));
    if (graph == MPI_COMM_NULL)
        return;
    MPI_Comm_dup(graph, &copy);
    MPI_Comm_free(&graph);
    MPI_Topo_test(copy, &kind);
    CHECK(kind == MPI_GRAPH);
    MPI_Graphdims_get(copy, &count, &all);
    CHECK(count == nodes && all == 3 * nodes);
    int *index = malloc(sizeof(int) * (size_t)nodes), *edges = malloc(sizeof(int) * (size_t)all);

    MPI_Graph_get(copy, nodes, all, index, edges);
    CHECK(index[nodes - 1] == all && edges[3 * rank] == (rank + 1) % nodes);
    for (int i = 0; i < nodes; i++) {
        MPI_Graph_neighbors_count(copy, i, &count);
        MPI_Graph_neighbors(copy, i, 3, own);
        CHECK(count == 3 && own[0] == (i + 1) % nodes && own[1] == i && own[2] == (i + nodes - 1) % nodes);
    }
    MPI_Graph_map(copy, nodes, index, edges, &place);
    CHECK(place == rank);
    free(index);
    free(edges);
    MPI_Comm_free(&copy);
}

/* Node i brings the edge (i, i + 1) twice, and the one of its right neighbour to node 0. */
static void
distributed(void)
{
    int right = (rank + 1) % size, sources[] = {rank, right}, degrees[] = {2, 1}, destinations[] = {right, right, 0},
        weights[] = {rank, 100 + rank, 1000 + rank}, in, out, weighted, kind;
    MPI_Comm graph;

    MPI_Dist_graph_create(MPI_COMM_WORLD, 2, sources, degrees, destinations, weights, MPI_INFO_NULL, 0, &graph);
    MPI_Topo_test(graph, &kind);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(kind == MPI_DIST_GRAPH && in == 2 + (rank == 0 ? size : 0) && out == 3 && weighted == 1);
    int *from = malloc(sizeof(int) * (size_t)in), *from_weights = malloc(sizeof(int) * (size_t)in), to[3],
        to_weights[3], sum = 0;

    MPI_Dist_graph_neighbors(graph, in, from, from_weights, out, to, to_weights);
    for (int i = 0; i < in; i++) {
        int left = (rank + size - 1) % size;
        int w = from_weights[i];

        CHECK(w >= 1000 ? from[i] == (w - 1000 + 1) % size && rank == 0 : from[i] == left && w % 100 == left);
        sum += w >= 1000;
    }
    CHECK(sum == (rank == 0 ? size : 0));
    sum = 0;
    for (int i = 0; i < 3; i++) {
        CHECK(to_weights[i] >= 1000 ? to[i] == 0 && (to_weights[i] - 1000 + 1) % size == rank : to[i] == right);
        sum += to_weights[i];
    }
    CHECK(sum == 2 * rank + 100 + 1000 + (rank + size - 1) % size);
    MPI_Comm_free(&graph);
    free(from);
    free(from_weights);

    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, rank == 0 ? size : 0,
                                   (int[32]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, MPI_UNWEIGHTED, 1, (int[]){0},
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == (rank == 0 ? size : 0) && out == 1 && weighted == 0);
    MPI_Comm_free(&graph);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 0, NULL, NULL, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &graph);
    MPI_Dist_graph_neighbors_count(graph, &in, &out, &weighted);
    CHECK(in == 0 && out == 0 && weighted == 1);
    MPI_Comm_free(&graph);
}

static void
grids(void)
{
    int dims[3] = {0, 0, 0}, periods[3] = {1, 0, 1}, at[3], lower, upper, none;
    int dims_of[3], periods_of[3], at_of[3];
    MPI_Comm grid, empty;

    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Cart_coords(grid, rank, 3, at);
    MPI_Cart_get(grid, 3, dims_of, periods_of, at_of);
    for (int i = 0; i < 3; i++)
        CHECK(dims_of[i] == dims[i] && periods_of[i] == periods[i] && at_of[i] == at[i]);
    MPI_Cart_map(MPI_COMM_WORLD, 3, dims, periods, &none);
    CHECK(none == rank);
    MPI_Cart_map(MPI_COMM_WORLD, 1, (int[]){1}, periods, &none);
    CHECK(none == (rank == 0 ? 0 : MPI_UNDEFINED));
    MPI_Cart_shift(grid, 1, 1, &lower, &upper);
    CHECK((lower == MPI_PROC_NULL) == (at[1] == 0) && (upper == MPI_PROC_NULL) == (at[1] == dims[1] - 1));
    MPI_Cart_shift(grid, 0, -dims[0], &lower, &upper);
    CHECK(lower == rank && upper == rank);
    MPI_Cart_sub(grid, (int[]){0, 0, 0}, &empty);
    MPI_Cartdim_get(empty, &none);
    CHECK(none == 0);
    MPI_Comm_size(empty, &none);
    CHECK(none == 1);
    MPI_Comm_free(&empty);
    MPI_Comm_free(&grid);
    MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &grid);
    CHECK((grid == MPI_COMM_NULL) == (rank > 0));
    if (grid != MPI_COMM_NULL)
        MPI_Comm_free(&grid);
}

/* All products of `left` extents of at most `most`: the least spread. */
static int
least_spread(int rest, int left, int most, int first)
{
    int best = 1 << 30;

    if (left == 0)
        return rest == 1 ? first - most : best;
    for (int d = 1; d <= most && d <= rest; d++)
        if (rest % d == 0) {
            int spread = least_spread(rest / d, left - 1, d, first ? first : d);

            best = spread < best ? spread : best;
        }
    return best;
}

static void
extents(void)
{
    for (int n = 1; n <= 240; n++)
        for (int count = 1; count <= 4; count++) {
            int dims[4] = {0, 0, 0, 0}, product = 1;

            MPI_Dims_create(n, count, dims);
            for (int i = 0; i < count; i++) {
                product *= dims[i];
                CHECK(i == 0 || dims[i] <= dims[i - 1]);
            }
            CHECK(product == n && dims[0] - dims[count - 1] == least_spread(n, count, n, 0));
        }
    int fixed[3] = {0, 5, 0}, large[2] = {0, 0}, prime[2] = {0, 0};

    MPI_Dims_create(60, 3, fixed);
    CHECK(fixed[0] == 4 && fixed[1] == 5 && fixed[2] == 3);
    MPI_Dims_create(46341 * 46340, 2, large);
    CHECK(large[0] == 46341 && large[1] == 46340);
    MPI_Dims_create(2147483647, 2, prime);
    CHECK(prime[0] == 2147483647 && prime[1] == 1);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    graphs();
    distributed();
    grids();
    if (rank == 0)
        extents();
    MPI_Finalize();
    return 0;
}
