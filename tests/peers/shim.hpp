// SPDX-License-Identifier: MIT
// What SimGrid's collectives (src/smpi/colls) call, by MPI's own functions: MPI's handles have the members of SimGrid's
// objects.
#ifndef SHIM_HPP
#define SHIM_HPP

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mpi.h>
#include <stdexcept>
#include <string>

enum {
    COLL_TAG_REDUCE = 112,
    COLL_TAG_SCATTER = 223,
    COLL_TAG_SCATTERV = 334,
    COLL_TAG_GATHER = 445,
    COLL_TAG_ALLGATHER = 556,
    COLL_TAG_ALLGATHERV = 667,
    COLL_TAG_BARRIER = 778,
    COLL_TAG_REDUCE_SCATTER = 889,
    COLL_TAG_ALLTOALLV = 1000,
    COLL_TAG_ALLTOALLW = 1020,
    COLL_TAG_ALLTOALL = 1112,
    COLL_TAG_GATHERV = 2223,
    COLL_TAG_BCAST = 3334,
    COLL_TAG_ALLREDUCE = 4445,
    DT_FLAG_CONTIGUOUS = 2
};

struct peal_mpi_comm {
    int rank() const
    {
        int is;

        MPI_Comm_rank(self(), &is);
        return is;
    }
    int size() const
    {
        int is;

        MPI_Comm_size(self(), &is);
        return is;
    }

  private:
    MPI_Comm self() const
    {
        return const_cast<MPI_Comm>(this);
    }
};

struct peal_mpi_datatype {
    size_t size() const
    {
        int bytes;

        MPI_Type_size(self(), &bytes);
        return static_cast<size_t>(bytes);
    }
    int extent(MPI_Aint *lb, MPI_Aint *bytes) const
    {
        return MPI_Type_get_extent(self(), lb, bytes);
    }
    MPI_Aint get_extent() const
    {
        MPI_Aint lb, bytes;

        extent(&lb, &bytes);
        return bytes;
    }
    int flags() const
    {
        return static_cast<size_t>(get_extent()) == size() ? DT_FLAG_CONTIGUOUS : 0;
    }
    int pack(const void *in, int count, void *out, int bytes, int *at, MPI_Comm comm) const
    {
        return MPI_Pack(in, count, self(), out, bytes, at, comm);
    }
    int unpack(const void *in, int bytes, int *at, void *out, int count, MPI_Comm comm) const
    {
        return MPI_Unpack(in, bytes, at, out, count, self(), comm);
    }
    void commit()
    {
        MPI_Datatype type = this;

        MPI_Type_commit(&type);
    }

  private:
    MPI_Datatype self() const
    {
        return const_cast<MPI_Datatype>(this);
    }
};

struct peal_mpi_op {
    void apply(const void *in, void *inout, const int *count, MPI_Datatype type)
    {
        MPI_Reduce_local(in, inout, *count, type, this);
    }
    bool is_commutative()
    {
        int is;

        MPI_Op_commutative(this, &is);
        return is;
    }
};

