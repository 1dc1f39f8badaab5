/* SPDX-License-Identifier: MIT */
/* peal fit TABLE: a machine's constants from measured times of algorithms, and how well the model then chooses. */
#include "lib/study/model.h"
#include "show/table.h"
#include "study/fitting.h"
#include "write/writings.h"
#include <math.h>
#include <stdlib.h>

/* An algorithm on a network, counted once for all sizes. */
struct counted {
    const struct figure *figure; /* the first of its */
    struct run_counts counts;
    bool known;
};

/* The table, the counts of what is in it, and the constants. */
struct measured_table {
    const struct command_request *request;
    const char *file;
    struct figures figures;
    struct case_of_model *cases; /* one per figure */
    struct counted *counted;
    size_t counted_count;
    size_t uncounted, small;          /* figures without counts, and too small for theirs */
    int least, most, middle;          /* nodes: of all figures; the most that the held-out fit is made from */
    struct model whole, part, single; /* of all; of the least nodes; one α and one β of all */
    char from[200];
};

/* ------------------------------------------------------------------ counts */

/* The network of a figure: the machine's kind with the figure's shape; full where it has other nodes. */
static void
network_of(const struct measured_table *c, const struct figure *figure, char spec[80])
{
    const char *kind = c->request->machine.topology;

    if (strchr(kind, ':'))
        snprintf(spec, 80, "%s", peal_topology_nodes(kind) == figure->nodes ? kind : "full");
    else if (strcmp(kind, "full") == 0 || !strchr(figure->shape, 'x'))
        snprintf(spec, 80, "%s", kind);
    else
        snprintf(spec, 80, "%.40s:%s", kind, figure->shape);
}

static bool
is_counted_as(const struct figure *a, const struct figure *b)
{
    return a->collective == b->collective && strcmp(a->algorithm, b->algorithm) == 0 && strcmp(a->shape, b->shape) == 0;
}

/* Find the counts of a figure's algorithm, in a run unless it is counted already. */
static const struct counted *
count_figure(struct measured_table *c, const struct figure *figure)
{
    char spec[80];
    struct peal_error why;
    struct peal_options options = c->request->machine;

    for (size_t i = 0; i < c->counted_count; i++)
        if (is_counted_as(c->counted[i].figure, figure))
            return &c->counted[i];
    struct counted *counted = &c->counted[c->counted_count++];

    network_of(c, figure, spec);
    options.topology = spec;
    options.routing = strcmp(spec, "full") == 0 ? NULL : options.routing;
    options.nodes = figure->nodes;
    options.timeout_seconds = 0;
    counted->figure = figure;
    counted->known =
        peal_counts_find(figure->collective, figure->algorithm, &options, &counted->counts, &why) == PEAL_OK;
    if (!counted->known)
        fprintf(stderr, "peal: note: %s/%s on %s nodes is left out: %s\n", peal_collective_name(figure->collective),
                figure->algorithm, figure->shape, why.text);
    return counted;
}

static enum peal_status
fit_figures_count(struct measured_table *c, struct peal_error *error)
{
    size_t count = c->figures.count;

    c->cases = calloc(count + 1, sizeof *c->cases);
    c->counted = calloc(count + 1, sizeof *c->counted);
    if (!c->cases || !c->counted)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < count; i++) {
        const struct figure *figure = &c->figures.list[i];

        c->cases[i].figure = figure;
        if (!figure->algorithm)
            continue;
        const struct counted *counted = count_figure(c, figure);

        if (counted->known)
            c->cases[i].counts = &counted->counts;
        c->uncounted += !counted->known;
        c->small += counted->known && !peal_model_counts(&counted->counts, figure);
    }
    return PEAL_OK;
}

/* Split at the number of nodes below which about half of the different numbers lie. */
static void
fit_figures_split(struct measured_table *c)
{
    int seen[64], count = 0;

    for (size_t i = 0; i < c->figures.count; i++) /* they are sorted by nodes */
        if (c->cases[i].counts && count < 64 && (count == 0 || seen[count - 1] != c->cases[i].figure->nodes))
            seen[count++] = c->cases[i].figure->nodes;
    if (count == 0)
        return;
    c->least = seen[0];
    c->most = seen[count - 1];
    c->middle = seen[(count - 1) / 2];
}

/* ------------------------------------------------------------------ the report */

