/* SPDX-License-Identifier: MIT */
/* Reading an assignment: inih finds the lines, a table of keys says what each means. */
#include "assignment.h"
#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* inih's longest line, its line break included. */
enum { MOST_CHARACTERS = 198 };

/* What some editors put before the first line. */
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* One "key = value" of the file. */
struct entry {
    int section; /* 0: [assignment]; i: test i - 1; -1: none yet */
    char *key, *value;
    int line;
};

/* The file as it is read. */
struct ini_lines {
    FILE *in;
    const char *path;
    int line;
    bool indented; /* the line read last begins with a blank */
    struct entry *entries;
    size_t count, held_count;
    char *sections[MOST_TESTS + 1];
    int section_lines[MOST_TESTS + 1], section_count, section;
    void **held; /* memory of values that were taken apart */
    struct peal_error *error;
    bool failed;
};

/* ------------------------------------------------------------------ lines */

static enum peal_status refuse(struct ini_lines *lines, int line, const char *format, ...) PEAL_PRINTF(3, 4);

static enum peal_status
refuse(struct ini_lines *lines, int line, const char *format, ...)
{
    char text[400];
    va_list list;

    if (lines->failed)
        return PEAL_USAGE;
    lines->failed = true;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return peal_refuse(lines->error, PEAL_USAGE, "%s:%d: %s", lines->path, line, text);
}

static void *
hold(struct ini_lines *lines, void *memory)
{
    void **longer = memory ? realloc(lines->held, (lines->held_count + 1) * sizeof *longer) : NULL;

    if (!longer) {
        free(memory);
        if (!lines->failed)
            peal_refuse(lines->error, PEAL_RESOURCES, "%s: not enough memory", lines->path);
        lines->failed = true;
        return NULL;
    }
    lines->held = longer;
    return lines->held[lines->held_count++] = memory;
}

/* "[test NAME]" or "[assignment]" begins. */
static void
begin_section(struct ini_lines *lines, const char *text)
{
    size_t length = strcspn(text, "]");
    char name[MOST_CHARACTERS + 2];

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    lines->section = -1;
    if (strcmp(name, "assignment") == 0) {
        if (lines->sections[0])
            refuse(lines, lines->line, "[assignment] is there twice");
        lines->sections[0] = hold(lines, strdup(name));
        lines->section = 0;
        return;
    }
    const char *test = strncmp(name, "test ", 5) == 0 ? name + 5 + strspn(name + 5, " ") : "";

    if (!*test)
        refuse(lines, lines->line, "[%s] is no section: say [assignment] or [test NAME]", name);
    else if (!lines->sections[0])
        refuse(lines, lines->line, "[assignment] comes first");
    else if (lines->section_count == MOST_TESTS)
        refuse(lines, lines->line, "an assignment has %d tests at most", MOST_TESTS);
    for (int i = 1; i <= lines->section_count && !lines->failed; i++)
        if (strcmp(lines->sections[i], test) == 0)
            refuse(lines, lines->line, "there is a test %s already, in line %d", test, lines->section_lines[i]);
    if (lines->failed)
        return;
    lines->section = ++lines->section_count;
    lines->sections[lines->section] = hold(lines, strdup(test));
    lines->section_lines[lines->section] = lines->line;
}

