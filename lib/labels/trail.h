/* SPDX-License-Identifier: MIT */
/* The messages of one run of a check, word by word: which of them brought a wrong word, and which node
 * sends or receives most.
 *
 *   thread   the one that makes the rounds; afterwards the one that ran the machine */
#pragma once

#include "lib/labels/vectors.h"
#include "lib/machine/hooks.h"
#include "lib/round/round.h"

struct trail {
    struct round_listener listener;
    const struct peal_machine *machine; /* whose round is looked at */
    uint32_t rounds;                    /* that carried or computed something, so far */
    struct carried *messages;           /* as they came */
    size_t count, room;
    struct arrived *words; /* of all messages, in sequence */
    size_t word_count, word_room;
    bool full; /* there are too many, or memory ran out */
};

/* Follow the next run of this machine.  errors: PEAL_RESOURCES.  trail_fini, after the machine's end, also takes a
 * zeroed one. */
enum peal_status trail_begin(struct trail *trail, struct peal_machine *machine, struct peal_error *error);
void trail_fini(struct trail *trail);

/* Append to the finding's message which message brought the wrong word i of node `rank`, or that none brought
 * the expected one; and fill its round, file and line.  `sites`: the posts' lines are the user's. */
void trail_explain(const struct trail *trail, const struct vectors *data, int rank, size_t i, bool sites,
                   struct peal_finding *finding);

/* Report which node sends or receives most, messages or, with `words`, words: "the root, node 0, sends 7 messages of 1
 * word"; or that no node does more than `most` of them. */
void trail_say_busiest(const struct trail *trail, const struct vectors *data, bool words, int64_t most, char *text,
                       size_t bytes);

/* ------------------------------------------------------------------ for others that look at rounds */

/* Show each message whose words the round delivered: its receive, its send, and the first of its copies. */
void deliveries_each(const struct peal_machine *machine,
                     void (*see)(void *arg, const struct request *receive, const struct request *send,
                                 const struct copy *copies),
                     void *arg);

/* Whether the round that was made counts: it carried or computed something.  Zeroes `operations` of nodes that ran. */
bool deliveries_counts(const struct peal_machine *machine, int64_t *operations);
