/* SPDX-License-Identifier: MIT */
/* Every regular network against the model, pair by pair; what is refused, line by line. */
#include "lib/network/network.h"
#include "lib/network/shortest.h"
#include "tests/network/model.h"
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the networks that are tried */

static const struct {
    const char *spec;
    enum model_kind kind;
    int dimensions;
    int extent[MODEL_DIMENSIONS];
} cases[] = {
    {"full", MODEL_FULL, 1, {1}},
    {"full", MODEL_FULL, 1, {2}},
    {"full", MODEL_FULL, 1, {9}},
    {"line:1", MODEL_OPEN, 1, {1}},
    {"line:2", MODEL_OPEN, 1, {2}},
    {"line:3", MODEL_OPEN, 1, {3}},
    {"line:12", MODEL_OPEN, 1, {12}},
    {"line:13", MODEL_OPEN, 1, {13}},
    {"ring:1", MODEL_CLOSED, 1, {1}},
    {"ring:2", MODEL_CLOSED, 1, {2}},
    {"ring:3", MODEL_CLOSED, 1, {3}},
    {"ring:4", MODEL_CLOSED, 1, {4}},
    {"ring:11", MODEL_CLOSED, 1, {11}},
    {"ring:12", MODEL_CLOSED, 1, {12}},
    {"mesh:1x1", MODEL_OPEN, 2, {1, 1}},
    {"mesh:1x5", MODEL_OPEN, 2, {1, 5}},
    {"mesh:5x1", MODEL_OPEN, 2, {5, 1}},
    {"mesh:2x2", MODEL_OPEN, 2, {2, 2}},
    {"mesh:3x3", MODEL_OPEN, 2, {3, 3}},
    {"mesh:3x4", MODEL_OPEN, 2, {3, 4}},
    {"mesh:4x3", MODEL_OPEN, 2, {4, 3}},
    {"mesh:3x5", MODEL_OPEN, 2, {3, 5}},
    {"mesh:2x3x3", MODEL_OPEN, 3, {2, 3, 3}},
    {"mesh:4x2x2", MODEL_OPEN, 3, {4, 2, 2}},
    {"mesh:3x1x4", MODEL_OPEN, 3, {3, 1, 4}},
    {"mesh:3x2x4x2", MODEL_OPEN, 4, {3, 2, 4, 2}},
    {"mesh:6", MODEL_OPEN, 1, {6}},
    {"torus:1x1", MODEL_CLOSED, 2, {1, 1}},
    {"torus:1x6", MODEL_CLOSED, 2, {1, 6}},
    {"torus:2x2", MODEL_CLOSED, 2, {2, 2}},
    {"torus:2x3", MODEL_CLOSED, 2, {2, 3}},
    {"torus:5x2", MODEL_CLOSED, 2, {5, 2}},
    {"torus:7x2", MODEL_CLOSED, 2, {7, 2}},
    {"torus:3x3", MODEL_CLOSED, 2, {3, 3}},
    {"torus:3x4", MODEL_CLOSED, 2, {3, 4}},
    {"torus:3x5", MODEL_CLOSED, 2, {3, 5}},
    {"torus:4x4", MODEL_CLOSED, 2, {4, 4}},
    {"torus:2x3x3", MODEL_CLOSED, 3, {2, 3, 3}},
    {"torus:2x4x2", MODEL_CLOSED, 3, {2, 4, 2}},
    {"torus:5x1x3", MODEL_CLOSED, 3, {5, 1, 3}},
    {"torus:4x4x2", MODEL_CLOSED, 3, {4, 4, 2}},
    {"torus:3x2x4x5", MODEL_CLOSED, 4, {3, 2, 4, 5}},
    {"hypercube:0", MODEL_CUBE, 0, {0}},
    {"hypercube:1", MODEL_CUBE, 1, {2}},
    {"hypercube:2", MODEL_CUBE, 2, {2, 2}},
    {"hypercube:3", MODEL_CUBE, 3, {2, 2, 2}},
    {"hypercube:4", MODEL_CUBE, 4, {2, 2, 2, 2}},
    {"hypercube:6", MODEL_CUBE, 6, {2, 2, 2, 2, 2, 2}},
    {"star:1", MODEL_STAR, 1, {1}},
    {"star:2", MODEL_STAR, 1, {2}},
    {"star:3", MODEL_STAR, 1, {3}},
    {"star:10", MODEL_STAR, 1, {10}},
    {"tree:7x1", MODEL_TREE, 2, {7, 1}},
    {"tree:1x5", MODEL_TREE, 2, {1, 5}},
    {"tree:2x2", MODEL_TREE, 2, {2, 2}},
    {"tree:2x4", MODEL_TREE, 2, {2, 4}},
    {"tree:2x6", MODEL_TREE, 2, {2, 6}},
    {"tree:3x3", MODEL_TREE, 2, {3, 3}},
    {"tree:4x2", MODEL_TREE, 2, {4, 2}},
    {"tree:4x3", MODEL_TREE, 2, {4, 3}},
    {"fattree:2", MODEL_FATTREE, 1, {2}},
    {"fattree:4", MODEL_FATTREE, 1, {4}},
    {"fattree:6", MODEL_FATTREE, 1, {6}},
    {"dragonfly:1x1x1", MODEL_DRAGONFLY, 3, {1, 1, 1}},
    {"dragonfly:1x3x4", MODEL_DRAGONFLY, 3, {1, 3, 4}},
    {"dragonfly:2x1x1", MODEL_DRAGONFLY, 3, {2, 1, 1}},
    {"dragonfly:2x1x5", MODEL_DRAGONFLY, 3, {2, 1, 5}},
    {"dragonfly:2x2x3", MODEL_DRAGONFLY, 3, {2, 2, 3}},
    {"dragonfly:3x1x2", MODEL_DRAGONFLY, 3, {3, 1, 2}},
    {"dragonfly:4x2x2", MODEL_DRAGONFLY, 3, {4, 2, 2}},
    {"dragonfly:5x1x1", MODEL_DRAGONFLY, 3, {5, 1, 1}},
    {"debruijn:1x3", MODEL_DEBRUIJN, 2, {1, 3}},
    {"debruijn:2x1", MODEL_DEBRUIJN, 2, {2, 1}},
    {"debruijn:2x2", MODEL_DEBRUIJN, 2, {2, 2}},
    {"debruijn:2x3", MODEL_DEBRUIJN, 2, {2, 3}},
    {"debruijn:2x7", MODEL_DEBRUIJN, 2, {2, 7}},
    {"debruijn:3x4", MODEL_DEBRUIJN, 2, {3, 4}},
    {"debruijn:4x3", MODEL_DEBRUIJN, 2, {4, 3}},
    {"debruijn:9x2", MODEL_DEBRUIJN, 2, {9, 2}},
    {"debruijn:7x1", MODEL_DEBRUIJN, 2, {7, 1}},
    {"butterfly:0", MODEL_BUTTERFLY, 1, {0}},
    {"butterfly:1", MODEL_BUTTERFLY, 1, {1}},
    {"butterfly:2", MODEL_BUTTERFLY, 1, {2}},
    {"butterfly:4", MODEL_BUTTERFLY, 1, {4}},
};

