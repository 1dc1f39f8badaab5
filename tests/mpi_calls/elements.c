/* SPDX-License-Identifier: MIT */
/* Every collective on elements of every type, with every operator that MPI 3.1, 5.9.2 to 5.9.4, defines for it, and one
 * of the program's own that is not commutative: elements.c [RUN].  Expected results follow from the ranks, by
 * MPI_Reduce_local one rank after the other, which is compared with known numbers first.  RUN: a part of the triples of
 * type, operator and length, another one in each run; without it all of them.  See elements.py. */
#include "right/check.h"
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>

enum { MAX_ELEMENTS = 40, MAX_BYTES = 32, MAX_NODES = 64 };

/* The parts of an element: one value, two of a complex number, or a value and a place. */
enum class { INTEGER, FLOATING, COMPLEX, LOGICAL, BYTES, PLACE, MAP };

enum { MAX = 1, MIN = 2, SUM = 4, PROD = 8, LOGIC = 16, BITS = 32, LOC = 64, OWN = 128 };

static const int allowed[] = {[INTEGER] = MAX | MIN | SUM | PROD | LOGIC | BITS,
                              [FLOATING] = MAX | MIN | SUM | PROD,
                              [COMPLEX] = SUM | PROD,
                              [LOGICAL] = LOGIC,
                              [BYTES] = BITS,
                              [PLACE] = LOC,
                              [MAP] = OWN};

static struct kind {
    MPI_Datatype type;
    enum class class;
    size_t bytes;  /* from one element to the next */
    size_t value;  /* bytes of one value */
    bool floating; /* the value of a place */
} kind;

/* x -> a·x + b modulo 251: one after the other is associative, and not commutative. */
struct map {
    int32_t a, b;
    char gap[4];
};

static void
combine(void *in, void *inout, int *length, MPI_Datatype *type)
{
    struct map *left = in, *right = inout;

    (void)type;
    for (int i = 0; i < *length; i++) {
        int a = left[i].a * right[i].a % 251, b = (right[i].a * left[i].b + right[i].b) % 251;

        right[i].a = a;
        right[i].b = b;
    }
}

/* Write a small number as a value of so many bytes. */
static void
put_number(bool floating, size_t bytes, int number, void *at)
{
    int64_t whole = number;

    if (!floating)
        memcpy(at, &whole, bytes);
    else if (bytes == sizeof(float))
        *(float *)at = (float)number;
    else if (bytes == sizeof(double))
        *(double *)at = number;
    else
        *(long double *)at = number;
}

/* Element i of rank r: powers of 2, so that every sum and product is exact in every order. */
static void
put(int r, int i, char *at)
{
    int mixed = r * 7 + i * 3, number = 1 << mixed % 4;

    memset(at, 0, kind.bytes);
    if (kind.class == MAP) {
        *(struct map *)at = (struct map){number, r + i, ""};
    } else if (kind.class == BYTES) {
        *(unsigned char *)at = (unsigned char)(mixed * 37);
    } else if (kind.class == LOGICAL) {
        *(bool *)at = mixed % 3 > 0;
    } else {
        put_number(kind.class == FLOATING || kind.class == COMPLEX || kind.floating, kind.value,
                   kind.class == INTEGER && mixed % 5 == 0 ? 0 : number, at);
        if (kind.class == COMPLEX)
            put_number(true, kind.value, number, at + kind.value);
        if (kind.class == PLACE)
            memcpy(at + (kind.value < sizeof(int) ? sizeof(int) : kind.value), &r, sizeof r);
    }
}

/* The elements i of the ranks first .. last, in their order. */
static void
combined(MPI_Op op, int first, int last, int i, char *at)
{
    _Alignas(16) char next[MAX_BYTES];

    put(first, i, at);
    for (int r = first + 1; r <= last; r++) {
        put(r, i, next);
        MPI_Reduce_local(at, next, 1, kind.type, op);
        memcpy(at, next, kind.bytes);
    }
}

