/* SPDX-License-Identifier: MIT */
/* What peal_check needs for an MPI program: the program, loaded for all that --strict finds, and its runs' options. */
#include "lib/check/expression.h"
#include "run/checks.h"
#include <stdlib.h>
#include <string.h>

bool
checks_are_mpi(const struct checks *all)
{
    return all->count == 1 && all->checks[0].program && peal_program_kind(all->checks[0].file) != PEAL_PROGRAM_SOURCE;
}

/* The request of the program's runs: its files are the arguments, and everything that can be found is looked for. */
static enum peal_status
checks_mpi_request(const struct checks *all, struct command_request *request, struct peal_error *error)
{
    static const char *const others[] = {"max-hops", "max-messages", "identical", "buffers", "report", NULL};
    const char *other = option_among(all->request, others);

    if (other)
        return peal_refuse(error, PEAL_USAGE, "--%s is not for MPI programs", other);
    *request = *all->request;
    request->arguments = NULL; /* which are the other's */
    const struct peal_check *check = &all->checks[0];
    const char *const limits[] = {check->max_rounds, check->max_words};

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        double one = 0, two = 0;

        if (!limits[i])
            continue;
        if (peal_check_expression(limits[i], (struct peal_check_values){4, 1, 1, 2}, &one, error) != PEAL_OK ||
            peal_check_expression(limits[i], (struct peal_check_values){4, 2, 3, 2}, &two, error) != PEAL_OK)
            return error->status;
        if (one != two)
            return peal_refuse(error, PEAL_USAGE, "'%s': m and n are not known of an MPI program", limits[i]);
    }
    int count = 1;

    while (check->sources && check->sources[count - 1])
        count++;
    request->arguments = calloc((size_t)count + 1, sizeof *request->arguments);
    if (!request->arguments)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    request->arguments[0] = (char *)(uintptr_t)check->file; /* read only */
    for (int i = 1; i < count; i++)
        request->arguments[i] = (char *)(uintptr_t)check->sources[i - 1];
    request->argument_count = count;
    return PEAL_OK;
}

enum peal_status
checks_make_mpi(struct checks *all, struct peal_error *error)
{
    static const char *const others[] = {"cc", "cflags", "timeout", "max-rounds", "max-words", NULL};
    struct peal_check *check = &all->checks[0];
    struct command_request request = {.arguments = NULL};
    struct session session = {.request = &request, .strict = true, .watched = true};
    char *options = NULL;
    size_t bytes = 0;
    FILE *out = NULL;
    enum peal_status status = checks_mpi_request(all, &request, error);

    if (status == PEAL_OK)
        status = session_load(&session, check->nodes_to, error);
    if (status == PEAL_OK && !(out = open_memstream(&options, &bytes)))
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (status == PEAL_OK) {
        explore_options(out, session.request, others);
        fclose(out);
        all->engine = session.request->machine.engine;
        check->loaded = session.file;
        check->machine = &session.request->machine;
        check->rerun_options = options;
        status = peal_check(check, 1, request.orders.jobs, all->verdicts, error);
        check->loaded = NULL;
    }
    session_fini(&session);
    free(options);
    free(request.arguments);
    return status;
}