enum { CASES = sizeof cases / sizeof *cases };

static struct model model;
static struct peal_network *network;
static int order; /* of the routing, or NO_ORDER */
enum { NO_ORDER = -1 };

/* The model's order for a routing of a topology. */
static int
order_of(const char *kind, const char *routing)
{
    if (strcmp(routing, "best") == 0)
        return MODEL_LOWEST;
    if (strcmp(routing, "yx") == 0 || strcmp(routing, "reverse") == 0)
        return MODEL_FIRST_FIRST;
    if (strcmp(routing, "xy") == 0 || strcmp(routing, "ecube") == 0 || strcmp(kind, "ring") == 0)
        return MODEL_LAST_FIRST;
    return strcmp(routing, "shortest") == 0 ? MODEL_LOWEST : NO_ORDER;
}

/* Make case i with its routing number r, behind its topology's own best; false when it has no such routing. */
static bool
begin(int i, int r)
{
    struct peal_error error = {0};
    const char *const *routings = NULL, *routing = "best";
    size_t kind = strcspn(cases[i].spec, ":");

    for (const struct topology *const *each = topologies; *each; each++)
        if (strlen((*each)->name) == kind && strncmp((*each)->name, cases[i].spec, kind) == 0)
            routings = (*each)->routings;
    cr_assert(routings, "%s", cases[i].spec);
    for (int before = 0; before < r; before++)
        if (!routings[before])
            return false;
    if (routings[r])
        routing = routings[r];
    model_make(&model, cases[i].kind, cases[i].dimensions, cases[i].extent);
    network = peal_network_create(cases[i].spec, model.nodes, routing, &error);
    cr_assert(network, "%s: %s", cases[i].spec, error.text);
    cr_assert_str_eq(peal_network_routing(network), routing);
    order = order_of(peal_network_kind(network), routing);
    return true;
}

enum { MOST_ROUTINGS = 4 };

#define FOR_ALL_NETWORKS(i)                                                                                            \
    for (int i = 0, r = 0; i < CASES; i += r == MOST_ROUTINGS - 1, r = (r + 1) % MOST_ROUTINGS)                        \
        for (bool once = begin(i, r); once; once = false, peal_network_destroy(network))

