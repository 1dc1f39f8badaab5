/* SPDX-License-Identifier: MIT */
/* Collectives between two groups that move data.  Data that fit one message go through the leaders, each side's rank 0:
 * on each side an algorithm of the catalogue, between the sides one message each way.  Where only the receiver knows
 * the lengths, and in an all-to-all, nodes send directly. */
#include "mpi/coll/coll.h"
#include "mpi/comm/inter.h"
#include "mpi/p2p/mpi_request.h"

static const struct peal_form barrier = {.name = "MPI_Barrier between groups"},
                              broadcast = {.name = "MPI_Bcast between groups"},
                              gather = {.name = "MPI_Gather between groups"},
                              gatherv = {.name = "MPI_Gatherv between groups"},
                              scatter = {.name = "MPI_Scatter between groups"},
                              scatterv = {.name = "MPI_Scatterv between groups"},
                              allgather = {.name = "MPI_Allgather between groups"},
                              allgatherv = {.name = "MPI_Allgatherv between groups"},
                              alltoall = {.name = "MPI_Alltoall between groups"},
                              alltoallv = {.name = "MPI_Alltoallv between groups"},
                              alltoallw = {.name = "MPI_Alltoallw between groups"};

/* ------------------------------------------------------------------ between the sides */

void
inter_send(const struct comm *comm, struct peal_node *me, const void *data, size_t bytes, int to)
{
    peal_send_at(me, data, bytes, comm_view_rank(comm, to), 0, NULL, 0);
}

/* Compare the length of what came. */
static void
inter_check_length(struct mpi *mpi, struct comm *comm, size_t bytes, struct peal_message came)
{
    const struct message_end end = {.comm = comm, .data = {.bytes = bytes}, .call = mpi->call, .site = mpi->file};

    if (came.words < bytes)
        finding_short(mpi, &end, &(struct peal_envelope){.source = came.source, .words = came.words});
}

void
inter_receive(struct mpi *mpi, struct comm *comm, struct peal_node *me, void *data, size_t bytes, int from)
{
    inter_check_length(mpi, comm, bytes, peal_recv_at(me, data, bytes, comm_view_rank(comm, from), 0, NULL, 0));
}

void
inter_swap(struct mpi *mpi, struct comm *comm, struct peal_node *me, const void *out, size_t out_bytes, void *in,
           size_t in_bytes)
{
    int peer = comm_view_rank(comm, 0);
    struct peal_handle receives = peal_recv_async_at(me, in, in_bytes, peer, 0, NULL, 0),
                       sends = peal_send_async_at(me, out, out_bytes, peer, 0, NULL, 0);

    peal_wait_at(me, sends, NULL, 0);
    inter_check_length(mpi, comm, in_bytes, peal_wait_at(me, receives, NULL, 0));
}

/* ------------------------------------------------------------------ on the own side */

void
inter_spread(struct mpi *mpi, const struct comm *comm, void *data, size_t bytes)
{
    const struct comm *local = comm->inter->local;

    peal_broadcast_at(local->view, coll_algorithm(mpi, local, PEAL_BROADCAST, bytes, NULL, 0, false), data, bytes, 0,
                      mpi->file, mpi->line);
}

/* Bring `bytes` bytes of each node to the leader, which has room for all in `all`. */
static void
inter_collect(struct mpi *mpi, const struct comm *comm, const void *mine, size_t bytes, void *all)
{
    const struct comm *local = comm->inter->local;

    peal_gather_at(local->view, coll_algorithm(mpi, local, PEAL_GATHER, bytes, NULL, 0, false), mine, bytes, 0, all,
                   mpi->file, mpi->line);
}

static void
inter_wait_all(struct mpi *mpi, const struct comm *comm)
{
    const struct comm *local = comm->inter->local;

    peal_barrier_at(local->view, coll_algorithm(mpi, local, PEAL_BARRIER, 0, NULL, 0, false), mpi->file, mpi->line);
}

/* ------------------------------------------------------------------ arguments */

/* The role of a node in a call with a root. */
enum role { IDLE, ROOT, OTHERS };

static enum role
role_of(int root)
{
    return root == MPI_ROOT ? ROOT : root == MPI_PROC_NULL ? IDLE : OTHERS;
}

