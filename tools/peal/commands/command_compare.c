/* SPDX-License-Identifier: MIT */
/* peal compare: every algorithm of a collective on one machine, run and checked, the cheapest first. */
#include "commands/commands.h"
#include "show/optimal.h"
#include "study/candidates.h"

struct comparison {
    const struct command_request *request;
    struct peal_options options;
    struct candidates candidates;
    struct peal_network *network;
    struct peal_situation situation;
    struct trial *trials;
    const char *engine; /* how nodes ran */
    bool has_bound;
    struct peal_cost bound;
    const char *bound_source;
    struct optimal optimal; /* with --optimal */
};

/* ------------------------------------------------------------------ the table */

enum { NAME, ROUNDS, WORDS, K, COST, TIME, MEASURED, FORM, IDENTICAL, RATIO, HOST, COLUMN_COUNT };

static const struct table_column layout[COLUMN_COUNT] = {
    [NAME] = {"algorithm", .gap = 2, .left = true},
    [ROUNDS] = {"rounds", .gap = 2},
    [WORDS] = {"words", .gap = 2},
    [K] = {"k", .gap = 2},
    [COST] = {"cost", .gap = 2, .left = true},
    [TIME] = {"time", .gap = 2},
    [MEASURED] = {"measured, µs", .gap = 2},
    [FORM] = {"form", .gap = 2, .left = true},
    [IDENTICAL] = {"identical", .gap = 2, .left = true},
    [RATIO] = {"ratio", .gap = 2},
    [HOST] = {"host", .gap = 2},
};

/* Write the host's time, "1.2 ms". */
static char *
host_text(double seconds, char text[40])
{
    snprintf(text, 40, seconds < 1 ? "%.3g ms" : "%.3g s", seconds < 1 ? seconds * 1000 : seconds);
    return text;
}

/* Whether the run failed or computed something else, so that its cost cannot be compared. */
static bool
has_wrong_result(const struct trial *trial)
{
    return trial->status != PEAL_OK && strcmp(trial->kind, "closed-form") != 0;
}

static void
compare_fill_row(const struct comparison *c, const struct trial *trial, struct table *table, size_t row)
{
    struct peal_parameters parameters = c->options.parameters;
    struct peal_cost cost = peal_trial_cost(trial);
    double time = peal_cost_time(cost, parameters);
    char text[120], ratio[40] = "";

    if (trial->parameter > 0 && !strchr(trial->name, ':'))
        table_set(table, row, NAME, "%s:%d", trial->name, trial->parameter);
    else
        table_set(table, row, NAME, "%s", trial->name);
    table_set(table, row, ROUNDS, trial->executed ? "%zu" : "-", trial->rounds);
    table_set(table, row, WORDS, trial->executed ? "%" PRIu64 : "-", trial->words);
    table_set(table, row, K, trial->transfers ? "%" PRIu32 : "-", trial->k);
    table_set(table, row, COST, "%s", peal_cost_text(cost, text, sizeof text));
    table_set(table, row, TIME, "%s", print_number(time, text));
    peal_measured_text(trial, text);
    table_set(table, row, MEASURED, "%s", text);
    table_set(table, row, FORM, "%s",
              has_wrong_result(trial)                     ? "FAILED"
              : !trial->executed                          ? "computed"
              : !trial->has_form                          ? "-"
              : peal_cost_equal(trial->form, trial->cost) ? "equal"
                                                          : "NOT EQUAL");
    table_set(table, row, IDENTICAL, "%s", show_identical(trial->algorithm, text));
    if (c->has_bound && trial->status == PEAL_OK)
        show_ratio(time, peal_cost_time(c->bound, parameters), ratio);
    table_set(table, row, RATIO, "%s", *ratio ? ratio : "-");
    table_set(table, row, HOST, "%s", trial->executed ? host_text(trial->seconds, text) : "-");
    for (size_t i = 0; trial->status != PEAL_OK && i < COLUMN_COUNT; i++)
        table_ink(table, row, i, BAD);
}

