/* SPDX-License-Identifier: MIT */
/* Shows the hottest links of a run, the reasons for its algorithm, and what is cheaper. */
#include "lib/study/hindsight.h"
#include "show/show.h"
#include <stdlib.h>

/* How much of a long list is shown. */
enum { MAX_LINKS = 5, MAX_CANDIDATES = 10, MAX_BETTER = 3 };

/* ------------------------------------------------------------------ hottest links */

void
advice_links(const struct session *session)
{
    const struct peal_network *network = peal_machine_network(session->machine);
    bool words_known = strcmp(peal_network_routing(network), "best") != 0;
    char name[80], from[32], to[32], words[64], transfers[64], rounds[64];
    struct links loads;

    peal_link_loads(session->machine, &loads);
    if (loads.count > 0)
        print_title(stdout, "Hottest links");
    for (size_t i = 0; i < loads.count && i < MAX_LINKS; i++) {
        const struct link *load = &loads.links[i];

        snprintf(name, sizeof name, "%s → %s", peal_network_vertex(network, load->from, from),
                 peal_network_vertex(network, load->to, to));
        fputs("  ", stdout);
        print_left(stdout, name, peal_network_placement(network) ? 22 : 14);
        if (words_known)
            printf("%s in %s", print_count(load->words, show_unit(peal_machine_options(session->machine)), words),
                   print_count(load->transfers, "transfer", transfers));
        if (load->hottest)
            printf("%sthe hottest in %s", words_known ? ", " : "", print_count(load->hottest, "round", rounds));
        putchar('\n');
    }
    if (loads.count > MAX_LINKS)
        printf("  ... of %zu links that were used\n", loads.count);
    peal_links_fini(&loads);
}

/* ------------------------------------------------------------------ candidates */

int
show_names_width(const struct trial *trials, int count)
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
    struct trial *trials = peal_trials_that_fit(&session->outcome.situation, &count);

    if (trials && count > 1) {
        int width = show_names_width(trials, count);

        snprintf(title, sizeof title, "Why %s", session->outcome.algorithm->name);
        print_title(stdout, title);
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
        print_title(stdout, "What would help");
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
    struct trial *trials = peal_trials_that_fit(&session->outcome.situation, &count);
    char name[200];

    for (int i = 0; trials && i < count && i < MAX_BETTER; i++) {
        if (!trials[i].has_form || peal_cost_time(trials[i].form, parameters) >= now)
            break;
        snprintf(name, sizeof name, "%s/%s", peal_collective_name(session->collective), trials[i].name);
        show_better(session, titled, name, trials[i].form, "");
    }
    free(trials);
}

static void
better_routings(const struct session *session, bool *titled)
{
    const struct peal_network *network = peal_machine_network(session->machine);
    struct peal_parameters parameters = peal_machine_options(session->machine)->parameters;
    double now = peal_cost_time(peal_machine_cost(session->machine), parameters);
    const char *routing;
    char name[80], kind[80]; /* of the hosts' network, where nodes are placed */

    snprintf(kind, sizeof kind, "%.*s", (int)strcspn(peal_network_name(network), ":@"), peal_network_name(network));
    for (int i = 0; (routing = peal_topology_routing(kind, i)); i++) {
        struct peal_cost cost;

        if (strcmp(routing, peal_network_routing(network)) == 0 ||
            !peal_price_rerouted(session->machine, routing, &cost) || peal_cost_time(cost, parameters) >= now)
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
