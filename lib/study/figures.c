/* SPDX-License-Identifier: MIT */
/* Reads measured times of named algorithms. */
#include "lib/study/figures.h"
#include "lib/base/text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ names */

static const struct namesake namesakes[] = {
#define NAMESAKE(collective, name, ours, tuned, extra) {PEAL_##collective, name, ours, tuned, extra},
#include "lib/study/namesakes.def"
#undef NAMESAKE
};

const struct namesake *
peal_namesake_get(int i)
{
    return i < (int)(sizeof namesakes / sizeof *namesakes) ? &namesakes[i] : NULL;
}

/* Write the name in lower case with hyphens. */
static void
normalize(const char *name, char *normal, size_t bytes)
{
    size_t i = 0;

    for (; name[i] && i + 1 < bytes; i++)
        normal[i] = name[i] == '_' ? '-' : (char)tolower((unsigned char)name[i]);
    normal[i] = '\0';
}

/* Remove the implementation from a name: "ring-ompi", "default-ring", "bruck-log-mpi-0-1". */
static const char *
strip_library(char *name)
{
    static const char *const ends[] = {"-ompi", "-mpich", "-over", "-mpi-0-1", "-utofu-0-1"};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (text_has_ending(name, ends[i])) {
            name[strlen(name) - strlen(ends[i])] = '\0';
            break;
        }
    return strncmp(name, "default-", 8) == 0 ? name + 8 : name;
}

/* Find the algorithm by another software's name, or by ours; false: the catalogue lacks it. */
static bool
figures_find_algorithm(enum peal_collective collective, const char *text, const char **algorithm, enum extra *extra)
{
    char normal[100];
    const struct namesake *n;

    normalize(text, normal, sizeof normal);
    const char *name = strip_library(normal);

    *algorithm = NULL;
    if (strcmp(name, "default") == 0)
        return true;
    for (int i = 0; (n = peal_namesake_get(i)); i++)
        if (n->collective == collective && strcmp(n->name, name) == 0) {
            *algorithm = n->ours;
            *extra = n->extra;
            return true;
        }
    const struct peal_algorithm *own = peal_algorithm_find(collective, name);

    *algorithm = own ? own->name : NULL;
    return own;
}

static bool
figures_find_collective(const char *text, enum peal_collective *collective)
{
    char normal[40];

    normalize(text, normal, sizeof normal);
    return peal_collective_find(strcmp(normal, "bcast") == 0 ? "broadcast" : normal, collective);
}

/* ------------------------------------------------------------------ the table */

enum column_kind { NODES, COLLECTIVE, ALGORITHM, BYTES, TIME, TASKS, COLUMN_KINDS };
enum { MAX_FIELDS = 64 };

/* The place of each column in a line; -1: it is not there. */
struct table_form {
    int place[COLUMN_KINDS];
    double unit; /* of a time, in microseconds */
};

/* Cut a line into its fields, which are separated by commas; no field is quoted. */
static int
cut_fields(char *line, char *fields[MAX_FIELDS])
{
    int count = 0;

    line[strcspn(line, "\r\n")] = '\0';
    for (char *at = line; at && count < MAX_FIELDS; count++) {
        fields[count] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return count;
}

static enum peal_status
read_heading(const char *file, char *line, struct table_form *form, struct peal_error *error)
{
    static const char *const names[][2] = {{"nodes", "nnodes"},        {"collective", "collective_type"},
                                           {"algorithm", "algo_name"}, {"bytes", "buffer_size"},
                                           {"time", "median"},         {"tasks_per_node", "tasks_per_node"}};
    char *fields[MAX_FIELDS];
    int count = cut_fields(line, fields);

    for (int kind = 0; kind < COLUMN_KINDS; kind++) {
        form->place[kind] = -1;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < 2; j++)
                if (strcmp(fields[i], names[kind][j]) == 0) {
                    form->place[kind] = i;
                    if (kind == TIME)
                        form->unit = j == 0 ? 1 : 1e-3;
                }
        if (form->place[kind] < 0 && kind != TASKS)
            return peal_refuse(error, PEAL_USAGE, "%s:1: the heading has no column %s (or %s)", file, names[kind][0],
                               names[kind][1]);
    }
    return PEAL_OK;
}

/* The product of the numbers in "8x8x8"; 0: other text. */
static int
count_nodes(const char *shape)
{
    long nodes = 1;
    char *end = NULL;

    for (const char *at = shape; nodes > 0 && nodes < 1 << 24; at = end + 1) {
        long extent = strtol(at, &end, 10);

        if (end == at || extent < 1 || extent > 1 << 24)
            return 0;
        nodes *= extent;
        if (*end == '\0')
            return nodes < 1 << 24 ? (int)nodes : 0;
        if (*end != 'x')
            return 0;
    }
    return 0;
}

