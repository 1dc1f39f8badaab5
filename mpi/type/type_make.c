/* SPDX-License-Identifier: MIT */
/* Makes datatypes from others: bounds, contiguity and signature follow from the parts. */
#include "mpi/comm/attribute.h"
#include "mpi/strict/finding.h"
#include <string.h>

void
type_use(struct type *type)
{
    if (!type->number)
        type->references++;
}

void
type_drop(struct mpi *mpi, struct type *type)
{
    if (type->number || --type->references > 0)
        return;
    for (size_t i = 0; i < type->part_count; i++)
        type_drop(mpi, type->parts[i].of);
    for (int i = 0; i < type->recipe.type_count; i++)
        type_drop(mpi, type->recipe.types[i]);
    mpi_free(mpi, (void *)(uintptr_t)type->parts); /* const to all but its maker */
    mpi_free(mpi, type->recipe.ints);
    mpi_free(mpi, type->recipe.addresses);
    mpi_free(mpi, type->recipe.types);
    mpi_free(mpi, type->name);
    mpi_free(mpi, type);
}

/* ------------------------------------------------------------------ derived from the parts */

/* The least and greatest offset of an element of the part. */
static ptrdiff_t
type_part_first(const struct type_part *part)
{
    ptrdiff_t last = part->offset + (ptrdiff_t)(part->count - 1) * part->stride;

    return last < part->offset ? last : part->offset;
}

static ptrdiff_t
last_of(const struct type_part *part)
{
    ptrdiff_t last = part->offset + (ptrdiff_t)(part->count - 1) * part->stride;

    return last > part->offset ? last : part->offset;
}

static void
bound_lower(struct type *type)
{
    bool any = false;

    for (size_t i = 0; i < type->part_count; i++)
        type->has_lb |= type->parts[i].of->has_lb;
    for (size_t i = 0; i < type->part_count; i++) {
        const struct type_part *part = &type->parts[i];
        ptrdiff_t lb = type_part_first(part) + part->of->lb;

        if ((type->has_lb && !part->of->has_lb) || (part->of->has_ub && part->of->size == 0 && !part->of->has_lb))
            continue;
        type->lb = !any || lb < type->lb ? lb : type->lb;
        any = true;
    }
}

/* An extent, padded as the compiler pads a struct. */
static ptrdiff_t
padded(const struct type *type, ptrdiff_t extent)
{
    ptrdiff_t align = (ptrdiff_t)type->align;

    return (extent + align - 1) / align * align;
}

static void
bound_upper(struct type *type)
{
    bool any = false;

    for (size_t i = 0; i < type->part_count; i++)
        type->has_ub |= type->parts[i].of->has_ub;
    for (size_t i = 0; i < type->part_count; i++) {
        const struct type_part *part = &type->parts[i];
        ptrdiff_t ub = last_of(part) + part->of->ub;

        if ((type->has_ub && !part->of->has_ub) || (part->of->has_lb && part->of->size == 0 && !part->of->has_ub))
            continue;
        type->ub = !any || ub > type->ub ? ub : type->ub;
        any = true;
    }
    if (any && !type->has_ub && !type->has_lb)
        type->ub = type->lb + padded(type, type->ub - type->lb);
}

static void
bound_plainly(struct type *type)
{
    bool any = false, has_markers = false; /* MPI_LB or MPI_UB, which libraries without them pass over */

    for (size_t i = 0; i < type->part_count; i++) {
        const struct type_part *part = &type->parts[i];
        ptrdiff_t lb = type_part_first(part) + part->of->plain_lb, ub = last_of(part) + part->of->plain_ub;

        type->plain_lb = !any || lb < type->plain_lb ? lb : type->plain_lb;
        type->plain_ub = !any || ub > type->plain_ub ? ub : type->plain_ub;
        any = true;
        has_markers |= part->of->number && part->of->size == 0;
    }
    if (has_markers) {
        type->plain_lb = type->lb;
        type->plain_ub = type->ub;
    } else if (type->part_count > 1)
        type->plain_ub = type->plain_lb + padded(type, type->plain_ub - type->plain_lb);
}

