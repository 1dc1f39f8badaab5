/* SPDX-License-Identifier: MIT */
/* Shows marks as a table: of one submission, with its findings, and of all. */
#include "grade/copies.h"
#include "grade/grade_write.h"
#include "show/table.h"
#include <ctype.h>
#include <stdlib.h>

/* "3/4", "2.5/3". */
static char *
of_points(double is, double most, char text[80])
{
    char number[32];

    snprintf(text, 80, "%s/", print_number(is, number));
    strcat(text, print_number(most, number));
    return text;
}

enum { FAULT_BYTES = 300, INDENT = 11 };

/* The length of "kind: file.c:12:", with which a finding's first line begins; 0: it begins otherwise. */
static size_t
placed_bytes(const char *line)
{
    size_t length = strcspn(line, "\n"), kind = strcspn(line, ":\n"), at = kind;

    while (at < length && (line[at] != ':' || !isdigit((unsigned char)line[at + 1])))
        at++;
    for (at++; at < length && isdigit((unsigned char)line[at]); at++)
        ;
    return at < length && line[at] == ':' && memchr(line, ' ', length) == line + kind + 1 ? at + 1 : 0;
}

/* The length of a finding's kind, "out-of-bounds"; 0: the line does not begin with one. */
static size_t
kind_bytes(const char *line)
{
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyz-");

    return line[length] == ':' ? length : 0;
}

/* Write the part of a finding's first line that others of the same fault share: its kind and its place, or the last of
 * several places.  Without a place it is the line without its numbers, and without the length of sums. */
static char *
grade_fault_text(const char *line, char fault[FAULT_BYTES])
{
    size_t length = strcspn(line, "\n"), placed = placed_bytes(line), count = 0;
    const char *place = NULL;

    for (size_t i = 0; i + 1 < length; i++)
        if (line[i] == ':' && isdigit((unsigned char)line[i + 1]) && memchr(line + i, ')', length - i))
            place = line + i;
    while (place && place > line && !strchr(" (", place[-1]))
        place--;
    if (placed > 0) {
        snprintf(fault, FAULT_BYTES, "%.*s", (int)placed, line);
    } else if (place) {
        snprintf(fault, FAULT_BYTES, "%.*s %.*s", (int)kind_bytes(line), line, (int)strcspn(place, ")"), place);
    } else {
        for (size_t i = 0; i < length && count < FAULT_BYTES - 1; i++)
            if (strncmp(line + i, "₀", 2) == 0) /* any of these digits */
                i += 2;
            else if (strncmp(line + i, "⊕x", 4) == 0 || strncmp(line + i, "⊕?", 4) == 0) /* a longer sum */
                i += 3;
            else if (!isdigit((unsigned char)line[i]))
                fault[count++] = line[i];
        fault[count] = '\0';
    }
    return fault;
}

/* The first of the tests before `test` in which the fault of this line was found; -1: none. */
static int
fault_before(const struct marking *marking, int test, const char *line)
{
    char fault[FAULT_BYTES], other[FAULT_BYTES];

    grade_fault_text(line, fault);
    for (int t = 0; t < test; t++)
        for (const char *at = marking->marks[t].notes; at && *at; at += strcspn(at, "\n"), at += *at != '\0')
            if (*at != ' ' && strcmp(grade_fault_text(at, other), fault) == 0)
                return t;
    return -1;
}

/* Print a note, indented.  A command, which users copy, and a compiler's line are not broken. */
static void
print_note(const char *line, int bytes)
{
    static const char *const whole[] = {"rerun: ", "shown by: ", "| ", NULL};
    char text[4000];
    int blanks = (int)strspn(line, " ");

    snprintf(text, sizeof text, "%.*s", bytes, line);
    printf("%*s", INDENT + blanks, "");
    const char *const *start = whole;

    while (*start && strncmp(text + blanks, *start, strlen(*start)) != 0)
        start++;
    if (*start)
        puts(text + blanks);
    else
        print_item(stdout, text + blanks, INDENT + blanks, INDENT + 4);
}

/* Print the notes on a test, each line indented; of a fault that an earlier test has, its name. */
static void
print_notes(const struct assignment *assignment, const struct marking *marking, int test)
{
    const char *text = marking->marks[test].notes ? marking->marks[test].notes : "";
    const char *kind = "";
    bool told = false;
    int last = -1;

    for (; *text; text += strcspn(text, "\n"), text += *text != '\0') {
        bool fault = *text != ' ' && strncmp(text, MARKING_POWERS, strlen(MARKING_POWERS)) != 0;
        int before = fault ? fault_before(marking, test, text) : -1;

        if (*text != ' ')
            told = before >= 0;
        int bytes = (int)kind_bytes(text);

        if (before >= 0 && before == last && bytes > 0 && strncmp(kind, text, (size_t)bytes + 1) == 0)
            continue; /* like the line before */
        if (before >= 0)
            printf("%*s%.*s%sas in the test \"%s\"\n", INDENT, "", bytes, text, bytes > 0 ? ": " : "",
                   assignment->tests[before].name);
        else if (!told)
            print_note(text, (int)strcspn(text, "\n"));
        last = before;
        kind = text;
    }
}

/* Print a line of the compiler's, which names the submission. */
static void
print_line(const char *line)
{
    char text[4000];

    snprintf(text, sizeof text, "%.*s", (int)strcspn(line, "\n"), line);
    peal_plain_but(text, "\t");
    printf("  | %s\n", text);
}

