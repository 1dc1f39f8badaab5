/* SPDX-License-Identifier: MIT */
/* Limits as expressions: "ceil(log2(P))", "m*(P-1)". */
#include <ctype.h>
#include <math.h>
#include <peal/check.h>
#include <stdlib.h>
#include <string.h>

/* The current place; wrong: the mistake there, NULL without one. */
struct reading {
    const char *text, *at, *wrong;
    struct peal_check_values values;
    int depth;
};

enum { MAX_DEPTH = 100 };

static double sum(struct reading *r);

static void
skip_blanks(struct reading *r)
{
    while (*r->at == ' ')
        r->at++;
}

/* Skip the character if it comes next. */
static bool
take(struct reading *r, char c)
{
    skip_blanks(r);
    if (r->wrong || *r->at != c)
        return false;
    r->at++;
    return true;
}

static double
complain(struct reading *r, const char *wrong)
{
    if (!r->wrong)
        r->wrong = wrong;
    return 0;
}

static double
call(struct reading *r, const char *name, size_t length)
{
    static const char *const names[] = {"ceil", "floor", "log2", "sqrt", "min", "max"};
    size_t which = 0;
    double a, b = 0;

    while (which < 6 && (strlen(names[which]) != length || strncmp(names[which], name, length) != 0))
        which++;
    if (which == 6) {
        r->at = name;
        return complain(r, "unknown name: expected P, m, n, q, ceil, floor, log2, sqrt, min or max");
    }
    if (!take(r, '('))
        return complain(r, "( is missing");
    a = sum(r);
    if (which >= 4 && !take(r, ','))
        return complain(r, "a comma and a second number are missing");
    if (which >= 4)
        b = sum(r);
    if (!take(r, ')'))
        return complain(r, ") is missing");
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
    return call(r, name, (size_t)(r->at - name));
}

static double
primary(struct reading *r)
{
    double value;
    char *end;

    if (r->wrong)
        return 0;
    if (++r->depth > MAX_DEPTH)
        return complain(r, "too many parentheses");
    if (take(r, '-')) {
        value = -primary(r);
    } else if (take(r, '(')) {
        value = sum(r);
        if (!take(r, ')'))
            complain(r, ") is missing");
    } else if (isdigit((unsigned char)*r->at)) {
        value = (double)strtoull(r->at, &end, 10);
        r->at = end;
    } else if (isalpha((unsigned char)*r->at)) {
        value = named(r);
    } else {
        value = complain(r, "a number is missing");
    }
    r->depth--;
    return value;
}

static double
power(struct reading *r)
{
    double base = primary(r);

    return take(r, '^') ? pow(base, primary(r)) : base;
}

static double
product(struct reading *r)
{
    double value = power(r);

    for (;;) {
        if (take(r, '*'))
            value *= power(r);
        else if (take(r, '/'))
            value /= power(r);
        else if (take(r, '%'))
            value = fmod(value, power(r));
        else
            return value;
    }
}

static double
sum(struct reading *r)
{
    double value = product(r);

    for (;;) {
        if (take(r, '+'))
            value += product(r);
        else if (take(r, '-'))
            value -= product(r);
        else
            return value;
    }
}

enum peal_status
peal_check_expression(const char *text, struct peal_check_values values, double *value, struct peal_error *error)
{
    struct reading r = {.text = text, .at = text, .values = values};
    double read = sum(&r);

    skip_blanks(&r);
    if (!r.wrong && *r.at)
        r.wrong = "an operator is missing";
    if (r.wrong)
        return peal_refuse(error, PEAL_USAGE, "%s: %s at character %d", text, r.wrong, (int)(r.at - r.text) + 1);
    if (!isfinite(read))
        return peal_refuse(error, PEAL_USAGE, "%s is not a number for P = %g, m = %g, n = %g", text, values.P, values.m,
                           values.n);
    *value = read;
    return PEAL_OK;
}
