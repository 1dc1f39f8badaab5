/* SPDX-License-Identifier: MIT */
/* peal run: run a collective or a program, check the data, print rounds and costs. */
#include "commands/commands.h"
#include "run/checks.h"
#include "run/mpi.h"
#include "run/scale.h"
#include "write/written.h"

/* The numbers of nodes on which to check a program that was run on `nodes`: the usual ones, and this one. */
static void
print_check_nodes(FILE *out, int nodes)
{
    enum { MAX_SUGGESTED = 1024 }; /* with more nodes a watched run takes longer than a check allows */
    int usual[MAX_LISTED_NODES], with[MAX_LISTED_NODES];
    int count = usual_nodes_list("full", 0, usual);

    if (nodes <= MAX_SUGGESTED && usual_nodes_list("full", nodes, with) > count) {
        fputs(" -p ", out);
        usual_nodes_print(out, with, count + 1);
    }
}

/* A run that ends well may be wrong: name the command that looks further. */
static void
suggest_check(FILE *out, const struct session *session)
{
    const struct command_request *request = session->request;

    if (session->plan || request->machine.word_bytes != CHECKED_WORD_BYTES)
        return;
    fputs("check           peal check --program", out);
    for (int i = 0; i < request->argument_count; i++) {
        fputc(' ', out);
        print_word(out, request->arguments[i]);
    }
    print_check_nodes(out, request->machine.nodes);
    print_argument(out, "cc", request->function.compiler);
    print_argument(out, "cflags",
                   request->function.flags ? request->function.flags : target_environment_flags(request->arguments[0]));
    if (option_given(request, "seed"))
        fprintf(out, " --seed %" PRIu64, request->machine.seed);
    if (request->machine.timeout_seconds > CHECK_SECONDS)
        fprintf(out, " --timeout %g", request->machine.timeout_seconds);
    for (int i = 0; i < request->program_count; i++) {
        fputs(i == 0 ? " -- " : " ", out);
        print_word(out, request->program[i]);
    }
    print_input(out);
    fprintf(out, "\n%*slooks for early reads, reused buffers and unwritten sends\n", LABEL_COLUMNS, "");
}

/* The messages of a scenario, and on a line network where they go. */
static void
show_scenario(const struct session *session)
{
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    const struct peal_network *network = peal_machine_network(session->machine);
    enum { MAX_DRAWN = 10 };

    putchar('\n');
    show_messages(schedule, peal_machine_cost(session->machine));
    if (schedule->round_count > (size_t)session->plan->phases)
        puts("\nWhere a node has more messages at a time than --ports, they take more rounds.");
    if (strcmp(peal_network_kind(network), "line") != 0 || schedule->round_count > MAX_DRAWN)
        return;
    for (size_t i = 0; i < schedule->round_count; i++) {
        putchar('\n');
        peal_draw_line(schedule, i, peal_network_nodes(network), true, show_line, NULL);
    }
}

/* A program's stdout is its own: Peal reports the run on stderr. */
static void
run_report(const struct session *session)
{
    FILE *out = session->program && !session->plan ? stderr : stdout;
    struct peal_error error = {PEAL_FAILED, ""};

    fflush(stdout);
    if (session->mpi && !session->request->step->step) {
        if (session->failure) {
            text_failure(stderr, session->failure, true);
        } else if (!session->request->step->quiet) {
            mpi_summary(stderr, session);
        }
        if (session->profile)
            show_profile(stderr, session->profile);
        return;
    }
    if (session->request->step->step)
        step_through(session);
    if (session->program && !session->plan)
        fputc('\n', out);
    show_heading(out, session);
    if (session->request->session.messages && session->request->machine.rounds == PEAL_ROUNDS_ALL)
        show_scenario(session);
    else
        show_rounds(out, session);
    show_summary(out, session);
    if (session->failure) {
        fflush(stdout);
        if (session->failure->kind == PEAL_TIMED_OUT && session->failure->node_count > 0) {
            fputs("\nWho had not finished\n", stderr);
            show_nodes(stderr, session);
        }
        text_failure(stderr, session->failure, session->mpi);
    } else if (session_wrong(session, error.text, sizeof error.text)) {
        complain(&error);
    } else if (session->program) {
        suggest_check(out, session);
    }
}

static int
command_run_run(const struct command_request *request)
{
    struct peal_error error;

    if (request->session.computes)
        return computed_run(request);
    if (request->step->explore)
        return explore_run(request);
    if (option_given(request, "scale"))
        return scale_run_all(request);
    if (step_check(request, &error) != PEAL_OK)
        return complain(&error);
    return session_run(request, run_report);
}

const struct command command_run = {
    .name = "run",
    .arguments = "COLLECTIVE[/ALGORITHM] | FILE.c...  [options] [-- ARGUMENT...]",
    .summary = "run a collective or your program, check the data, report the cost",
    .examples = "  peal run scatter                                8 nodes, blocks of 4 words\n"
                "  peal run scatter/linear -p 16 -m 1K -t mesh     one algorithm on a 4x4 mesh\n"
                "  peal run scatter --input a.tar --output b.tar   a file over the nodes and back\n"
                "  peal run hello.c -p 4 -- one two                a node program, its arguments\n"
                "  peal run allreduce -n 1M --json                 one JSON document\n",
    .completes = WORDS_TARGET,
    .run = command_run_run,
};
