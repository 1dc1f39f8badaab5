/* SPDX-License-Identifier: MIT */
/* Passes on a launcher's output, and sends MPICH's report on a process that ended badly from its banner on to standard
 * error, since standard output may hold a document. */
#include "run/launcher.h"
#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* MPICH's launcher reports a process that ended badly on standard output, where a document may go. */
static const char banner[] = "===================================================================================\n"
                             "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n";

_Static_assert(sizeof banner <= RELAY_HELD, "a banner can be held");

/* Write all of it; false when the reader is gone. */
static bool
relay_put(struct relay *relay, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t written = write(relay->complains ? STDERR_FILENO : STDOUT_FILENO, bytes, count);

        if (written < 0 && errno != EINTR) {
            relay->why = errno;
            return false;
        }
        bytes += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool
relay_bytes(struct relay *relay, const char *bytes, size_t count)
{
    size_t done = 0; /* bytes written so far */

    for (size_t i = 0; i < count && !relay->complains; i++) {
        if ((relay->held_count > 0 || !relay->begun) && bytes[i] == banner[relay->held_count]) {
            if (relay->held_count == 0 && !relay_put(relay, bytes + done, i - done))
                return false;
            relay->held[relay->held_count++] = bytes[i];
            done = i + 1;
            relay->complains = !banner[relay->held_count];
        } else if (relay->held_count > 0) { /* no banner after all */
            if (!relay_put(relay, relay->held, relay->held_count))
                return false;
            relay->held_count = 0;
        }
        relay->begun = relay->held_count == 0 && bytes[i] != '\n';
    }
    if (relay->complains && relay->held_count > 0) {
        if (!relay_put(relay, relay->held, relay->held_count))
            return false;
        relay->held_count = 0;
    }
    return relay_put(relay, bytes + done, count - done);
}

bool
relay_some(struct relay *relay, int milliseconds)
{
    struct pollfd output = {.fd = relay->from, .events = POLLIN};
    char bytes[1 << 16];
    int ready = poll(&output, 1, milliseconds);

    if (ready == 0 || (ready < 0 && errno == EINTR))
        return true;
    ssize_t got = read(relay->from, bytes, sizeof bytes);

    return got > 0 ? relay_bytes(relay, bytes, (size_t)got) : got < 0 && errno == EINTR;
}
