/* SPDX-License-Identifier: MIT */
/* peal sweep --fit: α and β of a real machine. */
#include "sweep_fit.h"
#include "command.h"
#include "document.h"
#include "files.h"
#include "fit.h"
#include "print.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What was measured: an algorithm, or single messages. */
struct measured {
    const struct request *request;
    struct field field; /* of one algorithm, or of none */
    struct sample *samples;
    size_t count;
    struct fit fit;
    char what[200];
};

/* Take start-ups and words of each measurement from the closed form. */
static enum peal_status
weigh_by_form(struct measured *m, struct peal_error *error)
{
    const struct peal_options *options = &m->request->machine;
    const struct range *nodes = &m->request->nodes_range;
    int P = nodes->step ? (int)nodes->first : options->nodes;
    struct peal_network *network = peal_network_create(options->topology, P, options->routing, error);
    enum peal_status status = network ? PEAL_OK : error->status;
    const char *name = m->field.count == 1 ? m->field.entrants[0].name : "";

    if (status == PEAL_OK && (m->field.count != 1 || range_is_wide(nodes)))
        status = peal_refuse(error, PEAL_USAGE,
                             "--fit: say which algorithm was measured on how many nodes, as in "
                             "%s/linear -p 8",
                             peal_collective_name(m->field.collective));
    for (size_t i = 0; i < m->count && status == PEAL_OK; i++) {
        struct sample *s = &m->samples[i];
        struct peal_situation situation = {0};
        struct trial trial = {.has_form = false};

        if (s->size != floor(s->size) || s->size > 1e15) {
            status = peal_refuse(error, PEAL_USAGE, "%s:%d: a size is a whole number here", m->request->fit, s->line);
            break;
        }
        status = situation_find(m->request, m->field.collective, network, (size_t)s->size, &situation, error);
        if (status != PEAL_OK)
            break;
        trial_begin(&trial, &m->field.entrants[0], &situation);
        if (!trial.has_form || trial.form.hop || trial.form.tau)
            status = peal_refuse(error, PEAL_USAGE, "%s:%d: %s/%s %s", m->request->fit, s->line,
                                 peal_collective_name(m->field.collective), name,
                                 trial.unfit[0]   ? trial.unfit
                                 : trial.has_form ? "has hops or operations in its closed form: only α and β are found"
                                                  : "has no closed form for this size");
        s->startups = (double)trial.form.alpha;
        s->words = (double)trial.form.beta;
    }
    if (status == PEAL_OK)
        snprintf(m->what, sizeof m->what, "%s/%.80s on %d node%s, %s", peal_collective_name(m->field.collective), name,
                 P, print_plural(P), peal_network_name(network));
    peal_network_destroy(network);
    return status;
}

static enum peal_status
weigh(struct measured *m, struct peal_error *error)
{
    if (m->field.count > 0)
        return weigh_by_form(m, error);
    for (size_t i = 0; i < m->count; i++) {
        m->samples[i].startups = 1;
        m->samples[i].words = m->samples[i].size;
    }
    strcpy(m->what, "single messages");
    return PEAL_OK;
}

/* What it would be without the outliers. */
static void
show_without(const struct measured *m)
{
    struct sample *kept = calloc(m->count, sizeof *kept);
    size_t count = 0;
    struct fit fit;
    char text[200];

    for (size_t i = 0; kept && i < m->count; i++)
        if (!m->samples[i].outlier)
            kept[count++] = m->samples[i];
    if (kept && count > 2 && fit_least_squares(kept, count, &fit, NULL) == PEAL_OK) {
        snprintf(text, sizeof text, "α = %.6g ± %.3g, β = %.6g ± %.3g without %s", fit.alpha, fit.alpha_half, fit.beta,
                 fit.beta_half, m->fit.outliers == 1 ? "it" : "them");
        print_labelled(stdout, "", text);
    }
    free(kept);
}

