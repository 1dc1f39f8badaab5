/* SPDX-License-Identifier: MIT */
/* Allocating and freeing requests: the part that every post and every wait uses. */
#pragma once

#include "lib/machine/carrier.h"
#include "lib/machine/machine.h"
#include <stdlib.h>

enum { REQUEST_BLOCK = 64 };

/* The place that posted a request that is not consumed; not looked up. */
static inline struct call_site
request_site(const struct peal_machine *machine, const struct request *request)
{
    const struct node *node = &machine->nodes[request->node];

    return request->flags & REQUEST_BLOCKING ? (struct call_site){node->file, node->line}
                                             : (struct call_site){request->file, request->line};
}

/* "send", "receive", "probe", "strand", "put". */
static inline const char *
request_verb(const struct request *request)
{
    static const char *const verbs[] = {"",    "send", "receive", "probe", "probe", "strand",
                                        "put", "get",  "update",  "lock",  "unlock"};

    return verbs[request->kind];
}

enum peal_status requests_reserve(struct peal_machine *machine, struct peal_error *error);
void requests_release(struct peal_machine *machine);
/* Free the memory of a run's requests, and forget them. */
void requests_clear(struct peal_machine *machine);
/* The program, or with a view its strand, has returned: everything that it posted must be complete.  False: the failure
 * is set. */
bool node_check_requests(struct node *node, const struct peal_node *view);

/* A number that was never used; 0 when none is left. */
uint32_t request_number(struct carrier *carrier);

/* Look up a place in code now: the processes of an MPI job exchange their places. */
static inline void
site_look_up(const struct peal_machine *machine, const char **file, int *line)
{
    struct call_site place = site_of(machine, *file, *line);

    *file = place.file ? place.file : "?";
    *line = place.line;
}

/* A call begins.  Its place is the node's from now on, and reported: the line that entered the collective, if the call
 * was made inside of one. */
/* Inlined into what the program calls, whose return address is the call's. */
static inline __attribute__((always_inline)) void
call_enter(struct peal_node *me, const char *file, int line)
{
    struct node *node = me->node;

    node->inside = true;
    if (me->file) {
        file = me->file;
        line = me->line;
    } else if (line > PEAL_CODE && node->machine->image) {
        const struct call_site site = passed_place(me, __builtin_return_address(0), file, line);

        file = site.file;
        line = site.line;
    }
    if (__builtin_expect(line <= PEAL_CODE, 0) && node->machine->remote)
        site_look_up(node->machine, &file, &line);
    node->file = file;
    node->line = line;
}

static inline void
call_leave(struct peal_node *me)
{
    me->node->inside = false;
}

/* The answer that the program gets now depends on when it asked. */
static inline void
note_asking(struct peal_machine *machine)
{
    if (!atomic_load_explicit(&machine->asks_time, memory_order_relaxed))
        atomic_store_explicit(&machine->asks_time, true, memory_order_relaxed);
}

/* Whether the carrier has a slot: request_create does not fail then. */
static inline bool
has_request(const struct carrier *carrier)
{
    return carrier->free_request || carrier->block_next != carrier->block_end;
}

/* A fresh request of the node's, in its list of open ones; 0 without memory. */
static inline uint32_t
request_create(struct node *node, enum request_kind kind)
{
    struct request *requests = node->machine->requests;
    struct carrier *carrier = node->carrier;
    uint32_t id = carrier->free_request;

    if (id)
        carrier->free_request = requests[id].next;
    else if (!(id = request_number(carrier)))
        return 0;
    struct request *request = &requests[id];

    request->kind = (uint8_t)kind;
    request->flags = 0;
    request->node = node->rank;
    request->next = request->partner = 0;
    request->open_next = 0;
    request->open_previous = node->open_last;
    if (node->open_last)
        requests[node->open_last].open_next = id;
    else
        node->open = id;
    node->open_last = id;
    return id;
}

/* Whether it was posted in the strand that has this view, or with NULL anywhere. */
static inline bool
is_posted_in(const struct request *request, const struct peal_node *view)
{
    return !view || (request->kind != REQUEST_STRAND && request->view->collectives == view->collectives);
}

/* Free its slot. */
static inline void
request_recycle(struct carrier *carrier, struct request *requests, uint32_t id)
{
    struct request *request = &requests[id];

    if (request->flags & REQUEST_PIECES)
        free(request->pieces);
    request->kind = REQUEST_FREE;
    request->next = carrier->free_request;
    carrier->free_request = id;
}

/* Remove it from the node's list, and free its slot once nothing needs it. */
static inline void
request_consume(struct node *node, uint32_t id)
{
    struct request *requests = node->machine->requests, *request = &requests[id];
    uint32_t next = request->open_next, previous = request->open_previous;

    *(previous ? &requests[previous].open_next : &node->open) = next;
    *(next ? &requests[next].open_previous : &node->open_last) = previous;
    request->generation++;
    /* a kept message stays until its receive has taken it: then the round frees it */
    if ((request->flags & REQUEST_KEPT) && !(request->flags & REQUEST_TAKEN))
        request->flags |= REQUEST_CONSUMED;
    else
        request_recycle(node->carrier, requests, id);
}
