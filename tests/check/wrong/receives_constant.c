/* SPDX-License-Identifier: MIT */
/* The words of a broadcast are received into a table of pointers that is const. */
#include <peal/peal.h>

static const char *const names[64] = {"one", "two"};

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    void *volatile into = (void *)(uintptr_t)names;

    for (int i = 0; i < peal_size(me); i++)
        if (peal_rank(me) == root && i != root)
            peal_send(me, a, n, i);
    if (peal_rank(me) != root && n <= 64)
        peal_recv(me, into, n, root); /* here */
    else if (peal_rank(me) != root)
        peal_recv(me, a, n, root);
}
