#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (peal_rank(me) == 1)
        for (volatile unsigned long i = 0;; i++)
            ;
    peal_next_round(me);
}
