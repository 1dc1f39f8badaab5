/* SPDX-License-Identifier: MIT */
/* Keys, and the parts of sorts of blocks. */
#include "kit.h"
#include <stdlib.h>
#include <string.h>

static int
compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

void
sort_keys(struct peal_node *me, int64_t *keys, size_t count)
{
    if (count > 1)
        qsort(keys, count, sizeof *keys, compare);
    peal_compute(me, (int64_t)count * log2_up(count));
}

void
compare_split(struct peal_node *me, struct keys *keys, int partner, bool keep_lower)
{
    const int64_t *mine = keys->mine, *theirs = keys->theirs;
    size_t b = keys->b;

    peal_sendrecv(me, mine, b, partner, keys->theirs, b, partner);
    if (keep_lower)
        for (size_t i = 0, j = 0, k = 0; k < b; k++)                  /* merge from the front until there are b */
            keys->kept[k] = mine[i] <= theirs[j] ? mine[i++] : theirs[j++];
    else
        for (size_t i = b, j = b, k = b; k > 0; k--)                  /* from the back */
            keys->kept[k - 1] = mine[i - 1] > theirs[j - 1] ? mine[--i] : theirs[--j];
    peal_compute(me, (int64_t)b);
    keys->mine = keys->kept;
    keys->kept = (int64_t *)mine;
}

struct keys
keys_take(struct peal_node *me, const struct peal_problem *problem, const void *in)
{
    size_t n = problem->n, P = (size_t)peal_size(me), b = n / P + (n % P != 0), first = b * (size_t)peal_rank(me);
    struct keys keys = {peal_alloc(me, b), peal_alloc(me, b), peal_alloc(me, b), b};

    for (size_t i = 0; i < b; i++)
        keys.mine[i] = first + i < n ? ((const int64_t *)in)[first + i] : INT64_MAX;
    return keys;
}

void
keys_give(struct peal_node *me, const struct peal_problem *problem, const struct keys *keys, void *out)
{
    size_t first = keys->b * (size_t)peal_rank(me);

    for (size_t i = 0; i < keys->b && first + i < problem->n; i++)
        ((int64_t *)out)[first + i] = keys->mine[i];
}

bool
sort_words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return count_words(problem->n, 1, 1, in) && count_words(problem->n, 1, 1, out);
}

void
sort_make(const struct peal_problem *problem, void *in)
{
    for (size_t i = 0; i < problem->n; i++)
        ((int64_t *)in)[i] = (int64_t)(made_bits(problem->seed, i) >> 2);
}

bool
sort_reference(const struct peal_problem *problem, const void *in, void *out)
{
    if (problem->n > 0)
        memcpy(out, in, problem->n * sizeof(int64_t));
    qsort(out, problem->n, sizeof(int64_t), compare);
    return true;
}
