/* SPDX-License-Identifier: MIT */
/* Notes the buffers that a node's operations hold, finds those that a call or an access uses, and words the finding. */
#include "mpi/strict/held.h"
#include "mpi/call/mpi_advice.h"
#include "mpi/strict/conflict.h"
#include <peal/watch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The buffers that a node's operations hold; written and read by the node. */
struct node_holds {
    struct spans set; /* of holds */
    struct mpi *mpi;  /* the node's, once it holds something */
    bool paused;
};

struct node_holds *held_nodes;

static struct node_holds *
holds_of(const struct mpi *mpi)
{
    return &held_nodes[peal_world_rank(mpi->me)];
}

/* ------------------------------------------------------------------ reports */

/* Whether a hold forbids a read of the memory, or a write, by the receive of a message or otherwise.  Several receives
 * at a time into the same memory are common where the program does not use the data. */
static bool
forbids(const struct buffer_hold *hold, bool writes, bool receive)
{
    return writes ? !(hold->writes && hold->user == MESSAGE && receive) : hold->writes;
}

/* Whether the hold is one of an operation's. */
static bool
hold_is_among(const struct buffer_hold *hold, const struct buffer_hold *own)
{
    while (own && own != hold)
        own = own->more;
    return own;
}

/* The node's hold that forbids the use; NULL: none.  `own` are the holds of the operation that makes the use.  *shared:
 * another operation uses the memory, and needs no report unless both are receives. */
static struct buffer_hold *
held_find(const struct node_holds *of, const struct byte_span *span, bool writes, bool receive,
          const struct buffer_hold *own, struct buffer_hold **shared)
{
    for (size_t i = spans_first(&of->set, span); i < of->set.count && of->set.list[i]->begin < span->end; i++) {
        struct buffer_hold *hold = (struct buffer_hold *)of->set.list[i];

        if ((!writes && !hold->writes) || hold_is_among(hold, own) || span_overlap(&hold->span, span) == 0)
            continue;
        *shared = hold;
        if (forbids(hold, writes, receive))
            return hold;
        hold->shared = true;
    }
    return NULL;
}

/* Whether an access at this place is to be reported: it was not yet, and few others were. */
static bool
is_new(struct buffer_hold *hold, const void *site)
{
    enum { MAX = sizeof hold->reported / sizeof *hold->reported };

    for (int i = 0; i < MAX; i++) {
        if (hold->reported[i] == site)
            return false;
        if (!hold->reported[i]) {
            hold->reported[i] = site;
            return true;
        }
    }
    return false;
}

/* The standard's sections on each kind of operation; NULL: the machine's words. */
static const char *const rules[] = {
    [COLLECTIVE] = "MPI 3.1, 5.12: the buffers that a nonblocking collective sends from, and its lists of counts and "
                   "displacements, are not changed until it is complete, and those that it receives into not accessed",
    [WINDOW] = "MPI 3.1, 11.3: the origin buffer of an access to a window is not changed until the access is "
               "complete, and that of a get not accessed",
};

static const struct peal_rule twice = {
    "MPI 3.1, 3.7.2: it is not defined which of two pending receives fills memory last",
    "receive into buffers that have no memory in common, unless the data are never used"};

/* Whether a Fortran call used a copy of a section of an array: then the access is by the line that made the call. */
static bool
is_section_copied(const struct mpi *mpi, const struct buffer_hold *hold, const char *at)
{
    const char *file, *other;
    int line, same;

    return mpi->sentinels && peal_code_line(mpi->me, hold->site, &file, &line) &&
           peal_code_line(mpi->me, at, &other, &same) && line == same && strcmp(file, other) == 0;
}

/* Advise what ends the operation that holds the memory before the access at `at`. */
static void
held_advise(const struct mpi *mpi, const struct buffer_hold *hold, bool early, const char *at)
{
    char words[PLACE_WORDS];
    const char *began = place_words(mpi, hold->call, hold->site, words);

    peal_advise(mpi->me,
                hold->user == WINDOW               ? PEAL_HINT(before_completion)
                : is_section_copied(mpi, hold, at) ? PEAL_HINT(section_copied)
                : early                            ? PEAL_HINT(read_before_wait)
                                                   : PEAL_HINT(write_before_wait),
                began);
}

/* Report that the access at `at` is forbidden: "reads", "MPI_Send: node 0 sends from". */
static void
held_report_access(const struct mpi *mpi, const struct buffer_hold *hold, bool writes, const char *at, const char *call,
                   const char *verb)
{
    int rank = peal_world_rank(mpi->me);
    const struct peal_place began = {rank, hold->site, PEAL_CODE};
    struct peal_run_finding finding = {
        .kind = !writes && hold->writes ? PEAL_EARLY_READ : PEAL_BUFFER_REUSE, .places = &began, .place_count = 1};

    snprintf(finding.rule, sizeof finding.rule, "%s", rules[hold->user] ? rules[hold->user] : "");
    snprintf(finding.message, sizeof finding.message, "%s%snode %d %s memory that %s %s, which is not complete",
             call ? call : "", call ? ": " : "", rank, verb, hold->call, hold->writes ? "receives into" : "sends from");
    held_advise(mpi, hold, finding.kind == PEAL_EARLY_READ, at);
    peal_add_finding_at(mpi->me, &finding, at, PEAL_CODE);
}

