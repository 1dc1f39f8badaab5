/* SPDX-License-Identifier: MIT */
/* Wrong: the root keeps its own block to itself: its out is never written.
 *
 *   loses    scatter: powers of two
 *   loses    scatter: any number of nodes
 *   loses    scatter: any root
 *   loses    scatter: rounds
 *   loses    scatter: words
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

static int
least(int a, int b)
{
    return a < b ? a : b;
}

/* hold has the blocks by the number r = rank - root, so that the blocks of a half are neighbours. */
void
my_scatter(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P, top = 1;
    uint64_t *hold = peal_alloc(me, m * (size_t)P);
    const uint64_t *blocks = in;

    while (top < P)
        top <<= 1;
    for (int i = 0; i < P && r == 0; i++)
        memcpy(peal_block(hold, m, i), peal_block(blocks, m, (i + root) % P), m * sizeof *hold);
    for (int mask = top >> 1; mask >= 1; mask >>= 1) {
        int partner = r ^ mask;

        if (r % (2 * mask) == 0 && partner < P) { /* I hold r .. r + 2 mask - 1, and give the upper half */
            int end = least(r + 2 * mask, P);

            peal_send(me, peal_block(hold, m, partner), m * (size_t)(end - partner), (partner + root) % P);
        } else if (r % (2 * mask) == mask) {
            int end = least(r + mask, P);

            peal_recv(me, peal_block(hold, m, r), m * (size_t)(end - r), (partner + root) % P);
        }
    }
    if (r > 0)
        memcpy(out, peal_block(hold, m, r), m * sizeof *hold);
    peal_free(me, hold);
}

/* Gather: the messages of the scatter, backwards. */
void
my_gather(struct peal_node *me, const void *in, size_t m, int root, void *out)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P;
    uint64_t *hold = peal_alloc(me, m * (size_t)P), *blocks = out;

    memcpy(peal_block(hold, m, r), in, m * sizeof *hold);
    for (int mask = 1; mask < P; mask <<= 1) {
        int partner = r ^ mask;

        if (r % (2 * mask) == 0 && partner < P) {
            int end = least(r + 2 * mask, P);

            peal_recv(me, peal_block(hold, m, partner), m * (size_t)(end - partner), (partner + root) % P);
        } else if (r % (2 * mask) == mask) {
            int end = least(r + mask, P);

            peal_send(me, peal_block(hold, m, r), m * (size_t)(end - r), (partner + root) % P);
        }
    }
    for (int i = 0; i < P && r == 0; i++)
        memcpy(peal_block(blocks, m, (i + root) % P), peal_block(hold, m, i), m * sizeof *hold);
    peal_free(me, hold);
}
