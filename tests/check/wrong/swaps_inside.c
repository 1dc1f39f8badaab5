/* SPDX-License-Identifier: MIT */
/* A reduce to node 0 by a tree (then a message to the root), in which node 2 takes what comes as its left operand. */
#include <peal/peal.h>

void my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root);

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    void *sum = peal_alloc(me, n), *other = peal_alloc(me, n);
    int rank = peal_rank(me);

    if (n > 0)
        peal_sendrecv(me, a, n, rank, sum, n, rank);
    for (int bit = 1; bit < peal_size(me); bit <<= 1) {
        if (rank & bit) {
            peal_send(me, sum, n, rank ^ bit);
            break;
        }
        if ((rank | bit) >= peal_size(me))
            continue;
        peal_recv(me, other, n, rank | bit);
        if (rank == 2)
            op->combine(other, sum, sum, n);
        else
            op->combine(sum, other, sum, n);
    }
    if (rank == 0)
        peal_send_async(me, sum, n, root);
    if (rank == root)
        peal_recv_async(me, a, n, 0);
    peal_wait_all(me);
}
