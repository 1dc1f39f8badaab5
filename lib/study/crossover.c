/* SPDX-License-Identifier: MIT */
/* Computes where two curves meet, in exact fractions; it assumes that a curve does not fall as the vector grows. */
#include "lib/study/crossover.h"
#include "lib/cost/arithmetic.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ parameters */

/* A decimal number, digits · 10^exponent. */
struct decimal {
    int64_t digits;
    int exponent;
};

/* Give the shortest decimal that is read as `number`, which is finite and not negative: the number as typed. */
static struct decimal
decimal_of(double number)
{
    struct decimal decimal = {0, 0};
    char text[48];

    for (int places = 0; places < 18; places++) {
        snprintf(text, sizeof text, "%.*e", places, number);
        if (strtod(text, NULL) == number)
            break;
    }
    const char *at = text;

    for (; *at && *at != 'e'; at++)
        if (*at != '.')
            decimal.digits = 10 * decimal.digits + (*at - '0');
    decimal.exponent = (int)strtol(*at ? at + 1 : "0", NULL, 10);
    const char *point = strchr(text, '.');

    if (point)
        decimal.exponent -= (int)(at - point) - 1;
    while (decimal.digits && decimal.digits % 10 == 0) {
        decimal.digits /= 10;
        decimal.exponent++;
    }
    return decimal;
}

bool
peal_weights_of(struct peal_parameters parameters, struct weights *weights)
{
    struct decimal decimals[] = {decimal_of(parameters.alpha), decimal_of(parameters.beta), decimal_of(parameters.hop),
                                 decimal_of(parameters.tau)};
    int64_t *out[] = {&weights->alpha, &weights->beta, &weights->hop, &weights->tau};
    int least = 0;
    bool any = false;

    for (int i = 0; i < 4; i++)
        if (decimals[i].digits && (!any || decimals[i].exponent < least)) {
            least = decimals[i].exponent;
            any = true;
        }
    for (int i = 0; i < 4; i++) {
        int64_t whole = decimals[i].digits;

        for (int e = decimals[i].digits ? decimals[i].exponent : least; e > least; e--)
            if (__builtin_mul_overflow(whole, (int64_t)10, &whole))
                return false;
        *out[i] = whole;
    }
    return true;
}

bool
peal_weights_time(const struct weights *weights, struct peal_cost cost, __int128 *time)
{
    const int64_t counts[] = {cost.alpha, cost.beta, cost.hop, cost.tau};
    const int64_t each[] = {weights->alpha, weights->beta, weights->hop, weights->tau};
    __int128 sum = 0;

    for (int i = 0; i < 4; i++)
        if (__builtin_add_overflow(sum, (__int128)counts[i] * each[i], &sum))
            return false;
    *time = sum;
    return true;
}

/* ------------------------------------------------------------------ fractions */

bool
peal_fraction_make(__int128 num, __int128 den, struct fraction *fraction)
{
    __int128 divisor = common_divisor(num, den);

    if (den == 0)
        return false;
    if (den < 0)
        divisor = -divisor;
    num /= divisor;
    den /= divisor;
    if (num > INT64_MAX || num < -INT64_MAX || den > INT64_MAX)
        return false;
    *fraction = (struct fraction){(int64_t)num, (int64_t)den};
    return true;
}

char *
peal_fraction_text(struct fraction fraction, char text[48])
{
    const char *sign = fraction.num < 0 ? "−" : "";
    int64_t num = fraction.num < 0 ? -fraction.num : fraction.num;

    if (fraction.den == 1)
        snprintf(text, 48, "%s%" PRId64, sign, num);
    else
        snprintf(text, 48, "%s%" PRId64 "/%" PRId64, sign, num, fraction.den);
    return text;
}

