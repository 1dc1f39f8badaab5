// SPDX-License-Identifier: MIT
// Collectives for MPI in C++: namespaces, templates, overloads, vectors, new, exceptions, streams.
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <mpi.h>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

// check allreduce in_c --mpi: proved
extern "C" int in_c(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    std::vector<char> unused(8);

    return MPI_Allreduce(in, out, n, type, op, comm);
}

namespace of {

// check broadcast of::vector_from_root --mpi --arguments 'buffer,root,comm': proved
int vector_from_root(std::vector<double> &all, int root, MPI_Comm comm)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (rank != root)
        return MPI_Recv(all.data(), (int)all.size(), MPI_DOUBLE, root, 0, comm, MPI_STATUS_IGNORE);
    for (int to = 0; to < size; to++)
        if (to != root)
            MPI_Send(all.data(), (int)all.size(), MPI_DOUBLE, to, 0, comm);
    return MPI_SUCCESS;
}

// check broadcast of::vector_but_its_last --mpi --arguments 'buffer,root,comm': wrong-result P=2 n=1
void vector_but_its_last(std::vector<double> &all, int root, MPI_Comm comm)
{
    MPI_Bcast(all.data(), std::max(0, (int)all.size() - 1), MPI_DOUBLE, root, comm);
}

} // namespace of

// check allreduce summed<double> --mpi --elements double --arguments 'sendbuf,recvbuf,count,comm': proved
// check allreduce summed<double> --mpi --arguments 'sendbuf,recvbuf,count,comm': wrong-result P=2
template <class T> void summed(const T *in, T *out, int n, MPI_Comm comm)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    std::vector<T> mine(in, in + n), got((std::size_t)n);

    std::copy(in, in + n, out);
    for (int i = 1; i < size; i++) {
        MPI_Sendrecv(mine.data(), n, MPI_DOUBLE, (rank + i) % size, 0, got.data(), n, MPI_DOUBLE, (rank + size - i) % size, 0, comm,
                     MPI_STATUS_IGNORE);
        std::transform(got.begin(), got.end(), out, out, std::plus<T>());
    }
}

// check allreduce vectors --mpi --arguments 'sendbuf,recvbuf,comm': proved
void vectors(const std::vector<double> &in, std::vector<double> &out, MPI_Comm comm)
{
    out.resize(in.size());
    MPI_Allreduce(in.data(), out.data(), (int)in.size(), MPI_DOUBLE, MPI_SUM, comm);
}

// check allgatherv lists --mpi --arguments 'sendbuf,recvbuf,recvcounts,displs,comm': proved
void lists(const std::vector<double> &in, std::vector<double> &out, const std::vector<int> &counts,
           const std::vector<int> &displs, MPI_Comm comm)
{
    MPI_Allgatherv(in.data(), (int)in.size(), MPI_DOUBLE, out.data(), counts.data(), displs.data(), MPI_DOUBLE, comm);
}

// check allgatherv one_after_the_other --mpi --arguments 'sendbuf,recvbuf,recvcounts,displs,comm': wrong-result|out-of-bounds
void one_after_the_other(const std::vector<double> &in, std::vector<double> &out, const std::vector<int> &counts,
                         const std::vector<int> &, MPI_Comm comm)
{
    std::vector<int> begin(counts.size());

    std::partial_sum(counts.begin(), counts.end() - 1, begin.begin() + 1);
    MPI_Allgatherv(in.data(), (int)in.size(), MPI_DOUBLE, out.data(), counts.data(), begin.data(), MPI_DOUBLE, comm);
}

// check allreduce handled --mpi: proved
int handled(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    try {
        throw std::runtime_error(std::to_string(rank));
    } catch (const std::exception &first) {
        MPI_Barrier(comm); // the other nodes handle one, too
        try {
            throw;
        } catch (const std::runtime_error &again) {
            MPI_Allreduce(in, out, n, type, op, comm);
            return first.what() == std::to_string(rank) && &first == &again ? MPI_SUCCESS : MPI_ERR_OTHER;
        }
    }
}

