/* SPDX-License-Identifier: MIT */
/* Reads the value of each key of an assignment into its test; the first error is kept with its line. */
#include "grade/assignment_keys.h"
#include "lib/base/nearest.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------ collectives */

void
keys_function(enum peal_collective collective, bool mpi, char name[60])
{
    const char *word = mpi && collective == PEAL_BROADCAST ? "bcast" : peal_collective_name(collective);

    snprintf(name, 60, "%s%s", mpi ? "MPI_" : "peal_", word);
    text_replace(name, '-', '_');
    if (mpi)
        name[4] = (char)toupper((unsigned char)name[4]);
}

enum peal_collective
keys_collective(const char *function)
{
    enum peal_collective found = PEAL_COLLECTIVES;
    const char *name = function + (strncmp(function, "PMPI_", 5) == 0);
    const bool mpi = strncmp(name, "MPI_", 4) == 0;
    size_t longest = 0;
    char plain[60], own[60];

    snprintf(plain, sizeof plain, "%s", name);
    if (mpi && plain[4] == 'I' && islower((unsigned char)plain[5])) { /* MPI_Ibcast */
        memmove(plain + 4, plain + 5, strlen(plain + 4));
        plain[4] = (char)toupper((unsigned char)plain[4]);
    }
    for (int i = 0; i < PEAL_COLLECTIVES; i++) {
        keys_function((enum peal_collective)i, mpi, own);
        if (strlen(own) > longest && strncmp(plain, own, strlen(own)) == 0 && strcmp(plain, "MPI_Reduce_local") != 0) {
            found = (enum peal_collective)i;
            longest = strlen(own);
        }
    }
    return found;
}

/* ------------------------------------------------------------------ values */

