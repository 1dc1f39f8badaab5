/* SPDX-License-Identifier: MIT */
/* Reads measurements and fits α and β, by plain or relative least squares; with its own quantiles of Student's t. */
#include "lib/study/fit.h"
#include "lib/base/grow.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ reading */

/* Read one number of a line, and the separator after it. */
static bool
read_field(char **at, double *number)
{
    char *end;

    *number = strtod(*at, &end);
    if (end == *at || !isfinite(*number))
        return false;
    end += strspn(end, " \t");
    if (*end == ',' || *end == ';')
        end += 1 + strspn(end + 1, " \t");
    *at = end;
    return true;
}

/* Take the columns from a comment, if it is a suite's heading: "# Size  Latency (us)", "#bytes #repetitions t[usec]".
 * False: it is another table's. */
static bool
read_suite_heading(const char *line, struct samples_form *form)
{
    const char *sizes = strstr(line, "Size") ? strstr(line, "Size") : strstr(line, "#bytes");
    const char *time = strstr(line, "t_avg[usec]");
    int column = 1;

    if (!sizes || (!strstr(line, "(us)") && !strstr(line, "[usec]") && !strstr(line, "(MB/s)")))
        return true; /* of words */
    if (!time)
        time = strstr(line, "t[usec]") ? strstr(line, "t[usec]") : strstr(line, "Lat");
    if (form->column > 0 || !time)
        return false;
    for (const char *at = sizes; at < time; at++)
        column += strchr(" \t", at[0]) && !strchr(" \t", at[1]);
    *form = (struct samples_form){true, strstr(line, "(us)") ? 2 : column};
    return true;
}

/* Read one line; *found: it holds a measurement. */
static enum peal_status
samples_read_line(const char *path, int number, char *line, bool heading, struct samples_form *form,
                  struct sample *sample, bool *found, struct peal_error *error)
{
    if (line[strspn(line, " \t")] == '#' && !read_suite_heading(line, form))
        return peal_refuse(error, PEAL_USAGE,
                           form->column > 0 ? "%s:%d: a second table begins: keep one of them"
                                            : "%s:%d: these are bandwidths: expected sizes and times",
                           path, number);
    line[strcspn(line, "#\r")] = '\0';
    line += strspn(line, " \t");
    *found = false;
    if (!*line || (heading && (isalpha((unsigned char)*line) || *line == '"')))
        return PEAL_OK;
    *sample = (struct sample){.line = number};
    bool read = read_field(&line, &sample->size);

    for (int i = 2; read && i <= (form->column > 2 ? form->column : 2); i++)
        read = read_field(&line, &sample->time);
    if (!read)
        return peal_refuse(error, PEAL_USAGE, "%s:%d: expected two numbers, a size and a time", path, number);
    if (sample->size < 0 || sample->time < 0)
        return peal_refuse(error, PEAL_USAGE, "%s:%d: a size or a time is below 0", path, number);
    *found = true;
    return PEAL_OK;
}

enum peal_status
peal_samples_read(const char *file, const char *bytes, size_t size, struct sample **samples, size_t *count,
                  struct samples_form *form, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    size_t lines = 1;
    char *text = strndup(bytes, size);
    int number = 1;
    bool found = false;

    *count = 0;
    *form = (struct samples_form){.column = 0};
    for (size_t i = 0; i < size; i++)
        lines += bytes[i] == '\n';
    *samples = calloc(lines, sizeof **samples);
    if (!text || !*samples)
        status = peal_refuse(error, PEAL_RESOURCES, "%s: not enough memory for the file", file);
    for (char *line = text, *end; status == PEAL_OK && line; line = end, number++) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        status = samples_read_line(file, number, line, *count == 0, form, *samples + *count, &found, error);
        *count += status == PEAL_OK && found;
    }
    if (status == PEAL_OK && *count == 0)
        status = peal_refuse(error, PEAL_USAGE,
                             "%s has no measurement: expected lines of two numbers, a size and a time", file);
    free(text);
    return status;
}

/* ------------------------------------------------------------------ Student's t */

/* The probability that |T| is at most t: the finite series in the angle atan(t/√f) (Abramowitz and Stegun, 26.7.3 and
 * 26.7.4). */
