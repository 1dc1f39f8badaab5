/* SPDX-License-Identifier: MIT */
/* The coordinator: a machine whose nodes do what the nodes' processes ask for. */
#include "lib/marking/confirm.h"
#include "lib/base/process.h"
#include "lib/check/cases.h"
#include "lib/check/excess.h"
#include "lib/machine/machine.h"
#include "lib/marking/contained.h"
#include "lib/sandbox/sandbox.h"
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* Runs of a check, and the most nodes that they have, if the check has cases that small. */
enum { RUNS = 24, EASY_NODES = 8, MAX_NODES = 32 };

static uint32_t
random_below(uint32_t limit)
{
    uint32_t number = 0;

    (void)!getentropy(&number, sizeof number);
    return number % limit;
}

/* Draw the data of every node; a word that is an affine map has an inverse. */
static bool
draw_data(const struct coordinator *coordinator, const struct peal_check_case *c)
{
    bool drawn = true;

    for (int rank = 0; rank < c->nodes && drawn; rank++) {
        struct node_process *process = &coordinator->processes[rank];
        size_t in = coordinator->runner.data.in[rank].count, out = coordinator->runner.data.out[rank].count;

        drawn = confirm_draw(process, in > out ? in : out);
        for (size_t i = 0; i < process->drawn_count; i++)
            process->drawn[i] |= 1;
    }
    return drawn;
}

/* ------------------------------------------------------------------ the verdict of a run */

/* The combination of the words, or numbers, that a label joins. */
static uint64_t
coordinator_word(const struct coordinator *coordinator, const struct peal_check_case *c, uint64_t label)
{
    enum peal_check_element element = coordinator->runner.check->element;
    const struct peal_op *op = runner_op(c);
    uint64_t all = 0;

    for (size_t k = 0; k < label_leaves(label); k++) {
        struct leaf leaf = label_leaf(label, k);
        const struct node_process *process = &coordinator->processes[leaf.node];
        uint64_t drawn = leaf.index < process->drawn_count ? process->drawn[leaf.index] : 0;
        uint64_t word = element ? vectors_number(element, drawn, leaf.node, leaf.index) : drawn;

        if (k == 0)
            all = word;
        else if (element)
            all = vectors_combine(element, vectors_numbers(coordinator->runner.check->op), all, word);
        else
            op->combine(&all, &word, &all, 1);
    }
    return all;
}

/* Whether every node has the right result; if not, the text names one that does not. */
static bool
results_are_right(const struct coordinator *coordinator, const struct peal_check_case *c, char text[300])
{
    for (int rank = 0; rank < c->nodes; rank++) {
        const struct row *row = &coordinator->runner.data.out[rank];
        const struct node_process *process = &coordinator->processes[rank];

        for (size_t i = 0; row->words && i < row->count; i++) {
            bool kept;
            uint64_t should = vectors_should(&coordinator->runner.data, rank, i, &kept);

            if (!kept && (i >= process->row_words || process->row[i] != coordinator_word(coordinator, c, should))) {
                snprintf(text, 300, "node %d has a wrong word %zu", rank, i);
                return false;
            }
        }
    }
    return true;
}

/* Whether the run costs no more than the check allows. */
static bool
cost_is_right(struct coordinator *coordinator, const struct peal_check_case *c, const struct peal_machine *machine,
              struct peal_finding *finding)
{
    struct excess excesses[MAX_EXCESSES];
    struct peal_situation situation = runner_situation(&coordinator->runner, c, machine);
    struct peal_error error = {PEAL_OK, ""};
    int count = excess_find(coordinator->runner.check, c, &situation, &coordinator->runner.data, false, machine,
                            runner_cost(&coordinator->runner, machine), excesses, &error);

    for (int i = 0; i < count; i++)
        if (excesses[i].asked && excesses[i].more) {
            finding->kind = excesses[i].kind;
            snprintf(finding->message, sizeof finding->message, "with each node in a process of its own it %.500s",
                     excesses[i].message);
            return false;
        }
    return true;
}

bool
confirm_acts_are_the_same(const struct coordinator *coordinator, int nodes, char text[300])
{
    for (int rank = 0; rank < nodes; rank++) {
        const struct node_process *process = &coordinator->processes[rank];
        bool notes = process->lengths != process->lengths_before || process->notes == process->notes_before;

        if (process->acts == process->acts_before && notes)
            continue;
        snprintf(text, 300,
                 "the messages of node %d (peers, %stags, rounds, groups) depend on the numbers that it is given", rank,
                 coordinator->program ? "" : "lengths, ");
        return false;
    }
    return true;
}

