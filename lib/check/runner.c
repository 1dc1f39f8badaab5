/* SPDX-License-Identifier: MIT */
/* Makes one run of a case: the machine, the call of each node on labels, the comparison of the results.  There is
 * one runner in a process, since a user's function finds it by a static variable. */
#include "lib/check/runner.h"
#include "lib/base/unbacked.h"
#include "lib/check/found.h"
#include "lib/child/stderr_tail.h"
#include "lib/child/watchdog.h"
#include "lib/memory/heap.h"
#include "lib/memory/report_fault.h"
#include "lib/memory/watch.h"
#include <fcntl.h>
#include <peal/hints.h>
#include <unistd.h>

enum { MAX_UNSTORED = 4 }; /* seconds of a run whose end decides little */

/* The runner of the current or the last run; NULL: none.  A program in a file has no other way to find it. */
static struct runner *now;

/* ------------------------------------------------------------------ begin and end */

const char *
runner_engine(void)
{
    return peal_fibers_built() ? "fibers" : "threads";
}

size_t
runner_stack_bytes(int nodes)
{
    const uint64_t threads = 8 << 20, all = UINT64_C(64) << 30, each = all / (uint64_t)nodes;

    return (size_t)(each < threads ? each : threads);
}

void
runner_take(struct runner *runner, const struct peal_check *check)
{
    runner->check = check;
    runner->data.element = runner->earlier.element = check->element;
    runner->data.numbers = runner->earlier.numbers =
        check->element && peal_collective_has_op(check->collective) ? vectors_numbers(check->op) : NUMBERS_ADD;
    runner->data.mpi = runner->earlier.mpi = check->mpi;
    runner->data.one_buffer = runner->earlier.one_buffer = check->mpi && ways_one_buffer(check);
}

void
runner_init(struct runner *runner, const struct peal_check *check, const struct unit *unit)
{
    *runner = (struct runner){.check = check, .unit = unit, .printed = {.fd = -1}, .error_output = -1};
    runner->shown.page = check->shown;
    runner->engine = check->engine ? check->engine : runner_engine();
    runner->data.brackets = check->identical;
    runner_take(runner, check);
    if (check->untrusted && check->element && getentropy(&runner->data.key, sizeof runner->data.key) != 0)
        runner->data.key = (uint64_t)(seconds_now() * 1e9); /* no node may know another's numbers */
    runner->earlier.key = runner->data.key;
    runner->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (check->algorithm)
        runner->algorithm.algorithm =
            peal_algorithm_parse(check->collective, check->algorithm, &runner->algorithm.parameter);
    if (check->program)
        printed_init(&runner->printed);
    if (!unit && strcmp(runner->engine, "fibers") == 0)
        watchdog_begin(cases_seconds(check, NULL));
}

enum peal_status
runner_load(struct runner *runner, struct peal_error *error)
{
    const struct peal_program_options options = {.argc = runner->check->argc, .argv = runner->check->argv};
    int most = cases_most(runner->check);

    if (watch_prepare(most, error) != PEAL_OK)
        return error->status;
    runner->file = program_load_compiled(runner->unit->wrapper, most, &options, &runner->unit->program, error);
    if (!runner->file)
        return error->status;
    if (!program_keep(runner->file))
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the globals of %d nodes", most);
    watch_loaded(runner->file, runner->unit->program.how);
    return PEAL_OK;
}

void
runner_fini(struct runner *runner)
{
    watchdog_end();
    watch_fini();
    peal_program_destroy(runner->file);
    vectors_fini(&runner->data);
    vectors_fini(&runner->earlier);
    free(runner->sent);
    close(runner->null);
    printed_fini(&runner->printed);
    now = NULL;
}

/* ------------------------------------------------------------------ a node's call */

/* Called before a barrier: the node with this rank in it comes late, by more rounds than any barrier takes. */
static void
runner_before_call(struct peal_node *me, int call, int rank)
{
    if (now->sent) /* otherwise the process is that of one node */
        now->sent[peal_world_rank(me)] = peal_machine_cost(me->node->machine).alpha;
    if (!now->data.form->waits || now->apart) /* apart, the coordinator makes a node late */
        return;
    for (int i = 0; rank == now->data.where->root && i < 2 * now->data.where->nodes && i < 64; i++)
        peal_next_round(me);
    atomic_fetch_add(&now->entered[call], 1);
}

