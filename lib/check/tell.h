/* SPDX-License-Identifier: MIT */
/* Messages from the child process of a check to its parent, through a pipe: the first finding of each kind. */
#pragma once

#include "lib/check/prover.h"
#include <setjmp.h>

struct teller {
    const struct peal_check *check;
    const struct unit *unit; /* the user's file, compiled; NULL */
    struct proof_progress *progress;
    const unsigned char *token;
    int out;
    bool seen[PEAL_SEVERITY_NOTE + 1][PEAL_FAILURE_KINDS]; /* the kinds that were reported, by severity */
    bool wrong;                                            /* something is wrong */
};

/* End the prover: its process, or, where it runs in its caller's, prover_run, by a jump there. */
_Noreturn void prover_leave(int code);
extern jmp_buf *prover_caller; /* NULL: it has a process of its own */

/* Write a message with the token.  Ends the process if the parent is gone. */
void tell(const struct teller *teller, struct prover_message *message);

/* Report an error that ends the check, and end the process. */
void tell_error(const struct teller *teller, const struct peal_error *error);
_Noreturn void tell_last_error(const struct teller *teller, const struct peal_error *error);

/* Report the finding of a run that the program ended by itself, one of several numbers of nodes; `output`: a file of
 * what it printed. */
void tell_refusal(const struct teller *teller, const struct peal_check_case *where, struct peal_finding finding,
                  int output);

/* Add " --choices 2,1" to the rerun of a finding, unless there were more than it has. */
void tell_choices(struct peal_finding *finding);

/* Report a finding in a case, if it is the first of its kind, with the command that runs it again.  Ends the process if
 * only the first finding was requested. */
void tell_finding(struct teller *teller, const struct peal_check_case *where, struct peal_finding finding);
