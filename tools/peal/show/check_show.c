/* SPDX-License-Identifier: MIT */
/* Prints verdicts and findings for people, each finding with the command that repeats it. */
#include "show/check_show.h"
#include "lib/check/expression.h"
#include "lib/check/precondition.h"
#include "run/proofs.h"
#include "show/show.h"
#include "write/written.h"
#include <inttypes.h>
#include <stdlib.h>

/* The column of further lines, and the longest text of one item. */
enum { HANG = 4, LINE = 4000 };

char *
check_show_command(const struct peal_check *check, const struct peal_finding *finding)
{
    struct check_command command;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);

    if (!out)
        return NULL;
    checks_command(check, finding, &command);
    fputs("peal check", out);
    for (int i = 0; i < command.count; i++) {
        fputc(' ', out);
        print_word(out, command.word[i]);
    }
    if (check->program)
        print_input(out);
    fclose(out);
    return text;
}

/* " order: receives from any source take from 2, a later one, 1" */
static void
check_print_choices(FILE *out, const struct peal_check *check, const struct peal_finding *f)
{
    static const char *const words[] = {"all", "not yet", "a later one"}; /* from PEAL_CHOICE_ALL on */
    bool mpi = check->program && peal_program_kind(check->file) != PEAL_PROGRAM_SOURCE;

    bool served = f->choice_count > 0 && f->choices[0] <= PEAL_CHOICE_ORDERS;
    char text[LINE];
    struct peal_text order = empty_text(text, sizeof text);

    if (mpi)
        peal_append(order, "the choices of receives, waits%s are",
                    served ? ", tests, locks and updates" : " and tests");
    else
        peal_append(order, "what comes from any source is taken from");
    const char *comma = "";

    for (int i = 0; i < f->choice_count; i++) {
        if (f->choices[i] <= PEAL_CHOICE_ORDERS)
            continue;
        if (f->choices[i] < 0)
            peal_append(order, "%s %s", comma, words[f->choices[i] - PEAL_CHOICE_ALL]);
        else
            peal_append(order, "%s %d", comma, f->choices[i]);
        comma = ",";
    }
    peal_append(order, "%s", f->choices_cut ? ", ..." : "");
    text_more(out, TEXT_INDENTED, "order", text);
}

/* "  standard error: ...", each line of it. */
static void
print_error_output(FILE *out, const char *text)
{
    for (; *text; text += strspn(text, "\n")) {
        int length = (int)strcspn(text, "\n");

        fprintf(out, "  standard error: %.*s\n", length, text);
        text += length;
    }
}

/* The smallest case: "P = 2, n = 1, root 0, rendezvous, 1 port, full". */
static void
print_case(FILE *out, const struct peal_check *check, const struct peal_check_case *c)
{
    static const char *const calls[PEAL_CALLS + 1] = {"",
                                                      ", called twice",
                                                      ", in a group",
                                                      ", extent larger than size",
                                                      ", of a struct",
                                                      ", with gaps between blocks",
                                                      ", on two communicators",
                                                      ", on two communicators at once",
                                                      ", on two communicators that overlap",
                                                      ", buffers given where they do not count",
                                                      ", the first call with another root",
                                                      ", the first call with other sizes"};
    const struct peal_form *form = peal_form_of(check->collective);
    char text[LINE], how[300];
    struct peal_text smallest = empty_text(text, sizeof text);

    peal_append(smallest, "P = %d", c->nodes);
    for (int i = 0; i < c->size_count; i++)
        peal_append(smallest, "%s%zu", i == 0 ? ", blocks of " : ", ", c->sizes[i]);
    if (c->size_count > 0)
        peal_append(smallest, " words, repeated");
    else if (form->out != PEAL_SIDE_NONE)
        peal_append(smallest, ", %s = %zu", peal_collective_has_blocks(check->collective) ? "m" : "n", c->words);
    if (peal_collective_has_root(check->collective))
        peal_append(smallest, ", root %d", c->root);
    peal_append(smallest, "%s%s", c->in_place ? ", in place" : "",
                peal_check_call_text(c->call, calls, "", how, sizeof how));
    if (form->by)
        peal_append(smallest, ", by %d", c->by);
    if (form->waits && c->root < c->nodes)
        peal_append(smallest, ", node %d late", c->root);
    else if (form->waits)
        peal_append(smallest, ", nobody late");
    if (c->eager)
        peal_append(smallest, ", eager:%zu", c->eager_words);
    else
        peal_append(smallest, ", rendezvous");
    if (c->ports == PEAL_PORTS_ALL)
        peal_append(smallest, ", all ports");
    else
        peal_append(smallest, ", %d port%s", c->ports, plural(c->ports));
    if (c->half_duplex)
        peal_append(smallest, ", half duplex");
    if (c->switching != PEAL_IDEAL)
        peal_append(smallest, ", %s", peal_switching_name(c->switching));
    peal_append(smallest, "%s, %s", c->noncombining ? ", noncombining" : "", c->topology);
    text_more(out, TEXT_INDENTED, "smallest", text);
}