/* Whether two values are equal: a zero has two signs, a long double has gaps. */
static bool
equal(const char *a, const char *b)
{
    if (kind.class != COMPLEX && kind.value != sizeof(long double))
        return memcmp(a, b, kind.value) == 0;
    if (kind.value == sizeof(float))
        return *(const float *)a == *(const float *)b;
    if (kind.value == sizeof(double))
        return *(const double *)a == *(const double *)b;
    return *(const long double *)a == *(const long double *)b;
}

/* Whether two elements are the same, but for their gaps. */
static bool
same(const char *a, const char *b)
{
    size_t place = kind.value < sizeof(int) ? sizeof(int) : kind.value;

    return equal(a, b) && (kind.class != COMPLEX || equal(a + kind.value, b + kind.value)) &&
           (kind.class != PLACE || memcmp(a + place, b + place, sizeof(int)) == 0) &&
           (kind.class != MAP || memcmp(a, b, 2 * sizeof(int32_t)) == 0);
}

/* Write 4 at place 7, or 2 at place 3, in the left or the right operand. */
static void
put_operand(int number, int place, char *at)
{
    memset(at, 0, kind.bytes);
    put_number(kind.class == FLOATING || kind.class == COMPLEX || kind.floating, kind.value,
               kind.class == LOGICAL ? number != 0 : number, at);
    if (kind.class == COMPLEX)
        put_number(true, kind.value, 0, at + kind.value);
    if (kind.class == PLACE)
        memcpy(at + (kind.value < sizeof(int) ? sizeof(int) : kind.value), &place, sizeof place);
}

/* MPI_Reduce_local of 4 and 2 gives a known number; of equal values with places the lower place. */
static void
known(MPI_Op op, int wanted)
{
    _Alignas(16) char left[MAX_BYTES], right[MAX_BYTES], result[MAX_BYTES];

    put_operand(4, 7, left);
    put_operand(2, 3, right);
    put_operand(wanted, wanted == 4 ? 7 : 3, result);
    MPI_Reduce_local(left, right, 1, kind.type, op);
    CHECK(same(right, result));
    if (kind.class == PLACE) {
        put_operand(4, 3, right);
        put_operand(4, 3, result);
        MPI_Reduce_local(left, right, 1, kind.type, op);
        CHECK(same(right, result));
    }
    if (kind.class == COMPLEX) { /* 4 + 4i and 2 + 2i */
        put_operand(4, 0, left);
        put_number(true, kind.value, 4, left + kind.value);
        put_operand(2, 0, right);
        put_number(true, kind.value, 2, right + kind.value);
        put_operand(wanted == 8 ? 0 : 6, 0, result);
        put_number(true, kind.value, wanted == 8 ? 16 : 6, result + kind.value);
        MPI_Reduce_local(left, right, 1, kind.type, op);
        CHECK(same(right, result));
    }
}

static _Alignas(16) char in[MAX_NODES * MAX_ELEMENTS * MAX_BYTES], out[MAX_NODES * MAX_ELEMENTS * MAX_BYTES];

#define AT(buffer, i) ((buffer) + (size_t)(i)*kind.bytes)

/* The n elements of out after the first `skip` are those from `from` on, combined from the ranks first .. last. */
static void
check(MPI_Op op, int first, int last, int skip, int n, int from, const char *what)
{
    _Alignas(16) char wanted[MAX_BYTES];
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    for (int i = 0; i < n; i++) {
        combined(op, first, last, from + i, wanted);
        if (!same(AT(out, skip + i), wanted)) {
            MPI_Type_get_name(kind.type, name, &length);
            printf("rank %d of %d: %s: element %d of %d, %s\n", rank, size, what, i, n, name);
            MPI_Abort(MPI_COMM_WORLD, 9);
        }
    }
}

static void
fill(int n)
{
    memset(out, 77, sizeof out);
    for (int i = 0; i < n; i++)
        put(rank, i, AT(in, i));
}

