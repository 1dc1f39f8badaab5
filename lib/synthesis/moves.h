/* SPDX-License-Identifier: MIT */
/* Lists of moves: read out of a formula's solution, ordered, verified. */
#ifndef LIB_SYNTHESIS_MOVES_H
#define LIB_SYNTHESIS_MOVES_H

#include "lib/synthesis/encode.h"

/* The moves of a solution: truth[v] of variable v.  Chunks that nobody needs are left out, and so are empty steps.
 *
 *   owner    the caller frees *moves
 *   errors   false without memory */
bool moves_read(const struct problem *problem, const struct encoding *encoding, const bool *truth,
                struct peal_move **moves, size_t *count);

/* Turn moves backwards in time: those of the problem into those that were asked for, and back. */
void moves_reverse(struct peal_move *moves, size_t count);

/* Sort by step, from, to, message, chunk. */
void moves_sort(struct peal_move *moves, size_t count);

/* As peal_synthesis_verify, of moves in the problem's own direction, sorted. */
enum peal_status moves_verify(const struct problem *problem, const struct peal_move *moves, size_t count, int *steps,
                              int *rounds, struct peal_error *error);

#endif
