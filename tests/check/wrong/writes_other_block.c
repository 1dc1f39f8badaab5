/* SPDX-License-Identifier: MIT */
/* A block that node 0 got from peal_alloc is written by the others. */
#include <peal/peal.h>
#include <string.h>

void
my_barrier(struct peal_node *me)
{
    uint64_t where = 0;

    if (peal_rank(me) == 0) {
        where = (uintptr_t)peal_alloc(me, 4);
        for (int i = 1; i < peal_size(me); i++)
            peal_send(me, &where, 1, i);
    } else {
        peal_recv(me, &where, 1, 0);
        memset((void *)(uintptr_t)where, 1, 8); /* here */
    }
    peal_barrier(me);
}
