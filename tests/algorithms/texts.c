/* SPDX-License-Identifier: MIT */
/* Print every closed form of the catalogue on many machines: the situation, the number, and the text that is shown
 * beside it; texts.py reads that. */
#include "harness.h"
#include "lib/collective/closed_row.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const int node_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 16, 27, 32};
static const int port_counts[] = {1, 2, PEAL_PORTS_ALL, 2};

static const char *
name_of(const struct peal_algorithm *algorithm)
{
    static char name[100];

    snprintf(name, sizeof name, "%s/%s", peal_collective_name(algorithm->collective), algorithm->name);
    return name;
}

/* The closed form in one situation, if it has one. */
static void
print(const struct peal_algorithm *algorithm, const struct peal_situation *situation)
{
    struct peal_cost cost;
    char text[PEAL_CLOSED_TEXT], ports[20];

    if (peal_algorithm_fits(algorithm, situation, NULL) != PEAL_OK || !peal_algorithm_cost(algorithm, situation, &cost))
        return;
    snprintf(ports, sizeof ports, "%d", situation->ports);
    printf("%s|%s|%s|%d|%s|%zu|%d|%d|%d|%d|%s|%s|%s|%s|%lld|%lld|%lld|%s|%s\n", name_of(algorithm),
           peal_network_name(situation->network), peal_network_routing(situation->network), situation->nodes,
           peal_collective_has_blocks(algorithm->collective) ? "m" : "n", situation->words, situation->root,
           situation->by, situation->to ? situation->to_count : situation->nodes - 1,
           peal_algorithm_parameter(algorithm, situation), situation->ports == PEAL_PORTS_ALL ? "all" : ports,
           situation->half_duplex ? "half" : "full", peal_switching_name(situation->switching),
           peal_congestion_name(situation->congestion), (long long)cost.alpha, (long long)cost.beta,
           (long long)cost.hop, peal_closed_form_source(algorithm, situation),
           peal_closed_form_text(algorithm, situation, text, sizeof text) ? text : "");
}

/* All ways of charging; counted volumes and more ports on ideal machines only. */
static void
print_switchings(const struct peal_algorithm *algorithm, struct peal_situation situation)
{
    for (int s = PEAL_IDEAL; s <= PEAL_STORE_FORWARD; s++)
        for (size_t i = 0; i < sizeof port_counts / sizeof *port_counts; i++)
            for (int c = PEAL_COUNT; c <= (i == 0 && s == PEAL_IDEAL ? PEAL_VOLUME : PEAL_COUNT); c++) {
                situation.switching = (enum peal_switching)s;
                situation.ports = port_counts[i];
                situation.half_duplex = i == 3;
                situation.congestion = (enum peal_congestion)c;
                print(algorithm, &situation);
            }
}

/* Sizes that the nodes divide, and others; a number after the name where it takes one. */
static void
print_sizes(const struct peal_algorithm *algorithm, struct peal_situation situation)
{
    const size_t p = (size_t)situation.nodes, of_blocks[] = {0, 1, 10}, of_vectors[] = {0, 1, 3 * p + 2, 4 * p};
    bool blocks = peal_collective_has_blocks(algorithm->collective);
    int numbers[] = {0, algorithm->parameter.least, algorithm->parameter.least + 2};

    for (int size = 0; size < (algorithm->collective == PEAL_BARRIER ? 1 : blocks ? 3 : 4); size++)
        for (int i = 0; i < (algorithm->parameter.name ? 3 : 1); i++) {
            situation.words = blocks ? of_blocks[size] : of_vectors[size];
            situation.parameter = numbers[i];
            print_switchings(algorithm, situation);
        }
}

static void
print_roots(const struct peal_algorithm *algorithm, struct peal_situation situation)
{
    int P = situation.nodes, roots[] = {0, P / 3, P - 1}, to[] = {P / 2, P - 2};
    bool shifts = algorithm->collective == PEAL_SHIFT;

    for (int i = 0; i < 3; i++) {
        if (i > 0 && (roots[i] <= roots[i - 1] || !(shifts || peal_collective_has_root(algorithm->collective))))
            continue;
        situation.root = shifts ? 0 : roots[i];
        situation.by = shifts ? roots[i] : 0;
        situation.to_count = P;
        print_sizes(algorithm, situation);
        if (algorithm->collective != PEAL_MULTICAST || P < 5)
            continue;
        situation.to = to;
        situation.to_count = 2;
        print_sizes(algorithm, situation);
        situation.to = NULL;
    }
}

/* Grids with an extent of 1 are tried when they are small. */
static bool
is_tried(const char *topology, int nodes)
{
    return nodes <= 6 || (!strstr(topology, ":1x") && strcmp(topology + strlen(topology) - 2, "x1") != 0);
}

/* Every algorithm on a network. */
static void
print_all(const struct peal_network *network, int nodes)
{
    const char *wanted = getenv("PEAL_TEST_ALGORITHM");
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = peal_algorithm_get(i)); i++) {
        struct peal_situation situation = {.collective = algorithm->collective,
                                           .nodes = nodes,
                                           .network = network,
                                           .parameters = {.alpha = 1000, .beta = 1}};

        situation.op = peal_collective_has_op(algorithm->collective) ? PEAL_SUM_INT64 : NULL;
        if (!wanted || strncmp(name_of(algorithm), wanted, strlen(wanted)) == 0)
            print_roots(algorithm, situation);
    }
}

int
main(void)
{
    const char *topology;

    for (size_t p = 0; p < sizeof node_counts / sizeof *node_counts; p++)
        for (int t = 0; (topology = network_of(node_counts[p], t)); t++)
            for (int back = 0; back <= (node_counts[p] <= 12 && strchr(topology, 'x') ? 1 : 0); back++) {
                struct peal_error error;
                struct peal_network *network = NULL;

                if (is_tried(topology, node_counts[p]))
                    network = peal_network_create(topology, node_counts[p], back ? "yx" : NULL, &error);
                if (network)
                    print_all(network, node_counts[p]);
                peal_network_destroy(network);
            }
    return 0;
}
