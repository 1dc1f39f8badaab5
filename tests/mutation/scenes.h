/* SPDX-License-Identifier: MIT */
/* Runs beside those of a check, in which a mutant is compared with what it was made from, and closed forms with
 * runs. */
#ifndef TESTS_MUTATION_SCENES_H
#define TESTS_MUTATION_SCENES_H

#include <peal/tools.h>

/* Run an algorithm ("chain:3") as it was and as mutant `number`, in every scene: P to 33, some roots and sizes, every
 * kind of network and of ports that matter to it, two deliveries.  Write into `text` "same N" when all N schedules are
 * the same, "alike N" when some are not, but each node sends the same in the same order, and neither T nor the critical
 * path is larger in a coefficient, else "differs" or "WRONG", and the first scene.  `mutant` chooses between the two.
 * In a process of its own. */
void scenes_compare(const char *name, int *mutant, int number, char *text, size_t bytes);

/* Whether mutant `number` of a closed form is found wrong: a closed form is not what a run is charged, or there is one
 * of a run that the noncombining machine refuses, or none where the algorithm promises one.  `mutated` is the
 * algorithm's mutants.  Write the first of these into `text`, else "survived same N" when all N closed forms are as
 * they were, or "survived elsewhere N" when N are not: none in place of one that is not promised, or one that holds in
 * place of none. */
bool scenes_refute_cost(const char *name, const struct peal_algorithm *mutated, int *mutant, int number, char *text,
                        size_t bytes);

#endif
