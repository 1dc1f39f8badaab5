/* SPDX-License-Identifier: MIT */
/* Words the outcomes of an exploration for people and as peal/explore/1. */
#include "lib/check/exploration.h"
#include "run/target.h"
#include "show/show.h"
#include "write/written.h"
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* An exploration, and the request it belongs to. */
struct explored {
    const struct command_request *request;
    const char *program, *called; /* as of struct session */
    struct exploration runs;
};

/* ------------------------------------------------------------------ texts */

static void
explore_print_choices(FILE *out, const struct order_choices *order)
{
    if (order->count == 0)
        fputs(FIRST_CHOICES, out);
    for (size_t i = 0; i < order->count; i++)
        fprintf(out, "%s%d", i == 0 ? "" : ",", order->list[i]);
}

void
explore_options(FILE *out, const struct command_request *request, const char *const *others)
{
    /* how to explore or what to write, not how to run */
    static const char *const dropped[] = {"nodes", "explore", "choices", "max-runs", "jobs",  "json", "junit",
                                          "sarif", "report",  "program", "quiet",    "trace", NULL};

    for (int i = 0; i < request->option_count; i++) {
        const struct given_option *option = &request->options[i];

        if (names_have(dropped, option->option->name) || names_have(others, option->option->name))
            continue;
        fprintf(out, " --%s", option->option->name);
        if (option->value) {
            fputc('=', out);
            print_word(out, option->value);
        }
    }
}

static void
print_files(FILE *out, const struct explored *all)
{
    const struct command_request *request = all->request;

    fputc(' ', out);
    print_word(out, all->program);
    for (int i = 1; i < request->argument_count; i++) {
        fputc(' ', out);
        print_word(out, request->arguments[i]);
    }
}

/* Print the command that makes the run of an order again. */
static void
print_command(FILE *out, const struct explored *all, const struct order_choices *order)
{
    const struct command_request *request = all->request;

    if (request->argument_count > 1) { /* several files, which pealrun does not take */
        fputs("peal run", out);
        print_files(out, all);
        fprintf(out, " -p %d", all->runs.nodes);
    } else {
        fprintf(out, "pealrun -n %d", all->runs.nodes);
    }
    explore_options(out, request, (const char *const[]){NULL});
    print_argument(out, "cflags", option_given(request, "cflags") ? NULL : target_environment_flags(all->program));
    if (order->number > 0) {
        fputs(" --choices ", out);
        explore_print_choices(out, order);
    }
    if (request->argument_count <= 1)
        print_files(out, all);
    if (request->program_count > 0)
        fputs(" --", out);
    for (int i = 0; i < request->program_count; i++) {
        fputc(' ', out);
        print_word(out, request->program[i]);
    }
    print_input(out);
}

/* ------------------------------------------------------------------ for people */

static void
show_others(FILE *out, const struct explored_outcome *one)
{
    enum { MAX_SHOWN = 10 };
    uint64_t shown = 0;

    for (size_t i = 0; i < one->order_count && shown < MAX_SHOWN; i++) {
        if (one->orders[i].number == one->shown.number)
            continue;
        fputs(shown == 0 ? "  also   --choices " : " | ", out);
        explore_print_choices(out, &one->orders[i]);
        shown++;
    }
    if (shown > 0 && one->times > shown + 1)
        fprintf(out, " and %" PRIu64 " more (--json has them)", one->times - shown - 1);
    if (shown > 0)
        fputc('\n', out);
}

static void
explore_show_one(FILE *out, const struct explored *all, const struct explored_outcome *one)
{
    const struct peal_found found = peal_found_in_run(&one->told);

    text_write(out, TEXT_PLACED, &found);
    if (one->depends || all->runs.sum.orders > 1) {
        fputs("  again  ", out);
        print_command(out, all, &one->shown);
        fputc('\n', out);
        show_others(out, one);
    }
}

/* Runs were left out: those with the most "not yet", or with the most choices other than the first. */
static void
explore_show_left_out(FILE *out, const struct explored *all)
{
    const struct command_request *request = all->request;
    const struct peal_orders_sum *sum = &all->runs.sum;

    fprintf(out, ", the bound (--max-runs %zu): there are more; all ",
            request->orders.max_runs ? request->orders.max_runs : (size_t)DEFAULT_RUNS);
    if (sum->noes > 0)
        fprintf(out, "in which each call says \"not yet\" at most %d time%s are done", sum->noes,
                plural((size_t)sum->noes));
    else
        fprintf(out, "that differ from the first in %d choice%s%s are done", sum->differing,
                plural((size_t)sum->differing), sum->noes_left ? ", and in which no call repeats \"not yet\"," : "");
}

