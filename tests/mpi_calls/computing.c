/* SPDX-License-Identifier: MIT */
/* What computing.py runs: each node's thread spins for so many milliseconds of its own clock, several times over; then
 * each declares operations.  Node 0 prints what its clock says, how often its sampled regions and functions ran, and
 * what these returned in all. */
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

int weighed, met;

/* Arguments in all registers, and beyond them. */
double
weigh(long a, double b, long c, long d, long e, long f, long g, long h, double i)
{
    weighed++;
    spin(a);
    return (double)(c + 2 * d + 3 * e + 4 * f + 5 * g + 6 * h) + b + i;
}

int
meet(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return ++met;
}

int
main(int argc, char **argv)
{
    int rank, alone = 0, with_calls = 0;
    long long milliseconds = argc > 1 ? atoll(argv[1]) : 0, times = argc > 2 ? atoll(argv[2]) : 1, spun = 0;

    spin(milliseconds * 1000000); /* before MPI_Init: not charged */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double begin = MPI_Wtime(), weight = 0;
    int (*volatile meeting)(void) = meet;

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
        weight += weigh(argc > 3 ? milliseconds * 1000000 : 0, 0.5, 1, 2, 3, 4, 5, 6, 0.25) + meeting();
    }
    if (argc > 4) { /* a message reaches the nodes one after another, and then they compute */
        int size;

        MPI_Comm_size(MPI_COMM_WORLD, &size);
        if (rank > 0)
            MPI_Recv(NULL, 0, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank < size - 1)
            MPI_Send(NULL, 0, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
        spin(milliseconds * 1000000);
    }
    PEAL_COMPUTE(1000 * (rank + 1));
    double seconds = MPI_Wtime() - begin;

    if (rank == 0)
        printf("%lld %d %d %.9f %d %d %g\n", spun, alone, with_calls, seconds, weighed, met, weight);
    MPI_Finalize();
    return 0;
}
