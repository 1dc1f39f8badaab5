/* SPDX-License-Identifier: MIT */
/* Tests of fit.c: reference data of NIST, tables of Student's t, and lines with known errors. */
#include "lib/study/fit.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Norris, of NIST's Statistical Reference Datasets: y, x; the certified values are in the test. */
static const double norris[][2] = {
    {0.1, 0.2},     {338.8, 337.4}, {118.1, 118.2}, {888.0, 884.6}, {9.2, 10.1},    {228.1, 226.5},
    {668.5, 666.3}, {998.5, 996.3}, {449.1, 448.6}, {778.9, 777.0}, {559.2, 558.2}, {0.3, 0.4},
    {0.1, 0.6},     {778.1, 775.5}, {668.8, 666.9}, {339.3, 338.0}, {448.9, 447.5}, {10.8, 11.6},
    {557.7, 556.0}, {228.3, 228.1}, {998.0, 995.8}, {888.8, 887.6}, {119.6, 120.2}, {0.3, 0.3},
    {0.6, 0.3},     {557.6, 556.8}, {339.3, 339.1}, {888.0, 887.2}, {998.5, 999.0}, {778.9, 779.0},
    {10.2, 11.1},   {117.6, 118.3}, {228.9, 229.2}, {668.4, 669.1}, {449.2, 448.9}, {0.2, 0.5},
};

enum { NORRIS = sizeof norris / sizeof *norris };

static struct sample
sample_of(double size, double time)
{
    return (struct sample){.size = size, .time = time, .startups = 1, .words = size};
}

static void
expect_near(double is, double should, const char *what)
{
    cr_expect(fabs(is - should) <= 1e-9 * fabs(should), "%s is %.15g, not %.15g", what, is, should);
}

Test(fit, gives_the_certified_values_of_a_reference_dataset, .timeout = 10)
{
    struct sample samples[NORRIS];
    struct fit fit;

    for (int i = 0; i < NORRIS; i++)
        samples[i] = sample_of(norris[i][1], norris[i][0]);
    cr_assert_eq(peal_fit_least_squares(samples, NORRIS, &fit, NULL), PEAL_OK);
    expect_near(fit.alpha, -0.262323073774029, "alpha");
    expect_near(fit.beta, 1.00211681802045, "beta");
    expect_near(fit.alpha_half / fit.quantile, 0.232818234301152, "alpha's standard error");
    expect_near(fit.beta_half / fit.quantile, 0.429796848199937e-3, "beta's standard error");
    expect_near(fit.deviation, 0.884796396144373, "the errors' deviation");
    expect_near(fit.r_squared, 0.999993745883712, "R squared");
}

