/* SPDX-License-Identifier: MIT */
/* Findings: faults of a program that do not end its run.
 *
 * A message's note has 16 bits for the place of the send, 8 for its basic type if it has only one, and otherwise 40
 * that are made of all its basic types in order: the receiver makes them of one type where it needs them.  The places
 * are numbers in a list of the sender's, which only grows, so that the receiver may read it at any time. */
#include "mpi/conflict.h"
#include "mpi/counter.h"
#include "mpi/finding.h"
#include "mpi/mpi_advice.h"
#include "mpi/mpi_request.h"
#include "mpi/notes.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t mixed_bits = (UINT64_C(1) << FINDING_BASIC) - 1;

static _Atomic(struct sites *) *sites; /* by rank in the whole machine; made when a node first sends */
static int site_nodes;
static bool strict;

bool
finding_strict(void)
{
    return strict;
}

bool
finding_begin(int nodes)
{
    const char *word = getenv("PEAL_STRICT");

    notes_begin();
    strict = word && *word && strcmp(word, "0") != 0;
    sites = calloc((size_t)nodes, sizeof *sites);
    site_nodes = sites ? nodes : 0;
    counter_begin(nodes);
    return sites && conflict_begin(nodes);
}

void
finding_end(void)
{
    for (int i = 0; i < site_nodes; i++)
        free(sites[i]);
    conflict_end();
    counter_end();
    free(sites);
    sites = NULL;
    site_nodes = 0;
}

/* Record a finding at a place of its own. */
static void
record(struct mpi *mpi, int kind, const char *at, int rank, const char *site, const char *format, va_list list)
{
    const struct peal_place other = {rank, site, PEAL_CODE};
    struct peal_run_finding finding = {
        .kind = (enum peal_failure_kind)kind, .places = &other, .place_count = rank >= 0 && site};

    vsnprintf(finding.message, sizeof finding.message, format, list);
    peal_add_finding_at(mpi->me, &finding, at, PEAL_CODE);
}

static PEAL_PRINTF(6, 7) void record_at(struct mpi *mpi, int kind, const char *at, int rank, const char *site,
                                        const char *format, ...)
{
    va_list list;

    va_start(list, format);
    record(mpi, kind, at, rank, site, format, list);
    va_end(list);
}

void
mpi_find(struct mpi *mpi, int kind, int rank, const char *site, const char *format, ...)
{
    char text[700];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    record_at(mpi, kind, mpi->file, rank, site, "%s of node %d: %s", mpi->call, peal_world_rank(mpi->me), text);
}

void
mpi_remark(struct mpi *mpi, const struct remark *remark, const char *format, ...)
{
    const struct peal_place other = {remark->rank, remark->site, PEAL_CODE};
    const struct peal_rule *rule = remark->rule;
    char text[700], node[20] = "";
    struct peal_run_finding finding = {.kind = (enum peal_failure_kind)remark->kind,
                                       .rule = remark->note ? ""
                                               : rule       ? rule->rule
                                                            : NULL,
                                       .places = &other,
                                       .place_count = remark->site != NULL};
    va_list list;

    if (remark->note && !strict)
        return;
    if (rule && rule->fix)
        snprintf(finding.fix, sizeof finding.fix, "%s%s%s", remark->note ? rule->rule : "", remark->note ? "; " : "",
                 rule->fix);
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!strstr(text, "node "))
        snprintf(node, sizeof node, " of node %d", peal_world_rank(mpi->me));
    snprintf(finding.message, sizeof finding.message, "%s%s: %s", remark->call ? remark->call : mpi->call, node, text);
    peal_add_finding_at(mpi->me, &finding, remark->at ? remark->at : mpi->file, PEAL_CODE);
}

/* ------------------------------------------------------------------ types */

