/* SPDX-License-Identifier: MIT */
/* --report FILE, --svg FILE and --png FILE: the page of a command's JSON document, and a picture of it. */
#pragma once

#include "lib/record/observed.h"
#include "lib/record/profile.h"
#include "options/options.h"
#include "write/report.h"

/* Zeroed, there is no page. */
struct paging {
    FILE *document;                 /* where the JSON document is written, in memory; NULL: no page was asked for */
    struct report report;           /* of that document; the command sets its kind, and its record or runs */
    struct peal_observed *observed; /* of a run */
    bool profiles;                  /* of an MPI program: set before paging_begin */
    struct peal_profile *profile;
};

/* The option of the picture that the command line asks for, and its file; NULL: none. */
struct paging_picture {
    const char *option, *file;
};
struct paging_picture paging_picture(const struct command_request *request);

/* Begin the page that the command line asks for, before the work begins.
 *
 *   errors   PEAL_USAGE when --rounds leaves out parts of a page, and for two pictures
 *            PEAL_RESOURCES when this build has no page, there is no node or rsvg-convert, or memory is out */
enum peal_status paging_open(struct paging *paging, const struct command_request *request, struct peal_error *error);

/* Have the machine's next run observed, if a page was asked for.  errors: PEAL_RESOURCES when out of memory */
enum peal_status paging_begin(struct paging *paging, struct peal_machine *machine, struct peal_error *error);

/* Take the record of the run of a page, if one was asked for; the arguments are those of peal_record_take. */
enum peal_status paging_record(struct paging *paging, const struct peal_machine *machine,
                               const struct peal_outcome *outcome, const char *program, struct peal_error *error);

/* Write the page to `out` and its picture to `picture` (NULL: not asked for), once the document is written and while
 * the machine exists.  errors: the failure */
enum peal_status paging_end(struct paging *paging, FILE *out, FILE *picture, const struct command_request *request,
                            struct peal_error *error);
void paging_fini(struct paging *paging);

/* Write the page.  If it records a run, repeat that to find the data that its nodes hold. */
enum peal_status paging_write(FILE *out, struct report *report, struct peal_error *error);
