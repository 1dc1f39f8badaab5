/* SPDX-License-Identifier: MIT */
/* The nonblocking collectives, each with what its strand does. */
#include "lib/mpi/icoll.h"

/* What a strand runs: `mpi`, `c` and `a` are its call's, its communicator and its arguments. */
#define STRAND(name, expression)                                                                                       \
    static int run_##name(struct pending *pending)                                                                     \
    {                                                                                                                  \
        struct mpi *mpi = &pending->mpi;                                                                               \
        struct comm *c = &pending->comm;                                                                               \
        const struct coll_args *a = &pending->args;                                                                    \
                                                                                                                       \
        (void)a;                                                                                                       \
        return expression;                                                                                             \
    }                                                                                                                  \
    static const struct peal_form form_##name

STRAND(Ibarrier, coll_barrier(mpi, c)) = {.name = "MPI_Ibarrier"};

MPI_FUNCTION(int, Ibarrier, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ibarrier), comm, request, &form_Ibarrier, run_Ibarrier, &(struct coll_args){.root = 0});
}

STRAND(Ibcast, coll_broadcast(mpi, c, a->receive, a->receive_count, a->receive_type, a->root)) = {.name = "MPI_Ibcast",
                                                                                                  .root = true};

MPI_FUNCTION(int, Ibcast, void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(
        ENTER(Ibcast), comm, request, &form_Ibcast, run_Ibcast,
        &(struct coll_args){.receive = buffer, .receive_count = count, .receive_type = datatype, .root = root});
}

STRAND(Igather, coll_gather(mpi, c, a->send, a->send_count, a->send_type, a->receive, a->receive_count, a->receive_type,
                            a->root)) = {.name = "MPI_Igather", .root = true};

MPI_FUNCTION(int, Igather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Igather), comm, request, &form_Igather, run_Igather,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_count = recvcount,
                                           .receive_type = recvtype,
                                           .root = root});
}

STRAND(Igatherv, coll_gatherv(mpi, c, a->send, a->send_count, a->send_type, a->receive, a->receive_counts,
                              a->receive_displs, a->receive_type, a->root)) = {.name = "MPI_Igatherv", .root = true};

MPI_FUNCTION(int, Igatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm,
             MPI_Request *request)
{
    return icoll_start(ENTER(Igatherv), comm, request, &form_Igatherv, run_Igatherv,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_counts = recvcounts,
                                           .receive_displs = displs,
                                           .receive_type = recvtype,
                                           .root = root});
}

STRAND(Iscatter, coll_scatter(mpi, c, a->send, a->send_count, a->send_type, a->receive, a->receive_count,
                              a->receive_type, a->root)) = {.name = "MPI_Iscatter", .root = true};

MPI_FUNCTION(int, Iscatter, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Iscatter), comm, request, &form_Iscatter, run_Iscatter,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_count = recvcount,
                                           .receive_type = recvtype,
                                           .root = root});
}

STRAND(Iscatterv, coll_scatterv(mpi, c, a->send, a->send_counts, a->send_displs, a->send_type, a->receive,
                                a->receive_count, a->receive_type, a->root)) = {.name = "MPI_Iscatterv", .root = true};

MPI_FUNCTION(int, Iscatterv, const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype,
             void *recvbuf, int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Iscatterv), comm, request, &form_Iscatterv, run_Iscatterv,
                       &(struct coll_args){.send = sendbuf,
                                           .send_counts = sendcounts,
                                           .send_displs = displs,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_count = recvcount,
                                           .receive_type = recvtype,
                                           .root = root});
}

STRAND(Iallgather, coll_allgather(mpi, c, a->send, a->send_count, a->send_type, a->receive, a->receive_count,
                                  a->receive_type)) = {.name = "MPI_Iallgather"};

MPI_FUNCTION(int, Iallgather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Iallgather), comm, request, &form_Iallgather, run_Iallgather,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_count = recvcount,
                                           .receive_type = recvtype});
}

