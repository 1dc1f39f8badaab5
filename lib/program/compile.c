/* SPDX-License-Identifier: MIT */
/* Compiling a node program: a run of the compiler for each object file, which is inspected, one for the shared object.
 *
 * No shell is involved: names with spaces are names with spaces.  The words of $CC and $CFLAGS are split at spaces.  */
#include "lib/program/compile.h"
#include "lib/program/compiler.h"
#include "lib/program/interpose.h"
#include "lib/program/isolate.h"
#include "lib/program/source.h"
#include "lib/program/toolchain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ the temporary directory */

/* The compiler's folder. */
static struct {
    char directory[PATH_MAX], object[PATH_MAX + 16], judge[PATH_MAX + 16], shared[PATH_MAX + 16],
        declared[PATH_MAX + 16], after[PATH_MAX + 16];
} workplace;

static enum peal_status
make_workplace(struct peal_error *error)
{
    enum peal_status status = folder_make(workplace.directory, error);

    if (status != PEAL_OK)
        return status;
    snprintf(workplace.object, sizeof workplace.object, "%s/program.o", workplace.directory);
    snprintf(workplace.judge, sizeof workplace.judge, "%s/judge.o", workplace.directory);
    snprintf(workplace.shared, sizeof workplace.shared, "%s/program.so", workplace.directory);
    snprintf(workplace.declared, sizeof workplace.declared, "%s/function.h", workplace.directory);
    snprintf(workplace.after, sizeof workplace.after, "%s/function.cpp", workplace.directory);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ objects */

/* The way that this program is compiled and linked. */
struct building {
    const char *path;
    const char *const *sources;           /* further files of it, up to NULL */
    bool cplusplus;                       /* one of them is C++ */
    bool alone;                           /* only the object */
    struct source_text *piped;            /* the texts of those that are pipes: of path, and of the sources in turn */
    const struct compile_judge *judge;    /* NULL: none */
    const char *function, *declaration;   /* as of struct peal_program_options */
    const char *after;                    /* likewise */
    struct compiler_command words, flags; /* the compiler's own words, and the user's */
    const char *headers;
    char library[PATH_MAX];
    enum instrument how;
};

/* Refuse: no object has peal_main. */
static enum peal_status
refuse_start(const char *path, const struct elf_facts *facts, struct peal_error *error)
{
    if (facts->has_mangled_peal_main)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s has a peal_main with the name that C++ gives it: include <peal/peal.h>, or declare it "
                           "extern \"C\"",
                           path);
    return peal_refuse(error, PEAL_PROGRAM,
                       "%s has %s: a node program starts at void peal_main(struct peal_node *me, int argc, "
                       "char **argv)",
                       path, facts->has_main ? "main, but no peal_main" : "no peal_main");
}

/* Inspect an object, which must define peal_main unless it is a `part`.  `facts` receives the names that it calls. */
static enum peal_status
inspect_object(const char *object, const char *path, bool part, struct compiled *program, struct elf_facts *facts,
               struct peal_error *error)
{
    unsigned char *bytes;
    size_t size;
    enum peal_status status = folder_read(object, &bytes, &size, error);

    *facts = (struct elf_facts){.calls = NULL};
    if (status != PEAL_OK)
        return status;
    bool readable = elf_inspect(bytes, size, facts);
    free(bytes);
    program->writable |= facts->writable;
    program->unwinds |= facts->unwinds;
    if (!readable)
        return peal_refuse(error, PEAL_PROGRAM, "%s: the compiler did not write an ELF64 object; see CC and CFLAGS",
                           path);
    return part || facts->has_peal_main ? PEAL_OK : refuse_start(path, facts, error);
}

/* Copy the list of names without those that an object of the program defines (`calls` as in struct elf_facts).
 * NULL without memory. */
static const char **
names_from_elsewhere(const char *const *names, const char *calls)
{
    size_t count = 0, kept = 0;
    char defined[100];

    while (names[count])
        count++;
    const char **list = calloc(count + 1, sizeof *list);

    for (size_t i = 0; list && i < count; i++) {
        int length = snprintf(defined, sizeof defined, "=%s", names[i]);

        if (!isolate_has(calls, defined, (size_t)length))
            list[kept++] = names[i];
    }
    return list;
}

/* Redirect to Peal the object's calls of functions that keep state for each node, and let it share only the names that
 * `isolation` lists with the other objects (NULL: all).  Names that another object of the program defines do not
 * change. */
