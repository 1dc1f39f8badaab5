/* SPDX-License-Identifier: MIT */
/* An access to a window, by a call or to a call's own buffer, and the accesses it conflicts with. */
#pragma once

#include "mpi/strict/conflict.h"
#include "mpi/strict/own_access.h"
#include "mpi/strict/polls.h"

struct touch {
    struct byte_span span; /* first: it is one of a bucket */
    enum touch_kind kind;
    struct touch_op op;
    uint64_t signature; /* of op.one, which may be freed */
    size_t unit;        /* the size of op.one; 0: several types */
    int node, owner;    /* in the machine: the accessing node, the owner of the memory */
    int rank;           /* of the owner, in the window */
    int shares;         /* how many equal accesses of one call this stands for */
    bool open;
    bool small;    /* one element */
    bool polling;  /* a repeated get */
    uint32_t end;  /* the node's time, unless it is open */
    uint32_t seen; /* the owner's time when it had polled for this; 0: it has not */
    struct vclock_clock
        *gives; /* the clock of the last one that was carried out, for those that read what it wrote; or NULL */
    const char *call, *site;
    struct touch *later; /* of its window's, or of the present call's */
};

/* Whether the access happens before what the node does now. */
bool touch_is_before(const struct touch *touch, int node);

bool touch_only_reads(const struct touch *touch);

/* Whether both are of one kind, operator and type, and made by one node at one place of its code. */
bool touch_is_alike(const struct touch *a, const struct touch *b);

/* Whether the two, if they overlap and nothing orders them, are a race. */
bool touch_conflicts(const struct touch *a, const struct touch *b);

/* A side of a race: such an access, or one of the node's own. */
struct race_side touch_side(const struct touch *touch);
struct race_side touch_side_of_own(int node, struct own_site own, bool writes);

void touch_free(struct touch *touch);
