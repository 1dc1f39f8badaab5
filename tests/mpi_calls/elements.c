/* SPDX-License-Identifier: MIT */
/* Every collective on elements of 1 to 24 bytes, against what follows from the ranks: see elements.py. */
#include "right/check.h"
#include <complex.h>
#include <stdint.h>

enum { MOST = 40, MOST_BYTES = 24 };

/* x -> a·x + b modulo 251: one after the other is associative, and not commutative. */
struct map {
    int32_t a, b;
    char gap[4];
};

static struct map
apply(struct map first, struct map then)
{
    return (struct map){first.a * then.a % 251, (then.a * first.b + then.b) % 251, ""};
}

static void
combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    struct map *left = in, *right = inout;

    (void)type;
    for (int i = 0; i < *length; i++) {
        const struct map both = apply(left[i], right[i]);

        right[i].a = both.a;
        right[i].b = both.b;
    }
}

/* The value of element i of rank r, small enough for every sum and product to be exact. */
static int
value_of(int r, int i)
{
    return (r * 7 + i * 3) % 5 + 1;
}

enum type {
    CHAR_SUM,
    SHORT_SUM,
    INT_PRODUCT,
    LONG_MAX,
    FLOAT_MIN,
    DOUBLE_SUM,
    LONG_DOUBLE_SUM,
    COMPLEX_SUM,
    BYTE_XOR,
    PLACE,
    MAP,
    TYPES
};

static struct {
    MPI_Datatype type;
    MPI_Op op;
    size_t bytes;
} kinds[TYPES];

static void
put(enum type type, int r, int i, void *at)
{
    int v = value_of(r, i);

    switch (type) {
    case CHAR_SUM:
        *(signed char *)at = (signed char)(v % 3);
        break;
    case SHORT_SUM:
        *(short *)at = (short)v;
        break;
    case INT_PRODUCT:
        *(unsigned *)at = (unsigned)v;
        break;
    case LONG_MAX:
        *(long *)at = (long)v * 1000000007;
        break;
    case FLOAT_MIN:
        *(float *)at = (float)v / 2;
        break;
    case DOUBLE_SUM:
        *(double *)at = v;
        break;
    case LONG_DOUBLE_SUM:
        *(long double *)at = v;
        break;
    case COMPLEX_SUM:
        *(double complex *)at = v + 2 * v * I;
        break;
    case BYTE_XOR:
        *(unsigned char *)at = (unsigned char)(v * 37);
        break;
    case PLACE:
        ((double *)at)[0] = v;
        ((int *)at)[2] = r;
        break;
    default:
        *(struct map *)at = (struct map){v, r + i, ""};
        break;
    }
}

/* Combine the elements i of the ranks first .. last, in their order. */
static void
combined(enum type type, int first, int last, int i, void *at)
{
    put(type, first, i, at);
    for (int r = first + 1; r <= last; r++) {
        char next[MOST_BYTES];
        double *place = at;

        put(type, r, i, next);
        switch (type) {
        case CHAR_SUM:
            *(signed char *)at = (signed char)(*(signed char *)at + *(signed char *)next);
            break;
        case SHORT_SUM:
            *(short *)at = (short)(*(short *)at + *(short *)next);
            break;
        case INT_PRODUCT:
            *(unsigned *)at *= *(unsigned *)next;
            break;
        case LONG_MAX:
            *(long *)at = *(long *)at > *(long *)next ? *(long *)at : *(long *)next;
            break;
        case FLOAT_MIN:
            *(float *)at = *(float *)at < *(float *)next ? *(float *)at : *(float *)next;
            break;
        case DOUBLE_SUM:
            *(double *)at += *(double *)next;
            break;
        case LONG_DOUBLE_SUM:
            *(long double *)at += *(long double *)next;
            break;
        case COMPLEX_SUM:
            *(double complex *)at += *(double complex *)next;
            break;
        case BYTE_XOR:
            *(unsigned char *)at ^= *(unsigned char *)next;
            break;
        case PLACE:
            if (*(double *)next > *place)
                memcpy(at, next, 12);
            break;
        default:
            *(struct map *)at = apply(*(struct map *)at, *(struct map *)next);
            break;
        }
    }
}

static int
same(enum type type, const void *a, const void *b)
{
    size_t bytes = type == PLACE ? 12 : type == MAP ? 8 : type == LONG_DOUBLE_SUM ? 10 : kinds[type].bytes;

    return memcmp(a, b, bytes) == 0;
}

static _Alignas(16) char in[64 * MOST * MOST_BYTES], out[64 * MOST * MOST_BYTES], wanted[MOST_BYTES + 8];

#define AT(buffer, type, i) ((buffer) + (size_t)(i)*kinds[type].bytes)

/* The n elements of out are those from `from` on, combined of the ranks first .. last. */
static void
check(enum type type, int first, int last, int n, int from, const char *what)
{
    for (int i = 0; i < n; i++) {
        combined(type, first, last, from + i, wanted);
        if (!same(type, AT(out, type, i), wanted)) {
            printf("rank %d of %d: %s: element %d of %d, type %d\n", rank, size, what, i, n, (int)type);
            MPI_Abort(MPI_COMM_WORLD, 9);
        }
    }
}

static void
fill(enum type type, int n)
{
    memset(out, 77, sizeof out);
    for (int i = 0; i < n; i++)
        put(type, rank, i, AT(in, type, i));
}

