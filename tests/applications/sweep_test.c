/* SPDX-License-Identifier: MIT */
/* Every application on many numbers of nodes, sizes and networks: its result is the sequential one, and its closed
 * form, if known, is the cost of its schedule by every network's and switching's rules. */
#include "harness.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

/* A sanitizer takes several times as long, and finds what it finds on small machines. */
#ifdef __SANITIZE_ADDRESS__
static const int nodes_tried[] = {1, 2, 3, 4, 8, 9};
static const size_t sizes_tried[] = {0, 1, 3, 13, 24};
#else
static const int nodes_tried[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 25, 27, 32, 36, 64};
static const size_t sizes_tried[] = {0, 1, 2, 3, 8, 13, 16, 24, 30, 64, 128};
#endif

enum { NODES = sizeof nodes_tried / sizeof *nodes_tried, SIZES = sizeof sizes_tried / sizeof *sizes_tried };

struct one {
    int application, nodes;
};

/* The results of a sweep over the networks. */
struct found {
    int known, unknown;
};

/* Compare the closed form with the schedule on one network. */
static void
hold(struct app_trial *trial, const char *topology, enum peal_switching switching, enum peal_congestion congestion,
     struct found *found)
{
    struct peal_error error;
    struct peal_network *network = peal_network_create(topology, trial->problem.machine.nodes, NULL, &error);
    struct peal_pricing pricing = {.network = network, .switching = switching, .congestion = congestion};
    struct peal_problem there = trial->problem;
    struct peal_cost derived, total;
    char text[2][100];

    cr_assert(network, "%s", error.text);
    there.machine.network = network;
    there.machine.switching = switching;
    there.machine.congestion = congestion;
    if (trial->application->cost(&there, &derived)) {
        found->known++;
        cr_assert_eq(peal_price(&pricing, &trial->schedule, &total, &error), PEAL_OK, "%s", error.text);
        cr_expect(peal_cost_equal(derived, total), "%s n=%zu (%zu, %zu) P=%d on %s, %s, %s: derived %s, executed %s",
                  trial->application->name, there.n, there.parameter[0], there.parameter[1], there.machine.nodes,
                  topology, peal_switching_name(switching), peal_congestion_name(congestion),
                  peal_cost_text(derived, text[0], sizeof text[0]), peal_cost_text(total, text[1], sizeof text[1]));
    } else {
        found->unknown++;
    }
    peal_network_destroy(network);
}

/* Run one problem, and compare its closed form on every network. */
static void
try_one(const struct peal_application *application, int nodes, size_t n, const size_t *parameters)
{
    struct app_trial trial, threads;
    struct found here = {0, 0}, anywhere = {0, 0};

    app_try(&trial, application, nodes, "full", n, parameters, "fibers");
    if (nodes <= 16) { /* more threads take long to start, and show no more */
        app_try(&threads, application, nodes, "full", n, parameters, "threads");
        cr_expect_eq(threads.status, trial.status, "%s n=%zu P=%d: %s", application->name, n, nodes,
                     threads.error.text);
        cr_expect(peal_cost_equal(peal_machine_cost(threads.machine), peal_machine_cost(trial.machine)),
                  "%s n=%zu P=%d", application->name, n, nodes);
        app_try_fini(&threads);
    }
    if (trial.status == PEAL_USAGE) {
        cr_expect(application->fits != NULL, "%s", trial.error.text);
        cr_expect_eq(application->fits(&trial.problem, NULL), PEAL_USAGE, "%s n=%zu P=%d", application->name, n, nodes);
        app_try_fini(&trial);
        return;
    }
    cr_expect_eq(trial.status, PEAL_OK, "%s n=%zu P=%d: %s", application->name, n, nodes, trial.error.text);
    cr_expect(trial.outcome.verified);
    if (application->cost != NULL && trial.status == PEAL_OK) {
        hold(&trial, "full", PEAL_IDEAL, PEAL_COUNT, &here);
        cr_expect_eq(here.known, 1, "%s n=%zu P=%d: every closed form is known on the full network", application->name,
                     n, nodes);
        for (int i = 0; network_of(nodes, i); i++) {
            char topology[64];

            snprintf(topology, sizeof topology, "%s", network_of(nodes, i));
            for (int switching = PEAL_IDEAL; switching <= PEAL_STORE_FORWARD; switching++)
                for (int congestion = PEAL_COUNT; congestion <= PEAL_VOLUME; congestion++)
                    hold(&trial, topology, (enum peal_switching)switching, (enum peal_congestion)congestion, &anywhere);
        }
    }
    app_try_fini(&trial);
}

ParameterizedTestParameters(applications, result_is_the_sequential_one_and_cost_the_derived_one)
{
    static struct one cases[32 * NODES];
    size_t count = 0;

    for (int i = 0; peal_application_get(i); i++)
        for (int j = 0; j < NODES; j++)
            cases[count++] = (struct one){i, nodes_tried[j]};
    return cr_make_param_array(struct one, cases, count);
}

ParameterizedTest(struct one *one, applications, result_is_the_sequential_one_and_cost_the_derived_one, .timeout = 300)
{
    const struct peal_application *application = peal_application_get(one->application);

    for (int i = 0; i < SIZES; i++)
        try_one(application, one->nodes, sizes_tried[i], NULL);
    try_one(application, one->nodes, application->usual_size, NULL);
}

/* The further sizes: panels of 1 and of everything, halos of several cells, steps that they do not divide, wide items,
 * one copy or several, no step at all. */
ParameterizedTestParameters(applications, further_sizes_change_the_cost_as_derived)
{
    static struct one cases[32 * NODES];
    size_t count = 0;

    for (int i = 0; peal_application_get(i); i++)
        for (int j = 0; j < NODES; j++)
            if (peal_application_get(i)->parameters[0].name)
                cases[count++] = (struct one){i, nodes_tried[j]};
    return cr_make_param_array(struct one, cases, count);
}

ParameterizedTest(struct one *one, applications, further_sizes_change_the_cost_as_derived, .timeout = 300)
{
    static const size_t sets[][PEAL_MAX_PARAMETERS] = {{0, 1}, {1, 1}, {2, 3}, {3, 2}, {5, 3}, {4, 4}, {100, 7}};
    const struct peal_application *application = peal_application_get(one->application);

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (sets[i][0] < application->parameters[0].least || (sets[i][0] == 100 && one->nodes > 9))
            continue;
        try_one(application, one->nodes, 64, sets[i]);
        try_one(application, one->nodes, 37, sets[i]);
    }
}
