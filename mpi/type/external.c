/* SPDX-License-Identifier: MIT */
/* Packing as external32: big-endian, with lengths that are the same on every machine (MPI 3.1, table 13.2). */
#include "mpi/comm/comm.h"
#include "mpi/type/type.h"
#include <string.h>

enum { WCHAR = 5, LONG = 10, UNSIGNED_LONG = 11, REAL16 = 64, COMPLEX32 = 65, QUAD_BYTES = 16 };

/* Bytes of an element of a basic type that is not a pair. */
static size_t
basic_bytes(const struct type *type)
{
    if (type->number == WCHAR)
        return 2;
    if (type->number == LONG || type->number == UNSIGNED_LONG)
        return 4;
    return type->size; /* long double has 16 bytes in both forms */
}

static bool
is_basic(const struct type *type)
{
    return type->number && type->class != CLASS_PAIR;
}

static size_t
external_bytes(const struct type *type)
{
    size_t bytes = 0;

    if (is_basic(type))
        return basic_bytes(type);
    for (size_t i = 0; i < type->part_count; i++)
        bytes += type->parts[i].count * external_bytes(type->parts[i].of);
    return bytes;
}

/* ------------------------------------------------------------------ one element */

static void
reverse(const unsigned char *from, unsigned char *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = from[bytes - 1 - i];
}

/* A whole number, which may be shorter there; false: the value does not fit. */
static bool
whole_out(const struct type *type, const unsigned char *at, unsigned char *out, size_t bytes)
{
    uint64_t value = 0;

    if (bytes == type->size) {
        reverse(at, out, bytes);
        return true;
    }
    bool negative = !type_is_unsigned(type) && at[type->size - 1] & 0x80;

    memcpy(&value, at, type->size);
    if (negative && type->size < sizeof value)
        value |= ~UINT64_C(0) << 8 * type->size;
    for (size_t i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> 8 * (bytes - 1 - i));
    return negative ? (int64_t)value >= -(INT64_C(1) << (8 * bytes - 1))
                    : value >> (8 * bytes - !type_is_unsigned(type)) == 0;
}

static void
whole_in(const struct type *type, const unsigned char *in, size_t bytes, unsigned char *at)
{
    uint64_t value = !type_is_unsigned(type) && in[0] & 0x80 ? ~UINT64_C(0) : 0;

    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | in[i];
    if (bytes == type->size)
        reverse(in, at, bytes);
    else
        memcpy(at, &value, type->size);
}

/* Whether its numbers are long doubles of 80 bits, which become numbers of 128. */
static bool
is_extended(const struct type *type, size_t bytes)
{
#if defined __x86_64__
    return bytes == QUAD_BYTES && type->number != REAL16 && type->number != COMPLEX32;
#else
    return (void)type, (void)bytes, false;
#endif
}

/* One real number of the type. */
static void
real_out(const struct type *type, size_t bytes, const unsigned char *at, unsigned char *out)
{
#if defined __x86_64__
    if (is_extended(type, bytes)) {
        long double value;
        unsigned char quad[QUAD_BYTES];

        memcpy(&value, at, sizeof value);
        __float128 wide = (__float128)value;

        memcpy(quad, &wide, sizeof quad);
        reverse(quad, out, QUAD_BYTES);
        return;
    }
#endif
    reverse(at, out, bytes);
}

static void
real_in(const struct type *type, size_t bytes, const unsigned char *in, unsigned char *at)
{
#if defined __x86_64__
    if (is_extended(type, bytes)) {
        __float128 wide;
        unsigned char quad[QUAD_BYTES];

        reverse(in, quad, QUAD_BYTES);
        memcpy(&wide, quad, sizeof wide);
        long double value = (long double)wide;

        memcpy(at, &value, sizeof value);
        return;
    }
#endif
    reverse(in, at, bytes);
}

/* ------------------------------------------------------------------ all elements */

struct converter {
    unsigned char *external;
    bool unpacks, fits;
};

