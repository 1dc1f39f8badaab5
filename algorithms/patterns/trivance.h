/* SPDX-License-Identifier: MIT */
/* Trivance: windows of ranks that grow on both sides at once. */
#pragma once

#include "../catalog.h"

enum { TRIVANCE_STEPS = 20 };

/* One step of an all-gather.  A node r with the blocks r-reach .. r+reach fetches the `up` blocks after these from rank
 * r + up_by, and the `down` blocks before them from rank r - down_by. */
struct trivance_step {
    int reach;
    int up, up_by;
    int down, down_by;
};

/* Write the steps for P nodes, into room for TRIVANCE_STEPS; return their number, ⌈log₃P⌉. */
int trivance_steps(int P, struct trivance_step *steps);

/* Add the rounds of a reduce-scatter or all-gather with blocks of m words.  Known with two ports, on full networks and
 * rings. */
void trivance_closed(struct closed *sum, int64_t m);

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text trivance_texts[];
