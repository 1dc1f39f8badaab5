/* SPDX-License-Identifier: MIT */
/* Lists the chunks, messages and links of a search; a reduction is searched as its reverse on the reversed network. */
#include "lib/synthesis/problem.h"
#include "lib/base/grow.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_CHUNKS = 1 << 14, MAX_STEPS = 1000 };

/* ------------------------------------------------------------------ chunks */

static int
block_count(enum peal_collective primal, int nodes)
{
    switch ((int)primal) {
    case PEAL_BROADCAST:
        return 1;
    case PEAL_ALLTOALL:
        return nodes * nodes;
    default:
        return nodes;
    }
}

static bool
chunks_init(struct problem *problem)
{
    int P = problem->nodes, root = problem->asked.root, each = problem->asked.chunks;
    uint64_t all = P == 64 ? UINT64_MAX : (UINT64_C(1) << P) - 1;

    problem->chunk_count = block_count(problem->primal, P) * each;
    problem->chunks = calloc((size_t)problem->chunk_count + 1, sizeof *problem->chunks);
    for (int i = 0; i < problem->chunk_count && problem->chunks; i++) {
        struct chunk *chunk = &problem->chunks[i];
        int block = i / each;

        switch ((int)problem->primal) {
        case PEAL_BROADCAST:
            *chunk = (struct chunk){root, all};
            break;
        case PEAL_SCATTER:
            *chunk = (struct chunk){root, UINT64_C(1) << block};
            break;
        case PEAL_ALLGATHER:
            *chunk = (struct chunk){block, all};
            break;
        default:
            *chunk = (struct chunk){block / P, UINT64_C(1) << (block % P)};
        }
        chunk->wanted &= ~(UINT64_C(1) << chunk->source);
    }
    return problem->chunks;
}

/* ------------------------------------------------------------------ messages and links */

static int
problem_find_link(struct problem *problem, int from, int to)
{
    for (int i = 0; i < problem->link_count; i++)
        if (problem->links[i].from == from && problem->links[i].to == to)
            return i;
    return -1;
}

/* The link between two vertices, listed when it is new; -1 without memory. */
static int
get_link(struct problem *problem, int from, int to)
{
    int i = problem_find_link(problem, from, to);

    if (i >= 0)
        return i;
    if (!grow_by_one(&problem->links, (size_t)problem->link_count, sizeof *problem->links))
        return -1;
    i = problem->link_count++;
    problem->links[i] =
        (struct problem_link){from, to, (int)peal_network_capacity(problem->asked.network, from, to), -1};
    int back = problem_find_link(problem, to, from);

    if (back >= 0) {
        problem->links[i].reverse = back;
        problem->links[back].reverse = i;
    }
    return i;
}

/* Append the links of the route that a message from one node to another takes. */
static bool
add_route(struct problem *problem, int from, int to, int *path)
{
    int hops = problem->reversed ? peal_network_path(problem->asked.network, to, from, path)
                                 : peal_network_path(problem->asked.network, from, to, path);

    for (int i = 0; i < hops; i++) {
        int hop = problem->reversed ? hops - 1 - i : i; /* in the order in which the reversed message travels */
        int link = get_link(problem, path[hop], path[hop + 1]);

        if (link < 0 || !grow_by_one(&problem->route, (size_t)problem->route_count, sizeof *problem->route))
            return false;
        problem->route[problem->route_count++] = link;
    }
    return true;
}

static int
problem_min(int a, int b)
{
    return a < b ? a : b;
}

/* The most parallel messages from one node to another that may be worth sending in one step. */
static int
copies_of(const struct problem *problem, const struct problem_message *message)
{
    int ports = problem->asked.ports;
    int first = problem->links[message->first].capacity, last = problem->links[message->last].capacity;

    if (problem->spread)
        return 1;
    if (ports == PEAL_PORTS_ALL)
        return problem_min(first, last);
    if (problem->asked.neighbours || strcmp(peal_network_kind(problem->asked.network), "full") == 0)
        return problem_min(ports, first); /* nothing else uses its link: two messages on one wire take as long as one */
    return ports;
}

