/* SPDX-License-Identifier: MIT */
/* The basic datatypes, packing and unpacking. */
#include "mpi/type/type.h"
#include "mpi/call/mpi_advice.h"
#include "mpi/comm/attribute.h"
#include "mpi/comm/comm.h"
#include <complex.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

/* ------------------------------------------------------------------ the basic ones
 *
 * The signature of a sequence of basic types is the value of a polynomial: that of two sequences, one after the other,
 * is a·B^(length of b) + b.  A type keeps B^length as its power. */

static const uint64_t base = UINT64_C(0x9E3779B97F4A7C15);

/* Types of the same C type are the same: MPI_LONG and MPI_INT64_T. */
static uint64_t
signature_of(const struct type *type)
{
    bool no_sign = type_is_unsigned(type);
    uint64_t kind = type->class == CLASS_MULTI ? CLASS_INTEGER : type->class;
    uint64_t x = (kind << 8 | type->size << 1 | no_sign) * UINT64_C(0xBF58476D1CE4E5B9);

    return x ^ x >> 29;
}

#define BASIC(id, mpi_name, c_type, of_class)                                                                          \
    [id] = {.number = id,                                                                                              \
            .class = CLASS_##of_class,                                                                                 \
            .committed = true,                                                                                         \
            .solid = true,                                                                                             \
            .dense = true,                                                                                             \
            .size = sizeof(c_type),                                                                                    \
            .basics = 1,                                                                                               \
            .ub = sizeof(c_type),                                                                                      \
            .plain_ub = sizeof(c_type),                                                                                \
            .true_ub = sizeof(c_type),                                                                                 \
            .align = _Alignof(c_type),                                                                                 \
            .name = "MPI_" #mpi_name},

#define PAIR(id, mpi_name, value, place, value_id, place_id)                                                           \
    [id] = {.number = id,                                                                                              \
            .class = CLASS_PAIR,                                                                                       \
            .committed = true,                                                                                         \
            .solid = sizeof(value) % _Alignof(place) == 0,                                                             \
            .dense = sizeof(value) + sizeof(place) == sizeof(PAIR_OF(value, place)),                                   \
            .size = sizeof(value) + sizeof(place),                                                                     \
            .basics = 2,                                                                                               \
            .ub = sizeof(PAIR_OF(value, place)),                                                                       \
            .plain_ub = sizeof(PAIR_OF(value, place)),                                                                 \
            .true_ub = offsetof(PAIR_OF(value, place), p) + sizeof(place),                                             \
            .align = _Alignof(value),                                                                                  \
            .name = "MPI_" #mpi_name,                                                                                  \
            .parts = (const struct type_part[]){{0, 1, 0, &basic_types[value_id]},                                     \
                                                {offsetof(PAIR_OF(value, place), p), 1, 0, &basic_types[place_id]}},   \
            .part_count = 2},
#define PAIR_OF(value, place)                                                                                          \
    struct {                                                                                                           \
        value v;                                                                                                       \
        place p;                                                                                                       \
    }

struct type basic_types[BASIC_TYPES] = {
#include "mpi/type/basic.def"
#include "mpi/type/pairs.def"
    [39] = {.number = 39, .committed = true, .solid = true, .has_lb = true, .align = 1, .name = "MPI_LB"},
    [40] = {.number = 40, .committed = true, .solid = true, .has_ub = true, .align = 1, .name = "MPI_UB"},
};

__attribute__((constructor)) static void
sign_basic(void)
{
    for (int i = 1; i < BASIC_TYPES; i++) {
        struct type *type = &basic_types[i];

        type->handle = PEAL_MPI_TYPE(i);
        type->power = type->basics == 0 ? 1 : type->basics == 1 ? base : base * base;
        type->signature = type->basics == 1 ? signature_of(type) : 0;
        type->basic = (uint8_t)i;
        type->untyped = type->class == CLASS_BYTES;
        if (type->basics == 2)
            type->signature = signature_of(type->parts[0].of) * base + signature_of(type->parts[1].of);
    }
}

bool
type_is_unsigned(const struct type *type)
{
    static const bool is[BASIC_TYPES] = {
        [3] = true,  [4] = true,  [7] = true,  [9] = true,  [11] = true, [13] = true,
        [17] = true, [22] = true, [23] = true, [24] = true, [25] = true,
    };

    return is[type->number];
}

struct basic_own *
type_basic_own(struct mpi *mpi, const struct type *type)
{
    if (!mpi->basic_own)
        mpi->basic_own = mpi_alloc(mpi, BASIC_TYPES * sizeof *mpi->basic_own);
    return &mpi->basic_own[type->number];
}

struct owner
type_owner(struct mpi *mpi, struct type *type)
{
    if (!type->number)
        return (struct owner){KIND_TYPE, (uintptr_t)type->handle, &type->attributes, NULL};
    return (struct owner){KIND_TYPE, (uintptr_t)type->handle, &type_basic_own(mpi, type)->attributes, NULL};
}

/* ------------------------------------------------------------------ packing */

/* The position of a copy between a buffer and its packed form. */
struct cursor {
    char *packed;
    size_t left;  /* bytes to copy */
    bool unpacks; /* from packed to the buffer */
};

enum { MUCH = 1 << 26 }; /* bytes */
bool type_unstored;

static inline void
copy_run(struct cursor *cursor, char *at, size_t bytes)
{
    if (bytes > cursor->left)
        bytes = cursor->left;
    if (bytes == 0)
        return;
    if (bytes >= MUCH && type_unstored)
        ; /* there is nothing in them */
    else if (cursor->unpacks)
        memcpy(at, cursor->packed, bytes);
    else
        memcpy(cursor->packed, at, bytes);
    cursor->packed += bytes;
    cursor->left -= bytes;
}

static void
copy_element(const struct type *type, char *at, struct cursor *cursor)
{
    if (type->solid) {
        copy_run(cursor, at + type->true_lb, type->size);
        return;
    }
    for (size_t p = 0; p < type->part_count && cursor->left > 0; p++) {
        const struct type_part *part = &type->parts[p];
        char *first = at + part->offset;

        if (part->of->solid && part->stride == (ptrdiff_t)part->of->size) {
            copy_run(cursor, first + part->of->true_lb, part->count * part->of->size);
            continue;
        }
        for (size_t i = 0; i < part->count && cursor->left > 0; i++)
            copy_element(part->of, first + (ptrdiff_t)i * part->stride, cursor);
    }
}

static void
type_copy_all(const struct type *type, char *buffer, size_t count, struct cursor *cursor)
{
    if (type->dense) {
        copy_run(cursor, buffer + type->true_lb, count * type->size);
        return;
    }
    for (size_t i = 0; i < count && cursor->left > 0; i++)
        copy_element(type, buffer + (ptrdiff_t)i * type_extent(type), cursor);
}

void
type_pack(const struct type *type, const void *buffer, size_t count, void *packed, size_t bytes)
{
    struct cursor cursor = {packed, bytes, false};

    type_copy_all(type, (char *)(uintptr_t)buffer, count, &cursor); /* the buffer is only read */
}

void
type_unpack(const struct type *type, void *buffer, size_t count, const void *packed, size_t bytes)
{
    struct cursor cursor = {(char *)(uintptr_t)packed, bytes, true};

    type_copy_all(type, buffer, count, &cursor);
}

size_t
type_basics(const struct type *type, size_t bytes, size_t *rest)
{
    size_t basics = 0;

    if (bytes >= type->size) {
        *rest = bytes - type->size;
        return type->basics;
    }
    *rest = bytes;
    for (size_t p = 0; p<type->part_count && * rest> 0; p++) {
        const struct type_part *part = &type->parts[p];
        size_t whole = part->of->size ? *rest / part->of->size : part->count;

        if (whole > part->count)
            whole = part->count;
        basics += whole * part->of->basics;
        *rest -= whole * part->of->size;
        if (whole < part->count) {
            basics += type_basics(part->of, *rest, rest);
            break;
        }
    }
    return basics;
}

size_t
type_bytes_of(const struct type *type, size_t basics)
{
    size_t bytes = type->basics ? basics / type->basics * type->size : 0;

    basics = type->basics ? basics % type->basics : 0;
    for (size_t p = 0; p < type->part_count && basics > 0; p++) {
        const struct type_part *part = &type->parts[p];
        size_t each = part->of->basics, here = basics < part->count * each ? basics : part->count * each;

        bytes += type_bytes_of(part->of, here);
        basics -= here;
    }
    return bytes;
}

uint64_t
type_note(const struct type *type, size_t count)
{
    uint64_t sum = 0, one = type->signature, power = type->power; /* of 2^i elements */

    for (size_t n = count; n > 0; n >>= 1) {
        if (n & 1)
            sum = sum * power + one; /* all elements are alike: their order does not matter */
        one = one * power + one;
        power *= power;
    }
    return sum;
}

/* Append the signature of the first `bytes` bytes of one element to *sum; false once they are used up. */
static bool
sign_part(const struct type *type, size_t *bytes, uint64_t *sum)
{
    if (*bytes >= type->size) {
        *bytes -= type->size;
        *sum = *sum * type->power + type->signature;
        return true;
    }
    for (size_t p = 0; p < type->part_count; p++)
        for (size_t i = 0; i < type->parts[p].count; i++)
            if (*bytes == 0 || !sign_part(type->parts[p].of, bytes, sum))
                return false;
    return false;
}

uint64_t
type_note_part(const struct type *type, size_t bytes)
{
    uint64_t sum = type_note(type, bytes / type->size);

    bytes %= type->size;
    sign_part(type, &bytes, &sum);
    return sum;
}

const char *
type_basic_name(int number)
{
    return number > 0 && number < BASIC_TYPES ? basic_types[number].name : "several basic types";
}

/* ------------------------------------------------------------------ arguments */

__attribute__((noinline, cold)) void
data_suspect(struct mpi *mpi, const struct typed_data *data)
{
    enum {
        REGION = UINTPTR_MAX > UINT32_MAX ? 40 : 24
    }; /* bits of an address within the regions of stacks and heaps */
    const struct type *type = data->type;
    uintptr_t value;

    if (data->bytes < sizeof value || (uintptr_t)data->buffer % sizeof value != 0 || !type->basic ||
        (type->class != CLASS_INTEGER && type->class != CLASS_REAL))
        return;
    memcpy(&value, data->buffer, sizeof value);
    if (value % sizeof value == 0 &&
        (value >> REGION == (uintptr_t)data >> REGION || value >> REGION == (uintptr_t)mpi->world >> REGION ||
         value >> REGION == (uintptr_t)sbrk(0) >> REGION))
        peal_suspect_pointer(mpi->me, data->buffer, mpi->call, mpi->file, mpi->line);
}

int
data_refuse(struct mpi *mpi, struct comm *comm, const void *buffer, int count, MPI_Datatype handle, const char *what)
{
    const struct type *type = type_find(mpi, handle);
    size_t bytes;

    if (count < 0) {
        advise_count(mpi, count);
        return mpi_error(mpi, comm, MPI_ERR_COUNT, "%s is %d: expected 0 or more", what, count);
    }
    if (!type)
        return mpi_error(mpi, comm, MPI_ERR_TYPE, "the datatype %s", handle_wrong(mpi, KIND_TYPE, (uintptr_t)handle));
    if (!type->committed) {
        advise_uncommitted(mpi, (uintptr_t)handle);
        return mpi_error(mpi, comm, MPI_ERR_TYPE, "the datatype is not committed");
    }
    if (__builtin_mul_overflow(type->size, (size_t)count, &bytes) || bytes > PTRDIFF_MAX)
        return mpi_error(mpi, comm, MPI_ERR_COUNT, "%d elements of %zu bytes are too many to count", count, type->size);
    if (!buffer) {
        advise_null_buffer(mpi);
        return mpi_error(mpi, comm, MPI_ERR_BUFFER, "the buffer is NULL, and %s is %d", what, count);
    }
    advise_in_place(mpi);
    return mpi_error(mpi, comm, MPI_ERR_BUFFER, "the buffer is MPI_IN_PLACE, which this node may not pass here");
}

char *
data_range(const struct typed_data *data, size_t *bytes)
{
    const struct type *type = data->type;
    ptrdiff_t last = data->count ? (ptrdiff_t)(data->count - 1) * type_extent(type) : 0;
    ptrdiff_t low = last < 0 ? last : 0, high = last > 0 ? last : 0;

    *bytes = data->bytes ? (size_t)(high + type->true_ub - low - type->true_lb) : 0;
    return (char *)((uintptr_t)data->buffer + (uintptr_t)(low + type->true_lb));
}

void *
data_pack_copy(struct mpi *mpi, const struct typed_data *data, void **copy)
{
    *copy = mpi_scratch(mpi, data->bytes);
    type_pack(data->type, data->buffer, data->count, *copy, data->bytes);
    return *copy;
}

void
data_unpack_copy(struct mpi *mpi, const struct typed_data *data, void *copy, size_t bytes)
{
    type_unpack(data->type, data->buffer, data->count, copy, bytes < data->bytes ? bytes : data->bytes);
    mpi_free(mpi, copy);
}
