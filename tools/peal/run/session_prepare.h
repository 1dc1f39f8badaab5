/* SPDX-License-Identifier: MIT */
/* What a session does before its run. */
#ifndef PEAL_SESSION_PREPARE_H
#define PEAL_SESSION_PREPARE_H

#include "run/session.h"

/* Find the target of the run: a collective, a program or a schedule without data.  A user's function takes the place of
 * an algorithm. */
enum peal_status session_find_target(struct session *session, struct peal_error *error);

/* Check the options that depend on the target, read the input of a collective, and decide its size. */
enum peal_status session_prepare(struct session *session, struct peal_error *error);

#endif
