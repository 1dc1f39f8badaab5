/* SPDX-License-Identifier: MIT */
/* The log of a node's actions, written as they happen, and sent to node 0 a part at a time. */
#include "lib/base/grow.h"
#include "lib/cluster/job.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void
log_reset(struct log *log)
{
    enum { KEPT = 1 << 20 }; /* records; touching fresh memory takes longer than writing to it */
    struct log kept = *log;

    if (log->capacity <= KEPT)
        log->records = NULL;
    log_clear(log);
    if (kept.capacity <= KEPT) {
        log->records = kept.records;
        log->capacity = kept.capacity;
    }
}

void
log_clear(struct log *log)
{
    for (int i = 1; i < log->site_count; i++)
        free(log->sites[i]);
    free(log->sites);
    free(log->records);
    free(log->text);
    free(log->awaited);
    *log = (struct log){0};
}

/* Nothing that a node does can be left out of its log, so a process that cannot record it ends, and the job with it. */
static void
log_give_up(void)
{
    fputs("peal: not enough memory to record what the node does\n", stderr);
    if (world_wire)
        plugged->abort(world_wire, PEAL_RESOURCES);
    _Exit(PEAL_RESOURCES);
}

void
log_enlarge(struct log *log)
{
    enum {
        HUGE_PAGE = 1 << 21
    }; /* a small page is first touched every 128 records, which takes as long as some messages */
    size_t capacity = log->capacity ? 2 * log->capacity : HUGE_PAGE / sizeof *log->records;
    struct record *larger = aligned_alloc(HUGE_PAGE, capacity * sizeof *larger);

    if (!larger)
        log_give_up();
    (void)madvise(larger, capacity * sizeof *larger, MADV_HUGEPAGE); /* where there are none, small ones */
    if (log->count > 0)
        memcpy(larger, log->records, log->count * sizeof *larger);
    free(log->records);
    log->records = larger;
    log->capacity = capacity;
}

uint16_t
log_find_site(struct log *log, const char *file)
{
    int site = 1;

    while (site < log->site_count && strcmp(log->sites[site], file) != 0)
        site++;
    if (site > UINT16_MAX)
        return 0;
    if (site >= log->site_count) {
        if (!array_grow(&log->sites, &log->site_room, (size_t)site + 1, sizeof *log->sites) ||
            !(log->sites[site] = strdup(file)))
            log_give_up();
        log->sites[0] = NULL;
        log->site_count = site + 1;
    }
    log->last_file = file;
    log->last_site = (uint16_t)site;
    return log->last_site;
}

/* Add these bytes to the log's text; gives where they begin. */
static uint64_t
log_append(struct log *log, const void *bytes, size_t count)
{
    size_t begin = log->text_bytes;

    if (!array_grow(&log->text, &log->text_capacity, log->text_bytes + count, 1))
        log_give_up();
    if (count > 0)
        memcpy(log->text + begin, bytes, count);
    log->text_bytes += count;
    return begin;
}

void
log_text(struct log *log, struct record *record, const void *bytes, size_t count)
{
    record->text.begin = log_append(log, bytes, count);
    record->text.count = count;
}

/* A name among the sites; the last site stays what it is. */
static uint16_t
find_name(struct log *log, const char *name)
{
    const void *file = log->last_file;
    uint16_t site = log->last_site, found = name ? log_find_site(log, name) : 0;

    log->last_file = file;
    log->last_site = site;
    return found;
}

static uint64_t
add_kind(struct log *log, const struct peal_call *call)
{
    const struct peal_form *form = call->form;
    const struct call_kind kind = {
        .list = call->list,
        .by = call->by,
        .parameter = call->parameter,
        .collective = find_name(log, form->name),
        .algorithm = find_name(log, call->algorithm),
        .op = find_name(log, call->op),
        .sized = form->out != PEAL_SIDE_NONE,
        .blocks = form->unequal != NULL,
        .rooted = form->root,
        .shifts = form->by,
        .unequal = call->unequal,
    };

    return log_append(log, &kind, sizeof kind);
}

