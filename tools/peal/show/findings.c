/* SPDX-License-Identifier: MIT */
/* Prints the findings of a run as compilers do, each once per line, and writes them for test tools. */
#include "lib/base/grow.h"
#include "show/show.h"
#include "write/written.h"
#include <stdlib.h>
#include <unistd.h>

/* ------------------------------------------------------------------ for people */

/* Whether a finding of this kind was shown for this line, of any node; if not, remember it. */
static bool
is_repeated(struct shown *shown, const struct peal_run_finding *finding)
{
    for (size_t i = 0; finding->file[0] && i < shown->count; i++)
        if (shown->list[i].kind == finding->kind && shown->list[i].severity == finding->severity &&
            shown->list[i].line == finding->line && strcmp(shown->list[i].file, finding->file) == 0)
            return true;
    if (!finding->file[0] || !grow_by_one(&shown->list, shown->count, sizeof *shown->list))
        return false;
    shown->list[shown->count] =
        (struct shown_line){finding->kind, finding->severity, finding->line, strdup(finding->file)};
    shown->count += shown->list[shown->count].file != NULL;
    return false;
}

void
finding_tell(const struct peal_run_finding *finding, void *all)
{
    const struct peal_found found = peal_found_in_run(finding);
    struct shown *shown = all;

    shown->findings += finding->severity != PEAL_SEVERITY_NOTE;
    if (is_repeated(shown, finding))
        return;
    shown->lines += finding->severity != PEAL_SEVERITY_NOTE;
    flockfile(stderr);
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr); /* the progress line */
    text_write(stderr, TEXT_PLACED, &found);
    funlockfile(stderr);
}

void
findings_sum(FILE *out, const struct shown *shown)
{
    if (shown->findings > 1)
        fprintf(out, "peal: %zu findings at %zu line%s%s\n", shown->findings, shown->lines, plural(shown->lines),
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

/* ------------------------------------------------------------------ for other programs */

/* Give a failure or a finding to a writer. */
static void
take_one(struct peal_found one, written_take take, void *writer)
{
    char *text = NULL;

    if (one.fault->file[0] && asprintf(&text, "%s:%d", one.fault->file, one.fault->line) < 0)
        text = NULL;
    one.text = text;
    take(writer, &one);
    free(text);
}

static void
findings_each_found(const void *what, written_take take, void *writer)
{
    const struct session *session = what;
    const struct peal_failure *failure = session->failure;
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(session->machine, &count);

    if (failure)
        take_one(peal_found_at_end(failure, false), take, writer);
    for (const struct peal_run_finding *f = findings; count > 0; f++, count--)
        take_one(peal_found_in_run(f), take, writer);
}

void
findings_write_junit(FILE *out, const struct session *session)
{
    const struct junit_test test = {.name = session->name,
                                    .nodes = peal_machine_options(session->machine)->nodes,
                                    .seconds = peal_machine_host(session->machine).seconds};
    size_t count;
    const struct peal_run_finding *findings = peal_machine_findings(session->machine, &count);

    junit_alone(out, "peal run", &test, session->failure || findings_have_fault(findings, count), session,
                findings_each_found);
}

SARIF_WRITER(findings_write_sarif, findings_each_found)
