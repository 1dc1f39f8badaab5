/* SPDX-License-Identifier: MIT */
/* Reads whole files within bounds; writes files under another name first, so that each is complete or absent. */
#include "write/files.h"
#include "lib/base/grow.h"
#include "lib/base/input.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ reading */

/* Report that a pipe is waited for. */
static void
note_waiting(const char *path)
{
    fprintf(stderr, "peal: note: no process writes to the pipe %s: waiting for it\n", path);
}

void
file_note_pipe(const char *path)
{
    struct stat about;

    if (stat(path, &about) == 0 && S_ISFIFO(about.st_mode) && strncmp(path, "/dev/", 5) != 0)
        fprintf(stderr, "peal: note: %s is a pipe: waiting for data\n", path);
}

FILE *
file_open(const char *path, struct peal_error *error)
{
    int file = peal_open_input(path, note_waiting, error);
    FILE *in = file >= 0 ? fdopen(file, "rb") : NULL;

    if (file >= 0 && !in) {
        peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", path, strerror(errno));
        close(file);
    }
    return in;
}

/* The most bytes that are read: of a device or a pipe, which may have no end, a GiB; of a file half of the memory. */
static size_t
most_bytes(bool endless)
{
    const size_t most = (size_t)1 << 30;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t half = pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : most;

    return endless && most < half ? most : half;
}

enum { DEFAULT_MEBIBYTES = 64 };
static size_t allowed = (size_t)DEFAULT_MEBIBYTES << 20;

void
file_allow(int mebibytes)
{
    allowed = (size_t)(mebibytes > 0 ? mebibytes : DEFAULT_MEBIBYTES) << 20;
}

static enum peal_status
refuse_long(const char *path, size_t size, struct peal_error *error)
{
    return peal_refuse(
        error, PEAL_USAGE, "%s has %s%.0f MiB: a document has at most %zu, or as many as --max-document says", path,
        size > 0 ? "" : "more than ", size > 0 ? ceil((double)size / 0x1p20) : (double)(allowed >> 20), allowed >> 20);
}

/* Read the file; no more of a document (`limited`) than is allowed. */
static enum peal_status
file_read_bytes(const char *path, size_t most, bool limited, void **bytes, size_t *count, bool *more,
                struct peal_error *error)
{
    char *text = NULL;
    size_t size = 0, room = 0, used = 0, got, bound;
    struct stat about;
    FILE *in = file_open(path, error);

    *more = false;
    if (!in)
        return PEAL_USAGE;
    if (fstat(fileno(in), &about) == 0 && S_ISREG(about.st_mode)) {
        size = (size_t)about.st_size;
        most = SIZE_MAX;
    }
    bound = most_bytes(size == 0);
    if (limited && size > allowed) {
        fclose(in);
        return refuse_long(path, size, error);
    }
    if (size > bound) {
        fclose(in);
        return peal_refuse(error, PEAL_RESOURCES,
                           "%s has %zu bytes: at most %zu, half of this machine's memory, are read", path, size, bound);
    }
    do {
        if (used > most) {
            *more = true;
            break;
        }
        if (limited && used > allowed) {
            free(text);
            fclose(in);
            return refuse_long(path, 0, error);
        }
        if (used > bound) {
            free(text);
            fclose(in);
            return peal_refuse(error, PEAL_USAGE, "%s has more than %zu bytes, the most that is read", path, bound);
        }
        if (!array_grow(&text, &room, (used > size ? used : size) + 1, 1)) {
            free(text);
            fclose(in);
            return peal_refuse(error, PEAL_RESOURCES, "%s: not enough memory for the file", path);
        }
        errno = 0;
        got = fread(text + used, 1, room - used, in);
        used += got;
    } while (got > 0);
    if (*more)
        used = most;
    bool failed = ferror(in);
    int why = errno;

    fclose(in);
    if (failed || (used == 0 && !*more)) {
        free(text);
        return failed ? peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", path, strerror(why))
                      : peal_refuse(error, PEAL_USAGE, "%s is empty: give a file of at least one byte", path);
    }
    text[used] = '\0';
    *bytes = text;
    *count = used;
    return PEAL_OK;
}

enum peal_status
file_read(const char *path, void **bytes, size_t *count, struct peal_error *error)
{
    bool more;

    return file_read_bytes(path, SIZE_MAX, false, bytes, count, &more, error);
}

