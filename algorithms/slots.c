/* SPDX-License-Identifier: MIT */
#include "slots.h"
#include "blocks.h"
#include "lists.h"

struct slots
slots_init(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out, int radix, bool flips)
{
    int P = peal_size(me), r = peal_rank(me);

    block_copy(me, block_of(me, out, blocks, r).data, block_of(me, in, blocks, r).data, peal_blocks_words(blocks, r));
    return (struct slots){.nodes = P,
                          .rank = r,
                          .radix = radix,
                          .flips = flips,
                          .in = in,
                          .between = peal_scratch(me, blocks_all(me, blocks)),
                          .out = out,
                          .blocks = blocks,
                          .sent = pieces_room(me, P / 2),
                          .got = pieces_room(me, P / 2)};
}

/* How many digits of x are not 0. */
static int
moves(int x, int radix)
{
    int count = 0;

    for (; x > 0; x /= radix)
        count += x % radix != 0;
    return count;
}

/* Where slot x lies with `left` moves still to come: in out if they are even, and at first in `in`. */
static struct peal_piece
place(const struct peal_node *me, const struct slots *slots, int x, int left)
{
    int to = slots->flips ? slots->rank ^ x : slots->rank + x - slots->nodes;
    int from = slots->flips ? slots->rank ^ x : slots->rank - x;

    if (left == moves(x, slots->radix))
        return block_of(me, slots->in, slots->blocks, to);
    return block_of(me, left % 2 == 0 ? slots->out : slots->between, slots->blocks, from);
}

void
slots_post(struct peal_node *me, struct slots *slots, int w, int d, int dest, int source)
{
    int count = 0;

    for (int x = w * d; x < slots->nodes; x++)
        if (x / w % slots->radix == d) {
            int left = moves(x / w, slots->radix);       /* this one is the first of them */

            slots->sent[count] = place(me, slots, x, left);
            slots->got[count++] = place(me, slots, x, left - 1);
        }
    peal_sendv_async(me, slots->sent, count, dest);
    peal_recvv_async(me, slots->got, count, source);
}

int64_t
slots_count(int nodes, int radix, int w, int d)
{
    int64_t turn = (int64_t)w * radix, rest = nodes % turn - (int64_t)d * w;

    return nodes / turn * w + (rest < 0 ? 0 : rest < w ? rest : w);
}
