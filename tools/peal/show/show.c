/* SPDX-License-Identifier: MIT */
/* What ran, its rounds and its cost. */
#include "show/show.h"
#include "show/table.h"
#include <inttypes.h>

/* How much of a long list is shown. */
enum { MAX_SIZES = 8 };

/* ------------------------------------------------------------------ what ran */

/* The operator, the root and the distance of a shift, where the collective has them. */
static void
show_arguments(FILE *out, const struct peal_situation *situation)
{
    if (peal_collective_has_op(situation->collective))
        fprintf(out, ", %s", situation->op->name);
    if (peal_collective_has_root(situation->collective))
        fprintf(out, ", root %d", situation->root);
    if (peal_form_of(situation->collective)->by)
        fprintf(out, ", by %d", situation->by);
}

void
show_situation(FILE *out, const struct peal_situation *situation)
{
    if (peal_form_of(situation->collective)->out == PEAL_SIDE_NONE)
        return;
    if (peal_collective_has_blocks(situation->collective))
        fprintf(out, ", m = %zu word%s a block", situation->words, plural(situation->words));
    else
        fprintf(out, ", n = %zu word%s", situation->words, plural(situation->words));
    show_arguments(out, situation);
}

static void
show_collective(FILE *out, const struct peal_outcome *outcome)
{
    const struct peal_layout *layout = &outcome->situation.layout;
    bool pairs = peal_form_of(outcome->situation.collective)->in == PEAL_SIDE_PAIRS;
    int64_t blocks = (int64_t)layout->nodes * (pairs ? layout->nodes : 1);
    int count = layout->size_count < blocks ? layout->size_count : (int)blocks;

    if (!layout->sizes) {
        show_situation(out, &outcome->situation);
        return;
    }
    fputs(", blocks of ", out);
    for (int i = 0; i < count && i < MAX_SIZES; i++)
        fprintf(out, "%s%zu", i ? ", " : "", layout->sizes[i]);
    fprintf(out, "%s words%s", count > MAX_SIZES ? ", .." : "", count < blocks ? ", repeated" : "");
    show_arguments(out, &outcome->situation);
}

enum { PLACED_LISTED = 16 }; /* hosts of a placement */

void
show_heading(FILE *out, const struct session *session)
{
    const struct peal_options *options = peal_machine_options(session->machine);
    const struct peal_network *network = peal_machine_network(session->machine);
    char count[64];

    print_inked(out, BOLD, "%s", session->name);
    fprintf(out, " on %s", print_count((unsigned)options->nodes, "node", count));
    if (!session->program)
        show_collective(out, &session->outcome);
    fputc('\n', out);
    show_machine_line(out, options, peal_network_name(network), peal_network_routing(network));
    show_placement(out, network);
}

void
show_placement(FILE *out, const struct peal_network *network)
{
    const struct peal_placement *placement = peal_network_placement(network);
    char text[300];
    struct peal_text line = empty_text(text, sizeof text);
    int nodes = peal_network_nodes(network), listed = nodes < PLACED_LISTED ? nodes : PLACED_LISTED;

    if (!placement)
        return;
    peal_append(line,
                "%s order, at most %d node%s per host, on %d of %d host%s; those of nodes 0 to %d:", placement->order,
                placement->per_host, plural(placement->per_host), placement->used, placement->hosts,
                plural(placement->hosts), listed - 1);
    for (int node = 0; node < listed; node++)
        peal_append(line, " %d", placement->host[node]);
    print_labelled(out, "placement", text);
}

void
show_machine_line(FILE *out, const struct peal_options *options, const char *topology, const char *routing)
{
    char count[64], ports[80] = "all ports", text[1000];
    struct peal_text line = empty_text(text, sizeof text);

    if (options->ports != PEAL_PORTS_ALL)
        snprintf(ports, sizeof ports, "%s", print_count((unsigned)options->ports, "port", count));
    peal_append(line, "%s, routing %s, %s, %s duplex, %s switching", topology, routing, ports,
                options->half_duplex ? "half" : "full", peal_switching_name(options->switching));
    if (options->congestion != PEAL_COUNT)
        peal_append(line, ", congestion by %s", peal_congestion_name(options->congestion));
    if (options->noncombining)
        peal_append(line, ", noncombining");
    if (options->eager)
        peal_append(line, ", eager:%zu", options->eager_words);
    print_wrapped(out, text, 0);
}

