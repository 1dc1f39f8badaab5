/* SPDX-License-Identifier: MIT */
/* Wrong: it asks nobody whether the partner is there, and waits for a node P or higher.
 *
 *   loses    any number of nodes
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_reduce(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int root)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P;
    void *sum = peal_alloc(me, n), *part = peal_alloc(me, n);

    memcpy(sum, a, n * peal_word_bytes(me));
    for (int mask = 1; mask < P; mask <<= 1) {
        int partner = r ^ mask;

        if (r & mask) {
            peal_send(me, sum, n, (partner + root) % P);
            break;
        }
        {
            peal_recv(me, part, n, (partner + root) % P);
            op->combine(sum, part, sum, n);
        }
    }
    if (r == 0)
        memcpy(a, sum, n * peal_word_bytes(me));
    peal_free(me, part);
    peal_free(me, sum);
}
