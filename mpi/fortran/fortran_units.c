/* SPDX-License-Identifier: MIT */
/* Lets libgfortran.a work in a program of which each node has a copy: pealfort links this in.  That library addresses
 * the C library's streams and environment directly, so the program needs its own; and asynchronous input and output is
 * done at once, since the library's code for it uses a thread-local variable. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN FILE *stdin, *stdout, *stderr;
HIDDEN char **environ; /* the host's, for EXECUTE_COMMAND_LINE */

static FILE *
fortran_stream(const char *name)
{
    FILE **shared = dlsym(RTLD_DEFAULT, name);

    return shared ? *shared : NULL;
}

__attribute__((constructor(101))) static void
find_streams(void)
{
    stdin = fortran_stream("stdin");
    stdout = fortran_stream("stdout");
    stderr = fortran_stream("stderr");
    char ***shared = dlsym(RTLD_DEFAULT, "environ");

    environ = shared ? *shared : NULL;
}

/* Keep what the library says before it ends the program. */
static char last_words[200];

static void
keep_words(const char *text, size_t bytes)
{
    static const char sign[] = "Fortran runtime error: ";
    static bool follow;
    const char *found = memmem(text, bytes, sign, strlen(sign)), *end;

    if (found) {
        follow = true;
        last_words[0] = '\0';
        bytes -= (size_t)(found + strlen(sign) - text);
        text = found + strlen(sign);
    }
    end = memchr(text, '\n', bytes);
    size_t length = end ? (size_t)(end - text) : bytes, room = sizeof last_words - 1 - strlen(last_words);

    if (follow)
        strncat(last_words, text, length < room ? length : room);
    follow = follow && !end;
}

/* Peal puts the lines of nodes in order, and uses C's stream for standard output. */
HIDDEN ssize_t
write(int file, const void *data, size_t bytes)
{
    extern ssize_t __write(int file, const void *data, size_t bytes);

    if (file == STDERR_FILENO)
        keep_words(data, bytes);
    return file == STDOUT_FILENO ? (ssize_t)fwrite(data, 1, bytes, stdout) : __write(file, data, bytes);
}

HIDDEN ssize_t
writev(int file, const struct iovec *parts, int count)
{
    for (int i = 0; i < count && file == STDERR_FILENO; i++)
        keep_words(parts[i].iov_base, parts[i].iov_len);
    return syscall(SYS_writev, file, parts, count);
}

/* The library must not buffer standard input, output and error itself: no record may be lost when the run ends, and the
 * file may have changed since the program was loaded. */
HIDDEN char *
getenv(const char *name)
{
    static char yes[] = "y";

    return strcmp(name, "GFORTRAN_UNBUFFERED_PRECONNECTED") == 0 ? yes : secure_getenv(name);
}

/* The library's handler of crashes would hide Peal's report, which names the node and the line. */
HIDDEN void (*signal(int number, void (*handler)(int)))(int)
{
    extern void (*ssignal(int number, void (*handler)(int)))(int); /* the same function by its other name */
    extern void _gfortrani_backtrace_handler(int) __attribute__((weak, visibility("hidden")));

    return handler && handler == _gfortrani_backtrace_handler ? NULL : ssignal(number, handler);
}

/* The calls that led here, the innermost first. */
struct call_sites {
    int count;
    const void *sites[20];
};

static _Unwind_Reason_Code
add_call(struct _Unwind_Context *context, void *arg)
{
    struct call_sites *calls = arg;

    if (calls->count == sizeof calls->sites / sizeof *calls->sites)
        return _URC_END_OF_STACK;
    calls->sites[calls->count++] = (const void *)_Unwind_GetIP(context);
    return _URC_NO_REASON;
}

/* STOP, and errors that the library finds: they are reported at the line of the program. */
HIDDEN void
exit(int code)
{
    extern void peal_mpi_fortran_exit(int code, const void *const *sites, int count, const char *said)
        __attribute__((noreturn));
    struct call_sites calls = {.count = 0};

    _Unwind_Backtrace(add_call, &calls);
    peal_mpi_fortran_exit(code, calls.sites, calls.count, last_words);
}

/* A unit begins as zeros, which means that it is not asynchronous: the rest is never called. */
HIDDEN void
_gfortrani_init_async_unit(void *unit)
{
    (void)unit;
}

HIDDEN void
_gfortrani_async_close(void *async)
{
    (void)async;
}

HIDDEN int
_gfortrani_async_wait(void *common, void *async)
{
    (void)common, (void)async;
    return 0;
}

HIDDEN int
_gfortrani_async_wait_id(void *common, void *async, int id)
{
    (void)common, (void)async, (void)id;
    return 0;
}

HIDDEN int
_gfortrani_collect_async_errors(void *common, void *async)
{
    (void)common, (void)async;
    return 0;
}

#define NEVER(name)                                                                                                    \
    HIDDEN void _gfortrani_enqueue_##name(void)                                                                        \
    {                                                                                                                  \
        abort();                                                                                                       \
    }

/* clang-format off */
NEVER(close) NEVER(data_transfer_init) NEVER(done) NEVER(done_id) NEVER(transfer)
    /* clang-format on */
