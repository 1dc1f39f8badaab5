/* SPDX-License-Identifier: MIT */
/* --report FILE: the page of what a command writes as its JSON document. */
#ifndef PEAL_PAGING_H
#define PEAL_PAGING_H

#include "files.h"
#include "options.h"
#include "report.h"

/* Zeroed, there is no page. */
struct paging {
    struct output file;
    FILE *document; /* where the JSON document is written, in memory; NULL: no page was asked for */
    char *text;
    size_t bytes;
    struct peal_observed *observed; /* of a run */
};

/* Open what the command line asks for, before the work begins.
 *
 *   errors   PEAL_USAGE when the file cannot be written, or --rounds leaves out what a page shows
 *            PEAL_RESOURCES when this build has no page, or there is no memory                          */
enum peal_status paging_open(struct paging *paging, const struct request *request, struct peal_error *error);

/* Have the machine's next run observed, if a page was asked for.  errors: PEAL_RESOURCES without memory */
enum peal_status paging_begin(struct paging *paging, struct peal_machine *machine, struct peal_error *error);

/* The document is written, and the machine still there: make its page, and put it under its name.
 *
 *   errors   what went wrong; then no file has changed                                                  */
enum peal_status paging_end(struct paging *paging, const struct request *request, struct peal_error *error);
void paging_fini(struct paging *paging);

/* Write the page of a document.  If it tells a run, that is made once more to find what its nodes hold. */
enum peal_status paging_write(FILE *out, struct report *report, struct peal_error *error);

#endif
