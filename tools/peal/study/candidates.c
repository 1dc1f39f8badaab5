/* SPDX-License-Identifier: MIT */
/* Finds the algorithms that the arguments of a command name, and where they are called. */
#include "study/candidates.h"
#include "run/target.h"
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ which algorithms */

/* The candidate of this name, added unless it is already entered. */
static struct candidate *
candidates_add(struct candidates *candidates, const struct peal_algorithm *algorithm, const char *name, int parameter)
{
    for (int i = 0; i < candidates->count; i++)
        if (strcmp(candidates->all[i].name, name) == 0)
            return &candidates->all[i];
    candidates->all[candidates->count] = (struct candidate){algorithm, name, parameter, false};
    return &candidates->all[candidates->count++];
}

/* The largest machine that the request asks for. */
static int
most_nodes(const struct command_request *request)
{
    const struct range *range = request->sweep ? &request->sweep->nodes : NULL;

    return range && range->step ? (int)peal_range_get(range, peal_range_count(range) - 1) : request->machine.nodes;
}

/* Add the algorithms that one argument names. */
static enum peal_status
candidates_add_named(struct candidates *candidates, const struct command_request *request, int number,
                     struct peal_error *error)
{
    struct session session = {.program = NULL};
    const char *argument = request->arguments[number];
    const struct peal_algorithm *a;
    int parameter = 0;
    bool first = number == 0;
    enum peal_status status =
        first ? target_load(&session, request, argument, most_nodes(request), &candidates->own, error)
              : target_find(&session, argument, error);

    if (status != PEAL_OK)
        return status;
    if (session.program)
        return peal_refuse(error, PEAL_USAGE, "%s is a program: peal %s takes the algorithms of a collective", argument,
                           request->command->name);
    if (!first && session.collective != candidates->collective)
        return peal_refuse(error, PEAL_USAGE, "expected one collective, got %s beside %s", argument,
                           peal_collective_name(candidates->collective));
    candidates->collective = session.collective;
    if (session.algorithm) {
        a = peal_algorithm_parse(session.collective, session.algorithm, &parameter);
        candidates_add(candidates, a, session.algorithm, parameter)->named = true;
        return PEAL_OK;
    }
    for (int i = 0; (a = peal_algorithm_get(i)); i++)
        if (a->collective == session.collective)
            candidates_add(candidates, a, a->name, 0);
    return PEAL_OK;
}

enum peal_status
candidates_find(struct candidates *candidates, const struct command_request *request, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    int all = 0;

    *candidates = (struct candidates){.count = 0};
    if (request->program)
        return peal_refuse(error, PEAL_USAGE, "%s takes no arguments after --", request->command->name);
    if (request->argument_count == 0)
        return peal_refuse(error, PEAL_USAGE, "expected a collective, as in peal %s allreduce (peal list shows them)",
                           request->command->name);
    while (peal_algorithm_get(all))
        all++;
    candidates->all = calloc((size_t)all + (size_t)request->argument_count + 1, sizeof *candidates->all);
    if (!candidates->all)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; status == PEAL_OK && i < request->argument_count; i++)
        status = candidates_add_named(candidates, request, i, error);
    if (status == PEAL_OK && candidates->own)
        candidates_add(candidates, candidates->own, candidates->own->name, 0);
    return status;
}

/* ------------------------------------------------------------------ the situation */

enum peal_status
situation_find(const struct command_request *request, enum peal_collective collective,
               const struct peal_network *network, size_t words, struct peal_situation *situation,
               struct peal_error *error)
{
    struct peal_exercise exercise = exercise_of(request, collective);

    exercise.words = words;
    return peal_exercise_situation(&exercise, &request->machine, network, situation, error);
}
