/* SPDX-License-Identifier: MIT */
/* The closed forms as text: which of an algorithm's formulas holds on a machine, and how it reads there.  The numbers
 * are derived elsewhere, round by round (closed.h); the suite evaluates every text and compares it with its number. */
#include "lib/base/text.h"
#include "lib/collective/blocks.h"
#include "lib/collective/closed.h"
#include "lib/collective/closed_row.h"
#include "lib/network/network.h"
#include <assert.h>

/* ------------------------------------------------------------------ where a text holds */

static bool
is_power_of(int64_t base, int64_t number)
{
    while (base > 1 && number % base == 0)
        number /= base;
    return number == 1;
}

/* Whether every extent is a power of `base`. */
static bool
extents_are_powers_of(int base, const struct shape *shape)
{
    bool all = true;

    for (int d = 0; d < shape->dimensions; d++)
        all = all && is_power_of(base, shape->extent[d]);
    return all;
}

static bool
extents_are_even(const struct shape *shape)
{
    bool all = true;

    for (int d = 0; d < shape->dimensions; d++)
        all = all && shape->extent[d] % 2 == 0;
    return all;
}

/* On a line: at an end. */
static bool
root_is_at_a_corner(const struct shape *shape, int root)
{
    bool ends = true;

    for (int d = 0; d < shape->dimensions; d++) {
        int c = shape_coordinate(shape, d, root);

        ends = ends && (c == 0 || c == shape->extent[d] - 1);
    }
    return ends;
}

/* Whether a condition that a text may name holds. */
static bool
condition_holds(const char *words, size_t length, const struct peal_situation *s)
{
    int P = s->nodes, K = s->parameter, k = K > 0 ? K : s->ports; /* that of an algorithm, or the machine's */
    struct shape shape;

    shape_of(&shape, s->network, P);
    const struct {
        const char *words;
        bool holds;
    } conditions[] = {
        {"P = 2^q", is_power_of(2, P)},
        {"P = K^j", is_power_of(K, P)},
        {"P = 3^q", is_power_of(3, P)},
        {"P ≥ 4", P >= 4},
        {"P = 2", P == 2},
        {"P even", P % 2 == 0},
        {"P | n", s->words % (size_t)P == 0},
        {"B | n", K > 0 && s->words % (size_t)K == 0},
        {"K = 2", K == 2},
        {"k = 1", k == 1},
        {"by ≥ 1", s->by > 0},
        {"root 0", s->root == 0},
        {"root at an end", root_is_at_a_corner(&shape, s->root)},
        {"root at a corner", root_is_at_a_corner(&shape, s->root)},
        {"d = 2", shape.dimensions == 2},
        {"zᵢ = 2^qᵢ", extents_are_powers_of(2, &shape)},
        {"zᵢ = K^jᵢ", extents_are_powers_of(K, &shape)},
        {"zᵢ even", extents_are_even(&shape)},
        {"full duplex", !s->half_duplex},
        {"congestion count", s->congestion == PEAL_COUNT},
    };
    size_t i = 0;

    while (i < sizeof conditions / sizeof *conditions &&
           (strlen(conditions[i].words) != length || strncmp(conditions[i].words, words, length) != 0))
        i++;
    assert(i < sizeof conditions / sizeof *conditions && "a condition of the table above");
    return conditions[i].holds;
}

/* Whether all of "root 0, P = 2^q" hold. */
static bool
all_hold(const char *when, const struct peal_situation *situation)
{
    bool hold = true;

    for (size_t length; when != NULL && *when != '\0'; when += length + (when[length] == ',' ? 2 : 0)) {
        length = strcspn(when, ",");
        hold = hold && condition_holds(when, length, situation);
    }
    return hold;
}

static bool
text_has_word(const char *words, const char *word)
{
    size_t length = strlen(word);

    for (; *words != '\0'; words += strcspn(words, " "), words += *words == ' ')
        if (strncmp(words, word, length) == 0 && (words[length] == ' ' || words[length] == '\0'))
            return true;
    return false;
}

