/* SPDX-License-Identifier: MIT */
/* Places at which a node may poll, by a hash.  A race that waits for the verdict is forgotten, or reported. */
#include "mpi/strict/polls.h"
#include "mpi/strict/happens_before.h"
#include <stdlib.h>
#include <string.h>

/* A race that does not count if the node turns out to poll. */
struct suspect {
    struct race race;
    const char *site, *at;
    bool loads;
    struct suspect *next;
};

static struct poll *
polls_find(struct polls *polls, const char *site, const char *at)
{
    uint64_t hash = ((uintptr_t)site * 31 + ((uintptr_t)at >> 2)) * UINT64_C(0x9E3779B97F4A7C15);

    return &polls->places[hash >> 58];
}

static bool
polls_is_of(const struct poll *poll, int node, const char *site, const char *at)
{
    return poll->site == site && (uintptr_t)poll->at >> 2 == (uintptr_t)at >> 2 && poll->turns == vclock_turns(node);
}

bool
polls_at(struct polls *polls, int node, const char *site, const char *at)
{
    return polls_is_of(polls_find(polls, site, at), node, site, at);
}

/* Remove the suspect at this place of a list. */
static void
polls_drop(struct suspect **place)
{
    struct suspect *gone = *place;

    *place = gone->next;
    free(gone);
}

void
polls_clear(struct polls *polls, const char *site, const char *at)
{
    for (struct suspect **next = &polls->suspects; *next;)
        if ((*next)->site == site && (uintptr_t)(*next)->at >> 2 == (uintptr_t)at >> 2)
            polls_drop(next);
        else
            next = &(*next)->next;
}

bool
polls_again(struct polls *polls, struct peal_node *me, const char *site, const char *at)
{
    int node = peal_world_rank(me);
    struct poll *poll = polls_find(polls, site, at);
    uint64_t phase = peal_phase(me);

    if (!polls_is_of(poll, node, site, at))
        *poll = (struct poll){site, at, vclock_turns(node), phase, false};
    poll->again |= poll->phase != phase;
    if (poll->again)
        polls_clear(polls, site, at);
    return poll->again;
}

bool
polls_synced(struct polls *polls, const char *site, const char *at, size_t bytes)
{
    struct synced_load load = {site, at, bytes < sizeof load.value ? bytes : sizeof load.value, 0};

    if (!polls->synced && !(polls->synced = malloc(SYNCED_LOADS * sizeof *polls->synced)))
        return false;
    if (polls->synced_count == SYNCED_LOADS)
        return false;
    memcpy(&load.value, at, load.bytes);
    polls->synced[polls->synced_count++] = load;
    return true;
}

bool
polls_compared(const struct polls *polls, uint64_t left, uint64_t right, size_t bytes)
{
    uint64_t sum = 0;
    bool any = false;

    for (int i = 0; i < polls->synced_count && !any; i++) {
        const struct synced_load *load = &polls->synced[i];
        size_t compared = load->bytes < bytes ? load->bytes : bytes;
        uint64_t mask = ~UINT64_C(0) >> (64 - 8 * compared), all = ~UINT64_C(0) >> (64 - 8 * bytes);

        sum += load->value;
        any = ((left ^ load->value) & mask) == 0 || ((right ^ load->value) & mask) == 0 || ((left ^ sum) & all) == 0 ||
              ((right ^ sum) & all) == 0;
    }
    return any;
}

void
polls_none(struct polls *polls)
{
    for (int i = 0; i < polls->synced_count; i++)
        for (struct suspect *one = polls->suspects; one; one = one->next)
            one->loads &= one->site != polls->synced[i].site || one->at != polls->synced[i].at;
    polls->synced_count = 0;
}

void
polls_suspect(struct polls *polls, const struct race *race, const char *site, const char *at, bool loads)
{
    for (const struct suspect *other = polls->suspects; other; other = other->next)
        if (other->site == site && other->at == at && other->race.places[0].file == race->places[0].file &&
            other->race.places[1].file == race->places[1].file && other->race.places[0].rank == race->places[0].rank &&
            other->race.places[1].rank == race->places[1].rank)
            return;
    struct suspect *new = malloc(sizeof *new);

    if (!new)
        return;
    *new = (struct suspect){*race, site, at, loads, polls->suspects};
    polls->suspects = new;
}

const char *
polls_take_load(struct polls *polls)
{
    for (struct suspect **next = &polls->suspects; *next; next = &(*next)->next)
        if ((*next)->loads) {
            const char *at = (*next)->at;

            polls_drop(next);
            return at;
        }
    return NULL;
}

struct suspect *
polls_end(struct polls *polls)
{
    struct suspect *list = polls->suspects, *first = NULL;

    polls->suspects = NULL;
    while (list) { /* the oldest first */
        struct suspect *next = list->next;

        list->next = first;
        first = list;
        list = next;
    }
    return first;
}

void
suspects_tell(struct peal_node *me, struct suspect *list)
{
    for (; list; polls_drop(&list))
        race_tell(me, &list->race);
}

void
polls_free(struct polls *polls)
{
    while (polls->suspects)
        polls_drop(&polls->suspects);
    free(polls->synced);
}
