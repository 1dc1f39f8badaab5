/* SPDX-License-Identifier: MIT */
/* The calls as Fortran makes them, for mpif.h and both modules: each argument by its address, handles by their numbers,
 * lengths of texts after all arguments, an error's code as the last one, which may be absent.  mpi/fortran/fortran.py
 * writes most of them; a call is at the line of the Fortran program. */
#include "mpi/call/handle.h"
#include "mpi/comm/topo.h"
#include "mpi/strict/held.h"
#include <peal/hints.h>
#include <string.h>

/* Where the sentinels lie in their COMMON block, of which each node has its own; fortran.py declares it. */
enum {
    AT_STATUS_IGNORE = 0,
    AT_STATUSES_IGNORE = 24,
    AT_BOTTOM = 48,
    AT_IN_PLACE = 52,
    AT_UNWEIGHTED = 56,
    AT_WEIGHTS_EMPTY = 60,
    SENTINELS_END = 68
};

enum { FORTRAN_TEXT = MPI_MAX_PORT_NAME }; /* the longest text that a call gives */

/* libgfortran's own code for asynchronous units, which we replace (fortran_units.c), has this in each thread. */
PEAL_MPI_API extern __thread void *thread_unit;
__thread void *thread_unit;

PEAL_MPI_API void peal_mpi_fortran(const char *sentinels);

/* The start file of the node's program says where the COMMON block is. */
void
peal_mpi_fortran(const char *sentinels)
{
    struct peal_node *me = peal_self();

    if (me && mpi_nodes)
        mpi_nodes[peal_world_rank(me)].sentinels = sentinels;
}

PEAL_MPI_API __attribute__((noreturn)) void peal_mpi_fortran_exit(int code, const void *const *sites, int count,
                                                                  const char *said);

/* A Fortran program exits, after its library has `said` why: the first of `sites` with a line is its own. */
void
peal_mpi_fortran_exit(int code, const void *const *sites, int count, const char *said)
{
    extern void peal_wrap_exit(int code) __attribute__((noreturn)); /* libpeal's exit, which C programs call, too */
    struct peal_node *me = peal_self();
    const char *file;
    int line;

    for (int i = count; me && mpi_nodes && i-- > 0;)
        if (peal_code_line(me, sites[i], &file, &line))
            mpi_nodes[peal_world_rank(me)].exits = sites[i];
    if (me && mpi_nodes)
        mpi_nodes[peal_world_rank(me)].said = said;
    peal_wrap_exit(code);
}

static void
fortran_leave(MPI_Fint *ierror, int code)
{
    struct peal_node *me = ierror ? peal_self() : NULL;

    if (me)
        peal_suspect_result(me, true);
    if (ierror)
        *ierror = code;
    if (me)
        peal_suspect_result(me, false);
}

/* ------------------------------------------------------------------ arguments */

/* Whether the argument is the sentinel at this place. */
static bool
stands(const struct mpi *mpi, const void *argument, int at)
{
    return mpi->sentinels && argument == mpi->sentinels + at;
}

static void *
fortran_choice(const struct mpi *mpi, void *argument)
{
    if ((uintptr_t)argument - (uintptr_t)mpi->sentinels >= SENTINELS_END)
        return argument;
    return stands(mpi, argument, AT_IN_PLACE) ? MPI_IN_PLACE : stands(mpi, argument, AT_BOTTOM) ? MPI_BOTTOM : argument;
}

static MPI_Status *
fortran_statuses(const struct mpi *mpi, void *argument)
{
    return stands(mpi, argument, AT_STATUS_IGNORE) || stands(mpi, argument, AT_STATUSES_IGNORE) ? MPI_STATUSES_IGNORE
                                                                                                : argument;
}

static MPI_Status *
fortran_status(struct mpi *mpi, void *argument)
{
    MPI_Status *status = fortran_statuses(mpi, argument);

    if (status != MPI_STATUS_IGNORE)
        bounds_look_status(mpi, status);
    return status;
}

static int *
fortran_weights(const struct mpi *mpi, int *argument)
{
    return stands(mpi, argument, AT_UNWEIGHTED)      ? MPI_UNWEIGHTED
           : stands(mpi, argument, AT_WEIGHTS_EMPTY) ? MPI_WEIGHTS_EMPTY
                                                     : argument;
}

