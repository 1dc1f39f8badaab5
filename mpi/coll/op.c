/* SPDX-License-Identifier: MIT */
/* MPI's operators on MPI's basic types: a function for each pair that the standard defines. */
#include "mpi/coll/op.h"
#include <complex.h>
#include <peal/check.h>
#include <string.h>
#include <wchar.h>

/* Their numbers, as mpi.h has them, and their names. */
#define OPERATORS(OP)                                                                                                  \
    OP(MAX)                                                                                                            \
    OP(MIN)                                                                                                            \
    OP(SUM) OP(PROD) OP(LAND) OP(BAND) OP(LOR) OP(BOR) OP(LXOR) OP(BXOR) OP(MAXLOC) OP(MINLOC) OP(REPLACE) OP(NO_OP)
#define NUMBER(op) OP_##op,
#define NAME(op) [OP_##op] = "MPI_" #op,
enum { OP_NONE, OPERATORS(NUMBER) OPS };
static const char *const names[OPS] = {OPERATORS(NAME)};

#if defined __OPTIMIZE__ && !defined __clang__
#pragma GCC optimize("O3") /* vector instructions, even where operands may overlap */
#endif

/* One function: elements a and b of a type give the expression.  Packed elements may lie at any address. */
#define COMBINE(function, type, expression) COMBINE_BY(function, type, (type)(expression))
#define COMBINE_BY(function, type, expression)                                                                         \
    static void function(const void *left, const void *right, void *result, size_t count)                              \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            type a, b, c;                                                                                              \
                                                                                                                       \
            memcpy(&a, (const char *)left + i * sizeof a, sizeof a);                                                   \
            memcpy(&b, (const char *)right + i * sizeof b, sizeof b);                                                  \
            c = expression;                                                                                            \
            memcpy((char *)result + i * sizeof c, &c, sizeof c);                                                       \
        }                                                                                                              \
    }

COMBINE_BY(sum_cq, struct complex32, ((struct complex32){a.re + b.re, a.im + b.im}))
COMBINE_BY(prod_cq, struct complex32, ((struct complex32){a.re * b.re - a.im * b.im, a.re *b.im + a.im *b.re}))