STRAND(Iallgatherv, coll_allgatherv(mpi, c, a->send, a->send_count, a->send_type, a->receive, a->receive_counts,
                                    a->receive_displs, a->receive_type)) = {.name = "MPI_Iallgatherv"};

MPI_FUNCTION(int, Iallgatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Iallgatherv), comm, request, &form_Iallgatherv, run_Iallgatherv,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_counts = recvcounts,
                                           .receive_displs = displs,
                                           .receive_type = recvtype});
}

STRAND(Ialltoall, coll_alltoall(mpi, c, a->send, a->send_count, a->send_type, a->receive, a->receive_count,
                                a->receive_type)) = {.name = "MPI_Ialltoall"};

MPI_FUNCTION(int, Ialltoall, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount,
             MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ialltoall), comm, request, &form_Ialltoall, run_Ialltoall,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_count = recvcount,
                                           .receive_type = recvtype});
}

STRAND(Ialltoallv, coll_alltoallv(mpi, c, a->send, a->send_counts, a->send_displs, a->send_type, a->receive,
                                  a->receive_counts, a->receive_displs, a->receive_type)) = {.name = "MPI_Ialltoallv"};

MPI_FUNCTION(int, Ialltoallv, const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype,
             void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm,
             MPI_Request *request)
{
    return icoll_start(ENTER(Ialltoallv), comm, request, &form_Ialltoallv, run_Ialltoallv,
                       &(struct coll_args){.send = sendbuf,
                                           .send_counts = sendcounts,
                                           .send_displs = sdispls,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_counts = recvcounts,
                                           .receive_displs = rdispls,
                                           .receive_type = recvtype});
}

STRAND(Ialltoallw, coll_alltoallw(mpi, c, a->send, a->send_counts, a->send_displs, a->send_types, a->receive,
                                  a->receive_counts, a->receive_displs, a->receive_types)) = {.name = "MPI_Ialltoallw"};

MPI_FUNCTION(int, Ialltoallw, const void *sendbuf, const int sendcounts[], const int sdispls[],
             const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const int rdispls[],
             const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ialltoallw), comm, request, &form_Ialltoallw, run_Ialltoallw,
                       &(struct coll_args){.send = sendbuf,
                                           .send_counts = sendcounts,
                                           .send_displs = sdispls,
                                           .send_types = sendtypes,
                                           .receive = recvbuf,
                                           .receive_counts = recvcounts,
                                           .receive_displs = rdispls,
                                           .receive_types = recvtypes});
}

STRAND(Ireduce, coll_reduce(mpi, c, a->send, a->receive, a->receive_count, a->receive_type, a->op, a->root)) = {
    .name = "MPI_Ireduce", .root = true};

MPI_FUNCTION(int, Ireduce, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root,
             MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ireduce), comm, request, &form_Ireduce, run_Ireduce,
                       &(struct coll_args){.send = sendbuf,
                                           .receive = recvbuf,
                                           .receive_count = count,
                                           .receive_type = datatype,
                                           .op = op,
                                           .root = root});
}

STRAND(Iallreduce, coll_reduce_everywhere(mpi, c, PEAL_ALLREDUCE, a->send, a->receive, a->receive_count,
                                          a->receive_type, a->op)) = {.name = "MPI_Iallreduce"};

MPI_FUNCTION(int, Iallreduce, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
             MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(
        ENTER(Iallreduce), comm, request, &form_Iallreduce, run_Iallreduce,
        &(struct coll_args){
            .send = sendbuf, .receive = recvbuf, .receive_count = count, .receive_type = datatype, .op = op});
}

STRAND(Iscan, coll_reduce_everywhere(mpi, c, PEAL_SCAN, a->send, a->receive, a->receive_count, a->receive_type,
                                     a->op)) = {.name = "MPI_Iscan"};

