/* SPDX-License-Identifier: MIT */
/* Stack frames of functions, and the variables in them, from unwind tables and debugging information. */
#pragma once

#include "lib/program/lines.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How the frame of a function that has made a call is found.  Its end is DWARF's canonical frame address. */
struct frame_rule {
    bool known;
    bool by_frame_pointer;   /* the end is this register's value plus `end`; else the stack pointer's after the call */
    ptrdiff_t end;           /* in bytes */
    ptrdiff_t came_from;     /* where the return address is, from the end on */
    ptrdiff_t frame_pointer; /* where its caller's is, from the end on; 0: in the register still */
    char function[64];       /* its name, cut if it is longer; "": not known */
};

/* Find the rule for the function whose call returns to `offset`; not known without tables, or in a build without
 * libdw. */
void frames_rule(int fd, uintptr_t offset, struct frame_rule *rule);

/* Find the variable of that function in which the byte `at` lies; both count from the frame's end on.  Of several that
 * share the place the one that ends last. */
bool frames_variable(int fd, uintptr_t offset, ptrdiff_t at, struct lines_variable *variable);
