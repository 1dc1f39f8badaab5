/* SPDX-License-Identifier: MIT */
/* Terms are made only here: each simplification is an equation of integers, for all values of the variables
 * within their bounds. */
#include "lib/proof/term.h"
#include "lib/base/grow.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const int64_t NO_END = INT64_C(1) << 60;

bool
terms_init(struct terms *t, int64_t most)
{
    enum { SPARE = 7 }; /* bits for sums of several numbers, their signs, and powers of two above them */

    t->width = SPARE;
    while (t->width < TERM_WIDTH && INT64_C(1) << (t->width - SPARE) < most)
        t->width++;
    if (!peal_grow_zeroed(&t->node, &t->capacity, 1, sizeof *t->node))
        return false;
    t->count = 1; /* TERM_NONE */
    return true;
}

void
terms_fini(struct terms *t)
{
    free(t->node);
    free(t->parts);
    free(t->by_hash.places);
    free(t->value);
    free(t->epoch);
    *t = (struct terms){.node = NULL};
}

static int64_t
term_clamp(int64_t x)
{
    return x < -NO_END ? -NO_END : x > NO_END ? NO_END : x;
}

static bool
same_node(const struct terms *t, const struct term_node *a, const struct term_node *b, const struct term_part *parts)
{
    return a->kind == b->kind && a->number == b->number && a->count == b->count &&
           (a->count == 0 || memcmp(t->parts + a->parts, parts, (size_t)a->count * sizeof *parts) == 0);
}

/* Set what follows from a node's parts. */
static void
inherit(const struct terms *t, struct term_node *node, const struct term_part *parts)
{
    node->bits = node->kind == TERM_AND || node->kind == TERM_OR || node->kind == TERM_XOR;
    node->divides = node->kind == TERM_QUOTIENT || node->kind == TERM_REST;
    const int64_t far = INT64_C(1) << (t->width - 2);

    node->wide = (node->divides && (node->number & (node->number - 1)) != 0) ||
                 (node->kind < TERM_FALSE && (node->low < -far || node->high > far));
    for (int i = 0; i < node->count; i++) {
        node->wide = node->wide || t->node[parts[i].of].wide;
        node->bits = node->bits || t->node[parts[i].of].bits;
        node->divides = node->divides || t->node[parts[i].of].divides;
    }
}

/* Give the term that is such a node, a new one if there is none yet. */
static term
term_intern(struct terms *t, struct term_node node, const struct term_part *parts)
{
    uint64_t hash = map_mix(map_mix(0, (uint64_t)node.kind), (uint64_t)node.number);
    ptrdiff_t at;
    size_t from = 0;

    for (int i = 0; i < node.count; i++)
        hash = map_mix(map_mix(hash, (uint64_t)parts[i].factor), (uint64_t)parts[i].of);
    while ((at = map_next(&t->by_hash, hash, &from)) != MAP_NONE)
        if (same_node(t, &t->node[at], &node, parts))
            return (term)at;
    if (t->no_memory || t->count >= MAX_TERMS || !array_grow(&t->node, &t->capacity, t->count + 1, sizeof *t->node) ||
        !array_grow(&t->parts, &t->part_capacity, t->part_count + (size_t)node.count, sizeof *t->parts) ||
        !map_put(&t->by_hash, hash, t->count)) {
        t->no_memory = true;
        return 0;
    }
    inherit(t, &node, parts);
    node.parts = t->part_count;
    if (node.count > 0)
        memcpy(t->parts + t->part_count, parts, (size_t)node.count * sizeof *parts);
    t->part_count += (size_t)node.count;
    t->node[t->count] = node;
    return (term)t->count++;
}

/* ------------------------------------------------------------------ integers */

term
term_variable(struct terms *t, const char *name, int64_t low, int64_t high)
{
    if (t->variables >= TERM_VARIABLES) {
        t->no_memory = true;
        return 0;
    }
    const int number = t->variables++;

    t->name[number] = name;
    t->variable[number] =
        term_intern(t, (struct term_node){.kind = TERM_VARIABLE, .number = number, .low = low, .high = high}, NULL);
    return t->variable[number];
}

term
term_number(struct terms *t, int64_t number)
{
    return term_intern(t, (struct term_node){.kind = TERM_NUMBER, .number = number, .low = number, .high = number},
                       NULL);
}

