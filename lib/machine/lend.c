/* SPDX-License-Identifier: MIT */
/* Lending: when nothing can move, the machine copies the words that nodes wait to send, and releases them, as a library
 * does that buffers short messages.  It does so, too, when others have polled for a while: the polling may be for what
 * those nodes do next.  Nodes that would wait for ever without buffers, whatever the polling nodes do, are recorded: a
 * program that is correct without buffers has none. */
#include "lib/machine/lend.h"
#include "lib/machine/copy.h"
#include "lib/machine/failure.h"
#include "lib/machine/hooks.h"
#include "lib/machine/requests.h"
#include "lib/machine/run_finding.h"
#include "lib/machine/strand.h"

/* Only a node that can then continue is lent buffers: it waits for sends that may be lent and nothing else, or tests
 * them. Lending to any other node would explain nothing and move nothing. */

static bool
may_be_lent(const struct peal_machine *machine, const struct request *send)
{
    size_t limit = machine->options.lend_bytes;

    if (send->kind != REQUEST_SEND || !(send->flags & (REQUEST_AWAITED | REQUEST_ASKED)) ||
        (send->flags & (REQUEST_MATCHED | REQUEST_COMPLETE)))
        return false;
    if ((send->flags & REQUEST_EXTRA) && machine->extras[send - machine->requests].mode == PEAL_SYNCHRONOUS)
        return false;
    return limit == PEAL_LEND_UNLIMITED || send->words <= limit / machine->options.word_bytes;
}

/* Whether the strand continues once all of the sends that it waits for or tests, and that may be lent, are lent. */
static bool
helps_strand(const struct peal_machine *machine, const struct strand *strand)
{
    uint32_t lendable = 0, complete = 0;

    if (strand->state != NODE_WAITS && strand->state != NODE_TESTS)
        return false;
    for (size_t i = 0; i < strand->claim_count; i++) {
        const struct request *request = &machine->requests[strand->claims[i]];

        lendable += may_be_lent(machine, request);
        complete += (request->flags & REQUEST_COMPLETE) != 0;
    }
    return lendable > 0 && lendable + complete >= strand->need;
}

/* Whether the node continues once all of its sends that may be lent are lent; with strands, whether one of them
 * does. */
static bool
is_helped(const struct peal_machine *machine, const struct node *node)
{
    uint32_t lendable = 0;

    if (node->parks_apart) {
        const struct strand *strand = &node->strands->first;

        while (strand && !helps_strand(machine, strand))
            strand = strand->next;
        return strand;
    }
    if (node->state != NODE_WAITS && node->state != NODE_TESTS)
        return false;
    for (uint32_t id = node->open; id; id = machine->requests[id].open_next)
        lendable += may_be_lent(machine, &machine->requests[id]);
    bool waits = node->state == NODE_WAITS && !node->question;

    return lendable > 0 && lendable >= (waits ? machine->round.node[node->rank].waiting : node->wanted);
}

/* ------------------------------------------------------------------ findings */

/* A finding that is reported when one of its loans is repaid: its message is taken.  If none is ever repaid, lending
 * would not have helped: the fault is another one. */
struct loaned {
    struct peal_run_finding found; /* its places and cycle are its own */
    size_t open;                   /* loans not repaid; 0: the slot is free */
    bool told;
};

/* Whether the node is in a collective whose messages have this context; those of a program's strand do not count. */
static bool
is_within(const struct node *node, uint32_t context)
{
    const struct peal_node *view = node->views;

    while (view && !(view->collective && view->context == context && view->collectives == context))
        view = view->next;
    return view;
}

/* Whether lending the send shows that its node needs buffers.  A send of a collective to a node in the same one is the
 * algorithm's, and does not show it. */
static bool
counts(const struct peal_machine *machine, const struct request *send)
{
    return may_be_lent(machine, send) && (!is_within(&machine->nodes[send->node], send->context) ||
                                          !is_within(&machine->nodes[send->peer], send->context));
}

bool
lend_is_needed(const struct peal_machine *machine, int rank)
{
    const struct node *node = &machine->nodes[rank];
    uint32_t id = is_helped(machine, node) ? node->open : 0;

    while (id && !counts(machine, &machine->requests[id]))
        id = machine->requests[id].open_next;
    return id;
}