void
type_mark(struct type *type, ptrdiff_t lb, ptrdiff_t ub)
{
    type->lb = type->plain_lb = lb;
    type->ub = type->plain_ub = ub;
    type->has_lb = type->has_ub = true;
    type->dense = type->solid && type_extent(type) == (ptrdiff_t)type->size;
}

static void
bound_data(struct type *type)
{
    bool any = false;

    for (size_t i = 0; i < type->part_count; i++) {
        const struct type_part *part = &type->parts[i];

        if (part->of->size == 0)
            continue;
        ptrdiff_t lb = type_part_first(part) + part->of->true_lb, ub = last_of(part) + part->of->true_ub;

        type->true_lb = !any || lb < type->true_lb ? lb : type->true_lb;
        type->true_ub = !any || ub > type->true_ub ? ub : type->true_ub;
        any = true;
    }
}

/* Whether the parts' bytes follow one another. */
static bool
is_solid(const struct type *type)
{
    ptrdiff_t end = 0;
    bool any = false;

    for (size_t i = 0; i < type->part_count; i++) {
        const struct type_part *part = &type->parts[i];
        ptrdiff_t size = (ptrdiff_t)part->of->size, begin = part->offset + part->of->true_lb;

        if (size == 0)
            continue;
        if (!part->of->solid || (part->count > 1 && part->stride != size) || (any && begin != end))
            return false;
        end = begin + (ptrdiff_t)part->count * size;
        any = true;
    }
    return true;
}

/* The parts are set: compute the rest. */
static void
type_settle(struct type *type)
{
    bool any = false; /* basic types so far */

    type->align = 1;
    type->power = 1;
    for (size_t i = 0; i < type->part_count; i++) {
        const struct type_part *part = &type->parts[i];

        type->size += part->count * part->of->size;
        type->basics += part->count * part->of->basics;
        if (type->align < part->of->align)
            type->align = part->of->align;
        type->untyped |= part->of->untyped;
        if (part->of->basics > 0 && part->count > 0) {
            type->basic = !any || type->basic == part->of->basic ? part->of->basic : 0;
            any = true;
        }
        uint64_t power = 1, x = part->of->power;

        for (size_t n = part->count; n > 0; n >>= 1, x *= x)
            if (n & 1)
                power *= x;
        type->signature = type->signature * power + type_note(part->of, part->count);
        type->power *= power;
    }
    bound_lower(type);
    bound_upper(type);
    bound_plainly(type);
    bound_data(type);
    type->solid = is_solid(type);
    type->dense = type->solid && type_extent(type) == (ptrdiff_t)type->size;
}

/* ------------------------------------------------------------------ making */

static void *
copy_of(struct mpi *mpi, const void *from, size_t bytes)
{
    return bytes ? memcpy(mpi_alloc(mpi, bytes), from, bytes) : NULL;
}

static void
copy_recipe(struct mpi *mpi, struct type *type, const struct recipe *recipe)
{
    type->recipe = *recipe;
    type->recipe.ints = copy_of(mpi, recipe->ints, (size_t)recipe->int_count * sizeof *recipe->ints);
    type->recipe.addresses = copy_of(mpi, recipe->addresses, (size_t)recipe->address_count * sizeof *recipe->addresses);
    type->recipe.types = copy_of(mpi, recipe->types, (size_t)recipe->type_count * sizeof(struct type *));
    for (int i = 0; i < recipe->type_count; i++)
        type_use(recipe->types[i]);
}

struct type *
type_list(struct mpi *mpi, const struct type_part *parts, size_t count)
{
    struct type *type = mpi_alloc(mpi, sizeof *type);
    struct type_part *own = mpi_alloc(mpi, count * sizeof *own);

    for (size_t i = 0; i < count; i++) {
        if (parts[i].count == 0)
            continue;
        own[type->part_count++] = parts[i];
        type_use(parts[i].of);
    }
    type->references = 1;
    type->parts = own;
    type_settle(type);
    return type;
}

struct type *
type_make(struct mpi *mpi, const struct type_part *parts, size_t count, const struct recipe *recipe)
{
    struct type *type = type_list(mpi, parts, count);

    copy_recipe(mpi, type, recipe);
    type->handle = (MPI_Datatype)handle_make(mpi, KIND_TYPE, type);
    return type;
}

