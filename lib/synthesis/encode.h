/* SPDX-License-Identifier: MIT */
/* The formula whose solutions are exactly the schedules of a problem: after Cai and others, "Synthesizing optimal
 * collective algorithms", PPoPP 2021, with ports, routes and half duplex added.
 *
 *   has(c, v, s)    node v has chunk c after step s (s = 0: constants)
 *   sends(c, m, s)  message m carries chunk c in step s
 *   used(m, s)      message m carries something in step s
 *   takes(s, a)     step s takes a rounds or more
 *
 *   sends(c, m, s)  ⇒  has(c, from, s-1), ¬has(c, to, s-1), used(m, s)
 *   has(c, v, s)    ⇒  has(c, v, s-1) or some sends(c, m to v, s);        has(c, v, s-1)  ⇒  has(c, v, s)
 *   has(c, v, S)    where v wants c
 *   of the used(m, s) of a step no more than the ports allow
 *   enough chunks on a link, or chunks of a message and messages on a link  ⇒  takes(s, a)
 *   Σ of what the steps take ≤ R
 *
 * Unless `unpruned`, of the schedules that differ by a symmetry some are left out, and at least one stays:
 *
 *   - chunks of one source and destination are interchangeable: at one node they arrive in the order of their numbers;
 *   - a schedule without empty first step has a message there, and a symmetry of the network takes that to the first
 *     pair of its class: one of these is used in step 1 (an empty step may as well be the last);
 *   - a chunk for one node leaves each node at most once: other sends are not part of its way. */
#pragma once

#include "lib/synthesis/cnf.h"
#include "lib/synthesis/problem.h"

/* Where the variables of a formula are. */
struct encoding {
    struct cnf cnf;
    int has, sends, used; /* the first variable */
};

/* Make the formula, until the deadline.  The same problem gives the same formula, to the byte.
 *
 *   owner    the caller frees encoding->cnf with cnf_fini; it borrows the deadline
 *   errors   false without memory, when it is too large, or late */
bool encode(const struct problem *problem, const struct deadline *deadline, struct encoding *encoding);

/* The variables sends(c, m, s), with s from 1, and used(m, s). */
int encoding_sends(const struct encoding *encoding, const struct problem *problem, int chunk, int message, int step);

/* The moves of a solution: truth[v] of variable v.  Chunks that nobody needs are left out, and so are empty steps.
 *
 *   owner    the caller frees *moves
 *   errors   false without memory */
bool moves_read(const struct problem *problem, const struct encoding *encoding, const bool *truth,
                struct peal_move **moves, size_t *count);

/* Reverse moves in time: from the problem's to the requested ones, and back. */
void moves_reverse(struct peal_move *moves, size_t count);

/* Check that moves, sorted and in the problem's own direction, are a schedule of what is asked, with chunks followed
 * one by one, and count its steps and rounds, whatever the limits.
 *
 *   errors   PEAL_FAILED: says which chunk or port is wrong, in which step */
enum peal_status moves_verify(const struct problem *problem, const struct peal_move *moves, size_t count, int *steps,
                              int *rounds, struct peal_error *error);
