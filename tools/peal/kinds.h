/* SPDX-License-Identifier: MIT */
/* The meaning of each kind of finding, with an example: generated from the files in kinds/ when Peal is built. */
#pragma once

#include "run/target.h"

struct kind {
    const char *name, *title;
    const char *text; /* lines that begin with \1 are headings */
};

/* All kinds, in the order of failures.def; the last has no name. */
extern const struct kind kinds[];

/* Whether this is a kind of finding, or "kinds", and not a collective, a program or a file. */
bool kinds_have(const char *what);

/* Show the kind, or the list of all kinds. */
void kinds_show(const char *what);

/* Refuse what target_find refuses, and suggest the nearest kind, if any. */
enum peal_status kinds_refuse(const char *what, struct peal_error *error);
