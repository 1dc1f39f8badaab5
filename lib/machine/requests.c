/* SPDX-License-Identifier: MIT */
/* The table of requests: one reserved mapping, of which pages come as they are touched.  Every carrier takes numbers in
 * blocks and keeps its own list of free ones, so posting needs no lock. */
#include "lib/machine/machine.h"
#include <stdlib.h>
#include <sys/mman.h>

enum { BLOCK = 64 };

enum peal_status
requests_reserve(struct peal_machine *machine, struct peal_error *error)
{
    /* as many as an address space allows: a system that limits it gets fewer */
    for (size_t limit = (size_t)1 << 28; limit >= (size_t)1 << 16; limit /= 2) {
        void *table = mmap(NULL, limit * sizeof(struct request), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (table != MAP_FAILED) {
            machine->requests = table;
            machine->request_limit = limit;
            atomic_store(&machine->requests_used, BLOCK); /* number 0 ends a list; the first block is left out whole */
            return PEAL_OK;
        }
    }
    return peal_refuse(error, PEAL_RESOURCES, "no address space for the table of requests: raise `ulimit -v`");
}

void
requests_release(struct peal_machine *machine)
{
    if (machine->requests)
        munmap(machine->requests, machine->request_limit * sizeof(struct request));
    machine->requests = NULL;
}

static uint32_t
take_number(struct node *node)
{
    struct peal_machine *machine = node->machine;
    struct carrier *carrier = node->carrier;
    uint32_t id = carrier->free_request;

    if (id) {
        carrier->free_request = machine->requests[id].next;
        return id;
    }
    if (carrier->block_next == carrier->block_end) {
        uint32_t begin = atomic_fetch_add_explicit(&machine->requests_used, BLOCK, memory_order_relaxed);

        if (begin + BLOCK > machine->request_limit) {
            atomic_fetch_sub_explicit(&machine->requests_used, BLOCK, memory_order_relaxed);
            return 0;
        }
        carrier->block_next = begin;
        carrier->block_end = begin + BLOCK;
    }
    return carrier->block_next++;
}

uint32_t
request_new(struct node *node, enum request_kind kind)
{
    struct request *requests = node->machine->requests;
    uint32_t id = take_number(node);

    if (!id)
        return 0;
    struct request *request = &requests[id];

    request->kind = (uint8_t)kind;
    request->flags = 0;
    request->piece_count = 0;
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

void
request_recycle(struct carrier *carrier, struct request *requests, uint32_t id)
{
    struct request *request = &requests[id];

    if (request->piece_count > 1)
        free(request->pieces);
    request->piece_count = 0;
    request->kind = REQUEST_FREE;
    request->next = carrier->free_request;
    carrier->free_request = id;
}

void
request_consume(struct node *node, uint32_t id)
{
    struct request *requests = node->machine->requests, *request = &requests[id];

    if (request->open_previous)
        requests[request->open_previous].open_next = request->open_next;
    else
        node->open = request->open_next;
    if (request->open_next)
        requests[request->open_next].open_previous = request->open_previous;
    else
        node->open_last = request->open_previous;
    request->generation++;
    request->flags |= REQUEST_CONSUMED;
    /* an eager message lives on until its receive has taken it: then the round recycles it */
    if (!(request->flags & REQUEST_EAGER) || (request->flags & REQUEST_TAKEN))
        request_recycle(node->carrier, requests, id);
}

void
requests_clear(struct peal_machine *machine)
{
    uint32_t used = atomic_load(&machine->requests_used);

    for (uint32_t id = BLOCK; id < used; id++) {
        struct request *request = &machine->requests[id];

        if (request->kind == REQUEST_FREE)
            continue;
        if (request->piece_count > 1)
            free(request->pieces);
        else if (request->flags & REQUEST_EAGER)
            free(request->data); /* NULL once round_delivered was there */
        request->kind = REQUEST_FREE;
        request->piece_count = 0;
        request->generation++;
    }
    atomic_store(&machine->requests_used, BLOCK);
    for (int i = 0; i < machine->carrier_count; i++)
        machine->carriers[i].free_request = machine->carriers[i].block_next = machine->carriers[i].block_end = 0;
}