int64_t
term_factor(const struct terms *t, term a, term part)
{
    const struct term_node *n = &t->node[a];

    if (a == part)
        return 1;
    if (n->kind == TERM_SUM)
        for (int i = 0; i < n->count; i++)
            if (t->parts[n->parts + (size_t)i].of == part)
                return t->parts[n->parts + (size_t)i].factor;
    return 0;
}

/* The parts of a term as a sum, in the order of their numbers. */
static int
summands(const struct terms *t, term a, struct term_part *one, const struct term_part **list, int64_t *number)
{
    const struct term_node *n = &t->node[a];

    *number = 0;
    if (n->kind == TERM_SUM || n->kind == TERM_NUMBER) {
        *number = n->number;
        *list = t->parts + n->parts;
        return n->count;
    }
    *one = (struct term_part){1, a};
    *list = one;
    return 1;
}

/* A sum of parts in the order of their numbers, none of them with the factor 0. */
static term
sum_of(struct terms *t, const struct term_part *parts, int count, int64_t number)
{
    struct term_node node = {.kind = TERM_SUM, .count = count, .number = number, .low = number, .high = number};

    if (count == 0)
        return term_number(t, number);
    if (count == 1 && parts[0].factor == 1 && number == 0)
        return (term)parts[0].of;
    for (int i = 0; i < count; i++) {
        const struct term_node *n = &t->node[parts[i].of];
        int64_t f = parts[i].factor;

        node.low = term_clamp(node.low + f * (f > 0 ? n->low : n->high));
        node.high = term_clamp(node.high + f * (f > 0 ? n->high : n->low));
    }
    return term_intern(t, node, parts);
}

enum { PARTS = 64, MAX_FACTOR = 1 << 25 }; /* of a sum */

term
term_sum(struct terms *t, int64_t fa, term a, int64_t fb, term b, int64_t number)
{
    struct term_part one[2], parts[2 * PARTS];
    const struct term_part *la, *lb;
    int64_t na, nb;
    int ca = summands(t, a, &one[0], &la, &na), cb = summands(t, b, &one[1], &lb, &nb), count = 0;

    if (t->no_memory || ca > PARTS || cb > PARTS || llabs(na) > NO_END / MAX_FACTOR ||
        llabs(nb) > NO_END / MAX_FACTOR || llabs(fa) > MAX_FACTOR || llabs(fb) > MAX_FACTOR) {
        t->no_memory = true; /* nothing that is followed comes near */
        return 0;
    }
    for (int i = 0, j = 0; i < ca || j < cb; count++) {
        bool first = j >= cb || (i < ca && la[i].of <= lb[j].of), second = i >= ca || (j < cb && lb[j].of <= la[i].of);

        parts[count] = (struct term_part){(first ? fa * la[i].factor : 0) + (second ? fb * lb[j].factor : 0),
                                          first ? la[i].of : lb[j].of};
        i += first;
        j += second;
        if (llabs(parts[count].factor) > MAX_FACTOR)
            t->no_memory = true;
        count -= parts[count].factor == 0;
    }
    if (count > PARTS)
        t->no_memory = true;
    return t->no_memory ? 0 : sum_of(t, parts, count, fa * na + fb * nb + number);
}

static int64_t
floor_divided(int64_t a, int64_t by)
{
    return a / by - (a % by < 0);
}

term
term_divided(struct terms *t, enum term_kind kind, term a, int64_t by)
{
    const struct term_node *n = &t->node[a];
    int64_t number, least = floor_divided(n->low, by), most = floor_divided(n->high, by);
    bool quotient = kind == TERM_QUOTIENT;

    assert(by > 0);
    if (least == most) /* the quotient is known */
        return quotient ? term_number(t, least) : term_add(t, a, -least * by);
    if (term_known(t, a, &number))
        return term_number(t, quotient ? floor_divided(number, by) : number - floor_divided(number, by) * by);
    if (quotient && n->kind == TERM_QUOTIENT && n->number <= INT32_MAX && by <= INT32_MAX)
        return term_divided(t, kind, (term)term_parts(t, a)->of, by * n->number);
    if (quotient && n->kind == TERM_SUM) {
        const struct term_part part = *term_parts(t, a);
        const struct term_node inner = t->node[part.of];
        const int64_t turns = -floor_divided(-n->number, by);

        /* (x / n + c) / by is (x + c n) / (by n) */
        if (n->count == 1 && part.factor == 1 && inner.kind == TERM_QUOTIENT && by * inner.number <= INT32_MAX)
            return term_divided(t, kind, term_add(t, (term)t->parts[inner.parts].of, n->number * inner.number),
                                by * inner.number);
        /* x + c with c from 1 - by to 0 */
        if (turns != 0)
            return term_add(t, term_divided(t, kind, term_add(t, a, -turns * by), by), turns);
    }
    return term_intern(
        t,
        (struct term_node){
            .kind = kind, .count = 1, .number = by, .low = quotient ? least : 0, .high = quotient ? most : by - 1},
        &(struct term_part){1, a});
}

