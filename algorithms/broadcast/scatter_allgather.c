/* SPDX-License-Identifier: MIT */
/* Broadcast, scatter-allgather: scatter the P parts of the vector, then pass them round a ring.
 *
 *   before       the root has n words
 *   after        every node has them
 *   rounds       ⌈log₂P⌉ + P-1
 *   cost         α(⌈log₂P⌉ + P-1) + β(n + (P-2)⌈n/P⌉), which is 2βn(P-1)/P when P divides n; any P > 1
 *   space        none: every part arrives in place
 *   derivation   the root's messages of the scatter are all parts but its own, n - ⌈n/P⌉ words.  In each round of the
 *                ring all parts are under way at once, so it takes as long as the longest: (P-1)⌈n/P⌉
 *   source       Georgia Tech CS 6220, bandwidth-optimal broadcast; MPICH's scatter_ring_allgather (van de Geijn)
 *
 *   P = 5, root 0
 *     round 1    0 -> 4 {4}
 *     round 2    0 -> 2 {2 3}
 *     round 3    0 -> 1 {1}     2 -> 3 {3}
 *     round 4    0 -> 1 {0}     1 -> 2 {1}     2 -> 3 {2}     3 -> 4 {3}     4 -> 0 {4}
 *     round 5    0 -> 1 {4}     1 -> 2 {0}     2 -> 3 {1}     3 -> 4 {2}     4 -> 0 {3}
 *     ..         and two more.  Part i belongs to the i-th node from the root.                              */
#include "../patterns/binomial.h"

static void
broadcast_scatter_allgather_run(struct peal_node *me, void *a, size_t n, int root)
{
    int P = peal_size(me), r = (peal_rank(me) - root + P) % P; /* ranks as seen from the root */
    int left = (peal_rank(me) - 1 + P) % P, right = (peal_rank(me) + 1) % P;

    peal_packet(me, part_of(me, a, n, 0).words);
    for (int mask = 1 << ceiling_log2(P) >> 1; mask >= 1; mask >>= 1) {
        int partner = r ^ mask, end = r + 2 * mask < P ? r + 2 * mask : P;

        if ((r & (2 * mask - 1)) == 0) {                 /* I hold the parts r .. end-1 */
            if (partner < P) {
                struct peal_piece x = parts_of(me, a, n, partner, end);
                peal_send(me, x.data, x.words, (partner + root) % P);
            } else {
                peal_next_round(me);
            }
        } else if ((r & (mask - 1)) == 0) {              /* my turn to get mine */
            struct peal_piece x = parts_of(me, a, n, r, r + mask < P ? r + mask : P);
            peal_recv(me, x.data, x.words, (partner + root) % P);
        }
    }
    for (int i = 0; i < P - 1; i++)
        exchange(me, part_of(me, a, n, r - i), right, part_of(me, a, n, r - i - 1), left);
}

static void
broadcast_scatter_allgather_cost(struct closed *sum)
{
    if (sum->situation->nodes > 3)
        closed_bundles(sum);                               /* the scatter bundles parts: it is refused */
    binomial_closed(sum, CARRIES_PARTS);
    closed_add_ring(sum, closed_words(sum));
}

