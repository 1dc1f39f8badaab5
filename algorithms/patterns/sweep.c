/* SPDX-License-Identifier: MIT */
/* The sweep.
 *
 * Up, d = 1, 2, 4, ..: of 2d nodes the last adds the sum of the first half, which the last of that half has.  Down, d =
 * .., 2, 1: the last of 2d nodes has the sum of all up to itself, and sends it d further on, to the last of the next
 * half.  No padding: nothing is sent to a node that does not exist.  Up the last round is that with 2d <= P, down the
 * first that with 3d <= P: ⌊log₂P⌋ + ⌊log₂⌊P/3⌋⌋ + 1 rounds if P > 2.
 *   Links: messages go d up, from places 2d apart.  Up, with extents 2^i, a sender's digits are all ones below the bit
 * d, which it sets: one coordinate changes.  Down, the carry runs on: the message of the last node in a row
 * goes back in it, once a row, and a step up in the next dimension, which may go round in turn. */
#include "sweep.h"

/* One round: every node ≡ from (mod 2d), counted from 1, sends to the one d further on. */
static void
turn(struct peal_node *me, const struct peal_op *op, void *a, void *x, size_t n, int first, int d, bool down)
{
    int P = peal_size(me), r = peal_rank(me), i = r - first + 1, place = i % (2 * d);
    bool sends = place == (down ? 0 : d) && r + d < P, receives = place == (down ? d : 0) && i > d;

    if (sends) {
        peal_send(me, a, n, r + d);
    } else if (receives) {
        peal_recv(me, x, n, r - d);
        peal_combine(op, x, a, a, n);
    } else {
        peal_next_round(me);
    }
}

void
sweep(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int first)
{
    int nodes = peal_size(me) - first, d = 1;
    void *x = nodes > 1 ? peal_scratch(me, n) : NULL;

    for (; d <= nodes / 2; d *= 2)
        turn(me, op, a, x, n, first, d, false);
    for (d /= 2; d >= 1; d /= 2)
        if (d <= nodes / 3)
            turn(me, op, a, x, n, first, d, true);
}

/* The most hops of a message d up, d a power of two, from a place whose digits below 2d are all ones: in the dimension
 * of d it stays in the row if there is a place, or wraps round and carries, and so on. */
static int
down_hops(const struct shape *shape, int d)
{
    int stays = -1, carries = -1; /* the most hops so far; -1: impossible */

    for (int i = shape->dimensions - 1; i >= 0; i--) {
        int extent = shape->extent[i], stride = shape->stride[i], move = d / stride;

        if (stride <= d && move < extent) {
            stays = 3 * move <= extent ? shape_hops(shape, i, 0, move) : -1;
            carries = shape_hops(shape, i, extent, move);
        } else if (stride > d && carries >= 0) {
            int up = extent > 1 ? carries + 1 : -1;

            stays = up > stays ? up : stays;
            carries += shape_hops(shape, i, extent - 1, 0);
        }
    }
    return stays;
}

static void
add_turn(struct closed *sum, int d, bool down)
{
    const struct shape *shape = &sum->shape;
    int hops = shape->kind == SHAPE_FULL ? 1 : d;

    if (shape->dimensions > 1) {
        hops = down ? down_hops(shape, d) : 0;
        for (int i = 0; i < shape->dimensions && !down; i++)
            if (shape->stride[i] <= d && d / shape->stride[i] < shape->extent[i])
                hops = d / shape->stride[i];
    }
    closed_add_same(sum, 1, closed_words(sum), hops);
}

void
sweep_closed(struct closed *sum, int first)
{
    const struct shape *shape = &sum->shape;
    int nodes = shape->nodes - first, d = 1;

    if (shape->dimensions > 1 && (first > 0 || !shape_powers_of_two(shape, 0)))
        sum->known = false;
    if (!sum->known)
        return;
    for (; d <= nodes / 2; d *= 2)
        add_turn(sum, d, false);
    for (d /= 2; d >= 1; d /= 2)
        if (d <= nodes / 3)
            add_turn(sum, d, true);
}
