/* SPDX-License-Identifier: MIT */
/* Wrong: it lets Peal do the work: forbidden.
 *
 *   loses    powers of two
 *   loses    any number of nodes
 *   loses    any root
 *   loses    rank order
 *   loses    rounds of a tree
 */
#include <peal/peal.h>

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    peal_reduce(me, op, a, n, root);
}
