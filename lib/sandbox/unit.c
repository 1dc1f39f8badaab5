/* SPDX-License-Identifier: MIT */
/* The compiler's child: it works in a directory that the parent makes and removes, and hands the shared object back in
 * a file in memory. */
#include "lib/base/clock.h"
#include "lib/base/process.h"
#include "lib/base/text.h"
#include "lib/program/compiler.h"
#include "lib/program/source.h"
#include "lib/sandbox/sandbox.h"
#include "lib/sandbox/types.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_MESSAGES = 16384, MAX_FOLDERS = 64 };

/* The header that the child writes to the file in memory; the shared object and the calls follow. */
struct unit_result {
    struct peal_error error;
    bool writable, unwinds, linked;
    enum instrument how;
    size_t bytes, calls;
};

/* Wait a moment for something to read. */
static bool
ready(int fd)
{
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

    return poll(&poll_fd, 1, 100) > 0;
}

/* ------------------------------------------------------------------ the child */

/* Compile with the judge, if there is one. */
static enum peal_status
compile_all(const struct unit *unit, const struct unit_source *source, const char *directory, struct compiled *program,
            struct peal_error *error)
{
    char *flags = NULL; /* this process ends soon */
    const bool cplusplus = source->judge_file && unit->real && peal_is_cplusplus(unit->real);
    enum peal_status status = cplusplus ? types_of_cplusplus(unit, source, directory, &flags, error) : PEAL_OK;
    const struct peal_program_options options = {
        .compiler = source->compiler, .flags = flags ? flags : source->flags, .sources = source->sources};
    struct compile_judge judge = {.path = source->judge_file,
                                  .functions = source->judge_functions,
                                  .offers = source->judge_offers,
                                  .mpi = source->calls_mpi};
    char path[PATH_MAX + 16];

    if (status != PEAL_OK)
        return status;
    if (source->mpi) {
        status = compile_mpi_judged(unit->wrapper, source->judge_file ? &judge : NULL, &options, source->watched,
                                    source->alone, program, error);
        return status == PEAL_OK && source->judge_file && !cplusplus
                   ? types_of_c(unit, source, directory, program->calls, error)
                   : status;
    }
    if (source->alone)
        return compile_object(unit->wrapper, &options, program, error);
    if (!source->judge_file && !source->judge_text)
        return compile_program(unit->wrapper, &options, program, error);
    if (source->judge_text) {
        snprintf(path, sizeof path, "%s/judge.c", directory);
        judge.path = path;
        if ((status = types_write_source(path, source->judge_text, NULL, NULL, error)) != PEAL_OK)
            return status;
    }
    status = compile_judged(unit->wrapper, &judge, &options, program, error);
    return status == PEAL_OK && source->judge_file && !cplusplus
               ? types_of_c(unit, source, directory, program->calls, error)
               : status;
}

/* Compile, and leave the result in `image`. */
static void
work(const struct unit *unit, const struct unit_source *source, const char *directory, int image)
{
    struct compiled program = {0};
    struct unit_result result = {.error = {PEAL_OK, ""}};

    instrument_ask(source->watched, source->branches);
    compiler_in_own_group();
    if (compile_all(unit, source, directory, &program, &result.error) == PEAL_OK)
        result.error.status = PEAL_OK;
    result.writable = program.writable;
    result.unwinds = program.unwinds;
    result.linked = program.linked;
    result.how = program.how;
    result.bytes = program.bytes ? program.size : 0;
    result.calls = program.calls ? strlen(program.calls) + 1 : 0;
    if (!peal_write_whole(image, &result, sizeof result) || !peal_write_whole(image, program.bytes, result.bytes) ||
        !peal_write_whole(image, program.calls, result.calls))
        _exit(1);
}

