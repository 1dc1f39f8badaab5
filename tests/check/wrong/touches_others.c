/* SPDX-License-Identifier: MIT */
/* In one of ten steps one node touches memory of another's, on its stack or in a block: the run's seed decides node,
 * step, place and access.  With seed 0 no node does. */
#include <peal/peal.h>

enum { STEPS = 10, WORDS = 8 };

/* The i-th number of the seed, the same on every node: below `below`. */
static int
number(const struct peal_node *me, int i, int below)
{
    uint64_t x = peal_node_options(me)->seed * 1000003 + (uint64_t)i * UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 31) * UINT64_C(0x7FB5D329728EA185);
    return (int)((x ^ x >> 33) % (uint64_t)below);
}

static __attribute__((noinline)) void
touch(volatile uint64_t *words, int word, bool write)
{
    if (write)
        words[word] = 1; /* written here */
    else
        (void)words[word]; /* read here */
}

void
my_barrier(struct peal_node *me)
{
    int P = peal_size(me), culprit = number(me, 1, P), victim = (culprit + 1 + number(me, 2, P - 1 + (P == 1))) % P;
    volatile uint64_t stack[WORDS] = {0};
    uint64_t *mine[2] = {(uint64_t *)(uintptr_t)stack, peal_alloc(me, WORDS)};
    uint64_t **all = peal_alloc(me, 2 * (size_t)P);

    peal_allgather(me, mine, 2, all);
    for (int step = 0; step < STEPS; step++) {
        bool wrong = peal_node_options(me)->seed > 0 && peal_rank(me) == culprit && step == number(me, 3, STEPS);

        for (int i = 0; i < WORDS; i++)
            touch(mine[i % 2], i, step % 2);
        if (wrong)
            touch(all[2 * victim + number(me, 4, 2)], number(me, 5, WORDS), number(me, 6, 2));
        peal_barrier(me);
    }
}
