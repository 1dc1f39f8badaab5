/* SPDX-License-Identifier: MIT */
/* Prints what was found for people: a run's, a check's and a schedule's. */
#include "show/print.h"
#include "write/written.h"

/* How much of a long list is shown; the columns of names below a run's finding; the indent of a check's long lines. */
enum { MAX_CYCLE = 32, MAX_PLACES = 8, REST = 9, HANG = 4 };

const char *
text_message(const struct peal_fault *fault, char text[TEXT_MESSAGE])
{
    char where[560] = "";

    if (fault->file[0])
        snprintf(where, sizeof where, "%s:%d", file_name(fault->file), fault->line);
    bool told = where[0] == '\0' || strstr(fault->message, where);
    const char *through = told ? NULL : strstr(fault->message, " (through ");

    if (through) /* as the place of a call that waits is written */
        snprintf(text, TEXT_MESSAGE, "%.*s (%s, %s", (int)(through - fault->message), fault->message, where,
                 through + strlen(" ("));
    else
        snprintf(text, TEXT_MESSAGE, told ? "%s" : "%s (%s)", fault->message, where);
    peal_plain_but(text, "\n\t");
    return text;
}

void
text_more(FILE *out, enum text_shape shape, const char *name, const char *text)
{
    if (!text || !text[0])
        return;
    if (shape == TEXT_INDENTED) {
        int column = fprintf(out, "  %s: ", name);

        print_item(out, text, column, column);
    } else {
        fprintf(out, "  %-*s", REST - 2, name);
        print_wrapped(out, text, REST);
    }
}

/* ------------------------------------------------------------------ heads */

/* "F.c:12: ", as compilers do. */
static void
text_write_place(FILE *out, const char *file, int line)
{
    print_plain(out, file);
    fprintf(out, ":%d: ", line);
}

static void
write_placed(FILE *out, const struct peal_fault *fault)
{
    const bool note = fault->severity == PEAL_SEVERITY_NOTE;

    if (fault->file[0] && fault->line > 0)
        text_write_place(out, fault->file, fault->line);
    else
        fputs("peal: ", out);
    print_inked(out, note ? BOLD : BAD, note ? "note" : "finding");
    fprintf(out, ": %s: ", peal_failure_name(fault->kind));
    print_plain(out, fault->message);
    fputc('\n', out);
}

static void
write_ended(FILE *out, const struct peal_fault *fault)
{
    char text[TEXT_MESSAGE];

    fputs("peal: ", out);
    print_inked(out, BAD, "%s", peal_failure_name(fault->kind));
    fprintf(out, ": %s\n", text_message(fault, text));
}

static void
write_indented(FILE *out, const struct peal_fault *fault)
{
    static const char *const words[] = {
        [PEAL_SEVERITY_ERROR] = "", [PEAL_SEVERITY_WARNING] = "warning: ", [PEAL_SEVERITY_NOTE] = "note: "};
    const char *kind = peal_failure_name(fault->kind), *warning = words[fault->severity];
    char text[TEXT_MESSAGE] = "";

    if (fault->file[0] && !print_tells(fault->message, fault->file, fault->line))
        peal_append(IN_ARRAY(text), "%s:%d: ", fault->file, fault->line);
    peal_append(IN_ARRAY(text), "%s", fault->message);
    make_plain(text); /* the program may have chosen any name for its file, by #line */
    print_inked(out, fault->severity != PEAL_SEVERITY_ERROR ? BOLD : BAD, "  %s%s", warning, kind);
    fputs(": ", out);
    print_item(out, text, print_width(warning) + print_width(kind) + 4, HANG);
}

static void
write_labelled(FILE *out, const struct peal_found *one)
{
    const struct peal_fault *fault = one->fault;
    char text[TEXT_MESSAGE];

    snprintf(text, sizeof text, "%s: %s", one->name ? one->name : peal_failure_name(fault->kind),
             one->message ? one->message : fault->message);
    print_labelled(out, fault->severity == PEAL_SEVERITY_ERROR ? "wrong" : peal_severity_name(fault->severity), text);
}

/* ------------------------------------------------------------------ what comes below */

/* Whether a place before this one has the same line. */
static bool
was_shown(const struct peal_found *one, int i)
{
    const struct peal_place *place = &one->places[i];

    for (int k = 0; k < i; k++)
        if (one->places[k].line == place->line && one->places[k].file && place->file &&
            strcmp(one->places[k].file, place->file) == 0)
            return true;
    return !place->file;
}

static void
text_write_places(FILE *out, const struct peal_found *one)
{
    for (int i = 1, shown = 0; i < one->place_count && shown < MAX_PLACES; i++) {
        if (was_shown(one, i))
            continue;
        text_write_place(out, one->places[i].file, one->places[i].line);
        fprintf(out, "note: node %d\n", one->places[i].rank);
        shown++;
    }
}

/* Which nodes wait for one another. */
static void
write_cycle(FILE *out, enum text_shape shape, const int *cycle, int length)
{
    char text[16 * (MAX_CYCLE + 4)] = "";
    int shown = length < MAX_CYCLE ? length : MAX_CYCLE;

    for (int i = 0; i < shown; i++)
        peal_append(IN_ARRAY(text), "%d → ", cycle[i]);
    if (shown < length)
        peal_append(IN_ARRAY(text), "(%d more) → ", length - shown);
    peal_append(IN_ARRAY(text), "%d", cycle[0]);
    text_more(out, shape, "cycle", text);
}

void
text_rest(FILE *out, enum text_shape shape, const struct peal_found *one)
{
    if (shape == TEXT_PLACED)
        text_write_places(out, one);
    if (one->cycle_length > 0)
        write_cycle(out, shape, one->cycle, one->cycle_length);
    text_more(out, shape, "rule", one->rule);
    text_more(out, shape, "fix", one->fault->fix);
    text_more(out, shape, "again", one->again);
}

void
text_write(FILE *out, enum text_shape shape, const struct peal_found *one)
{
    switch (shape) {
    case TEXT_PLACED:
        write_placed(out, one->fault);
        break;
    case TEXT_ENDED:
        write_ended(out, one->fault);
        break;
    case TEXT_INDENTED:
        write_indented(out, one->fault);
        break;
    case TEXT_LABELLED:
        write_labelled(out, one);
        break;
    }
    text_rest(out, shape, one);
}

void
text_failure(FILE *out, const struct peal_failure *failure, bool ruled)
{
    const struct peal_found found = peal_found_at_end(failure, ruled);

    text_write(out, TEXT_ENDED, &found);
}