/* Let the compiler read the files that belong to this one. */
static void
restrict_to(const struct unit *unit, const struct unit_source *source, const char *directory)
{
    const bool fortran = source->mpi && source->file && peal_is_fortran(source->file);
    const char *compiler = fortran ? getenv("PEAL_FC") : source->compiler ? source->compiler : getenv("CC");
    const char *flags = source->flags ? source->flags : getenv(fortran ? "FFLAGS" : "CFLAGS");
    const char *readable[4 + MAX_FOLDERS] = {NULL};
    int count = 0;
    char folder[PATH_MAX];

    if (source->readable)
        readable[count++] = source->readable;
    if (source->judge_file)
        readable[count++] = source->judge_file;
    if (unit->real) {
        snprintf(folder, sizeof folder, "%s", unit->real);
        if (!source->untrusted && strrchr(folder, '/') > folder)
            *strrchr(folder, '/') = '\0';
        readable[count++] = folder;
    }
    for (int i = 0; i < MAX_FOLDERS && source->sources && source->sources[i]; i++) {
        char *real = realpath(source->sources[i], NULL); /* kept: this process ends soon */

        if (real && strrchr(real, '/') > real)
            *strrchr(real, '/') = '\0';
        if (real)
            readable[count++] = real;
    }
    if (fortran)
        setenv("XDG_CACHE_HOME", directory, 1); /* for modules that this compiler cannot read directly */
    sandbox_compiler(directory, readable,
                     compiler && *compiler ? compiler
                     : fortran             ? "gfortran"
                                           : "cc",
                     flags ? flags : "", compiler_seconds());
}

static void
unit_child_main(const struct unit *unit, const struct unit_source *source, const char *directory, int image,
                int messages)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(messages, STDERR_FILENO) < 0)
        _exit(1);
    sandbox_close_others((const int[]){image}, 1);
    setenv("TMPDIR", directory, 1);
    restrict_to(unit, source, directory);
    work(unit, source, directory, image);
    _exit(0);
}

/* ------------------------------------------------------------------ the parent */

/* Whether a signal that would end this process waits until the compiler's files are gone. */
static bool
unit_is_interrupted(const sigset_t *fatal)
{
    sigset_t pending;

    sigpending(&pending);
    for (int number = 1; number < 32; number++)
        if (sigismember(fatal, number) == 1 && sigismember(&pending, number) == 1)
            return true;
    return false;
}

/* Read the compiler's output until it ends.  False, with the compiler killed, when that takes too long. */
static bool
unit_read_messages(pid_t child, int messages, char *text, const sigset_t *fatal)
{
    const double end = peal_spent_seconds() + COMPILER_WAITS * compiler_seconds();
    size_t used = 0;
    char lost[4096];

    while (peal_spent_seconds() < end && !unit_is_interrupted(fatal)) {
        bool room = used < MAX_MESSAGES;
        ssize_t count = -1;

        if (ready(messages))
            count = read(messages, room ? text + used : lost, room ? MAX_MESSAGES - used : sizeof lost);
        if (count == 0)
            return true;
        if (room && count > 0)
            used += (size_t)count;
    }
    kill(-child, SIGKILL);
    return false;
}

/* Take over the child's result. */
static enum peal_status
unit_take_result(struct unit *unit, int image, struct peal_error *error)
{
    struct unit_result result;
    struct stat about;

    if (pread(image, &result, sizeof result, 0) != (ssize_t)sizeof result || fstat(image, &about) != 0 ||
        (size_t)about.st_size != sizeof result + result.bytes + result.calls)
        return peal_refuse(error, PEAL_PROGRAM, "the compiler's process ended before its work was done");
    unit->program.writable = result.writable;
    unit->program.unwinds = result.unwinds;
    unit->program.linked = result.linked;
    unit->program.how = result.how;
    unit->program.size = result.bytes;
    unit->program.bytes = malloc(result.bytes + 1);
    unit->program.calls = calloc(result.calls + 1, 1);
    if (!unit->program.bytes || !unit->program.calls ||
        pread(image, unit->program.bytes, result.bytes, sizeof result) != (ssize_t)result.bytes ||
        pread(image, unit->program.calls, result.calls, (off_t)(sizeof result + result.bytes)) != (ssize_t)result.calls)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for what was compiled");
    if (result.error.status != PEAL_OK && error)
        *error = result.error;
    return result.error.status;
}

/* Whether a line of this length is one of those before it. */
static bool
is_earlier(const char *text, const char *line, size_t length)
{
    for (const char *at = text; at < line; at = strchr(at, '\n') + 1)
        if (strncmp(at, line, length) == 0 && at[length] == '\n')
            return true;
    return false;
}

/* Leave out each message that repeats an earlier one for the same place, with the quoted lines below it: a macro of
 * ours contains the user's call several times. */
