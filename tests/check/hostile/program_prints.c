/* A program that prints without end, by itself and through its node. */
#include <peal/peal.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)me, (void)argc, (void)argv;
    for (;;)
        puts("spam spam spam spam spam spam spam spam spam spam spam spam spam spam spam spam spam spam spam spam");
}
