/* SPDX-License-Identifier: MIT */
/* peal list: the catalogue of algorithms; machines. */
#include "commands/commands.h"
#include "options/machines.h"
#include "run/proofs.h"
#include "show/formulas.h"

enum { MAX_TEXT = 8000, NAME_COLUMNS = 17 };

/* The requested part of the catalogue: all, one collective's, or one algorithm. */
struct list_choice {
    bool all;
    enum peal_collective collective;        /* unless all */
    const struct peal_algorithm *algorithm; /* NULL: all of the collective */
};

static bool
is_chosen(const struct list_choice *choice, const struct peal_algorithm *a)
{
    if (choice->all)
        return true;
    return choice->algorithm ? a == choice->algorithm : a->collective == choice->collective;
}

/* Write where results are identical though the operator is not associative, and where not. */
static char *
identical_text(const struct peal_algorithm *a, char text[300])
{
    struct peal_text out = empty_text(text, 300);

    for (int differs = 0; differs <= 1; differs++)
        for (int i = 0; i < PEAL_IDENTICALS; i++) {
            enum peal_identical place = (enum peal_identical)i;

            if (peal_identical_applies(a->collective, place) && (a->differs >> place & 1) == (unsigned)differs)
                peal_append(out, "%s%s%s", *text ? ", " : "", differs ? "not " : "",
                            show_identical_place(a->collective, place));
        }
    if (a->differs & PEAL_DIFFERS(NODES))
        peal_append(out, "; never chosen unless it is named");
    return text;
}

/* The text as in the documents' closed_form; NULL without a closed form. */
static const char *
closed_form_text(const struct peal_algorithm *a, char text[MAX_TEXT])
{
    struct formula list[MAX_FORMULAS];
    char one[sizeof list[0]];
    struct peal_text out = empty_text(text, MAX_TEXT);
    int count = formulas_of(a, PEAL_IDEAL, list);

    for (int i = 0; i < count; i++)
        peal_append(out, "%s%s", i ? "; " : "", formula_text(&list[i], one));
    return count ? text : a->cost ? "round by round" : NULL;
}

static void
list_json(const struct list_choice *choice)
{
    const struct peal_algorithm *a;
    char requires[200], closed[MAX_TEXT], proved[PROVED_TEXT];
    struct peal_json json = {.out = stdout};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/list/1"), PEAL_OPEN("algorithms", '['));
    for (int i = 0; (a = peal_algorithm_get(i)); i++) {
        if (!is_chosen(choice, a))
            continue;
        peal_json_put(&json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'),
                      PEAL_STRING("collective", peal_collective_name(a->collective)), PEAL_STRING("algorithm", a->name),
                      PEAL_WHERE(a->also, PEAL_STRING("alias", a->also)),
                      PEAL_STRING("requires", peal_requirements_text(a, requires, sizeof requires)),
                      PEAL_STRING("closed_form", closed_form_text(a, closed)), PEAL_STRING("optimal", a->optimal),
                      PEAL_STRING("source", a->source));
        document_identical(&json, a);
        peal_json_put(&json, PEAL_STRING("proved", proofs_claim(a, proved)), PEAL_CLOSE('}'));
    }
    peal_json_put(&json, PEAL_LINE(0), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

static void
show_row(const char *name, const char *text)
{
    fputs("  ", stdout);
    print_ink(stdout, FAINT);
    print_left(stdout, name, NAME_COLUMNS - 2);
    print_ink(stdout, PLAIN);
    print_wrapped(stdout, text, NAME_COLUMNS);
}

/* Its formulas with this switching, one under the other; false: there are none. */
static bool
show_formulas(const struct peal_algorithm *a, const char *name, enum peal_switching switching)
{
    struct formula list[MAX_FORMULAS];
    char text[sizeof list[0]];
    int count = formulas_of(a, switching, list);

    for (int i = 0; i < count; i++)
        show_row(i == 0 ? name : "", formula_text(&list[i], text));
    return count > 0;
}

/* One algorithm: its name and closed form, then its description; `whole`: with all switchings. */
static void
list_show_algorithm(const struct peal_algorithm *a, bool whole)
{
    char name[100], requires[200], number[100] = "", most[40] = "", identical[300], places[600], derived[700] = "";
    char proved[PROVED_TEXT];

    snprintf(name, sizeof name, "%s/%s", peal_collective_name(a->collective), a->name);
    if (a->parameter.most > 0)
        snprintf(most, sizeof most, " to %d", a->parameter.most);
    if (a->parameter.name)
        snprintf(number, sizeof number, "%s:N, N %s, from %d%s; without it the cheapest", a->name, a->parameter.name,
                 a->parameter.least, most);
    print_inked(stdout, BOLD, "%s\n", name);
    fputs("  ", stdout);
    print_wrapped(stdout, a->summary, 2);
    if (a->also)
        show_row("also", a->also);
    if (!show_formulas(a, "cost", PEAL_IDEAL) && a->cost)
        show_row("cost", "round by round");
    if (whole) {
        show_formulas(a, "wormhole", PEAL_WORMHOLE);
        show_formulas(a, "store-forward", PEAL_STORE_FORWARD);
    }
    if (a->cost)
        snprintf(derived, sizeof derived, "here%s%s", *cited_places(a, places) ? ", but for " : "", places);
    peal_requirements_text(a, requires, sizeof requires);
    const char *const rows[][2] = {{"number", number},
                                   {"requires", requires},
                                   {"optimal in", a->optimal},
                                   {"source", a->source},
                                   {"derived", derived},
                                   {"identical", identical_text(a, identical)},
                                   {"proved", proofs_claim(a, proved)}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i][1] && *rows[i][1])
            show_row(rows[i][0], rows[i][1]);
}

/* The first of its formulas, with its places unless it holds on every full network. */
static const char *
first_text(const struct peal_algorithm *a, char text[MAX_TEXT])
{
    struct formula list[MAX_FORMULAS];

    if (formulas_of(a, PEAL_IDEAL, list) == 0)
        return a->cost ? "round by round" : "-";
    return list[0].full ? strcpy(text, list[0].text) : formula_text(&list[0], text);
}

/* The columns of the whole catalogue. */
static void
list_show_table(void)
{
    const struct peal_algorithm *a;
    enum { CLAIM = 9 };
    int width = 0;
    char name[100], closed[MAX_TEXT], proved[PROVED_TEXT];

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
        print_left(stdout, *proofs_claim(a, proved) == 'e' ? "every P" : "P <= 16", CLAIM);
        print_wrapped(stdout, first_text(a, closed), width + 2 + CLAIM);
    }
    puts("\nThe second column is what peal check proves: with --every, from the code, every P\n"
         "to 2^24 that the algorithm runs on; else P <= 16, by runs of every case.\n"
         "T with α a start-up, β a word, P nodes, m words per block, n words per vector;\n"
         "on a full network where none is named.  peal list COLLECTIVE shows the other\n"
         "networks, requirements, where each is optimal, and its source.");
}

