/* SPDX-License-Identifier: MIT */
/* Wrong: every node has one part of the sum, and that is all.
 *
 *   loses    P divides n
 *   loses    any n
 *   loses    without buffers
 *   loses    rounds
 *   loses    words on a ring
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

/* Part b, modulo P, of x. */
static uint64_t *
part(uint64_t *x, size_t n, int P, int b)
{
    b = (b % P + P) % P;
    return x + peal_block_begin(n, P, b);
}

static size_t
words_of(size_t n, int P, int b)
{
    b = (b % P + P) % P;
    return peal_block_words(n, P, b);
}

void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), rank = peal_rank(me), left = (rank - 1 + P) % P, right = (rank + 1) % P;
    uint64_t *x = a, *got = peal_alloc(me, n / (size_t)P + 1);

    for (int t = 0; t < P - 1; t++) {
        int sent = rank - t, mine = rank - t - 1;

        peal_sendrecv(me, part(x, n, P, sent), words_of(n, P, sent), right, got, words_of(n, P, mine), left);
        op->combine(got, part(x, n, P, mine), part(x, n, P, mine), words_of(n, P, mine));
    }
    peal_free(me, got);
}
