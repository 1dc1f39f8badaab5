/* SPDX-License-Identifier: MIT */
/* Reads the document of a page from a file, or from the process that made a check's run.  Its parts are found as text,
 * after it is known to be JSON. */
#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "lib/record/read.h"
#include "write/report.h"
#include <jansson.h>
#include <stdlib.h>

enum { ANY_JSON = JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL };

/* The documents that a page shows, the members in which their run is, and the objects and lists that the page draws. */
static const struct readable {
    const char *schema;
    enum report_kind kind;
    const char *path[3], *parts[3]; /* up to NULL */
    bool none;                      /* it has no run */
} readables[] = {
    {"peal/run/1", REPORT_RUN, {NULL}, {NULL}, false},
    {"peal/app/1", REPORT_RUN, {"run"}, {"run"}, false},
    {"peal/compare/2", REPORT_RUN, {NULL}, {"algorithms", "excluded"}, true},
    {"peal/sweep/1", REPORT_RUN, {NULL}, {"points", "crossovers"}, true},
    {"peal/scale/1", REPORT_RUN, {NULL}, {"runs"}, true},
    {"peal/model/1", REPORT_RUN, {NULL}, {"times", "choices"}, true},
    {"peal/lesson/1", REPORT_LESSON, {NULL}, {"lessons"}, true},
    {"peal/check/1", REPORT_CHECK, {"shown", "run"}, {"checks", "findings"}, false},
};

/* The first of the document's parts that is missing; NULL. */
static const char *
missing_part(const struct readable *readable, const json_t *root)
{
    for (const char *const *part = readable->parts; *part; part++) {
        const json_t *value = json_object_get(root, *part);

        if (!json_is_array(value) && !json_is_object(value))
            return *part;
    }
    return NULL;
}

/* Refuse a document that is not JSON or not ours; NULL then. */
static const struct readable *
find_readable(const struct report *report, struct peal_error *error)
{
    json_error_t why;
    json_t *root = json_loadb(report->document, report->document_bytes, ANY_JSON, &why);
    const char *schema = json_string_value(json_object_get(root, "schema"));
    const struct readable *found = NULL;
    const char *missing;

    for (size_t i = 0; schema && i < sizeof readables / sizeof *readables; i++)
        if (strcmp(schema, readables[i].schema) == 0)
            found = &readables[i];
    if (!root) {
        peal_refuse(error, PEAL_USAGE, "%s, line %d, column %d: %s", report->name, why.line, why.column, why.text);
    } else if (!schema) {
        peal_refuse(error, PEAL_USAGE, "%s: no \"schema\": a document of peal begins with one, as \"peal/run/1\"",
                    report->name);
    } else if (!found) {
        char shown[64];

        peal_append(empty_text(shown, sizeof shown), "%s", schema);
        peal_refuse(error, PEAL_USAGE,
                    "%s: a page shows peal/run/1, app/1, compare/2, sweep/1, scale/1, model/1, check/1 and lesson/1, "
                    "not '%s'",
                    report->name, shown);
    } else if ((missing = missing_part(found, root))) {
        peal_refuse(error, PEAL_USAGE, "%s: no \"%s\", which a document %s has", report->name, missing, schema);
        found = NULL;
    }
    json_decref(root);
    return found;
}

/* Whether the rounds have only the number of their transfers, or are absent: --rounds summary, none. */
static bool
is_summary(struct peal_json_span run)
{
    struct peal_json_span rounds = peal_json_member(run, "rounds"), round = {NULL, NULL};

    if (!rounds.begin || *rounds.begin != '[')
        return false;
    if (!peal_json_next(rounds, &round))
        return true;
    struct peal_json_span transfers = peal_json_member(round, "transfers");

    return transfers.begin && transfers.end > transfers.begin &&
           strspn(transfers.begin, "0123456789") >= (size_t)(transfers.end - transfers.begin) &&
           transfers.end - transfers.begin < 16;
}

/* Read a run; NULL with status PEAL_OK when there is none, or only the sums of its rounds. */
static struct peal_record *
read_run(const struct report *report, struct peal_json_span run, enum peal_status *status, struct peal_error *error)
{
    struct peal_record *record = NULL;

    *status = PEAL_OK;
    if (run.begin)
        record = peal_read_json(report->name, run.begin, (size_t)(run.end - run.begin), error);
    if (run.begin && !record && !is_summary(run))
        *status = error->status;
    return record;
}

/* Read the run in a document, and write it there as a page has it. */
static enum peal_status
read_run_inside(struct report *report, char **document, size_t *bytes, const char *const *path,
                struct peal_error *error)
{
    struct peal_json_span whole = {*document, *document + *bytes}, run = whole;
    enum peal_status status;
    char *text = NULL;
    size_t text_bytes = 0;

    for (; *path && run.begin; path++)
        run = peal_json_member(run, *path);
    report->record = read_run(report, run, &status, error);
    if (!report->record || report->record->schedule.transfer_count <= REPORT_MAX_TRANSFERS)
        return status;
    FILE *out = open_memstream(&text, &text_bytes);

    if (!out)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    fwrite(whole.begin, 1, (size_t)(run.begin - whole.begin), out);
    status = report_write_run(out, report->record, error);
    fwrite(run.end, 1, (size_t)(whole.end - run.end), out);
    if (fclose(out) != 0 && status == PEAL_OK)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    free(*document);
    *document = text;
    *bytes = text_bytes;
    return status;
}

static enum peal_status
read_lessons(struct report *report, struct peal_error *error)
{
    struct peal_json_span whole = {report->document, report->document + report->document_bytes};
    struct peal_json_span lessons = peal_json_member(whole, "lessons"), lesson = {NULL, NULL};
    enum peal_status status = PEAL_OK;

    while (status == PEAL_OK && peal_json_next(lessons, &lesson)) {
        struct peal_json_span steps = peal_json_member(lesson, "steps"), step = {NULL, NULL};

        while (status == PEAL_OK && peal_json_next(steps, &step)) {
            struct peal_json_span run = peal_json_member(step, "run");

            if (!run.begin)
                continue;
            if (!grow_by_one(&report->runs, report->run_count, sizeof(struct peal_record *)))
                return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
            report->runs[report->run_count++] = read_run(report, run, &status, error);
        }
    }
    return status;
}

enum peal_status
report_read(struct report *report, struct peal_error *error)
{
    const struct readable *readable = find_readable(report, error);

    if (!readable)
        return error->status;
    report->kind = readable->kind;
    if (report->kind == REPORT_LESSON)
        return read_lessons(report, error);
    if (readable->none)
        return PEAL_OK;
    enum peal_status status =
        read_run_inside(report, &report->document, &report->document_bytes, readable->path, error);

    return report->kind == REPORT_CHECK ? PEAL_OK : status; /* a checked file may contain its own */
}

void
report_read_shown(struct report *report, char **text)
{
    static const char *const path[] = {"run", NULL};
    struct peal_error ignored;
    json_t *root = *text ? json_loads(*text, ANY_JSON, NULL) : NULL;
    size_t bytes = root ? strlen(*text) : 0;

    if (root) {
        read_run_inside(report, text, &bytes, path, &ignored);
    } else {
        free(*text);
        *text = NULL;
    }
    json_decref(root);
}

void
report_fini(struct report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        peal_record_destroy(report->runs[i]);
    free(report->runs);
    peal_record_destroy(report->record);
    free(report->document);
}
