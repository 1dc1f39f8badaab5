/* SPDX-License-Identifier: MIT */
/* Writes a suite of tests as JUnit does, for test tools. */
#include "lib/base/text.h"
#include "lib/record/xml.h"
#include "write/written.h"

/* Write `before` and the text, in an attribute its first line, or all of it. */
static void
junit_write_text(FILE *out, const char *before, const char *text, bool all)
{
    char first[1000];

    snprintf(first, sizeof first, "%.*s", (int)strcspn(text, "\n"), text);
    fputs(before, out);
    peal_write_xml(out, all ? text : first, all);
}

static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

void
junit_all_begin(FILE *out, const char *name)
{
    fputs(head, out);
    junit_write_text(out, "<testsuites name=\"", name, false);
    fputs("\">\n", out);
}

void
junit_all_end(FILE *out)
{
    fputs("</testsuites>\n", out);
}

void
junit_begin(FILE *out, const struct junit_suite *suite)
{
    if (!suite->inside)
        fputs(head, out);
    junit_write_text(out, "<testsuite name=\"", suite->name, false);
    fprintf(out, "\" tests=\"%d\" failures=\"%d\"", suite->tests, suite->failures);
    if (suite->inside)
        fprintf(out, " errors=\"%d\"", suite->errors);
    fputs(">\n", out);
}

static void
junit_write_one(void *writer, const struct peal_found *one)
{
    FILE *out = writer;
    const char *message = one->message ? one->message : one->fault->message, *text = one->message ? message : one->text;

    if (one->passes)
        return;
    fprintf(out, "    <failure type=\"%s\"", one->name ? one->name : peal_failure_name(one->fault->kind));
    junit_write_text(out, " message=\"", message, false);
    junit_write_text(out, "\">", text ? text : "", true);
    fputs("</failure>\n", out);
}

void
junit_test(FILE *out, const struct junit_test *test, const void *what, written_each each)
{
    junit_write_text(out, "  <testcase classname=\"", test->class ? test->class : "peal", false);
    junit_write_text(out, "\" name=\"", test->name, false);
    if (test->nodes > 0)
        fprintf(out, " on %d node%s", test->nodes, plural(test->nodes));
    if (test->seconds >= 0)
        fprintf(out, "\" time=\"%.3f", test->seconds);
    fputs("\">\n", out);
    if (test->skipped) {
        junit_write_text(out, "    <skipped message=\"", test->skipped, false);
        fputs("\"/>\n", out);
    }
    if (test->error) {
        junit_write_text(out, "    <error type=\"not-marked\" message=\"", test->error, false);
        junit_write_text(out, "\">", test->error, true);
        fputs("</error>\n", out);
    }
    each(what, junit_write_one, out);
    if (test->output) {
        junit_write_text(out, "    <system-out>", test->output, true);
        fputs("</system-out>\n", out);
    }
    fputs("  </testcase>\n", out);
}

void
junit_end(FILE *out)
{
    fputs("</testsuite>\n", out);
}

void
junit_alone(FILE *out, const char *suite, const struct junit_test *test, bool fails, const void *what,
            written_each each)
{
    junit_begin(out, &(struct junit_suite){.name = suite, .tests = 1, .failures = fails});
    junit_test(out, test, what, each);
    junit_end(out);
}
