/* SPDX-License-Identifier: MIT */
/* Makes the list of checks that a request asks for, runs them, and chooses the exit code. */
#include "run/checks.h"
#include "lib/base/shell_word.h"
#include "lib/base/text.h"
#include "lib/check/expression.h"
#include "lib/check/precondition.h"
#include "run/proofs.h"
#include <stdlib.h>

/* The cases that are checked when nothing narrows them. */
enum { NODES_FROM = 1, NODES_TO = 16, PROGRAM_SECONDS = 60 };

/* Whether the function of --file is one for MPI. */
static bool
checks_function_is_mpi(const struct command_request *r)
{
    return r->function.mpi || r->function.arguments || r->function.long_counts || r->function.element ||
           (r->function.file && peal_program_kind(r->function.file) == PEAL_PROGRAM_MPI_SOURCE);
}

/* The engine of the checks: with fibers a check makes several times as many runs in the same time. */
static enum peal_status
checks_find_engine(struct checks *all, struct peal_error *error)
{
    const char *name = all->request->machine.engine, *usual = peal_fibers_built() ? "fibers" : "threads";
    static const char *const names[] = {"threads", "fibers", "auto", NULL};

    all->engine = strcmp(name, "auto") == 0 ? usual : name;
    if (strcmp(name, "mpi") == 0)
        return peal_refuse(error, PEAL_USAGE, "--engine mpi: a check runs its nodes as threads or fibers");
    if (!names_have(names, name))
        return peal_refuse(error, PEAL_USAGE, "unknown engine '%s': expected threads, fibers or auto", name);
    if (strcmp(name, "threads") == 0 && !PEAL_THREADS)
        return peal_refuse(error, PEAL_USAGE, "this build has no threads: use the engine fibers");
    if (strcmp(all->engine, "fibers") == 0 && !peal_fibers_built())
        return peal_refuse(error, PEAL_USAGE,
                           "this build has no fibers: install libboost-context-dev and build again, or use threads");
    return PEAL_OK;
}

/* Peal's name for MPI's name of a collective. */
static const char *
mpi_name(const char *name)
{
    static const char *const names[][2] = {{"bcast", "broadcast"},
                                           {"reduce_scatter_block", "reduce-scatter"},
                                           {"reduce_scatter", "reduce-scatterv"},
                                           {"alltoallw", "alltoallv"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i][0]) == 0)
            return names[i][1];
    return name;
}

/* The settings that all checks of the request share. */
static struct peal_check
checks_settings(const struct command_request *r)
{
    return (struct peal_check){
        .file = r->function.file,
        .symbol = r->function.symbol,
        .mpi = checks_function_is_mpi(r),
        .arguments = r->function.arguments,
        .long_counts = r->function.long_counts,
        .element = r->function.element,
        .compiler = r->function.compiler,
        .flags = r->function.flags,
        .nodes_from = r->check->nodes_from > 0 ? r->check->nodes_from : NODES_FROM,
        .nodes_to = r->check->nodes_to > 0 ? r->check->nodes_to : NODES_TO,
        .nodes_list = r->check->nodes_count > 0 ? r->check->nodes_list : NULL,
        .nodes_count = r->check->nodes_count,
        .suggests = true,
        .beyond = r->check->nodes_from == 0 && !r->orders.choices.list && !option_given(r, "block") &&
                  !option_given(r, "words") && !r->call.sizes && !r->call.to.list && !option_given(r, "root"),
        .has_root = option_given(r, "root"),
        .has_by = option_given(r, "by"),
        .has_to = r->call.to.list != NULL,
        .has_words = option_given(r, "block") || option_given(r, "words"),
        .has_ports = option_given(r, "ports") || r->machine.half_duplex,
        .has_delivery = option_given(r, "delivery"),
        .root = r->call.root,
        .by = r->call.by,
        .rules = r->machine.rules,
        .to = r->call.to.list,
        .to_count = r->call.to.count,
        .words = option_given(r, "block") ? r->call.block_words : r->call.vector_words,
        .sizes = r->call.sizes,
        .size_count = r->call.size_count,
        .buffers = r->check->buffers,
        .has_call = option_given(r, "call"),
        .call = r->check->call,
        .only = r->check->only,
        .divides = r->check->divides,
        .nonzero = r->check->nonzero,
        .contiguous = r->check->contiguous,
        .may_refuse = r->check->may_refuse,
        .allows_leaks = r->check->allows_leaks,
        .identical = r->check->identical,
        .topology = option_given(r, "topology") || placing_given(&r->placing) ? r->machine.topology : NULL,
        .has_switching = option_given(r, "switching"),
        .op = r->call.op ? peal_op_find(r->call.op) : NULL,
        .seed = r->machine.seed,
        .choices = r->orders.choices.list,
        .choice_count = r->orders.choices.count,
        .max_runs = r->orders.max_runs,
        .max_rounds = r->check->max_rounds,
        .max_words = r->check->max_words,
        .max_hops = r->check->max_hops,
        .max_messages = r->check->max_messages,
        .timeout_seconds = r->machine.timeout_seconds,
        .engine = strcmp(r->machine.engine, "auto") == 0 ? NULL : r->machine.engine,
    };
}

