/* SPDX-License-Identifier: MIT */
/* peal check: prove a collective right up to a bound, or show the smallest run in which it is wrong. */
#include "command.h"
#include "document.h"
#include "files.h"
#include "options.h"
#include "paging.h"
#include "print.h"
#include "target.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is checked when nothing narrows it. */
enum { NODES_FROM = 1, NODES_TO = 16, PROGRAM_NODES = 8 };

struct round_of_checks {
    const struct request *request;
    struct peal_check *checks;
    struct peal_verdict *verdicts;
    char **arguments; /* of a whole program */
    int count;
};

/* ------------------------------------------------------------------ what is checked */

/* What all checks of the request have in common. */
static struct peal_check
check_of(const struct request *r)
{
    return (struct peal_check){
        .file = r->file,
        .symbol = r->symbol,
        .compiler = r->compiler,
        .flags = r->flags,
        .nodes_from = r->nodes_from > 0 ? r->nodes_from : NODES_FROM,
        .nodes_to = r->nodes_to > 0 ? r->nodes_to : NODES_TO,
        .beyond =
            r->nodes_from == 0 && !r->choices && !r->has_block && !r->has_words && !r->sizes && !r->to && !r->has_root,
        .has_root = r->has_root,
        .has_by = r->has_by,
        .has_to = r->to != NULL,
        .has_words = r->has_block || r->has_words,
        .has_ports = option_given(r, "ports") || r->machine.half_duplex,
        .has_delivery = option_given(r, "delivery"),
        .root = r->root,
        .by = r->by,
        .ports = r->machine.ports,
        .half_duplex = r->machine.half_duplex,
        .to = r->to,
        .to_count = r->to_count,
        .words = r->has_block ? r->block_words : r->vector_words,
        .sizes = r->sizes,
        .size_count = r->size_count,
        .buffers = r->buffers,
        .topology = r->topology_count > 0 ? r->machine.topology : NULL,
        .has_switching = option_given(r, "switching"),
        .switching = r->machine.switching,
        .eager = r->machine.eager,
        .eager_words = r->machine.eager_words,
        .op = r->op ? peal_op_find(r->op) : NULL,
        .seed = r->machine.seed,
        .choices = r->choices,
        .choice_count = r->choice_count,
        .max_runs = r->max_runs,
        .max_rounds = r->max_rounds,
        .max_words = r->max_words,
        .timeout_seconds = r->machine.timeout_seconds,
    };
}

static enum peal_status
check_words(const struct request *r, enum peal_collective collective, struct peal_error *error)
{
    bool blocks = peal_collective_has_blocks(collective);

    if (blocks && r->has_words)
        return peal_refuse(error, PEAL_USAGE, "%s has blocks: say -m, the words of a block",
                           peal_collective_name(collective));
    if (!blocks && r->has_block)
        return peal_refuse(error, PEAL_USAGE, "%s has vectors: say -n, their words", peal_collective_name(collective));
    return PEAL_OK;
}

/* Add the algorithms that an argument names: one, or all of a collective. */
static enum peal_status
add_named(struct round_of_checks *all, const char *argument, struct peal_error *error)
{
    struct session session = {.program = NULL};
    const struct peal_algorithm *a;
    bool unequal;
    enum peal_status status = target_find_call(&session, argument, &unequal, error);

    if (status == PEAL_OK && session.program)
        return peal_refuse(error, PEAL_USAGE,
                           "%s is a file: say which collective it is of, as in peal check scatter --file %s "
                           "--symbol my_scatter",
                           argument, argument);
    if (status == PEAL_OK)
        status = check_words(all->request, session.collective, error);
    if (status != PEAL_OK)
        return status;
    struct peal_check check = check_of(all->request);

    check.collective = session.collective;
    check.unequal = unequal;
    if (check.file && session.algorithm)
        return peal_refuse(error, PEAL_USAGE,
                           "%s is an algorithm of the catalogue; with --file say the collective alone", argument);
    check.algorithm = session.algorithm;
    if (check.file || session.algorithm) {
        all->checks[all->count++] = check;
        return PEAL_OK;
    }
    for (int i = 0; (a = peal_algorithm_get(i)); i++)
        if (a->collective == session.collective && !(unequal && a->requires.equal_blocks)) {
            check.algorithm = a->name;
            all->checks[all->count++] = check;
        }
    return PEAL_OK;
}