static void
print_finding(FILE *out, const struct peal_check *check, const struct peal_verdict *v, const struct peal_finding *f)
{
    char *command = check_show_command(check, f);

    text_write(out, TEXT_INDENTED, &(struct peal_found){.fault = &f->fault});
    print_error_output(out, f->error_output);
    print_case(out, check, &f->where);
    if (f->choice_count > 0)
        check_print_choices(out, check, f);
    if (f->kind == PEAL_NONCOMMUTATIVE_ORDER && !v->right_where[0])
        text_more(out, TEXT_INDENTED, "note",
                  "if only operators that commute are meant, as a sum is, check it with --op sum");
    fprintf(out, "  rerun: %s\n", command ? command : f->rerun);
    free(command);
}

/* "  identical: on all nodes, ...; not for every n and place (...)". */
static void
print_identity(FILE *out, const struct peal_check *check, const struct peal_identity *identity)
{
    char text[LINE] = "";

    for (int same = 1; same >= 0; same--)
        for (int place = 0; place < PEAL_IDENTICALS; place++)
            if (identity->compared[place] && identity->differs[place] != same)
                peal_append(IN_ARRAY(text), "%s%s%s", text[0] ? ", " : "", same ? "" : "not ",
                            show_identical_place(check->collective, (enum peal_identical)place));
    peal_append(IN_ARRAY(text), "; at most %d combination%s deep with P = %d", identity->depth, plural(identity->depth),
                identity->nodes);
    text_more(out, TEXT_INDENTED, "identical", text);
    for (int place = 0; place < PEAL_IDENTICALS; place++)
        if (identity->differs[place]) {
            int column =
                fprintf(out, "    not %s: ", show_identical_place(check->collective, (enum peal_identical)place));

            print_item(out, identity->how[place], column, 2 * HANG);
        }
}

/* What the verdict covers, and what it does not. */
static void
print_extent(FILE *out, const struct peal_verdict *v)
{
    char text[LINE] = "";

    if (v->cases[0])
        print_wrapped(out, v->cases, fprintf(out, "  cases: "));
    if (v->limits[0])
        print_wrapped(out, v->limits, fprintf(out, "  limits: "));
    if (v->costs_as[0])
        peal_append(IN_ARRAY(text), "in each of these cases, on one port and unbuffered, as %s", v->costs_as);
    text_more(out, TEXT_INDENTED, "costs", text);
    text[0] = '\0';
    if (v->not_run[0])
        peal_append(IN_ARRAY(text), "no case ran line%s %s", strpbrk(v->not_run, ",.") ? "s" : "", v->not_run);
    text_more(out, TEXT_INDENTED, "note", text);
}

/* What was seen of a whole program: its data are not labels, so a right run says nothing about other data. */
static void
tell_program(struct peal_text text, const struct peal_verdict *v, const char *only)
{
    if (!v->proved)
        peal_append(text, ": incomplete: %s", v->reason);
    if (v->proved)
        peal_append(text, ": no failure in any order of arrival, P = %s%s", v->bound, only);
    else if (v->finished)
        peal_append(text, "; no failure in any order of arrival, P = %s%s", v->bound, only);
    else if (v->bound[0])
        peal_append(text, "; no failure in the runs that were made, P = %s%s", v->bound, only);
    else if (v->runs > 0)
        peal_append(text, "; no failure in the runs that were made%s", only);
}

static void
tell_verdict(struct peal_text text, const struct peal_check *check, const struct peal_verdict *v,
             const struct every *every)
{
    char only[NARROWING], proof[PROOF_TEXT];

    checks_narrowing(check, v, only);
    if (v->proved && every && every->asked) {
        proofs_tell(check, every, proof);
        if (every->end == EVERY_PROVED)
            peal_append(text, ": proved for %s; run for P = %s", proof, v->bound);
        else
            peal_append(text, ": proved for P = %s; %s", v->bound, proof);
    } else if (check->program && !peal_check_is_wrong(v))
        tell_program(text, v, only);
    else if (v->proved)
        peal_append(text, ": proved for P = %s%s%s%s", v->bound, only,
                    v->beyond[0] ? "; right in some cases of P = " : "", v->beyond);
    else if (peal_check_is_wrong(v))
        peal_append(text, ": wrong");
    else if (v->bound[0])
        peal_append(text, ": not proved: %s; nothing wrong was found for P = %s%s", v->reason, v->bound, only);
    else if (v->runs > 0 && v->beyond[0])
        peal_append(text, ": not proved: %s; nothing wrong was found in %" PRIu64 " run%s with P = %s%s", v->reason,
                    v->runs, plural(v->runs), v->beyond, only);
    else if (v->runs > 0) /* not all runs of any number of nodes */
        peal_append(text, ": not proved: %s; nothing wrong was found in %" PRIu64 " run%s%s", v->reason, v->runs,
                    plural(v->runs), only);
    else
        peal_append(text, ": not proved: %s", v->reason);
    if (v->proved || peal_check_is_wrong(v) || v->bound[0] || check->program)
        peal_append(text, peal_check_is_wrong(v) ? " (%" PRIu64 " run%s)" : ": %" PRIu64 " run%s", v->runs,
                    plural(v->runs));
}

