/* SPDX-License-Identifier: MIT */
/* Lending: when nothing can move, the machine copies the words that nodes wait to send, and releases them, as a library
 * does that buffers short messages.  The nodes that needed it are recorded: a program that is correct without buffers
 * never gets here.
 *
 * Only a node that can then continue is lent buffers: it waits for sends that may be lent and nothing else, or tests
 * them. Lending to any other node would explain nothing and move nothing. */
#include "lib/machine/requests.h"
#include "lib/machine/strand.h"
#include <peal/post.h>
#include <stdio.h>
#include <string.h>

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

    if (node->unusual) {
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

    return lendable > 0 && lendable >= (waits ? machine->round.node[node->rank].waiting : node->asks);
}

/* ------------------------------------------------------------------ one send */

/* Copy the words; NULL without memory.  *fault: where they cannot be read. */
static void *
copy_words(const struct peal_machine *machine, const struct request *send, void **fault)
{
    size_t word_bytes = machine->options.word_bytes;
    char *copy = malloc(send->words * word_bytes + 1), *at = copy;

    if (!copy)
        return NULL;
    if (!(send->flags & REQUEST_PIECES)) {
        *fault = copy_bytes(copy, send->data, send->words * word_bytes);
        return copy;
    }
    for (uint32_t i = 0; i < send->piece_count && !*fault; at += send->pieces[i++].words * word_bytes)
        *fault = copy_bytes(at, send->pieces[i].data, send->pieces[i].words * word_bytes);
    return copy;
}

/* Replace an unmatched send by another request: in the list of sends to its receiver, or in the probe that holds it. */
static void
replace(struct round *round, uint32_t old, uint32_t new)
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
    replace(&machine->round, id, own);
    return own;
}

/* Lend one send: it is complete for its node.  false without memory. */
static bool
lend_one(struct peal_machine *machine, struct node *node, uint32_t id)
{
    struct request *send = &machine->requests[id];
    void *fault = NULL, *copy = copy_words(machine, send, &fault);
    uint32_t own = id;

    if (fault) {
        failure_bad_request(machine, send, fault);
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
    return true;
}

/* ------------------------------------------------------------------ all stuck nodes */

/* Record the nodes that needed buffers, and their calls. */
static bool
find(struct peal_machine *machine, int first)
{
    struct peal_run_finding finding = {.kind = PEAL_DEADLOCK_IF_UNBUFFERED};
    char text[sizeof finding.message - 60];
    int length, *cycle = find_cycle(machine, &length), count = length > 0 ? length : 1;
    struct peal_place *places = malloc((size_t)count * sizeof *places);
    bool added = false;

    if (length > 0)
        say_stuck(machine, cycle, length, text, sizeof text);
    else
        say_waiting(machine, first, text, sizeof text);
    snprintf(finding.message, sizeof finding.message, "nothing can move unless messages are buffered: %s", text);
    for (int i = 0; places && i < count; i++) {
        const struct node *node = &machine->nodes[length > 0 ? cycle[i] : first];

        places[i] = (struct peal_place){node->rank, node->file, node->line};
    }
    if (places) {
        finding.places = places;
        finding.place_count = count;
        finding.cycle = cycle;
        finding.cycle_length = length;
        added = finding_add(machine, &finding);
    }
    free(places);
    free(cycle);
    return added;
}

static bool
lend_strand(struct peal_machine *machine, struct node *node, const struct strand *strand)
{
    bool memory = true;

    for (size_t i = 0; memory && i < strand->claim_count; i++)
        if (may_be_lent(machine, &machine->requests[strand->claims[i]]))
            memory = lend_one(machine, node, strand->claims[i]);
    return memory;
}

static bool
lend_node(struct peal_machine *machine, struct node *node)
{
    struct request *requests = machine->requests;
    uint32_t next;

    for (struct strand *strand = node->unusual ? &node->strands->first : NULL; strand; strand = strand->next)
        if (helps_strand(machine, strand) && !lend_strand(machine, node, strand))
            return false;
    if (node->unusual)
        return true;
    for (uint32_t id = node->open; id; id = next) {
        next = requests[id].open_next;
        if (!may_be_lent(machine, &requests[id]))
            continue;
        if (!lend_one(machine, node, id))
            return false;
    }
    return true;
}

bool
machine_lend(struct peal_machine *machine, void (*release)(struct peal_machine *, struct node *), bool report)
{
    int first = 0;

    if (machine->options.lend_bytes == 0) /* a machine that replays has words of 0 bytes */
        return false;
    while (first < machine->options.nodes && !is_helped(machine, &machine->nodes[first]))
        first++;
    if (first == machine->options.nodes)
        return false;
    bool memory = !report || find(machine, first);

    atomic_store_explicit(&machine->keeps, true, memory_order_relaxed);
    for (int rank = first; rank < machine->options.nodes && memory; rank++) {
        struct node *node = &machine->nodes[rank];

        if (!is_helped(machine, node))
            continue;
        memory = lend_node(machine, node);
        if (node->state == NODE_TESTS || node->state == NODE_RESTS || node->state == NODE_SLEEPS || node->question)
            continue;
        machine->round.node[rank].waiting = 0;
        release(machine, node);
    }
    if (!memory)
        failure_set(machine, first, PEAL_OUT_OF_MEMORY, machine->nodes[first].file, machine->nodes[first].line,
                    "no memory to lend a message");
    return true;
}