static void
add_all(struct round_of_checks *all)
{
    const struct peal_algorithm *a;

    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        struct peal_check check = check_of(all->request);

        bool allows = peal_collective_allows_in_place(a->collective);

        if (!allows && check.buffers == PEAL_BUFFERS_IN_PLACE)
            continue;
        if (!allows)
            check.buffers = PEAL_BUFFERS_USUAL;
        check.collective = a->collective;
        check.algorithm = a->name;
        all->checks[all->count++] = check;
    }
}

static enum peal_status
add_program(struct round_of_checks *all, struct peal_error *error)
{
    const struct request *r = all->request;
    struct peal_check *check = &all->checks[all->count];

    *check = check_of(r);
    check->collective = PEAL_COLLECTIVES;
    check->program = true;
    check->file = r->checked_program;
    check->beyond = false;
    if (r->nodes_from == 0)
        check->nodes_from = check->nodes_to = PROGRAM_NODES;
    check->argc = r->program_count + 1;
    all->arguments = calloc((size_t)check->argc + 1, sizeof *all->arguments);
    if (!all->arguments)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    all->arguments[0] = (char *)(uintptr_t)r->checked_program;
    for (int i = 0; i < r->program_count; i++)
        all->arguments[i + 1] = r->program[i];
    check->argv = all->arguments;
    all->count++;
    return PEAL_OK;
}

