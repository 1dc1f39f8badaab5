/* SPDX-License-Identifier: MIT */
/* file: any connected network of at most GRAPH_MAX_NODES nodes, from a list of its wires.
 *
 * A line of the file names the two nodes of a wire, "0 5", and maybe its capacity, "0 5 2"; a wire may be listed again,
 * in either direction, with the same capacity.  Empty lines and comments after a # are skipped.  Wires are numbered in
 * the order of the file; link 0 leads from the first node of the line. */
#include "lib/base/input.h"
#include "lib/base/number.h"
#include "lib/base/text.h"
#include "lib/network/graph.h"
#include <errno.h>
#include <sys/stat.h>

enum { LINE_BYTES = 256, MAX_LINES = 1 << 24 /* twice the number of possible pairs */ };

/* ------------------------------------------------------------------ reading */

/* Refuse a line of the file, or, for line 0, the file. */
static enum peal_status
topology_file_refuse(const char *path, int line, const char *what, struct peal_error *error)
{
    if (line)
        return peal_refuse(error, PEAL_USAGE, "topology file %s, line %d: %s", quote(path).text, line, what);
    return peal_refuse(error, PEAL_USAGE, "topology file %s: %s", quote(path).text, what);
}

/* Cut the next word off the text; NULL when none is left. */
static char *
topology_file_next_word(char **text)
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
    char *word = topology_file_next_word(text), what[200];
    uint64_t value;

    if (!word)
        return topology_file_refuse(path, line, "only one node: a line is the two nodes of a wire, \"0 5\"", error);
    if (strspn(word, "0123456789") != strlen(word)) {
        snprintf(what, sizeof what, "%s is not a node: a line is the two nodes of a wire, \"0 5\"", quote(word).text);
        return topology_file_refuse(path, line, what, error);
    }
    if (number_parse(word, (uint64_t)network->nodes - 1, &value, NULL)) {
        snprintf(what, sizeof what, "node %s is out of range: nodes are 0 to %d", quote(word).text, network->nodes - 1);
        return topology_file_refuse(path, line, what, error);
    }
    *node = (int)value;
    return PEAL_OK;
}

/* Take the next word of the line, if there is one, as the capacity of its wire. */
static enum peal_status
read_capacity(const char *path, int line, char **text, uint32_t *capacity, struct peal_error *error)
{
    char *word = topology_file_next_word(text), what[200];
    uint64_t value;

    *capacity = 1;
    if (!word)
        return PEAL_OK;
    if (strspn(word, "0123456789") != strlen(word) || number_parse(word, GRAPH_MAX_CAPACITY, &value, NULL) ||
        value == 0) {
        snprintf(what, sizeof what, "%s is not a capacity: the third number of a line is one from 1 to %d",
                 quote(word).text, GRAPH_MAX_CAPACITY);
        return topology_file_refuse(path, line, what, error);
    }
    *capacity = (uint32_t)value;
    return PEAL_OK;
}

static enum peal_status
topology_file_read_line(struct peal_network *network, const char *path, int line, char *text, struct peal_error *error)
{
    int node[2];
    char *rest = text, what[120];
    uint32_t capacity, before;
    enum peal_status status;

    text[strcspn(text, "#")] = '\0';
    if (text[strspn(text, " \t\r\n")] == '\0')
        return PEAL_OK;
    for (int i = 0; i < 2; i++)
        if (read_node(network, path, line, &rest, &node[i], error))
            return PEAL_USAGE;
    if (read_capacity(path, line, &rest, &capacity, error))
        return PEAL_USAGE;
    if (topology_file_next_word(&rest))
        return topology_file_refuse(path, line, "more than two nodes and a capacity: a line is \"0 5\" or \"0 5 2\"",
                                    error);
    if (node[0] == node[1])
        return topology_file_refuse(path, line, "a wire from a node to itself", error);
    status = graph_add(network, node[0], node[1], capacity, &before, error);
    if (status != PEAL_OK || before == 0 || before == capacity)
        return status;
    snprintf(what, sizeof what, "the wire between nodes %d and %d has capacity %u here and %u on a line before",
             node[0], node[1], capacity, before);
    return topology_file_refuse(path, line, what, error);
}