char *
peal_meeting_text(const struct meeting_point *meeting, char text[200])
{
    const struct {
        struct fraction factor;
        const char *unit;
    } terms[] = {{meeting->alpha, "·α/β"}, {meeting->hop, "·t_d/β"}, {meeting->tau, "·τ/β"}, {meeting->words, ""}};
    size_t used = 0;
    char number[48];

    text[0] = '\0';
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct fraction factor = terms[i].factor;
        const char *sign = used ? " + " : "";

        if (factor.num == 0)
            continue;
        if (used && factor.num < 0) {
            sign = " − ";
            factor.num = -factor.num;
        }
        if (i < 3 && factor.den == 1 && (factor.num == 1 || factor.num == -1)) /* α/β itself */
            used += (size_t)snprintf(text + used, 200 - used, "%s%s%s", sign, factor.num < 0 ? "−" : "",
                                     terms[i].unit + strlen("·"));
        else
            used += (size_t)snprintf(text + used, 200 - used, "%s%s%s", sign, peal_fraction_text(factor, number),
                                     terms[i].unit);
    }
    return used ? text : strcpy(text, "0");
}

/* ------------------------------------------------------------------ points and lines */

/* A curve at a size: its cost, and the time of that cost. */
struct line_point {
    struct peal_cost cost;
    __int128 time;
};

static bool
contest_evaluate(struct contest *contest, const struct curve *curve, uint64_t size, struct line_point *point)
{
    if (contest->evaluations == 0 || !curve->cost(curve->about, size, &point->cost) ||
        !peal_weights_time(&contest->weights, point->cost, &point->time)) {
        contest->unsettled = true;
        return false;
    }
    contest->evaluations--;
    return true;
}

/* Whether b is cheaper than a at this size. */
static bool
contest_is_cheaper(struct contest *contest, const struct curve *a, const struct curve *b, uint64_t size)
{
    struct line_point at_a, at_b;

    return contest_evaluate(contest, a, size, &at_a) && contest_evaluate(contest, b, size, &at_b) &&
           at_b.time < at_a.time;
}

/* Candidates for the period of sizes on a line: P parts, each perhaps cut again. */
static const uint64_t periods[] = {1, 2, 4, 16, 60, 5040};

enum { PERIODS = 2 * sizeof periods / sizeof *periods };

/* The i-th period to try: 1, then multiples of P, then others; 0 when it does not fit. */
static uint64_t
period_get(const struct contest *contest, size_t i)
{
    uint64_t period = periods[i % (PERIODS / 2)];

    if (i == 0)
        return 1;
    if (i < PERIODS / 2 + 1) /* P, 2P, 4P, .. */
        return __builtin_mul_overflow(periods[i - 1], contest->nodes, &period) ? 0 : period;
    return periods[i - PERIODS / 2];
}

/* A curve on the multiples of `period`: the i-th from `first` on costs start + i·rise. */
struct cost_line {
    uint64_t period, first;
    struct peal_cost start, rise;
};

/* Whether a curve costs start + steps·rise `steps` periods on. */
static bool
on_line(const struct cost_line *line, struct peal_cost cost, uint64_t steps)
{
    const int64_t was[] = {line->start.alpha, line->start.beta, line->start.hop, line->start.tau};
    const int64_t is[] = {cost.alpha, cost.beta, cost.hop, cost.tau};
    const int64_t rise[] = {line->rise.alpha, line->rise.beta, line->rise.hop, line->rise.tau};

    for (int i = 0; i < 4; i++)
        if ((__int128)was[i] + (__int128)rise[i] * (int64_t)steps != is[i])
            return false;
    return true;
}

/* Find the line that the curve follows over `steps` periods from `first` on, judged by its ends and points between. */
static bool
curve_find_line(const struct curve *curve, uint64_t period, uint64_t first, uint64_t steps, struct cost_line *line)
{
    const uint64_t probes[] = {2, 3, steps / 3, steps / 2, steps / 2 + 1, steps - 1, steps};
    struct peal_cost cost;
    uint64_t size;

    *line = (struct cost_line){.period = period, .first = first};
    if (steps < 1 || steps > INT64_MAX || !curve->cost(curve->about, first, &line->start) ||
        !curve->cost(curve->about, first + period, &cost))
        return false;
    line->rise = cost_minus(cost, line->start);
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++) {
        if (probes[i] > steps || probes[i] == 0)
            continue;
        if (__builtin_mul_overflow(probes[i], period, &size) || __builtin_add_overflow(size, first, &size) ||
            !curve->cost(curve->about, size, &cost) || !on_line(line, cost, probes[i]))
            return false;
    }
    return true;
}