static void
reductions(MPI_Op op, int n)
{
    MPI_Datatype type = kind.type;
    int counts[MAX_NODES], first = 0, root = n % size;

    fill(n);
    MPI_Allreduce(in, out, n, type, op, MPI_COMM_WORLD);
    check(op, 0, size - 1, 0, n, 0, "MPI_Allreduce");
    fill(n);
    memcpy(out, in, sizeof out);
    MPI_Allreduce(MPI_IN_PLACE, out, n, type, op, MPI_COMM_WORLD);
    check(op, 0, size - 1, 0, n, 0, "MPI_Allreduce in place");
    fill(n);
    MPI_Reduce(in, out, n, type, op, root, MPI_COMM_WORLD);
    check(op, 0, size - 1, 0, rank == root ? n : 0, 0, "MPI_Reduce");
    fill(n);
    MPI_Scan(in, out, n, type, op, MPI_COMM_WORLD);
    check(op, 0, rank, 0, n, 0, "MPI_Scan");
    fill(n);
    MPI_Exscan(in, out, n, type, op, MPI_COMM_WORLD);
    check(op, 0, rank - 1, 0, rank > 0 ? n : 0, 0, "MPI_Exscan");
    fill(n * size);
    MPI_Reduce_scatter_block(in, out, n, type, op, MPI_COMM_WORLD);
    check(op, 0, size - 1, 0, n, n * rank, "MPI_Reduce_scatter_block");
    for (int i = 0; i < size; i++) {
        counts[i] = (i * 5 + n) % 7;
        first += i < rank ? counts[i] : 0;
    }
    fill(7 * size);
    MPI_Reduce_scatter(in, out, counts, type, op, MPI_COMM_WORLD);
    check(op, 0, size - 1, 0, counts[rank], first, "MPI_Reduce_scatter");
}

