/* SPDX-License-Identifier: MIT */
/* Operations of C on numbers.  They are exact: where a result could leave the range of its type, or depends on more
 * than is known, the run is given up. */
#include "lib/base/text.h"
#include "lib/proof/follow_inside.h"
#include <peal/mpi/mpi.h>

enum { BITS = 31 };

/* ------------------------------------------------------------------ types */

/* The least and greatest number of a type of integers; false for other types. */
static bool
follow_type_range(const char *type, int64_t *least, int64_t *most)
{
    static const struct {
        const char *name;
        int64_t least, most;
    } types[] = {{"int", INT32_MIN, INT32_MAX},
                 {"unsigned int", 0, UINT32_MAX},
                 {"long", INT64_MIN, INT64_MAX},
                 {"unsigned long", 0, INT64_MAX},
                 {"long long", INT64_MIN, INT64_MAX},
                 {"unsigned long long", 0, INT64_MAX},
                 {"char", 0, INT8_MAX}, /* with a sign or without */
                 {"signed char", INT8_MIN, INT8_MAX},
                 {"unsigned char", 0, UINT8_MAX},
                 {"short", INT16_MIN, INT16_MAX},
                 {"unsigned short", 0, UINT16_MAX},
                 {"bool", 0, 1},
                 {"_Bool", 0, 1}};

    type = follow_plain_type(type);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0) {
            *least = types[i].least;
            *most = types[i].most;
            return true;
        }
    return strncmp(type, "enum ", 5) == 0 &&
           follow_type_range("char", least, most); /* it may be packed into one byte */
}

struct c_value
follow_fitting(struct following *run, const char *type, term a)
{
    struct terms *t = run->terms;
    int64_t least, most;

    if (!follow_type_range(type, &least, &most))
        follow_refuse(run, "a number of type %s is not followed", type);
    if ((term_at(t, a)->low < least && !follow_holds(run, term_up_to(t, term_number(t, least), a))) ||
        (term_at(t, a)->high > most && !follow_holds(run, term_up_to(t, a, term_number(t, most)))))
        follow_refuse(run, "a number that may leave the range of %s is not followed", follow_plain_type(type));
    return follow_value(VALUE_NUMBER, a, 0);
}

/* ------------------------------------------------------------------ numbers and truths */

bool
follow_is_length(struct c_value value)
{
    return value.kind == VALUE_WORDS || value.kind == VALUE_LENGTH || value.kind == VALUE_WORD_BYTES ||
           value.kind == VALUE_BYTES || (value.kind == VALUE_OTHER && same_text(value.name, "longest"));
}

term
follow_number(struct following *run, struct c_value value)
{
    struct terms *t = run->terms;

    if (value.kind == VALUE_NUMBER)
        return value.a;
    if (value.kind == VALUE_TRUTH)
        return term_if(t, value.a, term_number(t, 1), term_number(t, 0));
    if (value.kind == VALUE_NONE)
        follow_refuse(run, "a value that is not known here, or not initialised");
    if (follow_is_length(value) || value.kind == VALUE_OTHER)
        follow_refuse(run, "a number that depends on lengths, on the size of a word or on data is not followed");
    follow_refuse(run, "this is not followed as a number");
}

static bool
is_address(struct c_value value)
{
    return value.kind == VALUE_PLACE || value.kind == VALUE_DATA || value.kind == VALUE_NULL ||
           value.kind == VALUE_FUNCTION;
}

/* Whether an address is NULL: own memory is somewhere, a vector without words may be nowhere. */
static term
follow_is_null(struct following *run, struct c_value value)
{
    struct terms *t = run->terms;
    int64_t at;

    if (value.kind != VALUE_DATA || value.number >= BUFFER_BUNDLE)
        return term_truth(t, value.kind == VALUE_NULL);
    if (value.number != BUFFER_VECTOR || !term_known(t, value.a, &at) || at != 0)
        follow_refuse(run, "whether this address is NULL is not followed");
    return term_equal(t, run->nowhere, term_number(t, 1));
}

term
follow_truth(struct following *run, struct c_value value)
{
    struct terms *t = run->terms;

    if (value.kind == VALUE_TRUTH)
        return value.a;
    if (is_address(value))
        return term_not(t, follow_is_null(run, value));
    return term_not(t, term_equal(t, follow_number(run, value), term_number(t, 0)));
}

