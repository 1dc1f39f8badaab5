/* SPDX-License-Identifier: MIT */
/* Broadcast, split-binary:B: half of the vector goes down a binary tree of one half of the nodes, the rest down
 * another; then pairs of nodes exchange their halves.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       H-2 + 3B, H the rounds in which the last leaf has its first piece; each half is B pieces
 *   cost         (H-2+3B)(α + βn/2B) if 2B divides n, on a full network, P > 3: about 3βn/2 for long vectors
 *   space        none
 *   derivation   relative ranks 1, 3, 5, .. make a heap for the first half, 2, 4, .. one for the second; the root
 *                serves their tops alternately, and each node its children (trees.c).  When the last piece is through,
 *                2i-1 and 2i exchange piece by piece; the last node of an even P has no mate, and the root serves it
 *   source       Open MPI's split_bintree; the times are derived
 *
 *   P = 6, B = 1, root 0: heaps 1 -> 3, 5 and 2 -> 4
 *     round 1    0 -> 1 {0}
 *     round 2    0 -> 2 {1}     1 -> 3 {0}
 *     round 3    1 -> 5 {0}     2 -> 4 {1}
 *     round 4    0 -> 5 {1}     1 <-> 2 {0} {1}     3 <-> 4 {0} {1}                                         */
#include "../patterns/trees.h"

/* The rounds until the last nodes of both heaps have their first pieces. */
static int
height(int P)
{
    int odd = P > 1 ? heap_most_turns(P / 2) + 1 : 0, even = P > 2 ? heap_most_turns((P - 1) / 2) + 2 : 0;

    return odd > even ? odd : even;
}

static void
add(struct stream *streams, int *count, int peer, int round, int every, int piece, int pieces)
{
    streams[(*count)++] = (struct stream){.peer = peer, .round = round, .every = every, .piece = piece, .skip = 1,
                                          .count = pieces};
}

static void
broadcast_split_binary_run(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), x = (peal_rank(me) - root + P) % P, b = peal_parameter(me);
    int swap = height(P) + 2 * (b - 1);                  /* the rounds before the halves are exchanged */
    int half = x % 2 == 0, i = (x - 1) / 2, heap = half == 0 ? P / 2 : (P - 1) / 2, mate = half == 0 ? x + 1 : x - 1;
    int first = heap_turns(i) + half;
    struct streams streams = {0};
    struct pipeline pipeline;

    if (x == 0) {
        for (int top = 1; top <= 2 && top < P; top++)
            add(streams.out, &streams.out_count, (root + top) % P, top - 1, 2, (top - 1) * b, b);
        if (P % 2 == 0)
            add(streams.out, &streams.out_count, (root + P - 1) % P, swap, 1, b, b);
    } else {
        int parent = i > 0 ? 2 * ((i - 1) / 2) + 1 + half : 0;

        add(streams.in, &streams.in_count, (root + parent) % P, first, 2, half * b, b);
        for (int child = 1; child <= 2 && i < heap - child - i; child++)
            add(streams.out, &streams.out_count, (int)((root + 2 * (2 * (int64_t)i + child) + 1 + half) % P),
                first + child, 2, half * b, b);
        if (mate < P)
            add(streams.out, &streams.out_count, (root + mate) % P, swap, 1, half * b, b);
        add(streams.in, &streams.in_count, (root + (mate < P ? mate : 0)) % P, swap, 1, (1 - half) * b, b);
    }
    pipeline = streams_pipeline(&streams, 2 * b, swap + b);
    pipeline_broadcast(me, a, n, &pipeline);
}

/* As if 2B divided n. */
static int
choose(const struct peal_situation *situation)
{
    struct peal_situation half = *situation;

    half.words = (situation->words + 1) / 2;
    return pieces_best(&half, height(situation->nodes) - 2, 3);
}

/* The rounds in which one of the first r of all 2B pieces is under way. */
static int64_t
rounds_of_first(int P, int b, int64_t r)
{
    int64_t x = r < b ? r : b, y = r - x, odd, even;     /* of the first half, of the second */

    if (P <= 3 || r == 0)
        return P == 2 ? x + y : r + x;                   /* one or two edges, and the exchange */
    odd = heap_most_turns(P / 2) + 1 + 2 * (x - 1);
    even = y > 0 ? heap_most_turns((P - 1) / 2) + 2 + 2 * (y - 1) : 0;
    return (odd > even ? odd : even) + x;
}

static void
broadcast_split_binary_cost(struct closed *sum)
{
    int b = closed_parameter(sum->situation, choose), P = sum->situation->nodes;

    if (P > 1) {
        int64_t words = closed_words(sum), longer = rounds_of_first(P, b, words % (2 * b));

        closed_add_full(sum, rounds_of_first(P, b, 2 * (int64_t)b) - longer, words / (2 * b));
        closed_add_full(sum, longer, words / (2 * b) + 1);
    }
}

const struct peal_algorithm broadcast_split_binary = {
    .collective    = PEAL_BROADCAST,
    .name          = "split-binary",
    .summary       = "each half of the vector down a tree of half of the nodes, then pairs exchange",
    .run.broadcast = broadcast_split_binary_run,
    .parameter     = {.name = "pieces of a half", .least = 1, .most = PIECES_MAX / 4, .choose = choose},
    .cost          = broadcast_split_binary_cost,
    .closed_on     = "full",
    .optimal       = "β within 1.5",
    .source        = "Open MPI, split_bintree",
};
