/* SPDX-License-Identifier: MIT */
/* Each node sends its result on before it has got it. */
#include <peal/peal.h>

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), place = (peal_rank(me) - root + P) % P;

    if (place < P - 1)
        peal_send_async(me, a, n, (peal_rank(me) + 1) % P); /* here */
    peal_wait_all(me);
    if (place > 0)
        peal_recv(me, a, n, (peal_rank(me) - 1 + P) % P);
}
