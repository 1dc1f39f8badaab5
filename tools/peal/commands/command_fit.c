/* SPDX-License-Identifier: MIT */
/* peal fit: α and β of a real machine, measured between two processes of an MPI job, or from a file of measurements. */
#include "commands/commands.h"
#include "lib/study/pingpong.h"
#include "run/launch.h"
#include "study/fitting.h"

enum { DEFAULT_REPETITIONS = 100, WORD_BYTES = 8 };

/* The messages of two processes, and the estimates from them. */
struct measurement {
    struct fitting fitting; /* of the minimum times, one per size: other work disturbs them least */
    struct pingpong game;
    struct sample *medians; /* one per size */
    struct fit fit_of_medians;
    struct segment segments[MAX_SEGMENTS]; /* of the minimum times */
    int segment_count;
};

/* ------------------------------------------------------------------ what is asked for */

static enum peal_status
fit_check_ranks(const struct command_request *request, struct pingpong *game, struct peal_error *error)
{
    const struct ranks *ranks = &request->fit->ranks;
    int nodes = request->machine.nodes;

    if (nodes < 2)
        return peal_refuse(error, PEAL_USAGE, "a message needs two processes: expected -p 2 or more, got -p %d", nodes);
    game->ranks[0] = 0;
    game->ranks[1] = nodes - 1;
    if (!option_given(request, "ranks"))
        return PEAL_OK;
    if (ranks->count != 2 || ranks->list[0] == ranks->list[1])
        return peal_refuse(error, PEAL_USAGE, "--ranks: expected two different ranks, as in --ranks 0,%d", nodes - 1);
    for (int i = 0; i < 2; i++) {
        game->ranks[i] = ranks->list[i];
        if (game->ranks[i] < 0 || game->ranks[i] >= nodes)
            return peal_refuse(error, PEAL_USAGE, "--ranks: rank %d is out of range: ranks are 0 to %d", game->ranks[i],
                               nodes - 1);
    }
    return PEAL_OK;
}

