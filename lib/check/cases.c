/* SPDX-License-Identifier: MIT */
/* Sizes, roots, sets, machines: the product of them all. */
#include "lib/check/cases.h"
#include "lib/base/clock.h"
#include "lib/check/expression.h"
#include "lib/check/sizes.h"
#include "lib/labels/labels.h"
#include <stdatomic.h>
#include <stdlib.h>

/* After the first power of two above 16, around the next, and between. */
const int cases_beyond[] = {17, 24, 31, 32, 33, 0};

int
cases_machine_nodes(const struct peal_check_case *where)
{
    if (where->call & PEAL_CALL_HALVES)
        return 2 * where->nodes;
    return where->nodes + ((where->call & CALLS_MORE_NODES) != 0);
}

bool
cases_unstored(const struct peal_check_case *where)
{
    return where->words > LABEL_INDICES / (size_t)where->nodes;
}

void
cases_say_undecided(size_t words, enum peal_failure_kind kind, char text[200])
{
    snprintf(text, 200, "with P = 2 and %zu words, which are not stored, it was ended (%s), and nothing is known",
             words, peal_failure_name(kind));
}

/* One or two more than an int counts in bytes. */
const size_t cases_far_words[] = {((size_t)1 << 28) + 1, ((size_t)1 << 28) + 2};

size_t
cases_far(const struct peal_check *check)
{
    bool by_bytes = check->arguments && (strstr(check->arguments, "sbytes") || strstr(check->arguments, "rbytes"));

    if (!check->mpi || check->element || check->program || (check->has_call && check->call != PEAL_CALL_ONCE) ||
        check->identical || check->choices || check->has_words || check->sizes || check->words_list || by_bytes ||
        sizeof(size_t) < 8 || peal_form_of(check->collective)->out == PEAL_SIDE_NONE)
        return 0;
    const bool two = check->nodes_from <= 2 && check->nodes_to >= 2 && cases_wanted(check, 2);

    return two ? cases_far_words[check->divides] : 0;
}

double
cases_seconds(const struct peal_check *check, const _Atomic bool *hurried)
{
    const double seconds = check->timeout_seconds > 0 ? check->timeout_seconds : 10;

    return seconds > HURRIED_SECONDS && hurried && atomic_load(hurried) ? HURRIED_SECONDS : seconds;
}

int
cases_most(const struct peal_check *check)
{
    int last = check->has_call || check->nodes_to < MAX_AGAIN ? check->nodes_to : MAX_AGAIN;
    int most = check->nodes_to;
    struct called_way ways[MAX_WAYS];

    for (int i = 0, count = ways_list(check, last, ways); i < count; i++) {
        int nodes = cases_machine_nodes(&(struct peal_check_case){.nodes = last, .call = ways[i].call});

        most = nodes > most ? nodes : most;
    }
    for (int i = 0; check->beyond && cases_beyond[i] > 0; i++)
        most = cases_beyond[i] > most ? cases_beyond[i] : most;
    return most;
}

/* Whether this many nodes are more than requested, so that some cases suffice. */
static bool
is_beyond(const struct peal_check *check, int nodes)
{
    return nodes > check->nodes_to;
}

bool
cases_wanted(const struct peal_check *check, int nodes)
{
    for (int i = 0; check->nodes_list && i < check->nodes_count; i++)
        if (check->nodes_list[i] == nodes)
            return true;
    return !check->nodes_list;
}

const char *const peal_check_call_names[PEAL_CALLS + 2] = {"once",  "twice",  "group",   "spaced", "struct", "gaps",
                                                           "comms", "halves", "overlap", "given",  "roots",  "sizes"};
const char *const peal_check_element_names[PEAL_ELEMENTS] = {"int", "float", "long", "double"};

static void
list_some_turns(struct cases *cases)
{
    const int P = cases->nodes, some[] = {0, 1, P / 2, P - 1};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        cases->turns[cases->turn_count++] = some[i];
}