MPI_FUNCTION(int, Iscan, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm,
             MPI_Request *request)
{
    return icoll_start(
        ENTER(Iscan), comm, request, &form_Iscan, run_Iscan,
        &(struct coll_args){
            .send = sendbuf, .receive = recvbuf, .receive_count = count, .receive_type = datatype, .op = op});
}

STRAND(Iexscan, coll_reduce_everywhere(mpi, c, PEAL_EXSCAN, a->send, a->receive, a->receive_count, a->receive_type,
                                       a->op)) = {.name = "MPI_Iexscan"};

MPI_FUNCTION(int, Iexscan, const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op,
             MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(
        ENTER(Iexscan), comm, request, &form_Iexscan, run_Iexscan,
        &(struct coll_args){
            .send = sendbuf, .receive = recvbuf, .receive_count = count, .receive_type = datatype, .op = op});
}

STRAND(Ireduce_scatter, coll_reduce_blocks(mpi, c, a->send, a->receive, a->receive_counts, 0, a->receive_type,
                                           a->op)) = {.name = "MPI_Ireduce_scatter"};

MPI_FUNCTION(int, Ireduce_scatter, const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype,
             MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    struct mpi *mpi = ENTER(Ireduce_scatter);

    NEED(recvcounts);
    return icoll_start(
        mpi, comm, request, &form_Ireduce_scatter, run_Ireduce_scatter,
        &(struct coll_args){
            .send = sendbuf, .receive = recvbuf, .receive_counts = recvcounts, .receive_type = datatype, .op = op});
}

STRAND(Ireduce_scatter_block, coll_reduce_blocks(mpi, c, a->send, a->receive, NULL, a->receive_count, a->receive_type,
                                                 a->op)) = {.name = "MPI_Ireduce_scatter_block"};

MPI_FUNCTION(int, Ireduce_scatter_block, const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype,
             MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(
        ENTER(Ireduce_scatter_block), comm, request, &form_Ireduce_scatter_block, run_Ireduce_scatter_block,
        &(struct coll_args){
            .send = sendbuf, .receive = recvbuf, .receive_count = recvcount, .receive_type = datatype, .op = op});
}

/* ------------------------------------------------------------------ over neighbours */

STRAND(Ineighbor_allgather,
       coll_neighbours(mpi, c,
                       &(struct neighbour_args){.send = a->send,
                                                .send_count = a->send_count,
                                                .send_type = a->send_type,
                                                .receive = a->receive,
                                                .receive_count = a->receive_count,
                                                .receive_type = a->receive_type,
                                                .all = true})) = {.name = "MPI_Ineighbor_allgather"};

MPI_FUNCTION(int, Ineighbor_allgather, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ineighbor_allgather), comm, request, &form_Ineighbor_allgather, run_Ineighbor_allgather,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_count = recvcount,
                                           .receive_type = recvtype});
}

STRAND(Ineighbor_allgatherv,
       coll_neighbours(mpi, c,
                       &(struct neighbour_args){.send = a->send,
                                                .send_count = a->send_count,
                                                .send_type = a->send_type,
                                                .receive = a->receive,
                                                .receive_counts = a->receive_counts,
                                                .receive_displs = a->receive_displs,
                                                .receive_type = a->receive_type,
                                                .all = true})) = {.name = "MPI_Ineighbor_allgatherv"};

MPI_FUNCTION(int, Ineighbor_allgatherv, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             const int recvcounts[], const int displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ineighbor_allgatherv), comm, request, &form_Ineighbor_allgatherv, run_Ineighbor_allgatherv,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_counts = recvcounts,
                                           .receive_displs = displs,
                                           .receive_type = recvtype});
}

STRAND(Ineighbor_alltoall,
       coll_neighbours(mpi, c,
                       &(struct neighbour_args){.send = a->send,
                                                .send_count = a->send_count,
                                                .send_type = a->send_type,
                                                .receive = a->receive,
                                                .receive_count = a->receive_count,
                                                .receive_type = a->receive_type})) = {.name = "MPI_Ineighbor_alltoall"};