void
show_computing(FILE *out, const struct peal_options *options)
{
    char text[160], speed[60] = "";

    if (options->computing.source == PEAL_COMPUTE_COUNTED)
        return;
    if (options->computing.speed < 1 || options->computing.speed > 1)
        snprintf(speed, sizeof speed, ", for processors %.4g times as fast", options->computing.speed);
    snprintf(text, sizeof text, "%s%s: τ is a nanosecond",
             options->computing.source == PEAL_COMPUTE_SAMPLED ? "measured, in part sampled" : "measured", speed);
    print_labelled(out, "computing", text);
}

/* ------------------------------------------------------------------ the rounds */

static void
show_fill_round(struct table *table, size_t row, size_t i, void *context)
{
    const struct session *session = context;
    struct peal_round_summary round = {.k = 0};
    char text[100];

    peal_machine_round(session->machine, i, &round);
    table_set(table, row, 0, "%zu", i + 1);
    table_set(table, row, 1, "%zu", round.transfers);
    table_set(table, row, 2, round.transfers ? "%" PRIu32 : "-", round.k);
    table_set(table, row, 3, "%s", peal_cost_text(round.charge, text, sizeof text));
    table_set(table, row, 4, "%s", peal_cost_text(round.total, text, sizeof text));
}

void
show_rounds(FILE *out, const struct session *session)
{
    static const struct table_column layout[] = {
        {"round", .least = 7}, {"transfers", .least = 11}, {"largest k", .least = 11},
        {"charge", .gap = 3},  {"total", .gap = 3},
    };
    uint64_t rounds = peal_machine_rounds(session->machine);

    if (session->request->machine.rounds != PEAL_ROUNDS_NONE && rounds > 0)
        table_print_rounds(out, (size_t)rounds, sizeof layout / sizeof *layout, layout, show_fill_round,
                           (void *)(uintptr_t)session);
}

bool
show_same_kind(const struct peal_transfer *a, const struct peal_transfer *b)
{
    return a->words == b->words && a->hops == b->hops && a->k == b->k;
}

const char *
show_unit(const struct peal_options *options)
{
    return options->word_bytes == 1 ? "byte" : "word";
}

const char *
show_calls(const struct peal_callers *callers, const struct peal_transfer *transfer, char text[CALLS_TEXT])
{
    const uint32_t *numbers = transfer->calls;
    char sender[CALLS_TEXT / 2 - 4] = "", receiver[CALLS_TEXT / 2 - 4] = "";

    text[0] = '\0';
    if (!callers || !numbers[0])
        return text;
    peal_caller_text(&callers->callers[numbers[0] - 1], sender, sizeof sender);
    if (numbers[1])
        peal_caller_text(&callers->callers[numbers[1] - 1], receiver, sizeof receiver);
    if (!numbers[1] || strcmp(sender, receiver) == 0)
        snprintf(text, CALLS_TEXT, "%s", sender);
    else
        snprintf(text, CALLS_TEXT, "%s to %s", sender, receiver);
    return text;
}

const char *
show_round_calls(const struct peal_callers *callers, const struct peal_transfer *transfers, size_t count,
                 char text[CALLS_TEXT])
{
    size_t others = 0;

    text[0] = '\0';
    if (count == 0 || transfers->calls[0] == 0)
        return text;
    for (size_t i = 1; i < count; i++) {
        bool seen = false;

        for (size_t j = 0; j < i && !seen; j++)
            seen = transfers[j].calls[0] == transfers[i].calls[0];
        others += !seen;
    }
    peal_caller_text(&callers->callers[transfers->calls[0] - 1], text, CALLS_TEXT);
    if (others > 0)
        peal_append((struct peal_text){text, CALLS_TEXT}, " and %zu other%s", others, plural(others));
    return text;
}