static enum peal_status
rewrite_object(const char *file, const char *path, enum instrument how, const struct isolation *isolation,
               const char *calls, struct peal_error *error)
{
    const char **wraps = names_from_elsewhere(interpose_names(), calls);
    const char *const *const lists[] = {wraps, instrument_names(how)};
    unsigned char *object;
    size_t size;
    enum peal_status status = folder_read(file, &object, &size, error);

    if (status != PEAL_OK || !wraps) {
        free(wraps);
        return status != PEAL_OK ? status : peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", path);
    }
    if ((!isolation || isolate_object(&object, &size, isolation)) &&
        redirect_calls(&object, &size, lists, sizeof lists / sizeof *lists) &&
        (how == INSTRUMENT_NONE || elf_make_gaps(&object, &size)))
        status = folder_write(file, object, size, error);
    else
        status = peal_refuse(error, PEAL_PROGRAM,
                             "%s: the names in its object file cannot be changed: it has no table of symbols, or more "
                             "than one",
                             path);
    free(object);
    free(wraps);
    return status;
}

/* Let the objects of the program and of its judge bind only those names of each other that are declared. */
static enum peal_status
rewrite_apart(const struct building *building, const char *judge_calls, struct peal_error *error)
{
    const struct compile_judge *judge = building->judge;
    char *missing = judge->functions ? NULL : isolate_missing(judge_calls ? judge_calls : "");
    const struct isolation judged = {.shared = judge->functions ? judge->functions : missing, .foreign = "peal_main"};
    const struct isolation judging = {.shared = judge->offers, .exported = "peal_main"};
    enum peal_status status;

    if (!judged.shared)
        return peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", building->path);
    status = rewrite_object(workplace.object, building->path, building->how, &judged, NULL, error);
    if (status == PEAL_OK)
        status = rewrite_object(workplace.judge, judge->path, building->how, &judging, NULL, error);
    free(missing);
    return status;
}

/* ------------------------------------------------------------------ runs of the compiler */

/* A frame larger than the guard below a stack could reach past it, so compiled code touches every part of guard length
 * in order (STACK_GUARD).  On processors other than x86-64, not every clang can. */
static bool
probes_frames(const struct compiler_command *compiler)
{
#ifdef __x86_64__
    (void)compiler;
    return true;
#else
    return compiler_is(compiler, "gcc");
#endif
}

enum { MAX_SOURCES = 64 };

/* The number, from 0, of the program's file `path` if it is a pipe whose text has been read; else -1. */
static int
piped_source(const struct building *building, const char *path)
{
    if (!building->piped)
        return -1;
    if (path == building->path)
        return building->piped[0].bytes ? 0 : -1;
    for (int i = 1; building->sources && building->sources[i - 1]; i++)
        if (path == building->sources[i - 1])
            return building->piped[i].bytes ? i : -1;
    return -1;
}

/* Write the name of the file in the temporary directory that holds the text of a pipe. */
static void
pipe_name(int i, char name[PATH_MAX + 32])
{
    snprintf(name, PATH_MAX + 32, "%s/piped-%d.c", workplace.directory, i);
}

/* Write the texts of pipes to files. */
static enum peal_status
write_pipes(const struct building *building, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    char name[PATH_MAX + 32];

    for (int i = 0; status == PEAL_OK && (i == 0 || (building->sources && building->sources[i - 1])); i++)
        if (building->piped[i].bytes) {
            pipe_name(i, name);
            status = source_write(&building->piped[i], i ? building->sources[i - 1] : building->path, name, error);
        }
    return status;
}

