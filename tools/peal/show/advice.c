/* SPDX-License-Identifier: MIT */
/* Finds the hottest links of a run, the reasons for its algorithm, and cheaper ones, which it runs or evaluates
 * within bounds. */
#include "show/advice.h"
#include "show/show.h"
#include "study/trial.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How much of a long list is shown, and the most work spent on it. */
enum { MAX_LINKS = 5, MAX_CANDIDATES = 10, MAX_BETTER = 3, MAX_BEST = 20000 };
static const uint64_t most_steps = UINT64_C(1) << 24;

static void
show_title(const char *title)
{
    putchar('\n');
    print_inked(stdout, BOLD, "%s\n", title);
}

const char *
advice_end(const struct session *session, int vertex, char text[32])
{
    int nodes = peal_network_nodes(peal_machine_network(session->machine));

    snprintf(text, 32, vertex < nodes ? "%d" : "switch %d", vertex < nodes ? vertex : vertex - nodes);
    return text;
}

/* ------------------------------------------------------------------ hottest links */

/* The traffic of a link in the whole run. */
struct advice_load {
    int from, to;
    uint64_t words, transfers;
    size_t hottest; /* rounds */
    bool used;
};

/* Open addressing, a power of two of slots, at most half of them used. */
struct advice_loads {
    struct advice_load *places;
    size_t size, count;
};

static size_t
place_of(const struct advice_loads *loads, int from, int to)
{
    uint64_t hash = ((uint64_t)(uint32_t)from << 32 | (uint32_t)to) * UINT64_C(0x9E3779B97F4A7C15);
    size_t place = (size_t)(hash >> 32) & (loads->size - 1);

    while (loads->places[place].used && (loads->places[place].from != from || loads->places[place].to != to))
        place = (place + 1) & (loads->size - 1);
    return place;
}

static bool
grow(struct advice_loads *loads)
{
    struct advice_loads larger = {calloc(2 * loads->size, sizeof *larger.places), 2 * loads->size, loads->count};

    if (!larger.places)
        return false;
    for (size_t i = 0; i < loads->size; i++)
        if (loads->places[i].used)
            larger.places[place_of(&larger, loads->places[i].from, loads->places[i].to)] = loads->places[i];
    free(loads->places);
    *loads = larger;
    return true;
}

/* The entry of a link; NULL when out of memory. */
static struct advice_load *
load_of(struct advice_loads *loads, int from, int to)
{
    if (2 * loads->count >= loads->size && !grow(loads))
        return NULL;
    struct advice_load *load = &loads->places[place_of(loads, from, to)];

    if (!load->used) {
        *load = (struct advice_load){.from = from, .to = to, .used = true};
        loads->count++;
    }
    return load;
}

/* Add the traffic of every link of every route.  False when out of memory. */
static bool
walk_routes(const struct session *session, struct advice_loads *loads)
{
    const struct peal_network *network = peal_machine_network(session->machine);
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    uint32_t longest = 0;

    for (size_t i = 0; i < schedule->transfer_count; i++)
        longest = schedule->transfers[i].hops > longest ? schedule->transfers[i].hops : longest;
    int *path = malloc(((size_t)longest + 1) * sizeof *path);
    bool ok = path != NULL;

    for (size_t i = 0; i < schedule->transfer_count && ok; i++) {
        const struct peal_transfer *t = &schedule->transfers[i];
        int hops = t->hops ? peal_network_path(network, t->from, t->to, path) : 0;

        for (int j = 0; j < hops && ok; j++) {
            struct advice_load *load = load_of(loads, path[j], path[j + 1]);

            ok = load != NULL;
            if (ok) {
                load->words += t->words;
                load->transfers++;
            }
        }
    }
    free(path);
    return ok;
}

/* Count for each link the rounds in which it was the hottest. */
static bool
count_hottest(const struct session *session, struct advice_loads *loads)
{
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    const struct peal_options *options = peal_machine_options(session->machine);
    struct peal_pricing pricing = {peal_machine_network(session->machine), options->switching, options->congestion};

    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = &schedule->rounds[i];
        struct peal_hot_link link;

        if (round->count == 0)
            continue;
        if (peal_hottest_link(&pricing, &schedule->transfers[round->first], round->count, &link, NULL) != PEAL_OK)
            return false;
        if (link.transfers == 0)
            continue;
        struct advice_load *load = load_of(loads, link.from, link.to);

        if (!load)
            return false;
        load->hottest++;
    }
    return true;
}

