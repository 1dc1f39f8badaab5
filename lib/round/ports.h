/* SPDX-License-Identifier: MIT */
/* Ports: the number of transfers that a node takes part in at once, and the time on the critical path since when each
 * place is free. */
#pragma once

#include <peal/cost.h>
#include <peal/machine.h>
#include <peal/network.h>

struct port_place {
    uint64_t key;     /* the link or wire at one end; EMPTY */
    uint64_t used_in; /* the round that `used` counts */
    uint32_t used;    /* wires used in that round */
    uint32_t wires;   /* with places of their own so far, as many as were ever used, up to the link's capacity */
    _Alignas(16) struct peal_cost free_at;
};

struct ports {
    const struct peal_network *network;
    int nodes;
    int places; /* k, or PEAL_PORTS_ALL */
    bool half_duplex;
    bool shared;     /* hosts have several nodes */
    uint64_t edges;  /* above every number of a link; of the full network the hosts */
    size_t receives; /* the first row of receives: 0 under half duplex */
    uint64_t round;  /* the round being admitted: places marked with another number are free */

    /* k places: one row per node (half duplex), or one for sends and one for receives; one more after either */
    uint8_t *busy;             /* one place: per row, whether it is taken in this round; the rows after it always are */
    uint64_t *used_in;         /* per row: the round in which `used` was counted */
    int32_t *used;             /* per row: places taken in that round; NULL for one place */
    struct peal_cost *free_at; /* `places` per row */
    _Alignas(16) struct peal_cost nobodys;

    /* all: a hash of the places that were ever used */
    struct port_place *table;
    size_t table_size, table_used;
};

enum peal_status ports_init(struct ports *ports, const struct peal_options *options, const struct peal_network *network,
                            struct peal_error *error);
void ports_fini(struct ports *ports);
void ports_reset(struct ports *ports);

/* Take the ports that a transfer needs in this round, if all of them are free.  Gives 1 when taken, 0 when not, -1
 * without memory.  Not for one place, whose marks admission sets and takes back itself (busy). */
int ports_take(struct ports *ports, int from, int to);

/* Rows of places: a node's only row under half duplex; else one for its sends, and after all of these one for its
 * receives. */
enum port_way { PORT_SEND, PORT_RECEIVE };

static inline size_t
ports_row(const struct ports *ports, int node, enum port_way way)
{
    return (size_t)node + (way == PORT_SEND ? 0 : ports->receives);
}

/* The clocks at which the two places of a transfer admitted by ports_take became free.  One place is given twice; for
 * none, an unused one, which is always free.  Not for ports with one place either: theirs is the clock of the row. */
void ports_clocks(struct ports *ports, const struct peal_parameters *parameters, int from, int to,
                  struct peal_cost *clocks[2]);
