/* SPDX-License-Identifier: MIT */
/* A program whose nodes call different things on different groups, with lengths of their own where they may. */
#include <peal/peal.h>

static void
unequal(struct peal_node *me)
{
    int P = peal_size(me), r = peal_rank(me);
    size_t *lengths = peal_alloc(me, 2 * (size_t)P), *come = lengths + P;
    double *in = peal_alloc(me, 4 * (size_t)P * (size_t)P), *out = peal_alloc(me, 4 * (size_t)P * (size_t)P);

    for (int i = 0; i < P; i++)
        lengths[i] = (size_t)i;
    peal_allgatherv(me, in, lengths, out);
    peal_scatterv(me, in, lengths, P - 1, out);
    for (int i = 0; i < P; i++) {
        lengths[i] = (size_t)(r + 2 * i) % 4;
        come[i] = (size_t)(i + 2 * r) % 4;
    }
    peal_alltoallv(me, in, lengths, out, come);
}

/* Every list of all ranks in their order is the same one. */
static void
to_all(struct peal_node *me)
{
    int P = peal_size(me), *ranks = peal_alloc(me, (size_t)P);
    double a = 1;

    for (int i = 0; i < P; i++)
        ranks[i] = i;
    peal_multicast_by(me, "linear", &a, 1, 0, peal_rank(me) % 2 ? ranks : NULL, P);
}

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    struct peal_node *half = peal_split(me, peal_rank(me) % 2, -peal_rank(me));
    struct peal_node *low = peal_split(me, peal_rank(me) < 3 ? 0 : PEAL_NO_COLOR, 0);
    double a[3] = {1, 2, 3};

    (void)argc, (void)argv;
    for (int i = 0; i < 2 + peal_rank(me) % 2; i++)
        peal_broadcast(half, a, peal_rank(me) % 2 ? 2 : 3, 0);
    if (low)
        peal_scan(low, PEAL_SUM_DOUBLE, a, 3);
    unequal(me);
    unequal(half);
    to_all(me);
    peal_shift(me, a, 1, peal_rank(me) == 0 ? 1 + peal_size(me) : 1, a + 1);
    peal_barrier(me);
    if (peal_rank(me) % 2)
        peal_barrier(half);
}
