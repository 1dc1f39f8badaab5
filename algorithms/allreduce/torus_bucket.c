/* SPDX-License-Identifier: MIT */
/* All-reduce, torus-bucket: the ring's reduce-scatter in the lines of the last dimension, then of the one before with
 * the remaining parts, ..; then the all-gathers in the other order.
 *
 *   before       node i has n words xᵢ, cut into P parts
 *   after        every node has the combination of all
 *   rounds       2Σ(z_i - 1) on extents z_i: of the network, or as square as P allows
 *   cost         those rounds, 2βn(P-1)/P if P divides n, any P; on open meshes too
 *   space        n words; lists of P/z pieces, z the last extent
 *   rank order   is not kept; needs a commutative operator
 *   derivation   after the dimensions beyond d a node has the sums, over their lines, of the parts whose nodes have its
 *                own coordinates there.  In dimension d all of them with one coordinate d are a bucket, P/(z_d·stride)
 *                parts, all buckets under way at once.  A bucket goes one step in its line, or back from the end
 *                against the others: no link is shared.  P/z_last·(z_last - 1) + .. parts, which telescopes to P-1
 *   source       Chan et al. 2007, bucket algorithms on meshes and tori
 *
 *   P = 6: 2 rows of 3
 *     round 1    0 -> 1 {2 5}    1 -> 2 {0 3}    2 -> 0 {1 4}    3 -> 4 {2 5}    4 -> 5 {0 3}    5 -> 3 {1 4}
 *     round 2    0 -> 1 {1 4}    1 -> 2 {2 5}    2 -> 0 {0 3}    3 -> 4 {1 4}    4 -> 5 {2 5}    5 -> 3 {0 3}
 *     round 3    0 -> 3 {3}      1 -> 4 {4}      2 -> 5 {5}      3 -> 0 {0}      4 -> 1 {1}      5 -> 2 {2}
 *     round 4    0 -> 3 {0}      1 -> 4 {1}      2 -> 5 {2}      3 -> 0 {3}      4 -> 1 {4}      5 -> 2 {5}
 *     round 5    0 -> 1 {0 3}    1 -> 2 {1 4}    2 -> 0 {2 5}    3 -> 4 {0 3}    4 -> 5 {1 4}    5 -> 3 {2 5}
 *     round 6    0 -> 1 {2 5}    1 -> 2 {0 3}    2 -> 0 {1 4}    3 -> 4 {2 5}    4 -> 5 {0 3}    5 -> 3 {1 4}  */
#include "../patterns/forward.h"
#include "../patterns/lists.h"

/* The network's dimensions, or two. */
static void
dimensions_of(struct shape *shape, const struct peal_network *network, int nodes)
{
    struct matrix matrix = matrix_of(network, nodes);

    shape_of(shape, network, nodes);
    if (shape->dimensions > 0)
        return;
    shape->dimensions = 2;
    shape->extent[0] = matrix.rows;
    shape->extent[1] = matrix.columns;
    shape->stride[0] = matrix.columns;
    shape->stride[1] = 1;
    shape->closed[0] = shape->closed[1] = false;
}

/* A node in its line of one dimension. */
struct line_place {
    int rank, coordinate, extent, stride, buckets; /* parts a bucket */
    int left, right;
};

static struct line_place
place_of(const struct shape *shape, int d, int rank)
{
    int extent = shape->extent[d], stride = shape->stride[d], c = rank / stride % extent;

    return (struct line_place){.rank = rank,
                               .coordinate = c,
                               .extent = extent,
                               .stride = stride,
                               .buckets = shape->nodes / (stride * extent),
                               .left = rank + ((c - 1 + extent) % extent - c) * stride,
                               .right = rank + ((c + 1) % extent - c) * stride};
}

/* The most parts a bucket has: in the last dimension that is more than one node. */
static int
most_buckets(const struct shape *shape)
{
    int most = 1;

    for (int d = 0; d < shape->dimensions; d++)
        if (shape->extent[d] > 1)
            most = shape->nodes / (shape->stride[d] * shape->extent[d]);
    return most;
}

/* List the parts whose nodes have this coordinate (modulo the extent), and the node's own in the dimensions beyond. */
static void
bucket(const struct peal_node *me, const struct line_place *place, const void *a, size_t n, int coordinate,
       struct peal_piece *pieces)
{
    int c = (coordinate + 2 * place->extent) % place->extent, row = place->stride * place->extent;

    for (int i = 0; i < place->buckets; i++)
        pieces[i] = part_of(me, a, n, i * row + c * place->stride + place->rank % place->stride);
}

static void
reduce_scatter(struct peal_node *me, const struct line_place *place, const struct peal_op *op, void *a, size_t n,
               void *x, struct peal_piece *lists)
{
    int count = place->buckets;
    struct peal_piece *sent = lists, *own = lists + count, *got = lists + 2 * count;

    for (int i = 0; i < place->extent - 1; i++) {
        size_t words = 0;

        bucket(me, place, a, n, place->coordinate - 1 - i, sent);
        bucket(me, place, a, n, place->coordinate - 2 - i, own);
        for (int j = 0; j < count; j++) {
            got[j] = (struct peal_piece){(char *)x + words * peal_word_bytes(me), own[j].words};
            words += own[j].words;
        }
        exchange_pieces(me, sent, count, place->right, got, count, place->left);
        combine_pieces(op, got, own, own, count);
    }
}