static bool
closed_row_covers(const struct peal_closed_text *row, const struct peal_situation *situation)
{
    bool full = situation->network == NULL || network_is_one_host(situation->network);
    const char *kind = full ? "full" : peal_network_kind(situation->network);

    if (row->on ? !text_has_word(row->on, kind) : strcmp(kind, "placed") == 0)
        return false;
    return all_hold(row->when, situation);
}

/* ------------------------------------------------------------------ words */

/* Append `words`, with every `from` in them replaced. */
static void
put_replaced(struct peal_text out, const char *words, const char *from, const char *to)
{
    for (const char *found; (found = strstr(words, from)) != NULL; words = found + strlen(from))
        peal_append(out, "%.*s%s", (int)(found - words), words, to);
    peal_append(out, "%s", words);
}

static void
put_part(struct peal_text out, const char *part)
{
    if (part != NULL)
        peal_append(out, "%s%s", *out.start ? " + " : "", part);
}

static bool
has_text(const struct peal_closed_text *row, enum peal_switching switching)
{
    switch (switching) {
    case PEAL_IDEAL:
        return true;
    case PEAL_WORMHOLE:
        return row->near || row->hop != NULL;
    case PEAL_STORE_FORWARD:
        return row->near || row->stored != NULL || row->beta == NULL;
    }
    return false;
}

static void
put_formula(struct peal_text out, const struct peal_closed_text *row, enum peal_switching switching)
{
    put_part(out, row->alpha);
    put_part(out, switching == PEAL_STORE_FORWARD && !row->near ? row->stored : row->beta);
    if (switching == PEAL_WORMHOLE && row->near) {
        peal_append(out, " + ");
        put_replaced(out, row->alpha, "α", "t_d");
    } else if (switching == PEAL_WORMHOLE) {
        put_part(out, row->hop);
    }
}

/* The nodes that a multicast must reach, besides its root. */
static int
receivers(const struct peal_situation *situation)
{
    int count = 0;

    for (int i = 0; i < situation->to_count; i++)
        count += (situation->to == NULL ? i : situation->to[i]) != situation->root;
    return count;
}

/* The number that a definition names by a word; without a situation, its meaning in words. */
static const char *
definition_number(const char *word, size_t length, const struct peal_situation *situation, char text[20])
{
    static const char *const words[] = {"parameter", "ports", "receivers", "rows", "columns"};
    int i = 0, numbers[5];

    while (i < 5 && (strlen(words[i]) != length || strncmp(words[i], word, length) != 0))
        i++;
    if (i == 5 || situation == NULL)
        return i == 5 ? NULL : i == 0 ? "N" : words[i];
    numbers[0] = situation->parameter;
    numbers[1] = closed_ports(situation);
    numbers[2] = receivers(situation);
    numbers[3] = matrix_of(situation->network, situation->nodes).rows;
    numbers[4] = matrix_of(situation->network, situation->nodes).columns;
    snprintf(text, 20, "%d", numbers[i]);
    return text;
}

/* Whether the text has the letter as a name, and not within a word. */
static bool
names_letter(const char *text, const char *letter)
{
    static const char *const words[] = {"popcount", "necklaces", "min", "max", "mod", "by", "log", "t_d"};
    const size_t count = sizeof words / sizeof *words;

    for (size_t i; *text != '\0'; text += i < count ? strlen(words[i]) : 1) {
        i = 0;
        while (i < count && strncmp(text, words[i], strlen(words[i])) != 0)
            i++;
        if (i == count && strncmp(text, letter, strlen(letter)) == 0)
            return true;
    }
    return false;
}

enum { MAX_NAMES = 8 };

/* Cut "a = max(b, 1), c = 2" into its definitions, in place; return how many there are. */
static int
cut_names(char *names, char *parts[MAX_NAMES])
{
    int count = 0, depth = 0;
    bool begins = true;

    for (char *at = names; *at != '\0' && count < MAX_NAMES; at++) {
        if (begins && *at != ' ') {
            parts[count++] = at;
            begins = false;
        }
        depth += (*at == '(') - (*at == ')');
        if (*at == ',' && depth == 0) {
            *at = '\0';
            begins = true;
        }
    }
    return count;
}

