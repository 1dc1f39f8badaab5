/* SPDX-License-Identifier: MIT */
/* Networks from edge lists: routes compared with those of the same networks, and refusals, line by line. */
#include "lib/network/network.h"
#include "lib/network/shortest.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];
static char spec[80];

/* Write a file of these bytes; its path is in `path`, the topology in `spec`. */
static void
write_file(const char *bytes, size_t length)
{
    snprintf(path, sizeof path, "/tmp/peal-wires-XXXXXX");
    int file = mkstemp(path);

    cr_assert_geq(file, 0);
    cr_assert_eq(write(file, bytes, length), (ssize_t)length);
    close(file);
    snprintf(spec, sizeof spec, "file:%s", path);
}

static struct peal_network *
network_from(const char *text, int nodes, struct peal_error *error)
{
    write_file(text, strlen(text));
    struct peal_network *network = peal_network_create(spec, nodes, NULL, error);

    unlink(path);
    return network;
}

/* ------------------------------------------------------------------ right files */

Test(file, spells_out_the_wires_of_another_topology, .timeout = 20)
{
    static const struct {
        const char *spec;
        int nodes;
        const char *routing;
    } table[] = {{"full", 1, NULL},
                 {"full", 9, NULL},
                 {"mesh:5x7", 35, "shortest"},
                 {"torus:4x6", 24, "shortest"},
                 {"torus:2x3x5", 30, "shortest"},
                 {"hypercube", 32, "shortest"},
                 {"star", 7, NULL},
                 {"tree:3x4", 40, NULL},
                 {"debruijn:3x3", 27, NULL},
                 {"butterfly:3", 32, NULL}};

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_network *like = peal_network_create(table[i].spec, table[i].nodes, table[i].routing, NULL);
        char *text = calloc(1, 100000);
        struct peal_error error = {0};

        cr_assert(like);
        for (int a = table[i].nodes - 1; a >= 0; a--) /* not in the order of the steps */
            for (int b = a - 1; b >= 0; b--)
                if (peal_network_distance(like, a, b) == 1)
                    sprintf(text + strlen(text), "%d %d\n", (a + b) % 3 ? a : b, (a + b) % 3 ? b : a);
        struct peal_network *network = network_from(text, table[i].nodes, &error);

        cr_assert(network, "%s", error.text);
        cr_expect_str_eq(peal_network_name(network), spec);
        cr_expect_str_eq(peal_network_kind(network), "file");
        cr_expect_eq(peal_network_links(network), peal_network_links(like));
        cr_expect_eq(peal_network_diameter(network), peal_network_diameter(like));
        cr_expect_eq(peal_network_bisection(network), 0);
        for (int a = 0; a < table[i].nodes; a++) {
            cr_expect_eq(peal_network_eccentricity(network, a), peal_network_eccentricity(like, a));
            for (int b = 0; b < table[i].nodes; b++) {
                int expected[64], got[64], hops = peal_network_path(like, a, b, expected);
                uint64_t first, last;
                uint32_t links[64];

                cr_assert_eq(peal_network_path(network, a, b, got), hops);
                cr_assert_arr_eq(got, expected, (size_t)(hops + 1) * sizeof *got, "%s: %d -> %d", table[i].spec, a, b);
                cr_assert_eq(peal_network_distance(network, a, b), hops);
                if (hops == 0)
                    continue;
                network_end_links(network, a, b, &first, &last);
                network_route(network, a, b, links);
                cr_assert(first == links[0] && last == links[hops - 1]);
                for (int hop = 0; hop < hops; hop++) {
                    int from, to;

                    network->topology->ends(network, links[hop], &from, &to);
                    cr_assert(from == got[hop] && to == got[hop + 1]);
                    network->topology->ends(network, links[hop] ^ 1, &to, &from);
                    cr_assert(from == got[hop] && to == got[hop + 1]);
                }
            }
        }
        peal_network_destroy(network);
        peal_network_destroy(like);
        free(text);
    }
}