/* Read a line for inih. */
static char *
next_line(char *text, int size, void *stream)
{
    struct ini_lines *lines = stream;

    if (lines->failed || !fgets(text, size, lines->in))
        return NULL;
    lines->line++;
    if (lines->line == 1 && strncmp(text, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0)
        memmove(text, text + strlen(BYTE_ORDER_MARK), strlen(text + strlen(BYTE_ORDER_MARK)) + 1);
    if (!strchr(text, '\n') && !feof(lines->in))
        refuse(lines, lines->line, "a line has more than %d bytes: go on in an indented line", size - 2);
    lines->indented = isspace((unsigned char)*text) != 0;
    if (text[strspn(text, " \t")] == '[' && !lines->failed)
        begin_section(lines, text + strspn(text, " \t") + 1);
    return text;
}

/* inih has found a key and its value. */
static int
take_entry(void *stream, const char *section, const char *key, const char *value)
{
    struct ini_lines *lines = stream;
    struct entry *last = lines->count > 0 ? &lines->entries[lines->count - 1] : NULL;

    (void)section;
    if (lines->failed)
        return 0;
    if (lines->section < 0)
        return refuse(lines, lines->line, "%s stands in no section: begin with [assignment]", key), 0;
    if (last && lines->indented && last->section == lines->section && strcmp(last->key, key) == 0) {
        size_t bytes = strlen(last->value) + strlen(value) + 2;
        char *longer = hold(lines, malloc(bytes));

        if (longer)
            snprintf(longer, bytes, "%s %s", last->value, value);
        last->value = longer;
        return longer != NULL;
    }
    for (size_t i = 0; i < lines->count; i++)
        if (lines->entries[i].section == lines->section && strcmp(lines->entries[i].key, key) == 0)
            return refuse(lines, lines->line, "%s is said already, in line %d", key, lines->entries[i].line), 0;
    struct entry *longer = realloc(lines->entries, (lines->count + 1) * sizeof *longer);

    if (!longer)
        return hold(lines, NULL) != NULL;
    lines->entries = longer;
    longer[lines->count] =
        (struct entry){lines->section, hold(lines, strdup(key)), hold(lines, strdup(value)), lines->line};
    return !lines->failed && longer[lines->count++].key;
}

/* ------------------------------------------------------------------ values */

/* A value that is being read: of a test, or of [assignment] for it. */
struct value {
    struct ini_lines *lines;
    struct assignment_test *test;
    const char *key, *text;
    int line;
};

/* Cut the text up at commas that stand in no parentheses, and with `blanks` at blanks.  NULL after the last. */
static char **
split(const struct value *value, bool blanks)
{
    size_t length = strlen(value->text), count = 0;
    char *text = hold(value->lines, strdup(value->text));
    char **words = hold(value->lines, calloc(length + 2, sizeof *words));

    if (!text || !words)
        return NULL;
    for (char *at = text; *at;) {
        int depth = 0;

        at += strspn(at, blanks ? ", \t" : " \t");
        char *start = at;

        for (; *at && (depth > 0 || (*at != ',' && !(blanks && (*at == ' ' || *at == '\t')))); at++)
            depth += (*at == '(' || *at == '{') - (*at == ')' || *at == '}');
        char *end = at;

        at += *at != '\0';
        while (end > start && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        *end = '\0';
        if (end > start)
            words[count++] = start;
    }
    return words;
}

static bool
read_integer(const char *text, long least, long most, int *number)
{
    char *end;

    errno = 0;
    long read = strtol(text, &end, 10);

    if (end == text || *end || errno || read < least || read > most)
        return false;
    *number = (int)read;
    return true;
}

static void
read_points(const struct value *v)
{
    char *end;

    v->test->points = strtod(v->text, &end);
    if (end == v->text || *end || !(v->test->points >= 0 && v->test->points <= 1e6))
        refuse(v->lines, v->line, "points: say a number from 0 on, not %s", v->text);
}

static void
read_visibility(const struct value *v)
{
    static const char *const words[] = {"visible", "hidden", "after_due_date", "after_published", NULL};

    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], v->text) == 0)
            v->test->visibility = words[i];
    if (!v->test->visibility)
        refuse(v->lines, v->line, "visibility: say visible, hidden, after_due_date or after_published, not %s",
               v->text);
}

static int
by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void
read_nodes(const struct value *v)
{
    char **words = split(v, true);
    int *nodes = hold(v->lines, calloc(MOST_TEST_NODES + 1, sizeof *nodes)), count = 0, from, to;

    for (; nodes && words && *words; words++) {
        char *colon = strchr(*words, ':');

        if (colon)
            *colon = '\0';
        if (!read_integer(*words, 1, 1 << 20, &from) || !read_integer(colon ? colon + 1 : *words, 1, 1 << 20, &to) ||
            to < from) {
            refuse(v->lines, v->line, "nodes: say numbers and ranges from 1 on, as in 1:8, 16, not %s", v->text);
            return;
        }
        for (; from <= to; from++) {
            if (count == MOST_TEST_NODES) {
                refuse(v->lines, v->line, "nodes: %d numbers are the most", MOST_TEST_NODES);
                return;
            }
            nodes[count++] = from;
        }
    }
    if (!nodes || count == 0) {
        refuse(v->lines, v->line, "nodes: say numbers and ranges, as in 1:8, 16");
        return;
    }
    qsort(nodes, (size_t)count, sizeof *nodes, by_number);
    v->test->nodes = nodes;
    for (int i = 0; i < count; i++)
        if (i == 0 || nodes[i] != nodes[i - 1])
            nodes[v->test->node_count++] = nodes[i];
}

