/* SPDX-License-Identifier: MIT */
#include "check_show.h"
#include "print.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Write a word as a shell reads it. */
static void
write_word(FILE *out, const char *word)
{
    if (*word && !strpbrk(word, " \t\n$&|;<>()[]{}*?~#!`\"'\\")) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

void
check_show_command(FILE *out, const struct peal_check *check, const struct peal_finding *finding)
{
    struct check_command command;

    checks_command(check, finding, &command);
    fputs("peal check", out);
    for (int i = 0; i < command.count; i++) {
        fputc(' ', out);
        write_word(out, command.word[i]);
    }
}

/* "  order: what comes from any source is taken from 2, a later one, 1" */
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
    } else if (peal_form_of(check->collective)->out != PEAL_SIDE_NONE) {
        printf(", %s = %zu", blocks ? "m" : "n", c->words);
    }
    if (peal_collective_has_root(check->collective))
        printf(", root %d", c->root);
    if (c->in_place)
        fputs(", in place", stdout);
    if (peal_form_of(check->collective)->by)
        printf(", by %d", c->by);
    if (peal_form_of(check->collective)->waits && c->root < c->nodes)
        printf(", node %d late", c->root);
    if (peal_form_of(check->collective)->waits && c->root >= c->nodes)
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
    printf("%s, %s\n", c->noncombining ? ", noncombining" : "", c->topology);
    if (f->choice_count > 0)
        print_choices(f);
    if (f->kind == PEAL_NONCOMMUTATIVE_ORDER)
        puts("  note: if only operators that commute are meant, as a sum is, check it with --op sum");
    fputs("  rerun: ", stdout);
    check_show_command(stdout, check, f);
    putchar('\n');
}

static void
print_verdict(const struct peal_check *check, const struct peal_verdict *v)
{
    char name[400], only[NARROWING];

    print_ink(stdout, BOLD);
    fputs(checks_name(check, name), stdout);
    print_ink(stdout, PLAIN);
    const char *runs = v->runs == 1 ? "run" : "runs";

    checks_narrowing(check, v, only);
    if (v->proved)
        printf(": proved for P = %s%s%s%s: %" PRIu64 " %s\n", v->bound, only,
               v->beyond[0] ? "; right in some cases of P = " : "", v->beyond, v->runs, runs);
    else if (checks_wrong(v))
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

void
check_show(const struct checks *all)
{
    int proved = 0, wrong = 0;
    uint64_t runs = 0;

    for (int i = 0; i < all->count; i++) {
        print_verdict(&all->checks[i], &all->verdicts[i]);
        proved += all->verdicts[i].proved;
        wrong += checks_wrong(&all->verdicts[i]);
        runs += all->verdicts[i].runs;
    }
    if (all->count > 1)
        printf("\n%d of %d are proved, %d wrong: %" PRIu64 " runs\n", proved, all->count, wrong, runs);
}