Test(file, may_have_comments_empty_lines_and_wires_that_are_named_again, .timeout = 5)
{
    static const char text[] = "# a triangle with a tail\n\n0 1\n\t1   2 # the second\r\n2 0\n1 0\n0 1\n   \n3 2";
    struct peal_error error = {0};
    struct peal_network *network = network_from(text, 4, &error);

    cr_assert(network, "%s", error.text);
    cr_expect_eq(peal_network_links(network), 8);
    cr_expect_eq(peal_network_diameter(network), 2);
    peal_network_destroy(network);
}

Test(file, gives_links_their_capacities, .timeout = 5)
{
    struct peal_error error = {0};
    struct peal_network *network = network_from("0 1 65535\n2 1 3 # three\n2 3\n1 2 3\n3 0 2\n", 4, &error);

    cr_assert(network, "%s", error.text);
    cr_expect_eq(peal_network_links(network), 8);
    cr_expect_eq(peal_network_capacity(network, 0, 1), 65535);
    cr_expect_eq(peal_network_capacity(network, 1, 2), 3);
    cr_expect_eq(peal_network_capacity(network, 2, 1), 3);
    cr_expect_eq(peal_network_capacity(network, 3, 2), 1);
    cr_expect_eq(peal_network_capacity(network, 0, 2), 0);
    peal_network_destroy(network);
    write_file("0 1 500\n", 8);
    cr_expect_eq(peal_topology_nodes(spec), 2, "a capacity is not a node");
    unlink(path);
}

Test(file, of_one_node_may_be_empty, .timeout = 5)
{
    struct peal_network *network = network_from("", 1, NULL);

    cr_assert(network);
    cr_expect_eq(peal_network_links(network), 0);
    cr_expect_eq(peal_network_diameter(network), 0);
    peal_network_destroy(network);
}

Test(file, may_have_4096_nodes, .timeout = 60)
{
    char *text = malloc(4096 * 12);
    size_t used = 0;
    struct peal_error error = {0};

    for (int node = 1; node < 4096; node++)
        used += (size_t)sprintf(text + used, "%d %d\n", (node - 1) / 8, node);
    struct peal_network *network = network_from(text, 4096, &error);

    cr_assert(network, "%s", error.text);
    cr_expect_eq(peal_network_diameter(network), 8);
    cr_expect_eq(peal_network_distance(network, 4095, 0), 4);
    peal_network_destroy(network);
    free(text);
}

Test(file, knows_all_minimal_routes_for_routing_best, .timeout = 10)
{
    write_file("0 1\n3 2\n0 2\n1 3\n3 4\n", 20); /* a square with a tail */
    struct peal_network *network = peal_network_create(spec, 5, "best", NULL);
    uint32_t links[5 * 3];
    int walk[2 * 3];

    unlink(path);
    cr_assert(network);
    cr_expect_str_eq(peal_network_routing(network), "best");
    cr_assert_eq(shortest_routes(network, network->topology->route_graph, 0, 4, 5, links, walk), 2);
    cr_expect_arr_eq(links, ((uint32_t[]){0, 6, 8, 4, 3, 8}), 6 * sizeof *links);
    cr_assert_eq(shortest_routes(network, network->topology->route_graph, 4, 2, 5, links, walk), 1);
    cr_expect_arr_eq(links, ((uint32_t[]){9, 2}), 2 * sizeof *links);
    peal_network_destroy(network);
}

/* ------------------------------------------------------------------ wrong files */

