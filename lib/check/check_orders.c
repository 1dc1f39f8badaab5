/* SPDX-License-Identifier: MIT */
/* A check of a loaded program: every order of arrival on each number of nodes, each run in a child of this process. */
#include "lib/base/text.h"
#include "lib/check/exploration.h"
#include "lib/check/found.h"
#include "lib/check/precondition.h"
#include <stdlib.h>

/* The options of peal check that repeat an order of arrival.  A part of the choices would give another order. */
static void
say_rerun(const struct peal_check *check, bool ordered, struct peal_finding *finding)
{
    struct peal_text out = IN_ARRAY(finding->rerun);

    peal_append(out, "-p %d%s", finding->where.nodes, check->rerun_options ? check->rerun_options : "");
    tell_choices(finding);
    if (ordered && finding->choice_count == 0)
        peal_append(out, " --choices " FIRST_CHOICES);
    finding->choices_cut |= strlen(finding->rerun) + 1 >= sizeof finding->rerun;
}

/* For a finding on two accesses both lines count. */
static void
say_other_place(struct peal_finding *finding, const struct peal_place *other)
{
    if (other->file && (finding->kind == PEAL_REMOTE_CONFLICT || finding->kind == PEAL_BUFFER_REUSE ||
                        finding->kind == PEAL_EARLY_READ))
        peal_append(IN_ARRAY(finding->message), " (node %d at %.*s:%d)", other->rank,
                    FITTING(80, file_name(other->file)), other->line);
}

/* Add what was found unless a smaller number of nodes has it. */
static void
orders_add_finding(const struct peal_check *check, const struct exploration *one,
                   const struct explored_outcome *outcome, struct peal_verdict *verdict)
{
    const struct peal_options *machine = check->machine;
    const struct order_choices *order = &outcome->shown;
    struct peal_finding *finding = &verdict->findings[verdict->finding_count];

    if (verdict->finding_count == PEAL_FINDINGS)
        return;
    *finding = (struct peal_finding){
        .fault = outcome->told.fault,
        .where = {.nodes = one->nodes, .topology = machine->topology, .rules = machine->rules, .seed = machine->seed}};
    finding->severity = PEAL_SEVERITY_ERROR; /* a check exists to find it */
    snprintf(finding->error_output, sizeof finding->error_output, "%s", outcome->outcome.error_output);
    if (outcome->told.place_count > 1)
        say_other_place(finding, &outcome->told.places[1]);
    for (int i = 0; i < verdict->finding_count; i++)
        if (verdict->findings[i].kind == finding->kind && verdict->findings[i].line == finding->line &&
            strcmp(verdict->findings[i].file, finding->file) == 0)
            return;
    finding->choices_cut = order->count > PEAL_CHOICES;
    finding->choice_count = finding->choices_cut ? PEAL_CHOICES : (int)order->count;
    if (finding->choice_count > 0)
        memcpy(finding->choices, order->list, (size_t)finding->choice_count * sizeof *finding->choices);
    say_rerun(check, order->number > 0 && (outcome->depends || check->choices), finding);
    verdict->finding_count++;
}

/* How the check of this number of nodes ended.  With given choices there is no usual run that shows it. */
static enum number_end
exploration_end_kind(const struct peal_check *check, const struct exploration *one)
{
    return one->late                             ? NUMBER_LATE
           : one->strays                         ? NUMBER_STRAYS
           : one->over                           ? NUMBER_OUT_OF_TIME
           : one->sum.bounded && !check->choices ? NUMBER_OUT_OF_RUNS
           : one->sum.noes_left                  ? NUMBER_NOT_YET
           : one->time_dependent                 ? NUMBER_TIMES
           : one->number == NUMBER_SILENT        ? NUMBER_SILENT
                                                 : NUMBER_FINISHED;
}

/* Take what was found on one number of nodes. */
static void
orders_take(const struct exploration *one, struct numbers *numbers, struct peal_verdict *verdict)
{
    const bool several = numbers_from(numbers->check, numbers->check->nodes_from) > 1;
    struct peal_verdict refused = {.finding_count = 0};

    verdict->runs += one->sum.runs;
    verdict->seconds += one->seconds;
    if (several && one->number == NUMBER_REFUSED && one->count == 1 &&
        one->list[0].outcome.severity == PEAL_SEVERITY_ERROR) {
        orders_add_finding(numbers->check, one, &one->list[0], &refused);
        numbers_refuse(numbers, &refused.findings[0], one->said);
        return;
    }
    for (size_t i = 0; i < one->count; i++)
        orders_add_finding(numbers->check, one, &one->list[i], verdict);
    if (one->interrupted) {
        snprintf(verdict->reason, sizeof verdict->reason, "it was interrupted with P = %d", one->nodes);
        return;
    }
    numbers->ends[one->nodes] = (unsigned char)exploration_end_kind(numbers->check, one);
    if (exploration_end_kind(numbers->check, one) == NUMBER_OUT_OF_RUNS)
        numbers->cut_runs += one->sum.runs;
    if (one->sum.noes_left && !one->sum.bounded && (numbers->noes == 0 || one->sum.noes < numbers->noes))
        numbers->noes = one->sum.noes;
}

