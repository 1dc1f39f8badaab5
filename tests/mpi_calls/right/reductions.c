/* nodes: 1 2 3 8 13 */
/* SPDX-License-Identifier: MIT */
/* Reductions: MPI's operators, pairs, the program's own operators in the order of ranks, elements of 1 to 24 bytes. */
#include "check.h"
#include <stdint.h>

enum { LENGTH = 37 };

static void
predefined(void)
{
    int value = rank + 1, sum = 0, product = 1;
    double x = rank * 0.5, most = -1;
    unsigned char bits = (unsigned char)(1 << rank % 8), all = 0;

    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == size * (size + 1) / 2);
    MPI_Reduce(&value, &product, 1, MPI_INT, MPI_MIN, size - 1, MPI_COMM_WORLD);
    CHECK(product == 1);
    MPI_Allreduce(&x, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    CHECK(most == (size - 1) * 0.5);
    MPI_Allreduce(&bits, &all, 1, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    CHECK(all == (size >= 8 ? 255 : (1 << size) - 1));
    value = rank != size - 1;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    CHECK(value == 0);
    x = rank == 0 ? 0 : 0.25; /* as MPICH does */
    MPI_Allreduce(&x, &most, 1, MPI_DOUBLE, MPI_LOR, MPI_COMM_WORLD);
    CHECK(most == (size > 1));
    value = rank;
    MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == rank * (rank + 1) / 2);
    sum = -5;
    MPI_Exscan(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == (rank > 0 ? rank * (rank - 1) / 2 : -5));
    MPI_Exscan(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(value == (rank > 0 ? rank * (rank - 1) / 2 : 0));
}

static void
pairs(void)
{
    struct {
        double value;
        int place;
    } mine = {rank * 7 % size, rank}, most[2];
    struct {
        short value;
        int place;
    } same = {3, rank}, least;

    MPI_Allreduce(&mine, most, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    CHECK(most[0].value == most[0].place * 7 % size);
    MPI_Allreduce(&same, &least, 1, MPI_SHORT_INT, MPI_MINLOC, MPI_COMM_WORLD);
    CHECK(least.value == 3 && least.place == 0);
}

/* Maps x -> a·x + b: to apply one after the other is associative, and not commutative. */
struct map {
    int64_t a, b;
    char gap[8];
};

static void
compose(void *left, void *right, int *length, MPI_Datatype *type)
{
    const struct map *first = left;
    struct map *then = right;
    MPI_Aint lb, extent;

    MPI_Type_get_extent(*type, &lb, &extent);
    for (int i = 0; i < *length; i++) {
        then[i].b = (then[i].a * first[i].b + then[i].b) % 1000003;
        then[i].a = then[i].a * first[i].a % 1000003;
    }
    CHECK(extent == sizeof(struct map));
}

static struct map
map_of(int node, int i)
{
    return (struct map){node + 2 + i, node * 3 + i, "gap"};
}

static void
own(void)
{
    struct map in[LENGTH], out[LENGTH];
    MPI_Datatype both, type;
    MPI_Op op;
    int commutes = 1;

    MPI_Type_contiguous(2, MPI_INT64_T, &both);
    MPI_Type_create_resized(both, 0, sizeof(struct map), &type);
    MPI_Type_commit(&type);
    MPI_Op_create(compose, 0, &op);
    MPI_Op_commutative(op, &commutes);
    CHECK(commutes == 0);
    for (int i = 0; i < LENGTH; i++) {
        in[i] = map_of(rank, i);
        out[i] = (struct map){-1, -1, "kept"};
    }
    MPI_Reduce(in, out, LENGTH, type, op, 0, MPI_COMM_WORLD);
    for (int i = 0; i < LENGTH && rank == 0; i++) {
        struct map wanted = map_of(0, i), next;
        int one = 1;

        for (int node = 1; node < size; node++) {
            next = map_of(node, i);
            compose(&wanted, &next, &one, &type);
            wanted = next;
        }
        CHECK(out[i].a == wanted.a && out[i].b == wanted.b && strcmp(out[i].gap, "kept") == 0);
    }
    MPI_Bcast(out, LENGTH, type, 0, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, in, LENGTH, type, op, MPI_COMM_WORLD);
    for (int i = 0; i < LENGTH; i++)
        CHECK(in[i].a == out[i].a && in[i].b == out[i].b);
    MPI_Op_free(&op);
    MPI_Type_free(&type);
    MPI_Type_free(&both);
    CHECK(op == MPI_OP_NULL);
}

static void
sum_bytes(void *left, void *right, int *length, MPI_Datatype *type)
{
    int bytes;

    MPI_Type_size(*type, &bytes);
    for (int i = 0; i < *length * bytes; i++)
        ((unsigned char *)right)[i] = (unsigned char)(((unsigned char *)right)[i] + ((unsigned char *)left)[i]);
}

/* Elements of any size: no algorithm may cut within one. */
static void
sizes(void)
{
    static const int bytes[] = {1, 4, 12, 16, 24};
    unsigned char in[LENGTH * 24], out[LENGTH * 24];
    MPI_Op op;

    MPI_Op_create(sum_bytes, 1, &op);
    for (int s = 0; s < 5; s++) {
        MPI_Datatype type;

        MPI_Type_contiguous(bytes[s], MPI_BYTE, &type);
        MPI_Type_commit(&type);
        for (int i = 0; i < LENGTH * bytes[s]; i++)
            in[i] = (unsigned char)(rank + i);
        MPI_Allreduce(in, out, LENGTH, type, op, MPI_COMM_WORLD);
        for (int i = 0; i < LENGTH * bytes[s]; i++)
            CHECK(out[i] == (unsigned char)(size * (size - 1) / 2 + size * i));
        MPI_Scan(in, out, LENGTH, type, op, MPI_COMM_WORLD);
        for (int i = 0; i < LENGTH * bytes[s]; i++)
            CHECK(out[i] == (unsigned char)(rank * (rank + 1) / 2 + (rank + 1) * i));
        MPI_Type_free(&type);
    }
    MPI_Op_free(&op);
}

static void
scattered(void)
{
    int *in = malloc((size_t)size * 2 * sizeof *in), *counts = malloc((size_t)size * sizeof *counts), out[2] = {-1, -1};

    for (int i = 0; i < size; i++) {
        in[2 * i] = rank + i;
        in[2 * i + 1] = rank - i;
        counts[i] = 1 + (i == 0);
    }
    MPI_Reduce_scatter_block(in, out, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(out[0] == size * (size - 1) / 2 + size * rank && out[1] == size * (size - 1) / 2 - size * rank);
    for (int i = 0; i < size + 1; i++)
        in[i] = rank * i;
    MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(out[0] == size * (size - 1) / 2 * (rank == 0 ? 0 : rank + 1));
    MPI_Reduce_local(counts, out, 1, MPI_INT, MPI_PROD);
    CHECK(rank != 0 || out[0] == 0);
    free(counts);
    free(in);
}

int
main(int argc, char **argv)
{
    begin(&argc, &argv);
    predefined();
    pairs();
    own();
    sizes();
    scattered();
    MPI_Finalize();
    return 0;
}
