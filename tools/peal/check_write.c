/* SPDX-License-Identifier: MIT */
#include "check_write.h"
#include "check_show.h"
#include "document.h"
#include <inttypes.h>
#include <stdlib.h>

/* "command": what a shell runs. */
static void
write_command(FILE *out, const struct peal_check *check, const struct peal_finding *f)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);

    if (memory) {
        check_show_command(memory, check, f);
        fclose(memory);
    }
    document_text(out, "command", text);
    free(text);
}

static void
write_finding(FILE *out, const struct peal_check *check, const struct peal_finding *f)
{
    const struct peal_check_case *c = &f->where;

    fputs("\n    {", out);
    document_text(out, "collective", check->program ? NULL : peal_call_name(check->collective, check->unequal));
    fputs(", ", out);
    document_text(out, "algorithm", check->algorithm);
    fputs(", ", out);
    document_text(out, "kind", peal_failure_name(f->kind));
    fputs(", ", out);
    document_text(out, "severity", f->warning ? "warning" : "error");
    fputs(",\n     ", out);
    document_text(out, "message", f->message);
    fprintf(out, ",\n     \"case\": {\"nodes\": %d, \"root\": %d, \"words\": %zu, \"by\": %d, \"sizes\": ", c->nodes,
            c->root, c->words, c->by);
    for (int i = 0; i < c->size_count; i++)
        fprintf(out, "%s%zu", i == 0 ? "[" : ", ", c->sizes[i]);
    fputs(c->size_count > 0 ? "], " : "null, ", out);
    document_text(out, "topology", c->topology);
    if (c->ports == PEAL_PORTS_ALL)
        fputs(", \"ports\": \"all\", ", out);
    else
        fprintf(out, ", \"ports\": %d, ", c->ports);
    fprintf(out, "\"duplex\": \"%s\", \"switching\": \"%s\", \"combining\": %s, ", c->half_duplex ? "half" : "full",
            peal_switching_name(c->switching), c->noncombining ? "false" : "true");
    if (c->eager)
        fprintf(out, "\"delivery\": \"eager:%zu\"", c->eager_words);
    else
        fputs("\"delivery\": \"rendezvous\"", out);
    fprintf(out, ", \"in_place\": %s", c->in_place ? "true" : "false");
    fprintf(out, ", \"seed\": %" PRIu64 ", \"choices\": ", c->seed);
    for (int i = 0; i < f->choice_count; i++)
        fprintf(out, "%s%d", i == 0 ? "[" : ", ", f->choices[i]);
    fputs(f->choice_count > 0 ? "]},\n     " : "null},\n     ", out);
    document_text(out, "rerun", f->rerun);
    fputs(", ", out);
    write_command(out, check, f);
    fputs(",\n     ", out);
    document_text(out, "file", f->file[0] ? f->file : NULL);
    if (f->file[0])
        fprintf(out, ", \"line\": %d, ", f->line);
    else
        fputs(", \"line\": null, ", out);
    if (f->round > 0)
        fprintf(out, "\"round\": %d}", f->round);
    else
        fputs("\"round\": null}", out);
}

static void
write_check(FILE *out, const struct peal_check *check, const struct peal_verdict *v)
{
    fputs("\n    {", out);
    document_text(out, "collective", check->program ? NULL : peal_call_name(check->collective, check->unequal));
    fputs(", ", out);
    document_text(out, "algorithm", check->algorithm);
    fprintf(out, ", \"proved\": %s, ", v->proved ? "true" : "false");
    document_text(out, "nodes", v->bound);
    fputs(", ", out);
    document_text(out, "beyond", v->beyond[0] ? v->beyond : NULL);
    fprintf(out, ", \"runs\": %" PRIu64 ", ", v->runs);
    document_text(out, "reason", v->reason[0] ? v->reason : NULL);
    fputs(", ", out);
    document_text(out, "not_told_apart", v->not_told_apart[0] ? v->not_told_apart : NULL);
    fputs(", \"seconds\": ", out);
    document_number(out, v->seconds);
    fputc('}', out);
}

void
check_write_json(FILE *out, const struct checks *all, const char *shown)
{
    bool proved = true, follows = false;
    uint64_t runs = 0;
    char only[NARROWING];

    for (int i = 0; i < all->count; i++) {
        proved &= all->verdicts[i].proved;
        runs += all->verdicts[i].runs;
    }
    fprintf(out,
            "{\n  \"schema\": \"peal/check/1\", \"proved\": %s,\n  \"bound\": {\"nodes_from\": %d, \"nodes_to\": %d, ",
            proved ? "true" : "false", all->checks[0].nodes_from, all->checks[0].nodes_to);
    checks_narrowing(&all->checks[0], &all->verdicts[0], only);
    document_text(out, "only", only[0] ? only + 2 : NULL);
    fputs(", ", out);
    document_text(out, "beyond", all->verdicts[0].beyond[0] ? all->verdicts[0].beyond : NULL);
    fprintf(out, "}, \"runs\": %" PRIu64 ",\n  ", runs);
    document_text(out, "file", all->request->checked_program ? all->request->checked_program : all->request->file);
    fputs(", ", out);
    document_text(out, "symbol", all->request->symbol);
    fputs(",\n  \"checks\": [", out);
    for (int i = 0; i < all->count; i++) {
        fputs(i > 0 ? "," : "", out);
        write_check(out, &all->checks[i], &all->verdicts[i]);
    }
    fputs("\n  ],\n  \"findings\": [", out);
    for (int i = 0; i < all->count; i++)
        for (int j = 0; j < all->verdicts[i].finding_count; j++) {
            fputs(follows ? "," : "", out);
            follows = true;
            write_finding(out, &all->checks[i], &all->verdicts[i].findings[j]);
        }
    fputs(follows ? "\n  ]" : "]", out);
    if (shown)
        fprintf(out, ",\n  \"shown\": %s", shown);
    fputs("\n}\n", out);
}

void
check_write_junit(FILE *out, const struct checks *all)
{
    char name[400];
    int failures = 0;

    for (int i = 0; i < all->count; i++)
        failures += checks_wrong(&all->verdicts[i]);
    fprintf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"peal check\" tests=\"%d\" failures=\"%d\">\n",
        all->count, failures);
    for (int i = 0; i < all->count; i++) {
        const struct peal_verdict *v = &all->verdicts[i];

        fputs("  <testcase classname=\"peal\" name=\"", out);
        document_xml(out, checks_name(&all->checks[i], name));
        fprintf(out, "\" time=\"%.3f\">\n", v->seconds);
        if (!v->proved && !checks_wrong(v)) {
            fputs("    <skipped message=\"", out);
            document_xml(out, v->reason);
            fputs("\"/>\n", out);
        }
        for (int j = 0; j < v->finding_count; j++) {
            const struct peal_finding *f = &v->findings[j];

            if (f->warning)
                continue;
            fprintf(out, "    <failure type=\"%s\" message=\"", peal_failure_name(f->kind));
            document_xml(out, f->message);
            fputs("\">", out);
            document_xml(out, f->rerun);
            fputs("</failure>\n", out);
        }
        fputs("  </testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
}