/* The program makes an access; false: MPI makes it, through one of the program's functions. */
static bool
touched(struct peal_node *me, const void *address, size_t bytes, bool write, const void *pc)
{
    const struct node_holds *of = &held_nodes[peal_world_rank(me)];
    char *begin = (char *)(uintptr_t)address;
    struct buffer_hold *shared;
    struct buffer_hold *hold =
        of->paused ? NULL
                   : held_find(of, &(struct byte_span){begin, begin + bytes, NULL, 1}, write, false, NULL, &shared);

    if (hold && is_new(hold, pc))
        held_report_access(of->mpi, hold, write, pc, NULL, write ? "writes to" : "reads");
    if (!hold && !of->paused && finding_strict())
        conflict_look(me, address, bytes, write, pc);
    return !of->paused;
}

/* Report it if the call uses memory that an earlier operation holds.  Gives whether another one uses it. */
static bool
held_report(struct mpi *mpi, const struct byte_span *span, bool writes, enum user user, const struct buffer_hold *own)
{
    struct buffer_hold *shared = NULL;
    struct buffer_hold *hold = held_find(holds_of(mpi), span, writes, writes && user == MESSAGE, own, &shared);

    if (hold && is_new(hold, mpi->file))
        held_report_access(mpi, hold, writes, mpi->file, mpi->call, writes ? "receives into" : "sends from");
    else if (!hold && shared && writes)
        mpi_remark(mpi,
                   &(struct remark){.kind = PEAL_BUFFER_REUSE,
                                    .note = true,
                                    .rule = &twice,
                                    .rank = peal_world_rank(mpi->me),
                                    .site = shared->site},
                   "node %d receives into memory that %s receives into, which is not complete",
                   peal_world_rank(mpi->me), shared->call);
    return shared;
}

void
held_search(struct mpi *mpi, const struct typed_data *data, bool writes, enum user user)
{
    struct byte_span span;

    if (data->bytes == 0)
        return;
    span_open(mpi, data, &span);
    bounds_look(mpi, data, &span, writes);
    if (finding_watched)
        unwritten_look(mpi, data, &span, writes);
    if (writes)
        mpi->receives = (struct moved_bytes){span.begin, (size_t)(span.end - span.begin)};
    if (holds_of(mpi)->set.count > 0)
        held_report(mpi, &span, writes, user, NULL);
    conflict_local(mpi, &span, writes, true);
    span_fini(mpi, &span);
}

void
held_return(struct mpi *mpi)
{
    conflict_return(mpi);
    if (mpi->receives.bytes > 0)
        peal_watch_arrived(mpi->me, mpi->receives.begin, mpi->receives.bytes);
    mpi->receives.bytes = 0;
}

void
held_sends_in_place(struct mpi *mpi, const struct typed_data *data)
{
    struct byte_span span;

    if (!finding_watched || data->bytes == 0)
        return;
    span_open(mpi, data, &span);
    unwritten_look(mpi, data, &span, false);
    span_fini(mpi, &span);
}

/* ------------------------------------------------------------------ contents of buffers */

enum { LANES = 4 };

/* Four numbers at once: as fast as memory can be read. */
static uint64_t
held_hash(const void *bytes, size_t count, uint64_t seed)
{
    const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    const unsigned char *at = bytes;
    uint64_t lanes[LANES] = {seed, seed + 1, seed + 2, seed + 3}, words[LANES], hash = count;

    for (; count >= sizeof words; count -= sizeof words, at += sizeof words) {
        memcpy(words, at, sizeof words);
        for (int i = 0; i < LANES; i++) {
            lanes[i] = (lanes[i] ^ words[i]) * odd;
            lanes[i] ^= lanes[i] >> 29;
        }
    }
    for (int i = 0; i < LANES; i++)
        hash = (hash ^ lanes[i]) * odd;
    for (; count > 0; count--, at++)
        hash = (hash ^ *at) * odd;
    return hash ^ hash >> 32;
}

static uint64_t
hash_span(const struct byte_span *span)
{
    uint64_t hash = 0;

    for (int i = 0; i < span->count; i++) {
        char *end, *begin = span_piece(span, i, &end);

        hash = held_hash(begin, (size_t)(end - begin), hash);
    }
    return hash;
}

/* Whether the memory lies just above this frame: in an active function, though its block may have ended. */
static bool
is_local(const void *address)
{
    return (uintptr_t)address - (uintptr_t)__builtin_frame_address(0) < 1 << 20;
}

