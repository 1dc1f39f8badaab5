/* SPDX-License-Identifier: MIT */
/* Looks into a file before it is compiled: C, C++, an MPI program, text or not.  Pipes are read once and kept. */
#include "lib/program/source.h"

#include "lib/base/grow.h"
#include "lib/base/input.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any source file has, written by hand or by a program. */
enum { MAX_BYTES = 1 << 26, SILENT_SECONDS = 60 };

/* Whether the text includes a header whose name ends with this. */
static bool
includes(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, "include")); at += 7) {
        const char *begin = at, *end = at + 7 + strspn(at + 7, " \t");

        while (begin > text && (begin[-1] == ' ' || begin[-1] == '\t'))
            begin--;
        if (begin == text || begin[-1] != '#' || !strchr("<\"", *end) || !*end)
            continue;
        size_t length = 1 + strcspn(end + 1, ">\"\n"), wanted = strlen(name);

        if (length > wanted && strncmp(end + length - wanted, name, wanted) == 0 &&
            (length == wanted + 1 || end[length - wanted - 1] == '/'))
            return true;
    }
    return false;
}

/* How deep nested headers in quotes are read. */
enum { MAX_DEPTH = 4 };

/* The answer of a text to a question. */
enum says { NO, YES, ASK_HEADERS };
typedef enum says question(const char *text);

static bool file_has(const char *path, int depth, question *has);

/* Whether a header of the program's own that the text includes, in the folder of `path`, has the property. */
static bool
header_has(const char *text, const char *path, int depth, question *has)
{
    const char *slash = strrchr(path, '/');
    char header[4096];

    for (const char *at = text; depth < MAX_DEPTH && (at = strstr(at, "#include")); at += 8) {
        const char *name = at + 8 + strspn(at + 8, " \t");
        int length = *name == '"' ? (int)strcspn(name + 1, "\"\n") : 0;

        if (length > 0 &&
            snprintf(header, sizeof header, "%.*s%.*s", slash ? (int)(slash - path) + 1 : 0, path, length, name + 1) <
                (int)sizeof header &&
            file_has(header, depth + 1, has))
            return true;
    }
    return false;
}

/* Inspect the beginning of the file: whether it is text, and whether it, or a header of its own, has the property in
 * question.  The compiler reads the rest. */
static void
look_into(int file, const char *path, int depth, question *has, bool *text, bool *found)
{
    char bytes[1 << 14];
    ssize_t count = read(file, bytes, sizeof bytes - 1);

    if (count < 0)
        return;
    bytes[count] = '\0';
    *text = !memchr(bytes, '\0', (size_t)count);
    enum says answer = has(bytes);

    *found = answer == YES || (answer == ASK_HEADERS && header_has(bytes, path, depth, has));
}

static bool
file_has(const char *path, int depth, question *has)
{
    struct stat status;
    bool text = true, found = false;
    int file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (file >= 0) {
        look_into(file, path, depth, has, &text, &found);
        close(file);
    }
    return text && found;
}

/* A program for MPI has none of Peal's headers. */
static enum says
source_text_is_mpi(const char *text)
{
    return strstr(text, "peal/") ? NO : includes(text, "mpi.h") ? YES : ASK_HEADERS;
}

static enum says
uses_openmp(const char *text)
{
    return includes(text, "omp.h") || strstr(text, "#pragma omp") || strcasestr(text, "!$omp") ? YES : ASK_HEADERS;
}

static enum says
starts_threads(const char *text)
{
    return includes(text, "pthread.h") || includes(text, "threads.h") ? YES : ASK_HEADERS;
}

static enum says
has_thread_locals(const char *text)
{
    return strstr(text, "_Thread_local") || strstr(text, "thread_local") || strstr(text, "__thread") ? YES
                                                                                                     : ASK_HEADERS;
}

/* Whether the name has one of these endings, each followed by a blank. */
static bool
source_has_ending(const char *path, const char *endings)
{
    const char *dot = strrchr(path, '.'), *found = dot && dot[1] ? strstr(endings, dot) : NULL;

    return found && found[strlen(dot)] == ' ';
}

bool
peal_is_cplusplus(const char *path)
{
    return source_has_ending(path, ".cc .cpp .cxx .c++ .C ");
}

bool
source_is_mpi(const char *path)
{
    return peal_is_fortran(path) || file_has(path, 0, source_text_is_mpi);
}

enum peal_program_needs
source_needs(const char *path)
{
    return file_has(path, 0, uses_openmp)         ? PEAL_PROGRAM_USES_OPENMP
           : file_has(path, 0, starts_threads)    ? PEAL_PROGRAM_STARTS_THREADS
           : file_has(path, 0, has_thread_locals) ? PEAL_PROGRAM_HAS_THREAD_LOCALS
                                                  : PEAL_PROGRAM_NEEDS_NOTHING;
}

