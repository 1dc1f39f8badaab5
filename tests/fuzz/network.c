/* SPDX-License-Identifier: MIT */
/* Any specification of a network is refused in one line, or makes a network whose routes lead to their destinations.
 *
 * The first line of the input is NODES SPEC ROUTING (the last two may be missing); the contents of the file that the
 * spec file: names follow it. */
#include "tests/fuzz/expect.h"
#include <peal/network.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_NODES = 600 };

/* The lowest node on a node's host: on a path it stands for all of them. */
static int
lowest_beside(const struct peal_network *network, int node)
{
    const struct peal_placement *placement = peal_network_placement(network);
    int lowest = 0;

    if (!placement)
        return node;
    while (placement->host[lowest] != placement->host[node])
        lowest++;
    return lowest;
}

/* Walk some routes: each is a path from one end to the other over existing vertices. */
static void
walk(const struct peal_network *network)
{
    int nodes = peal_network_nodes(network), vertices = nodes + peal_network_switches(network);
    int *path = malloc(((size_t)peal_network_diameter(network) + 2) * sizeof *path);

    expect(path != NULL, "there is memory for a path");
    for (int from = 0; from < nodes; from += 1 + nodes / 7)
        for (int to = nodes - 1; to >= 0; to -= 1 + nodes / 5) {
            int hops = peal_network_path(network, from, to, path);

            expect(hops == peal_network_distance(network, from, to), "a route is as long as the distance");
            expect(hops <= peal_network_diameter(network), "no route is longer than the diameter");
            expect(path[0] == lowest_beside(network, from) && path[hops] == lowest_beside(network, to),
                   "a route leads from one end to the other");
            for (int i = 0; i <= hops; i++)
                expect(path[i] >= 0 && path[i] < vertices, "a route leads over what is there");
        }
    free(path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = memchr(data, '\n', size);
    size_t length = end ? (size_t)(end - data) : size;
    char line[300] = "", *rest = line, path[64], text[400];
    struct peal_error error = {PEAL_OK, ""};

    if (length >= sizeof line || memchr(data, '\0', length))
        return 0;
    memcpy(line, data, length);
    int nodes = atoi(strsep(&rest, " ")), file = -1;
    const char *spec = rest ? strsep(&rest, " ") : "", *routing = rest && *rest ? rest : NULL;

    if (nodes > MAX_NODES)
        return 0;
    if (strncmp(spec, "file:", 5) == 0) {
        file = memfd_create("wires", MFD_CLOEXEC);
        expect(file >= 0, "there is a file");
        if (end && write(file, end + 1, size - length - 1) < 0)
            abort();
        snprintf(path, sizeof path, "file:/proc/self/fd/%d", file);
        spec = path;
    }
    struct peal_network *network = peal_network_create(spec, nodes, routing, &error);
    int own = peal_topology_nodes(spec);

    if (network) {
        bool fits = peal_topology_placement(spec) ? own > nodes : file >= 0 && own < nodes;

        expect(own == 0 || own == nodes || fits, "a spec has as many nodes as it says, with a placement at most");
        walk(network);
        snprintf(text, sizeof text, "%s", peal_network_name(network));
        struct peal_network *again = peal_network_create(text, nodes, peal_network_routing(network), &error);

        expect(again != NULL, "a network's full name makes the same network");
        peal_network_destroy(again);
        peal_network_destroy(network);
    } else {
        expect(error.status == PEAL_USAGE && error.text[0] && !strchr(error.text, '\n'),
               "what is wrong is said in a line");
    }
    if (file >= 0)
        close(file);
    return 0;
}
