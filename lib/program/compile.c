/* SPDX-License-Identifier: MIT */
/* Compiling a node program: one run of the compiler for the object file, which is inspected, one for the shared object.
 *
 * No shell is involved: names with spaces are names with spaces.  The words of $CC and $CFLAGS are split at spaces.  */
#include "lib/program/compile.h"
#include "lib/program/redirect.h"
#include "lib/program/wraps.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ------------------------------------------------------------------ the temporary directory */

/* Where the compiler works.  Static, since a signal handler must find it. */
static struct {
    char directory[PATH_MAX], object[PATH_MAX + 16], shared[PATH_MAX + 16];
    volatile sig_atomic_t compiler; /* its process, 0 for none */
} workplace;

static const int fatal_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
enum { FATAL_SIGNALS = sizeof fatal_signals / sizeof *fatal_signals };

static void
remove_workplace(void)
{
    unlink(workplace.object);
    unlink(workplace.shared);
    rmdir(workplace.directory);
}

/* Leave nothing behind, then let the signal do what it would have done.  Only async-signal-safe calls. */
static void
clean_up_and_die(int number)
{
    if (workplace.compiler > 0)
        kill(workplace.compiler, SIGTERM);
    remove_workplace();
    signal(number, SIG_DFL);
    raise(number);
}

/* Take over the fatal signals that nobody else handles; give them back. */
static void
catch_signals(struct sigaction *before)
{
    struct sigaction ours = {.sa_handler = clean_up_and_die};

    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < FATAL_SIGNALS; i++) {
        sigaction(fatal_signals[i], NULL, &before[i]);
        if (!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_DFL)
            sigaction(fatal_signals[i], &ours, NULL);
    }
}

static void
release_signals(const struct sigaction *before)
{
    for (int i = 0; i < FATAL_SIGNALS; i++)
        if (!(before[i].sa_flags & SA_SIGINFO) && before[i].sa_handler == SIG_DFL)
            sigaction(fatal_signals[i], &before[i], NULL);
}

