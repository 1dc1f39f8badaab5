/* SPDX-License-Identifier: MIT */
/* A check of an MPI program: every order of arrival on each number of nodes, with all that --strict looks for. */
#include "lib/base/clock.h"
#include "lib/base/text.h"
#include "lib/check/expression.h"
#include "lib/check/narrow.h"
#include "run/checks.h"
#include "run/exploration.h"
#include <stdlib.h>
#include <string.h>

bool
checks_are_mpi(const struct checks *all)
{
    return all->count == 1 && all->checks[0].program && peal_program_kind(all->checks[0].file) != PEAL_PROGRAM_SOURCE;
}

/* The options of peal check that make an order of arrival again.  checks_command adds `others` where needed.  What a
 * part of the choices would make is another order. */
static void
say_rerun(const struct exploration *one, bool ordered, struct peal_finding *finding)
{
    static const char *const others[] = {"cc", "cflags", "timeout", "max-rounds", "max-words", NULL};
    size_t room = sizeof finding->rerun, bytes = 0;
    char *text = NULL;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return;
    fprintf(out, "-p %d", one->nodes);
    exploration_options(out, one->request, others);
    for (int i = 0; i < finding->choice_count && !finding->choices_cut; i++)
        fprintf(out, "%s%d", i == 0 ? " --choices " : ",", finding->choices[i]);
    if (ordered && finding->choice_count == 0)
        fputs(" --choices " FIRST_CHOICES, out);
    fclose(out);
    snprintf(finding->rerun, room, "%s", text ? text : "");
    finding->choices_cut |= bytes >= room;
    free(text);
}

/* Of two accesses both lines count. */
static void
say_other_place(struct peal_finding *finding, const struct peal_place *other)
{
    size_t length = strlen(finding->message);

    if (other->file && (finding->kind == PEAL_REMOTE_CONFLICT || finding->kind == PEAL_BUFFER_REUSE ||
                        finding->kind == PEAL_EARLY_READ))
        snprintf(finding->message + length, sizeof finding->message - length, " (node %d at %.80s:%d)", other->rank,
                 file_name(other->file), other->line);
}

/* Add what was found unless a smaller number of nodes has it. */
static void
add_finding(const struct exploration *one, const struct explored_outcome *outcome, struct peal_verdict *verdict)
{
    struct peal_place places[MAX_OUTCOME_PLACES + 1];
    const struct peal_options *machine = &one->request->machine;
    struct peal_finding *finding = &verdict->findings[verdict->finding_count];
    int count;

    if (verdict->finding_count == PEAL_FINDINGS)
        return;
    *finding = (struct peal_finding){
        .where = {.nodes = one->nodes, .topology = machine->topology, .rules = machine->rules, .seed = machine->seed}};
    finding->kind = exploration_tell(one, outcome, finding->message, sizeof finding->message, places, &count);
    if (!outcome->depends)
        memcpy(finding->fix, outcome->outcome.fix, sizeof finding->fix);
    snprintf(finding->error_output, sizeof finding->error_output, "%s", outcome->outcome.error_output);
    if (count > 0 && places[0].file) {
        snprintf(finding->file, sizeof finding->file, "%s", places[0].file);
        finding->line = places[0].line;
    }
    if (count > 1)
        say_other_place(finding, &places[1]);
    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].kind == finding->kind && verdict->findings[i].line == finding->line &&
            strcmp(verdict->findings[i].file, finding->file) == 0)
            return;
    const struct order_choices *order = &outcome->shown;

    finding->choices_cut = order->count > PEAL_CHOICES;
    finding->choice_count = finding->choices_cut ? PEAL_CHOICES : (int)order->count;
    if (finding->choice_count > 0)
        memcpy(finding->choices, order->list, (size_t)finding->choice_count * sizeof *finding->choices);
    say_rerun(one, order->number > 0 && (outcome->depends || one->request->orders.choices.list), finding);
    verdict->finding_count++;
}

/* What became of this number of nodes. */
static enum number_end
end_of(const struct exploration *one)
{
    const bool given = one->request->orders.choices.list != NULL;

    return one->late                       ? NUMBER_LATE
           : one->strays                   ? NUMBER_STRAYS
           : one->over                     ? NUMBER_OUT_OF_TIME
           : !one->sum.all && !given       ? NUMBER_OUT_OF_RUNS
           : one->time_dependent           ? NUMBER_TIMES
           : one->number == NUMBER_REFUSED ? NUMBER_FINISHED
                                           : one->number;
}

/* Take what was found on one number of nodes. */
static void
take(const struct exploration *one, struct numbers *numbers, struct peal_verdict *verdict)
{
    const bool several = peal_numbers_from(numbers->check, numbers->check->nodes_from) > 1;
    struct peal_verdict refused = {.finding_count = 0};

    verdict->runs += one->sum.runs;
    verdict->seconds += one->seconds;
    if (several && one->number == NUMBER_REFUSED && one->count == 1 &&
        one->list[0].outcome.severity == PEAL_SEVERITY_ERROR) {
        add_finding(one, &one->list[0], &refused);
        peal_numbers_refuse(numbers, &refused.findings[0], one->said);
        return;
    }
    for (size_t i = 0; i < one->count; i++)
        add_finding(one, &one->list[i], verdict);
    if (one->interrupted) {
        snprintf(verdict->reason, sizeof verdict->reason, "it was interrupted with P = %d", one->nodes);
        return;
    }
    numbers->ends[one->nodes] = (unsigned char)end_of(one);
    if (end_of(one) == NUMBER_OUT_OF_RUNS)
        numbers->cut_runs += one->sum.runs;
}

