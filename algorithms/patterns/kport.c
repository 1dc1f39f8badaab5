/* SPDX-License-Identifier: MIT */
/* The k-port tree.
 *
 * q = ⌈log_{k+1} P⌉ rounds and W = ⌈(P-1)/k⌉ blocks a port are the minimum (Lemma 7 of P. Tvrdík's course).  From the
 * last round to the first, let s be the sum of the lengths of the rounds after a round.  A node that has C blocks then
 * can serve itself and give k messages, so C = 1 + k·s is also how long a message may be that its receiver can still
 * pass on; and W - s blocks are left for this round and those before, each of which has one at least:
 *
 *     length = min(1 + k·s, W - s - rounds before)
 *
 * The lengths sum up to W.  A node gives in a round the blocks that it cannot serve later, cut evenly; the root gives
 * k·length in every round but perhaps the first. */
#include "kport.h"
#include "binomial.h"

/* The length of each round's longest message; serves[i] is the number of nodes that one can still serve from round i +
 * 1 on. */
static int
lengths(int nodes, int k, int length[], int64_t serves[])
{
    int64_t reached = 1, all = (nodes - 1 + (int64_t)k - 1) / k, sum = 0;
    int rounds = 0;

    for (; reached < nodes; rounds++)
        reached *= (int64_t)k + 1;
    serves[rounds] = 1;
    for (int i = rounds - 1; i >= 0; i--) {
        int64_t most = 1 + k * sum, left = all - sum - i;

        length[i] = (int)(most < left ? most : left);
        sum += length[i];
        serves[i] = 1 + k * sum;
    }
    return rounds;
}

/* The beginning of bundle b of a round. */
static int
bundle_begin(const struct kport_round *round, int b)
{
    int given = round->end - round->kept, longer = given % round->bundles;

    return round->kept + b * (given / round->bundles) + (b < longer ? b : longer);
}

struct span
kport_bundle(const struct kport_round *round, int root, int nodes, int b)
{
    return span_from(root, nodes, bundle_begin(round, b), bundle_begin(round, b + 1));
}

void
kport_of(struct kport *kport, int nodes, int k, int node)
{
    int length[KPORT_ROUNDS], first = 0; /* the first node of the range that `node` is in */
    int64_t serves[KPORT_ROUNDS + 1];

    *kport = (struct kport){.end = nodes, .parent = -1};
    kport->rounds = lengths(nodes, k, length, serves);
    for (int i = 0, end = nodes; i < kport->rounds; i++) {
        struct kport_round *round = &kport->round[i];
        int64_t given = end - first - serves[i + 1];

        *round = (struct kport_round){.kept = end, .end = end};
        if (given <= 0)
            continue;
        round->kept = end - (int)given;
        round->bundles = given < k ? (int)given : k;
        end = round->kept;
        for (int b = 0; b < round->bundles && node >= round->kept; b++)
            if (node >= bundle_begin(round, b) && node < bundle_begin(round, b + 1)) {
                kport->parent = first;
                first = bundle_begin(round, b);
                end = bundle_begin(round, b + 1);
                break;
            }
        if (first == node && kport->begin == 0 && node != 0) {
            kport->begin = i + 1;
            kport->end = end;
        }
    }
}

bool
kport_combines(int nodes, int k)
{
    int length[KPORT_ROUNDS], rounds;
    int64_t serves[KPORT_ROUNDS + 1];

    rounds = lengths(nodes, k, length, serves);
    for (int i = 0; i < rounds; i++)
        if (length[i] > 1)
            return true;
    return false;
}

void
kport_closed(struct closed *sum, int k)
{
    int length[KPORT_ROUNDS], rounds;
    int64_t serves[KPORT_ROUNDS + 1];

    if (k > closed_ports(sum->situation))
        sum->known = false;
    if (k == 1) { /* the lengths double, from the last round back: the same tree */
        binomial_closed(sum, CARRIES_BUNDLE);
        return;
    }
    rounds = lengths(sum->shape.nodes, k, length, serves);
    for (int i = 0; i < rounds; i++)
        closed_add_full(sum, 1, closed_product(sum, closed_words(sum), length[i]));
}
