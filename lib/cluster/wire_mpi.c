/* SPDX-License-Identifier: MIT */
/* The calls of MPI that Peal uses.  Compiled once for each MPI there is.
 *
 * Each context is a communicator of its own, so that no message of the caller, or of another context, is ever matched:
 * tags and sources are MPI's own.  Posts are MPI_Isend and MPI_Irecv, waits are MPI_Test, since nothing could end a
 * blocking MPI call when the run deadlocks. */
#include "lib/cluster/wire_mpi.h"
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static const char *
library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(text, &length);
    text[strcspn(text, "\n,")] = '\0';
    for (char *tab = text; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    return text;
}

static bool began;

static bool
wire_mpi_begin(void)
{
    int there = 0, provided;

    MPI_Initialized(&there);
    if (!there) {
        began = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) == MPI_SUCCESS;
        if (!began)
            return false;
        /* MPICH asks the handler of all processes when a test finds that a message is too long */
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    }
    return true;
}

static void
wire_mpi_end(void)
{
    int over = 0;

    MPI_Finalized(&over);
    if (began && !over)
        MPI_Finalize();
}

/* ------------------------------------------------------------------ communicators */

static bool
wire_mpi_duplicate(const struct wire *wire, MPI_Comm from, MPI_Comm *to)
{
    MPI_Request request;

    if (MPI_Comm_idup(from, to, &request) != MPI_SUCCESS)
        return false;
    wire_mpi_finish(wire, &request);
    return MPI_Comm_set_errhandler(*to, MPI_ERRORS_RETURN) == MPI_SUCCESS;
}

static bool
wire_mpi_make_room(struct mpi_wire *wire, uint32_t count)
{
    if (count <= wire->context_count)
        return true;
    MPI_Comm *more = realloc(wire->contexts, count * sizeof(MPI_Comm));

    if (!more)
        return false;
    wire->contexts = more;
    while (wire->context_count < count)
        more[wire->context_count++] = MPI_COMM_NULL;
    return true;
}

static void
wire_mpi_drop(MPI_Comm *context)
{
    if (*context != MPI_COMM_NULL)
        MPI_Comm_free(context);
}

/* Make contexts `context` and the next one: `from`, or a duplicate of it, and another duplicate.  Takes over `from`
 * when it is not duplicated. */
static bool
make_contexts(struct mpi_wire *wire, uint32_t context, MPI_Comm from, bool twice)
{
    if (!wire_mpi_make_room(wire, context + 2))
        return false;
    if (!twice)
        wire->contexts[context] = from;
    else if (!wire_mpi_duplicate(&wire->wire, from, &wire->contexts[context]))
        return false;
    return wire_mpi_duplicate(&wire->wire, from, &wire->contexts[context + 1]);
}

static void
wire_mpi_forget(struct wire *public, bool all)
{
    struct mpi_wire *wire = wire_mpi_of(public);

    for (uint32_t i = 0; all && i < 2; i++) {
        MPI_Comm old = wire->contexts[i];

        wire_mpi_duplicate(public, wire->control, &wire->contexts[i]);
        MPI_Comm_free(&old);
    }
    for (uint32_t i = 2; i < wire->context_count; i++)
        wire_mpi_drop(&wire->contexts[i]);
    if (wire->context_count > 2)
        wire->context_count = 2;
}

static void
close_wire(struct wire *public)
{
    struct mpi_wire *wire = wire_mpi_of(public);

    if (!wire)
        return;
    wire_mpi_forget(public, false);
    for (struct control_msg *control; (control = wire->control_msgs); free(control)) {
        wire->control_msgs = control->next;
        MPI_Wait(&control->request, MPI_STATUS_IGNORE);
    }
    for (uint32_t i = 0; i < wire->context_count; i++)
        wire_mpi_drop(&wire->contexts[i]);
    if (wire->control != MPI_COMM_NULL)
        MPI_Comm_free(&wire->control);
    if (wire->word != MPI_DATATYPE_NULL)
        MPI_Type_free(&wire->word);
    free(wire->contexts);
    free(wire->requests);
    free(wire);
}

/* Whether this host has more processes than cores: in total, or among those bound to the same cores as this one.  With
 * a launcher that binds each to its own core, none is crowded. */
static bool
is_crowded(MPI_Comm host, int local)
{
    cpu_set_t *masks = malloc((size_t)local * sizeof *masks), own, all, both;
    int beside = 0;

    CPU_ZERO(&own);
    CPU_ZERO(&all);
    if (!masks || sched_getaffinity(0, sizeof own, &own) != 0 ||
        MPI_Allgather(&own, sizeof own, MPI_BYTE, masks, sizeof own, MPI_BYTE, host) != MPI_SUCCESS) {
        free(masks);
        return true;
    }
    for (int i = 0; i < local; i++) {
        CPU_OR(&all, &all, &masks[i]);
        CPU_AND(&both, &own, &masks[i]);
        beside += CPU_EQUAL(&both, &masks[i]); /* it may run nowhere else */
    }
    free(masks);
    return local > CPU_COUNT(&all) || beside > CPU_COUNT(&own);
}

