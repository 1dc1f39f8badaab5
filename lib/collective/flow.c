/* SPDX-License-Identifier: MIT */
/* Dinic's algorithm: layers by breadth-first search, then blocking flows along them (Y. Dinitz, 1970). */
#include "lib/collective/cuts.h"
#include <stdlib.h>
#include <string.h>

/* A wire has an arc each way; arc i and i ^ 1 are opposite. */
struct arc {
    int to, next; /* the next arc out of the same vertex; -1: none */
    int64_t room;
};

struct flow {
    const struct peal_network *network;
    int vertices, nodes; /* without the source, which is vertex `vertices` */
    int arcs;
    int *first, *at, *layer, *queue, *path;
    struct arc *arc;
};

static void
add_arcs(struct flow *flow, int a, int b)
{
    flow->arc[flow->arcs] = (struct arc){.to = b, .next = flow->first[a]};
    flow->first[a] = flow->arcs++;
    flow->arc[flow->arcs] = (struct arc){.to = a, .next = flow->first[b]};
    flow->first[b] = flow->arcs++;
}

struct flow *
flow_create(const struct peal_network *network)
{
    struct flow *flow = calloc(1, sizeof *flow);
    uint64_t wires = peal_network_wires(network);
    int a, b;

    if (flow == NULL)
        return NULL;
    flow->network = network;
    flow->nodes = peal_network_nodes(network);
    flow->vertices = flow->nodes + peal_network_switches(network);

    size_t vertices = (size_t)flow->vertices + 1;

    flow->arc = malloc(2 * ((size_t)wires + (size_t)flow->nodes) * sizeof *flow->arc);
    flow->first = malloc(vertices * sizeof *flow->first);
    flow->at = malloc(vertices * sizeof *flow->at);
    flow->layer = malloc(vertices * sizeof *flow->layer);
    flow->queue = malloc(vertices * sizeof *flow->queue);
    flow->path = malloc(vertices * sizeof *flow->path);
    if (!flow->arc || !flow->first || !flow->at || !flow->layer || !flow->queue || !flow->path) {
        flow_destroy(flow);
        return NULL;
    }
    for (size_t v = 0; v < vertices; v++)
        flow->first[v] = -1;
    for (int v = 0; v < flow->nodes; v++)
        add_arcs(flow, flow->vertices, v);
    for (uint64_t wire = 0; wire < wires; wire++)
        if (peal_network_wire(network, wire, &a, &b))
            add_arcs(flow, a, b);
    return flow;
}

void
flow_destroy(struct flow *flow)
{
    if (flow == NULL)
        return;
    free(flow->arc);
    free(flow->first);
    free(flow->at);
    free(flow->layer);
    free(flow->queue);
    free(flow->path);
    free(flow);
}

/* The distance of every vertex from the source along arcs with room; -1: there is none. */
static void
find_layers(struct flow *flow)
{
    int head = 0, tail = 0;

    for (int v = 0; v <= flow->vertices; v++)
        flow->layer[v] = -1;
    flow->layer[flow->vertices] = 0;
    flow->queue[tail++] = flow->vertices;
    while (head < tail) {
        int v = flow->queue[head++];

        for (int i = flow->first[v]; i >= 0; i = flow->arc[i].next) {
            int to = flow->arc[i].to;

            if (flow->arc[i].room > 0 && flow->layer[to] < 0) {
                flow->layer[to] = flow->layer[v] + 1;
                flow->queue[tail++] = to;
            }
        }
    }
}

/* Send as much as one path through the layers allows; 0 if none is left. */
static int64_t
send_along_path(struct flow *flow, int sink)
{
    int v = flow->vertices, length = 0;
    int64_t least = INT64_MAX;

    while (v != sink) {
        int i = flow->at[v];

        while (i >= 0 && (flow->arc[i].room == 0 || flow->layer[flow->arc[i].to] != flow->layer[v] + 1))
            i = flow->arc[i].next;
        flow->at[v] = i;
        if (i >= 0) {
            flow->path[length++] = i;
            v = flow->arc[i].to;
        } else if (length == 0) {
            return 0;
        } else { /* go back, and never come here again */
            flow->layer[v] = -1;
            v = flow->arc[flow->path[--length] ^ 1].to;
        }
    }
    for (int i = 0; i < length; i++)
        least = flow->arc[flow->path[i]].room < least ? flow->arc[flow->path[i]].room : least;
    for (int i = 0; i < length; i++) {
        flow->arc[flow->path[i]].room -= least;
        flow->arc[flow->path[i] ^ 1].room += least;
    }
    return least;
}

int64_t
flow_run(struct flow *flow, int64_t scale, const int64_t *weights, int sink, bool *source_side)
{
    int64_t sum = 0, sent;

    for (int i = 0; i < flow->arcs; i += 2) {
        struct arc *arc = &flow->arc[i];
        int from = arc[1].to;

        arc[0].room =
            from == flow->vertices ? weights[arc->to] : scale * peal_network_capacity(flow->network, from, arc->to);
        arc[1].room = from == flow->vertices ? 0 : arc[0].room;
    }
    for (find_layers(flow); flow->layer[sink] >= 0; find_layers(flow)) {
        memcpy(flow->at, flow->first, ((size_t)flow->vertices + 1) * sizeof *flow->at);
        while ((sent = send_along_path(flow, sink)) > 0)
            sum += sent;
    }
    for (int v = 0; v < flow->vertices; v++)
        source_side[v] = flow->layer[v] >= 0;
    return sum;
}