Test(file, that_is_wrong_is_refused_with_the_line, .timeout = 5)
{
    static const struct {
        const char *text;
        int nodes;
        const char *why;
    } table[] = {
        {"0 1\n1 x\n", 3, ", line 2: 'x' is not a node: a line is the two nodes of a wire, \"0 5\""},
        {"0 1\n# no\n-1 2\n", 3, ", line 3: '-1' is not a node: a line is the two nodes of a wire, \"0 5\""},
        {"0 1K\n", 3, ", line 1: '1K' is not a node: a line is the two nodes of a wire, \"0 5\""},
        {"0,1\n", 3, ", line 1: '0,1' is not a node: a line is the two nodes of a wire, \"0 5\""},
        {"0 1\n2\n", 3, ", line 2: only one node: a line is the two nodes of a wire, \"0 5\""},
        {"0 1 2 3\n", 3, ", line 1: more than two nodes and a capacity: a line is \"0 5\" or \"0 5 2\""},
        {"0 1 x\n", 3, ", line 1: 'x' is not a capacity: the third number of a line is one from 1 to 65535"},
        {"0 1 0\n", 3, ", line 1: '0' is not a capacity: the third number of a line is one from 1 to 65535"},
        {"0 1 -2\n", 3, ", line 1: '-2' is not a capacity: the third number of a line is one from 1 to 65535"},
        {"0 1 65536\n", 3, ", line 1: '65536' is not a capacity: the third number of a line is one from 1 to 65535"},
        {"0 1 2\n1 2\n1 0\n", 3, ", line 3: the wire between nodes 1 and 0 has capacity 1 here and 2 on a line before"},
        {"0 1\n1 2\n2 2\n", 3, ", line 3: a wire from a node to itself"},
        {"0 1\n1 3\n", 3, ", line 2: node '3' is out of range: nodes are 0 to 2"},
        {"0 99999999999999999999999\n", 3,
         ", line 1: node '99999999999999999999999' is out of range: nodes are 0 to 2"},
        {"0 1\n", 3, ": node 2 cannot be reached from node 0"},
        {"0 1\n2 3\n", 4, ": node 2 cannot be reached from node 0"},
        {"", 2, ": node 1 cannot be reached from node 0"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_error error = {0};
        char expected[300];

        cr_expect_null(network_from(table[i].text, table[i].nodes, &error), "%s", table[i].text);
        snprintf(expected, sizeof expected, "topology file '%s'%s", path, table[i].why);
        cr_expect_str_eq(error.text, expected);
        cr_expect_eq(error.status, PEAL_USAGE);
    }
}

Test(file, of_no_text_is_refused, .timeout = 5)
{
    char long_line[1000];
    struct peal_error error = {0};

    memset(long_line, ' ', sizeof long_line);
    memcpy(long_line, "0 1\n1 2", 7);
    memcpy(long_line + 996, "\n0 2", 4);
    write_file(long_line, sizeof long_line);
    cr_expect_null(peal_network_create(spec, 3, NULL, &error));
    cr_expect(strstr(error.text, ", line 2: too long, or not text"), "%s", error.text);
    unlink(path);
    write_file("0 1\n1\0 2\n0 2\n", 13);
    cr_expect_null(peal_network_create(spec, 3, NULL, &error));
    cr_expect(strstr(error.text, ", line 2: too long, or not text"), "%s", error.text);
    unlink(path);
}

Test(file, path_that_is_too_long_is_refused, .timeout = 5)
{
    char *longest = malloc(6000);
    struct peal_error error = {0};

    memset(longest, 'a', 5999);
    memcpy(longest, "file:", 5);
    longest[5999] = '\0';
    cr_expect_null(peal_network_create(longest, 3, NULL, &error));
    cr_expect(strstr(error.text, "the path is too long"), "%s", error.text);
    free(longest);
}

/* Any bytes either make a network whose routes arrive or are refused in one line. */
Test(file, of_random_bytes_never_does_harm, .timeout = 60)
{
    static const char letters[] = "0123456789012345      \n\n\n\n#x-\t";
    uint64_t random = 7;
    int made = 0;

    for (int trial = 0; trial < 4000; trial++) {
        char text[120];
        size_t length = 0;
        int nodes = trial % 2 ? 1 + trial / 2 % 4 : 4; /* junk; a square with a flaw here and there */

        for (; length < sizeof text - 1; length++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            text[length] = trial % 2 ? letters[(random >> 33) % (sizeof letters - 1)]
                                     : "0 1\n1 2\n2 3\n3 0\n"[(length + (random >> 33) % 80 / 79) % 16];
            if ((random >> 40) % 60 == 0)
                break;
        }
        struct peal_error error = {0};

        write_file(text, length);
        struct peal_network *network = peal_network_create(spec, nodes, NULL, &error);

        unlink(path);
        if (!network) {
            cr_assert(error.status == PEAL_USAGE && error.text[0] && !strchr(error.text, '\n'), "%s", error.text);
            continue;
        }
        made++;
        for (int a = 0; a < nodes; a++)
            for (int b = 0; b < nodes; b++) {
                int way[8];

                cr_assert_eq(way[peal_network_path(network, a, b, way)], b);
            }
        peal_network_destroy(network);
    }
    cr_expect_gt(made, 100);
}
