/* SPDX-License-Identifier: MIT */
/* Synthesis: the best possible schedule, or a proof that none is better.
 *
 * A schedule has S steps, rounds of the machine.  A block (of a vector collective: the vector) is cut into C chunks of
 * equal length; a message carries whole chunks.  A step that is charged k chunks takes k rounds, and R is the sum over
 * the steps; so a block of m words costs S·α + R·(m/C)·β.
 *
 * Broadcast, scatter, all-gather and all-to-all are searched for directly; gather, reduce and reduce-scatter as the
 * reverses of scatter, broadcast and all-gather; an all-reduce as a reduce-scatter whose reverse, an all-gather,
 * follows: so every schedule is covered, except for all-reduce, which has others. */
#pragma once

#include "lib/base/clock.h"
#include "lib/plan/plan.h"
#include <peal/network.h>

struct peal_plan; /* <peal/plan.h> */

enum { PEAL_SYNTHESIS_NODES = 64, PEAL_SYNTHESIS_ANY = 0 };

/* What is asked: a schedule of at most `steps` steps and at most `rounds` rounds (PEAL_SYNTHESIS_ANY: any number). */
struct peal_synthesis {
    enum peal_collective collective;
    const struct peal_network *network; /* borrowed */
    int root;
    PEAL_EMBED(peal_rules, rules, PEAL_RULES); /* ports, duplex and congestion; the others are taken as 0 */
    bool neighbours; /* messages between neighbours only; else between any two nodes, along the network's routes */
    int chunks, steps, rounds;
    bool unpruned; /* without symmetry breaking and bounds by cuts: a larger formula, which is easier to read */
};

/* A chunk that is sent in a step: from 0 the steps, the messages of one pair of nodes in one step, and the chunks.
 * Chunk j of block b is b·C + j; of an all-to-all from node a to node b (a·P + b)·C + j. */
struct peal_move {
    int step, from, to, message, chunk;
};

/* What a set of nodes must take in or give away, in chunks, and the most that a round can carry: R is at least their
 * quotient. */
struct peal_synthesis_cut {
    uint64_t member; /* a bit per node */
    uint64_t chunks, each_round;
    bool by_ports; /* the ports are narrower than the links */
};

enum peal_synthesis_verdict {
    PEAL_SYNTHESIS_HERE,    /* a schedule was found */
    PEAL_SYNTHESIS_CUT,     /* there is none, by a cut */
    PEAL_SYNTHESIS_PROOF,   /* there is none, by a proof that was checked */
    PEAL_SYNTHESIS_UNKNOWN, /* not decided in the time given */
};

struct peal_synthesized {
    enum peal_synthesis_verdict verdict;
    struct peal_move *moves; /* sorted; owned */
    size_t move_count;
    int steps, rounds; /* of the schedule: what it needs, at most what was asked */
    struct peal_synthesis_cut cut;

    int variables; /* of the formula; 0: none was made */
    size_t clauses;
    char formula[65]; /* its SHA-256 */
    char proof[65];   /* of the checked proof; "" without one */
    uint64_t lemmas;  /* of the proof, that were checked */
    bool unchecked;   /* undecided: the solver found no schedule, but its proof was not checked in time */
    double encode_seconds, solve_seconds, check_seconds;
};

/* How it is done. */
struct peal_synthesis_effort {
    /* Of the whole call: undecided questions then stay undecided, and it returns.  Each of many questions takes at most
     * half of the time that is left, so that a hard one leaves some for the next.  *stopped is set by a handler of
     * SIGTERM: a search in another process is sent it, too. */
    struct deadline deadline;
    const char *keep; /* a path: the formula is left in keep.cnf, the proof in keep.drat; NULL: neither */
    bool recheck;     /* make no search: check the existing keep.drat against the formula made anew */
};

/* Decide whether there is such a schedule.
 *
 *   owner    the caller frees *result with peal_synthesized_fini
 *   blocks   until the solver, a process of its own, has ended
 *   errors   PEAL_USAGE: a collective, machine or number that it does not take; says which
 *            PEAL_RESOURCES: the solver is missing, ended in another way, or its answer is wrong; no memory
 *            PEAL_FAILED: its proof is wrong; says in which line                                             */
