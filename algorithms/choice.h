/* SPDX-License-Identifier: MIT */
/* The choice of an algorithm, kept: every node of a group makes the same call, and needs the same choice. */
#ifndef ALGORITHMS_CHOICE_H
#define ALGORITHMS_CHOICE_H

#include <peal/author.h>

struct choice {
    const struct peal_algorithm *algorithm;
    int parameter; /* the number it works with; 0 none */
};

/* Find the algorithm of this name ("chain:16"; NULL: the cheapest) and its number; false when there is none of this name, or
 * it does not fit, or is loaded: choice->algorithm is then NULL, or that one.
 *
 *   thread   any */
bool choice_make(struct choice *choice, const struct peal_situation *situation, const char *name);

#endif
