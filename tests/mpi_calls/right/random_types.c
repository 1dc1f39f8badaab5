/* nodes: 1 3 */
/* SPDX-License-Identifier: MIT */
/* Random datatypes, made of one another, against a naive list of (offset, bytes): size, bounds, packing, unpacking,
 * messages. */
#include "check.h"

enum { RUNS = 300, MAX_ENTRIES = 4000, ROOM = 1 << 20 };

/* A type map as the standard has it, and the bounds that follow from it. */
struct map {
    int count;
    long size, lb, ub;
    struct {
        long offset;
        int bytes;
    } entries[MAX_ENTRIES];
};

static unsigned long state = 88172645463325252UL;

static int
draw(int most)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (int)((state >> 11) % (unsigned long)most);
}

static void
basic(struct map *map, MPI_Datatype *type)
{
    static const struct {
        MPI_Datatype type;
        int bytes;
    } all[] = {{MPI_CHAR, 1}, {MPI_SHORT, 2}, {MPI_INT, 4}, {MPI_DOUBLE, 8}, {MPI_FLOAT, 4}, {MPI_LONG_LONG, 8}};
    int which = draw(6);

    map->count = 1;
    map->size = map->ub = map->entries[0].bytes = all[which].bytes;
    map->lb = map->entries[0].offset = 0;
    *type = all[which].type;
}

static void
start(struct map *map)
{
    map->count = 0;
    map->size = 0;
    map->lb = map->ub = 0;
}

/* Put a copy of `part` at an offset. */
static void
put(struct map *map, const struct map *part, long offset)
{
    if (map->count == 0 || part->lb + offset < map->lb)
        map->lb = part->lb + offset;
    if (map->count == 0 || part->ub + offset > map->ub)
        map->ub = part->ub + offset;
    for (int i = 0; i < part->count && map->count < MAX_ENTRIES; i++) {
        map->entries[map->count] = part->entries[i];
        map->entries[map->count++].offset += offset;
    }
    map->size += part->size;
}

/* A type of blocks of `old`: every constructor is one of these to the naive map. */
static void
grow(const struct map *old, MPI_Datatype old_type, struct map *map, MPI_Datatype *type)
{
    int count = 1 + draw(3), length = 1 + draw(3), lengths[4], places[4];
    long extent = old->ub - old->lb, stride = length * extent + draw(3) * 8;
    MPI_Aint offsets[4];

    start(map);
    for (int i = 0; i < count; i++) {
        lengths[i] = 1 + draw(3);
        places[i] = 4 * i + draw(2);
        offsets[i] = places[i] * extent;
    }
    switch (draw(7)) {
    case 0:
        MPI_Type_contiguous(count, old_type, type);
        for (int i = 0; i < count; i++)
            put(map, old, i * extent);
        break;
    case 1:
        MPI_Type_vector(count, length, length + 1, old_type, type);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < length; k++)
                put(map, old, (i * (length + 1) + k) * extent);
        break;
    case 2:
        MPI_Type_create_hvector(count, length, stride, old_type, type);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < length; k++)
                put(map, old, i * stride + k * extent);
        break;
    case 3:
        MPI_Type_indexed(count, lengths, places, old_type, type);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < lengths[i]; k++)
                put(map, old, (places[i] + k) * extent);
        break;
    case 4:
        MPI_Type_create_hindexed(count, lengths, offsets, old_type, type);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < lengths[i]; k++)
                put(map, old, offsets[i] + k * extent);
        break;
    case 5:
        MPI_Type_create_indexed_block(count, length, places, old_type, type);
        for (int i = 0; i < count; i++)
            for (int k = 0; k < length; k++)
                put(map, old, (places[i] + k) * extent);
        break;
    default:
        MPI_Type_create_resized(old_type, old->lb, extent + 8, type);
        *map = *old;
        map->ub += 8;
    }
}