/* ------------------------------------------------------------------ routes */

Test(network, routes_are_the_walks_that_their_routing_describes, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (int from = 0; from < model.nodes && order != NO_ORDER; from++)
        for (int to = 0; to < model.nodes; to++) {
            int walk[MODEL_MOST], path[MODEL_MOST];
            int hops = model_path(&model, from, to, (enum model_order)order, walk);

            cr_assert_eq(peal_network_path(network, from, to, path), hops, "%s %d -> %d", cases[i].spec, from, to);
            cr_assert_arr_eq(path, walk, (size_t)(hops + 1) * sizeof *path, "%s %s %d -> %d", cases[i].spec,
                             peal_network_routing(network), from, to);
        }
}

Test(network, routes_are_as_long_as_the_breadth_first_distance, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (int from = 0; from < model.nodes; from++)
        for (int to = 0; to < model.nodes; to++) {
            uint32_t links[MODEL_MOST];

            cr_assert_eq(peal_network_distance(network, from, to), model.distance[from][to], "%s %d -> %d",
                         cases[i].spec, from, to);
            if (!network->private_links)
                cr_assert_eq(network_route(network, from, to, links), model.distance[from][to], "%s %d -> %d",
                             cases[i].spec, from, to);
        }
}

Test(network, the_links_of_a_route_lead_from_each_node_to_the_next, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (int from = 0; from < model.nodes; from++)
        for (int to = 0; to < model.nodes; to++) {
            uint32_t links[MODEL_MOST];
            uint64_t first, last;
            int at = from, before = -1, hops;

            if (from == to || network->private_links)
                continue;
            hops = network_route(network, from, to, links);
            for (int hop = 0; hop < hops; hop++) {
                int next;

                cr_assert_lt(links[hop], network->link_limit);
                network->topology->ends(network, links[hop], &before, &next);
                cr_assert_eq(before, at, "%s %d -> %d hop %d", cases[i].spec, from, to, hop);
                at = next;
            }
            cr_assert_eq(at, to);
            network_end_links(network, from, to, &first, &last);
            cr_assert_eq(first, links[0], "%s %d -> %d", cases[i].spec, from, to);
            cr_assert_eq(last, links[hops - 1], "%s %d -> %d", cases[i].spec, from, to);
        }
}

/* Put the model's minimal routes, from `hop` hops on the way on, into paths; returns how many. */
static int
list_paths(int *path, int hop, int to, int paths[][MODEL_MOST], int count)
{
    int at = path[hop];

    if (at == to) {
        memcpy(paths[count], path, (size_t)(hop + 1) * sizeof *path);
        return count + 1;
    }
    for (int next = 0; next < model.vertices && count < 40; next++)
        if (model.wire[at][next] && model.distance[next][to] == model.distance[at][to] - 1) {
            path[hop + 1] = next;
            count = list_paths(path, hop + 1, to, paths, count);
        }
    return count;
}

Test(network, minimal_routes_come_in_the_order_of_their_vertices, .timeout = 60)
{
    static int paths[41][MODEL_MOST];
    uint32_t links[41 * 20];
    int walk[2 * 20];

    FOR_ALL_NETWORKS(i)
    for (int from = 0; from < model.nodes && network->best; from++)
        for (int to = 0; to < model.nodes; to++) {
            const struct landscape *landscape = network->topology->landscape;
            int path[MODEL_MOST] = {from}, hops = model.distance[from][to];
            int count = from == to ? 0 : list_paths(path, 0, to, paths, 0);

            if (from != to && !landscape)
                cr_assert_eq(count, 1, "%s has more than one way from %d to %d", cases[i].spec, from, to);
            if (from == to || !landscape)
                continue;
            cr_assert_eq(shortest_routes(network, landscape, from, to, 40, links, walk), count, "%s %d -> %d",
                         cases[i].spec, from, to);
            for (int link = 0; link < count * hops; link++) {
                int before, after, hop = link % hops;

                network->topology->ends(network, links[link], &before, &after);
                cr_assert(before == paths[link / hops][hop] && after == paths[link / hops][hop + 1],
                          "%s %d -> %d, route %d hop %d", cases[i].spec, from, to, link / hops, hop);
            }
            cr_assert_eq(shortest_routes(network, landscape, from, to, 1, links, walk), 1);
        }
}

/* ------------------------------------------------------------------ links */

