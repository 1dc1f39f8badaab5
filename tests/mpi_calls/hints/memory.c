/* SPDX-License-Identifier: MIT */
/* Memory: datatypes that were not resized, texts without a final zero, MPI_IN_PLACE, buffers whose scope has ended. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int me, P;
static MPI_Comm world = MPI_COMM_WORLD;
static double in[64], out[64];

static void
put(double v, int to, int at, MPI_Win w)
{
    MPI_Put(&v, 1, MPI_DOUBLE, to, at, 1, MPI_DOUBLE, w);
}

static void
send_local(int to, MPI_Request *r)
{
    double v[8] = {1, 2, 3};

    MPI_Isend(v, 8, MPI_DOUBLE, to, 0, world, r);
}

static double
work(int n)
{
    volatile double a[64];

    for (int i = 0; i < 64; i++)
        a[i] = n + i;
    return a[n & 63];
}

static MPI_Datatype
column_of(int rows, int columns, MPI_Datatype base)
{
    MPI_Datatype type;

    MPI_Type_vector(rows, 1, columns, base, &type);
    MPI_Type_commit(&type);
    return type;
}

static void
sum(const void *mine, void *all, int n)
{
    memcpy(all, mine, (size_t)n);
    MPI_Allreduce(MPI_IN_PLACE, all, n, MPI_CHAR, MPI_SUM, world);
}

static void
texts(const char *want)
{
    const char *s = me == 0 ? "hello" : NULL;
    char *t = malloc(12);
    int n = s ? (int)strlen(s) : 5;

    if (strcmp(want, "unended") == 0 && me == 1) {
        memset(t, 'x', 12);
        MPI_Recv(t, 12, MPI_CHAR, 0, 0, world, MPI_STATUS_IGNORE);
        puts(t);
    }
    if (strcmp(want, "length") == 0 && me == 1) {
        memset(t, 'x', 12);
        MPI_Recv(t, 12, MPI_CHAR, 0, 0, world, MPI_STATUS_IGNORE);
        printf("%zu\n", strlen(t));
    }
    if (strcmp(want, "printed") == 0 && me == 1) {
        memset(t, 'x', 12);
        MPI_Recv(t, 12, MPI_CHAR, 0, 0, world, MPI_STATUS_IGNORE);
        printf("got %s\n", t);
    }
    if ((strcmp(want, "unended") == 0 || strcmp(want, "length") == 0 || strcmp(want, "printed") == 0) && me == 0)
        MPI_Send(s, n, MPI_CHAR, 1, 0, world);
    if (strcmp(want, "copied") == 0 && me == 0) {
        char *copy = malloc((size_t)n);

        strcpy(copy, s);
        MPI_Send(copy, n, MPI_CHAR, MPI_PROC_NULL, 0, world);
        free(copy);
    }
    if (strcmp(want, "written") == 0 && me == 0) {
        char *copy = malloc((size_t)n);

        sprintf(copy, "%s", s);
        MPI_Send(copy, n, MPI_CHAR, MPI_PROC_NULL, 0, world);
        free(copy);
    }
    if (strcmp(want, "zero") == 0 && me == 0) {
        char *copy = malloc((size_t)n);

        memcpy(copy, s, (size_t)n);
        copy[n] = '\0';
        free(copy);
    }
    if (strcmp(want, "beyond") == 0 && me == 0) {
        int *a = malloc(5 * sizeof *a);

        a[5] = 1;
        free(a);
    }
    free(t);
}

static void
columns(const char *want)
{
    int n = P;
    double *a = calloc((size_t)(n * n), sizeof *a), *x = calloc((size_t)n, sizeof *x);

    if (strcmp(want, "scatter") == 0)
        MPI_Scatter(a, 1, column_of(n, n, MPI_DOUBLE), x, n, MPI_DOUBLE, 0, world);
    if (strcmp(want, "gather") == 0)
        MPI_Gather(x, n, MPI_DOUBLE, a, 1, column_of(n, n, MPI_DOUBLE), 0, world);
    if (strcmp(want, "two") == 0)
        MPI_Bcast(a, 2, column_of(n, n, MPI_DOUBLE), 0, world);
    if (strcmp(want, "hvector") == 0) {
        MPI_Datatype type;

        MPI_Type_create_hvector(n, 1, n * (int)sizeof *a, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        MPI_Scatter(a, 1, type, x, n, MPI_DOUBLE, 0, world);
    }
    if (strcmp(want, "blocks") == 0) {
        MPI_Datatype type;
        int sizes[2] = {n, n}, sub[2] = {n / 2, n / 2}, starts[2] = {0, 0}, counts[4] = {1, 1, 1, 1},
            displs[4] = {0, n / 2, n * n / 2, n * n / 2 + n / 2};

        MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
        MPI_Type_commit(&type);
        MPI_Scatterv(a, counts, displs, type, x, n * n / 4, MPI_DOUBLE, 0, world);
    }
    if (strcmp(want, "short") == 0)
        MPI_Bcast(x, n + 1, MPI_DOUBLE, 0, world);
    if (strcmp(want, "rows") == 0)
        MPI_Bcast(a, n + 1, column_of(n, n, MPI_DOUBLE), 0, world);
    free(a);
    free(x);
}

static void
scopes(const char *want, int next, int before)
{
    MPI_Request one;
    double keep = 0;

    if (strcmp(want, "put") == 0) {
        MPI_Win w;

        MPI_Win_create(out, sizeof out, 8, MPI_INFO_NULL, world, &w);
        MPI_Win_fence(0, w);
        for (int i = 0; i < 4; i++) {
            put(me + i, next, i, w);
            keep += work(i);
        }
        MPI_Win_fence(0, w);
        MPI_Win_free(&w);
    }
    if (strcmp(want, "isend") == 0) {
        send_local(next, &one);
        keep += work(3);
        MPI_Recv(in, 8, MPI_DOUBLE, before, 0, world, MPI_STATUS_IGNORE);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    if (strcmp(want, "changed") == 0) {
        MPI_Isend(in, 8, MPI_DOUBLE, next, 0, world, &one);
        in[3] = 7;
        MPI_Recv(out, 8, MPI_DOUBLE, before, 0, world, MPI_STATUS_IGNORE);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
    }
    if (strcmp(want, "local") == 0) {
        double x[8] = {0};

        MPI_Isend(x, 8, MPI_DOUBLE, next, 0, world, &one);
        x[3] = 7;
        MPI_Recv(out, 8, MPI_DOUBLE, before, 0, world, MPI_STATUS_IGNORE);
        MPI_Wait(&one, MPI_STATUS_IGNORE);
        keep += x[3];
    }
    if (keep > 0)
        printf("%g\n", keep);
}

int
main(int argc, char **argv)
{
    const char *want = argc > 1 ? argv[1] : "";
    char mine[8] = "1234567", all[8];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &P);
    texts(want);
    columns(want);
    scopes(want, (me + 1) % P, (me + P - 1) % P);
    if (strcmp(want, "in_place") == 0)
        sum(argc > 2 ? mine : MPI_IN_PLACE, all, 8);
    MPI_Finalize();
    return 0;
}
