/* SPDX-License-Identifier: MIT */
/* Engines, and the list of them. */
#pragma once

#include "lib/machine/nodes.h"
#include <peal/machine.h>
#include <sys/types.h>

struct carrier;
struct remote;

/* Creates, switches and destroys the contexts in which nodes run. */
struct engine {
    const char *name;
    const struct remote *remote; /* NULL: all nodes are in this process */
    bool moves_nodes;            /* a node may continue on another carrier */
    bool ends_phases;            /* calls carrier_end itself, on a stack of the carrier's own */
    /* Make a context for every node, parked at its entry (node_main).  errors: PEAL_RESOURCES, says which limit */
    enum peal_status (*create)(struct peal_machine *machine, struct peal_error *error);
    /* Let the resting `carrier` run `node`. */
    void (*start)(struct carrier *carrier, struct node *node);
    /* Pass me's carrier to `next` (NULL: its list is at its end) and come back when me is resumed. */
    void (*yield)(struct node *me, struct node *next);
    /* Pass me's carrier on; me is never resumed, and its entry returns after it. */
    void (*leave)(struct node *me, struct node *next);
    /* Run the node's program, from node_main; NULL: call it. */
    void (*call_program)(struct node *node);
    /* End the running node (node_end), whatever is on its stack; NULL: jump to its entry. */
    void (*restart)(struct node *node, enum node_exit way);
    /* Interrupt the carrier's node, which still computes after the time is up. */
    void (*interrupt)(const struct carrier *carrier, const struct node *node);
    /* The system's number of the thread in which the carrier's node runs; 0: it has not begun, or has ended.  The
     * monitor calls this and `interrupt` while the carrier works: neither may read what the carrier writes. */
    pid_t (*task)(const struct carrier *carrier, const struct node *node);
    /* Make the whole run on the calling thread; NULL: unsupported. */
    void (*run_here)(struct peal_machine *machine);
    /* Every node has left: free the contexts. */
    void (*destroy)(struct peal_machine *machine);
    /* Prepare the contexts for another run instead; NULL: unsupported. */
    void (*reset)(struct peal_machine *machine);
};

extern const struct engine engine_threads, engine_fibers;

/* The engine whose nodes are processes; set before main by lib/cluster, NULL where that is not linked. */
extern const struct engine *engine_mpi;

/* The thread's state of exceptions, __cxa_get_globals of the C++ library; NULL until a C++ program is loaded.  Fibers
 * of a thread have one each. */
extern void *(*engine_exceptions)(void);

/* In the browser: whether the time of the run is up. */
bool engine_late(const struct peal_machine *machine);
