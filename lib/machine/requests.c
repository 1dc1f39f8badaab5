/* SPDX-License-Identifier: MIT */
/* The table of requests, followed by that of their extras: one reserved mapping, whose pages are allocated when first
 * touched; in the browser, where a mapping is memory, one whose parts are cleared when first taken.  Every carrier
 * takes numbers in blocks and keeps its own list of free ones, so posting needs no lock. */
#include "lib/machine/requests.h"
#include "lib/machine/failure.h"
#include "lib/machine/post.h"
#include "lib/machine/room.h"
#include <peal/hints.h>
#include <sys/mman.h>
#include <unistd.h>

/* Beyond a few requests a node, and the first 2 MiB, the pages are huge: nodes that post so much need many pages at
 * once, and with small ones the kernel took a quarter of the time of a million requests posted at once.  The first
 * pages are small: small machines, and those of a million nodes, start faster that way. */

enum { FEW_REQUESTS = 4, FIRST_REQUESTS = 1 << 14 }; /* a node; in all */
enum { BYTES_EACH = sizeof(struct request) + sizeof(struct request_extra) };

/* Ask for huge pages after the first requests; refused where the system has none. */
static void
requests_advise(const struct peal_machine *machine)
{
    size_t few = (size_t)machine->options.nodes * FEW_REQUESTS + FIRST_REQUESTS;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t begin = (few * sizeof(struct request) + page - 1) / page * page;

    if (few < machine->request_limit)
        madvise((char *)machine->requests + begin, machine->request_limit * sizeof(struct request) - begin,
                MADV_HUGEPAGE);
}

/* The most requests, and the fewest with which a machine is made: as many as the address space allows, so that a system
 * that limits it gets fewer.  Where addresses have 32 bits, a reserved mapping takes what others need: enough for each
 * node to post two to every other one. */
static size_t
most_requests(const struct peal_machine *machine, size_t *fewest)
{
    size_t most = (size_t)1 << 28, nodes = (size_t)machine->options.nodes;

    *fewest = (size_t)1 << 16;
    if (most <= SIZE_MAX / 2 / BYTES_EACH)
        return most;
    *fewest = 4 * REQUEST_BLOCK;
    most = nodes < 512 ? nodes * nodes * 2 : (size_t)1 << 19;
    return ((size_t)1 << 13) + most;
}

static void *
requests_map(size_t bytes)
{
#if PEAL_THREADS
    void *table = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return table == MAP_FAILED ? NULL : table;
#else
    return aligned_alloc(_Alignof(struct request), bytes);
#endif
}

/* Clear requests that are taken for the first time, or again. */
static void
clear_block(struct peal_machine *machine, uint32_t begin)
{
    if (PEAL_THREADS || begin < machine->requests_clear)
        return;
    memset(&machine->requests[begin], 0, REQUEST_BLOCK * sizeof *machine->requests);
    memset(&machine->extras[begin], 0, REQUEST_BLOCK * sizeof *machine->extras);
    machine->requests_clear = begin + REQUEST_BLOCK;
}

enum peal_status
requests_reserve(struct peal_machine *machine, struct peal_error *error)
{
    size_t fewest, most = most_requests(machine, &fewest);
    uint64_t addresses = room_addresses();

    for (size_t limit = most; limit >= fewest; limit /= 2) {
        if (limit / 2 >= fewest && limit * BYTES_EACH > addresses / 4) /* data need the rest */
            continue;
        void *table = requests_map(limit * BYTES_EACH);

        if (table) {
            machine->requests = table;
            machine->extras = (struct request_extra *)(void *)(machine->requests + limit);
            machine->request_limit = limit;
            requests_advise(machine);
            clear_block(machine, 0);
            atomic_store(&machine->requests_used,
                         REQUEST_BLOCK); /* number 0 ends a list; the first block is skipped entirely */
            return PEAL_OK;
        }
    }
    return peal_refuse(error, PEAL_RESOURCES, "no address space for the table of requests: raise `ulimit -v`");
}

