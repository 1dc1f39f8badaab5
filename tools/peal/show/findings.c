/* SPDX-License-Identifier: MIT */
/* Prints the findings of a run as compilers do, each once for a line, and writes them for test tools. */
#include "show/findings.h"
#include "lib/base/grow.h"
#include "lib/record/json.h"
#include "show/print.h"
#include "show/show.h"
#include "write/sarif.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------ for people */

/* How many of the finding's places are shown. */
enum { MAX_PLACES = 8 };

/* Whether a place before this one has the same line. */
static bool
was_shown(const struct peal_run_finding *finding, int i)
{
    const struct peal_place *place = &finding->places[i];

    for (int k = 0; k < i; k++)
        if (finding->places[k].line == place->line && finding->places[k].file && place->file &&
            strcmp(finding->places[k].file, place->file) == 0)
            return true;
    return !place->file;
}

void
finding_show(FILE *out, const struct peal_run_finding *finding)
{
    const struct peal_place *first = &finding->places[0];
    const bool note = finding->severity == PEAL_SEVERITY_NOTE;

    if (first->file && first->line > 0)
        fprintf(out, "%s:%d: ", first->file, first->line);
    else
        fputs("peal: ", out);
    print_inked(out, note ? BOLD : BAD, note ? "note" : "finding");
    fprintf(out, ": %s: %s\n", peal_failure_name(finding->kind), finding->message);
    for (int i = 1, shown = 0; i < finding->place_count && shown < MAX_PLACES; i++) {
        if (was_shown(finding, i))
            continue;
        fprintf(out, "%s:%d: note: node %d\n", finding->places[i].file, finding->places[i].line,
                finding->places[i].rank);
        shown++;
    }
    if (finding->cycle_length > 0)
        show_cycle(out, finding->cycle, finding->cycle_length);
    show_advice(out, finding->rule, finding->fix);
}

/* Whether a finding of this kind was shown for this line, of any node; if not, remember it. */
static bool
is_repeated(struct shown *shown, const struct peal_run_finding *finding)
{
    const struct peal_place *place = &finding->places[0];

    for (size_t i = 0; place->file && i < shown->count; i++)
        if (shown->list[i].kind == finding->kind && shown->list[i].severity == finding->severity &&
            shown->list[i].line == place->line && strcmp(shown->list[i].file, place->file) == 0)
            return true;
    if (!place->file || !grow_by_one(&shown->list, shown->count, sizeof *shown->list))
        return false;
    shown->list[shown->count] = (struct shown_line){finding->kind, finding->severity, place->line, strdup(place->file)};
    shown->count += shown->list[shown->count].file != NULL;
    return false;
}

void
finding_tell(const struct peal_run_finding *finding, void *all)
{
    struct shown *shown = all;

    shown->findings += finding->severity != PEAL_SEVERITY_NOTE;
    if (is_repeated(shown, finding))
        return;
    shown->lines += finding->severity != PEAL_SEVERITY_NOTE;
    flockfile(stderr);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); /* the progress line */
    finding_show(stderr, finding);
    funlockfile(stderr);
}

void
findings_sum(FILE *out, const struct shown *shown)
{
    if (shown->findings > 1)
        fprintf(out, "peal: %zu findings at %zu line%s%s\n", shown->findings, shown->lines, print_plural(shown->lines),
                shown->findings > shown->lines ? "; the others are of other nodes (--json has them all)" : "");
}

void
shown_fini(struct shown *shown)
{
    for (size_t i = 0; i < shown->count; i++)
        free(shown->list[i].file);
    free(shown->list);
}

bool
findings_have_fault(const struct peal_run_finding *findings, size_t count)
{
    size_t notes = 0;

    while (notes < count && findings[notes].severity == PEAL_SEVERITY_NOTE)
        notes++;
    return notes < count;
}

/* ------------------------------------------------------------------ for test tools */

static void
write_one(FILE *out, enum peal_failure_kind kind, const char *message, const char *file, int line)
{
    char *place = NULL;

    if (file && asprintf(&place, "%s:%d", file, line) < 0)
        place = NULL;
    junit_failure(out, kind, message, place);
    free(place);
}

void
findings_write_junit(FILE *out, const struct session *session)
{
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(session->machine, &count);
    const struct peal_failure *failure = session->failure;

    junit_begin(out, "peal run", session->name, peal_machine_options(session->machine)->nodes,
                peal_machine_host(session->machine).seconds, failure || findings_have_fault(findings, count));
    if (failure)
        write_one(out, failure->kind, failure->message, failure->file, failure->line);
    for (size_t i = 0; i < count; i++)
        if (findings[i].severity != PEAL_SEVERITY_NOTE)
            write_one(out, findings[i].kind, findings[i].message, findings[i].places[0].file,
                      findings[i].places[0].line);
    junit_end(out);
}

/* ------------------------------------------------------------------ for editors and forges */

void
findings_write_sarif(FILE *out, const struct session *session)
{
    struct peal_json json;
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(session->machine, &count);
    const struct peal_failure *failure = session->failure;

    sarif_begin(&json, out);
    if (failure) {
        struct sarif_result result = {.kind = failure->kind,
                                      .level = "error",
                                      .message = failure->message,
                                      .fix = failure->fix,
                                      .places = &failure->place,
                                      .place_count = 1};

        sarif_result(&json, &result);
    }
    for (size_t i = 0; i < count; i++) {
        const struct peal_run_finding *f = &findings[i];
        struct sarif_result result = {.kind = f->kind,
                                      .level = peal_severity_name(f->severity),
                                      .message = f->message,
                                      .rule = f->rule,
                                      .fix = f->fix,
                                      .places = f->places,
                                      .place_count = f->place_count};

        sarif_result(&json, &result);
    }
    sarif_end(&json);
}
