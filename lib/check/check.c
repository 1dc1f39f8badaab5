/* SPDX-License-Identifier: MIT */
/* Runs checks, several at once; has right ones confirmed, and suggests preconditions for wrong ones. */
#include "lib/check/check_job.h"
#include "lib/check/confirmation.h"
#include "lib/check/exploration.h"
#include "lib/check/precondition.h"
#include "lib/check/shown.h"
#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Whether an untrusted function was found right, so that separate processes must confirm it. */
static bool
is_to_confirm(const struct peal_check *check, const struct peal_verdict *verdict)
{
    return check->untrusted && check->file && !check->program && verdict->error.status == PEAL_OK &&
           verdict->runs > 0 && !peal_check_is_wrong(verdict);
}

/* Confirm all checks that are right, those of one unit together. */
static enum peal_status
confirm_all(const struct peal_check *checks, int count, const struct compiled_check *compiled,
            struct peal_verdict *verdicts, double called, struct peal_error *error)
{
    struct confirm_task *tasks = calloc((size_t)count + 1, sizeof *tasks);
    enum peal_status status = tasks ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    for (int i = 0; i < count && status == PEAL_OK; i++) {
        double seconds = checks[i].total_seconds;
        int together = 0;

        for (int j = i; compiled[i].tried && j < count; j++)
            if (same_unit(&checks[i], &checks[j]) && is_to_confirm(&checks[j], &verdicts[j]))
                tasks[together++] = (struct confirm_task){&checks[j], &verdicts[j]};
        if (together > 0)
            status = confirmation(tasks, together, &compiled[i].unit,
                                  seconds > 0 ? fmax(called + seconds - peal_spent_seconds(), 0.1) : 0, error);
    }
    free(tasks);
    return status;
}

/* Make the checks, `at_once` at a time; each file is compiled at most once. */
static enum peal_status
checks_run(const struct peal_check *checks, int count, int at_once, struct compiled_check *compiled,
           struct peal_verdict *verdicts, double called, struct peal_error *error)
{
    int places = at_once < 1 ? 1 : at_once < count ? at_once : count, next = 0, running = 0;
    struct check_job *jobs = calloc((size_t)places + 1, sizeof *jobs);
    enum peal_status status = PEAL_OK;

    if (!jobs)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (running = 0; status == PEAL_OK && (next < count || running > 0);) {
        for (int i = 0; i < places && next < count && status == PEAL_OK; i++)
            if (!jobs[i].check && checks[next].loaded) {
                status = check_orders(&checks[next], at_once, &verdicts[next], error);
                next++;
            } else if (!jobs[i].check) {
                status =
                    job_begin(&jobs[i], &checks[next], checks[next].file ? compile_for(compiled, checks, next) : NULL,
                              &verdicts[next], error);
                jobs[i].called = called;
                next++;
            }
        if (status == PEAL_OK)
            status = jobs_attend(jobs, places, error);
        jobs_hurry(jobs, places, verdicts, count);
        running = 0;
        for (int i = 0; i < places; i++)
            running += jobs[i].check != NULL;
    }
    for (int i = 0; jobs && i < places; i++)
        if (jobs[i].check) /* after an error */
            job_fini(&jobs[i]);
    free(jobs);
    return status;
}

enum { MAX_TRIES = 60, MAX_SECONDS = 60 }; /* of a search for preconditions */

/* How many numbers of nodes the text lists, as in "1..3, 8". */
static long
numbers_in(const char *bound)
{
    char *end;
    long count = 0;

    for (const char *at = bound; *at; at = *end ? end + 2 : end) {
        const long first = strtol(at, &end, 10);

        count += end[0] == '.' ? strtol(end + 2, &end, 10) - first + 1 : 1;
    }
    return count;
}

/* Search the fewest preconditions with which the wrong function is right.  Of equally many take those that leave the
 * most numbers of nodes; that the function refuses the rest comes last. */
static void
suggest(const struct peal_check *check, struct compiled_check *compiled, struct peal_verdict *verdict, double called)
{
    struct peal_verdict *tried = calloc(1, sizeof *tried);
    struct precondition_search *search = calloc(1, sizeof *search);
    const struct peal_check *narrowed;
    const double until = peal_spent_seconds() + MAX_SECONDS;
    const int all = numbers_from(check, check->nodes_from);
    struct peal_error error;
    bool ended = !tried || !search, refusing = false;
    long most = 0;
    int together = PRECONDITION_GROUPS;

    if (!ended)
        precondition_begin(search, check, verdict);
    for (int i = 0; !ended && i < MAX_TRIES && (narrowed = precondition_next(search)); i++) {
        *tried = (struct peal_verdict){.proved = false};
        ended = search->together > together || peal_spent_seconds() > until ||
                checks_run(narrowed, 1, 1, compiled, tried, called, &error) != PEAL_OK;
        const long count = ended || !tried->proved ? 0 : numbers_in(tried->bound);

        if (count > most || (count == most && count > 0 && refusing)) {
            precondition_suggest(search, tried->bound, verdict->right_where, sizeof verdict->right_where);
            refusing = narrowed->may_refuse != check->may_refuse;
            together = search->together;
            most = count;
            ended = !refusing && 2 * most >= all;
        } else if (!ended && count == 0) {
            precondition_learn(search, narrowed, tried);
        }
    }
    free(search);
    free(tried);
}

enum peal_status
peal_check(const struct peal_check *checks, int count, int at_once, struct peal_verdict *verdicts,
           struct peal_error *error)
{
    struct peal_error ignored;
    enum peal_status status = PEAL_OK;
    const double called = peal_spent_seconds();

    if (!error)
        error = &ignored;
    for (int i = 0; i < count; i++)
        if (!checks[i].loaded && (status = check_validate(&checks[i], error)) != PEAL_OK)
            return status;
    struct compiled_check *compiled = calloc((size_t)count + 1, sizeof *compiled);

    if (!compiled)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    /* Two per core: a run waits half of its time for its thread to wake. */
    status = checks_run(checks, count, at_once > 0 ? at_once : 2 * (int)sysconf(_SC_NPROCESSORS_ONLN), compiled,
                        verdicts, called, error);
    if (status == PEAL_OK)
        status = confirm_all(checks, count, compiled, verdicts, called, error);
    for (int i = 0; i < count && status == PEAL_OK; i++)
        if (precondition_tries(&checks[i], &verdicts[i])) /* the findings stand, whatever comes of the search */
            suggest(&checks[i], compile_for(compiled, checks, i), &verdicts[i], called);
    for (int i = 0; i < count; i++)
        unit_free(&compiled[i].unit);
    free(compiled);
    return status;
}

enum peal_status
peal_check_show(const struct peal_check *check, struct peal_verdict *verdict, char **text, struct peal_error *error)
{
    struct peal_check shown = *check;

    *text = NULL;
    shown.shown =
        mmap(NULL, sizeof *shown.shown, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (shown.shown == MAP_FAILED)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the run of a finding");
    enum peal_status status = peal_check(&shown, 1, 1, verdict, error);
    size_t bytes = shown.shown->bytes; /* read once: a child may have left anything */

    if (status == PEAL_OK && bytes > 0 && bytes < sizeof shown.shown->text)
        *text = strndup(shown.shown->text, bytes);
    munmap(shown.shown, sizeof *shown.shown);
    return status;
}