static enum peal_status
prepare(struct round_of_checks *all, struct peal_error *error)
{
    const struct request *r = all->request;
    size_t catalogue = 0;

    if (r->program && !r->checked_program)
        return peal_refuse(error, PEAL_USAGE, "check takes no arguments after --, but with --program");
    if (r->checked_program && (r->all || r->argument_count > 0 || r->file || r->symbol || r->has_block ||
                               r->has_words || r->has_root || r->has_by || r->to || r->sizes || r->op))
        return peal_refuse(error, PEAL_USAGE, "--program is all that is checked: it has no collective, size or root");
    if (r->all && (r->argument_count > 0 || r->file))
        return peal_refuse(error, PEAL_USAGE, "--all is the whole catalogue: name nothing beside it");
    if (r->all && (r->has_block || r->has_words || r->sizes || r->to))
        return peal_refuse(error, PEAL_USAGE,
                           "--all goes over collectives of blocks and of vectors: -m, -n, --sizes and "
                           "--to are for one of them");
    if (!r->all && !r->checked_program && r->argument_count > 1)
        return peal_refuse(error, PEAL_USAGE, "one collective or algorithm at a time, or --all: %s or %s?",
                           r->arguments[0], r->arguments[1]);
    if (!r->all && !r->checked_program && r->argument_count != 1)
        return peal_refuse(error, PEAL_USAGE, "say which collective, as in peal check scatter/binomial, or --all");
    if (r->symbol && !r->file)
        return peal_refuse(error, PEAL_USAGE, "--symbol is a function of a file: say --file too");
    while (peal_algorithm_get((int)catalogue))
        catalogue++;
    all->checks = calloc(catalogue + 1, sizeof *all->checks);
    all->verdicts = calloc(catalogue + 1, sizeof *all->verdicts);
    if (!all->checks || !all->verdicts)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (r->checked_program)
        return add_program(all, error);
    if (!r->all)
        return add_named(all, r->arguments[0], error);
    add_all(all);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ the table */

/* "scatter/binomial"; "scatter, my_scatter of F.c". */
static char *
name_of(const struct peal_check *check, char name[400])
{
    if (check->program)
        snprintf(name, 400, "%s", check->file);
    else if (check->file)
        snprintf(name, 400, "%s, %s of %s", peal_call_name(check->collective, check->unequal),
                 check->symbol ? check->symbol : "", check->file);
    else
        snprintf(name, 400, "%s/%s", peal_call_name(check->collective, check->unequal), check->algorithm);
    return name;
}

/* Print a word as a shell reads it. */
static void
print_word(const char *word)
{
    if (*word && !strpbrk(word, " \t\n$&|;<>()[]{}*?~#!`\"'\\")) {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*word);
    putchar('\'');
}

static void
print_option(const char *option, const char *value)
{
    if (!value)
        return;
    printf(" %s ", option);
    print_word(value);
}

/* The command that runs the finding's case alone. */
static void
print_rerun(const struct peal_check *check, const struct peal_finding *finding)
{
    fputs("  rerun: peal check", stdout);
    if (!check->program)
        printf(" %s", peal_call_name(check->collective, check->unequal));
    if (check->algorithm)
        printf("/%s", check->algorithm);
    print_option(check->program ? "--program" : "--file", check->file);
    print_option("--symbol", check->symbol);
    print_option("--cc", check->compiler);
    print_option("--cflags", check->flags);
    printf(" %s", finding->rerun);
    if (finding->kind == PEAL_EXCESS_ROUNDS)
        print_option("--max-rounds", check->max_rounds);
    if (finding->kind == PEAL_EXCESS_WORDS)
        print_option("--max-words", check->max_words);
    if (finding->kind == PEAL_TIMED_OUT && check->timeout_seconds > 0)
        printf(" --timeout %g", check->timeout_seconds);
    for (int i = 1; i < check->argc; i++) {
        fputs(i == 1 ? " -- " : " ", stdout);
        print_word(check->argv[i]);
    }
    putchar('\n');
}

/* "  order of arrival: from 2, a later one, 1" */
static void
print_choices(const struct peal_finding *f)
{
    fputs("  order: what comes from any source is taken from", stdout);
    for (int i = 0; i < f->choice_count; i++)
        if (f->choices[i] == PEAL_CHOICE_WAITS)
            printf("%s a later one", i == 0 ? "" : ",");
        else
            printf("%s %d", i == 0 ? "" : ",", f->choices[i]);
    puts(f->choices_cut ? ", ..." : "");
}

static void
print_finding(const struct peal_check *check, const struct peal_finding *f)
{
    const struct peal_check_case *c = &f->where;
    bool blocks = peal_collective_has_blocks(check->collective);

    print_ink(stdout, f->warning ? BOLD : BAD);
    printf("  %s%s", f->warning ? "warning: " : "", peal_failure_name(f->kind));
    print_ink(stdout, PLAIN);
    fputs(": ", stdout);
    if (f->file[0] && !print_tells(f->message, f->file, f->line))
        printf("%s:%d: ", f->file, f->line);
    puts(f->message);
    printf("  smallest: P = %d", c->nodes);
    if (c->size_count > 0) {
        fputs(", blocks of", stdout);
        for (int i = 0; i < c->size_count; i++)
            printf("%s%zu", i == 0 ? " " : ", ", c->sizes[i]);
        fputs(" words, over and over", stdout);
    } else if (check->collective != PEAL_BARRIER && !check->program) {
        printf(", %s = %zu", blocks ? "m" : "n", c->words);
    }
    if (peal_collective_has_root(check->collective))
        printf(", root %d", c->root);
    if (c->in_place)
        fputs(", in place", stdout);
    if (check->collective == PEAL_SHIFT)
        printf(", by %d", c->by);
    if (check->collective == PEAL_BARRIER && c->root < c->nodes)
        printf(", node %d late", c->root);
    if (check->collective == PEAL_BARRIER && c->root >= c->nodes)
        fputs(", nobody late", stdout);
    if (c->eager)
        printf(", eager:%zu", c->eager_words);
    else
        fputs(", rendezvous", stdout);
    if (c->ports == PEAL_PORTS_ALL)
        fputs(", all ports", stdout);
    else
        printf(", %d port%s", c->ports, print_plural(c->ports));
    fputs(c->half_duplex ? ", half duplex" : "", stdout);
    if (c->switching != PEAL_IDEAL)
        printf(", %s", peal_switching_name(c->switching));
    printf(", %s\n", c->topology);
    if (f->choice_count > 0)
        print_choices(f);
    print_rerun(check, f);
}

/* What the request left out: ", root 0 only"; "" when all cases of these nodes were asked for. */
static char *
narrowing(const struct peal_check *check, const struct peal_verdict *verdict, char text[200])
{
    size_t length = 0;
    bool separate = check->buffers == PEAL_BUFFERS_SEPARATE;

    for (int i = 0; i < verdict->finding_count; i++)
        separate |= verdict->findings[i].warning && verdict->findings[i].where.in_place;
    text[0] = '\0';
    if (separate || check->buffers == PEAL_BUFFERS_IN_PLACE)
        length += (size_t)snprintf(text, 200, separate ? ", separate buffers" : ", in place");
    if (check->has_root)
        length += (size_t)snprintf(text + length, 200 - length, ", root %d", check->root);
    if (check->has_by)
        length += (size_t)snprintf(text + length, 200 - length, ", by %d", check->by);
    if (check->has_to)
        length += (size_t)snprintf(text + length, 200 - length, ", this set");
    if (check->has_words)
        length += (size_t)snprintf(text + length, 200 - length, ", %c = %zu",
                                   peal_collective_has_blocks(check->collective) ? 'm' : 'n', check->words);
    if (check->sizes)
        length += (size_t)snprintf(text + length, 200 - length, ", these sizes");
    if (check->has_ports)
        length += (size_t)snprintf(text + length, 200 - length, ", these ports");
    if (check->has_delivery)
        length += (size_t)snprintf(text + length, 200 - length, ", this delivery");
    if (check->topology)
        length += (size_t)snprintf(text + length, 200 - length, ", %.60s", check->topology);
    if (check->has_switching)
        length += (size_t)snprintf(text + length, 200 - length, ", %s", peal_switching_name(check->switching));
    if (check->choices)
        length += (size_t)snprintf(text + length, 200 - length, ", this order of arrival");
    if (length > 0)
        snprintf(text + length, 200 - length, " only");
    return text;
}

static bool
is_wrong(const struct peal_verdict *verdict)
{
    for (int i = 0; i < verdict->finding_count; i++)
        if (!verdict->findings[i].warning)
            return true;
    return false;
}

static void
print_verdict(const struct peal_check *check, const struct peal_verdict *v)
{
    char name[400], only[200];

    print_ink(stdout, BOLD);
    fputs(name_of(check, name), stdout);
    print_ink(stdout, PLAIN);
    const char *runs = v->runs == 1 ? "run" : "runs";

    narrowing(check, v, only);
    if (v->proved)
        printf(": proved for P = %s%s%s%s: %" PRIu64 " %s\n", v->bound, only,
               v->beyond[0] ? "; right in some cases of P = " : "", v->beyond, v->runs, runs);
    else if (is_wrong(v))
        printf(": wrong (%" PRIu64 " %s)\n", v->runs, runs);
    else if (v->bound[0])
        printf(": not proved: %s; nothing wrong was found for P = %s%s: %" PRIu64 " %s\n", v->reason, v->bound, only,
               v->runs, runs);
    else if (v->runs > 0) /* not all that there are of any number of nodes */
        printf(": not proved: %s; nothing wrong was found in %" PRIu64 " %s%s\n", v->reason, v->runs, runs, only);
    else
        printf(": not proved: %s\n", v->reason);
    for (int i = 0; i < v->finding_count; i++)
        print_finding(check, &v->findings[i]);
}

static void
print_table(const struct round_of_checks *all)
{
    int proved = 0, wrong = 0;
    uint64_t runs = 0;

    for (int i = 0; i < all->count; i++) {
        print_verdict(&all->checks[i], &all->verdicts[i]);
        proved += all->verdicts[i].proved;
        wrong += is_wrong(&all->verdicts[i]);
        runs += all->verdicts[i].runs;
    }
    if (all->count > 1)
        printf("\n%d of %d are proved, %d wrong: %" PRIu64 " runs\n", proved, all->count, wrong, runs);
}

/* ------------------------------------------------------------------ for programs */

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
    fprintf(out, "\"duplex\": \"%s\", \"switching\": \"%s\", ", c->half_duplex ? "half" : "full",
            peal_switching_name(c->switching));
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
    fputs(", \"seconds\": ", out);
    document_number(out, v->seconds);
    fputc('}', out);
}

