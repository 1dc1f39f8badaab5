/* SPDX-License-Identifier: MIT */
/* The obligations.  For a collective that copies, no invariant is guessed: every place may hold one block only, so that
 * a message is right if both ends agree on its blocks, and if what is sent was there before. */
#include "lib/proof/prove_inside.h"
#include <stdlib.h>

/* The obligations:
 *
 *   peer     it is another rank
 *   match    every send meets a receive of the same blocks, and every receive a send, in the order of their posts
 *   order    no cycle of waits: messages have an order in which each is posted at both ends after those before it only
 *   place    blocks lie where the collective says
 *   combine  of a collective that combines, or a barrier: in prove_combine.c, or prove_once.c; of others:
 *   held     what is sent, or copied, was there at first, or has come
 *   use      no buffer is used while a message that changes it, or reads what changes, is outstanding
 *   end      every block that the collective promises has come
 *   ways     the paths cover all cases, and no two overlap */

/* Where the distance of messages' blocks from the rank is the same for every rank, the block in question is counted
 * from the rank: then the rank cancels in most questions. */
static void
count_from_rank(struct proving *g)
{
    struct terms *t = g->t;
    enum peal_collective collective = g->p->collective;
    term number = g->r->number;

    if (!g->r->log_known ||
        (collective != PEAL_ALLGATHER && collective != PEAL_GATHER && collective != PEAL_SCATTER && !prove_is_once(g)))
        return;
    for (size_t i = 0; i < g->p->count; i++)
        for (int j = 0; j < g->p->messages[i].event.items && prove_is_sent(&g->p->messages[i]); j++)
            if (term_has(t, term_far(t, g->p->messages[i].event.item[j].lo, g->r->rank), number))
                return;
    /* backwards in an all-gather, whose blocks come from lower ranks; in a tree they are those after the rank */
    g->p->block =
        prove_rank(g, prove_wrapped(g, term_sum(t, 1, number, collective == PEAL_ALLGATHER ? -1 : 1, g->p->number, 0)));
}

enum prove_end
prove_all(struct prove *prove)
{
    struct proving g = {.p = prove, .t = prove->run->terms, .s = prove->run->smt, .r = prove->run, .end = PROVE_DONE};

    if (setjmp(g.stop) != 0)
        return g.end;
    if (!prove_may(&g, term_truth(g.t, true)))
        prove_cannot(&g, "there is a case");
    prove_collect_events(&g);
    count_from_rank(&g);
    prove_tell_events(&g);
    prove_place_all(&g);
    prove_match_all(&g);
    prove_tell_matches(&g);
    prove_order_all(&g);
    if (prove_is_once(&g)) {
        prove_once_all(&g);
    } else if (prove->combines) {
        prove_combine_all(&g);
    } else {
        prove_held_all(&g);
        prove_end_all(&g);
    }
    if (prove->collective != PEAL_BARRIER) /* whose messages are without words */
        prove_use_all(&g);
    return PROVE_DONE;
}

void
prove_fini(struct prove *prove)
{
    for (size_t i = 0; i < prove->count; i++)
        free(prove->messages[i].moments);
    free(prove->messages);
    free(prove->matches);
    prove->messages = NULL;
    prove->matches = NULL;
    prove->count = prove->match_count = prove->capacity = prove->match_capacity = 0;
}
