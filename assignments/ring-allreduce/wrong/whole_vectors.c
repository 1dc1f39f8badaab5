/* SPDX-License-Identifier: MIT */
/* Wrong: whole vectors go round the ring: half of the rounds, and P/2 times as many words.
 *
 *   loses    words on a ring
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), rank = peal_rank(me), left = (rank - 1 + P) % P, right = (rank + 1) % P;
    uint64_t *sent = peal_alloc(me, n), *got = peal_alloc(me, n);

    for (size_t i = 0; i < n; i++)
        sent[i] = ((const uint64_t *)a)[i];
    for (int t = 0; t < P - 1; t++) {
        uint64_t *other = sent;

        peal_sendrecv(me, sent, n, right, got, n, left);
        op->combine(got, a, a, n);
        sent = got;
        got = other;
    }
    peal_free(me, sent);
    peal_free(me, got);
}