/* How many orders are wrong: each may show several things. */
static void
explore_show_bound(FILE *out, const struct explored *all)
{
    fputs("peal: ", out);
    print_plain(out, all->called);
    fprintf(out, " on %d node%s: %" PRIu64 " order%s of arrival in %" PRIu64 " run%s", all->runs.nodes,
            plural((size_t)all->runs.nodes), all->runs.sum.orders, plural(all->runs.sum.orders), all->runs.sum.runs,
            plural(all->runs.sum.runs));
    if (all->runs.interrupted)
        fputs(", interrupted: there are more", out);
    else if (all->runs.late)
        fputs(", ended: several runs did not end in time", out);
    else if (all->runs.strays)
        fputs(": the program does not do the same each time, so orders may be missing", out);
    else if (all->runs.sum.bounded)
        explore_show_left_out(out, all);
    else if (all->runs.sum.noes_left)
        fprintf(out, ", all in which each call says \"not yet\" at most %d time%s", all->runs.sum.noes,
                plural((size_t)all->runs.sum.noes));
    else
        fputs(all->runs.chose ? ", all there are" : ": nothing had a choice", out);
    if (all->runs.time_dependent)
        fputs("; other timings were not explored", out);
    fprintf(out, all->runs.seconds < 10 ? "; %.2g s\n" : "; %.0f s\n", all->runs.seconds);
}

/* Show two outputs of several. */
static void
show_outputs(FILE *out, const struct explored *all)
{
    const struct output_pair *pair = &all->runs.pair;
    const struct peal_order_choice *choice = &pair->choice;

    fprintf(out, "peal: note: the program prints %zu different outputs", all->runs.outputs);
    if (pair->order.number == 0) {
        fputc('\n', out);
        return;
    }
    fprintf(out, ", compared node by node: node %d prints \"", pair->difference.node);
    print_plain(out, pair->difference.one);
    fputs("\"; ", out);
    if (choice->line > 0)
        fprintf(out, "if %s of node %d %s (%s:%d), it prints \"", choice->call[0] ? choice->call : "a receive",
                choice->node, choice->text, file_name(choice->file), choice->line);
    else
        fputs("when messages come in another order, it prints \"", out);
    print_plain(out, pair->difference.other);
    fputs("\"\n  other  ", out);
    print_command(out, all, &pair->order);
    fputc('\n', out);
}

static void
show_all(FILE *out, const struct explored *all)
{
    for (size_t i = 0; i < all->runs.count; i++)
        explore_show_one(out, all, &all->runs.list[i]);
    if (all->runs.more)
        fprintf(out, "peal: more than %d distinct findings: the rest are not shown\n", MAX_OUTCOMES);
    if (all->runs.outputs > 1)
        show_outputs(out, all);
    explore_show_bound(out, all);
}

/* ------------------------------------------------------------------ documents */

/* The command that makes the run again; NULL without memory.  owner: the caller frees it */
static char *
command_of(const struct explored *all, const struct explored_outcome *one)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);

    if (memory) {
        print_command(memory, all, &one->shown);
        fclose(memory);
    }
    return text;
}

