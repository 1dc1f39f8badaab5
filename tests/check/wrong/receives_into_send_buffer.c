/* SPDX-License-Identifier: MIT */
/* A shift in one buffer: it is sent from and received into at the same time. */
#include <peal/peal.h>
#include <string.h>

void
my_shift(struct peal_node *me, const void *in, size_t n, int by, void *out)
{
    int P = peal_size(me), rank = peal_rank(me);

    memcpy(out, in, n * peal_word_bytes(me));
    peal_send_async(me, out, n, ((rank + by) % P + P) % P);
    peal_recv_async(me, out, n, ((rank - by) % P + P) % P); /* here */
    peal_wait_all(me);
}
