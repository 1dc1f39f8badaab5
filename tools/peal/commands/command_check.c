/* SPDX-License-Identifier: MIT */
/* peal check: prove a collective right up to a bound, or show the smallest run in which it is wrong. */
#include "commands/commands.h"
#include "show/check_show.h"

static enum peal_status
check_document_json(FILE *out, const void *all, struct peal_error *error)
{
    (void)error;
    check_write_json(out, all, NULL);
    return PEAL_OK;
}

DOCUMENT_WRITER(check_document_junit, check_write_junit)

/* The document of the page also holds the run of the first failure or finding. */
static enum peal_status
check_document_page(FILE *out, const void *what, struct peal_error *error)
{
    const struct checks *all = what;

    (void)error;
    check_write_json(out, all, all->shown);
    return PEAL_OK;
}

/* Make the run that the page shows. */
static enum peal_status
check_prepare_page(struct checks *all, struct paging *paging, struct peal_error *error)
{
    enum peal_status status = paging->document ? checks_show(all, &all->shown, error) : PEAL_OK;

    paging->report.kind = REPORT_CHECK;
    report_read_shown(&paging->report, &all->shown);
    return status;
}

static int
command_check_run(const struct command_request *request)
{
    struct checks all = {.request = request};
    struct writings writings = {
        .request = request,
        .list = {{check_document_json, request->document.json_file, request->document.json, false},
                 {check_document_junit, request->document.junit, false, false},
                 {check_write_sarif, request->document.sarif, false, false}},
        .page = check_document_page,
    };
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = checks_prepare(&all, &error);

    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK)
        status = checks_make(&all, &error);
    if (status == PEAL_OK && !request->document.json)
        check_show(stdout, &all);
    if (status == PEAL_OK)
        status = check_prepare_page(&all, &writings.paging, &error);
    status = writings_close(&writings, status, &all, &error);
    int code = status == PEAL_OK ? checks_code(&all) : complain(&error);

    checks_fini(&all);
    return code;
}

const struct command command_check = {
    .name = "check",
    .arguments = "COLLECTIVE[/ALGORITHM] [--file F.c --symbol NAME] | --all |\n"
                 "             --program F.c... | MPI.c  [options] [-- ARGUMENT...]",
    .summary = "prove a collective right, or show the smallest run that is wrong",
    .examples = "  peal check scatter/binomial                         P = 1..16, all roots\n"
                "  peal check scatter --file F.c --symbol my_scatter   a function of yours\n"
                "  peal check reduce --file F.c --symbol f --op sum    operators that commute\n"
                "  peal check allreduce/ring -p 1:40                   further\n"
                "  peal check --all                                    the whole catalogue\n"
                "  peal check --every                                  every P, from the code\n"
                "  peal check --program F.c -p 4                       a whole program\n"
                "  peal check mpi.c -p 2:4                             one for MPI, in all orders\n",
    .completes = WORDS_TARGET,
    .run = command_check_run,
};