static void
explore_write_one(struct peal_json *json, const struct explored *all, const struct explored_outcome *one)
{
    const struct peal_found found = peal_found_in_run(&one->told);
    char *command = command_of(all, one);

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'));
    peal_json_found(json, &found, PEAL_FOUND_KIND);
    peal_json_put(json, PEAL_STRING("ends_with", one->depends || one->outcome.severity == PEAL_SEVERITY_ERROR
                                                     ? peal_failure_name(one->outcome.kind)
                                                     : NULL));
    peal_json_found(json, &found, PEAL_FOUND_MESSAGE | PEAL_FOUND_RULE | PEAL_FOUND_FIX);
    peal_json_put(json, PEAL_BREAK);
    peal_json_found(json, &found, PEAL_FOUND_PLACES);
    peal_json_put(json, PEAL_UINT("orders", one->times), PEAL_BREAK);
    peal_json_ints(json, "choices", one->shown.list, one->shown.count);
    peal_json_put(json, PEAL_STRING("command", command), PEAL_BREAK, PEAL_OPEN("all_choices", '['));
    free(command);
    for (size_t i = 0; i < one->order_count; i++)
        peal_json_ints(json, NULL, one->orders[i].list, one->orders[i].count);
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

static void
write_outputs(struct peal_json *json, const struct output_pair *pair)
{
    if (pair->order.number == 0)
        return;
    peal_json_put(json, PEAL_OPEN("two_outputs", '{'), PEAL_INT("node", pair->difference.node),
                  PEAL_STRING("first", pair->difference.one), PEAL_STRING("other", pair->difference.other),
                  PEAL_STRING("file", pair->choice.line > 0 ? pair->choice.file : NULL),
                  PEAL_INT("line", pair->choice.line));
    peal_json_ints(json, "choices", pair->order.list, pair->order.count);
    peal_json_put(json, PEAL_CLOSE('}'), PEAL_BREAK);
}

static void
as_json(FILE *out, const struct explored *all)
{
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/explore/1"), PEAL_BREAK,
                  PEAL_STRING("program", all->called), PEAL_INT("nodes", all->runs.nodes),
                  PEAL_UINT("orders", all->runs.sum.orders), PEAL_UINT("runs", all->runs.sum.runs),
                  PEAL_BOOL("all", all->runs.sum.all && !all->runs.interrupted && !all->runs.late),
                  PEAL_INT("differing", all->runs.sum.differing),
                  PEAL_INT_IF("not_yet", all->runs.sum.noes_left, all->runs.sum.noes),
                  PEAL_UINT("outputs", all->runs.outputs), PEAL_NUMBER("seconds", all->runs.seconds), PEAL_BREAK);
    write_outputs(&json, &all->runs.pair);
    peal_json_put(&json, PEAL_OPEN("findings", '['));
    for (size_t i = 0; i < all->runs.count; i++)
        explore_write_one(&json, all, &all->runs.list[i]);
    peal_json_put(&json, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
}

static void
explore_each_found(const void *what, written_take take, void *writer)
{
    const struct explored *all = what;

    for (size_t i = 0; i < all->runs.count; i++) {
        struct peal_found found = peal_found_in_run(&all->runs.list[i].told);
        char *command = command_of(all, &all->runs.list[i]);

        found.text = command;
        found.passes = false;
        take(writer, &found);
        free(command);
    }
}

static void
explore_write_junit(FILE *out, const struct explored *all)
{
    const struct junit_test test = {.name = all->called, .nodes = all->runs.nodes, .seconds = all->runs.seconds};

    junit_alone(out, "peal explore", &test, all->runs.count > 0, all, explore_each_found);
}

/* ------------------------------------------------------------------ pealrun --explore */

DOCUMENT_WRITER(explore_document_json, as_json)
DOCUMENT_WRITER(explore_document_junit, explore_write_junit)
static SARIF_WRITER(write_sarif, explore_each_found)

/* Refuse options that are for one run. */
static enum peal_status
explore_check_request(const struct command_request *request, struct peal_error *error)
{
    static const char *const single[] = {"choices", "step",   "trace",   "report", "svg",
                                         "png",     "rounds", "profile", "scale",  NULL};

    const char *given = option_among(request, single);

    if (given)
        return peal_refuse(error, PEAL_USAGE, "--explore makes many runs: leave out one of --explore and --%s", given);
    if (request->argument_count == 0)
        return peal_refuse(error, PEAL_USAGE, "expected a program, as in pealrun -n 3 --explore ./prog");
    return PEAL_OK;
}

int
explore_run(const struct command_request *request)
{
    struct session session = {.request = request, .strict = request->step->strict};
    struct explored *all = calloc(1, sizeof *all);
    struct writings writings = {
        .request = request,
        .list = {{explore_document_json, request->document.json_file, request->document.json, false},
                 {explore_document_junit, request->document.junit, false, false},
                 {write_sarif, request->document.sarif, false, false}},
    };
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status =
        all ? explore_check_request(request, &error) : peal_refuse(&error, PEAL_RESOURCES, "not enough memory");
    int code;

    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK)
        status = session_load(&session, request->machine.nodes, &error);
    if (status == PEAL_OK) {
        *all = (struct explored){.request = session.request, .program = session.program, .called = session.called};
        status =
            peal_explore(&all->runs,
                         &(struct exploration_request){.file = session.file,
                                                       .machine = &session.request->machine,
                                                       .nodes = request->machine.nodes,
                                                       .jobs = request->orders.jobs,
                                                       .out = request->document.json ? STDERR_FILENO : STDOUT_FILENO,
                                                       .max_runs = request->orders.max_runs},
                         &error);
    }
    if (status == PEAL_OK && !request->document.json)
        show_all(stderr, all);
    if (status == PEAL_OK)
        status = writings_end(&writings, all, NULL, &error);
    bool wrong = status == PEAL_OK && peal_exploration_is_wrong(&all->runs, request->step->strict),
         interrupted = all && all->runs.interrupted;

    code = status != PEAL_OK ? complain(&error) : all->runs.code ? all->runs.code : wrong ? PEAL_FAILED : 0;
    writings_fini(&writings);
    if (all)
        peal_exploration_fini(&all->runs);
    free(all);
    session_fini(&session);
    if (interrupted) {
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
    return code;
}
