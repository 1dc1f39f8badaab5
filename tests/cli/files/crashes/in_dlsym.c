/* SPDX-License-Identifier: MIT */
#include <peal/peal.h>
#include <dlfcn.h>
#include <stdio.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    (void)argc, (void)argv;
    for (;;) {
        void *volatile found = dlsym(RTLD_DEFAULT, "printf");

        (void)found;
    }
    peal_barrier(me);
}
