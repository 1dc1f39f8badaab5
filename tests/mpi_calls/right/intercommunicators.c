/* nodes: 2 3 7 12 */
/* SPDX-License-Identifier: MIT */
/* Two groups of different sizes: messages, all collectives, blocking and not, copies, splits, merging. */
#include "check.h"

enum { MANY = 64 };

static MPI_Comm inter;
static int side, own, members, others; /* the first third of the nodes is side 0 */

static void
make(void)
{
    MPI_Comm local;
    MPI_Group group;
    int low = (size + 2) / 3, flag = 0, all, first = -1, zero = 0, result;

    side = rank >= low;
    MPI_Comm_split(MPI_COMM_WORLD, side, side ? -rank : rank, &local); /* side 1 in the opposite order */
    MPI_Comm_rank(local, &own);
    MPI_Comm_size(local, &members);
    /* The leaders are the last one of side 0 and the first one of side 1. */
    MPI_Intercomm_create(local, side ? 0 : members - 1, MPI_COMM_WORLD, side ? low - 1 : size - 1, 7, &inter);
    MPI_Comm_test_inter(inter, &flag);
    MPI_Comm_remote_size(inter, &others);
    CHECK(flag == 1 && others == size - members);
    MPI_Comm_size(inter, &all);
    CHECK(all == members);
    MPI_Comm_rank(inter, &all);
    CHECK(all == own);
    MPI_Comm_remote_group(inter, &group);
    MPI_Group world;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, 1, &zero, world, &first);
    CHECK(first == (side ? 0 : size - 1));
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm_compare(inter, local, &result);
    CHECK(result == MPI_UNEQUAL);
    MPI_Comm_free(&local);
}

static void
messages(void)
{
    MPI_Status status;
    int got = -1, mine = 100 * side + own, flag = 0;

    /* Every node of the larger side to rank own % others of the smaller one, which receives from any source. */
    if (side) {
        MPI_Send(&mine, 1, MPI_INT, own % others, 5, inter);
        MPI_Recv(&got, 1, MPI_INT, own % others, 6, inter, &status);
        CHECK(got == mine + 1 && status.MPI_SOURCE == own % others);
    } else {
        for (int i = own; i < others; i += members) {
            MPI_Probe(MPI_ANY_SOURCE, 5, inter, &status);
            int from = status.MPI_SOURCE;

            CHECK(from % members == own);
            MPI_Recv(&got, 1, MPI_INT, from, 5, inter, &status);
            CHECK(got == 100 + from && status.MPI_SOURCE == from);
            got++;
            MPI_Send(&got, 1, MPI_INT, from, 6, inter);
        }
    }
    if (own < others && own < members) { /* pairs of the same rank */
        MPI_Request requests[2];
        MPI_Status both[2];

        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 8, inter, &requests[0]);
        MPI_Isend(&mine, 1, MPI_INT, own, 8, inter, &requests[1]);
        MPI_Waitall(2, requests, both);
        CHECK(got == 100 * !side + own && both[0].MPI_SOURCE == own);
        MPI_Sendrecv(&mine, 1, MPI_INT, own, 9, &got, 1, MPI_INT, own, 9, inter, &status);
        CHECK(got == 100 * !side + own && status.MPI_SOURCE == own);
    }
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, inter, &flag, &status);
    CHECK(!flag);
}

/* A datatype with gaps, and its values. */
static MPI_Datatype
every_second(void)
{
    MPI_Datatype vector, type;

    MPI_Type_vector(1, 1, 2, MPI_INT, &vector);
    MPI_Type_create_resized(vector, 0, 2 * sizeof(int), &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&vector);
    return type;
}

/* The root is the last node of side `from`. */
static int
root_for(int from)
{
    int last = side == from ? members - 1 : others - 1;

    return side != from ? last : own == last ? MPI_ROOT : MPI_PROC_NULL;
}

/* A collective in one of its two forms. */
static int nonblocking;

#define CALL(call, icall, ...)                                                                                         \
    do {                                                                                                               \
        MPI_Request request;                                                                                           \
                                                                                                                       \
        if (nonblocking) {                                                                                             \
            MPI_##icall(__VA_ARGS__, &request);                                                                        \
            MPI_Wait(&request, MPI_STATUS_IGNORE);                                                                     \
        } else {                                                                                                       \
            MPI_##call(__VA_ARGS__);                                                                                   \
        }                                                                                                              \
    } while (0)

