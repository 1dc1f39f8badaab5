/* SPDX-License-Identifier: MIT */
/* What functions of Open MPI's coll/base call, by MPI's own functions: enough for those that check.sh names. */
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Their handles are pointers to these. */
typedef struct peal_mpi_datatype peal_mpi_datatype;
typedef struct peal_mpi_op peal_mpi_op;
typedef struct peal_mpi_comm peal_mpi_comm;
typedef struct peal_mpi_request peal_mpi_request;
#define ompi_datatype_t peal_mpi_datatype
#define ompi_op_t peal_mpi_op
#define ompi_communicator_t peal_mpi_comm
#define ompi_request_t peal_mpi_request

#define OMPI_SUCCESS MPI_SUCCESS
#define OPAL_OUTPUT(words)
#define MCA_COLL_BASE_TAG_REDUCE 21
#define MCA_PML_BASE_SEND_STANDARD 0
#define MCA_PML_CALL(call) shim_##call
#define shim_irecv(to, n, type, from, tag, comm, request) MPI_Irecv(to, (int)(n), type, from, tag, comm, request)
#define shim_send(from, n, type, to, tag, mode, comm) MPI_Send(from, (int)(n), type, to, tag, comm)
#define shim_allgather(in, n, type, out, m, to, comm, module) MPI_Allgather(in, (int)(n), type, out, (int)(m), to, comm)
#define ompi_op_reduce(op, in, inout, n, type) MPI_Reduce_local(in, inout, (int)(n), type, op)
#define ompi_request_wait_all(n, requests, ignored) MPI_Waitall(n, requests, MPI_STATUSES_IGNORE)
#define ompi_coll_base_free_reqs(requests, n) ((void)(requests))
#define ompi_datatype_get_extent MPI_Type_get_extent

/* A tree, which each node has for itself. */
enum { SHIM_ROOM = 128 };

typedef struct ompi_coll_tree_t {
    int tree_prev, tree_nextsize, tree_next[SHIM_ROOM];
} ompi_coll_tree_t;

typedef struct {
    ompi_coll_tree_t *cached_kmtree;
} mca_coll_base_comm_t;

typedef struct {
    mca_coll_base_comm_t *base_data;
} mca_coll_base_module_t;

static ompi_coll_tree_t shim_tree;
static mca_coll_base_comm_t shim_data = {&shim_tree};
static mca_coll_base_module_t shim_module = {&shim_data};
static MPI_Request shim_requests[SHIM_ROOM];
#define ompi_coll_base_comm_get_reqs(data, n) shim_requests

static inline int
ompi_comm_rank(MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    return rank;
}

static inline int
ompi_comm_size(MPI_Comm comm)
{
    int size;

    MPI_Comm_size(comm, &size);
    return size;
}

/* The parent of a rank, counted from the root, has its lowest digit of base `radix` that is not 0 as 0; its children
 * have one digit more below that. */
static inline void
shim_grow(MPI_Comm comm, int root, int radix)
{
    int P = ompi_comm_size(comm), from_root = (ompi_comm_rank(comm) - root + P) % P, unit = 1;

    shim_tree.tree_prev = MPI_PROC_NULL;
    shim_tree.tree_nextsize = 0;
    for (; unit < P && from_root / unit % radix == 0; unit *= radix)
        for (int digit = 1; digit < radix && from_root + digit * unit < P; digit++)
            shim_tree.tree_next[shim_tree.tree_nextsize++] = (from_root + digit * unit + root) % P;
    if (from_root > 0)
        shim_tree.tree_prev = (from_root - from_root / unit % radix * unit + root) % P;
}
#define COLL_BASE_UPDATE_KMTREE(comm, module, root, radix) shim_grow(comm, root, radix)

static inline void
ompi_datatype_type_size(MPI_Datatype type, size_t *bytes)
{
    int size;

    MPI_Type_size(type, &size);
    *bytes = (size_t)size;
}

/* The bytes from the first to the last of so many elements, and how far the first is from their address. */
static inline ptrdiff_t
opal_datatype_span(MPI_Datatype type, int64_t count, ptrdiff_t *gap)
{
    MPI_Aint low, extent, first, bytes;

    MPI_Type_get_extent(type, &low, &extent);
    MPI_Type_get_true_extent(type, &first, &bytes);
    *gap = count > 0 ? first : 0;
    return count > 0 ? bytes + (count - 1) * extent : 0;
}

static inline int
ompi_datatype_copy_content_same_ddt(MPI_Datatype type, size_t count, char *to, char *from)
{
    return MPI_Sendrecv(from, (int)count, type, 0, 22, to, (int)count, type, 0, 22, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