Test(network, every_link_has_one_number_and_few_numbers_have_no_link, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    {
        bool seen[MODEL_MOST][MODEL_MOST] = {{false}};
        uint64_t used = 0;

        cr_assert_eq(peal_network_links(network), 2 * (uint64_t)model_wires(&model), "%s", cases[i].spec);
        cr_assert_eq(network->vertices, model.vertices);
        cr_assert_eq(peal_network_switches(network), model.vertices - model.nodes);
        for (uint32_t link = 0; !network->private_links && link < network->link_limit; link++) {
            int from, to;

            network->topology->ends(network, link, &from, &to);
            if (from == to)
                continue;
            cr_assert(from >= 0 && from < model.vertices && to >= 0 && to < model.vertices, "%s link %u", cases[i].spec,
                      link);
            cr_assert(model.wire[from][to], "%s link %u: %d -> %d", cases[i].spec, link, from, to);
            cr_assert_not(seen[from][to], "%s link %u: %d -> %d", cases[i].spec, link, from, to);
            seen[from][to] = true;
            used++;
        }
        cr_assert(network->private_links || used == network->links, "%s: %d of %d", cases[i].spec, (int)used,
                  (int)network->links);
        if (cases[i].kind != MODEL_DEBRUIJN && !network->private_links)
            cr_assert_eq(network->link_limit, network->links, "%s", cases[i].spec);
    }
}

Test(network, the_wires_are_every_pair_of_neighbours_once, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    {
        bool seen[MODEL_MOST][MODEL_MOST] = {{false}};
        uint64_t found = 0;
        int from, to;

        for (uint64_t wire = 0; wire < peal_network_wires(network); wire++) {
            if (!peal_network_wire(network, wire, &from, &to))
                continue;
            cr_assert(model.wire[from][to], "%s: %d and %d are no neighbours", cases[i].spec, from, to);
            cr_assert_not(seen[from][to] || seen[to][from], "%s: %d and %d twice", cases[i].spec, from, to);
            seen[from][to] = true;
            found++;
        }
        cr_expect_eq(2 * found, network->private_links ? 0 : network->links, "%s", cases[i].spec);
        cr_expect_not(peal_network_wire(network, peal_network_wires(network), &from, &to), "%s", cases[i].spec);
    }
}

Test(network, the_reverse_of_a_link_leads_back_and_its_reverse_is_the_link, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (uint32_t link = 0; !network->private_links && link < network->link_limit; link++) {
        uint64_t back = network_reverse_link(network, link);
        int from, to, back_from, back_to;

        network->topology->ends(network, link, &from, &to);
        network->topology->ends(network, (uint32_t)back, &back_from, &back_to);
        cr_assert(back_from == to && back_to == from, "%s link %u", cases[i].spec, link);
        cr_assert_eq(network_reverse_link(network, back), link);
    }
}

Test(network, private_links_have_a_number_for_each_ordered_pair, .timeout = 5)
{
    enum { NODES = 70000 }; /* P² does not fit 32 bits */
    struct peal_network *full = peal_network_create("full", NODES, NULL, NULL);
    uint64_t first, last;

    cr_assert(full);
    network_end_links(full, NODES - 1, 3, &first, &last);
    cr_expect_eq(first, (uint64_t)(NODES - 1) * NODES + 3);
    cr_expect_eq(last, first);
    cr_expect_eq(network_reverse_link(full, first), (uint64_t)3 * NODES + NODES - 1);
    cr_expect_eq(network_reverse_link(full, network_reverse_link(full, first)), first);
    peal_network_destroy(full);
}

/* ------------------------------------------------------------------ numbers about the whole */

Test(network, eccentricities_and_diameter_are_those_of_the_breadth_first_search, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    {
        int diameter = 0;

        for (int source = 0; source < model.nodes; source++) {
            int most = model_eccentricity(&model, source);

            cr_expect_eq(peal_network_eccentricity(network, source), most, "%s from %d", cases[i].spec, source);
            diameter = most > diameter ? most : diameter;
        }
        cr_expect_eq(peal_network_diameter(network), diameter, "%s", cases[i].spec);
    }
}

/* No formula is known. */
static bool
is_unknown(int i)
{
    return cases[i].kind == MODEL_DEBRUIJN || cases[i].kind == MODEL_BUTTERFLY || cases[i].kind == MODEL_DRAGONFLY ||
           (cases[i].kind == MODEL_TREE && cases[i].extent[0] != 1 && cases[i].extent[0] % 2 == 1);
}

Test(network, the_bisection_is_the_fewest_wires_between_two_halves, .timeout = 60)
{
    FOR_ALL_NETWORKS(i)
    if (model.nodes <= 18 && model.nodes == model.vertices && !is_unknown(i))
        cr_expect_eq(peal_network_bisection(network), (uint64_t)model_bisection(&model), "%s: %d, not %d",
                     cases[i].spec, model_bisection(&model), (int)peal_network_bisection(network));
    else if (is_unknown(i))
        cr_expect_eq(peal_network_bisection(network), 0, "%s", cases[i].spec);
}