/* The data of each node of the other side that this one sends to, or receives from; scratch, NULL after an error. */
static struct typed_data *
find_blocks(struct mpi *mpi, struct comm *comm, const struct coll_args *a, const struct coll_side *side, int *error)
{
    if (!a->unequal || (side->counts && side->displs))
        return blocks_find(mpi, comm, side, comm->inter->remote_size, false,
                           side == &a->send ? "sendcount" : "recvcount", error);
    *error = mpi_error(mpi, comm, MPI_ERR_ARG, "one of the lists of counts and displacements is NULL");
    return NULL;
}

/* ------------------------------------------------------------------ direct messages */

/* Receive from every node of the other side, and send to it; NULL: nothing. */
static void
inter_move_all(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct typed_data *in,
               const struct typed_data *out)
{
    int size = comm->inter->remote_size, count = 0;
    struct block_message *messages = mpi_scratch(mpi, 2 * (size_t)size * sizeof *messages);

    for (int sends = 0; sends < 2; sends++)
        for (int n = 0; n < size && (sends ? out : in); n++) { /* each node begins with a different one */
            int i = (int)(((long long)comm->rank + n) % size);

            messages[count++] =
                (struct block_message){.data = sends ? out[i] : in[i], .sends = sends, .peer = comm_view_rank(comm, i)};
        }
    blocks_move(mpi, comm, me, messages, count);
    mpi_free(mpi, messages);
}

static void
move_one(struct mpi *mpi, struct comm *comm, struct peal_node *me, struct typed_data data, bool sends, int rank)
{
    blocks_move(mpi, comm, me,
                &(struct block_message){.data = data, .sends = sends, .peer = comm_view_rank(comm, rank)}, 1);
}

/* ------------------------------------------------------------------ the collectives */

int
inter_barrier(struct mpi *mpi, struct comm *comm)
{
    struct peal_node *me = coll_enter(mpi, comm, &barrier);

    inter_wait_all(mpi, comm);
    if (comm->rank == 0)
        inter_swap(mpi, comm, me, NULL, 0, NULL, 0);
    inter_wait_all(mpi, comm);
    peal_leave(me);
    return MPI_SUCCESS;
}

int
inter_broadcast(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    enum role role = role_of(a->root);
    struct typed_data data = {.bytes = 0};
    TRY(root_check(mpi, comm, a->root));
    if (role != IDLE)
        TRY(side_check(mpi, comm, &a->receive, "count", &data));
    struct peal_node *me = coll_enter(mpi, comm, &broadcast);

    if (role == ROOT)
        move_one(mpi, comm, me, data, true, 0);
    if (role == OTHERS) {
        void *copy, *bytes = data_place(mpi, &data, &copy);

        if (comm->rank == 0)
            inter_receive(mpi, comm, me, bytes, data.bytes, a->root);
        inter_spread(mpi, comm, bytes, data.bytes);
        data_unpack(mpi, &data, copy, data.bytes);
    }
    peal_leave(me);
    return MPI_SUCCESS;
}

/* The blocks of all nodes of one side, of `bytes` bytes each, as one message. */
static size_t
whole(size_t bytes, int size)
{
    return bytes * (size_t)size;
}

/* Put one message's data into its blocks. */
static void
unpack_blocks(const struct typed_data *all, int size, const char *from)
{
    for (int i = 0; i < size; i++) {
        type_unpack(all[i].type, all[i].buffer, all[i].count, from, all[i].bytes);
        from += all[i].bytes;
    }
}

/* All blocks of the other side to or from one message: packed unless they are contiguous. */
static void
exchange_blocks(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct typed_data *all, bool sends)
{
    int size = comm->inter->remote_size;
    size_t bytes = whole(all[0].bytes, size);
    char *at = mpi_scratch(mpi, bytes), *begin = at;

    if (!sends)
        inter_receive(mpi, comm, me, begin, bytes, 0);
    for (int i = 0; i < size && sends; i++, at += all[0].bytes)
        type_pack(all[i].type, all[i].buffer, all[i].count, at, all[i].bytes);
    if (sends)
        inter_send(comm, me, begin, bytes, 0);
    else
        unpack_blocks(all, size, begin);
    mpi_free(mpi, begin);
}

/* Move the blocks of this side's nodes to or from the root in one message, by the leader, which has them all. */
static void
pass_blocks(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct typed_data *mine, int root,
            bool scatters)
{
    const struct comm *local = comm->inter->local;
    size_t bytes = whole(mine->bytes, comm->size);
    void *together = comm->rank == 0 ? mpi_scratch(mpi, bytes) : NULL, *copy;

    if (scatters) {
        void *to = data_place(mpi, mine, &copy);

        if (together)
            inter_receive(mpi, comm, me, together, bytes, root);
        peal_scatter_at(local->view, coll_algorithm(mpi, local, PEAL_SCATTER, mine->bytes, NULL, 0, false), together,
                        mine->bytes, 0, to, mpi->file, mpi->line);
        data_unpack(mpi, mine, copy, mine->bytes);
    } else {
        inter_collect(mpi, comm, data_packed(mpi, mine, &copy), mine->bytes, together);
        mpi_free(mpi, copy);
        if (together)
            inter_send(comm, me, together, bytes, root);
    }
    mpi_free(mpi, together);
}

