/* SPDX-License-Identifier: MIT */
/* Shared by the tests of algorithms: run one with its data checked, keep its schedule, and price that elsewhere. */
#ifndef TESTS_ALGORITHMS_HARNESS_H
#define TESTS_ALGORITHMS_HARNESS_H

#include "../expand.h"
#include <peal/tools.h>

/* One run and its results. */
struct performance {
    struct peal_machine *machine;
    char asked_for[300]; /* the options of the machine, as text */
    struct peal_outcome outcome;
    struct peal_schedule schedule; /* a copy that may be priced again */
    enum peal_status status;
    struct peal_error error;
};

/* Options for `nodes` nodes on a network: fibers where this build has them, which are faster than threads. */
struct peal_options options_for(int nodes, const char *topology);

/* Run a collective by name ("scatter", "binomial"; algorithm NULL: chosen) with m or n words.  op NULL: sum.
 * A machine is used again while what is asked for stays the same.  owner: performance_fini */
void perform(struct performance *performance, const struct peal_options *options, const char *collective,
             const char *algorithm, size_t words, int root, const struct peal_op *op);

/* Run a collective and verify its data, on the full network or the one given. */
void perform_on(struct performance *performance, const char *topology, int nodes, const char *collective,
                const char *algorithm, size_t words, int root, int ports);
void performance_fini(struct performance *performance);

/* What the recorded schedule costs on a network. */
struct peal_cost price_on(struct performance *performance, const char *topology, enum peal_switching switching);

/* Whether round `round` consists of just these transfers, "0>4:16 6>7:4", in any order. */
bool round_is(const struct performance *performance, size_t round, const char *transfers);

/* Networks of this many nodes: the i-th, or NULL after the last.  owner: the harness, until the next call */
const char *network_of(int nodes, int i);

/* The first algorithm from the *i-th on that is to be tested, at its place in *i; NULL after the last.  All of them
 * are, unless PEAL_TEST_ALGORITHM is set to the beginning of their names: "scatter/", "allgather/ring". */
const struct peal_algorithm *algorithm_from(int *i);

/* The ports of the machines it is tried on: one, unless it needs more. */
int ports_for(const struct peal_algorithm *algorithm);

/* Whether it can run on this network. */
bool fits_on(const struct peal_algorithm *algorithm, const char *topology, int nodes, size_t words, int ports);

/* Whether a list of kinds of networks, NULL for all, has that of this one. */
bool has_kind(const char *kinds, const char *topology);

#endif