/* Whether the trial was run, or its cost was computed where nothing is run. */
static bool
compare_is_row(const struct comparison *c, const struct trial *trial)
{
    return trial->executed || (c->request->session.computes && peal_trial_counts(trial));
}

static enum peal_status
show_rows(const struct comparison *c, struct peal_error *error)
{
    struct table table;
    size_t count = 0, row = 1;

    for (int i = 0; i < c->candidates.count; i++)
        count += compare_is_row(c, &c->trials[i]);
    table_begin(&table, count, COLUMN_COUNT, layout);
    for (int i = 0; i < c->candidates.count; i++)
        if (compare_is_row(c, &c->trials[i]))
            compare_fill_row(c, &c->trials[i], &table, row++);
    table.hidden = peal_is_measured(&c->options) ? 1 << WORDS | 1 << K | 1 << HOST /* a line has no room for all */
                                                 : 1 << MEASURED;
    if (peal_is_measured(&c->options) || !peal_collective_has_op(c->candidates.collective))
        table.hidden |= 1 << IDENTICAL;
    if (count > 0)
        table_print_parts(stdout, &table);
    return table_end(&table, error);
}

static void
compare_show_list(const struct comparison *c, const char *heading, bool excluded)
{
    bool headed = false;
    int width = show_names_width(c->trials, c->candidates.count);

    for (int i = 0; i < c->candidates.count; i++) {
        const struct trial *trial = &c->trials[i];
        const char *why = excluded ? trial->excluded : trial->excluded[0] ? "" : trial->wrong;
        char text[700];

        if (!*why)
            continue;
        if (!headed)
            print_title(stdout, heading);
        headed = true;
        fputs("  ", stdout);
        print_left(stdout, trial->name, width + 2);
        snprintf(text, sizeof text, "%s%s%s", excluded ? "" : trial->kind, excluded ? "" : ": ", why);
        print_wrapped(stdout, text, width + 4);
    }
}

static enum peal_status
show_table(const struct comparison *c, struct peal_error *error)
{
    struct peal_cut cut;
    char count[64], text[32];

    print_inked(stdout, BOLD, "%s", peal_collective_name(c->candidates.collective));
    printf(" on %s", print_count((unsigned)c->options.nodes, "node", count));
    show_situation(stdout, &c->situation);
    putchar('\n');
    show_machine_line(stdout, &c->options, peal_network_name(c->network), peal_network_routing(c->network));
    show_placement(stdout, c->network);

    enum peal_status status = show_rows(c, error);

    putchar('\n');
    show_lower_bound(stdout, c->options.parameters, c->has_bound ? &c->bound : NULL, "", c->bound_source,
                     peal_lower_bound_cut(&c->situation, &cut) ? &cut : NULL);
    print_labelled(stdout, "engine", c->engine);
    snprintf(text, sizeof text, "%" PRIu64, c->options.seed);
    print_labelled(stdout, "seed", text);
    fputs("prices", stdout);
    printf("%*s", LABEL_COLUMNS - 6 - 3, "");
    show_parameters(stdout, &c->options, (struct peal_cost){0});
    compare_show_list(c, "Wrong", false);
    compare_show_list(c, "Excluded", true);
    if (status == PEAL_OK && c->request->compare->optimal)
        status = optimal_show(stdout, &c->optimal, error);
    return status;
}

/* ------------------------------------------------------------------ for programs */

/* Two columns for each algorithm, as the OSU benchmarks print them: bytes of a block or vector, the model's time. */
static void
write_osu(FILE *out, const struct comparison *c)
{
    bool follows = false;

    for (int i = 0; i < c->candidates.count; i++) {
        const struct trial *trial = &c->trials[i];

        if (!peal_trial_counts(trial))
            continue;
        if (follows)
            fputs("\n\n", out);
        follows = true;
        show_osu_head(out, c->candidates.collective, trial->name, c->options.nodes);
        show_osu_line(out, c->situation.words, peal_trial_cost(trial), &c->options);
    }
}

