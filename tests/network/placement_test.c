/* SPDX-License-Identifier: MIT */
/* Nodes on hosts, against the network of the hosts. */
#include "lib/network/network.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct peal_network *
made(const char *spec, int nodes, const char *routing)
{
    struct peal_error error = {0};
    struct peal_network *network = peal_network_create(spec, nodes, routing, &error);

    cr_assert(network, "%s: %s", spec, error.text);
    return network;
}

/* Put a text into a file in the current folder, which is the test's own. */
static void
write_file(const char *name, const char *text)
{
    char folder[] = "/tmp/peal-placement-XXXXXX";
    FILE *file;

    cr_assert(mkdtemp(folder) && chdir(folder) == 0);
    cr_assert(file = fopen(name, "w"));
    fputs(text, file);
    fclose(file);
}

static void
expect_hosts(const char *spec, int nodes, const char *hosts)
{
    struct peal_network *network = made(spec, nodes, NULL);
    const struct peal_placement *placement = peal_network_placement(network);
    char text[200] = "";

    cr_assert(placement, "%s", spec);
    for (int node = 0; node < nodes; node++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", node ? " " : "", placement->host[node]);
    cr_expect_str_eq(text, hosts, "%s: %s", spec, text);
    peal_network_destroy(network);
}

Test(placement, each_order_gives_each_node_its_host, .timeout = 5)
{
    expect_hosts("torus:4x4@block", 5, "0 1 2 3 4");
    expect_hosts("torus:4x4@2", 5, "0 0 1 1 2");
    expect_hosts("torus:4x4@2:cyclic", 5, "0 1 2 0 1");
    expect_hosts("torus:4x4@4:cyclic", 3, "0 0 0");
    expect_hosts("line:5@map:4,1,3", 3, "4 1 3");
    expect_hosts("mesh@2:map:4,1,4", 3, "4 1 4");
    expect_hosts("line:6@random:1", 6, "5 0 4 1 3 2");
    expect_hosts("line:6@2:random:1", 4, "5 5 0 0");
    expect_hosts("fattree", 5, "0 1 2 3 4");
    expect_hosts("ring@block", 1, "0");
}

Test(placement, a_file_gives_each_node_its_host, .timeout = 5)
{
    write_file("places", "# of three nodes\n2 0\n0 5  # the first\n\n1\t3\n");
    expect_hosts("line:6@file:places", 3, "5 3 0");
    cr_expect_eq(peal_topology_nodes("line:6@file:places"), 3);
}

Test(placement, the_name_is_in_full, .timeout = 5)
{
    static const struct {
        const char *spec;
        int nodes;
        const char *name, *kind;
    } table[] = {
        {"torus@2:cyclic", 32, "torus:4x4@2:cyclic", "placed"},
        {"hypercube@block", 9, "hypercube:4@block", "placed"},
        {"hypercube@3", 9, "hypercube:2@3:block", "placed"},
        {"fattree", 64, "fattree:8@block", "placed"},
        {"fattree", 54, "fattree:6", "fattree"},
        {"dragonfly", 64, "dragonfly:4x2x2@block", "placed"},
        {"dragonfly", 72, "dragonfly:4x2x2", "dragonfly"},
        {"dgx1@2:random:7", 9, "dgx1@2:random:7", "placed"},
        {"full@4", 16, "full:4@4:block", "placed"},
        {"full:20@block", 16, "full:20@block", "full"},    /* no host is on the way of others */
        {"mesh:3x3@cyclic", 9, "mesh:3x3@cyclic", "mesh"}, /* all hosts in order */
        {"mesh:3x3@map:0,1,2,3,4,5,6,8,7", 9, "mesh:3x3@map:0,1,2,3,4,5,6,8,7", "placed"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_network *network = made(table[i].spec, table[i].nodes, NULL);

        cr_expect_str_eq(peal_network_name(network), table[i].name);
        cr_expect_str_eq(peal_network_kind(network), table[i].kind);
        cr_expect_eq(peal_network_nodes(network), table[i].nodes);
        peal_network_destroy(network);
    }
    cr_expect_eq(peal_topology_nodes("torus:4x4@3:block"), 48);
    cr_expect_eq(peal_topology_nodes("torus@3:block"), 0);
}

/* The vertices of a path by the names that they have on the hosts' network. */
static void
name_path(const struct peal_network *network, const int *path, int hops, const char *before, char *text, size_t bytes)
{
    char name[32];

    *text = '\0';
    for (int i = 0; i <= hops; i++)
        snprintf(text + strlen(text), bytes - strlen(text), ",%s%s",
                 strncmp(peal_network_vertex(network, path[i], name), "switch", 6) ? before : "", name);
}

static void
expect_routes_of_hosts(const char *spec, int nodes, const char *routing)
{
    struct peal_network *network = made(spec, nodes, routing);
    const struct peal_placement *placement = peal_network_placement(network);
    char hosts_spec[100], here[2000], there[2000];

    if (strcmp(peal_network_kind(network), "placed") != 0) { /* the full network, without a host on the way */
        peal_network_destroy(network);
        return;
    }
    snprintf(hosts_spec, sizeof hosts_spec, "%.*s", (int)strcspn(peal_network_name(network), "@"),
             peal_network_name(network));
    struct peal_network *hosts = made(hosts_spec, placement->hosts, routing);
    int *path = calloc((size_t)peal_network_diameter(hosts) + 1, sizeof *path), from, to;
    uint64_t wires = 0, farthest = 0;

    cr_expect_str_eq(peal_network_routing(network), peal_network_routing(hosts));
    for (int a = 0; a < nodes; a++)
        for (int b = 0, most = 0; b < nodes; b++) {
            int hops = peal_network_path(hosts, placement->host[a], placement->host[b], path);

            name_path(hosts, path, hops, "host ", there, sizeof there);
            cr_expect_eq(peal_network_distance(network, a, b), hops);
            cr_expect_eq(peal_network_path(network, a, b, path), hops);
            name_path(network, path, hops, "", here, sizeof here);
            cr_expect_str_eq(here, there, "%s, %d to %d: %s, not %s", spec, a, b, here, there);
            for (int i = 0; i < hops; i++)
                cr_expect(peal_network_capacity(network, path[i], path[i + 1]) >= 1);
            most = hops > most ? hops : most;
            farthest = (uint64_t)most > farthest ? (uint64_t)most : farthest;
            if (b == nodes - 1)
                cr_expect_eq(peal_network_eccentricity(network, a), most);
        }
    cr_expect_eq((uint64_t)peal_network_diameter(network), farthest);
    for (uint64_t wire = 0; wire < peal_network_wires(network); wire++)
        if (peal_network_wire(network, wire, &from, &to)) {
            int vertices = nodes + peal_network_switches(network);

            cr_expect(from >= 0 && from < vertices && to >= 0 && to < vertices && from != to);
            wires++;
        }
    cr_expect(hosts->private_links || 2 * wires == peal_network_links(hosts), "%s", spec);
    free(path);
    peal_network_destroy(network);
    peal_network_destroy(hosts);
}

Test(placement, routes_are_those_of_the_hosts, .timeout = 10)
{
    static const char *const hosts[] = {"line:12",      "ring:9",      "star:8",   "mesh:3x4",  "torus:4x4",
                                        "torus:3x3x2",  "hypercube:4", "tree:2x4", "fattree:4", "dragonfly:2x2x1",
                                        "debruijn:2x4", "butterfly:2", "dgx1",     "dgx-a100",  "full:9"};
    static const char *const orders[] = {"block",  "2:cyclic", "random:3", "2:random:9", "2:map:7,0,3,0,7,1,2",
                                         "9:block"};

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        for (size_t j = 0; j < sizeof orders / sizeof *orders; j++) {
            char spec[100];

            snprintf(spec, sizeof spec, "%s@%s", hosts[i], orders[j]);
            expect_routes_of_hosts(spec, 7, NULL);
            expect_routes_of_hosts(spec, 7, "best");
        }
}

Test(placement, says_which_hosts_have_nodes, .timeout = 10)
{
    struct peal_network *mesh = made("mesh:2x3@2:map:4,1,4", 3, NULL), *tree = made("fattree:4@2:block", 5, NULL),
                        *line = made("line:16777216@random:1", 2, NULL);
    const struct peal_placement *placement = peal_network_placement(mesh);
    int path[16];
    char text[32];

    cr_expect(placement->hosts == 6 && placement->used == 2 && placement->shared);
    cr_expect_eq(peal_network_switches(mesh), 4);
    cr_assert_eq(peal_network_path(mesh, 1, 2, path), 1);
    cr_expect(path[0] == 1 && path[1] == 0, "node %d stands for the host", path[1]);
    cr_expect_str_eq(peal_network_vertex(mesh, path[0], text), "host 1");
    cr_assert_eq(peal_network_path(tree, 0, 4, path), 4);
    cr_expect_str_eq(peal_network_vertex(tree, path[1], text), "switch 0");
    peal_network_destroy(mesh);
    peal_network_destroy(tree);
    peal_network_destroy(line);
}

Test(placement, a_placement_that_is_none_is_refused_in_one_line, .timeout = 5)
{
    static const struct {
        const char *spec;
        int nodes;
        const char *text;
    } table[] = {
        {"torus:4x4@", 4, NULL},
        {"torus:4x4@blok", 4, "unknown placement 'blok'; did you mean block?"},
        {"torus:4x4@2:", 4, NULL},
        {"torus:4x4@0:block", 4, "0 nodes per host: expected at least 1"},
        {"torus:4x4@random", 4, "unknown placement 'random': expected block, cyclic, random:SEED or file:PATH"},
        {"torus:4x4@random:x", 4,
         "'x' is not a number: expected digits, and at most a K, M, G (1000s) or Ki, Mi, Gi (1024s)"},
        {"torus:4x4@block", 17,
         "torus:4x4 has 16 hosts, for 16 nodes at most: the machine has 17; give --per-host 2, or more hosts"},
        {"torus:4x4@2:block", 33,
         "torus:4x4 has 16 hosts, for 32 nodes at most: the machine has 33; give --per-host 3, or more hosts"},
        {"line:2147483646@random:1", 4,
         "line:2147483646 has 2147483646 hosts: nodes are placed on networks of at most 16777216"},
        {"mesh@map:2147483647", 1, "placement: host 2147483647 is out of range"},
        {"tours@block", 4, "unknown topology 'tours'; did you mean torus?"},
        {"torus:4xq@block", 4, NULL},
        {"line:4@map:0,1", 3, "map: node 2 has no host"},
        {"line:4@map:0,1,1", 3, "map: host 1 has 1 node already: --per-host allows more"},
        {"line:4@map:0,1,4", 3, "map: host 4 is out of range: hosts are 0 to 3"},
        {"line:4@map:0,1,2,3", 3, "map: node 3 is out of range: nodes are 0 to 2"},
        {"line:4@map:0,x,2", 3, "map: expected the host of each node, as in map:0,5,7"},
        {"line:4@file:/nowhere", 3, "placement file '/nowhere': No such file or directory"},
        {"line:4@file:/", 3, "placement file '/': Is a directory"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_error error = {0};

        struct peal_network *network = peal_network_create(table[i].spec, table[i].nodes, NULL, &error);
        if (!table[i].text) {
            cr_expect((network == NULL) == (error.status == PEAL_USAGE) && !strchr(error.text, '\n'));
            peal_network_destroy(network);
            continue;
        }
        cr_expect_null(network, "%s", table[i].spec);
        cr_expect_str_eq(error.text, table[i].text);
        cr_expect_eq(error.status, PEAL_USAGE);
    }
}

Test(placement, a_file_that_lists_no_placement_is_refused_with_its_line, .timeout = 5)
{
    static const struct {
        const char *lines, *text;
    } table[] = {
        {"0 1\n1 1\n2 0\n", "placement file 'places', line 2: host 1 has 1 node already: --per-host allows more"},
        {"0 1\n0 2\n", "placement file 'places', line 2: node 0 is on host 1 already"},
        {"0 1\n1 2\n", "placement file 'places': node 2 has no host"},
        {"", "placement file 'places': node 0 has no host"},
        {"0 1\n1 9\n", "placement file 'places', line 2: host 9 is out of range: hosts are 0 to 3"},
        {"0 1\n7 2\n", "placement file 'places', line 2: node 7 is out of range: nodes are 0 to 2"},
        {"0 1\n1 2 3\n", "placement file 'places', line 2: expected a node and its host, as in \"0 5\""},
        {"0\n", "placement file 'places', line 1: expected a node and its host, as in \"0 5\""},
        {"0 -1\n", "placement file 'places', line 1: expected a node and its host, as in \"0 5\""},
        {"0 99999999999999999999999\n", "placement file 'places', line 1: expected a node and its host, as in \"0 5\""},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_error error = {0};

        write_file("places", table[i].lines);
        cr_expect_null(peal_network_create("line:4@file:places", 3, NULL, &error));
        cr_expect_str_eq(error.text, table[i].text);
        cr_expect_eq(error.status, PEAL_USAGE);
    }
}