/* x modulo m, where x lies in from·m .. to·m - 1. */
static term
follow_modulo_within(struct following *run, term x, term m, int from, int to)
{
    struct terms *t = run->terms;
    term result = term_sum(t, 1, x, -(to - 1), m, 0);

    for (int k = to - 2; k >= from; k--)
        result = term_if(t, term_below(t, x, term_sum(t, k + 1, m, 0, m, 0)), term_sum(t, 1, x, -k, m, 0), result);
    return result;
}

/* x modulo m > 0, in 0 .. m-1. */
static term
follow_modulo(struct following *run, term x, term m)
{
    static const int ranges[][2] = {{0, 1}, {1, 2},  {-1, 0}, {0, 2}, {-1, 1}, {1, 3}, {-2, 0},
                                    {0, 3}, {-1, 2}, {-2, 1}, {0, 4}, {-2, 2}, {-3, 3}};
    struct terms *t = run->terms;

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        int from = ranges[i][0], to = ranges[i][1];

        if (follow_holds(run, term_within(t, x, term_sum(t, from, m, 0, m, 0), term_sum(t, to, m, 0, m, 0))))
            return follow_modulo_within(run, x, m, from, to);
    }
    follow_refuse(run, "a rest of this division is not followed");
}

term
follow_round(struct following *run, term x)
{
    struct terms *t = run->terms;
    int64_t ranks = 0, roots = run->root ? term_factor(t, x, run->root) : 0;
    term turn = 0, number = 0;

    if (!run->root)
        return follow_modulo(run, x, run->P);
    /* a rank is its number + root, modulo P; so the root often cancels */
    for (int i = 0; term_is(t, x, TERM_SUM) && i < term_at(t, x)->count; i++)
        if (term_is(t, (term)term_parts(t, x)[i].of, TERM_TURN)) {
            turn = (term)term_parts(t, x)[i].of;
            ranks += term_parts(t, x)[i].factor;
            number = (term)term_parts(t, turn)->of;
        }
    if (term_is(t, x, TERM_TURN))
        return x;
    if (turn && ranks == 1 && roots == -1)
        return follow_modulo(run, term_plus(t, term_sum(t, 1, x, -1, turn, 0), term_plus(t, run->root, number)),
                             run->P);
    if (turn && ranks == 1 && roots == 0)
        return term_turn(t, follow_modulo(run, term_plus(t, term_minus(t, x, turn), number), run->P));
    if (!turn && roots == 1)
        return term_turn(t, follow_modulo(run, term_minus(t, x, run->root), run->P));
    return follow_modulo(run, x, run->P);
}

static bool
power_of_two(int64_t x)
{
    return x > 0 && (x & (x - 1)) == 0;
}

/* a / b or a % b, as in C, which rounds towards 0. */
static term
divided(struct following *run, bool quotient, term a, term b)
{
    const enum term_kind kind = quotient ? TERM_QUOTIENT : TERM_REST;
    struct terms *t = run->terms;
    term zero = term_number(t, 0), negative, opposite;
    bool sure = term_at(t, a)->low >= 0 || follow_holds(run, term_up_to(t, zero, a));
    int64_t by;

    if (b == run->P && !quotient && sure && (run->root || !term_known(t, b, &by)))
        return follow_round(run, a);
    if (term_known(t, b, &by) && by > 0) {
        if (sure)
            return term_divided(t, kind, a, by);
        opposite = term_divided(t, kind, term_minus(t, zero, a), by);
        return term_if(t, term_below(t, a, zero), term_minus(t, zero, opposite), term_divided(t, kind, a, by));
    }
    if (quotient && follow_holds(run, term_within(t, a, zero, b)))
        return zero;
    if (quotient || !follow_holds(run, term_below(t, zero, b)))
        follow_refuse(run, "a division by what depends on P or a rank is not followed");
    if (sure)
        return follow_modulo(run, a, b);
    follow_require(run, term_below(t, term_minus(t, zero, b), a),
                   "a rest of a number that may be negative is not followed");
    negative = term_below(t, a, zero); /* the rest is a itself */
    return term_if(t, negative, a, follow_modulo(run, term_if(t, negative, zero, a), b));
}