static void
rooted(int from)
{
    int root = root_for(from), in[MANY], out[2 * MANY], counts[MANY], displs[MANY];
    MPI_Datatype gaps = every_second();

    for (int i = 0; i < MANY; i++) {
        in[i] = 10 * own + i;
        counts[i] = i % 3;
        displs[i] = 3 * i;
    }
    int value = root == MPI_ROOT ? 77 : -1;

    CALL(Bcast, Ibcast, &value, 1, MPI_INT, root, inter);
    CHECK(value == (root == MPI_PROC_NULL ? -1 : 77));
    memset(out, -1, sizeof out);
    CALL(Gather, Igather, in, 2, MPI_INT, out, 2, gaps, root, inter);
    for (int i = 0; i < others && root == MPI_ROOT; i++)
        CHECK(out[4 * i] == 10 * i && out[4 * i + 2] == 10 * i + 1 && out[4 * i + 1] == -1);
    memset(out, -1, sizeof out);
    CALL(Scatter, Iscatter, in, 1, MPI_INT, out, 1, MPI_INT, root, inter);
    CHECK(root < 0 || out[0] == 10 * root + own);
    memset(out, -1, sizeof out);
    CALL(Gatherv, Igatherv, in, own % 3, MPI_INT, out, counts, displs, MPI_INT, root, inter);
    for (int i = 0; i < others && root == MPI_ROOT; i++)
        for (int j = 0; j < 3; j++)
            CHECK(out[3 * i + j] == (j < i % 3 ? 10 * i + j : -1));
    memset(out, -1, sizeof out);
    CALL(Scatterv, Iscatterv, in, counts, displs, MPI_INT, out, own % 3, MPI_INT, root, inter);
    for (int j = 0; j < 3 && root >= 0; j++)
        CHECK(out[j] == (j < own % 3 ? 10 * root + 3 * own + j : -1));
    long sums[2] = {own, 1}, result[2] = {-1, -1};

    CALL(Reduce, Ireduce, sums, result, 2, MPI_LONG, MPI_SUM, root, inter);
    CHECK(root != MPI_ROOT || (result[0] == (long)others * (others - 1) / 2 && result[1] == others));
    MPI_Type_free(&gaps);
}

static void
unrooted(void)
{
    int in[MANY], out[MANY], counts[MANY], displs[MANY], scounts[MANY], sdispls[MANY];
    MPI_Datatype types[MANY];

    CALL(Barrier, Ibarrier, inter);
    for (int i = 0; i < MANY; i++) {
        in[i] = 1000 * side + 100 * own + i;
        counts[i] = i % 3;
        displs[i] = 3 * i;
        scounts[i] = own % 3;
        sdispls[i] = i;
        types[i] = MPI_INT;
    }
    memset(out, -1, sizeof out);
    CALL(Allgather, Iallgather, in, 2, MPI_INT, out, 2, MPI_INT, inter);
    for (int i = 0; i < 2 * others; i++)
        CHECK(out[i] == 1000 * !side + 100 * (i / 2) + i % 2);
    memset(out, -1, sizeof out);
    CALL(Allgather, Iallgather, in, side, MPI_INT, out, !side, MPI_INT, inter); /* only one side sends */
    CHECK(side ? out[0] == -1 : out[others - 1] == 1000 + 100 * (others - 1));
    memset(out, -1, sizeof out);
    CALL(Allgatherv, Iallgatherv, in, own % 3, MPI_INT, out, counts, displs, MPI_INT, inter);
    for (int i = 0; i < others; i++)
        for (int j = 0; j < 3; j++)
            CHECK(out[3 * i + j] == (j < i % 3 ? 1000 * !side + 100 * i + j : -1));
    memset(out, -1, sizeof out);
    CALL(Alltoall, Ialltoall, in, 1, MPI_INT, out, 1, MPI_INT, inter);
    for (int i = 0; i < others; i++)
        CHECK(out[i] == 1000 * !side + 100 * i + own);
    memset(out, -1, sizeof out);
    CALL(Alltoallv, Ialltoallv, in, scounts, sdispls, MPI_INT, out, counts, displs, MPI_INT, inter);
    for (int i = 0; i < others; i++)
        for (int j = 0; j < 3; j++)
            CHECK(out[3 * i + j] == (j < i % 3 ? 1000 * !side + 100 * i + own + j : -1));
    for (int i = 0; i < MANY; i++) {
        displs[i] *= (int)sizeof(int);
        sdispls[i] *= (int)sizeof(int);
    }
    memset(out, -1, sizeof out);
    CALL(Alltoallw, Ialltoallw, in, scounts, sdispls, types, out, counts, displs, types, inter);
    for (int i = 0; i < others; i++)
        for (int j = 0; j < 3; j++)
            CHECK(out[3 * i + j] == (j < i % 3 ? 1000 * !side + 100 * i + own + j : -1));
    double value = own + 1, product = -1;

    CALL(Allreduce, Iallreduce, &value, &product, 1, MPI_DOUBLE, MPI_PROD, inter);
    for (int i = 1; i <= others; i++)
        product /= i;
    CHECK(product > 0.999 && product < 1.001);
    /* Both sides reduce members × others elements, of which each node gets as many as the other side has nodes. */
    int *vector = malloc(sizeof(int) * (size_t)(members * others)), block[MANY], blocks[MANY];

    for (int i = 0; i < members * others; i++)
        vector[i] = i + own;
    for (int i = 0; i < members; i++)
        blocks[i] = others;
    CALL(Reduce_scatter_block, Ireduce_scatter_block, vector, block, others, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < others; i++)
        CHECK(block[i] == others * (own * others + i) + others * (others - 1) / 2);
    memset(block, -1, sizeof block);
    CALL(Reduce_scatter, Ireduce_scatter, vector, block, blocks, MPI_INT, MPI_SUM, inter);
    for (int i = 0; i < others; i++)
        CHECK(block[i] == others * (own * others + i) + others * (others - 1) / 2);
    free(vector);
}

