/* SPDX-License-Identifier: MIT */
/* Fits a machine's constants to measured times of algorithms, and judges the choices that follow. */
#include "lib/study/model.h"
#include "lib/base/grow.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ modelled times */

static double
bytes_per_word(const struct figure *figure)
{
    return figure->bytes / figure->nodes; /* the run had a word per block, or P words */
}

bool
peal_model_counts(const struct run_counts *counts, const struct figure *figure)
{
    const double word = 4; /* measured programs send int or float */

    return counts && (!counts->cuts || bytes_per_word(figure) >= word);
}

static int
model_class(const struct model_form *form, double bytes)
{
    int class = 0;

    while (class + 1 < form->classes && bytes > form->limits[class])
        class ++;
    return class;
}

static int
constant_count(const struct model_form *form)
{
    return 2 * form->classes + form->overlap + form->combine + form->copy + form->shared + form->block;
}

/* Messages of an implementation that sends each block alone, beside one per round; a round's blocks are its words. */
static double
more_startups(const struct run_counts *counts, const struct figure *figure)
{
    return figure->extra == EXTRA_BLOCKWISE ? (double)counts->sent - (double)counts->startups : 0;
}

static double
copied_bytes(const struct run_counts *counts, const struct figure *figure)
{
    switch (figure->extra) {
    case EXTRA_NONE:
    case EXTRA_BLOCKWISE:
        break;
    case EXTRA_ROTATES:
    case EXTRA_PERMUTES:
        return figure->bytes;
    case EXTRA_PACKS:
    case EXTRA_SORTS:
        return 2 * figure->bytes + 2 * (double)counts->sent * bytes_per_word(figure);
    }
    return 0;
}

/* Blocks whose place within a node is computed: all of them, or all in every round and at the end. */
static double
placed_blocks(const struct run_counts *counts, const struct figure *figure)
{
    double all = figure->nodes;

    return figure->extra == EXTRA_PERMUTES ? all
           : figure->extra == EXTRA_SORTS  ? all * (1 + (double)counts->startups)
                                           : 0;
}

/* The coefficients of the constants: every α, every β, then o, γ, c, κ and b as far as they are there. */
static void
model_fill_row(const struct model_form *form, const struct run_counts *counts, const struct figure *figure,
               double row[MAX_CONSTANTS])
{
    double scale = bytes_per_word(figure), waited = 1;
    int at = 2 * form->classes;

    memset(row, 0, MAX_CONSTANTS * sizeof *row);
    if (form->overlap) {
        row[at++] = (double)counts->overlapped + more_startups(counts, figure);
        waited = counts->startups > 0 ? 1 - (double)counts->overlapped / (double)counts->startups : 1;
    }
    if (form->combine)
        row[at++] = (double)counts->combined * scale + (form->copy ? 0 : copied_bytes(counts, figure));
    if (form->copy)
        row[at++] = copied_bytes(counts, figure);
    if (!form->overlap) /* it costs the same as the others */
        row[model_class(form, scale)] += more_startups(counts, figure);
    for (int i = 0; i < counts->size_count; i++) {
        const struct counted_size *size = &counts->sizes[i];
        int class = model_class(form, (double)size->words * scale);

        row[class] += waited * (double)size->startups;
        double alone = form->shared ? (double)size->words * (double)size->startups : (double)size->charge;

        row[form->classes + class] += alone * scale;
        if (form->shared)
            row[at] += ((double)size->charge - alone) * scale;
    }
    if (form->block)
        row[at + form->shared] = placed_blocks(counts, figure);
}

double
peal_model_time(const struct model *model, const struct run_counts *counts, const struct figure *figure)
{
    const struct model_form *form = &model->form;
    double row[MAX_CONSTANTS], time = 0;
    int at = 2 * form->classes;

    model_fill_row(form, counts, figure, row);
    for (int i = 0; i < form->classes; i++)
        time += model->alpha[i] * row[i] + model->beta[i] * row[form->classes + i];
    if (form->overlap)
        time += model->overlap * row[at++];
    if (form->combine)
        time += model->combine * row[at++];
    if (form->copy)
        time += model->copy * row[at++];
    if (form->shared)
        time += model->shared * row[at++];
    if (form->block)
        time += model->block * row[at];
    return time;
}

/* ------------------------------------------------------------------ constants */

/* Rows of coefficients, divided by the measured times. */
struct system_of_rows {
    double (*row)[MAX_CONSTANTS];
    double *weight;
    size_t count;
    int constants;
};

