/* SPDX-License-Identifier: MIT */
/* peal import: read a schedule that another tool wrote, say what it is, and prove it or show what is wrong. */
#include "commands/commands.h"
#include "run/schedules.h"
#include "write/written.h"

/* What the runtime of MSCCL allows. */
enum { MAX_STEPS = 256, MAX_COUNT = 71 };

struct imported {
    const struct command_request *request;
    const char *as; /* the collective given by --as; NULL */
    const char *path;
    struct peal_plan *plan;                 /* NULL once it is loaded: the algorithm then owns it */
    const struct peal_algorithm *algorithm; /* NULL: it cannot be run */
    const struct peal_plan *shown;
    struct peal_network *network;
    struct peal_plan_verdict verdict;
    bool ran;
    struct peal_cost cost;
    size_t rounds;
    struct peal_outcome outcome;
    struct peal_machine *machine;
};

/* ------------------------------------------------------------------ for people */

/* A schedule without data: what its nodes do. */
static void
show_bare(const struct imported *import)
{
    const struct peal_plan *plan = import->shown;
    const struct peal_plan_verdict *verdict = &import->verdict;
    uint64_t computes = 0, bytes = 0;
    int64_t operations = 0;
    char text[300];

    for (size_t i = 0; i < plan->step_count; i++) {
        computes += plan->steps[i].does == 0;
        operations += plan->steps[i].operations;
        bytes += plan->steps[i].does & PEAL_PLAN_SEND ? (uint64_t)plan->steps[i].count : 0;
    }
    printf(", %s: messages of %d node%s%s%s\n\n", plan->format, plan->nodes, plural(plan->nodes),
           import->as ? ", for " : "", import->as ? import->as : "");
    snprintf(text, sizeof text, "%" PRIu64 " message%s of %" PRIu64 " byte%s in all, %d of them one after another",
             verdict->messages, plural(verdict->messages), bytes, plural(bytes), verdict->levels);
    print_labelled(stdout, "schedule", text);
    snprintf(text, sizeof text, "%" PRId64 " operation%s in %" PRIu64 " step%s", operations, plural(operations),
             computes, plural(computes));
    print_labelled(stdout, "computing", text);
}

static void
show_what(const struct imported *import)
{
    const struct peal_plan *plan = import->shown;
    const struct peal_form *form = peal_form_of(plan->collective);
    char text[300];

    print_inked(stdout, BOLD, "%s", plan->bare ? import->path : plan->name);
    if (plan->bare) {
        show_bare(import);
        return;
    }
    printf(", %s: %s on %d node%s%s\n\n", plan->format, import->verdict.known ? form->name : plan->kind, plan->nodes,
           plural(plan->nodes), plan->in_place ? ", in place" : "");
    snprintf(text, sizeof text, "%d chunk%s a %s", plan->chunks, plural(plan->chunks),
             form->unequal ? "block" : "vector");
    print_labelled(stdout, "data", text);
    snprintf(text, sizeof text, "%zu block%s, %zu step%s, %" PRIu64 " message%s, %d of them one after another",
             plan->block_count, plural(plan->block_count), plan->step_count, plural(plan->step_count),
             import->verdict.messages, plural(import->verdict.messages), import->verdict.levels);
    print_labelled(stdout, "schedule", text);
}

/* What the schedule may do here, but not in the runtime that it is for. */
static void
import_show_limits(const struct imported *import)
{
    const struct peal_plan *plan = import->shown;
    char where[100];

    for (size_t b = 0; b < plan->block_count && strcmp(plan->format, "msccl") == 0; b++)
        if (plan->blocks[b].count > MAX_STEPS) {
            fprintf(stderr, "peal: note: node %d, block %d has %zu steps; MSCCL's runtime takes %d\n",
                    plan->blocks[b].node, plan->blocks[b].id, plan->blocks[b].count, MAX_STEPS);
            break;
        }
    for (size_t i = 0; i < plan->step_count && strcmp(plan->format, "msccl") == 0; i++)
        if (plan->steps[i].count > MAX_COUNT) {
            fprintf(stderr, "peal: note: %s has %d chunks; MSCCL's runtime takes %d\n",
                    peal_plan_where(plan, i, where, sizeof where), plan->steps[i].count, MAX_COUNT);
            break;
        }
}

