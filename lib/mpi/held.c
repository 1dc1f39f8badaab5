/* SPDX-License-Identifier: MIT */
#include "lib/mpi/held.h"
#include "lib/mpi/finding.h"
#include <peal/watch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a node's operations hold; written and read by the node. */
struct node_holds {
    struct hold *first;
    struct mpi *mpi; /* the node's, once it holds something */
    bool paused;
};

static struct node_holds *nodes; /* by rank; NULL: nothing is kept */
static bool watched;

bool
held_wanted(void)
{
    return nodes;
}

static struct node_holds *
holds_of(const struct mpi *mpi)
{
    return &nodes[peal_world_rank(mpi->me)];
}

/* ------------------------------------------------------------------ reports */

/* What is done with memory, by a call or the program itself; shared: found out by find, see struct hold. */
struct use {
    bool writes, shared;
    bool receive; /* of a message */
};

/* Whether a hold forbids it.  Several receives at a time into the same memory are usual where nobody looks at what comes. */
static bool
forbids(const struct hold *hold, const struct use *use)
{
    return use->writes ? !(hold->writes && hold->user == MESSAGE && use->receive) : hold->writes;
}

/* Whether the hold is one of an operation's. */
static bool
is_among(const struct hold *hold, const struct hold *own)
{
    while (own && own != hold)
        own = own->more;
    return own;
}

/* The hold of the node's that forbids the use; NULL: none.  `own` are those of the operation that makes it. */
static struct hold *
find(const struct node_holds *of, uintptr_t begin, size_t bytes, struct use *use, const struct hold *own)
{
    for (struct hold *hold = of->first; hold; hold = hold->next) {
        const struct peal_piece *pieces = hold->list ? hold->list : &hold->one;

        if (begin >= hold->end || begin + bytes <= hold->begin || is_among(hold, own))
            continue;
        for (int i = 0; i < hold->count; i++) {
            if (begin >= (uintptr_t)pieces[i].data + pieces[i].words || begin + bytes <= (uintptr_t)pieces[i].data)
                continue;
            if (forbids(hold, use))
                return hold;
            if (use->writes)
                hold->shared = use->shared = true;
        }
    }
    return NULL;
}

/* Whether an access at this place was not reported yet; of many the later ones are not. */
static bool
is_new(struct hold *hold, const void *site)
{
    enum { MOST = sizeof hold->told / sizeof *hold->told };

    for (int i = 0; i < MOST; i++) {
        if (hold->told[i] == site)
            return false;
        if (!hold->told[i]) {
            hold->told[i] = site;
            return true;
        }
    }
    return false;
}

/* What the standard says of each kind of operation; NULL: the machine's words. */
static const struct peal_rule rules[] = {
    [COLLECTIVE] = {"MPI 3.1, 5.12: the buffers that a nonblocking collective sends from, and its lists of counts and "
                    "displacements, are not changed until it is complete, and those that it receives into not accessed",
                    "wait for the collective before"},
    [WINDOW] = {"MPI 3.1, 11.3: the origin buffer of an access to a window is not changed until the access is "
                "complete, and that of a get not accessed",
                "complete the access before: by a flush, an unlock, a fence or MPI_Win_complete"},
};

/* Report that what is done at `at` is forbidden: "reads", "MPI_Send: node 0 sends from". */
static void
tell(const struct mpi *mpi, const struct hold *hold, bool writes, const char *at, const char *call, const char *verb)
{
    int rank = peal_world_rank(mpi->me);
    const struct peal_place began = {rank, hold->site, PEAL_CODE};
    struct peal_run_finding finding = {.kind = !writes && hold->writes ? PEAL_EARLY_READ : PEAL_BUFFER_REUSE,
                                       .rule = rules[hold->user].rule,
                                       .fix = rules[hold->user].fix,
                                       .places = &began,
                                       .place_count = 1};

    snprintf(finding.message, sizeof finding.message, "%s%snode %d %s memory that %s %s, which is not complete",
             call ? call : "", call ? ": " : "", rank, verb, hold->call, hold->writes ? "receives into" : "sends from");
    peal_record_at(mpi->me, &finding, at, PEAL_CODE);
}

/* The program makes an access. */
static void
touched(struct peal_node *me, const void *address, size_t bytes, bool write, const void *pc)
{
    struct node_holds *of = &nodes[peal_world_rank(me)];
    struct use use = {.writes = write};
    struct hold *hold = of->paused ? NULL : find(of, (uintptr_t)address, bytes, &use, NULL);

    if (!hold || !is_new(hold, pc))
        return;
    tell(of->mpi, hold, write, pc, NULL, write ? "writes to" : "reads");
}

/* ------------------------------------------------------------------ pieces */

/* The pieces of data, however they lie; way_posted frees the list. */
static void
open_pieces(struct mpi *mpi, const struct data *data, struct way *way)
{
    if (!data_is_one_piece(data)) {
        way_pieces(mpi, data, way);
        return;
    }
    way->list = NULL;
    way->few[0] = (struct peal_piece){data->buffer + data->type->true_lb, data->bytes};
    way->pieces = way->few;
    way->count = 1;
}

