/* SPDX-License-Identifier: MIT */
/* What a launcher prints on standard output, on its way to this process's: what MPICH's launcher itself says of a process that
 * ended badly goes to standard error, from its banner on, since a document may be printed. */
#ifndef PEAL_RELAY_H
#define PEAL_RELAY_H

#include <stdbool.h>
#include <stddef.h>

enum { RELAY_HELD = 160 };

struct relay {
    int from;              /* the end of a pipe; -1: there is none, or no more comes */
    int why;               /* errno when it could not be written; 0 */
    char held[RELAY_HELD]; /* the beginning of what may become a banner */
    size_t held_count;
    bool begun, complains; /* a line is begun; the banner has come */
};

/* Pass on what there is, waiting so long for something.  False at the end, and when it cannot be written. */
bool relay_some(struct relay *relay, int milliseconds);

#endif