void
confirm_clear(struct node_process *process)
{
    process->acts_before = process->acts;
    process->lengths_before = process->lengths;
    process->notes_before = process->notes;
    process->acts = process->lengths = process->notes = 0;
    for (size_t i = 0; i < process->post_count; i++)
        free(process->posts[i].words);
    free(process->row);
    process->row = NULL;
    process->row_words = process->drawn_count = process->post_count = process->printed = 0;
    for (size_t i = 0; i < process->group_room; i++)
        process->groups[i] = NULL; /* of the run's memory */
}

/* Whether the failure does not show that nodes learn from one another: a limit is reached, a call is refused. */
static bool
is_of_its_own(enum peal_failure_kind kind)
{
    return kind == PEAL_OUT_OF_MEMORY || kind == PEAL_TIMED_OUT || kind == PEAL_BAD_REQUEST;
}

/* Make a run; true: it is right. */
static bool
judge_run(struct coordinator *coordinator, int number, struct peal_finding *finding)
{
    const struct confirm_run *run = &coordinator->runs[number];
    const struct peal_check_case *c = &run->where;
    struct peal_error error;
    char text[300] = "";
    bool right = false;

    runner_take(&coordinator->runner, coordinator->tasks[run->task].check);
    coordinator->refused = coordinator->runner.check->refused;
    coordinator->runner.data.element = PEAL_ELEMENT_LABEL; /* the coordinator only needs to know whose each word is */
    coordinator->number = number;
    if (number % 2 == 0)                                       /* the two runs of a case differ in their data alone */
        coordinator->idle_rounds = 70 + (int)random_below(25); /* a machine takes 100 for a livelock */
    *finding = (struct peal_finding){.kind = PEAL_PRIVATE_MEMORY, .where = *c};
    finding->where.to = NULL;
    if (number % 2 == 0) {
        peal_machine_destroy(coordinator->machine);
        coordinator->machine = runner_machine(&coordinator->runner, c, &error);
    }
    struct peal_machine *machine = coordinator->machine;

    if (machine)
        machine->runs_here = true; /* so that no read of a node's socket waits beyond the end of the run */
    double seconds = coordinator->runner.check->timeout_seconds;

    coordinator->deadline = fmin(peal_spent_seconds() + (seconds > 0 ? seconds : 10), coordinator->last);
    if (!machine ||
        vectors_begin(&coordinator->runner.data, coordinator->runner.check->collective, c, &error) != PEAL_OK) {
        snprintf(text, sizeof text, "%.250s", error.text);
    } else if (!draw_data(coordinator, c)) {
        snprintf(text, sizeof text, "the system gives no random numbers");
    } else {
        const struct peal_failure *failure = peal_run(machine, confirm_serve, coordinator);

        if (failure && is_of_its_own(failure->kind))
            finding->kind = failure->kind;
        if (failure)
            snprintf(text, sizeof text, "%.290s", failure->message);
        else if (results_are_right(coordinator, c, text) &&
                 (number % 2 == 0 || confirm_acts_are_the_same(coordinator, c->nodes, text)))
            right = cost_is_right(coordinator, c, machine, finding);
    }
    if (!right && !finding->message[0])
        snprintf(finding->message, sizeof finding->message, "%s in a process of its own, %s",
                 is_of_its_own(finding->kind) ? "with each node"
                                              : "the nodes learn of one another without messages: with each",
                 text);
    for (int rank = 0; rank < coordinator->process_count; rank++)
        confirm_clear(&coordinator->processes[rank]);
    return right;
}

/* ------------------------------------------------------------------ the coordinator's process */

/* What the coordinator reports: a finding of a task, or the end. */
struct confirm_report {
    int task; /* -1: the end */
    struct peal_finding finding;
};

/* What the process of a node runs. */
struct node_body {
    void (*node)(void *arg, int rank, int socket);
    void *arg;
    int rank;
};

static int
node_body_run(void *arg, struct child *child)
{
    const struct node_body *body = arg;

    body->node(body->arg, body->rank, child->report.to);
    return 0;
}

bool
confirm_start(struct coordinator *coordinator, void (*node)(void *arg, int rank, int socket), void *arg)
{
    struct peal_error error;

    sandbox_prepare();
    coordinator->shared = child_memory(getpid(), true);
    for (int rank = 0; rank < coordinator->process_count; rank++) {
        struct node_body body = {node, arg, rank};
        const struct child_setup setup = {
            .what = "a node", .body = node_body_run, .arg = &body, .untrusted = true, .alone = true, .talks = true};

        coordinator->processes[rank].ready = false;
        if (peal_child_start(&coordinator->processes[rank].child, &setup, &error) != PEAL_OK)
            return false;
    }
    const bool drawn = getentropy(&coordinator->key, sizeof coordinator->key) == 0;

    coordinator->key = coordinator->key >> 4 | 1;
    return drawn;
}

