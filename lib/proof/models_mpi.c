/* SPDX-License-Identifier: MIT */
/* What calls of MPI do, on the events of Peal's own calls.  A send may wait for its receive, as MPI allows.  What
 * messages meet depends on tags, which is an obligation (prove_match.c).  All data have the type that the function is
 * given, one of 8 bytes, so that its size is its extent; a receive must be as long as its message. */
#include "lib/proof/models.h"
#include <peal/mpi/mpi.h>

enum { MAX_TAG = 32767 }; /* what every MPI has */

/* ------------------------------------------------------------------ arguments */

static void
mpi_succeed(struct asked *a)
{
    a->result = follow_value(VALUE_NUMBER, term_number(a->run->terms, MPI_SUCCESS), 0);
}

static void
mpi_put(struct asked *a, int place, struct c_value value)
{
    follow_store(a->run, follow_at(a->run, a->given[place]), value);
}

static void
mpi_check_comm(struct asked *a, int comm)
{
    if (!model_is(a->given[comm], "comm"))
        follow_refuse(a->run, "another communicator than the given one is not followed");
}

static void
mpi_check_type(struct asked *a, int type)
{
    if (!model_is(a->given[type], "datatype"))
        follow_refuse(a->run, "another datatype than the given one is not followed");
    follow_require_root(a->run, a->given[type].b);
}

/* What a status holds is not followed. */
static void
mpi_forget(struct asked *a, struct c_value status)
{
    if (status.kind != VALUE_NULL)
        follow_store(a->run, follow_at(a->run, status),
                     (struct c_value){.kind = VALUE_STRUCT, .to = follow_object(a->run, "struct peal_mpi_status")});
}

/* buf, count, datatype.  A message without words has no type that matters. */
static struct block_run
mpi_item(struct asked *a, int buffer)
{
    if (!a->run->tells)
        mpi_check_type(a, buffer + 2);
    return model_item(a->run, a->given[buffer], a->given[buffer + 1]);
}

static term
mpi_tag(struct asked *a, int tag)
{
    struct terms *t = a->run->terms;
    const term number = follow_number(a->run, a->given[tag]);

    if (number == term_number(t, MPI_ANY_TAG))
        follow_refuse(a->run, "a receive with any tag is not followed");
    follow_require(a->run, term_within(t, number, term_number(t, 0), term_number(t, MAX_TAG + 1)),
                   "a tag that may not be one of 0 to 32767, which every MPI has, is not followed");
    return number;
}

/* The rank of the other end.  Where it is MPI_PROC_NULL nothing happens: *some is where it is not. */
static term
mpi_peer(struct asked *a, int rank, term *some)
{
    struct terms *t = a->run->terms;
    const term nobody = term_number(t, MPI_PROC_NULL);
    term peer = follow_number(a->run, a->given[rank]);

    *some = term_truth(t, peer != nobody);
    while (term_is(t, peer, TERM_IF)) {
        const term truth = (term)term_parts(t, peer)[0].of, then = (term)term_parts(t, peer)[1].of,
                   otherwise = (term)term_parts(t, peer)[2].of;

        if (then != nobody && otherwise != nobody)
            break;
        *some = term_all(t, *some, then == nobody ? term_not(t, truth) : truth);
        peer = then == nobody ? otherwise : then;
    }
    if (peer == term_number(t, MPI_ANY_SOURCE))
        follow_refuse(a->run, "a receive from any source is not followed");
    return peer;
}

/* ------------------------------------------------------------------ numbers */

/* MPI_Comm_size(comm, &size) */
static void
mpi_size(struct asked *a)
{
    mpi_check_comm(a, 0);
    mpi_put(a, 1, follow_value(VALUE_NUMBER, a->run->P, 0));
    mpi_succeed(a);
}

static void
mpi_rank(struct asked *a)
{
    mpi_check_comm(a, 0);
    mpi_put(a, 1, follow_value(VALUE_NUMBER, a->run->rank, 0));
    mpi_succeed(a);
}

static void
mpi_type_size(struct asked *a)
{
    mpi_check_type(a, 0);
    mpi_put(a, 1, follow_value(VALUE_WORD_BYTES, term_number(a->run->terms, 1), 0));
    mpi_succeed(a);
}

