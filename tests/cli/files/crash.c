#include <peal/peal.h>
#include <stddef.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    peal_barrier(me);
    if (peal_rank(me) == 3)
        *(volatile int *)NULL = 1;
    peal_barrier(me);
}
