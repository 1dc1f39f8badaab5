/* SPDX-License-Identifier: MIT */
/* MPI programs in C files: compiled and linked by pealcc, then read as linked programs. */
#include "lib/program/compiler.h"
#include "lib/program/isolate.h"
#include "lib/program/linked.h"
#include "lib/program/sampled.h"
#include "lib/program/source.h"
#include "lib/program/toolchain.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether one of the files is of this language. */
static bool
is_one(bool (*is)(const char *path), const char *path, const char *const *sources)
{
    bool found = is(path);

    for (size_t i = 0; sources && sources[i]; i++)
        found |= is(sources[i]);
    return found;
}

/* The compiler of a language, and the environment's variables for it. */
struct language {
    const char *wrapper, *flags, *compiler;
    const char *option; /* the option that makes a file this language, whatever its name; NULL: its name decides */
};

static const struct language *
compile_mpi_language(const char *path, const char *const *sources)
{
    static const struct language c = {"pealcc", "CFLAGS", "PEAL_CC", "c"},
                                 cplusplus = {"pealc++", "CFLAGS", "PEAL_CXX", "c++"},
                                 fortran = {"pealfort", "FFLAGS", "PEAL_FC", NULL};

    return is_one(peal_is_fortran, path, sources)     ? &fortran
           : is_one(peal_is_cplusplus, path, sources) ? &cplusplus
                                                      : &c;
}

/* Run pealcc in the folder. */
static enum peal_status
compile_mpi_build(const char *path, const struct peal_program_options *options, const char *folder,
                  struct compiled *program, struct peal_error *error)
{
    char wrapper[PATH_MAX], linked[PATH_MAX + 16], plain[PATH_MAX + 2], *sampled = NULL;
    const struct language *language = compile_mpi_language(path, options->sources);
    const char *given = options->flags ? options->flags : getenv(language->flags);
    char *flags = strdup(given ? given : "");
    struct compiler_command command = {.count = 0};

    if (!flags || (sampled_functions() && asprintf(&sampled, "--sample=%s", sampled_functions()) < 0)) {
        free(flags);
        return peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", path);
    }
    if (options->compiler)
        setenv(language->compiler, options->compiler, 1);
    toolchain_wrapper(language->wrapper, wrapper);
    snprintf(linked, sizeof linked, "%s/program", folder);
    snprintf(plain, sizeof plain, "%s%s", path[0] == '-' || path[0] == '@' ? "./" : "", path);
    compiler_add_all(&command, (const char *const[]){wrapper, "-O2", "-o", linked, NULL});
    if (!language->option)
        compiler_add_all(&command, (const char *const[]){"-J", folder, NULL});
    else
        compiler_add(&command, "-Wall");
    if (options->watched && !strstr(flags, "-fsanitize")) /* a sanitizer watches them itself */
        compiler_add(&command, "--watch");
    if (sampled)
        compiler_add(&command, sampled);
    compiler_add(&command, plain);
    if (options->sources)
        compiler_add_all(&command, options->sources);
    compiler_add_split(&command, flags);
    compiler_add(&command, "-lm");
    enum peal_status status = compiler_run(&command, folder, path, "does not compile", error);

    free(sampled);
    free(flags);
    return status == PEAL_OK ? linked_read(linked, program, error) : status;
}

enum peal_status
compile_mpi(const char *path, const struct peal_program_options *options, struct compiled *program,
            struct peal_error *error)
{
    char folder[PATH_MAX];
    sigset_t fatal, before;

    *program = (struct compiled){0};
    compiler_signals(&fatal);
    sigprocmask(SIG_BLOCK, &fatal, &before);
    enum peal_status status = folder_make(folder, error);

