/* SPDX-License-Identifier: MIT */
/* Whether a reduction combines in the same brackets wherever its results should be the same: this is peal check
 * --identical.  The trees of each run of a check are compared with those of the runs before it, the smallest first.
 *
 *   thread   one at a time in a process, as labels */
#pragma once

#include "lib/labels/vectors.h"

/* A word of a result that is a combination: of the words `index` of the nodes first .. last. */
struct combined {
    int rank, first, last;
    size_t index, word; /* of the operands; of the result */
    uint32_t tree;
};

struct identical {
    struct peal_identity identity; /* what is known so far */
    struct combined *words;        /* of the current run */
    size_t count, room;
    void *runs;               /* trees of other runs: a search tree of struct run_trees, tsearch(3) */
    struct run_trees *before; /* the run before; it is not in the tree */
    bool no_memory;           /* the identity is not known */
};

/* Compare the results of a run that ended well. */
void identical_note(struct identical *identical, const struct vectors *data);

/* Free the memory.  The identity is known then if there was enough of it. */
void identical_fini(struct identical *identical);