static enum peal_status
fit_prepare(struct measurement *m, struct peal_error *error)
{
    static const struct range usual = {.first = 1, .last = 1 << 20, .step = 2, .geometric = true};
    const struct command_request *request = m->fitting.request;
    struct pingpong *game = &m->game;
    enum peal_status status = fit_check_ranks(request, game, error);

    game->sizes = request->fit->words.step ? request->fit->words : usual;
    game->repetitions = request->launch.repetitions > 0 ? request->launch.repetitions : DEFAULT_REPETITIONS;
    if (status != PEAL_OK)
        return status;
    if (peal_range_count(&game->sizes) < 2 || peal_range_count(&game->sizes) > MAX_SAMPLES)
        return peal_refuse(error, PEAL_USAGE, "--words: %zu sizes: a line takes 2 to %d, as in -n 1:1Mi",
                           peal_range_count(&game->sizes), MAX_SAMPLES);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ the result */

static enum peal_status
estimate(struct measurement *m, struct peal_error *error)
{
    struct pingpong *game = &m->game;
    enum peal_status status = PEAL_OK;

    m->medians = calloc(game->count, sizeof *m->medians);
    m->fitting.samples = calloc(game->count, sizeof *m->fitting.samples);
    if (!m->medians || !m->fitting.samples)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    for (size_t i = 0; i < game->count; i++) {
        struct peal_spread spread = peal_pingpong_spread(game, i);
        double words = (double)peal_range_get(&game->sizes, i);

        if (!(spread.minimum > 0))
            return peal_refuse(error, PEAL_FAILED, "the clock measured no time for %g words", words);
        m->medians[i] = (struct sample){.size = words, .time = spread.median, .startups = 1, .words = words};
        m->fitting.samples[i] = (struct sample){.size = words, .time = spread.minimum, .startups = 1, .words = words};
    }
    m->fitting.count = game->count;
    m->segment_count = peal_fit_segments(m->fitting.samples, game->count, m->segments);
    status = peal_fit_relative(m->fitting.samples, game->count, &m->fitting.fit, error);
    if (status == PEAL_OK)
        status = peal_fit_relative(m->medians, game->count, &m->fit_of_medians, error);
    snprintf(m->fitting.of, sizeof m->fitting.of, "ping-pong between ranks %d and %d of %d, on %.60s%s%.60s, %s",
             game->ranks[0], game->ranks[1], m->fitting.request->machine.nodes, game->hosts[0],
             strcmp(game->hosts[0], game->hosts[1]) != 0 ? " and " : "",
             strcmp(game->hosts[0], game->hosts[1]) != 0 ? game->hosts[1] : "", peal_mpi_library());
    return status;
}

/* The error of the line at a size, relative to its minimum time. */
static double
error_of(const struct measurement *m, size_t i)
{
    const struct sample *s = &m->fitting.samples[i];

    return (m->fitting.fit.alpha + m->fitting.fit.beta * s->words) / s->time - 1;
}

/* ------------------------------------------------------------------ for people */

static void
show_sizes(const struct measurement *m)
{
    print_inked(stdout, FAINT, "\n    words     bytes     least      line     off      median      most\n");
    for (size_t i = 0; i < m->game.count; i++) {
        struct peal_spread spread = peal_pingpong_spread(&m->game, i);
        const struct sample *s = &m->fitting.samples[i];

        printf("  %7zu  %8zu  %8.4g  %8.4g  %+5.0f %%%s  %8.4g  %8.4g\n", (size_t)s->size, (size_t)s->size * WORD_BYTES,
               spread.minimum, m->fitting.fit.alpha + m->fitting.fit.beta * s->words, 100 * error_of(m, i),
               s->outlier ? "*" : " ", spread.median, spread.maximum);
        for (int j = 0; j + 1 < m->segment_count; j++)
            if (m->segments[j].last == i)
                puts("  ------- another line from here on");
    }
    putchar('\n');
}

static void
show_segments(const struct measurement *m)
{
    char text[300];

    if (m->segment_count == 1)
        print_labelled(stdout, "breaks", "none: one line holds for all sizes");
    for (int i = 0; i < m->segment_count && m->segment_count > 1; i++) {
        const struct segment *s = &m->segments[i];
        size_t from = peal_range_get(&m->game.sizes, s->first), to = peal_range_get(&m->game.sizes, s->last);

        snprintf(text, sizeof text, "%zu to %zu words (%zu to %zu bytes): α = %.4g, β = %.4g", from, to,
                 from * WORD_BYTES, to * WORD_BYTES, s->fit.alpha, s->fit.beta);
        print_labelled(stdout, i == 0 ? "breaks" : "", text);
    }
    if (m->segment_count > 1)
        print_labelled(stdout, "", "as where a library changes its protocol, or a cache ends");
}

static bool
is_disturbed(const struct measurement *m)
{
    size_t often = 0;

    for (size_t i = 0; i < m->game.count; i++)
        often += m->medians[i].time > 2 * m->fitting.samples[i].time;
    return 2 * often > m->game.count;
}

static void
fit_show(const struct fitting *fitting)
{
    const struct measurement *m = (const struct measurement *)fitting;
    const struct fit *fit = &fitting->fit;
    char text[400];

    printf("%s\n%zu sizes, %d time%s each there and back; half of that in µs\n\n", m->fitting.of, m->game.count,
           m->game.repetitions, plural(m->game.repetitions));
    fitting_show_estimates(fitting);
    show_sizes(m);
    print_labelled(stdout, "method",
                   "least times; least squares of the errors in parts of the times, without those (*) beyond "
                   "2.5 of their scale about the line of least absolute errors");
    if (fit->has_interval) {
        snprintf(text, sizeof text, "95 %% intervals, by Student's t (t = %.4g)", fit->quantile);
        print_labelled(stdout, "", text);
        snprintf(text, sizeof text, "s = %.2g %% of the time; R² = %.6g", 100 * fit->deviation, fit->r_squared);
        print_labelled(stdout, "errors", text);
    }
    snprintf(text, sizeof text, "α = %.6g, β = %.6g", m->fit_of_medians.alpha, m->fit_of_medians.beta);
    print_labelled(stdout, "medians", text);
    show_segments(m);
    if (is_disturbed(m))
        print_labelled(stdout, "note",
                       "at most sizes the median is over twice the least: other programs, or more processes than "
                       "cores, disturb; an idle machine may do better");
}

/* ------------------------------------------------------------------ for programs */

static void
write_samples(struct peal_json *json, const struct measurement *m)
{
    for (size_t i = 0; i < m->game.count; i++) {
        struct peal_spread spread = peal_pingpong_spread(&m->game, i);
        const struct sample *s = &m->fitting.samples[i];

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_NUMBER("size", s->size),
                      PEAL_NUMBER("median", spread.median), PEAL_NUMBER("minimum", spread.minimum),
                      PEAL_NUMBER("maximum", spread.maximum),
                      PEAL_NUMBER("line", m->fitting.fit.alpha + m->fitting.fit.beta * s->words),
                      PEAL_BOOL("outlier", s->outlier), PEAL_CLOSE('}'));
    }
}

static void
write_segments(struct peal_json *json, const struct measurement *m)
{
    for (int i = 0; i < m->segment_count; i++) {
        const struct segment *s = &m->segments[i];

        peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'),
                      PEAL_UINT("from", peal_range_get(&m->game.sizes, s->first)),
                      PEAL_UINT("to", peal_range_get(&m->game.sizes, s->last)));
        fitting_write_estimates(json, &s->fit, false);
        peal_json_put(json, PEAL_CLOSE('}'));
    }
}