size_t
show_count_same(const struct peal_schedule *schedule, size_t number)
{
    size_t next = number + 1;

    while (next < schedule->round_count && schedule->order[next] == schedule->order[number])
        next++;
    return next - number;
}

uint32_t
show_largest_k(const struct peal_transfer *transfers, size_t count)
{
    uint32_t k = 0;

    for (size_t i = 0; i < count; i++)
        k = transfers[i].k > k ? transfers[i].k : k;
    return k;
}

/* ------------------------------------------------------------------ what it cost */

char *
show_cost_at(struct peal_parameters parameters, struct peal_cost cost, char text[160])
{
    char formula[100], time[32];

    peal_cost_text(cost, formula, sizeof formula);
    print_number(peal_cost_time(cost, parameters), time);
    snprintf(text, 160, strcmp(formula, "0") == 0 ? "%s" : "%s = %s", formula, time);
    return text;
}

char *
show_cost(const struct session *session, struct peal_cost cost, char text[160])
{
    return show_cost_at(peal_machine_options(session->machine)->parameters, cost, text);
}

static struct peal_parameters in_nanoseconds = {.alpha = -1};
static bool all_in_nanoseconds;

void
show_in_nanoseconds(const struct peal_parameters *prices)
{
    if (prices)
        in_nanoseconds = *prices;
    else
        all_in_nanoseconds = true;
}

static bool
are_nanoseconds(struct peal_parameters p)
{
    return all_in_nanoseconds || (p.alpha == in_nanoseconds.alpha && p.beta == in_nanoseconds.beta &&
                                  p.hop == in_nanoseconds.hop && p.tau == in_nanoseconds.tau);
}

void
show_osu_head(FILE *out, enum peal_collective collective, const char *algorithm, int nodes)
{
    fprintf(out, "# Peal %s/%s on %d node%s, model time\n# %-10s%18s\n", peal_collective_name(collective), algorithm,
            nodes, plural(nodes), "Size", "Avg Latency(us)");
}

void
show_osu_line(FILE *out, size_t words, struct peal_cost cost, const struct peal_options *options)
{
    fprintf(out, "%-12zu%18.2f\n", words * options->word_bytes,
            peal_cost_time(cost, options->parameters) / (are_nanoseconds(options->parameters) ? 1000 : 1));
}

char *
show_prices(const struct peal_options *options, struct peal_cost cost, char text[SHOW_PRICES])
{
    struct peal_parameters p = options->parameters;
    bool charged[] = {true, true, cost.hop || options->switching == PEAL_WORMHOLE || p.hop > 0, cost.tau || p.tau > 0};
    const char *const names[] = {"α", "β", "t_d", "τ"};
    const double prices[] = {p.alpha, p.beta, p.hop, p.tau};
    struct peal_text out = empty_text(text, SHOW_PRICES);
    char number[32];

    for (int i = 0; i < 4; i++)
        if (charged[i])
            peal_append(out, "%s%s = %s", *text ? ", " : "(", names[i], print_number(prices[i], number));
    peal_append(out, are_nanoseconds(p) ? ", in ns)" : ")");
    return text;
}

const char *
show_free_hops(const struct peal_options *options, struct peal_cost cost)
{
    bool hops = cost.hop || options->switching == PEAL_WORMHOLE;

    return hops && !(options->parameters.hop > 0) ? "hops are free, as t_d is 0: --hop TIME gives them a price" : NULL;
}

void
show_parameters(FILE *out, const struct peal_options *options, struct peal_cost cost)
{
    char text[SHOW_PRICES];

    fprintf(out, "   %s\n", show_prices(options, cost, text));
    if (show_free_hops(options, cost))
        print_labelled(out, "note", show_free_hops(options, cost));
}