void
confirm_end(struct coordinator *coordinator)
{
    for (int rank = 0; rank < coordinator->process_count; rank++)
        if (coordinator->processes[rank].child.process > 0)
            peal_child_kill(&coordinator->processes[rank].child);
    for (int rank = 0; rank < coordinator->process_count; rank++)
        if (coordinator->processes[rank].child.process > 0)
            peal_child_end(&coordinator->processes[rank].child);
}

static int
coordinator_main(void *arg, struct child *child)
{
    struct coordinator *coordinator = arg;
    struct confirm_report report = {.task = -1};
    const int out = child->report.to;
    bool on = false;

    signal(SIGPIPE, SIG_IGN);
    peal_spent_count(SPENT_TOGETHER);
    runner_init(&coordinator->runner, coordinator->tasks[0].check, coordinator->unit);
    coordinator->runner.engine = runner_engine();
    for (int i = 0; i < coordinator->run_count; i++) {
        if (report.task == coordinator->runs[i].task) /* which is not confirmed */
            continue;
        if (!on && !confirm_start(coordinator, confirm_be_node, coordinator))
            return 1;
        on = judge_run(coordinator, i, &report.finding);
        if (on)
            continue;
        confirm_end(coordinator); /* the nodes' processes may be anywhere in the run */
        report.task = coordinator->runs[i].task;
        if (!peal_write_whole(out, &report, sizeof report))
            return 1;
    }
    if (on)
        confirm_end(coordinator);
    report.task = -1;
    return peal_write_whole(out, &report, sizeof report) ? 0 : 1;
}

/* ------------------------------------------------------------------ the runs, and the parent */

/* The numbers of nodes that a check is confirmed on: those of its cases from 2 to EASY_NODES, or, if there are none,
 * the smallest up to MAX_NODES.  Gives how many. */
static int
nodes_for(const struct peal_check *check, int nodes[EASY_NODES])
{
    int count = 0;

    for (int P = 2; P <= MAX_NODES && (P <= EASY_NODES || count == 0); P++)
        if (P >= check->nodes_from && P <= check->nodes_to && cases_wanted(check, P))
            nodes[count++] = P;
    return count;
}

/* The runs of a confirmation, and what they refer to. */
struct plan {
    struct confirm_run *runs;
    int run_count, most_nodes;
    struct cases *cases;
    int case_count;
};

/* Whether the case can be run on random data, and moves any. */
static bool
is_usable(const struct peal_check *check, const struct peal_check_case *c)
{
    bool shows = peal_form_of(check->collective)->waits ? c->root < c->nodes : c->words > 0;

    return shows && c->words * (size_t)c->nodes <= 1 << 14 && c->call == PEAL_CALL_ONCE;
}

/* Draw a case; false: it finds none. */
static bool
draw_case(const struct peal_check *check, struct cases *cases, struct peal_check_case *drawn)
{
    enum { TRIES = 100 };
    size_t count = cases_count(cases, check);

    for (int i = 0; count > 0 && i < TRIES; i++) {
        uint32_t index = random_below((uint32_t)count);

        if (cases_is_extra(cases, check, index))
            continue;
        *drawn = cases_get(cases, check, index);
        if (is_usable(check, drawn))
            return true;
    }
    return false;
}

/* Draw runs of a check, each number of nodes in turn: a function may be wrong on one of them alone. */
static enum peal_status
plan_check(struct plan *plan, const struct confirm_task *task, int number, struct peal_error *error)
{
    int nodes[EASY_NODES], count = nodes_for(task->check, nodes);
    struct cases *cases = &plan->cases[plan->case_count];

    for (int i = 0; i < count; i++) {
        enum peal_status status = cases_init(&cases[i], task->check, nodes[i], error);

        plan->case_count++;
        if (status != PEAL_OK)
            return status;
    }
    for (int i = 0; count > 0 && i < RUNS / 2; i++) {
        struct confirm_run run = {.task = number};

        if (!draw_case(task->check, &cases[i % count], &run.where))
            continue;
        plan->runs[plan->run_count++] = run; /* twice, with other data */
        plan->runs[plan->run_count++] = run;
        plan->most_nodes = run.where.nodes > plan->most_nodes ? run.where.nodes : plan->most_nodes;
    }
    return PEAL_OK;
}