/* Two lines with the same period and beginning. */
struct cost_lines {
    struct cost_line a, b;
    uint64_t steps;
};

/* Find lines that both curves follow over all of from .. to, at the multiples of a period that enclose it. */
static bool
find_lines(struct contest *contest, const struct curve *a, const struct curve *b, uint64_t from, uint64_t to, size_t i,
           struct cost_lines *lines)
{
    uint64_t period = period_get(contest, i), first, end;

    if (period == 0 || to - from < 8 * period || to > INT64_MAX / 2)
        return false;
    first = from / period * period;
    end = (to + period - 1) / period * period;
    lines->steps = (end - first) / period;
    contest->evaluations -= contest->evaluations < 18 ? contest->evaluations : 18;
    return curve_find_line(a, period, first, lines->steps, &lines->a) &&
           curve_find_line(b, period, first, lines->steps, &lines->b);
}

/* The time by a line, `steps` periods on. */
static bool
line_time(const struct contest *contest, const struct cost_line *line, uint64_t steps, __int128 *time)
{
    __int128 start, rise;

    return peal_weights_time(&contest->weights, line->start, &start) &&
           peal_weights_time(&contest->weights, line->rise, &rise) &&
           !__builtin_mul_overflow(rise, (__int128)steps, &rise) && !__builtin_add_overflow(start, rise, time);
}

/* Whether between any two neighbouring multiples `high` ends at most (below: less than) where `low` begins.  Both are
 * straight, so the first and the last pair decide. */
static bool
always_above(const struct contest *contest, const struct cost_line *high, const struct cost_line *low, uint64_t steps,
             bool equal)
{
    const uint64_t ends[] = {0, steps - 1};

    for (int i = 0; i < 2; i++) {
        __int128 above, below;

        if (!line_time(contest, high, ends[i], &above) || !line_time(contest, low, ends[i] + 1, &below) ||
            (equal ? below > above : below >= above))
            return false;
    }
    return true;
}

/* The most sizes of a period that are looked at one by one. */
enum { LONGEST_PERIOD = 2048 };

/* A relation that holds at each size of the first and the last period holds between, where each size follows its own
 * straight line: the curves rise by the same from period to period.  Returns whether b is (or never is) cheaper in
 * both. */
