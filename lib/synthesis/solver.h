/* SPDX-License-Identifier: MIT */
/* The solver: CaDiCaL, a process of its own that reads the formula from a file and writes its proof into another. */
#pragma once

#include "lib/synthesis/cnf.h"

enum answer { ANSWER_SATISFIABLE, ANSWER_UNSATISFIABLE, ANSWER_UNKNOWN };

/* Solve the formula in the file `cnf`, of `variables` variables, until the deadline; the proof goes into the file
 * `proof`.  With a solution, truth[v] becomes the value of variable v.
 *
 *   errors   PEAL_RESOURCES: the solver is missing, or ended in another way; says which package has it */
enum peal_status solver_run(const char *cnf, const char *proof, const struct deadline *deadline, int variables,
                            bool *truth, enum answer *answer, struct peal_error *error);
