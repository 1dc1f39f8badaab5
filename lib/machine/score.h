/* SPDX-License-Identifier: MIT */
/* Collectives that are played: a call that all nodes make in one phase, and that all leave in one round, is recorded as
 * it runs, once.  From then on each node parks once with such a call, and the maker of the round carries it out: its
 * rounds, charges and clocks as recorded, its data as the row says, sums in the recorded order.
 *
 *   score.c         what is played, and when: the one place that decides
 *   score_record.c  recording a call as it runs, and playing its rounds
 *   score_clocks.c  the critical path through a call
 *   score_data.c    what a call does to the nodes' data
 *
 * A call that may not be played runs as if there were no scores. */
#pragma once

#include "lib/base/map.h"
#include "lib/machine/machine.h"
#include "lib/machine/score_call.h"

enum { SCORE_KINDS = 16 };
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
    uint8_t verdict;           /* of the round */
    bool exact;                /* sums are the same in any order */
    bool records;              /* the node is in the call that is recorded */
    uint8_t seen[SCORE_KINDS]; /* calls of each kind that it might have offered, up to runs_first */
};

/* ------------------------------------------------------------------ score_clocks.c */

/* The clocks of one time, of all nodes. */
struct score_times {
    struct peal_cost *node, *out, *in; /* of the nodes, and of their ports */
    struct peal_cost *last;
};

/* A step of the critical path: a post (from: the node, send: its request), the end of a wait for a request (the same),
 * or a transfer. */
struct score_step {
    int32_t from, to;
    uint32_t send, receive;
    int32_t cost; /* which of the costs a transfer has alone; or SCORE_POST, SCORE_FINISH */
};

struct score_clocks {
    struct peal_parameters parameters;
    struct score_step *steps;
    size_t step_count, steps_room;
    struct peal_cost *costs;
    size_t cost_count, costs_room;
    struct peal_cost *requests; /* their clocks, by number */
    size_t requests_room;
    struct score_times times; /* while the call is recorded, as the steps say; then of one that begins at time 0 */
    bool even;                /* these hold from any time on */
};

/* The steps are noted as they are made, and carried out beside the run, which they must agree with. */
bool score_clocks_begin(struct score_clocks *clocks, struct peal_machine *machine);
bool score_clocks_note(struct score_clocks *clocks, int32_t node, uint32_t request, int32_t step);
bool score_clocks_transfer(struct score_clocks *clocks, const struct peal_transfer *transfer, uint32_t send,
                           uint32_t receive, struct peal_cost alone);
bool score_clocks_left(const struct score_clocks *clocks, const struct peal_machine *machine, int node);
bool score_clocks_end(struct score_clocks *clocks, struct peal_machine *machine);
void score_clocks_play(const struct score_clocks *clocks, struct peal_machine *machine);
void score_clocks_fini(struct score_clocks *clocks);

/* ------------------------------------------------------------------ score_data.c */

/* A stretch of the vectors: a node's own words (left below 0), or the combination of two others. */
struct score_value {
    int32_t left, right;
    int32_t operand, uses; /* where it lies when it is played; by how many sums and results it is used */
    size_t at, bytes;
    uint64_t nodes; /* whose words are in it: the sum of their marks */
};

/* A stretch of memory, and what it holds: a value's words from `at` in the vectors on. */
struct score_held {
    const char *begin, *end;
    size_t at;
    int32_t value;
};

/* A node's memory. */
struct score_memory {
    struct score_held *held; /* by address */
    size_t count, room;
};

/* A stretch of a node's result: the value's words from `at` on. */
struct score_result {
    int32_t value, node;
    size_t at, to_at, bytes;
};

/* Operands: below P a node's own words, below 2P a result, below 0 ~x memory x between. */
struct score_sum {
    int32_t left, right, to;
    size_t at, bytes; /* of the vectors */
};

/* What stretches of nodes' results are copied from. */
struct score_move {
    int32_t from, to; /* operand, node */
    size_t at, to_at, bytes;
    int32_t count; /* so many, each by such a step behind the one before */
    struct score_stride {
        int32_t from, to;
        size_t at, to_at;
    } step;
};