/* Called after a barrier: all nodes must have entered it by then. */
static void
runner_after_call(int call)
{
    if (now->data.form->waits && atomic_load(&now->entered[call]) < now->data.where->nodes)
        atomic_fetch_add(&now->early, 1);
}

/* The calls of one node, as the case has them. */
static void
runner_make_calls(struct peal_node *me, const struct peal_callee *callee)
{
    const unsigned how = now->data.where->call;
    int calls = 0;

    if (how & PEAL_CALL_IN_GROUP) {
        me = peal_split(me, vectors_rank(&now->data, peal_rank(me)) < 0 ? PEAL_NO_COLOR : 0, -peal_rank(me));
        if (!me)
            return;
    }
    if (how & PEAL_CALL_TWICE) {
        runner_before_call(me, calls, peal_rank(me));
        vectors_call(&now->earlier, me, callee);
        runner_after_call(calls++);
    }
    runner_before_call(me, calls, peal_rank(me));
    vectors_call(&now->data, me, callee);
    runner_after_call(calls);
}

void
peal_check_call(struct peal_node *me, const union peal_check_function *function)
{
    if (!now) /* there is no check: the file was run as a program */
        return;
    runner_make_calls(me, &(struct peal_callee){.function = function});
}

/* Whether nodes make two calls. */
static bool
calls_twice(const struct peal_check_case *where)
{
    return where->call & CALLS_TWO;
}

/* A function for MPI has returned an error code. */
static void
note_error(const struct peal_judged_call *call, int which, int node)
{
    if (call->error == 0)
        return;
    now->errors.of[which]++;
    if (now->errors.count++ == 0 || node < now->errors.node) {
        now->errors.node = node;
        snprintf(now->errors.text, sizeof now->errors.text, "%s", call->text);
    }
}

void
peal_check_call_mpi(struct peal_node *me, int (*function)(const struct peal_mpi_call *call))
{
    if (!now || !runtime_hooks())
        return;
    const struct peal_check_case *where = now->data.where;
    int count = 0;
    struct peal_judged_call call[2] = {{.error = 0}};
    struct peal_judged_calls calls = {.collective = now->data.collective,
                                      .where = where,
                                      .function = function,
                                      .element = now->check->element,
                                      .largest = now->data.numbers == NUMBERS_MAX,
                                      .smallest = now->data.numbers == NUMBERS_MIN,
                                      .unstored = now->data.unbacked,
                                      .call = call,
                                      .comes = runner_before_call,
                                      .goes = runner_after_call};

    for (const struct vectors *data = calls_twice(where) ? &now->earlier : &now->data;; data = &now->data) {
        int rank = vectors_rank(data, peal_rank(me));

        call[count].rank = rank;
        call[count].arguments = rank >= 0 ? vectors_arguments(data, rank) : (struct peal_arguments){.words = 0};
        call[count++].layout = &data->layout;
        if (data == &now->data)
            break;
    }
    calls.count = count;
    runtime_hooks()->judges(me, &calls);
    for (int i = 0; i < count; i++)
        note_error(&call[i], i, peal_world_rank(me));
}

const struct peal_op *
peal_check_labels(void)
{
    if (now && now->apart)
        return PEAL_SUM_INT64;
    return now && now->data.op && now->data.op->commutative ? now->data.op : vectors_op(true);
}

static void
runner_program(struct peal_node *me, void *arg)
{
    (void)arg;
    runner_make_calls(me, &now->algorithm);
}

/* ------------------------------------------------------------------ one run */

