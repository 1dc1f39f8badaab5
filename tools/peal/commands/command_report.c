/* SPDX-License-Identifier: MIT */
/* peal report: a recorded document as one page for the browser. */
#include "commands/commands.h"

/* Find the one file to read. */
static enum peal_status
check_arguments(const struct command_request *request, struct peal_error *error)
{
    const char *why;

    if (!report_available(&why))
        return peal_refuse(error, PEAL_RESOURCES, "%s", why);
    if (request->argument_count == 0)
        return peal_refuse(error, PEAL_USAGE,
                           "expected a document: peal report RUN.json -o run.html, RUN.json written by peal run ... "
                           "--json=RUN.json, or a collective, as in peal report scatter");
    if (request->argument_count > 1)
        return peal_refuse(error, PEAL_USAGE,
                           "report takes one document, RUN.json, - for standard input, or a collective");
    if (is_record(request->arguments[0]) && request->program)
        return peal_refuse(error, PEAL_USAGE, "report takes one document, RUN.json or - for standard input");
    if (!request->report->output && isatty(STDOUT_FILENO))
        return peal_refuse(error, PEAL_USAGE, "expected a file for the page: -o run.html");
    return PEAL_OK;
}

/* A page in memory. */
struct page {
    char *text;
    size_t bytes;
};

static void
report_write_text(FILE *out, const struct page *page)
{
    fwrite(page->text, 1, page->bytes, out);
}

DOCUMENT_WRITER(write_made, report_write_text)

/* Write the page to a file, or to standard output: made in memory first, so that an invalid document leaves
 * no half-written page. */
static enum peal_status
report_write_page(const struct command_request *request, struct report *report, struct peal_error *error)
{
    struct page page = {NULL, 0};
    FILE *memory = open_memstream(&page.text, &page.bytes);
    enum peal_status status = PEAL_OK;

    if (!memory)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the page");
    status = paging_write(memory, report, error);
    if (fclose(memory) != 0 && status == PEAL_OK)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory for the page");
    if (status == PEAL_OK && !request->report->output)
        report_write_text(stdout, &page);
    else if (status == PEAL_OK)
        status = writings_put(request->report->output, write_made, &page, error);
    free(page.text);
    return status;
}

/* Make the run, and its page. */
static int
report_now(const struct command_request *request)
{
    struct command_request with_page = *request;

    if (strcmp(request->machine.engine, "mpi") == 0)
        return complain_of(PEAL_USAGE, "--engine mpi: peal run --report FILE.html writes the page of a run on MPI");
    with_page.document.report_file = request->report->output ? request->report->output : "/dev/stdout";
    return session_run(&with_page, session_complain);
}

static enum peal_collective
report_collective(const struct peal_record *record)
{
    enum peal_collective collective = PEAL_COLLECTIVES;

    peal_collective_find(record->collective, &collective);
    return collective;
}

/* Load the function that was run and recorded, so that the run can be repeated. */
static enum peal_status
load_own(const struct command_request *request, const struct report *report, const struct peal_algorithm **own,
         struct peal_error *error)
{
    const struct peal_record *record = report->kind == REPORT_RUN ? report->record : NULL;
    struct session session = {.program = NULL};
    enum peal_status status = PEAL_OK;

    if (!record || !record->collective)
        status = peal_refuse(error, PEAL_USAGE, "--file %s: %s holds no run of a collective", request->function.file,
                             report->name);
    else
        status = target_load(&session, request, peal_call_name(report_collective(record), record->sizes != NULL),
                             record->options.nodes, own, error);
    if (status == PEAL_OK && strcmp((*own)->name, record->algorithm) != 0)
        status = peal_refuse(error, PEAL_USAGE, "%s is a run of %s, not of %s", report->name, record->algorithm,
                             (*own)->name);
    return status;
}

/* The options that are of use for a recorded run. */
static const char *const of_recorded[] = {"output", "file", "symbol", "cc", "cflags", "max-document", "topology", NULL};

static int
report_recorded(const struct command_request *request)
{
    struct peal_error error = {PEAL_OK, ""};
    struct report report = {.name = NULL};
    const struct peal_algorithm *own = NULL;
    const char *path = request->arguments[0];
    bool is_input = strcmp(path, "-") == 0;
    void *bytes = NULL;
    enum peal_status status = options_fit_recorded(request, of_recorded, "peal report scatter", &error);

    report.name = is_input ? "standard input" : path;
    if (status == PEAL_OK)
        status = target_compiles_nothing(request, &error);
    if (status == PEAL_OK)
        status = file_read_document(is_input ? "/dev/stdin" : path, &bytes, &report.document_bytes, &error);
    report.document = bytes;
    if (status == PEAL_OK)
        status = report_read(&report, &error);
    if (status == PEAL_OK && report.record)
        status = document_fits(request, report.name, report.record->options.topology, &error);
    if (status == PEAL_OK && request->function.file)
        status = load_own(request, &report, &own, &error);
    if (status == PEAL_OK)
        status = report_write_page(request, &report, &error);
    peal_algorithm_unload(own);
    report_fini(&report);
    return status == PEAL_OK ? 0 : complain(&error);
}

static int
command_report_run(const struct command_request *request)
{
    struct peal_error error = {PEAL_OK, ""};

    if (check_arguments(request, &error) != PEAL_OK)
        return complain(&error);
    return is_record(request->arguments[0]) ? report_recorded(request) : report_now(request);
}

const struct command command_report = {
    .name = "report",
    .arguments = "RUN.json | COLLECTIVE[/ALGORITHM] | FILE.c  [options]",
    .summary = "show a run, a comparison or a sweep as one page for the browser",
    .examples = "  peal report scatter -p 8 -o run.html             run it, and its page\n"
                "  peal run scatter -p 8 --json=run.json            record a run\n"
                "  peal report run.json -o run.html                 its page\n"
                "  peal compare allreduce -p 16 --json |\n"
                "      peal report - -o compare.html                of a comparison\n",
    .completes = WORDS_FILE,
    .run = command_report_run,
};
