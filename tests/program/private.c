/* SPDX-License-Identifier: MIT */
/* Every kind of variable that outlives a call holds the rank of its own node, not what the others write. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

int initialised = 1000;
int zeroed;
static int file_static = 7;
int common_word __attribute__((common));
double common_array[300] __attribute__((common));
_Thread_local int thread_local_word = 5;
static _Thread_local int thread_local_zeroed;
int large[1 << 16]; /* a .bss of its own map */
int table[] = {1, 2, 3};
int *points_at_table = &table[1];

static int *
function_static(void)
{
    static int calls = 40;

    return &calls;
}

static void
expect(struct peal_node *me, const char *what, long is, long should)
{
    static char text[100]; /* of a node's own too */

    if (is == should)
        return;
    snprintf(text, sizeof text, "%s is %ld and not %ld", what, is, should);
    peal_abort(me, text);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int rank = peal_rank(me), rounds = argc > 1 ? atoi(argv[1]) : 3;

    expect(me, "initialised, at first,", initialised, 1000);
    expect(me, "zeroed, at first,", zeroed, 0);
    expect(me, "file_static, at first,", file_static, 7);
    expect(me, "common_word, at first,", common_word, 0);
    expect(me, "common_array, at first,", (long)common_array[299], 0);
    expect(me, "thread_local_word, at first,", thread_local_word, 5);
    expect(me, "thread_local_zeroed, at first,", thread_local_zeroed, 0);
    expect(me, "large, at first,", large[(1 << 16) - 1], 0);
    expect(me, "*points_at_table, at first,", *points_at_table, 2);
    expect(me, "function_static, at first,", *function_static(), 40);
    expect(me, "points_at_table", (long)points_at_table, (long)&table[1]);
    initialised = zeroed = file_static = common_word = thread_local_word = thread_local_zeroed = rank;
    common_array[299] = large[(1 << 16) - 1] = *points_at_table = *function_static() = rank;
    for (int i = 0; i < rounds; i++) {
        peal_next_round(me);
        expect(me, "initialised", initialised, rank);
        expect(me, "zeroed", zeroed, rank);
        expect(me, "file_static", file_static, rank);
        expect(me, "common_word", common_word, rank);
        expect(me, "common_array", (long)common_array[299], rank);
        expect(me, "thread_local_word", thread_local_word, rank);
        expect(me, "thread_local_zeroed", thread_local_zeroed, rank);
        expect(me, "large", large[(1 << 16) - 1], rank);
        expect(me, "*points_at_table", *points_at_table, rank);
        expect(me, "table[1]", table[1], rank);
        expect(me, "function_static", *function_static(), rank);
    }
}
