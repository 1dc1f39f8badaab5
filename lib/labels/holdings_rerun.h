/* SPDX-License-Identifier: MIT */
/* A recorded run, repeated with labels in place of its words, and the labels that each node received and made in each
 * round.
 *
 *   thread   one at a time in a process: operators have no argument of their own */
#pragma once

#include "lib/labels/holdings.h"
#include "lib/labels/vectors.h"
#include "lib/machine/hooks.h"
#include <peal/trace.h>

/* A run of labels that a node received, or made with its operator, in a round.  The labels after the first are of the
 * next words of the same vector. */
struct event {
    uint32_t round; /* 0: before the first */
    int32_t node;
    int32_t from; /* -1: made */
    uint32_t count;
    uint64_t label;
};

struct rerun {
    const struct peal_record *run;
    const union peal_check_function *function;
    const struct peal_algorithm *algorithm; /* NULL: the function */
    int parameter;
    enum peal_collective collective;
    struct peal_check_case where; /* the lengths may be shorter than recorded: as few words as show every difference */
    size_t *sizes;                /* of `where` */
    int *to;
    struct vectors data; /* after the run: the nodes' inputs and results */
    struct vectors *followed;
    bool borrowed; /* the data and the lists belong to the caller */
    int nodes;
    struct round_listener listener;
    size_t word_bytes; /* of the machine: 1 where messages are MPI's */

    struct event *events; /* in the order of their rounds */
    size_t event_count, event_room;
    uint32_t rounds; /* seen so far */
    bool full;       /* there are too many, or memory ran out */
};

/* Repeat the run of a collective: by `function`, or, if that is NULL, by the algorithm that was recorded.  Its
 * labels stay until rerun_fini, which takes it also after an error.
 *
 *   owner    borrows run and function until rerun_fini
 *   blocks   until the run is over
 *   errors   PEAL_USAGE if it is a program or a barrier, has no words or no rounds, is too large to be shown, fails, or
 *            has other rounds than those recorded; PEAL_RESOURCES */
enum peal_status rerun_make(struct rerun *again, const struct peal_record *run,
                            const union peal_check_function *function, struct peal_error *error);
void rerun_fini(struct rerun *again);

/* Follow a run of labels that the caller makes; its rounds need not be recorded before.  Before and after
 * that run.  All statements on a repeated run then hold, with `run` set to its options, schedule and sizes.
 *
 *   owner    borrows where and what data holds until rerun_fini
 *   errors   PEAL_USAGE for a barrier and where there are no words; PEAL_RESOURCES                       */
enum peal_status rerun_follow(struct rerun *again, struct peal_machine *machine, struct vectors *data,
                              const struct peal_check_case *where, struct peal_error *error);
void rerun_unfollow(struct rerun *again, struct peal_machine *machine);

/* holdings.c: find what the nodes hold in a run that is over: see peal_check_holdings.
 *
 *   owner    the caller calls peal_holdings_fini, also after an error
 *   errors   PEAL_USAGE if there are too many events, or so many changes that their JSON takes more than `most` bytes;
 *            PEAL_RESOURCES */
enum peal_status holdings_find(struct peal_holdings *holdings, struct rerun *of, size_t most, struct peal_error *error);

/* holdings_write.c: refuse what takes more than `most` bytes. */
enum peal_status holdings_refuse(const struct peal_holdings *holdings, size_t most, struct peal_error *error);