/* The full description of each chosen algorithm. */
static void
show_chosen(const struct list_choice *choice)
{
    const struct peal_algorithm *a;
    bool follows = false;

    for (int i = 0; (a = peal_algorithm_get(i)); i++)
        if (is_chosen(choice, a)) {
            if (follows)
                putchar('\n');
            list_show_algorithm(a, choice->algorithm);
            follows = true;
        }
}

/* ------------------------------------------------------------------ a textbook */

/* Show table 4.1 of Grama et al. 2003 beside the catalogue: m is the words of a message, which are n for vectors. */
static void
show_grama(void)
{
    static const struct {
        const char *operation, *time, *algorithms[4];
    } rows[] = {
        {"one-to-all broadcast",
         "min((α + βm)log₂P, 2(α log₂P + βm))",
         {"broadcast/binomial", "broadcast/scatter-doubling"}},
        {"all-to-one reduction", "min((α + βm)log₂P, 2(α log₂P + βm))", {"reduce/binomial", "reduce/rabenseifner"}},
        {"all-to-all broadcast", "α log₂P + βm(P−1)", {"allgather/recursive-doubling"}},
        {"all-to-all reduction", "α log₂P + βm(P−1)", {"reduce-scatter/halving"}},
        {"all-reduce",
         "min((α + βm)log₂P, 2(α log₂P + βm))",
         {"allreduce/recursive-doubling", "allreduce/rabenseifner"}},
        {"scatter", "α log₂P + βm(P−1)", {"scatter/binomial"}},
        {"gather", "α log₂P + βm(P−1)", {"gather/binomial"}},
        {"all-to-all personalized", "(α + βm)(P−1)", {"alltoall/xor"}},
        {"circular shift", "α + βm", {"shift/direct"}},
    };

    puts("Grama et al. 2003, table 4.1: times on a hypercube of P = 2^q nodes, one port,\n"
         "cut-through routing. Their t_s is α, their t_w β; m is the words of a message.\n"
         "Below each: what Peal calls it.\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        print_left(stdout, rows[i].operation, NAME_COLUMNS + 8);
        puts(rows[i].time);
        for (int k = 0; rows[i].algorithms[k]; k++) {
            enum peal_collective collective;
            const struct peal_algorithm *a;
            struct peal_error error;
            char text[MAX_TEXT];

            if (target_find_listed(rows[i].algorithms[k], &collective, &a, &error) == PEAL_OK) {
                printf("  ");
                print_left(stdout, rows[i].algorithms[k], 30);
                print_wrapped(stdout, first_text(a, text), 32);
            }
        }
    }
    puts("\nTheir m is a block of m words, or a vector of n words, here. 2βn(P−1)/P is their\n"
         "2βm, without the approximation (P−1)/P ≈ 1.");
}

