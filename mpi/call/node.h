/* SPDX-License-Identifier: MIT */
/* The state of a node of an MPI program: its objects, by handle, and the call that it makes. */
#pragma once

#define PEAL_MPI_ITSELF 1
#include <peal/mpi/mpi.h>

#include <peal/author.h>
#include <peal/machine.h>
#include <peal/post.h>
#include <peal/program.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of handles, as mpi.h numbers them. */
enum handle_kind {
    KIND_COMM = 1,
    KIND_GROUP,
    KIND_TYPE,
    KIND_REQUEST,
    KIND_MESSAGE,
    KIND_OP,
    KIND_ERRHANDLER,
    KIND_INFO,
    KIND_WIN,
    KIND_FILE,
    KINDS
};

/* Objects of one kind.  Slot i has the handle of kind, generation and FIRST_OWN + i; lower ones are predefined. */
struct handle_slot {
    void *object;        /* NULL: free */
    uint32_t generation; /* of the handle; a freed object's handle never comes again */
    uint32_t next;       /* of a free slot: the next one, counted from 1; 0: none */
    const char *call;    /* the call that made the object, and its place: a return address */
    const char *site;
};

struct handle_table {
    struct handle_slot *slots;
    uint32_t count, room, free;
};

enum { FIRST_OWN = 256 };

enum phase { PHASE_BEFORE, PHASE_RUNS, PHASE_OPERATES /* the function of an operator runs */, PHASE_AFTER };

/* The first call that moved data of MPI_LONG_INT, or of MPI_SHORT_INT. */
struct moved {
    const char *call, *site;
};

/* A node's computing between its calls, as measured by the processor; zeroed: nothing is measured. */
struct computing {
    bool on;
    bool samples;     /* sampled regions run only their first times */
    int calls;        /* nested calls that the node is in */
    int64_t since;    /* the thread's clock when the node began to compute */
    double scale;     /* nanoseconds of the model per nanosecond of this processor */
    double operation; /* nanoseconds of the model per declared operation */
    double rest;      /* less than a nanosecond, not charged yet */
    struct sampled_region *list, *open;
    int inside; /* regions begun within the open one */
};

struct mpi;
struct peal_block;

/* Call functions that a program in a process of its own has registered (mpi/process): their addresses are that
 * process's.  Each returns what the function returns; the last three are for memory. */
struct outside_calls {
    void (*operate)(struct mpi *mpi, MPI_User_function *function, void *in, void *inout, int count, MPI_Datatype type);
    void (*handle)(struct mpi *mpi, MPI_Comm_errhandler_function *function, uintptr_t object, int code);
    int (*copy)(struct mpi *mpi, MPI_Comm_copy_attr_function *function, uintptr_t object, int key, void *extra,
                void *in, void **out, int *flag);
    int (*remove)(struct mpi *mpi, MPI_Comm_delete_attr_function *function, uintptr_t object, int key, void *value,
                  void *extra);
    int (*query)(struct mpi *mpi, MPI_Grequest_query_function *function, void *extra, MPI_Status *status);
    int (*free)(struct mpi *mpi, MPI_Grequest_free_function *function, void *extra);
    int (*cancel)(struct mpi *mpi, MPI_Grequest_cancel_function *function, void *extra, int complete);
    void *(*allocate)(struct mpi *mpi, size_t bytes); /* memory that it can map, zeros; `release` frees it */
    void (*release)(struct mpi *mpi, void *memory);
    /* the array with an address, which belongs to the same buffer as the byte `data`; false: none is known */
    bool (*array)(struct mpi *mpi, const char *data, const char *address, struct peal_block *block);
};

/* An error that a call has returned. */
struct returned_error {
    int kind; /* of failure */
    const char *call, *file, *class_text;
    int line;
    char text[700];
};

