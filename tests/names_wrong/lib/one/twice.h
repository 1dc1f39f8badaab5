/* SPDX-License-Identifier: MIT */
/* What tests/names.py must find: see the other file of this name. */
#ifndef TESTS_NAMES_WRONG_ONE_H
#define TESTS_NAMES_WRONG_ONE_H

enum { MOST_TWICE = 2 };

struct twice {
    int one;
};

static inline int
twice_get(const struct twice *twice)
{
    return twice->one;
}

#define GROW_TWICE(list, bytes) realloc(list, bytes)

#endif
