/* SPDX-License-Identifier: MIT */
/* Functions for MPI of tests/check/collectives, written with Peal's own calls: schedules.py proves both. */
#include <peal/peal.h>
#include <string.h>

static void *
block(struct peal_node *me, const void *x, size_t m, int i)
{
    return (char *)(size_t)x + (size_t)i * m * peal_word_bytes(me);
}

void
binomial(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), vrank = (peal_rank(me) - root + P) % P, mask = 1;

    for (; mask < P; mask <<= 1)
        if (vrank & mask) {
            peal_recv(me, a, n, (vrank - mask + root) % P);
            break;
        }
    for (mask >>= 1; mask > 0; mask >>= 1)
        if (vrank + mask < P)
            peal_send(me, a, n, (vrank + mask + root) % P);
}

void
scatter_linear(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    if (peal_rank(me) != root)
        peal_recv(me, out, m, root);
    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root)
            peal_send(me, block(me, in, m, i), m, i);
        else
            memcpy(out, block(me, in, m, i), m * peal_word_bytes(me));
}

void
enough(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    if (peal_rank(me) != root)
        peal_send(me, in, m, root);
    for (int i = 0; peal_rank(me) == root && i < peal_size(me); i++)
        if (i != root)
            peal_recv(me, block(me, out, m, i), m, i);
        else
            memcpy(block(me, out, m, i), in, m * peal_word_bytes(me));
}

void
ring(struct peal_node *me, const void *in, size_t m, void *out)
{
    int P = peal_size(me), r = peal_rank(me);

    memcpy(block(me, out, m, r), in, m * peal_word_bytes(me));
    for (int k = 0; k < P - 1; k++)
        peal_sendrecv(me, block(me, out, m, (r + P - k) % P), m, (r + 1) % P, block(me, out, m, (r + P - k - 1) % P), m,
                      (r + P - 1) % P);
}

void
doubling(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int r = peal_rank(me);
    void *came = peal_alloc(me, n);

    for (int d = 1; d < peal_size(me); d <<= 1) {
        peal_sendrecv(me, a, n, r ^ d, came, n, r ^ d);
        if ((r ^ d) < r)
            op->combine(came, a, a, n);
        else
            op->combine(a, came, a, n);
    }
}
