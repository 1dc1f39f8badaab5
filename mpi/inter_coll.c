/* SPDX-License-Identifier: MIT */
/* Collectives between two groups that move data.  Data that fit one message go through the leaders, each side's rank 0:
 * on each side an algorithm of the catalogue, between the sides one message each way.  Where only the receiver knows
 * the lengths, and in an all-to-all, nodes send directly. */
#include "mpi/coll.h"
#include "mpi/finding.h"
#include "mpi/inter.h"
#include "mpi/mpi_request.h"

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

struct peal_node *
inter_begin(struct mpi *mpi, const struct comm *comm, const struct peal_call *call)
{
    peal_declare_call(comm->view, call, mpi->file, mpi->line);
    return peal_enter(comm->view, call->form->name, mpi->file, mpi->line);
}

void
inter_send(const struct comm *comm, struct peal_node *me, const void *data, size_t bytes, int to)
{
    peal_send_at(me, data, bytes, comm_view_rank(comm, to), 0, NULL, 0);
}

/* Compare the length of what came. */
static void
expect(struct mpi *mpi, struct comm *comm, size_t bytes, struct peal_message came)
{
    const struct message_end end = {.comm = comm, .data = {.bytes = bytes}, .call = mpi->call, .site = mpi->file};

    if (came.words < bytes)
        finding_short(mpi, &end, &(struct peal_envelope){.source = came.source, .words = came.words});
}

void
inter_receive(struct mpi *mpi, struct comm *comm, struct peal_node *me, void *data, size_t bytes, int from)
{
    expect(mpi, comm, bytes, peal_recv_at(me, data, bytes, comm_view_rank(comm, from), 0, NULL, 0));
}