/* The least 2^k - 1 that is not below a number that is not negative. */
static int64_t
ones(int64_t number)
{
    int64_t bits = 0;

    while (bits < number)
        bits = 2 * bits + 1;
    return bits;
}

term
term_bits(struct terms *t, enum term_kind kind, term a, term b)
{
    int64_t x, y, most;
    bool known = term_known(t, a, &x) && term_known(t, b, &y);

    assert(t->no_memory || (t->node[a].low >= 0 && t->node[b].low >= 0));
    if (known)
        return term_number(t, kind == TERM_AND ? x & y : kind == TERM_OR ? x | y : x ^ y);
    if (a == b)
        return kind == TERM_XOR ? term_number(t, 0) : a;
    most = ones(t->node[a].high > t->node[b].high ? t->node[a].high : t->node[b].high);
    if (kind == TERM_AND)
        most = t->node[a].high < t->node[b].high ? t->node[a].high : t->node[b].high;
    return term_intern(t, (struct term_node){.kind = kind, .count = 2, .high = most},
                       (struct term_part[]){{1, a < b ? a : b}, {1, a < b ? b : a}});
}

term
term_if(struct terms *t, term truth, term a, term b)
{
    const struct term_node *x = &t->node[a], *y = &t->node[b];

    if (a == b || term_is(t, truth, TERM_TRUE))
        return a;
    if (term_is(t, truth, TERM_FALSE))
        return b;
    return term_intern(t,
                       (struct term_node){.kind = TERM_IF,
                                          .count = 3,
                                          .low = x->low < y->low ? x->low : y->low,
                                          .high = x->high > y->high ? x->high : y->high},
                       (struct term_part[]){{1, truth}, {1, a}, {1, b}});
}

term
term_turn(struct terms *t, term a)
{
    int64_t number;

    if (t->root == 0)
        return a;
    if (term_known(t, a, &number) && number == 0)
        return t->root;
    return term_intern(t, (struct term_node){.kind = TERM_TURN, .count = 1, .low = 0, .high = t->node[t->root].high},
                       &(struct term_part){1, a});
}

/* ------------------------------------------------------------------ truths */

term
term_truth(struct terms *t, bool truth)
{
    return term_intern(t, (struct term_node){.kind = truth ? TERM_TRUE : TERM_FALSE}, NULL);
}

/* Divide a sum's factors and number by what divides the factors; the number is rounded down. */
static term
term_reduce(struct terms *t, term a, bool *divides)
{
    const struct term_node *n = &t->node[a];
    int64_t common = 0;

    *divides = true;
    if (n->kind != TERM_SUM)
        return a;
    for (int i = 0; i < n->count; i++)
        for (int64_t x = llabs(t->parts[n->parts + (size_t)i].factor); x != 0;) {
            int64_t rest = common % x;

            common = x;
            x = rest;
        }
    /* a = common · b + number: a <= 0 is b <= floor(-number / common) */
    int64_t number = -floor_divided(-n->number, common);
    struct term_part parts[PARTS] = {{0, 0}};

    *divides = n->number % common == 0;
    if (common == 1)
        return a;
    for (int i = 0; i < n->count; i++) {
        parts[i] = t->parts[n->parts + (size_t)i];
        parts[i].factor /= common;
    }
    return sum_of(t, parts, n->count, number);
}

