/* SPDX-License-Identifier: MIT */
/* Loaded before the command: binomial broadcast, scatter and gather and the application jacobi cost what they did, with
 * a wrong word. */
#include "writable.h"
#include <peal/application.h>
#include <peal/collective.h>
#include <string.h>

static struct peal_algorithm right_broadcast, right_scatter, right_gather;
static struct peal_application right_jacobi;

static void
wrong_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    right_broadcast.run.broadcast(me, a, n, root);
    if (peal_rank(me) == 1 && n > 0)
        memset(a, 0, peal_word_bytes(me));
}

/* Node 1 has two words the other way round. */
static void
wrong_scatter(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    uint64_t *words = out, first;

    right_scatter.run.scatter(me, in, blocks, root, out);
    if (peal_rank(me) == 1) {
        first = words[0];
        words[0] = words[1];
        words[1] = first;
    }
}

/* The root leaves its last word as it was. */
static void
wrong_gather(struct peal_node *me, const void *in, const struct peal_blocks *blocks, int root, void *out)
{
    size_t last = peal_blocks_begin(blocks, peal_size(me)) - 1;
    uint64_t before = peal_rank(me) == root ? ((uint64_t *)out)[last] : 0;

    right_gather.run.gather(me, in, blocks, root, out);
    if (peal_rank(me) == root)
        ((uint64_t *)out)[last] = before;
}

static void
wrong_jacobi(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    right_jacobi.run(me, problem, in, out);
    if (peal_rank(me) == 0)
        *(double *)out = -1;
}

__attribute__((constructor)) static void
spoil(void)
{
    const struct peal_algorithm *broadcast = peal_algorithm_find(PEAL_BROADCAST, "binomial");
    const struct peal_algorithm *scatter = peal_algorithm_find(PEAL_SCATTER, "binomial");
    const struct peal_algorithm *gather = peal_algorithm_find(PEAL_GATHER, "binomial");
    const struct peal_application *jacobi = peal_application_find("jacobi");

    right_broadcast = *broadcast;
    right_scatter = *scatter;
    right_gather = *gather;
    right_jacobi = *jacobi;
    ((struct peal_algorithm *)writable(scatter, sizeof *scatter))->run.scatter = wrong_scatter;
    ((struct peal_algorithm *)writable(gather, sizeof *gather))->run.gather = wrong_gather;
    ((struct peal_algorithm *)writable(broadcast, sizeof *broadcast))->run.broadcast = wrong_broadcast;
    ((struct peal_application *)writable(jacobi, sizeof *jacobi))->run = wrong_jacobi;
}
