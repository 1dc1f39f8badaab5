/* SPDX-License-Identifier: MIT */
/* Writes a suite of tests as JUnit does, for test tools. */
#include "lib/record/xml.h"
#include "write/written.h"

void
junit_begin(FILE *out, const char *suite, int tests, int failures)
{
    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\">\n",
            suite, tests, failures);
}

static void
write_one(void *writer, const struct written_fault *one)
{
    FILE *out = writer;

    if (one->passes)
        return;
    fprintf(out, "    <failure type=\"%s\" message=\"", peal_failure_name(one->fault->kind));
    peal_write_xml(out, one->fault->message, false);
    fputs("\">", out);
    peal_write_xml(out, one->text ? one->text : "", false);
    fputs("</failure>\n", out);
}

void
junit_test(FILE *out, const struct junit_test *test, const void *what, written_each each)
{
    fputs("  <testcase classname=\"peal\" name=\"", out);
    peal_write_xml(out, test->name, false);
    if (test->nodes > 0)
        fprintf(out, " on %d nodes", test->nodes);
    fprintf(out, "\" time=\"%.3f\">\n", test->seconds);
    if (test->skipped) {
        fputs("    <skipped message=\"", out);
        peal_write_xml(out, test->skipped, false);
        fputs("\"/>\n", out);
    }
    each(what, write_one, out);
    fputs("  </testcase>\n", out);
}

void
junit_end(FILE *out)
{
    fputs("</testsuite>\n", out);
}
