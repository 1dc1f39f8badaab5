/* SPDX-License-Identifier: MIT */
/* peal list: the catalogue of algorithms. */
#include "command.h"
#include "document.h"
#include "options.h"
#include "print.h"
#include "show.h"
#include "target.h"
#include <peal/json.h>
#include <peal/tools.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 8000 }; /* bytes of all texts of a closed form */

/* The requested part of the catalogue: all, one collective's, or one algorithm. */
struct choice {
    bool all;
    enum peal_collective collective;        /* unless all */
    const struct peal_algorithm *algorithm; /* NULL: all of the collective */
};

static bool
is_chosen(const struct choice *choice, const struct peal_algorithm *a)
{
    if (choice->all)
        return true;
    return choice->algorithm ? a == choice->algorithm : a->collective == choice->collective;
}

/* Write where results are identical though the operator is not associative, and where not. */
static char *
identical_text(const struct peal_algorithm *a, char text[300])
{
    size_t length = 0;

    text[0] = '\0';
    for (int differs = 0; differs <= 1; differs++)
        for (int i = 0; i < PEAL_IDENTICALS; i++) {
            enum peal_identical way = (enum peal_identical)i;

            if (peal_identical_applies(a->collective, way) && (a->differs >> way & 1) == (unsigned)differs)
                length += (size_t)snprintf(text + length, 300 - length, "%s%s%s", length > 0 ? ", " : "",
                                           differs ? "not " : "", show_identical_place(a->collective, way));
        }
    if (a->differs & PEAL_DIFFERS(NODES))
        snprintf(text + length, 300 - length, "; never chosen unless it is named");
    return text;
}

/* Whether every kind of network in `some` is in `all`; NULL is all kinds. */
static bool
are_among(const char *some, const char *all)
{
    for (; all && some && *some; some += strcspn(some, " "), some += *some == ' ') {
        char kind[40];

        snprintf(kind, sizeof kind, "%.*s", (int)strcspn(some, " "), some);
        if (!strstr(all, kind)) /* no kind is the beginning of another */
            return false;
    }
    return !all || some;
}

/* Whether another row says the same of more machines, or is the first of two that say it of as many. */
static bool
is_said_elsewhere(const struct peal_algorithm *a, const struct peal_closed_text *row, enum peal_switching switching)
{
    char text[PEAL_CLOSED_TEXT], other[PEAL_CLOSED_TEXT];

    peal_closed_row_text(row, switching, text, sizeof text);
    for (const struct peal_closed_text *o = a->texts; o->alpha; o++)
        if (o != row && !o->when && are_among(row->on, o->on) &&
            peal_closed_row_text(o, switching, other, sizeof other) && strcmp(text, other) == 0)
            return true;
    return false;
}

/* Write where a text holds, "full, hypercube, P = 2^q"; "" everywhere. */
static const char *
place_of(const struct peal_closed_text *row, char place[200])
{
    size_t used = 0;

    place[0] = '\0';
    for (const char *on = row->on ? row->on : ""; *on; on += strcspn(on, " "), on += *on == ' ')
        used += (size_t)snprintf(place + used, 200 - used, "%s%.*s", used ? ", " : "", (int)strcspn(on, " "), on);
    if (row->when)
        snprintf(place + used, 200 - used, "%s%s", used ? ", " : "", row->when);
    return place;
}

/* The texts of its closed form with this switching, each after where it holds: "full: α⌈log₂P⌉; ring, P = 2^q: ..".
 * "": it has none. */
static const char *
texts_of(const struct peal_algorithm *a, enum peal_switching switching, char text[MOST_TEXT])
{
    char formula[PEAL_CLOSED_TEXT], place[200];
    size_t used = 0;

    text[0] = '\0';
    for (const struct peal_closed_text *row = a->texts; row && row->alpha && used < MOST_TEXT - 1000; row++) {
        if (!peal_closed_row_text(row, switching, formula, sizeof formula) || is_said_elsewhere(a, row, switching))
            continue;
        if (!*place_of(row, place) && used)
            snprintf(place, sizeof place, "else");
        used += (size_t)snprintf(text + used, MOST_TEXT - used, "%s%s%s%s", used ? "; " : "", place, *place ? ": " : "",
                                 formula);
    }
    return text;
}

/* As closed_form of the documents: NULL without a closed form. */
static const char *
closed_form_text(const struct peal_algorithm *a, char text[MOST_TEXT])
{
    texts_of(a, PEAL_IDEAL, text);
    return *text ? text : a->cost ? "round by round" : NULL;
}