struct peal_machine *
runner_machine(const struct runner *runner, const struct peal_check_case *c, struct peal_error *error)
{
    struct peal_options options;

    peal_options_init(&options);
    options.nodes = cases_machine_nodes(c);
    options.topology = c->topology;
    options.rules = c->rules;
    if (runner->check->mpi) { /* its machine has words of one byte, the case has words of an element */
        options.word_bytes = 1;
        options.eager_words =
            c->eager_words > SIZE_MAX / 16 ? c->eager_words : c->eager_words * vectors_width(runner->check->element);
        options.mailbox = 1 << 30;
    }
    options.seed = c->seed;
    if (runner->check->identical) /* make pieces cheap, so that an algorithm cuts short vectors, too */
        options.parameters.alpha = 1;
    options.engine = runner->engine;
    options.stack_bytes = runner->unit ? runner_stack_bytes(options.nodes) : 0;
    options.carriers = 1; /* the labels' table is for one thread at a time */
    options.rounds = runner->shown.page || runner->check->max_hops || runner->check->max_messages ? PEAL_ROUNDS_ALL
                                                                                                  : PEAL_ROUNDS_NONE;
    options.timeout_seconds = cases_seconds(runner->check, runner->hurried);
    if (cases_unstored(c) && options.timeout_seconds > MAX_UNSTORED)
        options.timeout_seconds = MAX_UNSTORED;
    options.output = runner->check->program ? runner->printed.fd : runner->null;
    options.tag_output = runner->check->program;
    struct peal_machine *machine = peal_machine_create(&options, error);

    if (machine) {
        machine->keeps_contexts = !runner->unit || !runner->unit->program.writable; /* thread-locals begin anew */
        machine->runs_here = watchdog_there();
    }
    return machine;
}

struct peal_situation
runner_situation(const struct runner *runner, const struct peal_check_case *c, const struct peal_machine *machine)
{
    const struct peal_check *check = runner->check;
    const struct peal_options *options = peal_machine_options(machine);
    struct peal_situation situation = {
        .collective = check->collective,
        .layout = c->layout,
        .unequal = c->sizes != NULL,
        .op = peal_collective_has_op(check->collective) ? runner->data.op : NULL,
        .network = peal_machine_network(machine),
        .rules = options->rules,
        .parameters = options->parameters,
    };

    if (!peal_collective_has_root(check->collective))
        situation.root = 0;
    situation.by = peal_form_of(check->collective)->by ? (c->by % c->nodes + c->nodes) % c->nodes : 0;
    return situation;
}

struct peal_cost
runner_cost(const struct runner *runner, const struct peal_machine *machine)
{
    struct peal_cost cost = peal_machine_cost(machine);
    const int64_t bytes = (int64_t)vectors_width(runner->check->element);

    if (runner->check->mpi) /* its machine has words of a byte */
        cost.beta = (cost.beta + bytes - 1) / bytes;
    return cost;
}

/* Whether no node returned an error code; otherwise the finding says so. */
static bool
returned_well(const struct runner *runner, struct peal_finding *finding)
{
    if (runner->errors.count == 0)
        return true;
    finding->kind = PEAL_WRONG_RESULT;
    snprintf(finding->message, sizeof finding->message, "node %d %s", runner->errors.node, runner->errors.text);
    return false;
}

bool
runner_noted(const struct peal_machine *machine, struct peal_finding *note)
{
    size_t count;
    const struct peal_run_finding *all = peal_machine_findings(machine, &count);

    for (size_t i = 0; i < count; i++)
        if (all[i].severity == PEAL_SEVERITY_NOTE && all[i].kind == PEAL_OUT_OF_BOUNDS) {
            *note = (struct peal_finding){.fault = all[i].fault};
            report_fault_explain(&note->fault);
            return true;
        }
    return false;
}

/* Whether MPI has found nothing in the run: no leaks, or nothing else; otherwise that becomes the finding. */
static bool
mpi_is_well(const struct peal_machine *machine, bool leaks, struct peal_finding *finding)
{
    size_t count;
    const struct peal_run_finding *all = peal_machine_findings(machine, &count);

    for (size_t i = 0; i < count; i++) {
        if (all[i].severity == PEAL_SEVERITY_NOTE || (all[i].kind == PEAL_LEAK) != leaks)
            continue;
        finding->fault = all[i].fault;
        finding->severity = PEAL_SEVERITY_ERROR;
        return false;
    }
    return true;
}

struct peal_fault
fault_of(const struct peal_failure *failure)
{
    struct peal_fault fault = failure->fault;

    report_fault_explain(&fault);
    return fault;
}

/* Whether a node wrote its result up to the middle of a word, as a function on ints does for an odd number of elements,
 * which have 4 bytes. */
