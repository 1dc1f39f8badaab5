/* SPDX-License-Identifier: MIT */
/* "Did you mean": the name that a mistyped word is nearest to. */
#pragma once

/* Give the name nearest to `word`, the first among equals; NULL when none is near.
 *
 *   shape    names ends with NULL
 *   units    edits: a character more, less or another, or two neighbours swapped.  Near is within a third of the word's
 *            length, at least 1 and at most 3 edits
 *   owner    gives one of the caller's own pointers                                                     */
const char *suggest(const char *word, const char *const *names);
