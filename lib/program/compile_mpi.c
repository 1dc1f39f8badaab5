/* SPDX-License-Identifier: MIT */
/* MPI programs in C files: compiled and linked by pealcc, then read as linked programs. */
#include "lib/program/compile.h"
#include "lib/program/compiler.h"
#include "lib/program/linked.h"
#include "lib/program/source.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether one of the files is C++. */
static bool
is_cplusplus(const char *path, const char *const *sources)
{
    bool is = source_is_cplusplus(path);

    for (size_t i = 0; sources && sources[i]; i++)
        is |= source_is_cplusplus(sources[i]);
    return is;
}

/* Where pealcc is: beside the library, installed or in the build tree; else wherever PATH leads. */
static void
find_wrapper(const char *name, char path[PATH_MAX])
{
    static const char *const places[] = {"../tools", "../bin", "../../bin"};
    char library[PATH_MAX], headers[PATH_MAX];

    compile_needs(library, headers);
    for (size_t i = 0; library[0] && i < sizeof places / sizeof *places; i++)
        if (snprintf(path, PATH_MAX, "%s/%s/%s", library, places[i], name) < PATH_MAX && access(path, X_OK) == 0)
            return;
    snprintf(path, PATH_MAX, "%s", name);
}

/* Run pealcc in the folder. */
static enum peal_status
build(const char *path, const struct peal_program_options *options, const char *folder, struct compiled *program,
      struct peal_error *error)
{
    char wrapper[PATH_MAX], linked[PATH_MAX + 16], plain[PATH_MAX + 2];
    const char *given = options->flags ? options->flags : getenv("CFLAGS");
    char *flags = strdup(given ? given : "");
    struct command command = {.count = 0};

    if (!flags)
        return peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", path);
    bool cplusplus = is_cplusplus(path, options->sources);

    if (options->compiler)
        setenv(cplusplus ? "PEAL_CXX" : "PEAL_CC", options->compiler, 1);
    find_wrapper(cplusplus ? "pealc++" : "pealcc", wrapper);
    snprintf(linked, sizeof linked, "%s/program", folder);
    snprintf(plain, sizeof plain, "%s%s", path[0] == '-' || path[0] == '@' ? "./" : "", path);
    compiler_add_all(&command, (const char *const[]){wrapper, "-O2", "-Wall", "-o", linked, plain, NULL});
    if (options->sources)
        compiler_add_all(&command, options->sources);
    compiler_add_split(&command, flags);
    compiler_add(&command, "-lm");
    enum peal_status status = compiler_run(&command, folder, path, "does not compile", error);

    free(flags);
    return status == PEAL_OK ? linked_read(linked, program, error) : status;
}

enum peal_status
compile_mpi(const char *path, const struct peal_program_options *options, struct compiled *program,
            struct peal_error *error)
{
    const char *parent = getenv("TMPDIR");
    char folder[PATH_MAX];
    sigset_t fatal, before;
    enum peal_status status;

    *program = (struct compiled){0};
    if (snprintf(folder, sizeof folder, "%s/peal-XXXXXX", parent && *parent ? parent : "/tmp") >=
        (int)sizeof folder - 16)
        return peal_refuse(error, PEAL_RESOURCES, "TMPDIR is a path of more than %d characters", PATH_MAX - 30);
    compiler_signals(&fatal);
    sigprocmask(SIG_BLOCK, &fatal, &before);
    if (mkdtemp(folder)) {
        status = build(path, options, folder, program, error);
        compiler_remove(AT_FDCWD, folder, 0);
    } else {
        status = peal_refuse(error, PEAL_RESOURCES,
                             "cannot make a directory for the compiler (%s): %s; set TMPDIR to one that can be written",
                             folder, strerror(errno));
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}