/* The most words first, then the most transfers, then the ranks. */
static int
compare_loads(const void *one, const void *other)
{
    const struct advice_load *a = one, *b = other;

    if (a->used != b->used)
        return a->used ? -1 : 1;
    if (a->words != b->words)
        return a->words > b->words ? -1 : 1;
    if (a->transfers != b->transfers)
        return a->transfers > b->transfers ? -1 : 1;
    if (a->hottest != b->hottest)
        return a->hottest > b->hottest ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return a->to < b->to ? -1 : a->to > b->to;
}

static void
show_loads(const struct session *session, struct advice_loads *loads, bool words_known)
{
    char name[80], from[32], to[32], words[64], transfers[64], rounds[64];

    qsort(loads->places, loads->size, sizeof *loads->places, compare_loads);
    show_title("Hottest links");
    for (size_t i = 0; i < loads->count && i < MAX_LINKS; i++) {
        const struct advice_load *load = &loads->places[i];

        snprintf(name, sizeof name, "%s → %s", advice_end(session, load->from, from),
                 advice_end(session, load->to, to));
        fputs("  ", stdout);
        print_left(stdout, name, 14);
        if (words_known)
            printf("%s in %s", print_count(load->words, show_unit(peal_machine_options(session->machine)), words),
                   print_count(load->transfers, "transfer", transfers));
        if (load->hottest)
            printf("%sthe hottest in %s", words_known ? ", " : "", print_count(load->hottest, "round", rounds));
        putchar('\n');
    }
    if (loads->count > MAX_LINKS)
        printf("  ... of %zu links that were used\n", loads->count);
}

/* Whether the schedule is complete: with fewer rounds kept there is nothing to walk or to price. */
static bool
is_whole(const struct session *session)
{
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    struct peal_cost sum = {0, 0, 0, 0};

    for (size_t i = 0; i < schedule->round_count; i++)
        sum = peal_cost_add(sum, schedule->rounds[i].charge);
    return peal_machine_options(session->machine)->rounds == PEAL_ROUNDS_ALL &&
           peal_cost_equal(sum, peal_machine_cost(session->machine));
}

void
advice_links(const struct session *session)
{
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    bool words_known = strcmp(peal_network_routing(peal_machine_network(session->machine)), "best") != 0;
    struct advice_loads loads = {calloc(64, sizeof *loads.places), 64, 0};
    uint64_t steps = 0;

    for (size_t i = 0; i < schedule->transfer_count; i++)
        steps += schedule->transfers[i].hops + 1;
    if (loads.places && is_whole(session) && schedule->round_count > 1 && steps <= most_steps &&
        (!words_known || walk_routes(session, &loads)) && count_hottest(session, &loads) && loads.count > 0)
        show_loads(session, &loads, words_known);
    free(loads.places);
}

/* ------------------------------------------------------------------ candidates */

/* The cost of each algorithm that fits by its closed form, the cheapest first; those without one last.
 *
 *   owner    the caller frees it; NULL without memory                                          */
static struct trial *
find_candidates(const struct session *session, int *count)
{
    const struct peal_situation *situation = &session->outcome.situation;
    struct peal_situation own = *situation;
    const struct peal_algorithm *a;
    int all = 0;

    while (peal_algorithm_get(all))
        all++;
    struct trial *trials = calloc((size_t)all + 1, sizeof *trials);

    *count = 0;
    own.parameter = 0;
    for (int i = 0; trials && (a = peal_algorithm_get(i)); i++) {
        struct candidate candidate = {a, a->name, 0};

        if (a->collective != situation->collective)
            continue;
        trial_begin(&trials[*count], &candidate, &own);
        *count += !trials[*count].excluded[0];
    }
    if (trials)
        trials_sort(trials, *count, situation->parameters);
    return trials;
}

/* The longest of the names. */
static int
names_width(const struct trial *trials, int count)
{
    int width = 0;

    for (int i = 0; i < count; i++)
        width = print_width(trials[i].name) > width ? print_width(trials[i].name) : width;
    return width;
}

/* Print why the algorithm was chosen. */
static const char *
ground(const struct session *session)
{
    const struct peal_algorithm *a = session->outcome.algorithm;
    struct peal_cost cost;

    if (peal_form_of(a->collective)->waits)
        return "The machine's rules say which barrier is meant where none is named.";
    if (session->outcome.has_closed_form)
        return "Of those that fit, its closed form is the lowest here.";
    if (a->at_most && a->at_most(&session->outcome.situation, &cost))
        return "It has no closed form here, but cannot exceed what the others cost.";
    return "No closed form is known here: it would be the lowest on a simpler machine (one port, rendezvous, or a full "
           "network), or is the first that fits.";
}