    if (status == PEAL_OK) {
        status = compile_mpi_build(path, options, folder, program, error);
        compiler_remove(AT_FDCWD, folder, 0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

/* ------------------------------------------------------------------ judged */

bool
compile_mpi_preload(void)
{
    char path[PATH_MAX];

    toolchain_mpi_library(path);
    return dlopen(path[0] ? path : "libpealmpi.so", RTLD_NOW | RTLD_LOCAL) != NULL;
}

/* One judged program that is being built. */
struct judging {
    const char *path, *folder;
    const struct peal_program_options *options;
    bool watched;
};

/* Run the wrapper of the language with these words beside the options. */
static enum peal_status
run_wrapper(const struct judging *judging, const struct language *language, const char *const *words,
            const char *failed, struct peal_error *error)
{
    char wrapper[PATH_MAX];
    const char *given = judging->options->flags ? judging->options->flags : getenv(language->flags);
    char *flags = strdup(given ? given : "");
    struct compiler_command command = {.count = 0};

    if (!flags)
        return peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", judging->path);
    toolchain_wrapper(language->wrapper, wrapper);
    compiler_add_all(&command, (const char *const[]){wrapper, "-O2", "-g", NULL});
    if (language->option)
        compiler_add(&command, "-Wall");
    else
        compiler_add_all(&command, (const char *const[]){"-J", judging->folder, "-fno-diagnostics-show-caret",
                                                         "-Wuninitialized", "-Wmaybe-uninitialized", NULL});
    if (judging->watched)
        compiler_add(&command, "--watch");
    compiler_add_split(&command, flags);
    compiler_add_all(&command, words);
    enum peal_status status = compiler_run(&command, judging->folder, judging->path, failed, error);

    free(flags);
    return status;
}

/* Compile one file to an object, and list its names. */
static enum peal_status
compile_part(const struct judging *judging, const char *path, const char *object, struct elf_facts *facts,
             struct peal_error *error)
{
    char plain[PATH_MAX + 2];
    unsigned char *bytes = NULL;
    size_t size;

    *facts = (struct elf_facts){.calls = NULL};
    snprintf(plain, sizeof plain, "%s%s", path[0] == '-' || path[0] == '@' ? "./" : "", path);
    const struct language *language = compile_mpi_language(path, NULL);
    enum peal_status status = run_wrapper(
        judging, language,
        (const char *const[]){"-c", "-o", object, language->option ? "-x" : plain, language->option, plain, NULL},
        "does not compile", error);

    if (status == PEAL_OK)
        status = folder_read(object, &bytes, &size, error);
    if (status == PEAL_OK && !elf_inspect(bytes, size, facts))
        status =
            peal_refuse(error, PEAL_PROGRAM, "%s: the compiler did not write an ELF64 object; see CC and CFLAGS", path);
    free(bytes);
    return status;
}

/* Let an object bind only declared names of the other one. */
static enum peal_status
set_apart(const char *object, const char *path, const struct isolation *isolation, struct peal_error *error)
{
    unsigned char *bytes;
    size_t size;
    enum peal_status status = folder_read(object, &bytes, &size, error);

    if (status == PEAL_OK && !isolate_object(&bytes, &size, isolation))
        status = peal_refuse(error, PEAL_PROGRAM, "%s: the names in its object file cannot be changed", path);
    if (status == PEAL_OK)
        status = folder_write(object, bytes, size, error);
    free(bytes);
    return status;
}

/* Remove the names of MPI and of Peal, which the judged part does not define for its judge. */
static void
drop_reserved(char *names)
{
    char *to = names;

    for (const char *at = names; *at;) {
        size_t length = strcspn(at, "\n") + 1;

        if (strncmp(at, "MPI_", 4) != 0 && strncmp(at, "PMPI_", 5) != 0 && strncmp(at, "peal_", 5) != 0) {
            memmove(to, at, length);
            to += length;
        }
        at += length;
    }
    *to = '\0';
}

/* Compile the judge, and set both objects apart. */
static enum peal_status
compile_mpi_add_judge(const struct judging *judging, const struct compile_judge *judge, const char *object,
                      const char *own, struct peal_error *error)
{
    struct elf_facts facts;
    enum peal_status status = compile_part(judging, judge->path, own, &facts, error);
    char *missing = status == PEAL_OK && !judge->functions ? isolate_missing(facts.calls ? facts.calls : "") : NULL;

    if (missing)
        drop_reserved(missing);
    const struct isolation judged = {.shared = judge->functions ? judge->functions : missing, .foreign = "main"};
    const struct isolation judges = {.shared = judge->offers, .exported = "main"};

    if (status == PEAL_OK && !judged.shared)
        status = peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", judging->path);
    if (status == PEAL_OK)
        status = set_apart(object, judging->path, &judged, error);
    if (status == PEAL_OK)
        status = set_apart(own, judge->path, &judges, error);
    free(facts.calls);
    free(missing);
    return status;
}

static enum peal_status
build_judged(const struct judging *judging, const struct compile_judge *judge, bool only_object,
             struct compiled *program, struct peal_error *error)
{
    char object[PATH_MAX + 16], own[PATH_MAX + 16], linked[PATH_MAX + 16];
    struct elf_facts facts;

    snprintf(object, sizeof object, "%s/program.o", judging->folder);
    snprintf(own, sizeof own, "%s/judge.o", judging->folder);
    snprintf(linked, sizeof linked, "%s/program", judging->folder);
    enum peal_status status = compile_part(judging, judging->path, object, &facts, error);

    if (status == PEAL_OK && judge)
        status = compile_mpi_add_judge(judging, judge, object, own, error);
    if (status == PEAL_OK && !only_object)
        status = run_wrapper(judging, compile_mpi_language(judging->path, NULL),
                             (const char *const[]){"-o", linked, object, judge ? own : "-lm", "-lm", NULL},
                             "does not link", error);
    if (status == PEAL_OK && !only_object)
        status = linked_read(linked, program, error);
    program->calls = facts.calls;
    return status;
}

enum peal_status
compile_mpi_judged(const char *path, const struct compile_judge *judge, const struct peal_program_options *options,
                   bool watched, bool only_object, struct compiled *program, struct peal_error *error)
{
    struct judging judging = {.path = path, .options = options, .watched = watched};
    const char *compiler = options->compiler ? options->compiler : getenv("CC");
    char folder[PATH_MAX];
    enum peal_status status = folder_make(folder, error);

    *program = (struct compiled){0};
    if (status != PEAL_OK)
        return status;
    if (compiler && *compiler)
        setenv("PEAL_CC", compiler, 1);
    judging.folder = folder;
    status = build_judged(&judging, judge, only_object, program, error);
    compiler_remove(AT_FDCWD, folder, 0);
    return status;
}
