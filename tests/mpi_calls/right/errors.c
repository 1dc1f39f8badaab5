/* nodes: 2 */
/* SPDX-License-Identifier: MIT */
/* Each wrong argument of each call returns its class of error, and does nothing else: both nodes call everything
 * alike. */
#include "check.h"

static MPI_Comm world = MPI_COMM_WORLD, none = MPI_COMM_NULL, freed;
static MPI_Datatype null_type = MPI_DATATYPE_NULL, open_type, gone_type;
static MPI_Op null_op = MPI_OP_NULL;
static MPI_Request request, gone_request;
static MPI_Group null_group = MPI_GROUP_NULL, all, made;
static MPI_Message message;
static MPI_Status status;
static MPI_Info info;
static MPI_Errhandler handler;
static int x[64], y[64], n, flag, *no_ints;
static int ones[2] = {1, 1}, places[2] = {0, 1}, negative[2] = {1, -1};
static void *no_buffer;

static void
expect(int line, int class, int code)
{
    int got = -1;

    MPI_Error_class(code, &got);
    if (got != class) {
        printf("line %d: expected class %d, got %d\n", line, class, got);
        MPI_Abort(MPI_COMM_WORLD, 9);
    }
}

#define E(class, call) expect(__LINE__, MPI_ERR_##class, call)

