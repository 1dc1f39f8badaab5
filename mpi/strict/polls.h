/* SPDX-License-Identifier: MIT */
/* Where a node polls, and the races that do not count if it does.
 *
 * In the unified memory model, which all windows have, a node may poll: load what others update, or get what its owner
 * stores, until it changes (MPI 3.1, 11.7).  It polls if the same place in its code accesses the same element again in
 * a later phase, without synchronising with others in between; or if it calls MPI_Win_sync right after the access; or
 * right before, and then compares the loaded value, as a test for the end of polling does.  All but suspects_tell
 * require vclock_lock. */
#pragma once

#include <peal/machine.h>

/* Races: two accesses to a window that conflict and that nothing orders, and their findings. */

enum { MAX_RACES = 4 }; /* of one access */

struct race {
    struct peal_place places[2];
    const char *calls[2];
    bool local[2];
    bool undefined; /* wrong except for the value */
    int owner;
    size_t bytes;
};

/* One side of a race. */
struct race_side {
    int node;
    const char *site, *call;
    bool local;
};

/* Races of one access, found with the lock and reported without. */
struct race_list {
    struct race list[MAX_RACES];
    int count;
};

/* Note the race of two accesses to the same bytes of the owner's. */
void race_note(struct race *race, struct race_side a, struct race_side b, int owner, size_t bytes);

void race_tell(struct peal_node *me, const struct race *race);
void races_tell(struct peal_node *me, const struct race_list *races);

enum { POLLS = 64 }; /* places at which a node may poll, of one hash each */

struct suspect;

/* A load after MPI_Win_sync. */
struct synced_load {
    const char *site, *at;
    size_t bytes;
    uint64_t value;
};
enum { SYNCED_LOADS = 256 };

struct polls {
    struct poll {
        const char *site, *at;
        uint32_t turns;
        uint64_t phase;
        bool again;
    } places[POLLS];
    struct suspect *suspects;
    struct synced_load *synced; /* NULL: none yet */
    int synced_count;           /* at most SYNCED_LOADS: more are not remembered */
};

/* The node loads an element after MPI_Win_sync: remember its value.  False: there are too many. */
bool polls_synced(struct polls *polls, const char *site, const char *at, size_t bytes);

/* Whether the node compares one of these values, or their sum. */
bool polls_compared(const struct polls *polls, uint64_t left, uint64_t right, size_t bytes);

/* None of these loads polls. */
void polls_none(struct polls *polls);

/* The node polls, with what it loads there. */
void polls_clear(struct polls *polls, const char *site, const char *at);

/* Whether the node has read this element at this site, and has synchronised with nobody since. */
bool polls_at(struct polls *polls, int node, const char *site, const char *at);

/* The node reads one element: whether it polls. */
bool polls_again(struct polls *polls, struct peal_node *me, const char *site, const char *at);

/* Keep a race that does not count if the node turns out to poll with what it reads at this site. */
void polls_suspect(struct polls *polls, const struct race *race, const char *site, const char *at, bool loads);

/* The node has polled: forget a race with what it loads, and give the place; NULL: there is none. */
const char *polls_take_load(struct polls *polls);

/* The node no longer polls: give the races, for suspects_tell, which frees them. */
struct suspect *polls_end(struct polls *polls);
void suspects_tell(struct peal_node *me, struct suspect *list);

void polls_free(struct polls *polls);