static void
read_sizes(const struct value *v)
{
    char **words = split(v, false);

    for (; words && *words; words++) {
        if (v->test->size_count == MOST_TEST_SIZES) {
            refuse(v->lines, v->line, "sizes: %d are the most", MOST_TEST_SIZES);
            return;
        }
        v->test->sizes[v->test->size_count++] = *words;
    }
    if (v->test->size_count == 0)
        refuse(v->lines, v->line, "sizes: say expressions of P, as in 0, 1, 2*P+1");
}

static void
read_topology(const struct value *v)
{
    v->test->topology = v->text;
}

static void
read_ports(const struct value *v)
{
    if (strcmp(v->text, "all") == 0)
        v->test->ports = PEAL_PORTS_ALL;
    else if (!read_integer(v->text, 1, 1 << 16, &v->test->ports))
        refuse(v->lines, v->line, "ports: say a number from 1 to 65536, or all, not %s", v->text);
}

static void
read_delivery(const struct value *v)
{
    v->test->has_delivery = true;
    v->test->eager = strncmp(v->text, "eager:", 6) == 0;
    if (strcmp(v->text, "rendezvous") != 0 &&
        (!v->test->eager || peal_parse_size(v->text + 6, &v->test->eager_words, NULL) != PEAL_OK))
        refuse(v->lines, v->line, "delivery: say rendezvous or eager:W, as in eager:64, not %s", v->text);
}

static void
read_buffers(const struct value *v)
{
    v->test->in_place = strcmp(v->text, "both") == 0;
    if (!v->test->in_place && strcmp(v->text, "separate") != 0)
        refuse(v->lines, v->line, "buffers: say separate or both, not %s", v->text);
}

static void
read_max_rounds(const struct value *v)
{
    v->test->max_rounds = v->text;
}

static void
read_max_words(const struct value *v)
{
    v->test->max_words = v->text;
}

static void
read_forbid(const struct value *v)
{
    v->test->forbid = split(v, true);
}

static void
read_timeout(const struct value *v)
{
    char *end;

    v->test->timeout = strtod(v->text, &end);
    if (end == v->text || *end || !(v->test->timeout > 0 && v->test->timeout <= 86400))
        refuse(v->lines, v->line, "timeout: say seconds, more than 0 and at most 86400, not %s", v->text);
}

static void
read_seed(const struct value *v)
{
    char *end;

    errno = 0;
    v->test->seed = strtoull(v->text, &end, 10);
    if (!isdigit((unsigned char)*v->text) || *end || errno)
        refuse(v->lines, v->line, "seed: say a number from 0 on, not %s", v->text);
}

static void
read_cflags(const struct value *v)
{
    v->test->cflags = v->text;
    v->test->cflags_line = v->line;
}

static void
read_collective(const struct value *v)
{
    const char *names[PEAL_COLLECTIVES + 1] = {NULL};

    v->test->proof = true;
    if (peal_call_find(v->text, &v->test->collective, &v->test->unequal))
        return;
    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        names[i] = peal_collective_name((enum peal_collective)i);
    const char *near = peal_suggest(v->text, names);

    refuse(v->lines, v->line, "collective: there is no %s%s%s%s", v->text, near ? "; did you mean " : "",
           near ? near : ": peal list shows them", near ? "?" : "");
}

