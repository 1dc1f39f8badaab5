/* SPDX-License-Identifier: MIT */
/* Every regular network compared with the model, pair by pair; refusals, line by line. */
#include "lib/network/network.h"
#include "lib/network/shortest.h"
#include "tests/network/model.h"
#include <criterion/criterion.h>
#include <string.h>

/* The topologies of the table. */
enum {
#define TOPOLOGY(name) LISTED_##name,
#include "lib/network/topologies.def"
#undef TOPOLOGY
    LISTED
};

static struct model model;
static struct peal_network *network;
static int order; /* of the routing, or NO_ORDER */
enum { NO_ORDER = -1 };

/* Whether case i is of this topology. */
static bool
is_of(int i, const char *topology)
{
    size_t length = strlen(topology);

    return strncmp(model_cases[i].spec, topology, length) == 0 && strchr(":", model_cases[i].spec[length]);
}

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

/* Make case i with its routing number r, counted after its topology's default; false when it has no such routing. */
static bool
begin(int i, int r)
{
    struct peal_error error = {0};
    const char *const *routings = NULL, *routing = "best";
    size_t kind = strcspn(model_cases[i].spec, ":");

    for (const struct topology *const *each = topologies; *each; each++)
        if (strlen((*each)->name) == kind && strncmp((*each)->name, model_cases[i].spec, kind) == 0)
            routings = (*each)->routings;
    cr_assert(routings, "%s", model_cases[i].spec);
    for (int before = 0; before < r; before++)
        if (!routings[before])
            return false;
    if (routings[r])
        routing = routings[r];
    model_make(&model, &model_cases[i]);
    network = peal_network_create(model_cases[i].spec, model.nodes, routing, &error);
    cr_assert(network, "%s: %s", model_cases[i].spec, error.text);
    cr_assert_str_eq(peal_network_routing(network), routing);
    order = order_of(peal_network_kind(network), routing);
    return true;
}

enum { MAX_ROUTINGS = 4 };

#define FOR_ALL_NETWORKS(i)                                                                                            \
    for (int i = 0, r = 0; i < model_case_count; i += r == MAX_ROUTINGS - 1, r = (r + 1) % MAX_ROUTINGS)               \
        for (bool once = begin(i, r); once; once = false, peal_network_destroy(network))

/* ------------------------------------------------------------------ routes */

Test(network, routes_are_the_walks_that_their_routing_describes, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (int from = 0; from < model.nodes && order != NO_ORDER; from++)
        for (int to = 0; to < model.nodes; to++) {
            int walk[MODEL_MAX], path[MODEL_MAX];
            int hops = model_path(&model, from, to, (enum model_order)order, walk);

            cr_assert_eq(peal_network_path(network, from, to, path), hops, "%s %d -> %d", model_cases[i].spec, from,
                         to);
            cr_assert_arr_eq(path, walk, (size_t)(hops + 1) * sizeof *path, "%s %s %d -> %d", model_cases[i].spec,
                             peal_network_routing(network), from, to);
        }
}

Test(network, routes_are_as_long_as_the_breadth_first_distance, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (int from = 0; from < model.nodes; from++)
        for (int to = 0; to < model.nodes; to++) {
            uint32_t links[MODEL_MAX];

            cr_assert_eq(peal_network_distance(network, from, to), model.distance[from][to], "%s %d -> %d",
                         model_cases[i].spec, from, to);
            if (!network->private_links)
                cr_assert_eq(network_route(network, from, to, links), model.distance[from][to], "%s %d -> %d",
                             model_cases[i].spec, from, to);
        }
}

