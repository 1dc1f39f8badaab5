/* SPDX-License-Identifier: MIT */
/* peal fit FILE: α and β from the sizes and times in a file. */
#include "lib/base/shell_word.h"
#include "lib/study/figures.h"
#include "run/target.h"
#include "show/print.h"
#include "study/candidates.h"
#include "study/fitting.h"
#include <math.h>
#include <stdlib.h>

/* The subject of the measurements: an algorithm, or single messages. */
struct measured {
    struct fitting fitting;       /* of the request that names the algorithm alone */
    struct candidates candidates; /* of one algorithm, or of none */
    void *bytes;                  /* of the file; NULL: not yet read */
    size_t size;
    bool of_suite; /* times span orders of magnitude, and units are known */
};

/* Take the start-ups and words of each measurement from the closed form. */
static enum peal_status
weigh_by_form(struct measured *m, struct peal_error *error)
{
    const struct peal_options *options = &m->fitting.request->machine;
    int P = options->nodes;
    bool has_nodes = option_given(m->fitting.request, "nodes") || peal_topology_nodes(options->topology) > 0;
    struct peal_network *network = peal_network_create(options->topology, P, options->routing, error);
    enum peal_status status = network ? PEAL_OK : error->status;
    const char *name = m->candidates.count == 1 ? m->candidates.all[0].name : "linear";

    if (status == PEAL_OK && (m->candidates.count != 1 || !has_nodes))
        status = peal_refuse(error, PEAL_USAGE,
                             "expected the algorithm and the nodes of the measurement, as in peal fit %s/%s %s -p 8",
                             peal_collective_name(m->candidates.collective), name, pasted(m->fitting.file).text);
    exercise_notes(m->fitting.request, m->candidates.collective);
    for (size_t i = 0; i < m->fitting.count && status == PEAL_OK; i++) {
        struct sample *s = &m->fitting.samples[i];
        struct peal_situation situation = {0};
        struct trial trial = {.has_form = false};

        if (s->size != floor(s->size) || s->size > 1e15) {
            status = peal_refuse(error, PEAL_USAGE, "%s:%d: a size is a whole number here", m->fitting.file, s->line);
            break;
        }
        status =
            situation_find(m->fitting.request, m->candidates.collective, network, (size_t)s->size, &situation, error);
        if (status != PEAL_OK)
            break;
        peal_trial_begin(&trial, &m->candidates.all[0], &situation);
        if (!trial.has_form || trial.form.hop || trial.form.tau)
            status = peal_refuse(error, PEAL_USAGE, "%s:%d: %s/%s %s", m->fitting.file, s->line,
                                 peal_collective_name(m->candidates.collective), name,
                                 trial.excluded[0] ? trial.excluded
                                 : trial.has_form ? "has hops or operations in its closed form: only α and β are found"
                                                  : "has no closed form for this size");
        s->startups = (double)trial.form.alpha;
        s->words = (double)trial.form.beta;
    }
    if (status == PEAL_OK)
        snprintf(m->fitting.of, sizeof m->fitting.of, "%s/%.80s on %d node%s, %s",
                 peal_collective_name(m->candidates.collective), name, P, plural(P), peal_network_name(network));
    peal_network_destroy(network);
    return status;
}

static enum peal_status
fit_file_weigh(struct measured *m, struct peal_error *error)
{
    if (m->candidates.count > 0)
        return weigh_by_form(m, error);
    for (size_t i = 0; i < m->fitting.count; i++) {
        m->fitting.samples[i].startups = 1;
        m->fitting.samples[i].words = m->fitting.samples[i].size;
    }
    strcpy(m->fitting.of, "single messages");
    return PEAL_OK;
}

/* The fit without the outliers. */
static void
show_without(const struct measured *m)
{
    struct sample *kept = calloc(m->fitting.count, sizeof *kept);
    size_t count = 0;
    struct fit fit;
    char text[200];

    for (size_t i = 0; kept && i < m->fitting.count; i++)
        if (!m->fitting.samples[i].outlier)
            kept[count++] = m->fitting.samples[i];
    if (kept && count > 2 && peal_fit_least_squares(kept, count, &fit, NULL) == PEAL_OK) {
        snprintf(text, sizeof text, "α = %.6g ± %.3g, β = %.6g ± %.3g without %s", fit.alpha, fit.alpha_half, fit.beta,
                 fit.beta_half, m->fitting.fit.outliers == 1 ? "it" : "them");
        print_labelled(stdout, "", text);
    }
    free(kept);
}

