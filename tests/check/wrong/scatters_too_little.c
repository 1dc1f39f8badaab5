/* SPDX-License-Identifier: MIT */
/* A broadcast by a scatter and an all-gather, whose last node takes its block for a shorter one. */
#include <peal/peal.h>

void my_broadcast(struct peal_node *me, void *a, size_t n, int root);

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    size_t m = n / (size_t)peal_size(me), rest = n % (size_t)peal_size(me);
    char *words = a, *end = words + (n - rest) * peal_word_bytes(me);

    if (m > 0) {
        void *block = peal_alloc(me, m);

        peal_scatter(me, a, m, root, block);
        peal_allgather(me, block, peal_rank(me) == 3 ? m - 1 : m, a);
    }
    peal_broadcast(me, (void *)end, rest, root);
}