static enum peal_status
check_words(const struct command_request *r, enum peal_collective collective, struct peal_error *error)
{
    bool blocks = peal_collective_has_blocks(collective);

    if (blocks && option_given(r, "words"))
        return peal_refuse(error, PEAL_USAGE, "%s has blocks: expected -m, the words of a block",
                           peal_collective_name(collective));
    if (!blocks && option_given(r, "block"))
        return peal_refuse(error, PEAL_USAGE, "%s has vectors: expected -n, their words",
                           peal_collective_name(collective));
    return PEAL_OK;
}

/* A schedule is checked on its nodes, from its root, with one and two words per chunk, where nothing else is asked
 * for. */
static void
narrow_to_schedule(const struct command_request *r, const struct peal_plan *plan, struct peal_check *check)
{
    if (r->check->nodes_from == 0)
        check->nodes_from = check->nodes_to = plan->nodes;
    check->beyond = false;
    if (peal_form_of(plan->collective)->root && !check->has_root) {
        check->has_root = true;
        check->root = plan->root;
    }
    if (!check->has_words && !check->sizes) {
        check->words_list = (const char *const *)r->chunk_lists;
        check->words_count = 2;
    }
}

/* The numbers of nodes of a program, and with several of them the time that they share. */
static void
checks_take_nodes(struct checks *all, struct peal_check *check)
{
    const struct command_request *r = all->request;

    if (r->check->nodes_from == 0) {
        int count = usual_nodes_list(r->machine.topology, peal_topology_nodes(r->machine.topology), all->numbers);

        check->nodes_list = all->numbers;
        check->nodes_count = count;
        check->nodes_from = count > 0 ? all->numbers[0] : r->machine.nodes; /* then no number fits, which is reported */
        check->nodes_to = count > 0 ? all->numbers[count - 1] : check->nodes_from;
    }
    if (option_given(r, "total-timeout"))
        check->total_seconds = r->check->total_seconds;
    else if (check->nodes_from < check->nodes_to)
        check->total_seconds = PROGRAM_SECONDS;
}

static enum peal_status
add_program(struct checks *all, const char *file, const char *const *sources, struct peal_error *error)
{
    const struct command_request *r = all->request;
    struct peal_check *check = &all->checks[all->count];

    *check = checks_settings(r);
    check->collective = PEAL_COLLECTIVES;
    check->program = true;
    check->file = file;
    check->sources = sources; /* up to NULL */
    check->beyond = false;
    checks_take_nodes(all, check);
    check->argc = r->program_count + 1;
    all->arguments = calloc((size_t)check->argc + 1, sizeof *all->arguments);
    if (!all->arguments)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    all->arguments[0] = (char *)(uintptr_t)file;
    for (int i = 0; i < r->program_count; i++)
        all->arguments[i + 1] = r->program[i];
    check->argv = all->arguments;
    all->count++;
    return PEAL_OK;
}