struct type *
type_row(struct mpi *mpi, size_t count, ptrdiff_t stride, struct type *of)
{
    return type_list(mpi, &(struct type_part){0, count, stride, of}, 1);
}

/* ------------------------------------------------------------------ the calls with lists of blocks */

#define CHECK_COUNT(count)                                                                                             \
    if ((count) < 0)                                                                                                   \
    return mpi_error(mpi, NULL, MPI_ERR_COUNT, #count " is %d: expected 0 or more", count)

/* The arguments of a constructor of blocks; those that it does not have are NULL. */
struct blocks {
    int combiner, count;
    int length; /* of each block, where there are no lengths */
    const int *lengths;
    const int *indices;        /* displacements in elements */
    const MPI_Aint *offsets;   /* or in bytes */
    const MPI_Datatype *types; /* NULL: each is oldtype */
    MPI_Datatype oldtype;
};

static int
check_blocks(struct mpi *mpi, const struct blocks *blocks)
{
    int count = blocks->count;

    CHECK_COUNT(count);
    if (count > 0 && ((!blocks->indices && !blocks->offsets) || (!blocks->lengths && blocks->length < 0)))
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "a list is NULL, with %d blocks", count);
    for (int i = 0; i < count; i++) {
        MPI_Datatype handle = blocks->types ? blocks->types[i] : blocks->oldtype;

        if (blocks->lengths && blocks->lengths[i] < 0)
            return mpi_error(mpi, NULL, MPI_ERR_ARG, "block %d has length %d: expected 0 or more", i,
                             blocks->lengths[i]);
        if (!type_find(mpi, handle))
            return mpi_error(mpi, NULL, MPI_ERR_TYPE, "the datatype of block %d %s", i,
                             handle_wrong(mpi, KIND_TYPE, (uintptr_t)handle));
    }
    return MPI_SUCCESS;
}

/* Note the arguments in the order of MPI_Type_get_contents. */
static struct recipe
recipe_of_blocks(struct mpi *mpi, const struct blocks *blocks, struct type **types)
{
    size_t count = (size_t)blocks->count, used = 1;
    int *ints = mpi_scratch(mpi, (2 * count + 2) * sizeof *ints);

    ints[0] = blocks->count;
    if (!blocks->lengths && blocks->combiner != MPI_COMBINER_STRUCT)
        ints[used++] = blocks->length;
    for (size_t i = 0; blocks->lengths && i < count; i++)
        ints[used++] = blocks->lengths[i];
    for (size_t i = 0; blocks->indices && i < count; i++)
        ints[used++] = blocks->indices[i];
    return (struct recipe){
        .combiner = blocks->combiner,
        .int_count = (int)used,
        .ints = ints,
        .address_count = blocks->offsets ? blocks->count : 0,
        .addresses = (MPI_Aint *)(uintptr_t)blocks->offsets, /* copied */
        .type_count = blocks->types ? blocks->count : 1,
        .types = types,
    };
}

static int
make_blocks(struct mpi *mpi, const struct blocks *blocks, MPI_Datatype *newtype)
{
    NEED(newtype);
    TRY(check_blocks(mpi, blocks));
    size_t count = (size_t)blocks->count;
    struct type_part *parts = mpi_scratch(mpi, (count + 1) * sizeof *parts);
    struct type **types = mpi_scratch(mpi, (count + 1) * sizeof *types);

    types[0] = blocks->types ? NULL : type_find(mpi, blocks->oldtype);
    if (!blocks->types && !types[0])
        return mpi_error(mpi, NULL, MPI_ERR_TYPE, "oldtype %s",
                         handle_wrong(mpi, KIND_TYPE, (uintptr_t)blocks->oldtype));
    for (size_t i = 0; i < count; i++) {
        struct type *of = blocks->types ? type_find(mpi, blocks->types[i]) : types[0];

        types[blocks->types ? i : 0] = of;
        if (blocks->indices || (blocks->lengths ? blocks->lengths[i] : blocks->length) > 1)
            notes_extent(mpi, of);
        parts[i] = (struct type_part){
            .offset = blocks->offsets ? blocks->offsets[i] : blocks->indices[i] * type_extent(of),
            .count = (size_t)(blocks->lengths ? blocks->lengths[i] : blocks->length),
            .stride = type_extent(of),
            .of = of,
        };
    }
    struct recipe recipe = recipe_of_blocks(mpi, blocks, types);

    *newtype = type_make(mpi, parts, count, &recipe)->handle;
    mpi_free(mpi, parts);
    mpi_free(mpi, types);
    mpi_free(mpi, recipe.ints);
    return MPI_SUCCESS;
}