/* Solve for constants that are not below 0: the normal equations, by one constant after the other. */
static void
solve(const struct system_of_rows *s, double x[MAX_CONSTANTS])
{
    double a[MAX_CONSTANTS][MAX_CONSTANTS] = {{0}}, b[MAX_CONSTANTS] = {0};

    for (size_t r = 0; r < s->count; r++)
        for (int i = 0; i < s->constants; i++) {
            double weighted = s->weight[r] * s->row[r][i];

            b[i] += weighted;
            for (int j = 0; j <= i; j++)
                a[i][j] += weighted * s->row[r][j];
        }
    for (int i = 0; i < s->constants; i++)
        for (int j = i + 1; j < s->constants; j++)
            a[i][j] = a[j][i];
    for (int sweep = 0; sweep < 2000; sweep++) {
        double moved = 0;

        for (int i = 0; i < s->constants; i++) {
            double rest = b[i], old = x[i];

            for (int j = 0; j < s->constants; j++)
                rest -= j != i ? a[i][j] * x[j] : 0;
            x[i] = a[i][i] > 0 && rest > 0 ? rest / a[i][i] : 0;
            moved = fmax(moved, fabs(x[i] - old) * sqrt(a[i][i]));
        }
        if (moved < 1e-10 * sqrt((double)s->count))
            break;
    }
}

/* The mean of |ln(modelled/measured)|; gives the weights under which least squares approach its minimum. */
static double
model_weigh(const struct system_of_rows *s, const double x[MAX_CONSTANTS])
{
    const double bend = 0.02; /* below this an error counts by its square */
    double sum = 0;

    for (size_t r = 0; r < s->count; r++) {
        double ratio = 0;

        for (int i = 0; i < s->constants; i++)
            ratio += x[i] * s->row[r][i];
        ratio = fmax(ratio, 1e-6);
        double error = log(ratio), slope = fabs(ratio - 1) < 1e-9 ? 1 : error / (ratio - 1);

        s->weight[r] = slope * slope / fmax(fabs(error), bend);
        sum += fabs(error);
    }
    return s->count ? sum / (double)s->count : 0;
}

static void
take_constants(struct model *model, const double x[MAX_CONSTANTS])
{
    const struct model_form *form = &model->form;
    int at = 2 * form->classes;

    for (int i = 0; i < form->classes; i++) {
        model->alpha[i] = x[i];
        model->beta[i] = x[form->classes + i];
    }
    model->overlap = form->overlap ? x[at++] : 0;
    model->combine = form->combine ? x[at++] : 0;
    model->copy = form->copy ? x[at++] : 0;
    model->shared = form->shared ? x[at++] : 0;
    model->block = form->block ? x[at] : 0;
}

/* Find the constants, none below 0, for which the sum of |ln(modelled/measured)| is least, of cases on `from` to `to`
 * nodes.  Iterated weighted least squares: Huber and Ronchetti, Robust Statistics, 2009, chapter 7. */
static enum peal_status
fit_model(const struct case_of_model *cases, size_t count, int from, int to, const struct model_form *form,
          struct model *model, struct peal_error *error)
{
    struct system_of_rows s = {.row = calloc(count + 1, sizeof *s.row),
                               .weight = calloc(count + 1, sizeof *s.weight),
                               .constants = constant_count(form)};
    double x[MAX_CONSTANTS] = {0}, best[MAX_CONSTANTS] = {0}, least = HUGE_VAL;
    enum peal_status status = PEAL_OK;

    *model = (struct model){.form = *form};
    for (size_t i = 0; s.row && s.weight && i < count; i++) {
        const struct figure *figure = cases[i].figure;

        if (!peal_model_counts(cases[i].counts, figure) || figure->nodes < from || figure->nodes > to)
            continue;
        model_fill_row(form, cases[i].counts, figure, s.row[s.count]);
        for (int j = 0; j < s.constants; j++)
            s.row[s.count][j] /= figure->time;
        s.weight[s.count++] = 1;
    }
    if (!s.row || !s.weight)
        status = peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    else if (s.count < (size_t)s.constants)
        status = peal_refuse(error, PEAL_USAGE, "expected at least %d times, one for each constant, got %zu",
                             s.constants, s.count);
    for (int turn = 0; status == PEAL_OK && turn < 60; turn++) {
        solve(&s, x);
        double now = model_weigh(&s, x);

        if (now < least)
            memcpy(best, x, sizeof best);
        if (now > least * (1 - 1e-6) && turn > 10)
            break;
        least = fmin(least, now);
    }
    if (status == PEAL_OK) {
        int limits = form->classes - 1;

        take_constants(model, best);
        model->used = s.count;
        model->error = least;
        model->price = 2 * (double)s.count * log(fmax(least, 1e-3)) + (s.constants + limits) * log((double)s.count);
    }
    free(s.row);
    free(s.weight);
    return status;
}

/* Limits that are tried, in bytes: 64, 256, .. 4 MiB. */
static double
limit_tried(int i)
{
    return (double)(64LL << 2 * i);
}

enum { LIMITS_TRIED = 9 };
static const double MUST_IMPROVE = 10; /* as for the breaks of fit.c */

