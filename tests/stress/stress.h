/* SPDX-License-Identifier: MIT */
/* Shared by the stress programs: run one node program in every way a machine can be driven, and compare the results
 * down to the last transfer (rule 4: the result never depends on the operating system's scheduler). */
#ifndef STRESS_H
#define STRESS_H

#include <peal/tools.h>

enum { MAX_NODES = 64 };

/* One run's stage: shared by all nodes; each writes only its own place. */
struct stage {
    uint64_t seed;
    uint64_t digest[MAX_NODES]; /* what the node saw, in the order in which it saw it */
};

/* A good mix of x: a function of x alone. */
uint64_t mix(uint64_t x);

/* The i-th number of the sequence that (seed, a, b) names. */
uint64_t chance(uint64_t seed, uint64_t a, uint64_t b, uint64_t i);

/* Add what the node `me` saw to its digest. */
void saw(struct stage *stage, const struct peal_node *me, uint64_t what);

/* Lose a little time now and then, by the clock: whatever the result, it must not depend on it. */
void dawdle(void);

/* Run `program` with `stage` on machines made from `options`: on one, two and four carriers, of threads and
 * of fibers, and with all nodes awake at once.  Give true when every run came to the same schedule, charges, failure
 * and digests as the first; else print the first line that differs.  Counts into the totals below. */
bool same_every_way(const struct peal_options *options, peal_program program, struct stage *stage);

struct totals {
    uint64_t programs, runs, rounds, transfers, failures;
};
extern struct totals totals;

/* Print the totals on one line and give the exit code. */
int tell(const char *name, bool good);

/* The number that the command line gives for how much to do, else `usual`. */
int how_many(int argc, char **argv, int usual);

#endif