/* Compile one file to an object. */
static enum peal_status
compile_one(const struct building *building, const char *path, const char *object, struct peal_error *error)
{
    /* Optimised, since simulations compute; with line numbers, since they crash.  __NO_INLINE__ keeps <stdio.h> from
     * writing into stdout by itself (putchar_unlocked); only interpose.c may do that. */
    static const char *const defaults[] = {"-O2", "-g", "-Wall", NULL};
    static const char *const looked_at[] = {"-O0", "-Wall", NULL}; /* for an object of which only the names count */
    static const char *const musts[] = {
        "-fPIC", "-fno-semantic-interposition", "-fno-lto", "-fno-optimize-sibling-calls", "-D__NO_INLINE__", NULL};
    struct compiler_command compile = building->words;
    char plain[PATH_MAX + 32], folder[PATH_MAX + 32], mpi[PATH_MAX + 16];
    int piped = piped_source(building, path);

    /* A name must not be taken for an option or a file of options. */
    snprintf(plain, sizeof plain, "%s%s", path[0] == '-' || path[0] == '@' ? "./" : "", path);
    compiler_add(&compile, peal_is_cplusplus(path) ? "-std=gnu++17" : "-std=gnu17");
    compiler_add_all(&compile, building->alone ? looked_at : defaults);
    if (probes_frames(&building->words))
        compiler_add(&compile, "-fstack-clash-protection");
    /* A warning of Peal's headers is at the program's line, without the macros between (clang names one at least), and
     * also where those headers are the system's, in which gcc does not warn otherwise. */
    if (compiler_is(&building->words, "gcc"))
        compiler_add(&compile, "-ftrack-macro-expansion=0");
    else if (compiler_is(&building->words, "clang"))
        compiler_add(&compile, "-fmacro-backtrace-limit=1");
    compiler_add_all(&compile, (const char *const *)building->flags.words);
    compiler_add_all(&compile, musts);
    compiler_add_all(&compile, instrument_compiler_words(building->how));
    compiler_add_all(&compile, instrument_branch_words(building->how));
    if (building->declaration)
        compiler_add_all(&compile, (const char *const[]){"-include", workplace.declared, NULL});
    if (piped >= 0) { /* its includes are relative to the pipe's folder */
        snprintf(folder, sizeof folder, "%s", strrchr(plain, '/') ? plain : ".");
        if (strrchr(folder, '/'))
            *strrchr(folder, '/') = '\0';
        compiler_add_all(&compile, (const char *const[]){"-iquote", folder, NULL});
        pipe_name(piped, plain);
    }
    if (building->judge && building->judge->mpi) {
        snprintf(mpi, sizeof mpi, "%s/peal/mpi", building->headers);
        compiler_add_all(&compile, (const char *const[]){"-I", mpi, NULL});
    }
    const bool before = building->after && path == building->path;

    if (before)
        compiler_add_all(&compile, (const char *const[]){"-include", plain, NULL});
    compiler_add_all(&compile,
                     (const char *const[]){"-I", building->headers, "-x", peal_is_cplusplus(path) ? "c++" : "c", "-c",
                                           "-o", object, before ? workplace.after : plain, NULL});
    return compiler_run(&compile, workplace.directory, path, "does not compile", error);
}

/* Write the name of the object of the program's i-th file. */
static const char *
object_name(int i, char name[PATH_MAX + 32])
{
    if (i == 0)
        return workplace.object;
    snprintf(name, PATH_MAX + 32, "%s/more-%d.o", workplace.directory, i);
    return name;
}

static enum peal_status
link_all(const struct building *building, struct peal_error *error)
{
    /* Bind names to their own copy, and at load time: then the tables of names are read-only. */
    static const char *const layout[] = {
        "-fno-lto", "-Wl,-Bsymbolic", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,--hash-style=gnu", "-Wl,--build-id=none",
        NULL};
    long page = sysconf(_SC_PAGESIZE);
    char pages[100];
    struct compiler_command link = building->words;
    char names[MAX_SOURCES][PATH_MAX + 32];

    compiler_add_all(&link, (const char *const[]){"-shared", "-o", workplace.shared, NULL});
    if (building->judge)
        compiler_add(&link, workplace.judge);
    for (int i = 0; i == 0 || (building->sources && building->sources[i - 1] && !building->judge); i++)
        compiler_add(&link, object_name(i, names[i < MAX_SOURCES ? i : 0]));
    compiler_add_all(&link, (const char *const *)building->flags.words);
    compiler_add_all(&link, layout);
    /* Place segments as near to one another as possible, but in separate pages. */
    snprintf(pages, sizeof pages, "-Wl,-z,max-page-size=%ld,-z,common-page-size=%ld", page, page);
    compiler_add(&link, pages);
    char mpi[PATH_MAX] = "";

    if (building->judge && building->judge->mpi)
        toolchain_mpi_library(mpi);
    if (mpi[0])
        compiler_add(&link, mpi);
    if (building->library[0]) /* an undefined name is then reported by the linker, not by the loader */
        compiler_add_all(&link, (const char *const[]){"-Wl,-z,defs", building->library, NULL});
    compiler_add_all(&link, (const char *const[]){"-Wl,--as-needed", "-lm", NULL});
    if (building->cplusplus)
        compiler_add(&link, "-lstdc++");
    return compiler_run(&link, workplace.directory, building->path, "does not link", error);
}

