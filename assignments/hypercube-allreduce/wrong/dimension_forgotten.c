/* SPDX-License-Identifier: MIT */
/* Wrong: the last dimension is never gone through.
 *
 *   loses    powers of two
 *   loses    rank order
 *   loses    rounds and words
 *   loses    any number of nodes
 *   loses    any number, rank order
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

/* The rank of the node with this number. */
static int
rank_of(int number, int rem)
{
    return number < rem ? 2 * number + 1 : number + rem;
}

void
my_allreduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), rank = peal_rank(me), stay = 1;
    void *got = peal_alloc(me, n);

    while (2 * stay <= P)
        stay *= 2;
    int rem = P - stay;

    if (rank < 2 * rem && rank % 2 == 0) { /* of the pairs (2i, 2i+1), i < rem, the even one leaves */
        peal_send(me, a, n, rank + 1);
        peal_recv(me, a, n, rank + 1);
        peal_free(me, got);
        return;
    }
    if (rank < 2 * rem) {
        peal_recv(me, got, n, rank - 1);
        op->combine(got, a, a, n);
    }
    int number = rank < 2 * rem ? rank / 2 : rank - rem;

    for (int bit = 1; 2 * bit < stay; bit <<= 1) {
        int partner = number ^ bit;

        peal_sendrecv(me, a, n, rank_of(partner, rem), got, n, rank_of(partner, rem));
        if (number < partner)
            op->combine(a, got, a, n);
        else
            op->combine(got, a, a, n);
    }
    if (rank < 2 * rem)
        peal_send(me, a, n, rank - 1);
    peal_free(me, got);
}