const char *
show_identical_place(enum peal_collective collective, enum peal_identical place)
{
    const char *const places[] = {
        [PEAL_IDENTICAL_NODES] = "on all nodes",
        [PEAL_IDENTICAL_ROOTS] = "for every root",
        [PEAL_IDENTICAL_SIZES] =
            peal_collective_has_blocks(collective) ? "for every m and block" : "for every n and word",
        [PEAL_IDENTICAL_ORDERS] = "in every order of arrival",
    };

    return places[place];
}

char *
show_identical(const struct peal_algorithm *algorithm, char text[80])
{
    struct peal_text out = empty_text(text, 80);
    bool applies = false;

    for (int i = 0; i < PEAL_IDENTICALS; i++) {
        enum peal_identical place = (enum peal_identical)i;

        if (!peal_identical_applies(algorithm->collective, place))
            continue;
        applies = true;
        if (!algorithm->loaded && !(algorithm->differs & 1u << place))
            peal_append(out, "%s%s", *text ? ", " : "", peal_identical_name(place));
    }
    if (applies && !*text)
        peal_append(out, algorithm->loaded ? "?" : "-");
    return text;
}

char *
show_ratio(double time, double before, char text[40])
{
    text[0] = '\0';
    if (!(time > 0) || !(before > 0))
        return text;
    snprintf(text, 40, "%.4g", time / before);
    if (strcmp(text, "1") == 0 && time != before)
        snprintf(text, 40, "just %s 1", time > before ? "above" : "below");
    return text;
}

const char *
show_definitions(const char *formula)
{
    int depth = 0;

    for (; *formula && (depth > 0 || strncmp(formula, ", ", 2) != 0); formula++)
        depth += strchr("([{", *formula) ? 1 : strchr(")]}", *formula) ? -1 : 0;
    return formula;
}

char *
show_form(const char *formula, struct peal_cost cost, const char *verdict, char text[SHOW_FORM])
{
    const char *definitions = show_definitions(formula);
    char value[100];

    peal_cost_text(cost, value, sizeof value);
    if (strcmp(formula, value) == 0)
        snprintf(text, SHOW_FORM, "%s, %s", value, verdict);
    else
        snprintf(text, SHOW_FORM, "%.*s = %s%s, %s", *formula ? (int)(definitions - formula) : SHOW_FORM,
                 *formula ? formula : "round by round,", value, definitions, verdict);
    return text;
}

void
show_closed_form(FILE *out, const char *formula, struct peal_cost cost, bool verified, bool equal)
{
    char text[SHOW_FORM];

    print_left(out, "closed form", LABEL_COLUMNS);
    print_ink(out, !verified ? PLAIN : equal ? GOOD : BAD);
    show_form(formula, cost,
              !verified ? "of a run that ends well"
              : equal   ? "equal"
                        : "NOT EQUAL to what was executed",
              text);
    print_wrapped(out, text, LABEL_COLUMNS);
    print_ink(out, PLAIN);
}

static void
show_run_closed_form(FILE *out, const struct session *session)
{
    const struct peal_outcome *outcome = &session->outcome;

    if (outcome->has_closed_form)
        show_closed_form(out, outcome->closed_form_text, outcome->closed_form, outcome->verified,
                         outcome->closed_form_equal);
    print_labelled(out, outcome->has_closed_form ? "" : "closed form", outcome->closed_form_source);
}

void
show_lower_bound(FILE *out, struct peal_parameters parameters, const struct peal_cost *bound, const char *ratio,
                 const char *source, const struct peal_cut *cut)
{
    char cost[160], text[400];

    if (!bound) {
        print_labelled(out, "lower bound", "none is known for this case");
        return;
    }
    snprintf(text, sizeof text, "%s%s%s", show_cost_at(parameters, *bound, cost), *ratio ? ", ratio " : "", ratio);
    print_labelled(out, "lower bound", text);
    if (source)
        print_labelled(out, "", source);
    if (cut)
        print_labelled(out, "", peal_cut_text(cut, text, sizeof text));
}

