/* nodes: 2 */
/* compiler: -w */
/* exit: 1 */
/* not with a sanitizer */
/* error: out-of-bounds: node 1 calls memcpy with a length of -8 (NAME.c:LINE) */
/* also: --strict -- copy => 1 out-of-bounds: node 1 calls memcpy with a length of -8 */
/* also: -- move => 1 out-of-bounds: node 1 calls memmove with a length of -8 */
/* also: -- set => 1 out-of-bounds: node 1 calls memset with a length of -8 */
/* also: --strict -- set => 1 out-of-bounds: node 1 calls memset with a length of -8 */
/* also: -- malloc => 1 out-of-bounds: node 1 calls malloc with a length of -8 */
/* also: --strict -- malloc => 1 out-of-bounds: node 1 calls malloc with a length of -8 */
/* also: -- calloc => 1 out-of-bounds: node 1 calls calloc with a length of -1 */
/* also: -- realloc => 1 out-of-bounds: node 1 calls realloc with a length of -8 */
/* also: -- none => 0 */
/* A length that is a number of nodes less one, or less two, as on the only node that has none on its right. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int
main(int argc, char **argv)
{
    int rank, size, most = 64;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *what = argc > 1 ? argv[1] : "copy";
    double *all = calloc(most, sizeof *all), *others = calloc(most, sizeof *others);
    int right = size - 2 - rank; /* how many are on the right, but for the last */

    if (strcmp(what, "copy") == 0)
        memcpy(all, others, right * sizeof *all); /* HERE */
    else if (strcmp(what, "move") == 0)
        memmove(all, all + rank, right * sizeof *all);
    else if (strcmp(what, "set") == 0)
        memset(all, 0, right * sizeof *all);
    else if (strcmp(what, "malloc") == 0)
        others = malloc(right * sizeof *all);
    else if (strcmp(what, "calloc") == 0)
        others = calloc(right, sizeof *all);
    else if (strcmp(what, "realloc") == 0)
        others = realloc(others, right * sizeof *all);
    else
        memcpy(all, others, (most - rank) * sizeof *all);
    printf("%g %d\n", all[0], others != NULL);
    free(all);
    free(others);
    MPI_Finalize();
    return 0;
}