/* Many at once, with messages and blocking collectives between, waited for in another order on each node. */
static void
outstanding(void)
{
    enum { COUNT = 12 };
    MPI_Request requests[COUNT + 1];
    MPI_Comm copy;
    int in[COUNT][MANY], out[COUNT][MANY], sums[COUNT], all[2] = {own, -1}, result;

    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < MANY; j++) {
            in[i][j] = 10000 * i + 100 * own + j;
            out[i][j] = -1;
        }
        if (i % 4 == 0)
            MPI_Iallgather(in[i], 1, MPI_INT, out[i], 1, MPI_INT, inter, &requests[i]);
        else if (i % 4 == 1)
            MPI_Iallreduce(in[i], &sums[i], 1, MPI_INT, MPI_SUM, inter, &requests[i]);
        else if (i % 4 == 2)
            MPI_Ialltoall(in[i], 1, MPI_INT, out[i], 1, MPI_INT, inter, &requests[i]);
        else
            MPI_Ibcast(side ? in[i] : out[i], 3, MPI_INT, root_for(1), inter, &requests[i]);
        if (i == COUNT / 2)
            MPI_Comm_idup(inter, &copy, &requests[COUNT]);
        if (i % 5 == 4)
            MPI_Allreduce(&all[0], &all[1], 1, MPI_INT, MPI_MAX, inter);
    }
    CHECK(all[1] == others - 1);
    for (int i = 0; i <= COUNT; i++)
        MPI_Wait(&requests[(i * 5 + rank) % (COUNT + 1)], MPI_STATUS_IGNORE);
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < others; j++) {
            if (i % 4 == 0)
                CHECK(out[i][j] == 10000 * i + 100 * j);
            if (i % 4 == 1)
                CHECK(sums[i] == others * 10000 * i + 100 * others * (others - 1) / 2);
            if (i % 4 == 2)
                CHECK(out[i][j] == 10000 * i + 100 * j + own);
            if (i % 4 == 3 && !side && j < 3)
                CHECK(out[i][j] == 10000 * i + 100 * (others - 1) + j);
        }
    MPI_Comm_compare(inter, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Allreduce(&all[0], &all[1], 1, MPI_INT, MPI_SUM, copy);
    CHECK(all[1] == others * (others - 1) / 2);
    MPI_Comm_free(&copy);
}

/* Communicators made of it. */
static void
others_of_it(void)
{
    MPI_Comm copy, merged, half, some;
    MPI_Group group;
    int result, place = -1, all = -1, remote = -1, zero = 0;

    MPI_Comm_dup(inter, &copy);
    MPI_Comm_compare(inter, copy, &result);
    CHECK(result == MPI_CONGRUENT);
    MPI_Comm_free(&copy);

    MPI_Intercomm_merge(inter, !side, &merged);
    MPI_Comm_rank(merged, &place);
    CHECK(place == (side ? own : others + own));
    MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, merged);
    CHECK(all == size * (size - 1) / 2);
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(inter, 1, &merged); /* either side may be first, but the sides stay together */
    MPI_Comm_rank(merged, &place);
    CHECK(place == own || place == others + own);
    MPI_Comm_free(&merged);

    MPI_Comm_split(inter, own % 2, -own, &half);
    CHECK((half == MPI_COMM_NULL) == (own % 2 == 1 && (others < 2 || members < 2)));
    if (half != MPI_COMM_NULL) {
        int value = own, from = -1;

        MPI_Comm_remote_size(half, &remote);
        CHECK(remote == (others + 1 - own % 2) / 2);
        MPI_Comm_rank(half, &place);
        CHECK(place == (members - 1 - own) / 2);
        MPI_Bcast(&value, 1, MPI_INT, side ? 0 : place == 0 ? MPI_ROOT : MPI_PROC_NULL, half);
        from = (others - 1) - (others - 1 + own) % 2;
        CHECK(!side || value == from); /* the other side's last one of this parity is its first one here */
        MPI_Comm_free(&half);
    }
    MPI_Comm_group(inter, &group);
    MPI_Group only;
    MPI_Group_incl(group, 1, &zero, &only);
    MPI_Comm_create(inter, only, &some);
    CHECK((some == MPI_COMM_NULL) == (own > 0));
    if (some != MPI_COMM_NULL) {
        MPI_Comm_remote_size(some, &remote);
        CHECK(remote == 1);
        MPI_Comm_free(&some);
    }
    MPI_Comm_create(inter, side ? only : MPI_GROUP_EMPTY, &some);
    CHECK(some == MPI_COMM_NULL);
    MPI_Group_free(&only);
    MPI_Group_free(&group);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    make();
    messages();
    for (nonblocking = 0; nonblocking < 2; nonblocking++) {
        rooted(0);
        rooted(1);
        unrooted();
    }
    outstanding();
    others_of_it();
    MPI_Comm_free(&inter);
    CHECK(inter == MPI_COMM_NULL);
    MPI_Finalize();
    return 0;
}