/* The bit of 2^k, as 0 or 1, which is a number where the path decides it: also of a negative number, whose bits are
 * those of its complement. */
static term
follow_bit(struct following *run, term a, int64_t power)
{
    struct terms *t = run->terms;
    term bit = term_divided(t, TERM_REST, term_divided(t, TERM_QUOTIENT, a, power), 2);
    int known = follow_known(run, term_equal(t, bit, term_number(t, 1)));

    return known < 0 ? bit : term_number(t, known);
}

/* The lowest bit that is set, as r & -r has it: one path for each possible bit, without asking the solver: that these
 * are all cases is an obligation. */
static term
lowest_bit(struct following *run, term a)
{
    struct terms *t = run->terms;
    const term brief = run->brief;

    if (!run->log_known)
        follow_needs_log(run);
    if (follow_decide(run, term_equal(t, a, term_number(t, 0))))
        return term_number(t, 0);
    for (int64_t k = 0; k < BITS && INT64_C(1) << k <= term_at(t, a)->high; k++) {
        term rest = term_divided(t, TERM_REST, a, INT64_C(2) << k);
        term lowest = term_equal(t, rest, term_number(t, INT64_C(1) << k));

        if (follow_decide_unasked(run, lowest, INT64_C(2) << k > term_at(t, a)->high)) {
            if (run->merge_count == 0 && term_all(t, brief, lowest) != brief)
                run->brief = term_all(t, brief, lowest); /* so it is not 0, and no lower bit is set */
            return term_number(t, INT64_C(1) << k);
        }
    }
    follow_refuse(run, "the lowest bit is not followed");
}

static term
bitwise(struct following *run, char opcode, term a, term b)
{
    struct terms *t = run->terms;
    int64_t x, y, number;

    if (opcode == '&' && term_known(t, term_plus(t, a, b), &number) && number == 0 && !term_known(t, a, &x))
        return lowest_bit(run, a);
    if (term_known(t, a, &x) && term_known(t, b, &y))
        return term_number(t, opcode == '&' ? x & y : opcode == '|' ? x | y : x ^ y);
    if (term_known(t, a, &x)) {
        term other = a;

        a = b;
        b = other;
    }
    if (term_known(t, b, &y)) {
        if (opcode == '&' && y >= 0 && power_of_two(y + 1))
            return term_divided(t, TERM_REST, a, y + 1);
        if (opcode == '&' && y < 0 && power_of_two(-y))
            return term_minus(t, a, term_divided(t, TERM_REST, a, -y));
        if (power_of_two(y)) {
            term bit = follow_bit(run, a, y);

            return opcode == '&'   ? term_sum(t, y, bit, 0, bit, 0)
                   : opcode == '|' ? term_sum(t, 1, a, -y, bit, y)
                                   : term_sum(t, 1, a, -2 * y, bit, y);
        }
        if (y == 0)
            return opcode == '&' ? b : a;
    }
    if (!follow_holds(run, term_up_to(t, term_number(t, 0), a)) ||
        !follow_holds(run, term_up_to(t, term_number(t, 0), b)) || term_at(t, a)->low < 0 || term_at(t, b)->low < 0)
        follow_refuse(run, "bits of a number that may be negative are not followed");
    return term_bits(t, opcode == '&' ? TERM_AND : opcode == '|' ? TERM_OR : TERM_XOR, a, b);
}

static term
follow_product(struct following *run, term a, term b)
{
    struct terms *t = run->terms;
    int64_t number;

    if (term_known(t, a, &number))
        return term_sum(t, number, b, 0, b, 0);
    if (!term_known(t, b, &number))
        follow_refuse(run, "a product of two numbers that depend on P or a rank is not followed");
    return term_sum(t, number, a, 0, a, 0);
}

static struct c_value
follow_compare(struct following *run, const char *opcode, term a, term b)
{
    struct terms *t = run->terms;
    term truth;

    if (opcode[0] == '=' || opcode[0] == '!')
        truth = term_equal(t, a, b);
    else if (opcode[0] == '<')
        truth = opcode[1] == '=' ? term_up_to(t, a, b) : term_below(t, a, b);
    else
        truth = opcode[1] == '=' ? term_up_to(t, b, a) : term_below(t, b, a);
    return follow_value(VALUE_TRUTH, opcode[0] == '!' ? term_not(t, truth) : truth, 0);
}

