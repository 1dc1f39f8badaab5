/* nodes: 1 2 3 8 */
/* SPDX-License-Identifier: MIT */
/* Windows: every way to make one, to open and close its epochs, and to access it. */
#include "check.h"

static int
right(void)
{
    return (rank + 1) % size;
}

static int
left(void)
{
    return (rank + size - 1) % size;
}

/* ------------------------------------------------------------------ fences */

static void
fences(void)
{
    int memory[8], got = -1, out = rank + 100, three[3] = {1, 2, 3};
    MPI_Win win;

    for (int i = 0; i < 8; i++)
        memory[i] = rank * 10 + i;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    MPI_Put(&out, 1, MPI_INT, right(), 2, 1, MPI_INT, win);
    MPI_Get(&got, 1, MPI_INT, left(), 5, 1, MPI_INT, win);
    MPI_Put(NULL, 0, MPI_INT, right(), 100, 0, MPI_INT, win);
    MPI_Put(&out, 1, MPI_INT, MPI_PROC_NULL, 100, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[2] == left() + 100);
    CHECK(got == left() * 10 + 5);
    MPI_Accumulate(three, 3, MPI_INT, 0, 4, 3, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    if (rank == 0)
        for (int i = 0; i < 3; i++)
            CHECK(memory[4 + i] == 4 + i + size * (i + 1));
    MPI_Win_free(&win);
    CHECK(win == MPI_WIN_NULL);
}

/* What is written may have room for more elements than come (11.3.1). */
static void
shorter(void)
{
    int memory[8] = {0}, sent[3] = {rank + 1, rank + 2, rank + 3}, got[4] = {-1, -1, -1, -1};
    MPI_Win win;

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(sent, 2, MPI_INT, right(), 0, 3, MPI_INT, win);
    MPI_Accumulate(sent, 1, MPI_INT, right(), 4, 4, MPI_INT, MPI_SUM, win);
    MPI_Put(sent, 0, MPI_INT, right(), 3, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Get(got, 4, MPI_INT, rank, 0, 2, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[0] == left() + 1 && memory[1] == left() + 2 && memory[2] == 0 && memory[3] == 0);
    CHECK(memory[4] == left() + 1 && memory[5] == 0);
    CHECK(got[0] == left() + 1 && got[1] == left() + 2 && got[2] == -1 && got[3] == -1);
    MPI_Win_free(&win);
}

/* ------------------------------------------------------------------ post, start, complete, wait */

static void
groups(void)
{
    int *memory, flag = 0, here = right(), there = left();
    MPI_Group world, to, from;
    MPI_Win win;

    MPI_Win_allocate(4 * (MPI_Aint)sizeof(int), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[1] = -1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &here, &to);
    MPI_Group_incl(world, 1, &there, &from);
    for (int round = 0; round < 3; round++) {
        int x = 10 * round + rank;

        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&x, 1, MPI_INT, right(), sizeof(int), 1, MPI_INT, win);
        MPI_Win_complete(win);
        if (round < 2)
            MPI_Win_wait(win);
        else
            while (!flag)
                MPI_Win_test(win, &flag);
        CHECK(memory[1] == 10 * round + left());
    }
    MPI_Group_free(&world);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Win_get_group(win, &world);
    MPI_Group_size(world, &flag);
    CHECK(flag == size);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
}

/* ------------------------------------------------------------------ locks */

static void
locks(void)
{
    long *memory, x, sum = 0, one = 1, old;
    MPI_Win win;

    MPI_Win_allocate(8 * (MPI_Aint)sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memset(memory, 0, 8 * sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) { /* atomic, since it is locked */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Get(&x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        x++;
        MPI_Put(&x, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    for (int r = 0; r < size; r++) {
        MPI_Win_lock(MPI_LOCK_SHARED, r, 0, win);
        MPI_Accumulate(&one, 1, MPI_LONG, r, 1, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_unlock(r, win);
    }
    MPI_Win_lock_all(0, win);
    for (int r = 0; r < size; r++) {
        MPI_Fetch_and_op(&one, &old, MPI_LONG, r, 2, MPI_SUM, win);
        MPI_Win_flush_local(r, win);
        CHECK(old >= 0 && old < size);
        sum += old;
    }
    MPI_Win_flush_all(win);
    MPI_Win_flush_local_all(win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == (long)size * size * (size - 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(memory[1] == size && memory[2] == size);
    if (rank == 0)
        CHECK(memory[0] == 3 * size);
    MPI_Win_free(&win);
}

/* ------------------------------------------------------------------ accumulates */

static void
operators(void)
{
    int memory[4] = {6, 6, 6, 6}, x = 3, old = -1, compare = 6;
    struct {
        double value;
        int place;
    } best = {1, 100}, mine = {rank, rank};
    MPI_Request requests[4];
    MPI_Win win, pairs;

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Get_accumulate(&x, 1, MPI_INT, &old, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(0, win);
    CHECK(old == 6 && memory[0] == 3);
    MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, &old, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_flush(0, win);
    CHECK(old == 3 && memory[0] == 3);
    MPI_Fetch_and_op(&x, &old, MPI_INT, 0, 1, MPI_PROD, win);
    MPI_Win_flush(0, win);
    MPI_Compare_and_swap(&x, &compare, &old, MPI_INT, 0, 2, win);
    MPI_Win_flush(0, win);
    CHECK(memory[1] == 18 && memory[2] == 3 && old == 6);
    MPI_Compare_and_swap(&compare, &compare, &old, MPI_INT, 0, 2, win);
    MPI_Win_flush(0, win);
    CHECK(memory[2] == 3 && old == 3);
    x = 9;
    MPI_Rput(&x, 1, MPI_INT, 0, 3, 1, MPI_INT, win, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Win_flush(0, win);
    CHECK(memory[3] == 9);
    MPI_Raccumulate(&x, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_BXOR, win, &requests[0]);
    MPI_Rget_accumulate(&x, 1, MPI_INT, &old, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_MAX, win, &requests[1]);
    MPI_Rget(&compare, 1, MPI_INT, 0, 1, 1, MPI_INT, win, &requests[2]);
    MPI_Rput(&x, 1, MPI_INT, MPI_PROC_NULL, 3, 1, MPI_INT, win, &requests[3]);
    MPI_Win_flush(0, win); /* completes them all: the requests remain */
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK(memory[3] == 0 && memory[2] == 9 && old == 3 && compare == 18 && requests[3] == MPI_REQUEST_NULL);
    MPI_Rput(&x, 1, MPI_INT, 0, 3, 1, MPI_INT, win, &requests[0]);
    MPI_Request_free(&requests[0]);
    MPI_Win_unlock(0, win);
    CHECK(memory[3] == 9);
    MPI_Win_free(&win);

    MPI_Win_create(&best, sizeof best, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &pairs);
    MPI_Win_fence(0, pairs);
    MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 0, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, pairs);
    MPI_Win_fence(0, pairs);
    if (rank == 0)
        CHECK(best.value == (size < 2 ? 1 : size - 1) && best.place == (size < 2 ? 100 : size - 1));
    MPI_Win_free(&pairs);
}

/* ------------------------------------------------------------------ datatypes on both sides */

static void
datatypes(void)
{
    int memory[12], row[4] = {1, 2, 3, 4}, got[8] = {0};
    MPI_Datatype column, pair;
    MPI_Win win;

    for (int i = 0; i < 12; i++)
        memory[i] = 100 * rank + i;
    MPI_Type_vector(4, 1, 3, MPI_INT, &column);
    MPI_Type_vector(4, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&column);
    MPI_Type_commit(&pair);
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(row, 4, MPI_INT, right(), 1, 1, column, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 4; i++)
        CHECK(memory[3 * i + 1] == i + 1 && memory[3 * i] == 100 * rank + 3 * i);
    MPI_Get(got, 1, pair, left(), 0, 1, column, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 4; i++)
        CHECK(got[2 * i] == 100 * left() + 3 * i && got[2 * i + 1] == 0);
    MPI_Accumulate(got, 1, pair, right(), 2, 1, column, MPI_SUM, win);
    MPI_Type_free(&column);
    MPI_Type_free(&pair); /* still in use */
    MPI_Win_fence(0, win);
    for (int i = 0; i < 4; i++)
        CHECK(memory[3 * i + 2] == 100 * rank + 3 * i + 2 + 100 * ((rank + 2 * size - 2) % size) + 3 * i);
    MPI_Win_free(&win);
}

/* ------------------------------------------------------------------ dynamic and shared windows */

static void
dynamic(void)
{
    int *memory = malloc(16 * sizeof *memory), x = rank, more[4] = {0};
    MPI_Aint own, *all = malloc((size_t)size * sizeof *all);
    MPI_Win win;

    memset(memory, 0, 16 * sizeof *memory);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, 16 * sizeof *memory);
    MPI_Win_attach(win, more, sizeof more);
    MPI_Win_detach(win, more);
    MPI_Get_address(memory, &own);
    MPI_Allgather(&own, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Put(&x, 1, MPI_INT, right(), MPI_Aint_add(all[right()], 3 * sizeof(int)), 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(memory[3] == left());
    /* Over the border of two that are attached side by side. */
    int out[4] = {rank, rank + 1, rank + 2, rank + 3};

    MPI_Win_detach(win, memory);
    MPI_Win_attach(win, memory + 8, 8 * sizeof *memory);
    MPI_Win_attach(win, memory, 8 * sizeof *memory);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Put(out, 4, MPI_INT, right(), MPI_Aint_add(all[right()], 6 * sizeof(int)), 4, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++)
        CHECK(memory[6 + i] == left() + i);
    MPI_Win_detach(win, memory + 8);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    free(memory);
    free(all);
}

static void
shared(void)
{
    int *mine, *first, unit;
    MPI_Aint bytes;
    MPI_Win win;

    MPI_Win_allocate_shared((rank + 1) * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                            &win);
    for (int i = 0; i <= rank; i++)
        mine[i] = rank;
    MPI_Win_fence(0, win);
    MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first);
    CHECK(bytes == sizeof(int) && unit == sizeof(int));
    for (int r = 0; r < size; r++)
        for (int i = 0; i <= r; i++)
            CHECK(*first++ == r);
    MPI_Win_shared_query(win, right(), &bytes, &unit, &first);
    CHECK(bytes == (right() + 1) * (MPI_Aint)sizeof(int));
    MPI_Win_fence(0, win);
    first[0] = -rank;
    MPI_Win_fence(0, win);
    CHECK(mine[0] == -left());
    if (rank == 0) { /* a flag that others wait for */
        mine[0] = 77;
    } else {
        MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
        while (*(volatile int *)first != 77)
            MPI_Win_sync(win);
    }
    MPI_Win_free(&win);
}

/* ------------------------------------------------------------------ attributes, names, hints, handlers */

static int handled, deleted;

static void
handle(MPI_Win *win, int *code, ...)
{
    (void)win;
    handled = *code;
}

static int
remove_value(MPI_Win win, int key, void *value, void *extra)
{
    (void)win, (void)key, (void)extra;
    deleted += *(int *)value;
    return MPI_SUCCESS;
}

static void
objects(void)
{
    int memory[4], key, flag, length, value = 5, *found, *flavor, *model, *unit;
    MPI_Aint *bytes;
    char name[MPI_MAX_OBJECT_NAME], text[MPI_MAX_INFO_VAL + 1];
    void *base;
    MPI_Errhandler handler;
    MPI_Info info;
    MPI_Win win;

    MPI_Info_create(&info);
    MPI_Info_set(info, "no_locks", "true");
    MPI_Info_set(info, "unheard_of", "true");
    MPI_Win_create(memory, sizeof memory, 2, info, MPI_COMM_WORLD, &win);
    MPI_Info_free(&info);
    MPI_Win_get_info(win, &info);
    MPI_Info_get(info, "no_locks", MPI_MAX_INFO_VAL, text, &flag);
    CHECK(flag && strcmp(text, "true") == 0);
    MPI_Info_get(info, "unheard_of", MPI_MAX_INFO_VAL, text, &flag);
    CHECK(!flag);
    MPI_Info_free(&info);
    MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag);
    CHECK(flag && base == memory);
    MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag);
    CHECK(flag && *bytes == sizeof memory);
    MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag);
    CHECK(flag && *unit == 2);
    MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    CHECK(flag && *flavor == MPI_WIN_FLAVOR_CREATE);
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
    CHECK(flag && *model == MPI_WIN_UNIFIED);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, remove_value, &key, NULL);
    MPI_Win_set_attr(win, key, &value);
    MPI_Win_get_attr(win, key, &found, &flag);
    CHECK(flag && found == &value);
    MPI_Win_delete_attr(win, key);
    MPI_Win_get_attr(win, key, &found, &flag);
    CHECK(!flag && deleted == 5);
    deleted = 0;
    MPI_Win_set_attr(win, key, &value);
    MPI_Win_set_name(win, "wall");
    MPI_Win_get_name(win, name, &length);
    CHECK(length == 4 && strcmp(name, "wall") == 0);
    MPI_Win_create_errhandler(handle, &handler);
    MPI_Win_set_errhandler(win, handler);
    MPI_Errhandler_free(&handler);
    MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
    CHECK(handled == MPI_ERR_OTHER);
    CHECK(MPI_Win_unlock(0, win) == MPI_ERR_RMA_SYNC && handled == MPI_ERR_RMA_SYNC);
    MPI_Win_get_errhandler(win, &handler);
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&win);
    CHECK(deleted == 5);
    MPI_Win_free_keyval(&key);
    CHECK(key == MPI_KEYVAL_INVALID);
}

/* ------------------------------------------------------------------ errors that are returned */

static void
errors(void)
{
    int memory[4] = {0}, x = 1, class;
    MPI_Group world;
    MPI_Win win, other;

    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world);

#define PUT(rank, at, count, type) MPI_Put(&x, 1, MPI_INT, rank, at, count, type, win)
    CHECK(PUT(0, 0, 1, MPI_INT) == MPI_ERR_RMA_SYNC);
    CHECK(MPI_Win_complete(win) == MPI_ERR_RMA_SYNC && MPI_Win_wait(win) == MPI_ERR_RMA_SYNC);
    CHECK(MPI_Win_flush(0, win) == MPI_ERR_RMA_SYNC && MPI_Win_unlock_all(win) == MPI_ERR_RMA_SYNC);
    MPI_Win_fence(0, win);
    CHECK(PUT(size, 0, 1, MPI_INT) == MPI_ERR_RANK);
    CHECK(PUT(0, 4, 1, MPI_INT) == MPI_ERR_RMA_RANGE);
    CHECK(PUT(0, -1, 1, MPI_INT) == MPI_ERR_RMA_RANGE);
    CHECK(PUT(0, INT64_MAX / 4, 1, MPI_INT) == MPI_ERR_RMA_RANGE);
    CHECK(PUT(0, 0, 0, MPI_INT) == MPI_ERR_TYPE);
    CHECK(PUT(0, 0, 1, MPI_SHORT) == MPI_ERR_TYPE);
    CHECK(PUT(0, 0, 1, MPI_DATATYPE_NULL) == MPI_ERR_TYPE);
    CHECK(PUT(0, 0, -1, MPI_INT) == MPI_ERR_COUNT);
    CHECK(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win) == MPI_ERR_OP);
    CHECK(MPI_Accumulate(&x, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win) == MPI_ERR_OP);
    CHECK(MPI_Rput(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &(MPI_Request){0}) == MPI_ERR_RMA_SYNC);
    CHECK(MPI_Win_fence(1024, win) == MPI_ERR_ASSERT);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    CHECK(MPI_Win_lock(7, 0, 0, win) == MPI_ERR_LOCKTYPE);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    CHECK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win) == MPI_ERR_RMA_SYNC);
    CHECK(MPI_Win_lock_all(0, win) == MPI_ERR_RMA_SYNC && MPI_Win_start(world, 0, win) == MPI_ERR_RMA_SYNC);
    CHECK(MPI_Win_fence(0, win) == MPI_ERR_RMA_SYNC && MPI_Win_free(&win) == MPI_ERR_RMA_SYNC);
    CHECK(size == 1 || PUT(size - 1, 0, 1, MPI_INT) == MPI_ERR_RMA_SYNC);
    MPI_Win_unlock(0, win);
    CHECK(MPI_Win_attach(win, &x, sizeof x) == MPI_ERR_RMA_FLAVOR);
    CHECK(MPI_Win_shared_query(win, 0, &(MPI_Aint){0}, &class, &(void *){0}) == MPI_ERR_RMA_FLAVOR);

    MPI_Win_attach(other, memory, sizeof memory);
    CHECK(MPI_Win_attach(other, memory + 1, 4) == MPI_ERR_RMA_ATTACH &&
          MPI_Win_detach(other, &x) == MPI_ERR_RMA_ATTACH);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, other);
    MPI_Put(&x, 1, MPI_INT, rank, (MPI_Aint)(memory + 4), 1, MPI_INT, other);
    CHECK(MPI_Win_unlock(rank, other) == MPI_ERR_RMA_RANGE);
    MPI_Win_free(&other);
    MPI_Win_free(&win);
    CHECK(MPI_Error_class(MPI_ERR_RMA_RANGE, &class) == MPI_SUCCESS && class == MPI_ERR_RMA_RANGE);
    MPI_Group_free(&world);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    fences();
    shorter();
    groups();
    locks();
    operators();
    datatypes();
    dynamic();
    shared();
    objects();
    errors();
    MPI_Finalize();
    return 0;
}
