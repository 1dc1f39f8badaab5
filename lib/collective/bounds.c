/* SPDX-License-Identifier: MIT */
/* Lower bounds of every run of a collective, whatever its algorithm, term by term.
 *
 * Let k be the ports (with one port per wire: the most wires of a node; a link of capacity c has c), P > 1.  The
 * coefficients of a run are sums over its rounds, so each may be bounded alone. */
#include "lib/base/text.h"
#include "lib/collective/closed.h"
#include "lib/collective/cuts.h"
#include "lib/collective/demand.h"
#include <inttypes.h>
#include <stdlib.h>

/* The terms:
 *
 *   α     In a round a node sends to at most k others, so the words of one node are on at most (k+1)^t nodes after t
 *         rounds: ⌈log_{k+1} P⌉ until they are on all, or, in reverse, until the root has received from all.  Where no
 *         node has a word, nothing need be sent (except in a barrier).  On the noncombining machine a message has one
 *         packet at most, so P-1 packets out of (into) a node take ⌈(P-1)/k⌉ rounds.
 *   β     A round is charged at least the longest message, and at least the words on any link (n·k of the longest
 *         message on a link is at least the words on it).  So a node that must send or receive w words takes ⌈w/c⌉, c
 *         the lesser of k and its wires.  Where congestion by volume spreads a message over the wires of a link, k
 *         messages may have k·(the most wires of a link) words for each word that is charged, and c and k grow by the
 *         same factor.  All-reduce: to bring the combination of all to every node takes 2(P-1) transfers of each word
 *         (one-way gossip), broadcast and reduce P-1, at most P·k messages a round.  Half duplex: a message takes two
 *         of the P·k places of a round.  Under store-forward a message of n words that goes d hops is charged n·d.  Of
 *         x words that must reach a node e hops away, at most k·(the charge) leave in each round, and the last to leave
 *         goes e hops: ⌈x/k⌉ - 1 + e.  (Words may be sent singly, so e·x is not a bound.)
 *         All-to-all: ⌈P/2⌉⌊P/2⌋ blocks cross the narrowest cut either way (Lemma 14), and all blocks together go Σ
 *         dist links (Lemma 13): a round is charged at least the words on any link, hence at least their average.
 *         A cut (cuts.h): words that must leave a set of nodes, divided by the capacity of the links out of it.
 *   t_d   A block from the root to its farthest node, or between the farthest two, moves in rounds of its own: the
 *         eccentricity, or the diameter (wormhole).
 *
 * Sources: Lemma 7 (scatter), 1 and 4 (broadcast), 8 (noncombining) of P. Tvrdík's course; for the β of the rest Chan
 * et al. 2007.  If packets may be cut, Lemma 7's ⌈(P-1)/k⌉m is ⌈(P-1)m/k⌉. */

/* The links of a node along a dimension: at an open end 1, else 2. */
static int
links_in_dimension(const struct shape *shape, int d, bool at_end)
{
    int extent = shape->extent[d];

    if (extent <= 2)
        return extent - 1;
    return at_end && !shape->closed[d] ? 1 : 2;
}

