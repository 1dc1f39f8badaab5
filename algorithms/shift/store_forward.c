/* SPDX-License-Identifier: MIT */
/* Circular shift, store-forward: every node sends its words to its neighbour, round after round, in the shorter
 * direction.
 *
 *   before       node i has n words
 *   after        node (i + by) mod P has them
 *   rounds       min(by, P-by)
 *   cost         (α + βn) min(by, P-by), any P, on all networks
 *   space        n words
 *   derivation   steps r -> r+1 share no link (closed.c), nor do steps back.  In one step, `direct` takes as many words
 *                on a line or ring, and no start-ups for them; but under store-forward switching each of its messages
 *                pays for the others on its way, and here none does
 *   source       Grama et al. 2003, section 4.6
 *
 *   P = 5, by 3: two steps back
 *     round 1    0 -> 4    1 -> 0    2 -> 1    3 -> 2    4 -> 3
 *     round 2    0 -> 4    1 -> 0    2 -> 1    3 -> 2    4 -> 3                                              */
#include "../catalog.h"

static void
shift_store_forward_run(struct peal_node *me, const void *in, size_t n, int by, void *out)
{
    int P = peal_size(me), r = peal_rank(me), step = by <= P - by ? 1 : P - 1, steps = step == 1 ? by : P - by;
    void *x = steps > 1 ? peal_scratch(me, n) : NULL;
    const void *mine = in;

    if (by == 0)
        block_copy(me, out, in, n);
    for (int i = 0; by > 0 && i < steps; i++) {
        void *got = (steps - i) % 2 == 1 ? out : x;      /* the last one into out */

        peal_sendrecv(me, mine, n, (r + step) % P, got, n, (r - step + P) % P);
        mine = got;
    }
}

static void
shift_store_forward_cost(struct closed *sum)
{
    int P = sum->situation->nodes, by = sum->situation->by, step = by <= P - by ? 1 : P - 1;

    if (by > 0)
        closed_add_same(sum, step == 1 ? by : P - by, closed_words(sum), shape_shift_hops(&sum->shape, step));
}

const struct peal_algorithm shift_store_forward = {
    .collective  = PEAL_SHIFT,
    .name        = "store-forward",
    .summary     = "from neighbour to neighbour, the shorter way round",
    .run.shift   = shift_store_forward_run,
    .cost        = shift_store_forward_cost,
    .texts       = TEXTS(
        {.on = "full ring", .alpha = "α min(by, P−by)", .beta = "βn min(by, P−by)", .near = true},
        {.on = "line", .alpha = "α min(by, P−by)", .beta = "βn min(by, P−by)", .hop = "t_d min(by, P−by)(P−1)",
         .stored = "βn min(by, P−by)(P−1)"},
        {.on = "mesh", .alpha = "α min(by, P−by)", .beta = "βn min(by, P−by)", .hop = "t_d min(by, P−by)Σ(zᵢ−1)",
         .stored = "βn min(by, P−by)Σ(zᵢ−1)"},
        {.on = "torus", .alpha = "α min(by, P−by)", .beta = "βn min(by, P−by)", .hop = "t_d min(by, P−by)Σ[zᵢ > 1]",
         .stored = "βn min(by, P−by)Σ[zᵢ > 1]"},
        {.on = "hypercube", .alpha = "α min(by, P−by)", .beta = "βn min(by, P−by)", .hop = "t_d min(by, P−by)log₂P",
         .stored = "βn min(by, P−by)log₂P"}),
    .source      = "Grama et al. 2003, section 4.6",
};