/* The arguments of constructors of blocks of one type, with different lengths or one length. */
#define BLOCKS(what) .combiner = MPI_COMBINER_##what, .count = count, .oldtype = oldtype
#define LENGTHS .lengths = lengths, .length = -1

MPI_CALL(Type_indexed,
         (int count, const int lengths[], const int indices[], MPI_Datatype oldtype, MPI_Datatype *newtype),
         make_blocks(mpi, &(struct blocks){BLOCKS(INDEXED), LENGTHS, .indices = indices}, newtype));
MPI_CALL(Type_create_hindexed,
         (int count, const int lengths[], const MPI_Aint offsets[], MPI_Datatype oldtype, MPI_Datatype *newtype),
         make_blocks(mpi, &(struct blocks){BLOCKS(HINDEXED), LENGTHS, .offsets = offsets}, newtype));
MPI_CALL(Type_hindexed, (int count, int lengths[], MPI_Aint offsets[], MPI_Datatype oldtype, MPI_Datatype *newtype),
         make_blocks(mpi, &(struct blocks){BLOCKS(HINDEXED), LENGTHS, .offsets = offsets}, newtype));
MPI_CHECKED(Type_create_indexed_block,
            (int count, int blocklength, const int indices[], MPI_Datatype oldtype, MPI_Datatype *newtype),
            CHECK_COUNT(blocklength),
            make_blocks(mpi, &(struct blocks){BLOCKS(INDEXED_BLOCK), .length = blocklength, .indices = indices},
                        newtype));
MPI_CHECKED(Type_create_hindexed_block,
            (int count, int blocklength, const MPI_Aint offsets[], MPI_Datatype oldtype, MPI_Datatype *newtype),
            CHECK_COUNT(blocklength),
            make_blocks(mpi, &(struct blocks){BLOCKS(HINDEXED_BLOCK), .length = blocklength, .offsets = offsets},
                        newtype));

static int
make_struct(struct mpi *mpi, int count, const int lengths[], const MPI_Aint offsets[], const MPI_Datatype types[],
            MPI_Datatype *newtype)
{
    struct blocks blocks = {.combiner = MPI_COMBINER_STRUCT,
                            .count = count,
                            .lengths = lengths,
                            .offsets = offsets,
                            .length = -1,
                            .types = types};

    if (count > 0 && !types)
        return mpi_error(mpi, NULL, MPI_ERR_ARG, "the list of datatypes is NULL, with %d blocks", count);
    if (count == 0) /* no blocks of one type, whatever types is */
        blocks.types = &(MPI_Datatype){MPI_BYTE};
    int error = make_blocks(mpi, &blocks, newtype);

    for (int i = 0; i < count && !error; i++)
        if (lengths[i] > 0)
            notes_member(mpi, i, type_find(mpi, types[i]), offsets[i]);
    return error;
}

MPI_CALL(Type_create_struct,
         (int count, const int lengths[], const MPI_Aint offsets[], const MPI_Datatype types[], MPI_Datatype *newtype),
         make_struct(mpi, count, lengths, offsets, types, newtype));
MPI_CALL(Type_struct, (int count, int lengths[], MPI_Aint offsets[], MPI_Datatype types[], MPI_Datatype *newtype),
         make_struct(mpi, count, lengths, offsets, types, newtype));

/* ------------------------------------------------------------------ the calls with one pattern */