static void
write_json(FILE *out, const struct round_of_checks *all)
{
    bool proved = true, follows = false;
    uint64_t runs = 0;
    char only[200];

    for (int i = 0; i < all->count; i++) {
        proved &= all->verdicts[i].proved;
        runs += all->verdicts[i].runs;
    }
    fprintf(out,
            "{\n  \"schema\": \"peal/check/1\", \"proved\": %s,\n  \"bound\": {\"nodes_from\": %d, \"nodes_to\": %d, ",
            proved ? "true" : "false", all->checks[0].nodes_from, all->checks[0].nodes_to);
    narrowing(&all->checks[0], &all->verdicts[0], only);
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
    fputs(follows ? "\n  ]\n}\n" : "]\n}\n", out);
}

/* The bytes of the character at `text`, which UTF-8 and XML have; 0: there is none. */
static int
character_bytes(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    int more = s[0] < 0x80 ? 0 : s[0] < 0xC2 ? -1 : s[0] < 0xE0 ? 1 : s[0] < 0xF0 ? 2 : s[0] < 0xF5 ? 3 : -1;
    unsigned long code = more > 0 ? s[0] & (0x3FU >> more) : s[0];

    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xC0) != 0x80) /* the final zero byte, too */
            return 0;
        code = code << 6 | (s[i] & 0x3F);
    }
    if (more < 0 || code < ' ' || (more == 2 && code < 0x800) || (more == 3 && (code < 0x10000 || code > 0x10FFFF)) ||
        (code >= 0xD800 && code < 0xE000) || code == 0xFFFE || code == 0xFFFF)
        return 0;
    return more + 1;
}

