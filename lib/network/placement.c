/* SPDX-License-Identifier: MIT */
/* Reads placements, and gives each node its host. */
#include "lib/network/placement.h"
#include "lib/base/input.h"
#include "lib/base/nearest.h"
#include "lib/base/number.h"
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LINE_BYTES = 256, MAX_HOSTS = 1 << 24 /* there is a number for each */ };

/* ------------------------------------------------------------------ its text */

enum placement_order { BLOCK, CYCLIC, RANDOM, LISTED, IN_FILE, ORDERS };

/* "2:random:7" */
struct placement_words {
    enum placement_order order;
    int per_host;
    uint64_t seed;
    const char *list; /* the path of a file, or the hosts */
};

static enum peal_status
read_order(const char *text, struct placement_words *words, struct peal_error *error)
{
    words->list = NULL;
    if (!*text || strcmp(text, "block") == 0) {
        words->order = BLOCK;
    } else if (strcmp(text, "cyclic") == 0) {
        words->order = CYCLIC;
    } else if (strncmp(text, "random:", 7) == 0) {
        words->order = RANDOM;
        return number_parse(text + 7, UINT64_MAX, &words->seed, error);
    } else if (strncmp(text, "file:", 5) == 0 && text[5]) {
        words->order = IN_FILE;
        words->list = text + 5;
    } else if (strncmp(text, "map:", 4) == 0) {
        words->order = LISTED;
        words->list = text + 4;
    } else {
        struct nearest near = {.word = text};

        peal_nearest_offer(&near, "block");
        peal_nearest_offer(&near, "cyclic");
        return peal_refuse(error, PEAL_USAGE, "unknown placement %s%s", quote(text).text,
                           peal_nearest_words(&near, ": expected block, cyclic, random:SEED or file:PATH"));
    }
    return PEAL_OK;
}

static enum peal_status
read_words(const char *text, struct placement_words *words, struct peal_error *error)
{
    size_t digits = strspn(text, "0123456789");
    char number[12];
    uint64_t per_host;

    words->per_host = 1;
    if (digits == 0 || (text[digits] && text[digits] != ':'))
        return read_order(text, words, error);
    snprintf(number, sizeof number, "%.*s", (int)(digits < sizeof number ? digits : sizeof number - 1), text);
    if (number_parse(number, INT_MAX, &per_host, error))
        return PEAL_USAGE;
    if (per_host == 0)
        return peal_refuse(error, PEAL_USAGE, "0 nodes per host: expected at least 1");
    words->per_host = (int)per_host;
    return read_order(text + digits + (text[digits] == ':'), words, error);
}

const char *
peal_topology_placement(const char *spec)
{
    const char *at = strchr(spec, '@');
    struct placement_words words;

    while (at && strncmp(spec, "file:", 5) == 0 && (!at[1] || read_words(at + 1, &words, NULL)))
        at = strchr(at + 1, '@'); /* of the path */
    return at;
}

/* ------------------------------------------------------------------ hosts that are listed */

/* Where they are listed: in a file (its path and the current line), or as the numbers of a document. */
struct host_list {
    const char *path; /* NULL */
    int line;
    struct peal_placement *placement;
    int *host;   /* -1: not yet */
    int *placed; /* nodes on each host */
    int nodes;
};

static enum peal_status
refuse(const struct host_list *list, const char *what, struct peal_error *error)
{
    if (list->line > 0)
        return peal_refuse(error, PEAL_USAGE, "placement file %s, line %d: %s", quote(list->path).text, list->line,
                           what);
    if (list->path)
        return peal_refuse(error, PEAL_USAGE, "placement file %s: %s", quote(list->path).text, what);
    return peal_refuse(error, PEAL_USAGE, "map: %s", what);
}

