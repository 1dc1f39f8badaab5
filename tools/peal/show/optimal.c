/* SPDX-License-Identifier: MIT */
/* Finds the kept front for a machine, prices its points, and words what is proved about them. */
#include "show/optimal.h"
#include "lib/synthesis/synthesis.h"
#include "show/show.h"
#include "show/table.h"
#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ prices */

/* The longest chunk of a point's schedule. */
static size_t
chunk_words(const struct optimal *optimal, const struct optimal_point *point)
{
    size_t chunks = (size_t)point->chunks, words = optimal->situation->words;

    return words / chunks + (words % chunks != 0);
}

/* Whether what each point costs fits in 64 bits. */
static bool
is_counted(const struct optimal *optimal)
{
    for (int i = 0; i < optimal->front->count; i++) {
        const struct optimal_point *point = &optimal_points[optimal->front->first + i];
        int64_t beta;

        if (__builtin_mul_overflow(chunk_words(optimal, point), point->rounds, &beta))
            return false;
    }
    return true;
}

/* The charge of a point's schedule: S·α + R·⌈m/C⌉·β. */
static struct peal_cost
optimal_price(const struct optimal *optimal, const struct optimal_point *point)
{
    return (struct peal_cost){.alpha = point->steps, .beta = (int64_t)chunk_words(optimal, point) * point->rounds};
}

/* ------------------------------------------------------------------ which front */

/* Why no synthesis answers for this machine; NULL: one does. */
static const char *
beyond_synthesis(const struct peal_situation *s)
{
    struct peal_synthesis asked = {.collective = s->collective,
                                   .network = s->network,
                                   .root = peal_collective_has_root(s->collective) ? s->root : 0,
                                   .rules = s->rules,
                                   .chunks = 1};
    struct peal_synthesis_cut cut;

    if (s->nodes == 1)
        return "one node has nothing to send";
    if (s->nodes > PEAL_SYNTHESIS_NODES)
        return "peal synthesize takes at most 64 nodes";
    if (s->noncombining)
        return "peal synthesize searches schedules whose messages bundle blocks";
    if (s->switching != PEAL_IDEAL)
        return "peal synthesize assumes ideal switching";
    if (s->eager)
        return "peal synthesize assumes rendezvous delivery";
    if (s->op && !s->op->commutative)
        return "peal synthesize assumes a commutative operator";
    return peal_synthesis_bound(&asked, &cut) ? NULL : "peal synthesize does not take this collective or routing";
}

/* Whether fronts are kept for machines like this one, apart from its network and ports. */
static bool
is_kept_machine(const struct peal_situation *s)
{
    const char *usual = peal_topology_routing(peal_network_kind(s->network), 0);

    return !s->half_duplex && s->congestion == PEAL_COUNT &&
           (!peal_collective_has_root(s->collective) || s->root == 0) &&
           (!usual || strcmp(usual, peal_network_routing(s->network)) == 0);
}

static const struct optimal_front *
find_front(const struct peal_situation *s)
{
    const char *name = peal_network_name(s->network);
    char network[200];

    if (strchr(name, ':'))
        snprintf(network, sizeof network, "%s", name);
    else
        snprintf(network, sizeof network, "%s:%d", name, s->nodes);
    for (const struct optimal_front *front = optimal_fronts; front->collective; front++)
        if (strcmp(front->collective, peal_collective_name(s->collective)) == 0 && front->ports == s->ports &&
            strcmp(front->network, network) == 0)
            return front;
    return NULL;
}

