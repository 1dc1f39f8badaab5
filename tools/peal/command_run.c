/* SPDX-License-Identifier: MIT */
/* peal run: run a collective or a program, check the data, print rounds and costs. */
#include "command.h"
#include "session.h"
#include "show.h"
#include "step.h"

/* A program's stdout is its own: what Peal says of the run goes to stderr. */
static void
report(const struct session *session)
{
    FILE *out = session->program ? stderr : stdout;
    struct peal_error error = {PEAL_FAILED, ""};

    fflush(stdout);
    if (session->request->step)
        step_through(session);
    if (session->program)
        fputc('\n', out);
    show_heading(out, session);
    show_rounds(out, session);
    show_summary(out, session);
    if (session->failure) {
        fflush(stdout);
        if (session->failure->kind == PEAL_TIMED_OUT && session->failure->node_count > 0) {
            fputs("\nWho had not finished\n", stderr);
            show_nodes(stderr, session->failure);
        }
        fputs("peal: ", stderr);
        show_failure_line(stderr, session->failure);
    } else if (session_wrong(session, error.text, sizeof error.text)) {
        complain(&error);
    } else if (session->program) { /* a run that ends well may be wrong */
        fprintf(out, "check           peal check --program %s looks for early reads, reused buffers, unwritten sends\n",
                session->program);
    }
}

static int
run(const struct request *request)
{
    struct peal_error error;

    return step_check(request, &error) == PEAL_OK ? session_run(request, report) : complain(&error);
}

const struct command command_run = {
    .name = "run",
    .arguments = "COLLECTIVE[/ALGORITHM] | FILE.c...  [options] [-- ARGUMENT...]",
    .summary = "run a collective or your program, check the data, tell the cost",
    .examples = "  peal run scatter                                8 nodes, blocks of 4 words\n"
                "  peal run scatter/linear -p 16 -m 1K -t mesh     one algorithm on a 4x4 mesh\n"
                "  peal run scatter --input a.tar --output b.tar   a file over the nodes and back\n"
                "  peal run hello.c -p 4 -- one two                a node program, its arguments\n"
                "  peal run allreduce -n 1M --json                 one JSON document\n",
    .takes = OPTIONS_MACHINE | OPTIONS_TARGET | OPTIONS_STEP | OPTIONS_WORD,
    .completes = WORDS_TARGET,
    .run = run,
};