/* Join the objects of the judged file and of its further files into one, so that they may share all their names. */
static enum peal_status
join_objects(const struct building *building, struct compiled *program, struct peal_error *error)
{
    struct elf_facts facts;
    struct compiler_command join = building->words;
    char names[MAX_SOURCES][PATH_MAX + 32], whole[PATH_MAX + 16];

    snprintf(whole, sizeof whole, "%s/whole.o", workplace.directory);
    compiler_add_all(&join, (const char *const[]){"-r", "-nostdlib", "-o", whole, NULL});
    for (int i = 0; i == 0 || building->sources[i - 1]; i++)
        compiler_add(&join, object_name(i, names[i]));
    enum peal_status status = compiler_run(&join, workplace.directory, building->path, "does not link", error);

    if (status == PEAL_OK && rename(whole, workplace.object) != 0)
        status = peal_refuse(error, PEAL_RESOURCES, "%s cannot be renamed: %s", whole, strerror(errno));
    if (status == PEAL_OK) {
        free(program->calls);
        status = inspect_object(workplace.object, building->path, true, program, &facts, error);
        program->calls = facts.calls;
    }
    return status;
}

/* Compile the judge, and link it with the program, isolated from it. */
static enum peal_status
compile_add_judge(const struct building *building, struct compiled *program, struct peal_error *error)
{
    const struct compile_judge *judge = building->judge;
    struct elf_facts facts = {.calls = NULL};
    enum peal_status status = compile_one(building, judge->path, workplace.judge, error);

    if (status == PEAL_OK)
        status = inspect_object(workplace.judge, judge->path, false, program, &facts, error);
    if (status == PEAL_OK)
        status = rewrite_apart(building, facts.calls, error);
    free(facts.calls);
    return status;
}

/* Append the names that an object calls to those of earlier objects. */
static void
join_calls(struct compiled *program, char *more)
{
    char *both = NULL;

    if (program->calls && more && asprintf(&both, "%s%s", program->calls, more) < 0)
        both = NULL;
    free(program->calls);
    free(more);
    program->calls = both;
}

/* Compile the program's further files, if `facts` are those of the first. */
static enum peal_status
compile_more(const struct building *building, struct compiled *program, struct elf_facts all, struct peal_error *error)
{
    char name[PATH_MAX + 32];
    enum peal_status status = PEAL_OK;

    for (int i = 1; status == PEAL_OK && building->sources[i - 1]; i++) {
        struct elf_facts facts = {.calls = NULL};
        const char *path = building->sources[i - 1];

        if ((status = compile_one(building, path, object_name(i, name), error)) == PEAL_OK)
            status = inspect_object(object_name(i, name), path, true, program, &facts, error);
        all.has_peal_main |= facts.has_peal_main;
        all.has_mangled_peal_main |= facts.has_mangled_peal_main;
        join_calls(program, facts.calls);
    }
    if (status == PEAL_OK && building->judge)
        return join_objects(building, program, error);
    if (status == PEAL_OK && !all.has_peal_main && !all.has_mangled_peal_main)
        return peal_refuse(error, PEAL_PROGRAM,
                           "none of the files, %s the first, has peal_main: a node program starts at void "
                           "peal_main(struct peal_node *me, int argc, char **argv)",
                           building->path);
    return status == PEAL_OK && !all.has_peal_main ? refuse_start("one of the files", &all, error) : status;
}

/* Redirect the calls of all objects of the program to Peal. */
static enum peal_status
rewrite_all(const struct building *building, const char *calls, struct peal_error *error)
{
    bool several = building->sources && building->sources[0];
    char name[PATH_MAX + 32];
    enum peal_status status =
        rewrite_object(workplace.object, building->path, building->how, NULL, several ? calls : NULL, error);

    for (int i = 1; several && status == PEAL_OK && building->sources[i - 1]; i++)
        status = rewrite_object(object_name(i, name), building->sources[i - 1], building->how, NULL, calls, error);
    return status;
}

