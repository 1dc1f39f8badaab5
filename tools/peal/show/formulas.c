/* SPDX-License-Identifier: MIT */
/* Many rows of an algorithm's texts say the same about different machines: here they become one. */
#include "show/formulas.h"
#include "lib/base/text.h"
#include "lib/collective/closed_row.h"

enum { MAX_EXPANDED = 2 * PEAL_CLOSED_TEXT };

/* Write the text with the meaning of q, or qᵢ, in its place, and without ", q = ⌈log₂P⌉". */
static void
formulas_expand(const char *text, char expanded[MAX_EXPANDED])
{
    static const char *const definitions[] = {", q = ", ", qᵢ = "};
    struct peal_text out = empty_text(expanded, MAX_EXPANDED);
    const char *meaning = NULL, *definition = NULL;
    size_t name = 0, length = 0;

    for (size_t i = 0; i < sizeof definitions / sizeof *definitions && !definition; i++)
        if ((definition = strstr(text, definitions[i]))) {
            name = strlen(definitions[i]) - strlen(",  = ");
            meaning = definition + strlen(definitions[i]);
            length = strcspn(meaning, ",");
        }
    while (*text)
        if (text == definition) {
            text = meaning + length;
        } else if (definition && strncmp(text, definition + 2, name) == 0 &&
                   (name > 1 || strncmp(text + 1, "ᵢ", strlen("ᵢ")) != 0)) {
            peal_append(out, "%.*s", (int)length, meaning);
            text += name;
        } else {
            int bytes = peal_character(text, &(uint32_t){0});

            peal_append(out, "%.*s", bytes > 0 ? bytes : 1, text);
            text += bytes > 0 ? bytes : 1;
        }
}

/* A row with a text, and that text without the ceilings of numbers that may be whole. */
struct formula_row {
    const struct peal_closed_text *row;
    char key[MAX_EXPANDED];
    size_t expanded_bytes;
};

/* Leave out blanks, and the ceilings of logarithms and of n/B: where a row without them holds, these are whole. */
static void
formula_key(const char *text, char key[MAX_EXPANDED])
{
    static const char opens[] = "⌈", closes[] = "⌉";
    const size_t bracket = strlen(opens);
    int open = 0;

    for (; *text; text++) {
        if (strncmp(text, opens, bracket) == 0 &&
            (strncmp(text + bracket, "log", 3) == 0 || strncmp(text + bracket, "n/B⌉", 3 + bracket) == 0)) {
            open++;
            text += bracket - 1;
        } else if (open > 0 && strncmp(text, closes, bracket) == 0) {
            open--;
            text += bracket - 1;
        } else if (*text != ' ') {
            *key++ = *text;
        }
    }
    *key = '\0';
}

/* Whether every part of `some` is one of `all`; parts end with the separator, and blanks before them do not count. */
static bool
are_among(const char *some, const char *all, char separator)
{
    const char ends[] = {separator, '\0'};
    bool among = true;

    for (const char *part = some; among && *part; part += strcspn(part, ends), part += *part == separator) {
        part += strspn(part, " ");
        size_t length = strcspn(part, ends);

        among = false;
        for (const char *one = all; !among && *one; one += strcspn(one, ends), one += *one == separator) {
            one += strspn(one, " ");
            among = strcspn(one, ends) == length && strncmp(one, part, length) == 0;
        }
    }
    return among;
}

/* Whether `wide` holds on every machine on which `row` does. */
static bool
formula_covers(const struct peal_closed_text *wide, const struct peal_closed_text *row)
{
    return (!wide->on || (row->on && are_among(row->on, wide->on, ' '))) &&
           (!wide->when || (row->when && are_among(wide->when, row->when, ',')));
}

/* Whether another row with the same formula covers this one: of two that cover each other the first stays. */
static bool
is_covered(const struct formula_row *rows, int count, int i)
{
    for (int j = 0; j < count; j++)
        if (j != i && strcmp(rows[j].key, rows[i].key) == 0 && formula_covers(rows[j].row, rows[i].row) &&
            (j < i || !formula_covers(rows[i].row, rows[j].row)))
            return true;
    return false;
}