void
optimal_write_command(FILE *out, const struct peal_situation *s)
{
    const char *kind = peal_network_kind(s->network), *usual = peal_topology_routing(kind, 0);

    fprintf(out, "peal synthesize %s -t ", peal_collective_name(s->collective));
    print_word(out, peal_network_name(s->network));
    fprintf(out, " -p %d", s->nodes);
    if (s->ports == PEAL_PORTS_ALL)
        fputs(" --ports all", out);
    else if (s->ports != 1)
        fprintf(out, " --ports %d", s->ports);
    if (s->half_duplex)
        fputs(" --half-duplex", out);
    if (usual && strcmp(usual, peal_network_routing(s->network)) != 0)
        fprintf(out, " --routing %s", peal_network_routing(s->network));
    if (s->congestion != PEAL_COUNT)
        fprintf(out, " --congestion %s", peal_congestion_name(s->congestion));
    if (peal_collective_has_root(s->collective) && s->root != 0)
        fprintf(out, " -r %d", s->root);
}

enum peal_status
optimal_find(struct optimal *optimal, struct peal_error *error)
{
    const struct peal_situation *s = optimal->situation;
    size_t bytes = 0;

    optimal->why = beyond_synthesis(s);
    if (optimal->why)
        return PEAL_OK;
    optimal->front = is_kept_machine(s) ? find_front(s) : NULL;
    if (optimal->front && !is_counted(optimal)) {
        optimal->front = NULL;
        optimal->why = "what its points cost is too large to count";
    }
    if (optimal->front || optimal->why)
        return PEAL_OK;
    optimal->why = "no front is kept for this machine; the command searches for it";
    FILE *out = open_memstream(&optimal->command, &bytes);

    if (out) {
        optimal_write_command(out, s);
        fputs(" --pareto", out);
    }
    if (!out || fclose(out) != 0)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
    return PEAL_OK;
}

void
optimal_fini(struct optimal *optimal)
{
    free(optimal->command);
    optimal->command = NULL;
}

/* ------------------------------------------------------------------ what reaches the points */

static bool
is_right(const struct trial *trial)
{
    return trial->executed && !trial->excluded[0] && trial->status == PEAL_OK;
}

/* Whether the trial costs no more than the point in any term. */
static bool
reaches(const struct trial *trial, struct peal_cost point)
{
    const struct peal_cost *cost = &trial->cost;

    return is_right(trial) && cost->alpha <= point.alpha && cost->beta <= point.beta && cost->hop == 0 &&
           cost->tau == 0;
}

/* The cheapest trial; NULL: none ran well. */
static const struct trial *
best_trial(const struct optimal *optimal)
{
    const struct trial *best = NULL;
    struct peal_parameters prices = optimal->situation->parameters;

    for (int i = 0; i < optimal->count; i++) {
        const struct trial *trial = &optimal->trials[i];

        if (is_right(trial) && (!best || peal_cost_time(trial->cost, prices) < peal_cost_time(best->cost, prices)))
            best = trial;
    }
    return best;
}

static double
best_time(const struct optimal *optimal)
{
    const struct trial *best = best_trial(optimal);

    return best ? peal_cost_time(best->cost, optimal->situation->parameters) : (double)NAN;
}

static double
point_time(const struct optimal *optimal, const struct optimal_point *point)
{
    return peal_cost_time(optimal_price(optimal, point), optimal->situation->parameters);
}

static const struct optimal_point *
cheapest_point(const struct optimal *optimal)
{
    const struct optimal_point *points = optimal_points + optimal->front->first, *cheapest = points;

    for (int i = 1; i < optimal->front->count; i++)
        if (point_time(optimal, &points[i]) < point_time(optimal, cheapest))
            cheapest = &points[i];
    return cheapest;
}

/* ------------------------------------------------------------------ for people */

enum { STEPS, ROUNDS, CHUNKS, COST, TIME, RATIO, HOW, REACHED, COLUMN_COUNT };

static const struct table_column layout[COLUMN_COUNT] = {
    [STEPS] = {"steps", .gap = 2},
    [ROUNDS] = {"rounds", .gap = 2},
    [CHUNKS] = {"chunks", .gap = 2},
    [COST] = {"cost", .gap = 2, .left = true},
    [TIME] = {"time", .gap = 2},
    [RATIO] = {"best/point", .gap = 2},
    [HOW] = {"how", .gap = 2, .left = true},
    [REACHED] = {"reached by", .gap = 2, .left = true},
};