/* Compile in the temporary directory; link too, unless only the object is wanted. */
static enum peal_status
compile_build(struct building *building, struct compiled *program, struct peal_error *error)
{
    bool several = building->sources && building->sources[0];
    struct elf_facts facts;
    enum peal_status status;

    building->how = building->alone ? INSTRUMENT_NONE : instrument_choose(building->words.words, building->flags.words);
    program->how = building->how;
    toolchain_library(building->library);
    if ((status = toolchain_headers(building->library, &building->headers, error)) != PEAL_OK ||
        (building->declaration &&
         (status = function_declare(workplace.declared, building->declaration, error)) != PEAL_OK) ||
        (building->after && (status = function_declare(workplace.after, building->after, error)) != PEAL_OK) ||
        (status = write_pipes(building, error)) != PEAL_OK ||
        (status = compile_one(building, building->path, workplace.object, error)) != PEAL_OK)
        return status;
    bool part = building->alone || building->judge || building->function || several;

    status = inspect_object(workplace.object, building->path, part, program, &facts, error);
    program->calls = facts.calls;
    if (status == PEAL_OK && building->function)
        status = function_find(building->path, building->function, facts.calls, error);
    else if (status == PEAL_OK && several)
        status = compile_more(building, program, facts, error);
    if (status != PEAL_OK || building->alone)
        return status;
    status =
        building->judge ? compile_add_judge(building, program, error) : rewrite_all(building, program->calls, error);
    if (status != PEAL_OK || (status = link_all(building, error)) != PEAL_OK ||
        (status = folder_read(workplace.shared, &program->bytes, &program->size, error)) != PEAL_OK)
        return status;
    size_t begin, end;

    program->writable |= elf_writable(program->bytes, program->size, &begin, &end); /* libraries have globals too */
    return PEAL_OK;
}

/* Inspect the program's files before they are compiled. */
static enum peal_status
check_sources(struct building *building, struct peal_error *error)
{
    bool mpi = building->judge && building->judge->mpi;
    enum peal_status status = source_check(building->path, !building->judge && !building->function, mpi, error);
    int count = 1;

    building->cplusplus = peal_is_cplusplus(building->path);
    if (status == PEAL_OK)
        status = source_read_pipe(building->path, &building->piped[0], error);
    for (; status == PEAL_OK && building->sources && building->sources[count - 1]; count++) {
        status = source_check(building->sources[count - 1], true, mpi, error);
        building->cplusplus |= peal_is_cplusplus(building->sources[count - 1]);
        if (status == PEAL_OK && count < MAX_SOURCES)
            status = source_read_pipe(building->sources[count - 1], &building->piped[count], error);
    }
    if (status == PEAL_OK && count > MAX_SOURCES)
        return peal_refuse(error, PEAL_PROGRAM, "%s and %d further files: a node program has %d files at most",
                           building->path, count - 1, MAX_SOURCES);
    return status;
}

/* Give a copy of `given`; if it is NULL, of the environment's `variable`; if that is empty, of `otherwise`. */
static char *
words_from(const char *given, const char *variable, const char *otherwise)
{
    if (!given)
        given = getenv(variable);
    if (!given || given[strspn(given, " \t\n")] == '\0')
        given = otherwise;
    return strdup(given);
}

static enum peal_status
compile(const char *path, bool alone, const struct compile_judge *judge, const struct peal_program_options *options,
        struct compiled *program, struct peal_error *error)
{
    char *compiler = words_from(options->compiler, "CC", "cc");
    char *further = words_from(options->flags, "CFLAGS", "");
    struct source_text piped[MAX_SOURCES] = {{.bytes = NULL}};
    struct building building = {.path = path,
                                .piped = piped,
                                .sources = options->sources,
                                .alone = alone,
                                .judge = judge,
                                .function = options->function,
                                .declaration = options->declaration,
                                .after = options->after};
    sigset_t fatal, before;
    enum peal_status status;

    *program = (struct compiled){0};
    if (!compiler || !further) {
        status = peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", path);
        goto out;
    }
    if ((status = check_sources(&building, error)) != PEAL_OK)
        goto out;
    compiler_add_split(&building.words, compiler);
    compiler_add_split(&building.flags, further);
    compiler_signals(&fatal);
    sigprocmask(SIG_BLOCK, &fatal, &before);
    if ((status = make_workplace(error)) == PEAL_OK) {
        status = compile_build(&building, program, error);
        compiler_remove(AT_FDCWD, workplace.directory, 0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL); /* pending signals are handled now */
out:
    for (int i = 0; i < MAX_SOURCES; i++)
        free(piped[i].bytes);
    free(compiler);
    free(further);
    return status;
}

enum peal_status
compile_program(const char *path, const struct peal_program_options *options, struct compiled *program,
                struct peal_error *error)
{
    return compile(path, false, NULL, options, program, error);
}

enum peal_status
compile_judged(const char *path, const struct compile_judge *judge, const struct peal_program_options *options,
               struct compiled *program, struct peal_error *error)
{
    return compile(path, false, judge, options, program, error);
}

enum peal_status
compile_object(const char *path, const struct peal_program_options *options, struct compiled *program,
               struct peal_error *error)
{
    return compile(path, true, NULL, options, program, error);
}
