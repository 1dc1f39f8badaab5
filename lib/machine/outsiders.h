/* SPDX-License-Identifier: MIT */
/* Nodes whose program runs in another process, and the places of its calls. */
#pragma once

#include "lib/machine/nodes.h"

/* A node that waits for its process; on the node's stack. */
struct outsider {
    struct node *node;
    bool (*came)(void *arg);
    void *arg;
    void (*sleep)(void);
    struct outsider *next;
};

/* Wait until one of the carrier's outsiders can go on; gives its node. */
struct node *outsiders_next(struct carrier *carrier);

/* What is known of an address that peal_place_of has given. */
struct outside_place {
    _Atomic uint32_t state;
    int line; /* 0: the file contains code, and the place is the offset in it */
    uint64_t offset;
    char file[192], function[48], through[48];
};

/* NULL: peal_place_of has not given this address. */
const struct outside_place *outside_place_at(const void *code);
