/* SPDX-License-Identifier: MIT */
/* What a request asks to be checked, and what came of it. */
#ifndef PEAL_CHECKS_H
#define PEAL_CHECKS_H

#include "options.h"

struct checks {
    const struct request *request;
    struct peal_check *checks;
    struct peal_verdict *verdicts; /* of each */
    char **arguments;              /* of a whole program */
    int count;
};

/* List what is to be checked, in the order of the catalogue; all->request is set.
 *
 *   owner    checks_fini gives back, also after an error
 *   errors   PEAL_USAGE if it cannot be asked for so; PEAL_RESOURCES */
enum peal_status checks_prepare(struct checks *all, struct peal_error *error);
void checks_fini(struct checks *all);

/* "scatter/binomial"; "scatter, my_scatter of F.c". */
char *checks_name(const struct peal_check *check, char name[400]);

enum { NARROWING = 200 };

/* What the request left out: ", root 0 only"; "" when all cases of these nodes were asked for. */
char *checks_narrowing(const struct peal_check *check, const struct peal_verdict *verdict, char text[NARROWING]);

/* Whether more than warnings were found. */
bool checks_wrong(const struct peal_verdict *verdict);

#endif
