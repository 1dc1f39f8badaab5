/* SPDX-License-Identifier: MIT */
/* Tests of the hash table, and of arrays that grow. */
#include "lib/base/map.h"
#include "lib/base/grow.h"
#include <criterion/criterion.h>
#include <stdlib.h>

enum { KEYS = 5000 };

Test(map, finds_each_number_that_was_put_and_no_other, .timeout = 10)
{
    struct map map = {0};

    cr_expect_eq(map_find(&map, 0), MAP_NONE);
    for (uint32_t i = 0; i < KEYS; i++) {
        cr_assert_eq(map_find(&map, map_pair(i % 7, i)), MAP_NONE);
        cr_assert(map_put(&map, map_pair(i % 7, i), i));
    }
    for (uint32_t i = 0; i < KEYS; i++)
        cr_expect_eq(map_find(&map, map_pair(i % 7, i)), i);
    cr_expect_eq(map_find(&map, map_pair(8, 8)), MAP_NONE);
    cr_expect_leq(2 * map.count, map.size + 2);
    free(map.places);
}

Test(map, goes_through_all_numbers_of_a_key, .timeout = 10)
{
    struct map map = {0};
    size_t at = 0, seen = 0;

    for (size_t i = 0; i < KEYS; i++)
        cr_assert(map_put(&map, i % 50, i));
    for (ptrdiff_t number; (number = map_next(&map, 17, &at)) != MAP_NONE; seen++)
        cr_expect_eq(number % 50, 17);
    cr_expect_eq(seen, KEYS / 50);
    free(map.places);
}

Test(grow, keeps_what_is_there_when_one_is_added, .timeout = 10)
{
    int *list = NULL;

    for (size_t i = 0; i < KEYS; i++) {
        cr_assert(grow_by_one(&list, i, sizeof *list));
        list[i] = (int)i;
    }
    for (size_t i = 0; i < KEYS; i++)
        cr_expect_eq(list[i], (int)i);
    free(list);
}

Test(grow, what_is_new_is_zero_where_that_is_asked_for, .timeout = 10)
{
    size_t capacity = 0;
    uint64_t *list = NULL;

    for (size_t i = 0; i < KEYS; i += 99) {
        cr_assert(peal_grow_zeroed(&list, &capacity, i + 1, sizeof *list));
        for (size_t j = 0; j < capacity; j++)
            cr_expect_eq(list[j], j <= i - 99 && i > 0 && j % 99 == 0 ? j + 1 : 0);
        list[i] = i + 1;
    }
    free(list);
}

Test(map, equal_elements_are_kept_once, .timeout = 10)
{
    uint64_t all[64] = {0};
    struct map map = {.places = NULL};
    size_t used = 0, first;

    for (uint64_t i = 0; i < 20; i++) { /* the pairs (0, 1), (1, 2), .. of 5 numbers, over and over */
        all[used] = i % 5;
        all[used + 1] = i % 5 + 1;
        cr_assert(map_intern(&map, all, &used, 2, sizeof *all, &first));
        cr_expect_eq(first, 2 * (i % 5));
    }
    cr_expect_eq(used, 10);
    all[used] = 1; /* one element is not two */
    cr_assert(map_intern(&map, all, &used, 1, sizeof *all, &first));
    cr_expect_eq(first, 10);
    all[used] = 1; /* that is there last */
    cr_assert(map_intern(&map, all, &used, 1, sizeof *all, &first));
    cr_expect_eq(first, 10);
    free(map.places);
}
