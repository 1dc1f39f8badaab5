/* nodes: 2 */
/* compiler: --watch */ /* compiler: -w */
/* exit: 0 */
/* not with a sanitizer */
/* also: -- right => 0 */
/* also: --strict -- right => 0 */
/* also: -- writes => 1 out-of-bounds: node 1 writes byte 40 of the 40 bytes that it allocated with malloc at watched_memory.c:43 (watched_memory.c:55) */
/* also: -- reads => 0 watched_memory.c:57: finding: out-of-bounds: node 0 reads byte 40 of the 40 bytes that it allocated with malloc at watched_memory.c:43 */
/* also: -- before => 0 watched_memory.c:59: finding: out-of-bounds: node 0 reads 4 bytes before the beginning of the 40 bytes that it allocated with malloc at watched_memory.c:43 */
/* also: -- freed => 0 watched_memory.c:62: finding: out-of-bounds: node 0 reads byte 8 of the 40 bytes that it allocated with malloc at watched_memory.c:43 and freed */
/* also: -- moved => 0 watched_memory.c:66: finding: out-of-bounds: node 0 reads byte 0 of the 40 bytes that it allocated with malloc at watched_memory.c:43 and freed */
/* also: -- twice => 1 out-of-bounds: node 0 frees what it allocated with malloc at watched_memory.c:43 a second time (watched_memory.c:69) */
/* also: -- inner => 1 out-of-bounds: node 0 frees memory that does not begin a block from malloc: byte 16 of the 40 bytes that it allocated with malloc at watched_memory.c:43 (watched_memory.c:72) */
/* also: -- copies => 1 out-of-bounds: node 0 writes byte 40 of the 40 bytes that it allocated with malloc at watched_memory.c:43 (watched_memory.c:74) */
/* also: -- pointer => 0 watched_memory.c:81: finding: private-memory: node 1 reads byte 12 of the 40 bytes that node 0 allocated with malloc at watched_memory.c:43, by an address that it received at watched_memory.c:79: a node touches its own memory only */
/* also: -- list => 1 private-memory: node 1 writes byte 0 of the 16 bytes that node 0 allocated with malloc at watched_memory.c:48, by an address that it received at watched_memory.c:83: a node touches its own memory only (watched_memory.c:86) */
/* also: -- global => 0 watched_memory.c:81: finding: private-memory: node 1 reads node 0's copy of `numbers`, by an address that it received at watched_memory.c:79 */
/* also: -- stack => 0 watched_memory.c:81: finding: private-memory: node 1 reads node 0's stack, by an address that it received at watched_memory.c:79 */
/* also: -- unwritten => 0 watched_memory.c:92: finding: uninitialised-send: MPI_Send: node 0 sends 40 bytes from a block of 40 bytes, which it allocated at watched_memory.c:44; nobody has written 40 of them, the first at byte 0 */
/* also: -- copied => 0 watched_memory.c:92: finding: uninitialised-send: MPI_Send: node 0 sends 40 bytes from a block of 40 bytes, which it allocated at watched_memory.c:43; nobody has written 40 of them */
/* also: -- half => 0 watched_memory.c:92: finding: uninitialised-send: MPI_Send: node 0 sends 40 bytes from a block of 40 bytes, which it allocated at watched_memory.c:44; nobody has written 20 of them, the first at byte 20 */
/* also: -- part => 0 */
/* also: --strict -- part => 0 watched_memory.c:92: note: uninitialised-send: MPI_Send: node 0 sends 40 bytes from a block of 40 bytes, which it allocated at watched_memory.c:44; nobody has written 16 of them, the first at byte 24 */
/* also: -- in_place => 0 watched_memory.c:102: finding: uninitialised-send: MPI_Allreduce: node 0 sends 40 bytes from a block of 40 bytes, which it allocated at watched_memory.c:44 */
/* also: -- variable => 0 watched_memory.c:104: finding: out-of-bounds: MPI_Bcast: node 0 sends 16 bytes from three, a variable of 12 bytes */
/* also: -- local => 0 watched_memory.c:106: finding: uninitialised-send: MPI_Bcast: node 0 sends 16 bytes from empty, a variable of 16 bytes; nobody has written 16 of them */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

struct cell {
    int value;
    struct cell *next;
};

static int rank, numbers[4];

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "right";
    int local[4] = {0}, three[3] = {0}, after[4] = {0}, empty[4];
    int *a = malloc(40);
    int *b = malloc(40);
    int *p = a, *volatile all = three, *volatile none = empty;
    volatile int sink = 0;

    struct cell *cell = calloc(1, sizeof *cell);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        a[i] = i;
    cell->next = cell;
    if (strcmp(what, "writes") == 0)
        a[9 + rank] = 1;
    else if (strcmp(what, "reads") == 0)
        sink = a[10];
    else if (strcmp(what, "before") == 0)
        sink = a[-1];
    if (strcmp(what, "freed") == 0) {
        free(a);
        sink = a[2];
        a = NULL;
    } else if (strcmp(what, "moved") == 0) {
        p = realloc(a, 400);
        sink = a[0];
        a = p;
    } else if (strcmp(what, "twice") == 0) {
        free(a), free(a);
        a = NULL;
    } else if (strcmp(what, "inner") == 0) {
        free(a + 4);
    } else if (strcmp(what, "copies") == 0) {
        memcpy(a, memset(malloc(44), 0, 44), 44);
    } else if (strcmp(what, "pointer") == 0 || strcmp(what, "global") == 0 || strcmp(what, "stack") == 0) {
        p = *what == 'p' ? a : *what == 'g' ? numbers : local;

        /* An address is of no use to another node. */
        MPI_Bcast(&p, sizeof p, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        sink = p[3];
    } else if (strcmp(what, "list") == 0) {
        MPI_Bcast(cell, sizeof *cell, MPI_BYTE, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 1)
            cell->next->value = 1;
    } else if (strstr("unwritten copied half part", what)) {
        for (int i = 0; i < (*what == 'h' ? 5 : *what == 'p' ? 6 : 0); i++)
            b[i] = i;
        p = *what == 'c' ? memcpy(a, b, 40) : b;
        if (rank == 0)
            MPI_Send(p, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(p, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (strcmp(what, "right") == 0) {
        memcpy(b, a, 40);
        MPI_Bcast(three, 3, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(after, 4, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(b, 10, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (strcmp(what, "in_place") == 0)
        MPI_Allreduce(MPI_IN_PLACE, b, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (strcmp(what, "variable") == 0)
        MPI_Bcast(all, 4, MPI_INT, 0, MPI_COMM_WORLD);
    if (strcmp(what, "local") == 0)
        MPI_Bcast(none, 4, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(what, "freed") != 0 && strcmp(what, "twice") != 0)
        free(a);
    free(b);
    free(cell);
    MPI_Finalize();
    (void)sink;
    return 0;
}
