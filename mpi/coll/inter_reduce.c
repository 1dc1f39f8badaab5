/* SPDX-License-Identifier: MIT */
/* Reductions between two groups: each side reduces its data at its leader, and the result goes to the other side. */
#include "mpi/coll/coll.h"
#include "mpi/coll/op.h"
#include "mpi/comm/inter.h"
#include <string.h>

static const struct peal_form reduce = {.name = "MPI_Reduce between groups"},
                              allreduce = {.name = "MPI_Allreduce between groups", .out = PEAL_SIDE_VECTOR},
                              reduce_scatter = {.name = "MPI_Reduce_scatter between groups", .out = PEAL_SIDE_VECTOR};

/* Reduce the data of the own side: the leader has the result, packed.  Gives scratch memory on all nodes. */
static void *
reduce_side(struct mpi *mpi, const struct comm *comm, const struct typed_data *data, struct reduction *reduction)
{
    struct comm *local = comm->inter->local;
    void *packed = mpi_scratch(mpi, data->bytes);

    type_pack(data->type, data->buffer, data->count, packed, data->bytes);
    struct peal_node *view = comm_elements(mpi, local, reduction->op.word_bytes);
    size_t n = data->bytes / reduction->op.word_bytes;

    peal_reduce_at(view, coll_algorithm(mpi, local, PEAL_REDUCE, n, &reduction->op, 0, false), &reduction->op, packed,
                   n, 0, mpi->file, mpi->line);
    return packed;
}

int
inter_reduce(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    bool takes = a->root == MPI_ROOT, gives = a->root >= 0;
    struct typed_data data = {.bytes = 0};
    struct reduction reduction;
    TRY(root_check(mpi, comm, a->root));
    if (takes || gives)
        TRY(typed_data_check(mpi, comm, takes ? a->receive.at : a->send.at, a->receive.count, a->receive.type, "count",
                             &data));
    if (takes || gives)
        TRY(reduction_find(mpi, comm, a->op, data.type, &reduction));
    struct peal_node *me = coll_enter(mpi, comm, &reduce);

    if (takes) {
        void *copy, *to = data_place(mpi, &data, &copy);

        inter_receive(mpi, comm, me, to, data.bytes, 0);
        data_unpack(mpi, &data, copy, data.bytes);
    }
    if (gives) {
        void *packed = reduce_side(mpi, comm, &data, &reduction);

        if (comm->rank == 0)
            inter_send(comm, me, packed, data.bytes, a->root);
        mpi_free(mpi, packed);
    }
    peal_leave(me);
    return MPI_SUCCESS;
}

int
inter_allreduce(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    struct typed_data in, out;
    struct reduction reduction;
    void *copy;
    TRY(typed_data_check(mpi, comm, a->send.at, a->receive.count, a->receive.type, "count", &in));
    TRY(side_check(mpi, comm, &a->receive, "count", &out));
    TRY(reduction_find(mpi, comm, a->op, in.type, &reduction));
    const struct peal_call call = {.form = &allreduce, .op = reduction.op.name, .words = in.bytes};
    struct peal_node *me = coll_begin(mpi, comm, &call);
    void *packed = reduce_side(mpi, comm, &in, &reduction), *to = data_place(mpi, &out, &copy);

    if (comm->rank == 0)
        inter_swap(mpi, comm, me, packed, in.bytes, to, out.bytes);
    inter_spread(mpi, comm, to, out.bytes);
    data_unpack(mpi, &out, copy, out.bytes);
    mpi_free(mpi, packed);
    peal_leave(me);
    return MPI_SUCCESS;
}

/* Send each node of the own side its part of the leader's data; all of them know the lengths of the parts. */
static void
inter_scatter_parts(struct mpi *mpi, const struct comm *comm, const char *together, const struct coll_args *a,
                    const struct typed_data *mine)
{
    const struct comm *local = comm->inter->local;
    struct peal_node *me = coll_enter(mpi, local, &reduce_scatter);
    void *copy, *to = data_place(mpi, mine, &copy);

    if (local->rank > 0) {
        peal_recv_at(me, to, mine->bytes, 0, 0, NULL, 0);
    } else {
        struct peal_handle *handles = mpi_scratch(mpi, (size_t)local->size * sizeof *handles);
        const char *at = together + mine->bytes;

        for (int i = 1; i < local->size; i++) {
            size_t bytes = (size_t)side_count(&a->receive, i) * mine->type->size;

            handles[i] = peal_send_async_at(me, at, bytes, i, 0, NULL, 0);
            at += bytes;
        }
        if (mine->bytes)
            memcpy(to, together, mine->bytes);
        for (int i = 1; i < local->size; i++)
            peal_wait_at(me, handles[i], NULL, 0);
        mpi_free(mpi, handles);
    }
    data_unpack(mpi, mine, copy, mine->bytes);
    peal_leave(me);
}

/* The sum of the counts; below 0: it is invalid. */
static int
total_count(const struct comm *comm, const struct coll_args *a)
{
    int total = 0;

    for (int i = 0; i < comm->size; i++) {
        int count = side_count(&a->receive, i);

        if (count < 0 || __builtin_add_overflow(total, count, &total))
            return -1;
    }
    return total;
}

int
inter_reduce_scatter(struct mpi *mpi, struct comm *comm, const struct coll_args *a)
{
    struct typed_data in, mine;
    struct reduction reduction;
    int total = total_count(comm, a);

    if (total < 0)
        return mpi_error(mpi, comm, MPI_ERR_COUNT, "the counts are below 0, or too many");
    TRY(typed_data_check(mpi, comm, a->send.at, total, a->receive.type, "count", &in));
    TRY(typed_data_check(mpi, comm, a->receive.at, side_count(&a->receive, comm->rank), a->receive.type, "recvcount",
                         &mine));
    TRY(reduction_find(mpi, comm, a->op, in.type, &reduction));
    const struct peal_call call = {.form = &reduce_scatter, .op = reduction.op.name, .words = in.bytes};
    struct peal_node *me = coll_begin(mpi, comm, &call);
    void *packed = reduce_side(mpi, comm, &in, &reduction), *other = mpi_scratch(mpi, in.bytes);

    if (comm->rank == 0)
        inter_swap(mpi, comm, me, packed, in.bytes, other, in.bytes);
    inter_scatter_parts(mpi, comm, other, a, &mine);
    mpi_free(mpi, packed);
    mpi_free(mpi, other);
    peal_leave(me);
    return MPI_SUCCESS;
}
