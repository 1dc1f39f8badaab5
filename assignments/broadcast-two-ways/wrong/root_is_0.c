/* SPDX-License-Identifier: MIT */
/* Wrong: the nodes are numbered from node 0, whatever the root is.
 *
 *   loses    tree: right
 *   loses    long way: right
 *   loses    the choice: right
 */
#include <peal/peal.h>
#include <stdint.h>

void
my_broadcast_tree(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), r = peal_rank(me), top = 1;

    (void)root;
    while (top < P)
        top <<= 1;
    for (int mask = top >> 1; mask >= 1; mask >>= 1) {
        int partner = r ^ mask;

        if (r % (2 * mask) == 0 && partner < P)
            peal_send(me, a, n, partner);
        else if (r % (2 * mask) == mask)
            peal_recv(me, a, n, partner);
    }
}

/* Where part b begins, among the parts as numbered from the root; that of b = P is the end. */
static size_t
begin_of(const struct peal_node *me, size_t n, int b)
{
    return peal_block_begin(n, peal_size(me), b);
}

void
my_broadcast_long(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), r = peal_rank(me), top = 1;
    int left = (peal_rank(me) - 1 + P) % P, right = (peal_rank(me) + 1) % P;
    uint64_t *x = a;

    (void)root;
    while (top < P)
        top <<= 1;
    for (int mask = top >> 1; mask >= 1; mask >>= 1) { /* number r gets the parts r .. end-1, and keeps part r */
        int partner = r ^ mask, from = r % (2 * mask) == 0 ? partner : r, end = from + mask < P ? from + mask : P;

        if (r % mask != 0 || partner >= P)
            continue;
        size_t words = begin_of(me, n, end) - begin_of(me, n, from);

        if (from == partner)
            peal_send(me, x + begin_of(me, n, from), words, partner);
        else
            peal_recv(me, x + begin_of(me, n, from), words, partner);
    }
    for (int t = 0; t < P - 1; t++) {
        int sent = (r - t + P) % P, got = (r - t - 1 + P) % P;

        peal_sendrecv(me, x + begin_of(me, n, sent), begin_of(me, n, sent + 1) - begin_of(me, n, sent), right,
                      x + begin_of(me, n, got), begin_of(me, n, got + 1) - begin_of(me, n, got), left);
    }
}

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    double P = peal_size(me), q = 0, alpha = (double)peal_node_options(me)->parameters.alpha;
    double beta = (double)peal_node_options(me)->parameters.beta;

    while ((1 << (int)q) < peal_size(me))
        q++;
    double tree = q * alpha + q * beta * (double)n;
    double way = (q + P - 1) * alpha + 2 * beta * (double)n * (P - 1) / P;

    if (tree <= way)
        my_broadcast_tree(me, a, n, root);
    else
        my_broadcast_long(me, a, n, root);
}