Test(network, the_links_of_a_route_lead_from_each_node_to_the_next, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (int from = 0; from < model.nodes; from++)
        for (int to = 0; to < model.nodes; to++) {
            uint32_t links[MODEL_MAX];
            uint64_t first, last;
            int at = from, before = -1, hops;

            if (from == to || network->private_links)
                continue;
            hops = network_route(network, from, to, links);
            for (int hop = 0; hop < hops; hop++) {
                int next;

                cr_assert_lt(links[hop], network->link_limit);
                network->topology->ends(network, links[hop], &before, &next);
                cr_assert_eq(before, at, "%s %d -> %d hop %d", model_cases[i].spec, from, to, hop);
                at = next;
            }
            cr_assert_eq(at, to);
            network_end_links(network, from, to, &first, &last);
            cr_assert_eq(first, links[0], "%s %d -> %d", model_cases[i].spec, from, to);
            cr_assert_eq(last, links[hops - 1], "%s %d -> %d", model_cases[i].spec, from, to);
        }
}

/* Put the model's minimal routes, from `hop` hops on the way on, into paths; returns how many. */
static int
list_paths(int *path, int hop, int to, int paths[][MODEL_MAX], int count)
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
    static int paths[41][MODEL_MAX];
    uint32_t links[41 * 20];
    int walk[2 * 20];

    FOR_ALL_NETWORKS(i)
    for (int from = 0; from < model.nodes && network->best; from++)
        for (int to = 0; to < model.nodes; to++) {
            const struct route_graph *route_graph = network->topology->route_graph;
            int path[MODEL_MAX] = {from}, hops = model.distance[from][to];
            int count = from == to ? 0 : list_paths(path, 0, to, paths, 0);

            if (from != to && !route_graph)
                cr_assert_eq(count, 1, "%s has more than one way from %d to %d", model_cases[i].spec, from, to);
            if (from == to || !route_graph)
                continue;
            cr_assert_eq(shortest_routes(network, route_graph, from, to, 40, links, walk), count, "%s %d -> %d",
                         model_cases[i].spec, from, to);
            for (int link = 0; link < count * hops; link++) {
                int before, after, hop = link % hops;

                network->topology->ends(network, links[link], &before, &after);
                cr_assert(before == paths[link / hops][hop] && after == paths[link / hops][hop + 1],
                          "%s %d -> %d, route %d hop %d", model_cases[i].spec, from, to, link / hops, hop);
            }
            cr_assert_eq(shortest_routes(network, route_graph, from, to, 1, links, walk), 1);
        }
}

/* ------------------------------------------------------------------ links */

Test(network, every_link_has_one_number_and_few_numbers_have_no_link, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    {
        bool seen[MODEL_MAX][MODEL_MAX] = {{false}};
        uint64_t used = 0;

        cr_assert_eq(peal_network_links(network), 2 * (uint64_t)model_wires(&model), "%s", model_cases[i].spec);
        cr_assert_eq(network->vertices, model.vertices);
        cr_assert_eq(peal_network_switches(network), model.vertices - model.nodes);
        for (uint32_t link = 0; !network->private_links && link < network->link_limit; link++) {
            int from, to;

            network->topology->ends(network, link, &from, &to);
            if (from == to)
                continue;
            cr_assert(from >= 0 && from < model.vertices && to >= 0 && to < model.vertices, "%s link %u",
                      model_cases[i].spec, link);
            cr_assert(model.wire[from][to], "%s link %u: %d -> %d", model_cases[i].spec, link, from, to);
            cr_assert_not(seen[from][to], "%s link %u: %d -> %d", model_cases[i].spec, link, from, to);
            seen[from][to] = true;
            used++;
        }
        cr_assert(network->private_links || used == network->links, "%s: %d of %d", model_cases[i].spec, (int)used,
                  (int)network->links);
        if (!is_of(i, "debruijn") && !network->private_links)
            cr_assert_eq(network->link_limit, network->links, "%s", model_cases[i].spec);
    }
}