static double
student_inside(double t, int freedom)
{
    double angle = atan(t / sqrt(freedom)), cosine = cos(angle), term = 1, sum = 0;
    int first = freedom % 2 == 0 ? 0 : 1;

    if (freedom % 2 != 0)
        term = cosine;
    for (int i = first; i <= freedom - 2; i += 2) {
        sum += term;
        term *= cosine * cosine * (i + 1) / (i + 2);
    }
    if (freedom % 2 == 0)
        return sin(angle) * sum;
    return 2 / acos(-1) * (angle + sin(angle) * sum);
}

double
peal_student_quantile(double probability, int freedom)
{
    double low = 0, high = 1;

    while (student_inside(high, freedom) < 1 - probability && high < 1e12)
        low = high, high *= 2;
    for (int i = 0; i < 100; i++) {
        double mid = (low + high) / 2;

        if (student_inside(mid, freedom) < 1 - probability)
            low = mid;
        else
            high = mid;
    }
    return (low + high) / 2;
}

/* ------------------------------------------------------------------ least squares */

/* The normal equations, of columns scaled to length 1. */
struct normal {
    long double length_a, length_b; /* of the columns */
    long double cosine;             /* between them */
    long double sine2;              /* 1 − cosine² */
};

static bool
make_normal(const struct sample *samples, size_t count, struct normal *normal)
{
    long double aa = 0, bb = 0, cross = 0, area = 0;

    for (size_t i = 0; i < count; i++) {
        aa += (long double)samples[i].startups * samples[i].startups;
        bb += (long double)samples[i].words * samples[i].words;
    }
    normal->length_a = sqrtl(aa);
    normal->length_b = sqrtl(bb);
    if (!(aa > 0) || !(bb > 0))
        return false;
    for (size_t i = 0; i < count; i++)
        cross += samples[i].startups / normal->length_a * (samples[i].words / normal->length_b);
    normal->cosine = cross;
    /* the rest of the words' column beside the other one: 1 − cosine², without a difference of near equals */
    for (size_t i = 0; i < count; i++) {
        long double rest = samples[i].words / normal->length_b - cross * (samples[i].startups / normal->length_a);

        area += rest * rest;
    }
    normal->sine2 = area;
    return area > 1e-24L;
}

/* The leverage of a measurement: the weight of its own time in its fitted time. */
static long double
leverage(const struct normal *normal, const struct sample *s)
{
    long double a = s->startups / normal->length_a, b = s->words / normal->length_b;

    return (a * a - 2 * normal->cosine * a * b + b * b) / normal->sine2;
}

/* Mark the measurements that the others do not predict. */
static void
mark_outliers(struct sample *samples, size_t count, const struct normal *normal, long double squares, struct fit *fit)
{
    int freedom = (int)count - 3;
    double limit = freedom > 0 ? peal_student_quantile(0.05 / (double)count, freedom) : 0;

    for (size_t i = 0; i < count && freedom > 0; i++) {
        struct sample *s = &samples[i];
        long double error = s->time - (fit->alpha * (long double)s->startups + fit->beta * (long double)s->words);
        long double rest = 1 - leverage(normal, s), others;

        if (rest < 1e-12L)
            continue;
        others = (squares - error * error / rest) / freedom; /* the variance of the others' errors */
        if (fabsl(error) <= 1e-12L * s->time)
            s->odd = 0;
        else
            s->odd = others > 0 ? (double)(error / sqrtl(others * rest)) : (double)copysignl(HUGE_VALL, error);
        s->outlier = fabs(s->odd) > limit;
        fit->outliers += s->outlier;
    }
}

