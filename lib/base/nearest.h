/* SPDX-License-Identifier: MIT */
/* A word that is none of some names: which is the nearest, and what is said of it. */
#pragma once

#include "lib/base/text.h"

/* Begins as {.word = ...}; before, after: what is said around the name, or NULL. */
struct nearest {
    const char *word, *before, *after;
    const char *name; /* the first of the nearest names so far, the caller's; NULL: none is near */
    int within;       /* how many edits it is away */
    char all[600];    /* "a, b, c": the names */
    char words[400];
};

/* Compare the word with one more name; gives whether it is nearer than those before. */
PEAL_PRIVATE bool peal_nearest_offer(struct nearest *near, const char *name);

/* Give "; did you mean NAME?", or `otherwise` where none is near. */
PEAL_PRIVATE const char *peal_nearest_words(struct nearest *near, const char *otherwise);
