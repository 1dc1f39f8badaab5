/* SPDX-License-Identifier: MIT */
/* The ports of nodes in a round and their clocks: a table of places by link or wire.  Used by one thread at a time. */
#include "lib/round/ports.h"
#include "lib/network/network.h"
#include "lib/round/node_clock.h"
#include <stdlib.h>

static const uint64_t EMPTY = UINT64_MAX;

static size_t
row_count(const struct ports *ports)
{
    return (size_t)ports->nodes + 1 + ports->receives;
}

enum peal_status
ports_init(struct ports *ports, const struct peal_options *options, const struct peal_network *network,
           struct peal_error *error)
{
    *ports =
        (struct ports){.network = network,
                       .nodes = options->nodes,
                       .shared = network->inner && network->placement->shared,
                       .edges = network->private_links ? (uint64_t)network_hosts(network)->nodes : network->link_limit,
                       .places = options->ports,
                       .half_duplex = options->half_duplex,
                       .receives = options->half_duplex ? 0 : (size_t)options->nodes + 1};
    bool memory = true;

    if (ports->places == PEAL_PORTS_ALL) {
        ports->table_size = 64;
        ports->table = malloc(ports->table_size * sizeof *ports->table);
        memory = ports->table;
    } else {
        size_t rows = row_count(ports);

        ports->free_at = malloc(rows * (size_t)ports->places * sizeof *ports->free_at);
        if (ports->places == 1) {
            ports->busy = malloc(rows);
        } else {
            ports->used_in = malloc(rows * sizeof *ports->used_in);
            ports->used = malloc(rows * sizeof *ports->used);
        }
        memory = ports->free_at && (ports->busy || (ports->used_in && ports->used));
    }
    if (!memory) {
        ports_fini(ports);
        return peal_refuse(error, PEAL_RESOURCES, "no memory for the ports of %d nodes", options->nodes);
    }
    ports_reset(ports);
    return PEAL_OK;
}

void
ports_fini(struct ports *ports)
{
    free(ports->busy);
    free(ports->used_in);
    free(ports->used);
    free(ports->free_at);
    free(ports->table);
    *ports = (struct ports){0};
}

void
ports_reset(struct ports *ports)
{
    ports->round = 0;
    if (ports->places == PEAL_PORTS_ALL) {
        for (size_t i = 0; i < ports->table_size; i++)
            ports->table[i].key = EMPTY;
        ports->table_used = 0;
        return;
    }
    size_t rows = row_count(ports);

    if (ports->places == 1) {
        memset(ports->busy, 0, rows);
        ports->busy[ports_row(ports, ports->nodes, PORT_SEND)] = 1;
        ports->busy[ports_row(ports, ports->nodes, PORT_RECEIVE)] = 1;
    }
    for (size_t row = 0; ports->used_in && row < rows; row++)
        ports->used_in[row] = UINT64_MAX;
    memset(ports->free_at, 0, rows * (size_t)ports->places * sizeof *ports->free_at);
}

/* ------------------------------------------------------------------ one place per wire of a link */

/* A table of its own and not lib/base's: on the path of messages, its places hold their state beside the key. */
static size_t
ports_slot(const struct port_place *table, size_t size, uint64_t key)
{
    size_t slot = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (size - 1);

    while (table[slot].key != EMPTY && table[slot].key != key)
        slot = (slot + 1) & (size - 1);
    return slot;
}

/* The place called `key`, created when missing; NULL without memory.  Creating one may move the others. */
static struct port_place *
place_get(struct ports *ports, uint64_t key)
{
    struct port_place *place = &ports->table[ports_slot(ports->table, ports->table_size, key)];

    if (place->key == key)
        return place;
    if (ports->table_used * 2 >= ports->table_size) {
        size_t size = ports->table_size * 2;
        struct port_place *table = malloc(size * sizeof *table);

        if (!table)
            return NULL;
        for (size_t i = 0; i < size; i++)
            table[i].key = EMPTY;
        for (size_t i = 0; i < ports->table_size; i++)
            if (ports->table[i].key != EMPTY)
                table[ports_slot(table, size, ports->table[i].key)] = ports->table[i];
        free(ports->table);
        ports->table = table;
        ports->table_size = size;
        place = &table[ports_slot(table, size, key)];
    }
    ports->table_used++;
    *place = (struct port_place){.key = key, .used_in = UINT64_MAX};
    return place;
}

/* Where hosts have several nodes, each has ports of its own at the ends of the host's links. */
static uint64_t
node_key(const struct ports *ports, int node, uint64_t link, int other, enum port_way way)
{
    uint64_t edge = ports->network->private_links ? (uint64_t)network_host(ports->network, other)
                    : ports->half_duplex          ? link / 2
                                                  : link;

    return ((uint64_t)node * ports->edges + edge) * 2 + (ports->half_duplex ? 0 : way);
}

/* Full duplex: the outgoing link at the sender, the incoming link at the receiver.  Half duplex: the wire at either.
 * The keys are those of the first place; a link of more capacity has further ones (wire_key). */
