/* SPDX-License-Identifier: MIT */
/* peal report: a recorded document as one page for the browser. */
#include "command.h"
#include "files.h"
#include "options.h"
#include "paging.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Find the one file to read. */
static enum peal_status
check_arguments(const struct request *request, struct peal_error *error)
{
    const char *why;

    if (!report_available(&why))
        return peal_refuse(error, PEAL_RESOURCES, "%s", why);
    if (request->argument_count == 0)
        return peal_refuse(error, PEAL_USAGE,
                           "say which document: peal report RUN.json -o run.html, RUN.json written by peal run ... "
                           "--json=RUN.json");
    if (request->argument_count > 1 || request->program)
        return peal_refuse(error, PEAL_USAGE, "report takes one document, RUN.json or - for standard input");
    if (!request->output && isatty(STDOUT_FILENO))
        return peal_refuse(error, PEAL_USAGE, "say where the page goes: -o run.html");
    return PEAL_OK;
}

/* Write the page to a file, or to standard output: made in memory first, so that a document that turns out to be wrong leaves
 * no half of a page. */
static enum peal_status
write_page(const struct request *request, struct report *report, struct peal_error *error)
{
    struct output output = {.stream = NULL};
    char *page = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&page, &bytes);
    enum peal_status status = PEAL_OK;

    if (!memory)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the page");
    status = paging_write(memory, report, error);
    if (fclose(memory) != 0 && status == PEAL_OK)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory for the page");
    if (status == PEAL_OK && !request->output)
        fwrite(page, 1, bytes, stdout);
    if (status == PEAL_OK && request->output) {
        status = output_open(&output, request->output, error);
        if (status == PEAL_OK) {
            output_write(&output, page, bytes);
            status = output_commit(&output, error);
        }
        output_discard(&output);
    }
    free(page);
    return status;
}

static int
run(const struct request *request)
{
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = check_arguments(request, &error);
    struct report report = {.name = NULL};
    void *bytes = NULL;

    if (status == PEAL_OK) {
        const char *path = request->arguments[0];
        bool is_input = strcmp(path, "-") == 0;

        report.name = is_input ? "standard input" : path;
        status = file_read(is_input ? "/dev/stdin" : path, &bytes, &report.document_bytes, &error);
        report.document = bytes;
    }
    if (status == PEAL_OK)
        status = write_page(request, &report, &error);
    free(bytes);
    return status == PEAL_OK ? 0 : complain(&error);
}

const struct command command_report = {
    .name = "report",
    .arguments = "RUN.json [-o FILE.html]",
    .summary = "show a run, a comparison or a sweep as one page for the browser",
    .examples = "  peal run scatter -p 8 --json=run.json            record a run\n"
                "  peal report run.json -o run.html                 its page\n"
                "  peal compare allreduce -p 16 --json |\n"
                "      peal report - -o compare.html                of a comparison\n",
    .takes = OPTIONS_REPORT,
    .completes = WORDS_FILE,
    .run = run,
};