static void
reductions(enum type t, int n)
{
    MPI_Datatype type = kinds[t].type;
    MPI_Op op = kinds[t].op;
    int counts[64], first = 0, root = n % size;

    fill(t, n);
    MPI_Allreduce(in, out, n, type, op, MPI_COMM_WORLD);
    check(t, 0, size - 1, n, 0, "MPI_Allreduce");
    fill(t, n);
    memcpy(out, in, sizeof out);
    MPI_Allreduce(MPI_IN_PLACE, out, n, type, op, MPI_COMM_WORLD);
    check(t, 0, size - 1, n, 0, "MPI_Allreduce in place");
    fill(t, n);
    MPI_Reduce(in, out, n, type, op, root, MPI_COMM_WORLD);
    if (rank == root)
        check(t, 0, size - 1, n, 0, "MPI_Reduce");
    fill(t, n);
    MPI_Scan(in, out, n, type, op, MPI_COMM_WORLD);
    check(t, 0, rank, n, 0, "MPI_Scan");
    fill(t, n);
    MPI_Exscan(in, out, n, type, op, MPI_COMM_WORLD);
    if (rank > 0)
        check(t, 0, rank - 1, n, 0, "MPI_Exscan");
    fill(t, n * size);
    MPI_Reduce_scatter_block(in, out, n, type, op, MPI_COMM_WORLD);
    check(t, 0, size - 1, n, n * rank, "MPI_Reduce_scatter_block");
    for (int i = 0; i < size; i++) {
        counts[i] = (i * 5 + n) % 7;
        first += i < rank ? counts[i] : 0;
    }
    fill(t, 7 * size);
    MPI_Reduce_scatter(in, out, counts, type, op, MPI_COMM_WORLD);
    check(t, 0, size - 1, counts[rank], first, "MPI_Reduce_scatter");
}

/* Blocks of every rank, each of n elements: element i of rank r's block for s is put(r, s·n + i). */
static void
moves(enum type t, int n)
{
    MPI_Datatype type = kinds[t].type;
    int root = (n + 1) % size;

    fill(t, n);
    memcpy(out, in, sizeof out);
    MPI_Bcast(out, n, type, root, MPI_COMM_WORLD);
    check(t, root, root, n, 0, "MPI_Bcast");
    fill(t, n);
    MPI_Gather(in, n, type, out, n, type, root, MPI_COMM_WORLD);
    for (int r = 0; rank == root && r < size; r++) {
        memmove(out, AT(out, t, r ? n : 0), sizeof out - (r ? (size_t)n * kinds[t].bytes : 0));
        check(t, r, r, n, 0, "MPI_Gather");
    }
    fill(t, n * size);
    MPI_Scatter(in, n, type, out, n, type, root, MPI_COMM_WORLD);
    check(t, root, root, n, n * rank, "MPI_Scatter");
    fill(t, n);
    MPI_Allgather(in, n, type, out, n, type, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        memmove(out, AT(out, t, r ? n : 0), sizeof out - (r ? (size_t)n * kinds[t].bytes : 0));
        check(t, r, r, n, 0, "MPI_Allgather");
    }
    fill(t, n * size);
    MPI_Alltoall(in, n, type, out, n, type, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++) {
        memmove(out, AT(out, t, r ? n : 0), sizeof out - (r ? (size_t)n * kinds[t].bytes : 0));
        check(t, r, r, n, n * rank, "MPI_Alltoall");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    MPI_Datatype pair, map;
    MPI_Op own;
    int whole = argc > 1;

    begin(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, sizeof(struct map), &map);
    MPI_Type_commit(&map);
    MPI_Op_create(combine, 0, &own);
    kinds[CHAR_SUM].type = MPI_SIGNED_CHAR, kinds[CHAR_SUM].op = MPI_SUM, kinds[CHAR_SUM].bytes = 1;
    kinds[SHORT_SUM].type = MPI_SHORT, kinds[SHORT_SUM].op = MPI_SUM, kinds[SHORT_SUM].bytes = 2;
    kinds[INT_PRODUCT].type = MPI_UNSIGNED, kinds[INT_PRODUCT].op = MPI_PROD, kinds[INT_PRODUCT].bytes = 4;
    kinds[LONG_MAX].type = MPI_LONG, kinds[LONG_MAX].op = MPI_MAX, kinds[LONG_MAX].bytes = sizeof(long);
    kinds[FLOAT_MIN].type = MPI_FLOAT, kinds[FLOAT_MIN].op = MPI_MIN, kinds[FLOAT_MIN].bytes = 4;
    kinds[DOUBLE_SUM].type = MPI_DOUBLE, kinds[DOUBLE_SUM].op = MPI_SUM, kinds[DOUBLE_SUM].bytes = 8;
    kinds[LONG_DOUBLE_SUM].type = MPI_LONG_DOUBLE, kinds[LONG_DOUBLE_SUM].op = MPI_SUM;
    kinds[LONG_DOUBLE_SUM].bytes = sizeof(long double);
    kinds[COMPLEX_SUM].type = MPI_C_DOUBLE_COMPLEX, kinds[COMPLEX_SUM].op = MPI_SUM, kinds[COMPLEX_SUM].bytes = 16;
    kinds[BYTE_XOR].type = MPI_BYTE, kinds[BYTE_XOR].op = MPI_BXOR, kinds[BYTE_XOR].bytes = 1;
    kinds[PLACE].type = MPI_DOUBLE_INT, kinds[PLACE].op = MPI_MAXLOC, kinds[PLACE].bytes = 16;
    kinds[MAP].type = map, kinds[MAP].op = own, kinds[MAP].bytes = sizeof(struct map);
    for (int t = 0; t < TYPES; t++)
        for (int n = 0; n <= (whole ? MOST : 23); n = n == 0 ? 1 : n == 1 ? 5 : n == 5 ? 23 : n + 17) {
            reductions((enum type)t, n);
            moves((enum type)t, n);
        }
    MPI_Op_free(&own);
    MPI_Type_free(&pair);
    MPI_Type_free(&map);
    MPI_Finalize();
    return 0;
}
