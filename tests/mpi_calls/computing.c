/* SPDX-License-Identifier: MIT */
/* What computing.py runs: each node's thread spins for so many milliseconds of its own clock, several times over; then
 * each declares operations.  Node 0 prints what its clock says, and how often its sampled regions ran. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long
own_time(void)
{
    struct timespec now;

    syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &now); /* not the node's time, which is the model's */
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long
spin(long long nanoseconds)
{
    long long begin = own_time(), time;

    while ((time = own_time() - begin) < nanoseconds)
        ;
    return time;
}

int
main(int argc, char **argv)
{
    int rank, alone = 0, with_calls = 0;
    long long milliseconds = argc > 1 ? atoll(argv[1]) : 0, times = argc > 2 ? atoll(argv[2]) : 1, spun = 0;

    spin(milliseconds * 1000000); /* before MPI_Init: not charged */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = MPI_Wtime();

    for (int i = 0; i < times; i++) {
        PEAL_SAMPLE(2)
        {
            alone++;
            spun += spin(milliseconds * 1000000);
        }
        PEAL_SAMPLE(2)
        {
            with_calls++;
            MPI_Barrier(MPI_COMM_WORLD);
        }
    }
    PEAL_COMPUTE(1000 * (rank + 1));
    double seconds = MPI_Wtime() - begin;

    if (rank == 0)
        printf("%lld %d %d %.9f\n", spun, alone, with_calls, seconds);
    MPI_Finalize();
    return 0;
}