static int64_t
ceiling(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

static int64_t
max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t
min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

enum { UNLIMITED = 1 << 30 }; /* messages of a node in a round: as many as its boxes have places */

/* The most that nodes can do in a round: each node, and the root. */
struct reach {
    int64_t messages;           /* of any node */
    int64_t most, fewest, root; /* words that the most, the fewest and the root can send for each word that is
                                 * charged */
    int64_t ports;              /* as the most, without the limit of links: half duplex shares these with receiving */
};

/* The links of the nodes of a regular network. */
static void
count_links(const struct shape *shape, int root, int64_t *most, int64_t *fewest, int64_t *of_root)
{
    *most = *fewest = *of_root = 0;
    for (int d = 0; d < shape->dimensions; d++) {
        int coordinate = shape_coordinate(shape, d, root);

        *most += links_in_dimension(shape, d, false);
        *fewest += links_in_dimension(shape, d, true);
        *of_root += links_in_dimension(shape, d, coordinate == 0 || coordinate == shape->extent[d] - 1);
    }
    if (shape->dimensions == 0)
        *most = *fewest = *of_root = shape->nodes - 1;
}

/* The links of a node of any other network: the sum of their capacities, and the largest. */
struct node_links {
    int64_t sum, widest;
};

/* Count those of every node; NULL without memory. */
static struct node_links *
list_links(const struct peal_network *network)
{
    int nodes = peal_network_nodes(network), ends[2];
    struct node_links *links = calloc((size_t)nodes, sizeof *links);

    for (uint64_t wire = 0; links != NULL && wire < peal_network_wires(network); wire++) {
        if (!peal_network_wire(network, wire, &ends[0], &ends[1]))
            continue;
        int64_t capacity = peal_network_capacity(network, ends[0], ends[1]);

        for (int i = 0; i < 2; i++)
            if (ends[i] < nodes) {
                links[ends[i]].sum += capacity;
                links[ends[i]].widest = max_i64(links[ends[i]].widest, capacity);
            }
    }
    return links;
}

/* The nodes of a host reach one another without a link: only ports limit them, if anything does. */
static struct reach
reach_on_hosts(const struct peal_situation *situation)
{
    const struct peal_network *network = situation->network;
    int64_t ports = situation->ports, widest = 1;
    int ends[2];

    for (uint64_t wire = 0; wire < peal_network_wires(network); wire++)
        if (peal_network_wire(network, wire, &ends[0], &ends[1]))
            widest = max_i64(widest, peal_network_capacity(network, ends[0], ends[1]));
    if (situation->ports == PEAL_PORTS_ALL)
        ports = UNLIMITED;
    int64_t words = situation->congestion == PEAL_VOLUME && ports < UNLIMITED ? ports * widest : ports;

    return (struct reach){.messages = ports, .ports = words, .most = words, .fewest = words, .root = words};
}

/* Fill in *reach by the links of each node.  Where messages are spread over the wires of a link, k messages may have as
 * many words for each word that is charged as k links have wires.  False: no memory. */
static bool
reach_of_wires(const struct peal_situation *situation, struct reach *reach)
{
    bool all = situation->ports == PEAL_PORTS_ALL;
    struct node_links *links = list_links(situation->network);

    if (links == NULL)
        return false;
    *reach = (struct reach){.fewest = INT64_MAX};
    for (int node = 0; node < situation->nodes; node++) {
        int64_t most = situation->congestion == PEAL_VOLUME ? situation->ports * links[node].widest : situation->ports;
        int64_t words = all || links[node].sum < most ? links[node].sum : most;

        reach->messages = max_i64(reach->messages, all ? links[node].sum : situation->ports);
        reach->ports = max_i64(reach->ports, all ? links[node].sum : most);
        reach->most = max_i64(reach->most, words);
        reach->fewest = words < reach->fewest ? words : reach->fewest;
        if (node == situation->root)
            reach->root = words;
    }
    free(links);
    return true;
}

static bool
reach_of(const struct peal_situation *situation, const struct shape *shape, struct reach *reach)
{
    int64_t most, fewest, of_root, k;

    if (shape->kind == SHAPE_OTHER && peal_network_placement(situation->network) != NULL &&
        peal_network_placement(situation->network)->shared) {
        *reach = reach_on_hosts(situation);
        return true;
    }
    if (shape->kind == SHAPE_OTHER)
        return reach_of_wires(situation, reach);
    count_links(shape, situation->root, &most, &fewest, &of_root);
    k = situation->ports == PEAL_PORTS_ALL ? most : situation->ports;
    *reach =
        (struct reach){.messages = k, .ports = k, .most = k, .fewest = min_i64(k, fewest), .root = min_i64(k, of_root)};
    return true;
}

/* The least t with (k+1)^t >= nodes. */
static int64_t
ceiling_log(int64_t k, int nodes)
{
    int64_t reached = 1, rounds = 0;

    for (; reached < nodes; rounds++)
        reached *= min_i64(k, nodes) + 1;
    return rounds;
}

static const struct peal_demand no_words = {.reached = 1, .source = "no words: nothing need be sent"};

/* Whether all given lengths are 0. */
static bool
are_zero(const struct peal_layout *layout)
{
    for (int i = 0; i < layout->size_count; i++)
        if (layout->sizes[i] > 0)
            return false;
    return layout->size_count > 0;
}

/* The demand for blocks of different lengths, where blocks of no words need not be sent. */
static bool
demand_of_unequal(const struct peal_situation *situation, struct peal_demand *demand)
{
    const struct peal_blocks *blocks = situation->blocks;
    int64_t others = situation->nodes - 1, all, own;
    int reached = 1;

    if (are_zero(&situation->layout)) {
        *demand = no_words;
        return true;
    }
    if (blocks == NULL)
        return false;
    all = (int64_t)peal_blocks_begin(blocks, situation->nodes);
    own = (int64_t)peal_blocks_words(blocks, situation->root);
    for (int b = 0; b < situation->nodes; b++)
        reached += b != situation->root && peal_blocks_words(blocks, b) > 0;
    if (peal_collective_has_root(situation->collective)) {
        *demand = (struct peal_demand){.reached = reached,
                                       .node_words = all - own,
                                       .one_node = true,
                                       .source = reached == 1
                                                     ? "no words but the root's own: nothing need be sent"
                                                     : "Tvrdík, PDP course, Lemma 7, with blocks of their own lengths"};
        return true;
    }
    *demand = (struct peal_demand){.reached = all > 0 ? situation->nodes : 1,
                                   .node_words = all - (int64_t)situation->words,
                                   .total_words = others * all,
                                   .share = situation->nodes,
                                   .source = "Chan et al. 2007, with blocks of their own lengths"};
    return true;
}

/* Derive what the collective must move; false if that does not fit in 64 bits. */
static bool
demand_of(const struct peal_situation *situation, struct peal_demand *demand)
{
    const struct peal_form *form = peal_form_of(situation->collective);
    int64_t all;

    if ((uint64_t)situation->words > INT64_MAX / 8 ||
        __builtin_mul_overflow((int64_t)situation->words, 4 * (int64_t)situation->nodes, &all))
        return false;
    if (situation->nodes == 1) {
        *demand = (struct peal_demand){.reached = 1, .source = "one node: nothing need be sent"};
        return true;
    }
    if (situation->unequal)
        return demand_of_unequal(situation, demand);
    if (form->demand == NULL)
        return false;
    form->demand(situation, demand);
    if (situation->words == 0 && !form->waits)
        *demand = no_words;
    return true;
}

/* The sum of the distances of all ordered pairs, 0 if no formula is known: each pair of coordinates of a dimension
 * occurs (P/extent)² times.  false if it does not fit in 64 bits. */
static bool
sum_of_distances(const struct shape *shape, int64_t *sum)
{
    *sum = 0;
    for (int d = 0; d < shape->dimensions; d++) {
        int64_t z = shape->extent[d], times = shape->nodes / z, one;

        if (z > 1 << 20)
            return false;
        one = shape->closed[d] ? z % 2 == 0 ? z * z * z / 4 : z * (z * z - 1) / 4 : z * (z * z - 1) / 3;
        if (__builtin_mul_overflow(one, times * times, &one) || __builtin_add_overflow(*sum, one, sum))
            return false;
    }
    return true;
}

/* What the network makes an all-to-all cost: the cut, and the total distance. */
static int64_t
words_on_links(const struct peal_situation *situation, const struct shape *shape)
{
    int64_t bound = 0, words, distances, half = situation->nodes / 2;

    if (situation->network == NULL)
        return 0;
    uint64_t cut = peal_network_bisection(situation->network), links = peal_network_links(situation->network);

    if (cut > 0 && cut <= INT64_MAX &&
        !__builtin_mul_overflow(half * (situation->nodes - half), (int64_t)situation->words, &words))
        bound = ceiling(words, (int64_t)cut);
    if (links > 0 && links <= INT64_MAX && sum_of_distances(shape, &distances) &&
        !__builtin_mul_overflow(distances, (int64_t)situation->words, &words))
        bound = max_i64(bound, ceiling(words, (int64_t)links));
    return bound;
}

enum { PLACED_FEW = 512 }; /* nodes whose farthest two are known (lib/network/placed.c) */

/* The hops that some message must go. */
static int
hops_to_farthest(const struct peal_situation *situation, const struct peal_demand *demand)
{
    if (situation->network == NULL)
        return 1;
    if (demand->hops != NULL)
        return demand->hops(situation);
    if (peal_form_of(situation->collective)->root)
        return peal_network_eccentricity(situation->network, situation->root);
    if (peal_network_placement(situation->network) != NULL && situation->nodes > PLACED_FEW)
        return peal_network_eccentricity(situation->network, 0); /* the diameter is that of all hosts */
    return peal_network_diameter(situation->network);
}

enum { MAX_NAMED = 24 };

/* Raise β to the bound of the narrowest cut.  Where both bounds of a network without a formula are equal, the cut
 * explains the bound better. */
static void
bound_by_cut(const struct peal_situation *situation, const struct shape *shape, struct peal_cost *bound,
             const char **source, struct peal_cut *cut)
{
    int64_t beta;

    if (!cut_find(situation, cut))
        return;
    beta = ceiling((int64_t)cut->words, (int64_t)cut->capacity);
    if (beta < bound->beta || (beta == bound->beta && shape->kind != SHAPE_OTHER)) {
        cut->count = 0;
        return;
    }
    bound->beta = beta;
    if (source != NULL)
        *source = "by a cut, as in ForestColl (Zhao et al. 2024)";
}

/* The bound, its source, and the cut that gives its β: a cut of no nodes if none does. */
static bool
bound_of(const struct peal_situation *situation, struct peal_cost *bound, const char **source, struct peal_cut *cut)
{
    struct shape shape;
    struct peal_demand demand;
    struct reach reach;

    *bound = (struct peal_cost){0};
    cut->count = 0;
    if (!demand_of(situation, &demand))
        return false;
    if (source != NULL)
        *source = demand.source;
    if (demand.reached == 0 || demand.reached > situation->nodes)
        demand.reached = situation->nodes;
    if (demand.reached == 1)
        return true;

    shape_of(&shape, situation->network, situation->nodes);
    if (!reach_of(situation, &shape, &reach))
        return false;

    bound->alpha = ceiling_log(reach.messages, demand.reached);
    if (situation->noncombining && demand.packets && situation->words > 0) {
        bound->alpha = max_i64(bound->alpha, ceiling(situation->nodes - 1, reach.messages));
        if (situation->half_duplex && !demand.one_node)
            bound->alpha = max_i64(bound->alpha, ceiling(2 * ((int64_t)situation->nodes - 1), reach.messages));
    }
    bound->beta = ceiling(demand.node_words, demand.one_node ? reach.root : reach.fewest);
    if (demand.total_words > 0)
        bound->beta = max_i64(bound->beta, ceiling(demand.total_words, reach.most * demand.share));
    if (demand.total_words > 0 && situation->half_duplex)
        bound->beta = max_i64(bound->beta, ceiling(2 * demand.total_words, reach.ports * demand.share));
    if (demand.crosses)
        bound->beta = max_i64(bound->beta, words_on_links(situation, &shape));
    if (situation->switching == PEAL_STORE_FORWARD && demand.far_words > 0)
        bound->beta =
            max_i64(bound->beta, ceiling(demand.far_words, reach.most) - 1 + hops_to_farthest(situation, &demand));
    if (situation->switching == PEAL_WORMHOLE)
        bound->hop = hops_to_farthest(situation, &demand);
    bound_by_cut(situation, &shape, bound, source, cut);
    return true;
}

bool
peal_lower_bound(const struct peal_situation *situation, struct peal_cost *bound, const char **source)
{
    struct peal_cut cut;

    return bound_of(situation, bound, source, &cut);
}

bool
peal_lower_bound_cut(const struct peal_situation *situation, struct peal_cut *cut)
{
    struct peal_cost bound;

    return bound_of(situation, &bound, NULL, cut) && cut->count > 0;
}

char *
peal_cut_text(const struct peal_cut *cut, char *text, size_t bytes)
{
    struct peal_text out = empty_text(text, bytes);
    int named = 0;

    if (cut->count == 0)
        return text;
    peal_append(out, cut->count == 1 ? "node {" : "nodes {");
    for (int node = 0; node < PEAL_CUT_NODES; node++) {
        if (!(cut->member[node / 64] >> node % 64 & 1))
            continue;
        if (named == MAX_NAMED) {
            peal_append(out, " ...");
            break;
        }
        peal_append(out, named++ > 0 ? " %d" : "%d", node);
    }
    peal_append(out, "} must %s %" PRIu64 " word%s over links of capacity %" PRIu64, cut->into ? "take in" : "send out",
                cut->words, cut->words == 1 ? "" : "s", cut->capacity);
    return text;
}