void
inter_swap(struct mpi *mpi, struct comm *comm, struct peal_node *me, const void *out, size_t out_bytes, void *in,
           size_t in_bytes)
{
    int peer = comm_view_rank(comm, 0);
    struct peal_handle receives = peal_recv_async_at(me, in, in_bytes, peer, 0, NULL, 0),
                       sends = peal_send_async_at(me, out, out_bytes, peer, 0, NULL, 0);

    peal_wait_at(me, sends, NULL, 0);
    expect(mpi, comm, in_bytes, peal_wait_at(me, receives, NULL, 0));
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
collect(struct mpi *mpi, const struct comm *comm, const void *mine, size_t bytes, void *all)
{
    const struct comm *local = comm->inter->local;

    peal_gather_at(local->view, coll_algorithm(mpi, local, PEAL_GATHER, bytes, NULL, 0, false), mine, bytes, 0, all,
                   mpi->file, mpi->line);
}

static void
wait_for_all(struct mpi *mpi, const struct comm *comm)
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
find_blocks(struct mpi *mpi, struct comm *comm, const struct coll_args *a, bool sends, int *error)
{
    const int *counts = sends ? a->send_counts : a->receive_counts,
              *displs = sends ? a->send_displs : a->receive_displs;
    const MPI_Datatype *types = sends ? a->send_types : a->receive_types;
    const char *buffer = sends ? a->send : a->receive, *what = sends ? "sendcount" : "recvcount";
    int one = sends ? a->send_count : a->receive_count, size = comm->inter->remote_size;
    struct typed_data *all = mpi_scratch(mpi, (size_t)size * sizeof *all);

    *error = MPI_SUCCESS;
    for (int i = 0; i < size && !*error; i++) {
        MPI_Datatype type = types ? types[i] : sends ? a->send_type : a->receive_type;
        const struct type *of = type_find(mpi, type);
        ptrdiff_t extent = of ? type_extent(of) : 0, offset = types    ? displs[i]
                                                              : displs ? displs[i] * extent
                                                                       : (ptrdiff_t)i * one * extent;

        *error = data_check(mpi, comm, buffer, counts ? counts[i] : one, type, what, &all[i]);
        if (!*error)
            all[i].buffer += offset;
    }
    if (!*error)
        return all;
    mpi_free(mpi, all);
    return NULL;
}

static int
check_lists(struct mpi *mpi, struct comm *comm, const struct coll_args *a, bool sends)
{
    if (!a->unequal || (sends ? a->send_counts && a->send_displs : a->receive_counts && a->receive_displs))
        return MPI_SUCCESS;
    return mpi_error(mpi, comm, MPI_ERR_ARG, "one of the lists of counts and displacements is NULL");
}

/* ------------------------------------------------------------------ direct messages */

struct batch {
    struct peal_handle *handles;
    void **copies;
};

static struct batch
post_all(struct mpi *mpi, const struct comm *comm, struct peal_node *me, const struct typed_data *all, bool sends)
{
    int size = comm->inter->remote_size;
    struct batch batch = {mpi_scratch(mpi, (size_t)size * sizeof *batch.handles),
                          mpi_scratch(mpi, (size_t)size * sizeof *batch.copies)};

    for (int n = 0; n < size; n++) { /* each begins with another one */
        int i = (int)(((long long)comm->rank + n) % size), peer = comm_view_rank(comm, i);

        batch.handles[i] = block_post(mpi, me, &all[i], sends, peer, 0, &batch.copies[i]);
    }
    return batch;
}

static void
finish_all(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct typed_data *all, bool sends,
           const struct batch *batch)
{
    for (int i = 0; i < comm->inter->remote_size; i++)
        block_finish(mpi, comm, me, &all[i], sends, batch->handles[i], batch->copies[i]);
    mpi_free(mpi, batch->handles);
    mpi_free(mpi, batch->copies);
}

/* Send to or receive from every node of the other side. */
static void
move_all(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct typed_data *all, bool sends)
{
    const struct batch batch = post_all(mpi, comm, me, all, sends);

    finish_all(mpi, comm, me, all, sends, &batch);
}

/* ------------------------------------------------------------------ the collectives */

int
inter_barrier(struct mpi *mpi, struct comm *comm)
{
    struct peal_node *me = inter_enter(mpi, comm, &barrier);

    wait_for_all(mpi, comm);
    if (comm->rank == 0)
        inter_swap(mpi, comm, me, NULL, 0, NULL, 0);
    wait_for_all(mpi, comm);
    peal_leave(me);
    return MPI_SUCCESS;
}

int
inter_broadcast(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    enum role role = role_of(a->root);
    struct typed_data data = {.bytes = 0};
    int error = root_check(mpi, comm, a->root);

    if (!error && role != IDLE)
        error = data_check(mpi, comm, a->receive, a->receive_count, a->receive_type, "count", &data);
    if (error)
        return error;
    struct peal_node *me = inter_enter(mpi, comm, &broadcast);

    if (role == ROOT)
        block_move(mpi, comm, me, &data, true, comm_view_rank(comm, 0));
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

/* All blocks of the other side to or from one message: packed unless they lie so. */
static void
exchange_blocks(struct mpi *mpi, struct comm *comm, struct peal_node *me, const struct typed_data *all, bool sends)
{
    int size = comm->inter->remote_size;
    size_t bytes = whole(all[0].bytes, size);
    char *at = mpi_scratch(mpi, bytes), *begin = at;

    if (!sends)
        inter_receive(mpi, comm, me, begin, bytes, 0);
    for (int i = 0; i < size; i++, at += all[0].bytes)
        if (sends)
            type_pack(all[i].type, all[i].buffer, all[i].count, at, all[i].bytes);
        else
            type_unpack(all[i].type, all[i].buffer, all[i].count, at, all[i].bytes);
    if (sends)
        inter_send(comm, me, begin, bytes, 0);
    mpi_free(mpi, begin);
}

int
inter_gather(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    enum role role = role_of(a->root);
    struct typed_data mine = {.bytes = 0}, *all = NULL;
    int error = root_check(mpi, comm, a->root);
    void *copy;

    if (!error && role == OTHERS)
        error = data_check(mpi, comm, a->send, a->send_count, a->send_type, "sendcount", &mine);
    if (!error && role == ROOT && !(error = check_lists(mpi, comm, a, false)))
        all = find_blocks(mpi, comm, a, false, &error);
    if (error)
        return error;
    bool direct = a->unequal;
    struct peal_node *me = inter_enter(mpi, comm, direct ? &gatherv : &gather);

    if (role == ROOT && direct)
        move_all(mpi, comm, me, all, false);
    else if (role == ROOT)
        exchange_blocks(mpi, comm, me, all, false);
    if (role == OTHERS && direct)
        block_move(mpi, comm, me, &mine, true, comm_view_rank(comm, a->root));
    if (role == OTHERS && !direct) {
        size_t bytes = whole(mine.bytes, comm->size);
        void *together = comm->rank == 0 ? mpi_scratch(mpi, bytes) : NULL;

        collect(mpi, comm, data_packed(mpi, &mine, &copy), mine.bytes, together);
        mpi_free(mpi, copy);
        if (together)
            inter_send(comm, me, together, bytes, a->root);
        mpi_free(mpi, together);
    }
    peal_leave(me);
    mpi_free(mpi, all);
    return MPI_SUCCESS;
}

int
inter_scatter(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    enum role role = role_of(a->root);
    const struct comm *local = comm->inter->local;
    struct typed_data mine = {.bytes = 0}, *all = NULL;
    int error = root_check(mpi, comm, a->root);

    if (!error && role == OTHERS)
        error = data_check(mpi, comm, a->receive, a->receive_count, a->receive_type, "recvcount", &mine);
    if (!error && role == ROOT && !(error = check_lists(mpi, comm, a, true)))
        all = find_blocks(mpi, comm, a, true, &error);
    if (error)
        return error;
    bool direct = a->unequal;
    struct peal_node *me = inter_enter(mpi, comm, direct ? &scatterv : &scatter);

    if (role == ROOT && direct)
        move_all(mpi, comm, me, all, true);
    else if (role == ROOT)
        exchange_blocks(mpi, comm, me, all, true);
    if (role == OTHERS && direct)
        block_move(mpi, comm, me, &mine, false, comm_view_rank(comm, a->root));
    if (role == OTHERS && !direct) {
        size_t bytes = whole(mine.bytes, comm->size);
        void *together = comm->rank == 0 ? mpi_scratch(mpi, bytes) : NULL, *copy, *to = data_place(mpi, &mine, &copy);

        if (together)
            inter_receive(mpi, comm, me, together, bytes, a->root);
        peal_scatter_at(local->view, coll_algorithm(mpi, local, PEAL_SCATTER, mine.bytes, NULL, 0, false), together,
                        mine.bytes, 0, to, mpi->file, mpi->line);
        data_unpack(mpi, &mine, copy, mine.bytes);
        mpi_free(mpi, together);
    }
    peal_leave(me);
    mpi_free(mpi, all);
    return MPI_SUCCESS;
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

int
inter_allgather(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    int size = comm->inter->remote_size, error;
    struct typed_data mine, *all = NULL;
    size_t in_bytes = 0;
    void *copy;

    error = data_check(mpi, comm, a->send, a->send_count, a->send_type, "sendcount", &mine);
    if (!error && !(error = check_lists(mpi, comm, a, false)))
        all = find_blocks(mpi, comm, a, false, &error);
    if (error)
        return error;
    for (int i = 0; i < size; i++)
        in_bytes += all[i].bytes;
    bool direct = a->unequal; /* only the other side knows how much each one here sends */
    struct peal_node *me = inter_enter(mpi, comm, direct ? &allgatherv : &allgather);
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

        collect(mpi, comm, out, mine.bytes, together);
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
    int error = check_lists(mpi, comm, a, true);

    if (!error)
        error = check_lists(mpi, comm, a, false);
    if (!error)
        out = find_blocks(mpi, comm, a, true, &error);
    if (!error)
        in = find_blocks(mpi, comm, a, false, &error);
    if (!error) {
        const struct peal_form *form = a->send_types ? &alltoallw : a->unequal ? &alltoallv : &alltoall;
        struct peal_node *me = inter_enter(mpi, comm, form);
        const struct batch receives = post_all(mpi, comm, me, in, false), sends = post_all(mpi, comm, me, out, true);

        finish_all(mpi, comm, me, out, true, &sends);
        finish_all(mpi, comm, me, in, false, &receives);
        peal_leave(me);
    }
    mpi_free(mpi, out);
    mpi_free(mpi, in);
    return error;
}
