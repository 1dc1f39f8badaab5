/* SPDX-License-Identifier: MIT */
/* The report and the document of `peal fit`, which reads its measurements from a file or makes them. */
#include "study/fitting.h"
#include "run/launch.h"
#include "show/print.h"
#include "write/writings.h"
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ for people */

static void
show_estimate(const char *name, double value, double half, bool has_interval, const char *unit, const char *per)
{
    printf("  %s = %.6g", name, value);
    if (has_interval)
        printf(" ± %.3g", half);
    if (unit)
        printf(" %s%s", unit, per);
    putchar('\n');
}

void
fitting_show_estimates(const struct fitting *fitting)
{
    const struct fit *fit = &fitting->fit;

    show_estimate("α", fit->alpha, fit->alpha_half, fit->has_interval, fitting->unit, "");
    show_estimate("β", fit->beta, fit->beta_half, fit->has_interval, fitting->unit,
                  fitting->word_bytes == 1 ? " a byte" : " a word");
}

static void
fitting_show(const struct fitting *fitting)
{
    const struct fit *fit = &fitting->fit;
    const char *unit = fitting->unit;
    char text[200];

    fitting->show(fitting);
    if (fit->alpha < 0 || fit->beta < 0) {
        print_labelled(stdout, "note", "a cost is never below 0: the sizes do not separate start-ups from words");
        return;
    }
    snprintf(text, sizeof text, "--alpha %.6g --beta %.6g%s%s%s", fit->alpha, fit->beta,
             unit ? " (times are then in " : "", unit ? unit : "", unit ? ")" : "");
    print_labelled(stdout, "use", text);
}

/* ------------------------------------------------------------------ for programs */

void
fitting_write_estimates(struct peal_json *json, const struct fit *fit, bool lines)
{
    peal_json_put(json, PEAL_NUMBER("alpha", fit->alpha), PEAL_NUMBER("beta", fit->beta), PEAL_WHERE(lines, PEAL_BREAK),
                  PEAL_NUMBER("alpha_half", fit->has_interval ? fit->alpha_half : (double)NAN),
                  PEAL_NUMBER("beta_half", fit->has_interval ? fit->beta_half : (double)NAN));
}

static void
fitting_write_json(FILE *out, const struct fitting *fitting)
{
    const struct fit *fit = &fitting->fit;
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/fit/2"),
                  PEAL_STRING("file", fitting->file), PEAL_STRING("of", fitting->of),
                  PEAL_UINT("measurements", fitting->count), PEAL_BREAK);
    fitting_write_estimates(&json, fit, fitting->file != NULL);
    peal_json_put(&json, PEAL_NUMBER("confidence", 0.95),
                  PEAL_NUMBER("deviation", fit->has_interval ? fit->deviation : (double)NAN),
                  PEAL_NUMBER("r_squared", fit->r_squared), PEAL_BREAK, PEAL_OPEN("outliers", '['));
    for (size_t i = 0; i < fitting->count; i++) {
        const struct sample *s = &fitting->samples[i];

        if (s->outlier)
            peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_INT_IF("line", s->line > 0, s->line),
                          PEAL_NUMBER("size", s->size), PEAL_NUMBER("time", s->time), PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_CLOSE(']'), PEAL_BREAK);
    if (fitting->write)
        fitting->write(&json, fitting);
    peal_json_put(&json, PEAL_CLOSE('}'));
}

DOCUMENT_WRITER(fitting_document_json, fitting_write_json)

/* ------------------------------------------------------------------ a machine */

static void
write_key(FILE *out, const char *key, double value, const char *from)
{
    if (value >= 0)
        fprintf(out, "%s = %.4g; fitted to %s\n", key, value, from);
}

void
fitting_write_machine(FILE *out, const struct command_request *request, const struct fitted_machine *machine)
{
    const struct peal_options *options = &request->machine;

    fprintf(out, "# Made by peal fit; times in nanoseconds.\ntopology = %s\n", options->topology);
    if (options->routing)
        fprintf(out, "routing = %s\n", options->routing);
    if (options->ports == PEAL_PORTS_ALL)
        fputs("ports = all\n", out);
    else if (options->ports > 1)
        fprintf(out, "ports = %d\n", options->ports);
    if (options->congestion == PEAL_VOLUME)
        fputs("congestion = volume\n", out);
    write_key(out, "alpha", machine->alpha, machine->from);
    write_key(out, "beta", machine->beta, machine->from);
    write_key(out, "gamma", machine->gamma, machine->from);
    write_key(out, "overlap", machine->overlap, machine->from);
    write_key(out, "copy", machine->copy, machine->from);
}

static void
write_fitted(FILE *out, const struct fitting *fitting)
{
    struct fitted_machine machine = {.alpha = 1000 * fmax(fitting->fit.alpha, 0),
                                     .beta = 1000 * fmax(fitting->fit.beta, 0) / fitting->word_bytes,
                                     .gamma = -1,
                                     .overlap = -1,
                                     .copy = -1,
                                     .from = fitting->of};

    fitting_write_machine(out, fitting->request, &machine);
}

static enum peal_status
fitting_write_output(FILE *out, const void *what, struct peal_error *error)
{
    const struct fitting *fitting = what;

    if (fitting->word_bytes == 0)
        return peal_refuse(error, PEAL_USAGE,
                           "--output: the unit of the times is not known: of a table of the OSU or Intel benchmarks, "
                           "or --engine mpi, it is");
    write_fitted(out, fitting);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ both */

int
fitting_run(struct fitting *fitting, enum peal_status status, struct peal_error *error)
{
    const struct command_request *request = fitting->request;
    struct writings writings = {
        .list = {{fitting_document_json, request->document.json_file, request->document.json, false},
                 {fitting_write_output, request->fit->output, false, false}}};

    if (status == PEAL_OK &&
        (request->document.report_file || request->document.svg_file || request->document.png_file))
        status = peal_refuse(error, PEAL_USAGE, "--report, --svg and --png show a table with times of many algorithms");
    if (status == PEAL_OK)
        status = writings_open(&writings, error);
    if (status == PEAL_OK)
        status = fitting->measure(fitting, error);
    if (status == PEAL_OK && !launch_is_silent()) { /* the other processes have no times */
        if (!request->document.json)
            fitting_show(fitting);
        status = writings_end(&writings, fitting, NULL, error);
    }
    writings_fini(&writings);
    free(fitting->samples);
    return status == PEAL_OK ? 0 : complain(error);
}

bool
fit_needs_no_machine(const struct command_request *request, struct peal_error *error)
{
    static const char *const without[] = {"words", "ranks",  "launcher", "repetitions", "timeout", "nodes", "engine",
                                          "json",  "output", "machine",  "topology",    "routing", NULL};
    const struct option *other = option_besides(request, without);
    bool names =
        option_given(request, "machine") || option_given(request, "topology") || option_given(request, "routing");

    if (!other && (!names || option_given(request, "output")))
        return true;
    if (option_given(request, "report") || option_given(request, "svg") || option_given(request, "png"))
        peal_refuse(error, PEAL_USAGE, "--report, --svg and --png show a table with times of many algorithms");
    else
        peal_refuse(error, PEAL_USAGE,
                    "--%s is for measured runs of an algorithm, as in peal fit broadcast/binomial measured.txt -p 8",
                    other                               ? other->name
                    : option_given(request, "machine")  ? "machine"
                    : option_given(request, "topology") ? "topology"
                                                        : "routing");
    return false;
}
