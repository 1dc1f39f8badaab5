/* SPDX-License-Identifier: MIT */
/* Large networks, fat trees and capacities; refusals, line by line. */
#include "lib/network/network.h"
#include "tests/network/model.h"
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* ------------------------------------------------------------------ refusals */

Test(network, an_impossible_network_is_refused_in_one_line_with_sizes_that_fit, .timeout = 5)
{
    static const struct {
        const char *spec;
        int nodes;
        const char *routing, *text;
    } table[] = {
        {"full", 0, NULL, "a network cannot have 0 nodes: expected at least 1"},
        {"full", -1, NULL, "a network cannot have -1 nodes: expected at least 1"},
        {"mehs", 8, NULL, "unknown topology 'mehs'; did you mean mesh?"},
        {"mehs:2x4", 8, NULL, "unknown topology 'mehs'; did you mean mesh?"},
        {"mesh", 8, "yz", "topology mesh has no routing 'yz'; did you mean yx?"},
        {"mesh", 8, "ecube", "topology mesh has no routing 'ecube': choose from xy, yx, shortest, best"},
        {"ring", 8, "xy", "topology ring has no routing 'xy': choose from shortest, best"},
        {"fattree", 16, "bset", "topology fattree has no routing 'bset'; did you mean best?"},
        {"line:8", 9, NULL, "line:8 has 8 nodes, the machine has 9: use line:9, or 8 nodes"},
        {"ring:1", 9, NULL, "ring:1 has 1 node, the machine has 9: use ring:9, or 1 node"},
        {"full:3", 9, NULL, "full:3 has 3 nodes, the machine has 9: use full:9, or 3 nodes"},
        {"mesh:3x4", 8, NULL,
         "mesh:3x4 has 12 nodes, the machine has 8: use mesh:2x4 or mesh:1x8, or 12 nodes; "
         "mesh:3x4@block uses a part of it"},
        {"torus:3x4", 64, NULL,
         "torus:3x4 has 12 nodes, the machine has 64: use torus:8x8 or torus:4x16 or torus:2x32, or 12 nodes"},
        {"mesh:2x2x2", 12, NULL, "mesh:2x2x2 has 8 nodes, the machine has 12: use mesh:2x2x3, or 8 nodes"},
        {"mesh:100000x100000", 8, NULL,
         "mesh:100000x100000 has more than 2147483647 nodes, the machine has 8: use mesh:2x4 or mesh:1x8"},
        {"torus:4Gx4Gx4G", 8, NULL,
         "topology torus '4Gx4Gx4G': '4G' is too large: at most 2147483647 (the form is torus:AxBx..)"},
        {"mesh:0x4", 8, NULL, "topology mesh '0x4': each number is at least 1 (the form is mesh:AxBx..)"},
        {"mesh:", 8, NULL, "topology mesh '': a number is missing (the form is mesh:AxBx..)"},
        {"mesh:2x", 8, NULL, "topology mesh '2x': a number is missing (the form is mesh:AxBx..)"},
        {"mesh:2xx4", 8, NULL, "topology mesh '2xx4': a number is missing (the form is mesh:AxBx..)"},
        {"line:8x1", 8, NULL, "topology line '8x1': it takes at most 1 number (the form is line:P)"},
        {"mesh:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x8", 8, NULL,
         "topology mesh '1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x8': it takes at most 32 "
         "numbers "
         "(the form is mesh:AxBx..)"},
        {"hypercube:3", 4, NULL,
         "hypercube:3 has 8 nodes, the machine has 4: use hypercube:2, or 8 nodes; hypercube:3@block "
         "uses a part of it"},
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
        {"tree:2", 3, NULL, "topology tree '2': it takes 2 numbers (the form is tree:AxL)"},
        {"tree:2x0", 3, NULL, "topology tree '2x0': each number is at least 1 (the form is tree:AxL)"},
        {"fattree:4", 12, NULL,
         "fattree:4 does not fit 12 nodes: a fat tree has K³/4, K even, so take 2 (fattree:2) or 16 (fattree:4); "
         "fattree:4@block uses a part of it"},
        {"fattree:4", 1, NULL,
         "fattree:4 does not fit 1 node: a fat tree has K³/4, K even, so take 2 (fattree:2); "
         "fattree:4@block uses a part of it"},
        {"fattree:6", INT_MAX, NULL,
         "fattree:6 does not fit 2147483647 nodes: a fat tree has K³/4, K even, so take 2141198334 (fattree:2046) or "
         "2147483648 (fattree:2048)"},
        {"fattree:3", 6, NULL, "fattree:3 is not possible: a switch has an even number of ports, half of them down"},
        {"fattree:4", 54, NULL, "fattree:4 has 16 nodes, the machine has 54: use fattree:6, or 16 nodes"},
        {"fattree:9998", 54, NULL, "fattree:9998 has more than 2147483647 nodes, the machine has 54: use fattree:6"},
        {"dragonfly:4x2x2", 6, NULL,
         "dragonfly:4x2x2 has 72 nodes, the machine has 6: use dragonfly:2x1x1 or dragonfly:1x1x5 or dragonfly:1x2x2, "
         "or 72 nodes; dragonfly:4x2x2@block uses a part of it"},
        {"dragonfly:9x9x9", 4, NULL,
         "dragonfly:9x9x9 has 6642 nodes, the machine has 4: use dragonfly:1x1x3 or dragonfly:1x2x1, or 6642 nodes; "
         "dragonfly:9x9x9@block uses a part of it"},
        {"dragonfly:1x1x1", 1, NULL,
         "a dragonfly cannot have 1 node: it has at least 2 groups; dragonfly:1x1x1@block uses a part of it"},
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
        {"butterfly:3", 12, NULL,
         "butterfly:3 has 32 nodes, the machine has 12: use butterfly:2, or 32 nodes; butterfly:3@block "
         "uses a part of it"},
        {"butterfly:30", 12, NULL, "butterfly:30 has more than 2147483647 nodes, the machine has 12: use butterfly:2"},
        {"butterfly", INT_MAX, NULL,
         "butterfly does not fit 2147483647 nodes: a butterfly has (D+1)·2^D, so take 872415232 (butterfly:25)"},
        {"file", 4, NULL, "topology file has no path: expected file:PATH"},
        {"file:", 4, NULL, "topology file has no path: expected file:PATH"},
        {"file:/nowhere/at/all", 4, NULL, "topology file '/nowhere/at/all': No such file or directory"},
        {"file:/", 4, NULL, "topology file '/': Is a directory"},
        {"dgx1:8", 8, NULL, "dgx1 takes no numbers: it has 8 nodes"},
        {"dgx1", 4, NULL, "dgx1 has 8 nodes, the machine has 4; dgx1@block uses a part of it"},
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

Test(network, an_unknown_topology_is_refused_with_the_names_of_all, .timeout = 5)
{
    static const char *const unknown[] = {"", "bus"};

    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        struct peal_error error = {0};
        char expected[1000];
        size_t length = (size_t)snprintf(expected, sizeof expected, "unknown topology '%s': choose from", unknown[i]);

        for (const struct topology *const *each = topologies; *each && length < sizeof expected; each++)
            length += (size_t)snprintf(expected + length, sizeof expected - length, "%s%s",
                                       each == topologies ? " " : ", ", (*each)->name);
        cr_expect_null(peal_network_create(unknown[i], 8, NULL, &error));
        cr_expect_str_eq(error.text, expected);
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