static void
compare_write_csv(FILE *out, const struct comparison *c)
{
    bool measured = peal_is_measured(&c->options);

    fputs("algorithm,state,rounds,transfers,words,k,alpha,beta,hop,tau,time,closed_form,ratio,seconds", out);
    fputs(measured ? MEASURED_HEAD "\n" : "\n", out);
    for (int i = 0; i < c->candidates.count; i++) {
        const struct trial *t = &c->trials[i];
        double bound = c->has_bound && t->status == PEAL_OK ? peal_cost_time(c->bound, c->options.parameters) : 0;

        csv_put(out, PEAL_STRING(NULL, t->name),
                PEAL_STRING(NULL, t->excluded[0] ? "excluded"
                                  : t->kind      ? t->kind
                                  : !t->executed ? "computed"
                                                 : "ok"));
        if (compare_is_row(c, t) && !t->executed) {
            double computed = peal_cost_time(t->form, c->options.parameters);

            fputs(",,,,,", out);
            csv_put(out, CSV_COST(t->form), PEAL_NUMBER(NULL, computed), PEAL_STRING(NULL, "computed"),
                    PEAL_NUMBER(NULL, bound > 0 ? computed / bound : (double)NAN));
            fputs(",\n", out);
            continue;
        }
        if (!t->executed) {
            fputs(measured ? ",,,,,,,,,,,,,,,,\n" : ",,,,,,,,,,,,\n", out);
            continue;
        }
        double time = peal_cost_time(t->cost, c->options.parameters);

        fputc(',', out);
        csv_put(out, PEAL_UINT(NULL, t->rounds), PEAL_UINT(NULL, t->transfers), PEAL_UINT(NULL, t->words),
                PEAL_UINT(NULL, t->k), CSV_COST(t->cost), PEAL_NUMBER(NULL, time),
                PEAL_STRING(NULL, !t->has_form || has_wrong_result(t) ? NULL
                                  : peal_cost_equal(t->form, t->cost) ? "equal"
                                                                      : "unequal"),
                PEAL_NUMBER(NULL, bound > 0 ? time / bound : (double)NAN));
        fprintf(out, ",%.6g", t->seconds);
        if (measured)
            csv_measured(out, t);
        fputc('\n', out);
    }
}

static void
write_trial(struct peal_json *json, const struct comparison *c, const struct trial *t)
{
    enum { INDENT = 5 };
    struct peal_parameters parameters = c->options.parameters;
    double bound = c->has_bound && t->status == PEAL_OK ? peal_cost_time(c->bound, parameters) : 0;

    const char *also = t->algorithm->also; /* the name that was not typed */
    bool run = t->executed;

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("algorithm", t->name),
                  PEAL_WHERE(also && strcmp(t->name, also) != 0, PEAL_STRING("alias", also)),
                  PEAL_WHERE(t->parameter > 0, PEAL_INT("parameter", t->parameter)),
                  PEAL_WHERE(!run, PEAL_BOOL("executed", false)), PEAL_UINT_IF("rounds", run, t->rounds),
                  PEAL_UINT_IF("transfers", run, t->transfers), PEAL_UINT_IF("words", run, t->words),
                  PEAL_UINT_IF("k", run, t->k), PEAL_LINE(INDENT));
    peal_json_member_cost(json, "cost", t->executed ? &t->cost : &t->form, parameters);
    peal_json_put(json, PEAL_LINE(INDENT));
    peal_json_member_cost(json, "critical_path", t->executed ? &t->critical_path : NULL, parameters);
    peal_json_put(json, PEAL_LINE(INDENT));
    document_form(json, t, parameters);
    peal_json_put(json, PEAL_LINE(INDENT));
    document_identical(json, t->algorithm);
    peal_json_put(
        json, PEAL_LINE(INDENT),
        PEAL_NUMBER("ratio", bound > 0 ? peal_cost_time(peal_trial_cost(t), parameters) / bound : (double)NAN),
        PEAL_BOOL("verified", t->executed && t->nodes_correct == c->options.nodes));
    if (t->status != PEAL_OK)
        peal_json_put(json, PEAL_OPEN("wrong", '{'), PEAL_STRING("kind", t->kind), PEAL_STRING("message", t->wrong),
                      PEAL_CLOSE('}'));
    else
        peal_json_put(json, PEAL_NULL("wrong"));
    peal_json_put(json, PEAL_NUMBER("seconds", t->executed ? t->seconds : (double)NAN));
    document_measured(json, t);
    peal_json_put(json, PEAL_CLOSE('}'));
}