Test(fit, the_quantiles_of_student_are_those_of_the_tables, .timeout = 10)
{
    static const struct {
        double probability;
        int freedom;
        double t;
    } table[] = {{0.05, 1, 12.706205}, {0.05, 2, 4.302653},  {0.05, 3, 3.182446},   {0.05, 5, 2.570582},
                 {0.05, 10, 2.228139}, {0.05, 30, 2.042272}, {0.05, 120, 1.979930}, {0.01, 1, 63.656741},
                 {0.01, 4, 4.604095},  {0.01, 10, 3.169273}, {0.001, 20, 3.849516}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        cr_expect_float_eq(peal_student_quantile(table[i].probability, table[i].freedom), table[i].t, 1e-6 * table[i].t,
                           "%g, %d: %g", table[i].probability, table[i].freedom,
                           peal_student_quantile(table[i].probability, table[i].freedom));
}

Test(fit, two_measurements_have_no_interval, .timeout = 10)
{
    struct sample samples[] = {sample_of(1, 1003), sample_of(1001, 4003)};
    struct fit fit;

    cr_assert_eq(peal_fit_least_squares(samples, 2, &fit, NULL), PEAL_OK);
    cr_expect_float_eq(fit.alpha, 1000, 1e-9);
    cr_expect_float_eq(fit.beta, 3, 1e-12);
    cr_expect_not(fit.has_interval);
    cr_expect_eq(fit.outliers, 0);
}

Test(fit, exact_measurements_have_an_interval_of_no_width_and_no_outlier, .timeout = 10)
{
    struct sample samples[20];
    struct fit fit;

    for (int i = 0; i < 20; i++)
        samples[i] = sample_of(1 << i, 1000 + 3.0 * (1 << i));
    cr_assert_eq(peal_fit_least_squares(samples, 20, &fit, NULL), PEAL_OK);
    cr_expect_float_eq(fit.alpha, 1000, 1e-6);
    cr_expect_float_eq(fit.beta, 3, 1e-9);
    cr_expect_lt(fit.alpha_half, 1e-6);
    cr_expect_eq(fit.outliers, 0);
}

Test(fit, equal_times_have_no_r_squared, .timeout = 10)
{
    struct sample samples[] = {sample_of(1, 5), sample_of(2, 5), sample_of(3, 5)};
    struct fit fit;

    cr_assert_eq(peal_fit_least_squares(samples, 3, &fit, NULL), PEAL_OK);
    cr_expect_float_eq(fit.alpha, 5, 1e-12);
    cr_expect_float_eq(fit.beta, 0, 1e-12);
    cr_expect(isnan(fit.r_squared));
}

Test(fit, only_distant_points_are_outliers, .timeout = 10)
{
    struct sample samples[12];
    struct fit fit;

    for (int i = 0; i < 12; i++)
        samples[i] = sample_of(i, 100 + 2 * i + (i % 3 - 1) * 0.1);
    samples[7].time += 5;
    cr_assert_eq(peal_fit_least_squares(samples, 12, &fit, NULL), PEAL_OK);
    for (int i = 0; i < 12; i++)
        cr_expect_eq(samples[i].outlier, i == 7, "%d", i);
    cr_expect_eq(fit.outliers, 1);
}

Test(fit, closed_forms_weigh_start_ups_and_words, .timeout = 10)
{
    struct sample samples[5]; /* a broadcast in 3 rounds on one side, in 10 with fewer words on the other */
    struct fit fit;

    for (int i = 0; i < 5; i++) {
        samples[i] = (struct sample){.size = i, .startups = i % 2 ? 3 : 10, .words = 50.0 * (i + 1)};
        samples[i].time = 7 * samples[i].startups + 0.25 * samples[i].words;
    }
    cr_assert_eq(peal_fit_least_squares(samples, 5, &fit, NULL), PEAL_OK);
    cr_expect_float_eq(fit.alpha, 7, 1e-9);
    cr_expect_float_eq(fit.beta, 0.25, 1e-9);
}

Test(fit, one_size_alone_determines_nothing, .timeout = 10)
{
    struct sample samples[] = {sample_of(4, 5), sample_of(4, 6), sample_of(4, 7)};
    struct peal_error error;
    struct fit fit;

    cr_expect_eq(peal_fit_least_squares(samples, 3, &fit, &error), PEAL_USAGE);
    cr_expect_eq(peal_fit_least_squares(samples, 1, &fit, &error), PEAL_USAGE);
    cr_expect_eq(peal_fit_least_squares(samples, 0, &fit, &error), PEAL_USAGE);
}

/* ------------------------------------------------------------------ reading */

static enum peal_status
read_text(const char *text, struct sample **samples, size_t *count, struct peal_error *error)
{
    struct samples_form form;

    return peal_samples_read("a file", text, strlen(text), samples, count, &form, error);
}

Test(fit, reads_blanks_commas_comments_and_a_heading, .timeout = 10)
{
    struct sample *samples;
    size_t count;

    cr_assert_eq(
        read_text("# a comment\nsize,time\n\n1 2.5\n  3\t4e1 # more\r\n5,6\n7 ; 8\n9, 10", &samples, &count, NULL),
        PEAL_OK);
    cr_assert_eq(count, 5);
    cr_expect(samples[0].size == 1 && samples[0].time == 2.5 && samples[0].line == 4);
    cr_expect(samples[1].size == 3 && samples[1].time == 40 && samples[1].line == 5);
    cr_expect(samples[4].size == 9 && samples[4].time == 10 && samples[4].line == 8);
    free(samples);
}

Test(fit, names_the_line_that_is_not_a_measurement, .timeout = 10)
{
    static const char *const bad[] = {"1 2\n3\n",    "1 2\nx y\n",  "1 2\n3 nan\n",
                                      "1 2\n-1 3\n", "1 2\n1 -3\n", "1 2\n, 3\n"};
    struct sample *samples;
    struct peal_error error;
    size_t count;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect_eq(read_text(bad[i], &samples, &count, &error), PEAL_USAGE, "%s", bad[i]);
        cr_expect(strstr(error.text, ":2: "), "%s: %s", bad[i], error.text);
        free(samples);
    }
    cr_expect_eq(read_text("# nothing\nsize time\n", &samples, &count, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, "no measurement"), "%s", error.text);
    free(samples);
}

Test(fit, reads_the_tables_of_suites, .timeout = 10)
{
    static const char osu[] = "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n1   1.5\n8   2.5\n";
    static const char imb[] =
        "# Benchmarking Allreduce\n   #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
        "  8  1000  1.0  3.0  2.0\n";
    static const char bandwidth[] = "# Size      Bandwidth (MB/s)\n1   1.5\n";
    static const char two[] = "# Size  Latency (us)\n1   1.5\n# Size  Latency (us)\n1   1.5\n";
    struct samples_form form;
    struct peal_error error;
    struct sample *samples;
    size_t count;

    cr_assert_eq(peal_samples_read("osu", osu, sizeof osu - 1, &samples, &count, &form, NULL), PEAL_OK);
    cr_expect(form.bytes_and_microseconds && count == 2 && samples[1].time == 2.5);
    free(samples);
    cr_assert_eq(peal_samples_read("imb", imb, sizeof imb - 1, &samples, &count, &form, NULL), PEAL_OK);
    cr_expect(form.bytes_and_microseconds && count == 1 && samples[0].size == 8 && samples[0].time == 2);
    free(samples);
    cr_expect_eq(peal_samples_read("bw", bandwidth, sizeof bandwidth - 1, &samples, &count, &form, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, "bw:1: "), "%s", error.text);
    free(samples);
    cr_expect_eq(peal_samples_read("two", two, sizeof two - 1, &samples, &count, &form, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, "two:3: "), "%s", error.text);
    free(samples);
}

