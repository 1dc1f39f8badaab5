/* SPDX-License-Identifier: MIT */
/* The order of admission: by (round, sequence, sender's rank) of the post.  New sends arrive by rank and sequence, late
 * ones, of earlier rounds, as they are matched. */
#include "lib/round/match.h"
#include <stdlib.h>

/* A Feistel network over the next power of four, walked until it falls below P. */
uint32_t
order_permute(const struct round *round, int32_t rank)
{
    int bits = 2;

    while ((UINT64_C(1) << bits) < (uint64_t)round->nodes)
        bits += 2;
    uint32_t half = (uint32_t)bits / 2, mask = (UINT32_C(1) << half) - 1;
    uint32_t x = (uint32_t)rank;

    do {
        uint32_t left = x >> half, right = x & mask;

        for (uint64_t i = 0; i < 4; i++) {
            uint64_t mixed = (right + round->seed * UINT64_C(0x9E3779B97F4A7C15) + i) * UINT64_C(0xBF58476D1CE4E5B9);

            mixed ^= mixed >> 29;
            uint32_t swapped = left ^ ((uint32_t)(mixed >> 17) & mask);

            left = right;
            right = swapped;
        }
        x = left << half | right;
    } while (x >= (uint32_t)round->nodes);
    return x;
}

/* Exchange the arrays at *a and *b. */
static void
swap_pending(struct pending **a, size_t *a_capacity, struct pending **b, size_t *b_capacity)
{
    struct pending *array = *a;
    size_t capacity = *a_capacity;

    *a = *b;
    *a_capacity = *b_capacity;
    *b = array;
    *b_capacity = capacity;
}

/* Put the new sends, which are by rank and sequence, into the order of admission: by sequence, then rank.  A node's
 * sequence begins at 0 without gaps, so it need not be looked up. */
bool
order_by_level(struct round *round, uint32_t levels)
{
    size_t count = round->send_count;
    uint32_t level = 0;
    bool look_up = round->one_sided; /* a get goes from its peer to its poster */

    if (!array_grow(&round->levels, &round->levels_capacity, levels + 1, sizeof *round->levels) ||
        !array_grow(&round->by_level, &round->by_level_capacity, count, sizeof *round->by_level))
        return false;
    memset(round->levels, 0, (levels + 1) * sizeof *round->levels);
    for (size_t i = 0; i < count; i++) {
        level = look_up ? round->requests[round->sends[i].send].sequence
                : i > 0 && round->sends[i].from == round->sends[i - 1].from ? level + 1
                                                                            : 0;
        round->levels[level + 1]++;
    }
    for (uint32_t i = 1; i <= levels; i++)
        round->levels[i] += round->levels[i - 1];
    for (size_t i = 0; i < count; i++) {
        level = look_up ? round->requests[round->sends[i].send].sequence
                : i > 0 && round->sends[i].from == round->sends[i - 1].from ? level + 1
                                                                            : 0;
        round->by_level[round->levels[level]++] = round->sends[i];
    }

    swap_pending(&round->sends, &round->sends_capacity, &round->by_level, &round->by_level_capacity);
    return true;
}

/* Sort the new sends by receiver, each one's in the order of admission, into by_level; levels[r + 1] is then the end of
 * those of receiver r. */
bool
order_by_receiver(struct round *round)
{
    size_t nodes = (size_t)round->nodes, *end;

    if (!array_grow(&round->levels, &round->levels_capacity, nodes + 2, sizeof *round->levels) ||
        !array_grow(&round->by_level, &round->by_level_capacity, round->send_count, sizeof *round->by_level))
        return false;
    end = round->levels;
    memset(end, 0, (nodes + 2) * sizeof *end);
    for (size_t i = round->brought; i < round->send_count; i++)
        end[round->sends[i].to + 2]++;
    for (size_t node = 2; node <= nodes; node++)
        end[node] += end[node - 1];
    for (size_t i = round->brought; i < round->send_count; i++)
        round->by_level[end[round->sends[i].to + 1]++] = round->sends[i];
    return true;
}

static int
compare_sends(const struct request *a, const struct request *b)
{
    if (a->round != b->round)
        return a->round < b->round ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static int
compare_late(const void *a, const void *b, void *requests)
{
    const struct request *table = requests;

    return compare_sends(&table[*(const uint32_t *)a], &table[*(const uint32_t *)b]);
}

static struct pending
pending_of(const struct round *round, uint32_t send)
{
    return (struct pending){.send = send, .from = round->requests[send].node, .to = round->requests[send].peer};
}

/* Merge the late ones into what is pending, then append the new ones: they come after all others. */
bool
order_merge(struct round *round)
{
    if (round->pending + round->late_count == 0 &&
        round->taken_at_once == round->send_count) { /* they are already the order */
        swap_pending(&round->order, &round->order_capacity, &round->sends, &round->sends_capacity);
        round->pending = round->send_count;
        return true;
    }
    if (!array_grow(&round->order, &round->order_capacity, round->pending + round->late_count + round->send_count,
                    sizeof *round->order))
        return false;
    if (round->late_count > 1)
        qsort_r(round->late, round->late_count, sizeof *round->late, compare_late, round->requests);

    if (round->late_count > 0)
        round_close_holes(round);

    size_t from = round->pending, late = round->late_count, to = round->pending + round->late_count;

    round->pending = to;
    while (late > 0) { /* from the back, in place */
        const struct request *send = &round->requests[round->late[late - 1]];

        if (from > 0 && compare_sends(&round->requests[round->order[from - 1].send], send) > 0)
            round->order[--to] = round->order[--from];
        else
            round->order[--to] = pending_of(round, round->late[--late]);
    }
    for (size_t i = 0; i < round->send_count; i++) {
        if (i + ROUND_AHEAD < round->send_count)
            __builtin_prefetch(&round->requests[round->sends[i + ROUND_AHEAD].send]);
        if (round->requests[round->sends[i].send].flags & (REQUEST_MATCHED | REQUEST_EAGER))
            round->order[round->pending++] = round->sends[i];
    }
    return true;
}
