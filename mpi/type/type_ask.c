/* SPDX-License-Identifier: MIT */
/* Queries of datatypes; packing as a call; addresses. */
#include "mpi/comm/attribute.h"
#include "mpi/strict/conflict.h"
#include "mpi/strict/finding.h"
#include "mpi/strict/held.h"
#include <stdio.h>

MPI_FUNCTION(int, Type_commit, MPI_Datatype *datatype)
{
    struct mpi *mpi = ENTER(Type_commit);

    NEED(datatype);
    FIND_TYPE(type, *datatype);
    type->committed = true;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Type_free, MPI_Datatype *datatype)
{
    struct mpi *mpi = ENTER(Type_free);

    NEED(datatype);
    FIND_TYPE(type, *datatype);
    if (type->number || type->permanent)
        return mpi_error(mpi, NULL, MPI_ERR_TYPE, "%s is one of MPI's, which cannot be freed",
                         type->name ? type->name : "datatype");
    int error = type->handles_out > 0 ? MPI_SUCCESS : attributes_delete(mpi, type_owner(mpi, type));

    if (error)
        return mpi_error(mpi, NULL, error, "an attribute could not be deleted");
    if (type->handles_out > 0)
        type->handles_out--;
    else
        handle_free(mpi, KIND_TYPE, (uintptr_t)*datatype);
    type_drop(mpi, type);
    *datatype = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ sizes */

/* Note a type whose bounds are asked for. */
static const struct type *
noted(struct mpi *mpi, const struct type *type)
{
    notes_extent(mpi, type);
    return type;
}

/* Define MPI_<call>, which gives one or two numbers of a type. */
#define ASK(call, integer, first, value)                                                                               \
    MPI_CHECKED(call, (MPI_Datatype datatype, integer * first), FIND_TYPE(type, datatype);                             \
                NEED(first), (*(first) = (integer)(value), MPI_SUCCESS))
#define ASK_BOTH(call, integer, first, value, second, other)                                                           \
    MPI_CHECKED(call, (MPI_Datatype datatype, integer * first, integer * second), FIND_TYPE(type, datatype);           \
                NEED(first, second), (*(first) = (value), *(second) = (other), MPI_SUCCESS))

ASK(Type_size, int, size, type->size > INT32_MAX ? (size_t)MPI_UNDEFINED : type->size);
ASK(Type_size_x, MPI_Count, size, type->size);
ASK(Type_extent, MPI_Aint, extent, noted(mpi, type)->ub - type->lb);
ASK(Type_lb, MPI_Aint, lb, noted(mpi, type)->lb);
ASK(Type_ub, MPI_Aint, ub, noted(mpi, type)->ub);
ASK_BOTH(Type_get_extent, MPI_Aint, lb, noted(mpi, type)->lb, extent, type_extent(type));
ASK_BOTH(Type_get_extent_x, MPI_Count, lb, noted(mpi, type)->lb, extent, type_extent(type));
ASK_BOTH(Type_get_true_extent, MPI_Aint, true_lb, type->true_lb, true_extent, type->true_ub - type->true_lb);
ASK_BOTH(Type_get_true_extent_x, MPI_Count, true_lb, type->true_lb, true_extent, type->true_ub - type->true_lb);

MPI_FUNCTION(int, Type_match_size, int typeclass, int size, MPI_Datatype *datatype)
{
    static const int integers[] = {44, 45, 46, 47, 63}, reals[] = {49, 50, 64}, complexes[] = {52, 53, 65};
    const int *numbers = typeclass == MPI_TYPECLASS_INTEGER ? integers
                         : typeclass == MPI_TYPECLASS_REAL  ? reals
                                                            : complexes;
    struct mpi *mpi = ENTER(Type_match_size);

    NEED(datatype);
    if (typeclass < MPI_TYPECLASS_INTEGER || typeclass > MPI_TYPECLASS_COMPLEX)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "unknown typeclass %d", typeclass);
    for (int i = 0; i < (typeclass == MPI_TYPECLASS_INTEGER ? 5 : 3); i++)
        if (type_find(mpi, PEAL_MPI_TYPE(numbers[i]))->size == (size_t)size) {
            *datatype = PEAL_MPI_TYPE(numbers[i]);
            return MPI_SUCCESS;
        }
    return mpi_error(mpi, NULL, MPI_ERR_ARG, "no datatype of this class has %d bytes", size);
}

/* ------------------------------------------------------------------ names, contents */

