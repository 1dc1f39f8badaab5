/* SPDX-License-Identifier: MIT */
/* Broadcast two ways: complete all three. */
#include <peal/peal.h>
#include <stdint.h>

/* In ceil(log2 P) rounds. */
void
my_broadcast_tree(struct peal_node *me, void *a, size_t n, int root)
{
    (void)me, (void)a, (void)n, (void)root; /* your turn */
}

/* A scatter of P parts, and an all-gather round a ring. */
void
my_broadcast_long(struct peal_node *me, void *a, size_t n, int root)
{
    (void)me, (void)a, (void)n, (void)root; /* your turn */
}

/* The cheaper of the two. */
void
my_broadcast(struct peal_node *me, void *a, size_t n, int root)
{
    my_broadcast_tree(me, a, n, root); /* always? */
}