static void
show_constants(const struct model *model)
{
    const struct model_form *form = &model->form;

    for (int i = 0; i < form->classes; i++) {
        bool last = i + 1 == form->classes;

        printf("  α = %-8.4g µs  β = %-8.4g ns a byte  ", model->alpha[i], 1000 * model->beta[i]);
        if (form->classes == 1)
            puts("all messages");
        else
            printf("%s %.10g bytes\n", last ? "above" : "to", form->limits[last ? i - 1 : i]);
    }
    if (form->overlap)
        printf("  o = %-8.4g µs  a start-up that waits for no message\n", model->overlap);
    if (form->combine)
        printf("  γ = %-8.4g ns  a byte that is combined\n", 1000 * model->combine);
    if (form->copy)
        printf("  c = %-8.4g ns  a byte that is copied within a node\n", 1000 * model->copy);
    if (form->shared)
        printf("  κ = %-8.4g ns  a byte of other messages on the same link\n", 1000 * model->shared);
    if (form->block)
        printf("  b = %-8.4g ns  a block whose place is computed as it is copied\n", 1000 * model->block);
}

static double
percent_over(double log_sum, size_t count)
{
    return count ? 100 * (exp(log_sum / (double)count) - 1) : 0;
}

static void
fit_figures_fill_row(struct table *table, size_t row, const char *name, const struct judgement *j)
{
    table_set(table, row, 0, "%s", name);
    table_set(table, row, 1, "%zu", j->choices);
    if (j->error_count)
        table_set(table, row, 2, "%.0f %%", 100 * j->errors[j->error_count / 2]);
    if (!j->choices)
        return;
    table_set(table, row, 3, "%.0f %%", 100.0 * (double)j->right / (double)j->choices);
    table_set(table, row, 4, "%+.1f %%", percent_over(j->log_sum, j->choices));
    table_set(table, row, 5, "%.2f", j->worst);
    if (j->standards) {
        table_set(table, row, 6, "%+.1f %%", percent_over(j->standard_log_sum, j->standards));
        table_set(table, row, 7, "%.2f", j->standard_worst);
    }
}

static enum peal_status
show_judgement(const struct measured_table *c, const struct model *model, int from, int to, struct peal_error *error)
{
    static const struct table_column columns[] = {{"", .gap = 2, .least = 14, .left = true},
                                                  {"sizes", .gap = 2, .least = 5},
                                                  {"off", .gap = 2, .least = 5},
                                                  {"best", .gap = 2, .least = 5},
                                                  {"cost", .gap = 2, .least = 8},
                                                  {"worst", .gap = 2, .least = 6},
                                                  {"library", .gap = 2, .least = 8},
                                                  {"worst", .gap = 2, .least = 6}};
    struct table table;
    struct judgement all, one;
    size_t row = 1;
    enum peal_status status = peal_model_judge(c->cases, c->figures.count, from, to, -1, model, &all, error);

    if (status != PEAL_OK)
        return status;
    table_begin(&table, PEAL_COLLECTIVES + 1, 8, columns);
    for (int i = 0; i < PEAL_COLLECTIVES && status == PEAL_OK; i++) {
        status = peal_model_judge(c->cases, c->figures.count, from, to, i, model, &one, error);
        if (status == PEAL_OK && one.error_count > 0)
            fit_figures_fill_row(&table, row++, peal_collective_name((enum peal_collective)i), &one);
        peal_judgement_fini(&one);
    }
    fit_figures_fill_row(&table, row++, "all", &all);
    table_print(stdout, &table, 0, row);
    enum peal_status ended = table_end(&table, error);

    if (status == PEAL_OK && all.worst_at)
        printf("  worst: %s/%s for %s, %.10g bytes on %s nodes; %zu of %zu choices cost over twice the best\n",
               peal_collective_name(all.worst_at->collective), all.worst_at->algorithm, all.worst_best->algorithm,
               all.worst_at->bytes, all.worst_at->shape, all.over_twice, all.choices);
    peal_judgement_fini(&all);
    return status == PEAL_OK ? ended : status;
}

