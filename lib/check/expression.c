/* SPDX-License-Identifier: MIT */
/* Limits as expressions: "ceil(log2(P))", "m*(P-1)". */
#include "lib/check/expression.h"
#include "lib/base/text.h"
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

/* The current place; wrong: the mistake there, NULL without one. */
struct reading {
    const char *text, *at, *wrong;
    struct peal_check_values values;
    int depth;
};

enum { MAX_DEPTH = 100 };

static double expression_sum(struct reading *r);

static void
skip_blanks(struct reading *r)
{
    while (*r->at == ' ')
        r->at++;
}

/* Skip the character if it comes next. */
static bool
expression_take(struct reading *r, char c)
{
    skip_blanks(r);
    if (r->wrong || *r->at != c)
        return false;
    r->at++;
    return true;
}

static double
expression_error(struct reading *r, const char *wrong)
{
    if (!r->wrong)
        r->wrong = wrong;
    return 0;
}

static double
expression_call(struct reading *r, const char *name, size_t length)
{
    static const char *const names[] = {"ceil", "floor", "log2", "sqrt", "min", "max"};
    size_t which = 0;
    double a, b = 0;

    while (which < 6 && (strlen(names[which]) != length || strncmp(names[which], name, length) != 0))
        which++;
    if (which == 6) {
        r->at = name;
        return expression_error(r, "unknown name: expected P, m, n, q, ceil, floor, log2, sqrt, min or max");
    }
    if (!expression_take(r, '('))
        return expression_error(r, "( is missing");
    a = expression_sum(r);
    if (which >= 4 && !expression_take(r, ','))
        return expression_error(r, "a comma and a second number are missing");
    if (which >= 4)
        b = expression_sum(r);
    if (!expression_take(r, ')'))
        return expression_error(r, ") is missing");
    switch (which) {
    case 0:
        return ceil(a);
    case 1:
        return floor(a);
    case 2:
        return log2(a);
    case 3:
        return sqrt(a);
    case 4:
        return fmin(a, b);
    default:
        return fmax(a, b);
    }
}

static double
named(struct reading *r)
{
    const char *name = r->at;

    while (isalnum((unsigned char)*r->at))
        r->at++;
    if (r->at - name == 1)
        switch (*name) {
        case 'P':
            return r->values.P;
        case 'm':
            return r->values.m;
        case 'n':
            return r->values.n;
        case 'q':
            return r->values.q;
        default:
            break;
        }
    return expression_call(r, name, (size_t)(r->at - name));
}

static double
primary(struct reading *r)
{
    double value;
    char *end;

    if (r->wrong)
        return 0;
    if (++r->depth > MAX_DEPTH)
        return expression_error(r, "too many parentheses");
    if (expression_take(r, '-')) {
        value = -primary(r);
    } else if (expression_take(r, '(')) {
        value = expression_sum(r);
        if (!expression_take(r, ')'))
            expression_error(r, ") is missing");
    } else if (isdigit((unsigned char)*r->at)) {
        value = (double)strtoull(r->at, &end, 10);
        r->at = end;
    } else if (isalpha((unsigned char)*r->at)) {
        value = named(r);
    } else {
        value = expression_error(r, "a number is missing");
    }
    r->depth--;
    return value;
}

static double
power(struct reading *r)
{
    double base = primary(r);

    return expression_take(r, '^') ? pow(base, primary(r)) : base;
}

static double
expression_product(struct reading *r)
{
    double value = power(r);

    for (;;) {
        if (expression_take(r, '*'))
            value *= power(r);
        else if (expression_take(r, '/'))
            value /= power(r);
        else if (expression_take(r, '%'))
            value = fmod(value, power(r));
        else
            return value;
    }
}

static double
expression_sum(struct reading *r)
{
    double value = expression_product(r);

    for (;;) {
        if (expression_take(r, '+'))
            value += expression_product(r);
        else if (expression_take(r, '-'))
            value -= expression_product(r);
        else
            return value;
    }
}

enum peal_status
peal_check_expression(const char *text, struct peal_check_values values, double *value, struct peal_error *error)
{
    struct reading r = {.text = text, .at = text, .values = values};
    double read = expression_sum(&r);

    skip_blanks(&r);
    if (!r.wrong && *r.at)
        r.wrong = "an operator is missing";
    if (r.wrong)
        return peal_refuse(error, PEAL_USAGE, "'%s', character %d: %s", text, (int)(r.at - r.text) + 1, r.wrong);
    if (!isfinite(read))
        return peal_refuse(error, PEAL_USAGE, "%s is not a number for P = %g, m = %g, n = %g", text, values.P, values.m,
                           values.n);
    *value = read;
    return PEAL_OK;
}

