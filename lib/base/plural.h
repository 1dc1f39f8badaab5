/* SPDX-License-Identifier: MIT */
/* Nouns after a count, in messages for people. */
#ifndef LIB_BASE_PLURAL_H
#define LIB_BASE_PLURAL_H

/* Give the ending of a noun after a number of any type: "" for one, else "s". */
#define plural(count) ((count) == 1 ? "" : "s")

#endif
