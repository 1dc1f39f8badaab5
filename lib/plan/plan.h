/* SPDX-License-Identifier: MIT */
/* Plans: communication schedules as data, wherever they come from (a file of another tool, a synthesis, a recorded
 * run).
 *
 * A plan says which chunk goes from which node to which, and when.  Every node has three buffers that are cut into
 * chunks of one length: its input, its output, and scratch.  A node's work is divided among blocks (thread blocks); a
 * block is a list of steps, carried out one after another.  A step receives, reduces, copies or sends up to `count`
 * neighbouring chunks.  The order within a block, and each step's needs (steps of the same node that are done before it
 * begins), are the only order.
 *
 * A step is done when its message has come and is reduced or copied.  After a send its block goes on at once; a step
 * that needs one that only sends waits, on a machine that delivers by rendezvous, until that message is delivered.  The
 * messages of one sender, receiver and channel do not overtake one another: the i-th send meets the i-th receive.
 *
 * A plan is built by peal_plan_create, then for each block peal_plan_add_block and its steps, then peal_plan_finish. */
#pragma once

#include "lib/base/private.h"
#include <peal/collective.h>
#include <peal/machine.h>
#include <stdio.h>

enum peal_plan_buffer { PEAL_PLAN_INPUT, PEAL_PLAN_OUTPUT, PEAL_PLAN_SCRATCH, PEAL_PLAN_BUFFERS };

/* What a step does, bits in the order in which it does them.  With `source` and `target` for where it takes chunks from
 * and puts them, and `message` for what came:
 *
 *     SEND                      send source                   (MSCCL's s)
 *     RECEIVE COPY              target = message              (r)
 *     RECEIVE COPY SEND         ... and send that             (rcs)
 *     RECEIVE REDUCE SEND       send source ⊕ message         (rrs)
 *     RECEIVE REDUCE COPY       target = source ⊕ message     (rrc)
 *     RECEIVE REDUCE COPY SEND  ... and send that             (rrcs)
 *     COPY                      target = source               (cpy)
 *     REDUCE COPY               target = target ⊕ source      (re)
 *     0                         nothing: only order           (nop)                                         */
enum peal_plan_action { PEAL_PLAN_RECEIVE = 1, PEAL_PLAN_REDUCE = 2, PEAL_PLAN_COPY = 4, PEAL_PLAN_SEND = 8 };

/* Chunks of a node. */
struct peal_plan_place {
    enum peal_plan_buffer buffer;
    int chunk; /* the first */
};

struct peal_plan_step {
    unsigned does; /* bits of enum peal_plan_action */
    struct peal_plan_place source, target;
    int count;          /* of chunks; 0: a message of no words, or nothing */
    int line;           /* of the file it comes from; 0 none */
    int round;          /* of the machine, from 1, before which it does not begin; 0: none */
    int64_t operations; /* that the node computes: of a plan without data */
    int block;          /* that it belongs to; set by peal_plan_add_step */
    size_t needs;       /* set by peal_plan_finish: its needs are plan->needs[needs .. needs + need_count) */
    int need_count;
};

/* A thread block. */
struct peal_plan_block {
    int node, id;      /* the id is that of the file, for messages */
    int send, receive; /* the ranks that its steps send to and receive from; -1 none */
    int channel;
    int line;
    size_t first, count; /* its steps are plan->steps[first .. first + count) */
};

struct peal_plan_node {
    int chunks[PEAL_PLAN_BUFFERS]; /* of each buffer */
    int first, count;              /* set by peal_plan_finish: its blocks are plan->blocks[first .. first + count) */
};

/* One step needs another one of its node. */
struct peal_plan_need {
    size_t step, on;
};

struct peal_plan {
    char *name;                      /* as the file calls it */
    char *file;                      /* it was read from; set by peal_plan_finish */
    const char *format;              /* "msccl"; constant */
    enum peal_collective collective; /* PEAL_COLLECTIVES: unknown, the result is not compared with anything */
    char *kind;                      /* the collective as the file calls it, "custom" */
    int nodes, root;
    int chunks;    /* of a block, or of a vector */
    bool in_place; /* input and output are the same, or the smaller one is the node's own block of the other */
    struct peal_plan_node *node; /* `nodes` */
    struct peal_plan_block *blocks;
    struct peal_plan_step *steps;
    size_t block_count, step_count, need_count;
    size_t *needs; /* steps, need_count of them */
    bool copied;   /* set by peal_plan_judge: sends must be copied, else the plan cannot go on */
    bool bare;     /* it has no data: a chunk is a byte, a step is a block of its own */
    int phases;    /* of such a plan: a step's round is a phase, which begins when the previous one is done; 0 */

