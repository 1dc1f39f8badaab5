/* SPDX-License-Identifier: MIT */
/* Loaded before the library: spoils the outcome of the exercise of the algorithm that $SPOIL names, as $SPOIL_HOW
 * says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <peal/tools.h>
#include <stdlib.h>
#include <string.h>

enum peal_status
peal_exercise(struct peal_machine *machine, const struct peal_exercise *exercise, struct peal_outcome *outcome,
              struct peal_error *error)
{
    enum peal_status (*real)(struct peal_machine *, const struct peal_exercise *, struct peal_outcome *,
                             struct peal_error *) = dlsym(RTLD_NEXT, "peal_exercise");
    enum peal_status status = real(machine, exercise, outcome, error);
    const char *name = getenv("SPOIL"), *how = getenv("SPOIL_HOW");

    if (!name || !how || strcmp(name, exercise->algorithm) != 0)
        return status;
    if (strcmp(how, "form") == 0) {
        outcome->closed_form.alpha++;
        outcome->closed_form_equal = false;
        return status;
    }
    outcome->verified = false;
    outcome->nodes_correct--;
    strcpy(outcome->wrong, "node 3, word 5: 7 instead of 8");
    return PEAL_FAILED;
}
