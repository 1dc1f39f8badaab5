/* nodes: 2 */
/* SPDX-License-Identifier: MIT */
/* warning: implicit declaration of function */
/* compiler: -Wno-error=implicit-function-declaration */
/* Functions that the compiler knows without a header, whose results need more than an int; and inline functions without
 * a definition elsewhere: with --watch they link and run, too. */
#include <mpi.h>

int printf(const char *format, ...);

inline int
twice(int x)
{
    return 2 * x;
}

int
main(int argc, char **argv)
{
    double *x, root;
    char *text, *letter;

    MPI_Init(&argc, &argv);
    x = malloc(sizeof *x * 40000);
    text = strdup("message");
    letter = strchr(text, 's');
    x[0] = root = sqrt(2.25);
    x[1] = twice(argc);
    MPI_Bcast(x, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    printf("%g %g %g %s\n", x[0], x[0] + x[1], root, letter);
    free(text);
    free(x);
    MPI_Finalize();
    return 0;
}
