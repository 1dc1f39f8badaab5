/* SPDX-License-Identifier: MIT */
/* Writes verdicts as JSON, JUnit and SARIF. */
#include "lib/check/expression.h"
#include "lib/check/precondition.h"
#include "run/proofs.h"
#include "show/check_show.h"
#include "write/written.h"
#include <stdlib.h>
#include <string.h>

/* "collective" and "algorithm". */
static void
write_checked(struct peal_json *json, const struct peal_check *check)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'),
                  PEAL_STRING("collective", check->program ? NULL : peal_call_name(check->collective, check->unequal)),
                  PEAL_STRING("algorithm", check->algorithm));
}

static void
write_case(struct peal_json *json, const struct peal_finding *f)
{
    const struct peal_check_case *c = &f->where;
    char how[100];

    peal_json_put(json, PEAL_OPEN("case", '{'), PEAL_INT("nodes", c->nodes), PEAL_INT("root", c->root),
                  PEAL_UINT("words", c->words), PEAL_INT("by", c->by));
    if (c->size_count > 0) {
        peal_json_put(json, PEAL_OPEN("sizes", '['));
        for (int i = 0; i < c->size_count; i++)
            peal_json_put(json, PEAL_UINT(NULL, c->sizes[i]));
        peal_json_put(json, PEAL_CLOSE(']'));
    } else {
        peal_json_put(json, PEAL_NULL("sizes"));
    }
    peal_json_put(json, PEAL_STRING("topology", c->topology));
    peal_json_ports(json, c->ports);
    peal_json_put(json, PEAL_STRING("duplex", c->half_duplex ? "half" : "full"),
                  PEAL_STRING("switching", peal_switching_name(c->switching)),
                  PEAL_BOOL("combining", !c->noncombining));
    peal_json_delivery(json, c->eager, c->eager_words);
    peal_json_put(json, PEAL_BOOL("in_place", c->in_place), PEAL_UINT("seed", c->seed),
                  PEAL_STRING("call", peal_check_call_text(c->call, peal_check_call_names, "+", how, sizeof how)));
    if (f->choice_count > 0)
        peal_json_ints(json, "choices", f->choices, (size_t)f->choice_count);
    else
        peal_json_put(json, PEAL_NULL("choices"));
    peal_json_put(json, PEAL_CLOSE('}'));
}

static void
write_finding(struct peal_json *json, const struct peal_check *check, const struct peal_finding *f)
{
    const struct peal_found found = {.fault = &f->fault};
    char *command = check_show_command(check, f);

    write_checked(json, check);
    peal_json_found(json, &found, PEAL_FOUND_KIND | PEAL_FOUND_MESSAGE | PEAL_FOUND_FIX);
    peal_json_put(json, PEAL_BREAK, PEAL_STRING("stderr", f->error_output[0] ? f->error_output : NULL));
    write_case(json, f);
    peal_json_put(json, PEAL_BREAK, PEAL_STRING("rerun", f->rerun), PEAL_STRING("command", command), PEAL_BREAK);
    peal_json_found(json, &found, PEAL_FOUND_PLACE);
    peal_json_put(json, PEAL_INT_IF("round", f->round > 0, f->round), PEAL_CLOSE('}'));
    free(command);
}