/* ------------------------------------------------------------------ relative errors, and where a line breaks */

static void
lay(struct sample *samples, size_t count, double (*time)(double words))
{
    for (size_t i = 0; i < count; i++) {
        double words = (double)(1 << i);

        samples[i] = (struct sample){.size = words, .time = time(words), .startups = 1, .words = words};
    }
}

/* Errors of up to a twentieth of the time. */
static double
one_line(double words)
{
    return (0.5 + 0.001 * words) * (1 + 0.05 * sin(2.4 * log2(words)));
}

/* Eager up to 512 words; from then on a rendezvous, which takes longer to begin. */
static double
two_lines(double words)
{
    return words <= 512 ? 0.5 + 0.002 * words : 6 + 0.001 * words;
}

/* Unweighted squares would follow the largest times and leave nothing of the start-up. */
Test(fit, small_times_count_as_much_as_large_ones)
{
    struct sample samples[21];
    struct fit fit;

    lay(samples, 21, one_line);
    cr_assert_eq(peal_fit_relative(samples, 21, &fit, NULL), PEAL_OK);
    cr_expect_float_eq(fit.alpha, 0.5, 0.03, "α = %g", fit.alpha);
    cr_expect_float_eq(fit.beta, 0.001, 0.0001, "β = %g", fit.beta);
    cr_expect(fit.has_interval && fabs(fit.alpha - 0.5) < fit.alpha_half && fabs(fit.beta - 0.001) < fit.beta_half);
    cr_expect_eq(fit.outliers, 0);
}

Test(fit, times_that_were_disturbed_are_left_out_and_marked)
{
    struct sample samples[21];
    struct fit fit;

    lay(samples, 21, one_line);
    samples[0].time *= 100;
    samples[13].time *= 30;
    cr_assert_eq(peal_fit_relative(samples, 21, &fit, NULL), PEAL_OK);
    cr_expect_float_eq(fit.alpha, 0.5, 0.05, "α = %g", fit.alpha);
    cr_expect_float_eq(fit.beta, 0.001, 0.0001, "β = %g", fit.beta);
    cr_expect(samples[0].outlier && samples[13].outlier && fit.outliers == 2);
}

Test(fit, one_size_gives_no_line_whatever_the_errors_are_counted_in)
{
    struct sample samples[2] = {{.time = 1, .startups = 1, .words = 4}, {.time = 2, .startups = 1, .words = 4}};
    struct peal_error error;
    struct fit fit;

    cr_expect_eq(peal_fit_relative(samples, 2, &fit, &error), PEAL_USAGE);
}

Test(fit, a_change_of_protocol_is_found_between_its_two_sizes)
{
    struct sample samples[21];
    struct segment segments[MAX_SEGMENTS];

    lay(samples, 21, two_lines);
    cr_assert_eq(peal_fit_segments(samples, 21, segments), 2);
    cr_expect_eq(segments[0].first, 0);
    cr_expect_eq(samples[segments[0].last].size, 512);
    cr_expect_eq(samples[segments[1].first].size, 1024);
    cr_expect_eq(segments[1].last, 20);
    cr_expect_float_eq(segments[0].fit.alpha, 0.5, 1e-6);
    cr_expect_float_eq(segments[1].fit.alpha, 6, 1e-6);
    cr_expect_float_eq(segments[1].fit.beta, 0.001, 1e-9);
}

Test(fit, where_one_line_holds_there_is_no_break)
{
    struct sample samples[21];
    struct segment segments[MAX_SEGMENTS];

    lay(samples, 21, one_line);
    cr_assert_eq(peal_fit_segments(samples, 21, segments), 1);
    cr_expect(segments[0].first == 0 && segments[0].last == 20);
    cr_expect_eq(peal_fit_segments(samples, 2, segments), 1, "two sizes are one line");
}

Test(fit, disturbed_times_neither_make_a_break_nor_hide_one)
{
    struct sample samples[21];
    struct segment segments[MAX_SEGMENTS];

    lay(samples, 21, one_line);
    samples[4].time *= 20;
    samples[20].time *= 10;
    cr_expect_eq(peal_fit_segments(samples, 21, segments), 1);
    lay(samples, 21, two_lines);
    samples[4].time *= 20;
    samples[20].time *= 10;
    cr_assert_eq(peal_fit_segments(samples, 21, segments), 2);
    cr_expect_eq(samples[segments[0].last].size, 512);
}
