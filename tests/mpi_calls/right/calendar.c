/* nodes: 2 */
/* SPDX-License-Identifier: MIT */
/* The date is the same in every run, and not that of 1970; the clocks of the calendar agree, and go on. */
#include "check.h"
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    time_t now = time(NULL), stored;
    struct timespec real, counted, standard;
    struct timeval day;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(time(&stored) == stored && stored - now <= 1);
    CHECK(gmtime(&now)->tm_year == 2026 - 1900 && gmtime(&now)->tm_yday == 0);
    CHECK(clock_gettime(CLOCK_REALTIME, &real) == 0 && real.tv_sec - now <= 1);
    CHECK(gettimeofday(&day, NULL) == 0 && day.tv_sec - now <= 1);
    CHECK(timespec_get(&standard, TIME_UTC) == TIME_UTC && standard.tv_sec - now <= 1);
    CHECK(clock_gettime(CLOCK_MONOTONIC, &counted) == 0 && counted.tv_sec < 10 && clock() < 10 * CLOCKS_PER_SEC);
    sleep(3);
    CHECK(time(NULL) - now >= 3 && time(NULL) - now <= 4);
    if (rank == 0)
        printf("%s", ctime(&now));
    MPI_Finalize();
    return 0;
}
