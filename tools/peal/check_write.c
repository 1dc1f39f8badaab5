/* SPDX-License-Identifier: MIT */
#include "check_write.h"
#include "check_show.h"
#include "document.h"
#include <stdlib.h>

/* "command": what a shell runs. */
static void
write_command(struct peal_json *json, const struct peal_check *check, const struct peal_finding *f)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);

    if (memory) {
        check_show_command(memory, check, f);
        fclose(memory);
    }
    peal_json_member_string(json, "command", text);
    free(text);
}

/* "collective" and "algorithm". */
static void
write_checked(struct peal_json *json, const struct peal_check *check)
{
    peal_json_break(json);
    peal_json_open(json, '{');
    peal_json_member_string(json, "collective",
                            check->program ? NULL : peal_call_name(check->collective, check->unequal));
    peal_json_member_string(json, "algorithm", check->algorithm);
}

static void
write_case(struct peal_json *json, const struct peal_finding *f)
{
    const struct peal_check_case *c = &f->where;

    peal_json_member_open(json, "case", '{');
    peal_json_member_int(json, "nodes", c->nodes);
    peal_json_member_int(json, "root", c->root);
    peal_json_member_uint(json, "words", c->words);
    peal_json_member_int(json, "by", c->by);
    if (c->size_count > 0) {
        peal_json_member_open(json, "sizes", '[');
        for (int i = 0; i < c->size_count; i++)
            peal_json_uint(json, c->sizes[i]);
        peal_json_close(json, ']');
    } else {
        peal_json_member_null(json, "sizes");
    }
    peal_json_member_string(json, "topology", c->topology);
    peal_json_ports(json, c->ports);
    peal_json_member_string(json, "duplex", c->half_duplex ? "half" : "full");
    peal_json_member_string(json, "switching", peal_switching_name(c->switching));
    peal_json_member_bool(json, "combining", !c->noncombining);
    peal_json_delivery(json, c->eager, c->eager_words);
    peal_json_member_bool(json, "in_place", c->in_place);
    peal_json_member_uint(json, "seed", c->seed);
    if (f->choice_count > 0) {
        peal_json_member_open(json, "choices", '[');
        for (int i = 0; i < f->choice_count; i++)
            peal_json_int(json, f->choices[i]);
        peal_json_close(json, ']');
    } else {
        peal_json_member_null(json, "choices");
    }
    peal_json_close(json, '}');
}

static void
write_finding(struct peal_json *json, const struct peal_check *check, const struct peal_finding *f)
{
    enum { INDENT = 5 };

    write_checked(json, check);
    peal_json_member_string(json, "kind", peal_failure_name(f->kind));
    peal_json_member_string(json, "severity", f->warning ? "warning" : "error");
    peal_json_line(json, INDENT);
    peal_json_member_string(json, "message", f->message);
    peal_json_line(json, INDENT);
    write_case(json, f);
    peal_json_line(json, INDENT);
    peal_json_member_string(json, "rerun", f->rerun);
    write_command(json, check, f);
    peal_json_line(json, INDENT);
    peal_json_member_string(json, "file", f->file[0] ? f->file : NULL);
    peal_json_member_int_if(json, "line", f->file[0], f->line);
    peal_json_member_int_if(json, "round", f->round > 0, f->round);
    peal_json_close(json, '}');
}

static void
write_check(struct peal_json *json, const struct peal_check *check, const struct peal_verdict *v)
{
    write_checked(json, check);
    peal_json_member_bool(json, "proved", v->proved);
    peal_json_member_string(json, "nodes", v->bound);
    peal_json_member_string(json, "beyond", v->beyond[0] ? v->beyond : NULL);
    peal_json_member_uint(json, "runs", v->runs);
    peal_json_member_string(json, "reason", v->reason[0] ? v->reason : NULL);
    peal_json_member_string(json, "not_told_apart", v->not_told_apart[0] ? v->not_told_apart : NULL);
    peal_json_member_number(json, "seconds", v->seconds);
    peal_json_close(json, '}');
}

void
check_write_json(FILE *out, const struct checks *all, const char *shown)
{
    struct peal_json json = {.out = out};
    const struct request *request = all->request;
    bool proved = true;
    uint64_t runs = 0;
    char only[NARROWING];

    for (int i = 0; i < all->count; i++) {
        proved &= all->verdicts[i].proved;
        runs += all->verdicts[i].runs;
    }
    peal_json_open(&json, '{');
    peal_json_break(&json);
    peal_json_member_string(&json, "schema", "peal/check/1");
    peal_json_member_bool(&json, "proved", proved);
    peal_json_break(&json);
    peal_json_member_open(&json, "bound", '{');
    peal_json_member_int(&json, "nodes_from", all->checks[0].nodes_from);
    peal_json_member_int(&json, "nodes_to", all->checks[0].nodes_to);
    checks_narrowing(&all->checks[0], &all->verdicts[0], only);
    peal_json_member_string(&json, "only", only[0] ? only + 2 : NULL);
    peal_json_member_string(&json, "beyond", all->verdicts[0].beyond[0] ? all->verdicts[0].beyond : NULL);
    peal_json_close(&json, '}');
    peal_json_member_uint(&json, "runs", runs);
    peal_json_break(&json);
    peal_json_member_string(&json, "file", request->checked_program ? request->checked_program : request->file);
    peal_json_member_string(&json, "symbol", request->symbol);
    peal_json_break(&json);
    peal_json_member_open(&json, "checks", '[');
    for (int i = 0; i < all->count; i++)
        write_check(&json, &all->checks[i], &all->verdicts[i]);
    peal_json_break(&json);
    peal_json_close(&json, ']');
    peal_json_break(&json);
    peal_json_member_open(&json, "findings", '[');
    for (int i = 0; i < all->count; i++)
        for (int j = 0; j < all->verdicts[i].finding_count; j++)
            write_finding(&json, &all->checks[i], &all->verdicts[i].findings[j]);
    if (json.follows)
        peal_json_break(&json);
    peal_json_close(&json, ']');
    if (shown) {
        peal_json_break(&json);
        peal_json_member_text(&json, "shown", shown);
    }
    peal_json_break(&json);
    peal_json_close(&json, '}');
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