/* Whether a coefficient is above the bound's: other prices might make another run cheaper. */
static bool
is_above(struct peal_cost cost, struct peal_cost bound)
{
    return cost.alpha > bound.alpha || cost.beta > bound.beta || cost.hop > bound.hop || cost.tau > bound.tau;
}

/* A run with a wrong result is not compared: it did less than the bound is for, or something else. */
static void
show_run_lower_bound(FILE *out, const struct session *session)
{
    const struct peal_outcome *outcome = &session->outcome;
    struct peal_parameters parameters = peal_machine_options(session->machine)->parameters;
    struct peal_cost cost = peal_machine_cost(session->machine);
    struct peal_cut cut;
    char ratio[100] = "";

    if (outcome->has_lower_bound && outcome->verified)
        show_ratio(peal_cost_time(cost, parameters), peal_cost_time(outcome->lower_bound, parameters), ratio);
    if (strcmp(ratio, "1") == 0)
        snprintf(ratio, sizeof ratio, "1: no run can be cheaper%s",
                 is_above(cost, outcome->lower_bound) ? " for these prices" : "");
    show_lower_bound(out, parameters, outcome->has_lower_bound ? &outcome->lower_bound : NULL, ratio,
                     outcome->lower_bound_source, peal_lower_bound_cut(&outcome->situation, &cut) ? &cut : NULL);
}

static void
show_data(FILE *out, const struct session *session)
{
    const struct peal_outcome *outcome = &session->outcome;
    int nodes = outcome->situation.nodes;
    char text[400];

    if (outcome->nodes_correct == nodes)
        snprintf(text, sizeof text, "%d of %d nodes %s", nodes, nodes, peal_form_of(session->collective)->done);
    else
        snprintf(text, sizeof text, "only %d of %d nodes are right; %s", outcome->nodes_correct, nodes, outcome->wrong);
    print_left(out, "data", LABEL_COLUMNS);
    print_ink(out, outcome->verified ? GOOD : BAD);
    print_wrapped(out, text, LABEL_COLUMNS);
    print_ink(out, PLAIN);
}

/* Write a time in the unit that fits, "11.1 ms". */
static char *
time_text(double seconds, char text[32])
{
    static const char *const units[] = {"µs", "ms", "s"};
    double time = seconds * 1e6;
    int unit = 0;

    for (; unit < 2 && time >= 999.5; unit++)
        time /= 1000;
    snprintf(text, 32, time < 999.5 ? "%.3g %s" : "%.0f %s", time, units[unit]);
    return text;
}

/* The host's times. */
static void
show_measured(FILE *out, const struct session *session)
{
    const struct peal_measured *measured = peal_machine_measured(session->machine);
    char text[160], median[32], least[32], most[32];

    if (!measured)
        return;
    snprintf(text, sizeof text, "%s, the median of %d run%s; from %s to %s", time_text(measured->whole.median, median),
             measured->repetitions, plural(measured->repetitions), time_text(measured->whole.minimum, least),
             time_text(measured->whole.maximum, most));
    print_labelled(out, "measured", text);
}

void
show_summary(FILE *out, const struct session *session)
{
    const struct peal_options *options = peal_machine_options(session->machine);
    char text[160], seed[32];

    fputc('\n', out);
    print_inked(out, BOLD, "T%s = %s", session->failure ? " until then" : "",
                show_cost(session, peal_machine_cost(session->machine), text));
    show_parameters(out, options, peal_machine_cost(session->machine));
    if (!session->program && !session->failure) {
        show_run_closed_form(out, session);
        show_run_lower_bound(out, session);
    }
    print_labelled(out, "critical path", show_cost(session, peal_machine_critical_path(session->machine), text));
    if (!session->program && !session->failure)
        show_data(out, session);
    show_measured(out, session);
    snprintf(seed, sizeof seed, "%" PRIu64, options->seed);
    print_labelled(out, "seed", seed);
    print_labelled(out, "engine", options->engine);
}