/* Sums of signed integers wrap around, as they do where the other MPIs compute them: u is the unsigned type. */
#define ORDERED(t, type)                                                                                               \
    COMBINE(max_##t, type, a > b ? a : b)                                                                              \
    COMBINE(min_##t, type, a < b ? a : b)
#define ARITHMETIC(t, type)                                                                                            \
    COMBINE(sum_##t, type, a + b)                                                                                      \
    COMBINE(prod_##t, type, a *b)
#define WRAPPING(t, type, u)                                                                                           \
    COMBINE(sum_##t, type, (u)a + (u)b)                                                                                \
    COMBINE(prod_##t, type, (u)a *(u)b)
#define LOGICAL(t, type)                                                                                               \
    COMBINE(land_##t, type, a != 0 && b != 0)                                                                          \
    COMBINE(lor_##t, type, a != 0 || b != 0)                                                                           \
    COMBINE(lxor_##t, type, (a != 0) != (b != 0))
#define BITWISE(t, type)                                                                                               \
    COMBINE(band_##t, type, a &b)                                                                                      \
    COMBINE(bor_##t, type, a | b)                                                                                      \
    COMBINE(bxor_##t, type, a ^ b)
#define WHOLE(t, type, u) ORDERED(t, type) WRAPPING(t, type, u) LOGICAL(t, type) BITWISE(t, type)

WHOLE(i8, int8_t, unsigned)
WHOLE(i16, int16_t, unsigned)
WHOLE(i32, int32_t, uint32_t)
WHOLE(i64, int64_t, uint64_t)
WHOLE(u8, uint8_t, unsigned)
WHOLE(u16, uint16_t, unsigned)
WHOLE(u32, uint32_t, uint32_t)
WHOLE(u64, uint64_t, uint64_t)
/* clang-format off */
ORDERED(f, float)
ARITHMETIC(f, float)
LOGICAL(f, float) /* the standard does not define these for numbers other than integers; MPICH does */
ORDERED(d, double)
ARITHMETIC(d, double)
LOGICAL(d, double)
ORDERED(l, long double)
ARITHMETIC(l, long double)
LOGICAL(l, long double)
ARITHMETIC(cf, float complex)
ARITHMETIC(cd, double complex)
ARITHMETIC(cl, long double complex)
LOGICAL(b, bool)
WHOLE(i128, __int128, unsigned __int128)
ORDERED(q, real16)
ARITHMETIC(q, real16)
LOGICAL(q, real16)
/* clang-format on */

/* Pairs lie packed: the value, then the place.  Of equal values the lesser place wins. */
#define PAIRS(t, value, place)                                                                                         \
    LOCATE(maxloc_##t, value, place, >)                                                                                \
    LOCATE(minloc_##t, value, place, <)
#define LOCATE(function, value, place, beats)                                                                          \
    static void function(const void *left, const void *right, void *result, size_t count)                              \
    {                                                                                                                  \
        const size_t bytes = sizeof(value) + sizeof(place);                                                            \
                                                                                                                       \
        for (size_t i = 0; i < count; i++) {                                                                           \
            const char *a = (const char *)left + i * bytes, *b = (const char *)right + i * bytes;                      \
            value x, y;                                                                                                \
            place p, q;                                                                                                \
                                                                                                                       \
            memcpy(&x, a, sizeof x);                                                                                   \
            memcpy(&y, b, sizeof y);                                                                                   \
            memcpy(&p, a + sizeof x, sizeof p);                                                                        \
            memcpy(&q, b + sizeof y, sizeof q);                                                                        \
            memmove((char *)result + i * bytes, x beats y || (!(y beats x) && p <= q) ? a : b, bytes);                 \
        }                                                                                                              \
    }

/* clang-format off */
PAIRS(fi, float, int)
PAIRS(di, double, int)
PAIRS(li, long, int)
PAIRS(ii, int, int)
PAIRS(si, short, int)
PAIRS(ldi, long double, int)
PAIRS(ff, float, float)
PAIRS(dd, double, double)
/* clang-format on */

#define OF_ORDERED(t) [OP_MAX] = max_##t, [OP_MIN] = min_##t
#define OF_ARITHMETIC(t) [OP_SUM] = sum_##t, [OP_PROD] = prod_##t
#define OF_LOGICAL(t) [OP_LAND] = land_##t, [OP_LOR] = lor_##t, [OP_LXOR] = lxor_##t
#define OF_BITWISE(t) [OP_BAND] = band_##t, [OP_BOR] = bor_##t, [OP_BXOR] = bxor_##t
#define OF_WHOLE(t)                                                                                                    \
    {                                                                                                                  \
        OF_ORDERED(t), OF_ARITHMETIC(t), OF_LOGICAL(t), OF_BITWISE(t)                                                  \
    }
#define OF_REAL(t)                                                                                                     \
    {                                                                                                                  \
        OF_ORDERED(t), OF_ARITHMETIC(t), OF_LOGICAL(t)                                                                 \
    }
#define OF_PAIRS(t)                                                                                                    \
    {                                                                                                                  \
        [OP_MAXLOC] = maxloc_##t, [OP_MINLOC] = minloc_##t                                                             \
    }

typedef combiner row[OPS];

static const row wholes[2][5] = {
    {OF_WHOLE(i8), OF_WHOLE(i16), OF_WHOLE(i32), OF_WHOLE(i64), OF_WHOLE(i128)},
    {OF_WHOLE(u8), OF_WHOLE(u16), OF_WHOLE(u32), OF_WHOLE(u64)},
};
static const row reals[] = {OF_REAL(f), OF_REAL(d), OF_REAL(l), OF_REAL(q)};
static const row complexes[] = {{OF_ARITHMETIC(cf)}, {OF_ARITHMETIC(cd)}, {OF_ARITHMETIC(cl)}, {OF_ARITHMETIC(cq)}};
static const row logical_bool = {OF_LOGICAL(b)}, logical_int = {OF_LOGICAL(i32)}, bytes_only = {OF_BITWISE(u8)};
static const row pairs[] = {OF_PAIRS(fi), OF_PAIRS(di), OF_PAIRS(li), OF_PAIRS(ii), OF_PAIRS(si), OF_PAIRS(ldi)};
static const row pair_ff = OF_PAIRS(ff), pair_dd = OF_PAIRS(dd);

static const row *
op_row(const struct type *type)
{
    switch (type->class) {
    case CLASS_INTEGER:
    case CLASS_MULTI:
    case CLASS_TEXT:
        return &wholes[type_is_unsigned(type)][__builtin_ctzll(type->size)];
    case CLASS_REAL:
        if (type->basic == 64)
            return &reals[3];
        return &reals[type->size == sizeof(float) ? 0 : type->size == sizeof(double) ? 1 : 2];
    case CLASS_COMPLEX:
        if (type->basic == 65)
            return &complexes[3];
        return &complexes[type->size == sizeof(float complex) ? 0 : type->size == sizeof(double complex) ? 1 : 2];
    case CLASS_LOGICAL:
        return type->size == 1 ? &logical_bool : &logical_int;
    case CLASS_BYTES:
        return &bytes_only;
    case CLASS_PAIR:
        if (type->number >= 54)
            return type->number == 54 ? &pairs[3] : type->number == 55 ? &pair_ff : &pair_dd;
        return &pairs[type->number - 33];
    case CLASS_OTHER:
        break;
    }
    return NULL;
}

static int
op_number(MPI_Op op)
{
    uintptr_t number = (uintptr_t)op - (uintptr_t)MPI_OP_NULL;

    return number > OP_NONE && number < OPS ? (int)number : OP_NONE;
}

const struct peal_op *op_labels;

combiner
op_combiner(MPI_Op op, const struct type *type)
{
    int number = op_number(op);
    const row *of = op_row(type);
    const struct peal_op *labels = op_labels ? peal_check_labels() : NULL; /* numbers are added as numbers */

    if (of && number && (*of)[number] && labels && type->size == labels->word_bytes)
        return labels->combine;
    return of && number ? (*of)[number] : NULL;
}

bool
op_is_exact(const struct type *type)
{
    const struct peal_op *labels = op_labels ? peal_check_labels() : NULL;

    return type->class != CLASS_REAL && type->class != CLASS_COMPLEX && type->class != CLASS_PAIR &&
           !(labels && type->size == labels->word_bytes);
}

const char *
op_name(MPI_Op op)
{
    return names[op_number(op)];
}

struct op *
op_find(const struct mpi *mpi, MPI_Op op)
{
    return handle_find(mpi, KIND_OP, (uintptr_t)op);
}

/* ------------------------------------------------------------------ the program's own */

MPI_FUNCTION(int, Op_create, MPI_User_function *function, int commute, MPI_Op *op)
{
    struct mpi *mpi = ENTER(Op_create);

    NEED(function, op);
    struct op *made = mpi_alloc(mpi, sizeof *made);

    *made = (struct op){commute != 0, mpi->fortran, function};
    *op = (MPI_Op)handle_make(mpi, KIND_OP, made);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Op_free, MPI_Op *op)
{
    struct mpi *mpi = ENTER(Op_free);

    NEED(op);
    struct op *found = op_find(mpi, *op);

    if (!found)
        return mpi_error(mpi, NULL, MPI_ERR_OP, "op %s",
                         op_name(*op) ? "is one of MPI's, which cannot be freed"
                                      : handle_wrong(mpi, KIND_OP, (uintptr_t)*op));
    handle_free(mpi, KIND_OP, (uintptr_t)*op);
    mpi_free(mpi, found);
    *op = MPI_OP_NULL;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Op_commutative, MPI_Op op, int *commute)
{
    struct mpi *mpi = ENTER(Op_commutative);
    const struct op *found = op_find(mpi, op);

    NEED(commute);
    if (!found && !op_name(op))
        return mpi_error(mpi, NULL, MPI_ERR_OP, "op %s", handle_wrong(mpi, KIND_OP, (uintptr_t)op));
    *commute = found ? found->commutative : op != MPI_REPLACE && op != MPI_NO_OP;
    return MPI_SUCCESS;
}
