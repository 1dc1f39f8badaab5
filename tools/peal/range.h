/* SPDX-License-Identifier: MIT */
/* What a sweep goes over: FROM:TO:xF, FROM:TO:+S, FROM:TO or one number. */
#ifndef PEAL_RANGE_H
#define PEAL_RANGE_H

#include <peal/base.h>

/* The numbers first, then times `step` (geometric) or plus `step`, up to last.  Zeroed is empty. */
struct range {
    size_t first, last;
    size_t step; /* 0: no number at all */
    bool geometric;
};

/* The numbers a range can have at most. */
enum { MOST_POINTS = 4096 };

/* Read all of `text` as a range of numbers from least to most; without a step the numbers double.
 *
 *   errors   PEAL_USAGE for what is no number or out of bounds, FROM beyond TO, a step that leads nowhere (x1, +0,
 *            times something from 0 on), more than MOST_POINTS numbers                                    */
enum peal_status range_parse(const char *text, size_t least, size_t most, struct range *range,
                             struct peal_error *error);

/* Whether it has more than one number. */
bool range_is_wide(const struct range *range);

/* How many numbers there are; the i-th of them. */
size_t range_count(const struct range *range);
size_t range_get(const struct range *range, size_t i);

#endif