static void
show(const struct measured *m)
{
    const struct fit *fit = &m->fit;
    char count[64], text[400];

    printf("%s: %s of %s\n\n", m->request->fit, print_count(m->count, "measurement", count), m->what);
    fit_show(fit, NULL);
    putchar('\n');
    snprintf(text, sizeof text, "least squares without weights of time = %s",
             m->field.count ? "A·α + B·β, A and B of the closed form" : "α + β·size");
    print_labelled(stdout, "method", text);
    if (fit->has_interval)
        snprintf(text, sizeof text, "95 %% intervals, by Student's t with %zu degree%s of freedom (t = %.4g)%s",
                 m->count - 2, print_plural(m->count - 2), fit->quantile,
                 fit->deviation > 0 ? "" : "; of width 0: every time is on the line");
    else
        strcpy(text, "two measurements lie on a line whatever they are: no interval; measure at more sizes");
    print_labelled(stdout, "", text);
    if (fit->has_interval) {
        snprintf(text, sizeof text, "s = %.4g, the errors' standard deviation%s", fit->deviation,
                 isfinite(fit->r_squared) ? "" : "; all times are equal");
        if (isfinite(fit->r_squared))
            snprintf(text + strlen(text), sizeof text - strlen(text), "; R² = %.6g", fit->r_squared);
        print_labelled(stdout, "errors", text);
    }
    for (size_t i = 0; i < m->count; i++)
        if (m->samples[i].outlier) {
            snprintf(text, sizeof text, "%s:%d: size %g, time %g (studentized residual %+.3g)", m->request->fit,
                     m->samples[i].line, m->samples[i].size, m->samples[i].time, m->samples[i].odd);
            print_labelled(stdout, "outlier", text);
        }
    if (fit->outliers > 0)
        show_without(m);
    if (fit->alpha < 0 || fit->beta < 0) {
        print_labelled(stdout, "note", "below 0 is no cost: the sizes do not tell start-ups and words apart");
        return;
    }
    snprintf(text, sizeof text, "--alpha %.6g --beta %.6g", fit->alpha, fit->beta);
    print_labelled(stdout, "use", text);
}

static void
write_json(FILE *out, const struct measured *m)
{
    const struct fit *fit = &m->fit;
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/fit/1"),
                  PEAL_STRING("file", m->request->fit), PEAL_STRING("of", m->what), PEAL_UINT("measurements", m->count),
                  PEAL_BREAK, PEAL_NUMBER("alpha", fit->alpha), PEAL_NUMBER("beta", fit->beta), PEAL_BREAK,
                  PEAL_NUMBER("alpha_half", fit->has_interval ? fit->alpha_half : (double)NAN),
                  PEAL_NUMBER("beta_half", fit->has_interval ? fit->beta_half : (double)NAN),
                  PEAL_NUMBER("confidence", 0.95),
                  PEAL_NUMBER("deviation", fit->has_interval ? fit->deviation : (double)NAN),
                  PEAL_NUMBER("r_squared", fit->r_squared), PEAL_BREAK, PEAL_OPEN("outliers", '['));
    for (size_t i = 0; i < m->count; i++)
        if (m->samples[i].outlier)
            document_outlier(&json, &m->samples[i]);
    peal_json_put(&json, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
}

/* What makes no sense beside --fit. */
static enum peal_status
check(const struct request *request, struct peal_error *error)
{
    static const char *const others[] = {"csv", "format", "plot", "execute", "block", "words"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (option_given(request, others[i]))
            return peal_refuse(error, PEAL_USAGE, "--%s is not for --fit, which takes sizes and times from its file",
                               others[i]);
    return PEAL_OK;
}

int
sweep_fit(const struct request *request)
{
    struct measured m = {.request = request};
    struct peal_error error = {PEAL_OK, ""};
    struct output json = {.stream = NULL};
    enum peal_status status = check(request, &error);

    if (status == PEAL_OK && request->argument_count > 0)
        status = field_find(&m.field, request, &error);
    if (status == PEAL_OK && request->json_file)
        status = output_open(&json, request->json_file, &error);
    if (status == PEAL_OK)
        status = fit_read(request->fit, &m.samples, &m.count, &error);
    if (status == PEAL_OK)
        status = weigh(&m, &error);
    if (status == PEAL_OK) {
        struct peal_error why;

        status = fit_least_squares(m.samples, m.count, &m.fit, &why);
        if (status != PEAL_OK)
            peal_refuse(&error, status, "%s: %s", request->fit, why.text);
    }
    if (status == PEAL_OK) {
        if (request->json)
            write_json(stdout, &m);
        else
            show(&m);
        if (json.stream)
            write_json(json.stream, &m);
        status = output_commit(&json, &error);
    }
    output_discard(&json);
    free(m.samples);
    field_fini(&m.field);
    return status == PEAL_OK ? 0 : complain(&error);
}