/* Append the definitions that the formula, or a used definition, uses: "B = parameter" with its number. */
static void
formula_put_names(struct peal_text out, const char *names, const struct peal_situation *situation)
{
    char copy[PEAL_CLOSED_TEXT], text[20], letter[20], *parts[MAX_NAMES];
    bool used[MAX_NAMES];
    int count;

    snprintf(copy, sizeof copy, "%s", names != NULL ? names : "");
    count = cut_names(copy, parts);
    for (int i = count - 1; i >= 0; i--) {
        snprintf(letter, sizeof letter, "%.*s", (int)strcspn(parts[i], " "), parts[i]);
        used[i] = names_letter(out.start, letter);
        for (int j = i + 1; j < count; j++)
            used[i] |= used[j] && names_letter(strstr(parts[j], " = "), letter);
    }
    for (int i = 0; i < count; i++) {
        const char *value = strstr(parts[i], " = ") + 3,
                   *number = definition_number(value, strlen(value), situation, text);

        if (used[i])
            peal_append(out, ", %.*s%s", (int)(number == NULL ? strlen(parts[i]) : (size_t)(value - parts[i])),
                        parts[i], number == NULL ? "" : number);
    }
}

/* The i-th row of a table; *i decreases by the rows that it passes. */
static const struct peal_closed_text *
closed_row_at(const struct peal_closed_text *table, int *i)
{
    const struct peal_closed_text *row = NULL;

    for (; !row && table && (table->alpha || table->rows); table++)
        row = table->rows ? closed_row_at(table->rows, i) : (*i)-- == 0 ? table : NULL;
    return row;
}

const struct peal_closed_text *
peal_closed_row(const struct peal_algorithm *algorithm, int i)
{
    return closed_row_at(algorithm->texts, &i);
}

char *
peal_closed_row_text(const struct peal_closed_text *row, enum peal_switching switching, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);

    if (!has_text(row, switching))
        return NULL;
    put_formula(out, row, switching);
    formula_put_names(out, row->names, NULL);
    return text;
}

bool
peal_closed_row_cited(const struct peal_closed_text *row, enum peal_switching switching)
{
    return row->cited &&
           (switching == PEAL_IDEAL || (switching == PEAL_STORE_FORWARD && (row->near || row->beta == NULL)));
}

/* Whether nothing is sent, whatever the algorithm. */
static bool
sends_nothing(const struct peal_situation *situation)
{
    return situation->nodes == 1 || (situation->collective == PEAL_SHIFT && situation->by == 0);
}

/* The row that is shown in this situation; NULL: none.  Sets the parameter to the algorithm's; on one host, where there
 * are no hops, wormhole becomes ideal switching. */
static const struct peal_closed_text *
row_here(const struct peal_algorithm *algorithm, struct peal_situation *here)
{
    const struct peal_closed_text *row;

    here->parameter = peal_algorithm_parameter(algorithm, here);
    if (here->switching == PEAL_WORMHOLE && here->network && network_is_one_host(here->network))
        here->switching = PEAL_IDEAL;

    for (int i = 0;
         (row = peal_closed_row(algorithm, i)) && !(has_text(row, here->switching) && closed_row_covers(row, here));)
        i++;
    return row;
}

const char *
peal_closed_form_source(const struct peal_algorithm *algorithm, const struct peal_situation *situation)
{
    struct peal_situation here = *situation;
    const struct peal_closed_text *row;

    row = sends_nothing(&here) ? NULL : row_here(algorithm, &here);
    return row && peal_closed_row_cited(row, here.switching) && all_hold(row->cited, &here) ? algorithm->source
                                                                                            : "derived here";
}

char *
peal_closed_form_text(const struct peal_algorithm *algorithm, const struct peal_situation *situation, char *text,
                      size_t bytes)
{
    struct peal_situation here = *situation;
    struct peal_text out = empty_text(text, bytes);
    const struct peal_closed_text *row;

    if (sends_nothing(situation)) {
        snprintf(text, bytes, "0");
        return text;
    }
    row = row_here(algorithm, &here);
    if (row == NULL)
        return NULL;
    put_formula(out, row, here.switching);
    formula_put_names(out, row->names, &here);
    assert(strlen(text) + 1 < bytes);
    return text;
}
