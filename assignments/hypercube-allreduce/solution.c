/* SPDX-License-Identifier: MIT */
/* All-reduce by recursive doubling.  What is left of P above a power of two is folded into pairs of neighbours, so that
 * each number stands for ranks next to one another. */
#include <peal/peal.h>
#include <stdint.h>

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

    for (int bit = 1; bit < stay; bit <<= 1) {
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
