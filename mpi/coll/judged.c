/* SPDX-License-Identifier: MIT */
/* peal check --mpi: a node calls a user's function as one of MPI's collectives, on labels.
 *
 * An element is a label of 8 bytes.  The operator that the function is given joins labels; so does each of MPI's own
 * operators on elements of 8 bytes, as a commutative one (op.c). */
#include "mpi/coll/op.h"
#include <limits.h>
#include <peal/check.h>
#include <peal/mpi/judged.h>

#if LONG_MAX > INT_MAX /* elements have 8 bytes */
#define LABELS MPI_LONG
#else
#define LABELS MPI_LONG_LONG
#endif

/* ------------------------------------------------------------------ operators */

static void
judged_join(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    (void)datatype;
    op_labels->combine(in, inout, inout, (size_t)*length);
}

/* Join elements that are not adjacent: only their labels; the rest of the right element stays. */
static void
join_each(void *in, void *inout, int *length, MPI_Datatype *datatype)
{
    MPI_Aint low, extent, at;

    PMPI_Type_get_extent(*datatype, &low, &extent);
    PMPI_Type_get_true_extent(*datatype, &at, &low);
    for (MPI_Aint i = 0; i < *length; i++) {
        char *right = (char *)inout + i * extent + at;

        op_labels->combine((char *)in + i * extent + at, right, right, 1);
    }
}

/* The datatype of the elements: one of MPI's own, or the program's own. */
static MPI_Datatype
make_type(const struct peal_judged_calls *calls)
{
    static const MPI_Datatype numbers[PEAL_ELEMENTS] = {[PEAL_ELEMENT_INT] = MPI_INT,
                                                        [PEAL_ELEMENT_FLOAT] = MPI_FLOAT,
                                                        [PEAL_ELEMENT_LONG] = LABELS,
                                                        [PEAL_ELEMENT_DOUBLE] = MPI_DOUBLE};
    const struct peal_check_case *where = calls->where;
    const int length = 1;
    const MPI_Aint place = sizeof(uint64_t);
    const MPI_Datatype basic = LABELS;
    MPI_Datatype type = LABELS, member;

    if (calls->element != PEAL_ELEMENT_LABEL)
        return numbers[calls->element];
    if (where->call & PEAL_CALL_SPACED) {
        PMPI_Type_create_resized(LABELS, 0, 2 * sizeof(uint64_t), &type);
    } else if (where->call & PEAL_CALL_STRUCT) {
        PMPI_Type_create_struct(1, &length, &place, &basic, &member);
        PMPI_Type_create_resized(member, 0, 2 * sizeof(uint64_t), &type);
        PMPI_Type_free(&member);
    }
    if (type != LABELS)
        PMPI_Type_commit(&type);
    return type;
}

/* ------------------------------------------------------------------ arguments */

static bool
is_spaced(const struct peal_check_case *where)
{
    return where->call & (PEAL_CALL_SPACED | PEAL_CALL_STRUCT);
}

static size_t
extent_of(const struct peal_judged_calls *calls)
{
    bool half = calls->element == PEAL_ELEMENT_INT || calls->element == PEAL_ELEMENT_FLOAT;

    return half ? 4 : is_spaced(calls->where) ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
}

/* Lists of counts and displacements of one side, in each of the ways that functions take them. */
struct lists {
    int *counts, *displs, *bytes;
    size_t *long_counts, *long_displs;
};

/* The length of a block of the side. */
static size_t
block(const struct peal_judged_calls *calls, const struct peal_judged_call *one, bool sends, int peer)
{
    if (calls->collective != PEAL_ALLTOALL)
        return peal_layout_block(one->layout, peer);
    return sends ? peal_layout_pair(one->layout, one->rank, peer) : peal_layout_pair(one->layout, peer, one->rank);
}

