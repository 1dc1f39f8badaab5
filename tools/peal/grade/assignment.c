/* SPDX-License-Identifier: MIT */
/* Read an assignment: ini_lines.h reads its lines, assignment_keys.h gives the meaning of each key, this file
 * checks that they fit together. */
#include "grade/assignment.h"
#include "grade/assignment_keys.h"
#include <fnmatch.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ what fits together */

struct peal_check_values
assignment_values(const struct assignment_test *test, int nodes, size_t words)
{
    return peal_check_values_of(test->proof ? test->collective : PEAL_COLLECTIVES,
                                &(struct peal_check_case){.nodes = nodes, .words = words});
}

char *
assignment_expand(const char *text, struct peal_check_values values, uint32_t random, struct peal_error *error)
{
    size_t bytes = strlen(text) + 40 * (strlen(text) + 1) + 1, used = 0;
    const char *whole = text;
    char *out = malloc(bytes), expression[200];
    double value;

    if (!out)
        peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (; out && *text; text++) {
        size_t length = strcspn(text, "}");

        if (*text != '{') {
            out[used++] = *text;
            continue;
        }
        snprintf(expression, sizeof expression, "%.*s", (int)length - 1, text + 1);
        if (text[length] == '}' && strcmp(expression, "random") == 0)
            value = random;
        else if (text[length] != '}' || peal_check_expression(expression, values, &value, error) != PEAL_OK) {
            if (text[length] != '}')
                peal_refuse(error, PEAL_USAGE, "'%s' has a { without its }", whole);
            free(out);
            return NULL;
        }
        used += (size_t)snprintf(out + used, bytes - used, "%.17g", value);
        text += length;
    }
    if (out)
        out[used] = '\0';
    return out;
}

/* Try the expressions in braces. */
static void
check_braces(struct ini_lines *lines, int section, const char *key, const char *text, struct peal_check_values values)
{
    struct peal_error why;
    char *expanded = assignment_expand(text, values, 0, &why);

    if (!expanded)
        lines_refuse(lines, lines_line_of(lines, section, key), "%s: %s", key, why.text);
    free(expanded);
}

/* Try every expression for every number of nodes, and every network. */
static void
check_cases(struct ini_lines *lines, int section, const struct assignment_test *test)
{
    static const char *const limits[] = {"max_rounds", "max_words", "max_hops", "max_messages"};
    const char *const texts[] = {test->max_rounds, test->max_words, test->max_hops, test->max_messages};
    struct peal_error why;
    double value = 0;

    for (int i = 0; i < test->node_count && !lines->failed; i++) {
        struct peal_check_values values = assignment_values(test, test->nodes[i], 16 * (size_t)test->nodes[i]);

        for (int k = 0; k < test->size_count; k++)
            if (peal_check_expression(test->sizes[k], values, &value, &why) != PEAL_OK)
                lines_refuse(lines, lines_line_of(lines, section, "sizes"), "sizes: %s", why.text);
            else if (value < 0 || value > 0x1p32)
                lines_refuse(lines, lines_line_of(lines, section, "sizes"), "sizes: %s is %g for P = %d",
                             test->sizes[k], value, test->nodes[i]);
        for (int k = 0; k < 4; k++)
            if (texts[k] && peal_check_expression(texts[k], values, &value, &why) != PEAL_OK)
                lines_refuse(lines, lines_line_of(lines, section, limits[k]), "%s: %s", limits[k], why.text);
        for (char **argument = test->arguments; *argument; argument++)
            if (strpbrk(*argument, "\"'"))
                lines_refuse(lines, lines_line_of(lines, section, "arguments"),
                             "arguments: %s has a quote: expected words with blanks between them, and no quotes",
                             *argument);
            else
                check_braces(lines, section, "arguments", *argument, values);
        if (test->expect)
            check_braces(lines, section, "expect", test->expect, values);
        if (!test->topology)
            continue;
        struct peal_network *network = peal_network_create(test->topology, test->nodes[i], NULL, &why);

        if (!network)
            lines_refuse(lines, lines_line_of(lines, section, "topology"), "topology: %s", why.text);
        peal_network_destroy(network);
    }
}