/* "identical": null where it was not asked for, or is not known. */
static void
write_identity(struct peal_json *json, const struct peal_identity *identity)
{
    if (!identity->known) {
        peal_json_put(json, PEAL_NULL("identical"));
        return;
    }
    peal_json_put(json, PEAL_OPEN("identical", '{'));
    for (int place = 0; place < PEAL_IDENTICALS; place++)
        peal_json_put(json, PEAL_BOOL_IF(peal_identical_name((enum peal_identical)place), identity->compared[place],
                                         !identity->differs[place]));
    peal_json_put(json, PEAL_INT("depth", identity->depth), PEAL_INT("depth_nodes", identity->nodes),
                  PEAL_OPEN("differences", '['));
    for (int place = 0; place < PEAL_IDENTICALS; place++)
        if (identity->differs[place])
            peal_json_put(json, PEAL_STRING(NULL, identity->how[place]));
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

/* "kinds": the runs of each kind; null of a program. */
static void
write_kinds(struct peal_json *json, const struct peal_check *check, const struct peal_verdict *v)
{
    static const char *const others[] = {"in_place", "empty", "unequal", "root"};

    if (check->program) {
        peal_json_put(json, PEAL_NULL("kinds"));
        return;
    }
    peal_json_put(json, PEAL_OPEN("kinds", '{'));
    for (int i = 0; i < PEAL_KINDS; i++)
        peal_json_put(
            json, PEAL_UINT(i < PEAL_CALLS ? peal_check_call_names[i + 1] : others[i - PEAL_CALLS], v->kinds[i][i]));
    peal_json_put(json, PEAL_CLOSE('}'));
}

/* "every": only where --every asks for it. */
static void
write_every(struct peal_json *json, const struct checks *all, int i)
{
    const struct every *every = &all->every[i];
    bool open = every->asked && every->end == EVERY_PROVED;
    char text[PROOF_TEXT] = "";

    if (open)
        proofs_assumes(all, i, text);
    else if (every->asked)
        proofs_tell(&all->checks[i], every, text);
    peal_json_put(json, PEAL_OPEN("every", '{'), PEAL_INT_IF("to", open, 1 << EVERY_LOG),
                  PEAL_INT("classes", every->classes), PEAL_INT("obligations", every->obligations),
                  PEAL_BOOL("cached", every->kept), PEAL_STRING("assumes", open ? text : NULL),
                  PEAL_STRING("reason", !open && text[0] ? text : NULL), PEAL_CLOSE('}'));
}

static void
write_check(struct peal_json *json, const struct checks *all, int i)
{
    const struct peal_check *check = &all->checks[i];
    const struct peal_verdict *v = &all->verdicts[i];

    write_checked(json, check);
    peal_json_put(
        json, PEAL_BOOL("proved", v->proved), PEAL_STRING("nodes", v->bound),
        PEAL_STRING("beyond", v->beyond[0] ? v->beyond : NULL), PEAL_UINT("runs", v->runs),
        PEAL_STRING("reason", v->reason[0] ? v->reason : NULL),
        PEAL_STRING("not_told_apart", v->not_told_apart[0] ? v->not_told_apart : NULL),
        PEAL_STRING("cases", v->cases[0] ? v->cases : NULL), PEAL_STRING("limits", v->limits[0] ? v->limits : NULL),
        PEAL_STRING("not_run", v->not_run[0] ? v->not_run : NULL),
        PEAL_STRING("costs_as", v->costs_as[0] ? v->costs_as : NULL),
        PEAL_STRING("right_where", v->right_where[0] ? v->right_where : NULL),
        PEAL_STRING("not_watched", v->not_watched[0] ? v->not_watched : NULL), PEAL_NUMBER("seconds", v->seconds));
    write_kinds(json, check, v);
    write_identity(json, &v->identity);
    if (all->every)
        write_every(json, all, i);
    peal_json_put(json, PEAL_CLOSE('}'));
}

void
check_write_json(FILE *out, const struct checks *all, const char *shown)
{
    struct peal_json json = {.out = out};
    const struct command_request *request = all->request;
    bool proved = true;
    uint64_t runs = 0;
    char only[NARROWING];

    for (int i = 0; i < all->count; i++) {
        proved &= all->verdicts[i].proved;
        runs += all->verdicts[i].runs;
    }
    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/check/1"),
                  PEAL_BOOL("proved", proved), PEAL_BREAK, PEAL_OPEN("bound", '{'),
                  PEAL_INT("nodes_from", all->checks[0].nodes_from), PEAL_INT("nodes_to", all->checks[0].nodes_to));
    checks_narrowing(&all->checks[0], &all->verdicts[0], only);
    peal_json_put(&json, PEAL_STRING("only", only[0] ? only + 2 : NULL),
                  PEAL_STRING("beyond", all->verdicts[0].beyond[0] ? all->verdicts[0].beyond : NULL), PEAL_CLOSE('}'),
                  PEAL_UINT("runs", runs), PEAL_STRING("engine", all->engine), PEAL_BREAK,
                  PEAL_STRING("file", all->checks[0].program ? all->checks[0].file : request->function.file),
                  PEAL_STRING("symbol", request->function.symbol), PEAL_BREAK, PEAL_OPEN("checks", '['));
    for (int i = 0; i < all->count; i++)
        write_check(&json, all, i);
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_OPEN("findings", '['));
    for (int i = 0; i < all->count; i++)
        for (int j = 0; j < all->verdicts[i].finding_count; j++)
            write_finding(&json, &all->checks[i], &all->verdicts[i].findings[j]);
    peal_json_put(&json, PEAL_WHERE(json.follows, PEAL_BREAK), PEAL_CLOSE(']'), PEAL_WHERE(shown, PEAL_BREAK),
                  PEAL_WHERE(shown, PEAL_TEXT("shown", shown)), PEAL_BREAK, PEAL_CLOSE('}'));
}

