/* nodes: 2 3 5 */
/* A node's own loads and stores of what it exposes: ordered with the accesses of others, at other places, or
 * polling. */
#include <mpi.h>

enum { COUNT = 8 };

static int rank, size;

static void
expect(int condition)
{
    if (!condition)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Fences, and the epochs of post and start, order them. */
static void
in_turns(int *memory, MPI_Win win)
{
    const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
    int values[COUNT], got[COUNT];
    MPI_Group all, to, from;

    for (int i = 0; i < COUNT; i++)
        values[i] = rank * COUNT + i;
    MPI_Win_fence(0, win);
    MPI_Put(values, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, win);
    memory[COUNT] = rank; /* beside what is put */
    expect(memory[COUNT] == rank);
    MPI_Win_fence(0, win);
    expect(memory[1] == previous * COUNT + 1);
    MPI_Get(got, COUNT, MPI_INT, next, 0, COUNT, MPI_INT, win);
    expect(memory[2] == previous * COUNT + 2); /* a load beside a get */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    expect(got[0] == rank * COUNT);
    memory[0] = -1;

    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &next, &to);
    MPI_Group_incl(all, 1, &previous, &from);
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Accumulate(values, 1, MPI_INT, next, 0, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    expect(memory[0] == previous * COUNT - 1);
    MPI_Group_free(&to);
    MPI_Group_free(&from);
    MPI_Group_free(&all);
}

/* A lock of its own keeps the others out; a message tells that an access is complete. */
static void
by_locks(int *memory, MPI_Win win)
{
    int two[2] = {1, 1};

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    memory[0] = memory[1] = 0;
    MPI_Win_unlock(rank, win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    if (rank == 0)
        memory[0]++, memory[1]++;
    else
        MPI_Accumulate(two, 2, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    expect(rank != 0 || (memory[0] == size && memory[1] == size));
    MPI_Barrier(MPI_COMM_WORLD);

    MPI_Win_lock_all(0, win);
    if (rank == 1) {
        MPI_Put((int[COUNT]){9}, COUNT, MPI_INT, 0, 0, COUNT, MPI_INT, win);
        MPI_Win_flush(0, win);
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        expect(memory[0] == 9);
        memory[0] = 10;
    }
    MPI_Win_unlock_all(win);
}

/* Wait for one element that another node puts, and for one that its owner stores. */
static void
by_polling(volatile int *memory, MPI_Win win)
{
    int one = 1, seen = 0, flag;

    memory[3] = memory[4] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (rank == 1)
        MPI_Put(&one, 1, MPI_INT, 0, 3, 1, MPI_INT, win);
    while (rank == 0 && !memory[3])
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    for (int i = 0; rank == 0 && i < 5; i++) /* who gets it at once does not poll */
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (rank == 0)
        memory[4] = 1;
    while (rank == 1 && !seen) {
        MPI_Get(&seen, 1, MPI_INT, 0, 4, 1, MPI_INT, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
}

/* In the unified memory model a node may also wait for one element of many, which it says by MPI_Win_sync. */
static void
in_the_unified_model(volatile int *memory, MPI_Win win)
{
    int values[COUNT] = {1, 1, 1, 1, 1, 1, 1, 1};

    memory[0] = 0;
    MPI_Win_lock_all(0, win);
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Put(values, COUNT, MPI_INT, 0, 0, COUNT, MPI_INT, win);
    while (rank == 0 && !memory[0])
        MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
}

static int
is_there(const volatile int *place)
{
    return *place == 1;
}

/* It polls for what is there when it first looks, since a message has come after it: for one element, or for many. */
static void
at_the_first_look(volatile int *memory, MPI_Win win)
{
    int one = 1, more = 1, sum;

    memory[0] = memory[1] = memory[2] = memory[3] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 4; i++)
        if (rank < 2 && rank == i / 2)
            MPI_Put(&one, 1, MPI_INT, 0, i, 1, MPI_INT, win);
    if (rank == 1)
        MPI_Send(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        do {
            MPI_Win_sync(win);
            sum = 0;
            for (int i = 0; i < 3; i++)
                sum += memory[i];
        } while (sum < 3 && memory[0] + memory[1] + memory[2] != 3);
        while (more) {
            MPI_Win_sync(win);
            more = !is_there(&memory[3]);
        }
        expect(memory[0] == 1 && memory[3] == 1); /* it has polled for them */
    }
    MPI_Win_unlock_all(win);
}

int
main(int argc, char **argv)
{
    int memory[2 * COUNT] = {0}, *allocated;
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    in_turns(memory, win);
    by_locks(memory, win);
    by_polling(memory, win);
    in_the_unified_model(memory, win);
    at_the_first_look(memory, win);
    MPI_Win_free(&win);
    memory[0] = 1; /* no window's */

    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, sizeof memory);
    memory[0] = 2;
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    MPI_Win_allocate(2 * COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &allocated, &win);
    in_turns(allocated, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
