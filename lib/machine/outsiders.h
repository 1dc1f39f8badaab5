/* SPDX-License-Identifier: MIT */
/* Nodes whose program runs in another process, and the places of its calls. */
#pragma once

#include "lib/machine/nodes.h"

/* A node that waits for its process: on its own stack. */
struct outsider {
    struct node *node;
    bool (*came)(void *arg);
    void *arg;
    void (*sleep)(void);
    struct outsider *next;
};

/* The next node of a carrier's outsiders that can go on; waits for it. */
struct node *outsiders_next(struct carrier *carrier);

/* What is known of an address that peal_place_of has given. */
struct outside_place {
    _Atomic uint32_t state;
    int line; /* 0: the file has code, and the place is at the offset */
    uint64_t offset;
    char file[192], function[48];
};

/* NULL: it is another address. */
const struct outside_place *outside_place_at(const void *code);
