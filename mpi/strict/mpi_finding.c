/* SPDX-License-Identifier: MIT */
/* The notes of messages, and faults that a comparison with them shows.
 *
 * A message's note has 16 bits for the place of the send, 8 for its basic type if it has only one, and otherwise 40
 * computed from all its basic types in order: the receiver computes them from one type where it needs them.  The places
 * are numbers in a list of the sender's, which only grows, so that the receiver may read it at any time. */
#include "mpi/call/handle.h"
#include "mpi/call/mpi_advice.h"
#include "mpi/p2p/mpi_request.h"
#include <stdio.h>
#include <stdlib.h>

static const uint64_t mixed_bits = (UINT64_C(1) << FINDING_BASIC) - 1;

static _Atomic(struct sites *) *sites; /* by rank in the whole machine; made when a node first sends */
static int site_nodes;

bool
finding_begin(int nodes)
{
    sites = calloc((size_t)nodes, sizeof *sites);
    site_nodes = sites ? nodes : 0;
    return sites;
}

void
finding_end(void)
{
    for (int i = 0; i < site_nodes; i++)
        free(sites[i]);
    free(sites);
    sites = NULL;
    site_nodes = 0;
}

/* ------------------------------------------------------------------ types */

/* The number of the call in the node's list, which may be a new one; 0: the list is full. */
uint64_t
finding_site(struct mpi *mpi)
{
    size_t at = finding_slot(mpi->file);
    _Atomic(struct sites *) *own = &sites[peal_world_rank(mpi->me)];
    struct sites *list = atomic_load_explicit(own, memory_order_relaxed); /* perhaps another strand's */

    if (!list) {
        if (!(list = calloc(1, sizeof *list)))
            return 0;
        atomic_store_explicit(own, list, memory_order_release); /* to nodes that receive what this one sends */
    }
    mpi->sites = list;
    for (int tries = 0; tries < FINDING_SITES; tries++, at = (at + 1) % FINDING_SITES) {
        const char *site = atomic_load_explicit(&list->slots[at], memory_order_relaxed);

        if (site == mpi->file)
            return at + 1;
        if (!site) {
            atomic_store_explicit(&list->slots[at], mpi->file, memory_order_release);
            return at + 1;
        }
    }
    return 0;
}

static const char *
finding_site_at(int rank, uint64_t number)
{
    struct sites *list = rank < site_nodes ? atomic_load_explicit(&sites[rank], memory_order_acquire) : NULL;

    return list && number > 0 ? atomic_load_explicit(&list->slots[number - 1], memory_order_acquire) : NULL;
}

/* 40 bits, not all 0, computed from the basic types in order. */
static uint64_t
mixed(uint64_t signature)
{
    uint64_t bits = (signature ^ signature >> 24) & mixed_bits;

    return bits ? bits : 1;
}

uint64_t
finding_note_of_several(struct mpi *mpi, const struct type *type, size_t count)
{
    return type->basics == 0 ? 0 : finding_site_number(mpi) << FINDING_SITE | mixed(type_note(type, count));
}

/* Such bits for `bytes` bytes of a type, whose last element may be partial. */
static uint64_t
mixed_bytes(const struct type *type, size_t bytes)
{
    return mixed(bytes % type->size == 0 ? type_note(type, bytes / type->size) : type_note_part(type, bytes));
}

void
finding_compare(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came)
{
    const struct type *type = end->data.type;
    int basic = finding_basic(came->note);

    if (type->untyped || came->delivered < came->words || came->words == 0 || type->size == 0)
        return;
    uint64_t sent = basic ? mixed_bytes(&basic_types[basic], came->words) : came->note & mixed_bits;

    if (mixed_bytes(type, came->words) == sent)
        return;
    int sender = peal_rank_in_world(end->comm->view, came->source);

    if (type->basic && basic)
        peal_advise(mpi->me, PEAL_HINT(same_type), type_basic_name(type->basic), type_basic_name(basic));
    else
        peal_advise(mpi->me, PEAL_HINT(same_type_derived));
    remark_at(mpi, PEAL_TYPE_MISMATCH, end->site, sender, finding_site_at(sender, came->note >> FINDING_SITE),
              "%s: node %d receives %zu bytes as %s, and node %d sent them as %s", end->call, peal_world_rank(mpi->me),
              came->words, type_basic_name(type->basic), sender, type_basic_name(basic));
}

/* "2 of MPI_INT, 8 bytes", "8 bytes". */
static void
amount(char *text, size_t room, size_t bytes, int basic)
{
    if (basic && bytes % basic_types[basic].size == 0)
        snprintf(text, room, "%zu of %s, %zu bytes", bytes / basic_types[basic].size, type_basic_name(basic), bytes);
    else
        snprintf(text, room, "%zu bytes", bytes);
}