static void
allgather(struct peal_node *me, const struct line_place *place, void *a, size_t n, struct peal_piece *lists)
{
    for (int i = 0; i < place->extent - 1; i++) {
        bucket(me, place, a, n, place->coordinate - i, lists);
        bucket(me, place, a, n, place->coordinate - 1 - i, lists + place->buckets);
        exchange_pieces(me, lists, place->buckets, place->right, lists + place->buckets, place->buckets, place->left);
    }
}

/* The length of the longest bucket: that of coordinate 0 at rank 0 has the most longer parts. */
static int64_t
bucket_words(const struct line_place *place, int64_t nodes, int64_t n)
{
    int64_t row = (int64_t)place->stride * place->extent;

    return n / nodes * place->buckets + (n % nodes + row - 1) / row;
}

static void
allreduce_torus_bucket_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me);
    struct shape shape;
    struct line_place place;
    struct peal_piece *lists;
    void *x;

    dimensions_of(&shape, peal_is_world(me) ? peal_node_network(me) : NULL, P);
    peal_packet(me, part_of(me, a, n, 0).words);
    lists = pieces_room(me, 3 * most_buckets(&shape));
    x = peal_scratch(me, n);
    for (int d = shape.dimensions - 1; d >= 0; d--) {
        place = place_of(&shape, d, r);
        reduce_scatter(me, &place, op, a, n, x, lists);
    }
    for (int d = 0; d < shape.dimensions; d++) {
        place = place_of(&shape, d, r);
        allgather(me, &place, a, n, lists);
    }
}

static void
allreduce_torus_bucket_cost(struct closed *sum)
{
    struct shape shape;
    int64_t words;

    closed_bundles(sum);
    words = closed_words(sum);
    dimensions_of(&shape, sum->situation->network, sum->situation->nodes);
    if (words % sum->situation->nodes != 0 && sum->situation->switching == PEAL_STORE_FORWARD)
        closed_uneven(sum);                             /* the farthest need not be the longest */
    for (int d = 0; d < shape.dimensions; d++) {
        struct line_place place = place_of(&shape, d, 0);
        int hops = sum->shape.kind == SHAPE_FULL ? 1 : shape_hops(&shape, d, place.extent - 1, 0);

        closed_add_same(sum, 2 * (place.extent - 1), bucket_words(&place, sum->situation->nodes, words), hops);
    }
}

/* 2(zᵢ-1) rounds in dimension i with buckets of n/(sᵢzᵢ) words, zᵢ-1 hops back in an open line. */
const struct peal_algorithm allreduce_torus_bucket = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "torus-bucket",
    .summary           = "the ring's two halves in the lines of every dimension",
    .run.allreduce     = allreduce_torus_bucket_run,
    .needs.commutative = true,
    .asks_network      = true,
    .cost              = allreduce_torus_bucket_cost,
    .texts             = TEXTS(
        {.on = "full", .when = "P | n", .alpha = "2α(a+b−2)", .beta = "2βn(P−1)/P", .near = true,
         .names = "a = rows, b = columns"},
        {.on = "ring", .when = "P | n", .alpha = "2α(P−1)", .beta = "2βn(P−1)/P", .near = true},
        {.on = "ring", .alpha = "2α(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "2t_d(P−1)"},
        {.on = "line", .when = "P | n", .alpha = "2α(P−1)", .beta = "2βn(P−1)/P", .hop = "2t_d(P−1)²",
         .stored = "2βn(P−1)²/P"},
        {.on = "line", .alpha = "2α(P−1)", .beta = "2β(P−1)⌈n/P⌉", .hop = "2t_d(P−1)²"},
        {.on = "mesh", .when = "P | n", .alpha = "2αΣ(zᵢ−1)", .beta = "2βn(P−1)/P", .hop = "2t_dΣ(zᵢ−1)²",
         .stored = "2βnΣ(zᵢ−1)²/(sᵢzᵢ)"},
        {.on = "torus", .when = "P | n", .alpha = "2αΣ(zᵢ−1)", .beta = "2βn(P−1)/P", .near = true},
        {.on = "hypercube", .when = "P | n", .alpha = "2α log₂P", .beta = "2βn(P−1)/P", .near = true},
        {.on = "mesh", .alpha = "2αΣ(zᵢ−1)", .beta = "2βΣ(zᵢ−1)(⌊n/P⌋P/(sᵢzᵢ)+⌈(n mod P)/(sᵢzᵢ)⌉)",
         .hop = "2t_dΣ(zᵢ−1)²"},
        {.on = "torus hypercube", .alpha = "2αΣ(zᵢ−1)", .beta = "2βΣ(zᵢ−1)(⌊n/P⌋P/(sᵢzᵢ)+⌈(n mod P)/(sᵢzᵢ)⌉)",
         .hop = "2t_dΣ(zᵢ−1)"}),
    .optimal           = "β",
    .differs           = PEAL_DIFFERS(SIZES),
    .source            = "Chan et al. 2007, bucket algorithms on meshes and tori",
};