/* Put a node on a host. */
static enum peal_status
put(struct host_list *list, uint64_t node, uint64_t host, struct peal_error *error)
{
    const struct peal_placement *placement = list->placement;
    char what[200];

    if (node >= (uint64_t)list->nodes)
        snprintf(what, sizeof what, "node %" PRIu64 " is out of range: nodes are 0 to %d", node, list->nodes - 1);
    else if (host >= (uint64_t)placement->hosts)
        snprintf(what, sizeof what, "host %" PRIu64 " is out of range: hosts are 0 to %d", host, placement->hosts - 1);
    else if (list->host[node] >= 0)
        snprintf(what, sizeof what, "node %" PRIu64 " is on host %d already", node, list->host[node]);
    else if (list->placed[host] == placement->per_host)
        snprintf(what, sizeof what, "host %" PRIu64 " has %d node%s already: --per-host allows more", host,
                 placement->per_host, plural(placement->per_host));
    else {
        list->host[node] = (int)host;
        list->placed[host]++;
        return PEAL_OK;
    }
    return refuse(list, what, error);
}

/* Take the next number of a line, or of a list; false when there is none. */
static bool
next_number(const char **at, uint64_t *number)
{
    char word[24];

    *at += strspn(*at, " \t\r\n");
    size_t digits = strspn(*at, "0123456789");

    snprintf(word, sizeof word, "%.*s", (int)(digits < sizeof word ? digits : 0), *at);
    *at += digits;
    return (!**at || strchr(" \t\r\n,", **at)) && number_parse(word, UINT64_MAX, number, NULL) == PEAL_OK;
}

/* Go over the lines of a file; each line is a node and its host.  Without a placement they are counted, and the highest
 * host is noted. */
