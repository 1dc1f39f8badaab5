/* A program that means no harm, and has a large array on its stack. */
#include <peal/peal.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    double a[100000] = {1, 2, 3};

    (void)argc, (void)argv;
    if (peal_rank(me) == 0)
        peal_send(me, a, 3, 1);
    else
        peal_recv(me, a, 3, 0);
    printf("hello from %d\n", peal_rank(me));
}
