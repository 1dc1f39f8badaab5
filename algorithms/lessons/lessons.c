/* SPDX-License-Identifier: MIT */
/* The table of lessons. */
#include <peal/lesson.h>

#define LESSON(name) extern const struct peal_lesson lesson_##name;
#include "lessons.def"
#undef LESSON

static const struct peal_lesson *const lessons[] = {
#define LESSON(name) &lesson_##name,
#include "lessons.def"
#undef LESSON
};

enum { LESSONS = sizeof lessons / sizeof lessons[0] };

const struct peal_lesson *
peal_lesson_get(int i)
{
    return i >= 0 && i < LESSONS ? lessons[i] : NULL;
}