/* Append the kinds of network of all rows with the formula and conditions of row `first`, and the conditions. */
static void
append_places(const struct formula_row *rows, int count, int first, char where[600])
{
    struct peal_text out = {where, 600};
    const char *when = rows[first].row->when;
    bool begun = false;

    for (int i = first; i < count; i++) {
        const char *kinds = rows[i].row->on;

        if (strcmp(rows[i].key, rows[first].key) != 0 || !same_text(rows[i].row->when, when) ||
            is_covered(rows, count, i))
            continue;
        for (size_t length; kinds && *kinds; kinds += length + (kinds[length] == ' ')) {
            length = strcspn(kinds, " ");
            peal_append(out, "%s%.*s", begun ? ", " : *where ? "; " : "", (int)length, kinds);
            begun = true;
        }
    }
    if (when)
        peal_append(out, "%s%s", begun ? ", " : *where ? "; " : "", when);
}

int
formulas_of(const struct peal_algorithm *a, enum peal_switching switching, struct formula list[MAX_FORMULAS])
{
    struct formula_row rows[MAX_FORMULAS];
    const struct peal_closed_text *row;
    char text[PEAL_CLOSED_TEXT];
    int count = 0, formulas = 0, of[MAX_FORMULAS], shown[MAX_FORMULAS];

    for (int i = 0; (row = peal_closed_row(a, i)) && count < MAX_FORMULAS; i++)
        if (peal_closed_row_text(row, switching, text, sizeof text)) {
            char expanded[MAX_EXPANDED];

            formulas_expand(text, expanded);
            rows[count].row = row;
            rows[count].expanded_bytes = strlen(expanded);
            formula_key(expanded, rows[count++].key);
        }
    for (int i = 0; i < count; i++) {
        int at = 0;

        while (at < formulas && strcmp(rows[of[at]].key, rows[i].key) != 0)
            at++;
        peal_closed_row_text(rows[i].row, switching, text, sizeof text);
        if (at == formulas) {
            of[formulas] = shown[formulas] = i;
            formulas++;
            list[at] = (struct formula){.where = ""};
        }
        const size_t bytes = rows[i].expanded_bytes, most = rows[shown[at]].expanded_bytes;

        if (bytes > most || (bytes == most && strlen(text) < strlen(list[at].text)) || !*list[at].text) {
            memcpy(list[at].text, text, sizeof text); /* with its ceilings, and without names for what is short */
            shown[at] = i;
        }
        list[at].full |= formula_covers(rows[i].row, &(struct peal_closed_text){.on = "full"});
    }
    for (int at = 0; at < formulas; at++)
        for (int i = of[at]; i < count; i++) {
            bool told = is_covered(rows, count, i) || strcmp(rows[i].key, rows[of[at]].key) != 0;

            for (int j = of[at]; j < i && !told; j++)
                told = strcmp(rows[j].key, rows[i].key) == 0 && same_text(rows[j].row->when, rows[i].row->when) &&
                       !is_covered(rows, count, j);
            if (!told)
                append_places(rows, count, i, list[at].where);
            if (!told && !list[at].where[0] && at > 0)
                peal_append(IN_ARRAY(list[at].where), "else");
        }
    return formulas;
}

char *
formula_text(const struct formula *formula, char text[sizeof *formula])
{
    snprintf(text, sizeof *formula, "%s%s%s", formula->where, formula->where[0] ? ": " : "", formula->text);
    return text;
}

/* Whether another row that the source has holds wherever this one does. */
static bool
is_cited_wider(const struct peal_algorithm *a, const struct peal_closed_text *row)
{
    const struct peal_closed_text *wide;

    for (int i = 0; (wide = peal_closed_row(a, i)); i++)
        if (wide != row && peal_closed_row_cited(wide, PEAL_IDEAL) && same_text(wide->cited, row->cited) &&
            formula_covers(wide, row))
            return true;
    return false;
}

char *
cited_places(const struct peal_algorithm *a, char text[600])
{
    struct peal_text out = empty_text(text, 600);
    const struct peal_closed_text *row;

    for (int i = 0; (row = peal_closed_row(a, i)); i++) {
        const char *gap = *text ? "; " : "";

        if (!peal_closed_row_cited(row, PEAL_IDEAL) || is_cited_wider(a, row))
            continue;
        for (const char *kind = row->on; kind && *kind; gap = ", ") {
            size_t length = strcspn(kind, " ");

            peal_append(out, "%s%.*s", gap, (int)length, kind);
            kind += length + (kind[length] == ' ');
        }
        if (row->when)
            peal_append(out, "%s%s", gap, row->when);
        if (*row->cited)
            peal_append(out, ", %s", row->cited);
    }
    return text;
}