static enum peal_status
try_form(const struct case_of_model *cases, size_t count, int from, int to, const struct model_form *form,
         struct model *best, struct peal_error *error)
{
    struct model model;
    enum peal_status status = fit_model(cases, count, from, to, form, &model, error);
    int more = constant_count(form) - constant_count(&best->form);

    if (status == PEAL_OK && model.price < best->price - MUST_IMPROVE * (more > 0 ? more : 0))
        *best = model;
    return status;
}

/* Try o, γ, c, κ and b with the classes that the model has. */
static enum peal_status
try_extras(const struct case_of_model *cases, size_t count, int from, int to, const struct model_form *most,
           struct model *model, struct peal_error *error)
{
    struct model_form form = model->form;
    enum peal_status status = PEAL_OK;

    for (int more = 1; more < 32 && status == PEAL_OK; more++) {
        form.overlap = most->overlap && more & 1;
        form.combine = most->combine && more & 2;
        form.copy = most->copy && more & 4;
        form.shared = most->shared && more & 8;
        form.block = most->block && more & 16;
        status = try_form(cases, count, from, to, &form, model, error);
    }
    return status;
}

enum peal_status
peal_model_search(const struct case_of_model *cases, size_t count, int from, int to, const struct model_form *most,
                  struct model *model, struct peal_error *error)
{
    struct model_form form = {.classes = 1};
    enum peal_status status = fit_model(cases, count, from, to, &form, model, error);

    status = status == PEAL_OK ? try_extras(cases, count, from, to, most, model, error) : status;
    for (int classes = 2; classes <= most->classes && status == PEAL_OK; classes++) {
        struct model_form base = model->form;

        for (int i = 0; i < LIMITS_TRIED && status == PEAL_OK; i++)
            for (int j = classes > 2 ? i + 1 : LIMITS_TRIED - 1; j < LIMITS_TRIED && status == PEAL_OK; j++) {
                form = base;
                form.classes = classes;
                form.limits[0] = limit_tried(i);
                form.limits[1] = classes > 2 ? limit_tried(j) : 0;
                status = try_form(cases, count, from, to, &form, model, error);
            }
    }
    return status == PEAL_OK ? try_extras(cases, count, from, to, most, model, error) : status;
}

/* ------------------------------------------------------------------ choices */

static bool
is_same_size(const struct figure *a, const struct figure *b)
{
    return a->nodes == b->nodes && strcmp(a->shape, b->shape) == 0 && a->collective == b->collective &&
           a->bytes == b->bytes;
}

/* Judge the choice among cases first .. end-1, which have one size. */
static void
judge_choice(const struct case_of_model *cases, size_t first, size_t end, const struct model *model,
             struct judgement *j)
{
    const struct figure *chosen = NULL, *best = NULL, *standard = NULL;
    double least = HUGE_VAL;
    int candidates = 0;

    for (size_t i = first; i < end; i++) {
        const struct figure *figure = cases[i].figure;

        if (!figure->algorithm)
            standard = figure;
        if (!peal_model_counts(cases[i].counts, figure))
            continue;
        double time = peal_model_time(model, cases[i].counts, figure);

        j->errors[j->error_count++] = fabs(time / figure->time - 1);
        candidates++;
        if (time < least)
            least = time, chosen = figure;
        if (!best || figure->time < best->time)
            best = figure;
    }
    if (candidates < 2)
        return;
    double ratio = chosen->time / best->time;

    j->list[j->choices++] = (struct choice){chosen->time, best->time, standard ? standard->time : (double)NAN};
    j->right += chosen == best;
    j->log_sum += log(ratio);
    j->over_twice += ratio > 2;
    if (ratio > j->worst) {
        j->worst = ratio;
        j->worst_at = chosen;
        j->worst_best = best;
    }
    if (standard) {
        j->standards++;
        j->standard_log_sum += log(standard->time / best->time);
        j->standard_worst = fmax(j->standard_worst, standard->time / best->time);
    }
}

enum peal_status
peal_model_judge(const struct case_of_model *cases, size_t count, int from, int to, int collective,
                 const struct model *model, struct judgement *judgement, struct peal_error *error)
{
    *judgement = (struct judgement){.errors = calloc(count + 1, sizeof(double)),
                                    .list = calloc(count + 1, sizeof *judgement->list)};
    if (!judgement->errors || !judgement->list)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t first = 0, end; first < count; first = end) {
        const struct figure *figure = cases[first].figure;

        for (end = first + 1; end < count && is_same_size(figure, cases[end].figure); end++)
            ;
        if (figure->nodes >= from && figure->nodes <= to && (collective < 0 || collective == (int)figure->collective))
            judge_choice(cases, first, end, model, judgement);
    }
    qsort(judgement->errors, judgement->error_count, sizeof(double), compare_doubles);
    return PEAL_OK;
}

void
peal_judgement_fini(struct judgement *judgement)
{
    free(judgement->errors);
    free(judgement->list);
}
