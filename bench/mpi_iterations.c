/* SPDX-License-Identifier: MIT */
/* Iterations that end in an all-reduce, with CELLS cells or points per rank: a conjugate gradient, a Jacobi, k-means.
 *
 *     mpi_iterations cg|jacobi|kmeans CELLS ITERATIONS */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CENTERS = 8 };

static int rank, size;

/* The neighbours' outer cells, into x[-1] and x[n]. */
static void
halo(double *x, int n)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

    MPI_Sendrecv(&x[0], 1, MPI_DOUBLE, left, 0, &x[n], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&x[n - 1], 1, MPI_DOUBLE, right, 0, &x[-1], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double
dot(const double *x, const double *y, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static double
conjugate_gradient(double *x, double *p, double *r, double *q, int n, int iterations)
{
    double rho = dot(r, r, n);

    for (int k = 0; k < iterations; k++) {
        halo(p, n);
        for (int i = 0; i < n; i++)
            q[i] = 2.01 * p[i] - p[i - 1] - p[i + 1];
        double alpha = rho / dot(p, q, n), before = rho;

        for (int i = 0; i < n; i++) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rho = dot(r, r, n) + 1e-30;
        for (int i = 0; i < n; i++)
            p[i] = r[i] + rho / before * p[i];
    }
    return rho;
}

static double
jacobi(double *x, double *y, int n, int iterations)
{
    double change = 0;

    for (int k = 0; k < iterations; k++) {
        halo(x, n);
        change = 0;
        for (int i = 0; i < n; i++) {
            y[i] = (x[i - 1] + x[i + 1]) / 2;
            change = fmax(change, fabs(y[i] - x[i]));
        }
        memcpy(x, y, (size_t)n * sizeof *x);
        MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    return change;
}

static double
k_means(const double *x, int n, int iterations)
{
    double center[CENTERS];

    for (int c = 0; c < CENTERS; c++)
        center[c] = c;
    for (int k = 0; k < iterations; k++) {
        double sum[2 * CENTERS] = {0};

        for (int i = 0; i < n; i++) {
            int best = 0;

            for (int c = 1; c < CENTERS; c++)
                best = fabs(x[i] - center[c]) < fabs(x[i] - center[best]) ? c : best;
            sum[best] += x[i];
            sum[CENTERS + best]++;
        }
        MPI_Allreduce(MPI_IN_PLACE, sum, 2 * CENTERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int c = 0; c < CENTERS; c++)
            center[c] = sum[CENTERS + c] > 0 ? sum[c] / sum[CENTERS + c] : center[c];
    }
    return center[0];
}

int
main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "cg";
    int n = argc > 2 ? atoi(argv[2]) : 100, iterations = argc > 3 ? atoi(argv[3]) : 1000;
    double *rows = calloc(4 * ((size_t)n + 2), sizeof *rows), *row[4], result;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 4; i++)
        row[i] = rows + (size_t)i * ((size_t)n + 2) + 1;
    for (int i = 0; i < n; i++)
        row[1][i] = row[2][i] = (i * 7 + rank) % 8 + .25;
    result = strcmp(what, "cg") == 0       ? conjugate_gradient(row[0], row[1], row[2], row[3], n, iterations)
             : strcmp(what, "jacobi") == 0 ? jacobi(row[1], row[3], n, iterations)
                                           : k_means(row[1], n, iterations);
    if (rank == 0)
        printf("%s, %d cells: %.6g\n", what, n, result);
    free(rows);
    MPI_Finalize();
    return 0;
}
