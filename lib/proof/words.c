/* SPDX-License-Identifier: MIT */
/* Writes terms.  r is the number of the node after the root; a remainder by P is written modulo P, as the program has
 * it. */
#include "lib/proof/words.h"
#include <inttypes.h>

enum { MAX_WORDS = 300 };

/* Whether it is the number of the node after the root, which is written r. */
static bool
is_number(const struct terms *t, term a)
{
    return term_is(t, a, TERM_VARIABLE) && strcmp(t->name[term_place(t, a)], "number") == 0;
}

/* The parts of one sign, or of both, those added first; negated: those of -a. */
static void
words_sum(struct terms *t, term a, bool positive, bool negated, struct peal_text to)
{
    const struct term_node *n = term_at(t, a);
    const int64_t number = negated ? -n->number : n->number;
    bool first = true;

    for (int sign = 1; sign >= (positive ? 1 : -1); sign -= 2)
        for (int i = 0; i < n->count; i++) {
            const struct term_part *part = &term_parts(t, a)[i];
            const int64_t factor = (negated ? -part->factor : part->factor) * sign;
            const bool close = factor > 1 && !term_is(t, (term)part->of, TERM_VARIABLE);

            if (factor < 0)
                continue;
            peal_append(to, "%s", first ? sign < 0 ? "-" : "" : sign < 0 ? " - " : " + ");
            if (factor > 1)
                peal_append(to, "%" PRId64 "%s", factor, close ? "(" : "");
            words_term(t, (term)part->of, to);
            peal_append(to, "%s", close ? ")" : "");
            first = false;
        }
    if (first)
        peal_append(to, "%" PRId64, positive && number < 0 ? 0 : number);
    else if (number > 0 || (number < 0 && !positive))
        peal_append(to, " %c %" PRId64, number < 0 ? '-' : '+', number < 0 ? -number : number);
}

/* a <= 0 or a = 0, with all that is negative on the other side. */
static void
words_compare(struct terms *t, term a, const char *sign, struct peal_text to)
{
    if (term_is(t, a, TERM_SUM)) {
        term left = a;
        int64_t number = term_at(t, a)->number;

        if (number > 0 && sign[0] == '<') { /* x + 1 <= y is x < y */
            left = term_add(t, a, -1);
            sign = sign[1] == '=' ? "<" : sign;
        }
        if (!term_is(t, left, TERM_SUM)) {
            words_term(t, left, to);
            peal_append(to, " %s 0", sign);
            return;
        }
        words_sum(t, left, true, false, to);
        peal_append(to, " %s ", sign);
        words_sum(t, left, true, true, to);
    } else {
        words_term(t, a, to);
        peal_append(to, " %s 0", sign);
    }
}

/* Write x mod P where all values are x and multiples of P; false: they are not. */
static bool
words_modulo(struct terms *t, term a, struct peal_text to)
{
    const term x = term_before_modulo(t, a);

    if (x == a)
        return false;
    peal_append(to, "(");
    words_term(t, x, to);
    peal_append(to, ") mod P");
    return true;
}

static void
words_list(struct terms *t, term a, const char *between, struct peal_text to)
{
    for (int i = 0; i < term_at(t, a)->count && strlen(to.start) < MAX_WORDS; i++) {
        const term part = (term)term_parts(t, a)[i].of;
        const bool list = term_is(t, part, TERM_ALL) || term_is(t, part, TERM_ANY);

        peal_append(to, "%s%s", i > 0 ? between : "", list ? "(" : "");
        words_term(t, part, to);
        peal_append(to, "%s", list ? ")" : "");
    }
}

static void
words_two(struct terms *t, term a, const char *between, struct peal_text to)
{
    peal_append(to, "(");
    words_term(t, (term)term_parts(t, a)[0].of, to);
    peal_append(to, "%s", between);
    words_term(t, (term)term_parts(t, a)[1].of, to);
    peal_append(to, ")");
}

