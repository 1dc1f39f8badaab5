/* SPDX-License-Identifier: MIT */
/* Proves that the events of all paths carry out the collective. */
#pragma once

#include "lib/proof/every.h"
#include "lib/proof/follow.h"
#include <peal/collective.h>

enum prove_end { PROVE_DONE, PROVE_FAILS, PROVE_UNKNOWN };

/* One obligation that was not proved. */
struct prove_failure {
    int number;     /* of the obligation, from 1 */
    char text[300]; /* what it says */
    int64_t P, rank, root, by;
};

struct prove {
    struct following *run;
    enum peal_collective collective;
    bool combines;                /* else it copies */
    term commutes;                /* the condition under which its operands may be swapped */
    enum cut cut;                 /* of all that is combined */
    int from, to;                 /* the buffers in which that is at the beginning, and at the end */
    term partner, number, second; /* variables: the number of another node, of a block; another event's round */
    term block;                   /* that of this number, counted from the root, or from the rank */
    int obligations;
    every_tell tell; /* NULL: nothing is told */
    void *tell_arg;
    struct prove_failure failure;
    struct message *messages;
    size_t count, capacity;
    struct match *matches;
    size_t match_count, match_capacity;
};

/* Prove it; the variables are made by prove_variables, before the run. */
enum prove_end prove_all(struct prove *prove);
void prove_fini(struct prove *prove);