static int
inter_move_rooted(struct mpi *mpi, struct comm *comm, const struct coll_args *a, bool scatters,
                  const struct peal_form *form)
{
    enum role role = role_of(a->root);
    struct typed_data mine = {.bytes = 0}, *all = NULL;
    int error = root_check(mpi, comm, a->root);

    if (!error && role == OTHERS)
        error = side_check(mpi, comm, scatters ? &a->receive : &a->send, scatters ? "recvcount" : "sendcount", &mine);
    else if (!error && role == ROOT)
        all = find_blocks(mpi, comm, a, scatters ? &a->send : &a->receive, &error);
    if (error)
        return error;
    struct peal_node *me = coll_enter(mpi, comm, form);

    if (role == ROOT && a->unequal)
        inter_move_all(mpi, comm, me, scatters ? NULL : all, scatters ? all : NULL);
    else if (role == ROOT)
        exchange_blocks(mpi, comm, me, all, scatters);
    else if (role == OTHERS && a->unequal)
        move_one(mpi, comm, me, mine, !scatters, a->root);
    else if (role == OTHERS)
        pass_blocks(mpi, comm, me, &mine, a->root, scatters);
    peal_leave(me);
    mpi_free(mpi, all);
    return MPI_SUCCESS;
}

int
inter_gather(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    return inter_move_rooted(mpi, comm, a, false, a->unequal ? &gatherv : &gather);
}

int
inter_scatter(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    return inter_move_rooted(mpi, comm, a, true, a->unequal ? &scatterv : &scatter);
}

int
inter_allgather(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    int size = comm->inter->remote_size, error;
    struct typed_data mine, *all = NULL;
    size_t in_bytes = 0;
    void *copy;

    error = side_check(mpi, comm, &a->send, "sendcount", &mine);
    if (!error)
        all = find_blocks(mpi, comm, a, &a->receive, &error);
    if (error)
        return error;
    for (int i = 0; i < size; i++)
        in_bytes += all[i].bytes;
    bool direct = a->unequal; /* only the other side knows how much each one here sends */
    struct peal_node *me = coll_enter(mpi, comm, direct ? &allgatherv : &allgather);
    const void *out = data_packed(mpi, &mine, &copy);
    char *in = mpi_scratch(mpi, in_bytes);

    if (direct) {
        struct peal_handle sends = peal_send_async_at(me, out, mine.bytes, comm_view_rank(comm, 0), 0, NULL, 0);
        size_t at = 0;

        for (int i = 0; comm->rank == 0 && i < size; at += all[i++].bytes)
            inter_receive(mpi, comm, me, in + at, all[i].bytes, i);
        peal_wait_at(me, sends, NULL, 0);
    } else {
        size_t out_bytes = whole(mine.bytes, comm->size);
        void *together = comm->rank == 0 ? mpi_scratch(mpi, out_bytes) : NULL;

        inter_collect(mpi, comm, out, mine.bytes, together);
        if (together)
            inter_swap(mpi, comm, me, together, out_bytes, in, in_bytes);
        mpi_free(mpi, together);
    }
    inter_spread(mpi, comm, in, in_bytes);
    unpack_blocks(all, size, in);
    peal_leave(me);
    mpi_free(mpi, copy);
    mpi_free(mpi, in);
    mpi_free(mpi, all);
    return MPI_SUCCESS;
}

int
inter_alltoall(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    struct typed_data *out = NULL, *in = NULL;
    int error;

    out = find_blocks(mpi, comm, a, &a->send, &error);
    if (!error)
        in = find_blocks(mpi, comm, a, &a->receive, &error);
    if (!error) {
        const struct peal_form *form = a->send.types ? &alltoallw : a->unequal ? &alltoallv : &alltoall;
        struct peal_node *me = coll_enter(mpi, comm, form);

        inter_move_all(mpi, comm, me, in, out);
        peal_leave(me);
    }
    mpi_free(mpi, out);
    mpi_free(mpi, in);
    return error;
}
