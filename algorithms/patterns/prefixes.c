/* SPDX-License-Identifier: MIT */
/* Exclusive scans by shifts.
 *
 * Before each round the sum of node i covers the c ranks before it, or all of them where there are fewer.  A node
 * receives the sum of the ranks just before those:
 *
 *     without the sender's own vector   from i-c     the c ranks before i-c       c becomes 2c
 *     with it                           from i-c-1   the c ranks before i-c-1,
 *                                                    and i-c-1 itself             c becomes 2c + 1
 *
 * The first round sends own vectors, from i-1.  A node without a sender already covers all ranks before it, and rank 0,
 * which has no sum, sends its own vector where that is asked for, and else nothing.  To send a sum with one's own
 * vector costs an operation more than to send it without. */
#include "prefixes.h"

/* What is covered after a round, and how far its messages go: covered + adds. */
static int
adds_own(uint32_t own, int round)
{
    return round < 32 && (own >> round & 1) != 0;
}

void
prefixes(struct peal_node *me, const struct peal_op *op, void *a, size_t n, uint32_t own)
{
    int P = peal_size(me), r = peal_rank(me);
    void *sum = r > 0 ? peal_scratch(me, n) : NULL, *x = r > 0 ? peal_scratch(me, n) : NULL, *both = NULL;

    for (int covered = 0, k = 0; covered < P - 1; k++) {
        int adds = adds_own(own, k), d = covered + adds;
        bool sends = r + d < P && (adds || r > 0), receives = adds ? r >= d : r > d;

        if (sends && adds && covered > 0 && r > 0) {
            both = both ? both : peal_scratch(me, n);
            peal_combine(op, sum, a, both, n);
        }
        if (sends)
            peal_send_async(me, !adds ? sum : covered > 0 && r > 0 ? both : a, n, r + d);
        if (receives)
            peal_recv_async(me, covered > 0 ? x : sum, n, r - d);
        peal_wait_all(me);
        if (receives && covered > 0)
            peal_combine(op, x, sum, sum, n);
        if (!sends && !receives)
            peal_next_round(me);
        covered += d;
    }
    if (r > 0)
        block_copy(me, a, sum, n);
}

int
prefixes_rounds(int P, uint32_t own)
{
    int rounds = 0;

    for (int covered = 0; covered < P - 1; rounds++)
        covered += covered + adds_own(own, rounds);
    return rounds;
}

/* A round without own vectors is a climb of the ranks from 1 on: P-1-d messages, of which a link carries min(d, P-1-d).
 * On a ring with d > P/2 they go back over the end, P-d hops, which is one more than there are messages: all share a
 * link. */
void
prefixes_closed(struct closed *sum, uint32_t own)
{
    const struct shape *shape = &sum->shape;
    int P = shape->nodes;

    for (int covered = 0, k = 0; covered < P - 1; k++) {
        int adds = adds_own(own, k), d = covered + adds, k_most = d < P - 1 - d ? d : P - 1 - d;

        if (adds)
            closed_add_climb(sum, d, closed_words(sum));
        else if (shape->kind == SHAPE_LINE || shape->kind == SHAPE_RING)
            closed_add_shared(sum, closed_words(sum), k_most, shape_hops(shape, 0, 0, d),
                              closed_round_load(P - 1 - d, shape_hops(shape, 0, 0, d)));
        else
            closed_add_full(sum, 1, closed_words(sum));
        covered += d;
    }
}
