/* SPDX-License-Identifier: MIT */
/* Collectives that are played: a call that all nodes make in one phase, and that all leave in one round, is recorded as
 * it runs.  From then on each node parks once with such a call, and the maker of the round carries it out: its rounds,
 * charges and clocks as recorded, its data as the row says, sums in the recorded order.
 *
 *   score.c         what is played, and when: the one place that decides
 *   score_record.c  recording a call as it runs, and playing its rounds and clocks
 *   score_data.c    what a call does to the nodes' data
 *
 * A call that may not be played runs as if there were no scores. */
#pragma once

#include "lib/machine/machine.h"
#include "lib/score/score_call.h"

enum { SCORES = 16 };
enum score_verdict { SCORE_RUNS, SCORE_RECORDS, SCORE_PLAYED };

/* A node's call: one line of the cache.  Written by the node, before it parks. */
struct score_row {
    _Alignas(64) char *in; /* its own words */
    char *out;
    void (*combine)(const void *left, const void *right, void *result, size_t words);
    const char *file; /* of the call */
    int line;
    uint32_t kind;
    uint32_t word_bytes;
    uint8_t verdict;      /* of the round */
    bool exact;           /* sums are the same in any order */
    bool records;         /* the node is in the call that is recorded */
    uint8_t seen[SCORES]; /* calls of each kind that it might have offered, up to runs_first */
};

/* ------------------------------------------------------------------ score_data.c */

/* A stretch of the vectors: a node's own words (left below 0), or the combination of two others. */
struct score_value {
    int32_t left, right;
    int32_t slot, uses; /* its intermediate memory when it is played; the number of sums and results that use it */
    size_t at, bytes;   /* of the vectors */
    uint64_t nodes;     /* the nodes whose words are in it: the sum of their marks */
    uint64_t name;      /* of its first word */
    char *words;
};

/* A stretch of a node's result: the value's words from `at` on. */
struct score_result {
    int32_t value, node;
    size_t at, to_at, bytes;
};

/* Buffers: below P a node's own words, below 2P a result, else intermediate memory. */
struct score_place {
    int32_t buffer;
    size_t at;
};

/* A copy, or a sum. */
struct score_step {
    struct score_place from, with, to; /* with: buffer -1 of a copy */
    struct score_place by_from, by_to; /* this many copies, each so far behind the previous one */
    size_t bytes;
    int32_t count;
};

struct score_data {
    struct peal_call call;
    struct peal_layout layout;
    size_t word_bytes;

    struct score_step *steps;
    size_t step_count, steps_room;
    size_t bytes, chunk; /* of the vectors; at a time */
    char *between;       /* memory */

    /* while the call is recorded; the first values are the nodes' own words */
    struct score_value *values;
    size_t value_count, values_room;
    struct map known; /* combinations */
    struct score_result *results;
    size_t result_count, results_room;
    char *named; /* the nodes' buffers of names; NULL: sums are the same in any order, or there are none */
};

/* The nodes have offered the call.  False: it cannot be played, and runs on the nodes' buffers. */
bool score_data_begin(struct score_data *data, const struct peal_call *call, int nodes, const struct score_row *rows);
/* The buffer of names in place of the node's own words, or of its result. */
char *score_data_named(const struct score_data *data, int node, bool out);
/* Combine words that are names; false without memory. */
bool score_data_combine(struct score_data *data, const char *left, const char *right, char *result, size_t words,
                        const struct score_row *row);
/* Give the node its result, which is names.  False: it is not what the row says. */
bool score_data_left(struct score_data *data, int node, const struct score_row *row);
/* All have left.  False: it cannot be played, or is so much work that the carriers should share it. */
bool score_data_end(struct score_data *data, int carriers);
/* Carry it out.  False: a buffer cannot be read or written; nodes' own words may have been overwritten. */
bool score_data_play(const struct score_data *data, struct peal_machine *machine, const struct score_row *rows);
void score_data_fini(struct score_data *data);

/* ------------------------------------------------------------------ score_record.c */

struct score_round {
    struct peal_cost charge;
    size_t transfers;
    uint32_t k;
    uint32_t number; /* in the schedule */
};

/* The calls of one kind that are made at the same places, and find the nodes' clocks as far apart. */
struct score {
    uint32_t kind; /* 0: none */
    uint32_t word_bytes;
    void (*combine)(const void *left, const void *right, void *result, size_t words);
    uint64_t places;
    struct peal_cost *before, *after; /* clocks (score_clocks) */

    struct score_round *rounds;
    size_t round_count, rounds_room;
    struct peal_cost cost;
    uint64_t copies, copied_words;
    struct score_data data;
};

struct score_kind {
    uint32_t number; /* 0: none */
    bool runs;       /* it is not played */
    uint32_t refused;
    uint64_t played;
};

struct scores {
    struct score_row *rows;
    struct peal_op *operators; /* per node: its operator while it is recorded */
    struct score scores[SCORES];
    struct score_kind kinds[SCORES]; /* by number */
    uint8_t runs_first;              /* calls of a kind before one is recorded */
    uint64_t played;                 /* in this run */
    uint64_t recorded;               /* the same */
    struct peal_call call;           /* of node 0, offered last */
    struct peal_cost *clocks;        /* as the nodes offered it */
    struct score *recording;         /* NULL: none */
    struct peal_cost began;          /* the clock of node 0 */
    bool failed;                     /* it cannot be played: guarded by calls_lock in a phase */
    int left;                        /* nodes that have left the recorded call: guarded likewise */
    int32_t *held;                   /* the nodes of the phase, while those go on whose call is not played */
    size_t held_count;
};

/* How many clocks score_clocks writes. */
static inline size_t
score_clock_count(const struct peal_machine *machine)
{
    return 3 * (size_t)machine->options.nodes + 1;
}

/* Write the clocks of the nodes, which are `mine`, and of the ports, less `first`, as far as they matter: a port that
 * is free before its node goes on might as well be free then. */
void score_clocks(const struct peal_machine *machine, const struct peal_cost *mine, struct peal_cost first,
                  struct peal_cost *clocks);

/* Begin to record the call; false: it cannot be played, or there is no memory. */
bool score_record(struct peal_machine *machine, struct score *score, const struct score_row *call);
/* The node runs the call that is recorded, with these arguments. */
void score_enter(struct node *node, struct peal_arguments *x);
/* The maker has made a round of it; all nodes have left it. */
void score_note_round(struct peal_machine *machine);
void score_recorded(struct peal_machine *machine);
/* Carry out the call.  False: it is to run. */
bool score_play(struct peal_machine *machine, struct score *score);
void score_fini(struct score *score);