static bool
ends_in_a_half(const struct vectors *data)
{
    bool ends = false;

    for (int rank = 0; !ends && rank < data->where->nodes; rank++) {
        const struct row *row = &data->out[rank];

        ends = row->words && row->count % 2 == 1 && watch_written(&row->words[row->count / 2]) == 0x0F;
        for (size_t i = row->count / 2 + 1; ends && i < row->count; i++)
            ends = watch_written(&row->words[i]) == 0;
    }
    return ends;
}

/* Whether no node, or all of them, refused each call, and one was refused. */
static bool
all_refused(const struct runner *runner, int nodes)
{
    const int *of = runner->errors.of;

    return of[0] + of[1] > 0 && of[0] % nodes == 0 && of[1] % nodes == 0;
}

/* Whether a node ended the run before anything was sent after it was called. */
static bool
ended_by_refusal(const struct runner *runner, const struct peal_machine *machine, const struct peal_failure *failure)
{
    const int rank = failure->rank;

    return rank >= 0 && (machine->nodes[rank].aborts || machine->nodes[rank].crashed_by_abort) &&
           runner->sent[rank] == peal_machine_cost(machine).alpha;
}

/* Report what is wrong with the run of the case; true: nothing. */
static bool
went_well(struct runner *runner, const struct peal_machine *machine, const struct peal_check_case *c,
          const struct peal_failure *failure, struct peal_finding *finding)
{
    int left;

    bool refused = runner->check->may_refuse &&
                   (failure ? ended_by_refusal(runner, machine, failure) : all_refused(runner, c->nodes));

    if (failure && !refused) {
        *finding = (struct peal_finding){.fault = fault_of(failure)};
        return false;
    }
    if (!refused && runner->file && !runner->check->program &&
        (left = program_left(runner->file, cases_machine_nodes(c))) >= 0) {
        finding->kind = PEAL_CRASH;
        snprintf(finding->message, sizeof finding->message,
                 "node %d ended inside the function, which must return: it calls peal_exit, exit or a similar call",
                 left);
        return false;
    }
    if (!refused && runner->check->mpi && !returned_well(runner, finding))
        return false;
    if (!refused && atomic_load(&runner->early) > 0) {
        finding->kind = PEAL_WRONG_RESULT;
        snprintf(finding->message, sizeof finding->message,
                 "%d of %d nodes %s before node %d, which comes late, has entered", atomic_load(&runner->early),
                 c->nodes, atomic_load(&runner->early) == 1 ? "leaves" : "leave", vectors_node(&runner->data, c->root));
        return false;
    }
    runner->turned_down = refused;
    runner->refused |= refused;
    runner->accepted |= !refused && (c->words > 0 || c->size_count > 0 || runner->data.form->out == PEAL_SIDE_NONE);
    if (refused)
        return true;
    if (runner->check->mpi && !mpi_is_well(machine, false, finding))
        return false;
    if (!vectors_check(&runner->data, finding)) {
        if (runner->check->mpi && !runner->check->element && runner->data.stride == 1 && ends_in_a_half(&runner->data))
            snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(elements_of_4));
        return false;
    }
    return runner->check->allows_leaks ||
           (!heap_leaked(runner->check->mpi, finding) && (!runner->check->mpi || mpi_is_well(machine, true, finding)));
}

enum peal_status
runner_run(struct runner *runner, struct peal_machine *machine, const struct peal_check_case *c,
           struct peal_finding *finding, bool *well, struct peal_error *error)
{
    const struct peal_failure *failure;
    bool twice = calls_twice(c);
    enum peal_status status;