/* Add the algorithms that an argument names: one, or all of a collective. */
static enum peal_status
checks_add_named(struct checks *all, const char *argument, struct peal_error *error)
{
    struct session session = {.program = NULL};
    const struct peal_algorithm *a;
    bool unequal;
    bool mpi = checks_function_is_mpi(all->request);
    enum peal_status status = target_find_call(&session, mpi ? mpi_name(argument) : argument, &unequal, error);

    if (status == PEAL_OK && session.program && !all->request->function.file &&
        peal_program_kind(argument) != PEAL_PROGRAM_SOURCE)
        return add_program(all, argument, (const char *const *)all->request->arguments + 1, error);
    if (status == PEAL_OK && session.program)
        return peal_refuse(
            error, PEAL_USAGE,
            "%s is a file: expected peal check --program %s, or its collective, as in peal check scatter "
            "--file %s --symbol my_scatter",
            argument, pasted(argument).text, pasted(argument).text);
    if (status == PEAL_OK)
        status = target_compiles_nothing(all->request, error);
    if (status == PEAL_OK)
        status = check_words(all->request, session.collective, error);
    if (status != PEAL_OK)
        return status;
    exercise_notes(all->request, session.collective);
    struct peal_check check = checks_settings(all->request);

    check.collective = session.collective;
    check.unequal = unequal;
    if (mpi && strcmp(argument, "alltoallw") == 0 && !check.arguments)
        check.arguments = "sendbuf, sendcounts, sbytes, sendtypes, recvbuf, recvcounts, rbytes, recvtypes, comm";
    if (mpi && !check.op && (check.element || (check.arguments && !peal_find_word(check.arguments, "op"))))
        check.op = PEAL_SUM_INT64; /* it names one of MPI's, which commute */
    if (check.file && all->request->argument_count > 1) {
        check.sources = (const char *const *)all->request->arguments + 1;
        if ((status = target_sources(check.file, all->request, 1, error)) != PEAL_OK)
            return status;
    }
    if (check.file && session.algorithm)
        return peal_refuse(error, PEAL_USAGE,
                           "%s is an algorithm of the catalogue: with --file name the collective alone", argument);
    check.algorithm = session.algorithm;
    if (session.algorithm) {
        const struct peal_algorithm *own = peal_algorithm_find(session.collective, session.algorithm);

        if (own && peal_plan_of(own))
            narrow_to_schedule(all->request, peal_plan_of(own), &check);
    }
    if (check.file || session.algorithm) {
        all->checks[all->count++] = check;
        return PEAL_OK;
    }
    for (int i = 0; (a = peal_algorithm_get(i)); i++)
        if (a->collective == session.collective && !(unequal && a->needs.equal_blocks)) {
            check.algorithm = a->name;
            all->checks[all->count++] = check;
        }
    return PEAL_OK;
}

static void
add_all(struct checks *all)
{
    const struct peal_algorithm *a;

    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        struct peal_check check = checks_settings(all->request);
        bool allows = peal_collective_allows_in_place(a->collective);

        if ((!allows && check.buffers == PEAL_BUFFERS_IN_PLACE) ||
            (check.identical && !peal_collective_has_op(a->collective)))
            continue;
        if (!allows)
            check.buffers = PEAL_BUFFERS_DEFAULT;
        check.collective = a->collective;
        check.algorithm = a->name;
        all->checks[all->count++] = check;
    }
}

