/* SPDX-License-Identifier: MIT */
/* A term has the value of what it was made of, however it was simplified, and lies in its interval. */
#include "lib/proof/term.h"
#include <criterion/criterion.h>
#include <stdlib.h>

enum { VARIABLES = 4, DEEP = 5, TERMS = 4000, CASES = 40 };

struct made {
    struct terms t;
    int64_t value[VARIABLES][CASES]; /* of the variables: P, root, and two numbers below P */
};

/* A term, and its value in each case, found without terms. */
struct sample {
    term of;
    int64_t value[CASES];
};

static int64_t
rounded_down(int64_t a, int64_t by)
{
    return a >= 0 ? a / by : -((-a + by - 1) / by);
}

static struct sample integer(struct made *m, int depth);

static struct sample
constant(struct made *m, int64_t number)
{
    struct sample s = {.of = term_number(&m->t, number)};

    for (int i = 0; i < CASES; i++)
        s.value[i] = number;
    return s;
}

static struct sample
truth(struct made *m, int depth)
{
    struct sample a = integer(m, depth - 1), s = {0};
    struct sample b = rand() % 2 ? constant(m, rand() % 3 - 1) : integer(m, depth - 1);
    const int kind = rand() % 4;

    if (depth > 1 && kind == 3) {
        struct sample x = truth(m, depth - 1), y = truth(m, depth - 1);
        const bool all = rand() % 2;

        s.of = all ? term_all(&m->t, x.of, y.of) : term_any(&m->t, x.of, y.of);
        for (int i = 0; i < CASES; i++)
            s.value[i] = all ? x.value[i] && y.value[i] : x.value[i] || y.value[i];
        return s;
    }
    s.of = kind == 0   ? term_equal(&m->t, a.of, b.of)
           : kind == 1 ? term_not(&m->t, term_up_to(&m->t, a.of, b.of))
                       : term_below(&m->t, a.of, b.of);
    for (int i = 0; i < CASES; i++)
        s.value[i] = kind == 0   ? a.value[i] == b.value[i]
                     : kind == 1 ? a.value[i] > b.value[i]
                                 : a.value[i] < b.value[i];
    return s;
}

static struct sample
leaf(struct made *m)
{
    const int which = rand() % (VARIABLES + 2);
    const int64_t number = rand() % 40 - 20;
    struct sample s = {.of = which < VARIABLES ? m->t.variable[which] : term_number(&m->t, number)};

    if (which == VARIABLES)
        s.of = term_turn(&m->t, m->t.variable[2]);
    for (int i = 0; i < CASES; i++)
        s.value[i] = which < VARIABLES    ? m->value[which][i]
                     : which == VARIABLES ? (m->value[2][i] + m->value[1][i]) % m->value[0][i]
                                          : number;
    return s;
}

static struct sample
integer(struct made *m, int depth)
{
    const int kind = depth <= 0 ? 0 : rand() % 6;
    const int64_t f = rand() % 7 - 3, g = rand() % 5 - 2, by = kind == 3 ? 1 + rand() % 9 : INT64_C(1) << rand() % 6;
    struct sample a, b, c, s = {0};

    if (kind == 0)
        return leaf(m);
    a = integer(m, depth - 1);
    b = integer(m, depth - 1);
    switch (kind) {
    case 1:
    case 2:
        s.of = term_sum(&m->t, f, a.of, g, b.of, 5);
        break;
    case 3:
        s.of = term_divided(&m->t, TERM_QUOTIENT, a.of, by);
        break;
    case 4:
        s.of = term_divided(&m->t, TERM_REST, a.of, by);
        break;
    default:
        c = truth(m, depth - 1);
        s.of = term_if(&m->t, c.of, a.of, b.of);
    }
    for (int i = 0; i < CASES; i++)
        s.value[i] = kind <= 2    ? f * a.value[i] + g * b.value[i] + 5
                     : kind == 3  ? rounded_down(a.value[i], by)
                     : kind == 4  ? a.value[i] - rounded_down(a.value[i], by) * by
                     : c.value[i] ? a.value[i]
                                  : b.value[i];
    return s;
}

static void
begin(struct made *m)
{
    static const char *const names[] = {"P", "root", "number", "other"};

    cr_assert(terms_init(&m->t, 100));
    m->t.P = term_variable(&m->t, names[0], 1, 100);
    m->t.root = term_variable(&m->t, names[1], 0, 99);
    term_variable(&m->t, names[2], 0, 99);
    term_variable(&m->t, names[3], 0, 99);
    for (int i = 0; i < CASES; i++) {
        m->value[0][i] = 1 + rand() % 100;
        for (int v = 1; v < VARIABLES; v++)
            m->value[v][i] = rand() % m->value[0][i];
    }
}

static void
values_of(const struct made *m, int i, int64_t values[TERM_VARIABLES])
{
    for (int v = 0; v < VARIABLES; v++)
        values[v] = m->value[v][i];
}

Test(terms, have_the_value_of_what_they_were_made_of)
{
    static struct made m;
    int64_t values[TERM_VARIABLES] = {0};

    srand(1);
    begin(&m);
    for (int n = 0; n < TERMS; n++) {
        const bool is_truth = n % 3 == 0;
        struct sample s = is_truth ? truth(&m, 2 + rand() % (DEEP - 1)) : integer(&m, DEEP);
        const struct term_node *node = term_at(&m.t, s.of);

        cr_assert(!m.t.no_memory);
        for (int i = 0; i < CASES; i++) {
            values_of(&m, i, values);
            cr_assert(term_value(&m.t, s.of, values) == s.value[i], "term %d, case %d", n, i);
            node = term_at(&m.t, s.of);
            cr_assert(is_truth || (s.value[i] >= node->low && s.value[i] <= node->high), "term %d, case %d", n, i);
        }
    }
    terms_fini(&m.t);
}

Test(terms, are_replaced_all_at_once)
{
    static struct made m;
    int64_t values[TERM_VARIABLES] = {0}, other[TERM_VARIABLES] = {0};

    srand(2);
    begin(&m);
    for (int n = 0; n < TERMS / 4; n++) {
        struct sample s = truth(&m, DEEP);
        term from[] = {m.t.variable[2], m.t.variable[3]}, to[] = {m.t.variable[3], m.t.variable[2]};
        term replaced = term_replace(&m.t, s.of, from, to, 2);

        for (int i = 0; i < CASES; i++) {
            values_of(&m, i, values);
            values_of(&m, i, other);
            other[2] = values[3];
            other[3] = values[2];
            cr_assert(term_value(&m.t, replaced, values) == term_value(&m.t, s.of, other), "term %d, case %d", n, i);
        }
    }
    terms_fini(&m.t);
}
