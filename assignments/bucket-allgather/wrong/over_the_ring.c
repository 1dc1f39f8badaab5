/* SPDX-License-Identifier: MIT */
/* Wrong: in round t every node sends its own block t further, over t links: right in as many rounds, not on a
 * ring.
 *
 *   loses    words on a ring
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

void
my_allgather(struct peal_node *me, const void *in, size_t m, void *out)
{
    int P = peal_size(me), rank = peal_rank(me);
    uint64_t *blocks = out;

    memcpy(peal_block(blocks, m, rank), in, m * sizeof *blocks);
    for (int t = 0; t < P - 1; t++) {
        int sent = (rank + t + 1) % P, got = (rank - t - 1 + P) % P;

        peal_sendrecv(me, in, m, sent, peal_block(blocks, m, got), m, got);
    }
}