PEAL_PRIVATE enum peal_status peal_synthesize(const struct peal_synthesis *asked,
                                              const struct peal_synthesis_effort *effort,
                                              struct peal_synthesized *result, struct peal_error *error);
PEAL_PRIVATE void peal_synthesized_fini(struct peal_synthesized *result);

/* Give the cut that bounds R most, for C = asked->chunks; false: none (one node). */
PEAL_PRIVATE bool peal_synthesis_bound(const struct peal_synthesis *asked, struct peal_synthesis_cut *cut);

/* Write the schedule of a result as a C file, which defines the function `name`, an algorithm of the collective as peal
 * check and peal run take it with --file and --symbol.
 *
 *   errors   PEAL_USAGE: there is no schedule in it; PEAL_RESOURCES: it cannot be written                        */
PEAL_PRIVATE enum peal_status peal_synthesis_write_c(FILE *out, const struct peal_synthesis *asked,
                                                     const struct peal_synthesized *result, const char *name,
                                                     struct peal_error *error);

/* Make the schedule of a result a plan, which <peal/plan.h> judges and writes as MSCCL XML.
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   PEAL_USAGE: there is no schedule in it; PEAL_RESOURCES                                            */
PEAL_PRIVATE struct peal_plan *peal_synthesis_plan(const struct peal_synthesis *asked,
                                                   const struct peal_synthesized *result, struct peal_error *error);

/* ------------------------------------------------------------------ many questions */

/* A question that was asked, and its answer without the moves. */
struct peal_synthesis_question {
    int chunks, steps, rounds;
    struct peal_synthesized answer;
    bool open; /* it has no answer, follows from none, and no point settles it */
};

/* A schedule that no other one found beats in both steps and rounds. */
struct peal_synthesis_point {
    int chunks, steps, rounds;
    /* every question that could have found a better one with at most that many chunks was answered: there is none */
    bool closed;
    struct peal_move *moves;
    size_t move_count;
};

/* The front: for each number of steps the least R/C. */
struct peal_front {
    struct peal_synthesis_point *points;
    size_t point_count;
    struct peal_synthesis_question *questions; /* in the order asked */
    size_t question_count;
    struct peal_synthesis_cut cut; /* of one chunk per block: R/C is at least its chunks / each_round */
    bool has_cut;
    bool reached; /* the last point has the R/C of the cut: no number of steps or chunks is better */
    bool late;    /* it ended by the deadline, or a question is open */
};

/* How far to search, and what to call. */
struct peal_front_limits {
    int steps;  /* at most; PEAL_SYNTHESIS_ANY: until the cut is reached, at most four more than the least */
    int chunks; /* the most chunks per block */
    int jobs;   /* questions at a time, each in a process of its own */
    bool least; /* stop after the least number of steps */
    /* Called after each question; NULL. */
    void (*tell)(const struct peal_synthesis_question *question, void *context);
    void *context;
};

/* Find the front of `asked`, whose steps, rounds and chunks do not matter.  Only with more chunks than were tried can
 * R/C be below that of a point.
 *
 *   owner    the caller frees *front with peal_front_fini
 *   errors   as peal_synthesize                                                                               */
PEAL_PRIVATE enum peal_status peal_synthesis_front(const struct peal_synthesis *asked,
                                                   const struct peal_front_limits *limits,
                                                   const struct peal_synthesis_effort *effort, struct peal_front *front,
                                                   struct peal_error *error);

/* Ask whether a schedule of `asked` beats one of asked->steps steps and asked->rounds rounds for asked->chunks chunks
 * per block: with as many steps in fewer rounds, or with fewer steps in as many, with at most limits->chunks chunks.
 * The points hold the schedules that beat it.
 *
 *   owner, errors   as of peal_synthesis_front                                                                */
PEAL_PRIVATE enum peal_status peal_synthesis_beat(const struct peal_synthesis *asked,
                                                  const struct peal_front_limits *limits,
                                                  const struct peal_synthesis_effort *effort, struct peal_front *front,
                                                  struct peal_error *error);
PEAL_PRIVATE void peal_front_fini(struct peal_front *front);