static void
loan_clear(struct loaned *loaned)
{
    free((struct peal_place *)(uintptr_t)loaned->found.places);
    free((int *)(uintptr_t)loaned->found.cycle);
    *loaned = (struct loaned){.open = 0};
}

/* A free slot; NULL without memory. */
static struct loaned *
free_slot(struct peal_machine *machine)
{
    struct loaned *slot = machine->loans;

    for (size_t i = 0; i < machine->loan_count; i++, slot++)
        if (slot->open == 0) {
            loan_clear(slot);
            return slot;
        }
    if (!array_grow(&machine->loans, &machine->loan_capacity, machine->loan_count + 1, sizeof *slot))
        return NULL;
    machine->loans[machine->loan_count] = (struct loaned){.open = 0};
    return &machine->loans[machine->loan_count++];
}

/* Keep the finding.  *slot is its number from 1 on; 0: it names no node.  false without memory. */
static bool
loan_keep(struct peal_machine *machine, const struct peal_run_finding *found, uint32_t *slot)
{
    struct loaned *loaned = found->place_count > 0 ? free_slot(machine) : NULL;

    *slot = 0;
    if (found->place_count == 0)
        return true;
    if (!loaned) {
        free((struct peal_place *)(uintptr_t)found->places);
        free((int *)(uintptr_t)found->cycle);
        return false;
    }
    *loaned = (struct loaned){.found = *found};
    *slot = (uint32_t)(loaned - machine->loans) + 1;
    return true;
}

void
loans_forget(struct peal_machine *machine)
{
    for (size_t i = 0; i < machine->loan_count; i++)
        loan_clear(&machine->loans[i]);
    free(machine->loans);
    machine->loans = NULL;
    machine->loan_count = machine->loan_capacity = 0;
}

void
loan_repaid(struct peal_machine *machine, uint32_t id)
{
    uint32_t slot = machine->extras[id].message;
    struct loaned *loaned = slot ? &machine->loans[slot - 1] : NULL;

    if (!loaned)
        return;
    if (!loaned->told && !finding_add(machine, &loaned->found, NULL))
        failure_set(machine, loaned->found.places[0].rank, PEAL_OUT_OF_MEMORY, NULL, 0, "no memory for a finding");
    loaned->told = true;
    if (--loaned->open == 0)
        loan_clear(loaned);
}

/* ------------------------------------------------------------------ one send */

/* Copy the words; NULL without memory.  *fault: the address that cannot be read. */
static void *
copy_words(const struct peal_machine *machine, const struct request *send, void **fault)
{
    size_t word_bytes = machine->options.word_bytes;
    char *copy = malloc((size_t)send->words * word_bytes + 1), *at = copy;

    if (!copy)
        return NULL;
    if (!(send->flags & REQUEST_PIECES)) {
        *fault = copy_bytes(copy, send->data, (size_t)send->words * word_bytes);
        return copy;
    }
    for (uint32_t i = 0; i < send->piece_count && !*fault; at += send->pieces[i++].words * word_bytes)
        *fault = copy_bytes(at, send->pieces[i].data, send->pieces[i].words * word_bytes);
    return copy;
}

/* Replace an unmatched send by another request: in the list of sends to its receiver, or in the probe that holds it. */
static void
lend_replace_send(struct round *round, uint32_t old, uint32_t new)
{
    struct round_node *to = &round->node[round->requests[old].peer];
    uint32_t *at = &to->sends, holder = round->requests[old].partner;

    if (holder) {
        round->extras[holder].message = new;
        return;
    }
    while (*at != old)
        at = &round->requests[*at].next;
    *at = new;
    if (to->sends_last == old)
        to->sends_last = new;
}

/* A separate request for the send of a blocking call, whose own is gone when the call returns.  0 without memory. */
static uint32_t
move_blocking(struct peal_machine *machine, struct node *node, uint32_t id)
{
    struct request *requests = machine->requests;
    uint32_t own = node->carrier->free_request;

    if (own)
        node->carrier->free_request = requests[own].next;
    else if (!(own = request_number(node->carrier)))
        return 0;
    uint32_t generation = requests[own].generation;

    requests[own] = requests[id];
    requests[own].flags = (uint16_t)(requests[id].flags & ~(REQUEST_BLOCKING | REQUEST_AWAITED)) | REQUEST_CONSUMED;
    requests[own].clock = machine->round.clocks.node[node->rank]; /* it has not moved since the post */
    requests[own].view = &node->world;
    requests[own].file = node->file;
    requests[own].line = node->line;
    requests[own].open_next = requests[own].open_previous = 0;
    requests[own].generation = generation;
    requests[own].piece_count = 1;
    requests[own].known = (uint8_t)((requests[own].flags & REQUEST_SHOWN) >> REQUEST_SHOWN_SHIFT);
    machine->extras[own] = machine->extras[id];
    lend_replace_send(&machine->round, id, own);
    return own;
}