/* MPI_Type_get_extent(datatype, &lower bound, &extent) */
static void
mpi_extent(struct asked *a)
{
    mpi_check_type(a, 0);
    mpi_put(a, 1, follow_value(VALUE_NUMBER, term_number(a->run->terms, 0), 0));
    mpi_put(a, 2, follow_value(VALUE_WORD_BYTES, term_number(a->run->terms, 1), 0));
    mpi_succeed(a);
}

/* ------------------------------------------------------------------ messages */

/* Post a message of buf, count, datatype from `buffer` on with the rank, tag at `peer`, where `other` holds; its
 * number. */
static size_t
mpi_post(struct asked *a, enum event_kind kind, int buffer, int peer, term other)
{
    struct following *run = a->run;
    const term outer = run->guard;
    const size_t event = run->path.count;
    term some, rank = mpi_peer(a, peer, &some);

    run->guard = term_all(run->terms, outer, term_all(run->terms, other, some));
    const struct block_run item = mpi_item(a, buffer);
    const term tag = mpi_tag(a, peer + 1);

    follow_post(run, kind, rank, &item, 1)->tag = tag;
    run->guard = outer;
    return event;
}

/* MPI_Send(buf, count, datatype, dest, tag, comm), MPI_Recv(.., comm, status) */
static void
mpi_message(struct asked *a)
{
    mpi_check_comm(a, 5);
    const size_t event = mpi_post(a, a->kind, 0, 3, term_truth(a->run->terms, true));

    follow_wait(a->run, event, event + 1);
    if (a->kind == EVENT_RECV)
        mpi_forget(a, a->given[6]);
    mpi_succeed(a);
}

/* MPI_Isend(buf, count, datatype, dest, tag, comm, &request), MPI_Irecv */
static void
mpi_begin(struct asked *a)
{
    mpi_check_comm(a, 5);
    const size_t event = mpi_post(a, a->kind, 0, 3, term_truth(a->run->terms, true));

    mpi_put(a, 6, (struct c_value){.kind = VALUE_REQUEST, .number = (int)event});
    mpi_succeed(a);
}

/* MPI_Sendrecv(.., dest, tag, .., source, tag, comm, status): from and to the rank itself it is a copy. */
static void
mpi_sendrecv(struct asked *a)
{
    struct following *run = a->run;
    struct terms *t = run->terms;
    const term outer = run->guard;
    term own = term_all(t, term_equal(t, follow_number(run, a->given[3]), run->rank),
                        term_equal(t, follow_number(run, a->given[8]), run->rank));

    mpi_check_comm(a, 10);
    own = term_all(t, own, term_equal(t, mpi_tag(a, 4), mpi_tag(a, 9)));
    const int known = follow_known(run, own);

    own = known < 0 ? own : term_truth(t, known);
    if (known != 0) {
        run->guard = term_all(t, outer, own);
        const struct block_run to = mpi_item(a, 5), from = mpi_item(a, 0);

        if (to.buffer == from.buffer)
            follow_refuse(run, "a message of a rank to itself within one buffer is not followed");
        model_copy(run, to, from);
        run->guard = outer;
    }
    if (known != 1) {
        const size_t event = mpi_post(a, EVENT_SEND, 0, 3, term_not(t, own));

        mpi_post(a, EVENT_RECV, 5, 8, term_not(t, own));
        follow_wait(run, event, event + 2);
    }
    mpi_forget(a, a->given[11]);
    mpi_succeed(a);
}

/* Wait for the request at this place. */
static void
mpi_wait_at(struct asked *a, struct c_value place)
{
    struct following *run = a->run;
    const term null = term_number(run->terms, (int64_t)(uintptr_t)MPI_REQUEST_NULL);
    const struct c_value request = follow_load(run, follow_at(run, place));

    if (request.kind == VALUE_OTHER && request.a == null)
        return;
    if (request.kind != VALUE_REQUEST)
        follow_refuse(run, "the request that is awaited here is not followed");
    if (run->path.events[request.number].wait != 0)
        follow_refuse(run, "a request that is awaited a second time");
    follow_wait(run, (size_t)request.number, (size_t)request.number + 1);
    follow_store(run, follow_at(run, place), follow_value(VALUE_OTHER, null, 0));
}

/* MPI_Wait(&request, &status) */
static void
mpi_wait(struct asked *a)
{
    mpi_wait_at(a, a->given[0]);
    mpi_forget(a, a->given[1]);
    mpi_succeed(a);
}