enum peal_status
file_read_document(const char *path, void **bytes, size_t *count, struct peal_error *error)
{
    bool more;

    return file_read_bytes(path, SIZE_MAX, true, bytes, count, &more, error);
}

enum peal_status
file_read_most(const char *path, size_t most, void **bytes, size_t *count, bool *more, struct peal_error *error)
{
    return file_read_bytes(path, most, false, bytes, count, more, error);
}

/* ------------------------------------------------------------------ writing */

/* The directory in which the command was started; NULL: unknown.  Programs may leave it. */
static char *start;

void
directory_return(void)
{
    if (start && chdir(start) != 0)
        fprintf(stderr, "peal: note: %s: %s: relative names are those of the directory the program went to\n", start,
                strerror(errno));
}

/* The file's absolute name.  NULL when out of memory.  owner: the caller frees it */
static char *
absolute(const char *path)
{
    char *whole;

    return (path[0] == '/' || !start ? asprintf(&whole, "%s", path) : asprintf(&whole, "%s/%s", start, path)) < 0
               ? NULL
               : whole;
}

/* Follow symbolic links to a file that does not exist yet.  Returns its name instead of `path`, which it frees; NULL
 * with errno. */
static char *
file_follow_links(char *path)
{
    enum { MAX_LINKS = 40 };
    char *next, link[PATH_MAX];
    ssize_t length;

    for (int links = 0; path && (length = readlink(path, link, sizeof link - 1)) >= 0; links++) {
        const char *slash = strrchr(path, '/');
        int directory = slash && link[0] != '/' ? (int)(slash - path) + 1 : 0;

        link[length] = '\0';
        if (links == MAX_LINKS || asprintf(&next, "%.*s%s", directory, path, link) < 0) {
            errno = links == MAX_LINKS ? ELOOP : ENOMEM;
            next = NULL;
        }
        free(path);
        path = next;
    }
    return path;
}

/* The existing temporary files, for the signal handler.  Written by the main thread only. */
static char *volatile temporaries[8];

static void
end_by_signal(int number)
{
    for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
        if (temporaries[i])
            unlink(temporaries[i]);
    signal(number, SIG_DFL);
    raise(number);
}

void
output_guard(void)
{
    start = getcwd(NULL, 0);
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGPIPE};

    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0 && open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(4); /* nothing can be reported */
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signal(signals[i], SIG_IGN) != SIG_IGN) /* an ignored signal stays ignored */
            signal(signals[i], end_by_signal);
    signal(SIGXFSZ, SIG_IGN);
}

static void
temporaries_replace(char *old, char *new)
{
    for (size_t i = 0; i < sizeof temporaries / sizeof *temporaries; i++)
        if (temporaries[i] == old) {
            temporaries[i] = new;
            return;
        }
}

/* Create DIRECTORY/.NAME.XXXXXX with the permissions that NAME has or would get. */
static int
open_temporary(struct output_file *output, const struct stat *about)
{
    const char *slash = strrchr(output->target, '/');
    int directory = slash ? (int)(slash - output->target) + 1 : 0;
    char *temporary;

    if (asprintf(&temporary, "%.*s.%.200s.XXXXXX", directory, output->target, output->target + directory) < 0) {
        errno = ENOMEM;
        return -1;
    }
    int file = mkostemp(temporary, O_CLOEXEC);

    if (file < 0) {
        free(temporary);
        return -1;
    }
    output->temporary = temporary;
    temporaries_replace(NULL, temporary);
    mode_t mask = umask(0);

    umask(mask);
    if (fchmod(file, about ? about->st_mode & 07777 : 0666 & ~mask) != 0)
        return file; /* the permissions of mkstemp will do */
    return file;
}

/* The path of a file that does not exist, by the true path of its folder; NULL with errno.  owner: takes path, and the
 * caller frees the result */
static char *
by_folder(char *path)
{
    char *slash = path ? strrchr(path, '/') : NULL, *folder = NULL, *whole = NULL;

    if (slash) {
        *slash = '\0';
        folder = realpath(*path ? path : "/", NULL);
    }
    if (folder && asprintf(&whole, "%s/%s", strcmp(folder, "/") == 0 ? "" : folder, slash + 1) < 0)
        whole = NULL;
    free(folder);
    free(path);
    return whole;
}

