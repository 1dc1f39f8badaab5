/* SPDX-License-Identifier: MIT */
/* Datatypes: the bytes of a buffer that a message has, in their order. */
#pragma once

#include "mpi/call/node.h"

struct comm;

/* The operators that a basic type allows. */
enum class {
    CLASS_OTHER,
    CLASS_INTEGER,
    CLASS_REAL,
    CLASS_COMPLEX,
    CLASS_LOGICAL,
    CLASS_BYTES,
    CLASS_MULTI,
    CLASS_TEXT,
    CLASS_PAIR
};

/* Elements of a type, a stride apart. */
struct type_part {
    ptrdiff_t offset; /* of the first one, in bytes */
    size_t count;
    ptrdiff_t stride;
    struct type *of;
};

/* The call and arguments that made a type, for MPI_Type_get_contents. */
struct recipe {
    int combiner;
    int int_count, address_count, type_count;
    int *ints;
    MPI_Aint *addresses;
    struct type **types;
};

struct type {
    int references;  /* one for the handle, and per type and request that uses it; none for basic types */
    int handles_out; /* from MPI_Type_get_contents, each to be freed like the first: they have one number */
    int number;      /* of a basic type, or 0 */
    enum class class;
    bool committed;
    bool permanent; /* cannot be freed, though it is not basic */
    bool solid;     /* one element is one run of bytes in its order: [true_lb, true_lb + size) */
    bool dense;     /* solid, and so are several elements */
    bool untyped;   /* has MPI_BYTE or MPI_PACKED, which match any type */
    uint8_t basic;  /* the number of its only basic type, or 0 */
    size_t size;    /* bytes of data */
    size_t basics;  /* basic elements */
    ptrdiff_t lb, ub, true_lb, true_ub;
    bool has_lb, has_ub;          /* set by MPI_LB, MPI_UB, or a resize */
    ptrdiff_t plain_lb, plain_ub; /* the bounds without the markers of its members */
    size_t align;
    uint64_t signature, power;     /* of the basic types in order: see type_note */
    const struct type_part *parts; /* none: basic */
    size_t part_count;
    struct recipe recipe;
    char *name;
    MPI_Datatype handle;
    struct attribute *attributes; /* of a type that is not basic: see type_owner */
};

/* A node's own settings of a basic type. */
struct basic_own {
    struct attribute *attributes;
    char *name; /* NULL: none */
};

struct basic_own *type_basic_own(struct mpi *mpi, const struct type *type);

/* The type as an owner of attributes: see attribute.h. */
struct owner type_owner(struct mpi *mpi, struct type *type);

static inline ptrdiff_t
type_extent(const struct type *type)
{
    return type->ub - type->lb;
}

/* Whether the values of a basic type have no sign. */
bool type_is_unsigned(const struct type *type);

/* Fortran's REAL(16), which is a long double where that has as many digits; and COMPLEX(16). */
#ifdef __SIZEOF_FLOAT128__
typedef __float128 real16;
#else
typedef long double real16;
#endif
struct complex32 {
    real16 re, im;
};

/* Those that MPI names, by their numbers. */
enum { BASIC_TYPES = 66 };
extern struct type basic_types[BASIC_TYPES];

/* Whether the data of the run are not stored, so that long copies need not be made; set by judged.c. */
extern bool type_unstored;

/* The type of a handle; NULL: it names none. */
static inline struct type *
type_find(const struct mpi *mpi, MPI_Datatype handle)
{
    uintptr_t number = (uintptr_t)handle - (uintptr_t)MPI_DATATYPE_NULL;

    if (number < BASIC_TYPES)
        return basic_types[number].number ? &basic_types[number] : NULL;
    return handle_find(mpi, KIND_TYPE, (uintptr_t)handle);
}

/* A committed type whose elements lie in one piece; NULL: the handle names no such type. */
static inline struct type *
type_find_dense(const struct mpi *mpi, MPI_Datatype handle)
{
    uintptr_t number = (uintptr_t)handle - (uintptr_t)MPI_DATATYPE_NULL;

    if (number < BASIC_TYPES) /* NULL unless they are dense, and always committed */
        return basic_types[number].dense ? &basic_types[number] : NULL;
    struct type *type = handle_find(mpi, KIND_TYPE, (uintptr_t)handle);

    return type && type->dense && type->committed ? type : NULL;
}

/* Count one more user, or one fewer: the last one frees it. */
void type_use(struct type *type);
void type_drop(struct mpi *mpi, struct type *type);

/* Copy `bytes` bytes of the data of `count` elements at `buffer`, the first ones, to `packed`, or back. */
void type_pack(const struct type *type, const void *buffer, size_t count, void *packed, size_t bytes);
void type_unpack(const struct type *type, void *buffer, size_t count, const void *packed, size_t bytes);

/* How many basic elements the first `bytes` bytes of the type's data are; *rest: bytes left over. */
size_t type_basics(const struct type *type, size_t bytes, size_t *rest);