/* ------------------------------------------------------------------ machines */

static void
machines_json(void)
{
    struct peal_json json = {.out = stdout};
    struct machine machine;

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_STRING("schema", "peal/list/1"), PEAL_OPEN("machines", '['));
    for (int i = 0; machine_get(i, &machine); i++) {
        peal_json_put(&json, PEAL_LINE(2), PEAL_OPEN(NULL, '{'), PEAL_STRING("machine", machine.name));
        for (int k = 0; k < machine.count; k++)
            peal_json_put(&json, PEAL_STRING(machine.entries[k].key, machine.entries[k].value));
        peal_json_put(&json, PEAL_OPEN("sources", '{'));
        for (int k = 0; k < machine.count; k++)
            if (machine.entries[k].source)
                peal_json_put(&json, PEAL_STRING(machine.entries[k].key, machine.entries[k].source));
        peal_json_put(&json, PEAL_CLOSE('}'), PEAL_CLOSE('}'));
        free(machine.text);
    }
    peal_json_put(&json, PEAL_LINE(0), PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

static void
machines_table(void)
{
    struct machine machine;

    printf("  %-15s %7s  %-8s %s\n", "machine", "α/ns", "β/(ns/B)", "what it is");
    for (int i = 0; machine_get(i, &machine); i++) {
        printf("  %-15s %6s  %-8s ", machine.name, machine_value(&machine, "alpha"), machine_value(&machine, "beta"));
        print_wrapped(stdout, machine.about, 35);
        free(machine.text);
    }
    puts("\npeal list machines/NAME prints one with its sources, as a file for --machine.");
}

/* All of one machine, in the form of a file for --machine. */
static int
show_machine(const char *name)
{
    struct machine machine;
    struct peal_error why;

    if (machine_find(name, &machine, &why) != PEAL_OK) {
        free(machine.text);
        return complain_of(why.status, "machines/%s: %s", name, why.text);
    }
    printf("[%s]\n", machine.name);
    for (int i = 0; i < machine.count; i++)
        printf("%s = %s%s%s\n", machine.entries[i].key, machine.entries[i].value, machine.entries[i].source ? "; " : "",
               machine.entries[i].source ? machine.entries[i].source : "");
    free(machine.text);
    return 0;
}

static int
command_list_run(const struct command_request *request)
{
    struct peal_error error;
    struct list_choice choice = {.all = request->argument_count == 0};

    if (request->program || request->argument_count > 1)
        return complain_of(PEAL_USAGE, "list takes one collective, one COLLECTIVE/ALGORITHM, machines, or nothing");
    if (request->list->book && (!choice.all || request->document.json))
        return complain_of(PEAL_USAGE, "--book shows the table of a textbook, and takes neither a name nor --json");
    if (request->list->book) {
        show_grama();
        return 0;
    }
    if (!choice.all && strncmp(request->arguments[0], "machines/", 9) == 0 && !request->document.json)
        return show_machine(request->arguments[0] + 9);
    if (!choice.all && strcmp(request->arguments[0], "machines") == 0) {
        if (request->document.json)
            machines_json();
        else
            machines_table();
        return 0;
    }
    if (!choice.all &&
        target_find_listed(request->arguments[0], &choice.collective, &choice.algorithm, &error) != PEAL_OK)
        return complain(&error);
    if (request->document.json)
        list_json(&choice);
    else if (choice.all)
        list_show_table();
    else
        show_chosen(&choice);
    return 0;
}

const struct command command_list = {
    .name = "list",
    .arguments = "[COLLECTIVE[/ALGORITHM] | machines[/NAME] | --book NAME] [--json]",
    .summary = "list the algorithms: costs, requirements, sources",
    .examples = "  peal list               the whole catalogue\n"
                "  peal list scatter       all that Peal knows about the scatters\n"
                "  peal list scatter/rda   one of them, with all switchings\n"
                "  peal list machines      machines that exist, for --machine\n"
                "  peal list --book grama  the operations as that textbook names them\n"
                "  peal list --json        for programs\n",
    .completes = WORDS_LISTED_ALGORITHM,
    .run = command_list_run,
};
