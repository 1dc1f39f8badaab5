/* SPDX-License-Identifier: MIT */
/* The documents that a command writes: on standard output, in files, as a trace and as a page.  Files are opened before
 * the work begins; afterwards all are written, and then renamed to their names; none is renamed if one could not be
 * written. */
#pragma once

#include "run/paging.h"
#include "run/tracing.h"
#include "write/files.h"

/* Write a document.  errors: the failure; failed writes to `out` need not be reported */
typedef enum peal_status document_writer(FILE *out, const void *what, struct peal_error *error);

/* Define a document_writer that calls a function of (FILE *out, TYPE *what). */
#define DOCUMENT_WRITER(name, function)                                                                                \
    static enum peal_status name(FILE *out, const void *what, struct peal_error *error)                                \
    {                                                                                                                  \
        (void)error;                                                                                                   \
        function(out, what);                                                                                           \
        return PEAL_OK;                                                                                                \
    }

/* Zeroed, nothing is written. */
struct writings {
    const struct command_request *request;
    struct writing {
        document_writer *write;
        const char *path;   /* NULL: not in a file */
        bool here;          /* to standard output: the first such document is written there */
        bool rounds;        /* it has the rounds of a run */
    } list[6];              /* in the order they are opened; up to the first without a writer */
    document_writer *page;  /* of the document that --report shows; NULL: no such option */
    struct tracing tracing; /* this and the rest are zeroed at the start */
    struct paging paging;
    struct output_file files[9]; /* of the list; of the trace; of the page; of the picture */
};

/* Open all files.  errors: as of output_open, paging_open */
enum peal_status writings_open(struct writings *writings, struct peal_error *error);

/* Leave out the file of the document list[i], although it is open. */
void writings_drop(struct writings *writings, int i);

/* Open the documents' files again, which a lost process may have renamed already. */
enum peal_status writings_again(struct writings *writings, struct peal_error *error);

/* Have the machine's next run traced and observed, if that was requested.  errors: PEAL_RESOURCES when out of memory */
enum peal_status writings_begin(struct writings *writings, struct peal_machine *machine, struct peal_error *error);

/* Whether part of the request needs more than the first and last rounds: only then are all rounds recorded. */
bool writings_need_rounds(const struct writings *writings);

/* Whether one of them replaces the text for people on standard output. */
bool writings_here(const struct writings *writings);

/* Write all of them, of `what`, and flush standard output.  The trace is of a run of this name (NULL: no trace).
 *
 *   errors   the failure; then files that are not yet under their names are discarded          */
enum peal_status writings_end(struct writings *writings, const void *what, const char *name, struct peal_error *error);
void writings_fini(struct writings *writings);

/* End and free them, without a trace; if `status` is an error, only free them, and return it. */
enum peal_status writings_close(struct writings *writings, enum peal_status status, const void *what,
                                struct peal_error *error);

/* Open one file, write `what` to it and put it under its name.  errors: as of output_open, `write`; PEAL_RESOURCES */
enum peal_status writings_put(const char *path, document_writer *write, const void *what, struct peal_error *error);
