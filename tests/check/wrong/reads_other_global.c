/* SPDX-License-Identifier: MIT */
/* Every node has its own `counter`, and one reads another's. */
#include <peal/peal.h>

static uint64_t counter;

void
my_barrier(struct peal_node *me)
{
    uint64_t where = (uintptr_t)&counter;

    counter++;
    if (peal_rank(me) == 0)
        for (int i = 1; i < peal_size(me); i++)
            peal_send(me, &where, 1, i);
    if (peal_rank(me) > 0) {
        peal_recv(me, &where, 1, 0);
        if (*(uint64_t *)(uintptr_t)where == 0) /* here */
            peal_compute(me, 1);
    }
    peal_barrier(me);
}
