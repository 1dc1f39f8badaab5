/* SPDX-License-Identifier: MIT */
/* A program in C for another MPI: an error's handler, a structure, a generalized request.  With a word it is wrong. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPECT(right) (void)((right) || printf("line %d: not so: %s\n", __LINE__, #right))

struct point {
    char name;
    double at[2];
};

static int handled, completed;

static void
handle(MPI_Comm *comm, int *code, ...)
{
    const int before = *code;
    int class;

    if (!handled) {
        handled = -1;
        MPI_Send(NULL, -1, MPI_INT, 0, 0, *comm); /* an error within its handler */
    }
    EXPECT(*code == before);
    MPI_Error_class(*code, &class);
    handled = *comm == MPI_COMM_WORLD ? class : -1;
}

static int
query(void *extra, MPI_Status *status)
{
    MPI_Status_set_elements(status, MPI_INT, *(int *)extra);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int
forget(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int
cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void
ask_general(void)
{
    MPI_Request request;
    MPI_Status status;
    int number = 3;

    MPI_Grequest_start(query, forget, cancel, &number, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, &status);
    MPI_Get_count(&status, MPI_INT, &completed);
}

/* ------------------------------------------------------------------ what each MPI has its own numbers for */

static void
add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    EXPECT(*type == MPI_INT);
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int deleted;

static int
forget_value(MPI_Comm comm, int key, void *value, void *extra)
{
    EXPECT(comm != MPI_COMM_NULL && key != MPI_KEYVAL_INVALID && !extra);
    deleted = *(int *)value;
    return MPI_SUCCESS;
}

static void
compare_messages(int me, int size)
{
    MPI_Request requests[3];
    MPI_Status statuses[3], status;
    int sent[2] = {me, -me}, got[2] = {-1, -1}, flag, count;

    MPI_Irecv(got, 2, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, 2, MPI_INT, (me + 1) % size, 7, MPI_COMM_WORLD, &requests[1]);
    requests[2] = MPI_REQUEST_NULL;
    MPI_Waitall(3, requests, statuses);
    EXPECT(statuses[0].MPI_SOURCE == (me + size - 1) % size && statuses[0].MPI_TAG == 7 && got[1] == -got[0]);
    EXPECT(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    MPI_Get_count(&statuses[0], MPI_INT, &count);
    EXPECT(count == 2);
    MPI_Recv(got, 2, MPI_INT, MPI_PROC_NULL, 3, MPI_COMM_WORLD, &status);
    EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Irecv(got, 2, MPI_INT, 0, 99, MPI_COMM_SELF, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT(flag);
    MPI_Sendrecv(sent, 1, MPI_INT, 0, 5, got, 1, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT(MPI_Send(sent, -1, MPI_INT, 0, 0, MPI_COMM_WORLD) == MPI_ERR_COUNT);
    EXPECT(MPI_Send(sent, 1, MPI_INT, size, 0, MPI_COMM_WORLD) == MPI_ERR_RANK);
    EXPECT(MPI_Bcast(sent, 1, MPI_INT, size, MPI_COMM_WORLD) == MPI_ERR_ROOT);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void
compare_collectives(int me, int size)
{
    int sum = me, none = MPI_UNDEFINED, result, *bound, flag, key, value = 17;
    MPI_Comm ring, part, shared, copy;
    MPI_Group world, own;
    MPI_Op op;

    MPI_Op_create(add, 1, &op);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
    EXPECT(sum == size * (size - 1) / 2);
    MPI_Op_free(&op);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &ring);
    MPI_Topo_test(ring, &result);
    EXPECT(result == MPI_CART);
    MPI_Topo_test(MPI_COMM_WORLD, &result);
    EXPECT(result == MPI_UNDEFINED);
    MPI_Comm_compare(ring, MPI_COMM_WORLD, &result);
    EXPECT(result == MPI_CONGRUENT);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
    EXPECT(result == MPI_IDENT);
    MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? none : 1, 0, &part);
    EXPECT((part == MPI_COMM_NULL) == (me == 0));
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &me, &own);
    MPI_Group_compare(own, MPI_GROUP_EMPTY, &result);
    EXPECT(result == MPI_UNEQUAL);
    MPI_Group_free(&world);
    MPI_Group_free(&own);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
    EXPECT(flag && *bound >= 32767);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, forget_value, &key, NULL);
    MPI_Comm_set_attr(ring, key, &value);
    MPI_Comm_dup(ring, &copy);
    MPI_Comm_get_attr(copy, key, &bound, &flag);
    EXPECT(flag && *bound == 17);
    MPI_Comm_free_keyval(&key);
    EXPECT(key == MPI_KEYVAL_INVALID);
    MPI_Comm_free(&copy);
    EXPECT(deleted == 17 && copy == MPI_COMM_NULL);
    MPI_Comm_free(&ring);
    MPI_Comm_free(&shared);
}

static void
compare_types(void)
{
    int sizes[2] = {4, 6}, parts[2] = {2, 3}, starts[2] = {1, 2}, counts[3], combiner, thread;
    MPI_Datatype type, of;

    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
    EXPECT(combiner == MPI_COMBINER_SUBARRAY && counts[2] == 1);
    int integers[8];

    MPI_Type_get_contents(type, counts[0], counts[1], counts[2], integers, NULL, &of);
    EXPECT(of == MPI_DOUBLE && integers[0] == 2 && integers[4] == 3);
    MPI_Type_free(&type);
    EXPECT(type == MPI_DATATYPE_NULL);
    MPI_Query_thread(&thread);
    EXPECT(thread == MPI_THREAD_SINGLE || thread == MPI_THREAD_MULTIPLE);
}

static void
compare_windows(int me, int size)
{
    int memory[2] = {me, 0}, got = -1, *flavor, *model, flag;
    MPI_Win win;

    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    EXPECT(flag && *flavor == MPI_WIN_FLAVOR_CREATE);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
    EXPECT(flag && (*model == MPI_WIN_UNIFIED || *model == MPI_WIN_SEPARATE));
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Get(&got, 1, MPI_INT, (me + 1) % size, 0, 1, MPI_INT, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED | MPI_MODE_NOSTORE, win);
    EXPECT(got == (me + 1) % size);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Accumulate(&(int){1}, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_SHARED, me, MPI_MODE_NOCHECK, win);
    EXPECT(memory[1] == (me == 0 ? size : 0));
    MPI_Win_unlock(me, win);
    MPI_Win_free(&win);
    EXPECT(win == MPI_WIN_NULL);
}

int
main(int argc, char **argv)
{
    int lengths[2] = {1, 2}, me, size;
    MPI_Aint places[2] = {0, offsetof(struct point, at)};
    MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE}, made, type;
    struct point point;
    MPI_Errhandler handler;
    MPI_Comm nobody;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
    MPI_Send(NULL, 0, MPI_INT, size, 0, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Graph_create(MPI_COMM_WORLD, 0, NULL, lengths, 0, &nobody);
    EXPECT(nobody == MPI_COMM_NULL);
    ask_general();
    compare_messages(me, size);
    compare_collectives(me, size);
    compare_types();
    compare_windows(me, size);

    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_create_resized(made, 0, sizeof point, &type);
    MPI_Type_free(&made);
    MPI_Type_commit(&type);
    memset(&point, me == 0 ? 1 : 7, sizeof point);
    MPI_Bcast(&point, 1, type, 0, MPI_COMM_WORLD);
    int gap = *((char *)&point + 1), first = point.name;

    MPI_Type_free(&type);
    printf("node %d: error class %s, %d elements, first byte %d, gap %d\n", me,
           handled == MPI_ERR_RANK ? "MPI_ERR_RANK" : "?", completed, first, gap);
    if (argc > 1 && strcmp(argv[1], "abort") == 0 && me == size - 1)
        abort();
    if (argc > 1 && strcmp(argv[1], "leave") == 0 && me == size - 1)
        exit(0);
    if (argc > 1 && strcmp(argv[1], "differ") == 0)
        MPI_Bcast(&point, me == 0 ? 4 : 8, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