static bool
is_wrong(const struct peal_plan_verdict *verdict)
{
    for (int i = 0; i < verdict->finding_count; i++)
        if (peal_plan_severity(verdict->findings[i].kind) == PEAL_SEVERITY_ERROR)
            return true;
    return false;
}

/* A finding of the schedule, at its line of the file. */
static struct peal_fault
import_fault(const struct imported *import, const struct peal_plan_finding *finding)
{
    const bool placed = finding->step != SIZE_MAX;
    struct peal_fault fault = {.severity = peal_plan_severity(finding->kind),
                               .rank = finding->node,
                               .line = placed ? import->shown->steps[finding->step].line : 0};

    snprintf(fault.file, sizeof fault.file, "%s", import->path);
    snprintf(fault.message, sizeof fault.message, "%s", finding->message);
    return fault;
}

static void
import_each_found(const void *what, written_take take, void *writer)
{
    const struct imported *import = what;
    const struct peal_plan_verdict *verdict = &import->verdict;

    for (const struct peal_plan_finding *f = verdict->findings; f < verdict->findings + verdict->finding_count; f++) {
        struct peal_fault fault = import_fault(import, f);

        if (f->times > 1)
            peal_append(IN_ARRAY(fault.message), " (and %" PRIu64 " more)", f->times - 1);
        take(writer, &(struct peal_found){.fault = &fault,
                                          .name = peal_plan_kind_name(f->kind),
                                          .passes = fault.severity != PEAL_SEVERITY_ERROR});
    }
}

static void
print_found(void *writer, const struct peal_found *one)
{
    (void)writer;
    text_write(stdout, TEXT_LABELLED, one);
}

static void
import_show_verdict(const struct imported *import)
{
    const struct peal_plan_verdict *verdict = &import->verdict;
    const bool wrong = is_wrong(verdict);

    print_ink(stdout, wrong ? BAD : GOOD);
    if (verdict->proved)
        print_labelled(stdout, "proved", "the result, for every order that the schedule allows");
    else if (!wrong && import->shown->bare && import->as)
        print_labelled(
            stdout, "possible",
            "messages and order are right, and chains of messages lead from everybody whose words a node gets to it; "
            "a schedule without data proves no more");
    else if (!wrong && import->shown->bare)
        print_labelled(stdout, "order right", "every message is received, and no order of them deadlocks");
    else if (!wrong)
        print_labelled(stdout, "not proved", "the collective is unknown; messages, order and races are right");
    print_ink(stdout, PLAIN);
    import_each_found(import, print_found, NULL);
}

/* The cost; a wrong schedule is not compared with the bound. */
static void
show_price(const struct imported *import)
{
    struct peal_parameters parameters = import->request->machine.parameters;
    const struct peal_outcome *outcome = &import->outcome;
    char cost[160], ratio[40] = "", text[400];

    if (!import->ran)
        return;
    snprintf(text, sizeof text, "%s in %zu round%s on %s, %s", show_cost_at(parameters, import->cost, cost),
             import->rounds, plural(import->rounds), peal_network_name(import->network),
             import->request->machine.ports == PEAL_PORTS_ALL ? "ports of all links"
             : import->request->machine.ports == 1            ? "1 port"
                                                              : "several ports");
    print_labelled(stdout, "cost", text);
    if (!outcome->has_lower_bound)
        return;
    if (!is_wrong(&import->verdict))
        show_ratio(peal_cost_time(import->cost, parameters), peal_cost_time(outcome->lower_bound, parameters), ratio);
    show_lower_bound(stdout, parameters, &outcome->lower_bound, ratio, NULL, NULL);
}

/* ------------------------------------------------------------------ for programs */

