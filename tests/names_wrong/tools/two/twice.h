/* SPDX-License-Identifier: MIT */
/* What tests/names.py must find: see the other file of this name. */
#ifndef TESTS_NAMES_WRONG_TWO_H
#define TESTS_NAMES_WRONG_TWO_H

struct twice {
    int two;
};

static inline int
twice_get(const struct twice *twice)
{
    return twice->two;
}

#endif
