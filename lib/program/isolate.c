/* SPDX-License-Identifier: MIT */
/* Renames all but the shared names of an object file, so that two parts of a program cannot bind one another's. */
#include "lib/program/isolate.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

char *
isolate_missing(const char *calls)
{
    /* Functions of the C library that are linked into each program: no loaded library has them. */
    static const char *const linked_in[] = {"atexit", "at_quick_exit", "pthread_atfork"};
    char *missing = calloc(strlen(calls) + 1, 1), *end = missing, name[256];

    for (size_t length; missing && *calls; calls += length + (calls[length] != '\0')) {
        bool known = false;

        length = strcspn(calls, "\n");
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), calls);
        for (size_t i = 0; i < sizeof linked_in / sizeof *linked_in; i++)
            known |= strcmp(name, linked_in[i]) == 0;
        if (known || !*name || *name == '=' || *name == '_' || dlsym(RTLD_DEFAULT, name))
            continue;
        end = stpcpy(stpncpy(end, calls, length), "\n");
    }
    return missing;
}

struct names {
    const struct isolation *may;
    uint64_t secret, number;
    char renamed[300];
};

static const char *
isolated(Elf64_Sym *symbol, const char *name, void *arg)
{
    struct names *names = arg;
    size_t length = strlen(name);

    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL)
        return NULL;
    if (symbol->st_shndx == SHN_UNDEF) {
        if (!isolate_has(names->may->foreign, name, length))
            return NULL;
        snprintf(names->renamed, sizeof names->renamed, "%.200s of the driver", name);
        return names->renamed;
    }
    if (isolate_has(names->may->exported, name, length))
        return NULL;
    symbol->st_other = (unsigned char)((symbol->st_other & ~3) | STV_HIDDEN);
    if (ELF64_ST_BIND(symbol->st_info) == STB_GNU_UNIQUE) /* one for the whole process */
        symbol->st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbol->st_info));
    if (isolate_has(names->may->shared, name, length))
        return NULL;
    snprintf(names->renamed, sizeof names->renamed, "own.%016" PRIx64 ".%" PRIx64, names->secret, ++names->number);
    return names->renamed;
}

bool
isolate_object(unsigned char **bytes, size_t *size, const struct isolation *isolation)
{
    struct names names = {.may = isolation};

    return getrandom(&names.secret, sizeof names.secret, 0) == (ssize_t)sizeof names.secret &&
           rename_symbols(bytes, size, isolated, &names);
}
