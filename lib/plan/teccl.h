/* SPDX-License-Identifier: MIT */
/* TE-CCL's schedules between reading them (teccl.c) and their plan (teccl_plan.c). */
#pragma once

#include "lib/plan/plan_formats.h"

enum { MAX_GPUS = 1024 };

/* One chunk, or part of one, on one link. */
struct teccl_flow {
    int chunk, from; /* as the file numbers them; `from` is a rank */
    int u, v;        /* ranks */
    int epoch, line;
    double volume;
    int first, units;
    size_t before;        /* the flow that brought it to u; SIZE_MAX none */
    size_t send, receive; /* steps */
};

struct teccl_reader {
    const char *name, *bytes;
    size_t count;
    struct peal_error *error;
    int rank[MAX_GPUS]; /* of a GPU's number; -1 */
    int nodes, ids;     /* chunk numbers are below ids */
    int *dest;          /* of (rank, chunk): the rank that wants it; -1 none; -2 several */
    int *wants;         /* how many */
    struct teccl_flow *flows;
    size_t flow_count, flow_room;
    int units;        /* of a chunk */
    const char *seek; /* where the next string is looked for, and its line */
    int line;
    struct peal_plan *plan;
    int *places; /* of (node, rank, chunk): where it is kept on the way; -1:
                  nowhere */
};

/* The place of a chunk in lists over (rank, chunk). */
static inline size_t
teccl_chunk_at(const struct teccl_reader *reader, int from, int chunk)
{
    return (size_t)from * (size_t)reader->ids + (size_t)chunk;
}

static inline bool
teccl_no_memory(struct teccl_reader *reader)
{
    peal_refuse(reader->error, PEAL_RESOURCES, "not enough memory to read %s", reader->name);
    return false;
}

/* Make the plan of the flows that were read; false, with the error filled: it cannot be made.
 *
 *   owner    reader->plan is the caller's, also after an error      */
bool teccl_plan(struct teccl_reader *reader, enum peal_collective collective);