struct mpi {
    struct peal_node *me; /* the node in the whole machine */
    enum phase phase;
    bool judged;      /* it runs a function that is checked, not a program (judged.h) */
    const char *call; /* the present call: "MPI_Send" */
    const char *file; /* of its site: a return address, see PEAL_CODE */
    int line;         /* PEAL_CODE_OF the call */
    bool fortran;     /* the call is made by Fortran */
    const void *from; /* the place of the next call, in Fortran or in a process; NULL: it is made by C */
    const struct outside_calls *outside; /* NULL unless the program is a process of its own */
    struct process *process;             /* that process */
    struct returned_error *returned;     /* the last one there: an exception may end the program by it */
    const void *exits;                   /* where a Fortran program exits; NULL: unknown */
    const char *said;      /* why the Fortran library ended the program: "End of file"; NULL or "": it did not */
    const char *sentinels; /* the COMMON block of a program in Fortran; NULL: there is none */
    struct handle_table tables[KINDS];
    struct comm *world, *self;
    const char *null_call, *null_site; /* the call that last gave the program MPI_COMM_NULL; NULL: none did */
    bool null_freed, null_undefined;   /* because it freed the communicator; because the color was MPI_UNDEFINED */
    int thread_level;
    uint64_t refused;          /* the phase after MPI_THREAD_MULTIPLE was refused; 0: it was not */
    bool picks;                /* the explorer picks the answers that MPI leaves open: mpi_pick.c */
    struct buffered *attached; /* the buffer of MPI_Bsend, or NULL */
    struct keyvals *keyvals;
    struct basic_own *basic_own; /* the node's own settings of MPI's datatypes, which all nodes share; see type.h */
    struct error_codes *error_codes;
    struct by_precision *by_precision; /* see type_f90.c */
    struct mpi_request *spare;         /* requests to be used again */
    struct sites *sites;               /* where the node sent from, see mpi_finding.c; NULL: it has not */
    struct moved moved[2];             /* see notes.c, as for the next two */
    struct freed *freed;               /* freed receives that no later message has confirmed */
    bool asked_tag;                    /* the program knows MPI_TAG_UB */
    MPI_User_function *tried;          /* the last operator that was tried out: reduction.c */
    struct moved_bytes {
        const char *begin;
        size_t bytes;
    } receives;               /* of the present call, until held_return; 0 bytes: none */
    struct bounds_seen *seen; /* see mpi_bounds.c; NULL: nothing */
    struct computing computing;
};

/* The node's calls begin, and end. */
void computing_begin(struct mpi *mpi);

/* A call of MPI begins, or the time is read: charge what the node has computed since the last one ended.  It ends. */
void computing_call(struct mpi *mpi);
void computing_pause(struct mpi *mpi);
void computing_resume(struct mpi *mpi);

/* A function of --sample is called; it has returned. */
enum peal_sample computing_function_begins(struct peal_node *me, int function);
void computing_function_ends(struct peal_node *me);

/* The numbers of the calls, from 1, for PEAL_CODE_OF. */
#define PEAL_MPI(type, name, parameters) CALL_##name,
#define PEAL_MPI_ABSENT(type, name, parameters) CALL_##name,
enum mpi_call {
    CALL_NONE,
#include <peal/mpi/calls.def>
    CALLS
};
#undef PEAL_MPI
#undef PEAL_MPI_ABSENT

/* Begin a call: the node that makes it, which must be between MPI_Init and MPI_Finalize.  It initialises `mpi`;
 * `entered` ends the call when the function returns. */
#define ENTER(name) mpi_enter(CALL_##name, __builtin_return_address(0)), UNTIL_IT_RETURNS
struct mpi *mpi_enter(enum mpi_call call, const void *site);

/* Begin a call that may be made at any time. */
#define ENTER_ANY(name) mpi_enter_any(CALL_##name, __builtin_return_address(0)), UNTIL_IT_RETURNS
struct mpi *mpi_enter_any(enum mpi_call call, const void *site);

/* Begin a call inlined, for calls that do little. */
#define ENTER_INLINE(name) mpi_enter_inline(CALL_##name, __builtin_return_address(0)), UNTIL_IT_RETURNS
#define UNTIL_IT_RETURNS *entered __attribute__((unused, cleanup(mpi_leave))) = mpi

extern void (*mpi_run_ended)(void); /* NULL: nothing is done then */

/* Starts the processes that are the nodes of the next run (struct peal_runtime_hooks). */
struct peal_enclosed_nodes;
extern const char *(*mpi_run_starts)(const struct peal_enclosed_nodes *nodes);
extern struct mpi *mpi_nodes; /* by rank; made before the nodes of a run start; each is written by its own node only */
extern const char *const mpi_call_names[CALLS];
__attribute__((noreturn, cold)) void mpi_refuse_stray(enum mpi_call call, const void *site);
__attribute__((cold)) void mpi_check_phase(struct mpi *mpi);

/* The call is made by Fortran, or by a process: its place is mpi->from. */
__attribute__((cold)) void mpi_enter_from(struct mpi *mpi);

/* The node that makes a call. */
static inline struct mpi *
mpi_caller(enum mpi_call call, const void *site)
{
    struct peal_node *me = peal_self();

    if (!me || !mpi_nodes)
        mpi_refuse_stray(call, site);
    struct mpi *mpi = &mpi_nodes[peal_world_rank(me)];

    mpi->me = me;
    mpi->call = mpi_call_names[call];
    mpi->file = peal_passed_on(me, site);
    mpi->line = PEAL_CODE_OF((int)call);
    return mpi;
}

static inline struct mpi *
mpi_enter_any_inline(enum mpi_call call, const void *site)
{
    struct mpi *mpi = mpi_caller(call, site);

    mpi->fortran = false;
    if (__builtin_expect(mpi->from != NULL, 0))
        mpi_enter_from(mpi);
    if (__builtin_expect(mpi->computing.on, 0) && call != CALL_NONE)
        computing_call(mpi);
    return mpi;
}