/* Lend one send: it is complete for its node.  It is a loan of that slot, if it counts; slot 0: of no finding.  false
 * without memory. */
static bool
lend_one(struct peal_machine *machine, struct node *node, uint32_t id, uint32_t slot)
{
    struct request *send = &machine->requests[id];
    bool is_loan = slot && counts(machine, send);
    void *fault = NULL, *copy = copy_words(machine, send, &fault);
    uint32_t own = id;

    if (fault) {
        reporter->bad_request(machine, send, fault);
        free(copy);
        return true;
    }
    if (!copy || ((send->flags & REQUEST_BLOCKING) && !(own = move_blocking(machine, node, id)))) {
        free(copy);
        return false;
    }
    struct request *kept = &machine->requests[own];

    if (kept->flags & REQUEST_PIECES)
        free(kept->pieces);
    kept->data = copy;
    kept->flags = (uint16_t)((kept->flags | REQUEST_KEPT | REQUEST_COMPLETE) &
                             ~(REQUEST_PIECES | REQUEST_AWAITED | REQUEST_LET_GO));
    if (own != id)
        send->flags |= REQUEST_KEPT | REQUEST_COMPLETE; /* read by exchange */
    machine->extras[own].message = is_loan ? slot : 0;
    if (is_loan)
        machine->loans[slot - 1].open++;
    return true;
}

/* ------------------------------------------------------------------ all stuck nodes */

static bool
lend_strand(struct peal_machine *machine, struct node *node, const struct strand *strand, uint32_t slot)
{
    bool memory = true;

    for (size_t i = 0; memory && i < strand->claim_count; i++)
        if (may_be_lent(machine, &machine->requests[strand->claims[i]]))
            memory = lend_one(machine, node, strand->claims[i], slot);
    return memory;
}

static bool
lend_node(struct peal_machine *machine, struct node *node, uint32_t slot)
{
    struct request *requests = machine->requests;
    uint32_t next;

    for (struct strand *strand = node->parks_apart ? &node->strands->first : NULL; strand; strand = strand->next)
        if (helps_strand(machine, strand) && !lend_strand(machine, node, strand, slot))
            return false;
    if (node->parks_apart)
        return true;
    for (uint32_t id = node->open; id; id = next) {
        next = requests[id].open_next;
        if (!may_be_lent(machine, &requests[id]))
            continue;
        if (!lend_one(machine, node, id, slot))
            return false;
    }
    return true;
}

bool
machine_lend(struct peal_machine *machine, void (*release)(struct peal_machine *, struct node *), bool told)
{
    int first = 0;
    uint32_t slot = 0;
    struct peal_run_finding found;

    if (machine->options.lend_bytes == 0) /* a machine that replays has words of 0 bytes */
        return false;
    while (first < machine->options.nodes && !is_helped(machine, &machine->nodes[first]))
        first++;
    if (first == machine->options.nodes)
        return false;
    bool *named = told ? reporter->unbuffered(machine, &found) : NULL,
         memory = !told || (named && loan_keep(machine, &found, &slot));

    atomic_store_explicit(&machine->keeps, true, memory_order_relaxed);
    for (int rank = first; rank < machine->options.nodes && memory; rank++) {
        struct node *node = &machine->nodes[rank];

        if (!is_helped(machine, node))
            continue;
        memory = lend_node(machine, node, slot && named[rank] ? slot : 0);
        if (node->state == NODE_TESTS || node->state == NODE_RESTS || node->state == NODE_SLEEPS || node->question)
            continue;
        machine->round.node[rank].waiting = 0;
        release(machine, node);
    }
    free(named);
    if (!memory)
        failure_set(machine, first, PEAL_OUT_OF_MEMORY, machine->nodes[first].file, machine->nodes[first].line,
                    "no memory to lend a message");
    return true;
}
