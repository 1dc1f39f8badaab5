/* SPDX-License-Identifier: MIT */
/* Datatypes by precision: the least basic type that has it.  Each is made once, and cannot be freed. */
#include "mpi/comm/comm.h"
#include "mpi/type/type.h"

/* The types that a program has asked for already. */
struct by_precision {
    int combiner, precision, range;
    struct type *type;
    struct by_precision *next;
};

static MPI_Datatype
type_f90_make(struct mpi *mpi, int combiner, int precision, int range, MPI_Datatype basic)
{
    struct by_precision *one = mpi->by_precision;

    while (one && (one->combiner != combiner || one->precision != precision || one->range != range))
        one = one->next;
    if (one)
        return one->type->handle;
    struct type *of = type_find(mpi, basic);
    bool whole = combiner == MPI_COMBINER_F90_INTEGER;
    const struct recipe recipe = {
        .combiner = combiner, .int_count = whole ? 1 : 2, .ints = (int[]){whole ? range : precision, range}};

    one = mpi_alloc(mpi, sizeof *one);
    *one = (struct by_precision){combiner, precision, range,
                                 type_make(mpi, &(struct type_part){0, 1, type_extent(of), of}, 1, &recipe),
                                 mpi->by_precision};
    one->type->class = of->class; /* operators work on it */
    one->type->committed = one->type->permanent = true;
    mpi->by_precision = one;
    return one->type->handle;
}

MPI_FUNCTION(int, Type_create_f90_integer, int r, MPI_Datatype *newtype)
{
    static const struct {
        int digits;
        MPI_Datatype type;
    } kinds[] = {{2, MPI_INTEGER1}, {4, MPI_INTEGER2}, {9, MPI_INTEGER4}, {18, MPI_INTEGER8}, {38, MPI_INTEGER16}};
    struct mpi *mpi = ENTER(Type_create_f90_integer);

    NEED(newtype);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (r <= kinds[i].digits) {
            *newtype = type_f90_make(mpi, MPI_COMBINER_F90_INTEGER, 0, r, kinds[i].type);
            return MPI_SUCCESS;
        }
    return mpi_error(mpi, NULL, MPI_ERR_ARG, "r is %d: an integer has at most 38 digits", r);
}

/* Find which of four types has p digits and exponents up to r: NULL after an error. */
static int
create_real(struct mpi *mpi, int combiner, int p, int r, const MPI_Datatype types[4], MPI_Datatype *newtype)
{
    static const int digits[] = {6, 15, 18, 33}, exponents[] = {37, 307, 4931, 4931};

    NEED(newtype);
    if (p == MPI_UNDEFINED && r == MPI_UNDEFINED)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "p and r are both MPI_UNDEFINED");
    for (int i = 0; i < 4; i++)
        if (p <= digits[i] && r <= exponents[i]) { /* MPI_UNDEFINED is negative */
            *newtype = type_f90_make(mpi, combiner, p, r, types[i]);
            return MPI_SUCCESS;
        }
    return mpi_error(mpi, NULL, MPI_ERR_ARG, "p is %d and r %d: expected at most 33 digits, exponents up to 4931", p,
                     r);
}

MPI_FUNCTION(int, Type_create_f90_real, int p, int r, MPI_Datatype *newtype)
{
    static const MPI_Datatype types[] = {MPI_REAL4, MPI_REAL8, MPI_LONG_DOUBLE, MPI_REAL16};

    struct mpi *mpi = ENTER(Type_create_f90_real);

    return create_real(mpi, MPI_COMBINER_F90_REAL, p, r, types, newtype);
}

MPI_FUNCTION(int, Type_create_f90_complex, int p, int r, MPI_Datatype *newtype)
{
    static const MPI_Datatype types[] = {MPI_COMPLEX8, MPI_COMPLEX16, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX32};

    struct mpi *mpi = ENTER(Type_create_f90_complex);

    return create_real(mpi, MPI_COMBINER_F90_COMPLEX, p, r, types, newtype);
}
