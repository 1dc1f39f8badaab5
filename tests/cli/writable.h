/* SPDX-License-Identifier: MIT */
/* For libraries that are loaded before the command, to change what is constant there. */
#ifndef PEAL_TESTS_CLI_WRITABLE_H
#define PEAL_TESTS_CLI_WRITABLE_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Make the pages of a constant writable. */
static void *
writable(const void *constant, size_t bytes)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)constant / page * page;

    if (mprotect((void *)begin, (uintptr_t)constant + bytes - begin, PROT_READ | PROT_WRITE) != 0)
        abort();
    return (void *)(uintptr_t)constant;
}

#endif
