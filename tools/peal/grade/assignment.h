/* SPDX-License-Identifier: MIT */
/* An assignment, as peal-assignment(5) describes its file. */
#pragma once

#include "grade/submissions.h"
#include "lib/check/expression.h"
#include <peal/tools.h>

enum { MAX_TESTS = 100, MAX_TEST_SIZES = 8, MAX_TEST_NODES = 2048 };

/* One test.  Strings and lists belong to the assignment. */
struct assignment_test {
    const char *name;
    int line;                            /* of its section */
    double points, powers_of_two_points; /* the second: for a function that is right only where P is a power of two */
    const char *visibility;
    int *nodes, node_count; /* ascending */
    const char *sizes[MAX_TEST_SIZES];
    int size_count;
    const char *topology; /* NULL: not said */
    int ports;            /* 0: not said */
    bool has_delivery, eager;
    bool in_place; /* a proof must hold in place, too */
    size_t eager_words;
    const char *max_rounds, *max_words, *max_hops, *max_messages; /* NULL: none */
    char **forbid, **allow;                                       /* NULL after the last */
    bool lists_collectives;
    uint64_t refused; /* collectives, as of struct peal_check: not listed, or forbidden */
    double timeout;
    uint64_t seed;
    const char *cflags; /* NULL: $CFLAGS */
    int cflags_line;
    uint64_t digest; /* of all that the marks depend on: its keys, the files that they name, Peal and $CFLAGS */

    bool proof; /* of a collective; otherwise of a program, whose members follow below */
    enum peal_collective collective;
    bool unequal; /* the call with unequal blocks */
    const char *symbol;
    int *roots, root_count; /* NULL: all */
    const struct peal_op *op;

    const char *signature; /* of a function for MPI, its arguments, as peal check --arguments has them; NULL: MPI's */
    enum peal_check_element element; /* its numbers */

    bool python;        /* for MPI in Python: submission, driver and reference */
    bool mpi;           /* for MPI: a function, or a program whose main is in the submission or the driver */
    bool lenient;       /* of MPI: findings do not fail it */
    const char *driver; /* its path; NULL: the submission's own peal_main */
    int driver_line;
    const char *functions, *offers; /* names that the driver calls, and offers, one per line; NULL: not given */
    char **arguments;               /* NULL after the last */
    const char *expect, *reference; /* paths; NULL */
    double tolerance;
    bool extra_lines; /* more lines than expected cost nothing */
};

struct assignment {
    const char *path, *name, *title; /* title NULL: none */
    const char *starter;             /* the file that the submissions began with; NULL: not said */
    struct assignment_test *tests;
    int test_count;
    double points;           /* of all tests */
    double total;            /* seconds that one submission may take */
    struct ini_lines *lines; /* private */
};

/* Read the file.
 *
 *   owner    the caller frees it with assignment_free, also after an error; path is borrowed
 *   errors   PEAL_USAGE with one line, "FILE:LINE: what is wrong"; PEAL_RESOURCES */
enum peal_status assignment_read(struct assignment *assignment, const char *path, struct peal_error *error);
void assignment_free(struct assignment *assignment);

/* What submissions are written in: whole programs for MPI may be in Fortran. */
enum submission_language assignment_language(const struct assignment *assignment);

/* The values that an expression of the test has for this many nodes and n (of blocks: m) words. */
struct peal_check_values assignment_values(const struct assignment_test *test, int nodes, size_t words);

/* Replace names in braces by their values: "out-{P}.txt"; {random} by this number.
 *
 *   owner    gives a string that the caller frees
 *   errors   NULL, with PEAL_USAGE for an invalid expression or a { without its }, or PEAL_RESOURCES */
char *assignment_expand(const char *text, struct peal_check_values values, uint32_t random, struct peal_error *error);
