/* SPDX-License-Identifier: MIT */
/* Does not compile: line 8. */
#include <peal/peal.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    undeclared = peal_rank(me) + argc;
    (void)argv;
}