/* Open the output's file, or one beside it; -1 with errno. */
static int
open_target(struct output_file *output)
{
    struct stat about;
    char *path = absolute(output->path);
    bool there = path && stat(path, &about) == 0;
    int file = -1;

    if (there && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
    } else if (there && !S_ISREG(about.st_mode)) {
        file = open(path, O_WRONLY | O_CLOEXEC);
    } else if (path && (there ? access(path, W_OK) == 0 : errno == ENOENT)) { /* otherwise errno is set */
        output->target = there ? realpath(path, NULL) : by_folder(file_follow_links(path));
        if (!there)
            path = NULL;
        if (output->target)
            file = open_temporary(output, there ? &about : NULL);
    }
    int why = errno;

    free(path);
    errno = why;
    return file;
}

/* The files that the command reads. */
static struct spared {
    dev_t device;
    ino_t number;
} * spared;
static size_t spared_count;

void
output_spare(const char *path)
{
    struct stat about;

    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && grow_by_one(&spared, spared_count, sizeof *spared))
        spared[spared_count++] = (struct spared){about.st_dev, about.st_ino};
}

static bool
is_spared(const struct output_file *output)
{
    struct stat about;

    if (!output->target || stat(output->target, &about) != 0)
        return false;
    for (size_t i = 0; i < spared_count; i++)
        if (spared[i].device == about.st_dev && spared[i].number == about.st_ino)
            return true;
    return false;
}

static bool silent;

void
output_silence(void)
{
    silent = true;
}

enum peal_status
output_open(struct output_file *output, const char *path, struct peal_error *error)
{
    *output = (struct output_file){.path = path};
    if (strcmp(path, "-") == 0)
        return peal_refuse(error, PEAL_USAGE, "expected a file, got -: /dev/stdout is standard output, ./- a file");
    if (silent) {
        output->stream = fopen("/dev/null", "we");
        return output->stream ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "/dev/null: %s", strerror(errno));
    }
    int file = open_target(output);

    if (file >= 0)
        output->stream = fdopen(file, "wb");
    if (!output->stream) {
        int why = errno;

        if (file >= 0)
            close(file);
        output_discard(output);
        return peal_refuse(error, PEAL_USAGE, "%s cannot be written: %s", path, strerror(why));
    }
    if (!is_spared(output))
        return PEAL_OK;
    output_discard(output);
    return peal_refuse(error, PEAL_USAGE, "%s would be overwritten, and this command reads it: name another file",
                       path);
}

enum peal_status
output_try(const char *name, const char *ending, struct peal_error *error)
{
    struct stat about;
    struct output_file output;
    enum peal_status status = PEAL_OK;
    char *path;

    if (asprintf(&path, "%s%s", name, ending) < 0)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) {
        status = output_open(&output, path, error);
        output_discard(&output);
    }
    free(path);
    return status;
}

void
output_discard(struct output_file *output)
{
    if (output->stream)
        fclose(output->stream);
    if (output->temporary) {
        unlink(output->temporary);
        temporaries_replace(output->temporary, NULL);
    }
    free(output->temporary);
    free(output->target);
    *output = (struct output_file){0};
}

enum peal_status
output_commit(struct output_file *output, struct peal_error *error)
{
    FILE *stream = output->stream;
    enum peal_status status = PEAL_OK;

    if (!stream)
        return PEAL_OK;
    output->stream = NULL;
    errno = 0;
    bool failed = fflush(stream) != 0 || ferror(stream);
    int why = output->why ? output->why : errno;

    errno = 0;
    if (fclose(stream) != 0 && !failed) {
        failed = true;
        why = errno;
    }
    if (!failed && output->temporary && rename(output->temporary, output->target) != 0) {
        failed = true;
        why = errno;
    }
    if (failed)
        status = peal_refuse(error, PEAL_RESOURCES, "%s could not be written: %s", output->path,
                             why ? strerror(why) : "output error");
    else if (output->temporary) {
        temporaries_replace(output->temporary, NULL);
        free(output->temporary);
        output->temporary = NULL;
    }
    output_discard(output);
    return status;
}

enum peal_status
output_flush(struct peal_error *error)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        return peal_refuse(error, PEAL_RESOURCES, "standard output could not be written: %s",
                           errno ? strerror(errno) : "output error");
    return PEAL_OK;
}
