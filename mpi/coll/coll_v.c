/* SPDX-License-Identifier: MIT */
/* Collectives that move data by direct messages. */
#include "mpi/coll/coll.h"
#include "mpi/comm/inter.h"

/* In MPI_Gatherv and MPI_Scatterv only the root knows the lengths: they use direct messages, in the collectives'
 * context. */
static const struct peal_form gatherv = {.name = "MPI_Gatherv", .out = PEAL_SIDE_NONE, .root = true},
                              scatterv = {.name = "MPI_Scatterv", .root = true}, alltoallw = {.name = "MPI_Alltoallw"};

/* Copy one node's own data. */
static void
coll_v_copy_own(struct mpi *mpi, const struct typed_data *from, const struct typed_data *to)
{
    void *copy;
    const void *packed = data_packed(mpi, from, &copy);

    type_unpack(to->type, to->buffer, to->count, packed, from->bytes < to->bytes ? from->bytes : to->bytes);
    mpi_free(mpi, copy);
}

/* MPI_Gatherv and MPI_Scatterv: the root sends or receives every block but its own, all at once. */
static int
coll_v_move_rooted(struct mpi *mpi, struct comm *c, const struct coll_args *a, bool scatters)
{
    struct gathered call;
    int count = 0;

    TRY(rooted_check(mpi, c, a, scatters, &call));
    struct peal_node *me =
        coll_begin(mpi, c, &(struct peal_call){.form = scatters ? &scatterv : &gatherv, .root = a->root});
    struct block_message *messages = mpi_scratch(mpi, (call.root ? (size_t)c->size : 1) * sizeof *messages);
    const struct typed_data own = call.root ? block_data(&call.all, a->root) : call.own;

    if (call.root && !call.in_place)
        coll_v_copy_own(mpi, scatters ? &own : &call.own, scatters ? &call.own : &own);
    for (int i = 0; call.root && i < c->size; i++)
        if (i != a->root)
            messages[count++] = (struct block_message){.data = block_data(&call.all, i), .sends = scatters, .peer = i};
    if (!call.root)
        messages[count++] = (struct block_message){.data = own, .sends = !scatters, .peer = a->root};
    blocks_move(mpi, c, me, messages, count);
    if (call.root)
        blocks_fini(mpi, &call.all);
    mpi_free(mpi, messages);
    peal_leave(me);
    return MPI_SUCCESS;
}

int
coll_gatherv(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    return c->inter ? inter_gather(mpi, c, a) : coll_v_move_rooted(mpi, c, a, false);
}

int
coll_scatterv(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    return c->inter ? inter_scatter(mpi, c, a) : coll_v_move_rooted(mpi, c, a, true);
}

/* ------------------------------------------------------------------ a type for each block */

/* Check the lists and find the data of each block; scratch, NULL after an error. */
static struct typed_data *
find_all(struct mpi *mpi, struct comm *c, const struct coll_side *side, const char *what, int *error)
{
    if (side->counts && side->displs && side->types)
        return blocks_find(mpi, c, side, c->size, false, what, error);
    *error = mpi_error(mpi, c, MPI_ERR_ARG, "a list of what is %s is NULL", what);
    return NULL;
}

static void
coll_v_move_all(struct mpi *mpi, struct comm *c, struct peal_node *me, const struct typed_data *out,
                const struct typed_data *in)
{
    int size = c->size, rank = peal_rank(me);
    struct block_message *messages = mpi_scratch(mpi, 2 * (size_t)size * sizeof *messages);

    for (int i = 0; i < size; i++) { /* in the i-th round from the node i ranks before */
        int source = (rank - i + size) % size, dest = (rank + i) % size;

        messages[2 * i] = (struct block_message){.data = in[source], .sends = false, .peer = source};
        messages[2 * i + 1] = (struct block_message){.data = out[dest], .sends = true, .peer = dest};
    }
    blocks_move(mpi, c, me, messages, 2 * size);
    mpi_free(mpi, messages);
}

int
coll_alltoallw(struct mpi *mpi, struct comm *c, const struct coll_args *a)
{
    if (c->inter)
        return inter_alltoall(mpi, c, a);
    bool in_place = a->send.at == MPI_IN_PLACE;
    size_t size = (size_t)c->size, bytes = 0;
    char *copy = NULL;
    int error;
    struct typed_data *in = find_all(mpi, c, &a->receive, "received", &error), *out = NULL;

    if (!error && !in_place)
        out = find_all(mpi, c, &a->send, "sent", &error);
    if (error)
        return error;
    for (size_t i = 0; i < size; i++)
        bytes += in[i].bytes;
    if (in_place) { /* send a copy of the data there */
        char *at = copy = mpi_scratch(mpi, bytes);

        out = mpi_scratch(mpi, size * sizeof *out);
        for (size_t i = 0; i < size; i++) {
            type_pack(in[i].type, in[i].buffer, in[i].count, at, in[i].bytes);
            out[i] = (struct typed_data){at, in[i].bytes, type_find(mpi, MPI_BYTE), in[i].bytes};
            at += in[i].bytes;
        }
    }
    struct peal_node *me = coll_enter(mpi, c, &alltoallw);

    coll_v_move_all(mpi, c, me, out, in);
    peal_leave(me);
    mpi_free(mpi, copy);
    mpi_free(mpi, in);
    mpi_free(mpi, out);
    return MPI_SUCCESS;
}
