/* nodes: 3 */
/* compiler: --watch */
/* options: --strict */
/* exit: 1 */
/* error: NAME.c:LINE1: finding: remote-conflict: a load of node 0 and MPI_Put of node 1 access the same 4 bytes of node 0's window, and nothing orders them */
/* error: NAME.c:LINE2: finding: remote-conflict: a load of node 0 and MPI_Put of node 1 access the same 4 bytes */
/* error: NAME.c:LINE3: finding: remote-conflict: a store of node 0 and MPI_Get of node 1 access the same 4 bytes */
/* error: NAME.c:LINE4: finding: remote-conflict: MPI_Put of node 1 and MPI_Get of node 1 access the same 32 bytes */
/* error: NAME.c:LINE5: finding: remote-conflict: MPI_Rput of node 1 and MPI_Put of node 2 access the same 4 bytes */
/* error: NAME.c:LINE6: finding: remote-conflict: MPI_Accumulate of node 1 and MPI_Accumulate of node 2 access the same 6 bytes */
/* error: NAME.c:LINE7: finding: remote-conflict: MPI_Recv of node 0 with its buffer and MPI_Put of node 1 access the same 4 bytes */
/* error: NAME.c:LINE8: finding: remote-conflict: MPI_Bcast of node 0 with its buffer and MPI_Put of node 1 access the same 4 bytes */
/* error: NAME.c:LINE9: finding: remote-conflict: MPI_Pack of node 0 with its buffer and MPI_Put of node 1 access the same 4 bytes */
/* error: NAME.c:LINE10: finding: remote-conflict: a store of node 0 and MPI_Put of node 1 access the same 4 bytes */
/* error: NAME.c:LINE11: finding: buffer-reuse: node 1 writes to memory that MPI_Compare_and_swap sends from */
/* error: NAME.c:LINE12: finding: remote-conflict: MPI_Put of node 1 and MPI_Get of node 2 access the same 4 bytes */
/* error: 12 findings at 12 lines */
/* also: --strict -- 1 => 1 12 findings at 12 lines */
/* also: --strict -- 5 => 1 12 findings at 12 lines */
/* also: --strict -- 20 => 1 12 findings at 12 lines */
/* also: --strict -- -1 => 1 12 findings at 12 lines */
/* also: --strict -- -20 => 1 12 findings at 12 lines */
/* Accesses that nothing orders, however long the one is made after the other: their argument is a delay in rounds, of
 * node 0 if it is above 0, of node 1 if it is below.  MPI_Win_sync, a query of the model and shared memory in the same
 * run do not change that. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 1024 };

static int *memory, rank, delays, many[8], zero, one = 1, old;
static MPI_Win win;

/* A part, in an epoch of its own, in which node 0 or node 1 is late. */
static void
late(int fence)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (fence)
        MPI_Win_fence(0, win);
    else
        MPI_Win_lock_all(0, win);
    for (int i = 0; i < abs(delays); i++)
        if (rank == (delays < 0))
            usleep(1);
}

static void
end(int fence)
{
    if (fence)
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    else
        MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void
put(int at)
{
    MPI_Put(many, 1, MPI_INT, 0, at, 1, MPI_INT, win); /* HERE12 */
    MPI_Win_flush(0, win);
}

static void
own(void)
{
    late(1);
    if (rank == 1)
        MPI_Put(many, 8, MPI_INT, 0, 0, 8, MPI_INT, win);
    if (rank == 0)
        zero += memory[1]; /* HERE1 */
    end(1);
    late(0);
    if (rank == 1)
        put(9);
    if (rank == 0)
        zero += memory[9]; /* HERE2 */
    end(0);
    late(0);
    if (rank == 1)
        MPI_Get(many, 1, MPI_INT, 0, 10, 1, MPI_INT, win);
    if (rank == 0)
        memory[10] = 0; /* HERE3 */
    end(0);
    late(0);
    for (int i = 16; rank == 0 && i < COUNT; i += 2)
        memory[i] = 0; /* HERE10 */
    if (rank == 1)
        put(16);
    end(0);
}

/* What is complete at the origin only; elements that overlap in part; what a swap compares with; an order that only
 * leads elsewhere. */
static void
between_others(void)
{
    MPI_Request request;

    late(0);
    if (rank == 1) {
        MPI_Put(many, 8, MPI_INT, 0, 0, 8, MPI_INT, win); /* HERE4 */
        MPI_Win_flush_local(0, win);
        MPI_Get(many, 8, MPI_INT, 0, 0, 8, MPI_INT, win);
    }
    end(0);
    late(0);
    if (rank == 1) {
        MPI_Rput(many, 1, MPI_INT, 0, 9, 1, MPI_INT, win, &request); /* HERE5 */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(&one, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    }
    if (rank == 2) {
        MPI_Recv(&one, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        put(9);
    }
    end(0);
    late(0);
    if (rank > 0) {
        MPI_Datatype pair;

        MPI_Type_create_hindexed(1, (int[]){2}, (MPI_Aint[]){rank == 2 ? 2 : 0}, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        MPI_Accumulate(many, 2, MPI_INT, 0, 0, 1, pair, MPI_SUM, win); /* HERE6 */
        MPI_Type_free(&pair);
    }
    end(0);
    late(0);
    if (rank == 1) {
        MPI_Compare_and_swap(&one, &zero, &old, MPI_INT, 0, 15, win);
        zero = 0; /* HERE11 */
    }
    end(0);
    late(0);
    if (rank == 1)
        put(14);
    MPI_Gather(&one, 1, MPI_INT, many, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Get(many, 1, MPI_INT, 0, 14, 1, MPI_INT, win);
    end(0);
}

/* Node 0 passes its own window memory to calls. */
static void
with_buffers(void)
{
    char packed[64];
    int position = 0;

    late(0);
    if (rank == 1)
        put(2);
    if (rank == 2)
        MPI_Send(&one, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(&memory[2], 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* HERE7 */
    end(0);
    late(0);
    if (rank == 1)
        put(3);
    MPI_Bcast(rank == 0 ? &memory[3] : &old, 1, MPI_INT, 0, MPI_COMM_WORLD); /* HERE8 */
    end(0);
    late(0);
    if (rank == 1)
        put(4);
    if (rank == 0)
        MPI_Pack(&memory[4], 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD); /* HERE9 */
    end(0);
}

int
main(int argc, char **argv)
{
    int *model, *mine, flag;
    MPI_Win shared;

    delays = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &shared);
    MPI_Win_allocate(COUNT * sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    for (int i = 0; i < COUNT; i++)
        memory[i] = 0;
    MPI_Win_get_attr(win, MPI_WIN_MODEL, &model, &flag);
    MPI_Win_sync(win);
    own();
    between_others();
    with_buffers();
    MPI_Win_free(&win);
    MPI_Win_free(&shared);
    MPI_Finalize();
    return zero == 100;
}
