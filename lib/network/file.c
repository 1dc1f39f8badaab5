/* SPDX-License-Identifier: MIT */
/* file: any connected network of at most MOST_NODES nodes, from a list of its wires.
 *
 * A line of the file names the two nodes of a wire, "0 5"; a wire may be named again, in either direction.  Empty
 * lines and what follows a # are skipped.  Wires are numbered in the order of the file; link 0 leads from the first
 * node of the line.
 *
 * Nothing is known about such a network beforehand, so the next hop of every pair is in a table: 2 bytes a pair, 32
 * MiB at most; for routing best, the distance of every pair in another one. */
#include "lib/base/number.h"
#include "lib/base/quote.h"
#include "lib/network/network.h"
#include "lib/network/shortest.h"
#include <errno.h>
#include <peal/input.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NODES = 4096, LINE_BYTES = 256, MOST_LINES = 1 << 24 /* twice the pairs of nodes that there can be */ };

/* The steps from node u are step[first[u]] .. step[first[u + 1]], in the order of their vertices. */
struct graph {
    int wires, capacity;
    int (*wire)[2]; /* the nodes, in the order of the file */
    uint64_t *seen; /* a bit for every pair, while the file is read */
    int *first;
    struct step *step;
    uint16_t *next;     /* [to · P + from]: which step of `from` is the first to `to` */
    uint16_t *distance; /* [to · P + from], best only */
};

/* ------------------------------------------------------------------ reading */

/* What is refused is in a line of the file, or, for line 0, the file. */
static enum peal_status
refuse(const char *path, int line, const char *what, struct peal_error *error)
{
    if (line)
        return peal_refuse(error, PEAL_USAGE, "topology file %s, line %d: %s", quote(path).text, line, what);
    return peal_refuse(error, PEAL_USAGE, "topology file %s: %s", quote(path).text, what);
}

static enum peal_status
refuse_memory(struct peal_error *error)
{
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a network");
}