/* The processes on this host, and whether it has fewer cores.  For all processes this is found once: while MPI splits,
 * a process that waits for another spins. */
static void
find_neighbours(struct wire *wire, MPI_Comm from)
{
    static struct wire of_all;
    MPI_Comm host;

    if (from == MPI_COMM_WORLD && of_all.local > 0) {
        wire->local = of_all.local;
        wire->crowded = of_all.crowded;
        return;
    }
    if (MPI_Comm_split_type(from, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host) != MPI_SUCCESS)
        return;
    MPI_Comm_size(host, &wire->local);
    wire->crowded = is_crowded(host, wire->local);
    MPI_Comm_free(&host);
    if (from == MPI_COMM_WORLD)
        of_all = *wire;
    if (wire->crowded)
        prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0); /* a short sleep stays short */
}

static struct wire *
open_wire(const void *communicator)
{
    MPI_Comm from = MPI_COMM_WORLD;
    struct mpi_wire *wire = calloc(1, sizeof *wire);
    int *most, found = 0;

    if (!wire)
        return NULL;
    if (communicator)
        memcpy(&from, communicator, sizeof from);
    wire->control = MPI_COMM_NULL;
    wire->word = MPI_DATATYPE_NULL;
    wire->gathering = wire->meeting = MPI_REQUEST_NULL;
    MPI_Comm_rank(from, &wire->wire.rank);
    MPI_Comm_size(from, &wire->wire.size);
    find_neighbours(&wire->wire, from);
    if (!wire_mpi_duplicate(&wire->wire, from, &wire->control) || !make_contexts(wire, 0, from, true)) {
        close_wire(&wire->wire);
        return NULL;
    }
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, (void *)&most, &found);
    wire->wire.most_tags = found ? *most : 32767;
    wire->wire.polls = wire->wire.crowded ? 4 : 1024;
    return &wire->wire;
}

static const void *
narrow(const void *communicator, int processes)
{
    static MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm from = MPI_COMM_WORLD;
    int rank;

    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    if (communicator)
        memcpy(&from, communicator, sizeof from);
    MPI_Comm_rank(from, &rank);
    if (MPI_Comm_split(from, rank < processes ? 0 : MPI_UNDEFINED, rank, &part) != MPI_SUCCESS)
        part = MPI_COMM_NULL;
    return part == MPI_COMM_NULL ? NULL : &part;
}

static bool
wire_mpi_split(struct wire *public, uint32_t parent, int color, int key, uint32_t context)
{
    struct mpi_wire *wire = wire_mpi_of(public);
    MPI_Comm made;

    if (MPI_Comm_split(wire->contexts[parent], color < 0 ? MPI_UNDEFINED : color, key, &made) != MPI_SUCCESS)
        return false;
    if (made == MPI_COMM_NULL)
        return true;
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
    return make_contexts(wire, context, made, false);
}

/* ------------------------------------------------------------------ messages */

/* A place for request `id`, which has none yet; NULL without memory. */
static __attribute__((noinline)) MPI_Request *
wire_mpi_place(struct mpi_wire *wire, uint32_t id)
{
    uint32_t count = 2 * id + 64;
    MPI_Request *more = realloc(wire->requests, count * sizeof *more);

    if (!more)
        return NULL;
    wire->requests = more;
    while (wire->request_count < count)
        more[wire->request_count++] = MPI_REQUEST_NULL;
    return &wire->requests[id];
}

/* Count a message of more bytes than an int can hold in words. */
static __attribute__((noinline)) bool
measure_long(struct mpi_wire *wire, size_t words, size_t word_bytes, MPI_Datatype *type, int *count)
{
    if (words > INT_MAX || word_bytes > INT_MAX)
        return false;
    if (wire->word == MPI_DATATYPE_NULL || wire->word_bytes != word_bytes) {
        if (wire->word != MPI_DATATYPE_NULL)
            MPI_Type_free(&wire->word);
        if (MPI_Type_contiguous((int)word_bytes, MPI_BYTE, &wire->word) != MPI_SUCCESS ||
            MPI_Type_commit(&wire->word) != MPI_SUCCESS)
            return false;
        wire->word_bytes = word_bytes;
    }
    *type = wire->word;
    *count = (int)words;
    return true;
}

static inline bool
wire_mpi_measure(struct mpi_wire *wire, size_t words, size_t word_bytes, MPI_Datatype *type, int *count)
{
    if (__builtin_expect(words * word_bytes > INT_MAX, 0))
        return measure_long(wire, words, word_bytes, type, count);
    *type = MPI_BYTE;
    *count = (int)(words * word_bytes);
    return true;
}

static bool
wire_mpi_post_send(struct wire *public, uint32_t context, uint32_t id, const void *data, size_t words,
                   size_t word_bytes, int peer, int tag)
{
    struct mpi_wire *wire = wire_mpi_of(public);
    MPI_Request *request = id < wire->request_count ? &wire->requests[id] : wire_mpi_place(wire, id);
    MPI_Datatype type;
    int count;

    return request && wire_mpi_measure(wire, words, word_bytes, &type, &count) &&
           MPI_Isend(data, count, type, peer, tag, wire->contexts[context], request) == MPI_SUCCESS;
}