static bool
same_in_both_ends(struct contest *contest, const struct curve *a, const struct curve *b, uint64_t from, uint64_t to,
                  const struct cost_lines *lines, bool b_cheaper)
{
    uint64_t period = lines->a.period;

    if (period > LONGEST_PERIOD || to - from < 8 * period)
        return false;
    for (uint64_t i = 0; i < period; i++) {
        const uint64_t sizes[] = {from + i, to - i};

        for (int end = 0; end < 2; end++) {
            struct cost_line own;

            if (contest_is_cheaper(contest, a, b, sizes[end]) != b_cheaper || contest->unsettled)
                return false;
            /* the rise of each size, taken one period before the end */
            const struct curve *const both[] = {a, b};
            const struct cost_line *const whole[] = {&lines->a, &lines->b};

            for (int j = 0; j < 2; j++)
                if (!curve_find_line(both[j], period, end ? sizes[1] - period : sizes[0], 1, &own) ||
                    !peal_cost_equal(own.rise, whole[j]->rise))
                    return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ searches */

/* Whether b is cheaper than a at no size of from .. to (b_cheaper false), or at every size (true), as far as that can
 * be decided without looking at each. */
static bool
settled(struct contest *contest, const struct curve *a, const struct curve *b, uint64_t from, uint64_t to,
        bool b_cheaper)
{
    struct line_point a_from, a_to, b_from, b_to;
    struct cost_lines lines;

    if (!contest_evaluate(contest, a, from, &a_from) || !contest_evaluate(contest, a, to, &a_to) ||
        !contest_evaluate(contest, b, from, &b_from) || !contest_evaluate(contest, b, to, &b_to))
        return false;
    if (a_to.time >= a_from.time && b_to.time >= b_from.time &&
        (b_cheaper ? b_to.time < a_from.time : a_to.time <= b_from.time))
        return true;
    for (size_t i = 0; i < PERIODS; i++) {
        if (!find_lines(contest, a, b, from, to, i, &lines))
            continue;
        if (b_cheaper ? always_above(contest, &lines.a, &lines.b, lines.steps, false)
                      : always_above(contest, &lines.b, &lines.a, lines.steps, true))
            return true;
        return same_in_both_ends(contest, a, b, from, to, &lines, b_cheaper);
    }
    return false;
}

/* The smallest size at which "b is cheaper" is `wanted`. */
static bool
leftmost(struct contest *contest, const struct curve *a, const struct curve *b, uint64_t from, uint64_t to, bool wanted,
         uint64_t *size)
{
    if (contest->unsettled)
        return false;
    if (contest_is_cheaper(contest, a, b, from) == wanted && !contest->unsettled) {
        *size = from;
        return true;
    }
    if (from == to || contest->unsettled || settled(contest, a, b, from, to, !wanted))
        return false;
    uint64_t mid = from + (to - from) / 2;

    return leftmost(contest, a, b, from, mid, wanted, size) || leftmost(contest, a, b, mid + 1, to, wanted, size);
}

/* ------------------------------------------------------------------ where lines meet */

/* The words term of a line at size 0: start − first·rise/period, times the period. */
static __int128
times_period(const struct cost_line *line, int64_t start, int64_t rise)
{
    return (__int128)start * (int64_t)line->period - (__int128)rise * (int64_t)line->first;
}

/* Only β may grow with the size. */
static bool
contest_find_meeting(const struct contest *contest, const struct cost_line *a, const struct cost_line *b,
                     struct meeting_point *meeting)
{
    __int128 slope = (__int128)a->rise.beta - b->rise.beta, period = (int64_t)a->period;
    struct peal_parameters p = contest->parameters;
    struct peal_cost none = {0, 0, 0, 0}, fixed_a = a->rise, fixed_b = b->rise;

    fixed_a.beta = fixed_b.beta = 0;
    if (!peal_cost_equal(fixed_a, none) || !peal_cost_equal(fixed_b, none) || slope == 0 || !(p.beta > 0))
        return false;
    if (!peal_fraction_make(((__int128)b->start.alpha - a->start.alpha) * period, slope, &meeting->alpha) ||
        !peal_fraction_make(((__int128)b->start.hop - a->start.hop) * period, slope, &meeting->hop) ||
        !peal_fraction_make(((__int128)b->start.tau - a->start.tau) * period, slope, &meeting->tau) ||
        !peal_fraction_make(times_period(b, b->start.beta, b->rise.beta) - times_period(a, a->start.beta, a->rise.beta),
                            slope, &meeting->words))
        return false;
    const struct fraction *f[] = {&meeting->alpha, &meeting->hop, &meeting->tau, &meeting->words};
    const double each[] = {p.alpha / p.beta, p.hop / p.beta, p.tau / p.beta, 1};

    meeting->size = 0;
    for (int i = 0; i < 4; i++)
        meeting->size += (double)f[i]->num * each[i] / (double)f[i]->den;
    return true;
}

bool
peal_contest_meeting(const struct contest *contest, const struct curve *a, const struct curve *b, uint64_t near,
                     struct meeting_point *meeting)
{
    struct cost_lines lines;

    for (size_t i = 0; i < PERIODS; i++) {
        uint64_t period = period_get(contest, i), multiple;

        if (period == 0 || near > INT64_MAX / 64 || period > INT64_MAX / 64)
            continue;
        multiple = near / period > 0 ? near / period : 1;
        lines.steps = multiple + 6;
        if (curve_find_line(a, period, multiple * period, lines.steps, &lines.a) &&
            curve_find_line(b, period, multiple * period, lines.steps, &lines.b) &&
            contest_find_meeting(contest, &lines.a, &lines.b, meeting))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ the lowest of several */

static bool
lowest(struct contest *contest, const struct curve *curves, int count, uint64_t size, int *winner)
{
    struct line_point best = {.time = 0}, point;

    for (int i = 0; i < count; i++) {
        if (!contest_evaluate(contest, &curves[i], size, &point))
            return false;
        if (i == 0 || point.time < best.time) {
            best = point;
            *winner = i;
        }
    }
    return true;
}

/* Give the last size of from .. to up to which `winner` stays the lowest; false when undecided.  Of
 * equals the first wins, so an earlier curve need only be as cheap. */
static bool
winner_range_end(struct contest *contest, const struct curve *curves, int count, int winner, uint64_t from, uint64_t to,
                 uint64_t *end)
{
    uint64_t size;

    *end = to;
    for (int i = 0; i < count; i++) {
        contest->unsettled = false;
        /* an earlier one wins where the winner is not cheaper than it */
        bool found = i == winner  ? false
                     : i > winner ? leftmost(contest, &curves[winner], &curves[i], from, *end, true, &size)
                                  : leftmost(contest, &curves[i], &curves[winner], from, *end, false, &size);

        if (contest->unsettled)
            return false;
        if (found)
            *end = size - 1;
        if (*end < from)
            return true;
    }
    return true;
}

/* Group the ranges: those no longer than a period, between longer ones, are the alternations of a crossing. */
static void
find_crossings(struct contest *contest, const struct curve *curves, struct winners *winners)
{
    const struct winner_range *ranges = winners->ranges;
    size_t count = winners->range_count, held = 0;

    for (size_t i = 1; i < count; i++) {
        bool is_long = i + 1 == count || ranges[i].last - ranges[i].first >= contest->nodes;

        if (!is_long)
            continue;
        if (ranges[i].winner != ranges[held].winner) {
            struct crossing *crossing = &winners->crossings[winners->crossing_count++];

            *crossing = (struct crossing){.before = ranges[held].winner,
                                          .after = ranges[i].winner,
                                          .last_before = ranges[held].last,
                                          .from = ranges[i].first};
            crossing->has_meeting = peal_contest_meeting(contest, &curves[crossing->before], &curves[crossing->after],
                                                         crossing->from, &crossing->meeting);
        }
        held = i;
    }
}

enum peal_status
peal_contest_winners(struct contest *contest, const struct curve *curves, int count, uint64_t from, uint64_t to,
                     struct winners *winners, struct peal_error *error)
{
    *winners = (struct winners){.ranges = calloc(MAX_RANGES, sizeof *winners->ranges),
                                .crossings = calloc(MAX_RANGES, sizeof *winners->crossings)};
    if (!winners->ranges || !winners->crossings) {
        peal_winners_fini(winners);
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    }
    contest->unsettled = false;
    while (count > 0 && winners->range_count < MAX_RANGES && !winners->complete) {
        struct winner_range *range = &winners->ranges[winners->range_count];

        range->first = from;
        if (!lowest(contest, curves, count, from, &range->winner) ||
            !winner_range_end(contest, curves, count, range->winner, from, to, &range->last))
            break;
        winners->range_count++;
        winners->complete = range->last == to;
        from = range->last + 1;
    }
    if (winners->range_count > 0)
        find_crossings(contest, curves, winners);
    return PEAL_OK;
}

void
peal_winners_fini(struct winners *winners)
{
    free(winners->ranges);
    free(winners->crossings);
    *winners = (struct winners){0};
}
