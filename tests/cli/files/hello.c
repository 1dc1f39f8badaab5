#include <peal/peal.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("hello from node %d of %d\n", peal_rank(me), peal_size(me));
}