// check allreduce throws --mpi: wrong-result P=3
// check allreduce throws --mpi --may-refuse: proved
int throws(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    if (size & (size - 1))
        throw std::invalid_argument("not a power of two");
    return MPI_Allreduce(in, out, n, type, op, comm);
}

// std::terminate and abort before anything is sent are refusals, too.
// check allreduce ends --mpi: crash P=3 note=2^q
// check allreduce ends --mpi --may-refuse: proved
int ends(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    if (size == 3)
        std::terminate();
    if (size == 5)
        std::abort();
    return MPI_Allreduce(in, out, n, type, op, comm);
}

// check allreduce beyond --mpi: out-of-bounds line=BEYOND said=new_at
int beyond(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    auto copy = new long[n];

    copy[n] = 0; /* BEYOND */
    delete[] copy;
    return MPI_Allreduce(in, out, n, type, op, comm);
}

// check allreduce counted --mpi: proved
int counted(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static std::map<int, std::vector<int>> calls;

    calls[n].push_back(n);
    return MPI_Allreduce(in, out, n, type, op, comm);
}

// check allreduce forgotten --mpi: leak line=FORGOTTEN said=from_new
int forgotten(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int *last;

    last = new int(n); /* FORGOTTEN */
    if (*last >= 0)
        last = NULL;
    return MPI_Allreduce(in, out, n, type, op, comm);
}

// check allreduce kept --mpi: leak line=KEPT said=from_new
int kept(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    auto copy = new long[n + 1]; /* KEPT */

    copy[n] = 0;
    return MPI_Allreduce(in, out, n, type, op, comm);
}

// check allreduce library --mpi: proved
int library(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    std::map<std::string, int> sizes{{"n", n}};
    auto shared = std::make_shared<std::string>("words");
    std::ostringstream text;

    text << *shared << ' ' << sizes["n"];
    std::cout << text.str() << std::endl;
    return MPI_Allreduce(in, out, n, type, op, comm);
}

// check allreduce chosen --mpi --arguments '(double*)sendbuf,(double*)recvbuf,count,comm': proved
void chosen(const int *, int *, int, MPI_Comm) {}
void chosen(const double *in, double *out, int n, MPI_Comm comm) { MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm); }

// check allreduce longer --mpi --arguments 'sendbuf,recvbuf,comm': wrong-result P=1 n=1 said=recvbuf_has_2_elements
// check allreduce longer --mpi --arguments 'sendbuf,recvbuf,comm' --may-refuse: wrong-result P=1 n=1
void longer(const std::vector<double> &in, std::vector<double> &out, MPI_Comm comm)
{
    out.resize(in.size() + 1);
    MPI_Allreduce(in.data(), out.data(), (int)in.size(), MPI_DOUBLE, MPI_SUM, comm);
}

// check allreduce writes --mpi --arguments 'sendbuf,recvbuf,comm': wrong-result P=1 n=1 said=only_read,_was_written
void writes(std::vector<double> &in, std::vector<double> &out, MPI_Comm comm)
{
    MPI_Allreduce(in.data(), out.data(), (int)in.size(), MPI_DOUBLE, MPI_SUM, comm);
    std::fill(in.begin(), in.end(), 0);
}

// check gather returned --mpi --arguments 'sendbuf,root,comm': proved
// check reduce returned --mpi --arguments 'sendbuf,root,comm': wrong-result said=vector_that_it_returns
std::vector<double> returned(const std::vector<double> &in, int root, MPI_Comm comm)
{
    int rank, size;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    std::vector<double> all(rank == root ? in.size() * (std::size_t)size : 0);

    MPI_Gather(in.data(), (int)in.size(), MPI_DOUBLE, all.data(), (int)in.size(), MPI_DOUBLE, root, comm);
    return all;
}