enum peal_status
source_check(const char *path, bool whole, bool expects_mpi, struct peal_error *error)
{
    struct stat status;
    bool there = stat(path, &status) == 0, text = true, mpi = false;
    /* source_read_pipe reads a pipe: it can be read only once. */
    int file = there && S_ISREG(status.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

    if (!there || (S_ISREG(status.st_mode) && file < 0))
        return peal_refuse(error, PEAL_PROGRAM, "%s cannot be read: %s", path, strerror(errno));
    if (file >= 0) {
        look_into(file, path, 0, source_text_is_mpi, &text, &mpi);
        close(file);
    }
    if (S_ISDIR(status.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is a directory: a node program is C or C++", path);
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is a device: a node program is C or C++", path);
    if (S_ISSOCK(status.st_mode))
        return peal_refuse(error, PEAL_PROGRAM, "%s is a socket: a node program is C or C++", path);
    if (S_ISREG(status.st_mode) && status.st_size > MAX_BYTES)
        return peal_refuse(error, PEAL_PROGRAM, "%s has %jd bytes: a source file has at most %d", path,
                           (intmax_t)status.st_size, MAX_BYTES);
    if (!text)
        return peal_refuse(error, PEAL_PROGRAM, "%s is not text: a node program is C or C++", path);
    if (!whole && peal_is_fortran(path))
        return peal_refuse(error, PEAL_PROGRAM, "%s is Fortran: a function that is checked alone is in a C file", path);
    if (!expects_mpi && peal_is_fortran(path))
        return peal_refuse(error, PEAL_PROGRAM, "%s is Fortran: a node program with peal_main is C or C++", path);
    if (mpi && !expects_mpi)
        return peal_refuse(
            error, PEAL_PROGRAM,
            "%s includes mpi.h: pealrun and peal run take such programs; here one with peal_main is expected", path);
    if (S_ISREG(status.st_mode) && status.st_size == 0 && !whole)
        return peal_refuse(error, PEAL_PROGRAM, "%s is empty: expected a file with the function", path);
    if (S_ISREG(status.st_mode) && status.st_size == 0)
        return peal_refuse(error, PEAL_PROGRAM,
                           "%s is empty: a node program defines void peal_main(struct peal_node *me, int argc, "
                           "char **argv)",
                           path);
    return PEAL_OK;
}

/* Read on.  False at the end, or if *error says why not. */
static bool
read_on(int in, const char *path, struct source_text *text, size_t *room, struct peal_error *error)
{
    struct pollfd pipe = {.fd = in, .events = POLLIN};
    ssize_t count;

    if (text->count >= MAX_BYTES) {
        peal_refuse(error, PEAL_PROGRAM, "%s has %d bytes or more, too many for a source file", path, MAX_BYTES);
        return false;
    }
    if (!array_grow(&text->bytes, room, text->count + (1 << 16), 1)) {
        peal_refuse(error, PEAL_RESOURCES, "%s: not enough memory for the file", path);
        return false;
    }
    if (poll(&pipe, 1, SILENT_SECONDS * 1000) == 0) {
        peal_refuse(error, PEAL_PROGRAM, "%s is a pipe, and nothing has come from it for %d seconds", path,
                    SILENT_SECONDS);
        return false;
    }
    do
        count = read(in, text->bytes + text->count, *room - text->count);
    while (count < 0 && errno == EINTR);
    if (count < 0)
        peal_refuse(error, PEAL_PROGRAM, "%s cannot be read: %s", path, strerror(errno));
    text->count += count > 0 ? (size_t)count : 0;
    return count > 0;
}

enum peal_status
source_read_pipe(const char *path, struct source_text *text, struct peal_error *error)
{
    struct peal_error why = {PEAL_OK, ""};
    struct stat status;
    size_t room = 0;

    *text = (struct source_text){.bytes = NULL};
    if (stat(path, &status) != 0 || !S_ISFIFO(status.st_mode))
        return PEAL_OK;
    int in = peal_open_input(path, NULL, &why);

    if (in < 0)
        return peal_refuse(error, PEAL_PROGRAM, "%s", why.text);
    while (read_on(in, path, text, &room, &why))
        ;
    close(in);
    if (why.status == PEAL_OK && text->count == 0)
        peal_refuse(&why, PEAL_PROGRAM, "%s is an empty pipe: a node program is C or C++", path);
    if (why.status == PEAL_OK && memchr(text->bytes, '\0', text->count))
        peal_refuse(&why, PEAL_PROGRAM, "%s is not text: a node program is C or C++", path);
    if (why.status == PEAL_OK)
        return PEAL_OK;
    free(text->bytes);
    text->bytes = NULL;
    return peal_refuse(error, why.status, "%s", why.text);
}

enum peal_status
source_write(const struct source_text *text, const char *path, const char *to, struct peal_error *error)
{
    FILE *out = fopen(to, "wbe");
    bool written = out && fputs("# 1 \"", out) >= 0;

    for (const char *at = path; written && *at; at++)
        written = (!strchr("\"\\", *at) || fputc('\\', out) != EOF) && fputc(*at, out) != EOF;
    written = written && fputs("\"\n", out) >= 0 && fwrite(text->bytes, 1, text->count, out) == text->count;
    if (out && fclose(out) == 0 && written)
        return PEAL_OK;
    return peal_refuse(error, PEAL_RESOURCES, "%s cannot be written: %s", to, strerror(errno));
}

void
demangle(char *name)
{
    if (strncmp(name, "_Z", 2) != 0)
        return;
    char *from = name + 2 + strspn(name + 2, "NK"), *to = name, *end;

    if (strncmp(from, "St", 2) == 0) {
        to = stpcpy(to, "std");
        from += 2;
    }
    for (unsigned long length; (length = strtoul(from, &end, 10)) > 0 && length <= strlen(end); from = end + length) {
        if (to > name && to + 2 <= end)
            to = stpcpy(to, "::");
        memmove(to, end, length);
        to += length;
    }
    if (to > name)
        *to = '\0';
}