/* Compare the sides of the comparison at `at`, of `length` characters. */
static bool
expression_compare(double left, double right, const char *at, size_t length)
{
    bool less = left < right, same = left == right;

    if (length == 2)
        return *at == '<' ? less || same : *at == '>' ? !less : *at == '!' ? !same : same;
    return *at == '<' ? less : *at == '>' ? !less && !same : same;
}

/* One comparison, of `length` characters. */
static enum peal_status
read_comparison(const char *text, size_t length, struct peal_check_values values, bool *holds, struct peal_error *error)
{
    char sides[200];
    double left, right;

    if (length >= sizeof sides)
        return peal_refuse(error, PEAL_USAGE, "%s is too long a condition", text);
    snprintf(sides, sizeof sides, "%.*s", (int)length, text);
    char *at = strpbrk(sides, "<>=!");
    size_t width = at ? strspn(at, "<>=!") : 0;

    if (!at || width > 2 || (width == 1 && *at == '!') || (width == 2 && at[1] != '='))
        return peal_refuse(error, PEAL_USAGE, "%s: expected a comparison, as in P = 2^q", sides);
    char sign[2] = {at[0], at[1]};

    *at = '\0';
    if (peal_check_expression(sides, values, &left, error) != PEAL_OK ||
        peal_check_expression(at + width, values, &right, error) != PEAL_OK)
        return PEAL_USAGE;
    *holds = *holds && expression_compare(left, right, sign, width);
    return PEAL_OK;
}

enum peal_status
check_condition(const char *text, struct peal_check_values values, bool *holds, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;
    size_t depth = 0, begin = 0;

    *holds = true;
    for (size_t i = 0; status == PEAL_OK; i++) {
        depth += text[i] == '(';
        depth -= text[i] == ')' && depth > 0;
        if (text[i] && (text[i] != ',' || depth > 0))
            continue;
        status = read_comparison(text + begin, i - begin, values, holds, error);
        begin = i + 1;
        if (!text[i])
            break;
    }
    return status;
}

enum peal_status
peal_check_limit(const char *expression, struct peal_check_values values, int64_t is, double *most, bool *above,
                 char text[200], struct peal_error *error)
{
    bool number = expression[strspn(expression, "0123456789")] == '\0';
    enum peal_status status = peal_check_expression(expression, values, most, error);

    *above = status == PEAL_OK && (double)is > *most;
    if (*above)
        snprintf(text, 200, "the limit %s%sis %g", number ? "" : expression, number ? "" : " ", *most);
    return status;
}

struct peal_check_values
peal_check_values_on(int nodes, double m, double n)
{
    int q = 0;

    while ((1 << q) < nodes)
        q++;
    return (struct peal_check_values){nodes, m, n, q};
}

struct peal_check_values
peal_check_values_of(enum peal_collective collective, const struct peal_check_case *where)
{
    const bool blocks = peal_collective_has_blocks(collective);
    double P = where->nodes, words = (double)where->words, all = words * P;

    for (int b = 0; where->size_count > 0 && b < where->nodes; b++)
        all = (b ? all : 0) + (double)where->sizes[b % where->size_count];
    return peal_check_values_on(where->nodes, blocks ? words : words / P, blocks ? all : words);
}

char *
peal_check_call_text(unsigned call, const char *const words[], const char *between, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);

    for (int i = 0; i < PEAL_CALLS; i++)
        if (call >> i & 1)
            peal_append(out, "%s%s", text[0] ? between : "", words[i + 1]);
    if (call == PEAL_CALL_ONCE)
        peal_append(out, "%s", words[0]);
    return text;
}

bool
peal_check_asks_for(const struct peal_check *check, const struct peal_check_case *where)
{
    struct peal_check_values values = peal_check_values_of(check->collective, where);
    bool holds = true;

    if (check->only && (check_condition(check->only, values, &holds, NULL) != PEAL_OK || !holds))
        return false;
    if (check->divides && fmod(values.n, values.P) != 0)
        return false;
    for (int b = 0; check->nonzero && b < where->size_count; b++)
        if (where->sizes[b] == 0)
            return false;
    return !check->nonzero || where->words > 0 || peal_form_of(check->collective)->out == PEAL_SIDE_NONE;
}