static void
read_symbol(const struct value *v)
{
    v->test->symbol = v->text;
    for (const char *c = v->text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            refuse(v->lines, v->line, "symbol: %s is no name of a C function", v->text);
}

static void
read_roots(const struct value *v)
{
    char **words = split(v, true);
    int *roots = hold(v->lines, calloc(strlen(v->text) + 1, sizeof *roots));

    for (; roots && words && *words; words++)
        if (!read_integer(*words, 0, 1 << 20, &roots[v->test->root_count++]))
            refuse(v->lines, v->line, "roots: say numbers from 0 on, as in 0, 3, not %s", *words);
    v->test->roots = roots;
    if (v->test->root_count == 0)
        refuse(v->lines, v->line, "roots: say numbers from 0 on, as in 0, 3");
}

static void
read_op(const struct value *v)
{
    v->test->op = peal_op_find(v->text);
    if (!v->test->op)
        refuse(v->lines, v->line, "op: there is no operator %s: say sum or affine", v->text);
}

/* The path of a file beside the assignment. */
static const char *
path_of(const struct value *v)
{
    const char *slash = strrchr(v->lines->path, '/');
    size_t folder = slash && *v->text != '/' ? (size_t)(slash - v->lines->path) + 1 : 0;
    size_t bytes = folder + strlen(v->text) + 1;
    char *path = hold(v->lines, malloc(bytes));

    if (path)
        snprintf(path, bytes, "%.*s%s", (int)folder, v->lines->path, v->text);
    return path;
}

/* A file that must be there. */
static const char *
file_of(const struct value *v)
{
    const char *path = path_of(v);
    FILE *in = path ? fopen(path, "re") : NULL;

    if (path && !in)
        refuse(v->lines, v->line, "%s: %s cannot be read: %s", v->key, path, strerror(errno));
    if (in)
        fclose(in);
    return path;
}

static void
read_program(const struct value *v)
{
    if (!*v->text)
        refuse(v->lines, v->line, "program: say submission, or the file of a driver");
    else if (strcmp(v->text, "submission") != 0) {
        v->test->driver = file_of(v);
        v->test->driver_line = v->line;
    }
}

static void
read_arguments(const struct value *v)
{
    v->test->arguments = split(v, true);
}

static void
read_expect(const struct value *v)
{
    v->test->expect = strchr(v->text, '{') ? path_of(v) : file_of(v);
}

static void
read_reference(const struct value *v)
{
    v->test->reference = file_of(v);
}

static void
read_tolerance(const struct value *v)
{
    char *end;

    v->test->tolerance = strtod(v->text, &end);
    if (end == v->text || *end || !(v->test->tolerance >= 0 && v->test->tolerance <= 1))
        refuse(v->lines, v->line, "tolerance: say a number from 0 to 1, not %s", v->text);
}

/* ------------------------------------------------------------------ keys */

enum kinds { ANY, PROOF, PROGRAM };

static const struct key {
    const char *name;
    enum kinds kind;
    void (*read)(const struct value *value);
} keys[] = {
    {"points", ANY, read_points},
    {"visibility", ANY, read_visibility},
    {"nodes", ANY, read_nodes},
    {"sizes", ANY, read_sizes},
    {"topology", ANY, read_topology},
    {"ports", ANY, read_ports},
    {"delivery", ANY, read_delivery},
    {"max_rounds", ANY, read_max_rounds},
    {"max_words", ANY, read_max_words},
    {"forbid", ANY, read_forbid},
    {"timeout", ANY, read_timeout},
    {"seed", ANY, read_seed},
    {"cflags", ANY, read_cflags},
    {"collective", PROOF, read_collective},
    {"symbol", PROOF, read_symbol},
    {"buffers", PROOF, read_buffers},
    {"roots", PROOF, read_roots},
    {"op", PROOF, read_op},
    {"program", PROGRAM, read_program},
    {"arguments", PROGRAM, read_arguments},
    {"expect", PROGRAM, read_expect},
    {"reference", PROGRAM, read_reference},
    {"tolerance", PROGRAM, read_tolerance},
};

enum { KEYS = sizeof keys / sizeof *keys };

static struct entry *
find(struct ini_lines *lines, int section, const char *key)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->entries[i].section == section && strcmp(lines->entries[i].key, key) == 0)
            return &lines->entries[i];
    return NULL;
}

