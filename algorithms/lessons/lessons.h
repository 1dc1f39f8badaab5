/* SPDX-License-Identifier: MIT */
/* The lessons, one a file.  A new one is its file, one line here, and one in lessons.c's table. */
#ifndef LESSONS_LESSONS_H
#define LESSONS_LESSONS_H

#include <peal/lesson.h>

/* Georgia Tech CS 6220, the message-passing model */
extern const struct peal_lesson lesson_q1, lesson_q2, lesson_q3, lesson_s1, lesson_s2, lesson_s3, lesson_s4, lesson_q6,
    lesson_q7, lesson_q8, lesson_q9, lesson_q10, lesson_q11, lesson_q12, lesson_q15, lesson_q19, lesson_q20,
    lesson_q21, lesson_q23, lesson_q24, lesson_q25;
/* Tvrdík, PDP course, combining one-to-all scatter */
extern const struct peal_lesson lesson_oas1, lesson_sfwh, lesson_lem7, lesson_nocomb, lesson_odd, lesson_tree,
    lesson_rev, lesson_ring;
/* Grama et al. 2003, section 4.4 */
extern const struct peal_lesson lesson_fig414, lesson_fig415, lesson_line, lesson_order;
/* floating-point numbers */
extern const struct peal_lesson lesson_same;
/* synthesis */
extern const struct peal_lesson lesson_best_broadcast;

#endif
