/* SPDX-License-Identifier: MIT */
/* The relay of a launcher's standard output to this process's: the report of MPICH's launcher on a process that
 * ended badly goes to standard error, from its banner on, since standard output may hold a document. */
#ifndef PEAL_RELAY_H
#define PEAL_RELAY_H

#include <stdbool.h>
#include <stddef.h>

enum { RELAY_HELD = 160 };

struct relay {
    int from;              /* the end of a pipe; -1: none, or at its end */
    int why;               /* errno when it could not be written; 0 */
    char held[RELAY_HELD]; /* what may be the beginning of a banner */
    size_t held_count;
    bool begun, complains; /* a line is begun; the banner has come */
};

/* Pass on the available bytes, after waiting at most so long for some.  False at the end, and when it cannot be
 * written. */
bool relay_some(struct relay *relay, int milliseconds);

#endif
