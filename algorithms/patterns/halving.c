/* SPDX-License-Identifier: MIT */
/* The halving of one dimension, computed twice: by a node that looks for its own steps, and by the closed form.
 *
 * Positions 0 .. z-1 of a dimension are its coordinates, in a ring from the source's on and round the end.  Every range
 * of more than one node is cut in every round, so the ranges of a round differ by one node at most, and a node that has
 * its packets and nothing to do only waits for the next dimension to begin. */
#include "halving.h"

/* ------------------------------------------------------------------ one cut */

/* The nodes at positions l .. r-1, all served by the one at `holder`. */
struct node_range {
    int l, r, holder;
};

/* The beginning of the right half.  The holder keeps the greater half or the smaller, as `keeps` says; only in the
 * middle of an odd range is it in neither smaller half. */
static int
middle(struct node_range range, enum keeps keeps)
{
    int smaller = (range.r - range.l) / 2, greater = range.r - range.l - smaller;
    int kept = keeps == KEEPS_GREATER ? greater : smaller;

    if (range.holder < range.l + kept)
        return range.l + kept;
    if (range.holder >= range.r - kept)
        return range.r - kept;
    return range.l + greater;
}

/* The node of the range l .. r-1 nearest to the holder, which is outside of it: one of its ends.  A tie goes to the
 * lower coordinate, which is the lower rank; origin is the coordinate at position 0. */
static int
nearest(const struct shape *shape, int d, int origin, struct node_range given, int holder)
{
    int last = given.r - 1, extent = shape->extent[d];
    int to_first = shape_hops(shape, d, holder, given.l), to_last = shape_hops(shape, d, holder, last);

    if (to_first != to_last)
        return to_first < to_last ? given.l : last;
    return (origin + given.l) % extent < (origin + last) % extent ? given.l : last;
}

/* Cut a range of dimension d: it shrinks to the part that its holder keeps.  Returns the half that goes to a new
 * holder. */
static struct node_range
cut(struct node_range *range, const struct shape *shape, int d, int origin, enum keeps keeps)
{
    int mid = middle(*range, keeps);
    struct node_range given;

    if (range->holder < mid) {
        given = (struct node_range){.l = mid, .r = range->r};
        range->r = mid;
    } else {
        given = (struct node_range){.l = range->l, .r = mid};
        range->l = mid;
    }
    given.holder = nearest(shape, d, origin, given, range->holder);
    return given;
}

/* The coordinate at position 0, for a source with this one. */
static int
origin_of(const struct shape *shape, int d, int source)
{
    return shape->closed[d] ? source : 0;
}

/* ------------------------------------------------------------------ the steps of a node */

/* The place to write the steps of node `rank` in dimension d. */
struct halving_walk {
    struct halving *halving;
    const struct shape *shape;
    int d, origin, rank;
};

static void
add_step(struct halving_walk *walk, int round, bool gives, int partner, struct node_range part)
{
    const struct shape *shape = walk->shape;
    int d = walk->d, stride = shape->stride[d], row = stride * shape->extent[d];
    int mine = shape_coordinate(shape, d, walk->rank);
    int theirs = (walk->origin + partner) % shape->extent[d];

    walk->halving->steps[walk->halving->count++] = (struct halving_step){
        .round = round,
        .gives = gives,
        .partner = walk->rank + (theirs - mine) * stride,
        .part = {.base = walk->rank / row * row,
                 .extent = row,
                 .start = walk->origin * stride,
                 .first = part.l * stride,
                 .end = part.r * stride},
    };
}

/* Follow the range that node `rank` is in through the halving of dimension d, which begins in round `round` + 1. */
static void
walk_dimension(struct halving_walk *walk, int source, int round, enum keeps keeps)
{
    const struct shape *shape = walk->shape;
    int extent = shape->extent[walk->d];
    int mine = (shape_coordinate(shape, walk->d, walk->rank) - walk->origin + extent) % extent;
    struct node_range range = {.l = 0, .r = extent, .holder = (source - walk->origin + extent) % extent};

    for (; range.r - range.l > 1; round++) {
        struct node_range given = cut(&range, shape, walk->d, walk->origin, keeps);

        if (mine == range.holder)
            add_step(walk, round, true, given.holder, given);
        if (mine == given.holder)
            add_step(walk, round, false, range.holder, given);
        if (mine >= given.l && mine < given.r)
            range = given;
    }
}