static term
up_to_0(struct terms *t, term a)
{
    bool divides;

    if (t->node[a].high <= 0)
        return term_truth(t, true);
    if (t->node[a].low > 0)
        return term_truth(t, false);
    a = term_reduce(t, a, &divides);
    const struct term_node n = t->node[a];
    const struct term_part only = n.kind == TERM_QUOTIENT              ? (struct term_part){1, a}
                                  : n.kind == TERM_SUM && n.count == 1 ? *term_parts(t, a)
                                                                       : (struct term_part){0, a};
    const struct term_node part = t->node[(term)only.of];
    const int64_t number = n.kind == TERM_SUM ? n.number : 0;

    if (only.factor != 0 && part.kind == TERM_QUOTIENT && llabs(number) <= INT32_MAX && part.number <= INT32_MAX) {
        const term x = (term)t->parts[part.parts].of; /* floor(x / d) + c <= 0 is x + c d - d < 0 */
        const int64_t d = part.number;

        return up_to_0(t, term_sum(t, only.factor, x, 0, x, number * d + (only.factor == 1 ? 1 - d : 0)));
    }
    return term_intern(t, (struct term_node){.kind = TERM_UP_TO_0, .count = 1}, &(struct term_part){1, a});
}

term
term_up_to(struct terms *t, term a, term b)
{
    return up_to_0(t, term_minus(t, a, b));
}

/* What a rank is in a term of turned ranks: the node's distance from the root; 0 for other terms. */
static term
turned(struct terms *t, term a)
{
    if (t->root == 0)
        return 0;
    if (a == t->root)
        return term_number(t, 0);
    return term_is(t, a, TERM_TURN) ? (term)term_parts(t, a)->of : 0;
}

term
term_distance(struct terms *t, term a, term b)
{
    term x = turned(t, a), y = turned(t, b);

    return x && y ? term_minus(t, x, y) : term_minus(t, a, b);
}

/* The values that an `if` of `if`s may have; too many: 0. */
enum { LEAVES = 12 };

static int
find_leaves(const struct terms *t, term a, term leaves[LEAVES], int count)
{
    if (!term_is(t, a, TERM_IF)) {
        if (count >= LEAVES)
            return 0;
        leaves[count] = a;
        return count + 1;
    }
    count = find_leaves(t, (term)term_parts(t, a)[1].of, leaves, count);
    return count > 0 ? find_leaves(t, (term)term_parts(t, a)[2].of, leaves, count) : 0;
}

term
term_before_modulo(struct terms *t, term a)
{
    term leaves[LEAVES], zero = term_number(t, 0);
    int count = find_leaves(t, a, leaves, 0);
    int64_t number, P;

    if (count < 2)
        return a;
    for (int i = 1; i < count; i++) {
        term rest = term_minus(t, leaves[i], leaves[0]);

        if (term_known(t, t->P, &P) ? !term_known(t, rest, &number) || number % P != 0
                                    : term_sum(t, 1, rest, -term_factor(t, rest, t->P), t->P, 0) != zero)
            return a;
    }
    return term_known(t, t->P, &P) ? leaves[0] : term_sum(t, 1, leaves[0], -term_factor(t, leaves[0], t->P), t->P, 0);
}

term
term_far(struct terms *t, term a, term b)
{
    term x = turned(t, a), y = turned(t, b);

    return x && y ? term_minus(t, term_before_modulo(t, x), term_before_modulo(t, y))
                  : term_minus(t, term_before_modulo(t, a), term_before_modulo(t, b));
}

term
term_equal(struct terms *t, term a, term b)
{
    term x = turned(t, a), y = turned(t, b), d;
    bool divides;

    if (x && y)
        return term_equal(t, x, y); /* both lie in 0 .. P-1 */
    d = term_minus(t, a, b);
    if (t->node[d].low > 0 || t->node[d].high < 0)
        return term_truth(t, false);
    if (t->node[d].low == 0 && t->node[d].high == 0)
        return term_truth(t, true);
    if (term_is(t, d, TERM_SUM) && term_parts(t, d)->factor < 0)
        d = term_sum(t, -1, d, 0, d, 0);
    d = term_reduce(t, d, &divides);
    if (!divides)
        return term_truth(t, false);
    return term_intern(t, (struct term_node){.kind = TERM_IS_0, .count = 1}, &(struct term_part){1, d});
}

