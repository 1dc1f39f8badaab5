/* SPDX-License-Identifier: MIT */
/* A reduce that adds in the order of arrival: right, but for floating-point numbers not the same in every order. */
#include <peal/peal.h>

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    void *came = peal_alloc(me, n);

    if (peal_rank(me) != root)
        peal_send(me, a, n, root);
    for (int i = 1; peal_rank(me) == root && i < peal_size(me); i++) {
        peal_recv(me, came, n, PEAL_ANY_SOURCE);
        op->combine(a, came, a, n);
    }
}
