/* SPDX-License-Identifier: MIT */
/* Loaded before the command: takes the closed form away from broadcast/chain, as if its file had left it out. */
#include <peal/collective.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* The catalogue is constant: its page is made writable. */
__attribute__((constructor)) static void
take_away(void)
{
    struct peal_algorithm *algorithm = (struct peal_algorithm *)(uintptr_t)peal_algorithm_find(PEAL_BROADCAST, "chain");
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)algorithm / page * page;

    if (mprotect((void *)begin, (uintptr_t)(algorithm + 1) - begin, PROT_READ | PROT_WRITE) != 0)
        abort();
    algorithm->cost = NULL;
    algorithm->texts = NULL;
    algorithm->at_most = NULL;
}