static bool
compares(const char *opcode)
{
    static const char *const comparisons[] = {"<", ">", "<=", ">=", "==", "!=", NULL};

    return names_have(comparisons, opcode);
}

static bool
has_64_bits(const char *type)
{
    int64_t least, most;

    return follow_type_range(type, &least, &most) && most == INT64_MAX;
}

/* A length, or the bytes of a word, in 64 bits.  An int holds the length that a function for MPI is given, and, as the
 * proof then assumes, up to P times that. */
struct c_value
follow_length_fitting(struct following *run, const char *type, struct c_value length)
{
    struct terms *t = run->terms;
    int64_t number;

    if (has_64_bits(type))
        return length;
    if (!run->mpi || length.kind != VALUE_LENGTH || length.number != 0 || strcmp(follow_plain_type(type), "int") != 0)
        follow_refuse(run, "a length that may leave the range of %s is not followed", follow_plain_type(type));
    if (term_known(t, length.a, &number) && (number == 0 || number == 1))
        return length;
    follow_require(
        run,
        term_all(t, term_up_to(t, term_minus(t, term_number(t, 0), run->P), length.a), term_up_to(t, length.a, run->P)),
        "an int that may hold more than P times the length is not followed");
    run->narrow = true;
    return length;
}

/* Lengths are sums and multiples of m. */
static struct c_value
length(struct following *run, const char *type, const char *opcode, struct c_value a, struct c_value b)
{
    struct terms *t = run->terms;
    struct c_value other = a;

    const bool product = strcmp(opcode, "*") == 0, sum = strcmp(opcode, "+") == 0 || strcmp(opcode, "-") == 0;

    if (product && (b.kind == VALUE_LENGTH || (b.kind == VALUE_WORD_BYTES && a.kind != VALUE_LENGTH))) {
        a = b;
        b = other;
    }
    if (product && a.kind == VALUE_WORD_BYTES && a.a == term_number(t, 1) && b.kind == VALUE_WORDS) {
        b.kind = VALUE_BYTES;
        return b;
    }
    if (product &&
        (b.kind == VALUE_NUMBER || (b.kind == VALUE_WORD_BYTES && a.kind == VALUE_LENGTH && a.number == 0))) {
        a.a = follow_product(run, a.a, b.a);
        a.number |= b.kind == VALUE_WORD_BYTES;
        return follow_length_fitting(run, type, a);
    }
    if (sum && a.kind == VALUE_LENGTH && b.kind == VALUE_LENGTH && a.number == b.number) {
        a.a = term_sum(t, 1, a.a, opcode[0] == '+' ? 1 : -1, b.a, 0);
        a.b = a.b ? a.b : b.b;
        return follow_length_fitting(run, type, a);
    }
    follow_refuse(run, "this operation with a length is not followed");
}

/* Whether the type is an address of bytes; or of elements as large as a word, 8 bytes. */
static bool
is_address_of(const char *type, bool bytes)
{
    static const char *const of_bytes[] = {"char *", "unsigned char *", "signed char *", "void *", NULL},
                             *const of_words[] = {"long *", "double *", "int64_t *", "uint64_t *", NULL};

    return names_have(bytes ? of_bytes : of_words, follow_plain_type(type));
}

/* Whether two addresses of data are the same: own memory begins where nothing else does. */
static term
same_address(struct following *run, struct c_value a, struct c_value b)
{
    int64_t x, y;

    if (a.kind != VALUE_DATA || b.kind != VALUE_DATA || !term_known(run->terms, a.a, &x) || x != 0 ||
        !term_known(run->terms, b.a, &y) || y != 0 ||
        (a.number != b.number && a.number < BUFFER_BUNDLE && b.number < BUFFER_BUNDLE))
        follow_refuse(run, "this comparison of addresses is not followed");
    return term_truth(run->terms, a.number == b.number);
}

/* Whether a is MPI_IN_PLACE, and b a buffer, which is another address. */
static bool
is_in_place(const struct following *run, struct c_value a, struct c_value b)
{
    int64_t at;

    return run->mpi && a.kind == VALUE_OTHER && a.a && term_known(run->terms, a.a, &at) &&
           at == (int64_t)(intptr_t)MPI_IN_PLACE && b.kind == VALUE_DATA;
}

