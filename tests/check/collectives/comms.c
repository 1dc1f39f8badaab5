/* SPDX-License-Identifier: MIT */
/* Two communicators at once, and two that overlap: what is right on each alone. */
#include "own.h"

/* The rank in MPI_COMM_WORLD of a rank in the communicator. */
static int
in_world(int rank, MPI_Comm comm)
{
    MPI_Group own, all;
    int world;

    MPI_Comm_group(comm, &own);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_translate_ranks(own, 1, &rank, all, &world);
    MPI_Group_free(&own);
    MPI_Group_free(&all);
    return world;
}

/* Along the ranks, from the root on. */
static int
pass_on(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, int from_any)
{
    int P = size_of(comm), r = rank_in(comm), v = (r - root + P) % P;

    if (v > 0)
        MPI_Recv(buffer, count, type, from_any ? MPI_ANY_SOURCE : in_world((r + P - 1) % P, comm), 5, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (v < P - 1)
        MPI_Send(buffer, count, type, in_world((r + 1) % P, comm), 5, MPI_COMM_WORLD); /* W */
    return MPI_SUCCESS;
}

/* On the world, from any source: what another communicator sends fits, too.
 * check broadcast any_in_world --call group: proved
 * check broadcast any_in_world --call halves: proved
 * check broadcast any_in_world --call overlap: order-dependent P=2 n=0|1 r=0 line=W
 * check broadcast any_in_world: order-dependent P=2 n=1 r=0 line=W */
int
any_in_world(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return pass_on(buffer, count, type, root, comm, 1);
}

/* On the world, from its own neighbour.
 * check broadcast neighbour_in_world: proved */
int
neighbour_in_world(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    return pass_on(buffer, count, type, root, comm, 0);
}

/* From any source of its own communicator, which is its own duplicate.
 * check broadcast any_in_duplicate: proved */
int
any_in_duplicate(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm), v = (r - root + P) % P;
    MPI_Comm own;

    MPI_Comm_dup(comm, &own);
    if (v > 0)
        MPI_Recv(buffer, count, type, MPI_ANY_SOURCE, 5, own, MPI_STATUS_IGNORE);
    if (v < P - 1)
        MPI_Send(buffer, count, type, (r + 1) % P, 5, own);
    return MPI_Comm_free(&own);
}

/* The duplicate is one of the world, which the other half of it makes, too; there the ranks are others.
 * check broadcast duplicates_the_world --call once: proved
 * check broadcast duplicates_the_world --call twice: proved
 * check broadcast duplicates_the_world --call halves: unmatched-message|deadlock|wrong-result|bad-rank P=1|2 */
int
duplicates_the_world(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    MPI_Comm own;

    (void)comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Bcast(buffer, count, type, root, own);
    return MPI_Comm_free(&own);
}

/* Nobody of the communicator leaves before all of the world are there: not said by any rule, and right in halves of
 * it, which both come; in a group one node does not.
 * check barrier of_the_world --call once: proved
 * check barrier of_the_world --call halves: proved
 * check barrier of_the_world --call group: deadlock|collective-mismatch|crash P=1 */
int
of_the_world(MPI_Comm comm)
{
    (void)comm;
    return MPI_Barrier(MPI_COMM_WORLD);
}

/* A message of one call is left for the next one on the same nodes, of another communicator: the tag is the same.
 * check allgather left_for_the_next --call once: unmatched-message|wrong-result|order-dependent P=2 */
int
left_for_the_next(const void *in, int count, MPI_Datatype type, void *out, int length, MPI_Datatype to, MPI_Comm comm)
{
    int P = size_of(comm), r = rank_in(comm);

    (void)length;
    (void)to;
    for (int i = 0; i < P; i++)
        MPI_Sendrecv(in, count, type, (r + i) % P, 5, at(out, (size_t)((r + P - i) % P * count), type), count, type,
                     (r + P - i) % P, 5, comm, MPI_STATUS_IGNORE);
    if (P > 1)
        MPI_Send(in, 0, type, (r + 1) % P, 5, comm);
    return MPI_SUCCESS;
}