static enum peal_status
make_workplace(struct peal_error *error)
{
    const char *parent = getenv("TMPDIR");

    if (!parent || !*parent)
        parent = "/tmp";
    int length = snprintf(workplace.directory, sizeof workplace.directory, "%s/peal-XXXXXX", parent);
    if (length >= (int)sizeof workplace.directory)
        return peal_refuse(error, PEAL_RESOURCES, "TMPDIR is a path of more than %d characters", PATH_MAX - 13);
    if (!mkdtemp(workplace.directory))
        return peal_refuse(error, PEAL_RESOURCES,
                           "cannot make a directory for the compiler in %s: %s; set TMPDIR to one that can be written",
                           parent, strerror(errno));
    snprintf(workplace.object, sizeof workplace.object, "%s/program.o", workplace.directory);
    snprintf(workplace.shared, sizeof workplace.shared, "%s/program.so", workplace.directory);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ command lines */

enum { MOST_WORDS = 768 };

/* A command line that grows.  Words are borrowed. */
struct command {
    char *words[MOST_WORDS + 1];
    int count;
    bool full;
};

static void
add(struct command *command, const char *word)
{
    if (command->count < MOST_WORDS)
        command->words[command->count++] = (char *)(uintptr_t)word; /* posix_spawn takes them as char *, writes none */
    else
        command->full = true;
}

static void
add_all(struct command *command, const char *const *words)
{
    while (*words)
        add(command, *words++);
}

/* Add the words of `text`, which is cut up where it has spaces. */
static void
add_split(struct command *command, char *text)
{
    char *rest = NULL;

    for (char *word = strtok_r(text, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
        add(command, word);
}

/* Run the command, its standard output joined to standard error, and wait for it.
 *
 *   errors   PEAL_PROGRAM when it cannot be started or says no; *error then tells of `path` that it `failed`  */
static enum peal_status
run(struct command *command, const char *path, const char *failed, struct peal_error *error)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, fatal, before;
    pid_t process;
    int status = 0; /* stays so when SIGCHLD is ignored; a compiler that failed is found by what it did not write */

    if (command->full)
        return peal_refuse(error, PEAL_PROGRAM, "%s: $CC and $CFLAGS have more than %d words", path, MOST_WORDS - 356);
    sigemptyset(&none);
    sigemptyset(&fatal);
    for (int i = 0; i < FATAL_SIGNALS; i++)
        sigaddset(&fatal, fatal_signals[i]);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    sigprocmask(SIG_BLOCK, &fatal, &before); /* until the handler can know whom to end */
    int trouble = posix_spawnp(&process, command->words[0], &actions, &attributes, command->words, environ);
    if (!trouble)
        workplace.compiler = process;
    sigprocmask(SIG_SETMASK, &before, NULL);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (trouble == ENOENT)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s needs a C compiler, and %s is not there: install one (apt-get install gcc libc6-dev) or "
                           "set CC to yours",
                           path, command->words[0]);
    if (trouble)
        return peal_refuse(error, PEAL_PROGRAM, "%s: the compiler %s cannot be started: %s", path, command->words[0],
                           strerror(trouble));
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    workplace.compiler = 0;
    if (WIFSIGNALED(status))
        return peal_refuse(error, PEAL_PROGRAM, "%s: the compiler %s was ended by signal %d", path, command->words[0],
                           WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        return peal_refuse(error, PEAL_PROGRAM, "%s %s: see the message of %s above", path, failed, command->words[0]);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ where Peal is */

/* The file of the library that runs, if it is a shared one; else "". */
static void
find_library(char file[PATH_MAX])
{
    Dl_info info;

    bool found = dladdr(&workplace, &info) && info.dli_fname && realpath(info.dli_fname, file);
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

/* The directory that holds peal/peal.h: $PEAL_INCLUDE; the source tree's when the library lies in the build tree; else
 * where the headers were installed. */
static enum peal_status
find_headers(const char *library, const char **directory, struct peal_error *error)
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

/* ------------------------------------------------------------------ the file, before and after */

/* Whether the file begins as text does; what is not read is left to the compiler. */
static bool
is_text(int file)
{
    char bytes[4096];
    ssize_t count = read(file, bytes, sizeof bytes);

    return count <= 0 || !memchr(bytes, '\0', (size_t)count);
}

enum peal_status
compile_check_source(const char *path, bool whole, struct peal_error *error)
{
    static const char *const cplusplus[] = {".cc", ".cpp", ".cxx", ".c++", ".C", ".hpp"};
    const char *dot = strrchr(path, '.');
    struct stat status;
    bool there = stat(path, &status) == 0, text = true;
    /* Only the compiler opens a pipe: who writes to it is not there a second time. */
    int file = there && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (!there || (S_ISREG(status.st_mode) && file < 0))
        return peal_refuse(error, PEAL_PROGRAM, "%s cannot be read: %s", path, strerror(errno));
    if (file >= 0) {
        text = is_text(file);
        close(file);
    }
    if (S_ISDIR(status.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is a directory: a node program is one C file", path);
    if (!text)
        return peal_refuse(error, PEAL_PROGRAM, "%s is not text: a node program is one C file", path);
    if (S_ISREG(status.st_mode) && status.st_size == 0 && !whole)
        return peal_refuse(error, PEAL_PROGRAM, "%s is empty: it is to be a C file with what is asked for", path);
    if (S_ISREG(status.st_mode) && status.st_size == 0)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s is empty: a node program defines void peal_main(struct peal_node *me, int argc, "
                           "char **argv)",
                           path);
    for (size_t i = 0; dot && i < sizeof cplusplus / sizeof *cplusplus; i++)
        if (strcmp(dot, cplusplus[i]) == 0)
            return peal_refuse(error, PEAL_PROGRAM, "%s is C++: a node program is one C file", path);
    return PEAL_OK;
}

/* Read a whole file into memory the caller frees. */
static enum peal_status
read_whole(const char *path, unsigned char **bytes, size_t *size, struct peal_error *error)
{
    FILE *in = fopen(path, "rbe");
    struct stat status;

    *bytes = NULL;
    *size = 0;
    if (in && fstat(fileno(in), &status) == 0) {
        *size = (size_t)status.st_size;
        *bytes = malloc(*size + 1);
    }
    bool whole = *bytes && fread(*bytes, 1, *size, in) == *size;
    int reason = errno;
    if (in)
        fclose(in);
    if (whole)
        return PEAL_OK;
    free(*bytes);
    *bytes = NULL;
    return peal_refuse(error, PEAL_RESOURCES, "what the compiler wrote to %s cannot be read: %s", path,
                       strerror(reason));
}

/* ------------------------------------------------------------------ the two runs of the compiler */

static enum peal_status
inspect_object(const char *path, bool alone, struct compiled *program, struct peal_error *error)
{
    unsigned char *object;
    struct elf_facts facts;
    size_t size;
    enum peal_status status = read_whole(workplace.object, &object, &size, error);

    if (status != PEAL_OK)
        return status;
    bool readable = elf_inspect(object, size, &facts);
    free(object);
    program->calls = facts.calls;
    program->writable = facts.writable;
    if (!readable)
        return peal_refuse(error, PEAL_PROGRAM, "%s: the compiler did not write an ELF64 object; see CC and CFLAGS",
                           path);
    if (!alone && !facts.has_peal_main)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s has %s: a node program starts at void peal_main(struct peal_node *me, int argc, "
                           "char **argv)",
                           path, facts.has_main ? "main, but no peal_main" : "no peal_main");
    return PEAL_OK;
}

static enum peal_status
write_whole(const char *path, const unsigned char *bytes, size_t size, struct peal_error *error)
{
    FILE *out = fopen(path, "wbe");
    bool whole = out && fwrite(bytes, 1, size, out) == size;

    if (out && fclose(out) != 0)
        whole = false;
    return whole ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "%s cannot be written: %s", path, strerror(errno));
}

/* Have the object call Peal where it calls what is a node's own. */
static enum peal_status
redirect_object(const char *path, enum instrument how, struct peal_error *error)
{
    const char *const *const lists[] = {wraps_names(), instrument_names(how)};
    unsigned char *object;
    size_t size;
    enum peal_status status = read_whole(workplace.object, &object, &size, error);

    if (status != PEAL_OK)
        return status;
    if (redirect_calls(&object, &size, lists, sizeof lists / sizeof *lists))
        status = write_whole(workplace.object, object, size, error);
    else
        status = peal_refuse(error, PEAL_RESOURCES, "%s: no memory for its names", path);
    free(object);
    return status;
}

/* A frame larger than the guard below a stack would reach over it, into what lies beyond: each of its pages is touched in
 * turn.  Not every clang knows it elsewhere. */
#ifdef __x86_64__
#define PROBED_FRAMES "-fstack-clash-protection",
#else
#define PROBED_FRAMES
#endif

/* Compile in the workplace, and unless the object is wanted `alone` link.  `words` are the compiler's own, `flags` the
 * user's. */
static enum peal_status
build(const char *path, bool alone, const struct command *words, const struct command *flags, struct compiled *program,
      struct peal_error *error)
{
    /* Optimised, since simulations compute; with line numbers, since they crash.  __NO_INLINE__ keeps <stdio.h> from
     * writing into stdout by itself (putchar_unlocked); nobody but wraps.c is to do that. */
    static const char *const defaults[] = {"-std=gnu17", "-O2", "-g", "-Wall", PROBED_FRAMES NULL};
    static const char *const musts[] = {"-fPIC", "-fno-semantic-interposition", "-fno-lto", "-D__NO_INLINE__", NULL};
    /* Small segments side by side, since elf_flatten makes them one; names bound to their own copy, at once. */
    static const char *const layout[] = {"-fno-lto",   "-Wl,-z,max-page-size=64", "-Wl,-Bsymbolic",
                                         "-Wl,-z,now", "-Wl,--hash-style=gnu",    "-Wl,--build-id=none",
                                         NULL};
    struct command compile = *words, link = *words;
    char library[PATH_MAX], plain[PATH_MAX + 2];
    const char *headers;
    enum peal_status status;
    enum instrument how = alone ? INSTRUMENT_NONE : instrument_choose(words->words, flags->words);

    program->how = how;
    find_library(library);
    if ((status = find_headers(library, &headers, error)) != PEAL_OK)
        return status;
    /* A name must not look like an option or a file of options. */
    snprintf(plain, sizeof plain, "%s%s", path[0] == '-' || path[0] == '@' ? "./" : "", path);

    add_all(&compile, defaults);
    add_all(&compile, (const char *const *)flags->words);
    add_all(&compile, musts);
    add_all(&compile, instrument_compiler_words(how));
    add_all(&compile, (const char *const[]){"-I", headers, "-x", "c", "-c", "-o", workplace.object, plain, NULL});
    if ((status = run(&compile, path, "does not compile", error)) != PEAL_OK ||
        (status = inspect_object(path, alone, program, error)) != PEAL_OK || alone ||
        (status = redirect_object(path, how, error)) != PEAL_OK)
        return status;

    add_all(&link, (const char *const[]){"-shared", "-o", workplace.shared, workplace.object, NULL});
    add_all(&link, (const char *const *)flags->words);
    add_all(&link, layout);
    if (library[0]) /* then a name that nobody defines is found here, with its line, and not when it is loaded */
        add_all(&link, (const char *const[]){"-Wl,-z,defs", library, NULL});
    add_all(&link, (const char *const[]){"-Wl,--as-needed", "-lm", NULL});
    if ((status = run(&link, path, "does not link", error)) != PEAL_OK)
        return status;
    return read_whole(workplace.shared, &program->bytes, &program->size, error);
}

/* Give a copy of `given`, or if it is NULL of the environment's `variable`, or if that is empty of `otherwise`. */
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
compile(const char *path, bool alone, const struct peal_program_options *options, struct compiled *program,
        struct peal_error *error)
{
    char *compiler = words_from(options->compiler, "CC", "cc");
    char *further = words_from(options->flags, "CFLAGS", "");
    struct command words = {.count = 0}, flags = {.count = 0};
    struct sigaction before[FATAL_SIGNALS];
    enum peal_status status;

    *program = (struct compiled){0};
    if (!compiler || !further) {
        status = peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", path);
        goto out;
    }
    if ((status = compile_check_source(path, true, error)) != PEAL_OK)
        goto out;
    add_split(&words, compiler);
    add_split(&flags, further);
    if ((status = make_workplace(error)) != PEAL_OK)
        goto out;
    catch_signals(before);
    status = build(path, alone, &words, &flags, program, error);
    remove_workplace();
    release_signals(before);
out:
    free(compiler);
    free(further);
    return status;
}

enum peal_status
compile_program(const char *path, const struct peal_program_options *options, struct compiled *program,
                struct peal_error *error)
{
    return compile(path, false, options, program, error);
}

enum peal_status
compile_object(const char *path, const struct peal_program_options *options, struct compiled *program,
               struct peal_error *error)
{
    return compile(path, true, options, program, error);
}

void
compile_needs(char library[], char headers[])
{
    const char *folder = "";

    find_library(library);
    if (find_headers(library, &folder, NULL) != PEAL_OK)
        folder = "";
    snprintf(headers, PATH_MAX, "%s", folder);
    if (strrchr(library, '/'))
        *strrchr(library, '/') = '\0';
}
