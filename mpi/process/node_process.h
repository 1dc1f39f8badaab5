/* SPDX-License-Identifier: MIT */
/* A node whose program is a process: it makes the calls that the process hands over, on copies of its buffers. */
#pragma once

#include "mpi/call/node.h"
#include "mpi/process/channel.h"
#include "mpi/type/type.h"
#include <spawn.h>

enum { NAME_KINDS = ELEMENT_HANDLE + KINDS };

/* A block of memory for a call, or until its request is complete. */
struct process_block {
    struct process_block *next;
    size_t mapped; /* 0: from malloc */
    _Alignas(16) char bytes[];
};

/* A buffer of the process, and its copy here. */
struct buffer_copy {
    struct buffer_copy *next;
    struct process_block *block;
    char *copy;   /* as if the buffer began there */
    size_t bytes; /* the used bytes of the block */
    uint64_t theirs;
    uint64_t array_end;           /* of the array in which it lies, if known: nothing behind that is read or written */
    bool out;                     /* the process gets what the call has written */
    struct process_block *before; /* what it held when the call began; NULL: not remembered */
    struct copied_part {
        struct type *type; /* with a use counted; NULL: bytes */
        size_t count;
        ptrdiff_t offset, theirs; /* from the beginning of the copy, and of the buffer */
    } * parts;
    size_t part_count;
};

/* What a request, or an access to a window, holds until it is complete. */
struct kept_call {
    struct kept_call *next;
    MPI_Request request; /* MPI_REQUEST_NULL: it has none */
    MPI_Win win;         /* of an access without a request, to the rank; or NULL */
    int rank;
    bool persistent;
    bool overwritten;        /* another call has written into the same memory */
    const char *call, *site; /* the call that began it */
    struct buffer_copy *shadows;
    struct process_block *blocks;
    MPI_Comm *late; /* a handle that is set when it is complete; NULL: none */
    uint64_t late_at;
};

struct process {
    struct mpi *mpi;
    struct channel *channel;
    /* Have the process do something, and wait for it; calls that it makes meanwhile are served. */
    void (*ask)(struct process *process, enum process_request what);
    int rank, output;               /* the read end of its standard output; -1: at its end */
    bool in_call;                   /* it waits for an answer */
    bool reported;                  /* its end during the call was reported */
    struct process_window *windows; /* process_windows.c */
    struct kept_call *pending;
    struct kept_call *let_go;     /* of requests that were freed while active: until the end, as data may still come */
    struct process_block *blocks; /* of the call that is made now */
    struct buffer_copy *shadows;
    char *another; /* the library of another MPI that it has loaded; NULL: none is known */
    /* of the channel, which the process can change at any time */
    struct known_name names[MAX_NAMES];
    short first_names[NAME_KINDS + 1]; /* by kind: where its names begin, and those of the next */
    int handle_bytes, status_form;
    char lacks[64];
    char through[64]; /* the last call, as Python names it: "comm.recv" */
    struct returned_error returned;
};

/* ------------------------------------------------------------------ process_memory.c */

/* Let the processes themselves copy, as they do where the system forbids reading their memory. */
void process_memory_forbid(void);

/* Copy bytes from the process's memory, or to it; false: there is no such memory. */
bool process_read(struct process *process, uint64_t from, void *to, size_t bytes);
bool process_write(struct process *process, uint64_t to, const void *from, size_t bytes);

/* Memory for the call, with zeros. */
void *process_alloc(struct process *process, size_t bytes);
void process_free(struct process_block *blocks);

/* A copy of a buffer's parts: make it; fill it (false: it is not in the process's memory), or write it back; free
 * all. */
struct buffer_copy *shadow_make(struct process *process, uint64_t buffer, const struct copied_part *parts, size_t count,
                                bool out);
bool shadow_move(struct process *process, const struct buffer_copy *shadow, bool writes);
void shadows_free(struct process *process, struct buffer_copy *shadows);

/* Fill all of the call when it is made, and write back what it has written when it is answered; `again`: the same
 * values of its arguments ask for the same bytes. */
bool shadows_fill(struct process *process, bool again);
void shadows_empty(struct process *process);

/* The address in the process of a byte of a copy. */
uint64_t shadow_address(const struct buffer_copy *shadow, const char *at);

/* Remember what the copy holds now; whether the process's buffer still holds that. */
void shadow_remember(struct process *process, struct buffer_copy *shadow);
bool shadow_is_current(struct process *process, const struct buffer_copy *shadow);

/* The copy that has this byte, of the present call or of one that is pending; NULL: none has. */
struct buffer_copy *shadow_find(struct process *process, const char *at);

/* The array of Python in whose memory an address of the process lies: where that begins, its bytes, its name; false:
 * none is known. */
bool process_array(struct process *process, uint64_t *address, size_t *bytes, char *name, size_t room);

/* ------------------------------------------------------------------ spawner_start.c */

/* Start the spawner with the channels' file and the words of the nodes; it inherits what the actions name.  Gives its
 * number, or 0: *failed says what failed, errno why. */
pid_t spawner_start(int file, char **argv, const posix_spawn_file_actions_t *actions, const char **failed);

/* ------------------------------------------------------------------ functions.c */

/* Functions of the program, which its process calls. */
extern const struct outside_calls process_calls;

/* ------------------------------------------------------------------ serve.c */

/* Calls that fail a run; NULL: none do. */
extern bool *process_refused_calls;

/* The place of a call, as in mpi->file; `taken` is it as the process gave it.  NULL: it is not known. */
const char *process_place(const struct call_place *place, struct call_place *taken);

/* Make the call that the process has handed over; the answer is in the channel. */
void process_serve(struct process *process);

/* The end of a run: what pending requests hold is freed. */
void process_forget(struct process *process);
