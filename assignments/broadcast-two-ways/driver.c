/* SPDX-License-Identifier: MIT */
/* Broadcast n generated words by the submission's my_broadcast; every node prints what it has then, in hexadecimal. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

void my_broadcast(struct peal_node *me, void *a, size_t n, int root);

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    size_t n = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 0;
    uint64_t *a = peal_alloc(me, n);

    for (size_t i = 0; i < n; i++)
        a[i] = peal_rank(me) == 0 ? peal_random(me) : 0;
    my_broadcast(me, a, n, 0);
    for (size_t i = 0; i < n; i++)
        printf("%llx\n", (unsigned long long)a[i]);
}