static void
leave_out_repeated(char *text)
{
    bool leaves = false;
    char *to = text;

    for (char *line = text, *next; *line; line = next) {
        size_t length = strcspn(line, "\n"), all = length + (line[length] != '\0');

        next = line + all;
        if (*line != ' ') {
            char saved = line[length];

            line[length] = '\0';
            bool message = strstr(line, ": error: ") || strstr(line, ": warning: ") || strstr(line, ": note: ");

            line[length] = saved;
            memmove(to, line, all); /* kept text lies before it */
            leaves = message && is_earlier(text, to, length);
        } else if (!leaves) {
            memmove(to, line, all);
        }
        to += leaves ? 0 : all;
    }
    *to = '\0';
}

/* Fork the child and wait for it. */
static enum peal_status
compile_in(struct unit *unit, const struct unit_source *source, const char *directory, struct peal_error *error)
{
    enum peal_status status;
    int ends[2] = {-1, -1}, image = memfd_create("peal-unit", MFD_CLOEXEC);
    sigset_t fatal, before;

    if (image < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        status = peal_refuse(error, PEAL_RESOURCES, "no pipe for the compiler: %s", strerror(errno));
        close(image);
        return status;
    }
    sigemptyset(&fatal);
    sigaddset(&fatal, SIGHUP);
    sigaddset(&fatal, SIGINT);
    sigaddset(&fatal, SIGQUIT);
    sigaddset(&fatal, SIGTERM);
    sigprocmask(SIG_BLOCK, &fatal, &before);
    fflush(NULL);
    pid_t child = fork();

    if (child == 0)
        unit_child_main(unit, source, directory, image, ends[1]);
    close(ends[1]);
    if (child < 0) {
        status = peal_refuse(error, PEAL_RESOURCES, "no process for the compiler: %s", strerror(errno));
    } else {
        setpgid(child, child);
        bool ended = unit_read_messages(child, ends[0], unit->messages, &fatal);

        peal_plain_but(unit->messages, "\n\t"); /* they quote the file */
        leave_out_repeated(unit->messages);
        peal_spawn_wait(child, 0);
        kill(-child, SIGKILL);
        status = ended ? unit_take_result(unit, image, error)
                       : peal_refuse(error, PEAL_PROGRAM, "the compiler did not end within %d seconds",
                                     COMPILER_WAITS * compiler_seconds());
    }
    close(ends[0]);
    close(image);
    compiler_remove(AT_FDCWD, directory, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return status;
}

enum peal_status
unit_compile(struct unit *unit, const struct unit_source *source, struct peal_error *error)
{
    bool around = source->before || source->after;
    char directory[PATH_MAX], wrapper[PATH_MAX + 16];
    struct stat about;
    enum peal_status status;

    *unit = (struct unit){.messages = calloc(MAX_MESSAGES + 1, 1),
                          .real = source->file ? realpath(source->file, NULL) : NULL};
    if (!unit->messages)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (source->file && stat(source->file, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is not a regular file: expected one C file", source->file);
    if (source->file && (!unit->real || access(unit->real, R_OK) != 0))
        return peal_refuse(error, PEAL_PROGRAM, "%s cannot be read: %s", source->file, strerror(errno));
    if (unit->real && (status = source_check(source->file, !around && !source->judge_file,
                                             source->mpi || source->calls_mpi, error)) != PEAL_OK)
        return status;
    if (around && unit->real && strpbrk(unit->real, "\"\\\n"))
        return peal_refuse(error, PEAL_PROGRAM, "%s: a path with a quote, a backslash or a new line cannot be included",
                           source->file);
    if ((status = folder_make(directory, error)) != PEAL_OK)
        return status;
    snprintf(wrapper, sizeof wrapper, "%s/check.%s", directory,
             source->file && peal_is_cplusplus(source->file) ? "cpp" : "c");
    unit->wrapper = strdup(around ? wrapper : source->file);
    if (!unit->wrapper)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    else if (around)
        status = types_write_source(unit->wrapper, source->before, unit->real, source->after, error);
    if (status == PEAL_OK)
        return compile_in(unit, source, directory, error);
    compiler_remove(AT_FDCWD, directory, 0);
    return status;
}