MPI_FUNCTION(int, Type_contiguous, int count, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi *mpi = ENTER(Type_contiguous);
    FIND_TYPE(of, oldtype);

    CHECK_COUNT(count);
    NEED(newtype);
    if (count > 1)
        notes_extent(mpi, of);
    struct type_part part = {0, (size_t)count, type_extent(of), of};
    struct recipe recipe = {
        .combiner = MPI_COMBINER_CONTIGUOUS, .int_count = 1, .ints = &count, .type_count = 1, .types = &of};

    *newtype = type_make(mpi, &part, 1, &recipe)->handle;
    return MPI_SUCCESS;
}

/* Blocks of `length` elements, `stride` bytes apart. */
static int
make_vector(struct mpi *mpi, int count, int length, ptrdiff_t stride, struct type *of, const struct recipe *recipe,
            MPI_Datatype *newtype)
{
    if (length > 1 || recipe->combiner == MPI_COMBINER_VECTOR)
        notes_extent(mpi, of);
    struct type *row = type_row(mpi, (size_t)length, type_extent(of), of);
    struct type_part part = {0, length ? (size_t)count : 0, stride, row};

    *newtype = type_make(mpi, &part, 1, recipe)->handle;
    type_drop(mpi, row);
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Type_vector, int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi *mpi = ENTER(Type_vector);
    FIND_TYPE(of, oldtype);

    CHECK_COUNT(count);
    CHECK_COUNT(blocklength);
    NEED(newtype);
    struct recipe recipe = {.combiner = MPI_COMBINER_VECTOR,
                            .int_count = 3,
                            .ints = (int[]){count, blocklength, stride},
                            .type_count = 1,
                            .types = &of};

    return make_vector(mpi, count, blocklength, stride * type_extent(of), of, &recipe, newtype);
}

static int
make_hvector(struct mpi *mpi, int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    FIND_TYPE(of, oldtype);
    CHECK_COUNT(count);
    CHECK_COUNT(blocklength);
    NEED(newtype);
    struct recipe recipe = {.combiner = MPI_COMBINER_HVECTOR,
                            .int_count = 2,
                            .ints = (int[]){count, blocklength},
                            .address_count = 1,
                            .addresses = &stride,
                            .type_count = 1,
                            .types = &of};

    return make_vector(mpi, count, blocklength, stride, of, &recipe, newtype);
}

MPI_CALL(Type_create_hvector,
         (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype),
         make_hvector(mpi, count, blocklength, stride, oldtype, newtype));
MPI_CALL(Type_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype),
         make_hvector(mpi, count, blocklength, stride, oldtype, newtype));

MPI_FUNCTION(int, Type_create_resized, MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *newtype)
{
    struct mpi *mpi = ENTER(Type_create_resized);
    FIND_TYPE(of, oldtype);

    NEED(newtype);
    struct type_part part = {0, 1, 0, of};
    struct recipe recipe = {.combiner = MPI_COMBINER_RESIZED,
                            .address_count = 2,
                            .addresses = (MPI_Aint[]){lb, extent},
                            .type_count = 1,
                            .types = &of};
    struct type *type = type_make(mpi, &part, 1, &recipe);

    type_mark(type, lb, lb + extent);
    *newtype = type->handle;
    return MPI_SUCCESS;
}

MPI_FUNCTION(int, Type_dup, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    struct mpi *mpi = ENTER(Type_dup);
    FIND_TYPE(of, oldtype);

    NEED(newtype);
    struct type_part part = {0, 1, 0, of};
    struct recipe recipe = {.combiner = MPI_COMBINER_DUP, .type_count = 1, .types = &of};
    struct type *type = type_make(mpi, &part, 1, &recipe);

    type->lb = of->lb;
    type->ub = of->ub;
    type->plain_lb = of->plain_lb;
    type->plain_ub = of->plain_ub;
    type->has_lb = of->has_lb;
    type->has_ub = of->has_ub;
    type->dense = of->dense;
    type->committed = of->committed;
    int error = attributes_copy(mpi, type_owner(mpi, of), type_owner(mpi, type));

    *newtype = MPI_DATATYPE_NULL;
    if (error) {
        attributes_delete(mpi, type_owner(mpi, type));
        handle_free(mpi, KIND_TYPE, (uintptr_t)type->handle);
        type_drop(mpi, type);
        return mpi_error(mpi, NULL, error, "an attribute could not be copied");
    }
    *newtype = type->handle;
    return MPI_SUCCESS;
}
