/* nodes: 1 2 7 64 */
/* SPDX-License-Identifier: MIT */
/* Groups in an order of their own, and sets of them, against lists. */
#include "check.h"

static int
position(const int *list, int count, int value)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value)
            return i;
    return MPI_UNDEFINED;
}

/* The group has these ranks of the world in this order. */
static void
has(MPI_Group group, MPI_Group world, const int *list, int count)
{
    int n, mine, *all = malloc(((size_t)size + 1) * sizeof *all), *places = malloc(((size_t)size + 1) * sizeof *places);

    MPI_Group_size(group, &n);
    MPI_Group_rank(group, &mine);
    CHECK(n == count && mine == position(list, count, rank));
    for (int i = 0; i < size; i++)
        all[i] = i;
    MPI_Group_translate_ranks(world, size, all, group, places);
    for (int i = 0; i < size; i++)
        CHECK(places[i] == position(list, count, i));
    if (count > 0)
        MPI_Group_translate_ranks(group, count, all, world, places);
    for (int i = 0; i < count; i++)
        CHECK(places[i] == list[i]);
    free(all);
    free(places);
}

/* Those of a that are, or with `in` 0 are not, in b, after `out[0 .. count)`. */
static int
pick(const int *a, int a_count, const int *b, int b_count, int in, int *out, int count)
{
    for (int i = 0; i < a_count; i++)
        if ((position(b, b_count, a[i]) != MPI_UNDEFINED) == in)
            out[count++] = a[i];
    return count;
}

int
main(int argc, char **argv)
{
    int count = 0, third = 0, *mixed, *some, *list, result;
    MPI_Group world, a, b, made;

    begin(&argc, &argv);
    mixed = malloc((size_t)size * sizeof *mixed);
    some = malloc((size_t)size * sizeof *some);
    list = malloc(2 * (size_t)size * sizeof *list);
    for (int i = 0; i < size; i++) /* odd ones downwards, then even ones */
        if ((size - 1 - i) % 2)
            mixed[count++] = size - 1 - i;
    for (int i = 0; i < size; i += 2)
        mixed[count++] = i;
    for (int i = size - 1; i >= 0; i -= 3)
        some[third++] = i;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, count, mixed, &a);
    MPI_Group_incl(world, third, some, &b);
    has(a, world, mixed, count);
    has(b, world, some, third);
    MPI_Group_compare(a, world, &result);
    CHECK(result == (size == 1 ? MPI_IDENT : MPI_SIMILAR));
    MPI_Group_compare(b, world, &result);
    CHECK(result == (size == 1 ? MPI_IDENT : MPI_UNEQUAL));
    MPI_Group_union(b, a, &made);
    has(made, world, list,
        pick(a ? mixed : NULL, count, some, third, 0, list, pick(some, third, some, third, 1, list, 0)));
    MPI_Group_free(&made);
    MPI_Group_intersection(a, b, &made);
    has(made, world, list, pick(mixed, count, some, third, 1, list, 0));
    if (made != MPI_GROUP_EMPTY)
        MPI_Group_free(&made);
    MPI_Group_difference(a, b, &made);
    has(made, world, list, pick(mixed, count, some, third, 0, list, 0));
    if (made != MPI_GROUP_EMPTY)
        MPI_Group_free(&made);
    MPI_Group_free(&a);
    MPI_Group_free(&b);
    MPI_Group_free(&world);
    free(mixed);
    free(some);
    free(list);
    MPI_Finalize();
    return 0;
}