enum peal_status
peal_fit_least_squares(struct sample *samples, size_t count, struct fit *fit, struct peal_error *error)
{
    struct normal normal;
    long double ta = 0, tb = 0, squares = 0, mean = 0, spread = 0;

    *fit = (struct fit){.alpha = 0};
    bool separate = count > 1 && make_normal(samples, count, &normal);

    if (count > 1 && (normal.length_a == 0 || normal.length_b == 0))
        return peal_refuse(error, PEAL_USAGE, "no measurement has a %s", normal.length_a == 0 ? "start-up" : "word");
    if (!separate)
        return peal_refuse(
            error, PEAL_USAGE,
            "α and β cannot be separated: measure at two different sizes or more (here %zu measurement%s)", count,
            count == 1 ? "" : "s, all alike");
    for (size_t i = 0; i < count; i++) {
        ta += samples[i].startups / normal.length_a * samples[i].time;
        tb += samples[i].words / normal.length_b * samples[i].time;
        mean += samples[i].time / (long double)count;
    }
    fit->alpha = (double)((ta - normal.cosine * tb) / normal.sine2 / normal.length_a);
    fit->beta = (double)((tb - normal.cosine * ta) / normal.sine2 / normal.length_b);
    for (size_t i = 0; i < count; i++) {
        long double e = samples[i].time -
                        (fit->alpha * (long double)samples[i].startups + fit->beta * (long double)samples[i].words);

        squares += e * e;
        spread += (samples[i].time - mean) * (samples[i].time - mean);
    }
    fit->r_squared = spread > 0 ? (double)(1 - squares / spread) : (double)NAN;
    if (count == 2)
        return PEAL_OK;
    fit->has_interval = true;
    fit->deviation = (double)sqrtl(squares / (long double)(count - 2));
    fit->quantile = peal_student_quantile(0.05, (int)count - 2);
    fit->alpha_half = (double)(fit->quantile * fit->deviation / sqrtl(normal.sine2) / normal.length_a);
    fit->beta_half = (double)(fit->quantile * fit->deviation / sqrtl(normal.sine2) / normal.length_b);
    mark_outliers(samples, count, &normal, squares, fit);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ relative errors */

static double
relative_error(const struct sample *s, double alpha, double beta)
{
    return (s->time - alpha * s->startups - beta * s->words) / s->time;
}

/* The line through two of the measurements, nowhere below 0, that has the least sum of |error|/time. */
static bool
least_deviations(const struct sample *samples, size_t count, double *alpha, double *beta)
{
    double least = HUGE_VAL;

    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct sample *p = &samples[i], *q = &samples[j];
            double area = p->startups * q->words - q->startups * p->words, sum = 0;
            double a = (p->time * q->words - q->time * p->words) / area;
            double b = (q->time * p->startups - p->time * q->startups) / area;

            if (area == 0 || !(a >= 0) || !(b >= 0))
                continue;
            for (size_t k = 0; k < count; k++)
                sum += fabs(relative_error(&samples[k], a, b));
            if (sum < least)
                least = sum, *alpha = a, *beta = b;
        }
    return least < HUGE_VAL;
}

/* Mark those beyond 2.5 times the errors' scale; give the others, with errors relative to their times. */
static size_t
keep_near(struct sample *samples, size_t count, double alpha, double beta, struct sample *kept)
{
    double *sizes = calloc(count, sizeof *sizes), scale;
    size_t near = 0;

    for (size_t i = 0; sizes && i < count; i++)
        sizes[i] = fabs(relative_error(&samples[i], alpha, beta));
    if (sizes)
        qsort(sizes, count, sizeof *sizes, compare_doubles);
    /* for normal errors 1.4826 times the median is the deviation; the second factor corrects for few measurements */
    scale = sizes ? 1.4826 * (1 + 5.0 / (double)(count > 2 ? count - 2 : 1)) * sizes[count / 2] : HUGE_VAL;
    free(sizes);
    for (size_t i = 0; i < count; i++) {
        struct sample *s = &samples[i];
        double error = relative_error(s, alpha, beta);

        s->odd = scale > 0 ? error / scale : 0;
        s->outlier = fabs(error) > 2.5 * scale + 1e-9;
        if (!s->outlier)
            kept[near++] = (struct sample){.startups = s->startups / s->time, .words = s->words / s->time, .time = 1};
    }
    return near;
}

/* 1 − Σe²/Σ(t − mean)² without the outliers. */
static double
determination(const struct sample *samples, size_t count, const struct fit *fit)
{
    long double mean = 0, squares = 0, spread = 0;
    size_t near = count - (size_t)fit->outliers;

    for (size_t i = 0; i < count; i++)
        mean += samples[i].outlier ? 0 : samples[i].time / (long double)near;
    for (size_t i = 0; i < count; i++) {
        const struct sample *s = &samples[i];
        long double error = s->time - fit->alpha * s->startups - fit->beta * s->words;

        squares += s->outlier ? 0 : error * error;
        spread += s->outlier ? 0 : (s->time - mean) * (s->time - mean);
    }
    return spread > 0 ? (double)(1 - squares / spread) : (double)NAN;
}