static inline void
mpi_leave(struct mpi *const *mpi)
{
    if (__builtin_expect((*mpi)->computing.on, 0))
        computing_resume(*mpi);
}

static inline struct mpi *
mpi_enter_inline(enum mpi_call call, const void *site)
{
    struct mpi *mpi = mpi_enter_any_inline(call, site);

    if (mpi->phase != PHASE_RUNS)
        mpi_check_phase(mpi);
    return mpi;
}

/* Before the definition of a function: also name it with a P, and let a program define the name without it. */
#define MPI_PROFILED(name) extern __typeof__(name) name __attribute__((weak)), P##name __attribute__((alias(#name)))

/* The head of a function. */
#define MPI_FUNCTION(type, name, ...)                                                                                  \
    MPI_PROFILED(MPI_##name);                                                                                          \
    type MPI_##name(__VA_ARGS__)

/* A function that gives `value`, an expression of `mpi` and its parameters; MPI_CHECKED: after `checks`, statements
 * that may return (FIND_COMM, NEED). */
#define MPI_CALL(name, parameters, value) MPI_CHECKED(name, parameters, , value)
#define MPI_CHECKED(name, parameters, checks, value)                                                                   \
    MPI_PROFILED(MPI_##name);                                                                                          \
    int MPI_##name parameters                                                                                          \
    {                                                                                                                  \
        struct mpi *mpi = ENTER(name);                                                                                 \
        checks;                                                                                                        \
        return value;                                                                                                  \
    }                                                                                                                  \
    struct mpi

/* ------------------------------------------------------------------ memory of the node, freed at the end of the run */

void *mpi_alloc(struct mpi *mpi, size_t bytes);   /* zeros */
void *mpi_scratch(struct mpi *mpi, size_t bytes); /* not cleared */

static inline void
mpi_free(struct mpi *mpi, void *memory)
{
    if (memory)
        peal_free(mpi->me, memory);
}

/* Replace the name of an object by a copy of what MPI_X_set_name is given. */
void mpi_set_name(struct mpi *mpi, char **own, const char *name);

/* ------------------------------------------------------------------ handles */

/* Give the object a handle; free one; find the object of one, NULL if it names none of this kind. */
uintptr_t handle_make(struct mpi *mpi, enum handle_kind kind, void *object);
void handle_free(struct mpi *mpi, enum handle_kind kind, uintptr_t handle);
void *handle_find(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle);

/* The number of a handle, -1 if it names nothing of this kind; the handle of a number. */
int handle_number(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle);
uintptr_t handle_numbered(const struct mpi *mpi, enum handle_kind kind, int number);

/* Describe a handle that names no object, "is MPI_COMM_NULL", "was freed", "is a datatype", and advise what fits. */
const char *handle_wrong(const struct mpi *mpi, enum handle_kind kind, uintptr_t handle);

/* ------------------------------------------------------------------ errors */

/* An argument of the call is wrong: end the run, or give the error's class, as the communicator's handler says (NULL:
 * that of MPI_COMM_WORLD). */
int mpi_error(struct mpi *mpi, struct comm *comm, int class, const char *format, ...) PEAL_PRINTF(4, 5);

/* Return the error that a step of the call has raised. */
#define TRY(step)                                                                                                      \
    do {                                                                                                               \
        int raised = (step);                                                                                           \
                                                                                                                       \
        if (raised)                                                                                                    \
            return raised;                                                                                             \
    } while (0)

/* End the run. */
__attribute__((noreturn)) void mpi_fail(struct mpi *mpi, int kind, const char *format, ...) PEAL_PRINTF(3, 4);

/* Faults of a program that do not end its run. */

/* Whether the run is strict (PEAL_STRICT): leaks are listed, and buffers of pending messages are watched. */
void strict_begin(void); /* before a run */
bool finding_strict(void);

/* Whether the program's own accesses are watched in this run; set by held_begin. */
extern bool finding_watched;

/* Record a finding of the call that the node makes, with one more place in code; rank -1: none.  The text follows the
 * call's name. */
void mpi_find(struct mpi *mpi, int kind, int rank, const char *site, const char *format, ...) PEAL_PRINTF(5, 6);

/* Record a finding at `at`, with its whole text. */
void remark_at(struct mpi *mpi, int kind, const char *at, int rank, const char *site, const char *format, ...)
    PEAL_PRINTF(6, 7);

/* A remark on a call that has its own rule, or is a note, which is recorded only in strict runs.  A note has no rule,
 * since nothing forbids its subject: what the standard says precedes its correction. */
struct remark {
    int kind;
    bool note;
    const struct peal_rule *rule; /* NULL: the kind's */
    const char *call, *at;        /* and its place; NULL: the call that the node makes now */
    int rank;                     /* of one more place */
    const char *site;             /* NULL: there is none */
};
void mpi_remark(struct mpi *mpi, const struct remark *remark, const char *format, ...) PEAL_PRINTF(3, 4);