term
term_not(struct terms *t, term a)
{
    switch ((int)t->node[a].kind) {
    case TERM_TRUE:
        return term_truth(t, false);
    case TERM_FALSE:
        return term_truth(t, true);
    case TERM_NOT:
        return (term)term_parts(t, a)->of;
    case TERM_UP_TO_0: /* a > 0 is 1 - a <= 0 */
        return up_to_0(t, term_sum(t, -1, (term)term_parts(t, a)->of, 0, a, 1));
    default:
        return term_intern(t, (struct term_node){.kind = TERM_NOT, .count = 1}, &(struct term_part){1, a});
    }
}

/* All or any of two: parts in the order of their numbers, each once. */
static term
term_join(struct terms *t, enum term_kind kind, term a, term b)
{
    enum term_kind neutral = kind == TERM_ALL ? TERM_TRUE : TERM_FALSE,
                   other = kind == TERM_ALL ? TERM_FALSE : TERM_TRUE;
    struct term_part *parts;
    int ca = term_is(t, a, kind) ? t->node[a].count : 1, cb = term_is(t, b, kind) ? t->node[b].count : 1, count = 0;
    term result = 0;

    if (term_is(t, a, neutral) || a == b || term_is(t, b, other))
        return b;
    if (term_is(t, b, neutral) || term_is(t, a, other))
        return a;
    if (t->no_memory || !(parts = malloc((size_t)(ca + cb) * sizeof *parts))) {
        t->no_memory = true;
        return 0;
    }
    for (int i = 0, j = 0; i < ca || j < cb;) {
        int64_t x = i >= ca ? INT64_MAX : ca == 1 ? a : term_parts(t, a)[i].of;
        int64_t y = j >= cb ? INT64_MAX : cb == 1 ? b : term_parts(t, b)[j].of;

        parts[count++] = (struct term_part){1, x < y ? x : y};
        i += x <= y;
        j += y <= x;
    }
    result = term_intern(t, (struct term_node){.kind = kind, .count = count}, parts);
    free(parts);
    return result;
}

term
term_all(struct terms *t, term a, term b)
{
    if (term_not(t, a) == b)
        return term_truth(t, false);
    return term_join(t, TERM_ALL, a, b);
}

term
term_any(struct terms *t, term a, term b)
{
    if (term_not(t, a) == b)
        return term_truth(t, true);
    return term_join(t, TERM_ANY, a, b);
}

/* ------------------------------------------------------------------ replaced, and evaluated */

struct substitution {
    struct terms *t;
    const term *variables, *by;
    int count;
    struct map done;
};

/* Bits of a number that a replaced variable makes negative, as of a round before the first, which never takes place:
 * they are those of 0. */
static term
not_negative(struct terms *t, term a)
{
    if (t->node[a].low >= 0)
        return a;
    a = term_if(t, up_to_0(t, a), term_number(t, 0), a);
    t->node[a].low = 0;
    return a;
}

static term
term_substitute(struct substitution *r, term a)
{
    struct terms *t = r->t;
    const struct term_node n = t->node[a]; /* a copy: the list moves as it grows */
    ptrdiff_t at = map_find(&r->done, (uint64_t)a);
    term result = a, x[3] = {0};

    if (at != MAP_NONE)
        return (term)at;
    for (int i = 0; i < r->count; i++)
        if (r->variables[i] == a)
            return r->by[i];
    if (n.count == 0 || t->no_memory)
        return a;
    for (int i = 0; i < n.count && i < 3; i++)
        x[i] = term_substitute(r, (term)t->parts[n.parts + (size_t)i].of);
    switch ((int)n.kind) {
    case TERM_SUM:
        result = term_number(t, n.number);
        for (int i = 0; i < n.count; i++) {
            int64_t factor = t->parts[n.parts + (size_t)i].factor;
            term part = term_substitute(r, (term)t->parts[n.parts + (size_t)i].of);

            result = term_sum(t, 1, result, factor, part, 0);
        }
        break;
    case TERM_QUOTIENT:
    case TERM_REST:
        result = term_divided(t, n.kind, x[0], n.number);
        break;
    case TERM_AND:
    case TERM_OR:
    case TERM_XOR:
        result = term_bits(t, n.kind, not_negative(t, x[0]), not_negative(t, x[1]));
        break;
    case TERM_IF:
        result = term_if(t, x[0], x[1], x[2]);
        break;
    case TERM_TURN:
        result = term_turn(t, x[0]);
        break;
    case TERM_UP_TO_0:
        result = up_to_0(t, x[0]);
        break;
    case TERM_IS_0:
        result = term_equal(t, x[0], term_number(t, 0));
        break;
    case TERM_NOT:
        result = term_not(t, x[0]);
        break;
    case TERM_ALL:
    case TERM_ANY:
        result = term_truth(t, n.kind == TERM_ALL);
        for (int i = 0; i < n.count; i++) {
            term part = term_substitute(r, (term)t->parts[n.parts + (size_t)i].of);

            result = n.kind == TERM_ALL ? term_all(t, result, part) : term_any(t, result, part);
        }
        break;
    default:
        break;
    }
    if (!map_put(&r->done, (uint64_t)a, (size_t)result))
        t->no_memory = true;
    return result;
}