static bool
read_positive(const char *text, double *number)
{
    char *end;

    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number) && *number > 0;
}

/* Take one line, unless its algorithm is unknown, or a node has several processes. */
static enum peal_status
take_line(const char *file, int line, char *text, const struct table_form *form, struct figures *figures,
          struct peal_error *error)
{
    char *fields[MAX_FIELDS];
    int count = cut_fields(text, fields);
    struct figure *figure = &figures->list[figures->count];

    for (int kind = 0; kind < COLUMN_KINDS; kind++)
        if (form->place[kind] >= count)
            return peal_refuse(error, PEAL_USAGE, "%s:%d: %d fields are fewer than the heading has", file, line, count);
    *figure = (struct figure){.line = line};
    snprintf(figure->shape, sizeof figure->shape, "%s", fields[form->place[NODES]]);
    figure->nodes = count_nodes(figure->shape);
    if (figure->nodes == 0)
        return peal_refuse(error, PEAL_USAGE, "%s:%d: %s is not a number of nodes, as 64 or 8x8x8 is", file, line,
                           fields[form->place[NODES]]);
    if (!read_positive(fields[form->place[BYTES]], &figure->bytes))
        return peal_refuse(error, PEAL_USAGE, "%s:%d: %s is not a number of bytes", file, line,
                           fields[form->place[BYTES]]);
    if (!read_positive(fields[form->place[TIME]], &figure->time))
        return peal_refuse(error, PEAL_USAGE, "%s:%d: %s is not a time", file, line, fields[form->place[TIME]]);
    figure->time *= form->unit;
    figures->read++;
    if (form->place[TASKS] >= 0 && strcmp(fields[form->place[TASKS]], "1") != 0)
        figures->several++;
    else if (!figures_find_collective(fields[form->place[COLLECTIVE]], &figure->collective) ||
             !figures_find_algorithm(figure->collective, fields[form->place[ALGORITHM]], &figure->algorithm,
                                     &figure->extra))
        figures->unknown++;
    else
        figures->count++;
    return PEAL_OK;
}

static int
compare_figures(const void *a, const void *b)
{
    const struct figure *x = a, *y = b;
    int order = x->nodes != y->nodes ? (x->nodes > y->nodes) - (x->nodes < y->nodes) : strcmp(x->shape, y->shape);

    if (order == 0)
        order = (int)x->collective - (int)y->collective;
    if (order == 0)
        order = (x->bytes > y->bytes) - (x->bytes < y->bytes);
    if (order == 0)
        order = strcmp(x->algorithm ? x->algorithm : "", y->algorithm ? y->algorithm : "");
    return order ? order : (int)x->extra - (int)y->extra;
}

/* Sort, and of equal lines keep the one with the least time. */
static void
keep_least(struct figures *figures)
{
    size_t kept = 0;

    qsort(figures->list, figures->count, sizeof *figures->list, compare_figures);
    for (size_t i = 0; i < figures->count; i++) {
        struct figure *figure = &figures->list[i], *last = kept > 0 ? &figures->list[kept - 1] : NULL;

        if (!last || compare_figures(last, figure) != 0)
            figures->list[kept++] = *figure;
        else if (figure->time < last->time)
            *last = *figure;
    }
    figures->repeated = figures->count - kept;
    figures->count = kept;
}

bool
peal_figures_are(const char *bytes, size_t size)
{
    const char *end = memchr(bytes, '\n', size);
    size_t length = end ? (size_t)(end - bytes) : 0;

    return length > 0 && (memmem(bytes, length, "algorithm", 9) || memmem(bytes, length, "algo_name", 9));
}

enum peal_status
peal_figures_read(const char *file, const char *bytes, size_t size, struct figures *figures, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    struct table_form form;
    size_t lines = 1;
    char *text = strndup(bytes, size);
    int line = 1;

    *figures = (struct figures){.count = 0};
    for (size_t i = 0; i < size; i++)
        lines += bytes[i] == '\n';
    figures->list = calloc(lines, sizeof *figures->list);
    if (!text || !figures->list)
        status = peal_refuse(error, PEAL_RESOURCES, "%s: not enough memory for the file", file);
    for (char *at = text, *end; status == PEAL_OK && at; at = end, line++) {
        end = strchr(at, '\n');
        if (end)
            *end++ = '\0';
        if (line == 1)
            status = read_heading(file, at, &form, error);
        else if (at[0] && at[0] != '#' && at[0] != '\r')
            status = take_line(file, line, at, &form, figures, error);
    }
    free(text);
    if (status == PEAL_OK && figures->count == 0)
        status = peal_refuse(error, PEAL_USAGE, "%s has no time of an algorithm of the catalogue", file);
    if (status == PEAL_OK)
        keep_least(figures);
    return status;
}
