/* SPDX-License-Identifier: MIT */
/* Compares the output of a program with the expected one, word by word. */
#include "grade/marking_program.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* The output of a run with tag_output, without the ranks before its lines unless `tags`; nodes not 0: sorted by node.
 * The caller frees it. */
static char *
untagged(const char *output, int nodes, bool tags)
{
    char *text = malloc(strlen(output) + 1), *end = text;

    for (int rank = 0; text && rank < (nodes ? nodes : 1); rank++)
        for (const char *line = output; *line;) {
            size_t length = strcspn(line, "\n"), tag = strcspn(line, ":") + 2;

            length += line[length] == '\n'; /* not at a zero that a node has printed */
            if (tag <= length && (!nodes || atoi(line) == rank))
                end = mempcpy(end, line + (tags ? 0 : tag), length - (tags ? 0 : tag));
            line += length;
        }
    if (text)
        *end = '\0';
    return text;
}

/* Step to the next word of the text; false at its end. */
static bool
outputs_next_word(const char **at, const char **word, size_t *length)
{
    while (isspace((unsigned char)**at))
        ++*at;
    *word = *at;
    while (**at && !isspace((unsigned char)**at))
        ++*at;
    *length = (size_t)(*at - *word);
    return *length > 0;
}

static bool
same_word(const char *is, size_t is_length, const char *should, size_t should_length, double tolerance)
{
    char *is_end, *should_end;

    if (is_length == should_length && memcmp(is, should, is_length) == 0)
        return true;
    if (tolerance <= 0)
        return false;
    double a = strtod(is, &is_end), b = strtod(should, &should_end);

    return is_end == is + is_length && should_end == should + should_length &&
           fabs(a - b) <= tolerance * fmax(1, fabs(b));
}

/* Compare two outputs word by word; report the first difference. */
static bool
same_output(const char *is, const char *should, double tolerance, char *where, size_t bytes)
{
    const char *a, *b;
    size_t a_length, b_length;
    int word = 0;

    for (;;) {
        bool more = outputs_next_word(&is, &a, &a_length), expected = outputs_next_word(&should, &b, &b_length);

        word++;
        if (!more && !expected)
            return true;
        if (more && expected && same_word(a, a_length, b, b_length, tolerance))
            continue;
        if (!more)
            snprintf(where, bytes, "it ends before word %d: expected %.*s", word, (int)(b_length < 60 ? b_length : 60),
                     b);
        else if (!expected)
            snprintf(where, bytes, "it goes on after its end, with %.*s", (int)(a_length < 60 ? a_length : 60), a);
        else
            snprintf(where, bytes, "word %d is %.*s, expected %.*s", word, (int)(a_length < 60 ? a_length : 60), a,
                     (int)(b_length < 60 ? b_length : 60), b);
        return false;
    }
}

/* Step to the next line of the text, without its end; false at the end of the text. */
static bool
outputs_next_line(const char **at, const char **line, size_t *length)
{
    *line = *at;
    *length = strcspn(*at, "\n");
    *at += *length + ((*at)[*length] != '\0');
    return **line != '\0';
}

/* Whether two lines have the same words. */
static bool
outputs_lines_are_equal(const char *is, size_t is_length, const char *should, size_t should_length, double tolerance)
{
    char *a = strndup(is, is_length), *b = strndup(should, should_length), where[300];
    bool same = a && b && same_output(a, b, tolerance, where, sizeof where);

    free(a);
    free(b);
    return same;
}

/* Whether the output has every expected line, in order, with others between them: *extra of them, the first of which is
 * given. */
static bool
has_extra_lines(const char *is, const char *should, double tolerance, int *extra, char first[80])
{
    const char *line, *expected = "";
    size_t length, expected_length = 0;
    bool more = outputs_next_line(&should, &expected, &expected_length);

    *extra = 0;
    while (outputs_next_line(&is, &line, &length)) {
        if (more && outputs_lines_are_equal(line, length, expected, expected_length, tolerance))
            more = outputs_next_line(&should, &expected, &expected_length);
        else if ((*extra)++ == 0)
            snprintf(first, 80, "%.*s", (int)(length < 70 ? length : 70), line);
    }
    return !more && *extra > 0;
}

/* Note how the output differs from the one expected; false: it differs in nothing that counts. */
static bool
outputs_note_difference(const struct assignment_test *test, const char *is, const char *should, struct mark *mark)
{
    char text[300], first[80];
    int extra;

    if (same_output(is, should, test->tolerance, text, sizeof text))
        return false;
    if (!has_extra_lines(is, should, test->tolerance, &extra, first)) {
        mark_note(mark, "wrong-result: of the output, %s", text);
        return true;
    }
    mark_note(mark, "%sthe output is right, apart from lines that are not expected (%d), the first: %s",
              test->extra_lines ? "note: " : "wrong-result: ", extra, first);
    if (!test->extra_lines)
        mark_note(mark, "  fix: is it a printf left over from debugging? print to stderr, or leave it out");
    return !test->extra_lines;
}

/* Whether each node has a line in the output of a run with tag_output. */
static bool
all_print(const char *output, int nodes)
{
    int rank = 0;

    for (const char *line = output; *line && rank < nodes;) {
        if (atoi(line) == rank) {
            rank++;
            line = output;
        } else {
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
    }
    return rank == nodes;
}

bool
outputs_note(const struct assignment_test *test, const char *is, const char *should, int tagged_nodes, bool apart,
             struct mark *mark)
{
    char where[300];
    bool differs = true;

    if (tagged_nodes == 0)
        return outputs_note_difference(test, is, should, mark);
    bool tags = apart && all_print(should, tagged_nodes);
    char *texts[] = {untagged(is, 0, false), untagged(should, 0, false), untagged(is, tagged_nodes, tags),
                     untagged(should, tagged_nodes, tags)};

    if (texts[0] && texts[1] && texts[2] && texts[3])
        differs = (tags || !same_output(texts[0], texts[1], test->tolerance, where, sizeof where)) &&
                  outputs_note_difference(test, texts[2], texts[3], mark);
    else
        mark_note(mark, "not enough memory for its output");
    for (int i = 0; i < 4; i++)
        free(texts[i]);
    return differs;
}