/* The number of the call in the node's list, which may be a new one; 0: the list is full. */
uint64_t
finding_site(struct mpi *mpi)
{
    size_t at = finding_slot(mpi->file);
    _Atomic(struct sites *) *own = &sites[peal_world_rank(mpi->me)];
    struct sites *list = atomic_load_explicit(own, memory_order_relaxed); /* perhaps made by a strand of the node */

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
site_at(int rank, uint64_t number)
{
    struct sites *list = rank < site_nodes ? atomic_load_explicit(&sites[rank], memory_order_acquire) : NULL;

    return list && number > 0 ? atomic_load_explicit(&list->slots[number - 1], memory_order_acquire) : NULL;
}

/* 40 bits that are not 0 of basic types in order. */
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

/* What `bytes` bytes of a type are made of, the last element perhaps in part. */
static uint64_t
mixed_bytes(const struct type *type, size_t bytes)
{
    return mixed(bytes % type->size == 0 ? type_note(type, bytes / type->size) : type_note_part(type, bytes));
}

const char *
finding_type_word(int basic)
{
    const char *name = type_basic_name(basic);

    return name ? name : "several basic types";
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
        peal_advise(mpi->me, PEAL_HINT_same_type, finding_type_word(type->basic), finding_type_word(basic));
    else
        peal_advise(mpi->me, PEAL_HINT_same_type_derived);
    record_at(mpi, PEAL_TYPE_MISMATCH, end->site, sender, site_at(sender, came->note >> FINDING_SITE),
              "%s: node %d receives %zu bytes as %s, and node %d sent them as %s", end->call, peal_world_rank(mpi->me),
              came->words, finding_type_word(type->basic), sender, finding_type_word(basic));
}

/* "2 of MPI_INT, 8 bytes", "8 bytes". */
static void
amount(char *text, size_t room, size_t bytes, int basic)
{
    if (basic && bytes % basic_types[basic].size == 0)
        snprintf(text, room, "%zu of %s, %zu bytes", bytes / basic_types[basic].size, finding_type_word(basic), bytes);
    else
        snprintf(text, room, "%zu bytes", bytes);
}

const char *
finding_long(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came, char words[SENDER_WORDS])
{
    int sender = peal_rank_in_world(end->comm->view, came->source), basic = finding_basic(came->note), line;
    const char *file, *site = site_at(sender, came->note >> FINDING_SITE);
    const struct type *type = end->data.type;
    char sent[80], where[100] = "";

    amount(sent, sizeof sent, came->words, basic);
    if (site && peal_code_line(mpi->me, site, &file, &line))
        snprintf(where, sizeof where, " (%.80s:%d)", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
    snprintf(words, SENDER_WORDS, "node %d sends %s%s", sender, sent, where);
    if (basic && type->basic && basic != type->basic && basic_types[basic].size != basic_types[type->basic].size)
        peal_advise(mpi->me, PEAL_HINT_truncated_type, finding_type_word(basic), finding_type_word(type->basic));
    else if (type->size > 0 && came->words % type->size == 0)
        peal_advise(mpi->me, PEAL_HINT_truncated, came->words / type->size);
    return words;
}

void
finding_short(struct mpi *mpi, const struct message_end *end, const struct peal_envelope *came)
{
    int sender = peal_rank_in_world(end->comm->view, came->source);

    peal_advise(mpi->me, PEAL_HINT_block_short, sender, end->data.bytes, came->words);
    record_at(mpi, PEAL_COLLECTIVE_MISMATCH, end->site, sender, site_at(sender, came->note >> FINDING_SITE),
              "%s: node %d expects a block of %zu bytes from node %d, which sends %zu", end->call,
              peal_world_rank(mpi->me), end->data.bytes, sender, came->words);
}

/* ------------------------------------------------------------------ leaks */

/* How many of the node's requests were begun by the call at this site and are not waited for. */
static size_t
count_active(const struct handle_table *table, const char *site)
{
    size_t count = 0;

    for (uint32_t i = 0; i < table->count; i++) {
        const struct mpi_request *request = table->slots[i].object;

        count += request && request->active && request->end.site == site;
    }
    return count;
}

static void
find_requests(struct mpi *mpi, const void *frame)
{
    const struct handle_table *table = &mpi->tables[KIND_REQUEST];

    for (uint32_t i = 0; i < table->count; i++) {
        const struct mpi_request *request = table->slots[i].object;

        if (!request || (request->nothing && !request->send) || (request->general && request->general->given_up))
            continue;
        int rank = peal_world_rank(mpi->me);

        if (request->active) {
            size_t alike = count_active(table, request->end.site);

            if (alike > 1)
                peal_advise(mpi->me, PEAL_HINT_lost_several, rank, alike);
            else
                peal_advise(mpi->me, PEAL_HINT_lost_request, rank);
            record_at(mpi, PEAL_LOST_REQUEST, request->end.site, rank, mpi->file,
                      "%s: node %d comes to MPI_Finalize and has not waited for this request%s", request->end.call,
                      rank,
                      peal_frame_ended(mpi->me, request->end.data.buffer, frame)
                          ? "; its buffer was a local variable, whose scope has ended"
                          : "");
        } else if (strict) {
            peal_advise(mpi->me, PEAL_HINT_free_request);
            record_at(mpi, PEAL_LEAK, table->slots[i].site, rank, mpi->file, "%s: node %d has not freed this request",
                      table->slots[i].call, rank);
        }
    }
}

void
finding_left(struct mpi *mpi, const void *frame)
{
    static const struct {
        const char *name, *free;
    } objects[KINDS] = {
        [KIND_COMM] = {"communicator", "MPI_Comm_free"}, [KIND_GROUP] = {"group", "MPI_Group_free"},
        [KIND_TYPE] = {"datatype", "MPI_Type_free"},     [KIND_MESSAGE] = {"message", "MPI_Mrecv"},
        [KIND_OP] = {"operator", "MPI_Op_free"},         [KIND_ERRHANDLER] = {"error handler", "MPI_Errhandler_free"},
        [KIND_INFO] = {"info object", "MPI_Info_free"},  [KIND_WIN] = {"window", "MPI_Win_free"},
    };

    find_requests(mpi, frame);
    notes_left(mpi);
    for (int kind = 0; kind < KINDS && strict; kind++)
        for (uint32_t i = 0; objects[kind].name && i < mpi->tables[kind].count; i++) {
            const struct handle_slot *slot = &mpi->tables[kind].slots[i];

            if (!slot->object || (kind == KIND_TYPE && ((const struct type *)slot->object)->permanent))
                continue;
            peal_advise(mpi->me, PEAL_HINT_free_object, objects[kind].free);
            record_at(mpi, PEAL_LEAK, slot->site, peal_world_rank(mpi->me), mpi->file,
                      "%s: node %d has not freed this %s", slot->call, peal_world_rank(mpi->me), objects[kind].name);
        }
}