/* The switches of a fat tree may be on either side of the cut. */
Test(network, the_bisection_of_a_fat_tree_is_half_of_its_nodes, .timeout = 5)
{
    struct peal_network *tree = peal_network_create("fattree:8", 128, NULL, NULL);

    cr_expect_eq(peal_network_bisection(tree), 64);
    peal_network_destroy(tree);
}

Test(network, the_bisection_of_a_torus_without_proof_is_given_as_not_known, .timeout = 5)
{
    struct peal_network *torus = peal_network_create("torus:2x3x5", 30, NULL, NULL);

    cr_expect_eq(peal_network_bisection(torus), 0);
    peal_network_destroy(torus);
}

Test(network, names_are_written_in_full, .timeout = 5)
{
    FOR_ALL_NETWORKS(i)
    {
        int extents[PEAL_MAX_DIMENSIONS];

        cr_expect_str_eq(peal_network_name(network), cases[i].spec);
        cr_expect_eq(peal_network_nodes(network), model.nodes);
        cr_expect_eq(strncmp(cases[i].spec, peal_network_kind(network), strlen(peal_network_kind(network))), 0);
        cr_assert_eq(peal_network_extents(network, extents), model.dimensions);
        cr_expect_arr_eq(extents, model.extent, (size_t)model.dimensions * sizeof *extents);
    }
}

