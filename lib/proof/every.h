/* SPDX-License-Identifier: MIT */
/* Proves from the C code of a collective's algorithm that it is right for every number of nodes, every rank and root,
 * and every length of its blocks.
 *
 * int bounds P, so a loop over powers of two has few rounds: for each q = ⌈log₂P⌉ the function is run once with P, the
 * rank and the root as unknown numbers (follow.h), and what it sends is proved right (prove.h).  A function that has no
 * such loop is run once for all P.
 *
 * Trusted, with what catches a fault in each:
 *   clang's tree of the code      the recorded runs, which another compiler makes
 *   the interpreter, follow*.c    these runs, mutants (tests/proof/every.py), wrong functions (tests/proof/students.py)
 *   the models, models*.c         each is made false in turn (tests/proof/false_models.c)
 *   the obligations, prove*.c     mutants that are right to P = 64
 *   the solver                    the other one; its examples are evaluated here */
#pragma once

#include "lib/base/private.h"
#include <peal/collective.h>

enum { EVERY_LOG = 24, EVERY_COMPARED = 64 }; /* P up to 2^24; recorded runs up to 64 nodes are compared */

/* A message of a recorded run. */
struct every_message {
    int from, to;
    uint64_t words;
};

/* Run the algorithm, and list the messages that were carried, in the order of the rounds.
 *
 *   owner    the caller frees *messages
 *   errors   why it cannot be run */
struct every_case {
    int nodes, root, by;
    size_t words; /* of a block, or the vector */
};
typedef enum peal_status (*every_runs)(void *arg, const struct every_case *of, struct every_message **messages,
                                       size_t *count, struct peal_error *error);

/* What a proof says, in words. */
enum every_part {
    EVERY_EVENT,     /* what a node does */
    EVERY_MEETS,     /* which send meets which receive */
    EVERY_INVARIANT, /* where what is sent, or promised, comes from */
    EVERY_OBLIGATION /* one that was proved */
};
enum { EVERY_TOLD = 4 }; /* for a function that is run by classes, that of P = 9..16 is described */
typedef void (*every_tell)(void *arg, enum every_part part, const char *text);

/* In which order vectors are combined: the order of the ranks needs an associative operator, another order one that
 * also commutes. */
enum every_order { EVERY_RANK_ORDER, EVERY_ANY_ORDER_OFF_0 /* unless the root is 0 */, EVERY_ANY_ORDER };

struct every_request {
    enum peal_collective collective;
    const char *file, *function; /* where it is, and its name */
    const char *flags;           /* of the compiler, for this file, between spaces; NULL: none */
    const char *top;             /* the folder of Peal's sources */
    const char *solver;          /* "z3", "cvc5" */
    enum every_order order;
    int parameters[EVERY_LOG + 1]; /* what peal_parameter gives, for each ⌈log₂P⌉ */
    bool one_length;               /* the function is given the length m of all blocks, as a user's is */
    const char *arguments;         /* of a function for MPI, by MPI's names; NULL: it is one for Peal */
    bool one_port;                 /* the function asks for the ports: there is one */
    bool power_of_two, even;       /* only P = 2^q; only even P, and 1 */
    int jobs;                      /* classes at a time; 0: one per core */
    bool keep;                     /* use a proof that was made before, and keep this one */
    int only;        /* of a function that is run by classes, that of P up to 2^only alone; 0: all are proved */
    every_tell tell; /* NULL: nothing is told */
    void *tell_arg;
    every_runs runs; /* NULL: nothing is compared, and nothing may be said of the algorithm */
    void *arg;
};

enum every_end {
    EVERY_PROVED,
    EVERY_NOT_FOLLOWED, /* text: "FILE:LINE: why" */
    EVERY_FAILS,        /* an obligation is wrong at nodes, root, by: to be run */
    EVERY_UNKNOWN       /* an obligation is neither proved nor wrong */
};

struct every {
    bool asked;      /* the caller's: there was an attempt */
    bool run;        /* the caller's: the case that fails was run */
    bool by_classes; /* the function was run by classes of P */
    bool kept;       /* it was proved before: the proof is from the cache */
    enum every_end end;
    int classes, obligations;
    int compared;   /* recorded runs */
    bool narrow;    /* an int holds up to P times a length, which must be less than 2^31 */
    char text[400]; /* why it is not proved */
    int obligation; /* the number of the one that fails */
    int64_t nodes, rank;
    int root, by;
    int highest; /* the classes that were proved, to 2^highest; -1: none */
};

/* Prove it.
 *
 *   blocks   some seconds, up to minutes
 *   errors   PEAL_RESOURCES without clang or the solver, or memory; PEAL_USAGE for an unknown solver, a file that clang
 *            does not compile */
PEAL_PRIVATE enum peal_status peal_every_make(const struct every_request *request, struct every *proof,
                                              struct peal_error *error);

/* Whether clang and this solver are installed.  errors: as above */
PEAL_PRIVATE enum peal_status peal_every_available(const char *solver, struct peal_error *error);

/* Whether collectives of this kind are followed at all. */
PEAL_PRIVATE bool peal_every_follows(enum peal_collective collective);