MPI_FUNCTION(int, Type_set_name, MPI_Datatype datatype, const char *name)
{
    struct mpi *mpi = ENTER(Type_set_name);
    FIND_TYPE(type, datatype);

    NEED(name);
    mpi_set_name(mpi, type->number ? &type_basic_own(mpi, type)->name : &type->name, name);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Type_get_name, MPI_Datatype datatype, char *name, int *resultlen)
{
    struct mpi *mpi = ENTER(Type_get_name);
    const struct type *type = type_find(mpi, datatype);

    NEED(name, resultlen);
    if (!type && datatype != MPI_DATATYPE_NULL)
        return mpi_error(mpi, NULL, MPI_ERR_TYPE, "datatype %s", handle_wrong(mpi, KIND_TYPE, (uintptr_t)datatype));
    const char *own = type && type->number ? type_basic_own(mpi, type)->name : NULL, *known = type ? type->name : NULL;

    *resultlen = snprintf(name, MPI_MAX_OBJECT_NAME, "%s",
                          !type   ? "MPI_DATATYPE_NULL"
                          : own   ? own
                          : known ? known
                                  : "");
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Type_get_envelope, MPI_Datatype datatype, int *num_integers, int *num_addresses, int *num_datatypes,
             int *combiner)
{
    struct mpi *mpi = ENTER(Type_get_envelope);
    FIND_TYPE(type, datatype);

    NEED(num_integers, num_addresses, num_datatypes, combiner);
    *num_integers = type->recipe.int_count;
    *num_addresses = type->recipe.address_count;
    *num_datatypes = type->recipe.type_count;
    *combiner = type->recipe.combiner;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Type_get_contents, MPI_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
             int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[])
{
    struct mpi *mpi = ENTER(Type_get_contents);
    FIND_TYPE(type, datatype);
    const struct recipe *recipe = &type->recipe;

    if (type->number)
        return mpi_error(mpi, NULL, MPI_ERR_TYPE, "%s is one of MPI's, which is not made of others", type->name);
    if (max_integers < recipe->int_count || max_addresses < recipe->address_count || max_datatypes < recipe->type_count)
        return mpi_error(mpi, NULL, MPI_ERR_ARG,
                         "the arrays are too short: expected %d integers, %d addresses, %d datatypes",
                         recipe->int_count, recipe->address_count, recipe->type_count);
    for (int i = 0; i < recipe->int_count; i++)
        integers[i] = recipe->ints[i];
    for (int i = 0; i < recipe->address_count; i++)
        addresses[i] = recipe->addresses[i];
    for (int i = 0; i < recipe->type_count; i++) {
        struct type *of = recipe->types[i];

        if (!of->number &&
            handle_find(mpi, KIND_TYPE, (uintptr_t)of->handle) != of) /* freed since: it gets a new handle */
            of->handle = (MPI_Datatype)handle_make(mpi, KIND_TYPE, of), of->references++;
        else
            type_use(of), of->handles_out += !of->number;
        datatypes[i] = of->handle;
    }
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ packing */

MPI_FUNCTION(int, Pack, const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize, int *position,
             MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Pack);
    FIND_COMM(c, comm);
    struct typed_data data;
    int error = typed_data_check(mpi, c, inbuf, incount, datatype, "incount", &data);

    NEED(position);
    if (error)
        return error;
    if (*position < 0 || outsize < *position || (size_t)(outsize - *position) < data.bytes)
        return mpi_error(mpi, c, MPI_ERR_TRUNCATE, "%zu bytes at position %d do not fit into %d", data.bytes, *position,
                         outsize);
    held_look(mpi, &data, false, MESSAGE);
    held_return(mpi);
    type_pack(data.type, data.buffer, data.count, (char *)outbuf + *position, data.bytes);
    *position += (int)data.bytes;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Unpack, const void *inbuf, int insize, int *position, void *outbuf, int outcount,
             MPI_Datatype datatype, MPI_Comm comm)
{
    struct mpi *mpi = ENTER(Unpack);
    FIND_COMM(c, comm);
    struct typed_data data;
    int error = typed_data_check(mpi, c, outbuf, outcount, datatype, "outcount", &data);

    NEED(position);
    if (error)
        return error;
    if (*position < 0 || insize < *position || (size_t)(insize - *position) < data.bytes)
        return mpi_error(mpi, c, MPI_ERR_TRUNCATE, "%zu bytes at position %d are not in the %d of the buffer",
                         data.bytes, *position, insize);
    held_look(mpi, &data, true, MESSAGE);
    type_unpack(data.type, data.buffer, data.count, (const char *)inbuf + *position, data.bytes);
    held_return(mpi);
    *position += (int)data.bytes;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Pack_size, int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
    struct mpi *mpi = ENTER(Pack_size);
    FIND_COMM(c, comm);
    FIND_TYPE(type, datatype);

    NEED(size);
    if (incount < 0)
        return mpi_error(mpi, c, MPI_ERR_COUNT, "incount is %d: expected 0 or more", incount);
    size_t bytes = (size_t)incount * type->size;

    *size = bytes > INT32_MAX ? MPI_UNDEFINED : (int)bytes;
    return MPI_SUCCESS;
}

/* ------------------------------------------------------------------ addresses */

MPI_FUNCTION(int, Get_address, const void *location, MPI_Aint *address)
{
    struct mpi *mpi = ENTER(Get_address);

    NEED(address);
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Address, void *location, MPI_Aint *address)
{
    struct mpi *mpi = ENTER(Address);

    NEED(address);
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

MPI_FUNCTION(MPI_Aint, Aint_add, MPI_Aint base, MPI_Aint disp)
{
    return base + disp;
}

MPI_FUNCTION(MPI_Aint, Aint_diff, MPI_Aint addr1, MPI_Aint addr2)
{
    return addr1 - addr2;
}