static void
compare_write_json(FILE *out, const struct comparison *c)
{
    struct peal_json json = {.out = out};

    peal_json_put(&json, PEAL_OPEN(NULL, '{'), PEAL_BREAK, PEAL_STRING("schema", "peal/compare/2"),
                  PEAL_STRING("collective", peal_collective_name(c->candidates.collective)),
                  PEAL_INT("nodes", c->options.nodes));
    document_sizes(&json, &c->situation);
    peal_json_put(&json, PEAL_INT("root", c->situation.root),
                  PEAL_STRING("op", c->situation.op ? c->situation.op->name : NULL));
    document_machine(&json, &c->options, c->network, c->engine);
    peal_json_member_cost(&json, "lower_bound", c->has_bound ? &c->bound : NULL, c->options.parameters);
    if (c->request->compare->optimal)
        optimal_write(&json, &c->optimal);
    peal_json_put(&json, PEAL_BREAK, PEAL_OPEN("algorithms", '['));
    for (int i = 0; i < c->candidates.count; i++)
        if (compare_is_row(c, &c->trials[i]) && !c->trials[i].excluded[0])
            write_trial(&json, c, &c->trials[i]);
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_OPEN("excluded", '['));
    for (int i = 0; i < c->candidates.count; i++)
        if (c->trials[i].excluded[0]) {
            peal_json_put(&json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_STRING("algorithm", c->trials[i].name),
                          PEAL_STRING("reason", c->trials[i].excluded), PEAL_CLOSE('}'));
        }
    peal_json_put(&json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_CLOSE('}'));
}

DOCUMENT_WRITER(compare_document_csv, compare_write_csv)
DOCUMENT_WRITER(compare_document_json, compare_write_json)
DOCUMENT_WRITER(compare_document_osu, write_osu)

/* ------------------------------------------------------------------ the command */

static enum peal_status
compare_prepare(struct comparison *c, struct peal_error *error)
{
    const struct command_request *request = c->request;
    size_t words = 0;
    enum peal_status status = candidates_find(&c->candidates, request, error);

    c->options = request->machine;
    c->options.rounds = PEAL_ROUNDS_ALL;
    target_suit(request, NULL, &c->options);
    if (status == PEAL_OK && request->compare->osu && (request->document.json || request->document.csv))
        status =
            peal_refuse(error, PEAL_USAGE, "--format osu, --csv and --json: one of them at a time (or --json=FILE)");
    if (status == PEAL_OK && request->document.csv && request->document.json)
        status = peal_refuse(error, PEAL_USAGE, "--csv and --json: one of them at a time (or --csv=FILE)");
    if (status == PEAL_OK && request->compare->optimal && (request->compare->osu || request->document.csv))
        status = peal_refuse(error, PEAL_USAGE, "--optimal is shown by the table and by --json, not by %s",
                             request->compare->osu ? "--format osu" : "--csv");
    if (status == PEAL_OK)
        status = exercise_size(request, c->candidates.collective, &words, error);
    if (status == PEAL_OK &&
        !(c->network = peal_network_create(c->options.topology, c->options.nodes, c->options.routing, error)))
        status = error->status;
    if (status != PEAL_OK)
        return status;
    exercise_notes(request, c->candidates.collective);
    if (!(c->trials = calloc((size_t)c->candidates.count + 1, sizeof *c->trials)))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    return situation_find(request, c->candidates.collective, c->network, words, &c->situation, error);
}

static bool
runs_any(const struct comparison *c)
{
    for (int i = 0; i < c->candidates.count; i++)
        if (c->trials[i].executed)
            return true;
    return false;
}

