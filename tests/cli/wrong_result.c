/* SPDX-License-Identifier: MIT */
/* Loaded before the command: broadcast/binomial and the application jacobi cost what they did, with a wrong word. */
#include "writable.h"
#include <peal/application.h>
#include <peal/collective.h>
#include <string.h>

static struct peal_algorithm right_broadcast;
static struct peal_application right_jacobi;

static void
wrong_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    right_broadcast.run.broadcast(me, a, n, root);
    if (peal_rank(me) == 1 && n > 0)
        memset(a, 0, peal_word_bytes(me));
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
    const struct peal_application *jacobi = peal_application_find("jacobi");

    right_broadcast = *broadcast;
    right_jacobi = *jacobi;
    ((struct peal_algorithm *)writable(broadcast, sizeof *broadcast))->run.broadcast = wrong_broadcast;
    ((struct peal_application *)writable(jacobi, sizeof *jacobi))->run = wrong_jacobi;
}