/* The line of a key of the test, or of all tests; 0: neither has it. */
static int
is_given(const struct ini_lines *lines, int section, const char *key)
{
    return lines_find(lines, section, key) || lines_find(lines, 0, key) ? lines_line_of(lines, section, key) : 0;
}

/* Refuse what programs in Python cannot have. */
static void
check_python(struct ini_lines *lines, int section, const struct assignment_test *test)
{
    static const char *const of_c[] = {"cflags", "functions", "offers", "allow"};

    for (size_t i = 0; i < sizeof of_c / sizeof *of_c; i++)
        if (is_given(lines, section, of_c[i]))
            lines_refuse(lines, is_given(lines, section, of_c[i]),
                         "%s is for submissions in C, not with interface = python", of_c[i]);
    if (test->proof)
        lines_refuse(lines, lines_line_of(lines, section, "collective"),
                     "a function in Python is not proved: expected program, got collective");
    else if (test->nodes && test->nodes[test->node_count - 1] > PEAL_MAX_ENCLOSED)
        lines_refuse(lines, lines_line_of(lines, section, "nodes"),
                     "nodes: expected at most %d with interface = python, whose nodes are processes, got %d",
                     PEAL_MAX_ENCLOSED, test->nodes[test->node_count - 1]);
}

/* Refuse keys that exclude one another. */
static void
check_test(struct ini_lines *lines, int section, struct assignment_test *test)
{
    bool program = lines_find(lines, section, "program") ||
                   (lines_find(lines, 0, "program") && !lines_find(lines, section, "collective"));
    int line = lines->section_lines[section], ordered = is_given(lines, section, "rank_order");
    bool itself = lines_find(lines, section, "collective") || lines_find(lines, section, "program");

    if ((lines_find(lines, section, "collective") && lines_find(lines, section, "program")) ||
        (!itself && lines_find(lines, 0, "collective") && lines_find(lines, 0, "program")))
        lines_refuse(lines, line, "the test is of a collective or of a program, not of both");
    else if (!program && !test->proof)
        lines_refuse(lines, line, "the test says neither collective nor program");
    else if (test->proof && !program && !test->symbol)
        lines_refuse(lines, line, "expected symbol, the function that is tested");
    else if (!program && !test->mpi && (test->signature || test->element))
        lines_refuse(lines, line, "signature and elements are for a function for MPI: expected interface = mpi");
    else if (!program && test->mpi && !peal_check_arguments(test->collective, test->unequal))
        lines_refuse(lines, line, "MPI has no call for %s", peal_call_name(test->collective, test->unequal));
    else if (!program && test->in_place && !peal_collective_allows_in_place(test->collective))
        lines_refuse(lines, lines_line_of(lines, section, "buffers"), "buffers: %s has no case in place",
                     peal_call_name(test->collective, test->unequal));
    else if (test->powers_of_two_points > test->points)
        lines_refuse(lines, lines_line_of(lines, section, "powers_of_two_points"),
                     "powers_of_two_points: expected at most the points of the test, %g, got %g", test->points,
                     test->powers_of_two_points);
    else if (test->max_hops && !test->topology)
        lines_refuse(lines, lines_line_of(lines, section, "max_hops"),
                     "max_hops: expected topology, too: in a full network all nodes are neighbours");
    else if (ordered && is_given(lines, section, "op"))
        lines_refuse(lines, ordered, "expected one of op and rank_order, got both");
    else if (ordered && !program && !peal_collective_has_op(test->collective))
        lines_refuse(lines, ordered, "rank_order: %s combines nothing",
                     peal_call_name(test->collective, test->unequal));
    else if (ordered && !program && test->mpi)
        lines_refuse(lines, ordered, "rank_order: a function for MPI adds numbers, in any order");
    else if (program && test->expect && test->reference)
        lines_refuse(lines, lines_line_of(lines, section, "expect"), "expected one of expect and reference, got both");
    else if (!program && test->nodes && test->nodes[test->node_count - 1] > 2048)
        lines_refuse(lines, lines_line_of(lines, section, "nodes"), "nodes: a proof is for at most 2048");
    if (test->python)
        check_python(lines, section, test);
    test->proof = !program;
    if (test->proof && test->mpi && !test->element)
        test->element = PEAL_ELEMENT_DOUBLE;
    for (const struct key *key = assignment_keys; key->name && !lines->failed; key++) {
        const struct ini_entry *entry = lines_find(lines, section, key->name);

        if (entry && key->kind != ANY && key->kind != (program ? PROGRAM : PROOF))
            lines_refuse(lines, entry->line, "%s is for %s", entry->key, program ? "a collective" : "a program");
    }
}