static enum peal_status
import_write_json(FILE *out, const void *what, struct peal_error *error)
{
    const struct imported *import = what;
    const struct peal_plan *plan = import->shown;
    const struct peal_plan_verdict *verdict = &import->verdict;
    struct peal_parameters parameters = import->request->machine.parameters;
    struct peal_json json = {.out = out};

    (void)error;
    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/import/1"),
                  PEAL_STRING("file", import->path), PEAL_STRING("format", plan->format),
                  PEAL_STRING("name", plan->name), PEAL_BREAK,
                  PEAL_STRING("collective", verdict->known ? peal_collective_name(plan->collective) : NULL),
                  PEAL_STRING("called", plan->kind), PEAL_INT("nodes", plan->nodes), PEAL_INT("root", plan->root),
                  PEAL_INT("chunks", plan->chunks), PEAL_BOOL("in_place", plan->in_place), PEAL_BREAK,
                  PEAL_UINT("blocks", plan->block_count), PEAL_UINT("steps", plan->step_count),
                  PEAL_UINT("messages", verdict->messages), PEAL_UINT("reductions", verdict->reductions),
                  PEAL_INT("levels", verdict->levels), PEAL_BREAK, PEAL_BOOL("proved", verdict->proved),
                  PEAL_OPEN("findings", '['));
    for (int i = 0; i < verdict->finding_count; i++) {
        const struct peal_plan_finding *finding = &verdict->findings[i];
        const struct peal_fault fault = import_fault(import, finding);
        const struct peal_found found = {.fault = &fault, .name = peal_plan_kind_name(finding->kind)};

        peal_json_put(&json, PEAL_BREAK, PEAL_OPEN(NULL, '{'));
        peal_json_found(&json, &found, PEAL_FOUND_KIND);
        peal_json_put(&json, PEAL_BOOL("warning", fault.severity == PEAL_SEVERITY_WARNING),
                      PEAL_UINT("times", finding->times));
        peal_json_found(&json, &found, PEAL_FOUND_MESSAGE);
        peal_json_put(&json, PEAL_INT_IF("line", finding->step != SIZE_MAX, fault.line), PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_CLOSE(']'), PEAL_BREAK);
    peal_json_network(&json, peal_network_name(import->network), NULL, peal_network_nodes(import->network));
    peal_json_member_cost(&json, "cost", import->ran ? &import->cost : NULL, parameters);
    peal_json_member_cost(&json, "lower_bound",
                          import->ran && import->outcome.has_lower_bound ? &import->outcome.lower_bound : NULL,
                          parameters);
    peal_json_put(&json, PEAL_CLOSE('}'));
    return PEAL_OK;
}

static void
import_write_junit(FILE *out, const struct imported *import)
{
    const struct junit_test test = {.name = import->path, .seconds = -1};

    junit_alone(out, "peal import", &test, is_wrong(&import->verdict), import, import_each_found);
}

DOCUMENT_WRITER(import_document_junit, import_write_junit)
static SARIF_WRITER(write_sarif, import_each_found)

/* ------------------------------------------------------------------ the command */

/* Run a schedule without data, for its cost. */
static enum peal_status
run_dataless(struct imported *import, struct peal_error *error)
{
    struct peal_options options = import->request->machine;
    const struct peal_failure *failure;

    options.nodes = import->plan->nodes;
    options.rounds = PEAL_ROUNDS_NONE;
    import->machine = peal_machine_create(&options, error);
    if (!import->machine)
        return error->status;
    failure = peal_plan_run(import->machine, import->plan);
    if (failure)
        return peal_refuse(error, failure->status, "%s: %s", peal_failure_name(failure->kind), failure->message);
    import->ran = true;
    import->cost = peal_machine_cost(import->machine);
    import->rounds = (size_t)peal_machine_rounds(import->machine);
    return PEAL_OK;
}

/* Whether a schedule without data can deliver the collective of --as. */
static enum peal_status
import_deliver(struct imported *import, struct peal_error *error)
{
    const struct command_request *request = import->request;
    enum peal_collective collective;
    const struct peal_form *form;

    if (!import->as && option_given(request, "bytes"))
        return peal_refuse(error, PEAL_USAGE, "--bytes %zu: expected --as too, the collective",
                           request->import->as_bytes);
    if (!import->as && option_given(request, "root"))
        return peal_refuse(error, PEAL_USAGE, "--root %d: expected --as too, the collective", request->call.root);
    if (!import->as)
        return PEAL_OK;
    if (!import->plan->bare)
        return peal_refuse(error, PEAL_USAGE, "--as %s: %s says itself what it computes", import->as, import->path);
    if (target_find_listed(import->as, &collective, &import->algorithm, error) != PEAL_OK)
        return error->status;
    form = peal_form_of(collective);
    if (import->algorithm || form->by || form->to || form->out == PEAL_SIDE_NONE) {
        import->algorithm = NULL;
        return peal_refuse(error, PEAL_USAGE, "--as %s: expected a collective that moves data, without a distance",
                           import->as);
    }
    return peal_plan_deliver(import->plan, collective, request->call.root, request->import->as_bytes, &import->verdict,
                             error);
}