static void
write_measurement(struct peal_json *json, const struct fitting *fitting)
{
    const struct measurement *m = (const struct measurement *)fitting;

    peal_json_put(json, PEAL_STRING("engine", "mpi"), PEAL_STRING("unit", "microseconds"),
                  PEAL_STRING("library", peal_mpi_library()));
    peal_json_ints(json, "ranks", m->game.ranks, 2);
    peal_json_put(json, PEAL_STRING("host_a", m->game.hosts[0]), PEAL_STRING("host_b", m->game.hosts[1]),
                  PEAL_INT("repetitions", m->game.repetitions), PEAL_INT("word_bytes", WORD_BYTES), PEAL_BREAK,
                  PEAL_OPEN("fit_of_medians", '{'));
    fitting_write_estimates(json, &m->fit_of_medians, false);
    peal_json_put(json, PEAL_CLOSE('}'), PEAL_BREAK, PEAL_OPEN("segments", '['));
    write_segments(json, m);
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_OPEN("samples", '['));
    write_samples(json, m);
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_BREAK);
}

/* ------------------------------------------------------------------ the command */

static enum peal_status
fit_measure(struct fitting *fitting, struct peal_error *error)
{
    struct measurement *m = (struct measurement *)fitting;
    enum peal_status status = peal_pingpong_run(&m->game, &fitting->request->machine, error);

    return status == PEAL_OK && !launch_is_silent() ? estimate(m, error) : status;
}

static int
fit_pingpong(const struct command_request *request)
{
    struct measurement m = {.fitting = {.request = request,
                                        .unit = "µs",
                                        .word_bytes = WORD_BYTES,
                                        .measure = fit_measure,
                                        .show = fit_show,
                                        .write = write_measurement}};
    struct peal_error error = {PEAL_OK, ""};
    int code = fitting_run(&m.fitting, fit_prepare(&m, &error), &error);

    free(m.game.times);
    free(m.medians);
    return code;
}

/* Refuse the options that this measurement has no use for. */
static enum peal_status
fit_check_options(const struct command_request *request, bool mpi, struct peal_error *error)
{
    const char *const of_mpi[] = {"words",    "ranks",
                                  "launcher", "repetitions",
                                  "timeout",  request->argument_count > 1 ? NULL : "nodes" /* an algorithm has some */,
                                  NULL};
    const char *given = mpi ? NULL : option_among(request, of_mpi);

    if (given)
        return peal_refuse(error, PEAL_USAGE,
                           "--%s is for --engine mpi; a file's sizes and times are taken as they are", given);
    return !mpi || fit_needs_no_machine(request, error) ? PEAL_OK : error->status;
}

static int
command_fit_run(const struct command_request *request)
{
    bool mpi = request->machine.engine && strcmp(request->machine.engine, "mpi") == 0;
    struct peal_error error;

    if (request->program)
        peal_refuse(&error, PEAL_USAGE, "fit takes no arguments after --");
    else if (mpi && request->argument_count > 0)
        peal_refuse(&error, PEAL_USAGE, "expected a file or --engine mpi, got both");
    else if (!mpi && option_given(request, "engine"))
        peal_refuse(&error, PEAL_USAGE,
                    "--engine %s: peal fit measures between processes of an MPI job: expected --engine mpi",
                    request->machine.engine);
    else if (!mpi && request->argument_count == 0)
        peal_refuse(&error, PEAL_USAGE,
                    "expected a measurement, as in peal fit --engine mpi, or a file of sizes and times, as in peal fit "
                    "measured.txt");
    else if (request->argument_count > 1 && access(request->arguments[0], F_OK) == 0)
        peal_refuse(&error, PEAL_USAGE,
                    "expected an algorithm before the file, as in broadcast/binomial, got the file %s",
                    request->arguments[0]);
    else if (fit_check_options(request, mpi, &error) == PEAL_OK)
        return mpi ? fit_pingpong(request) : fit_file(request);
    return complain(&error);
}

const struct command command_fit = {
    .name = "fit",
    .arguments = "--engine mpi | [COLLECTIVE/ALGORITHM] FILE  [options]",
    .summary = "find α and β of a real machine",
    .examples = "  peal fit --engine mpi                           between two processes here\n"
                "  peal fit --engine mpi --launcher \"srun -N 2\"   between two hosts\n"
                "  peal fit --engine mpi -p 8 --ranks 0,4          these two of eight\n"
                "  peal fit --engine mpi -n 256:1Ki:+32            where the line breaks\n"
                "  peal fit measured.txt                           from sizes and times\n"
                "  peal fit broadcast/binomial bcast.txt -p 8      from those of an algorithm\n"
                "  peal fit latency.txt -o here.machine            a machine from OSU's table\n"
                "  peal fit measured.csv --machine fugaku          from times of many algorithms\n",
    .completes = WORDS_FILE,
    .run = command_fit_run,
};