void
held_compare(struct mpi *mpi, const struct buffer_hold *holds)
{
    if (!finding_strict())
        return;
    for (const struct buffer_hold *hold = holds; hold; hold = hold->more)
        if (hold->reported[0] || hold->shared) /* the change was already reported */
            return;
    for (; holds; holds = holds->more)
        /* in a window others may have changed it, which is a conflict */
        if (!holds->touch && hash_span(&holds->span) != holds->hash) {
            struct peal_block block = {.kind = PEAL_BLOCK_ALLOCATED};
            bool known = peal_block_find(mpi->me, holds->span.begin, mpi->file, &block);
            bool ended = known && block.kind == PEAL_BLOCK_ENDED;
            char words[PLACE_WORDS];

            peal_advise(mpi->me,
                        ended                         ? PEAL_HINT(scope_ended)
                        : is_local(holds->span.begin) ? PEAL_HINT(changed_on_stack)
                                                      : PEAL_HINT(changed_before_wait),
                        place_words(mpi, holds->call, holds->site, words));
            mpi_find(mpi, PEAL_BUFFER_REUSE, peal_world_rank(mpi->me), holds->site,
                     "the buffer of this %s was changed before it was complete%s", holds->call,
                     ended ? "; it was a local variable, whose scope has ended" : "");
        }
}

/* ------------------------------------------------------------------ held and released */

/* Note in the shadow of a watched program which memory is held. */
static void
held_mark(const struct buffer_hold *hold, bool more)
{
    for (int i = 0; finding_watched && i < hold->span.count; i++) {
        char *end, *begin = span_piece(&hold->span, i, &end);

        peal_watch_hold(begin, (size_t)(end - begin), hold->writes, more);
    }
}

/* Keep a buffer, whose span is the hold's from now on. */
static void
held_keep(struct mpi *mpi, const struct byte_span *span, bool writes, bool shared, enum user user,
          struct buffer_hold **holds)
{
    struct node_holds *of = holds_of(mpi);
    struct buffer_hold *hold = mpi_alloc(mpi, sizeof *hold);

    *hold = (struct buffer_hold){.span = *span,
                                 .more = *holds,
                                 .call = mpi->call,
                                 .site = mpi->file,
                                 .writes = writes,
                                 .user = user,
                                 .shared = shared};
    if (finding_strict()) {
        hold->hash = hash_span(span);
        hold->touch = conflict_local(mpi, span, writes, false);
    }
    spans_add(mpi, &of->set, &hold->span);
    of->mpi = mpi;
    *holds = hold;
    held_mark(hold, true);
}

void
held_take(struct mpi *mpi, const struct typed_data *data, bool writes, enum user user, struct buffer_hold **holds)
{
    struct byte_span span;

    if (!held_nodes || data->bytes == 0)
        return;
    span_open(mpi, data, &span);
    bounds_look(mpi, data, &span, writes);
    if (finding_watched)
        unwritten_look(mpi, data, &span, writes);
    held_keep(mpi, &span, writes, held_report(mpi, &span, writes, user, *holds), user, holds);
}

void
held_take_bytes(struct mpi *mpi, const void *bytes, size_t count, enum user user, struct buffer_hold **holds)
{
    char *begin = (char *)(uintptr_t)bytes;

    if (held_nodes && bytes && count > 0)
        held_keep(mpi, &(struct byte_span){begin, begin + count, NULL, 1}, false, false, user, holds);
}

void
held_give(struct mpi *mpi, struct buffer_hold **holds)
{
    while (held_nodes && *holds) {
        struct buffer_hold *hold = *holds;

        held_mark(hold, false);
        if (hold->writes && finding_watched)
            peal_watch_arrived(mpi->me, hold->span.begin, (size_t)(hold->span.end - hold->span.begin));
        conflict_close(hold->touch);
        spans_remove(&holds_of(mpi)->set, &hold->span);
        *holds = hold->more;
        span_fini(mpi, &hold->span);
        mpi_free(mpi, hold);
    }
}

void
held_leave(struct mpi *mpi)
{
    while (held_nodes && holds_of(mpi)->set.count > 0) {
        struct buffer_hold *hold = (struct buffer_hold *)holds_of(mpi)->set.list[0];

        hold->more = NULL;
        held_give(mpi, &hold);
    }
}

void
held_pause(const struct mpi *mpi, bool pause)
{
    if (held_nodes)
        holds_of(mpi)->paused = pause;
}

/* ------------------------------------------------------------------ runs */

bool
held_begin(int count)
{
    finding_watched = peal_watch_begin(touched);
    if (!finding_watched && !finding_strict())
        return true;
    held_nodes = calloc((size_t)count, sizeof *held_nodes);
    return held_nodes;
}

void
held_end(void)
{
    if (finding_watched)
        peal_watch_end();
    free(held_nodes);
    held_nodes = NULL;
    finding_watched = false;
}
