/* SPDX-License-Identifier: MIT */
/* The values of variables that the nodes of a run have shown (peal_show). */
#pragma once

#include "lib/machine/machine.h"

/* A value, and how many rounds were over when it was shown. */
struct shown_value {
    uint64_t round;
    int name;
    long double value;
};

/* What a node shows: written by the node, read after the run. */
enum { SHOWN_NAMES = 32, SHOWN_VALUES = 1 << 16 };
struct shown_values {
    char *names[SHOWN_NAMES];
    long double last[SHOWN_NAMES];
    int name_count;
    struct shown_value *list;
    size_t count, room;
};

/* Forget what all nodes have shown.  thread: not during a run */
void shown_clear(struct peal_machine *machine);