static const char *const how_names[] = {[OPTIMAL_CUT] = "cut", [OPTIMAL_CLOSED] = "closed", [OPTIMAL_OPEN] = "open"};

/* "binomial, chain and 3 more"; "-": none. */
static char *
reached_text(const struct optimal *optimal, struct peal_cost point, char *text, size_t bytes)
{
    enum { LISTED = 2 };
    struct peal_text out = empty_text(text, bytes);
    int found = 0;

    for (int i = 0; i < optimal->count; i++)
        if (reaches(&optimal->trials[i], point) && found++ < LISTED)
            peal_append(out, "%s%s", *text ? ", " : "", optimal->trials[i].name);
    if (found > LISTED)
        peal_append(out, " and %d more", found - LISTED);
    else if (found == 0)
        peal_append(out, "-");
    return text;
}

static void
optimal_fill_row(const struct optimal *optimal, const struct optimal_point *point, struct table *table, size_t row)
{
    struct peal_cost cost = optimal_price(optimal, point);
    char text[300], ratio[40];

    table_set(table, row, STEPS, "%d", point->steps);
    table_set(table, row, ROUNDS, "%d", point->rounds);
    table_set(table, row, CHUNKS, "%d", point->chunks);
    table_set(table, row, COST, "%s", peal_cost_text(cost, text, sizeof text));
    table_set(table, row, TIME, "%s", print_number(point_time(optimal, point), text));
    show_ratio(best_time(optimal), point_time(optimal, point), ratio);
    table_set(table, row, RATIO, "%s", *ratio ? ratio : "-");
    table_set(table, row, HOW, "%s", how_names[point->how]);
    table_set(table, row, REACHED, "%s", reached_text(optimal, cost, text, sizeof text));
}

/* Explain the marks of these points. */
static void
show_marks(FILE *out, const struct optimal *optimal)
{
    const struct optimal_front *front = optimal->front;
    bool has[3] = {false};
    char text[300];

    for (int i = 0; i < front->count; i++)
        has[optimal_points[front->first + i].how] = true;
    snprintf(text, sizeof text, "no schedule has fewer than %d", optimal_points[front->first].steps);
    print_labelled(out, "steps", text);
    if (has[OPTIMAL_CUT]) {
        snprintf(text, sizeof text,
                 front->each_round == 1 ? "no schedule has rounds/chunks below %d"
                                        : "no schedule has rounds/chunks below %d/%d",
                 front->cut, front->each_round);
        print_labelled(out, "cut", text);
    }
    snprintf(
        text, sizeof text,
        "in so few steps no schedule with at most %d chunks a %s has lower rounds/chunks; with more it may be lower",
        front->chunks, peal_collective_has_blocks(optimal->situation->collective) ? "block" : "vector");
    if (has[OPTIMAL_CLOSED])
        print_labelled(out, "closed", text);
    if (has[OPTIMAL_OPEN])
        print_labelled(out, "open", "lower rounds/chunks in so few steps are not ruled out");
    snprintf(text, sizeof text, "%d, checked; digests in algorithms/optimal/%s.tsv", front->proofs, front->collective);
    if (front->proofs > 0)
        print_labelled(out, "proofs", text);
}

/* How an algorithm can cost less than all points. */
static void
below_text(const struct optimal *optimal, char *text, size_t bytes)
{
    bool divides = true, open = false;

    for (int i = 0; i < optimal->front->count; i++) {
        const struct optimal_point *point = &optimal_points[optimal->front->first + i];

        divides = divides && optimal->situation->words % (size_t)point->chunks == 0;
        open = open || point->how == OPTIMAL_OPEN;
    }
    snprintf(text, bytes, "below all points: more steps or chunks than were searched%s%s",
             divides ? "" : ", or chunks of different lengths", open ? ", or less than an open point" : "");
}