static enum peal_status
read_file(struct host_list *list, uint64_t *count, uint64_t *highest, struct peal_error *error)
{
    int opened = peal_open_input(list->path, NULL, NULL);
    FILE *file = opened >= 0 ? fdopen(opened, "r") : NULL;
    enum peal_status status = PEAL_OK;
    char text[LINE_BYTES];
    struct stat about;

    if (!file)
        return refuse(list, errno == ETIMEDOUT ? "it is a pipe, and no process writes to it" : strerror(errno), error);
    if (fstat(fileno(file), &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        status = refuse(list, "it is read more than once: expected a regular file", error);
    for (list->line = 1; !status && fgets(text, sizeof text, file); list->line++) {
        const char *at = text;
        uint64_t node, host;
        bool whole = strchr(text, '\n') || feof(file);

        text[strcspn(text, "#")] = '\0';
        if (whole && text[strspn(text, " \t\r\n")] == '\0')
            continue;
        if (!whole || !next_number(&at, &node) || !next_number(&at, &host) || at[strspn(at, " \t\r\n")])
            status = refuse(list, "expected a node and its host, as in \"0 5\"", error);
        else if (list->placement)
            status = put(list, node, host, error);
        else
            *highest = host > *highest ? host : *highest;
        ++*count;
    }
    list->line = 0;
    if (!status && ferror(file))
        status = refuse(list, strerror(errno), error);
    fclose(file);
    return status;
}

static enum peal_status
read_map(struct host_list *list, const char *map, uint64_t *count, uint64_t *highest, struct peal_error *error)
{
    enum peal_status status = PEAL_OK;

    for (const char *at = map; *at && !status; at += *at == ',') {
        uint64_t host;

        if (!next_number(&at, &host))
            return refuse(list, "expected the host of each node, as in map:0,5,7", error);
        if (list->placement)
            status = put(list, *count, host, error);
        *highest = host > *highest ? host : *highest;
        ++*count;
    }
    return status;
}

static enum peal_status
read_list(struct host_list *list, const struct placement_words *words, uint64_t *count, uint64_t *highest,
          struct peal_error *error)
{
    list->path = words->order == IN_FILE ? words->list : NULL;
    *count = *highest = 0;
    return list->path ? read_file(list, count, highest, error) : read_map(list, words->list, count, highest, error);
}

uint64_t
placement_nodes(const char *text, uint64_t hosts)
{
    struct host_list list = {.path = NULL};
    struct placement_words words = {.seed = 0};
    uint64_t count, highest;

    if (read_words(text, &words, NULL))
        return hosts;
    if (words.list)
        return read_list(&list, &words, &count, &highest, NULL) ? 0 : count;
    return __builtin_mul_overflow(hosts, (uint64_t)words.per_host, &count) ? UINT64_MAX : count;
}

/* ------------------------------------------------------------------ placing */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t
placement_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* Take `used` of the hosts at random, into the first places of a list of all. */
static void
draw_hosts(int *list, int hosts, int used, uint64_t seed)
{
    for (int i = 0; i < hosts; i++)
        list[i] = i;
    for (int i = 0; i < used; i++) {
        int j = i + (int)(placement_random(&seed) % (uint64_t)(hosts - i)), drawn = list[j];

        list[j] = list[i];
        list[i] = drawn;
    }
}

/* Place all nodes; `work` has a number for each host. */
static enum peal_status
place(struct peal_placement *placement, const struct placement_words *words, int *host, int nodes, int *work,
      struct peal_error *error)
{
    struct host_list list = {.placement = placement, .host = host, .placed = work, .nodes = nodes};
    uint64_t count, highest;

    if (!words->list) {
        if (words->order == RANDOM)
            draw_hosts(work, placement->hosts, placement->used, words->seed);
        for (int node = 0; node < nodes; node++)
            host[node] = words->order == CYCLIC   ? node % placement->used
                         : words->order == RANDOM ? work[node / words->per_host]
                                                  : node / words->per_host;
        placement->shared = nodes > placement->used;
        return PEAL_OK;
    }
    for (int node = 0; node < nodes; node++)
        host[node] = -1;
    if (read_list(&list, words, &count, &highest, error))
        return PEAL_USAGE;
    placement->used = 0;
    for (int each = 0; each < placement->hosts; each++) {
        placement->used += work[each] > 0;
        placement->shared |= work[each] > 1;
    }
    for (int node = 0; node < nodes; node++)
        if (host[node] < 0) {
            char what[60];

            snprintf(what, sizeof what, "node %d has no host", node);
            return refuse(&list, what, error);
        }
    return PEAL_OK;
}

struct peal_placement *
placement_make(const char *text, int nodes, int hosts, const char *name, struct peal_error *error)
{
    static const char *const orders[ORDERS] = {"block", "cyclic", "random", "file", "file"};
    struct placement_words words = {.seed = 0};
    struct host_list list = {.path = NULL};

    if (read_words(text, &words, error))
        return NULL;
    int used = nodes / words.per_host + (nodes % words.per_host != 0);

    if (hosts == 0 && words.list) {
        uint64_t count, highest;

        if (read_list(&list, &words, &count, &highest, error))
            return NULL;
        if (highest >= INT_MAX) {
            peal_refuse(error, PEAL_USAGE, "placement: host %" PRIu64 " is out of range", highest);
            return NULL;
        }
        hosts = (int)highest + 1;
    }
    hosts = hosts > 0 ? hosts : used;
    if (hosts > MAX_HOSTS) {
        peal_refuse(error, PEAL_USAGE, "%s has %d hosts: nodes are placed on networks of at most %d", name, hosts,
                    MAX_HOSTS);
        return NULL;
    }
    if (hosts < used) {
        int fit = nodes / hosts + (nodes % hosts != 0);

        peal_refuse(error, PEAL_USAGE,
                    "%s has %d host%s, for %d node%s at most: the machine has %d; give --per-host %d, or more hosts",
                    name, hosts, plural(hosts), hosts * words.per_host, plural(hosts * words.per_host), nodes, fit);
        return NULL;
    }
    struct peal_placement *placement = calloc(1, sizeof *placement + (size_t)nodes * sizeof(int));
    int *work = words.order >= RANDOM ? calloc((size_t)hosts, sizeof *work) : NULL;

    if (!placement || (words.order >= RANDOM && !work)) {
        peal_refuse(error, PEAL_RESOURCES, "not enough memory to place %d nodes", nodes);
        goto fail;
    }
    int *host = (int *)(placement + 1);

    *placement = (struct peal_placement){.hosts = hosts,
                                         .per_host = words.per_host,
                                         .used = used,
                                         .order = orders[words.order],
                                         .seed = words.seed,
                                         .host = host};
    if (place(placement, &words, host, nodes, work, error))
        goto fail;
    free(work);
    return placement;

fail:
    free(placement);
    free(work);
    return NULL;
}