/* Add the collectives that are forbidden by name: peal_reduce, MPI_*cast*. */
static void
refuse_forbidden(struct assignment_test *test)
{
    char name[60];

    for (int i = 0; i < PEAL_COLLECTIVES; i++) {
        keys_function((enum peal_collective)i, test->mpi, name);
        for (char **forbidden = test->forbid; *forbidden; forbidden++)
            if (fnmatch(*forbidden, name, 0) == 0)
                test->refused |= UINT64_C(1) << i;
    }
}

/* Keys that only change what a mark is worth, or who sees it. */
static bool
changes_no_mark(const char *key)
{
    return strcmp(key, "points") == 0 || strcmp(key, "visibility") == 0 || strcmp(key, "powers_of_two_points") == 0;
}

static void
digest_test(struct ini_lines *lines, int section, struct assignment_test *test)
{
    const struct ini_entry *total = lines_find(lines, 0, "total_timeout");
    uint64_t digest = digest_text(peal_version(), DIGEST_NOTHING);

    digest = digest_text(getenv("CFLAGS"), digest_text(getenv("CC"), digest));
    digest = digest_text(total ? total->value : NULL, digest);
    for (const struct key *key = assignment_keys; key->name; key++) {
        const struct ini_entry *own = lines_find(lines, section, key->name);
        const struct ini_entry *entry = own ? own : lines_find(lines, 0, key->name);

        if (!changes_no_mark(key->name))
            digest = digest_text(entry ? entry->value : NULL, digest);
    }
    if (test->driver)
        digest = digest_file(test->driver, digest);
    if (test->reference)
        digest = digest_file(test->reference, digest);
    for (int i = 0; test->expect && i < test->node_count * (test->size_count > 0 ? test->size_count : 1); i++) {
        int nodes = test->nodes[test->size_count > 0 ? i / test->size_count : i];
        double words = 0;

        if (test->size_count > 0)
            peal_check_expression(test->sizes[i % test->size_count], assignment_values(test, nodes, 0), &words, NULL);
        char *path = assignment_expand(test->expect, assignment_values(test, nodes, (size_t)words), 0, NULL);

        digest = path ? digest_file(path, digest) : digest;
        free(path);
    }
    test->digest = digest;
}

static void
fill_test(struct ini_lines *lines, int section, struct assignment_test *test)
{
    static char *none[1];

    *test = (struct assignment_test){.name = lines->sections[section],
                                     .line = lines->section_lines[section],
                                     .points = 1,
                                     .timeout = 10,
                                     .forbid = none,
                                     .allow = none,
                                     .arguments = none};
    for (const struct key *key = assignment_keys; key->name && !lines->failed; key++) {
        const struct ini_entry *own = lines_find(lines, section, key->name);
        const struct ini_entry *entry = own ? own : lines_find(lines, 0, key->name);

        if (!entry)
            continue;
        struct value value = {lines, test, key->name, entry->value, entry->line, (char *)test + key->at, key->either};

        if (!*entry->value && strcmp(key->name, "arguments") != 0 && strcmp(key->name, "forbid") != 0 &&
            strcmp(key->name, "allow") != 0)
            lines_refuse(lines, entry->line, "%s has no value", key->name);
        else
            key->read(&value);
    }
    if (lines->failed)
        return;
    if (!test->visibility)
        test->visibility = "visible";
    refuse_forbidden(test);
    check_test(lines, section, test);
    if (lines->failed)
        return;
    if (!test->nodes) {
        int from = test->proof ? 1 : 4, to = test->proof ? 16 : 4;

        test->nodes = lines_hold(lines, calloc(16, sizeof *test->nodes));
        for (; test->nodes && from <= to; from++)
            test->nodes[test->node_count++] = from;
    }
    check_cases(lines, section, test);
    if (!lines->failed)
        digest_test(lines, section, test);
}