static bool
post_receive(struct wire *public, uint32_t context, uint32_t id, void *data, size_t words, size_t word_bytes, int peer,
             int tag)
{
    struct mpi_wire *wire = wire_mpi_of(public);
    MPI_Request *request = id < wire->request_count ? &wire->requests[id] : wire_mpi_place(wire, id);
    MPI_Datatype type;
    int count;

    return request && wire_mpi_measure(wire, words, word_bytes, &type, &count) &&
           MPI_Irecv(data, count, type, peer == PEAL_ANY_SOURCE ? MPI_ANY_SOURCE : peer,
                     tag == PEAL_ANY_TAG ? MPI_ANY_TAG : tag, wire->contexts[context], request) == MPI_SUCCESS;
}

static __attribute__((noinline)) enum wire_answer
wire_mpi_explain(int code, const MPI_Status *status)
{
    int class;

    MPI_Error_class(code == MPI_ERR_IN_STATUS ? status->MPI_ERROR : code, &class);
    return class == MPI_ERR_TRUNCATE ? WIRE_TOO_LONG : WIRE_BROKEN;
}

/* How many bytes came.  Read from the status as each mpi.h defines it: MPI_Get_count divides. */
static inline int64_t
count_of(const MPI_Status *status)
{
#if defined OPEN_MPI
    return (int64_t)status->_ucount;
#elif defined MPICH_NUMVERSION
    return (int64_t)(status->count_hi_and_cancelled >> 1) << 32 | (unsigned)status->count_lo;
#else
    MPI_Count bytes = 0;

    MPI_Get_elements_x(status, MPI_BYTE, &bytes);
    return bytes;
#endif
}

static enum wire_answer
test(struct wire *public, uint32_t id, unsigned turns, struct wire_status *got)
{
    struct mpi_wire *wire = wire_mpi_of(public);
    MPI_Request *request = &wire->requests[id];
    MPI_Status status;
    int done = 0;

    for (; !done; turns--) {
        if (turns == 0)
            return WIRE_PENDING;
        int code = MPI_Test(request, &done, &status);

        if (__builtin_expect(code != MPI_SUCCESS, 0))
            return wire_mpi_explain(code, &status);
    }
    if (!got)
        return WIRE_DONE;
    got->source = status.MPI_SOURCE;
    got->tag = status.MPI_TAG;
    got->bytes = (size_t)count_of(&status);
    return WIRE_DONE;
}

static void
wire_mpi_cancel(struct wire *public, uint32_t id)
{
    struct mpi_wire *wire = wire_mpi_of(public);
    MPI_Request *request = &wire->requests[id];
    int done = 0;

    if (*request == MPI_REQUEST_NULL)
        return;
    MPI_Request_get_status(*request, &done, MPI_STATUS_IGNORE);
    if (!done)
        MPI_Cancel(request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static bool
swallow(struct wire *public)
{
    struct mpi_wire *wire = wire_mpi_of(public);
    bool any = false;

    for (uint32_t i = 0; i < wire->context_count; i++) {
        MPI_Message message;
        MPI_Status status;
        int there = 0;

        if (wire->contexts[i] == MPI_COMM_NULL ||
            MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, wire->contexts[i], &there, &message, &status) != MPI_SUCCESS ||
            !there)
            continue;
        int64_t bytes = count_of(&status);
        void *nowhere = malloc((size_t)bytes + 1);

        MPI_Mrecv(nowhere, bytes > INT_MAX ? INT_MAX : (int)bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        free(nowhere);
        any = true;
    }
    return any;
}

static double
seconds(void)
{
    return MPI_Wtime();
}

static void
abort_job(struct wire *public, int code)
{
    MPI_Abort(public ? wire_mpi_of(public)->control : MPI_COMM_WORLD, code);
}

__attribute__((visibility("default"))) const struct wire_kind peal_wire = {
    .version = WIRE_VERSION,
#ifdef OPEN_MPI
    .name = "Open MPI",
#else
    .name = "MPICH",
#endif
    .library = library,
    .begin = wire_mpi_begin,
    .end = wire_mpi_end,
    .open = open_wire,
    .close = close_wire,
    .narrow = narrow,
    .send = wire_mpi_post_send,
    .receive = post_receive,
    .test = test,
    .cancel = wire_mpi_cancel,
    .swallow = swallow,
    .split = wire_mpi_split,
    .forget = wire_mpi_forget,
    .post = control_post,
    .look = control_look,
    .gather_begin = control_gather_begin,
    .gather_done = control_gather_done,
    .meet_begin = control_meet_begin,
    .meet_done = control_meet_done,
    .broadcast = control_broadcast,
    .exchange = control_exchange,
    .seconds = seconds,
    .abort = abort_job,
};
