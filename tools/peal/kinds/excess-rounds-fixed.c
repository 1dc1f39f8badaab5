/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    int rank = peal_rank(me);

    int P = peal_size(me), number = (rank - root + P) % P;

    for (int mask = 1; mask < P; mask <<= 1) /* those who have it double */
        if (number < mask && number + mask < P)
            peal_send(me, a, n, (rank + mask) % P);
        else if (number >= mask && number < 2 * mask)
            peal_recv(me, a, n, (rank - mask + P) % P);
}