/* Roots; of a shift, distances. */
static bool
list_turns(struct cases *cases, const struct peal_check *check)
{
    const struct peal_form *form = peal_form_of(check->collective);
    bool shift = form->by, many = shift || form->waits || form->root;

    cases->turns = calloc((size_t)cases->nodes + 2, sizeof *cases->turns);
    if (!cases->turns)
        return false;
    if (!many || (shift && check->has_by) || (!shift && check->has_root)) {
        cases->turns[cases->turn_count++] = !many ? 0 : shift ? check->by : check->root;
        return true;
    }
    if (is_beyond(check, cases->nodes)) {
        list_some_turns(cases);
        return true;
    }
    for (int i = 0; !shift && check->roots && i < check->root_count && cases->turn_count < cases->nodes; i++)
        if (check->roots[i] < cases->nodes)
            cases->turns[cases->turn_count++] = check->roots[i];
    for (int i = 0; (shift || !check->roots) && i < cases->nodes; i++)
        cases->turns[cases->turn_count++] = i;
    if (form->waits)
        cases->turns[cases->turn_count++] = cases->nodes; /* none */
    if (shift) {
        cases->turns[cases->turn_count++] = -1;
        cases->turns[cases->turn_count++] = cases->nodes + 1;
    }
    return true;
}

/* All, none, the last, every second. */
static bool
list_sets(struct cases *cases, const struct peal_check *check)
{
    int P = cases->nodes, *at = cases->set_memory = calloc((size_t)P + 2, sizeof *at);

    if (!at)
        return false;
    cases->set_counts[0] = P;
    cases->set_count = 1;
    if (!peal_form_of(check->collective)->to)
        return true;
    if (check->has_to) {
        cases->sets[0] = check->to;
        cases->set_counts[0] = check->to ? check->to_count : P;
        return true;
    }
    *at = P - 1;
    cases->sets[1] = at, cases->set_counts[1] = 0;
    cases->sets[2] = at, cases->set_counts[2] = 1;
    cases->sets[3] = ++at;
    for (int rank = P - 1; rank >= 0; rank -= 2)
        at[cases->set_counts[3]++] = rank;
    cases->set_count = 4;
    return true;
}

static void
cases_add_network(struct cases *cases, const struct peal_check *check, const char *topology, enum network_role role)
{
    cases->networks[cases->network_count++] = (struct network){topology, check->switching, check->noncombining, role};
}

/* A machine that refuses bundles, on the first of the networks. */
static void
add_noncombining(struct cases *cases, const struct peal_check *check)
{
    if (!check->noncombining)
        cases->networks[cases->network_count++] =
            (struct network){cases->networks[0].topology, check->switching, true, NETWORK_CHARGED};
}

/* For an algorithm that does not look at its network; or the network that was asked for. */
static void
list_any_network(struct cases *cases, const struct peal_check *check)
{
    const struct peal_algorithm *algorithm = sizes_algorithm(check);
    int P = cases->nodes;

    cases_add_network(cases, check, check->topology ? check->topology : "full", NETWORK_DEFAULT);
    if (!check->topology && algorithm && algorithm->asks_ports) /* one port per link: all nodes, or neighbours */
        cases_add_network(cases, check, "line", NETWORK_DEFAULT);
    if (!check->topology && algorithm)
        add_noncombining(cases, check);
    if (check->topology || check->program || is_beyond(check, P) ||
        (check->has_call && (check->call & CALLS_MORE_NODES)))
        return;
    if (P == 4 || P == 6 || P == 8 || P == 9 || P == 12)
        cases_add_network(cases, check, "mesh", NETWORK_SHARED);
    if (P == 4 || P == 8 || P == 16)
        cases_add_network(cases, check, "hypercube", NETWORK_SHARED);
}

/* For an algorithm of the catalogue that looks at its network. */
static void
cases_list_networks(struct cases *cases, const struct peal_check *check)
{
    static const char *const all[] = {"full", "line", "ring", "mesh", "torus", "hypercube"};
    /* Not as square as possible: an algorithm that ignores its network assumes that. */
    static const char *const slender[] = {[6] = "mesh:3x2",  [8] = "mesh:4x2",  [10] = "mesh:5x2", [12] = "mesh:6x2",
                                          [14] = "mesh:7x2", [15] = "mesh:5x3", [16] = "mesh:8x2"};
    static const char *const deep[] = {[8] = "torus:2x2x2", [12] = "torus:3x2x2", [16] = "torus:4x2x2"};
    static const enum peal_switching far[] = {PEAL_WORMHOLE, PEAL_STORE_FORWARD};
    enum { MAX = sizeof deep / sizeof *deep };
    int P = cases->nodes;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((P & (P - 1)) == 0 || strcmp(all[i], "hypercube") != 0)
            cases_add_network(cases, check, all[i], NETWORK_DEFAULT);
    if (P < MAX && slender[P])
        cases_add_network(cases, check, slender[P], NETWORK_DEFAULT);
    if (P < MAX && deep[P])
        cases_add_network(cases, check, deep[P], NETWORK_DEFAULT);
    for (int i = 1, usual = cases->network_count; !check->has_switching && i < usual; i++)
        for (size_t s = 0; s < sizeof far / sizeof *far; s++)
            cases->networks[cases->network_count++] =
                (struct network){cases->networks[i].topology, far[s], check->noncombining, NETWORK_CHARGED};
    add_noncombining(cases, check);
}

