/* SPDX-License-Identifier: MIT */
/* Wrong: the blocks are not skewed first, so most products belong to different k.
 *
 *   loses    one and four nodes
 *   loses    nine and sixteen nodes
 *   loses    rounds
 *   loses    words
 */
#include <peal/peal.h>
#include <stdint.h>
#include <string.h>

static void
multiply_blocks(int b, const double *x, const double *y, double *z)
{
    for (int i = 0; i < b; i++)
        for (int k = 0; k < b; k++)
            for (int j = 0; j < b; j++)
                z[i * b + j] += x[i * b + k] * y[k * b + j];
}

/* Send the block to `dest`, get another from `source`. */
static void
pass(struct peal_node *me, double *block, double *room, int b, int dest, int source)
{
    size_t words = (size_t)b * (size_t)b;

    peal_sendrecv(me, block, words, dest, room, words, source);
    memcpy(block, room, words * sizeof *block);
}

void
my_multiply(struct peal_node *me, int s, int b, double *x, double *y, double *z)
{
    int row = peal_rank(me) / s, column = peal_rank(me) % s;
    double *room = peal_alloc(me, (size_t)b * (size_t)b);

    for (int k = 0; k < s; k++) {
        multiply_blocks(b, x, y, z);
        if (k == s - 1)
            break;
        pass(me, x, room, b, row * s + (column - 1 + s) % s, row * s + (column + 1) % s);
        pass(me, y, room, b, (row - 1 + s) % s * s + column, (row + 1) % s * s + column);
    }
    peal_free(me, room);
}