static void
list_json(const struct choice *choice)
{
    const struct peal_algorithm *a;
    char requires[200], closed[MOST_TEXT];
    struct peal_json json = {.out = stdout};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/list/1"), PEAL_OPEN("algorithms", '['));
    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        if (!is_chosen(choice, a))
            continue;
        peal_json_put(&json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'),
                      PEAL_STRING("collective", peal_collective_name(a->collective)), PEAL_STRING("algorithm", a->name),
                      PEAL_STRING("requires", peal_requirements_text(a, requires, sizeof requires)),
                      PEAL_STRING("closed_form", closed_form_text(a, closed)), PEAL_STRING("optimal", a->optimal),
                      PEAL_STRING("source", a->source));
        document_identical(&json, a);
        peal_json_close(&json, '}');
    }
    peal_json_put(&json, PEAL_LINE(0), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

/* One algorithm: its name and closed form, then its description. */
static void
show(const struct peal_algorithm *a)
{
    char name[100], requires[200], number[100] = "", most[40] = "", identical[300];
    char closed[MOST_TEXT], wormhole[MOST_TEXT], stored[MOST_TEXT];

    snprintf(name, sizeof name, "%s/%s", peal_collective_name(a->collective), a->name);
    if (a->parameter.most > 0)
        snprintf(most, sizeof most, " to %d", a->parameter.most);
    if (a->parameter.name)
        snprintf(number, sizeof number, "%s:N, N %s from %d%s; without it what is cheapest", a->name, a->parameter.name,
                 a->parameter.least, most);
    print_inked(stdout, BOLD, "%s\n", name);
    fputs("  ", stdout);
    print_wrapped(stdout, a->summary, 2);
    peal_requirements_text(a, requires, sizeof requires);
    const char *const rows[][2] = {{"also", a->also},
                                   {"cost", closed_form_text(a, closed)},
                                   {"wormhole", texts_of(a, PEAL_WORMHOLE, wormhole)},
                                   {"store-forward", texts_of(a, PEAL_STORE_FORWARD, stored)},
                                   {"number", number},
                                   {"requires", requires},
                                   {"optimal in", a->optimal},
                                   {"source", a->source},
                                   {"identical", identical_text(a, identical)}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i][1] && *rows[i][1]) {
            fputs("  ", stdout);
            print_ink(stdout, FAINT);
            print_left(stdout, rows[i][0], 15);
            print_ink(stdout, PLAIN);
            print_wrapped(stdout, rows[i][1], 17);
        }
}

/* The first text of its closed form, that of a full network if it has one. */
static const char *
first_text(const struct peal_algorithm *a, char text[MOST_TEXT])
{
    char formula[PEAL_CLOSED_TEXT], place[200];

    if (!a->texts)
        return a->cost ? "round by round" : "-";
    peal_closed_row_text(a->texts, PEAL_IDEAL, formula, sizeof formula);
    place_of(a->texts, place);
    if (!a->texts->when && are_among("full", a->texts->on))
        place[0] = '\0';
    snprintf(text, MOST_TEXT, "%s%s%s", place, *place ? ": " : "", formula);
    return text;
}

/* The columns of the whole catalogue. */
static void
list_table(void)
{
    const struct peal_algorithm *a;
    int width = 0;
    char name[100], closed[MOST_TEXT];

    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        snprintf(name, sizeof name, "%s/%s", peal_collective_name(a->collective), a->name);
        width = print_width(name) > width ? print_width(name) : width;
    }
    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        const struct peal_algorithm *before = i > 0 ? peal_algorithm_get(i - 1) : NULL;

        if (before && before->collective != a->collective)
            putchar('\n');
        snprintf(name, sizeof name, "%s/%s", peal_collective_name(a->collective), a->name);
        print_left(stdout, name, width + 2);
        print_wrapped(stdout, first_text(a, closed), width + 2);
    }
    puts(
        "\nT with α a start-up, β a word, P nodes, m words a block, n words a vector, on a full network where nothing\n"
        "else is said.  peal list COLLECTIVE shows the others, what each requires, where it is optimal, and its "
        "source.");
}

/* The full description of each chosen algorithm. */
static void
show_chosen(const struct choice *choice)
{
    const struct peal_algorithm *a;
    bool follows = false;

    for (int i = 0; (a = peal_algorithm_get(i)); i++)
        if (is_chosen(choice, a)) {
            if (follows)
                putchar('\n');
            show(a);
            follows = true;
        }
}

static int
run(const struct request *request)
{
    struct peal_error error;
    struct choice choice = {.all = request->argument_count == 0};

    if (request->program || request->argument_count > 1) {
        peal_refuse(&error, PEAL_USAGE, "list takes one collective, one COLLECTIVE/ALGORITHM, or nothing");
        return complain(&error);
    }
    if (!choice.all &&
        target_find_listed(request->arguments[0], &choice.collective, &choice.algorithm, &error) != PEAL_OK)
        return complain(&error);
    if (request->json)
        list_json(&choice);
    else if (choice.all)
        list_table();
    else
        show_chosen(&choice);
    return 0;
}

const struct command command_list = {
    .name = "list",
    .arguments = "[COLLECTIVE[/ALGORITHM]] [--json]",
    .summary = "list the algorithms: costs, requirements, sources",
    .examples = "  peal list               the whole catalogue\n"
                "  peal list scatter       all there is to say of the scatters\n"
                "  peal list scatter/rda   one of them\n"
                "  peal list --json        for programs\n",
    .takes = OPTIONS_JSON,
    .completes = WORDS_ALGORITHM,
    .run = run,
};
