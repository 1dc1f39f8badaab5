/* SPDX-License-Identifier: MIT */
/* Symmetries of the network: permutations of its nodes that keep the root, where there is one, and take each route to
 * the route of its permuted ends, each link to one of the same capacity.  They take a schedule to a schedule of the
 * same cost. */
#include "lib/synthesis/problem.h"
#include <stdlib.h>

enum { MAX_NODES = 16, MAX_TRIALS = 20000 };

struct symmetry_search {
    const struct problem *problem;
    int nodes;
    int *message; /* of an ordered pair of nodes, the first of its copies; -1 none */
    int image[MAX_NODES];
    bool taken[MAX_NODES];
    int trials;
};

/* Whether the message from u to v is taken to an equivalent one, as far as the nodes on its way have images. */
static bool
pair_fits(const struct symmetry_search *search, int u, int v)
{
    const struct problem *problem = search->problem;
    int at = search->message[u * search->nodes + v];
    int to = search->message[search->image[u] * search->nodes + search->image[v]];

    if (at < 0 || to < 0)
        return at == to;
    const struct problem_message *one = &problem->messages[at], *other = &problem->messages[to];

    if (one->route_count != other->route_count)
        return false;
    for (int i = 0; i < one->route_count; i++) {
        const struct problem_link *a = &problem->links[problem->route[one->route + i]];
        const struct problem_link *b = &problem->links[problem->route[other->route + i]];

        if (a->capacity != b->capacity || (search->image[a->from] >= 0 && search->image[a->from] != b->from) ||
            (search->image[a->to] >= 0 && search->image[a->to] != b->to))
            return false;
    }
    return true;
}

static bool
node_fits(const struct symmetry_search *search, int node)
{
    for (int other = 0; other < search->nodes; other++)
        if (other != node && search->image[other] >= 0 &&
            (!pair_fits(search, node, other) || !pair_fits(search, other, node)))
            return false;
    return true;
}

static bool
whole_fits(const struct symmetry_search *search)
{
    for (int u = 0; u < search->nodes; u++)
        for (int v = 0; v < search->nodes; v++)
            if (u != v && !pair_fits(search, u, v))
                return false;
    return true;
}

static bool
try_image(struct symmetry_search *search, int node, int image)
{
    if (search->image[node] == image)
        return true;
    if (search->image[node] >= 0 || search->taken[image] || ++search->trials > MAX_TRIALS)
        return false;
    search->image[node] = image;
    search->taken[image] = true;
    return node_fits(search, node);
}

static void
forget_image(struct symmetry_search *search, int node)
{
    if (search->image[node] >= 0)
        search->taken[search->image[node]] = false;
    search->image[node] = -1;
}

/* Find an image for each node from `node` on. */
static bool
symmetry_complete(struct symmetry_search *search, int node)
{
    while (node < search->nodes && search->image[node] >= 0)
        node++;
    if (node == search->nodes)
        return whole_fits(search);
    for (int image = 0; image < search->nodes && search->trials <= MAX_TRIALS; image++) {
        if (search->taken[image])
            continue;
        if (try_image(search, node, image) && symmetry_complete(search, node + 1))
            return true;
        forget_image(search, node);
    }
    return false;
}

/* Find a symmetry that takes (a, b) to (c, d). */
static bool
find_symmetry(struct symmetry_search *search, int a, int b, int c, int d)
{
    const struct problem *problem = search->problem;
    bool rooted = problem->primal == PEAL_BROADCAST || problem->primal == PEAL_SCATTER;

    for (int node = 0; node < search->nodes; node++) {
        search->image[node] = -1;
        search->taken[node] = false;
    }
    search->trials = 0;
    return (!rooted || try_image(search, problem->asked.root, problem->asked.root)) && try_image(search, a, c) &&
           try_image(search, b, d) && symmetry_complete(search, 0);
}

static int
symmetry_class(int *classes, int pair)
{
    while (classes[pair] != pair)
        pair = classes[pair] = classes[classes[pair]];
    return pair;
}

static void
symmetry_join(int *classes, int one, int other)
{
    one = symmetry_class(classes, one);
    other = symmetry_class(classes, other);
    classes[one > other ? one : other] = one > other ? other : one;
}

static void
join_all(const struct symmetry_search *search, int *classes)
{
    int P = search->nodes;

    for (int u = 0; u < P; u++)
        for (int v = 0; v < P; v++)
            symmetry_join(classes, u * P + v, search->image[u] * P + search->image[v]);
}

static void
find_classes(struct symmetry_search *search, int *classes)
{
    int P = search->nodes;

    for (int one = 0; one < P * P; one++)
        for (int other = 0; other < one; other++)
            if (one / P != one % P && other / P != other % P &&
                symmetry_class(classes, one) != symmetry_class(classes, other) &&
                symmetry_class(classes, other) == other &&
                find_symmetry(search, one / P, one % P, other / P, other % P))
                join_all(search, classes);
}

int *
problem_pair_classes(const struct problem *problem)
{
    int P = problem->nodes, pairs = P * P;
    struct symmetry_search search = {.problem = problem, .nodes = P};
    int *classes = malloc((size_t)pairs * sizeof *classes);

    search.message = malloc((size_t)pairs * sizeof *search.message);
    for (int pair = 0; pair < pairs && classes && search.message; pair++) {
        classes[pair] = pair;
        search.message[pair] = -1;
    }
    for (int i = problem->message_count - 1; i >= 0 && search.message; i--)
        search.message[problem->messages[i].from * P + problem->messages[i].to] = i;
    if (classes && search.message && P <= MAX_NODES && peal_network_switches(problem->asked.network) == 0)
        find_classes(&search, classes);
    for (int pair = 0; pair < pairs && classes && search.message; pair++)
        classes[pair] = symmetry_class(classes, pair);
    if (search.message == NULL) {
        free(classes);
        classes = NULL;
    }
    free(search.message);
    return classes;
}
