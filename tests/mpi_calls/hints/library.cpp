/* SPDX-License-Identifier: MIT */
/* Mistakes that show in the code of the C++ library: the line is that of the program. */
#include <cstdio>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace
{
double
value(const std::vector<double> &values, int i)
{
    return values.at((size_t)i);
}
} // namespace

int
main(int argc, char **argv)
{
    const std::string want = argc > 1 ? argv[1] : "";
    int rank, size;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (want == "resize") {
        std::vector<double> in(100), out(100, rank);
        MPI_Request request;

        MPI_Irecv(in.data(), 100, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
        in.resize(1000);
        MPI_Send(out.data(), 100, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (want == "read") {
        std::vector<double> in(100), out(100, rank);
        MPI_Request request;

        MPI_Irecv(in.data(), 100, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
        const std::vector<double> copy(in.begin(), in.end());
        MPI_Send(out.data(), 100, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        std::printf("%zu\n", copy.size());
    } else if (want == "at") {
        std::printf("%g\n", value(std::vector<double>(1, 1.0), rank));
    } else if (want == "null") {
        std::unique_ptr<std::vector<double>> none;

        std::printf("%g\n", none->at(0));
    } else if (want == "rows") {
        std::vector<std::vector<double>> rows((size_t)size, std::vector<double>((size_t)size));

        MPI_Bcast(&rows[0][0], size * size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
