/* SPDX-License-Identifier: MIT */
/* Prints verdicts and findings for people, each finding with the command that repeats it. */
#include "show/check_show.h"
#include "lib/check/narrow.h"
#include "show/print.h"
#include "show/show.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    fclose(out);
    return text;
}

/* "  order: what comes from any source is taken from 2, a later one, 1" */
static void
print_choices(FILE *out, const struct peal_check *check, const struct peal_finding *f)
{
    static const char *const words[] = {"all", "not yet", "a later one"}; /* from PEAL_CHOICE_ALL on */
    bool mpi = check->program && peal_program_kind(check->file) != PEAL_PROGRAM_SOURCE;

    bool served = f->choice_count > 0 && f->choices[0] <= PEAL_CHOICE_ORDERS;

    if (mpi)
        fprintf(out, "  order: the choices of receives, waits%s are",
                served ? ", tests, locks and updates" : " and tests");
    else
        fputs("  order: what comes from any source is taken from", out);
    const char *comma = "";

    for (int i = 0; i < f->choice_count; i++) {
        if (f->choices[i] <= PEAL_CHOICE_ORDERS)
            continue;
        if (f->choices[i] < 0)
            fprintf(out, "%s %s", comma, words[f->choices[i] - PEAL_CHOICE_ALL]);
        else
            fprintf(out, "%s %d", comma, f->choices[i]);
        comma = ",";
    }
    fputs(f->choices_cut ? ", ...\n" : "\n", out);
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

static void
print_finding(FILE *out, const struct peal_check *check, const struct peal_finding *f)
{
    static const char *const calls[PEAL_CALLS] = {"",
                                                  ", called twice",
                                                  ", in a group",
                                                  ", extent larger than size",
                                                  ", of a struct",
                                                  ", with gaps between blocks",
                                                  ", on two communicators",
                                                  ", on two communicators at once",
                                                  ", on two communicators that overlap"};
    const struct peal_check_case *c = &f->where;
    bool blocks = peal_collective_has_blocks(check->collective);
    char *command = check_show_command(check, f);

    print_inked(out, f->warning ? BOLD : BAD, "  %s%s", f->warning ? "warning: " : "", peal_failure_name(f->kind));
    fputs(": ", out);
    if (f->file[0] && !print_tells(f->message, f->file, f->line))
        fprintf(out, "%s:%d: ", f->file, f->line);
    fprintf(out, "%s\n", f->message);
    if (f->fix[0])
        fprintf(out, "  fix: %s\n", f->fix);
    print_error_output(out, f->error_output);
    fprintf(out, "  smallest: P = %d", c->nodes);
    if (c->size_count > 0) {
        fputs(", blocks of", out);
        for (int i = 0; i < c->size_count; i++)
            fprintf(out, "%s%zu", i == 0 ? " " : ", ", c->sizes[i]);
        fputs(" words, over and over", out);
    } else if (peal_form_of(check->collective)->out != PEAL_SIDE_NONE) {
        fprintf(out, ", %s = %zu", blocks ? "m" : "n", c->words);
    }
    if (peal_collective_has_root(check->collective))
        fprintf(out, ", root %d", c->root);
    if (c->in_place)
        fputs(", in place", out);
    if (c->call != PEAL_CALL_ONCE)
        fputs(calls[c->call], out);
    if (peal_form_of(check->collective)->by)
        fprintf(out, ", by %d", c->by);
    if (peal_form_of(check->collective)->waits && c->root < c->nodes)
        fprintf(out, ", node %d late", c->root);
    if (peal_form_of(check->collective)->waits && c->root >= c->nodes)
        fputs(", nobody late", out);
    if (c->eager)
        fprintf(out, ", eager:%zu", c->eager_words);
    else
        fputs(", rendezvous", out);
    if (c->ports == PEAL_PORTS_ALL)
        fputs(", all ports", out);
    else
        fprintf(out, ", %d port%s", c->ports, print_plural(c->ports));
    fputs(c->half_duplex ? ", half duplex" : "", out);
    if (c->switching != PEAL_IDEAL)
        fprintf(out, ", %s", peal_switching_name(c->switching));
    fprintf(out, "%s, %s\n", c->noncombining ? ", noncombining" : "", c->topology);
    if (f->choice_count > 0)
        print_choices(out, check, f);
    if (f->kind == PEAL_NONCOMMUTATIVE_ORDER)
        fputs("  note: if only operators that commute are meant, as a sum is, check it with --op sum\n", out);
    fprintf(out, "  rerun: %s\n", command ? command : f->rerun);
    free(command);
}

/* "  identical: on all nodes, ...; not for every n and place (...)". */
static void
print_identity(FILE *out, const struct peal_check *check, const struct peal_identity *identity)
{
    const char *between = "  identical: ";

    for (int same = 1; same >= 0; same--)
        for (int place = 0; place < PEAL_IDENTICALS; place++) {
            if (!identity->compared[place] || identity->differs[place] == same)
                continue;
            fprintf(out, "%s%s%s", between, same ? "" : "not ",
                    show_identical_place(check->collective, (enum peal_identical)place));
            between = ", ";
        }
    fprintf(out, "; at most %d combination%s deep with P = %d\n", identity->depth, print_plural(identity->depth),
            identity->nodes);
    for (int place = 0; place < PEAL_IDENTICALS; place++)
        if (identity->differs[place])
            fprintf(out, "    not %s: %s\n", show_identical_place(check->collective, (enum peal_identical)place),
                    identity->how[place]);
}

static void
print_named(FILE *out, const char *name, const char *text)
{
    if (text[0])
        print_wrapped(out, text, fprintf(out, "  %s: ", name));
}

/* What the verdict goes over, and what it does not. */
static void
print_extent(FILE *out, const struct peal_verdict *v)
{
    print_named(out, "cases", v->cases);
    print_named(out, "limits", v->limits);
    if (v->costs_as[0])
        fprintf(out, "  costs: in each of these cases, on one port and unbuffered, as %s\n", v->costs_as);
    if (v->not_run[0])
        fprintf(out, "  note: no case ran line%s %s\n", strpbrk(v->not_run, ",.") ? "s" : "", v->not_run);
}

/* What was seen of a whole program: its data are not labels, so a right run says nothing of others. */
static void
print_program(FILE *out, const struct peal_verdict *v, const char *only, const char *runs)
{
    if (!v->proved)
        fprintf(out, ": incomplete: %s", v->reason);
    if (v->proved)
        fprintf(out, ": no failure in any order of arrival, P = %s%s", v->bound, only);
    else if (v->bound[0])
        fprintf(out, "; no failure in the runs that were made, P = %s%s", v->bound, only);
    else if (v->runs > 0)
        fprintf(out, "; no failure in the runs that were made%s", only);
    fprintf(out, ": %" PRIu64 " %s\n", v->runs, runs);
}

static void
print_verdict(FILE *out, const struct checks *all, int i)
{
    const struct peal_check *check = &all->checks[i];
    const struct peal_verdict *v = &all->verdicts[i];
    char name[400], only[NARROWING];

    print_inked(out, BOLD, "%s", checks_name(check, name));
    const char *runs = v->runs == 1 ? "run" : "runs";

    checks_narrowing(check, v, only);
    if (check->program && !peal_check_is_wrong(v))
        print_program(out, v, only, runs);
    else if (v->proved)
        fprintf(out, ": proved for P = %s%s%s%s: %" PRIu64 " %s\n", v->bound, only,
                v->beyond[0] ? "; right in some cases of P = " : "", v->beyond, v->runs, runs);
    else if (peal_check_is_wrong(v))
        fprintf(out, ": wrong (%" PRIu64 " %s)\n", v->runs, runs);
    else if (v->bound[0])
        fprintf(out, ": not proved: %s; nothing wrong was found for P = %s%s: %" PRIu64 " %s\n", v->reason, v->bound,
                only, v->runs, runs);
    else if (v->runs > 0) /* not all runs of any number of nodes */
        fprintf(out, ": not proved: %s; nothing wrong was found in %" PRIu64 " %s%s\n", v->reason, v->runs, runs, only);
    else
        fprintf(out, ": not proved: %s\n", v->reason);
    if (v->not_told_apart[0])
        fprintf(out, "  note: %s are not distinguished: a message past the end of one is not found\n",
                v->not_told_apart);
    if (v->not_watched[0])
        fprintf(out, "  note: %s\n", v->not_watched);
    if (v->identity.known)
        print_identity(out, check, &v->identity);
    if (all->count == 1 && !peal_check_is_wrong(v))
        print_extent(out, v);
    for (int f = 0; f < v->finding_count; f++)
        print_finding(out, check, &v->findings[f]);
    if (v->right_where[0])
        fprintf(out, "  note: %s\n", v->right_where);
}

void
check_show(FILE *out, const struct checks *all)
{
    int proved = 0, wrong = 0;
    uint64_t runs = 0;

    for (int i = 0; i < all->count; i++) {
        print_verdict(out, all, i);
        proved += all->verdicts[i].proved;
        wrong += peal_check_is_wrong(&all->verdicts[i]);
        runs += all->verdicts[i].runs;
    }
    if (all->count > 1)
        fprintf(out, "\n%d of %d are proved, %d wrong: %" PRIu64 " runs\n", proved, all->count, wrong, runs);
}
