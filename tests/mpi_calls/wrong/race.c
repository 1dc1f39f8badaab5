/* SPDX-License-Identifier: MIT */
/* nodes: 4 */
/* options: --explore */
/* exit: 1 */
/* error: NAME.c:LINE: finding: order-dependent: MPI_Recv of node 0 takes what node 2 sent, and the run ends with deadlock: nothing can move */
/* error: (in 1 of 5 orders; others are right) */
/* error: --choices 2 */
/* error: 5 orders of arrival in 5 runs, all there are */
/* never: deadlock-if-unbuffered */
/* also: --choices 2 => 1 deadlock: nothing can move */
/* also: --choices 1,3 => 0 */
/* also: --choices 1,1 => 2 --choices: number 2 is not a rank whose message could be received at that point */
/* also: --explore -j 3 => 1 (in 1 of 5 orders; others are right) */
/* also: --explore --max-runs 4 => 1 the bound (--max-runs 4): there are more; all that differ from the first in 1 choice are done */
/* also: --explore --jobs 0 => 2 --jobs 0: expected the number of processes, a whole number from 1 to 1024 */
/* also: --explore --choices 1 => 2 leave out one of --explore and --choices */
/* also: -n 1 --explore => 0 1 order of arrival in 1 run: nothing had a choice */
/* also: -n 2 --explore => 0 1 order of arrival in 1 run: nothing had a choice */
/* also: -n 3 --explore => 1 2 orders of arrival in 2 runs, all there are */
/* also: -n 3 --explore -- exit => 1 ends with wrong-result: the program ends with exit code 3 (in 1 of 2 orders */
/* also: -n 3 --explore -- raise => 1 ends with crash */
/* also: -n 3 --explore -- end => 1 the program was ended by signal 9 */
/* also: -n 3 --explore --timeout 0.5 -- compute => 1 ends with timeout */
/* The receiver assumes that the first message is not node 2's. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int
go_wrong(const char *how)
{
    int nothing;

    if (strcmp(how, "exit") == 0)
        return 3;
    if (strcmp(how, "raise") == 0)
        raise(SIGSEGV);
    if (strcmp(how, "end") == 0)
        kill(getpid(), SIGKILL);
    for (volatile int forever = strcmp(how, "compute") == 0; forever;)
        ;
    MPI_Recv(&nothing, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
}

int
main(int argc, char **argv)
{
    int rank, size, word, code = 0;
    MPI_Status status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank > 0)
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int i = 1; rank == 0 && i < size; i++) {
        MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status); /* HERE */
        if (i == 1 && status.MPI_SOURCE == 2)
            code = go_wrong(argc > 1 ? argv[1] : "");
    }
    MPI_Finalize();
    return code;
}