/* The arguments that each of these has: buffer, count, type, peer, tag, communicator. */
#define OF_MESSAGE(call, peer, ...)                                                                                    \
    E(COUNT, call(x, -1, MPI_INT, peer, 0, world, ##__VA_ARGS__));                                                     \
    E(TYPE, call(x, 1, null_type, peer, 0, world, ##__VA_ARGS__));                                                     \
    E(TYPE, call(x, 1, open_type, peer, 0, world, ##__VA_ARGS__));                                                     \
    E(TYPE, call(x, 1, gone_type, peer, 0, world, ##__VA_ARGS__));                                                     \
    E(BUFFER, call(no_buffer, 1, MPI_INT, peer, 0, world, ##__VA_ARGS__));                                             \
    E(RANK, call(x, 1, MPI_INT, size, 0, world, ##__VA_ARGS__));                                                       \
    E(RANK, call(x, 1, MPI_INT, -17, 0, world, ##__VA_ARGS__));                                                        \
    for (int left = -1; left >= -5; left--)                                                                            \
        E(RANK, call(x, 1, MPI_INT, left, 0, world, ##__VA_ARGS__));                                                   \
    E(TAG, call(x, 1, MPI_INT, peer, -17, world, ##__VA_ARGS__));                                                      \
    E(TAG, call(x, 1, MPI_INT, peer, -1, world, ##__VA_ARGS__));                                                       \
    E(COMM, call(x, 1, MPI_INT, peer, 0, none, ##__VA_ARGS__));                                                        \
    E(COMM, call(x, 1, MPI_INT, peer, 0, freed, ##__VA_ARGS__))

static void
messages(void)
{
    OF_MESSAGE(MPI_Send, 1);
    OF_MESSAGE(MPI_Ssend, 1);
    OF_MESSAGE(MPI_Rsend, 1);
    OF_MESSAGE(MPI_Bsend, 1);
    OF_MESSAGE(MPI_Recv, 0, &status);
    OF_MESSAGE(MPI_Isend, 1, &request);
    OF_MESSAGE(MPI_Issend, 1, &request);
    OF_MESSAGE(MPI_Irsend, 1, &request);
    OF_MESSAGE(MPI_Ibsend, 1, &request);
    OF_MESSAGE(MPI_Irecv, 0, &request);
    OF_MESSAGE(MPI_Send_init, 1, &request);
    OF_MESSAGE(MPI_Ssend_init, 1, &request);
    OF_MESSAGE(MPI_Rsend_init, 1, &request);
    OF_MESSAGE(MPI_Bsend_init, 1, &request);
    OF_MESSAGE(MPI_Recv_init, 0, &request);
    E(RANK, MPI_Send(x, 1, MPI_INT, MPI_ANY_SOURCE, 0, world));
    E(RANK, MPI_Recv(x, 1, MPI_INT, MPI_ANY_TAG, 0, world, &status));
    E(RANK, MPI_Recv(x, 1, MPI_INT, MPI_ROOT, 0, world, &status));
    E(TAG, MPI_Recv(x, 1, MPI_INT, 0, MPI_ANY_SOURCE, world, &status));
    E(TAG, MPI_Send(x, 1, MPI_INT, 0, MPI_ANY_TAG, world));
    E(ARG, MPI_Isend(x, 1, MPI_INT, 0, 0, world, NULL));
    E(ARG, MPI_Irecv(x, 1, MPI_INT, 0, 0, world, NULL));
    E(BUFFER, MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, world));
    E(BUFFER, MPI_Bsend(x, 1, MPI_INT, 0, 0, world)); /* none is attached */
    E(RANK, MPI_Sendrecv(x, 1, MPI_INT, size, 0, y, 1, MPI_INT, 0, 0, world, &status));
    E(RANK, MPI_Sendrecv(x, 1, MPI_INT, 0, 0, y, 1, MPI_INT, size, 0, world, &status));
    E(COUNT, MPI_Sendrecv(x, 1, MPI_INT, 0, 0, y, -1, MPI_INT, 0, 0, world, &status));
    E(TAG, MPI_Sendrecv_replace(x, 1, MPI_INT, 0, -5, 0, 0, world, &status));
    E(TAG, MPI_Sendrecv_replace(x, 1, MPI_INT, 0, 0, 0, -5, world, &status));
    E(RANK, MPI_Probe(size, 0, world, &status));
    E(TAG, MPI_Probe(0, -17, world, &status));
    E(COMM, MPI_Probe(0, 0, none, &status));
    E(RANK, MPI_Iprobe(size, 0, world, &flag, &status));
    E(ARG, MPI_Iprobe(0, 0, world, NULL, &status));
    E(ARG, MPI_Mprobe(0, 0, world, NULL, &status));
    E(ARG, MPI_Improbe(0, 0, world, &flag, NULL, &status));
    message = MPI_MESSAGE_NULL;
    E(REQUEST, MPI_Mrecv(x, 1, MPI_INT, &message, &status));
    E(REQUEST, MPI_Imrecv(x, 1, MPI_INT, &message, &request));
    E(ARG, MPI_Buffer_attach(x, -1));
    E(BUFFER, MPI_Buffer_detach(&no_buffer, &n));
}

static void
completion(void)
{
    MPI_Request wrong = gone_request, list[2];

    list[0] = MPI_REQUEST_NULL;
    list[1] = gone_request;
    E(REQUEST, MPI_Wait(&wrong, &status));
    E(ARG, MPI_Wait(NULL, &status));
    E(REQUEST, MPI_Test(&wrong, &flag, &status));
    E(REQUEST, MPI_Waitall(2, list, MPI_STATUSES_IGNORE));
    E(COUNT, MPI_Waitall(-1, list, MPI_STATUSES_IGNORE));
    E(REQUEST, MPI_Waitall(1, NULL, MPI_STATUSES_IGNORE));
    E(REQUEST, MPI_Waitany(2, list, &n, &status));
    E(COUNT, MPI_Waitany(-1, list, &n, &status));
    E(REQUEST, MPI_Waitsome(2, list, &n, y, MPI_STATUSES_IGNORE));
    E(REQUEST, MPI_Testall(2, list, &flag, MPI_STATUSES_IGNORE));
    E(REQUEST, MPI_Testany(2, list, &n, &flag, &status));
    E(REQUEST, MPI_Testsome(2, list, &n, y, MPI_STATUSES_IGNORE));
    E(REQUEST, MPI_Request_free(&wrong));
    E(ARG, MPI_Waitany(1, list, NULL, &status));
    E(ARG, MPI_Waitsome(1, list, NULL, y, MPI_STATUSES_IGNORE));
    E(ARG, MPI_Testall(1, list, NULL, MPI_STATUSES_IGNORE));
    E(ARG, MPI_Testany(1, list, &n, NULL, &status));
    E(ARG, MPI_Testany(1, list, NULL, &flag, &status));
    E(ARG, MPI_Testsome(1, list, NULL, y, MPI_STATUSES_IGNORE));
    E(REQUEST, MPI_Startall(1, NULL));
    E(REQUEST, MPI_Cancel(&wrong));
    E(REQUEST, MPI_Start(&wrong));
    E(REQUEST, MPI_Startall(1, &list[1]));
    E(COUNT, MPI_Startall(-1, list));
    E(REQUEST, MPI_Request_get_status(gone_request, &flag, &status));
    E(TYPE, MPI_Get_count(&status, null_type, &n));
    E(ARG, MPI_Get_count(NULL, MPI_INT, &n));
    E(ARG, MPI_Get_count(&status, MPI_INT, NULL));
    E(TYPE, MPI_Get_elements(&status, null_type, &n));
    E(COUNT, MPI_Status_set_elements(&status, MPI_INT, -1));
    E(ARG, MPI_Test_cancelled(&status, NULL));
    MPI_Irecv(x, 1, MPI_INT, MPI_PROC_NULL, 0, world, &wrong);
    E(REQUEST, MPI_Start(&wrong)); /* it is not persistent */
    MPI_Wait(&wrong, &status);
    MPI_Recv_init(x, 1, MPI_INT, MPI_PROC_NULL, 0, world, &wrong);
    E(REQUEST, MPI_Cancel(&wrong)); /* it was not started */
    MPI_Start(&wrong);
    E(REQUEST, MPI_Start(&wrong));
    MPI_Wait(&wrong, &status);
    MPI_Request_free(&wrong);
}

static void
collectives(void)
{
    E(COMM, MPI_Barrier(none));
    E(ROOT, MPI_Bcast(x, 1, MPI_INT, size, world));
    E(ROOT, MPI_Bcast(x, 1, MPI_INT, -1, world));
    E(COUNT, MPI_Bcast(x, -1, MPI_INT, 0, world));
    E(TYPE, MPI_Bcast(x, 1, null_type, 0, world));
    E(COMM, MPI_Bcast(x, 1, MPI_INT, 0, freed));
    E(BUFFER, MPI_Bcast(MPI_IN_PLACE, 1, MPI_INT, 0, world));
    E(ROOT, MPI_Gather(x, 1, MPI_INT, y, 1, MPI_INT, size, world));
    E(COUNT, MPI_Gather(x, -1, MPI_INT, y, 1, MPI_INT, 0, world));
    E(TYPE, MPI_Gather(x, 1, null_type, y, 1, MPI_INT, 0, world));
    E(ROOT, MPI_Scatter(x, 1, MPI_INT, y, 1, MPI_INT, -3, world));
    E(COUNT, MPI_Scatter(x, 1, MPI_INT, y, -1, MPI_INT, 0, world));
    E(TYPE, MPI_Scatter(x, 1, MPI_INT, y, 1, open_type, 0, world));
    E(ROOT, MPI_Gatherv(x, 1, MPI_INT, y, ones, places, MPI_INT, size, world));
    E(ROOT, MPI_Scatterv(x, ones, places, MPI_INT, y, 1, MPI_INT, size, world));
    E(COUNT, MPI_Allgather(x, -1, MPI_INT, y, 1, MPI_INT, world));
    E(TYPE, MPI_Allgather(x, 1, MPI_INT, y, 1, null_type, world));
    E(COUNT, MPI_Allgather(x, 1, MPI_INT, y, -1, MPI_INT, world));
    E(TRUNCATE, MPI_Allgather(x, 2, MPI_INT, y, 1, MPI_INT, world));
    E(COUNT, MPI_Allgatherv(x, 1, MPI_INT, y, negative, places, MPI_INT, world));
    E(ARG, MPI_Allgatherv(x, 1, MPI_INT, y, no_ints, places, MPI_INT, world));
    E(ARG, MPI_Allgatherv(x, 1, MPI_INT, y, ones, no_ints, MPI_INT, world));
    E(BUFFER, MPI_Allgatherv(x, 1, MPI_INT, no_buffer, ones, places, MPI_INT, world));
    E(BUFFER, MPI_Alltoallv(no_buffer, ones, places, MPI_INT, y, ones, places, MPI_INT, world));
    E(COUNT, MPI_Alltoall(x, -1, MPI_INT, y, 1, MPI_INT, world));
    E(TYPE, MPI_Alltoall(x, 1, MPI_INT, y, 1, gone_type, world));
    E(COUNT, MPI_Alltoallv(x, negative, places, MPI_INT, y, ones, places, MPI_INT, world));
    E(ARG, MPI_Alltoallv(x, ones, places, MPI_INT, y, ones, no_ints, MPI_INT, world));
    E(COMM, MPI_Alltoallv(x, ones, places, MPI_INT, y, ones, places, MPI_INT, none));
}

static void
reductions(void)
{
    E(OP, MPI_Allreduce(x, y, 1, MPI_INT, null_op, world));
    E(OP, MPI_Allreduce(x, y, 1, MPI_DOUBLE, MPI_BAND, world));
    E(OP, MPI_Allreduce(x, y, 1, MPI_INT, MPI_MAXLOC, world));
    E(COUNT, MPI_Allreduce(x, y, -1, MPI_INT, MPI_SUM, world));
    E(TYPE, MPI_Allreduce(x, y, 1, null_type, MPI_SUM, world));
    E(COMM, MPI_Allreduce(x, y, 1, MPI_INT, MPI_SUM, none));
    E(BUFFER, MPI_Allreduce(x, no_buffer, 1, MPI_INT, MPI_SUM, world));
    E(ROOT, MPI_Reduce(x, y, 1, MPI_INT, MPI_SUM, size, world));
    E(OP, MPI_Reduce(x, y, 1, MPI_INT, null_op, 0, world));
    E(COUNT, MPI_Reduce(x, y, -1, MPI_INT, MPI_SUM, 0, world));
    E(OP, MPI_Scan(x, y, 1, MPI_INT, null_op, world));
    E(COUNT, MPI_Scan(x, y, -1, MPI_INT, MPI_SUM, world));
    E(TYPE, MPI_Exscan(x, y, 1, open_type, MPI_SUM, world));
    E(OP, MPI_Exscan(x, y, 1, MPI_INT, null_op, world));
    E(ARG, MPI_Reduce_scatter(x, y, no_ints, MPI_INT, MPI_SUM, world));
    E(COUNT, MPI_Reduce_scatter(x, y, negative, MPI_INT, MPI_SUM, world));
    E(OP, MPI_Reduce_scatter_block(x, y, 1, MPI_INT, null_op, world));
    E(COUNT, MPI_Reduce_scatter_block(x, y, -1, MPI_INT, MPI_SUM, world));
    E(OP, MPI_Reduce_local(x, y, 1, MPI_INT, null_op));
    E(COUNT, MPI_Reduce_local(x, y, -1, MPI_INT, MPI_SUM));
    E(OP, MPI_Op_free(&null_op));
    E(OP, MPI_Op_commutative(null_op, &flag));
}

static void
types(void)
{
    MPI_Datatype type;
    MPI_Aint lb, extent, gaps[2] = {0, 8};
    MPI_Datatype both[2] = {MPI_INT, MPI_DATATYPE_NULL};
    int thousand = 1000;

    E(COUNT, MPI_Type_contiguous(-1, MPI_INT, &type));
    E(TYPE, MPI_Type_contiguous(1, null_type, &type));
    E(ARG, MPI_Type_contiguous(1, MPI_INT, NULL));
    E(COUNT, MPI_Type_vector(-1, 1, 1, MPI_INT, &type));
    E(TYPE, MPI_Type_vector(1, 1, 1, gone_type, &type));
    E(COUNT, MPI_Type_create_hvector(-1, 1, 1, MPI_INT, &type));
    E(COUNT, MPI_Type_indexed(-1, ones, places, MPI_INT, &type));
    E(ARG, MPI_Type_indexed(2, negative, places, MPI_INT, &type));
    E(COUNT, MPI_Type_create_hindexed(-1, ones, gaps, MPI_INT, &type));
    E(COUNT, MPI_Type_create_indexed_block(-1, 1, places, MPI_INT, &type));
    E(TYPE, MPI_Type_create_struct(2, ones, gaps, both, &type));
    E(COUNT, MPI_Type_create_struct(-1, ones, gaps, both, &type));
    E(TYPE, MPI_Type_create_resized(null_type, 0, 4, &type));
    E(ARG, MPI_Type_create_subarray(1, ones, &thousand, places, MPI_ORDER_C, MPI_INT, &type));
    E(TYPE, MPI_Type_commit(&null_type));
    E(TYPE, MPI_Type_free(&null_type));
    E(TYPE, MPI_Type_size(null_type, &n));
    E(ARG, MPI_Type_size(MPI_INT, NULL));
    E(TYPE, MPI_Type_get_extent(null_type, &lb, &extent));
    E(TYPE, MPI_Type_get_true_extent(gone_type, &lb, &extent));
    E(TYPE, MPI_Type_dup(null_type, &type));
    n = 0;
    E(TRUNCATE, MPI_Pack(x, 2, MPI_INT, y, 4, &n, world));
    E(TYPE, MPI_Pack(x, 1, null_type, y, 4, &n, world));
    E(COUNT, MPI_Pack_size(-1, MPI_INT, world, &n));
}

static void
communicators(void)
{
    MPI_Comm comm;
    int ranks[2] = {0, 0}, far = 99, range[1][3] = {{0, 1, 0}};

    E(COMM, MPI_Comm_size(none, &n));
    E(COMM, MPI_Comm_rank(freed, &n));
    E(ARG, MPI_Comm_size(world, NULL));
    E(COMM, MPI_Comm_dup(none, &comm));
    E(COMM, MPI_Comm_split(none, 0, 0, &comm));
    E(ARG, MPI_Comm_split(world, -5, 0, &comm));
    E(COMM, MPI_Comm_free(&none));
    E(COMM, MPI_Comm_group(none, &made));
    E(COMM, MPI_Comm_compare(world, none, &n));
    E(COMM, MPI_Comm_create(none, all, &comm));
    E(GROUP, MPI_Comm_create(world, null_group, &comm));
    E(COMM, MPI_Comm_get_name(none, NULL, &n));
    E(COMM, MPI_Comm_set_errhandler(none, MPI_ERRORS_RETURN));
    E(ARG, MPI_Comm_set_errhandler(world, MPI_ERRHANDLER_NULL));
    E(COMM, MPI_Comm_get_errhandler(none, &handler));
    E(GROUP, MPI_Group_size(null_group, &n));
    E(GROUP, MPI_Group_rank(null_group, &n));
    E(GROUP, MPI_Group_free(&null_group));
    E(GROUP, MPI_Group_incl(null_group, 1, ranks, &made));
    E(RANK, MPI_Group_incl(all, 1, &far, &made));
    E(RANK, MPI_Group_incl(all, 2, ranks, &made)); /* twice the same */
    E(ARG, MPI_Group_incl(all, -1, ranks, &made));
    E(ARG, MPI_Group_incl(all, 1, no_ints, &made));
    E(RANK, MPI_Group_excl(all, 1, &far, &made));
    E(ARG, MPI_Group_range_incl(all, 1, range, &made));
    E(ARG, MPI_Group_range_excl(all, -1, range, &made));
    E(GROUP, MPI_Group_union(all, null_group, &made));
    E(GROUP, MPI_Group_intersection(null_group, all, &made));
    E(GROUP, MPI_Group_difference(all, null_group, &made));
    E(GROUP, MPI_Group_compare(all, null_group, &n));
    E(RANK, MPI_Group_translate_ranks(all, 1, &far, all, y));
    E(ARG, MPI_Group_translate_ranks(all, -1, ranks, all, y));
    E(TOPOLOGY, MPI_Cart_shift(world, 0, 1, x, y));
    E(TOPOLOGY, MPI_Cartdim_get(world, &n));
    E(DIMS, MPI_Dims_create(size, -1, x));
    E(DIMS, MPI_Cart_create(world, 1, negative + 1, places, 0, &comm));
    E(INFO, MPI_Info_free(&info));
}

/* Info objects, windows, codes of errors, and a list of which one request fails. */
static void
others(void)
{
    static char key[MPI_MAX_INFO_KEY + 2], value[MPI_MAX_INFO_VAL + 2];
    MPI_Win window = MPI_WIN_NULL;
    MPI_Request list[2];
    MPI_Status statuses[2];
    MPI_Info empty;

    memset(key, 'k', sizeof key - 1);
    memset(value, 'v', sizeof value - 1);
    MPI_Info_create(&empty);
    E(INFO_KEY, MPI_Info_set(empty, key, "v"));
    E(INFO_KEY, MPI_Info_set(empty, "", "v"));
    E(INFO_VALUE, MPI_Info_set(empty, "k", value));
    E(INFO_NOKEY, MPI_Info_delete(empty, "k"));
    E(ARG, MPI_Info_get_nthkey(empty, 0, key));
    E(INFO, MPI_Info_set(MPI_INFO_ENV, "k", "v"));
    MPI_Info_free(&empty);
    E(WIN, MPI_Win_free(&window));
    E(WIN, MPI_Win_fence(0, window));
    E(SIZE, MPI_Win_create(x, -1, 1, MPI_INFO_NULL, world, &window));
    E(DISP, MPI_Win_create(x, sizeof x, 0, MPI_INFO_NULL, world, &window));
    MPI_Error_class(-1, &n);
    CHECK(n == MPI_ERR_UNKNOWN);
    E(ARG, MPI_Error_class(0, NULL));
    E(ARG, MPI_Error_string(0, key, NULL));
    E(ARG, MPI_Error_string(0, NULL, &n));
    E(ARG, MPI_Initialized(NULL));
    E(ARG, MPI_Finalized(NULL));
    E(ARG, MPI_Query_thread(NULL));
    E(ARG, MPI_Is_thread_main(NULL));
    E(ARG, MPI_Get_version(&n, NULL));
    E(ARG, MPI_Get_library_version(NULL, &n));
    E(ARG, MPI_Get_processor_name(NULL, &n));

    MPI_Irecv(y, 1, MPI_INT, 1 - rank, 0, world, &list[0]);
    MPI_Irecv(y + 2, 1, MPI_INT, 1 - rank, 1, world, &list[1]);
    MPI_Send(x, 1, MPI_INT, 1 - rank, 0, world);
    MPI_Send(x, 2, MPI_INT, 1 - rank, 1, world); /* too long */
    E(IN_STATUS, MPI_Waitall(2, list, statuses));
    CHECK(statuses[0].MPI_ERROR == MPI_SUCCESS && statuses[1].MPI_ERROR == MPI_ERR_TRUNCATE);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    info = MPI_INFO_NULL;
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Comm_dup(world, &freed);
    MPI_Comm kept = freed;
    MPI_Comm_free(&freed);
    freed = kept;
    MPI_Type_contiguous(2, MPI_INT, &open_type);
    MPI_Type_contiguous(3, MPI_INT, &gone_type);
    MPI_Datatype last = gone_type;
    MPI_Type_commit(&gone_type);
    MPI_Type_free(&gone_type);
    gone_type = last;
    MPI_Irecv(x, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request);
    gone_request = request;
    MPI_Wait(&request, &status);
    MPI_Comm_group(world, &all);
    messages();
    completion();
    collectives();
    reductions();
    types();
    communicators();
    others();
    MPI_Type_free(&open_type);
    MPI_Group_free(&all);
    MPI_Barrier(world);
    MPI_Finalize();
    return 0;
}