MPI_FUNCTION(int, Ineighbor_alltoall, const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf,
             int recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ineighbor_alltoall), comm, request, &form_Ineighbor_alltoall, run_Ineighbor_alltoall,
                       &(struct coll_args){.send = sendbuf,
                                           .send_count = sendcount,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_count = recvcount,
                                           .receive_type = recvtype});
}

STRAND(Ineighbor_alltoallv, coll_neighbours(mpi, c,
                                            &(struct neighbour_args){.send = a->send,
                                                                     .send_counts = a->send_counts,
                                                                     .send_displs = a->send_displs,
                                                                     .send_type = a->send_type,
                                                                     .receive = a->receive,
                                                                     .receive_counts = a->receive_counts,
                                                                     .receive_displs = a->receive_displs,
                                                                     .receive_type = a->receive_type})) = {
    .name = "MPI_Ineighbor_alltoallv"};

MPI_FUNCTION(int, Ineighbor_alltoallv, const void *sendbuf, const int sendcounts[], const int sdispls[],
             MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int rdispls[], MPI_Datatype recvtype,
             MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ineighbor_alltoallv), comm, request, &form_Ineighbor_alltoallv, run_Ineighbor_alltoallv,
                       &(struct coll_args){.send = sendbuf,
                                           .send_counts = sendcounts,
                                           .send_displs = sdispls,
                                           .send_type = sendtype,
                                           .receive = recvbuf,
                                           .receive_counts = recvcounts,
                                           .receive_displs = rdispls,
                                           .receive_type = recvtype});
}

STRAND(Ineighbor_alltoallw, coll_neighbours(mpi, c,
                                            &(struct neighbour_args){.send = a->send,
                                                                     .send_counts = a->send_counts,
                                                                     .send_places = a->send_places,
                                                                     .send_types = a->send_types,
                                                                     .receive = a->receive,
                                                                     .receive_counts = a->receive_counts,
                                                                     .receive_places = a->receive_places,
                                                                     .receive_types = a->receive_types})) = {
    .name = "MPI_Ineighbor_alltoallw"};

MPI_FUNCTION(int, Ineighbor_alltoallw, const void *sendbuf, const int sendcounts[], const MPI_Aint sdispls[],
             const MPI_Datatype sendtypes[], void *recvbuf, const int recvcounts[], const MPI_Aint rdispls[],
             const MPI_Datatype recvtypes[], MPI_Comm comm, MPI_Request *request)
{
    return icoll_start(ENTER(Ineighbor_alltoallw), comm, request, &form_Ineighbor_alltoallw, run_Ineighbor_alltoallw,
                       &(struct coll_args){.send = sendbuf,
                                           .send_counts = sendcounts,
                                           .send_places = sdispls,
                                           .send_types = sendtypes,
                                           .receive = recvbuf,
                                           .receive_counts = recvcounts,
                                           .receive_places = rdispls,
                                           .receive_types = recvtypes});
}

/* ------------------------------------------------------------------ communicators */

/* Copies of one communicator that are made at the same time are different meetings. */
enum { FIRST_IDUP = 1 << 30 };

static int
run_idup(struct pending *pending)
{
    struct mpi *mpi = pending->node;
    struct comm *of = pending->of;
    const struct peal_meeting meeting = {.number = FIRST_IDUP + of->idups++, .group = true};
    struct peal_node *view = peal_meet_at(pending->comm.view, &meeting, pending->mpi.file, pending->mpi.line);

    return comm_finish_copy(mpi, of, comm_make(mpi, view, of), pending->args.made);
}

MPI_FUNCTION(int, Comm_idup, MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    static const struct peal_form form = {.name = "MPI_Comm_idup"};
    struct mpi *mpi = ENTER(Comm_idup);

    NEED(newcomm);
    return icoll_start(mpi, comm, request, &form, run_idup, &(struct coll_args){.made = newcomm});
}
