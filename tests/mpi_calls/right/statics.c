/* nodes: 1 3 4096 */
/* SPDX-License-Identifier: MIT */
/* Globals, statics, constructors' work and pointers among them are a node's own, however many copies there are. */
#include "check.h"

static int counter = 40;
static int *const to_counter = &counter;
static int table[1000];
static int built;

__attribute__((constructor)) static void
build(void)
{
    built++;
}

int
main(int argc, char **argv)
{
    static int calls;
    int sum = 0;

    begin(&argc, &argv);
    CHECK(built == 1 && counter == 40 && table[7] == 0);
    counter += rank;
    table[7] = rank;
    calls++;
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(*to_counter == 40 + rank && to_counter == &counter && table[7] == rank && calls == 1);
    MPI_Allreduce(&counter, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 40 * size + size * (size - 1) / 2);
    MPI_Finalize();
    return 0;
}
