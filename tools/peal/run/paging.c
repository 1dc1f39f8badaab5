/* SPDX-License-Identifier: MIT */
/* Writes the page of a command: its document is made in memory, then put into the page. */
#include "run/paging.h"
#include "lib/record/record.h"
#include "write/files.h"
#include <stdlib.h>
#include <string.h>

struct paging_picture
paging_picture(const struct command_request *request)
{
    const struct document_options *document = &request->document;

    return document->svg_file ? (struct paging_picture){"--svg", document->svg_file}
                              : (struct paging_picture){"--png", document->png_file};
}

enum peal_status
paging_open(struct paging *paging, const struct command_request *request, struct peal_error *error)
{
    const char *why;

    const struct paging_picture picture = paging_picture(request);
    const char *page = request->document.report_file, *file = page ? page : picture.file;
    const char *option = page ? "--report" : picture.option;

    if (!file)
        return PEAL_OK;
    if (request->document.svg_file && request->document.png_file)
        return peal_refuse(error, PEAL_USAGE, "--svg and --png: one of them at a time");
    if (!report_available(&why))
        return peal_refuse(error, PEAL_RESOURCES, "%s %s: %s", option, file, why);
    if (picture.file && !picture_available(request->document.png_file != NULL, &why))
        return peal_refuse(error, PEAL_RESOURCES, "%s %s: %s", picture.option, picture.file, why);
    if (request->machine.rounds != PEAL_ROUNDS_ALL)
        return peal_refuse(error, PEAL_USAGE, "%s %s shows every round: leave out --rounds", option, file);
    paging->document = open_memstream(&paging->report.document, &paging->report.document_bytes);
    return paging->document ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory for a page");
}

enum peal_status
paging_begin(struct paging *paging, struct peal_machine *machine, struct peal_error *error)
{
    if (!paging->document)
        return PEAL_OK;
    paging->observed = peal_observed_begin(machine, error);
    if (paging->observed && paging->profiles)
        paging->profile = peal_profile_begin(machine, error);
    return paging->observed && (paging->profile || !paging->profiles) ? PEAL_OK : error->status;
}

enum peal_status
paging_record(struct paging *paging, const struct peal_machine *machine, const struct peal_outcome *outcome,
              const char *program, struct peal_error *error)
{
    if (!paging->document)
        return PEAL_OK;
    paging->report.record = peal_record_take(machine, outcome, program, error);
    return paging->report.record ? PEAL_OK : error->status;
}

/* Give the observations as JSON, NULL without any.  Call sites matter in a program, whose lines they are.
 * owner: the caller frees it */
static char *
take_observed(struct paging *paging, bool places)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = paging->observed ? open_memstream(&text, &bytes) : NULL;

    peal_observed_end(paging->observed, out, places);
    paging->observed = NULL;
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Give the profile as JSON; NULL without one.  owner: the caller frees it */
static char *
take_profile(struct paging *paging)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = paging->profile ? open_memstream(&text, &bytes) : NULL;

    if (out)
        peal_profile_write(paging->profile, out);
    peal_profile_end(paging->profile);
    paging->profile = NULL;
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Give the command that made the document, "peal run scatter", NULL when out of memory.  owner: the caller frees it */
static char *
paging_command_name(const struct command_request *request)
{
    char *name = NULL;

    if (asprintf(&name, "peal %s %s", request->command->name, request->argument_count ? request->arguments[0] : "") < 0)
        return NULL;
    return name;
}

enum peal_status
paging_write(FILE *out, struct report *report, struct peal_error *error)
{
    bool holds = report->record && report->kind != REPORT_CHECK; /* a check's own blocks are in its document */
    struct peal_error absent;
    char *blocks = holds ? report_blocks(report->record, &absent) : NULL;

    report->blocks = blocks;
    report->blocks_absent = holds && !blocks ? absent.text : NULL;
    enum peal_status status = report_write(out, report, error);

    report->blocks = report->blocks_absent = NULL;
    free(blocks);
    return status;
}

/* Write the page to a file without a name, draw its picture from that, and copy it to `out` if there is one. */
static enum peal_status
write_picture(FILE *picture, FILE *out, struct report *report, const struct command_request *request,
              struct peal_error *error)
{
    const struct paging_picture asked = paging_picture(request);
    FILE *page = tmpfile();
    enum peal_status status =
        page ? paging_write(page, report, error)
             : peal_refuse(error, PEAL_RESOURCES, "%s %s: no temporary file", asked.option, asked.file);
    char bytes[1 << 16];

    if (status == PEAL_OK && fflush(page) != 0)
        status = peal_refuse(error, PEAL_RESOURCES, "%s %s: no room in a temporary file", asked.option, asked.file);
    if (status == PEAL_OK) {
        struct peal_error why;

        status = picture_draw(picture, page, request->document.view, request->document.png_file != NULL, &why);
        if (status != PEAL_OK)
            peal_refuse(error, status, "%s %s: %s", asked.option, asked.file, why.text);
    }
    if (status == PEAL_OK && out) {
        rewind(page);
        for (size_t n; (n = fread(bytes, 1, sizeof bytes, page)) > 0;)
            fwrite(bytes, 1, n, out);
    }
    if (page)
        fclose(page);
    return status;
}

enum peal_status
paging_end(struct paging *paging, FILE *out, FILE *picture, const struct command_request *request,
           struct peal_error *error)
{
    if (!paging->document)
        return PEAL_OK;
    bool lost = fclose(paging->document) != 0;

    paging->document = NULL;
    char *name = lost ? NULL : paging_command_name(request);

    if (!name)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a page");
    bool places = request->function.file || (request->argument_count && strstr(request->arguments[0], ".c"));
    char *observed = take_observed(paging, places), *profile = take_profile(paging);
    struct report *report = &paging->report;

    report->observed = observed;
    report->profile = profile;
    report->name = name;
    enum peal_status status =
        picture ? write_picture(picture, out, report, request, error) : paging_write(out, report, error);

    free(observed);
    free(profile);
    free(name);
    return status;
}

void
paging_fini(struct paging *paging)
{
    peal_observed_end(paging->observed, NULL, false);
    peal_profile_end(paging->profile);
    if (paging->document)
        fclose(paging->document);
    report_fini(&paging->report);
}
