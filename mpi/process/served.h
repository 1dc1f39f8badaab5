/* SPDX-License-Identifier: MIT */
/* A call that a process has handed over, and its arguments. */
#pragma once

#include "mpi/process/node_process.h"
#include "mpi/strict/lengths.h"

enum argument_kind {
    VALUE,   /* a number, a handle, or an address that is not followed */
    NOTHING, /* NULL is given instead */
    SLOT,    /* the bytes at an address, this many: they come in the channel */
    LIST,    /* of elements of this many bytes */
    BUFFER,  /* data */
    TEXT_IN,
    TEXT_OUT,
    FUNCTION, /* the program's: its address in the process */
};

/* The length of a list, or how often a buffer has its count; the first ones are those of lengths.h. */
enum { ONCE = DIMENSIONS + 1, SUM, LAST, MINE, ROOT_ONCE, OWN_SIDE, ALONE /* an element */ };

struct served_argument {
    uint8_t kind, out, element, size, times;
    uint8_t large; /* it is a count of 64 bits in a call that has those */
    int8_t count;  /* the argument that has the length, or -1 */
    int8_t type;   /* likewise; of a list: the buffer with which it is ignored, if that is MPI_IN_PLACE */
    int8_t displs; /* of a buffer with a list of counts, likewise */
};

struct call_row {
    void (*function)(void);
    int8_t count, comm, root, request;
    uint8_t persistent, result; /* the last: an element_kind */
    struct served_argument arguments[MAX_ARGUMENTS];
};

/* A call that is being served. */
struct served {
    struct process *process;
    const struct call_row *row;
    int call;
    bool large;                     /* with counts of 64 bits */
    bool lets_go;                   /* it frees an active request */
    uint64_t values[MAX_ARGUMENTS]; /* as the process gave them, except numbers and handles */
    uint64_t real[MAX_ARGUMENTS];   /* as the call here gets them */
    long lengths[MAX_ARGUMENTS];    /* of the lists that are copied here */
    unsigned char slots[MAX_ARGUMENTS][SLOT_BYTES];
    struct copied_part part; /* of the buffer, if it has one */
    MPI_Datatype *drawn;     /* types that were made for the call */
    size_t drawn_count;
};

/* Convert a handle of the process's library to Peal's, and back. */
uint64_t handle_in(const struct process *process, int kind, uint64_t theirs);
uint64_t handle_out(const struct process *process, uint64_t ours);

/* Likewise a number of this kind, an element_kind. */
int64_t number_in(const struct process *process, int kind, int64_t theirs);
int64_t number_out(const struct process *process, int kind, int64_t ours);

/* Likewise elements that have `bytes` each in Peal's interface, in memory that does not overlap; the bytes that one has
 * in the library's. */
void elements_in(const struct process *process, int element, size_t bytes, const void *theirs, void *ours, long count);
void elements_out(const struct process *process, int element, size_t bytes, const void *ours, void *theirs, long count);
size_t element_bytes(const struct process *process, int element, size_t bytes);

/* Take the arguments, with copies of what they point to; give back what the call has written, except buffers. */
void arguments_in(struct served *s);
void arguments_out(struct served *s);
