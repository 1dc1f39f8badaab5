/* SPDX-License-Identifier: MIT */
/* Node programs in files: compile one, give every node a copy of its globals, run it.
 *
 * A node program is one or several files of C or C++ (.cc, .cpp, .cxx, .c++, .C), one of which defines peal_main of
 * <peal/node.h>; in C++ it is extern "C", as declared there.  Every node has its own
 *   - globals, statics and thread-locals of the files;
 *   - argv and the strings in it;
 *   - standard output, as of peal_printf: printf, puts, putchar, fwrite, ... with stdout;
 *   - the sequences of rand and random, and of drand48 and its family.  Unseeded they depend on the machine's seed and
 *     the rank; srand(s) gives the C library's numbers for s, on every node;
 *   - strtok; and its end: exit(0) is peal_exit, exit(n) fails the run.
 * String literals, const objects and code are read-only: a write to one fails the run as private-memory.
 * This holds for calls in the program's own files; output of std::cout is not ordered.  All other state of the C
 * library (getopt's optind, the locale, open files) is shared by the nodes. */
#ifndef PEAL_PROGRAM_H
#define PEAL_PROGRAM_H

#include <peal/machine.h>

PEAL_BEGIN

struct peal_program_file;

struct peal_program_options {
    const char *compiler;       /* NULL: $CC, else cc */
    const char *flags;          /* further words for the compiler and the linker, split at spaces; NULL: $CFLAGS */
    int argc;                   /* of peal_main, argv[0] included; 0: only the file's name */
    char **argv;                /* borrowed until peal_program_load returns */
    const char *const *sources; /* further C and C++ files of the program, up to NULL; NULL: none */
    const char *function;    /* not NULL: the file needs no peal_main, but a function of this name that others call */
    const char *declaration; /* of that function, in C: the compiler refuses one of other arguments; NULL: any */
    const char *after;       /* C++ that is compiled after a C++ file, and defines that function; NULL: nothing */
    bool host_clock;         /* of a linked program: the time is the host's, not the model's */
    bool watched;            /* of a file that includes mpi.h: accesses to memory are watched, see pealcc --watch */
    /* Called when the file is compiled and none of it has run: an error ends the load.  NULL: nothing is called. */
    enum peal_status (*before_loading)(void *arg, struct peal_error *error);
    void *arg; /* of before_loading */
};

/* Compile and load `path` for machines of at most `nodes` nodes.  A program without a global, static or thread-local
 * that can be written is loaded once, any other once per node.  `options` may be NULL.  The compiler's messages go to
 * standard error at once.
 *
 *   owner    the caller destroys it, after the last run; NULL after an error, with everything freed
 *   blocks   until the compiler has ended
 *   thread   one at a time in a process
 *   errors   PEAL_PROGRAM when the file cannot be read, does not compile, link or load, or has no peal_main, and when
 *            there is no compiler; PEAL_RESOURCES when the copies do not fit (says how many did, and the remedy);
 *            PEAL_USAGE if nodes < 1; that of before_loading                                                 */
PEAL_API struct peal_program_file *peal_program_load(const char *path, int nodes,
                                                     const struct peal_program_options *options,
                                                     struct peal_error *error);
PEAL_API void peal_program_destroy(struct peal_program_file *file);

/* What a file is: linked already, by pealcc; C that includes mpi.h; or a program that was built for another MPI, a
 * script, or what runs scripts: each node is a process then.  Such a program begins at main, and is run on a machine
 * whose words are bytes. */
enum peal_program_kind { PEAL_PROGRAM_SOURCE, PEAL_PROGRAM_MPI_SOURCE, PEAL_PROGRAM_LINKED, PEAL_PROGRAM_PROCESS };
PEAL_API enum peal_program_kind peal_program_kind(const char *path);

/* What a program has that belongs to a thread, so that each node needs a thread of its own: the engine threads. */
enum peal_program_needs {
    PEAL_PROGRAM_NEEDS_NOTHING,
    /* nodes that share a thread have their own of these nevertheless: any engine is right */
    PEAL_PROGRAM_HAS_THREAD_LOCALS,
    PEAL_PROGRAM_USES_OPENMP,    /* the team of a thread */
    PEAL_PROGRAM_STARTS_THREADS, /* what it asks of its own thread; of a source */
};

/* What the program at `path` needs, linked or a source: of several OpenMP, then threads, thread-locals.  A file
 * that cannot be read needs nothing. */