term
term_replace(struct terms *t, term a, const term *variables, const term *by, int count)
{
    struct substitution r = {.t = t, .variables = variables, .by = by, .count = count};
    term result = term_substitute(&r, a);

    free(r.done.places);
    return result;
}

bool
term_has(struct terms *t, term a, term variable)
{
    const struct term_node *n = &t->node[a];

    if (a == variable || (n->kind == TERM_TURN && (variable == t->root || variable == t->P)))
        return true;
    for (int i = 0; i < n->count; i++)
        if (term_has(t, (term)t->parts[n->parts + (size_t)i].of, variable))
            return true;
    return false;
}

static int64_t
term_evaluate(struct terms *t, term a, const int64_t *values)
{
    const struct term_node *n = &t->node[a];
    const struct term_part *p = t->parts + n->parts;
    int64_t x, result = 0;

    if (t->epoch[a] == t->now)
        return t->value[a];
    switch ((int)n->kind) {
    case TERM_NUMBER:
        result = n->number;
        break;
    case TERM_VARIABLE:
        result = values[n->number];
        break;
    case TERM_SUM:
        result = n->number;
        for (int i = 0; i < n->count; i++)
            result += p[i].factor * term_evaluate(t, (term)p[i].of, values);
        break;
    case TERM_QUOTIENT:
        result = floor_divided(term_evaluate(t, (term)p->of, values), n->number);
        break;
    case TERM_REST:
        x = term_evaluate(t, (term)p->of, values);
        result = x - floor_divided(x, n->number) * n->number;
        break;
    case TERM_AND:
        result = term_evaluate(t, (term)p[0].of, values) & term_evaluate(t, (term)p[1].of, values);
        break;
    case TERM_OR:
        result = term_evaluate(t, (term)p[0].of, values) | term_evaluate(t, (term)p[1].of, values);
        break;
    case TERM_XOR:
        result = term_evaluate(t, (term)p[0].of, values) ^ term_evaluate(t, (term)p[1].of, values);
        break;
    case TERM_IF:
        result = term_evaluate(t, (term)p[term_evaluate(t, (term)p[0].of, values) ? 1 : 2].of, values);
        break;
    case TERM_TURN: { /* as it is written for the solver, whatever the part is */
        int64_t P = term_evaluate(t, t->P, values);

        result = term_evaluate(t, (term)p->of, values) + term_evaluate(t, t->root, values);
        result -= result >= P ? P : 0;
        break;
    }
    case TERM_TRUE:
        result = 1;
        break;
    case TERM_UP_TO_0:
        result = term_evaluate(t, (term)p->of, values) <= 0;
        break;
    case TERM_IS_0:
        result = term_evaluate(t, (term)p->of, values) == 0;
        break;
    case TERM_NOT:
        result = !term_evaluate(t, (term)p->of, values);
        break;
    case TERM_ALL:
    case TERM_ANY:
        result = n->kind == TERM_ALL;
        for (int i = 0; i < n->count && result == (n->kind == TERM_ALL); i++)
            result = term_evaluate(t, (term)p[i].of, values);
        break;
    case TERM_NONE:
    case TERM_FALSE:
        break;
    }
    t->epoch[a] = t->now;
    return t->value[a] = result;
}

int64_t
term_value(struct terms *t, term a, const int64_t *values)
{
    if (!peal_grow_zeroed(&t->value, &t->value_capacity, t->count, sizeof *t->value) ||
        !peal_grow_zeroed(&t->epoch, &t->epoch_capacity, t->count, sizeof *t->epoch)) {
        t->no_memory = true;
        return 0;
    }
    t->now++;
    return term_evaluate(t, a, values);
}
