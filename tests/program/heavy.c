/* SPDX-License-Identifier: MIT */
/* A copy of this takes 64 MiB of addresses. */
#include <peal/peal.h>

static char heap[64 << 20];

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argv;
    heap[argc] = (char)peal_rank(me);
    peal_next_round(me);
    if (heap[argc] != (char)peal_rank(me))
        peal_abort(me, "somebody else wrote here");
}