/* The bytes of the first `basics` basic elements of data of this type. */
size_t type_bytes_of(const struct type *type, size_t basics);

/* A number made of the basic types of `count` elements, in their order: messages of the same types have the same. */
uint64_t type_note(const struct type *type, size_t count);

/* Such a number of the first `bytes` bytes of several elements. */
uint64_t type_note_part(const struct type *type, size_t bytes);

/* "MPI_INT" for its number; "several basic types" for any other, 0 for a derived type. */
const char *type_basic_name(int number);

/* ------------------------------------------------------------------ type_make.c */

/* Make a type of these parts, which it copies, and a handle of it. */
struct type *type_make(struct mpi *mpi, const struct type_part *parts, size_t count, const struct recipe *recipe);

/* Set the bounds of a type, with markers. */
void type_mark(struct type *type, ptrdiff_t lb, ptrdiff_t ub);

/* A type without a handle of its own, for others to be made of: of those parts that have elements; of `count`
 * elements. */
struct type *type_list(struct mpi *mpi, const struct type_part *parts, size_t count);
struct type *type_row(struct mpi *mpi, size_t count, ptrdiff_t stride, struct type *of);

/* ------------------------------------------------------------------ arguments */

/* The buffer of a call, after its arguments were checked. */
struct typed_data {
    char *buffer;
    size_t count;
    struct type *type;
    size_t bytes;
};

/* Raise the error of a wrong buffer, count or type. */
int data_refuse(struct mpi *mpi, struct comm *comm, const void *buffer, int count, MPI_Datatype handle,
                const char *what);

/* Note a variable that holds a pointer and is passed as a buffer of numbers: &pointer for pointer.  The data begins in
 * the node's stack, near the frame of the call, so that it can be read. */
enum { DATA_NEAR = 16384 };
void data_suspect(struct mpi *mpi, const struct typed_data *data);

/* Check a buffer, count and type.  Gives MPI_SUCCESS or the error that was raised; `what` is "sendcount" or so. */
static inline int
typed_data_check(struct mpi *mpi, struct comm *comm, const void *buffer, int count, MPI_Datatype handle,
                 const char *what, struct typed_data *data)
{
    struct type *type = type_find(mpi, handle);
    size_t bytes;

    if (__builtin_expect(!type || count < 0 || !type->committed ||
                             __builtin_mul_overflow(type->size, (size_t)count, &bytes) || bytes > PTRDIFF_MAX ||
                             (bytes > 0 && ((!buffer && type->number) || buffer == MPI_IN_PLACE)),
                         0)) {
        *data = (struct typed_data){.buffer = NULL};
        return data_refuse(mpi, comm, buffer, count, handle, what);
    }
    *data = (struct typed_data){(char *)(uintptr_t)buffer, (size_t)count, type, bytes};
    if ((uintptr_t)buffer - (uintptr_t)__builtin_frame_address(0) < DATA_NEAR)
        data_suspect(mpi, data);
    return MPI_SUCCESS;
}

/* Whether the data lies in one piece. */
static inline bool
data_is_one_piece(const struct typed_data *data)
{
    return data->type->dense || (data->count <= 1 && data->type->solid);
}

/* The memory that lies between the first byte of the data and the last: where it begins, and *bytes; 0: no data. */
char *data_range(const struct typed_data *data, size_t *bytes);

/* The data as contiguous bytes, for sending: in place, or a packed copy, which the caller frees by *copy. */
void *data_pack_copy(struct mpi *mpi, const struct typed_data *data, void **copy);

static inline void *
data_packed(struct mpi *mpi, const struct typed_data *data, void **copy)
{
    *copy = NULL;
    return data_is_one_piece(data) || data->bytes == 0 ? data->buffer + data->type->true_lb
                                                       : data_pack_copy(mpi, data, copy);
}

/* Where `bytes` bytes are to be received: in their place, or in a copy to be unpacked by data_unpack. */
static inline void *
data_place(struct mpi *mpi, const struct typed_data *data, void **copy)
{
    *copy = NULL;
    return data_is_one_piece(data) || data->bytes == 0 ? data->buffer + data->type->true_lb
                                                       : (*copy = mpi_scratch(mpi, data->bytes));
}

void data_unpack_copy(struct mpi *mpi, const struct typed_data *data, void *copy, size_t bytes);

static inline void
data_unpack(struct mpi *mpi, const struct typed_data *data, void *copy, size_t bytes)
{
    if (copy)
        data_unpack_copy(mpi, data, copy, bytes);
}

/* Find the datatype of a handle; return an error from the call if there is none. */
#define FIND_TYPE(found, handle)                                                                                       \
    struct type *found = type_find(mpi, handle);                                                                       \
    if (!found)                                                                                                        \
    return mpi_error(mpi, NULL, MPI_ERR_TYPE, #handle " %s", handle_wrong(mpi, KIND_TYPE, (uintptr_t)handle))
