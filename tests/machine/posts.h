/* SPDX-License-Identifier: MIT */
/* Posts of one piece, for tests. */
#ifndef TESTS_MACHINE_POSTS_H
#define TESTS_MACHINE_POSTS_H

#include "tests/machine/harness.h"

static inline struct peal_post
a_send(const struct peal_piece *piece, int to, int tag)
{
    return (struct peal_post){.kind = PEAL_POST_SEND, .pieces = piece, .piece_count = 1, .peer = to, .tag = tag};
}

static inline struct peal_post
a_receive(const struct peal_piece *piece, int from, int tag)
{
    return (struct peal_post){.kind = PEAL_POST_RECEIVE, .pieces = piece, .piece_count = 1, .peer = from, .tag = tag};
}

static inline struct peal_post
a_probe(int from, int tag)
{
    return (struct peal_post){.kind = PEAL_POST_PROBE, .peer = from, .tag = tag};
}

static inline size_t
count_findings(const struct peal_machine *machine)
{
    size_t count;

    peal_machine_findings(machine, &count);
    return count;
}

#endif
