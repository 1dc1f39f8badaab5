/* SPDX-License-Identifier: MIT */
/* Nonblocking collectives: each is a strand of the node, which carries out the blocking one with a communicator that is
 * seen from there.  So all algorithms and checks are the blocking ones', and any number can be outstanding.
 *
 * A strand runs at once until it first waits: its arguments are checked, and its first messages posted, when the call
 * returns. */
#include "mpi/coll/icoll.h"
#include "mpi/coll/coll_types.h"
#include "mpi/coll/op.h"
#include "mpi/comm/topo.h"

/* The number of types in one side's list. */
static int
list_size(struct mpi *mpi, const struct pending_coll *pending, bool sends)
{
    struct neighbours near;
    int size = comm_peers(pending->of);

    if (pending->carry_out != coll_neighbours)
        return size;
    if (!neighbours_find(mpi, pending->of, &near))
        return 0;
    size = sends ? near.out : near.in;
    neighbours_fini(mpi, &near);
    return size;
}

static void
use_type(struct mpi *mpi, struct pending_coll *pending, MPI_Datatype handle)
{
    struct type *type = handle ? type_find(mpi, handle) : NULL;

    if (type) /* else the strand raises the error */
        type_use(pending->types[pending->type_count++] = type);
}

/* Keep the types until the end. */
static void
icoll_use_types(struct mpi *mpi, struct pending_coll *pending)
{
    const struct coll_side *const sides[] = {&pending->args.send, &pending->args.receive};
    const int sizes[] = {sides[0]->types ? list_size(mpi, pending, true) : 0,
                         sides[1]->types ? list_size(mpi, pending, false) : 0};

    pending->types = mpi_scratch(mpi, (2 + (size_t)sizes[0] + (size_t)sizes[1]) * sizeof(struct type *));
    for (int side = 0; side < 2; side++) {
        use_type(mpi, pending, sides[side]->type);
        for (int i = 0; i < sizes[side]; i++)
            use_type(mpi, pending, sides[side]->types[i]);
    }
}

int
pending_end(struct mpi *mpi, struct pending_coll *pending)
{
    int error = pending->error;

    vclock_go(mpi, pending->of, pending->carry_out, &pending->args, pending->meeting);
    icoll_unguard(mpi, pending, !error);
    for (int i = 0; i < pending->type_count; i++)
        type_drop(mpi, pending->types[i]);
    mpi_free(mpi, pending->types);
    mpi_free(mpi, pending);
    return error;
}

/* Give the strand its own side of an intercommunicator in the strand's contexts, too. */
static void
open_side(struct pending_coll *pending, struct peal_node *own)
{
    struct comm *local = &pending->local;

    pending->inter = *pending->of->inter;
    *local = *pending->inter.local;
    local->elements = NULL;
    local->view = peal_view_part_at(own, local->view, pending->mpi.file, pending->mpi.line);
    pending->inter.local = local;
    pending->comm.inter = &pending->inter;
}

static void
icoll_run(struct peal_node *own, void *arg)
{
    struct pending_coll *pending = arg;

    pending->comm.view = own;
    pending->comm.elements = NULL;
    if (pending->of->inter)
        open_side(pending, own);
    pending->error = pending->carry_out(&pending->mpi, &pending->comm, &pending->args);
    comm_forget_elements(&pending->comm);
    if (pending->of->inter) {
        comm_forget_elements(&pending->local);
        peal_view_end(pending->local.view);
    }
}

/* The arguments that the members of the communicator compare. */
static struct peal_call
call_of(const struct pending_coll *pending)
{
    const struct coll_args *args = &pending->args;
    const char *op = args->op ? op_name(args->op) : NULL;

    struct peal_call call = {.form = args->form};
    bool rooted = pending->carry_out == coll_reduce;

    if (args->op && !(pending->of->inter && rooted)) /* where nodes may take no part */
        call.op = op ? op : "an operator of the program's own";
    if (!pending->of->inter) /* each side has its own */
        call.root = args->root;
    return call;
}

int
icoll_start(struct mpi *mpi, MPI_Comm comm, MPI_Request *request, coll_function carry_out, const struct coll_args *args)
{
    FIND_COMM(c, comm);

    NEED(request);
    struct pending_coll *pending = mpi_alloc(mpi, sizeof *pending);

    *pending =
        (struct pending_coll){.mpi = *mpi, .node = mpi, .comm = *c, .of = c, .carry_out = carry_out, .args = *args};
    icoll_use_types(mpi, pending);
    icoll_guard(mpi, pending);
    coll_say_types(mpi, c, carry_out, args);
    pending->meeting = vclock_come(mpi, c, carry_out, args);
    const struct peal_call call = call_of(pending);
    struct peal_handle strand = peal_start_at(c->view, &call, icoll_run, pending, mpi->file, mpi->line);

    if (pending->error) { /* an argument is wrong */
        peal_join_at(c->view, strand, mpi->file, mpi->line);
        return pending_end(mpi, pending);
    }
    struct mpi_request *made = request_of(mpi, c, PEAL_POST_SEND, strand);

    made->pending = pending;
    *request = made->own;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ copies of communicators */

/* Copies of one communicator that are made at the same time are different meetings. */
enum { FIRST_IDUP = 1 << 30 };

static int
icoll_copy_comm(struct mpi *own, struct comm *c, const struct coll_args *a)
{
    struct pending_coll *pending = (struct pending_coll *)((char *)c - offsetof(struct pending_coll, comm));
    struct mpi *mpi = pending->node;
    struct comm *of = pending->of, *made;
    const struct peal_meeting meeting = {.number = FIRST_IDUP + of->idups++, .group = true};
    struct peal_node *view = peal_meet_at(c->view, &meeting, own->file, own->line);

    if (of->inter)
        made = inter_make(mpi, view, peal_meet_at(c->inter->local->view, &meeting, own->file, own->line), inter_low(of),
                          of);
    else
        made = comm_make(mpi, view, of);
    return comm_finish_copy(mpi, of, made, a->made);
}

MPI_FUNCTION(int, Comm_idup, MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
    static const struct peal_form form = {.name = "MPI_Comm_idup"};
    struct mpi *mpi = ENTER(Comm_idup);

    NEED(newcomm);
    return icoll_start(mpi, comm, request, icoll_copy_comm, &(struct coll_args){.form = &form, .made = newcomm});
}
