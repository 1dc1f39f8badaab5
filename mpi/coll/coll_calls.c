/* SPDX-License-Identifier: MIT */
/* The collectives as MPI calls them: each has a blocking and a nonblocking form, with the same arguments. */
#include "mpi/coll/coll_types.h"
#include "mpi/coll/icoll.h"

/* The parameters of one side, and the members of struct coll_args that take them. */
#define IN const void *sendbuf, int sendcount, MPI_Datatype sendtype
#define FROM .send = {.at = CONST(sendbuf), .count = sendcount, .type = sendtype}
#define OUT void *recvbuf, int recvcount, MPI_Datatype recvtype
#define TO .receive = {.at = recvbuf, .count = recvcount, .type = recvtype}
#define CONST(buffer) (void *)(uintptr_t)(buffer)

/* Parameters of blocks with lengths of their own, and with types, too, in which displacements are of type `place`. */
#define IN_V const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype
#define FROM_V .send = {.at = CONST(sendbuf), .counts = sendcounts, .displs = sdispls, .type = sendtype}
#define OUT_V void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype
#define TO_V .receive = {.at = recvbuf, .counts = recvcounts, .displs = rdispls, .type = recvtype}
#define IN_W(place) const void *sendbuf, const int sendcounts[], const place sdispls[], const MPI_Datatype sendtypes[]
#define FROM_W(places) .send = {.at = CONST(sendbuf), .counts = sendcounts, .places = sdispls, .types = sendtypes}
#define OUT_W(place) void *recvbuf, const int recvcounts[], const place rdispls[], const MPI_Datatype recvtypes[]
#define TO_W(places) .receive = {.at = recvbuf, .counts = recvcounts, .places = rdispls, .types = recvtypes}

/* Those of reductions. */
#define VECTOR const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op
#define VECTORS .send.at = CONST(sendbuf), .receive = {.at = recvbuf, .count = count, .type = datatype}, .op = op

#define PARAMETERS(...) __VA_ARGS__

/* Define MPI_<call> and MPI_<icall>, which `carry_out` carries out with the arguments of all parameters but the
 * communicator. */
#define COLLECTIVE(call, icall, carry_out, parameters, ...) BOTH(call, icall, carry_out, false, parameters, __VA_ARGS__)
#define WITH_ROOT(call, icall, carry_out, parameters, ...)                                                             \
    BOTH(call, icall, carry_out, true, parameters, __VA_ARGS__, .root = root)
#define BOTH(call, icall, carry_out, rooted, parameters, ...)                                                          \
    static const struct peal_form form_##call = {.name = "MPI_" #call, .root = (rooted)},                              \
                                  form_##icall = {.name = "MPI_" #icall, .root = (rooted)};                            \
                                                                                                                       \
    MPI_FUNCTION(int, call, PARAMETERS parameters, MPI_Comm comm)                                                      \
    {                                                                                                                  \
        struct mpi *mpi = ENTER_INLINE(call);                                                                          \
        FIND_COMM(c, comm);                                                                                            \
                                                                                                                       \
        return coll_carry_out(mpi, c, carry_out, &(struct coll_args){.form = &form_##call, __VA_ARGS__});              \
    }                                                                                                                  \
                                                                                                                       \
    MPI_FUNCTION(int, icall, PARAMETERS parameters, MPI_Comm comm, MPI_Request *request)                               \
    {                                                                                                                  \
        struct mpi *mpi = ENTER(icall);                                                                                \
                                                                                                                       \
        return icoll_start(mpi, comm, request, carry_out, &(struct coll_args){.form = &form_##icall, __VA_ARGS__});    \
    }                                                                                                                  \
    struct mpi

/* ------------------------------------------------------------------ data */

MPI_FUNCTION(int, Barrier, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Barrier);
    FIND_COMM(c, comm);
    struct vclock_meeting *meeting = vclock_meet(mpi, c);
    int error = coll_barrier(mpi, c, NULL);

    vclock_met(mpi, c, meeting);
    return error;
}

MPI_FUNCTION(int, Ibarrier, MPI_Comm comm, MPI_Request *request)
{
    static const struct peal_form form = {.name = "MPI_Ibarrier"};

    struct mpi *mpi = ENTER(Ibarrier);

    return icoll_start(mpi, comm, request, coll_barrier, &(struct coll_args){.form = &form});
}

WITH_ROOT(Bcast, Ibcast, coll_broadcast, (void *buffer, int count, MPI_Datatype datatype, int root),
          .receive = {.at = buffer, .count = count, .type = datatype});
WITH_ROOT(Gather, Igather, coll_gather, (IN, OUT, int root), FROM, TO);
WITH_ROOT(Gatherv, Igatherv, coll_gatherv, (IN, OUT_V, int root), FROM, TO_V, .unequal = true);
WITH_ROOT(Scatter, Iscatter, coll_scatter, (IN, OUT, int root), FROM, TO);
WITH_ROOT(Scatterv, Iscatterv, coll_scatterv, (IN_V, OUT, int root), FROM_V, TO, .unequal = true);
COLLECTIVE(Allgather, Iallgather, coll_allgather, (IN, OUT), FROM, TO);
COLLECTIVE(Allgatherv, Iallgatherv, coll_allgather, (IN, OUT_V), FROM, TO_V, .unequal = true);
COLLECTIVE(Alltoall, Ialltoall, coll_alltoall, (IN, OUT), FROM, TO);
COLLECTIVE(Alltoallv, Ialltoallv, coll_alltoall, (IN_V, OUT_V), FROM_V, TO_V, .unequal = true);
COLLECTIVE(Alltoallw, Ialltoallw, coll_alltoallw, (IN_W(int), OUT_W(int)), FROM_W(displs), TO_W(displs),
           .unequal = true);

/* ------------------------------------------------------------------ reductions */

WITH_ROOT(Reduce, Ireduce, coll_reduce, (VECTOR, int root), VECTORS);
COLLECTIVE(Allreduce, Iallreduce, coll_reduce_everywhere, (VECTOR), VECTORS, .which = PEAL_ALLREDUCE);
COLLECTIVE(Scan, Iscan, coll_reduce_everywhere, (VECTOR), VECTORS, .which = PEAL_SCAN);
COLLECTIVE(Exscan, Iexscan, coll_reduce_everywhere, (VECTOR), VECTORS, .which = PEAL_EXSCAN);
COLLECTIVE(Reduce_scatter, Ireduce_scatter, coll_reduce_blocks,
           (const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op),
           .send.at = CONST(sendbuf), .receive = {.at = recvbuf, .counts = recvcounts, .type = datatype}, .op = op,
           .unequal = true);
COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, coll_reduce_blocks, (VECTOR), VECTORS);

/* ------------------------------------------------------------------ over neighbours */

COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, coll_neighbours, (IN, OUT), FROM, TO, .to_all = true);
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, coll_neighbours, (IN, OUT_V), FROM, TO_V, .to_all = true);
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, coll_neighbours, (IN, OUT), FROM, TO);
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, coll_neighbours, (IN_V, OUT_V), FROM_V, TO_V);
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, coll_neighbours, (IN_W(MPI_Aint), OUT_W(MPI_Aint)), FROM_W(places),
           TO_W(places));
