/* SPDX-License-Identifier: MIT */
/* Terms over P, a rank, the root and loop counters: integers and truth values, each once (equal terms have equal
 * numbers), simplified as they are made, with the interval that their values lie in. */
#pragma once

#include "lib/base/map.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A term by its number.  0: none. */
typedef int term;

enum term_kind {
    TERM_NONE,
    TERM_NUMBER,
    TERM_VARIABLE,
    TERM_SUM,      /* number + Σ factor · part */
    TERM_QUOTIENT, /* part / number, rounded down; number > 0 */
    TERM_REST,     /* part - number · (part / number) */
    TERM_AND,      /* bits of two parts that are not negative */
    TERM_OR,
    TERM_XOR,
    TERM_IF,   /* parts: a truth, and two integers */
    TERM_TURN, /* the rank of the node that is `part` after the root: (part + root) mod P; 0 <= part < P */
    /* truths */
    TERM_FALSE,
    TERM_TRUE,
    TERM_UP_TO_0, /* part <= 0 */
    TERM_IS_0,    /* part = 0 */
    TERM_NOT,
    TERM_ALL, /* of the parts */
    TERM_ANY
};

/* One part of a term; factor is 1 but in sums. */
struct term_part {
    int64_t factor;
    int64_t of;
};

struct term_node {
    enum term_kind kind;
    int count;
    size_t parts; /* where they begin in terms.parts */
    int64_t number;
    int64_t low, high; /* of an integer: its least and greatest value */
    bool bits;         /* there is AND, OR or XOR in it */
    bool divides;      /* there is a quotient or a rest */
    bool wide;         /* it cannot be written with vectors of `width` bits */
};

enum { TERM_VARIABLES = 64, MAX_TERMS = INT32_MAX, TERM_WIDTH = 40 }; /* at most this many bits */

struct terms {
    struct term_node *node;
    struct term_part *parts;
    size_t count, capacity, part_count, part_capacity;
    struct map by_hash;
    bool no_memory; /* from then on every term is TERM_NONE's */
    term variable[TERM_VARIABLES];
    const char *name[TERM_VARIABLES];
    int variables, width; /* of vectors of bits */
    term P, root;         /* which TERM_TURN is made of; root is 0 where there is none */
    int64_t *value;
    int *epoch, now; /* of an evaluation */
    size_t value_capacity, epoch_capacity;
};

/* Fill a zeroed struct, for numbers that are mostly less than `most`.  False without memory; terms_fini frees. */
bool terms_init(struct terms *t, int64_t most);
void terms_fini(struct terms *t);

/* A new variable with these least and greatest values.  owner: borrows the name */
term term_variable(struct terms *t, const char *name, int64_t low, int64_t high);

term term_number(struct terms *t, int64_t number);
term term_truth(struct terms *t, bool truth);
term term_sum(struct terms *t, int64_t factor_a, term a, int64_t factor_b, term b, int64_t number);
term term_divided(struct terms *t, enum term_kind kind, term a, int64_t by);
term term_bits(struct terms *t, enum term_kind kind, term a, term b);
term term_if(struct terms *t, term truth, term a, term b);
term term_turn(struct terms *t, term a);
term term_distance(struct terms *t, term a, term b); /* of two ranks: a - b, or P more or less */
term term_before_modulo(struct terms *t, term a);    /* x of a number that is x modulo P, as its `if`s show; else a */
term term_far(struct terms *t, term a, term b);      /* of these: a - b, and a multiple of P */
term term_up_to(struct terms *t, term a, term b);    /* a <= b */
term term_equal(struct terms *t, term a, term b);
term term_not(struct terms *t, term a);
term term_all(struct terms *t, term a, term b);
term term_any(struct terms *t, term a, term b);

static inline term
term_plus(struct terms *t, term a, term b)
{
    return term_sum(t, 1, a, 1, b, 0);
}

static inline term
term_minus(struct terms *t, term a, term b)
{
    return term_sum(t, 1, a, -1, b, 0);
}

static inline term
term_add(struct terms *t, term a, int64_t number)
{
    return term_sum(t, 1, a, 0, a, number);
}

static inline term
term_below(struct terms *t, term a, term b)
{
    return term_up_to(t, term_add(t, a, 1), b);
}

/* low <= a < high */
static inline term
term_within(struct terms *t, term a, term low, term high)
{
    return term_all(t, term_up_to(t, low, a), term_below(t, a, high));
}

static inline const struct term_node *
term_at(const struct terms *t, term a)
{
    return &t->node[a];
}

static inline const struct term_part *
term_parts(const struct terms *t, term a)
{
    return t->parts + t->node[a].parts;
}

static inline bool
term_is(const struct terms *t, term a, enum term_kind kind)
{
    return t->node[a].kind == kind;
}

static inline bool
term_known(const struct terms *t, term a, int64_t *number)
{
    *number = t->node[a].number;
    return t->node[a].kind == TERM_NUMBER;
}

/* The factor of `part` in a sum; 1 if it is the term itself, 0 if it does not occur. */
int64_t term_factor(const struct terms *t, term a, term part);

/* The term with each of these variables replaced by the term beside it, all at once. */
term term_replace(struct terms *t, term a, const term *variables, const term *by, int count);

/* Whether the variable occurs in the term. */
bool term_has(struct terms *t, term a, term variable);

/* The value of a term where variables have these values; of a truth 0 or 1. */
int64_t term_value(struct terms *t, term a, const int64_t *values);

/* The number of a variable, which is its place in a list of values. */
static inline int
term_place(const struct terms *t, term variable)
{
    return (int)t->node[variable].number;
}