const char *
finding_long(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came, char words[SENDER_WORDS])
{
    int sender = peal_rank_in_world(end->comm->view, came->source), basic = finding_basic(came->note);
    const struct type *type = end->data.type;
    char sent[80], where[PLACE_WORDS];

    amount(sent, sizeof sent, came->words, basic);
    snprintf(words, SENDER_WORDS, "node %d sends %s", sender,
             place_words(mpi, sent, finding_site_at(sender, came->note >> FINDING_SITE), where));
    if (basic && type->basic && basic != type->basic && basic_types[basic].size != basic_types[type->basic].size)
        peal_advise(mpi->me, PEAL_HINT(truncated_type), type_basic_name(basic), type_basic_name(type->basic));
    else if (type->size > 0 && came->words % type->size == 0)
        peal_advise(mpi->me, PEAL_HINT(truncated), came->words / type->size);
    return words;
}

void
finding_short(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came)
{
    int sender = peal_rank_in_world(end->comm->view, came->source);

    peal_advise(mpi->me, PEAL_HINT(block_short), sender, end->data.bytes, came->words);
    remark_at(mpi, PEAL_COLLECTIVE_MISMATCH, end->site, sender, finding_site_at(sender, came->note >> FINDING_SITE),
              "%s: node %d expects a block of %zu bytes from node %d, which sends %zu", end->call,
              peal_world_rank(mpi->me), end->data.bytes, sender, came->words);
}

/* ------------------------------------------------------------------ leaks */

/* Requests of one call that are not waited for: how many, and how many with one buffer, of sends for one partner. */
struct unawaited {
    size_t count, same;
};

static struct unawaited
count_active(const struct handle_table *table, const struct message_end *end)
{
    struct unawaited alike = {.count = 0};

    for (uint32_t i = 0; i < table->count; i++) {
        const struct mpi_request *request = table->slots[i].object;

        if (!request || !request->active || request->end.site != end->site)
            continue;
        alike.count++;
        alike.same += end->data.buffer && request->end.data.buffer == end->data.buffer &&
                      (request->end.peer == end->peer || end->post.kind == PEAL_POST_RECEIVE);
    }
    return alike;
}

/* Advise what completes a request that nobody has waited for; its buffer may be in a function that has returned. */
static void
advise_lost(const struct mpi *mpi, const struct mpi_request *request, bool ended)
{
    const struct unawaited alike = count_active(&mpi->tables[KIND_REQUEST], &request->end);
    int rank = peal_world_rank(mpi->me);

    if (request->cancels)
        peal_advise(mpi->me, PEAL_HINT(lost_cancelled), rank);
    else if (ended)
        peal_advise(mpi->me, PEAL_HINT(lost_scope), rank);
    else if (alike.same > 1)
        peal_advise(mpi->me, PEAL_HINT(lost_repeated), rank, alike.same);
    else if (alike.count > 1)
        peal_advise(mpi->me, PEAL_HINT(lost_several), rank, alike.count);
    else
        peal_advise(mpi->me, PEAL_HINT(lost_request), rank);
}

static void
finding_left_requests(struct mpi *mpi, const void *frame)
{
    const struct handle_table *table = &mpi->tables[KIND_REQUEST];

    for (uint32_t i = 0; i < table->count; i++) {
        const struct mpi_request *request = table->slots[i].object;

        if (!request || (request->nothing && !request->send) || (request->general && request->general->given_up))
            continue;
        int rank = peal_world_rank(mpi->me);

        if (request->active) {
            bool ended = peal_frame_ended(mpi->me, request->end.data.buffer, frame);

            advise_lost(mpi, request, ended);
            remark_at(mpi, PEAL_LOST_REQUEST, request->end.site, rank, mpi->file,
                      "%s: node %d comes to MPI_Finalize and has not waited for this request%s", request->end.call,
                      rank, ended ? "; its buffer was a local variable, whose scope has ended" : "");
        } else if (finding_strict()) {
            peal_advise(mpi->me, PEAL_HINT(free_request));
            remark_at(mpi, PEAL_LEAK, table->slots[i].site, rank, mpi->file, "%s: node %d has not freed this request",
                      table->slots[i].call, rank);
        }
    }
}

void
finding_left(struct mpi *mpi, const void *frame)
{
    finding_left_requests(mpi, frame);
    notes_left(mpi);
    for (int kind = 0; kind < KINDS && finding_strict(); kind++)
        for (uint32_t i = 0; handle_kinds[kind].free && i < mpi->tables[kind].count; i++) {
            const struct handle_slot *slot = &mpi->tables[kind].slots[i];

            if (!slot->object || (kind == KIND_TYPE && ((const struct type *)slot->object)->permanent))
                continue;
            peal_advise(mpi->me, PEAL_HINT(free_object), handle_kinds[kind].free);
            remark_at(mpi, PEAL_LEAK, slot->site, peal_world_rank(mpi->me), mpi->file,
                      "%s: node %d has not freed this %s", slot->call, peal_world_rank(mpi->me),
                      handle_kinds[kind].name);
        }
}
