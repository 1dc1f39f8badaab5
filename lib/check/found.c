/* SPDX-License-Identifier: MIT */
/* Completes the findings of a check by their cases, and sends them to its parent. */
#include "lib/check/found.h"
#include "lib/child/child_message.h"
#include "lib/child/stderr_tail.h"
#include "lib/labels/vectors.h"
#include <peal/hints.h>

void
check_report_error(const struct check_reporter *reporter, const struct peal_error *error)
{
    struct prover_message message = {.what = MESSAGE_ERROR};

    message.as.error.status = error->status;
    snprintf(message.as.error.text, sizeof message.as.error.text, "%s", error->text); /* later bytes are not sent */
    if (reporter->unit)
        unit_shorten(reporter->unit, reporter->check->file, message.as.error.text, sizeof message.as.error.text);
    child_send_message(reporter->child, &message, sizeof message);
}

void
check_report_last_error(const struct check_reporter *reporter, const struct peal_error *error)
{
    check_report_error(reporter, error);
    child_exit(0);
}

void
tell_choices(struct peal_finding *finding)
{
    for (int i = 0; i < finding->choice_count && !finding->choices_cut; i++)
        peal_append(IN_ARRAY(finding->rerun), "%s%d", i == 0 ? " --choices " : ",", finding->choices[i]);
}

/* Complete a finding by its case. */
static void
finding_set_case(const struct check_reporter *reporter, const struct peal_check_case *where,
                 struct peal_finding *finding)
{
    finding->where = *where;
    finding->where.to = NULL;
    cases_text(reporter->check, where, finding->rerun, sizeof finding->rerun);
    tell_choices(finding);
    if (reporter->unit) { /* a crash is reported at the line of the file, not of the program around it */
        unit_shorten(reporter->unit, reporter->check->file, finding->message, sizeof finding->message);
        unit_shorten(reporter->unit, reporter->check->file, finding->file, sizeof finding->file);
        unit_shorten(reporter->unit, reporter->check->file, finding->fix, sizeof finding->fix);
    }
}

void
check_report_refusal(const struct check_reporter *reporter, const struct peal_check_case *where,
                     struct peal_finding finding, int output)
{
    struct prover_message message = {.what = MESSAGE_REFUSAL};
    char printed[sizeof message.as.refusal.said] = "";

    finding_set_case(reporter, where, &finding);
    message.as.refusal.finding = finding;
    peal_stderr_tail_read(output, printed, sizeof printed);
    const char *line = printed + strspn(printed, "0123456789"); /* "3: ..." */

    message.as.refusal.said[0] = '\0';
    peal_append(IN_ARRAY(message.as.refusal.said), "%s",
                finding.error_output[0] ? finding.error_output : line + 2 * (strncmp(line, ": ", 2) == 0));
    child_send_message(reporter->child, &message, sizeof message);
}

/* ------------------------------------------------------------------ how it was called */

static void
say_nodes(struct peal_text text, const char *of, const struct vectors *data)
{
    peal_append(text, "%s node%s ", of, plural((size_t)data->where->nodes));
    for (int rank = 0; rank < data->where->nodes; rank++)
        peal_append(text, "%s%d", rank ? ", " : "", vectors_node(data, rank));
}

void
finding_say_call(struct peal_finding *finding, const struct peal_check *check, const struct peal_check_case *c,
                 const struct vectors *earlier, const struct vectors *data)
{
    static const char *const words[PEAL_CALLS] = {
        "called twice in a row",
        "called in a group of",
        "with a datatype of 8 bytes whose extent is 16",
        "with a datatype of 8 bytes, the second half of a struct of 16",
        "with gaps between the blocks",
        "called on two communicators, the second one in reverse order",
        "called on two communicators at once, the first of",
        "called on two communicators in a row, the first of",
        "with buffers where they are not significant",
        "the first call with another root",
        "the first call with other sizes",
    };
    char message[sizeof finding->message], how[390] = "";

    for (int i = 0; i < PEAL_CALLS; i++) {
        const unsigned way = 1U << i;

        if (!(c->call & way))
            continue;
        peal_append(IN_ARRAY(how), "%s%s", how[0] ? ", " : "", words[i]);
        if (way & CALLS_MORE_NODES)
            say_nodes(IN_ARRAY(how), "", way == PEAL_CALL_IN_GROUP ? data : earlier);
        if (way & CALLS_MORE_NODES & CALLS_TWO)
            say_nodes(IN_ARRAY(how), ", the second of", data);
    }
    if (c->call & PEAL_CALL_GIVEN && finding->kind == PEAL_OUT_OF_BOUNDS)
        snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(root_alone));
    if (c->call & CALLS_TYPES && !finding->fix[0])
        snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(extent_apart));
    if (check->mpi && c->call & CALLS_MORE_NODES && finding->kind != PEAL_LEAK)
        snprintf(finding->fix, sizeof finding->fix, "%s", PEAL_HINT(on_comm));
    memcpy(message, finding->message, sizeof message);
    finding->message[0] = '\0';
    peal_append(IN_ARRAY(finding->message), "%s: %s", how, message);
}

/* ------------------------------------------------------------------ reporting */

void
check_report_finding(struct check_reporter *reporter, const struct peal_check_case *where, struct peal_finding finding)
{
    struct prover_message message = {.what = MESSAGE_FINDING};

    if (cases_tolerated(reporter->check, where) && finding.severity == PEAL_SEVERITY_ERROR) {
        finding.severity = PEAL_SEVERITY_WARNING;
        atomic_store(&reporter->progress->separate, true);
    }
    for (int severity = PEAL_SEVERITY_ERROR; severity <= (int)finding.severity; severity++)
        if (reporter->seen[severity][finding.kind])
            return;
    reporter->seen[finding.severity][finding.kind] = true;
    reporter->wrong |= finding.severity == PEAL_SEVERITY_ERROR;
    finding_set_case(reporter, where, &finding);
    message.as.finding = finding;
    child_send_message(reporter->child, &message, sizeof message);
    if (reporter->check->first_only && finding.severity == PEAL_SEVERITY_ERROR) {
        message.what = MESSAGE_END;
        memset(&message.as, 0, sizeof message.as);
        child_send_message(reporter->child, &message, sizeof message);
        child_exit(0);
    }
}