enum peal_status
checks_prepare(struct checks *all, struct peal_error *error)
{
    const struct command_request *r = all->request;
    const bool whole =
        r->check->all || (r->proof.every && r->argument_count == 0 && !r->function.file && !r->check->program);
    size_t catalogue = 0;

    if (r->machine.word_bytes != CHECKED_WORD_BYTES)
        return peal_refuse(error, PEAL_USAGE, "--word-bytes %zu: a check has words of %d bytes", r->machine.word_bytes,
                           CHECKED_WORD_BYTES);
    if (checks_find_engine(all, error) != PEAL_OK)
        return error->status;
    if (r->program && !r->check->program &&
        (r->function.file || r->argument_count == 0 || peal_program_kind(r->arguments[0]) == PEAL_PROGRAM_SOURCE))
        return peal_refuse(error, PEAL_USAGE, "check takes no arguments after --, but with --program");
    if (proofs_ask(r, error) != PEAL_OK)
        return error->status;
    if (r->check->program && target_sources(r->check->program, r, 0, error) != PEAL_OK)
        return error->status;
    if (r->check->program && (r->check->all || r->function.file || r->function.symbol || option_given(r, "block") ||
                              option_given(r, "words") || option_given(r, "root") || option_given(r, "by") ||
                              r->call.to.list || r->call.sizes || r->call.op))
        return peal_refuse(error, PEAL_USAGE,
                           "--program checks a whole program, which has no collective, size or root: leave them out");
    if (option_given(r, "total-timeout") && !r->check->program &&
        !(r->argument_count > 0 && peal_program_kind(r->arguments[0]) != PEAL_PROGRAM_SOURCE))
        return peal_refuse(error, PEAL_USAGE, "--total-timeout goes with --program");
    if (r->check->all && (r->argument_count > 0 || r->function.file))
        return peal_refuse(error, PEAL_USAGE, "--all is the whole catalogue: it takes no collective and no --file");
    if (whole && target_compiles_nothing(r, error) != PEAL_OK)
        return error->status;
    if (whole && (option_given(r, "block") || option_given(r, "words") || r->call.sizes || r->call.to.list))
        return peal_refuse(error, PEAL_USAGE,
                           "--all goes over collectives of blocks and of vectors: -m, -n, --sizes and "
                           "--to are for one of them");
    if (!r->check->all && !r->check->program && !r->function.file && r->argument_count > 1 &&
        peal_program_kind(r->arguments[0]) == PEAL_PROGRAM_SOURCE)
        return peal_refuse(error, PEAL_USAGE, "expected one collective or algorithm, or --all, got %s and %s",
                           r->arguments[0], r->arguments[1]);
    if (!whole && !r->check->program && r->argument_count < 1)
        return peal_refuse(error, PEAL_USAGE, "expected a collective, as in peal check %s, or --all",
                           r->function.file ? "scatter --file mine.c --symbol f" : "scatter/binomial");
    while (peal_algorithm_get((int)catalogue))
        catalogue++;
    if (!(all->checks = calloc(catalogue + 1, sizeof *all->checks)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (whole)
        add_all(all);
    else if ((r->check->program ? add_program(all, r->check->program, (const char *const *)r->arguments, error)
                                : checks_add_named(all, r->arguments[0], error)) != PEAL_OK)
        return error->status;
    if (!(all->verdicts = calloc((size_t)all->count + 1, sizeof *all->verdicts))) /* no more: a browser clears each */
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    return PEAL_OK;
}

enum peal_status
checks_make(struct checks *all, struct peal_error *error)
{
    if (checks_are_mpi(all))
        return checks_make_mpi(all, error);
    enum peal_status status = peal_check(all->checks, all->count, all->request->orders.jobs, all->verdicts, error);

    for (int i = 0; status == PEAL_OK && i < all->count; i++)
        if (all->verdicts[i].error.status != PEAL_OK) {
            *error = all->verdicts[i].error;
            status = error->status;
        }
    return status == PEAL_OK ? proofs_make(all, error) : status;
}

/* Whether nodes bracketed differently in the i-th check, which its algorithm does not declare. */
static bool
results_differ(const struct checks *all, int i)
{
    const struct peal_check *check = &all->checks[i];
    int parameter;
    const struct peal_algorithm *algorithm =
        check->algorithm ? peal_algorithm_parse(check->collective, check->algorithm, &parameter) : NULL;

    return all->verdicts[i].identity.differs[PEAL_IDENTICAL_NODES] &&
           !(algorithm && algorithm->differs & PEAL_DIFFERS(NODES));
}

int
checks_code(const struct checks *all)
{
    uint64_t runs = 0;

    for (int i = 0; i < all->count; i++) {
        if (peal_check_is_wrong(&all->verdicts[i]) || results_differ(all, i))
            return 1;
        runs += all->verdicts[i].runs;
    }
    return runs == 0;
}

/* ------------------------------------------------------------------ the run of a finding */

enum { MAX_RERUN = 500 }; /* its own words */

static void
checks_add_word(struct check_command *command, const char *word)
{
    if (command->count < MAX_COMMAND_WORDS)
        command->word[command->count++] = (char *)(uintptr_t)word; /* read only */
}

/* An option with its value, unless that is NULL. */
static void
add_option(struct check_command *command, const char *option, const char *value)
{
    if (!value)
        return;
    checks_add_word(command, option);
    checks_add_word(command, value);
}

void
checks_command(const struct peal_check *check, const struct peal_finding *finding, struct check_command *command)
{
    char *words[MAX_RERUN + 1];

    command->count = 0;
    snprintf(command->target, sizeof command->target, "%s%s%s",
             check->program ? "" : peal_call_name(check->collective, check->unequal), check->algorithm ? "/" : "",
             check->algorithm ? check->algorithm : "");
    snprintf(command->options, sizeof command->options, "%s", finding->rerun);
    snprintf(command->timeout, sizeof command->timeout, "%g", check->timeout_seconds);
    if (!check->program)
        checks_add_word(command, command->target);
    add_option(command, check->program ? "--program" : "--file", check->file);
    for (int i = 0; check->sources && check->sources[i]; i++)
        checks_add_word(command, check->sources[i]);
    add_option(command, "--symbol", check->symbol);
    if (check->mpi)
        checks_add_word(command, "--mpi");
    add_option(command, "--elements",
               check->element ? peal_check_element_names[check->element - PEAL_ELEMENT_INT] : NULL);
    add_option(command, "--arguments", check->arguments);
    if (check->long_counts)
        checks_add_word(command, "--long-counts");
    if (check->may_refuse)
        checks_add_word(command, "--may-refuse");
    add_option(command, "--allow", check->allows_leaks ? "leak" : NULL);
    add_option(command, "--cc", check->compiler);
    add_option(command, "--cflags",
               check->flags || !check->file ? check->flags : target_environment_flags(check->file));
    for (int i = 0, count = peal_shell_cut(command->options, words, MAX_RERUN); i < count; i++)
        checks_add_word(command, words[i]);
    add_option(command, "--max-rounds", finding->kind == PEAL_EXCESS_ROUNDS ? check->max_rounds : NULL);
    add_option(command, "--max-words", finding->kind == PEAL_EXCESS_WORDS ? check->max_words : NULL);
    add_option(command, "--max-hops", finding->kind == PEAL_EXCESS_HOPS ? check->max_hops : NULL);
    add_option(command, "--max-messages", finding->kind == PEAL_EXCESS_MESSAGES ? check->max_messages : NULL);
    add_option(command, "--timeout",
               finding->kind == PEAL_TIMED_OUT && check->timeout_seconds > 0 ? command->timeout : NULL);
    for (int i = 1; i < check->argc; i++) {
        if (i == 1)
            checks_add_word(command, "--");
        checks_add_word(command, check->argv[i]);
    }
    command->word[command->count] = NULL;
}

/* The run of a finding, whose case is checked once more. */
static enum peal_status
show_again(const struct command *check, struct check_command *again, char **text, struct peal_error *error)
{
    struct command_request request;
    struct checks one = {.request = &request};
    enum peal_status status = options_parse(&request, check, again->count, again->word, error);

    if (status == PEAL_OK)
        status = checks_prepare(&one, error);
    if (status == PEAL_OK)
        status = peal_check_show(&one.checks[0], &one.verdicts[0], text, error);
    checks_fini(&one);
    options_fini(&request);
    return status;
}

enum peal_status
checks_show(const struct checks *all, char **text, struct peal_error *error)
{
    struct check_command again;
    int wrong = 0;

    *text = NULL;
    while (wrong < all->count && all->verdicts[wrong].finding_count == 0)
        wrong++;
    if (wrong == all->count)
        return PEAL_OK;
    checks_command(&all->checks[wrong], &all->verdicts[wrong].findings[0], &again);
    return show_again(all->request->command, &again, text, error);
}

void
checks_fini(struct checks *all)
{
    free(all->checks);
    free(all->every);
    free(all->verdicts);
    free(all->arguments);
    free(all->shown);
}