static void
confirm_add_finding(struct peal_verdict *verdict, const struct peal_finding *finding)
{
    verdict->findings[0] = *finding;
    make_plain(verdict->findings[0].message);
    verdict->finding_count = 1;
    verdict->proved = false;
}

/* Take what the coordinator reported.  False: it did not report its end. */
static bool
take_reports(const struct coordinator *coordinator, const char *text, size_t bytes, int count)
{
    struct confirm_report report;

    for (size_t at = 0; bytes - at >= sizeof report; at += sizeof report) {
        memcpy(&report, text + at, sizeof report);
        if (report.task < 0 || report.task >= count)
            return true;
        confirm_add_finding(coordinator->tasks[report.task].verdict, &report.finding);
    }
    return false;
}

/* The coordinator was ended because the time is over: tasks that it has not confirmed are late. */
static void
add_late(const struct coordinator *coordinator, int count)
{
    for (int i = 0; i < coordinator->run_count; i++) {
        const struct confirm_run *run = &coordinator->runs[i];
        struct peal_finding late = {.kind = PEAL_TIMED_OUT, .where = run->where};

        if (run->task >= count || coordinator->tasks[run->task].verdict->finding_count > 0)
            continue;
        late.where.to = NULL;
        snprintf(late.message, sizeof late.message,
                 "with each node in a process of its own, the runs take more time than is left");
        confirm_add_finding(coordinator->tasks[run->task].verdict, &late);
    }
}

enum peal_status
confirm_coordinate(struct coordinator *coordinator, int (*be)(void *coordinator, struct child *child), double deadline,
                   char **text, size_t *bytes, struct peal_error *error)
{
    const struct child_setup setup = {.what = "separate processes", .body = be, .arg = coordinator, .untrusted = true};
    struct child child;

    *text = NULL;
    coordinator->processes = calloc((size_t)coordinator->process_count, sizeof *coordinator->processes);
    if (!coordinator->processes)
        return peal_refuse(error, PEAL_RESOURCES, "no memory for separate processes");
    if (peal_child_start(&child, &setup, error) == PEAL_OK) {
        while (!child.over && peal_spent_seconds() < deadline)
            peal_child_attend();
        peal_child_kill(&child);
        peal_child_end(&child);
        *text = child.report.text;
        *bytes = child.report.bytes;
        if (!*text)
            peal_refuse(error, PEAL_RESOURCES, CONFIRM_ENDS_EARLY);
    }
    free(coordinator->processes);
    return *text ? PEAL_OK : error->status;
}

static enum peal_status
confirm_run_tasks(const struct confirm_task *tasks, int count, const struct unit *unit, double seconds,
                  struct peal_error *error)
{
    enum { DEFAULT_SECONDS = 120 };
    size_t all = (size_t)count;
    struct plan plan = {.runs = calloc(all * RUNS + 1, sizeof *plan.runs),
                        .cases = calloc(all * EASY_NODES + 1, sizeof *plan.cases)};
    enum peal_status status = PEAL_OK;
    char *text = NULL;
    size_t bytes = 0;

    if (!plan.runs || !plan.cases)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (int i = 0; i < count && status == PEAL_OK; i++)
        status = plan_check(&plan, &tasks[i], i, error);
    struct coordinator coordinator = {.tasks = tasks,
                                      .unit = unit,
                                      .runs = plan.runs,
                                      .run_count = plan.run_count,
                                      .process_count = plan.most_nodes,
                                      .last = peal_spent_seconds() + (seconds > 0 ? seconds : DEFAULT_SECONDS)};

    if (status == PEAL_OK && plan.run_count > 0)
        status = confirm_coordinate(&coordinator, coordinator_main, coordinator.last + 5, &text, &bytes, error);
    if (plan.run_count > 0 && (!text || !take_reports(&coordinator, text, bytes, count))) {
        if (peal_spent_seconds() >= coordinator.last) {
            add_late(&coordinator, count);
            status = PEAL_OK;
        } else {
            status = peal_refuse(error, PEAL_RESOURCES, CONFIRM_ENDS_EARLY);
        }
    }
    free(text);
    for (int i = 0; i < plan.case_count; i++)
        cases_fini(&plan.cases[i]);
    free(plan.cases);
    free(plan.runs);
    return status;
}

void
peal_confirmations_prepare(void)
{
    sandbox_make_networks();
    sandbox_prepare();
}

__attribute__((constructor)) static void
offer(void)
{
    confirmation = confirm_run_tasks;
}