static void
add_ports(struct cases *cases, int count, bool half_duplex)
{
    cases->ports[cases->port_count++] = (struct port_kind){count, half_duplex};
}

static void
list_ports(struct cases *cases, const struct peal_check *check)
{
    const struct peal_algorithm *algorithm = sizes_algorithm(check);
    int needed = algorithm ? algorithm->needs.ports : 0;

    if (check->has_ports) {
        add_ports(cases, check->ports, check->half_duplex);
        return;
    }
    if (needed == 0 || needed == 1)
        add_ports(cases, 1, false);
    if (needed > 1)
        add_ports(cases, needed, false);
    add_ports(cases, PEAL_PORTS_ALL, false);
    if (algorithm && algorithm->asks_ports) {
        add_ports(cases, 2, false);
        add_ports(cases, 3, false);
        add_ports(cases, 2, true);
        add_ports(cases, PEAL_PORTS_ALL, true);
    }
}

static void
list_machines(struct cases *cases, const struct peal_check *check)
{
    const struct peal_algorithm *algorithm = sizes_algorithm(check);
    bool on_networks =
        algorithm && (algorithm->asks_network || algorithm->needs.kinds || algorithm->needs.ports == PEAL_PORTS_ALL);

    if (on_networks && !check->topology)
        cases_list_networks(cases, check);
    else
        list_any_network(cases, check);
    list_ports(cases, check);
    if (check->op) {
        cases->commutative[cases->op_count++] = check->op->commutative;
    } else {
        cases->commutative[cases->op_count++] = false;
        if (peal_collective_has_op(check->collective) &&
            (check->identical || (algorithm && (algorithm->needs.commutative || algorithm->needs.commutative_off_0))))
            cases->commutative[cases->op_count++] = true;
    }
}

static void
list_places(struct cases *cases, const struct peal_check *check)
{
    bool allowed = ways_allow_in_place(check);
    bool usual = check->buffers == PEAL_BUFFERS_DEFAULT && !check->choices; /* a given order applies to one case */

    if (check->buffers != PEAL_BUFFERS_IN_PLACE)
        cases->in_place[cases->place_count++] = false;
    if (allowed && (usual || check->buffers > PEAL_BUFFERS_SEPARATE) &&
        (!is_beyond(check, cases->nodes) || cases->place_count == 0))
        cases->in_place[cases->place_count++] = true;
}

bool
cases_tolerated(const struct peal_check *check, const struct peal_check_case *where)
{
    return where->in_place && check->file && check->buffers == PEAL_BUFFERS_DEFAULT && where->call == PEAL_CALL_ONCE;
}

enum peal_status
cases_init(struct cases *cases, const struct peal_check *check, int nodes, struct peal_error *error)
{
    *cases = (struct cases){.nodes = nodes};
    list_places(cases, check);
    sizes_list(cases, check);
    list_machines(cases, check);
    if (list_turns(cases, check) && list_sets(cases, check))
        return PEAL_OK;
    cases_fini(cases);
    return peal_refuse(error, PEAL_RESOURCES, "not enough memory");
}

void
cases_prepare(const struct peal_check *check)
{
    struct cases cases;

    for (int nodes = 1; nodes <= cases_most(check); nodes++)
        if (cases_init(&cases, check, nodes, NULL) == PEAL_OK)
            cases_fini(&cases);
}

void
cases_fini(struct cases *cases)
{
    free(cases->turns);
    free(cases->set_memory);
    *cases = (struct cases){.nodes = 0};
}
