/* SPDX-License-Identifier: MIT */
/* Nonblocking collectives: each is a strand of the node, which carries out the blocking one with a communicator that is seen from
 * there.  So all algorithms and checks are the blocking ones', and any number can be outstanding.
 *
 * A strand runs at once until it first waits: its arguments are checked, and its first messages posted, when the call returns. */
#include "lib/mpi/icoll.h"
#include "lib/mpi/op.h"

/* Keep the types until the end. */
static void
use_types(struct mpi *mpi, struct pending *pending)
{
    const struct coll_args *args = &pending->args;
    int lists = args->send_types || args->receive_types ? peal_size(pending->of->view) : 0;

    pending->types = mpi_scratch(mpi, (2 + 2 * (size_t)lists) * sizeof(struct type *));
    for (int i = -1; i < lists; i++) {
        MPI_Datatype both[2] = {i < 0              ? args->send_type
                                : args->send_types ? args->send_types[i]
                                                   : NULL,
                                i < 0                 ? args->receive_type
                                : args->receive_types ? args->receive_types[i]
                                                      : NULL};

        for (int j = 0; j < 2; j++) {
            struct type *type = both[j] ? type_find(mpi, both[j]) : NULL;

            if (type) /* else the strand raises the error */
                type_use(pending->types[pending->type_count++] = type);
        }
    }
}

int
pending_end(struct mpi *mpi, struct pending *pending)
{
    int error = pending->error;

    for (int i = 0; i < pending->type_count; i++)
        type_drop(mpi, pending->types[i]);
    mpi_free(mpi, pending->types);
    mpi_free(mpi, pending);
    return error;
}

static void
run(struct peal_node *own, void *arg)
{
    struct pending *pending = arg;

    pending->comm.view = own;
    pending->error = pending->run(pending);
}

/* What the members of the communicator compare. */
static struct peal_call
call_of(const struct pending *pending)
{
    const struct coll_args *args = &pending->args;
    const char *op = args->op ? op_name(args->op) : NULL;

    return (struct peal_call){.form = pending->form,
                              .root = args->root,
                              .op = args->op ? op ? op : "an operator of the program's own" : NULL};
}

int
icoll_start(struct mpi *mpi, MPI_Comm comm, MPI_Request *request, const struct peal_form *form,
            int (*run_it)(struct pending *pending), const struct coll_args *args)
{
    FIND_COMM(c, comm);

    NEED(request);
    if (c->inter)
        mpi_fail(mpi, PEAL_UNSUPPORTED, "nonblocking collectives of intercommunicators are not there");
    struct pending *pending = mpi_alloc(mpi, sizeof *pending);

    *pending =
        (struct pending){.mpi = *mpi, .node = mpi, .comm = *c, .of = c, .form = form, .run = run_it, .args = *args};
    use_types(mpi, pending);
    const struct peal_call call = call_of(pending);
    struct peal_handle strand = peal_start_at(c->view, &call, run, pending, mpi->file, mpi->line);

    if (pending->error) { /* an argument is wrong */
        peal_join_at(c->view, strand, mpi->file, mpi->line);
        return pending_end(mpi, pending);
    }
    *request = request_of_strand(mpi, c, strand, pending)->own;
    return MPI_SUCCESS;
}