static void
end_keys(const struct ports *ports, int from, int to, uint64_t keys[2], uint32_t capacity[2])
{
    uint64_t first, last;

    network_end_links(ports->network, from, to, &first, &last);
    capacity[PORT_SEND] = network_capacity(ports->network, first);
    capacity[PORT_RECEIVE] = network_capacity(ports->network, last);
    if (ports->shared) {
        keys[PORT_SEND] = node_key(ports, from, first, to, PORT_SEND);
        keys[PORT_RECEIVE] = node_key(ports, to, last, from, PORT_RECEIVE);
        return;
    }
    if (!ports->half_duplex) {
        keys[PORT_SEND] = first * 2;
        keys[PORT_RECEIVE] = last * 2 + 1;
        return;
    }
    uint64_t first_back = network_reverse_link(ports->network, first);
    uint64_t last_back = network_reverse_link(ports->network, last);

    /* a wire is named by the lower of its two links, and has two ends: the one that link leaves, and the other */
    keys[PORT_SEND] = first < first_back ? first * 2 : first_back * 2 + 1;
    keys[PORT_RECEIVE] = last_back < last ? last_back * 2 : last * 2 + 1;
}

/* The place of wire i of the link whose first place has this key. */
static uint64_t
wire_key(const struct ports *ports, uint64_t key, uint32_t i)
{
    return i == 0 ? key : key + (uint64_t)i * 2 * ports->edges * (ports->shared ? (uint64_t)ports->nodes : 1);
}

/* Take one of the free places there (at least one is free); false without memory.  While some have never been used, one
 * more is created each time, so that the place that has been free longest is among them. */
static bool
take_wire(struct ports *ports, uint64_t key, uint32_t capacity)
{
    struct port_place *place = place_get(ports, key);
    uint32_t wires = place->wires;

    if (place->used_in != ports->round)
        place->used = 0;
    place->used_in = ports->round;
    place->used++;
    if (wires == capacity)
        return true;
    place->wires++;
    return wires == 0 || place_get(ports, wire_key(ports, key, wires));
}

/* The clock of the place there that becomes free first. */
static struct peal_cost *
earliest_wire(const struct ports *ports, const struct peal_parameters *parameters, uint64_t key)
{
    struct port_place *first = &ports->table[ports_slot(ports->table, ports->table_size, key)];
    struct peal_cost *best = &first->free_at;

    for (uint32_t i = 1; i < first->wires; i++) {
        size_t slot = ports_slot(ports->table, ports->table_size, wire_key(ports, key, i));
        struct peal_cost *clock = &ports->table[slot].free_at;

        if (clock_later(parameters, clock_load(best), clock_load(clock)))
            best = clock;
    }
    return best;
}

/* ------------------------------------------------------------------ either kind */

int
ports_take(struct ports *ports, int from, int to)
{
    if (ports->places == PEAL_PORTS_ALL) {
        uint64_t keys[2];
        uint32_t capacity[2];

        if (network_host(ports->network, from) == network_host(ports->network, to))
            return 1;
        end_keys(ports, from, to, keys, capacity);
        for (int way = PORT_SEND; way <= PORT_RECEIVE; way++) {
            struct port_place *place = place_get(ports, keys[way]);

            if (!place)
                return -1;
            if (place->used_in == ports->round && place->used == capacity[way])
                return 0;
        }
        for (int way = PORT_SEND; way <= PORT_RECEIVE; way++)
            if (!take_wire(ports, keys[way], capacity[way]))
                return -1;
        return 1;
    }
    size_t send = ports_row(ports, from, PORT_SEND), receive = ports_row(ports, to, PORT_RECEIVE);

    size_t rows[2] = {send, receive};

    for (int i = 0; i < 2; i++)
        if (ports->used_in[rows[i]] != ports->round) {
            ports->used_in[rows[i]] = ports->round;
            ports->used[rows[i]] = 0;
        }
    if (ports->used[send] >= ports->places || ports->used[receive] >= ports->places)
        return 0;
    ports->used[send]++;
    if (receive != send)
        ports->used[receive]++;
    return 1;
}

/* The clock of the place in this row that becomes free first. */
static struct peal_cost *
earliest(struct ports *ports, const struct peal_parameters *parameters, size_t row)
{
    struct peal_cost *places = &ports->free_at[row * (size_t)ports->places], *best = places;

    for (int i = 1; i < ports->places; i++)
        if (clock_later(parameters, clock_load(best), clock_load(&places[i])))
            best = &places[i];
    return best;
}

void
ports_clocks(struct ports *ports, const struct peal_parameters *parameters, int from, int to,
             struct peal_cost *clocks[2])
{
    uint64_t keys[2];
    uint32_t capacity[2];

    if (ports->places != PEAL_PORTS_ALL) {
        size_t send = ports_row(ports, from, PORT_SEND), receive = ports_row(ports, to, PORT_RECEIVE);

        clocks[0] = earliest(ports, parameters, send);
        clocks[1] = receive == send ? clocks[0] : earliest(ports, parameters, receive);
    } else if (network_host(ports->network, from) == network_host(ports->network, to)) {
        ports->nobodys = (struct peal_cost){0};
        clocks[0] = clocks[1] = &ports->nobodys;
    } else {
        end_keys(ports, from, to, keys, capacity);
        for (int i = 0; i < 2; i++) /* created by ports_take */
            clocks[i] = earliest_wire(ports, parameters, keys[i]);
    }
}
