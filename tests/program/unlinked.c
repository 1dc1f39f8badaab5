/* SPDX-License-Identifier: MIT */
/* Calls an undefined function, in line 10. */
#include <peal/peal.h>

int nowhere_to_be_found(int rank);

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    peal_compute(me, nowhere_to_be_found(argc));
    (void)argv;
}
