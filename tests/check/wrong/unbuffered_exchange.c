/* SPDX-License-Identifier: MIT */
/* A ring shift that sends before it receives: nothing moves where messages are not buffered. */
#include <peal/peal.h>

void
my_shift(struct peal_node *me, const void *in, size_t n, int by, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    int to = ((r + by) % P + P) % P, from = ((r - by) % P + P) % P;

    peal_send(me, in, n, to);
    peal_recv(me, out, n, from);
}
