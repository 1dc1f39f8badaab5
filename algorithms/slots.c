/* SPDX-License-Identifier: MIT */
#include "slots.h"
#include "blocks.h"
#include "lists.h"
#include <string.h>

/* Which block of `in` slot x is at first, and which of `out` at last. */
static int
block_in(const struct slots *slots, int x)
{
    int to = slots->rank + x;

    return slots->flips ? slots->rank ^ x : to < slots->nodes ? to : to - slots->nodes;
}

static int
block_out(const struct slots *slots, int x)
{
    int from = slots->rank - x;

    return slots->flips ? slots->rank ^ x : from >= 0 ? from : from + slots->nodes;
}

/* Lay the blocks of `in` by slot, or those of the slots out where they belong: runs whose blocks are in order (or in the
 * reverse order), round the ranks; one after the other where bits flip. */
static void
lay(const struct slots *slots, bool out)
{
    size_t bytes = slots->block_bytes;
    char *slot = slots->slot, *to = out ? slots->out : slot;
    const char *from = out ? slot : slots->in;

    for (int x = 0; x < slots->nodes; x++) {
        size_t b = (size_t)(out ? block_out(slots, x) : block_in(slots, x)) * bytes, at = (size_t)x * bytes;

        if (bytes == 8)                                  /* one word, mostly */
            memcpy(to + (out ? b : at), from + (out ? at : b), 8);
        else
            memcpy(to + (out ? b : at), from + (out ? at : b), bytes);
    }
}

struct slots
slots_init(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out, int radix, bool flips)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t all = blocks_all(me, blocks), block_bytes = blocks->words * peal_word_bytes(me);
    struct slots slots = {.nodes = P,
                          .rank = r,
                          .radix = radix,
                          .flips = flips,
                          .in = in,
                          .out = out,
                          .blocks = blocks,
                          .block_bytes = block_bytes};

    if (blocks_are_short(me, blocks)) {
        slots.slot = peal_scratch(me, 3 * all);
        slots.packed = slots.slot + (size_t)P * block_bytes;
        slots.came = slots.packed + (size_t)P * block_bytes;
        lay(&slots, false);
    } else {
        block_copy(me, block_of(me, out, blocks, r).data, block_of(me, in, blocks, r).data, blocks->words);
        slots.between = peal_scratch(me, all);
        slots.sent = pieces_room(me, P / 2);
        slots.got = pieces_room(me, P / 2);
    }
    return slots;
}

/* Copy the slots whose digit of weight w is d to x, or from x when they came; give the end of x.  They are runs of w, the last
 * one perhaps cut short. */
static char *
copy_slots(const struct slots *slots, int w, int d, char *x, bool came)
{
    size_t P = (size_t)slots->nodes, first = (size_t)w * (size_t)d, step = (size_t)w * (size_t)slots->radix;
    size_t runs = first + (size_t)w <= P ? (P - first - (size_t)w) / step + 1 : 0, last = first + runs * step;
    size_t bytes = slots->block_bytes, run = (size_t)w * bytes, cut = last < P ? (P - last) * bytes : 0;
    char *slot = slots->slot;

    first *= bytes;
    step *= bytes;
    copy_strided(came ? slot + first : x, came ? step : run, came ? x : slot + first, came ? run : step, run, runs);
    x += runs * run;
    if (cut > 0)
        memcpy(came ? slot + last * bytes : x, came ? x : slot + last * bytes, cut);
    return x + cut;
}

static void
post_packed(struct peal_node *me, struct slots *slots, int w, int d, int dest, int source)
{
    char *packed = slots->packed + slots->used, *end = copy_slots(slots, w, d, packed, false);
    size_t words = (size_t)(end - packed) / peal_word_bytes(me);

    if (slots->end == 0)
        slots->d = d;
    slots->w = w;
    slots->end = d + 1;
    peal_send_async(me, packed, words, dest);
    peal_recv_async(me, slots->came + slots->used, words, source);
    slots->used += (size_t)(end - packed);
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
    if (left == moves(x, slots->radix))
        return block_of(me, slots->in, slots->blocks, block_in(slots, x));
    return block_of(me, left % 2 == 0 ? slots->out : slots->between, slots->blocks, block_out(slots, x));
}

void
slots_post(struct peal_node *me, struct slots *slots, int w, int d, int dest, int source)
{
    int count = 0;

    if (slots->slot != NULL) {
        post_packed(me, slots, w, d, dest, source);
        return;
    }
    for (int x = w * d; x < slots->nodes; x++)
        if (x / w % slots->radix == d) {
            int left = moves(x / w, slots->radix);       /* this one is the first of them */

            slots->sent[count] = place(me, slots, x, left);
            slots->got[count++] = place(me, slots, x, left - 1);
        }
    peal_sendv_async(me, slots->sent, count, dest);
    peal_recvv_async(me, slots->got, count, source);
}

void
slots_wait(struct peal_node *me, struct slots *slots)
{
    char *came = slots->came;

    peal_wait_all(me);
    for (int d = slots->d; d < slots->end; d++)
        came = copy_slots(slots, slots->w, d, came, true);
    slots->d = slots->end = 0;
    slots->used = 0;
}

void
slots_finish(struct slots *slots)
{
    if (slots->slot != NULL)
        lay(slots, true);
}

int64_t
slots_count(int nodes, int radix, int w, int d)
{
    int64_t turn = (int64_t)w * radix, rest = nodes % turn - (int64_t)d * w;

    return nodes / turn * w + (rest < 0 ? 0 : rest < w ? rest : w);
}
