/* SPDX-License-Identifier: MIT */
/* Wrong: it goes round until every block is back at home.
 *
 *   loses    right with buffers
 *   loses    right without buffers
 *   loses    rounds
 *   loses    words on a ring
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_allgather(struct peal_node *me, const void *in, size_t m, void *out)
{
    int P = peal_size(me), rank = peal_rank(me), left = (rank - 1 + P) % P, right = (rank + 1) % P;
    uint64_t *blocks = out;

    memcpy(peal_block(blocks, m, rank), in, m * sizeof *blocks);
    for (int t = 0; t < P; t++) {
        int sent = (rank - t + P) % P, got = (rank - t - 1 + P) % P;

        peal_sendrecv(me, peal_block(blocks, m, sent), m, right, peal_block(blocks, m, got), m, left);
    }
}
