/* SPDX-License-Identifier: MIT */
/* Submissions that are alike: their tokens are largely the same, apart from names, numbers, comments, and code that is
 * in the starter or in most right answers. */
#pragma once

#include "grade/marking.h"

/* A submission of a group, and the lines of it that another one of the group has, too. */
struct copied {
    int number; /* of the marks */
    int first_line, last_line;
};

/* Submissions of different students, each of which is like another one of them. */
struct copy_group {
    struct copied *copies; /* in the order of the marks */
    int count;
    int least_percent, most_percent; /* of any two that are alike: the part of the shorter one that both have */
};

struct copies {
    struct copy_group *groups; /* the most alike first */
    int count;
    bool beside_starter, beside_answers; /* code that these have does not count */
};

/* Compare the submissions.
 *
 *   owner    the caller frees them with copies_free, also after an error
 *   errors   PEAL_RESOURCES; PEAL_USAGE when the starter cannot be read */
enum peal_status copies_find(struct copies *copies, const struct marks *marks, struct peal_error *error);
void copies_free(struct copies *copies);
