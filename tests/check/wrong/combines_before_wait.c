/* SPDX-License-Identifier: MIT */
/* The operator reads what has not come yet. */
#include <peal/peal.h>

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int rank = peal_rank(me), P = peal_size(me);
    uint64_t *sum = peal_alloc(me, n), *next = peal_alloc(me, n);

    if (rank != root) {
        peal_send(me, a, n, root);
        return;
    }
    for (int i = 0; i < P; i++) {
        const uint64_t *term = a;

        if (i != root) {
            peal_recv_async(me, next, n, i);
            term = next;
        }
        for (size_t j = 0; i == 0 && j < n; j++)
            sum[j] = term[j]; /* for root 0 this is its own */
        if (i > 0)
            op->combine(sum, term, sum, n); /* here */
        peal_wait_all(me);
    }
    for (size_t j = 0; j < n; j++)
        ((uint64_t *)a)[j] = sum[j];
}