/* scatter/binomial (binomial.c) and all-gather/ring (closed.c) with n/P words a block. */
const struct peal_algorithm broadcast_scatter_allgather = {
    .collective    = PEAL_BROADCAST,
    .name          = "scatter-allgather",
    .summary       = "scatter the vector's parts, then pass them round a ring",
    .run.broadcast = broadcast_scatter_allgather_run,
    .cost          = broadcast_scatter_allgather_cost,
    .texts         = TEXTS(
        {.on = "full", .when = "P | n", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "2βn(P−1)/P", .near = true,
         .cited = "P = 2^q"},
        {.on = "full", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)", .near = true},
        {.on = "line", .when = "root 0, P | n", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "2βn(P−1)/P",
         .hop = "t_d(2^⌈log₂P⌉−1+(P−1)²)"},
        {.on = "line", .when = "root 0", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)",
         .hop = "t_d(2^⌈log₂P⌉−1+(P−1)²)"},
        {.on = "line", .when = "root 0, P = 2^q, P | n", .alpha = "α(log₂P+P−1)", .beta = "2βn(P−1)/P",
         .stored = "β(n/P)((P²−1)/3+(P−1)²)"},
        {.on = "line", .when = "root 0, P | n", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "2βn(P−1)/P",
         .stored = "β(n/P)(h(P−h)+(h²−1)/3+(P−1)²)", .names = "h = 2^(⌈log₂P⌉−1)"},
        {.on = "line", .when = "P = 2^q", .alpha = "α(log₂P+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)",
         .hop = "t_d(P−1−2r+P popcount(r)+(P−1)²)"},
        {.on = "line", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)"},
        {.on = "ring", .when = "P | n", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "2βn(P−1)/P", .hop = "2t_d(P−1)"},
        {.on = "ring", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)", .hop = "2t_d(P−1)"},
        {.on = "ring", .when = "P = 2^q, P | n", .alpha = "α(log₂P+P−1)", .beta = "2βn(P−1)/P",
         .stored = "β(n/P)((P²−1)/3+P−1)"},
        {.on = "ring", .when = "P | n", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "2βn(P−1)/P",
         .stored = "β(n/P)((P−h)²+(h²−1)/3+P−1)", .names = "h = 2^(⌈log₂P⌉−1)"},
        {.on = "mesh", .when = "root 0", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)",
         .hop = "t_dΣ(2^⌈log₂zᵢ⌉−1+(P−1)(zᵢ−1))"},
        {.on = "mesh", .when = "root 0, zᵢ = 2^qᵢ, P | n", .alpha = "α(log₂P+P−1)", .beta = "2βn(P−1)/P",
         .stored = "β(n/P)Σ(sᵢ(zᵢ²−1)/3+(P−1)(zᵢ−1))"},
        {.on = "mesh", .when = "root 0, P | n", .alpha = "α(⌈log₂P⌉+P−1)", .beta = "2βn(P−1)/P",
         .stored = "β(n/P)Σ(sᵢ(hᵢ(zᵢ−hᵢ)+(hᵢ²−1)/3)+(P−1)(zᵢ−1))", .names = "hᵢ = 2^(⌈log₂zᵢ⌉−1)"},
        {.on = "torus", .when = "root 0", .alpha = "α(log₂P+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)", .hop = "t_dΣ(zᵢ+P−2)"},
        {.on = "torus", .when = "root 0, P | n", .alpha = "α(log₂P+P−1)", .beta = "2βn(P−1)/P",
         .stored = "β(n/P)Σ(sᵢ(zᵢ²−1)/3+P−1)"},
        {.on = "hypercube", .when = "root 0", .alpha = "α(log₂P+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)", .hop = "t_dP log₂P"},
        {.on = "hypercube", .when = "root 0, P | n", .alpha = "α(log₂P+P−1)", .beta = "2βn(P−1)/P",
         .stored = "βn(P−1)(1+log₂P)/P"},
        {.on = "hypercube", .alpha = "α(log₂P+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)"},
        {.on = "hypercube", .alpha = "α(log₂P+P−1)", .beta = "β(n+(P−2)⌈n/P⌉)",
         .hop = "t_d(Pq+Σ_{j=0..q−1}(q−1−j)(⌊r/2^j⌋ mod 2))", .names = "q = log₂P"},
        {.on = "hypercube", .when = "P | n", .alpha = "α(log₂P+P−1)", .beta = "2βn(P−1)/P",
         .stored = "β(n/P)((P−1)(q+1)+Σ_{j=0..q−1}2^j(q−1−j)(⌊r/2^j⌋ mod 2))", .names = "q = log₂P"}),
    .optimal       = "β within 2",
    .source        = "Georgia Tech CS 6220, bandwidth-optimal broadcast; MPICH, scatter_ring_allgather",
};