uint64_t
log_kind(struct log *log, const struct peal_call *call)
{
    unsigned known = log->kinds < RECENT_KINDS ? log->kinds : RECENT_KINDS;

    for (unsigned i = 0; i < known; i++) {
        const struct peal_call *other = &log->recent[i].call;

        if (call->form == other->form && call->algorithm == other->algorithm && call->op == other->op &&
            call->parameter == other->parameter && call->by == other->by && call->list == other->list &&
            call->unequal == other->unequal)
            return log->recent[i].kind;
    }
    unsigned place = log->kinds++ % RECENT_KINDS;

    log->recent[place].call = *call;
    return log->recent[place].kind = add_kind(log, call);
}

/* ------------------------------------------------------------------ from one process to another */

/* The parts before the bytes: records, awaited posts, text, the sites' names with their zeros. */
struct heading {
    uint64_t records, text_bytes, site_bytes, awaited;
    uint32_t posts;
    int32_t site_count;
    struct log_state now;
};

char *
log_write(struct log *log, uint64_t question, bool last, size_t *bytes)
{
    struct heading heading = {
        .records = log->count - log->sent,
        .text_bytes = log->text_bytes - log->text_sent,
        .awaited = log->awaited_count,
        .posts = log->posts,
        .site_count = log->site_count,
        .now = log->now,
    };

    heading.now.question = question;
    heading.now.last = last;
    for (int i = 1; i < log->site_count; i++)
        heading.site_bytes += strlen(log->sites[i]) + 1;
    *bytes = sizeof heading + heading.records * sizeof *log->records + heading.awaited * sizeof *log->awaited +
             heading.text_bytes + heading.site_bytes;
    char *all = malloc(*bytes), *at = all;

    if (!all)
        log_give_up();
    at = mempcpy(at, &heading, sizeof heading);
    if (heading.records > 0)
        at = mempcpy(at, log->records + log->sent, heading.records * sizeof *log->records);
    if (heading.awaited > 0)
        at = mempcpy(at, log->awaited, heading.awaited * sizeof *log->awaited);
    if (heading.text_bytes > 0)
        at = mempcpy(at, log->text + log->text_sent, heading.text_bytes);
    for (int i = 1; i < log->site_count; i++)
        at = stpcpy(at, log->sites[i]) + 1;
    log->sent = log->count;
    log->text_sent = log->text_bytes;
    return all;
}

static bool
read_sites(struct log *log, const char *names, int count)
{
    if (count <= log->site_count)
        return true;
    if (!array_grow(&log->sites, &log->site_room, (size_t)count, sizeof *log->sites))
        return false;
    log->sites[0] = NULL;
    for (int i = 1; i < count; i++, names += strlen(names) + 1)
        if (i >= log->site_count && !(log->sites[i] = strdup(names)))
            return false;
    log->site_count = count;
    return true;
}

/* Make room for what the heading says will follow. */
static bool
log_make_room(struct log *log, const struct heading *heading)
{
    return array_grow(&log->records, &log->capacity, log->count + heading->records, sizeof *log->records) &&
           array_grow(&log->text, &log->text_capacity, log->text_bytes + heading->text_bytes, 1) &&
           array_grow(&log->awaited, &log->awaited_capacity, heading->awaited, sizeof *log->awaited);
}

bool
log_read(struct log *log, const char *bytes, size_t count)
{
    struct heading heading;

    if (count < sizeof heading)
        return false;
    memcpy(&heading, bytes, sizeof heading);
    bytes += sizeof heading;
    size_t records = log->count + heading.records;

    if (!log_make_room(log, &heading))
        return false;
    if (heading.records > 0)
        memcpy(log->records + log->count, bytes, heading.records * sizeof *log->records);
    bytes += heading.records * sizeof *log->records;
    for (size_t i = log->count; i < records; i++) /* text offsets count from the beginning of the whole log */
        if (log->records[i].kind > LOG_END)
            return false;
        else if (log->records[i].kind == LOG_PRINT)
            log->printed += log->records[i].text.count;
    log->count = records;
    if (heading.awaited > 0)
        memcpy(log->awaited, bytes, heading.awaited * sizeof *log->awaited);
    bytes += heading.awaited * sizeof *log->awaited;
    log->awaited_count = (uint32_t)heading.awaited;
    if (heading.text_bytes > 0)
        memcpy(log->text + log->text_bytes, bytes, heading.text_bytes);
    log->text_bytes += heading.text_bytes;
    bytes += heading.text_bytes;
    log->posts = heading.posts;
    log->now = heading.now;
    return read_sites(log, bytes, heading.site_count);
}
