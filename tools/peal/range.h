/* SPDX-License-Identifier: MIT */
/* The range of a sweep: FROM:TO:xF, FROM:TO:+S, FROM:TO or one number. */
#ifndef PEAL_RANGE_H
#define PEAL_RANGE_H

#include <peal/base.h>

/* The numbers first, then times `step` (geometric) or plus `step`, up to last.  Zeroed is empty. */
struct range {
    size_t first, last;
    size_t step; /* 0: the range is empty */
    bool geometric;
};

/* The most numbers of a range. */
enum { MOST_POINTS = 4096 };

/* Read all of `text` as a range of numbers from least to most; without a step the numbers double.
 *
 *   errors   PEAL_USAGE for invalid numbers and numbers out of range, FROM above TO, a step without effect (x1, +0,
 *            a factor from 0 on), more than MOST_POINTS numbers                                    */
enum peal_status range_parse(const char *text, size_t least, size_t most, struct range *range,
                             struct peal_error *error);

/* Whether it has more than one number. */
bool range_is_wide(const struct range *range);

/* The number of its numbers; the i-th of them. */
size_t range_count(const struct range *range);
size_t range_get(const struct range *range, size_t i);

#endif