    struct peal_plan_need *wanted; /* while it is built */
    size_t wanted_count, block_room, step_room, wanted_room;
};

/* Create a plan without blocks for a collective on `nodes` nodes, with `chunks` chunks per block or vector.  Its
 * buffers have the chunks that the collective's row says, and no scratch; the caller may change node[].chunks.
 *
 *   owner    the caller destroys it, name and kind are copied
 *   errors   PEAL_USAGE for sizes out of range; PEAL_RESOURCES                                          */
PEAL_PRIVATE struct peal_plan *peal_plan_create(const char *name, enum peal_collective collective, int nodes,
                                                int chunks, struct peal_error *error);
PEAL_PRIVATE void peal_plan_destroy(struct peal_plan *plan);

/* Set the root, 0 at first, and the chunks that every node's input and output have with it. */
PEAL_PRIVATE void peal_plan_set_root(struct peal_plan *plan, int root);

/* Append a block; then append a step to the last block.  Gives its number, SIZE_MAX without memory. */
PEAL_PRIVATE size_t peal_plan_add_block(struct peal_plan *plan, const struct peal_plan_block *block);
PEAL_PRIVATE size_t peal_plan_add_step(struct peal_plan *plan, const struct peal_plan_step *step);

/* Say that `step` needs `on`, which may be added later; false without memory. */
PEAL_PRIVATE bool peal_plan_add_need(struct peal_plan *plan, size_t step, size_t on);

/* Sort blocks by node and check that every number is in range.  Blocks, steps and needs have new numbers then.
 *
 *   errors   PEAL_USAGE with one line that begins with `file` and the line of the step, and says what is expected */
PEAL_PRIVATE enum peal_status peal_plan_finish(struct peal_plan *plan, const char *file, struct peal_error *error);

/* The number of a place's chunk in the node's memory, from 0 to below peal_plan_memory.  Places that are the same
 * memory, since the plan is in place, have the same number. */
PEAL_PRIVATE int peal_plan_address(const struct peal_plan *plan, int node, struct peal_plan_place place);
PEAL_PRIVATE int peal_plan_memory(const struct peal_plan *plan, int node);

/* ------------------------------------------------------------------ files */

/* Whether the first bytes of a file look like a schedule in one of the formats. */
PEAL_PRIVATE bool peal_plan_is(const void *bytes, size_t count);

/* Read a schedule from `count` bytes of the file called `name`, in the format that they show.
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   PEAL_USAGE: one line with the file, its line, and what was expected; PEAL_RESOURCES */
PEAL_PRIVATE struct peal_plan *peal_plan_read(const char *name, const void *bytes, size_t count,
                                              struct peal_error *error);

/* Read a scenario, "1>6 4>7, 2>3:8w": messages that are posted at the same time, and after each comma the next ones, of
 * `words` words where none are given.  nodes: 0 for as many as the largest rank requires.
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   PEAL_USAGE: one line with the character and what was expected; PEAL_RESOURCES */
PEAL_PRIVATE struct peal_plan *peal_plan_read_messages(const char *text, int nodes, size_t words, size_t word_bytes,
                                                       struct peal_error *error);

/* Write a plan as MSCCL XML, which peal_plan_read reads back as the same plan.  errors: PEAL_USAGE for what MSCCL does
 * not have; PEAL_RESOURCES when writing fails */
PEAL_PRIVATE enum peal_status peal_plan_write_msccl(FILE *out, const struct peal_plan *plan, struct peal_error *error);

/* ------------------------------------------------------------------ judging */

enum peal_plan_kind {
    PEAL_PLAN_DEADLOCK,      /* steps that wait for one another, or for a message that is never sent */
    PEAL_PLAN_UNBUFFERED,    /* a deadlock unless sends are buffered; a warning */
    PEAL_PLAN_UNMATCHED,     /* a message that is never received */
    PEAL_PLAN_LENGTH,        /* a send and its receive have different lengths */
    PEAL_PLAN_RACE,          /* two blocks touch a chunk, one writes it, and nothing orders them */
    PEAL_PLAN_WRONG,         /* a chunk of the result differs from the collective's */
    PEAL_PLAN_UNINITIALISED, /* a chunk is used that nobody has written; a warning */
    PEAL_PLAN_NOT_A_LINK,    /* a message between nodes that no link of the given network connects */
    PEAL_PLAN_KINDS
};