/* Report it if the call uses what an operation that began before holds.  Of two receives into the same memory, it is noted. */
static void
report(struct mpi *mpi, const struct way *way, struct use *use, const struct hold *own)
{
    for (int i = 0; i < way->count; i++) {
        const struct peal_piece *piece = &way->pieces[i];
        struct hold *hold = find(holds_of(mpi), (uintptr_t)piece->data, piece->words, use, own);

        if (!hold)
            continue;
        if (is_new(hold, mpi->file))
            tell(mpi, hold, use->writes, mpi->file, mpi->call, use->writes ? "receives into" : "sends from");
        return;
    }
}

void
held_look(struct mpi *mpi, const struct data *data, bool writes, enum user user)
{
    struct use use = {.writes = writes, .receive = writes && user == MESSAGE};
    struct way way;

    if (!nodes || finding_strict() || data->bytes == 0 || !holds_of(mpi)->first) /* strict: see active.h */
        return;
    open_pieces(mpi, data, &way);
    report(mpi, &way, &use, NULL);
    way_posted(mpi, &way);
}

/* Keep the pieces of a buffer. */
static void
keep(struct mpi *mpi, const struct way *way, const struct use *use, enum user user, struct hold **holds)
{
    struct node_holds *of = holds_of(mpi);
    struct hold *hold = mpi_alloc(mpi, sizeof *hold);

    *hold = (struct hold){.next = of->first,
                          .more = *holds,
                          .call = mpi->call,
                          .site = mpi->file,
                          .writes = use->writes,
                          .user = user,
                          .shared = use->shared,
                          .begin = UINTPTR_MAX,
                          .one = way->pieces[0],
                          .count = way->count};
    if (way->count > 1) {
        hold->list = mpi_scratch(mpi, (size_t)way->count * sizeof *hold->list);
        memcpy(hold->list, way->pieces, (size_t)way->count * sizeof *hold->list);
    }
    for (int i = 0; i < way->count; i++) {
        uintptr_t begin = (uintptr_t)way->pieces[i].data;

        hold->begin = begin < hold->begin ? begin : hold->begin;
        hold->end = begin + way->pieces[i].words > hold->end ? begin + way->pieces[i].words : hold->end;
        if (watched)
            peal_watch_hold(way->pieces[i].data, way->pieces[i].words, use->writes, true);
    }
    if (of->first)
        of->first->previous = hold;
    of->first = hold;
    of->mpi = mpi;
    *holds = hold;
}

void
held_take(struct mpi *mpi, const struct data *data, bool writes, enum user user, struct hold **holds)
{
    struct use use = {.writes = writes, .receive = writes && user == MESSAGE};
    struct way way;

    if (!nodes || data->bytes == 0)
        return;
    open_pieces(mpi, data, &way);
    if (!finding_strict())
        report(mpi, &way, &use, *holds);
    keep(mpi, &way, &use, user, holds);
    way_posted(mpi, &way);
}

void
held_take_bytes(struct mpi *mpi, const void *bytes, size_t count, enum user user, struct hold **holds)
{
    const struct way way = {.few[0] = {(void *)(uintptr_t)bytes, count}, .pieces = way.few, .count = 1};

    if (nodes && bytes && count > 0)
        keep(mpi, &way, &(struct use){.writes = false}, user, holds);
}

void
held_give(struct mpi *mpi, struct hold **holds)
{
    struct node_holds *of = nodes ? holds_of(mpi) : NULL;

    while (of && *holds) {
        struct hold *hold = *holds;
        const struct peal_piece *pieces = hold->list ? hold->list : &hold->one;

        for (int i = 0; watched && i < hold->count; i++)
            peal_watch_hold(pieces[i].data, pieces[i].words, hold->writes, false);
        *(hold->previous ? &hold->previous->next : &of->first) = hold->next;
        if (hold->next)
            hold->next->previous = hold->previous;
        *holds = hold->more;
        mpi_free(mpi, hold->list);
        mpi_free(mpi, hold);
    }
}

void
held_leave(struct mpi *mpi)
{
    while (nodes && holds_of(mpi)->first) {
        struct hold *hold = holds_of(mpi)->first;

        hold->more = NULL;
        held_give(mpi, &hold);
    }
}

bool
held_explains(const struct hold *holds)
{
    for (; holds; holds = holds->more)
        if (holds->told[0] || holds->shared)
            return true;
    return false;
}

void
held_pause(const struct mpi *mpi, bool pause)
{
    if (nodes)
        holds_of(mpi)->paused = pause;
}

/* ------------------------------------------------------------------ runs */

bool
held_begin(int count)
{
    watched = peal_watch_begin(touched);
    nodes = watched ? calloc((size_t)count, sizeof *nodes) : NULL;
    return nodes || !watched;
}

void
held_end(void)
{
    if (watched)
        peal_watch_end();
    free(nodes);
    nodes = NULL;
    watched = false;
}
