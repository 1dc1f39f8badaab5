/* SPDX-License-Identifier: MIT */
/* A machine's constants from measured times of algorithms, and how well the times that they give choose among them. */
#pragma once

#include "lib/study/counts.h"
#include "lib/study/figures.h"

enum { MAX_CLASSES = 3, MAX_CONSTANTS = 2 * MAX_CLASSES + 5 };

/* Which constants a model has: α and β for each class of message sizes, and the others where they are asked for. */
struct model_form {
    int classes;
    double limits[MAX_CLASSES - 1]; /* bytes: a message of class i is at most limits[i] long */
    bool overlap, combine, copy, shared, block;
};

/* The constants, in microseconds; β, γ, c and κ are those of a byte. */
struct model {
    struct model_form form;
    double alpha[MAX_CLASSES], beta[MAX_CLASSES];
    double overlap; /* o: a start-up that waits for no message */
    double combine; /* γ: a byte combined by the operator; without c, also one copied within a node */
    double copy;    /* c: a byte copied within a node */
    double shared;  /* κ: a byte of other messages on the link of a message, which else costs β */
    double block;   /* b: a block whose place is computed as it is copied, beside its bytes */
    size_t used;    /* times that it was fitted to */
    double error;   /* the mean of |ln(modelled/measured)| */
    double price;   /* 2N ln(error) + (constants and limits)·ln N: the lower, the better */
};

/* A measured time with its algorithm's counts. */
struct case_of_model {
    const struct figure *figure;
    const struct run_counts *counts; /* NULL: its algorithm is not counted, or is the library's choice */
};

/* Whether the counts hold for this size: an algorithm that cuts a vector needs a word for every part. */
PEAL_PRIVATE bool peal_model_counts(const struct run_counts *counts, const struct figure *figure);

/* The modelled time, in microseconds. */
PEAL_PRIVATE double peal_model_time(const struct model *model, const struct run_counts *counts,
                                    const struct figure *figure);

/* Find which constants explain enough to be kept: of all forms up to `most` the one with the least price, where each
 * further constant must improve that by 10. */
PEAL_PRIVATE enum peal_status peal_model_search(const struct case_of_model *cases, size_t count, int from, int to,
                                                const struct model_form *most, struct model *model,
                                                struct peal_error *error);

/* How well a choice by modelled times does, over sizes at which two algorithms or more were measured.  Ratios are to
 * the least measured time of the algorithms that are modelled. */
struct judgement {
    size_t choices, right;
    double log_sum, worst;         /* of time(chosen)/least */
    const struct figure *worst_at; /* the chosen one */
    const struct figure *worst_best;
    size_t over_twice;
    size_t standards; /* of the choices, those with a time of the library's own choice */
    double standard_log_sum, standard_worst;
    struct choice {
        double chosen, least, library; /* measured times; NAN: not measured */
    } * list;                          /* of the choices; owned */
    double *errors;                    /* |modelled/measured − 1| of each case; owned, sorted */
    size_t error_count;
};

/* Judge the cases on `from` to `to` nodes; of one collective, or, with `collective` −1, of all.
 *
 *   owner    the caller frees it with peal_judgement_fini, also after an error
 *   errors   PEAL_RESOURCES */
PEAL_PRIVATE enum peal_status peal_model_judge(const struct case_of_model *cases, size_t count, int from, int to,
                                               int collective, const struct model *model, struct judgement *judgement,
                                               struct peal_error *error);
PEAL_PRIVATE void peal_judgement_fini(struct judgement *judgement);