    if (cases_unstored(c) != unbacked_is_on()) {
        unbacked_end();
        if (cases_unstored(c) && !unbacked_begin())
            return peal_refuse(error, PEAL_RESOURCES, "no memory for a run on lengths alone");
    }
    if (!array_grow(&runner->sent, &runner->room, (size_t)cases_machine_nodes(c), sizeof *runner->sent))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    runner->first = cases_earlier(runner->check, c);
    runner->turned_down = false;
    runner->data.earlier = twice ? &runner->earlier : NULL;
    runner->earlier.is_earlier = true;
    status = vectors_begin(&runner->data, runner->check->collective, c, error);
    if (status == PEAL_OK && twice)
        status = vectors_begin(&runner->earlier, runner->check->collective, &runner->first, error);
    *finding = (struct peal_finding){.kind = PEAL_FAILURE_KINDS};
    if (status != PEAL_OK)
        return status;
    printed_begin_run(&runner->printed);
    stderr_tail_clear(runner->error_output);
    now = runner;
    atomic_store(&runner->entered[0], 0);
    atomic_store(&runner->entered[1], 0);
    atomic_store(&runner->early, 0);
    shown_begin(&runner->shown, runner->check, c, machine, &runner->data);
    watch_begin(machine, &runner->data);
    watchdog_watch(machine);
    runner->errors.count = runner->errors.of[0] = runner->errors.of[1] = 0;
    if (runner->check->mpi && !runtime_hooks()->begins(cases_machine_nodes(c)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for MPI's nodes");
    if (runner->file)
        failure = peal_program_run(machine, runner->file);
    else
        failure = peal_run(machine, runner_program, NULL);
    if (runner->check->mpi)
        runtime_hooks()->ended();
    watchdog_watch(NULL);
    *well = went_well(runner, machine, c, failure, finding);
    if (!*well)
        stderr_tail_take(runner->error_output, finding->error_output, sizeof finding->error_output);
    if (!*well && runner->check->mpi && c->in_place && finding->kind == PEAL_CRASH &&
        strstr(finding->fix, "MPI_IN_PLACE"))
        snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(given_in_place));
    if (!*well && cases_unstored(c) && !finding->fix[0])
        snprintf(finding->fix, sizeof finding->fix, PEAL_HINT(long_bytes), c->words);
    if (!*well && c->call != PEAL_CALL_ONCE)
        finding_say_call(finding, runner->check, c, &runner->earlier, &runner->data);
    if (runner->shown.page)
        shown_end(&runner->shown,
                  &(struct shown_run){.check = runner->check,
                                      .unit = runner->unit,
                                      .situation = runner_situation(runner, c, machine),
                                      .where = c,
                                      .well = *well,
                                      .message = finding->message},
                  machine);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ of a node in a process of its own */

enum peal_status
runner_load_apart(struct runner *runner, int most_nodes, struct peal_error *error)
{
    const struct peal_program_options options = {.argc = 0};

    if (watch_prepare(most_nodes, error) != PEAL_OK) /* the calls before accesses look there */
        return error->status;
    runner->file = program_load_compiled(runner->unit->wrapper, most_nodes, &options, &runner->unit->program, error);
    if (!runner->file)
        return error->status;
    return program_keep(runner->file) ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "no memory for globals");
}

const struct peal_op *
runner_op(const struct peal_check_case *where)
{
    return where->commutative ? PEAL_SUM_INT64 : PEAL_AFFINE;
}

/* Replace labels of words by the words. */
static void
take_words(const struct vectors *data, struct row *row)
{
    for (size_t i = 0; row->words && i < row->count; i++) {
        bool is_word = label_kind(row->words[i]) == LABEL_WORD;
        size_t index = is_word ? label_leaf(row->words[i], 0).index : 0;

        if (is_word && index < data->key_count)
            row->words[i] = data->keys[index];
    }
}

enum peal_status
runner_apart(struct runner *runner, struct peal_machine *machine, const struct peal_check_case *c, int rank,
             const uint64_t *words, size_t count, const struct peal_failure **failure, struct peal_error *error)
{
    struct vectors *data = &runner->data;

    data->keys = words;
    data->key_count = count;
    enum peal_status status = vectors_begin(data, runner->check->collective, c, error);

    if (status != PEAL_OK)
        return status;
    data->op = runner_op(c);
    if (rank < c->nodes && !data->element) { /* one of the rows may lie in the other */
        const struct row *inner = vectors_inner(data, rank);

        if (inner != &data->in[rank])
            take_words(data, &data->in[rank]);
        if (inner != &data->out[rank])
            take_words(data, &data->out[rank]);
    }
    now = runner;
    runner->apart = true;
    runner->errors.count = 0;
    if (runner->check->mpi && !runtime_hooks()->begins(c->nodes))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for MPI's nodes");
    *failure = peal_program_run(machine, runner->file);
    if (runner->check->mpi)
        runtime_hooks()->ended();
    return PEAL_OK;
}
