/* SPDX-License-Identifier: MIT */
/* Loaded before the command: takes the closed form away from broadcast/chain, as if its file had left it out. */
#include "writable.h"
#include <peal/collective.h>

__attribute__((constructor)) static void
take_away(void)
{
    struct peal_algorithm *algorithm = writable(peal_algorithm_find(PEAL_BROADCAST, "chain"), sizeof *algorithm);

    algorithm->cost = NULL;
    algorithm->texts = NULL;
    algorithm->at_most = NULL;
}
