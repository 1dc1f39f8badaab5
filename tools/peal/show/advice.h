/* SPDX-License-Identifier: MIT */
/* The report of `peal explain` on a whole run: its hottest links, why this algorithm, what would be cheaper. */
#ifndef PEAL_ADVICE_H
#define PEAL_ADVICE_H

#include "run/session.h"

/* Write the name of an end of a link: a node's rank, or a switch's number; switches are numbered after the ranks. */
const char *advice_end(const struct session *session, int vertex, char text[32]);

/* The most loaded links of the run, and in how many rounds each was the hottest; nothing for a run of one round. */
void advice_links(const struct session *session);

/* When no algorithm was named: the candidates with their closed forms, the cheapest first. */
void advice_choice(const struct session *session);

/* The algorithms and routings that would cost less here, and by how much. */
void advice_better(const struct session *session);

#endif
