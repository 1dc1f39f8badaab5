/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>

/* Node 0 sends a word to every other. */
void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double word = 1;

    (void)argc, (void)argv;
    for (int i = 1; i < peal_size(me) && peal_rank(me) == 0; i++)
        peal_send(me, &word, 1, i);
    if (peal_rank(me) > 0)
        peal_recv(me, &word, 1, 0);
}
