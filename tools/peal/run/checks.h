/* SPDX-License-Identifier: MIT */
/* The checks that a request asks for, and their results. */
#pragma once

#include "lib/proof/every.h"
#include "run/target.h"

/* The bytes of a word in every check, and the seconds of a run where none are given. */
enum { CHECKED_WORD_BYTES = 8, CHECK_SECONDS = 10 };

struct checks {
    const struct command_request *request;
    struct peal_check *checks;
    struct peal_verdict *verdicts; /* of each */
    struct every *every;           /* of each, where --every asks for it; NULL */
    char **arguments;              /* of a whole program */
    int numbers[MAX_LISTED_NODES]; /* of its nodes, where none are given */
    int count;
    char *shown;        /* for a page: the run of a finding; NULL */
    const char *engine; /* that their runs are made on */
};

/* List the checks, in the order of the catalogue; all->request is set.
 *
 *   owner    checks_fini frees, also after an error
 *   errors   PEAL_USAGE if the request is invalid; PEAL_RESOURCES */
enum peal_status checks_prepare(struct checks *all, struct peal_error *error);

/* Run them.
 *
 *   blocks   until all are done
 *   errors   those of peal_check; why the first of them could not run, such as a file that does not compile */
enum peal_status checks_make(struct checks *all, struct peal_error *error);

/* Whether it is a check of an MPI program; make that.  errors: as of session_load, explore */
bool checks_are_mpi(const struct checks *all);
enum peal_status checks_make_mpi(struct checks *all, struct peal_error *error);

/* The exit code: 1 when anything is wrong, nodes may get different results, or nothing was run; else 0. */
int checks_code(const struct checks *all);

/* The words of the command that runs a finding's case alone, after "peal check". */
enum { MAX_COMMAND_WORDS = 1000 };
struct check_command {
    char *word[MAX_COMMAND_WORDS + 1]; /* borrowed from the check, and from the members below */
    int count;
    char target[200], options[1500], timeout[40];
};
void checks_command(const struct peal_check *check, const struct peal_finding *finding, struct check_command *command);

/* Repeat the run of the first failure or finding, and give it as peal_check_show does; *text is NULL where nothing is
 * wrong, or there is no such run.
 *
 *   owner    the caller frees *text
 *   errors   PEAL_RESOURCES */
enum peal_status checks_show(const struct checks *all, char **text, struct peal_error *error);

void checks_fini(struct checks *all);

/* "scatter/binomial"; "scatter, my_scatter of F.c". */
char *checks_name(const struct peal_check *check, char name[400]);

enum { NARROWING = 1000 };

/* The cases that the request left out: ", only with root 0"; "" when all cases of these nodes were asked for. */
char *checks_narrowing(const struct peal_check *check, const struct peal_verdict *verdict, char text[NARROWING]);
