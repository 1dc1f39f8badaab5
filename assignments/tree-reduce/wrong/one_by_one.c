/* SPDX-License-Identifier: MIT */
/* Wrong: the root receives all vectors one after the other: right, in P−1 rounds.
 *
 *   loses    rounds of a tree
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me);
    void *part = peal_alloc(me, n);

    if (peal_rank(me) != root)
        peal_send(me, a, n, root);
    for (int i = 1; i < P && peal_rank(me) == root; i++) {
        peal_recv(me, part, n, (root + i) % P);
        op->combine(a, part, a, n);
    }
    peal_free(me, part);
}
