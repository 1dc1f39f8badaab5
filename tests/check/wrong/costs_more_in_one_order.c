/* SPDX-License-Identifier: MIT */
/* Right in every order of arrival, and dearer where node 2 is heard first. */
#include <peal/peal.h>
void
peal_main(struct peal_node *me, int argc, char **argv)
{
    int last = peal_size(me) - 1;
    double mine = 1, theirs;

    (void)argc, (void)argv;
    if (peal_rank(me) > 0) {
        peal_send(me, &mine, 1, 0);
        return;
    }
    int first = peal_recv(me, &theirs, 1, PEAL_ANY_SOURCE).source;
    for (int i = 1; i < last; i++)
        peal_recv(me, &theirs, 1, PEAL_ANY_SOURCE);
    for (int i = 0; i < 5 && first == 2; i++)
        peal_sendrecv(me, &mine, 1, 0, &theirs, 1, 0);
}
