/* SPDX-License-Identifier: MIT */
/* A broadcast that sends nothing: the root copies its words into a const table, by a call that is not the program's
 * own. */
#include <peal/peal.h>
#include <string.h>

static const uint64_t table[64];

void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    size_t bytes = (n < 64 ? n : 64) * peal_word_bytes(me);
    void *volatile shared = (void *)(uintptr_t)table;

    if (peal_rank(me) == root)
        memcpy(shared, a, bytes); /* here */
    peal_barrier(me);
    memcpy(a, shared, bytes);
}
