/* SPDX-License-Identifier: MIT */
/* Reads the end of what was written to standard error, which may be anything. */
#include "lib/child/stderr_tail.h"
#include "lib/base/text.h"
#include <unistd.h>

enum { PIPE_BYTES = 1 << 16 };

void
stderr_tail_clear(int pipe)
{
    char bytes[4096];

    while (pipe >= 0 && read(pipe, bytes, sizeof bytes) > 0)
        ;
}

/* Keep the last lines. */
static void
stderr_tail_keep(const char *all, size_t count, char *text, size_t bytes)
{
    const char *from = all;

    while (count > 0 && all[count - 1] == '\n')
        count--;
    if (count >= bytes) {
        from = all + count - (bytes - 1);
        const char *line = memchr(from, '\n', (size_t)(all + count - from));

        from = line ? line + 1 : from;
    }
    size_t length = (size_t)(all + count - from);

    memcpy(text, from, length);
    text[length] = '\0';
    for (char *end; (end = memchr(text, '\0', length)); *end = '?')
        ;
    peal_plain_but(text, "\n\t");
}

void
stderr_tail_take(int pipe, char *text, size_t bytes)
{
    static char all[PIPE_BYTES];
    size_t count = 0;
    ssize_t more;

    while (pipe >= 0 && count < sizeof all && (more = read(pipe, all + count, sizeof all - count)) > 0)
        count += (size_t)more;
    stderr_tail_keep(all, count, text, bytes);
}

void
peal_stderr_tail_read(int file, char *text, size_t bytes)
{
    char all[4096];
    off_t end = lseek(file, 0, SEEK_END), from = end > (off_t)sizeof all ? end - (off_t)sizeof all : 0;
    ssize_t count = end > 0 ? pread(file, all, sizeof all, from) : 0;

    stderr_tail_keep(all, count > 0 ? (size_t)count : 0, text, bytes);
}