static struct c_value
address(struct following *run, const char *type, const char *opcode, struct c_value a, struct c_value b)
{
    if (a.kind == VALUE_DATA && b.kind == VALUE_LENGTH && is_address_of(type, b.number == 1) &&
        (opcode[0] == '+' || opcode[0] == '-') && opcode[1] == '\0') {
        follow_require_root(run, b.b);
        a.a = term_sum(run->terms, 1, a.a, opcode[0] == '+' ? 1 : -1, b.a, 0);
        return a;
    }
    if (a.kind == VALUE_PLACE && a.a && (opcode[0] == '+' || opcode[0] == '-') && b.kind == VALUE_NUMBER &&
        strncmp(follow_plain_type(type), "void ", 5) != 0) {
        a.a = term_sum(run->terms, 1, a.a, opcode[0] == '+' ? 1 : -1, b.a, 0);
        return a;
    }
    const bool compared = strcmp(opcode, "==") == 0 || strcmp(opcode, "!=") == 0;

    if (compared && (is_in_place(run, a, b) || is_in_place(run, b, a)))
        return follow_value(VALUE_TRUTH, term_truth(run->terms, opcode[0] == '!'), 0);
    if (compared && is_address(a) && is_address(b)) {
        term equal = a.kind == VALUE_NULL   ? follow_is_null(run, b)
                     : b.kind == VALUE_NULL ? follow_is_null(run, a)
                                            : same_address(run, a, b);

        return follow_value(VALUE_TRUTH, opcode[0] == '=' ? equal : term_not(run->terms, equal), 0);
    }
    follow_refuse(run, "this operation with an address is not followed");
}

/* Whether it makes a handle of MPI's, (kind << 56) + number, which is larger than what terms are added to. */
static bool
is_handle(const struct following *run, const char *opcode, term a, term b, int64_t *number)
{
    const struct terms *t = run->terms;
    int64_t x, y;

    if (!run->mpi || !term_known(t, a, &x) || !term_known(t, b, &y) || x < 0 || y < 0)
        return false;
    if (opcode[0] == '+')
        return !__builtin_add_overflow(x, y, number);
    *number = y < 63 ? x << y : 0;
    return opcode[0] == '<' && y < 63 && *number >> y == x;
}

struct c_value
follow_operate(struct following *run, const char *type, const char *opcode, struct c_value left, struct c_value right)
{
    struct terms *t = run->terms;
    term a, b, result;
    int64_t number;

    if (is_address(left) || is_address(right))
        return address(run, type, opcode, left, right);
    if (left.kind == VALUE_LENGTH || right.kind == VALUE_LENGTH || left.kind == VALUE_WORD_BYTES ||
        right.kind == VALUE_WORD_BYTES)
        return length(run, type, opcode, left, right);
    a = follow_number(run, left);
    b = follow_number(run, right);
    if (compares(opcode))
        return follow_compare(run, opcode, a, b);
    if (is_handle(run, opcode, a, b, &number))
        return follow_fitting(run, type, term_number(t, number));
    switch (opcode[0]) {
    case '+':
        result = term_plus(t, a, b);
        if (term_is(t, b, TERM_REST) && term_at(t, b)->number == 2) { /* x / 2 + x % 2 is (x + 1) / 2 */
            const term x = (term)term_parts(t, b)->of;

            if (term_divided(t, TERM_QUOTIENT, x, 2) == a)
                result = term_divided(t, TERM_QUOTIENT, term_add(t, x, 1), 2);
        }
        break;
    case '-':
        result = term_minus(t, a, b);
        break;
    case '*':
        result = follow_product(run, a, b);
        break;
    case '/':
    case '%':
        result = divided(run, opcode[0] == '/', a, b);
        break;
    case '&':
    case '|':
    case '^':
        result = bitwise(run, opcode[0], a, b);
        break;
    default:
        if (!term_known(t, b, &number) || number < 0 || number > BITS)
            follow_refuse(run, "a shift by what depends on P or a rank is not followed");
        result = opcode[0] == '<' ? follow_product(run, a, term_number(t, INT64_C(1) << number))
                                  : term_divided(t, TERM_QUOTIENT, a, INT64_C(1) << number); /* rounded down */
    }
    return follow_fitting(run, type, result);
}