void
halving_steps(struct halving *halving, const struct peal_network *network, int source, int rank, enum keeps keeps)
{
    struct shape shape;
    int last = -1; /* the dimension in which the node gets its packets: the last in which it differs from the source */

    shape_of(&shape, network, peal_network_nodes(network));
    halving->rounds = halving->count = 0;
    for (int d = 0; d < shape.dimensions; d++)
        if (shape_coordinate(&shape, d, rank) != shape_coordinate(&shape, d, source))
            last = d;

    for (int d = 0; d < shape.dimensions; d++) {
        int coordinate = shape_coordinate(&shape, d, source);
        struct halving_walk walk = {halving, &shape, d, origin_of(&shape, d, coordinate), rank};

        if (d >= last)
            walk_dimension(&walk, coordinate, halving->rounds, keeps);
        halving->rounds += ceiling_log2(shape.extent[d]);
    }
}

/* ------------------------------------------------------------------ the scatter */

void
halving_scatter(struct peal_node *me, enum keeps keeps, const void *in, const struct peal_blocks *blocks, int root,
                void *out)
{
    struct halving halving;
    struct bundle mine = bundle_of_root(me, in, blocks);
    int round = 0;

    peal_packet(me, blocks_longest(me, blocks));
    halving_steps(&halving, peal_node_network(me), root, peal_rank(me), keeps);
    for (int i = 0; i < halving.count; i++) {
        const struct halving_step *step = &halving.steps[i];

        if (step->gives) {
            rest(me, step->round - round);               /* until the others have come so far */
            bundle_send(me, &mine, step->part, step->partner);
        } else {
            mine = bundle_with_room(me, step->part, blocks, out);
            bundle_recv(me, &mine, step->part, step->partner);
        }
        round = step->round + 1;
    }
    if (peal_rank(me) == root)
        block_copy(me, out, block_of(me, in, blocks, root).data, peal_blocks_words(blocks, root));
}

/* ------------------------------------------------------------------ the closed form
 *
 * All lines of nodes of a dimension are halved alike and at once.  A node that has received a range is at an end of it
 * and stays there, so its steps depend on the length alone; the source's own range is followed as it is.  The lengths
 * of the given ranges take two values a round, so a round of the recursion is a few cuts, whatever P is.  No link is
 * shared: messages stay inside their ranges, which are disjoint, and the first of a ring, which may leave it, is alone
 * on it. */

/* Totals over the messages of a round: the most nodes given, the most hops, the largest product. */
struct most {
    int64_t nodes, hops, node_hops;
};

static int64_t
larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void
count_message(struct most *most, struct node_range given, int hops)
{
    int64_t nodes = given.r - given.l;

    most->nodes = larger(most->nodes, nodes);
    most->hops = larger(most->hops, hops);
    most->node_hops = larger(most->node_hops, nodes * hops);
}

/* The different lengths of the ranges that were given away. */
struct lengths {
    int count;
    int length[8];
};

static void
add_length(struct lengths *lengths, int length)
{
    for (int i = 0; i < lengths->count; i++)
        if (lengths->length[i] == length)
            return;
    lengths->length[lengths->count++] = length;
}

static void
add_dimension(struct closed *sum, int d, enum keeps keeps, bool bundles)
{
    const struct shape *shape = &sum->shape;
    int source = shape_coordinate(shape, d, sum->situation->root), origin = origin_of(shape, d, source);
    struct node_range own = {.l = 0, .r = shape->extent[d], .holder = source - origin};
    struct lengths lengths = {0};

    for (int rounds = ceiling_log2(shape->extent[d]); rounds > 0; rounds--) {
        struct lengths next = {0};
        struct most most = {0};

        if (own.r - own.l > 1) {
            struct node_range given = cut(&own, shape, d, origin, keeps);

            count_message(&most, given, shape_hops(shape, d, own.holder, given.holder));
            add_length(&next, given.r - given.l);
        }
        for (int i = 0; i < lengths.count; i++) {
            struct node_range end = {.l = 0, .r = lengths.length[i], .holder = 0}, given;

            if (lengths.length[i] == 1)
                continue;
            given = (struct node_range){.l = middle(end, keeps), .r = end.r};
            count_message(&most, given, given.l); /* to the first node of the other half */
            add_length(&next, given.l);
            add_length(&next, given.r - given.l);
        }
        if (bundles)
            closed_add(sum, 1, closed_product(sum, closed_words(sum), most.nodes * shape->stride[d]), most.hops,
                       closed_product(sum, closed_words(sum), most.node_hops * shape->stride[d]));
        else
            closed_add_same(sum, 1, closed_words(sum), most.hops);
        lengths = next;
    }
}

