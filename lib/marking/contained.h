/* SPDX-License-Identifier: MIT */
/* Running an untrusted node program in a child process: its crash, its exit and its output stay there. */
#pragma once

#include "lib/check/sent.h"
#include <peal/machine.h>
#include <peal/program.h>

/* What is compiled.  Strings are borrowed until peal_contained_compile returns. */
struct peal_contained_source {
    const char *file;      /* the untrusted C file; NULL: the driver alone, or a program that does nothing */
    const char *driver;    /* a C file with the peal_main, a unit of its own; NULL: the file has its own */
    const char *functions; /* with a driver: the file's names that it may call, a line each; NULL: all that are in
                                   * no library */
    const char *offers;    /* the driver's names that the file may use, a line each; NULL: none */
    const char *compiler, *flags; /* NULL: $CC, $CFLAGS */
    bool calls_only;              /* it will not be run: it need not link */
    bool watched;                 /* check each access to memory, where the compiler can */
    bool mpi;                     /* a program for MPI: it, or the driver, has main */
    bool python; /* a program in Python for MPI; with a driver, which is in Python too, it is the module `submission` */
    bool (*refuses)(const void *arg, const char *call); /* of one in Python: whether calling it fails a run; NULL */
    const void *refuses_for;
    bool lenient; /* findings of an MPI program do not fail its runs */
};

/* A program, compiled. */
struct peal_contained;

/* Compile it, in a child process.
 *
 *   owner    the caller destroys it
 *   blocks   until the compiler has ended, a minute at most
 *   thread   no other thread may run in the process: it forks
 *   errors   gives NULL: PEAL_PROGRAM when it does not compile or link, *messages then says why; PEAL_RESOURCES      */
PEAL_PRIVATE struct peal_contained *peal_contained_compile(const struct peal_contained_source *source, char **messages,
                                                           struct peal_error *error);
PEAL_PRIVATE void peal_contained_destroy(struct peal_contained *program);

/* The undefined names of its object, a line each; those of a driver alone include peal_main if it does not define it.
 * After a `=` the names of the functions that it defines for others. */
PEAL_PRIVATE const char *peal_contained_calls(const struct peal_contained *program);

/* Whether the program defines no function of this name for others; *error names similar ones.  `file` is its name. */
PEAL_PRIVATE bool peal_contained_lacks(const struct peal_contained *program, const char *file, const char *function,
                                       struct peal_error *error);

/* The result of one run. */
struct peal_contained_result {
    bool failed;
    PEAL_EMBED(peal_fault, fault, PEAL_FAULT); /* when it failed */
    /* an access to another node's memory, or a forbidden one to its own, fails the run; in an MPI program an access to
     * memory that an operation uses */
    bool watched;
    struct peal_cost cost;
    struct sent_messages traffic; /* with machine->rounds PEAL_ROUNDS_ALL */
    char *output;                 /* what the nodes printed, a string of output_bytes bytes; the caller frees it */
    size_t output_bytes;
};

/* A run of a program in Python: each node's random numbers begin with its own seed, where there are seeds. */
struct peal_contained_seeds {
    uint64_t of[PEAL_MAX_ENCLOSED];
};

/* The first argument of a process of the command that becomes a node in Python, and its main, with the arguments after
 * that; it gives an exit code. */
#define PEAL_ENCLOSED_WORD "--enclosed"
PEAL_PRIVATE int peal_enclosed_main(int argc, char **argv);

/* The bytes a program may print in one run. */
enum { PEAL_CONTAINED_OUTPUT = 1 << 22 };

/* Load and run it in a child process of its own.  An MPI program fails with its first finding (those of strict runs
 * included), or with an exit code that is not 0; the machine's words must be bytes.  A crash, an end of the whole
 * process, an endless loop and endless output are failures of the run.  machine->timeout_seconds must be set; its
 * output is kept, whatever machine->output is.
 *
 *   blocks   until the run has ended, the timeout and some seconds at most
 *   thread   as peal_contained_compile
 *   errors   PEAL_USAGE when the machine is impossible; PEAL_RESOURCES                                           */
PEAL_PRIVATE enum peal_status peal_contained_run(const struct peal_contained *program,
                                                 const struct peal_options *machine, int argc, char **argv,
                                                 const struct peal_contained_seeds *seeds,
                                                 struct peal_contained_result *result, struct peal_error *error);

/* Run a program that ran well twice more, with each node in a process of its own, its messages carried by a
 * coordinator, and numbers of peal_random, rand and random that no other process knows; collectives of `refused` (of
 * struct peal_check) fail.  *result is that of the second run; *expected is what the reference (NULL: none, "") prints
 * on the same numbers.  `limited`: the run also fails if peers, tags, rounds or groups differ between the two runs,
 * since they could carry what is not charged.
 *
 *   owner    the caller frees *expected and the result's output, also after an error; NULL then
 *   blocks, thread   as peal_contained_run
 *   errors   PEAL_PROGRAM: the reference fails; as of peal_contained_run                                          */
PEAL_PRIVATE enum peal_status peal_contained_apart(const struct peal_contained *program,
                                                   const struct peal_contained *reference,
                                                   const struct peal_options *machine, int argc, char **argv,
                                                   bool limited, uint64_t refused, struct peal_contained_result *result,
                                                   char **expected, struct peal_error *error);

/* Make what all confirmations by children of this process use.  thread: no other may run */
PEAL_PRIVATE void peal_confirmations_prepare(void);

/* contained.c: the unit of a program. */
const struct unit *contained_unit(const struct peal_contained *program);

/* Report in the result that the run failed. */
void contained_fail(struct peal_contained_result *result, enum peal_failure_kind kind, const char *format, ...)
    PEAL_PRINTF(3, 4);