/* Run a right schedule, for its cost. */
static enum peal_status
run_once(struct imported *import, struct peal_error *error)
{
    struct peal_options options = import->request->machine;
    const struct peal_plan *plan = import->plan;
    struct peal_exercise exercise = {
        .collective = plan->collective, .words = (size_t)plan->chunks, .root = plan->root, .by = 1};
    enum peal_status status;

    options.nodes = plan->nodes;
    options.rounds = PEAL_ROUNDS_NONE;
    import->algorithm = peal_plan_load(import->plan, import->path, error);
    if (!import->algorithm)
        return error->status;
    import->plan = NULL;
    exercise.algorithm = import->algorithm->name;
    import->machine = peal_machine_create(&options, error);
    if (!import->machine)
        return error->status;
    status = peal_exercise(import->machine, &exercise, &import->outcome, error);
    import->ran = status == PEAL_OK;
    import->cost = peal_machine_cost(import->machine);
    import->rounds = (size_t)peal_machine_rounds(import->machine);
    return status;
}

static enum peal_status
import_judge(struct imported *import, struct peal_error *error)
{
    const struct command_request *request = import->request;

    import->plan = schedule_read(import->path, error);
    if (!import->plan)
        return error->status;
    import->shown = import->plan;
    import->network =
        peal_network_create(request->machine.topology, import->plan->nodes, request->machine.routing, error);
    if (!import->network)
        return error->status;
    enum peal_status status = peal_plan_judge(import->plan, import->network, &import->verdict, error);

    if (status == PEAL_OK)
        status = import_deliver(import, error);
    if (status == PEAL_OK && import->verdict.known && import->verdict.proved)
        status = run_once(import, error);
    if (status == PEAL_OK && import->plan && import->plan->bare && !is_wrong(&import->verdict))
        status = run_dataless(import, error);
    return status;
}

static int
command_import_run(const struct command_request *request)
{
    struct imported import = {.request = request, .as = request->import->as};
    struct writings writings = {
        .request = request,
        .list = {{import_write_json, request->document.json_file, request->document.json, false},
                 {import_document_junit, request->document.junit, false, false},
                 {write_sarif, request->document.sarif, false, false}}};
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = PEAL_OK;

    if (request->argument_count != 1 || request->program)
        status = peal_refuse(&error, PEAL_USAGE, "import takes one file, as in peal import schedule.xml");
    else if (strcmp(request->machine.engine, "mpi") == 0)
        status = peal_refuse(&error, PEAL_USAGE, "--engine mpi: the messages are run on threads or fibers");
    if (status != PEAL_OK)
        return complain(&error);
    import.path = request->arguments[0];
    status = import_judge(&import, &error);
    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK)
        import_show_limits(&import);
    if (status == PEAL_OK && !request->document.json) {
        show_what(&import);
        import_show_verdict(&import);
        show_price(&import);
    }
    status = writings_close(&writings, status, &import, &error);
    int code = status != PEAL_OK ? complain(&error) : is_wrong(&import.verdict) ? PEAL_FAILED : 0;

    peal_machine_destroy(import.machine);
    peal_algorithm_unload(import.algorithm);
    peal_plan_destroy(import.plan);
    peal_network_destroy(import.network);
    return code;
}

const struct command command_import = {
    .name = "import",
    .arguments = "FILE  [options]",
    .summary = "read another tool's schedule; prove it, or show what is wrong",
    .examples = "  peal import ring.xml                 proved, or what is wrong\n"
                "  peal import ring.xml -t mesh:4x4     does every message have a link there?\n"
                "  peal import ring.xml --json          for programs\n"
                "  peal import tree.goal --as reduce    can its messages deliver a reduction?\n"
                "  peal run ring.xml -n 1K              run it: a schedule is an algorithm's name\n",
    .completes = WORDS_FILE,
    .run = command_import_run,
};
