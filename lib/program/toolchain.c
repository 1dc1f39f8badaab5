/* SPDX-License-Identifier: MIT */
/* The paths of Peal's own files that compiling needs: its library, its headers, pealcc, MPI's library. */
#include "lib/program/toolchain.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
toolchain_library(char file[PATH_MAX])
{
    Dl_info info;

    bool found =
        dladdr((const void *)(uintptr_t)toolchain_library, &info) && info.dli_fname && realpath(info.dli_fname, file);
    const char *name = found ? strrchr(file, '/') : NULL;

    if (!name || strncmp(name, "/libpeal.", 9) != 0)
        file[0] = '\0'; /* realpath may have begun to write */
}

static bool
has_headers(const char *directory)
{
    char file[PATH_MAX];

    return snprintf(file, sizeof file, "%s/peal/peal.h", directory) < (int)sizeof file && access(file, R_OK) == 0;
}

enum peal_status
toolchain_headers(const char *library, const char **directory, struct peal_error *error)
{
    const char *own = getenv("PEAL_INCLUDE");
    size_t root = strlen(PEAL_BUILD_ROOT);
    bool installed = library[0] && (strncmp(library, PEAL_BUILD_ROOT, root) != 0 || library[root] != '/');

    if (own && *own) {
        *directory = own;
        if (!has_headers(own))
            return peal_refuse(error, PEAL_PROGRAM, "PEAL_INCLUDE is %s, and there is no %s/peal/peal.h", own, own);
        return PEAL_OK;
    }
    *directory = installed ? PEAL_INSTALLED_HEADERS : PEAL_SOURCE_HEADERS;
    if (!has_headers(*directory))
        *directory = installed ? PEAL_SOURCE_HEADERS : PEAL_INSTALLED_HEADERS;
    if (!has_headers(*directory))
        return peal_refuse(error, PEAL_PROGRAM,
                           "Peal's headers are not in %s: set PEAL_INCLUDE to the directory that holds peal/peal.h",
                           PEAL_INSTALLED_HEADERS);
    return PEAL_OK;
}

void
toolchain_needs(char library[], char headers[])
{
    const char *folder = "";

    toolchain_library(library);
    if (toolchain_headers(library, &folder, NULL) != PEAL_OK)
        folder = "";
    snprintf(headers, PATH_MAX, "%s", folder);
    if (strrchr(library, '/'))
        *strrchr(library, '/') = '\0';
}

void
toolchain_wrapper(const char *name, char path[PATH_MAX])
{
    static const char *const places[] = {"tools", "../bin", "../../bin"};
    char library[PATH_MAX], headers[PATH_MAX];

    toolchain_needs(library, headers);
    for (size_t i = 0; library[0] && i < sizeof places / sizeof *places; i++)
        if (snprintf(path, PATH_MAX, "%s/%s/%s", library, places[i], name) < PATH_MAX && access(path, X_OK) == 0)
            return;
    snprintf(path, PATH_MAX, "%s", name);
}

/* The folders of MPI's libraries and modules, relative to Peal's: installed, two of the build tree, and those of
 * modules, installed. */
static const char *const beside[MPI_FOLDERS] = {"", "/mpi", "/lib/memory", "/../libexec/peal/fortran",
                                                "/../../libexec/peal/fortran"};

void
toolchain_mpi_needs(char wrapper[], char (*folders)[4096])
{
    char library[PATH_MAX], headers[PATH_MAX], path[PATH_MAX + 32];

    toolchain_wrapper("pealcc", wrapper);
    toolchain_needs(library, headers);
    for (int i = 0; i < MPI_FOLDERS; i++) {
        snprintf(path, sizeof path, "%s%s", library, beside[i]);
        if (!library[0] || !realpath(path, folders[i]))
            folders[i][0] = '\0';
    }
}

/* The first of MPI's folders that has the file. */
static void
find_for_mpi(const char *name, char path[])
{
    char wrapper[PATH_MAX], folders[MPI_FOLDERS][4096];

    toolchain_mpi_needs(wrapper, folders);
    for (int i = 0; i < MPI_FOLDERS; i++) {
        snprintf(path, PATH_MAX, "%.4060s/%s", folders[i], name);
        if (folders[i][0] && access(path, R_OK) == 0)
            return;
    }
    path[0] = '\0';
}

void
toolchain_mpi_library(char path[])
{
    find_for_mpi("libpealmpi.so", path);
}

void
toolchain_process(char path[])
{
    find_for_mpi("peal/program.so", path);
    if (!path[0])
        find_for_mpi("process/program.so", path); /* of the build tree */
}