/* Blocks of every rank, each of n elements: element i of rank r's block for s is put(r, s·n + i). */
static void
moves(int n)
{
    MPI_Datatype type = kind.type;
    int root = (n + 1) % size;

    fill(n);
    memcpy(out, in, sizeof out);
    MPI_Bcast(out, n, type, root, MPI_COMM_WORLD);
    check(MPI_OP_NULL, root, root, 0, n, 0, "MPI_Bcast");
    fill(n);
    MPI_Gather(in, n, type, out, n, type, root, MPI_COMM_WORLD);
    for (int r = 0; rank == root && r < size; r++)
        check(MPI_OP_NULL, r, r, r * n, n, 0, "MPI_Gather");
    fill(n * size);
    MPI_Scatter(in, n, type, out, n, type, root, MPI_COMM_WORLD);
    check(MPI_OP_NULL, root, root, 0, n, n * rank, "MPI_Scatter");
    fill(n);
    MPI_Allgather(in, n, type, out, n, type, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check(MPI_OP_NULL, r, r, r * n, n, 0, "MPI_Allgather");
    fill(n * size);
    MPI_Alltoall(in, n, type, out, n, type, MPI_COMM_WORLD);
    for (int r = 0; r < size; r++)
        check(MPI_OP_NULL, r, r, r * n, n, n * rank, "MPI_Alltoall");
    MPI_Barrier(MPI_COMM_WORLD);
}

int
main(int argc, char **argv)
{
    static const int lengths[] = {5, 23, 1, 0, MAX_ELEMENTS};
    MPI_Datatype pair, map;
    MPI_Op own;
    int pairs = 0, run = argc > 1 ? atoi(argv[1]) : -1;

    begin(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT32_T, &pair);
    MPI_Type_create_resized(pair, 0, sizeof(struct map), &map);
    MPI_Type_commit(&map);
    MPI_Op_create(combine, 0, &own);
#define ONE(type, class, c)                                                                                            \
    {                                                                                                                  \
        type, class, sizeof(c), sizeof(c), false                                                                       \
    }
#define PAIR(type, c, floating)                                                                                        \
    {                                                                                                                  \
        type, PLACE, sizeof(struct {                                                                                   \
            c value;                                                                                                   \
            int place;                                                                                                 \
        }),                                                                                                            \
            sizeof(c), floating                                                                                        \
    }
    const struct kind kinds[] = {
        ONE(MPI_SIGNED_CHAR, INTEGER, signed char),
        ONE(MPI_UNSIGNED_CHAR, INTEGER, unsigned char),
        ONE(MPI_SHORT, INTEGER, short),
        ONE(MPI_UNSIGNED_SHORT, INTEGER, unsigned short),
        ONE(MPI_INT, INTEGER, int),
        ONE(MPI_UNSIGNED, INTEGER, unsigned),
        ONE(MPI_LONG, INTEGER, long),
        ONE(MPI_UNSIGNED_LONG, INTEGER, unsigned long),
        ONE(MPI_LONG_LONG, INTEGER, long long),
        ONE(MPI_UNSIGNED_LONG_LONG, INTEGER, unsigned long long),
        ONE(MPI_INT8_T, INTEGER, int8_t),
        ONE(MPI_INT16_T, INTEGER, int16_t),
        ONE(MPI_INT32_T, INTEGER, int32_t),
        ONE(MPI_INT64_T, INTEGER, int64_t),
        ONE(MPI_UINT8_T, INTEGER, uint8_t),
        ONE(MPI_UINT16_T, INTEGER, uint16_t),
        ONE(MPI_UINT32_T, INTEGER, uint32_t),
        ONE(MPI_UINT64_T, INTEGER, uint64_t),
        ONE(MPI_AINT, INTEGER, MPI_Aint),
        ONE(MPI_OFFSET, INTEGER, MPI_Offset),
        ONE(MPI_COUNT, INTEGER, MPI_Count),
        ONE(MPI_FLOAT, FLOATING, float),
        ONE(MPI_DOUBLE, FLOATING, double),
        ONE(MPI_LONG_DOUBLE, FLOATING, long double),
        {MPI_C_FLOAT_COMPLEX, COMPLEX, sizeof(float complex), sizeof(float), true},
        {MPI_C_DOUBLE_COMPLEX, COMPLEX, sizeof(double complex), sizeof(double), true},
        {MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, sizeof(long double complex), sizeof(long double), true},
        ONE(MPI_C_BOOL, LOGICAL, bool),
        ONE(MPI_BYTE, BYTES, char),
        PAIR(MPI_FLOAT_INT, float, true),
        PAIR(MPI_DOUBLE_INT, double, true),
        PAIR(MPI_LONG_DOUBLE_INT, long double, true),
        PAIR(MPI_SHORT_INT, short, false),
        PAIR(MPI_2INT, int, false),
        PAIR(MPI_LONG_INT, long, false),
        {map, MAP, sizeof(struct map), sizeof(int32_t), false},
    };
    const struct {
        MPI_Op op;
        int of, known; /* what comes of 4 and 2 */
    } ops[] = {{MPI_MAX, MAX, 4},    {MPI_MIN, MIN, 2},   {MPI_SUM, SUM, 6},    {MPI_PROD, PROD, 8},
               {MPI_LAND, LOGIC, 1}, {MPI_LOR, LOGIC, 1}, {MPI_LXOR, LOGIC, 0}, {MPI_BAND, BITS, 0},
               {MPI_BOR, BITS, 6},   {MPI_BXOR, BITS, 6}, {MPI_MAXLOC, LOC, 4}, {MPI_MINLOC, LOC, 2},
               {own, OWN, -1}};

    for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++) {
        kind = kinds[t];
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            if (allowed[kind.class] & ops[o].of && ops[o].known >= 0)
                known(ops[o].op, ops[o].known);
            for (int l = 0; l < 5 && allowed[kind.class] & ops[o].of; l++, pairs++)
                if (run < 0 || pairs % 17 == run % 17)
                    reductions(ops[o].op, lengths[l]);
        }
        for (int l = 0; l < (run < 0 ? 5 : 1); l++)
            moves(lengths[run < 0 ? l : ((int)t + run) % 5]);
    }
    CHECK(pairs == 5 * (21 * 10 + 3 * 4 + 3 * 2 + 3 + 3 + 6 * 2 + 1));
    MPI_Op_free(&own);
    MPI_Type_free(&pair);
    MPI_Type_free(&map);
    MPI_Finalize();
    return 0;
}