static enum peal_status
fit_figures_show(const struct measured_table *c, struct peal_error *error)
{
    enum peal_status status;

    printf("%s: %zu times of %zu algorithms and networks, %d to %d nodes, on %s\n", c->file, c->whole.used,
           c->counted_count, c->least, c->most, c->request->machine.topology);
    printf("left out: %zu of algorithms that the catalogue lacks, %zu of several processes per node,\n"
           "%zu that are repeated, %zu that are not counted, %zu smaller than a word per node\n\n",
           c->figures.unknown, c->figures.several, c->figures.repeated, c->uncounted, c->small);
    printf("constants from all times\n");
    show_constants(&c->whole);
    putchar('\n');
    status = show_judgement(c, &c->whole, c->least, c->most, error);
    if (status != PEAL_OK || c->middle == c->most)
        return status;
    printf("\nconstants from %d to %d nodes, judged on more\n", c->least, c->middle);
    show_constants(&c->part);
    putchar('\n');
    return show_judgement(c, &c->part, c->middle + 1, c->most, error);
}

/* ------------------------------------------------------------------ for programs */

static void
write_model(struct peal_json *json, const char *key, const struct model *model)
{
    const struct model_form *form = &model->form;

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(key, '{'), PEAL_UINT("times", model->used),
                  PEAL_NUMBER("error", model->error), PEAL_OPEN("classes", '['));
    for (int i = 0; i < form->classes; i++)
        peal_json_put(json, PEAL_OPEN(NULL, '{'), PEAL_NUMBER("alpha", model->alpha[i]),
                      PEAL_NUMBER("beta", model->beta[i]),
                      PEAL_NUMBER("to_bytes", i + 1 < form->classes ? form->limits[i] : (double)NAN), PEAL_CLOSE('}'));
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_NUMBER("overlap", form->overlap ? model->overlap : (double)NAN),
                  PEAL_NUMBER("gamma", form->combine ? model->combine : (double)NAN),
                  PEAL_NUMBER("copy", form->copy ? model->copy : (double)NAN),
                  PEAL_NUMBER("shared", form->shared ? model->shared : (double)NAN),
                  PEAL_NUMBER("block", form->block ? model->block : (double)NAN), PEAL_CLOSE('}'));
}

static double
mean_ratio(double log_sum, size_t count)
{
    return count ? exp(log_sum / (double)count) : (double)NAN;
}

static enum peal_status
write_judgements(struct peal_json *json, const char *key, const struct measured_table *c, const struct model *model,
                 int from, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(key, '['));
    for (int i = -1; i < PEAL_COLLECTIVES && status == PEAL_OK; i++) {
        struct judgement j;

        status = peal_model_judge(c->cases, c->figures.count, from, c->most, i, model, &j, error);
        if (status == PEAL_OK && j.error_count > 0)
            peal_json_put(json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'),
                          PEAL_STRING("collective", i < 0 ? NULL : peal_collective_name((enum peal_collective)i)),
                          PEAL_UINT("sizes", j.choices), PEAL_NUMBER("error", j.errors[j.error_count / 2]),
                          PEAL_UINT("best", j.right), PEAL_UINT("over_twice", j.over_twice),
                          PEAL_NUMBER("cost", mean_ratio(j.log_sum, j.choices)),
                          PEAL_NUMBER("worst", j.choices ? j.worst : (double)NAN),
                          PEAL_NUMBER("library", mean_ratio(j.standard_log_sum, j.standards)),
                          PEAL_NUMBER("library_worst", j.standards ? j.standard_worst : (double)NAN), PEAL_CLOSE('}'));
        peal_judgement_fini(&j);
    }
    peal_json_put(json, PEAL_CLOSE(']'));
    return status;
}

/* Each time as it was measured and modelled, in microseconds. */
static void
write_times(struct peal_json *json, const struct measured_table *c)
{
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("times", '['));
    for (size_t i = 0; i < c->figures.count; i++)
        if (peal_model_counts(c->cases[i].counts, c->cases[i].figure))
            peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_NUMBER(NULL, c->cases[i].figure->time),
                          PEAL_NUMBER(NULL, peal_model_time(&c->whole, c->cases[i].counts, c->cases[i].figure)),
                          PEAL_CLOSE(']'));
    peal_json_put(json, PEAL_CLOSE(']'));
}