/* Explore on one number of nodes, which has its share of the runs and of the time that are left. */
static enum peal_status
orders_check_nodes(int nodes, int at_once, double ends, struct numbers *numbers, struct peal_verdict *verdict,
                   struct peal_error *error)
{
    const struct peal_check *check = numbers->check;
    const uint64_t most = check->max_runs ? check->max_runs : DEFAULT_RUNS,
                   left = verdict->runs < most ? most - verdict->runs : 0;
    const int shares = numbers_from(check, nodes);
    const double now = seconds_now();
    const struct exploration_request request = {
        .file = check->loaded,
        .machine = check->machine,
        .nodes = nodes,
        .jobs = at_once,
        .out = -1,
        .until = ends > 0 ? now + (ends - now) / shares : 0,
        .max_runs = left > (uint64_t)shares ? (size_t)(left / (uint64_t)shares) : 1,
        .choices = check->choices,
        .choice_count = (size_t)check->choice_count,
        .max_rounds = check->max_rounds,
        .max_words = check->max_words,
    };
    struct exploration *one = calloc(1, sizeof *one);
    enum peal_status status =
        one ? peal_explore(one, &request, error) : peal_refuse(error, PEAL_RESOURCES, "not enough memory");

    if (status == PEAL_OK)
        orders_take(one, numbers, verdict);
    if (one)
        peal_exploration_fini(one);
    free(one);
    return status;
}

/* Say which memory was watched, and which was not: accesses are watched only in code where they are calls. */
static void
say_watched(const struct peal_check *check, struct peal_verdict *verdict)
{
    const char *flags = check->flags ? check->flags : getenv("CFLAGS");
    bool source = peal_program_kind(check->file) == PEAL_PROGRAM_MPI_SOURCE;
    const char *named = getenv("PEAL_CC"); /* --cc has set it */
    bool clang = source && named && strstr(named, "clang");

    if (peal_program_kind(check->file) == PEAL_PROGRAM_PROCESS)
        snprintf(verdict->not_watched, sizeof verdict->not_watched,
                 "watched: the data of each call; not watched: accesses, as each node is a process, but that a buffer "
                 "has changed by the end of its operation");
    else if (source && flags && strstr(flags, "-fsanitize"))
        snprintf(verdict->not_watched, sizeof verdict->not_watched,
                 "watched: the data of each call; not watched: accesses, as a sanitizer is in the flags");
    else
        snprintf(verdict->not_watched, sizeof verdict->not_watched,
                 "watched: the data of each call, and accesses %s; not watched: accesses of other code and from one "
                 "variable into the next, values computed from words that nobody wrote%s",
                 source ? "of this source" : "in code that pealcc --watch compiled",
                 !PEAL_PROCESSES ? ", and in a browser blocks of malloc and words that nobody wrote"
                 : clang ? ", and with clang unwritten variables of functions and comparisons of unwritten floats"
                         : "");
}

static void
orders_conclude(struct numbers *numbers, struct peal_verdict *verdict)
{
    char reason[sizeof verdict->reason];

    memcpy(reason, verdict->reason, sizeof reason);
    numbers_say(numbers, verdict);
    if (reason[0])
        memcpy(verdict->reason, reason, sizeof reason);
    else if (numbers->check->choices && !verdict->reason[0] && !peal_check_is_wrong(verdict)) {
        snprintf(verdict->reason, sizeof verdict->reason, "only one order of arrival was asked for");
        verdict->finished = false;
    }
    verdict->proved = !verdict->reason[0] && verdict->finding_count == 0;
    if (verdict->finding_count == 0)
        say_watched(numbers->check, verdict);
}

enum peal_status
check_orders(const struct peal_check *check, int at_once, struct peal_verdict *verdict, struct peal_error *error)
{
    const double ends = check->total_seconds > 0 ? seconds_now() + check->total_seconds : 0;
    struct numbers numbers;
    enum peal_status status = numbers_init(&numbers, check, error);

    memset(verdict, 0, sizeof *verdict);
    for (int nodes = check->nodes_from; nodes <= check->nodes_to && status == PEAL_OK && !verdict->reason[0]; nodes++)
        if (number_is_wanted(check, nodes) && (ends <= 0 || seconds_now() < ends))
            status = orders_check_nodes(nodes, at_once, ends, &numbers, verdict, error);
    if (status == PEAL_OK)
        orders_conclude(&numbers, verdict);
    numbers_fini(&numbers);
    return status;
}