/* Refuse a key that is none, with the one it may have been. */
static void
refuse_unknown(struct ini_lines *lines)
{
    const char *names[KEYS + 3] = {"name", "title"};

    for (int i = 0; i < KEYS; i++)
        names[i + 2] = keys[i].name;
    for (size_t i = 0; i < lines->count && !lines->failed; i++) {
        const struct entry *entry = &lines->entries[i];
        int known = entry->section == 0 ? 0 : 2;

        while (names[known] && strcmp(names[known], entry->key) != 0)
            known++;
        if (names[known])
            continue;
        const char *near = peal_suggest(entry->key, names + (entry->section == 0 ? 0 : 2));

        refuse(lines, entry->line, "%s is no key%s%s%s%s", entry->key, entry->section == 0 ? "" : " of a test",
               near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    }
}

/* ------------------------------------------------------------------ what fits together */

struct peal_check_values
assignment_values(const struct assignment_test *test, int nodes, size_t words)
{
    bool blocks = test->proof && peal_collective_has_blocks(test->collective);
    double P = nodes, w = (double)words, q = 0;

    while ((1 << (int)q) < nodes)
        q++;
    return (struct peal_check_values){P, blocks ? w : w / P, blocks ? w * P : w, q};
}

/* The line where the test or the assignment says this key, else where the test begins. */
static int
line_of(struct ini_lines *lines, int section, const char *key)
{
    const struct entry *entry = find(lines, section, key);

    if (!entry)
        entry = find(lines, 0, key);
    return entry ? entry->line : lines->section_lines[section];
}

char *
assignment_expand(const char *text, struct peal_check_values values, struct peal_error *error)
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
        if (text[length] != '}' || peal_check_expression(expression, values, &value, error) != PEAL_OK) {
            if (text[length] != '}')
                peal_refuse(error, PEAL_USAGE, "%s has a { without its }", whole);
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

/* Try what stands in braces. */
static void
check_braces(struct ini_lines *lines, int section, const char *key, const char *text, struct peal_check_values values)
{
    struct peal_error why;
    char *expanded = assignment_expand(text, values, &why);

    if (!expanded)
        refuse(lines, line_of(lines, section, key), "%s: %s", key, why.text);
    free(expanded);
}

/* Try every expression for every number of nodes, and every network. */
static void
check_cases(struct ini_lines *lines, int section, const struct assignment_test *test)
{
    static const char *const limits[] = {"max_rounds", "max_words"};
    const char *const texts[] = {test->max_rounds, test->max_words};
    struct peal_error why;
    double value = 0;

    for (int i = 0; i < test->node_count && !lines->failed; i++) {
        struct peal_check_values values = assignment_values(test, test->nodes[i], 16 * (size_t)test->nodes[i]);

        for (int k = 0; k < test->size_count; k++)
            if (peal_check_expression(test->sizes[k], values, &value, &why) != PEAL_OK)
                refuse(lines, line_of(lines, section, "sizes"), "sizes: %s", why.text);
            else if (value < 0 || value > 0x1p32)
                refuse(lines, line_of(lines, section, "sizes"), "sizes: %s is %g for P = %d", test->sizes[k], value,
                       test->nodes[i]);
        for (int k = 0; k < 2; k++)
            if (texts[k] && peal_check_expression(texts[k], values, &value, &why) != PEAL_OK)
                refuse(lines, line_of(lines, section, limits[k]), "%s: %s", limits[k], why.text);
        for (char **argument = test->arguments; *argument; argument++)
            check_braces(lines, section, "arguments", *argument, values);
        if (test->expect)
            check_braces(lines, section, "expect", test->expect, values);
        if (!test->topology)
            continue;
        struct peal_network *network = peal_network_create(test->topology, test->nodes[i], NULL, &why);

        if (!network)
            refuse(lines, line_of(lines, section, "topology"), "topology: %s", why.text);
        peal_network_destroy(network);
    }
}

/* Refuse what does not go together. */
static void
check_test(struct ini_lines *lines, int section, struct assignment_test *test)
{
    bool program =
        find(lines, section, "program") || (find(lines, 0, "program") && !find(lines, section, "collective"));
    int line = lines->section_lines[section];
    bool itself = find(lines, section, "collective") || find(lines, section, "program");

    if ((find(lines, section, "collective") && find(lines, section, "program")) ||
        (!itself && find(lines, 0, "collective") && find(lines, 0, "program")))
        refuse(lines, line, "the test is of a collective or of a program, not of both");
    else if (!program && !test->proof)
        refuse(lines, line, "the test says neither collective nor program");
    else if (test->proof && !program && !test->symbol)
        refuse(lines, line, "say which function is tested: symbol");
    else if (!program && test->in_place && !peal_collective_allows_in_place(test->collective))
        refuse(lines, line_of(lines, section, "buffers"), "buffers: %s has no case in place",
               peal_call_name(test->collective, test->unequal));
    else if (program && test->expect && test->reference)
        refuse(lines, line_of(lines, section, "expect"), "say expect or reference, not both");
    else if (!program && test->nodes && test->nodes[test->node_count - 1] > 2048)
        refuse(lines, line_of(lines, section, "nodes"), "nodes: a proof is for at most 2048");
    test->proof = !program;
    for (int i = 0; i < KEYS && !lines->failed; i++) {
        const struct entry *entry = find(lines, section, keys[i].name);

        if (entry && keys[i].kind != ANY && keys[i].kind != (program ? PROGRAM : PROOF))
            refuse(lines, entry->line, "%s is for %s", entry->key, program ? "a collective" : "a program");
    }
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
                                     .arguments = none};
    for (int i = 0; i < KEYS && !lines->failed; i++) {
        struct entry *own = find(lines, section, keys[i].name), *entry = own ? own : find(lines, 0, keys[i].name);
        struct value value = {lines, test, keys[i].name, entry ? entry->value : NULL, entry ? entry->line : 0};

        if (!entry)
            continue;
        if (!*entry->value && strcmp(keys[i].name, "arguments") != 0 && strcmp(keys[i].name, "forbid") != 0)
            refuse(lines, entry->line, "%s has no value", keys[i].name);
        else
            keys[i].read(&value);
    }
    if (lines->failed)
        return;
    if (!test->visibility)
        test->visibility = "visible";
    check_test(lines, section, test);
    if (lines->failed)
        return;
    if (!test->nodes) {
        int from = test->proof ? 1 : 4, to = test->proof ? 16 : 4;

        test->nodes = hold(lines, calloc(16, sizeof *test->nodes));
        for (; test->nodes && from <= to; from++)
            test->nodes[test->node_count++] = from;
    }
    check_cases(lines, section, test);
}

/* ------------------------------------------------------------------ the whole */

/* The short name: that of the file. */
static const char *
usual_name(struct ini_lines *lines)
{
    const char *slash = strrchr(lines->path, '/');
    char *name = hold(lines, strdup(slash ? slash + 1 : lines->path));
    char *dot = name ? strrchr(name, '.') : NULL;

    if (dot && dot > name)
        *dot = '\0';
    return name;
}

static void
fill(struct assignment *assignment, struct ini_lines *lines)
{
    const struct entry *name = find(lines, 0, "name"), *title = find(lines, 0, "title");

    if (!lines->sections[0])
        refuse(lines, 1, "there is no [assignment]");
    else if (lines->section_count == 0)
        refuse(lines, lines->line, "there is no [test NAME]");
    refuse_unknown(lines);
    assignment->name = name ? name->value : usual_name(lines);
    assignment->title = title ? title->value : NULL;
    if (name && strpbrk(name->value, " \t/"))
        refuse(lines, name->line, "name: a short name has no blanks and no slash");
    assignment->tests = hold(lines, calloc((size_t)lines->section_count + 1, sizeof *assignment->tests));
    for (int i = 0; i < lines->section_count && !lines->failed; i++) {
        fill_test(lines, i + 1, &assignment->tests[i]);
        assignment->test_count++;
        assignment->points += assignment->tests[i].points;
    }
}

enum peal_status
assignment_read(struct assignment *assignment, const char *path, struct peal_error *error)
{
    struct ini_lines *lines = calloc(1, sizeof *lines);

    *assignment = (struct assignment){.path = path, .lines = lines};
    error->status = PEAL_OK;
    if (!lines)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    lines->path = path;
    lines->error = error;
    lines->section = -1;
    lines->in = fopen(path, "re");
    if (!lines->in)
        return peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", path, strerror(errno));
    int wrong = ini_parse_stream(next_line, lines, take_entry, lines);

    if (ferror(lines->in) && !lines->failed) {
        peal_refuse(error, PEAL_USAGE, "%s cannot be read: %s", path, strerror(errno));
        lines->failed = true;
    } else if (wrong != 0)
        refuse(lines, wrong > 0 ? wrong : lines->line, "neither a [section] nor key = value");
    fclose(lines->in);
    if (!lines->failed)
        fill(assignment, lines);
    return lines->failed ? error->status : PEAL_OK;
}

void
assignment_free(struct assignment *assignment)
{
    struct ini_lines *lines = assignment->lines;

    for (size_t i = 0; lines && i < lines->held_count; i++)
        free(lines->held[i]);
    if (lines) {
        free(lines->held);
        free(lines->entries);
    }
    free(lines);
    *assignment = (struct assignment){.path = NULL};
}
