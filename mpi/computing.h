/* SPDX-License-Identifier: MIT */
/* What a node computes between its calls, as the processor measures it. */
#pragma once

#include <peal/program.h>
#include <stdbool.h>
#include <stdint.h>

struct mpi;

/* Zeroed nothing is measured. */
struct computing {
    bool on;
    bool samples;     /* sampled regions run only their first times */
    int calls;        /* that the node is in, one inside another */
    int64_t since;    /* of the thread's clock: the node computes since then */
    double scale;     /* nanoseconds of the model in one of this processor */
    double operation; /* nanoseconds of the model in a declared operation */
    double rest;      /* of less than a nanosecond, not charged yet */
    struct sampled_region *list, *open;
    int inside; /* sampled regions in the open one */
};

/* The node's calls begin, and end. */
void computing_begin(struct mpi *mpi);
void computing_end(struct mpi *mpi);

/* The time is read, or a call of MPI begins: charge what the node has computed since the last one; and it ends. */
void computing_call(struct mpi *mpi);
void computing_pause(struct mpi *mpi);
void computing_resume(struct mpi *mpi);

/* The program calls a function of --sample; and it has returned. */
enum peal_sample computing_function_begins(struct peal_node *me, int function);
void computing_function_ends(struct peal_node *me);
