/* SPDX-License-Identifier: MIT */
/* A formula in conjunctive normal form: clauses of literals; variables are 1, 2, ..., a literal is ±variable. */
#pragma once

#include "lib/base/clock.h"
#include <stdio.h>

/* All literals in a row, a 0 after each clause.  `full`: out of memory, too many variables, or late; nothing is added
 * then.  `deadline` ends making and writing it; NULL: no deadline. */
struct cnf {
    int *literals;
    size_t count, capacity, clauses;
    int variables;
    bool full;
    const struct deadline *deadline;
};

void cnf_fini(struct cnf *cnf);

/* Give `count` variables that follow one another; returns the first. */
int cnf_variables(struct cnf *cnf, size_t count);

/* Add a clause of `count` literals; CNF_ADD takes those given, up to the first 0. */
void cnf_add(struct cnf *cnf, const int *literals, size_t count);
#define CNF_ADD(cnf, ...) cnf_add(cnf, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

/* At most one of the literals is true. */
void cnf_at_most_one(struct cnf *cnf, const int *literals, size_t count);

/* Count upwards: of the `most` variables that are written into sum, sum[i] is true if more than i of the literals are.
 * `most` is reduced to `count`; returns it.  (Bailleux and Boufkhad's totalizer, in the direction that upper limits
 * need.) */
int cnf_count(struct cnf *cnf, const int *literals, size_t count, int most, int *sum);

/* Add two numbers of this form, of `a_count` and `b_count` digits. */
int cnf_sum(struct cnf *cnf, const int *a, int a_count, const int *b, int b_count, int most, int *sum);

/* At most `most` of the literals are true. */
void cnf_at_most(struct cnf *cnf, const int *literals, size_t count, int most);

/* Whether its deadline is over: then it is incomplete, and so is its file. */
bool cnf_is_late(const struct cnf *cnf);

/* Write it in the DIMACS form. */
void cnf_write(const struct cnf *cnf, FILE *out);

/* The SHA-256 of that form, in hexadecimal digits. */
void cnf_digest(const struct cnf *cnf, char digest[65]);