enum peal_status
peal_fit_relative(struct sample *samples, size_t count, struct fit *fit, struct peal_error *error)
{
    struct sample *kept = calloc(count + 1, sizeof *kept);
    enum peal_status status = PEAL_OK;
    double alpha = 0, beta = 0;
    bool found = least_deviations(samples, count, &alpha, &beta);
    size_t near;

    *fit = (struct fit){.alpha = 0};
    if (!kept)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    if (found) {
        near = keep_near(samples, count, alpha, beta, kept);
    } else { /* every line falls, or begins below 0 */
        for (near = 0; near < count; near++) {
            const struct sample *s = &samples[near];

            samples[near].outlier = false;
            kept[near] = (struct sample){.startups = s->startups / s->time, .words = s->words / s->time, .time = 1};
        }
    }
    status = peal_fit_least_squares(kept, near, fit, error);
    if (found && (fit->alpha < 0 || fit->beta < 0)) { /* a cost cannot be negative: the first line nowhere is */
        fit->alpha = alpha;
        fit->beta = beta;
    }
    fit->outliers = (int)(count - near);
    fit->r_squared = determination(samples, count, fit);
    free(kept);
    return status;
}

/* ------------------------------------------------------------------ segments */

/* The sum of |error|/time about the best line of samples first .. last; no line may fall or begin below 0. */
static double
misfit(const struct sample *samples, size_t first, size_t last)
{
    double alpha, beta, sum = 0;

    if (!least_deviations(samples + first, last - first + 1, &alpha, &beta))
        return HUGE_VAL;
    for (size_t i = first; i <= last; i++)
        sum += fabs(relative_error(&samples[i], alpha, beta));
    return sum;
}

/* least[k][i]: of the first i samples in k + 1 segments, the last of which begins at from[k][i]. */
struct cuts {
    double least[MAX_SEGMENTS][MAX_SAMPLES + 1];
    size_t from[MAX_SEGMENTS][MAX_SAMPLES + 1];
};

static void
find_cuts(const struct sample *samples, size_t count, struct cuts *cuts)
{
    for (size_t end = 0; end <= count; end++) {
        for (int k = 0; k < MAX_SEGMENTS; k++)
            cuts->least[k][end] = HUGE_VAL;
        for (size_t begin = 0; begin + MIN_OF_SEGMENT <= end; begin++) {
            double own = misfit(samples, begin, end - 1);

            if (begin == 0)
                cuts->least[0][end] = own;
            for (int k = 1; k < MAX_SEGMENTS && begin > 0; k++)
                if (cuts->least[k - 1][begin] + own < cuts->least[k][end]) {
                    cuts->least[k][end] = cuts->least[k - 1][begin] + own;
                    cuts->from[k][end] = begin;
                }
        }
    }
}

int
peal_fit_segments(struct sample *samples, size_t count, struct segment segments[MAX_SEGMENTS])
{
    struct cuts *cuts = count <= MAX_SAMPLES ? calloc(1, sizeof *cuts) : NULL;
    int best = 0;
    double criterion = HUGE_VAL;

    if (cuts && count >= MIN_OF_SEGMENT) {
        find_cuts(samples, count, cuts);
        for (int k = 0; k < MAX_SEGMENTS; k++) {
            double mean = cuts->least[k][count] / (double)count + 0.01;
            double value = 2 * (double)count * log(mean) + 3 * k * log((double)count);

            if (value < criterion - (k > 0 ? 10 : 0)) {
                criterion = value;
                best = k;
            }
        }
    }
    for (size_t k = (size_t)best + 1, end = count; k-- > 0; end = segments[k].first) {
        segments[k] = (struct segment){.first = k > 0 ? cuts->from[k][end] : 0, .last = end - 1};
        peal_fit_relative(samples + segments[k].first, end - segments[k].first, &segments[k].fit, NULL);
    }
    free(cuts);
    return best + 1;
}
