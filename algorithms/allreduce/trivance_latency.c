/* SPDX-License-Identifier: MIT */
/* All-reduce, trivance-latency: with two ports, send whole sums to both sides, 1, 3, 9, .. nodes away.
 *
 *   before       node i has n words xᵢ
 *   after        every node has the combination of all
 *   rounds       log₃P with two ports if P = 3^q, else ⌈log₃P⌉ + 1
 *   cost         those rounds, each α + βn, on a full network; on a ring of 3^q nodes qα + βn(P-1)/2: 1 + 3 + 9 ..
 *   space        3n words
 *   rank order   is not kept; needs a commutative operator.  Nodes bracket differently: of 9, node 1 begins with 0, 1,
 *                2, and node 0 with 8, 0, 1
 *   derivation   the sum of a node covers a window of 3^j nodes, itself in the middle; those of the nodes 3^j away on
 *                either side adjoin it.  For other P, groups of neighbouring ranks, up to three, first combine at their
 *                second node, their first if they are one or two, and at last get the result from there: 3^q groups,
 *                3^q the greatest that is <= P
 *   source       Jürß, Addanki, Schmid 2026, arXiv 2602.17254; groups: Peal's own
 *
 *   P = 5: groups 0, 1 2, 3 4
 *     round 1    2 -> 1    4 -> 3
 *     round 2    0 -> 1    1 -> 3    3 -> 0    1 -> 0    3 -> 1    0 -> 3
 *     round 3    1 -> 2    3 -> 4                                                                            */
#include "../catalog.h"

/* The greatest power of three up to P. */
static int
groups_of(int P)
{
    int64_t groups = 1;

    while (3 * groups <= P)
        groups *= 3;
    return (int)groups;
}

/* The first rank of group g (of P: the one after the last), and the rank at which it combines. */
static int
begin_of(int P, int groups, int g)
{
    return (int)((int64_t)P * g / groups);
}

static int
centre_of(int P, int groups, int g)
{
    int begin = begin_of(P, groups, g);

    return begin + (begin_of(P, groups, g + 1) - begin) / 3;
}

/* All nodes of the group send to its centre. */
static void
gather_group(struct peal_node *me, const struct peal_op *op, void *a, size_t n, int begin, int end, int centre)
{
    void *x[2] = {NULL, NULL};
    int came = 0;

    if (peal_rank(me) != centre)
        peal_send_async(me, a, n, centre);
    for (int r = begin; r < end && peal_rank(me) == centre; r++)
        if (r != centre) {
            x[came] = peal_scratch(me, n);
            peal_recv_async(me, x[came++], n, r);
        }
    peal_wait_all(me);
    for (int i = 0; i < came; i++)
        peal_combine(op, a, x[i], a, n);
    if (end - begin == 1)
        peal_next_round(me);
}

static void
allreduce_trivance_latency_run(struct peal_node *me, const struct peal_op *op, void *a, size_t n)
{
    int P = peal_size(me), r = peal_rank(me), groups = groups_of(P), g = (int)(((int64_t)(r + 1) * groups - 1) / P);
    int begin = begin_of(P, groups, g), end = begin_of(P, groups, g + 1), centre = centre_of(P, groups, g);
    void *x = r == centre ? peal_scratch(me, n) : NULL, *y = r == centre ? peal_scratch(me, n) : NULL;

    if (groups < P)
        gather_group(me, op, a, n, begin, end, centre);
    for (int w = 1; w < groups && r == centre; w *= 3) {
        int up = centre_of(P, groups, (g + w) % groups), down = centre_of(P, groups, (g - w + groups) % groups);

        peal_send_async(me, a, n, up);
        peal_send_async(me, a, n, down);
        peal_recv_async(me, x, n, down);
        peal_recv_async(me, y, n, up);
        peal_wait_all(me);
        peal_combine(op, x, a, a, n);
        peal_combine(op, a, y, a, n);
    }
    if (r != centre)
        peal_recv_async(me, a, n, centre);
    for (int other = begin; other < end && r == centre; other++)
        if (other != centre)
            peal_send_async(me, a, n, other);
    peal_wait_all(me);
}

static void
allreduce_trivance_latency_cost(struct closed *sum)
{
    int P = sum->situation->nodes, groups = groups_of(P);

    if (sum->situation->nodes > 2 && (sum->situation->half_duplex || closed_ports(sum->situation) < 2))
        sum->known = false;
    if (groups < P)
        closed_add_full(sum, 2, closed_words(sum));
    for (int w = 1; w < groups; w *= 3)
        if (sum->shape.kind == SHAPE_RING)
            closed_add_shared(sum, closed_words(sum), w, w, (int64_t)w * w);
        else
            closed_add_full(sum, 1, closed_words(sum));
}

const struct peal_algorithm allreduce_trivance_latency = {
    .collective        = PEAL_ALLREDUCE,
    .name              = "trivance-latency",
    .summary           = "with two ports, whole sums to both sides, 1, 3, 9, .. nodes away",
    .run.allreduce     = allreduce_trivance_latency_run,
    .needs.ports       = 2,
    .needs.commutative = true,
    .differs           = PEAL_DIFFERS(NODES),
    .cost              = allreduce_trivance_latency_cost,
    .closed_on         = "",
    .texts             = TEXTS(
        {.on = "full", .when = "P = 3^q", .alpha = "α log₃P", .beta = "βn log₃P", .near = true},
        {.on = "full", .alpha = "α(⌊log₃P⌋+2)", .beta = "βn(⌊log₃P⌋+2)", .near = true},
        {.on = "ring", .when = "P = 3^q", .alpha = "α log₃P", .beta = "βn(P−1)/2", .hop = "t_d(P−1)/2",
         .stored = "βn(P²−1)/8"},
        {.when = "P = 2", .alpha = "2α", .beta = "2βn", .near = true}),
    .optimal           = "α with two ports if P = 3^q",
    .source            = "Jürß, Addanki, Schmid 2026, arXiv 2602.17254",
};