PEAL_API enum peal_program_needs peal_program_needs(const char *path);

/* The number of copies loaded: 1, or one for each node. */
PEAL_API int peal_program_copies(const struct peal_program_file *file);

/* Run the program on the machine, as peal_run does.  A second run finds the globals as the first left them.
 *
 *   errors   bad-size when the machine has more nodes than the file was loaded for                  */
PEAL_API const struct peal_failure *peal_program_run(struct peal_machine *machine, struct peal_program_file *file);

/* Run `program` as peal_run does, on nodes that may call what the file defines.  Globals begin as they were loaded.  On
 * a node of such a run peal_program_function gives the node's own copy of `function`; the caller knows its type.
 *
 *   errors   bad-size when the machine has more nodes than the file was loaded for                  */
PEAL_API const struct peal_failure *peal_program_start(struct peal_machine *machine, struct peal_program_file *file,
                                                       peal_program program, void *arg);
PEAL_API void (*peal_program_function(const struct peal_program_file *file, struct peal_node *me))(void);

/* ------------------------------------------------------------------ linked programs
 *
 * A program that pealcc has linked, or that includes mpi.h, begins at main and knows no struct peal_node.  Beyond what
 * other programs have for themselves, each node has getopt's state, what it gave to atexit, an exit code; the time
 * (clock_gettime, gettimeofday, time, clock) is the model's, in nanoseconds; node 0 has standard input, for others it
 * is empty. */

/* The exit code of the last run: of the node that ended it (peal_program_abort_at, exit), else the lowest rank's that
 * is not 0; 0 after other failures. */
PEAL_API int peal_program_code(const struct peal_program_file *file);

/* End the run with this exit code, as a failure with a text, reported for this node.  Does not return. */
PEAL_API __attribute__((noreturn)) void peal_program_abort_at(struct peal_node *me, int code, const char *file,
                                                              int line, const char *format, ...) PEAL_PRINTF(5, 6);

/* End the process: a thread that is not a node called the function `call` from that code: in a constructor, or one that
 * the program has created. */
PEAL_API __attribute__((noreturn, cold)) void peal_program_refuse_stray(const void *code, const char *call);

/* The time of the node in seconds: the model's, or the host's.  A read moves the node's own time on, so that loops
 * end. */
PEAL_API double peal_program_seconds(struct peal_node *me);

/* Whether a call of a function of --sample runs as usual, is measured until it returns, or is skipped. */
enum peal_sample { PEAL_SAMPLE_RUNS, PEAL_SAMPLE_MEASURED, PEAL_SAMPLE_SKIPPED };

/* Events of a run, for a library beneath linked programs: that of MPI. */
struct peal_judged_calls;
struct peal_enclosed_nodes;
struct peal_runtime_hooks {
    bool (*begins)(int nodes); /* a run is to begin.  False without memory */
    /* The node's main has returned `code`, or it has called exit: may fail the run. */
    void (*ends)(struct peal_node *me, int code, bool returned);
    void (*ended)(void); /* the run is over */
    /* Of a check (<peal/check.h>): make a node's calls of a user's function. */
    void (*judges)(struct peal_node *me, const struct peal_judged_calls *calls);
    /* The program reads the node's time or sleeps, by a function of the C library; `ends`: it goes on. */
    void (*stands_still)(struct peal_node *me, bool ends);
    /* The program calls the function of --sample with this number; one that is measured has returned. */
    enum peal_sample (*sample_begins)(struct peal_node *me, int function);
    void (*sample_ends)(struct peal_node *me);
    /* Start the processes that are the nodes of the next run.  NULL, or what failed, as errno says. */
    const char *(*starts)(const struct peal_enclosed_nodes *nodes);
};

/* Nodes that are processes in sandboxes of their own, started before this process enters one.  Such a process shares
 * memory with this one alone.  owner: all is borrowed until the run is over */
struct peal_enclosed_nodes {
    int count;             /* at most PEAL_MAX_ENCLOSED */
    char **words;          /* what each executes, NULL after the last; PEAL_SEED in its environment is its own */
    const uint64_t *seeds; /* one per node */
    bool (*refuses)(const void *arg, const char *call); /* whether it fails a run to call this function of MPI */
    const void *arg;
};
enum { PEAL_MAX_ENCLOSED = 64 };

/* Call these functions from now on; NULL: none.  owner: borrows *guest */
PEAL_API void peal_runtime_hooks(const struct peal_runtime_hooks *guest);

PEAL_END

#endif
