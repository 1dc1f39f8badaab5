/* SPDX-License-Identifier: MIT */
/* Print the first numbers of every generator: unseeded, and seeded with 42 if there is an argument. */
#include <peal/peal.h>
#include <stdio.h>
#include <stdlib.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        srand(42);
        srand48(42);
    }
    for (int i = 0; i < 3; i++) {
        int r = rand();
        peal_next_round(me);
        long s = random(), l = lrand48();
        peal_next_round(me);
        long m = mrand48();
        double d = drand48();

        printf("%d %ld %ld %ld %.17g\n", r, s, l, m, d);
    }
}
