/* SPDX-License-Identifier: MIT */
/* Pipelines along the ranks.
 *
 * With one port the root sends a packet a round, first the one for the farthest node: P-1 rounds.  A packet that
 * travels d ranks has in front of it at most all that travel farther and one that travels as far, so it arrives in
 * time.  With more ports both arms begin at once and the longer one decides.  A gather is the same in reverse.
 *
 * Links.  Every message goes to a neighbour in rank, and both arms outwards (inwards): no link of a line or ring is
 * shared. On other networks from rank 0 there is one arm, and a round is part of the shift by one (closed.c), or of its
 * mirror image: in round t (counted from the last, in a gather) the nodes 0 .. t-1 send, and the message of the last of
 * these goes back in all dimensions of which t is a multiple of the extents, from the fastest on. */
#include "arms.h"

static bool
closes(const struct shape *shape)
{
    return shape->kind == SHAPE_RING || shape->kind == SHAPE_FULL;
}

struct arms
arms_of(const struct peal_network *network, int nodes, int root, int rank)
{
    struct arms arms = {.nodes = nodes, .root = root};
    int above = (rank - root + nodes) % nodes;
    struct shape shape;

    shape_of(&shape, network, nodes);
    arms.up = closes(&shape) ? nodes / 2 : nodes - 1 - root;
    arms.down = nodes - 1 - arms.up;
    arms.direction = above <= arms.up ? 1 : -1;
    arms.away = above <= arms.up ? above : nodes - above;
    arms.length = above <= arms.up ? arms.up : arms.down;
    return arms;
}

int
arms_rank(const struct arms *arms, int direction, int away)
{
    return (arms->root + direction * away + arms->nodes) % arms->nodes;
}

void
arms_closed(struct closed *sum)
{
    const struct peal_situation *situation = sum->situation;
    const struct shape *shape = &sum->shape;
    int P = shape->nodes, hops = 1, longest = P - 1, done = 0;
    struct arms arms = arms_of(situation->network, P, situation->root, situation->root);

    if (situation->ports != 1)
        longest = arms.up > arms.down ? arms.up : arms.down;
    if (closes(shape) || shape->kind == SHAPE_LINE) {
        closed_add_same(sum, longest, closed_words(sum), 1);
        return;
    }
    if (situation->root != 0)
        sum->known = false;
    for (int d = shape->dimensions - 1; d >= 0 && done < P - 1; d--) {
        int next = shape->stride[d] * shape->extent[d] - 1; /* the rounds before the first whose farthest goes back in
                                                             * d */

        closed_add_same(sum, next - done, closed_words(sum), hops);
        hops += shape_hops(shape, d, shape->extent[d] - 1, 0);
        done = next;
    }
}

/* ------------------------------------------------------------------ the closed forms as text
 *
 * On a grid P-1 rounds have a hop, and P-sᵢzᵢ of them go back along dimension i too: arms_closed. */

const struct peal_closed_text arms_texts[] = {
    {.on = "full line ring", .when = "k = 1", .alpha = "α(P−1)", .beta = "βm(P−1)", .near = true},
    {.on = "full ring", .alpha = "α⌊P/2⌋", .beta = "βm⌊P/2⌋", .near = true},
    {.on = "line", .alpha = "α max(r, P−1−r)", .beta = "βm max(r, P−1−r)", .near = true},
    {.on = "mesh", .when = "root 0", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P−1+Σ(zᵢ−1)(P−sᵢzᵢ))",
     .stored = "βm(P−1+Σ(zᵢ−1)(P−sᵢzᵢ))"},
    {.on = "torus", .when = "root 0", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P−1+Σ(P−sᵢzᵢ))",
     .stored = "βm(P−1+Σ(P−sᵢzᵢ))"},
    {.on = "hypercube", .when = "root 0", .alpha = "α(P−1)", .beta = "βm(P−1)", .hop = "t_d(P log₂P−P+1)",
     .stored = "βm(P log₂P−P+1)"},
    {0},
};