static void
print_verdict(FILE *out, const struct checks *all, int i)
{
    const struct peal_check *check = &all->checks[i];
    const struct peal_verdict *v = &all->verdicts[i];
    char name[400], text[LINE] = "";

    print_inked(out, BOLD, "%s", checks_name(check, name));
    tell_verdict(IN_ARRAY(text), check, v, all->every ? &all->every[i] : NULL);
    print_item(out, text, print_width(name), HANG);
    text[0] = '\0';
    if (all->every && all->every[i].end == EVERY_PROVED && all->every[i].asked) {
        proofs_assumes(all, i, text);
        print_wrapped(out, text, fprintf(out, "  assumes: "));
        text[0] = '\0';
    }
    if (v->not_told_apart[0])
        peal_append(IN_ARRAY(text), "%s are not distinguished: a message past the end of one is not found",
                    v->not_told_apart);
    text_more(out, TEXT_INDENTED, "note", text);
    text_more(out, TEXT_INDENTED, "note", v->not_watched);
    if (v->identity.known)
        print_identity(out, check, &v->identity);
    if (check->program)
        text_more(out, TEXT_INDENTED, "limits", v->limits);
    else if (all->count == 1 && !peal_check_is_wrong(v))
        print_extent(out, v);
    if (all->count == 1 && option_given(all->request, "engine"))
        text_more(out, TEXT_INDENTED, "engine", all->engine);
    for (int f = 0; f < v->finding_count; f++)
        print_finding(out, check, v, &v->findings[f]);
    text_more(out, TEXT_INDENTED, "note", v->right_where);
}

/* The whole catalogue with --every: one line per algorithm, for which P it is proved, or why not for all. */
static void
print_every_line(FILE *out, const struct checks *all, int i, int width)
{
    const struct peal_verdict *v = &all->verdicts[i];
    char name[400], text[PROOF_TEXT] = "";

    print_left(out, checks_name(&all->checks[i], name), width);
    if (all->every[i].asked)
        proofs_tell(&all->checks[i], &all->every[i], text);
    else
        snprintf(text, sizeof text, "%s", v->reason[0] ? v->reason : "wrong");
    print_wrapped(out, text, width);
    for (int f = 0; f < v->finding_count; f++)
        print_finding(out, &all->checks[i], v, &v->findings[f]);
}

static void
print_every(FILE *out, const struct checks *all)
{
    char name[400], text[PROOF_TEXT];
    int width = 0, proved = 0;

    for (int i = 0; i < all->count; i++) {
        int own = print_width(checks_name(&all->checks[i], name)) + 2;

        width = own > width ? own : width;
        proved += all->every[i].asked && all->every[i].end == EVERY_PROVED;
    }
    for (int i = 0; i < all->count; i++)
        print_every_line(out, all, i, width);
    fprintf(out, "\n%d of %d are proved for every P.\n", proved, all->count);
    if (proved == 0)
        return;
    proofs_assumes(all, -1, text);
    print_wrapped(out, text, fprintf(out, "  assumes: "));
}

void
check_show(FILE *out, const struct checks *all)
{
    int proved = 0, wrong = 0;
    uint64_t runs = 0;

    if (all->every && all->count > 1)
        print_every(out, all);
    for (int i = 0; i < all->count; i++) {
        if (!all->every || all->count == 1)
            print_verdict(out, all, i);
        proved += all->verdicts[i].proved;
        wrong += peal_check_is_wrong(&all->verdicts[i]);
        runs += all->verdicts[i].runs;
    }
    if (all->count > 1 && option_given(all->request, "engine"))
        text_more(out, TEXT_INDENTED, "engine", all->engine);
    if (all->count > 1)
        fprintf(out, "\n%d of %d are proved%s, %d wrong: %" PRIu64 " runs\n", proved, all->count,
                all->every ? " for P <= 16" : "", wrong, runs);
}
