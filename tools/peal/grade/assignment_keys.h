/* SPDX-License-Identifier: MIT */
/* The keys of an assignment's tests, and the meaning of their values. */
#pragma once

#include "grade/ini_lines.h"

/* A value being read: a test's, or that of [assignment] for the test. */
struct value {
    struct ini_lines *lines;
    struct assignment_test *test;
    const char *key, *text;
    int line;
    void *member;              /* the key's member of the test */
    const char *const *either; /* the key's two words */
};

/* The tests that a key applies to. */
enum test_kind { ANY, PROOF, PROGRAM };

struct key {
    const char *name;
    enum test_kind kind;
    void (*read)(const struct value *value); /* sets it in the test, or refuses it */
    size_t at;                               /* the member that it sets, by its place in the test */
    const char *either[2];                   /* of a bool: the words for false and for true */
};

/* In the order in which they are read; the last name is NULL. */
extern const struct key assignment_keys[];

/* The function of a collective: "peal_reduce_scatter", "MPI_Reduce_scatter"; the collective of a function such as
 * peal_scatterv or MPI_Ibcast; PEAL_COLLECTIVES: it has none. */
void keys_function(enum peal_collective collective, bool mpi, char name[60]);
enum peal_collective keys_collective(const char *function);

/* The path of the file beside the assignment that the entry names; a file that cannot be read is refused. */
const char *keys_file(struct ini_lines *lines, const struct ini_entry *entry);

/* Refuse an unknown key, and suggest the nearest one. */
void keys_refuse_unknown(struct ini_lines *lines);