static void
show_best(FILE *out, const struct optimal *optimal)
{
    const struct trial *best = best_trial(optimal);
    double time = best_time(optimal), least = point_time(optimal, cheapest_point(optimal));
    char text[500], how[200] = "as cheap as the cheapest point", number[32], ratio[40];

    if (!best)
        return;
    show_ratio(time, least, ratio);
    if (time < least)
        below_text(optimal, how, sizeof how);
    else if (time > least && *ratio)
        snprintf(how, sizeof how, "%s%s the cheapest point", strspn(ratio, "0123456789") ? ratio : "just above",
                 strspn(ratio, "0123456789") ? " times" : "");
    snprintf(text, sizeof text, "%s, %s: %s", best->name, print_number(time, number), how);
    print_labelled(out, "best compared", text);
}

enum peal_status
optimal_show(FILE *out, const struct optimal *optimal, struct peal_error *error)
{
    const struct optimal_front *front = optimal->front;
    struct table table;

    print_title(out, "Optimum");
    if (!front) {
        char text[300];

        snprintf(text, sizeof text, "none: %s", optimal->why);
        print_labelled(out, "front", text);
        if (optimal->command) { /* unbroken, so that it can be copied */
            print_ink(out, FAINT);
            print_left(out, "command", LABEL_COLUMNS);
            print_ink(out, PLAIN);
            fprintf(out, "%s\n", optimal->command);
        }
        return PEAL_OK;
    }
    table_begin(&table, (size_t)front->count, COLUMN_COUNT, layout);
    for (int i = 0; i < front->count; i++)
        optimal_fill_row(optimal, &optimal_points[front->first + i], &table, (size_t)i + 1);
    table_print(out, &table, 0, table.rows);
    if (table_end(&table, error) != PEAL_OK)
        return error->status;
    putc('\n', out);
    show_best(out, optimal);
    show_marks(out, optimal);
    return PEAL_OK;
}

/* ------------------------------------------------------------------ for programs */

static void
optimal_write_point(struct peal_json *json, const struct optimal *optimal, const struct optimal_point *point)
{
    struct peal_cost cost = optimal_price(optimal, point);
    double time = point_time(optimal, point);

    peal_json_put(json, PEAL_BREAK, PEAL_OPEN(NULL, '{'), PEAL_INT("steps", point->steps),
                  PEAL_INT("rounds", point->rounds), PEAL_INT("chunks", point->chunks),
                  PEAL_STRING("how", how_names[point->how]), PEAL_INT("most_chunks", optimal->front->chunks),
                  PEAL_INT("proofs", optimal->front->proofs));
    peal_json_member_cost(json, "cost", &cost, optimal->situation->parameters);
    peal_json_put(json, PEAL_NUMBER("ratio", time > 0 ? best_time(optimal) / time : (double)NAN),
                  PEAL_OPEN("reached_by", '['));
    for (int i = 0; i < optimal->count; i++)
        if (reaches(&optimal->trials[i], cost))
            peal_json_put(json, PEAL_STRING(NULL, optimal->trials[i].name));
    peal_json_put(json, PEAL_CLOSE(']'), PEAL_CLOSE('}'));
}

void
optimal_write(struct peal_json *json, const struct optimal *optimal)
{
    if (!optimal->front) {
        peal_json_put(json, PEAL_BREAK, PEAL_NULL("optimal"), PEAL_BREAK, PEAL_OPEN("optimal_missing", '{'),
                      PEAL_STRING("reason", optimal->why), PEAL_STRING("command", optimal->command), PEAL_CLOSE('}'));
        return;
    }
    peal_json_put(json, PEAL_BREAK, PEAL_OPEN("optimal", '['));
    for (int i = 0; i < optimal->front->count; i++)
        optimal_write_point(json, optimal, &optimal_points[optimal->front->first + i]);
    peal_json_put(json, PEAL_BREAK, PEAL_CLOSE(']'), PEAL_BREAK, PEAL_NULL("optimal_missing"));
}
