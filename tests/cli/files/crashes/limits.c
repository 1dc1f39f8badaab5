/* SPDX-License-Identifier: MIT */
/* Node 0 lowers a limit of the process to 0, and node 1 waits for ever. */
#include <peal/peal.h>
#include <stdlib.h>
#include <sys/resource.h>

void
peal_main(struct peal_node *me, int argc, char **argv)
{
    static const struct rlimit none;
    int64_t word = 0;

    if (peal_rank(me) == 0 && argc > 1)
        setrlimit((__rlimit_resource_t)atoi(argv[1]), &none);
    if (peal_rank(me) == 1)
        peal_recv(me, &word, 1, 0);
}