void
halving_closed(struct closed *sum, enum keeps keeps, bool bundles)
{
    switch (sum->shape.kind) {
    case SHAPE_FULL:
    case SHAPE_HYPERCUBE:
    case SHAPE_OTHER:
        sum->known = false;
        return;
    case SHAPE_LINE:
    case SHAPE_RING:
    case SHAPE_MESH:
    case SHAPE_TORUS:
        break;
    }
    for (int d = 0; d < sum->shape.dimensions; d++)
        add_dimension(sum, d, keeps, bundles);
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * The longest range has l = ⌈z/2^j⌉ nodes after j rounds, and Σ ⌈z/2^j⌉ over j = 1 .. q is z-1 + q - popcount(z-1)
 * (Legendre): the hops, where the greater half is kept, or the blocks, where the smaller is. A message's blocks and
 * hops are the two halves: ⌊l²/4⌋. A source within an even line sends z/2 blocks to the nearest node of the other
 * half, as far as max(r, z-1-r) - z/2 + 1, which then is an end of z/2 nodes. On a ring that is one hop, to the end
 * of ⌊z/2⌋ nodes. */

const struct peal_closed_text rda_greater_texts[] = {
    {.on = "line", .when = "root at an end, P = 2^q", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_d(P−1)",
     .stored = "βm(P²−1)/3", .cited = ""},
    {.on = "line", .when = "root at an end", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)",
     .hop = "t_d(P−1+⌈log₂P⌉−popcount(P−1))", .cited = ""},
    {.on = "line", .when = "root at an end", .alpha = "αq", .beta = "βm(P−1)", .stored = "βmΣ_{j=0..q−1}⌊⌈P/2^j⌉²/4⌋",
     .names = "q = ⌈log₂P⌉"},
    {.on = "line", .when = "P even", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)",
     .hop = "t_d(max(r, P−1−r)+⌈log₂P⌉−popcount(P−1))"},
    {.on = "line", .when = "P even", .alpha = "αq", .beta = "βm(P−1)",
     .stored = "βm((P/2)(max(r, P−1−r)−P/2+1)+Σ_{j=1..q−1}⌊⌈P/2^j⌉²/4⌋)", .names = "q = ⌈log₂P⌉"},
    {.on = "line", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)"},
    {.on = "ring", .alpha = "α⌈log₂P⌉", .beta = "βm(P−1)", .hop = "t_d(⌈P/2⌉+⌈log₂P⌉−1−popcount(⌈P/2⌉−1))"},
    {.on = "ring", .alpha = "αq", .beta = "βm(P−1)", .stored = "βm(⌊P/2⌋+Σ_{j=1..q−1}⌊⌈P/2^j⌉²/4⌋)",
     .names = "q = ⌈log₂P⌉"},
    {.on = "mesh", .when = "root at a corner, zᵢ = 2^qᵢ", .alpha = "α log₂P", .beta = "βm(P−1)", .hop = "t_dΣ(zᵢ−1)",
     .stored = "βmΣsᵢ(zᵢ²−1)/3"},
    {.on = "mesh", .when = "root at a corner", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βm(P−1)",
     .hop = "t_dΣ(zᵢ−1+⌈log₂zᵢ⌉−popcount(zᵢ−1))"},
    {.on = "mesh", .when = "root at a corner", .alpha = "αΣqᵢ", .beta = "βm(P−1)",
     .stored = "βmΣsᵢΣ_{j=0..qᵢ−1}⌊⌈zᵢ/2^j⌉²/4⌋", .names = "qᵢ = ⌈log₂zᵢ⌉"},
    {.on = "mesh", .when = "zᵢ even", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βm(P−1)",
     .hop = "t_dΣ(max(rᵢ, zᵢ−1−rᵢ)+⌈log₂zᵢ⌉−popcount(zᵢ−1))"},
    {.on = "mesh", .when = "zᵢ even", .alpha = "αΣqᵢ", .beta = "βm(P−1)",
     .stored = "βmΣsᵢ((zᵢ/2)(max(rᵢ, zᵢ−1−rᵢ)−zᵢ/2+1)+Σ_{j=1..qᵢ−1}⌊⌈zᵢ/2^j⌉²/4⌋)", .names = "qᵢ = ⌈log₂zᵢ⌉"},
    {.on = "mesh", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βm(P−1)"},
    {.on = "torus", .alpha = "αΣ⌈log₂zᵢ⌉", .beta = "βm(P−1)", .hop = "t_dΣ(⌈zᵢ/2⌉+⌈log₂zᵢ⌉−1−popcount(⌈zᵢ/2⌉−1))"},
    {.on = "torus", .alpha = "αΣqᵢ", .beta = "βm(P−1)", .stored = "βmΣsᵢ(⌊zᵢ/2⌋+Σ_{j=1..qᵢ−1}⌊⌈zᵢ/2^j⌉²/4⌋)",
     .names = "qᵢ = ⌈log₂zᵢ⌉"},
    {0},
};
