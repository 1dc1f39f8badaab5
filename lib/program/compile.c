/* SPDX-License-Identifier: MIT */
/* Compiling a node program: a run of the compiler for each object file, which is inspected, one for the shared object.
 *
 * No shell is involved: names with spaces are names with spaces.  The words of $CC and $CFLAGS are split at spaces.  */
#include "lib/program/compile.h"
#include "lib/program/function.h"
#include "lib/program/isolate.h"
#include "lib/program/redirect.h"
#include "lib/program/wraps.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ------------------------------------------------------------------ the temporary directory */

/* Where the compiler works. */
static struct {
    char directory[PATH_MAX], object[PATH_MAX + 16], judge[PATH_MAX + 16], shared[PATH_MAX + 16],
        declared[PATH_MAX + 16];
    bool interrupted; /* by a signal that would end the process */
} workplace;

static bool same_group; /* compilers stay in the process group of this process */

void
compile_in_own_group(void)
{
    same_group = true;
}

void
compile_remove(int at, const char *name, int depth)
{
    int fd = depth < 20 ? openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlinkat(fd, entry->d_name, 0) != 0)
            compile_remove(fd, entry->d_name, depth + 1);
    if (directory)
        closedir(directory);
    else if (fd >= 0)
        close(fd);
    unlinkat(at, name, AT_REMOVEDIR);
}

/* The signals that may end the process, but for those it ignores: while a compiler works they wait, whoever handles them. */
static void
fatal_signals(sigset_t *fatal)
{
    static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    struct sigaction now;

    sigemptyset(fatal);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_IGN))
            sigaddset(fatal, numbers[i]);
}

static enum peal_status
make_workplace(struct peal_error *error)
{
    workplace.interrupted = false;
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
    snprintf(workplace.judge, sizeof workplace.judge, "%s/judge.o", workplace.directory);
    snprintf(workplace.shared, sizeof workplace.shared, "%s/program.so", workplace.directory);
    snprintf(workplace.declared, sizeof workplace.declared, "%s/function.h", workplace.directory);
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

/* Wait for the compiler.  When a fatal signal comes first, end it with all that it has started. */
static int
wait_for(pid_t process)
{
    sigset_t fatal;
    int status = 0; /* stays so when SIGCHLD is ignored; a compiler that failed is found by what it did not write */

    fatal_signals(&fatal);
    struct pollfd ends[2] = {{.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN},
                             {.fd = signalfd(-1, &fatal, SFD_CLOEXEC), .events = POLLIN}};

    while (ends[0].fd >= 0 && poll(ends, 2, -1) < 0 && errno == EINTR)
        ;
    if (ends[0].fd >= 0 && ends[1].revents) {
        workplace.interrupted = true;
        kill(same_group ? process : -process, SIGKILL);
    }
    while (waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < 2; i++)
        if (ends[i].fd >= 0)
            close(ends[i].fd);
    return status;
}

/* Start the command: its standard output joined to standard error, in a process group of its own, with its temporary files
 * in the workplace.  Gives an error's number. */
static int
start(struct command *command, pid_t *process)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t mask;
    char temporary[PATH_MAX + 8];
    size_t count = 0, used = 0;

    while (environ[count])
        count++;
    char **environment = calloc(count + 2, sizeof *environment);

    if (!environment)
        return ENOMEM;
    snprintf(temporary, sizeof temporary, "TMPDIR=%s", workplace.directory);
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0)
            environment[used++] = environ[i];
    environment[used] = temporary;
    sigemptyset(&mask);
    sigaddset(&mask, SIGTTOU); /* so that its messages reach a terminal that is not its group's */
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, (short)(POSIX_SPAWN_SETSIGMASK | (same_group ? 0 : POSIX_SPAWN_SETPGROUP)));
    int trouble = posix_spawnp(process, command->words[0], &actions, &attributes, command->words, environment);

    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return trouble;
}