struct score_data {
    struct peal_call call;
    struct peal_layout layout;
    size_t word_bytes;

    struct score_sum *sums; /* by `at` */
    size_t sum_count;
    struct score_move *moves;
    size_t move_count, moves_room;
    size_t whole;        /* so many moves at first, all of them; then the sums and the other moves, a chunk */
    size_t bytes, chunk; /* of the vectors at a time */
    struct copy *copies; /* room for some */
    char *between;       /* memory */

    /* while the call is recorded; the first values are the nodes' own words */
    struct score_value *values;
    size_t value_count, values_room;
    struct map known;            /* combinations */
    struct score_memory *memory; /* of each node, where copies and combinations are followed; NULL elsewhere */
    struct score_result *results;
    size_t result_count, results_room;
};

/* The nodes have offered the call.  False: it cannot be played. */
bool score_data_begin(struct score_data *data, const struct peal_call *call, int nodes, const struct score_row *rows);
/* Node `from` has these words, and combined with those at `right`, unless that is NULL, `node` stores them at `to`. */
bool score_data_follow(struct score_data *data, int from, const char *left, const char *right, int node, const char *to,
                       size_t bytes);
/* The node has its result; all have. */
bool score_data_left(struct score_data *data, int node, const struct score_row *row);
bool score_data_end(struct score_data *data);
/* Whether it is so much work that the nodes' carriers would better share it. */
bool score_data_is_long(const struct score_data *data);
/* Carry it out.  False: a buffer cannot be read or written; nodes' own words may have been overwritten. */
bool score_data_play(const struct score_data *data, struct peal_machine *machine, const struct score_row *rows);
void score_data_fini(struct score_data *data);

/* ------------------------------------------------------------------ score_record.c */

struct score_round {
    struct peal_cost charge;
    size_t first, count; /* transfers */
    uint32_t k;
    uint32_t number; /* in the schedule */
};

/* The calls of one kind. */
struct score {
    uint32_t kind; /* 0: none */
    enum score_state { SCORE_WAITS, SCORE_PLAYS, SCORE_LIVE } state;
    uint64_t played, refused;
    size_t word_bytes;
    bool exact;

    struct score_round *rounds;
    size_t round_count, rounds_room;
    struct peal_transfer *transfers;
    size_t transfer_count, transfers_room;
    struct peal_cost cost;
    uint64_t copies, copied_words;
    struct call_site *sites; /* a node: where the transfers' calls are */
    struct score_clocks clocks;
    struct score_data data;
    bool failed; /* it cannot be played: guarded by calls_lock in a phase */
};

struct scores {
    struct score_row *rows;
    struct peal_op *operators; /* a node: what it combines with while it is recorded */
    struct score kinds[SCORE_KINDS];
    uint8_t runs_first;      /* calls of a kind */
    uint64_t played;         /* in this run */
    uint64_t recorded;       /* the same */
    struct peal_call call;   /* of node 0, offered last */
    struct score *recording; /* NULL: none */
    int left;                /* nodes that have left the recorded call: guarded by calls_lock in a phase */
    int32_t *held;           /* the nodes of the phase, while those go on whose call is not played */
    size_t held_count;
};

/* Begin to record the call; false: it cannot be played, or there is no memory. */
bool score_record(struct peal_machine *machine, struct score *score, const struct peal_call *call);
/* All nodes have left the call in this phase: may it be played? */
void score_recorded(struct peal_machine *machine);
/* Carry out the call.  False: it is to run. */
bool score_play(struct peal_machine *machine, struct score *score);
void score_fini(struct score *score);

/* Note that a recorded node copies words of its own. */
PEAL_PRIVATE void peal_machine_note_copy(const struct node *node, const void *to, const void *from, size_t bytes);

/* The node copies words of its own. */
static inline void
score_copied(const struct peal_node *me, const void *to, const void *from, size_t bytes)
{
    if (__builtin_expect(me->node->machine->records, 0))
        peal_machine_note_copy(me->node, to, from, bytes);
}
