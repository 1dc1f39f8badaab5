#include <peal/peal.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    if (peal_rank(me) == 0)
        for (int i = 0; i < argc; i++)
            printf("%d %s\n", i, argv[i]);
}