/* Run the command and wait for it.
 *
 *   errors   PEAL_PROGRAM when it cannot be started or says no; *error then tells of `path` that it `failed`  */
static enum peal_status
run(struct command *command, const char *path, const char *failed, struct peal_error *error)
{
    pid_t process;

    if (command->full)
        return peal_refuse(error, PEAL_PROGRAM, "%s: $CC and $CFLAGS have more than %d words", path, MOST_WORDS - 356);
    int trouble = start(command, &process);

    if (trouble == ENOENT)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s needs a C compiler, and %s is not there: install one (apt-get install gcc libc6-dev) or "
                           "set CC to yours",
                           path, command->words[0]);
    if (trouble)
        return peal_refuse(error, PEAL_PROGRAM, "%s: the compiler %s cannot be started: %s", path, command->words[0],
                           strerror(trouble));
    int status = wait_for(process);

    if (workplace.interrupted)
        return peal_refuse(error, PEAL_PROGRAM, "%s: interrupted while it was compiled", path);
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

/* Whether the text has an #include of a header whose name ends so. */
static bool
includes(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, "include")); at += 7) {
        const char *begin = at, *end = at + 7 + strspn(at + 7, " \t");
        size_t length = strcspn(end, ">\"\n") + 1;

        while (begin > text && (begin[-1] == ' ' || begin[-1] == '\t'))
            begin--;
        if (begin == text || begin[-1] != '#' || !strchr("<\"", *end) || !*end)
            continue;
        length = 1 + strcspn(end + 1, ">\"\n");
        size_t wanted = strlen(name);

        if (length > wanted && strncmp(end + length - wanted, name, wanted) == 0 &&
            (length == wanted + 1 || end[length - wanted - 1] == '/'))
            return true;
    }
    return false;
}

/* Look at the beginning of the file: whether it is text, and a program for MPI, which has nothing of Peal's.  What is not
 * read is left to the compiler. */
static void
look_into(int file, bool *text, bool *mpi)
{
    char bytes[1 << 14];
    ssize_t count = read(file, bytes, sizeof bytes - 1);

    if (count < 0)
        return;
    bytes[count] = '\0';
    *text = !memchr(bytes, '\0', (size_t)count);
    *mpi = includes(bytes, "mpi.h") && !strstr(bytes, "peal/");
}