void
requests_release(struct peal_machine *machine)
{
#if PEAL_THREADS
    if (machine->requests)
        munmap(machine->requests, machine->request_limit * BYTES_EACH);
#else
    free(machine->requests);
#endif
    machine->requests = NULL;
}

uint32_t
request_number(struct carrier *carrier)
{
    struct peal_machine *machine = carrier->machine;

    if (carrier->block_next == carrier->block_end) {
        uint32_t begin = atomic_fetch_add_explicit(&machine->requests_used, REQUEST_BLOCK, memory_order_relaxed);

        if (begin + REQUEST_BLOCK > machine->request_limit) {
            atomic_fetch_sub_explicit(&machine->requests_used, REQUEST_BLOCK, memory_order_relaxed);
            return 0;
        }
        clear_block(machine, begin);
        carrier->block_next = begin;
        carrier->block_end = begin + REQUEST_BLOCK;
    }
    return carrier->block_next++;
}

void
requests_clear(struct peal_machine *machine)
{
    uint32_t used = atomic_load(&machine->requests_used);

    for (uint32_t id = REQUEST_BLOCK; id < used; id++) {
        struct request *request = &machine->requests[id];

        if (request->kind == REQUEST_FREE)
            continue;
        if (request->flags & REQUEST_PIECES)
            free(request->pieces);
        else if (request->flags & REQUEST_KEPT)
            free(request->data); /* NULL once round_delivered has freed it */
        request->kind = REQUEST_FREE;
        request->generation++;
    }
    atomic_store(&machine->requests_used, REQUEST_BLOCK);
    for (int i = 0; i < machine->phase.carrier_count; i++)
        machine->phase.carriers[i].free_request = machine->phase.carriers[i].block_next =
            machine->phase.carriers[i].block_end = 0;
}

__attribute__((noinline, cold)) uint32_t
request_take(struct peal_node *me, enum request_kind kind)
{
    uint32_t id = request_create(me->node, kind);

    if (!id)
        node_fail(me, PEAL_OUT_OF_MEMORY, "%zu requests are open, and there is room for no more",
                  me->node->machine->request_limit);
    return id;
}

_Noreturn void
request_refuse(struct peal_node *me, struct peal_handle handle)
{
    const struct peal_machine *machine = me->node->machine;
    const struct request *request = &machine->requests[handle.slot];

    if (handle.slot == 0 || handle.slot >= atomic_load_explicit(&machine->requests_used, memory_order_relaxed))
        node_fail(me, PEAL_BAD_REQUEST, "this is not a handle that a post gave");
    if (request->generation == handle.generation && request->kind != REQUEST_FREE)
        node_fail(me, PEAL_BAD_REQUEST, "this handle belongs to node %d", request->node);
    if ((request->flags & REQUEST_CLAIMED) && request->generation == handle.generation + 1)
        node_fail(me, PEAL_BAD_REQUEST, "another strand of this node waits for this handle");
    peal_advise(me, PEAL_HINT(waited_before));
    node_fail(me, PEAL_BAD_REQUEST, "this handle was waited for before");
}

bool
node_check_requests(struct node *node, const struct peal_node *view)
{
    struct request *requests = node->machine->requests;
    uint32_t next;

    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if ((!(requests[id].flags & REQUEST_COMPLETE) ||
             (requests[id].kind == REQUEST_LOCK && !(requests[id].flags & REQUEST_TAKEN))) &&
            is_posted_in(&requests[id], view)) {
            reporter->lost(node, &requests[id], !view);
            return false;
        }
    for (uint32_t id = node->open; id; id = next) {
        uint32_t message = requests[id].kind == REQUEST_MATCHED_PROBE ? node->machine->extras[id].message : 0;

        next = requests[id].open_next;
        if (!is_posted_in(&requests[id], view))
            continue;
        /* the strand that waits for it consumes it, the unlock frees it; this view goes */
        if (requests[id].flags & REQUEST_CLAIMED || requests[id].kind == REQUEST_LOCK) {
            requests[id].view = &node->world;
            continue;
        }
        if (message) /* found, but never received: it becomes its own partner */
            requests[message].partner = message;
        request_consume(node, id);
    }
    return true;
}
