/* SPDX-License-Identifier: MIT */
/* The closed forms of an algorithm as a list shows them, where no machine is given. */
#pragma once

#include <peal/collective.h>

enum { MAX_FORMULAS = 40 };

/* A formula, and where it holds: "full, hypercube; line, root 0"; "" everywhere, "else" where none before it does. */
struct formula {
    char text[PEAL_CLOSED_TEXT], where[600];
    bool full; /* on every full network */
};

/* Fill `list` with the formulas for this switching, each once; give how many there are.  With P a power of two a
 * logarithm is its own ceiling: the formula with the ceiling stands for both. */
int formulas_of(const struct peal_algorithm *a, enum peal_switching switching, struct formula list[MAX_FORMULAS]);

/* Write where the algorithm's source has the formula for ideal switching, "full, P = 2^q; hypercube": "" nowhere. */
char *cited_places(const struct peal_algorithm *a, char text[600]);

/* Write it as a list does, "full: α(P−1)". */
char *formula_text(const struct formula *formula, char text[sizeof *formula]);
