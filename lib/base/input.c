/* SPDX-License-Identifier: MIT */
/* Opens files for reading.  A named pipe may never get a writer: the wait for one is announced and bounded. */
#include "lib/base/input.h"
#include "lib/base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files under /dev/fd and /proc are open already, with a process at the other end. */
static bool
is_named_pipe(const char *path)
{
    struct stat about;

    return stat(path, &about) == 0 && S_ISFIFO(about.st_mode) && strncmp(path, "/dev/", 5) != 0 &&
           strncmp(path, "/proc/", 6) != 0;
}

/* Wait for a first byte, which stays in the pipe, or for a writer that ends without one.  0, or an error's number. */
static int
wait_for_byte(int file, const char *path, void (*waits)(const char *path))
{
    enum { MOMENT = 100 }; /* milliseconds */
    double began = seconds_now(), alone = began;
    int scratch[2];

    if (pipe2(scratch, O_CLOEXEC) != 0)
        return errno;
    for (int why = EAGAIN;;) {
        struct pollfd pipe = {.fd = file, .events = POLLIN};
        int ready = poll(&pipe, 1, MOMENT);
        ssize_t count = ready > 0 ? 1 : tee(file, scratch[1], 1, SPLICE_F_NONBLOCK);
        double now = seconds_now();

        if (count < 0) /* open at the other end, and not written yet */
            alone = now;
        if (count > 0)
            why = 0;
        else if (now - alone >= PEAL_INPUT_SECONDS)
            why = ETIMEDOUT;
        if (why != EAGAIN) {
            close(scratch[0]);
            close(scratch[1]);
            return why;
        }
        if (waits && now - began >= 2) {
            waits(path);
            waits = NULL;
        }
    }
}

int
peal_open_input(const char *path, void (*waits)(const char *path), struct peal_error *error)
{
    bool named = is_named_pipe(path);
    int file = open(path, O_RDONLY | O_CLOEXEC | (named ? O_NONBLOCK : 0));
    int why = file < 0 ? errno : named ? wait_for_byte(file, path, waits) : 0;

    if (file >= 0 && why == 0) {
        if (named)
            fcntl(file, F_SETFL, O_RDONLY);
        return file;
    }
    if (file >= 0)
        close(file);
    if (why == ETIMEDOUT)
        peal_refuse(error, PEAL_USAGE, "%s is a pipe, and no process opened it for writing within %d seconds", path,
                    PEAL_INPUT_SECONDS);
    else
        peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", path, strerror(why));
    errno = why;
    return -1;
}