/* ------------------------------------------------------------------ the whole */

/* The short name: the file's. */
static const char *
usual_name(struct ini_lines *lines)
{
    char *name = lines_hold(lines, strdup(file_name(lines->path)));
    char *dot = name ? strrchr(name, '.') : NULL;

    if (dot && dot > name)
        *dot = '\0';
    return name;
}

static void
assignment_fill(struct assignment *assignment, struct ini_lines *lines)
{
    const struct ini_entry *name = lines_find(lines, 0, "name"), *title = lines_find(lines, 0, "title");
    const struct ini_entry *total = lines_find(lines, 0, "total_timeout"), *starter = lines_find(lines, 0, "starter");
    char *end = NULL;

    if (!lines->sections[0])
        lines_refuse(lines, 1, "expected a section [assignment]");
    else if (lines->section_count == 0)
        lines_refuse(lines, lines->line, "expected a section [test NAME]");
    keys_refuse_unknown(lines);
    assignment->name = name ? name->value : usual_name(lines);
    assignment->title = title ? title->value : NULL;
    assignment->starter = starter ? keys_file(lines, starter) : NULL;
    assignment->total = total ? strtod(total->value, &end) : 60;
    if (total && (*end || end == total->value || !(assignment->total > 0) || assignment->total > 86400))
        lines_refuse(lines, total->line, "total_timeout: expected seconds, more than 0 and at most 86400, got '%s'",
                     total->value);
    if (name && strpbrk(name->value, " \t/"))
        lines_refuse(lines, name->line, "name: expected a short name without blanks and slashes, got '%s'",
                     name->value);
    assignment->tests = lines_hold(lines, calloc((size_t)lines->section_count + 1, sizeof *assignment->tests));
    for (int i = 0; i < lines->section_count && !lines->failed; i++) {
        fill_test(lines, i + 1, &assignment->tests[i]);
        if (assignment->tests[i].python != assignment->tests[0].python)
            lines_refuse(lines, assignment->tests[i].line,
                         "interface: all tests are of programs in Python, or none is: a submission is one file");
        assignment->test_count++;
        assignment->points += assignment->tests[i].points;
    }
}

enum peal_status
assignment_read(struct assignment *assignment, const char *path, struct peal_error *error)
{
    struct ini_lines *lines = calloc(1, sizeof *lines);

    *assignment = (struct assignment){.path = path, .lines = lines};
    if (!lines)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    lines_read(lines, path, error);
    if (!lines->failed)
        assignment_fill(assignment, lines);
    return lines->failed ? error->status : PEAL_OK;
}

void
assignment_free(struct assignment *assignment)
{
    if (assignment->lines)
        lines_fini(assignment->lines);
    free(assignment->lines);
    *assignment = (struct assignment){.path = NULL};
}

enum submission_language
assignment_language(const struct assignment *assignment)
{
    bool takes = true;

    for (int t = 0; t < assignment->test_count; t++) {
        const struct assignment_test *test = &assignment->tests[t];

        takes &= test->mpi && !test->proof && !test->driver;
    }
    return assignment->test_count > 0 && assignment->tests[0].python ? IN_PYTHON : takes ? IN_C_OR_FORTRAN : IN_C;
}