Test(network, extents_that_are_left_out_are_as_square_as_it_goes, .timeout = 5)
{
    static const struct {
        const char *spec;
        int nodes;
        const char *name, *routing;
    } table[] = {
        {"full", 7, "full", "shortest"},
        {"full:7", 7, "full", "shortest"},
        {"line", 8, "line:8", "shortest"},
        {"ring", 9, "ring:9", "shortest"},
        {"mesh", 1, "mesh:1x1", "xy"},
        {"mesh", 7, "mesh:1x7", "xy"},
        {"mesh", 8, "mesh:2x4", "xy"},
        {"mesh", 9, "mesh:3x3", "xy"},
        {"mesh", 24, "mesh:4x6", "xy"},
        {"torus", 36, "torus:6x6", "xy"},
        {"torus", 8, "torus:2x4", "xy"},
        {"torus", 1000000, "torus:1000x1000", "xy"},
        {"hypercube", 1, "hypercube:0", "ecube"},
        {"hypercube", 64, "hypercube:6", "ecube"},
        {"line:1K", 1000, "line:1000", "shortest"},
        {"star", 5, "star:5", "shortest"},
        {"fattree", 16, "fattree:4", "shortest"},
        {"butterfly", 12, "butterfly:2", "shortest"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_error error = {0};
        struct peal_network *made = peal_network_create(table[i].spec, table[i].nodes, NULL, &error);

        cr_assert(made, "%s: %s", table[i].spec, error.text);
        cr_expect_str_eq(peal_network_name(made), table[i].name);
        cr_expect_str_eq(peal_network_routing(made), table[i].routing);
        peal_network_destroy(made);
    }
}

Test(network, every_topology_is_listed_with_its_form, .timeout = 5)
{
    const char *name, *form, *summary;
    int count = 0;

    for (; peal_topology_list(count, &name, &form, &summary); count++) {
        cr_expect_eq(strncmp(form, name, strlen(name)), 0, "%s", form);
        cr_expect(summary[0] && !strchr(summary, '\n'), "%s", name);
    }
    cr_expect_eq(count, 15);
    cr_expect_not(peal_topology_list(-1, &name, &form, &summary));
}

/* ------------------------------------------------------------------ large ones */

Test(network, large_grids_route_to_the_far_corner_and_back, .timeout = 20)
{
    static const struct {
        const char *spec;
        int nodes;
    } table[] = {{"torus", 1000000},
                 {"torus:128x64x128", 1 << 20},
                 {"mesh:3x1000x333", 999000},
                 {"ring", INT_MAX},
                 {"line", 1000003},
                 {"hypercube", 1 << 26},
                 {"star", 1000000},
                 {"tree:3x12", 265720},
                 {"tree:2x20", (1 << 20) - 1},
                 {"fattree:64", 65536},
                 {"dragonfly:16x8x8", 16512},
                 {"debruijn:2x20", 1 << 20},
                 {"debruijn:10x6", 1000000},
                 {"butterfly:12", 53248}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_error error = {0};
        struct peal_network *large = peal_network_create(table[i].spec, table[i].nodes, NULL, &error);
        uint64_t random = 1;

        cr_assert(large, "%s: %s", table[i].spec, error.text);
        uint32_t *links = large->diameter < 10000000 ? malloc((size_t)large->diameter * sizeof *links) : NULL;

        for (int pair = 0; pair < 60; pair++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            int from = pair ? (int)(random >> 33) % table[i].nodes : 0, at = from, before;

            random = random * 6364136223846793005u + 1442695040888963407u;
            int to = pair ? (int)(random >> 33) % table[i].nodes : table[i].nodes - 1;
            uint64_t first, last;

            if (from == to)
                continue;
            if (links) {
                int hops = network_route(large, from, to, links);

                cr_assert_eq(hops, peal_network_distance(large, from, to));
                cr_assert_leq(hops, large->diameter);
                for (int hop = 0; hop < hops; hop++) {
                    int next;

                    large->topology->ends(large, links[hop], &before, &next);
                    cr_assert_eq(before, at, "%s %d -> %d", table[i].spec, from, to);
                    at = next;
                }
                cr_assert_eq(at, to, "%s %d -> %d", table[i].spec, from, to);
            }
            network_end_links(large, from, to, &first, &last);
            large->topology->ends(large, (uint32_t)first, &before, &at);
            cr_assert_eq(before, from);
            large->topology->ends(large, (uint32_t)last, &before, &at);
            cr_assert_eq(at, to);
        }
        free(links);
        peal_network_destroy(large);
    }
}

/* ------------------------------------------------------------------ ways up a fat tree */

Test(network, dmodk_lets_every_shift_through_a_fat_tree_without_sharing, .timeout = 20)
{
    struct peal_network *tree = peal_network_create("fattree:6", 54, "dmodk", NULL);

    cr_assert(tree);
    for (int shift = 1; shift < 54; shift++) {
        bool used[6 * 54] = {false};

        for (int node = 0; node < 54; node++) {
            uint32_t links[6];
            int hops = network_route(tree, node, (node + shift) % 54, links);

            for (int hop = 0; hop < hops; hop++) {
                cr_expect_not(used[links[hop]], "shift %d, %d -> %d, hop %d", shift, node, (node + shift) % 54, hop);
                used[links[hop]] = true;
            }
        }
    }
    peal_network_destroy(tree);
}

/* ------------------------------------------------------------------ what is refused */

Test(network, what_cannot_be_is_refused_in_one_line_that_says_what_would_fit, .timeout = 5)
{
    static const struct {
        const char *spec;
        int nodes;
        const char *routing, *text;
    } table[] = {
        {"full", 0, NULL, "a network cannot have 0 nodes: expected at least 1"},
        {"full", -1, NULL, "a network cannot have -1 nodes: expected at least 1"},
        {"mehs", 8, NULL, "unknown topology \"mehs\": did you mean mesh?"},
        {"mehs:2x4", 8, NULL, "unknown topology \"mehs\": did you mean mesh?"},
        {"", 8, NULL,
         "unknown topology \"\": choose from full, line, ring, star, mesh, torus, hypercube, tree, fattree, "
         "dragonfly, "
         "debruijn, butterfly, dgx1, dgx-a100, file"},
        {"bus", 8, NULL,
         "unknown topology \"bus\": choose from full, line, ring, star, mesh, torus, hypercube, tree, fattree, "
         "dragonfly, "
         "debruijn, butterfly, dgx1, dgx-a100, file"},
        {"mesh", 8, "yz", "a mesh has no routing \"yz\": did you mean yx?"},
        {"mesh", 8, "ecube", "a mesh has no routing \"ecube\": choose from xy, yx, shortest, best"},
        {"ring", 8, "xy", "a ring has no routing \"xy\": choose from shortest, best"},
        {"fattree", 16, "bset", "a fattree has no routing \"bset\": did you mean best?"},
        {"line:8", 9, NULL, "line:8 has 8 nodes, the machine has 9: use line:9, or 8 nodes"},
        {"ring:1", 9, NULL, "ring:1 has 1 node, the machine has 9: use ring:9, or 1 node"},
        {"full:3", 9, NULL, "full:3 has 3 nodes, the machine has 9: use full:9, or 3 nodes"},
        {"mesh:3x4", 8, NULL, "mesh:3x4 has 12 nodes, the machine has 8: use mesh:2x4 or mesh:1x8, or 12 nodes"},
        {"torus:3x4", 64, NULL,
         "torus:3x4 has 12 nodes, the machine has 64: use torus:8x8 or torus:4x16 or torus:2x32, or 12 nodes"},
        {"mesh:2x2x2", 12, NULL, "mesh:2x2x2 has 8 nodes, the machine has 12: use mesh:2x2x3, or 8 nodes"},
        {"mesh:100000x100000", 8, NULL,
         "mesh:100000x100000 has more than 2147483647 nodes, the machine has 8: use mesh:2x4 or mesh:1x8"},
        {"torus:4Gx4Gx4G", 8, NULL,
         "topology torus \"4Gx4Gx4G\": \"4G\" is too large: at most 2147483647 (the form is torus:AxBx..)"},
        {"mesh:0x4", 8, NULL, "topology mesh \"0x4\": each number is at least 1 (the form is mesh:AxBx..)"},
        {"mesh:", 8, NULL, "topology mesh \"\": a number is missing (the form is mesh:AxBx..)"},
        {"mesh:2x", 8, NULL, "topology mesh \"2x\": a number is missing (the form is mesh:AxBx..)"},
        {"mesh:2xx4", 8, NULL, "topology mesh \"2xx4\": a number is missing (the form is mesh:AxBx..)"},
        {"line:8x1", 8, NULL, "topology line \"8x1\": it takes at most 1 number (the form is line:P)"},
        {"mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x8", 8, NULL,
         "topology mesh \"1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x8\": it takes at most 32 "
         "numbers "
         "(the form is mesh:AxBx..)"},
        {"hypercube:3", 4, NULL, "hypercube:3 has 8 nodes, the machine has 4: use hypercube:2, or 8 nodes"},
        {"hypercube:0", 4, NULL, "hypercube:0 has 1 node, the machine has 4: use hypercube:2, or 1 node"},
        {"hypercube:31", 4, NULL,
         "hypercube:31 has more nodes than Peal can number, the machine has 4: use hypercube:2"},
        {"hypercube", 6, NULL,
         "hypercube does not fit 6 nodes: a hypercube has 2^d, so take 4 (hypercube:2) or 8 (hypercube:3)"},
        {"hypercube:3", 9, NULL,
         "hypercube:3 does not fit 9 nodes: a hypercube has 2^d, so take 8 (hypercube:3) or 16 (hypercube:4)"},
        {"hypercube", INT_MAX, NULL,
         "hypercube does not fit 2147483647 nodes: a hypercube has 2^d, so take 1073741824 (hypercube:30)"},
        {"star:8", 9, NULL, "star:8 has 8 nodes, the machine has 9: use star:9, or 8 nodes"},
        {"tree", 7, NULL, "topology tree lacks its numbers: for 7 nodes use tree:2x3 or tree:6x2 or tree:1x7"},
        {"tree:2x3", 8, NULL, "tree:2x3 has 7 nodes, the machine has 8: use tree:7x2 or tree:1x8, or 7 nodes"},
        {"tree:2x40", 7, NULL,
         "tree:2x40 has more than 2147483647 nodes, the machine has 7: use tree:2x3 or tree:6x2 or tree:1x7"},
        {"tree:2", 3, NULL, "topology tree \"2\": it takes 2 numbers (the form is tree:AxL)"},
        {"tree:2x0", 3, NULL, "topology tree \"2x0\": each number is at least 1 (the form is tree:AxL)"},
        {"fattree", 12, NULL,
         "fattree does not fit 12 nodes: a fat tree has K³/4, K even, so take 2 (fattree:2) or 16 (fattree:4)"},
        {"fattree:4", 1, NULL, "fattree:4 does not fit 1 node: a fat tree has K³/4, K even, so take 2 (fattree:2)"},
        {"fattree:3", 6, NULL, "fattree:3 is not possible: a switch has an even number of ports, half of them down"},
        {"fattree:4", 54, NULL, "fattree:4 has 16 nodes, the machine has 54: use fattree:6, or 16 nodes"},
        {"fattree:9998", 54, NULL, "fattree:9998 has more than 2147483647 nodes, the machine has 54: use fattree:6"},
        {"dragonfly", 72, NULL,
         "topology dragonfly lacks its numbers: for 72 nodes use dragonfly:8x1x1 or dragonfly:4x2x2 or "
         "dragonfly:3x6x1"},
        {"dragonfly:4x2x2", 6, NULL,
         "dragonfly:4x2x2 has 72 nodes, the machine has 6: use dragonfly:2x1x1 or dragonfly:1x1x5 or dragonfly:1x2x2, "
         "or 72 nodes"},
        {"dragonfly:1x1x1", 1, NULL, "a dragonfly cannot have 1 node: it has at least 2 groups"},
        {"dragonfly:2147483647x2147483647x2147483647", 3, NULL,
         "dragonfly:2147483647x2147483647x2147483647 has more than 2147483647 nodes, the machine has 3: use "
         "dragonfly:1x1x2"},
        {"debruijn:2x3", 64, NULL,
         "debruijn:2x3 has 8 nodes, the machine has 64: use debruijn:2x6 or debruijn:4x3 or debruijn:8x2, or 8 nodes"},
        {"debruijn", 8, NULL, "topology debruijn lacks its numbers: for 8 nodes use debruijn:2x3 or debruijn:8x1"},
        {"debruijn:50000x1", 50000, NULL,
         "debruijn:50000x1 has 5000000000 links, of which Peal can number 4294967295: use fewer nodes"},
        {"butterfly:2", 13, NULL,
         "butterfly:2 does not fit 13 nodes: a butterfly has (D+1)·2^D, so take 12 (butterfly:2) or 32 (butterfly:3)"},
        {"butterfly:3", 12, NULL, "butterfly:3 has 32 nodes, the machine has 12: use butterfly:2, or 32 nodes"},
        {"butterfly:30", 12, NULL, "butterfly:30 has more than 2147483647 nodes, the machine has 12: use butterfly:2"},
        {"butterfly", INT_MAX, NULL,
         "butterfly does not fit 2147483647 nodes: a butterfly has (D+1)·2^D, so take 872415232 (butterfly:25)"},
        {"file", 4, NULL, "topology file has no path: expected file:PATH"},
        {"file:", 4, NULL, "topology file has no path: expected file:PATH"},
        {"file:/nowhere/at/all", 4, NULL, "topology file \"/nowhere/at/all\": No such file or directory"},
        {"file:/", 4, NULL, "topology file \"/\": Is a directory"},
        {"dgx1:8", 8, NULL, "dgx1 takes no numbers: it has 8 nodes"},
        {"dgx1", 4, NULL, "dgx1 has 8 nodes, the machine has 4"},
        {"dgx-a100", 9, NULL, "dgx-a100 has 8 nodes, the machine has 9"},
        {"file:wires", 4097, NULL, "a topology from a file has at most 4096 nodes, the machine has 4097"},
        {"torus:65536x32767", 2147418112, NULL,
         "torus:65536x32767 has 8589672448 links, of which Peal can number 4294967295: use fewer nodes"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_error error = {0};

        cr_expect_null(peal_network_create(table[i].spec, table[i].nodes, table[i].routing, &error), "%s",
                       table[i].spec);
        cr_expect_str_eq(error.text, table[i].text);
        cr_expect_eq(error.status, PEAL_USAGE);
    }
}

Test(network, junk_between_the_numbers_is_refused, .timeout = 5)
{
    static const char *const junk[] = {"mesh:2X4",  "mesh:2x-4",  "mesh: 2x4",
                                       "mesh:2x4 ", "mesh:2x4x",  "mesh:2.0x4",
                                       "mesh:x",    "mesh:2x4\n", "mesh:2x99999999999999999999999999999999999999999999",
                                       "mesh::2x4", "mesh:2*4",   "mesh:+2x4"};

    for (size_t i = 0; i < sizeof junk / sizeof *junk; i++) {
        struct peal_error error = {0};

        cr_expect_null(peal_network_create(junk[i], 8, NULL, &error), "%s", junk[i]);
        cr_expect_eq(error.status, PEAL_USAGE);
        cr_expect(strstr(error.text, "(the form is mesh:AxBx..)") && !strchr(error.text, '\n'), "%s", error.text);
    }
}

/* ------------------------------------------------------------------ capacities */

/* The matrix as microsoft/msccl-tools has it. */
Test(network, dgx1_has_the_published_capacities, .timeout = 5)
{
    static const uint32_t matrix[8][8] = {
        {0, 2, 1, 1, 2, 0, 0, 0}, {2, 0, 1, 2, 0, 1, 0, 0}, {1, 1, 0, 2, 0, 0, 2, 0}, {1, 2, 2, 0, 0, 0, 0, 1},
        {2, 0, 0, 0, 0, 2, 1, 1}, {0, 1, 0, 0, 2, 0, 1, 2}, {0, 0, 2, 0, 1, 1, 0, 2}, {0, 0, 0, 1, 1, 2, 2, 0},
    };
    struct peal_network *dgx1 = peal_network_create("dgx1", 8, NULL, NULL);

    cr_assert(dgx1);
    cr_expect_eq(peal_topology_nodes("dgx1"), 8);
    cr_expect_eq(peal_topology_nodes("dgx-a100"), 8);
    cr_expect_eq(peal_network_diameter(dgx1), 2);
    cr_expect_eq(peal_network_links(dgx1), 32);
    for (int a = 0; a < 8; a++)
        for (int b = 0; b < 8; b++)
            if (a != b)
                cr_expect_eq(peal_network_capacity(dgx1, a, b), matrix[a][b], "%d -> %d", a, b);
    peal_network_destroy(dgx1);
}

Test(network, links_have_capacity_1_where_nothing_else_is_said, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (int to = 1; to < network->nodes; to++)
        if (model.wire[0][to])
            cr_expect_eq(peal_network_capacity(network, 0, to), 1, "%s", cases[i].spec);
}
