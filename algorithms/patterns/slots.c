/* SPDX-License-Identifier: MIT */
/* The slots of an all-to-all: which block is where after each step, and its copies into and out of messages.  All
 * nodes give the same P, radix and steps. */
#include "slots.h"
#include "lists.h"
#include <string.h>

/* The block of `in` that slot x holds at first, and the block of `out` at last. */
static int
block_in(const struct slot_blocks *slots, int x)
{
    int to = slots->rank + x;

    return slots->flips ? slots->rank ^ x : to < slots->nodes ? to : to - slots->nodes;
}

static int
block_out(const struct slot_blocks *slots, int x)
{
    int from = slots->rank - x;

    return slots->flips ? slots->rank ^ x : from >= 0 ? from : from + slots->nodes;
}

/* Copy one block, mostly a word. */
static inline void
copy_block(char *to, const char *from, size_t bytes)
{
    if (bytes == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, bytes);
}

/* Take the slots x, x + step, .. from `in`, to places `apart` blocks from each other; return their number. */
static size_t
take_slots(const struct slot_blocks *slots, int64_t x, int64_t step, char *to, size_t apart)
{
    size_t bytes = slots->block_bytes, count = 0;

    for (; x < slots->nodes; x += step, count++)
        copy_block(to + count * apart * bytes, (const char *)slots->in + (size_t)block_in(slots, (int)x) * bytes,
                   bytes);
    return count;
}

/* Copy the slots x .. end-1, which lie at `from`, to their places in out. */
static const char *
bring_slots(const struct slot_blocks *slots, int64_t x, int64_t end, const char *from)
{
    size_t bytes = slots->block_bytes;

    for (; x < end; x++, from += bytes)
        copy_block((char *)slots->out + (size_t)block_out(slots, (int)x) * bytes, from, bytes);
    return from;
}

struct slot_blocks
slots_init(struct peal_node *me, const void *in, const struct peal_blocks *blocks, void *out, int radix, bool flips)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t all = blocks_all(me, blocks), block_bytes = blocks->words * peal_word_bytes(me);
    struct slot_blocks slots = {.nodes = P,
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
        take_slots(&slots, 0, radix, slots.slot, (size_t)radix); /* the others are taken, and sent, by the first
                                                                  * steps */
    } else {
        block_copy(me, block_of(me, out, blocks, r).data, block_of(me, in, blocks, r).data, blocks->words);
        slots.between = peal_scratch(me, all);
        slots.sent = pieces_room(me, P / 2);
        slots.got = pieces_room(me, P / 2);
    }
    return slots;
}

/* Copy the slots whose digit of weight w is d to x, or from x when they have arrived; give the end of x.  They are runs
 * of w, the last one perhaps shorter. */
static char *
copy_slots(const struct slot_blocks *slots, int w, int d, char *x, bool came)
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

/* Whether nothing moves after the steps of this weight: then their slots are one run each. */
static bool
is_last(const struct slot_blocks *slots, int w)
{
    return (int64_t)w * slots->radix >= slots->nodes;
}

/* The end of the run of weight w and digit d. */
static int64_t
end_of_run(const struct slot_blocks *slots, int w, int d)
{
    int64_t end = (int64_t)w * (d + 1);

    return end < slots->nodes ? end : slots->nodes;
}

static void
post_packed(struct peal_node *me, struct slot_blocks *slots, int w, int d, int dest, int source)
{
    char *packed = slots->packed + slots->used, *end;

    if (w == 1) {
        end = packed + take_slots(slots, d, slots->radix, packed, 1) * slots->block_bytes;
    } else if (is_last(slots, w)) {                      /* nothing arrives in these slots */
        packed = slots->slot + (size_t)w * (size_t)d * slots->block_bytes;
        end = slots->slot + (size_t)end_of_run(slots, w, d) * slots->block_bytes;
    } else {
        end = copy_slots(slots, w, d, packed, false);
    }
    size_t words = (size_t)(end - packed) / peal_word_bytes(me);

    if (slots->end == 0)
        slots->d = d;
    slots->w = w;
    slots->end = d + 1;
    peal_send_async(me, (void *)packed, words, dest);
    peal_recv_async(me, (void *)(slots->came + slots->used), words, source);
    slots->used += (size_t)(end - packed);
}

/* The number of digits of x that are not 0. */
static int
moves(int x, int radix)
{
    int count = 0;

    for (; x > 0; x /= radix)
        count += x % radix != 0;
    return count;
}

/* The place of slot x with `left` moves still to come: in out if they are even, and at first in `in`. */
static struct peal_piece
place(const struct peal_node *me, const struct slot_blocks *slots, int x, int left)
{
    if (left == moves(x, slots->radix))
        return block_of(me, slots->in, slots->blocks, block_in(slots, x));
    return block_of(me, left % 2 == 0 ? slots->out : slots->between, slots->blocks, block_out(slots, x));
}

void
slots_post(struct peal_node *me, struct slot_blocks *slots, int w, int d, int dest, int source)
{
    int count = 0;

    if (slots->slot != NULL) {
        post_packed(me, slots, w, d, dest, source);
        return;
    }
    for (int x = w * d; x < slots->nodes; x++)
        if (x / w % slots->radix == d) {
            int left = moves(x / w, slots->radix);       /* this is the first of them */

            slots->sent[count] = place(me, slots, x, left);
            slots->got[count++] = place(me, slots, x, left - 1);
        }
    peal_sendv_async(me, slots->sent, count, dest);
    peal_recvv_async(me, slots->got, count, source);
}

void
slots_wait(struct peal_node *me, struct slot_blocks *slots)
{
    char *came = slots->came;
    const char *last = slots->came;

    peal_wait_all(me);
    for (int d = slots->d; d < slots->end; d++)
        if (is_last(slots, slots->w))
            last = bring_slots(slots, (int64_t)slots->w * d, end_of_run(slots, slots->w, d), last);
        else
            came = copy_slots(slots, slots->w, d, came, true);
    slots->d = slots->end = 0;
    slots->used = 0;
}

void
slots_finish(const struct slot_blocks *slots)
{
    int64_t w = 1;

    if (slots->slot == NULL)
        return;
    while (w * slots->radix < slots->nodes)
        w *= slots->radix;
    bring_slots(slots, 0, w < slots->nodes ? w : slots->nodes, slots->slot);
}

int64_t
slots_count(int nodes, int radix, int w, int d)
{
    int64_t turn = (int64_t)w * radix, rest = nodes % turn - (int64_t)d * w;

    return nodes / turn * w + (rest < 0 ? 0 : rest < w ? rest : w);
}