/* Print the compiler's first messages. */
static void
print_messages(const char *messages)
{
    for (int lines = 0; *messages && lines < 8; lines++) {
        print_line(messages);
        messages += strcspn(messages, "\n");
        messages += *messages != '\0';
    }
    if (*messages)
        puts("  | ...");
}

/* Print those warnings of the compiler that explain wrong results. */
static void
print_warnings(const char *messages)
{
    static const char *const ends[] = {"[-Wreturn-type]", "[-Wuninitialized]", "[-Wmaybe-uninitialized]"};

    for (; *messages; messages += strcspn(messages, "\n"), messages += *messages != '\0')
        for (size_t i = 0, length = strcspn(messages, "\n"); i < sizeof ends / sizeof *ends; i++)
            if (memmem(messages, length, ends[i], strlen(ends[i])))
                print_line(messages);
}

/* An untrusted text, as it is shown. */
static char *
shown(const char *text, char name[PATH_MAX])
{
    struct peal_text out = empty_text(name, PATH_MAX);

    peal_append(out, "%s", text);
    make_plain(name);
    return name;
}

void
grade_show_marking(const struct assignment *assignment, const struct marking *marking)
{
    char text[80], name[PATH_MAX];

    submission_name(marking->submission, name);
    make_plain(name);
    print_inked(stdout, BOLD, "%s", name);
    printf(": %s\n", of_points(marking->points, assignment->points, text));
    if (marking->refused.status != PEAL_OK) {
        printf("  not marked: %s\n", marking->refused.text);
        return;
    }
    if (marking->submission->nothing) {
        printf("  %s\n", marking->messages ? marking->messages : "");
        return;
    }
    if (!marking->compiles) {
        puts("  it does not compile");
        print_messages(marking->messages ? marking->messages : "");
        return;
    }
    if (marking->points < assignment->points)
        print_warnings(marking->messages ? marking->messages : "");
    for (int i = 0; i < assignment->test_count; i++) {
        const struct mark *mark = &marking->marks[i];

        print_ink(stdout, mark->passed ? GOOD : BAD);
        print_right(stdout, of_points(mark->points, assignment->tests[i].points, text), 9);
        print_ink(stdout, PLAIN);
        printf("  %s\n", assignment->tests[i].name);
        print_notes(assignment, marking, i);
    }
}

enum peal_status
grade_show_summary(const struct assignment *assignment, const struct marking *markings, int count,
                   struct peal_error *error)
{
    const size_t tests = (size_t)assignment->test_count;
    const size_t first = count > 0 && markings[0].submission->student ? 2 : 1; /* the column of the first test */
    struct table_column *layout = calloc(tests + first + 1, sizeof *layout);
    struct table table;
    char text[80], name[PATH_MAX];

    if (!layout)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    layout[0] = (struct table_column){"student", .left = true};
    layout[first - 1] = (struct table_column){"submission", .gap = first > 1 ? 2 : 0, .left = true};
    for (size_t t = 0; t < tests; t++)
        layout[first + t] = (struct table_column){"", .least = 7};
    layout[first + tests] = (struct table_column){"points", .least = 10};
    table_begin(&table, (size_t)count, first + tests + 1, layout);
    table.plain_head = true;
    for (size_t t = 0; t < tests; t++)
        table_set(&table, 0, first + t, "%zu", t + 1);
    for (size_t i = 0; i < (size_t)count; i++) {
        const struct marking *marking = &markings[i];

        if (first > 1)
            table_set(&table, i + 1, 0, "%s", shown(marking->submission->student->id, name));
        table_set(&table, i + 1, first - 1, "%s", shown(*marking->file ? marking->file : "-", name));
        for (size_t t = 0; t < tests; t++) {
            table_set(&table, i + 1, first + t, "%s", print_number(marking->marks[t].points, text));
            table_ink(&table, i + 1, first + t, marking->marks[t].passed ? GOOD : BAD);
        }
        table_set(&table, i + 1, first + tests, "%s", of_points(marking->points, assignment->points, text));
    }
    table_print(stdout, &table, 0, table.rows);
    putchar('\n');
    for (int t = 0; t < assignment->test_count; t++)
        printf("%4d  %s (%s)\n", t + 1, assignment->tests[t].name, print_number(assignment->tests[t].points, text));
    free(layout);
    return table_end(&table, error);
}

void
grade_show_copies(const struct marks *marks)
{
    const struct copies *copies = marks->copies;
    char name[PATH_MAX], place[60], text[300];

    if (!copies || copies->count == 0)
        return;
    putchar('\n');
    snprintf(text, sizeof text, "similar, apart from names, numbers and comments%s%s%s%s: read them before you judge",
             copies->beside_starter || copies->beside_answers ? ", not counting " : "",
             copies->beside_starter ? "the starter" : "",
             copies->beside_starter && copies->beside_answers ? " and " : "",
             copies->beside_answers ? "what most right answers share" : "");
    print_item(stdout, text, 0, 2);
    for (int i = 0; i < copies->count; i++) {
        const struct copy_group *group = &copies->groups[i];
        char percent[40];

        if (group->least_percent == group->most_percent)
            snprintf(percent, sizeof percent, "%d %%", group->most_percent);
        else
            snprintf(percent, sizeof percent, "%d..%d %%", group->least_percent, group->most_percent);
        for (int k = 0; k < group->count; k++) {
            const struct copied *copy = &group->copies[k];

            place[0] = '\0';
            if (copy->last_line > 0)
                snprintf(place, sizeof place, ", lines %d..%d", copy->first_line, copy->last_line);
            submission_name(marks->markings[copy->number].submission, name);
            make_plain(name);
            printf("%10s  %s%s\n", k == 0 ? percent : "", name, place);
        }
    }
}