/* Explore on one number of nodes, which has its share of the runs and of the time that are left. */
static enum peal_status
check_nodes(struct session *session, int nodes, double ends, struct numbers *numbers, struct peal_verdict *verdict,
            struct peal_error *error)
{
    const struct peal_check *check = numbers->check;
    const uint64_t most = check->max_runs ? check->max_runs : DEFAULT_RUNS,
                   left = verdict->runs < most ? most - verdict->runs : 0;
    const int shares = peal_numbers_from(check, nodes);
    const double now = seconds_now(), until = ends > 0 ? now + (ends - now) / shares : 0;
    struct exploration *one = calloc(1, sizeof *one);
    enum peal_status status = one ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    session->changed.orders.max_runs = left > (uint64_t)shares ? (size_t)(left / (uint64_t)shares) : 1;
    if (status == PEAL_OK)
        status = explore(one, session, nodes, session->request->orders.jobs, until, -1, error);
    if (status == PEAL_OK)
        take(one, numbers, verdict);
    if (one)
        exploration_fini(one);
    free(one);
    return status;
}

/* The request of the program's runs: its files are the arguments, and everything that can be found is. */
static enum peal_status
request_of(const struct checks *all, struct command_request *request, struct peal_error *error)
{
    static const char *const others[] = {"max-hops", "max-messages", "identical", "buffers", "report", NULL};
    const char *other = option_among(all->request, others);

    if (other)
        return peal_refuse(error, PEAL_USAGE, "--%s is not for MPI programs", other);
    *request = *all->request;
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

/* Say what of the memory was watched, and what was not: accesses only in code in which they are calls. */
static void
say_watched(const struct peal_check *check, struct peal_verdict *verdict)
{
    const char *flags = check->flags ? check->flags : getenv("CFLAGS");
    bool source = peal_program_kind(check->file) == PEAL_PROGRAM_MPI_SOURCE;
    const char *compiler = getenv("PEAL_CC"); /* --cc has set it */

    if (source && flags && strstr(flags, "-fsanitize"))
        snprintf(verdict->not_watched, sizeof verdict->not_watched,
                 "watched: the data of each call; not watched: accesses, as a sanitizer is in the flags");
    else
        snprintf(verdict->not_watched, sizeof verdict->not_watched,
                 "watched: the data of each call, and accesses %s; not watched: accesses of other code and from one "
                 "variable into the next, values computed from words that nobody wrote%s",
                 source ? "of this source" : "in code that pealcc --watch compiled",
                 !PEAL_PROCESSES ? ", and in a browser blocks of malloc and words that nobody wrote"
                 : source && compiler && strstr(compiler, "clang")
                     ? ", and with clang unwritten variables of functions and comparisons of unwritten floats"
                     : "");
}

/* Complete the verdict. */
static void
conclude(const struct session *session, struct numbers *numbers, struct peal_verdict *verdict)
{
    char reason[sizeof verdict->reason];

    memcpy(reason, verdict->reason, sizeof reason);
    peal_numbers_say(numbers, verdict);
    if (reason[0])
        memcpy(verdict->reason, reason, sizeof reason);
    else if (session->request->orders.choices.list && !verdict->reason[0] && !peal_check_is_wrong(verdict)) {
        snprintf(verdict->reason, sizeof verdict->reason, "only one order of arrival was asked for");
        verdict->finished = false;
    }
    verdict->proved = !verdict->reason[0] && verdict->finding_count == 0;
    if (verdict->finding_count == 0)
        say_watched(numbers->check, verdict);
}

enum peal_status
checks_make_mpi(struct checks *all, struct peal_error *error)
{
    const struct peal_check *check = &all->checks[0];
    struct peal_verdict *verdict = &all->verdicts[0];
    struct command_request request = {.arguments = NULL};
    struct session session = {.request = &request, .strict = true, .watched = true};
    struct numbers numbers;
    enum peal_status status = peal_numbers_init(&numbers, check, error);

    if (status == PEAL_OK)
        status = request_of(all, &request, error);
    if (status == PEAL_OK)
        status = session_load(&session, check->nodes_to, error);
    if (status == PEAL_OK)
        all->engine = session.request->machine.engine;
    const double ends = check->total_seconds > 0 ? seconds_now() + check->total_seconds : 0;

    for (int nodes = check->nodes_from; nodes <= check->nodes_to && status == PEAL_OK && !verdict->reason[0]; nodes++)
        if (peal_number_is_wanted(check, nodes) && (ends <= 0 || seconds_now() < ends))
            status = check_nodes(&session, nodes, ends, &numbers, verdict, error);
    if (status == PEAL_OK)
        conclude(&session, &numbers, verdict);
    peal_numbers_fini(&numbers);
    session_fini(&session);
    free(request.arguments);
    return status;
}