/* Text inside XML.  What XML has no character for becomes a question mark. */
static void
write_xml(FILE *out, const char *text)
{
    for (int bytes; *text; text += bytes > 0 ? bytes : 1) {
        bytes = character_bytes(text);
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fwrite(bytes > 0 ? text : "?", 1, bytes > 0 ? (size_t)bytes : 1, out);
        }
    }
}

/* A test case a check, which fails with its findings. */
static void
write_junit(FILE *out, const struct round_of_checks *all)
{
    char name[400];
    int failures = 0;

    for (int i = 0; i < all->count; i++)
        failures += is_wrong(&all->verdicts[i]);
    fprintf(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"peal check\" tests=\"%d\" failures=\"%d\">\n",
        all->count, failures);
    for (int i = 0; i < all->count; i++) {
        const struct peal_verdict *v = &all->verdicts[i];

        fputs("  <testcase classname=\"peal\" name=\"", out);
        write_xml(out, name_of(&all->checks[i], name));
        fprintf(out, "\" time=\"%.3f\">\n", v->seconds);
        if (!v->proved && !is_wrong(v)) {
            fputs("    <skipped message=\"", out);
            write_xml(out, v->reason);
            fputs("\"/>\n", out);
        }
        for (int j = 0; j < v->finding_count; j++) {
            const struct peal_finding *f = &v->findings[j];

            if (f->warning)
                continue;
            fprintf(out, "    <failure type=\"%s\" message=\"", peal_failure_name(f->kind));
            write_xml(out, f->message);
            fputs("\">", out);
            write_xml(out, f->rerun);
            fputs("</failure>\n", out);
        }
        fputs("  </testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
}

/* ------------------------------------------------------------------ the command */

static enum peal_status
report(const struct round_of_checks *all, struct output *json, struct output *junit, struct paging *paging,
       struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    if (all->request->json)
        write_json(stdout, all);
    else
        print_table(all);
    if (json->stream)
        write_json(json->stream, all);
    if (paging->document)
        write_json(paging->document, all);
    if (junit->stream)
        write_junit(junit->stream, all);
    status = output_commit(json, error);
    if (status == PEAL_OK)
        status = output_commit(junit, error);
    if (status == PEAL_OK)
        status = paging_end(paging, all->request, error);
    return status == PEAL_OK ? output_flush(error) : status;
}

/* What kept a check from being made, with its exit code. */
static enum peal_status
first_error(const struct round_of_checks *all, struct peal_error *error)
{
    for (int i = 0; i < all->count; i++)
        if (all->verdicts[i].error.status != PEAL_OK) {
            *error = all->verdicts[i].error;
            return error->status;
        }
    return PEAL_OK;
}

/* 1 when anything is wrong, or nothing at all was run. */
static int
code_of(const struct round_of_checks *all)
{
    uint64_t runs = 0;

    for (int i = 0; i < all->count; i++) {
        if (is_wrong(&all->verdicts[i]))
            return 1;
        runs += all->verdicts[i].runs;
    }
    return runs == 0;
}

static int
run(const struct request *request)
{
    struct round_of_checks all = {.request = request};
    struct output json = {.stream = NULL}, junit = {.stream = NULL};
    struct paging paging = {.document = NULL};
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = prepare(&all, &error);

    if (status == PEAL_OK && request->json_file)
        status = output_open(&json, request->json_file, &error);
    if (status == PEAL_OK && request->junit)
        status = output_open(&junit, request->junit, &error);
    if (status == PEAL_OK)
        status = paging_open(&paging, request, &error);
    if (status == PEAL_OK)
        status = peal_check(all.checks, all.count, request->jobs, all.verdicts, &error);
    if (status == PEAL_OK)
        status = first_error(&all, &error);
    if (status == PEAL_OK)
        status = report(&all, &json, &junit, &paging, &error);
    int code = status == PEAL_OK ? code_of(&all) : complain(&error);

    output_discard(&json);
    output_discard(&junit);
    paging_fini(&paging);
    free(all.checks);
    free(all.verdicts);
    free(all.arguments);
    return code;
}

static const char *const lacks[] = {
    "nodes", "routing",    "noncombining", "mailbox",    "alpha",    "beta",        "hop",
    "tau",   "congestion", "engine",       "carriers",   "wake",     "stack",       "trace",
    "input", "output",     "rounds",       "tag-output", "launcher", "repetitions", NULL};

const struct command command_check = {
    .name = "check",
    .arguments =
        "COLLECTIVE[/ALGORITHM] [--file F.c --symbol NAME] | --all | --program F.c  [options] [-- ARGUMENT...]",
    .summary = "prove a collective right, or show the smallest run that is wrong",
    .examples = "  peal check scatter/binomial                         P = 1..16, every root, many sizes\n"
                "  peal check scatter --file F.c --symbol my_scatter   a function of yours\n"
                "  peal check reduce --file F.c --symbol f --op sum    only for operators that commute\n"
                "  peal check allreduce/ring -p 1:40                   further\n"
                "  peal check --all                                    the whole catalogue\n"
                "  peal check --program F.c -p 4                       a whole program: all orders of arrival\n",
    .takes = OPTIONS_MACHINE | OPTIONS_TARGET | OPTIONS_CHECK,
    .lacks = lacks,
    .completes = WORDS_TARGET,
    .run = run,
};
