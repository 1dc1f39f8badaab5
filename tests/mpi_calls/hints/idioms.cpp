/* SPDX-License-Identifier: MIT */
/* The mistakes of partners.c and calls.c as C++ programs make them. */
#include <array>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <string>
#include <vector>

namespace
{
struct Grid {
    int me, columns;
    int up() const
    {
        return me - columns;
    }
    int down() const
    {
        return me + columns;
    }
};

int rank, size;

template <class F>
void
exchange(F partner)
{
    int x = rank, y = 0, with = partner(rank);

    MPI_Sendrecv(&x, 1, MPI_INT, with, 0, &y, 1, MPI_INT, with, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void
halo(std::vector<double> &a, std::vector<double> &b, int steps)
{
    for (int step = 0; step < steps; step++) {
        for (int way : {-1, 1}) {
            MPI_Request request;
            int with = (rank + way + size) % size;

            MPI_Irecv(a.data(), 1, MPI_DOUBLE, with, way + 1, MPI_COMM_WORLD, &request);
            MPI_Isend(b.data(), 1, MPI_DOUBLE, with, 1 - way, MPI_COMM_WORLD, &request);
        }
    }
}
} // namespace

int
main(int argc, char **argv)
{
    std::string want = argc > 1 ? argv[1] : "";
    std::vector<double> a(64), b(64);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (want == "lambda")
        for (int bit = 0; 1 << bit < size; ++bit)
            exchange([bit](int r) { return r ^ (1 << bit); });
    if (want == "flip") {
        std::vector<int> mates(static_cast<size_t>(size + 1));

        for (int i = 0; i < size; i++)
            mates[static_cast<size_t>(i)] = i & 1 ? i - 1 : i + 1;
        exchange([&](int r) { return mates[static_cast<size_t>(r)]; });
    }
    if (want == "up") {
        Grid grid = {rank, 2};
        MPI_Request request;
        double x = 0;

        MPI_Irecv(&x, 1, MPI_DOUBLE, grid.up(), 0, MPI_COMM_WORLD, &request);
        MPI_Send(a.data(), 1, MPI_DOUBLE, grid.down() < size ? grid.down() : MPI_PROC_NULL, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (want == "right") {
        std::array<int, 2> sides = {rank - 1, rank + 1};
        MPI_Request request;

        MPI_Isend(a.data(), 1, MPI_DOUBLE, sides[1], 0, MPI_COMM_WORLD, &request);
        MPI_Recv(b.data(), 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (want == "halo")
        halo(a, b, 3);
    if (want == "kept") {
        std::vector<MPI_Request> all;

        for (int i = 0; i < 3; i++) {
            MPI_Request request;

            MPI_Isend(&a[static_cast<size_t>(i)], 1, MPI_DOUBLE, (rank + 1) % size, i, MPI_COMM_WORLD, &request);
            MPI_Recv(&b[static_cast<size_t>(i)], 1, MPI_DOUBLE, (rank + size - 1) % size, i, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
            all.push_back(request);
        }
        std::printf("%zu\n", all.size());
    }
    MPI_Finalize();
    return 0;
}