static bool
add_messages(struct problem *problem, int from, int to, int *path)
{
    int begin = problem->route_count;

    if (problem->asked.neighbours && peal_network_distance(problem->asked.network, from, to) != 1)
        return true;
    if (!add_route(problem, from, to, path))
        return false;
    struct problem_message message = {.from = from,
                                      .to = to,
                                      .route = begin,
                                      .route_count = problem->route_count - begin,
                                      .first = problem->route[begin],
                                      .last = problem->route[problem->route_count - 1]};
    int copies = copies_of(problem, &message);

    for (message.copy = 0; message.copy < copies; message.copy++) {
        if (!grow_by_one(&problem->messages, (size_t)problem->message_count, sizeof message))
            return false;
        problem->messages[problem->message_count++] = message;
    }
    return true;
}

static bool
messages_init(struct problem *problem)
{
    int *path = malloc(((size_t)peal_network_diameter(problem->asked.network) + 2) * sizeof *path);
    bool memory = path;

    for (int from = 0; from < problem->nodes && memory; from++)
        for (int to = 0; to < problem->nodes && memory; to++)
            memory = from == to || add_messages(problem, from, to, path);
    free(path);
    return memory;
}

/* ------------------------------------------------------------------ the request */

static bool
primal_of(enum peal_collective collective, enum peal_collective *primal, bool *reversed)
{
    *reversed = collective == PEAL_GATHER || collective == PEAL_REDUCE || collective == PEAL_REDUCE_SCATTER;
    switch ((int)collective) {
    case PEAL_BROADCAST:
    case PEAL_SCATTER:
    case PEAL_ALLGATHER:
    case PEAL_ALLTOALL:
        *primal = collective;
        return true;
    case PEAL_GATHER:
        *primal = PEAL_SCATTER;
        return true;
    case PEAL_REDUCE:
        *primal = PEAL_BROADCAST;
        return true;
    case PEAL_REDUCE_SCATTER:
        *primal = PEAL_ALLGATHER;
        return true;
    default:
        return false;
    }
}

static enum peal_status
refuse_numbers(const struct problem *problem, struct peal_error *error)
{
    const struct peal_synthesis *asked = &problem->asked;

    if (problem->nodes > PEAL_SYNTHESIS_NODES)
        return peal_refuse(error, PEAL_USAGE, "synthesis: expected at most %d nodes, got %d", PEAL_SYNTHESIS_NODES,
                           problem->nodes);
    if (asked->root < 0 || asked->root >= problem->nodes)
        return peal_refuse(error, PEAL_USAGE, "root %d is out of range: ranks are 0 to %d", asked->root,
                           problem->nodes - 1);
    if (asked->steps < 1 || asked->steps > MAX_STEPS || asked->rounds < 0 || asked->rounds > MAX_STEPS)
        return peal_refuse(error, PEAL_USAGE, "expected 1 to %d steps and rounds, got %d and %d", MAX_STEPS,
                           asked->steps, asked->rounds);
    if (asked->chunks < 1 || asked->chunks > MAX_CHUNKS / block_count(problem->primal, problem->nodes))
        return peal_refuse(error, PEAL_USAGE, "expected 1 to %d chunks, got %d",
                           MAX_CHUNKS / block_count(problem->primal, problem->nodes), asked->chunks);
    return PEAL_OK;
}

enum peal_status
problem_init(struct problem *problem, const struct peal_synthesis *asked, struct peal_error *error)
{
    *problem = (struct problem){.asked = *asked, .nodes = peal_network_nodes(asked->network)};
    if (!primal_of(asked->collective, &problem->primal, &problem->reversed))
        return peal_refuse(error, PEAL_USAGE,
                           "%s: no synthesis; expected broadcast, scatter, gather, allgather, reduce, "
                           "reduce-scatter, allreduce or alltoall",
                           peal_collective_name(asked->collective));
    if (refuse_numbers(problem, error) != PEAL_OK)
        return error->status;
    if (strcmp(peal_network_routing(asked->network), "best") == 0)
        return peal_refuse(error, PEAL_USAGE,
                           "--routing best: synthesis needs routes that do not depend on the other messages");
    problem->split = asked->neighbours && asked->ports == PEAL_PORTS_ALL && asked->congestion == PEAL_COUNT;
    problem->spread = problem->split || asked->congestion == PEAL_VOLUME;
    if (!chunks_init(problem) || !messages_init(problem)) {
        problem_fini(problem);
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the synthesis");
    }
    return PEAL_OK;
}

void
problem_fini(struct problem *problem)
{
    free(problem->chunks);
    free(problem->messages);
    free(problem->links);
    free(problem->route);
    *problem = (struct problem){0};
}
