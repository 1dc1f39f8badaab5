/* SPDX-License-Identifier: MIT */
/* Long vectors go another way, each by a comparison of another kind; -DRIGHT: it is right there, too. */
#include <peal/peal.h>
#include <string.h>

#ifdef RIGHT
#define LOST 0
#else
#define LOST 1
#endif

#ifndef TURN
#define TURN 1000
#endif

static size_t limit = 3000; /* bytes of all blocks: no constant of the code */

static void
broadcast_in_two(struct peal_node *me, void *a, size_t n, int root)
{
    uint64_t *rest = (uint64_t *)a + n / 2;

    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root) {
            peal_send(me, a, n / 2, i);
            peal_send(me, rest, n - n / 2 - LOST, i);
        }
    if (peal_rank(me) != root) {
        peal_recv(me, a, n / 2, root);
        peal_recv(me, rest, n - n / 2, root);
    }
}

/* By words. */
void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    if (n > TURN)
        broadcast_in_two(me, a, n, root);
    else
        peal_broadcast(me, a, n, root);
}

/* By bytes, at two nodes. */
void
my_broadcast_bytes(struct peal_node *me, void *a, size_t n, int root)
{
    if (peal_size(me) == 2 && n * peal_word_bytes(me) >= 65536)
        broadcast_in_two(me, a, n, root);
    else
        peal_broadcast(me, a, n, root);
}

/* By the bytes of all blocks, against a variable. */
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    size_t bytes = m * (size_t)peal_size(me) * peal_word_bytes(me);

    peal_scatter(me, in, m, root, out);
    if (bytes > limit && peal_rank(me) != root)
        ((uint64_t *)out)[m - 1] = ((uint64_t *)out)[m - 1 - LOST];
}

/* At a size that is beyond those of a check, and in a block that no case reaches. */
void
my_allgather(struct peal_node *me, const void *in, size_t m, void *out)
{
    if (m > 50000000)
        memset(out, 0, m);
    else
        peal_allgather(me, in, m, out);
    if (peal_size(me) == 1000) {
        peal_barrier(me);
        peal_barrier(me);
    }
}