/* A text without the blanks after it and, `strips`, those before it: scratch. */
static char *
fortran_text(struct mpi *mpi, const char *text, size_t length, bool strips)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (; strips && length > 0 && *text == ' '; length--)
        text++;
    char *copy = mpi_scratch(mpi, length + 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Fill a variable with a text, and blanks. */
static void
fortran_fill(char *variable, size_t room, const char *text)
{
    size_t length = strlen(text);

    memset(variable, ' ', room);
    memcpy(variable, text, length < room ? length : room);
}

/* The handles of an array of numbers, scratch; and the other way round. */
static uintptr_t *
fortran_handles(struct mpi *mpi, enum handle_kind kind, const MPI_Fint *numbers, int count)
{
    uintptr_t *handles = mpi_scratch(mpi, (count > 0 ? (size_t)count : 1) * sizeof *handles);

    for (int i = 0; i < count; i++)
        handles[i] = handle_numbered(mpi, kind, numbers[i]);
    return handles;
}

static void
fortran_numbers(const struct mpi *mpi, enum handle_kind kind, MPI_Fint *numbers, const void *array, int count)
{
    const uintptr_t *handles = array;

    for (int i = 0; i < count; i++)
        if (handles[i] != handle_numbered(mpi, kind, numbers[i]))
            numbers[i] = handle_number(mpi, kind, handles[i]);
}

/* Addresses that MPI-1 has as INTEGERs: scratch. */
static MPI_Aint *
fortran_addresses(struct mpi *mpi, const MPI_Fint *numbers, int count)
{
    MPI_Aint *addresses = mpi_scratch(mpi, (count > 0 ? (size_t)count : 1) * sizeof *addresses);

    for (int i = 0; i < count; i++)
        addresses[i] = numbers[i];
    return addresses;
}

/* Fortran counts from 1. */
static void
fortran_indices(MPI_Fint *indices, int count)
{
    for (int i = 0; i < count; i++)
        if (indices[i] != MPI_UNDEFINED)
            indices[i]++;
}

/* The value of an attribute; C gets the library's own by their addresses. */
static intptr_t
fortran_attribute(int key, const void *value)
{
    if (key > MPI_WIN_MODEL || key == MPI_WIN_BASE)
        return (intptr_t)value;
    return key == MPI_WIN_SIZE ? *(const MPI_Aint *)value : *(const int *)value;
}

/* How many types an all-to-all has for the nodes that it sends to, or `receives` from; 0 where it ignores them, because
 * its first buffer is MPI_IN_PLACE. */
static int
fortran_peers(struct mpi *mpi, MPI_Fint number, bool neighbours, bool receives, const void *buffer)
{
    const struct comm *comm = comm_find(mpi, (MPI_Comm)handle_numbered(mpi, KIND_COMM, number));
    struct neighbours own;

    if (!comm || stands(mpi, buffer, AT_IN_PLACE))
        return 0;
    if (!neighbours)
        return comm_peers(comm);
    if (!neighbours_find(mpi, comm, &own))
        return 0;
    int count = receives ? own.in : own.out;

    neighbours_fini(mpi, &own);
    return count;
}

/* ------------------------------------------------------------------ sections of arrays
 *
 * The modules pass the descriptor of a buffer that is used after the call, in the form of gfortran's
 * ISO_Fortran_binding.h: a section that is not contiguous becomes a datatype. */

struct descriptor {
    char *address;
    size_t element_bytes;
    int version;
    int8_t rank, attribute;
    int16_t type;
    struct {
        ptrdiff_t lower_bound, extent, stride; /* stride in bytes; the last extent of an assumed size is -1 */
    } dimensions[];
};

/* A buffer, and a type made for it, whose handle the program does not get; MPI_DATATYPE_NULL: its own type fits. */
struct section {
    void *address;
    int count;
    MPI_Datatype type, made;
};

/* Whether the elements lie one behind the other, or there are none. */
static bool
is_contiguous(const struct descriptor *buffer)
{
    ptrdiff_t next = (ptrdiff_t)buffer->element_bytes;
    bool contiguous = true;

    for (int i = 0; i < buffer->rank; i++) {
        contiguous &= buffer->dimensions[i].extent <= 1 || buffer->dimensions[i].stride == next;
        next *= buffer->dimensions[i].extent;
    }
    return contiguous || next == 0;
}

/* Make the type of the first `count` elements of the first dimensions; frees `element`. */
static MPI_Datatype
type_of_elements(const struct descriptor *buffer, int dimensions, size_t count, MPI_Datatype element)
{
    MPI_Datatype types[2] = {element, MPI_DATATYPE_NULL}, made;
    size_t slab = 1;

    if (dimensions == 0)
        return element;
    for (int i = 0; i < dimensions - 1; i++)
        slab *= (size_t)buffer->dimensions[i].extent;
    size_t whole = count / slab;
    ptrdiff_t stride = buffer->dimensions[dimensions - 1].stride;
    MPI_Aint places[2] = {0, (MPI_Aint)whole * stride};

    if (count % slab != 0) { /* only a part of the last slab */
        PMPI_Type_dup(element, &types[1]);
        types[1] = type_of_elements(buffer, dimensions - 1, count % slab, types[1]);
    }
    types[0] = type_of_elements(buffer, dimensions - 1, slab, element);
    PMPI_Type_create_hvector((int)whole, 1, stride, types[0], &made);
    PMPI_Type_free(&types[0]);
    if (count % slab != 0) {
        types[0] = made;
        PMPI_Type_create_struct(2, (const int[]){1, 1}, places, types, &made);
        PMPI_Type_free(&types[0]);
        PMPI_Type_free(&types[1]);
    }
    return made;
}

/* The array with each element as several of so many bytes: scratch. */
static const struct descriptor *
split_elements(struct mpi *mpi, const struct descriptor *buffer, size_t bytes)
{
    const size_t dimensions = (size_t)buffer->rank * sizeof *buffer->dimensions;
    struct descriptor *parts = mpi_scratch(mpi, sizeof *parts + sizeof *parts->dimensions + dimensions);

    *parts = *buffer;
    parts->rank++;
    parts->element_bytes = bytes;
    parts->dimensions[0].extent = (ptrdiff_t)(buffer->element_bytes / bytes);
    parts->dimensions[0].stride = (ptrdiff_t)bytes;
    memcpy(parts->dimensions + 1, buffer->dimensions, dimensions);
    return parts;
}

/* The datatype of one element of the array, and how many there are; count 0: the datatype does not fit the elements,
 * of which each may become several. */
static MPI_Datatype
type_of_one(struct mpi *mpi, const struct descriptor **buffer, MPI_Datatype type, size_t *count)
{
    MPI_Aint low, extent;
    int size;
    MPI_Datatype one = MPI_DATATYPE_NULL;

    PMPI_Type_get_extent(type, &low, &extent);
    PMPI_Type_size(type, &size);
    size_t bytes = (*buffer)->element_bytes, span = (size_t)extent;

    if (low != 0 || extent != size || size == 0 || (bytes % span != 0 && span % bytes != 0)) {
        *count = 0;
        return one;
    }
    if (bytes % span == 0) {
        if (bytes > span)
            *buffer = split_elements(mpi, *buffer, span);
        PMPI_Type_dup(type, &one);
    } else {
        *count *= span / bytes;
        PMPI_Type_contiguous((int)bytes, MPI_BYTE, &one);
    }
    return one;
}

static struct section
fortran_section(struct mpi *mpi, const struct descriptor *buffer, int count, MPI_Fint number)
{
    MPI_Datatype type = (MPI_Datatype)handle_numbered(mpi, KIND_TYPE, number);
    struct section section = {fortran_choice(mpi, buffer->address), count, type, MPI_DATATYPE_NULL};
    size_t elements = count > 0 ? (size_t)count : 0;

    if (elements == 0 || is_contiguous(buffer) || !type_find(mpi, type))
        return section;
    MPI_Datatype one = type_of_one(mpi, &buffer, type, &elements);

    if (elements == 0)
        mpi_fail(
            mpi, PEAL_UNSUPPORTED,
            "the buffer is a section of an array that is not contiguous, and the datatype has gaps or is not one of "
            "its elements");
    section.made = type_of_elements(buffer, buffer->rank, elements, one);
    PMPI_Type_commit(&section.made);
    section.type = section.made;
    section.count = 1;
    return section;
}

static void
fortran_section_end(struct section *section)
{
    if (section->made != MPI_DATATYPE_NULL)
        PMPI_Type_free(&section->made);
}

/* The address of a buffer that has no datatype of its own, and must be contiguous if it is used `whole`. */
static void *
fortran_whole(struct mpi *mpi, const struct descriptor *buffer, bool whole)
{
    if (whole && !is_contiguous(buffer))
        mpi_fail(mpi, PEAL_UNSUPPORTED,
                 "the buffer is a section of an array that is not contiguous: copy it to an array that stays until the "
                 "operation is complete");
    return fortran_choice(mpi, buffer->address);
}

/* ------------------------------------------------------------------ calls */

/* Define a Fortran call, and its weak name without the P. */
#define FORTRAN(name, parameters)                                                                                      \
    FORTRAN_FUNCTION(void, p##name, parameters);                                                                       \
    PEAL_MPI_API extern __typeof__(p##name) name __attribute__((weak, alias("p" #name)));                              \
    void p##name parameters

#define FORTRAN_FUNCTION(type, name, parameters) PEAL_MPI_API type name parameters

/* Call the C function, as from the program's line that calls the Fortran one. */
#define FROM_FORTRAN(call) (mpi->from = __builtin_return_address(0), call)

#include "mpi/fortran_calls.inc"

FORTRAN(mpi_init_, (MPI_Fint * ierror))
{
    struct mpi *mpi = mpi_caller(CALL_Init, __builtin_return_address(0));

    fortran_leave(ierror, FROM_FORTRAN(PMPI_Init(NULL, NULL)));
}

FORTRAN(mpi_init_thread_, (const MPI_Fint *required, MPI_Fint *provided, MPI_Fint *ierror))
{
    struct mpi *mpi = mpi_caller(CALL_Init_thread, __builtin_return_address(0));

    fortran_leave(ierror, FROM_FORTRAN(PMPI_Init_thread(NULL, NULL, *required, provided)));
}

FORTRAN(mpi_pcontrol_, (const MPI_Fint *level))
{
    (void)level;
}

/* The program knows the buffer; its address would not fit into every variable. */
FORTRAN(mpi_buffer_detach_, (void *buffer_addr, MPI_Fint *size, MPI_Fint *ierror))
{
    struct mpi *mpi = mpi_caller(CALL_Buffer_detach, __builtin_return_address(0));
    void *address;

    (void)buffer_addr;
    fortran_leave(ierror, FROM_FORTRAN(PMPI_Buffer_detach(&address, size)));
}

FORTRAN(mpi_buffer_detach_f08_, (void *buffer_addr, MPI_Fint *size, MPI_Fint *ierror))
{
    struct mpi *mpi = mpi_caller(CALL_Buffer_detach, __builtin_return_address(0));

    fortran_leave(ierror, FROM_FORTRAN(PMPI_Buffer_detach(buffer_addr, size)));
}

#define FORTRAN_TIME(name, Name)                                                                                       \
    FORTRAN_FUNCTION(double, p##name, (void));                                                                         \
    PEAL_MPI_API extern __typeof__(p##name) name __attribute__((weak, alias("p" #name)));                              \
    double p##name(void)                                                                                               \
    {                                                                                                                  \
        struct mpi *mpi = mpi_caller(CALL_##Name, __builtin_return_address(0));                                        \
                                                                                                                       \
        return FROM_FORTRAN(PMPI_##Name());                                                                            \
    }

FORTRAN_TIME(mpi_wtime_, Wtime)
FORTRAN_TIME(mpi_wtick_, Wtick)

#define FORTRAN_ADDRESS(name, Name)                                                                                    \
    FORTRAN_FUNCTION(MPI_Aint, p##name, (const MPI_Aint *left, const MPI_Aint *right));                                \
    PEAL_MPI_API extern __typeof__(p##name) name __attribute__((weak, alias("p" #name)));                              \
    MPI_Aint p##name(const MPI_Aint *left, const MPI_Aint *right)                                                      \
    {                                                                                                                  \
        return PMPI_##Name(*left, *right);                                                                             \
    }

FORTRAN_ADDRESS(mpi_aint_add_, Aint_add)
FORTRAN_ADDRESS(mpi_aint_diff_, Aint_diff)

/* ------------------------------------------------------------------ functions of keys, and of the modules */

/* MPI_X_DUP_FN and the like, for attributes of a kind of integer; those that copy nothing are a NULL function in C. */
#define KEY_FUNCTIONS(kind, integer)                                                                                   \
    FORTRAN_FUNCTION(void, mpi_##kind##dup_fn_,                                                                        \
                     (const MPI_Fint *object, const MPI_Fint *key, const integer *extra, const integer *in,            \
                      integer *out, MPI_Fint *flag, MPI_Fint *ierror));                                                \
    void mpi_##kind##dup_fn_(const MPI_Fint *object, const MPI_Fint *key, const integer *extra, const integer *in,     \
                             integer *out, MPI_Fint *flag, MPI_Fint *ierror)                                           \
    {                                                                                                                  \
        (void)object, (void)key, (void)extra;                                                                          \
        *out = *in;                                                                                                    \
        *flag = 1;                                                                                                     \
        *ierror = MPI_SUCCESS;                                                                                         \
    }                                                                                                                  \
    FORTRAN_FUNCTION(void, mpi_##kind##null_copy_fn_,                                                                  \
                     (const MPI_Fint *object, const MPI_Fint *key, const integer *extra, const integer *in,            \
                      integer *out, MPI_Fint *flag, MPI_Fint *ierror));                                                \
    void mpi_##kind##null_copy_fn_(const MPI_Fint *object, const MPI_Fint *key, const integer *extra,                  \
                                   const integer *in, integer *out, MPI_Fint *flag, MPI_Fint *ierror)                  \
    {                                                                                                                  \
        (void)object, (void)key, (void)extra, (void)in, (void)out;                                                     \
        *flag = 0;                                                                                                     \
        *ierror = MPI_SUCCESS;                                                                                         \
    }                                                                                                                  \
    FORTRAN_FUNCTION(                                                                                                  \
        void, mpi_##kind##null_delete_fn_,                                                                             \
        (const MPI_Fint *object, const MPI_Fint *key, const integer *value, const integer *extra, MPI_Fint *ierror));  \
    void mpi_##kind##null_delete_fn_(const MPI_Fint *object, const MPI_Fint *key, const integer *value,                \
                                     const integer *extra, MPI_Fint *ierror)                                           \
    {                                                                                                                  \
        (void)object, (void)key, (void)value, (void)extra;                                                             \
        *ierror = MPI_SUCCESS;                                                                                         \
    }

KEY_FUNCTIONS(comm_, MPI_Aint)
KEY_FUNCTIONS(type_, MPI_Aint)
KEY_FUNCTIONS(win_, MPI_Aint)
KEY_FUNCTIONS(, MPI_Fint)

FORTRAN_FUNCTION(void, mpi_conversion_fn_null_, (void));
void
mpi_conversion_fn_null_(void)
{
}

/* == and /= of handles. */
#define COMPARISONS(kind)                                                                                              \
    FORTRAN_FUNCTION(MPI_Fint, peal_equal_##kind##_, (const MPI_Fint *left, const MPI_Fint *right));                   \
    MPI_Fint peal_equal_##kind##_(const MPI_Fint *left, const MPI_Fint *right)                                         \
    {                                                                                                                  \
        return *left == *right;                                                                                        \
    }                                                                                                                  \
    FORTRAN_FUNCTION(MPI_Fint, peal_differ_##kind##_, (const MPI_Fint *left, const MPI_Fint *right));                  \
    MPI_Fint peal_differ_##kind##_(const MPI_Fint *left, const MPI_Fint *right)                                        \
    {                                                                                                                  \
        return *left != *right;                                                                                        \
    }

/* clang-format off */
COMPARISONS(comm) COMPARISONS(group) COMPARISONS(datatype) COMPARISONS(request) COMPARISONS(message)
COMPARISONS(op) COMPARISONS(errhandler) COMPARISONS(info) COMPARISONS(win) COMPARISONS(file)
/* clang-format on */

/* MPI_Sizeof of each type; `length` is that of a text. */
#define SIZE_OF(kind, bytes)                                                                                           \
    FORTRAN_FUNCTION(void, peal_sizeof_##kind##_,                                                                      \
                     (const void *array, MPI_Fint *size, MPI_Fint *ierror, size_t length));                            \
    void peal_sizeof_##kind##_(const void *array, MPI_Fint *size, MPI_Fint *ierror, size_t length)                     \
    {                                                                                                                  \
        (void)array, (void)length;                                                                                     \
        *size = (MPI_Fint)(bytes);                                                                                     \
        fortran_leave(ierror, MPI_SUCCESS);                                                                            \
    }

    /* clang-format off */
SIZE_OF(character, length) SIZE_OF(logical, 4) SIZE_OF(integer1, 1) SIZE_OF(integer2, 2) SIZE_OF(integer4, 4)
SIZE_OF(integer8, 8) SIZE_OF(integer16, 16) SIZE_OF(real4, 4) SIZE_OF(real8, 8) SIZE_OF(real16, 16)
SIZE_OF(complex4, 8) SIZE_OF(complex8, 16) SIZE_OF(complex16, 32)
    /* clang-format on */
