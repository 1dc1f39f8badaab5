/* SPDX-License-Identifier: MIT */
/* The range of a sweep: FROM:TO:xF, FROM:TO:+S, FROM:TO, a list A,B,C or one number. */
#pragma once

#include "lib/base/private.h"

/* The most numbers of a range, and of one that lists them. */
enum { MAX_POINTS = 4096, MAX_LISTED = 64 };

/* The number `first`, then each times `step` (geometric) or plus `step`, up to `last`.  Zeroed is empty. */
struct range {
    size_t first, last;
    size_t step; /* 0: the range is empty */
    bool geometric;
    size_t listed[MAX_LISTED], listed_count; /* if there are any, these are the numbers */
};

/* Read all of `text` as a range of numbers from least to most; without a step the numbers double.
 *
 *   errors   PEAL_USAGE for invalid numbers and numbers out of range, FROM above TO, a step without effect (x1, +0,
 *            a factor from 0 on), more than MAX_POINTS numbers; a list that does not increase, or is longer than
 *            MAX_LISTED                                                                          */
PEAL_PRIVATE enum peal_status peal_range_parse(const char *text, size_t least, size_t most, struct range *range,
                                               struct peal_error *error);

/* Whether it has more than one number. */
PEAL_PRIVATE bool peal_range_is_wide(const struct range *range);

/* How many numbers it has; the i-th of them. */
PEAL_PRIVATE size_t peal_range_count(const struct range *range);
PEAL_PRIVATE size_t peal_range_get(const struct range *range, size_t i);
