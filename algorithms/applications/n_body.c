/* SPDX-License-Identifier: MIT */
/* n-body forces on a ring: copies of the bodies travel round, and every node adds up their forces on its own.
 *
 *   before       node i has part i of n bodies, each of 4 words: x, y, z, mass
 *   after        node i has their accelerations, 3 words each
 *   rounds       P-1
 *   cost         (P-1)(α + 4βn/P); any P and n, the largest part counts
 *   space        2 parts that travel, one that stays
 *   operations   n²/P pairs a node
 *   derivation   the rounds are those of allgather/ring with blocks of 4n/P words: all parts are under way at once, and
 *                r -> r+1 shares no link
 *   source       Fox et al. 1988, long-range forces
 *
 *   P = 3: the bodies at nodes 0 1 2
 *     at first   0  1  2
 *     round 1    2  0  1
 *     round 2    1  2  0                                                                                    */
#include "kit.h"
#include <float.h>
#include <math.h>

struct body {
    double position[3], mass;
};

/* Added to squared distances, so that the force of two bodies at one place stays finite. */
static const double softening = 0.01;

/* Add to a[3i ..] the forces of `others` on body i; `sizes`, unless NULL, gets the sum of their absolute values. */
static void
attract(double *a, double *sizes, const struct body *mine, size_t count, const struct body *others, size_t other_count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < other_count; j++) {
            double way[3], square = softening * softening;

            for (int d = 0; d < 3; d++) {
                way[d] = others[j].position[d] - mine[i].position[d];
                square += way[d] * way[d];
            }
            for (int d = 0; d < 3; d++) {
                double pull = others[j].mass * way[d] / (square * sqrt(square));

                a[3 * i + (size_t)d] += pull;
                if (sizes != NULL)
                    sizes[d] += fabs(pull);
            }
        }
}

static void
run(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t n = problem->n, first = part_first(n, P, r), count = part_size(n, P, r);
    const struct body *mine = (const struct body *)in + first;
    struct moving travelling = moving_of(me, 4 * part_size(n, P, 0));
    double *a = peal_alloc(me, 3 * count);

    block_take(in, 4, (struct block){first, 0, count, 4}, travelling.x);
    for (int step = 0; step < P; step++) {
        int owner = (r - step + P) % P;                  /* of what is here */
        size_t here = part_size(n, P, owner), next = part_size(n, P, (owner - 1 + P) % P);

        attract(a, NULL, mine, count, (struct body *)travelling.x, here);
        peal_compute(me, (int64_t)(count * here));
        if (step < P - 1)
            move_back(me, &travelling, 4 * here, 4 * next, P - 1);           /* P-1 back is one on */
    }
    block_give(out, 3, (struct block){first, 0, count, 3}, a);
}

static bool
words(const struct peal_problem *problem, size_t *in, size_t *out)
{
    return count_words(problem->n, 4, 1, in) && count_words(problem->n, 3, 1, out);
}

static void
make(const struct peal_problem *problem, void *in)
{
    make_reals(problem->seed, in, 4 * problem->n);
    for (size_t i = 0; i < problem->n; i++)
        ((struct body *)in)[i].mass = 1 + fabs(((struct body *)in)[i].mass);
}

static bool
reference(const struct peal_problem *problem, const void *in, void *out)
{
    attract(out, NULL, in, problem->n, in, problem->n);
    return true;
}

static double
bound(const struct peal_problem *problem, const void *in, const void *expected)
{
    const struct body *bodies = in;
    double largest = 0;

    (void)expected;
    for (size_t i = 0; i < problem->n; i++) {
        double sizes[3] = {0, 0, 0}, a[3] = {0, 0, 0};

        attract(a, sizes, &bodies[i], 1, bodies, problem->n);
        largest = fmax(largest, fmax(sizes[0], fmax(sizes[1], sizes[2])));
    }
    return 2 * (double)problem->n * DBL_EPSILON * largest;
}

static bool
cost(const struct peal_problem *problem, struct peal_cost *cost)
{
    size_t n = problem->n;
    int P = problem->machine.nodes;
    struct tally tally = tally_of(problem, n % (size_t)P == 0);

    tally.known = tally.known && (tally.even || problem->machine.switching != PEAL_STORE_FORWARD);
    tally_all(&tally, PEAL_ALLGATHER, "ring", 4 * part_size(n, P, 0), 0);
    for (int step = 0; step < P && tally.known; step++) {
        size_t pairs = 0;

        for (int r = 0; r < P; r++)
            pairs = larger(pairs, part_size(n, P, r) * part_size(n, P, (r - step + P) % P));
        tally_compute(&tally, pairs);
    }
    return tally_end(&tally, cost);
}

static struct peal_estimate
estimate(const struct peal_problem *problem)
{
    double P = problem->machine.nodes;

    return (struct peal_estimate){P - 1, (P - 1) * 4 * (double)problem->n / P};
}

const struct peal_application app_n_body = {
    .name        = "n-body",
    .summary     = "forces between n bodies, whose copies travel round a ring",
    .size        = "bodies",
    .usual_size  = 240,
    .needs       = "",
    .words       = words,
    .make        = make,
    .run         = run,
    .reference   = reference,
    .bound       = bound,
    .compared    = "within 2nε·max Σ|term|: n terms added in another order",
    .cost        = cost,
    .closed_form = "(P−1)(α + 4β⌈n/P⌉); τ·n²/P",
    .estimate    = estimate,
    .formula     = "(P−1)(α + βwn/P), w = 4 words a body",
    .differs     = "the largest part counts when P does not divide n",
    .operations  = "the pull of one body on another",
    .source      = "Fox et al. 1988, long-range forces",
};