/* For each judged size: the times of the chosen algorithm, of the best, and of the library's own choice. */
static enum peal_status
write_choices(struct peal_json *json, const struct measured_table *c, bool held, struct peal_error *error)
{
    struct judgement j;
    enum peal_status status = peal_model_judge(c->cases, c->figures.count, held ? c->middle + 1 : c->least, c->most, -1,
                                               held ? &c->part : &c->whole, &j, error);

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("choices", '['));
    for (size_t i = 0; status == PEAL_OK && i < j.choices; i++)
        peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_NUMBER(NULL, j.list[i].chosen),
                      PEAL_NUMBER(NULL, j.list[i].least), PEAL_NUMBER(NULL, j.list[i].library), PEAL_CLOSE(']'));
    peal_json_put(json, PEAL_CLOSE(']'));
    peal_judgement_fini(&j);
    return status;
}

static enum peal_status
fit_figures_write_json(FILE *out, const void *what, struct peal_error *error)
{
    const struct measured_table *c = what;
    struct peal_json json = {.out = out};
    bool held = c->middle < c->most;

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/model/1"),
                  PEAL_STRING("file", c->file), PEAL_STRING("topology", c->request->machine.topology),
                  PEAL_INT("least_nodes", c->least), PEAL_INT("most_nodes", c->most));
    write_model(&json, "constants", &c->whole);
    enum peal_status status = write_judgements(&json, "judged", c, &c->whole, c->least, error);

    if (status == PEAL_OK && held) {
        peal_json_put(&json, PEAL_BREAK, PEAL_INT("held_out_above", c->middle));
        write_model(&json, "held_out_constants", &c->part);
        status = write_judgements(&json, "held_out", c, &c->part, c->middle + 1, error);
    }
    write_times(&json, c);
    if (status == PEAL_OK)
        status = write_choices(&json, c, held, error);
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE('}'));
    return status;
}

static enum peal_status
fit_figures_write_machine(FILE *out, const void *what, struct peal_error *error)
{
    const struct measured_table *c = what;
    const struct model *m = &c->single;
    struct fitted_machine machine = {.alpha = 1000 * m->alpha[0],
                                     .beta = 1000 * m->beta[0],
                                     .gamma = m->form.combine ? 1000 * m->combine : -1,
                                     .overlap = m->form.overlap ? 1000 * m->overlap : -1,
                                     .copy = m->form.copy ? 1000 * m->copy : -1,
                                     .from = c->from};

    (void)error;
    fitting_write_machine(out, c->request, &machine);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ all of it */

/* Find the constants of all times, of those on few nodes, and one α and one β. */
static enum peal_status
find_constants(struct measured_table *c, struct peal_error *error)
{
    static const struct model_form most = {.classes = MAX_CLASSES,
                                           .overlap = true,
                                           .combine = true,
                                           .copy = true,
                                           .shared = true,
                                           .block = true},
                                   one = {.classes = 1, .overlap = true, .combine = true, .copy = true};
    enum peal_status status;

    fit_figures_split(c);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): fit_figures frees the cases */
    status = peal_model_search(c->cases, c->figures.count, c->least, c->most, &most, &c->whole, error);
    if (status == PEAL_OK && c->middle < c->most)
        status = peal_model_search(c->cases, c->figures.count, c->least, c->middle, &most, &c->part, error);
    if (status == PEAL_OK)
        status = peal_model_search(c->cases, c->figures.count, c->least, c->most, &one, &c->single, error);
    snprintf(c->from, sizeof c->from, "%zu times of %d to %d nodes, %.100s", c->whole.used, c->least, c->most, c->file);
    return status;
}

int
fit_figures(const struct command_request *request, const char *file, const char *bytes, size_t size)
{
    struct measured_table c = {.request = request, .file = file};
    struct writings writings = {
        .request = request,
        .list = {{fit_figures_write_json, request->document.json_file, request->document.json, false},
                 {fit_figures_write_machine, request->fit->output, false, false}},
        .page = fit_figures_write_json};
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = peal_figures_read(file, bytes, size, &c.figures, &error);

    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK)
        status = fit_figures_count(&c, &error);
    if (status == PEAL_OK)
        status = find_constants(&c, &error);
    if (status == PEAL_OK && !request->document.json)
        status = fit_figures_show(&c, &error);
    status = writings_close(&writings, status, &c, &error);
    free(c.figures.list);
    free(c.cases);
    free(c.counted);
    return status == PEAL_OK ? 0 : complain(&error);
}
