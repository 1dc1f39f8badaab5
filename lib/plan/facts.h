/* SPDX-License-Identifier: MIT */
/* The events of a run of labels: each round's messages with their labels, and the calls of the operator. */
#pragma once

#include "lib/labels/vectors.h"

/* A message, or one call of the operator. */
struct fact {
    uint32_t round;      /* of a message, from 1; of a call, the rounds before it */
    int node;            /* that receives, or joins */
    int from;            /* -1: it joins */
    size_t first, count; /* labels[first ..]: the message's; of a call the left ones, the right ones, the results */
};

struct facts {
    struct vectors data; /* after the run: inputs and results */
    struct peal_check_case where;
    struct fact *facts;
    size_t count, room;
    uint64_t *labels;
    size_t label_count, label_room;
    uint32_t rounds;
    bool full; /* memory ran out */
};

/* Run a collective by an algorithm on labels, and note its events.
 *
 *   owner    facts_fini frees it, also after an error
 *   thread   one at a time in a process
 *   errors   PEAL_USAGE when the machine is impossible, the run fails or is wrong; PEAL_RESOURCES */
enum peal_status facts_make(struct facts *facts, const struct peal_options *options, enum peal_collective collective,
                            const struct peal_callee *callee, const struct peal_check_case *where,
                            struct peal_error *error);
void facts_fini(struct facts *facts);