/* Where there is no room for any of them, there is nothing to compare. */
static enum peal_status
compare_refuse_all(const struct comparison *c, struct peal_error *error)
{
    for (int i = 0; i < c->candidates.count; i++)
        if (c->trials[i].unfit[0])
            return peal_refuse(error, PEAL_RESOURCES, "%s/%s %s", peal_collective_name(c->candidates.collective),
                               c->trials[i].name, c->trials[i].unfit);
    return PEAL_OK;
}

static enum peal_status
run_all(struct comparison *c, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    c->has_bound = peal_lower_bound(&c->situation, &c->bound, &c->bound_source);
    for (int i = 0; i < c->candidates.count && status == PEAL_OK; i++) {
        peal_trial_begin(&c->trials[i], &c->candidates.all[i], &c->situation);
        if (c->request->session.computes && !c->trials[i].excluded[0] && !c->trials[i].has_form)
            strcpy(c->trials[i].excluded, "has no closed form here, and was not run");
        if (!c->trials[i].excluded[0] && !c->request->session.computes)
            status = peal_trial_run(&c->trials[i], &c->situation, &c->options, c->request->launch.repetitions,
                                    &c->engine, error);
        if (c->trials[i].unfit[0])
            memcpy(c->trials[i].excluded, c->trials[i].unfit, sizeof c->trials[i].excluded);
    }
    if (status == PEAL_OK && !c->request->session.computes && !runs_any(c))
        status = compare_refuse_all(c, error);
    if (status == PEAL_OK)
        peal_trials_sort(c->trials, c->candidates.count, c->options.parameters);
    c->optimal = (struct optimal){.situation = &c->situation, .trials = c->trials, .count = c->candidates.count};
    if (status == PEAL_OK && c->request->compare->optimal)
        status = optimal_find(&c->optimal, error);
    return status;
}

/* Report on stderr what is wrong with each trial; if only one is wrong, its name is enough to find it in the table. */
static void
compare_report_wrong(const struct comparison *c)
{
    for (int i = 0; i < c->candidates.count; i++)
        if (!c->trials[i].excluded[0] && c->trials[i].status != PEAL_OK)
            fprintf(stderr, "peal: %s/%s: %s: %s\n", peal_collective_name(c->candidates.collective), c->trials[i].name,
                    c->trials[i].kind, c->trials[i].wrong);
}

static int
command_compare_run(const struct command_request *request)
{
    struct comparison comparison = {.request = request, .engine = "none"};
    struct writings writings = {
        .request = request,
        .list = {{compare_document_csv, request->document.csv_file, request->document.csv, false},
                 {compare_document_json, request->document.json_file, request->document.json, false},
                 {compare_document_osu, NULL, request->compare->osu, false}},
        .page = compare_document_json};
    struct peal_error error = {PEAL_OK, ""};
    enum peal_status status = compare_prepare(&comparison, &error);

    if (status == PEAL_OK)
        status = writings_open(&writings, &error);
    if (status == PEAL_OK)
        status = run_all(&comparison, &error);
    if (status == PEAL_OK)
        status = writings_here(&writings) ? PEAL_OK : show_table(&comparison, &error);
    status = writings_close(&writings, status, &comparison, &error);
    int code = status == PEAL_OK ? peal_trials_code(comparison.trials, comparison.candidates.count) : complain(&error);

    if (status == PEAL_OK)
        compare_report_wrong(&comparison);
    optimal_fini(&comparison.optimal);
    free(comparison.trials);
    peal_network_destroy(comparison.network);
    peal_candidates_fini(&comparison.candidates);
    return code;
}

const struct command command_compare = {
    .name = "compare",
    .arguments = "COLLECTIVE[/ALGORITHM]...  [options]",
    .summary = "run every algorithm of a collective, verified, best first",
    .examples = "  peal compare allreduce -p 16 -n 1M                  all that can do it\n"
                "  peal compare scatter -p 64 -m 100 -t torus:8x8      on a torus\n"
                "  peal compare alltoall -p 1024 --csv > table.csv     for a spreadsheet\n"
                "  peal compare broadcast/binomial broadcast/linear    only these two\n"
                "  peal compare broadcast -p 6 --optimal               beside the optimum\n",
    .completes = WORDS_TARGET,
    .run = command_compare_run,
};
