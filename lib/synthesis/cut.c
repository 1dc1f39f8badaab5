/* SPDX-License-Identifier: MIT */
/* Bounds by cuts.  The chunks that a set of nodes must take in, divided by what a round can bring into it: no more than
 * the capacity of the links into it, and no more than one message for each port of the smaller side's nodes, of
 * one chunk for each wire of a link.  In half duplex every chunk that is received also takes a port of its sender: that
 * bounds all nodes together. */
#include "lib/synthesis/problem.h"

enum { ENUMERATED = 16 };

static uint64_t
chunks_into(const struct problem *problem, uint64_t side)
{
    uint64_t chunks = 0;
    int each = problem->asked.chunks;

    for (int i = 0; i < problem->chunk_count; i += each)
        if (!(side >> problem->chunks[i].source & 1) && (problem->chunks[i].wanted & side))
            chunks += (uint64_t)each;
    return chunks;
}

static bool
cut_has_vertex(const struct problem *problem, uint64_t side, int vertex)
{
    return vertex < problem->nodes && side >> vertex & 1;
}

static uint64_t
links_into(const struct problem *problem, uint64_t side)
{
    uint64_t capacity = 0;

    for (int i = 0; i < problem->link_count; i++) {
        const struct problem_link *link = &problem->links[i];
        bool from = cut_has_vertex(problem, side, link->from), to = cut_has_vertex(problem, side, link->to);

        if (from != to && to != problem->reversed)
            capacity += (uint64_t)link->capacity;
    }
    return capacity;
}

/* The most chunks of one message per chunk that its step is charged. */
static uint64_t
message_chunks(const struct problem *problem)
{
    int most = 1;

    for (int i = 0; i < problem->link_count && problem->spread; i++)
        most = problem->links[i].capacity > most ? problem->links[i].capacity : most;
    return (uint64_t)most;
}

static void
keep_better(struct peal_synthesis_cut *best, struct peal_synthesis_cut cut)
{
    if (cut.chunks == 0 || cut.each_round == 0)
        return;
    uint64_t one = cut.chunks * (best->each_round ? best->each_round : 1), other = best->chunks * cut.each_round;

    if (best->each_round == 0 || one > other ||
        (one == other && __builtin_popcountll(cut.member) < __builtin_popcountll(best->member)))
        *best = cut;
}

static struct peal_synthesis_cut
cut_from_side(const struct problem *problem, uint64_t side)
{
    int inside = __builtin_popcountll(side), outside = problem->nodes - inside, ports = problem->asked.ports;
    struct peal_synthesis_cut cut = {
        .member = side, .chunks = chunks_into(problem, side), .each_round = links_into(problem, side)};

    if (ports == PEAL_PORTS_ALL)
        return cut;
    uint64_t by_ports = (uint64_t)(inside < outside ? inside : outside) * (uint64_t)ports * message_chunks(problem);

    if (by_ports < cut.each_round) {
        cut.each_round = by_ports;
        cut.by_ports = true;
    }
    return cut;
}

bool
problem_cut(const struct problem *problem, struct peal_synthesis_cut *best)
{
    int P = problem->nodes, ports = problem->asked.ports;
    uint64_t all = P == 64 ? UINT64_MAX : (UINT64_C(1) << P) - 1;
    bool switches = peal_network_switches(problem->asked.network) > 0;

    *best = (struct peal_synthesis_cut){0};
    for (int v = 0; v < P && P > 1; v++) {
        keep_better(best, cut_from_side(problem, UINT64_C(1) << v));
        if (!switches)
            keep_better(best, cut_from_side(problem, all & ~(UINT64_C(1) << v)));
    }
    for (uint64_t side = 1; side < all && P <= ENUMERATED && !switches; side++)
        keep_better(best, cut_from_side(problem, side));
    if (problem->asked.half_duplex && ports != PEAL_PORTS_ALL && P > 1) {
        struct peal_synthesis_cut cut = {
            .member = all, .by_ports = true, .each_round = (uint64_t)P * (uint64_t)ports / 2 * message_chunks(problem)};

        for (int i = 0; i < problem->chunk_count; i++)
            cut.chunks += (uint64_t)__builtin_popcountll(problem->chunks[i].wanted);
        keep_better(best, cut);
    }
    return best->each_round > 0;
}
