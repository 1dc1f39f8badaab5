/* SPDX-License-Identifier: MIT */
/* Broadcasts that spoil their process. */
#include <peal/peal.h>
#include <signal.h>
#include <stdlib.h>

void
spoils_heap(struct peal_node *me, void *a, size_t n, int root)
{
    volatile char *memory = malloc(50000);

    for (int i = 0; i < 50000 + 64; i++)
        memory[i] = 'A';
    for (int i = 0; i < 99; i++) {
        char *volatile more = malloc(2000);

        (void)more;
    }
    peal_broadcast(me, a, n, root);
}

void
frees_twice(struct peal_node *me, void *a, size_t n, int root)
{
    char *volatile memory = malloc(40);

    free(memory);
    free(memory);
    peal_broadcast(me, a, n, root);
}

void
aborts(struct peal_node *me, void *a, size_t n, int root)
{
    if (peal_rank(me) == 2)
        abort();
    peal_broadcast(me, a, n, root);
}

void
ends(struct peal_node *me, void *a, size_t n, int root)
{
    if (peal_rank(me) == 2)
        raise(SIGKILL);
    peal_broadcast(me, a, n, root);
}

void
allocates_for_ever(struct peal_node *me, void *a, size_t n, int root)
{
    (void)me, (void)a, (void)n, (void)root;
    for (;;) {
        char *volatile memory = malloc(100);

        free(memory);
    }
}
