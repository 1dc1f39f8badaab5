/* SPDX-License-Identifier: MIT */
/* What lets libgfortran.a be a part of a program that nodes have copies of: pealfort links it in.  That library
 * addresses the C library's streams directly, so that the program needs some of its own; and asynchronous input and
 * output is done at once, since the library's part for it has a thread-local. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN FILE *stdin, *stdout, *stderr;

static FILE *
stream(const char *name)
{
    FILE **shared = dlsym(RTLD_DEFAULT, name);

    return shared ? *shared : NULL;
}

__attribute__((constructor(101))) static void
find_streams(void)
{
    stdin = stream("stdin");
    stdout = stream("stdout");
    stderr = stream("stderr");
}

/* The lines of nodes are put in order by Peal, which has standard output as C's stream. */
HIDDEN ssize_t
write(int file, const void *data, size_t bytes)
{
    extern ssize_t __write(int file, const void *data, size_t bytes);

    return file == STDOUT_FILENO ? (ssize_t)fwrite(data, 1, bytes, stdout) : __write(file, data, bytes);
}

/* The library asks about each file once at the start: a record goes out when it is whole, as to a terminal, and is not
 * lost when the run ends. */
HIDDEN int
isatty(int file)
{
    static bool asked[STDERR_FILENO + 1];

    if (file == STDOUT_FILENO || file == STDERR_FILENO) {
        if (!asked[file])
            return asked[file] = true;
    }
    return ttyname(file) != NULL;
}

/* A unit is made of zeros, so that it says itself that nothing of it is asynchronous: the rest is never called. */
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
