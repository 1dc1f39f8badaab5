/* SPDX-License-Identifier: MIT */
/* The keys of an assignment's tests, and what the value of each means. */
#ifndef PEAL_ASSIGNMENT_KEYS_H
#define PEAL_ASSIGNMENT_KEYS_H

#include "ini_lines.h"

/* A value that is being read: of a test, or of [assignment] for it. */
struct value {
    struct ini_lines *lines;
    struct assignment_test *test;
    const char *key, *text;
    int line;
};

/* What tests a key is for. */
enum kinds { ANY, PROOF, PROGRAM };

struct key {
    const char *name;
    enum kinds kind;
    void (*read)(const struct value *value); /* sets it in the test, or refuses it */
};

/* In the order in which they are read; the name of the last one is NULL. */
extern const struct key assignment_keys[];

/* Refuse a key that is none, with the one it may have been. */
void keys_refuse_unknown(struct ini_lines *lines);

#endif