/* A part of an array of two dimensions, in the order of C or Fortran. */
static void
cut(const struct map *old, MPI_Datatype old_type, struct map *map, MPI_Datatype *type)
{
    int sizes[2] = {3 + draw(3), 2 + draw(4)}, parts[2], starts[2], order = draw(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    long extent = old->ub - old->lb;

    for (int i = 0; i < 2; i++) {
        parts[i] = 1 + draw(sizes[i]);
        starts[i] = draw(sizes[i] - parts[i] + 1);
    }
    MPI_Type_create_subarray(2, sizes, parts, starts, order, old_type, type);
    start(map);
    for (int slow = 0; slow < parts[order == MPI_ORDER_C ? 0 : 1]; slow++)
        for (int fast = 0; fast < parts[order == MPI_ORDER_C ? 1 : 0]; fast++) {
            int row = starts[0] + (order == MPI_ORDER_C ? slow : fast),
                column = starts[1] + (order == MPI_ORDER_C ? fast : slow);

            put(map, old, (order == MPI_ORDER_C ? row * sizes[1] + column : column * sizes[0] + row) * extent);
        }
    map->lb = 0;
    map->ub = sizes[0] * sizes[1] * extent;
}

static char memory[ROOM], other[ROOM], packed[ROOM], naive[ROOM], zeros[ROOM];

/* Compare the type with its map. */
static void
compare(const struct map *map, MPI_Datatype type, int count)
{
    char *base = memory + ROOM / 2, *far = other + ROOM / 2;
    long extent = map->ub - map->lb, at = 0;
    int size_here, position = 0;
    MPI_Aint lb, bytes;

    MPI_Type_size(type, &size_here);
    MPI_Type_get_extent(type, &lb, &bytes);
    CHECK(size_here == map->size && lb == map->lb && bytes == extent);
    for (int e = 0; e < count; e++)
        for (int i = 0; i < map->count; at += map->entries[i++].bytes)
            memcpy(naive + at, base + e * extent + map->entries[i].offset, (size_t)map->entries[i].bytes);
    MPI_Pack(base, count, type, packed, ROOM, &position, MPI_COMM_WORLD);
    CHECK(position == at && memcmp(packed, naive, (size_t)at) == 0);
    memset(other, 0, sizeof other);
    MPI_Sendrecv(base, count, type, rank, 0, far, count, type, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int e = 0; e < count; e++)
        for (int i = 0; i < map->count; i++) {
            char *place = far + e * extent + map->entries[i].offset;

            CHECK(memcmp(place, base + e * extent + map->entries[i].offset, (size_t)map->entries[i].bytes) == 0);
            memset(place, 0, (size_t)map->entries[i].bytes);
        }
    CHECK(memcmp(other, zeros, sizeof other) == 0); /* nothing beside the map was written */
    position = 0;
    MPI_Unpack(packed, ROOM, &position, far, count, type, MPI_COMM_WORLD);
    for (int i = 0; i < map->count; i++)
        CHECK(memcmp(far + map->entries[i].offset, base + map->entries[i].offset, (size_t)map->entries[i].bytes) == 0);
}

int
main(int argc, char **argv)
{
    static struct map maps[2];

    begin(&argc, &argv);
    state += (unsigned long)rank;
    for (int i = 0; i < ROOM; i++)
        memory[i] = (char)(i * 7 + i / 251);
    for (int run = 0; run < RUNS; run++) {
        MPI_Datatype type, next;
        int now = 0, depth = draw(4), named = 1;

        basic(&maps[0], &type);
        for (int i = 0; i < depth; i++, now = !now) {
            if (draw(5) == 0)
                cut(&maps[now], type, &maps[!now], &next);
            else
                grow(&maps[now], type, &maps[!now], &next);
            if (!named)
                MPI_Type_free(&type);
            named = 0;
            type = next;
            if (maps[!now].count >= MAX_ENTRIES / 30 || maps[!now].ub - maps[!now].lb > ROOM / 80) {
                now = !now;
                break;
            }
        }
        MPI_Type_commit(&type);
        compare(&maps[now], type, 1 + draw(3));
        if (!named)
            MPI_Type_free(&type);
    }
    MPI_Finalize();
    return 0;
}