static enum peal_status
topology_file_read_wires(struct peal_network *network, const char *path, struct peal_error *error)
{
    int opened = peal_open_input(path, NULL, NULL);
    FILE *file = opened >= 0 ? fdopen(opened, "r") : NULL;
    char text[LINE_BYTES];
    struct stat about;
    enum peal_status status = PEAL_OK;

    if (!file)
        return topology_file_refuse(
            path, 0, errno == ETIMEDOUT ? "it is a pipe, and no process writes to it" : strerror(errno), error);
    for (int line = 1; !status && fgets(text, sizeof text, file); line++) {
        size_t length = strlen(text);

        if (line > MAX_LINES)
            status = topology_file_refuse(path, line, "too many lines: a network has no more wires than pairs of nodes",
                                          error);
        else if ((length == 0 || text[length - 1] != '\n') && !feof(file))
            status = topology_file_refuse(path, line,
                                          "too long, or not text: a line is the two nodes of a wire, \"0 5\"", error);
        else
            status = topology_file_read_line(network, path, line, text, error);
    }
    if (!status && ferror(file))
        status = topology_file_refuse(path, 0, strerror(errno), error);
    if (!status && graph_wires(network) == 0 && network->nodes > 1 && fstat(fileno(file), &about) == 0 &&
        !S_ISREG(about.st_mode))
        status = topology_file_refuse(
            path, 0, "no wire was read from it; a topology may be read more than once: expected a regular file", error);
    fclose(file);
    return status;
}

static enum peal_status
topology_file_create(struct peal_network *network, const char *path, struct peal_error *error)
{
    enum peal_status status;
    int apart = -1;

    if (!path || !*path)
        return peal_refuse(error, PEAL_USAGE, "topology file has no path: expected file:PATH");
    if (strlen(path) >= PATH_MAX)
        return topology_file_refuse(path, 0, "the path is too long", error);
    if (network->nodes > GRAPH_MAX_NODES)
        return peal_refuse(error, PEAL_USAGE, "a topology from a file has at most %d nodes, the machine has %d",
                           GRAPH_MAX_NODES, network->nodes);
    snprintf(network->name, sizeof network->name, "file:%s", path);
    status = graph_create(network, error);
    if (status == PEAL_OK)
        status = topology_file_read_wires(network, path, error);
    if (status == PEAL_OK)
        status = graph_finish(network, &apart, error);
    if (apart >= 0) {
        char what[80];

        snprintf(what, sizeof what, "node %d cannot be reached from node 0", apart);
        return topology_file_refuse(path, 0, what, error);
    }
    return status;
}

/* One more than the file's highest node.  create reports faults of the file. */
static uint64_t
topology_file_node_count(const char *path)
{
    struct stat about;
    FILE *file =
        stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "r") : NULL; /* a file that can be read twice */
    char text[LINE_BYTES];
    uint64_t nodes = 0, node;

    while (file && fgets(text, sizeof text, file)) {
        char *rest = text, *word;

        text[strcspn(text, "#")] = '\0';
        for (int i = 0; i < 2 && (word = topology_file_next_word(&rest)); i++) /* the third is a capacity */
            if (!number_parse(word, GRAPH_MAX_NODES - 1, &node, NULL) && node >= nodes)
                nodes = node + 1;
    }
    if (file)
        fclose(file);
    return nodes;
}

const struct topology topology_file = {
    .name = "file",
    .form = "file:PATH",
    .summary = "the wires in a file, one per line: \"0 5\", or \"0 5 2\" for one of capacity 2",
    .create = topology_file_create,
    .size = topology_file_node_count,
    GRAPH_MEMBERS,
};
