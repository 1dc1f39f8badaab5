/* SPDX-License-Identifier: MIT */
/* One run of a collective or a program, for `peal run`, `peal explain` and others. */
#pragma once

#include "lib/child/supervise.h"
#include "run/progress_line.h"
#include "write/writings.h"

/* The findings shown so far. */
struct shown {
    struct shown_line {
        enum peal_failure_kind kind;
        enum peal_severity severity;
        int line;
        char *file;
    } * list;
    size_t count;
    size_t findings, lines;
};

struct session {
    const struct command_request *request;
    const char *program;          /* the file; NULL for a collective */
    const char *called;           /* likewise, or the script that its interpreter runs */
    const struct peal_plan *plan; /* the schedule without data that is the program; NULL */
    enum peal_collective collective;
    const char *algorithm;          /* NULL: the cheapest */
    bool mpi;                       /* the program is one for MPI */
    bool processes;                 /* and each node of it is a process */
    bool strict;                    /* a finding fails the run */
    bool watched;                   /* an MPI program's accesses to memory are watched */
    struct command_request changed; /* the request, changed for an MPI program */
    struct peal_machine *machine;
    struct peal_exercise exercise;
    struct peal_outcome outcome;        /* of a collective */
    struct peal_profile *profile;       /* of an MPI program, with --profile; NULL */
    const struct peal_failure *failure; /* NULL when the run ended well */
    char *name;                         /* "scatter/binomial", "hello.c" */

    /* private to session.c and session_prepare.c */
    void *input, *result;
    char **argv;                      /* the program's */
    char *flags;                      /* of its compiler, where words are not 8 bytes */
    const struct peal_algorithm *own; /* the function of --file; NULL */
    struct peal_program_file *file;
    struct writings writings;
    struct progress_line progress;
    struct peal_supervisor *supervisor; /* of a program; NULL */
    struct shown shown;
    struct peal_orders *orders; /* of --choices; NULL */
    struct peal_order *order;
};

/* Print the result of a run.  Called after a run that took place, whether it ended well or failed; not when only the
 * JSON document was requested. */
typedef void (*session_report)(const struct session *session);

/* The common part of `peal run` and `peal explain`: find the target, run it, report it, write the files.
 * The output of a program's nodes goes to stdout, or to stderr when the document goes to stdout.  Returns the exit
 * code. */
int session_run(const struct command_request *request, session_report report);

/* Report a run about which only the reason for its job's end is known: on stderr, and in the documents of the request.
 * Returns the exit code. */
int session_lost(const struct command_request *request, enum peal_failure_kind kind, const struct peal_error *why);

/* The parts of session_run for a command that makes the runs of a program itself, each in a child process: find the
 * program that the request names, prepare for it, and load it for this many nodes; free all that.
 *
 *   errors   PEAL_USAGE where it is not a program; those of peal_program_load                           */
enum peal_status session_load(struct session *session, int nodes, struct peal_error *error);
void session_fini(struct session *session);

/* A report for commands with their own output of a run: the failure, on stderr. */
void session_complain(const struct session *session);

/* Make the run and give it as a document records it, reporting only failures.  *record is NULL when there was no run.
 * *failure says why it failed; NULL if it did not.  Returns the exit code.
 *
 *   owner    the caller destroys the record, and frees *failure, unless failure is NULL             */
int session_record(const struct command_request *request, struct peal_record **record, char **failure);

/* Why this run's exit code is not 0 although no node failed: wrong data, a closed form that differs from the executed
 * cost. Written into text of `bytes` bytes; NULL when all is well. */
const char *session_wrong(const struct session *session, char *text, size_t bytes);

/* Find the target of the run: a collective, a program or a schedule without data.  A user's function takes the place of
 * an algorithm. */
enum peal_status session_find_target(struct session *session, struct peal_error *error);

/* Check the options that depend on the target, read the input of a collective, and decide its size. */
enum peal_status session_prepare(struct session *session, struct peal_error *error);

/* A program or a user's function runs in a child process, whose state it may damage (<peal/supervise.h>).
 * `*parent` is set in the parent. */
enum peal_status session_fork(struct session *session, bool *parent, struct peal_error *error);

/* Wait for the child.  `*lost`: it cannot report, and the session is as if the run had been made here.  Otherwise the
 * exit code is returned. */
int session_look_after(struct session *session, bool *lost, struct peal_error *error);

/* Before a program is loaded into this process: load it in another one first, and run its destructors there, which may
 * crash or never end.  In that process session->supervisor is set. */
enum peal_status session_try_loading(void *arg, struct peal_error *error);

/* Refuse --step where there is no terminal to step on, before the work.  errors: PEAL_USAGE */
enum peal_status step_check(const struct command_request *request, struct peal_error *error);

/* Step through the rounds of a run that took place, until the user quits. */
void step_through(const struct session *session);

/* Print the cost by the closed form, or write it as the JSON of a run, and return the exit code: 2 where no closed form
 * is known, or the request asks for something that only a run has. */
int computed_run(const struct command_request *request);

/* Print the options, each after a blank, that were given for a run itself, but for `others`, up to NULL. */
void explore_options(FILE *out, const struct command_request *request, const char *const *others);

/* `pealrun --explore`.  Returns the exit code. */
int explore_run(const struct command_request *request);
