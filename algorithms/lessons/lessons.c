/* SPDX-License-Identifier: MIT */
/* The table of lessons, in the order of the course. */
#include "lessons.h"

static const struct peal_lesson *const lessons[] = {
    &lesson_q1, &lesson_q2, &lesson_q3, &lesson_s1, &lesson_s2, &lesson_s3, &lesson_s4, &lesson_q6, &lesson_q7,
    &lesson_q8, &lesson_q9, &lesson_q10, &lesson_q11, &lesson_q12, &lesson_q15, &lesson_q19, &lesson_q20, &lesson_q21,
    &lesson_q23, &lesson_q24, &lesson_q25,
    &lesson_oas1, &lesson_sfwh, &lesson_lem7, &lesson_nocomb, &lesson_odd, &lesson_tree, &lesson_rev, &lesson_ring,
    &lesson_fig414, &lesson_fig415, &lesson_line, &lesson_order,
    &lesson_same,
    &lesson_best_broadcast,
};

enum { LESSONS = sizeof lessons / sizeof lessons[0] };

const struct peal_lesson *
peal_lesson_get(int i)
{
    return i >= 0 && i < LESSONS ? lessons[i] : NULL;
}