/* Split the text at commas outside parentheses, and with `blanks` at blanks.  NULL after the last. */
static char **
key_split_words(const struct value *value, bool blanks)
{
    size_t length = strlen(value->text), count = 0;
    char *text = lines_hold(value->lines, strdup(value->text));
    char **words = lines_hold(value->lines, calloc(length + 2, sizeof *words));

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
key_parse_integer(const char *text, long least, long most, int *number)
{
    char *end;

    errno = 0;
    long read = strtol(text, &end, 10);

    if (end == text || *end || errno || read < least || read > most)
        return false;
    *number = (int)read;
    return true;
}

/* A number from 0 to `most`, and nothing after it. */
static bool
key_parse_real(const char *text, double most, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end != text && !*end && *number >= 0 && *number <= most;
}

static void
read_points(const struct value *v)
{
    if (!key_parse_real(v->text, 1e6, v->member))
        lines_refuse(v->lines, v->line, "%s: expected a number from 0 on, got '%s'", v->key, v->text);
}

static void
read_visibility(const struct value *v)
{
    static const char *const words[] = {"visible", "hidden", "after_due_date", "after_published", NULL};

    for (int i = 0; words[i]; i++)
        if (strcmp(words[i], v->text) == 0)
            v->test->visibility = words[i];
    if (!v->test->visibility)
        lines_refuse(v->lines, v->line,
                     "visibility: expected visible, hidden, after_due_date or after_published, got '%s'", v->text);
}

static int
key_compare_numbers(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void
read_nodes(const struct value *v)
{
    char **words = key_split_words(v, true);
    int *nodes = lines_hold(v->lines, calloc(MAX_TEST_NODES + 1, sizeof *nodes)), count = 0, from, to;

    for (; nodes && words && *words; words++) {
        char *colon = strchr(*words, ':');

        if (colon)
            *colon = '\0';
        if (!key_parse_integer(*words, 1, 1 << 20, &from) ||
            !key_parse_integer(colon ? colon + 1 : *words, 1, 1 << 20, &to) || to < from) {
            lines_refuse(v->lines, v->line, "nodes: expected numbers and ranges from 1 on, as in 1:8, 16, got '%s'",
                         v->text);
            return;
        }
        for (; from <= to; from++) {
            if (count == MAX_TEST_NODES) {
                lines_refuse(v->lines, v->line, "nodes: %d numbers are the most", MAX_TEST_NODES);
                return;
            }
            nodes[count++] = from;
        }
    }
    if (!nodes || count == 0) {
        lines_refuse(v->lines, v->line, "nodes: expected numbers and ranges, as in 1:8, 16");
        return;
    }
    qsort(nodes, (size_t)count, sizeof *nodes, key_compare_numbers);
    v->test->nodes = nodes;
    for (int i = 0; i < count; i++)
        if (i == 0 || nodes[i] != nodes[i - 1])
            nodes[v->test->node_count++] = nodes[i];
}

static void
key_read_sizes(const struct value *v)
{
    char **words = key_split_words(v, false);

    for (; words && *words; words++) {
        if (v->test->size_count == MAX_TEST_SIZES) {
            lines_refuse(v->lines, v->line, "sizes: %d are the most", MAX_TEST_SIZES);
            return;
        }
        v->test->sizes[v->test->size_count++] = *words;
    }
    if (v->test->size_count == 0)
        lines_refuse(v->lines, v->line, "sizes: expected expressions of P, as in 0, 1, 2*P+1");
}

static void
key_read_text(const struct value *v)
{
    *(const char **)v->member = v->text;
}

static void
read_either(const struct value *v)
{
    bool *second = v->member;

    *second = strcmp(v->text, v->either[1]) == 0;
    if (!*second && strcmp(v->text, v->either[0]) != 0)
        lines_refuse(v->lines, v->line, "%s: expected %s or %s, got '%s'", v->key, v->either[0], v->either[1], v->text);
}

static void
key_read_words(const struct value *v)
{
    *(char ***)v->member = key_split_words(v, true);
}

/* "reduce", "reduce-scatter", also as peal_reduce and MPI_Reduce. */
static enum peal_collective
read_one_collective(const char *word)
{
    enum peal_collective collective;
    bool unequal;

    return peal_call_find(word, &collective, &unequal) ? collective : keys_collective(word);
}

static void
read_collectives(const struct value *v)
{
    char **words = key_split_words(v, true);

    v->test->lists_collectives = true;
    v->test->refused = (UINT64_C(2) << PEAL_COLLECTIVES) - 1;
    for (bool none = strcmp(v->text, "none") == 0; !none && words && *words; words++) {
        enum peal_collective collective = read_one_collective(*words);

        if (collective == PEAL_COLLECTIVES)
            lines_refuse(v->lines, v->line,
                         "collectives: expected none, or names of collectives, as in barrier, "
                         "reduce, got '%s'",
                         *words);
        else
            v->test->refused &= ~(UINT64_C(1) << collective);
    }
}

static void
key_read_ports(const struct value *v)
{
    if (strcmp(v->text, "all") == 0)
        v->test->ports = PEAL_PORTS_ALL;
    else if (!key_parse_integer(v->text, 1, 1 << 16, &v->test->ports))
        lines_refuse(v->lines, v->line, "ports: expected a number from 1 to 65536, or all, got '%s'", v->text);
}

static void
key_read_delivery(const struct value *v)
{
    v->test->has_delivery = true;
    v->test->eager = strncmp(v->text, "eager:", 6) == 0;
    if (strcmp(v->text, "rendezvous") != 0 &&
        (!v->test->eager || peal_parse_size(v->text + 6, &v->test->eager_words, NULL) != PEAL_OK))
        lines_refuse(v->lines, v->line, "delivery: expected rendezvous or eager:W, as in eager:64, got '%s'", v->text);
}

static void
key_read_timeout(const struct value *v)
{
    if (!key_parse_real(v->text, 86400, &v->test->timeout) || v->test->timeout <= 0)
        lines_refuse(v->lines, v->line, "timeout: expected seconds, more than 0 and at most 86400, got '%s'", v->text);
}

static void
key_read_seed(const struct value *v)
{
    char *end;

    errno = 0;
    v->test->seed = strtoull(v->text, &end, 10);
    if (!isdigit((unsigned char)*v->text) || *end || errno)
        lines_refuse(v->lines, v->line, "seed: expected a number from 0 on, got '%s'", v->text);
}

static void
read_cflags(const struct value *v)
{
    v->test->cflags = v->text;
    v->test->cflags_line = v->line;
}

static void
key_read_collective(const struct value *v)
{
    struct nearest near = {.word = v->text};

    v->test->proof = true;
    if (peal_call_find(v->text, &v->test->collective, &v->test->unequal))
        return;
    for (int i = 0; i < PEAL_COLLECTIVES; i++)
        peal_nearest_offer(&near, peal_collective_name((enum peal_collective)i));
    lines_refuse(v->lines, v->line, "collective: unknown collective '%s'%s", v->text,
                 peal_nearest_words(&near, " (peal list shows them)"));
}

static void
read_symbol(const struct value *v)
{
    v->test->symbol = v->text;
    for (const char *c = v->text; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            lines_refuse(v->lines, v->line, "symbol: expected the name of a C function, got '%s'", v->text);
}

static void
read_roots(const struct value *v)
{
    char **words = key_split_words(v, true);
    int *roots = lines_hold(v->lines, calloc(strlen(v->text) + 1, sizeof *roots));

    for (; roots && words && *words; words++)
        if (!key_parse_integer(*words, 0, 1 << 20, &roots[v->test->root_count++]))
            lines_refuse(v->lines, v->line, "roots: expected numbers from 0 on, as in 0, 3, got '%s'", *words);
    v->test->roots = roots;
    if (v->test->root_count == 0)
        lines_refuse(v->lines, v->line, "roots: expected numbers from 0 on, as in 0, 3");
}

static void
key_read_op(const struct value *v)
{
    v->test->op = peal_op_find(v->text);
    if (!v->test->op)
        lines_refuse(v->lines, v->line, "op: unknown operator '%s': expected sum or affine", v->text);
}

static void
read_rank_order(const struct value *v)
{
    if (strcmp(v->text, "yes") == 0)
        v->test->op = peal_op_find("affine");
    else if (strcmp(v->text, "no") == 0)
        v->test->op = peal_op_find("sum");
    else
        lines_refuse(v->lines, v->line, "rank_order: expected yes or no, got '%s'", v->text);
}

/* The path of a file beside the assignment. */
static const char *
path_of(const struct value *v)
{
    const char *slash = strrchr(v->lines->path, '/');
    size_t folder = slash && *v->text != '/' ? (size_t)(slash - v->lines->path) + 1 : 0;
    size_t bytes = folder + strlen(v->text) + 1;
    char *path = lines_hold(v->lines, malloc(bytes));

    if (path)
        snprintf(path, bytes, "%.*s%s", (int)folder, v->lines->path, v->text);
    return path;
}

/* A file that must exist. */
static const char *
key_file_path(const struct value *v)
{
    const char *path = path_of(v);
    struct stat about;

    if (path && (access(path, R_OK) != 0 || stat(path, &about) != 0))
        lines_refuse(v->lines, v->line, "%s: %s cannot be read: %s", v->key, path, strerror(errno));
    else if (path && !S_ISREG(about.st_mode)) /* it is read for every submission */
        lines_refuse(v->lines, v->line, "%s: expected a regular file, got %s", v->key, path);
    return path;
}

const char *
keys_file(struct ini_lines *lines, const struct ini_entry *entry)
{
    return key_file_path(&(struct value){.lines = lines, .key = entry->key, .text = entry->value, .line = entry->line});
}

static void
read_elements(const struct value *v)
{
    for (int i = 0; peal_check_element_names[i]; i++)
        if (strcmp(v->text, peal_check_element_names[i]) == 0)
            v->test->element = (enum peal_check_element)(i + PEAL_ELEMENT_INT);
    if (!v->test->element)
        lines_refuse(v->lines, v->line, "elements: expected int, float, long or double, got '%s'", v->text);
}

static void
key_read_file(const struct value *v)
{
    *(const char **)v->member = key_file_path(v);
}

static void
key_read_program(const struct value *v)
{
    if (!*v->text)
        lines_refuse(v->lines, v->line, "program: expected submission, or the file of a driver");
    else if (strcmp(v->text, "submission") != 0) {
        v->test->driver = key_file_path(v);
        v->test->driver_line = v->line;
    }
}

/* C identifiers, one per line; NULL when one is invalid. */
static void
read_names(const struct value *v)
{
    char **words = key_split_words(v, true), *lines = lines_hold(v->lines, calloc(strlen(v->text) + 2, 1)),
         *end = lines;

    for (; lines && words && *words; words++) {
        for (const char *c = *words; *c; c++)
            if (!isalnum((unsigned char)*c) && *c != '_') {
                lines_refuse(v->lines, v->line, "%s: expected names of C, got '%s'", v->key, *words);
                return;
            }
        end = stpcpy(stpcpy(end, *words), "\n");
    }
    *(const char **)v->member = lines;
}

static void
read_expect(const struct value *v)
{
    v->test->expect = strchr(v->text, '{') ? path_of(v) : key_file_path(v);
}

static void
read_interface(const struct value *v)
{
    v->test->python = strcmp(v->text, "python") == 0;
    v->test->mpi = v->test->python || strcmp(v->text, "mpi") == 0;
    if (!v->test->mpi && strcmp(v->text, "peal") != 0)
        lines_refuse(v->lines, v->line, "interface: expected peal, mpi or python, got '%s'", v->text);
}

static void
read_tolerance(const struct value *v)
{
    if (!key_parse_real(v->text, 1, &v->test->tolerance))
        lines_refuse(v->lines, v->line, "tolerance: expected a number from 0 to 1, got '%s'", v->text);
}

/* ------------------------------------------------------------------ keys */

#define EITHER(member, no, yes)                                                                                        \
    offsetof(struct assignment_test, member),                                                                          \
    {                                                                                                                  \
        no, yes                                                                                                        \
    }
#define AT(member) EITHER(member, NULL, NULL)

const struct key assignment_keys[] = {
    {"points", ANY, read_points, AT(points)},
    {"visibility", ANY, read_visibility, AT(visibility)},
    {"nodes", ANY, read_nodes, AT(nodes)},
    {"sizes", ANY, key_read_sizes, AT(sizes)},
    {"topology", ANY, key_read_text, AT(topology)},
    {"ports", ANY, key_read_ports, AT(ports)},
    {"delivery", ANY, key_read_delivery, AT(eager)},
    {"max_rounds", ANY, key_read_text, AT(max_rounds)},
    {"max_words", ANY, key_read_text, AT(max_words)},
    {"max_hops", ANY, key_read_text, AT(max_hops)},
    {"max_messages", ANY, key_read_text, AT(max_messages)},
    {"forbid", ANY, key_read_words, AT(forbid)},
    {"allow", ANY, key_read_words, AT(allow)},
    {"collectives", ANY, read_collectives, AT(refused)},
    {"timeout", ANY, key_read_timeout, AT(timeout)},
    {"seed", ANY, key_read_seed, AT(seed)},
    {"cflags", ANY, read_cflags, AT(cflags)},
    {"powers_of_two_points", PROOF, read_points, AT(powers_of_two_points)},
    {"collective", PROOF, key_read_collective, AT(collective)},
    {"symbol", PROOF, read_symbol, AT(symbol)},
    {"buffers", PROOF, read_either, EITHER(in_place, "separate", "both")},
    {"roots", PROOF, read_roots, AT(roots)},
    {"op", PROOF, key_read_op, AT(op)},
    {"rank_order", PROOF, read_rank_order, AT(op)},
    {"signature", PROOF, key_read_text, AT(signature)},
    {"elements", PROOF, read_elements, AT(element)},
    {"interface", ANY, read_interface, AT(mpi)},
    {"findings", PROGRAM, read_either, EITHER(lenient, "fail", "pass")},
    {"program", PROGRAM, key_read_program, AT(driver)},
    {"functions", PROGRAM, read_names, AT(functions)},
    {"offers", PROGRAM, read_names, AT(offers)},
    {"arguments", PROGRAM, key_read_words, AT(arguments)},
    {"expect", PROGRAM, read_expect, AT(expect)},
    {"reference", PROGRAM, key_read_file, AT(reference)},
    {"tolerance", PROGRAM, read_tolerance, AT(tolerance)},
    {"extra_lines", PROGRAM, read_either, EITHER(extra_lines, "fail", "pass")},
    {.name = NULL},
};

enum { KEYS = sizeof assignment_keys / sizeof *assignment_keys - 1 };

void
keys_refuse_unknown(struct ini_lines *lines)
{
    static const char *const own[] = {"name", "title", "starter", "total_timeout", NULL}; /* of the assignment */

    for (size_t i = 0; i < lines->count && !lines->failed; i++) {
        const struct ini_entry *entry = &lines->entries[i];
        struct nearest near = {.word = entry->key};

        for (const char *const *name = own; entry->section == 0 && *name; name++)
            peal_nearest_offer(&near, *name);
        for (int k = 0; k < KEYS; k++)
            peal_nearest_offer(&near, assignment_keys[k].name);
        if (!near.name || near.within > 0)
            lines_refuse(lines, entry->line, "unknown key '%s'%s%s", entry->key,
                         entry->section == 0 ? "" : " of a test", peal_nearest_words(&near, ""));
    }
}