/* "deadlock", "race", ...; whether it is an error or a warning. */
PEAL_PRIVATE const char *peal_plan_kind_name(enum peal_plan_kind kind);
PEAL_PRIVATE enum peal_severity peal_plan_severity(enum peal_plan_kind kind);

struct peal_plan_finding {
    enum peal_plan_kind kind;
    uint64_t times;     /* such findings; the message is that of the first */
    char message[600];  /* one line */
    int node, chunk;    /* -1: of none */
    size_t step, other; /* steps; SIZE_MAX: none */
};

struct peal_plan_verdict {
    bool proved; /* the collective's result, for every order that the plan allows */
    bool known;  /* the collective is known: otherwise only order, messages and races were judged */
    struct peal_plan_finding findings[PEAL_PLAN_KINDS];
    int finding_count;
    uint64_t messages, reductions;
    int levels; /* messages on the longest chain of steps */
};

/* Judge a plan: matching, deadlocks, races, and the result, with labels in place of chunks; on `network` (NULL: any)
 * whether each message has a link.  Sets plan->copied.
 *
 *   thread   one at a time in a process: the labels are the process's
 *   errors   PEAL_RESOURCES; PEAL_USAGE when it is too large for labels                                   */
PEAL_PRIVATE enum peal_status peal_plan_judge(struct peal_plan *plan, const struct peal_network *network,
                                              struct peal_plan_verdict *verdict, struct peal_error *error);

/* Whether the messages of a plan without data can deliver what the collective's row says.  A chain of messages must
 * lead from each node to every node that gets its words, and a node must receive as many bytes as it gets from others
 * (bytes: of a block or vector; 0: not compared).  This is necessary, not sufficient.  Adds PEAL_PLAN_WRONG to the
 * verdict where it fails.
 *
 *   thread   any
 *   errors   PEAL_USAGE for a root out of range; PEAL_RESOURCES */
PEAL_PRIVATE enum peal_status peal_plan_deliver(const struct peal_plan *plan, enum peal_collective collective, int root,
                                                size_t bytes, struct peal_plan_verdict *verdict,
                                                struct peal_error *error);

/* Write where a step is: "node 3, block 2, step 7 (line 91)". */
PEAL_PRIVATE char *peal_plan_where(const struct peal_plan *plan, size_t step, char *text, size_t bytes);

/* ------------------------------------------------------------------ running */

/* Add the plan to the loaded algorithms of its collective, by this name, which is then valid wherever an
 * algorithm's is.
 *
 *   owner    takes the plan, which peal_algorithm_unload destroys; NULL after an error, then the plan is still the
 *            caller's
 *   errors   PEAL_USAGE when its collective is not known, or the name is taken; PEAL_RESOURCES            */
PEAL_PRIVATE const struct peal_algorithm *peal_plan_load(struct peal_plan *plan, const char *name,
                                                         struct peal_error *error);

/* Run a plan without data on a machine of its nodes: messages of zeros, posted as soon as what they need is done.
 *
 *   blocks   until the run is over
 *   errors   the failure of the run, as peal_run gives it                                                 */
PEAL_PRIVATE const struct peal_failure *peal_plan_run(struct peal_machine *machine, const struct peal_plan *plan);

/* Run a collective by an algorithm on a machine of these options with labels for words, and give the plan of what it
 * did: the same messages in the same rounds.  Words that always travel together are one chunk.  Of *exercise only the
 * collective, the algorithm, words and root count; reductions are taken to commute.
 *
 *   owner    the caller destroys it; NULL after an error
 *   blocks   until the run is over
 *   thread   one at a time in a process, with no other machine
 *   errors   PEAL_USAGE for a barrier and other collectives that other tools' schedules do not have, and for a run that
 *            fails, is wrong or is too large; PEAL_RESOURCES */
PEAL_PRIVATE struct peal_plan *peal_plan_record(const struct peal_options *options,
                                                const struct peal_exercise *exercise, struct peal_error *error);

/* The plan of an algorithm that peal_plan_load gave; NULL for others. */
PEAL_PRIVATE const struct peal_plan *peal_plan_of(const struct peal_algorithm *algorithm);
