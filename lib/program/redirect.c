/* SPDX-License-Identifier: MIT */
/* Puts peal_wrap_ before the listed undefined names of an object file: printf becomes peal_wrap_printf.  ld --wrap
 * would use names that begin with __wrap_, which the library would have to export: a program that wraps the same call
 * would get Peal's function, and Peal the program's. */
#include "lib/program/compile.h"
#include "lib/program/isolate.h"
#include <stdio.h>
#include <string.h>

/* The lists of names that are to be redirected. */
struct redirect_lists {
    const char *const *const *all;
    int count;
    char renamed[200];
};

static const char *
redirected(Elf64_Sym *symbol, const char *name, void *arg)
{
    struct redirect_lists *lists = arg;

    for (int i = 0; i < lists->count && symbol->st_shndx == SHN_UNDEF; i++)
        for (const char *const *listed = lists->all[i]; *listed; listed++)
            if (strcmp(*listed, name) == 0) {
                snprintf(lists->renamed, sizeof lists->renamed, "peal_wrap_%s", name);
                return lists->renamed;
            }
    return NULL;
}

bool
redirect_calls(unsigned char **bytes, size_t *size, const char *const *const lists[], int count)
{
    struct redirect_lists all = {.all = lists, .count = count};

    return rename_symbols(bytes, size, redirected, &all);
}