/* The findings of one check of all. */
struct one_check {
    const struct checks *all;
    int number;
};

static void
each_of_check(const void *what, written_take take, void *writer)
{
    const struct one_check *one = what;
    const struct peal_check *check = &one->all->checks[one->number];
    const struct peal_verdict *verdict = &one->all->verdicts[one->number];
    const char *own = check->program ? check->file : one->all->request->function.file;

    for (const struct peal_finding *f = verdict->findings; f < verdict->findings + verdict->finding_count; f++) {
        const struct peal_place place = {-1, f->file[0] ? f->file : own, f->file[0] ? f->line : 0};
        char *command = check_show_command(check, f);

        take(writer, &(struct peal_found){.fault = &f->fault,
                                          .again = command ? command : f->rerun,
                                          .text = f->rerun,
                                          .passes = f->severity != PEAL_SEVERITY_ERROR,
                                          .places = &place});
        free(command);
    }
}

/* A note where --every does not prove it, at the line that is not followed. */
static void
note_open(const struct checks *all, int i, written_take take, void *writer)
{
    static const struct peal_fault note = {.severity = PEAL_SEVERITY_NOTE};
    const struct every *every = &all->every[i];
    const char *file = all->request->function.file;
    const size_t length = file ? strlen(file) : 0;
    const bool placed = file && strncmp(every->text, file, length) == 0 && every->text[length] == ':';
    const struct peal_place place = {-1, file, placed ? atoi(every->text + length + 1) : 0};
    char name[400], text[PROOF_TEXT], message[sizeof name + sizeof text + 2];

    if (!every->asked || every->end == EVERY_PROVED)
        return;
    proofs_tell(&all->checks[i], every, text);
    snprintf(message, sizeof message, "%s: %s", checks_name(&all->checks[i], name), text);
    take(writer, &(struct peal_found){
                     .fault = &note, .name = "not-for-every-P", .message = message, .passes = true, .places = &place});
}

static void
checks_each_found(const void *what, written_take take, void *writer)
{
    const struct checks *all = what;

    for (int i = 0; i < all->count; i++)
        each_of_check(&(struct one_check){all, i}, take, writer);
    for (int i = 0; all->every && i < all->count; i++)
        note_open(all, i, take, writer);
}

void
check_write_junit(FILE *out, const struct checks *all)
{
    char name[400];
    int failures = 0;

    for (int i = 0; i < all->count; i++)
        failures += peal_check_is_wrong(&all->verdicts[i]);
    junit_begin(out, &(struct junit_suite){.name = "peal check", .tests = all->count, .failures = failures});
    for (int i = 0; i < all->count; i++) {
        const struct peal_verdict *v = &all->verdicts[i];
        char every[PROOF_TEXT];

        if (all->every && all->every[i].asked)
            proofs_tell(&all->checks[i], &all->every[i], every);
        const struct junit_test test = {.name = checks_name(&all->checks[i], name),
                                        .seconds = v->seconds,
                                        .skipped = v->proved || peal_check_is_wrong(v) ? NULL : v->reason,
                                        .output = all->every && all->every[i].asked ? every : NULL};

        junit_test(out, &test, &(struct one_check){all, i}, each_of_check);
    }
    junit_end(out);
}

SARIF_WRITER(check_write_sarif, checks_each_found)