static struct lists
make_lists(struct peal_node *me, const struct peal_judged_calls *calls, const struct peal_judged_call *one, bool sends)
{
    size_t P = (size_t)one->layout->nodes, begin = 0, gap = calls->where->call & PEAL_CALL_GAPS ? PEAL_JUDGED_GAP : 0;
    size_t extent = extent_of(calls);
    struct lists lists = {.counts = peal_alloc(me, P * sizeof(int)),
                          .displs = peal_alloc(me, P * sizeof(int)),
                          .bytes = peal_alloc(me, P * sizeof(int)),
                          .long_counts = peal_alloc(me, P * sizeof(size_t)),
                          .long_displs = peal_alloc(me, P * sizeof(size_t))};

    for (size_t i = 0; i < P; i++) {
        size_t length = block(calls, one, sends, (int)i);

        begin += gap;
        lists.counts[i] = (int)length;
        lists.displs[i] = (int)begin;
        lists.bytes[i] = (int)(begin * extent);
        lists.long_counts[i] = length;
        lists.long_displs[i] = begin;
        begin += length;
    }
    return lists;
}

/* The bytes that a side has at the node; for blocks, up to the end of the last one. */
static size_t
judged_side_bytes(const struct peal_judged_calls *calls, const struct peal_judged_call *one, enum peal_side side,
                  const struct lists *lists)
{
    const struct peal_layout *layout = one->layout;
    const size_t last = (size_t)layout->nodes - 1;
    size_t words = lists->long_displs[last] + lists->long_counts[last];

    if (side == PEAL_SIDE_NONE || (side == PEAL_SIDE_ROOT_BLOCKS && one->rank != layout->root))
        words = 0;
    else if (side == PEAL_SIDE_BLOCK)
        words = peal_layout_block(layout, one->rank);
    else if (side == PEAL_SIDE_VECTOR)
        words = layout->words;
    return words * extent_of(calls);
}

static void
free_lists(struct peal_node *me, struct lists *lists)
{
    peal_free(me, lists->counts);
    peal_free(me, lists->displs);
    peal_free(me, lists->bytes);
    peal_free(me, lists->long_counts);
    peal_free(me, lists->long_displs);
}

/* sendbuf: MPI_IN_PLACE where the node's words, or its own block, are already in recvbuf. */
static void *
send_buffer(const struct peal_judged_calls *calls, const struct peal_arguments *arguments, bool of_root)
{
    bool in_place = calls->where->in_place && of_root && calls->collective != PEAL_SCATTER;

    return in_place ? MPI_IN_PLACE : (void *)(uintptr_t)arguments->in;
}

static void *
receive_buffer(const struct peal_judged_calls *calls, const struct peal_arguments *arguments, bool of_root)
{
    bool in_place = calls->where->in_place && of_root && calls->collective == PEAL_SCATTER;

    return in_place ? MPI_IN_PLACE : arguments->out;
}

/* ------------------------------------------------------------------ calls */

