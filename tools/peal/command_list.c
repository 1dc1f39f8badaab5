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

static void
list_json(const struct choice *choice)
{
    const struct peal_algorithm *a;
    char requires[200];
    struct peal_json json = {.out = stdout};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/list/1"), PEAL_OPEN("algorithms", '['));
    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        if (!is_chosen(choice, a))
            continue;
        peal_json_put(&json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'),
                      PEAL_STRING("collective", peal_collective_name(a->collective)), PEAL_STRING("algorithm", a->name),
                      PEAL_STRING("requires", peal_requirements_text(a, requires, sizeof requires)),
                      PEAL_STRING("closed_form", a->closed_form), PEAL_STRING("optimal", a->optimal),
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
                                   {"cost", a->closed_form},
                                   {"number", number},
                                   {"requires", requires},
                                   {"optimal in", a->optimal},
                                   {"source", a->source},
                                   {"identical", identical_text(a, identical)}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i][1] && *rows[i][1]) {
            fputs("  ", stdout);
            print_ink(stdout, FAINT);
            print_left(stdout, rows[i][0], 12);
            print_ink(stdout, PLAIN);
            print_wrapped(stdout, rows[i][1], 14);
        }
}

/* The columns of the whole catalogue. */
static void
list_table(void)
{
    const struct peal_algorithm *a;
    int width = 0;
    char name[100];

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
        print_wrapped(stdout, a->closed_form ? a->closed_form : "-", width + 2);
    }
    puts("\nT with α a start-up, β a word, P nodes, m words a block, n words a vector.\n"
         "peal list COLLECTIVE shows what each requires, where it is optimal, and its source.");
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