void
advice_choice(const struct session *session)
{
    char title[100], cost[160];
    int count;

    if (session->algorithm)
        return;
    struct trial *trials = find_candidates(session, &count);

    if (trials && count > 1) {
        int width = names_width(trials, count);

        snprintf(title, sizeof title, "Why %s", session->outcome.algorithm->name);
        show_title(title);
        fputs("  ", stdout);
        print_wrapped(stdout, ground(session), 2);
        for (int i = 0; i < count && i < MAX_CANDIDATES; i++) {
            fputs("  ", stdout);
            print_left(stdout, trials[i].name, width + 2);
            puts(trials[i].has_form ? show_cost(session, trials[i].form, cost) : "no closed form here");
        }
        if (count > MAX_CANDIDATES)
            printf("  ... and %d more (peal compare runs them)\n", count - MAX_CANDIDATES);
    }
    free(trials);
}

/* ------------------------------------------------------------------ what would help */

/* One line, "  --routing yx   3α + 12β = 3012, 1.2 % less"; a title before the first. */
static void
show_better(const struct session *session, bool *titled, const char *what, struct peal_cost cost, const char *note)
{
    struct peal_parameters parameters = peal_machine_options(session->machine)->parameters;
    double now = peal_cost_time(peal_machine_cost(session->machine), parameters);
    double then = peal_cost_time(cost, parameters), less = 100 * (now - then) / now;
    char text[160];

    if (!*titled)
        show_title("What would help");
    *titled = true;
    printf("  %s: %s, ", what, show_cost(session, cost, text));
    printf(less < 0.1 ? "%.2g %% less%s\n" : "%.1f %% less%s\n", less, note);
}

static void
better_algorithms(const struct session *session, bool *titled)
{
    struct peal_parameters parameters = peal_machine_options(session->machine)->parameters;
    double now = peal_cost_time(peal_machine_cost(session->machine), parameters);
    int count;
    struct trial *trials = find_candidates(session, &count);
    char name[200];

    for (int i = 0; trials && i < count && i < MAX_BETTER; i++) {
        if (!trials[i].has_form || peal_cost_time(trials[i].form, parameters) >= now)
            break;
        snprintf(name, sizeof name, "%s/%s", peal_collective_name(session->collective), trials[i].name);
        show_better(session, titled, name, trials[i].form, "");
    }
    free(trials);
}

/* Price a copy of the recorded rounds by another routing; false when that is impossible. */
static bool
price_by(const struct session *session, const char *routing, struct peal_cost *cost)
{
    const struct peal_schedule *was = peal_machine_schedule(session->machine);
    const struct peal_options *options = peal_machine_options(session->machine);
    const struct peal_network *here = peal_machine_network(session->machine);
    struct peal_network *network =
        peal_network_create(peal_network_name(here), peal_network_nodes(here), routing, NULL);
    struct peal_pricing pricing = {network, options->switching, options->congestion};
    struct peal_schedule copy = {was->round_count, was->transfer_count,
                                 malloc((was->round_count + 1) * sizeof *copy.rounds),
                                 malloc((was->transfer_count + 1) * sizeof *copy.transfers)};
    bool ok = network && copy.rounds && copy.transfers;

    if (ok && was->round_count > 0)
        memcpy(copy.rounds, was->rounds, was->round_count * sizeof *copy.rounds);
    if (ok && was->transfer_count > 0)
        memcpy(copy.transfers, was->transfers, was->transfer_count * sizeof *copy.transfers);
    ok = ok && peal_price(&pricing, &copy, cost, NULL) == PEAL_OK;
    free(copy.rounds);
    free(copy.transfers);
    peal_network_destroy(network);
    return ok;
}

static void
better_routings(const struct session *session, bool *titled)
{
    const struct peal_network *network = peal_machine_network(session->machine);
    const struct peal_schedule *schedule = peal_machine_schedule(session->machine);
    const struct peal_options *options = peal_machine_options(session->machine);
    double now = peal_cost_time(peal_machine_cost(session->machine), options->parameters);
    const char *routing;
    char name[80];

    if (options->ports == PEAL_PORTS_ALL || !is_whole(session)) /* with all ports the routes decide who sends when */
        return;
    for (int i = 0; (routing = peal_topology_routing(peal_network_kind(network), i)); i++) {
        struct peal_cost cost;

        if (strcmp(routing, peal_network_routing(network)) == 0 ||
            (strcmp(routing, "best") == 0 && schedule->transfer_count > MAX_BEST) ||
            !price_by(session, routing, &cost) || peal_cost_time(cost, options->parameters) >= now)
            continue;
        snprintf(name, sizeof name, "--routing %s", routing);
        show_better(session, titled, name, cost, " for these rounds");
    }
}

void
advice_better(const struct session *session)
{
    bool titled = false;

    if (peal_cost_equal(peal_machine_cost(session->machine), (struct peal_cost){0}))
        return;
    if (!session->program)
        better_algorithms(session, &titled);
    better_routings(session, &titled);
}
