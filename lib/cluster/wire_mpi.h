/* SPDX-License-Identifier: MIT */
/* The engine's connection to one MPI, from inside: wire_mpi.c and wire_mpi_control.c share it. */
#pragma once

#include "lib/cluster/wire.h"
#include <mpi.h>

/* A control message on its way. */
struct control_msg {
    MPI_Request request;
    struct control_msg *next;
    char bytes[];
};

struct mpi_wire {
    struct wire wire; /* first */
    MPI_Comm *contexts;
    MPI_Request *requests; /* by number */
    uint32_t context_count, request_count;
    MPI_Comm control;
    struct control_msg *control_msgs;
    MPI_Request gathering, meeting;
    MPI_Datatype word; /* of messages that are too long to be counted in bytes */
    size_t word_bytes;
};

static inline struct mpi_wire *
wire_mpi_of(struct wire *wire)
{
    return (struct mpi_wire *)wire;
}

/* MPI's own waits would not let others work. */
static inline void
wire_mpi_finish(const struct wire *wire, MPI_Request *request)
{
    int done = 0;

    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        wire_relax(wire);
}

/* Functions of struct wire_kind: control messages, and what all processes do together. */
bool control_post(struct wire *public, int dest, int kind, const void *bytes, size_t count);
void *control_look(struct wire *public, int *source, int *kind, size_t *count);
bool control_gather_begin(struct wire *public, uint32_t context, const int mine[2], int *all);
bool control_gather_done(struct wire *public);
bool control_meet_begin(struct wire *public);
bool control_meet_done(struct wire *public);
void control_broadcast(struct wire *public, void *bytes, size_t count, int root);
char *control_exchange(struct wire *public, const void *bytes, size_t count, size_t *counts);