Test(network, the_wires_are_every_pair_of_neighbours_once, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    {
        bool seen[MODEL_MAX][MODEL_MAX] = {{false}};
        uint64_t found = 0;
        int from, to;

        for (uint64_t wire = 0; wire < peal_network_wires(network); wire++) {
            if (!peal_network_wire(network, wire, &from, &to))
                continue;
            cr_assert(model.wire[from][to], "%s: %d and %d are not neighbours", model_cases[i].spec, from, to);
            cr_assert_not(seen[from][to] || seen[to][from], "%s: %d and %d twice", model_cases[i].spec, from, to);
            seen[from][to] = true;
            found++;
        }
        cr_expect_eq(2 * found, network->private_links ? 0 : network->links, "%s", model_cases[i].spec);
        cr_expect_not(peal_network_wire(network, peal_network_wires(network), &from, &to), "%s", model_cases[i].spec);
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
        cr_assert(back_from == to && back_to == from, "%s link %u", model_cases[i].spec, link);
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

            cr_expect_eq(peal_network_eccentricity(network, source), most, "%s from %d", model_cases[i].spec, source);
            diameter = most > diameter ? most : diameter;
        }
        cr_expect_eq(peal_network_diameter(network), diameter, "%s", model_cases[i].spec);
    }
}

/* No formula is known. */
static bool
is_unknown(int i)
{
    return is_of(i, "debruijn") || is_of(i, "butterfly") || is_of(i, "dragonfly") ||
           (is_of(i, "tree") && model_cases[i].extent[0] != 1 && model_cases[i].extent[0] % 2 == 1);
}

Test(network, the_bisection_is_the_fewest_wires_between_two_halves, .timeout = 60)
{
    FOR_ALL_NETWORKS(i)
    if (model.nodes <= 18 && model.nodes == model.vertices && !is_unknown(i))
        cr_expect_eq(peal_network_bisection(network), (uint64_t)model_bisection(&model),
                     "%s: the bisection is %d, and the network has %d: create sets it", model_cases[i].spec,
                     model_bisection(&model), (int)peal_network_bisection(network));
    else if (is_unknown(i))
        cr_expect_eq(peal_network_bisection(network), 0, "%s", model_cases[i].spec);
}

/* The switches of a fat tree may be on either side of the cut. */
Test(network, the_bisection_of_a_fat_tree_is_half_of_its_nodes, .timeout = 5)
{
    struct peal_network *tree = peal_network_create("fattree:8", 128, NULL, NULL);

    cr_expect_eq(peal_network_bisection(tree), 64);
    peal_network_destroy(tree);
}

Test(network, the_bisection_of_a_torus_without_proof_is_unknown, .timeout = 5)
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

        cr_expect_str_eq(peal_network_name(network), model_cases[i].spec);
        cr_expect_eq(peal_network_nodes(network), model.nodes);
        cr_expect_eq(strncmp(model_cases[i].spec, peal_network_kind(network), strlen(peal_network_kind(network))), 0);
        cr_assert_eq(peal_network_extents(network, extents), model.dimensions);
        cr_expect_arr_eq(extents, model.extent, (size_t)model.dimensions * sizeof *extents);
    }
}

Test(network, extents_that_are_left_out_are_as_square_as_possible, .timeout = 5)
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
    cr_expect_eq(count, LISTED, "peal_topology_list gives %d topologies, topologies.def has %d", count, LISTED);
    cr_expect_not(peal_topology_list(-1, &name, &form, &summary));
}

Test(network, every_topology_is_compared_with_the_model, .timeout = 5)
{
    for (const struct topology *const *each = topologies; *each; each++) {
        size_t length = strlen((*each)->name);
        bool found =
            (*each)->fixed_nodes > 0 || strcmp((*each)->name, "file") == 0; /* wires that are given one by one */

        for (int i = 0; i < model_case_count && !found; i++)
            found =
                strncmp(model_cases[i].spec, (*each)->name, length) == 0 && strchr(":", model_cases[i].spec[length]);
        cr_expect(found,
                  "%s has no specification in model_cases: add some, its kind and its wires to tests/network/model.c",
                  (*each)->name);
    }
}

Test(network, links_have_capacity_1_by_default, .timeout = 20)
{
    FOR_ALL_NETWORKS(i)
    for (int to = 1; to < network->nodes; to++)
        if (model.wire[0][to])
            cr_expect_eq(peal_network_capacity(network, 0, to), 1, "%s", model_cases[i].spec);
}