namespace simgrid {

namespace xbt {
template <class... T>
std::string
string_printf(const char *text, T...)
{
    return text;
}
} // namespace xbt

namespace smpi {

/* SimGrid's tags are negative, some of them twice. */
static inline int
shim_tag(int tag)
{
    return tag < 0 && tag != MPI_ANY_TAG ? 10000 - tag : tag;
}

struct Request {
    static void send(const void *in, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm)
    {
        MPI_Send(in, n, t, to, shim_tag(tag), comm);
    }
    static int recv(void *out, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm, MPI_Status *status)
    {
        return MPI_Recv(out, n, t, from, shim_tag(tag), comm, status);
    }
    static void sendrecv(const void *in, int n, MPI_Datatype t, int to, int tag, void *out, int m, MPI_Datatype u,
                         int from, int other, MPI_Comm comm, MPI_Status *status)
    {
        MPI_Sendrecv(in, n, t, to, shim_tag(tag), out, m, u, from, shim_tag(other), comm, status);
    }
    static MPI_Request isend(const void *in, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm)
    {
        MPI_Request request;

        MPI_Isend(in, n, t, to, shim_tag(tag), comm, &request);
        return request;
    }
    static MPI_Request irecv(void *out, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm)
    {
        MPI_Request request;

        MPI_Irecv(out, n, t, from, shim_tag(tag), comm, &request);
        return request;
    }
    static MPI_Request isend_init(const void *in, int n, MPI_Datatype t, int to, int tag, MPI_Comm comm)
    {
        MPI_Request request;

        MPI_Send_init(in, n, t, to, shim_tag(tag), comm, &request);
        return request;
    }
    static MPI_Request irecv_init(void *out, int n, MPI_Datatype t, int from, int tag, MPI_Comm comm)
    {
        MPI_Request request;

        MPI_Recv_init(out, n, t, from, shim_tag(tag), comm, &request);
        return request;
    }
    static void startall(int count, MPI_Request *requests)
    {
        MPI_Startall(count, requests);
    }
    static int wait(MPI_Request *request, MPI_Status *status)
    {
        return MPI_Wait(request, status);
    }
    static int waitall(int count, MPI_Request requests[], MPI_Status statuses[])
    {
        return MPI_Waitall(count, requests, statuses);
    }
    static int waitany(int count, MPI_Request requests[], MPI_Status *status)
    {
        int which;

        MPI_Waitany(count, requests, &which, status);
        return which;
    }
    static void iprobe(int from, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
    {
        MPI_Iprobe(from, shim_tag(tag), comm, flag, status);
    }
    static void unref(MPI_Request *request)
    {
        if (*request != MPI_REQUEST_NULL)
            MPI_Request_free(request);
    }
};

struct Status {
    static int get_count(const MPI_Status *status, MPI_Datatype type)
    {
        int count;

        MPI_Get_count(status, type, &count);
        return count;
    }
};

struct Datatype {
    static int copy(const void *in, int n, MPI_Datatype t, void *out, int m, MPI_Datatype u)
    {
        return MPI_Sendrecv(in, n, t, 0, 1, out, m, u, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    }
    static int create_indexed(int count, const int *lengths, const int *places, MPI_Datatype old, MPI_Datatype *made)
    {
        return MPI_Type_indexed(count, lengths, places, old, made);
    }
    static void unref(MPI_Datatype type)
    {
        if (type != MPI_DATATYPE_NULL)
            MPI_Type_free(&type);
    }
};

namespace colls {
static const auto bcast = MPI_Bcast;
static const auto barrier = MPI_Barrier;
static const auto reduce = MPI_Reduce;
static const auto allreduce = MPI_Allreduce;
static const auto gather = MPI_Gather;
static const auto gatherv = MPI_Gatherv;
static const auto scatterv = MPI_Scatterv;
static const auto allgather = MPI_Allgather;
static const auto allgatherv = MPI_Allgatherv;
static const auto alltoall = MPI_Alltoall;
} // namespace colls

#define SHIM_DEFAULT(name, function)                                                                                   \
    static const auto name##__default = function, name##__mpich = function
SHIM_DEFAULT(bcast, MPI_Bcast);
SHIM_DEFAULT(barrier, MPI_Barrier);
SHIM_DEFAULT(reduce, MPI_Reduce);
SHIM_DEFAULT(allreduce, MPI_Allreduce);
SHIM_DEFAULT(gather, MPI_Gather);
SHIM_DEFAULT(scatter, MPI_Scatter);
SHIM_DEFAULT(allgather, MPI_Allgather);
SHIM_DEFAULT(allgatherv, MPI_Allgatherv);
SHIM_DEFAULT(alltoall, MPI_Alltoall);
SHIM_DEFAULT(alltoallv, MPI_Alltoallv);
SHIM_DEFAULT(reduce_scatter, MPI_Reduce_scatter);

} // namespace smpi

namespace s4u {
namespace this_actor {
static inline void
sleep_for(double)
{
}
} // namespace this_actor
} // namespace s4u

} // namespace simgrid

struct shim_process {
    bool finalizing() const
    {
        return false;
    }
};

static inline shim_process *
smpi_process()
{
    static shim_process process;

    return &process;
}

static inline unsigned char *
smpi_get_tmp_sendbuffer(size_t bytes)
{
    return static_cast<unsigned char *>(std::malloc(bytes));
}

static inline unsigned char *
smpi_get_tmp_recvbuffer(size_t bytes)
{
    return static_cast<unsigned char *>(std::malloc(bytes));
}

static inline void
smpi_free_tmp_buffer(const unsigned char *buffer)
{
    std::free(const_cast<unsigned char *>(buffer));
}

#define XBT_LOG_EXTERNAL_DEFAULT_CATEGORY(name) static_assert(true, "")
#define XBT_LOG_NEW_DEFAULT_SUBCATEGORY(name, parent, text) static_assert(true, "")
#define XBT_DEBUG(...) static_cast<void>(0)
#define XBT_INFO(...) static_cast<void>(0)
#define XBT_WARN(...) static_cast<void>(0)
#define xbt_assert(condition, ...) assert(condition)

#endif