static void
words_not(struct terms *t, term a, struct peal_text to)
{
    const term part = term_at(t, a)->count > 0 ? (term)term_parts(t, a)[0].of : 0;

    if (term_is(t, a, TERM_UP_TO_0)) /* not x <= 0: -x < 0 */
        words_compare(t, term_sum(t, -1, part, 0, part, 0), "<", to);
    else if (term_is(t, a, TERM_IS_0))
        words_compare(t, part, "!=", to);
    else {
        peal_append(to, "not (");
        words_term(t, a, to);
        peal_append(to, ")");
    }
}

static void
words_divided(struct terms *t, term a, term part, struct peal_text to)
{
    const bool quotient = term_is(t, a, TERM_QUOTIENT), sum = term_is(t, part, TERM_SUM);

    if (quotient && term_at(t, a)->number == 1) {
        words_term(t, part, to);
        return;
    }
    peal_append(to, quotient ? "⌊" : "");
    peal_append(to, sum ? "(" : "");
    words_term(t, part, to);
    peal_append(to, sum ? ")" : "");
    peal_append(to, quotient ? "/%" PRId64 "⌋" : " mod %" PRId64, term_at(t, a)->number);
}

/* The rank of a node that is this many after the root. */
static void
words_turn(struct terms *t, term number, struct peal_text to)
{
    if (is_number(t, number)) {
        peal_append(to, "rank");
        return;
    }
    peal_append(to, "root + ");
    words_term(t, number, to);
    peal_append(to, " (mod P)");
}

void
words_term(struct terms *t, term a, struct peal_text to)
{
    const struct term_node *n = term_at(t, a);
    const term part = n->count > 0 ? (term)term_parts(t, a)[0].of : 0;

    if (strlen(to.start) > MAX_WORDS) {
        if (strcmp(to.start + strlen(to.start) - 3, "...") != 0)
            peal_append(to, "...");
        return;
    }
    switch ((int)n->kind) {
    case TERM_NUMBER:
        peal_append(to, "%" PRId64, n->number);
        return;
    case TERM_VARIABLE:
        peal_append(to, "%s", is_number(t, a) ? "r" : t->name[term_place(t, a)]);
        return;
    case TERM_SUM:
        words_sum(t, a, false, false, to);
        return;
    case TERM_QUOTIENT:
    case TERM_REST:
        words_divided(t, a, part, to);
        return;
    case TERM_AND:
    case TERM_OR:
    case TERM_XOR:
        words_two(t, a, n->kind == TERM_AND ? " & " : n->kind == TERM_OR ? " | " : " ^ ", to);
        return;
    case TERM_IF:
        if (words_modulo(t, a, to))
            return;
        peal_append(to, "(");
        words_term(t, part, to);
        peal_append(to, " ? ");
        words_term(t, (term)term_parts(t, a)[1].of, to);
        peal_append(to, " : ");
        words_term(t, (term)term_parts(t, a)[2].of, to);
        peal_append(to, ")");
        return;
    case TERM_TURN:
        words_turn(t, part, to);
        return;
    case TERM_UP_TO_0:
        words_compare(t, part, "<=", to);
        return;
    case TERM_IS_0:
        words_compare(t, part, "=", to);
        return;
    case TERM_NOT:
        words_not(t, part, to);
        return;
    case TERM_ALL:
    case TERM_ANY:
        words_list(t, a, n->kind == TERM_ALL ? " and " : " or ", to);
        return;
    default:
        peal_append(to, n->kind == TERM_TRUE ? "always" : "never");
    }
}

const char *
words_construct(const char *kind)
{
    static const char *const names[][2] = {{"SwitchStmt", "`switch`"},
                                           {"GotoStmt", "`goto`"},
                                           {"LabelStmt", "a label"},
                                           {"GCCAsmStmt", "`asm`"},
                                           {"BinaryConditionalOperator", "`a ?: b`"},
                                           {"CharacterLiteral", "a constant like 'a'"},
                                           {"FloatingLiteral", "a number with a fraction"},
                                           {"IntegralToFloating", "a number with a fraction"},
                                           {"FloatingToIntegral", "a number with a fraction"},
                                           {"FunctionDecl", "a declaration of a function"},
                                           {"RecordDecl", "a declaration of a struct or a union"},
                                           {"EnumDecl", "a declaration of an enumeration"},
                                           {"TypedefDecl", "a typedef"}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i][0], kind) == 0)
            return names[i][1];
    return kind;
}