static void
make_one(struct peal_node *me, const struct peal_judged_calls *calls, struct peal_judged_call *one, MPI_Comm comm,
         MPI_Datatype type, MPI_Op op)
{
    const struct peal_arguments *arguments = &one->arguments;
    const struct peal_layout *layout = one->layout;
    const struct peal_form *form = peal_form_of(calls->collective);
    bool of_root = !form->root || one->rank == layout->root;
    struct lists sends = make_lists(me, calls, one, true), receives = make_lists(me, calls, one, false);
    bool gathers = calls->collective == PEAL_GATHER || calls->collective == PEAL_ALLGATHER;
    int P = layout->nodes, length, own = (int)peal_layout_block(layout, one->rank);
    MPI_Datatype *types = peal_alloc(me, (size_t)P * sizeof *types);
    char thrown[80] = "", differs[80] = "";

    for (int i = 0; i < P; i++)
        types[i] = type;
    void *in = send_buffer(calls, arguments, of_root), *out = receive_buffer(calls, arguments, of_root);
    const bool counts = calls->collective != PEAL_REDUCE || of_root;
    const size_t received = arguments->out ? judged_side_bytes(calls, one, form->out, &receives) : 0;
    const struct peal_mpi_call call = {
        .sendbuf = in,
        .recvbuf = out,
        .buffer = arguments->out,
        .sent_bytes =
            in && in != MPI_IN_PLACE ? judged_side_bytes(calls, one, form->in ? form->in : form->out, &sends) : 0,
        .received_bytes = out != MPI_IN_PLACE && counts ? received : 0,
        .buffer_bytes = received,
        .thrown = thrown,
        .differs = differs,
        .count = (int)layout->words,
        .sendcount = own,
        .recvcount = own,
        .root = layout->root,
        .rank = one->rank,
        .size = P,
        .sendcounts = sends.counts,
        .recvcounts = receives.counts,
        .sdispls = gathers ? NULL : sends.displs,
        .rdispls = receives.displs,
        .long_sendcounts = sends.long_counts,
        .long_recvcounts = receives.long_counts,
        .long_sdispls = gathers ? NULL : sends.long_displs,
        .long_rdispls = receives.long_displs,
        .sbytes = sends.bytes,
        .rbytes = receives.bytes,
        .datatype = type,
        .sendtypes = types,
        .recvtypes = types,
        .op = op,
        .comm = comm,
    };

    one->error = calls->function(&call);
    if (one->error != MPI_SUCCESS) {
        char text[MPI_MAX_ERROR_STRING] = "";

        if (one->error > 0 && one->error <= MPI_ERR_LASTCODE)
            PMPI_Error_string(one->error, text, &length);
        if (thrown[0])
            snprintf(one->text, sizeof one->text, "throws: %s", thrown);
        else
            snprintf(one->text, sizeof one->text, "returns %d%s%.80s", one->error, text[0] ? ", " : "", text);
    } else if (differs[0] && counts && !(calls->collective == PEAL_EXSCAN && one->rank == 0)) {
        peal_fail_at(me, PEAL_WRONG_RESULT, NULL, 0, "node %d: %s", peal_world_rank(me), differs);
    }
    peal_free(me, types);
    free_lists(me, &sends);
    free_lists(me, &receives);
}

/* Whether the i-th call is on MPI_COMM_WORLD; otherwise on its own communicator. */
static bool
is_on_world(const struct peal_judged_calls *calls, int i)
{
    const unsigned call = calls->where->call;

    return !(call & (PEAL_CALL_IN_GROUP | PEAL_CALL_HALVES | PEAL_CALL_OVERLAP)) &&
           (!(call & PEAL_CALL_TWO_COMMS) || i == 0);
}

void
judged_calls(struct peal_node *me, const struct peal_judged_calls *calls)
{
    MPI_Comm comms[2] = {MPI_COMM_WORLD, MPI_COMM_WORLD};
    MPI_Datatype type;
    MPI_Op op = MPI_OP_NULL;

    type_unstored = calls->unstored;
    for (int i = 0; i < calls->count && !calls->element; i++)
        if (calls->call[i].arguments.op)
            op_labels = calls->call[i].arguments.op;
    PMPI_Init(NULL, NULL);
    mpi_nodes[peal_world_rank(me)].judged = true;
    for (int i = 0; i < calls->count; i++)
        if (!is_on_world(calls, i))
            PMPI_Comm_split(MPI_COMM_WORLD, calls->call[i].rank < 0 ? MPI_UNDEFINED : 0, calls->call[i].rank,
                            &comms[i]);
    if (calls->element)
        op = calls->largest ? MPI_MAX : calls->smallest ? MPI_MIN : MPI_SUM;
    else if (op_labels)
        PMPI_Op_create(is_spaced(calls->where) ? join_each : judged_join, op_labels->commutative, &op);
    type = make_type(calls);
    for (int i = 0; i < calls->count; i++)
        if (calls->call[i].rank >= 0) {
            calls->comes(me, i, calls->call[i].rank);
            make_one(me, calls, &calls->call[i], comms[i], type, op);
            calls->goes(i);
        }
    if (op != MPI_OP_NULL && !calls->element)
        PMPI_Op_free(&op);
    if (is_spaced(calls->where))
        PMPI_Type_free(&type);
    for (int i = 0; i < calls->count; i++)
        if (comms[i] != MPI_COMM_WORLD && comms[i] != MPI_COMM_NULL)
            PMPI_Comm_free(&comms[i]);
    PMPI_Finalize();
}

void
judged_end(void)
{
    op_labels = NULL;
    type_unstored = false;
}