/* MPI_Waitall(count, requests, statuses) */
static void
mpi_wait_all(struct asked *a)
{
    struct terms *t = a->run->terms;
    int64_t count;

    if (!term_known(t, follow_number(a->run, a->given[0]), &count) || count < 0 || (count > 1 && !a->given[1].a))
        follow_refuse(a->run, "a wait for this number of requests is not followed");
    for (int64_t i = 0; i < count; i++) {
        struct c_value request = a->given[1], status = a->given[2];

        request.a = request.a ? term_add(t, request.a, i) : 0;
        status.a = status.a ? term_add(t, status.a, i) : 0;
        mpi_wait_at(a, request);
        mpi_forget(a, status);
    }
    mpi_succeed(a);
}

/* ------------------------------------------------------------------ combining, and memory for it */

/* MPI_Reduce_local(in, inout, count, datatype, op): the left operand is `in`. */
static void
mpi_reduce_local(struct asked *a)
{
    mpi_check_type(a, 3);
    const struct block_run both = model_item(a->run, a->given[1], a->given[2]);

    model_combined(a->run, a->given[4], both, model_item(a->run, a->given[0], a->given[2]), both);
    mpi_succeed(a);
}

/* malloc(bytes), of a vector, or of as many blocks as there are ranks */
static void
mpi_malloc(struct asked *a)
{
    struct following *run = a->run;
    struct terms *t = run->terms;
    const struct c_value bytes = a->given[0];

    if (!run->combines)
        follow_refuse(run, "memory of the node's own is not followed in a collective that copies");
    if (bytes.kind != VALUE_LENGTH || bytes.number != 1 || bytes.b)
        follow_refuse(run, "memory of this length is not followed");
    follow_require(run, term_equal(t, bytes.a, run->whole ? term_number(t, 1) : run->P),
                   "memory of this length is not followed");
    a->result = follow_value(VALUE_DATA, term_number(t, 0), 0);
    a->result.number = model_buffer(
        run,
        (struct c_buffer){.kind = BUFFER_SCRATCH, .own = -1, .allocated = run->guard, .freed = term_truth(t, false)});
}

static void
mpi_release(struct asked *a)
{
    struct following *run = a->run;
    struct terms *t = run->terms;
    const struct c_value data = a->given[0];

    if (data.kind == VALUE_NULL)
        return;
    if (data.kind != VALUE_DATA || data.number < BUFFER_BUNDLE || data.a != term_number(t, 0))
        follow_refuse(run, "what is freed here is not followed");
    struct c_buffer *buffer = &run->buffers[data.number];

    for (size_t i = 0; i < run->path.count; i++)
        for (int j = 0; j < run->path.events[i].items && run->path.events[i].wait == 0; j++)
            if (run->path.events[i].item[j].buffer == data.number)
                follow_refuse(run, "memory of a message that is outstanding is freed");
    follow_require(run, term_not(t, buffer->freed), "memory that may be free already is not followed");
    buffer->freed = term_any(t, buffer->freed, run->guard);
}

/* ------------------------------------------------------------------ the table */

const struct call_model models_mpi[] = {
    {"MPI_Comm_size", 2, .does = mpi_size},
    {"MPI_Comm_rank", 2, .does = mpi_rank},
    {"MPI_Type_size", 2, .does = mpi_type_size},
    {"MPI_Type_get_extent", 3, .does = mpi_extent},
    {"MPI_Send", 6, .does = mpi_message, .kind = EVENT_SEND},
    {"MPI_Recv", 7, .does = mpi_message, .kind = EVENT_RECV},
    {"MPI_Isend", 7, .does = mpi_begin, .kind = EVENT_SEND},
    {"MPI_Irecv", 7, .does = mpi_begin, .kind = EVENT_RECV},
    {"MPI_Sendrecv", 12, .does = mpi_sendrecv},
    {"MPI_Wait", 2, .does = mpi_wait},
    {"MPI_Waitall", 3, .does = mpi_wait_all},
    {"MPI_Reduce_local", 5, .does = mpi_reduce_local},
    {"malloc", 1, .does = mpi_malloc},
    {"free", 1, .does = mpi_release},
};
const size_t models_mpi_count = sizeof models_mpi / sizeof *models_mpi;
