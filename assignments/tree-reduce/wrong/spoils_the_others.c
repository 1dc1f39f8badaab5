/* SPDX-License-Identifier: MIT */
/* Wrong: inner nodes combine in their own vector, which should stay as it was.
 *
 *   loses    powers of two
 *   loses    any number of nodes
 *   loses    any root
 *   loses    rank order
 *   loses    rounds of a tree
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P;
    void *part = peal_alloc(me, n);

    for (int mask = 1; mask < P; mask <<= 1) {
        int partner = r ^ mask;

        if (r & mask) {
            peal_send(me, a, n, (partner + root) % P);
            break;
        }
        if (partner < P) {
            peal_recv(me, part, n, (partner + root) % P);
            op->combine(a, part, a, n);
        }
    }
    peal_free(me, part);
}