static void
fit_file_show(const struct fitting *fitting)
{
    const struct measured *m = (const struct measured *)fitting;
    const struct fit *fit = &fitting->fit;
    size_t freedom = m->fitting.count - 2 - (m->of_suite ? (size_t)fit->outliers : 0);
    char count[64], text[400];

    printf("%s: %s of %s\n\n", m->fitting.file, print_count(m->fitting.count, "measurement", count), m->fitting.of);
    fitting_show_estimates(fitting);
    putchar('\n');
    snprintf(text, sizeof text, "least squares %s of time = %s",
             m->of_suite ? "of relative errors, outliers left out," : "without weights",
             m->candidates.count ? "A·α + B·β, A and B of the closed form" : "α + β·size");
    print_labelled(stdout, "method", text);
    if (fit->has_interval)
        snprintf(text, sizeof text, "95 %% intervals, by Student's t with %zu degree%s of freedom (t = %.4g)%s",
                 freedom, plural(freedom), fit->quantile,
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
    for (size_t i = 0; i < m->fitting.count; i++)
        if (m->fitting.samples[i].outlier) {
            snprintf(text, sizeof text, "%s:%d: size %g, time %g (studentized residual %+.3g)", m->fitting.file,
                     m->fitting.samples[i].line, m->fitting.samples[i].size, m->fitting.samples[i].time,
                     m->fitting.samples[i].odd);
            print_labelled(stdout, "outlier", text);
        }
    if (fit->outliers > 0 && !m->of_suite)
        show_without(m);
}

/* Read the samples, and in which units they are. */
static enum peal_status
read_samples(struct measured *m, struct peal_error *error)
{
    struct fitting *fitting = &m->fitting;
    struct samples_form form;
    enum peal_status status =
        peal_samples_read(fitting->file, m->bytes, m->size, &fitting->samples, &fitting->count, &form, error);

    m->of_suite = status == PEAL_OK && form.bytes_and_microseconds;
    if (m->of_suite) {
        fitting->unit = "µs";
        fitting->word_bytes = 1;
    }
    for (size_t i = 0; m->of_suite && i < fitting->count; i++)
        if (!(fitting->samples[i].time > 0))
            return peal_refuse(error, PEAL_USAGE, "%s:%d: a time is 0", fitting->file, fitting->samples[i].line);
    return status;
}

static enum peal_status
fit_file_measure(struct fitting *fitting, struct peal_error *error)
{
    struct measured *m = (struct measured *)fitting;
    struct peal_error why;
    enum peal_status status = m->bytes ? PEAL_OK : file_read_document(fitting->file, &m->bytes, &m->size, error);

    if (status == PEAL_OK)
        status = read_samples(m, error);
    if (status == PEAL_OK)
        status = fit_file_weigh(m, error);
    if (status != PEAL_OK)
        return status;
    status = (m->of_suite ? peal_fit_relative : peal_fit_least_squares)(fitting->samples, fitting->count, &fitting->fit,
                                                                        &why);
    return status == PEAL_OK ? PEAL_OK : peal_refuse(error, status, "%s: %s", fitting->file, why.text);
}

int
fit_file(const struct command_request *request)
{
    struct command_request named = *request; /* without the file, the last argument */
    struct measured m = {.fitting = {.request = &named, .measure = fit_file_measure, .show = fit_file_show}};
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = PEAL_OK;
    int code;

    m.fitting.file = request->arguments[--named.argument_count];
    if (named.argument_count > 0)
        status = candidates_find(&m.candidates, &named, &error);
    else
        status = file_read_document(m.fitting.file, &m.bytes, &m.size, &error);
    if (status == PEAL_OK && m.bytes && peal_figures_are(m.bytes, m.size))
        code = fit_figures(request, m.fitting.file, m.bytes, m.size);
    else
        code = status == PEAL_OK && named.argument_count == 0 && !fit_needs_no_machine(request, &error)
                   ? complain(&error)
                   : fitting_run(&m.fitting, status, &error);
    free(m.bytes);
    peal_candidates_fini(&m.candidates);
    return code;
}