enum peal_status
compile_check_source(const char *path, bool whole, struct peal_error *error)
{
    static const char *const cplusplus[] = {".cc", ".cpp", ".cxx", ".c++", ".C", ".hpp"};
    const char *dot = strrchr(path, '.');
    struct stat status;
    bool there = stat(path, &status) == 0, text = true, mpi = false;
    /* Only the compiler opens a pipe: who writes to it is not there a second time. */
    int file = there && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (!there || (S_ISREG(status.st_mode) && file < 0))
        return peal_refuse(error, PEAL_PROGRAM, "%s cannot be read: %s", path, strerror(errno));
    if (file >= 0) {
        look_into(file, &text, &mpi);
        close(file);
    }
    if (S_ISDIR(status.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is a directory: a node program is one C file", path);
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is a device: a node program is one C file", path);
    if (!text)
        return peal_refuse(error, PEAL_PROGRAM, "%s is not text: a node program is one C file", path);
    if (mpi)
        return peal_refuse(
            error, PEAL_PROGRAM,
            "%s includes mpi.h, and Peal does not run MPI programs: include <peal/peal.h>, rename main to "
            "void peal_main(struct peal_node *me, int argc, char **argv), and call peal_rank, peal_send, "
            "peal_recv for MPI_Comm_rank, MPI_Send, MPI_Recv (man libpeal)",
            path);
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

/* ------------------------------------------------------------------ objects */

/* How this program is compiled and linked. */
struct building {
    const char *path;
    bool alone;                         /* only the object */
    const struct compile_judge *judge;  /* NULL: none */
    const char *function, *declaration; /* as of struct peal_program_options */
    struct command words, flags;        /* the compiler's own, the user's */
    const char *headers;
    char library[PATH_MAX];
    enum instrument how;
};

/* Look at an object, which is to have peal_main unless it is a `part`.  What it calls is in `facts`. */
static enum peal_status
inspect_object(const char *object, const char *path, bool part, struct compiled *program, struct elf_facts *facts,
               struct peal_error *error)
{
    unsigned char *bytes;
    size_t size;
    enum peal_status status = read_whole(object, &bytes, &size, error);

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
    if (!part && !facts->has_peal_main)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s has %s: a node program starts at void peal_main(struct peal_node *me, int argc, "
                           "char **argv)",
                           path, facts->has_main ? "main, but no peal_main" : "no peal_main");
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

/* Have the object call Peal where it calls what is a node's own, and share with what it is linked with only what `isolation`
 * says (NULL: all). */
static enum peal_status
rewrite_object(const char *file, const char *path, enum instrument how, const struct isolation *isolation,
               struct peal_error *error)
{
    const char *const *const lists[] = {wraps_names(), instrument_names(how)};
    unsigned char *object;
    size_t size;
    enum peal_status status = read_whole(file, &object, &size, error);

    if (status != PEAL_OK)
        return status;
    if ((!isolation || isolate_object(&object, &size, isolation)) &&
        redirect_calls(&object, &size, lists, sizeof lists / sizeof *lists))
        status = write_whole(file, object, size, error);
    else
        status = peal_refuse(error, PEAL_PROGRAM,
                             "%s: the names in its object file cannot be changed: it has no table of symbols, or more "
                             "than one",
                             path);
    free(object);
    return status;
}

/* Let the objects of the program and of its judge bind nothing of each other's but what is declared to be called. */
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
    status = rewrite_object(workplace.object, building->path, building->how, &judged, error);
    if (status == PEAL_OK)
        status = rewrite_object(workplace.judge, judge->path, building->how, &judging, error);
    free(missing);
    return status;
}

/* ------------------------------------------------------------------ runs of the compiler */

/* A frame larger than the guard below a stack would reach over it, into what lies beyond: each of its pages is touched in
 * turn.  Not every clang knows it elsewhere. */
#ifdef __x86_64__
#define PROBED_FRAMES "-fstack-clash-protection",
#else
#define PROBED_FRAMES
#endif

/* Compile one file to an object. */
static enum peal_status
compile_one(const struct building *building, const char *path, const char *object, struct peal_error *error)
{
    /* Optimised, since simulations compute; with line numbers, since they crash.  __NO_INLINE__ keeps <stdio.h> from
     * writing into stdout by itself (putchar_unlocked); nobody but wraps.c is to do that. */
    static const char *const defaults[] = {"-std=gnu17", "-O2", "-g", "-Wall", PROBED_FRAMES NULL};
    static const char *const musts[] = {"-fPIC", "-fno-semantic-interposition", "-fno-lto", "-D__NO_INLINE__", NULL};
    struct command compile = building->words;
    char plain[PATH_MAX + 2];

    /* A name must not look like an option or a file of options. */
    snprintf(plain, sizeof plain, "%s%s", path[0] == '-' || path[0] == '@' ? "./" : "", path);
    add_all(&compile, defaults);
    add_all(&compile, (const char *const *)building->flags.words);
    add_all(&compile, musts);
    add_all(&compile, instrument_compiler_words(building->how));
    if (building->declaration)
        add_all(&compile, (const char *const[]){"-include", workplace.declared, NULL});
    add_all(&compile, (const char *const[]){"-I", building->headers, "-x", "c", "-c", "-o", object, plain, NULL});
    return run(&compile, path, "does not compile", error);
}

static enum peal_status
link_all(const struct building *building, struct peal_error *error)
{
    /* Names bound to their own copy, at once, after which the tables of them are read-only. */
    static const char *const layout[] = {
        "-fno-lto", "-Wl,-Bsymbolic", "-Wl,-z,now", "-Wl,-z,relro", "-Wl,--hash-style=gnu", "-Wl,--build-id=none",
        NULL};
    long page = sysconf(_SC_PAGESIZE);
    char pages[100];
    struct command link = building->words;

    add_all(&link, (const char *const[]){"-shared", "-o", workplace.shared, NULL});
    if (building->judge)
        add(&link, workplace.judge);
    add(&link, workplace.object);
    add_all(&link, (const char *const *)building->flags.words);
    add_all(&link, layout);
    /* Segments as near to one another as may be, but in pages of their own. */
    snprintf(pages, sizeof pages, "-Wl,-z,max-page-size=%ld,-z,common-page-size=%ld", page, page);
    add(&link, pages);
    if (building->library[0]) /* then a name that nobody defines is found here, not when it is loaded */
        add_all(&link, (const char *const[]){"-Wl,-z,defs", building->library, NULL});
    add_all(&link, (const char *const[]){"-Wl,--as-needed", "-lm", NULL});
    return run(&link, building->path, "does not link", error);
}

/* Compile the judge, and link both apart. */
static enum peal_status
add_judge(const struct building *building, struct compiled *program, struct peal_error *error)
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

/* Compile in the workplace, and unless the object is wanted alone link. */
static enum peal_status
build(struct building *building, struct compiled *program, struct peal_error *error)
{
    struct elf_facts facts;
    enum peal_status status;

    building->how = building->alone ? INSTRUMENT_NONE : instrument_choose(building->words.words, building->flags.words);
    program->how = building->how;
    find_library(building->library);
    if ((status = find_headers(building->library, &building->headers, error)) != PEAL_OK ||
        (building->declaration &&
         (status = function_declare(workplace.declared, building->declaration, error)) != PEAL_OK) ||
        (status = compile_one(building, building->path, workplace.object, error)) != PEAL_OK)
        return status;
    bool part = building->alone || building->judge || building->function;

    status = inspect_object(workplace.object, building->path, part, program, &facts, error);
    program->calls = facts.calls;
    if (status == PEAL_OK && building->function)
        status = function_find(building->path, building->function, facts.calls, error);
    if (status != PEAL_OK || building->alone)
        return status;
    status = building->judge ? add_judge(building, program, error)
                             : rewrite_object(workplace.object, building->path, building->how, NULL, error);
    if (status != PEAL_OK || (status = link_all(building, error)) != PEAL_OK ||
        (status = read_whole(workplace.shared, &program->bytes, &program->size, error)) != PEAL_OK)
        return status;
    size_t begin, end;

    program->writable |= elf_writable(program->bytes, program->size, &begin, &end); /* libraries have globals, too */
    return PEAL_OK;
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
compile(const char *path, bool alone, const struct compile_judge *judge, const struct peal_program_options *options,
        struct compiled *program, struct peal_error *error)
{
    char *compiler = words_from(options->compiler, "CC", "cc");
    char *further = words_from(options->flags, "CFLAGS", "");
    struct building building = {.path = path,
                                .alone = alone,
                                .judge = judge,
                                .function = options->function,
                                .declaration = options->declaration};
    sigset_t fatal, before;
    enum peal_status status;

    *program = (struct compiled){0};
    if (!compiler || !further) {
        status = peal_refuse(error, PEAL_RESOURCES, "%s: no memory to compile it", path);
        goto out;
    }
    if ((status = compile_check_source(path, !judge, error)) != PEAL_OK)
        goto out;
    add_split(&building.words, compiler);
    add_split(&building.flags, further);
    fatal_signals(&fatal);
    sigprocmask(SIG_BLOCK, &fatal, &before);
    if ((status = make_workplace(error)) == PEAL_OK) {
        status = build(&building, program, error);
        compile_remove(AT_FDCWD, workplace.directory, 0);
    }
    sigprocmask(SIG_SETMASK, &before, NULL); /* whoever handles a signal that waited does so now */
out:
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