/* Cut the next word off the text; NULL when there is none. */
static char *
next_word(char **text)
{
    char *word = *text + strspn(*text, " \t\r\n"), *end = word + strcspn(word, " \t\r\n");

    *text = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

/* Take the next word of the line as a node. */
static enum peal_status
read_node(const struct peal_network *network, const char *path, int line, char **text, int *node,
          struct peal_error *error)
{
    char *word = next_word(text), what[200];
    uint64_t value;

    if (!word)
        return refuse(path, line, "one node without another: a line is the two nodes of a wire, \"0 5\"", error);
    if (strspn(word, "0123456789") != strlen(word)) {
        snprintf(what, sizeof what, "%s is not a node: a line is the two nodes of a wire, \"0 5\"", quote(word).text);
        return refuse(path, line, what, error);
    }
    if (number_parse(word, (uint64_t)network->nodes - 1, &value, NULL)) {
        snprintf(what, sizeof what, "there is no node %s: the machine has 0 to %d", quote(word).text,
                 network->nodes - 1);
        return refuse(path, line, what, error);
    }
    *node = (int)value;
    return PEAL_OK;
}

static enum peal_status
add_wire(struct graph *graph, int nodes, int a, int b, struct peal_error *error)
{
    size_t pair = a < b ? (size_t)a * (size_t)nodes + (size_t)b : (size_t)b * (size_t)nodes + (size_t)a;

    if (graph->seen[pair / 64] >> pair % 64 & 1)
        return PEAL_OK;
    graph->seen[pair / 64] |= UINT64_C(1) << pair % 64;
    if (graph->wires == graph->capacity) {
        int capacity = graph->capacity ? graph->capacity * 2 : 64;
        int(*wire)[2] = realloc(graph->wire, (size_t)capacity * sizeof *wire);

        if (!wire)
            return refuse_memory(error);
        graph->wire = wire;
        graph->capacity = capacity;
    }
    graph->wire[graph->wires][0] = a;
    graph->wire[graph->wires][1] = b;
    graph->wires++;
    return PEAL_OK;
}

static enum peal_status
read_line(const struct peal_network *network, struct graph *graph, const char *path, int line, char *text,
          struct peal_error *error)
{
    int node[2];
    char *rest = text;

    text[strcspn(text, "#")] = '\0';
    if (text[strspn(text, " \t\r\n")] == '\0')
        return PEAL_OK;
    for (int i = 0; i < 2; i++)
        if (read_node(network, path, line, &rest, &node[i], error))
            return PEAL_USAGE;
    if (next_word(&rest))
        return refuse(path, line, "more than two nodes: a line is the two nodes of a wire, \"0 5\"", error);
    if (node[0] == node[1])
        return refuse(path, line, "a wire from a node to itself", error);
    return add_wire(graph, network->nodes, node[0], node[1], error);
}

static enum peal_status
read_wires(const struct peal_network *network, struct graph *graph, const char *path, struct peal_error *error)
{
    int opened = peal_open_input(path, NULL, NULL);
    FILE *file = opened >= 0 ? fdopen(opened, "r") : NULL;
    char text[LINE_BYTES];
    struct stat about;
    enum peal_status status = PEAL_OK;

    if (!file)
        return refuse(path, 0, errno == ETIMEDOUT ? "it is a pipe that nobody writes to" : strerror(errno), error);
    for (int line = 1; !status && fgets(text, sizeof text, file); line++) {
        size_t length = strlen(text);

        if (line > MOST_LINES)
            status = refuse(path, line, "too many lines: a network has no more wires than pairs of nodes", error);
        else if ((length == 0 || text[length - 1] != '\n') && !feof(file))
            status = refuse(path, line, "too long, or not text: a line is the two nodes of a wire, \"0 5\"", error);
        else
            status = read_line(network, graph, path, line, text, error);
    }
    if (!status && ferror(file))
        status = refuse(path, 0, strerror(errno), error);
    if (!status && graph->wires == 0 && network->nodes > 1 && fstat(fileno(file), &about) == 0 &&
        !S_ISREG(about.st_mode))
        status = refuse(path, 0, "no wire comes from it; it may be read more than once, so give a regular file", error);
    fclose(file);
    return status;
}

/* ------------------------------------------------------------------ the steps, and the next hops */

static int
compare_steps(const void *a, const void *b)
{
    return ((const struct step *)a)->vertex - ((const struct step *)b)->vertex;
}

static bool
list_steps(struct graph *graph, int nodes)
{
    graph->first = calloc((size_t)nodes + 2, sizeof *graph->first);
    graph->step = malloc(((size_t)graph->wires * 2 + 1) * sizeof *graph->step);
    if (!graph->first || !graph->step)
        return false;
    int *end = graph->first + 1; /* end[u], when all are placed; before that, where the next one of u goes */

    for (int i = 0; i < graph->wires; i++)
        for (int side = 0; side < 2; side++)
            end[graph->wire[i][side] + 1]++;
    for (int u = 0; u < nodes; u++)
        end[u + 1] += end[u];
    for (int i = 0; i < graph->wires; i++)
        for (int side = 0; side < 2; side++)
            graph->step[end[graph->wire[i][side]]++] =
                (struct step){graph->wire[i][!side], 2 * (uint32_t)i + (uint32_t)side};
    for (int u = 0; u < nodes; u++)
        qsort(graph->step + graph->first[u], (size_t)(graph->first[u + 1] - graph->first[u]), sizeof *graph->step,
              compare_steps);
    return true;
}

/* Fill the table for one destination: a search from it gives distances, the first step downhill is the next hop. 
 * Returns the largest distance; *apart is a node that cannot be reached, or -1. */
static int
search(struct graph *graph, int nodes, int to, int *distance, int *queue, int *apart)
{
    int head = 0, tail = 0;

    for (int u = 0; u < nodes; u++)
        distance[u] = -1;
    distance[to] = 0;
    queue[tail++] = to;
    while (head < tail) {
        int u = queue[head++];

        for (int i = graph->first[u]; i < graph->first[u + 1]; i++) {
            int v = graph->step[i].vertex;

            if (distance[v] < 0) {
                distance[v] = distance[u] + 1;
                queue[tail++] = v;
            }
        }
    }
    *apart = -1;
    for (int u = nodes - 1; u >= 0; u--) {
        int i = graph->first[u];

        if (distance[u] < 0)
            *apart = u;
        if (distance[u] > 0) {
            while (distance[graph->step[i].vertex] != distance[u] - 1)
                i++;
            graph->next[(size_t)to * (size_t)nodes + (size_t)u] = (uint16_t)(i - graph->first[u]);
        }
        if (graph->distance)
            graph->distance[(size_t)to * (size_t)nodes + (size_t)u] = (uint16_t)distance[u];
    }
    return distance[queue[tail - 1]];
}

static enum peal_status
find_ways(struct peal_network *network, struct graph *graph, const char *path, struct peal_error *error)
{
    int nodes = network->nodes, apart = -1;
    int *distance = malloc(2 * (size_t)nodes * sizeof *distance);

    graph->next = malloc((size_t)nodes * (size_t)nodes * sizeof *graph->next);
    if (network->best)
        graph->distance = malloc((size_t)nodes * (size_t)nodes * sizeof *graph->distance);
    if (!distance || !graph->next || (network->best && !graph->distance)) {
        free(distance);
        return refuse_memory(error);
    }
    for (int to = 0; to < nodes && apart < 0; to++) {
        int farthest = search(graph, nodes, to, distance, distance + nodes, &apart);

        network->diameter = farthest > network->diameter ? farthest : network->diameter;
    }
    free(distance);
    if (apart >= 0) {
        char what[80];

        snprintf(what, sizeof what, "no way leads from node 0 to node %d", apart);
        return refuse(path, 0, what, error);
    }
    return PEAL_OK;
}

static enum peal_status
create(struct peal_network *network, const char *path, struct peal_error *error)
{
    size_t pairs = (size_t)network->nodes * (size_t)network->nodes;
    struct graph *graph;
    enum peal_status status;

    if (!path || !*path)
        return peal_refuse(error, PEAL_USAGE, "topology file lacks its path: file:PATH");
    if (strlen(path) >= PATH_MAX)
        return refuse(path, 0, "the path is too long", error);
    if (network->nodes > MOST_NODES)
        return peal_refuse(error, PEAL_USAGE, "a topology from a file has at most %d nodes, the machine has %d",
                           MOST_NODES, network->nodes);
    snprintf(network->name, sizeof network->name, "file:%s", path);
    network->dimensions = 1;
    network->extent[0] = network->nodes;
    network->own = graph = calloc(1, sizeof *graph);
    if (!graph || !(graph->seen = calloc(pairs / 64 + 1, sizeof *graph->seen)))
        return refuse_memory(error);
    status = read_wires(network, graph, path, error);
    free(graph->seen);
    graph->seen = NULL;
    if (!status)
        status = list_steps(graph, network->nodes) ? find_ways(network, graph, path, error) : refuse_memory(error);
    network->links = 2 * (uint64_t)graph->wires;
    return status;
}

static void
destroy(struct peal_network *network)
{
    struct graph *graph = network->own;

    if (!graph)
        return;
    free(graph->wire);
    free(graph->seen);
    free(graph->first);
    free(graph->step);
    free(graph->next);
    free(graph->distance);
    free(graph);
}

/* ------------------------------------------------------------------ routes */

static inline const struct step *
next_step(const struct peal_network *network, int from, int to)
{
    const struct graph *graph = network->own;

    return &graph->step[graph->first[from] + graph->next[(size_t)to * (size_t)network->nodes + (size_t)from]];
}

static int
distance(const struct peal_network *network, int from, int to)
{
    int hops = 0;

    for (; from != to; hops++)
        from = next_step(network, from, to)->vertex;
    return hops;
}

static int
route(const struct peal_network *network, int from, int to, uint32_t *links)
{
    int hops = 0;

    while (from != to) {
        const struct step *step = next_step(network, from, to);

        links[hops++] = step->link;
        from = step->vertex;
    }
    return hops;
}

static bool
neighbour(const struct peal_network *network, int vertex, int i, struct step *step)
{
    const struct graph *graph = network->own;

    if (i == graph->first[vertex + 1] - graph->first[vertex])
        return false;
    *step = graph->step[graph->first[vertex] + i];
    return true;
}

static int
known_distance(const struct peal_network *network, int from, int to)
{
    const struct graph *graph = network->own;

    return graph->distance[(size_t)to * (size_t)network->nodes + (size_t)from];
}

static const struct landscape landscape = {neighbour, known_distance};

static void
end_links(const struct peal_network *network, int from, int to, uint32_t *first, uint32_t *last)
{
    *first = next_step(network, from, to)->link;
    while (from != to) {
        const struct step *step = next_step(network, from, to);

        *last = step->link;
        from = step->vertex;
    }
}

static void
ends(const struct peal_network *network, uint32_t link, int *from, int *to)
{
    const struct graph *graph = network->own;

    *from = graph->wire[link / 2][link % 2];
    *to = graph->wire[link / 2][1 - link % 2];
}

static int
eccentricity(const struct peal_network *network, int source)
{
    int most = 0;

    for (int node = 0; node < network->nodes; node++) {
        int hops = distance(network, source, node);

        most = hops > most ? hops : most;
    }
    return most;
}

/* The highest node of the file and one.  What is wrong with the file is told by create. */
static uint64_t
size(const char *path)
{
    struct stat about;
    FILE *file =
        stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "r") : NULL; /* what can be read twice */
    char text[LINE_BYTES];
    uint64_t nodes = 0, node;

    while (file && fgets(text, sizeof text, file)) {
        char *rest = text, *word;

        text[strcspn(text, "#")] = '\0';
        while ((word = next_word(&rest)))
            if (!number_parse(word, MOST_NODES - 1, &node, NULL) && node >= nodes)
                nodes = node + 1;
    }
    if (file)
        fclose(file);
    return nodes;
}

const struct topology topology_file = {
    .name = "file",
    .form = "file:PATH",
    .summary = "the wires in a file, one a line: \"0 5\"",
    .routings = shortest_routings,
    .create = create,
    .destroy = destroy,
    .size = size,
    .distance = distance,
    .route = route,
    .end_links = end_links,
    .ends = ends,
    .eccentricity = eccentricity,
    .landscape = &landscape,
};