static void
convert_basic(const struct type *type, unsigned char *at, struct converter *converter)
{
    size_t bytes = basic_bytes(type), parts = type->class == CLASS_COMPLEX ? 2 : 1, each = bytes / parts;
    unsigned char *external = converter->external;

    converter->external += bytes;
    if (type->class != CLASS_REAL && type->class != CLASS_COMPLEX) {
        if (bytes > 0 && converter->unpacks)
            whole_in(type, external, bytes, at);
        else if (bytes > 0)
            converter->fits &= whole_out(type, at, external, bytes);
        return;
    }
    for (size_t i = 0; i < parts; i++, at += each, external += each)
        if (converter->unpacks)
            real_in(type, each, external, at);
        else
            real_out(type, each, at, external);
}

static void
convert_element(const struct type *type, unsigned char *at, struct converter *converter)
{
    if (is_basic(type)) {
        convert_basic(type, at, converter);
        return;
    }
    for (size_t p = 0; p < type->part_count; p++) {
        const struct type_part *part = &type->parts[p];

        for (size_t i = 0; i < part->count; i++)
            convert_element(part->of, at + part->offset + (ptrdiff_t)i * part->stride, converter);
    }
}

/* Convert `data` to or from the bytes at *position of `external`, which has `room` bytes. */
static int
convert(struct mpi *mpi, const char *datarep, const struct typed_data *data, char *external, MPI_Aint room,
        MPI_Aint *position, bool unpacks)
{
    NEED(datarep, position);
    size_t bytes = data->count * external_bytes(data->type);

    if (strcmp(datarep, "external32") != 0)
        return mpi_error(mpi, NULL, MPI_ERR_UNSUPPORTED_DATAREP, "datarep is '%s': expected external32", datarep);
    if (*position < 0 || room < *position || (size_t)(room - *position) < bytes)
        return mpi_error(mpi, NULL, MPI_ERR_TRUNCATE, "%zu bytes at position %lld are outside of a buffer of %lld",
                         bytes, (long long)*position, (long long)room);
    struct converter converter = {(unsigned char *)external + *position, unpacks, true};

    for (size_t i = 0; i < data->count; i++)
        convert_element(data->type, (unsigned char *)data->buffer + (ptrdiff_t)i * type_extent(data->type), &converter);
    *position += (MPI_Aint)bytes;
    return converter.fits ? MPI_SUCCESS
                          : mpi_error(mpi, NULL, MPI_ERR_CONVERSION, "a value does not fit into external32's length");
}

MPI_FUNCTION(int, Pack_external, const char *datarep, const void *inbuf, int incount, MPI_Datatype datatype,
             void *outbuf, MPI_Aint outsize, MPI_Aint *position)
{
    struct mpi *mpi = ENTER(Pack_external);
    struct typed_data data;
    int error = typed_data_check(mpi, NULL, inbuf, incount, datatype, "incount", &data);

    return error ? error : convert(mpi, datarep, &data, outbuf, outsize, position, false);
}

MPI_FUNCTION(int, Unpack_external, const char *datarep, const void *inbuf, MPI_Aint insize, MPI_Aint *position,
             void *outbuf, int outcount, MPI_Datatype datatype)
{
    struct mpi *mpi = ENTER(Unpack_external);
    struct typed_data data;
    int error = typed_data_check(mpi, NULL, outbuf, outcount, datatype, "outcount", &data);

    return error ? error : convert(mpi, datarep, &data, (char *)(uintptr_t)inbuf, insize, position, true); /* is read */
}

MPI_FUNCTION(int, Pack_external_size, const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size)
{
    struct mpi *mpi = ENTER(Pack_external_size);
    FIND_TYPE(type, datatype);

    NEED(datarep, size);
    if (incount < 0)
        return mpi_error(mpi, NULL, MPI_ERR_COUNT, "incount is %d: expected 0 or more", incount);
    if (strcmp(datarep, "external32") != 0)
        return mpi_error(mpi, NULL, MPI_ERR_UNSUPPORTED_DATAREP, "datarep is '%s': expected external32", datarep);
    *size = (MPI_Aint)((size_t)incount * external_bytes(type));
    return MPI_SUCCESS;
}
