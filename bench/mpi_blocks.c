/* SPDX-License-Identifier: MIT */
/* Each node allocates BLOCKS blocks, sends each round a ring, and frees them: what strict runs watch most closely.
 *
 *   mpi_blocks BLOCKS */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64, SENT_BYTES = 8 };

int
main(int argc, char **argv)
{
    int rank, size, count = argc > 1 ? atoi(argv[1]) : 1;
    char **blocks = calloc((size_t)count, sizeof *blocks);

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < count; i++)
        blocks[i] = memset(malloc(BLOCK_BYTES), rank, BLOCK_BYTES);
    for (int i = 0; i < count; i++)
        MPI_Sendrecv_replace(blocks[i], SENT_BYTES, MPI_BYTE, (rank + 1) % size, 0, (rank + size - 1) % size, 0,
                             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++)
        free(blocks[i]);
    free(blocks);
    MPI_Finalize();
    return 0;
}
