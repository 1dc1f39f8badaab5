/* SPDX-License-Identifier: MIT */
/* The page of `peal report` and --report: one HTML file that shows a document and needs no other file.  The program in
 * it is built from tools/report/ and D3 with Peal; this file provides the data that it shows, "peal/page/1". */
#pragma once

#include "lib/labels/holdings.h"
#include <peal/tools.h>
#include <peal/trace.h>
#include <stddef.h>
#include <stdio.h>

/* For a run with more transfers a page shows only the sums of its rounds: it would be slow to open. */
enum { REPORT_MAX_TRANSFERS = 120000 };

/* The contents of a page, beside the program.  The caller fills in what it has. */
struct report {
    const char *name; /* of the document: its file, or the command that made it */
    char *document;   /* one of peal/run/1, compare/2, sweep/1, check/1, app/1, lesson/1, scale/1, model/1 */
    size_t document_bytes;
    enum report_kind {
        REPORT_RUN,   /* or a document without one */
        REPORT_CHECK, /* its own blocks are in the document */
        REPORT_LESSON
    } kind;
    struct peal_record *record; /* the run in the document; NULL: there is none, or not every round of it */
    struct peal_record **runs;  /* of lessons, in their order */
    size_t run_count;

    /* borrowed */
    const char *blocks;        /* JSON: what each node holds after each round; NULL: none */
    const char *blocks_absent; /* why they are absent, one sentence; NULL: the document does not say */
    const char *profile;       /* JSON: by call sites and over time; NULL: none */
    const char *observed;      /* JSON: data that only an observer of the run has; NULL: none */
};

/* Find the kind and the runs of a document that was read from a file.
 *
 *   errors   PEAL_USAGE when it is not JSON or not ours, or its run is broken: where, and what was expected */
enum peal_status report_read(struct report *report, struct peal_error *error);

/* Take the run of a check, {"run": ..., ...}, which the process that made it wrote, with its record; text is NULL
 * unless it is JSON. */
void report_read_shown(struct report *report, char **text);

/* Free the document and the records. */
void report_fini(struct report *report);

/* Write a run as the document of a page has it: without its rounds if it has too many transfers.  errors: as of
 * peal_write_record */
enum peal_status report_write_run(FILE *out, struct peal_record *record, struct peal_error *error);

/* Write the page.
 *
 *   errors   PEAL_USAGE when a lesson's run is broken, or there are too many for a page PEAL_RESOURCES when out of
 *            memory, or when this build has no page */
enum peal_status report_write(FILE *out, const struct report *report, struct peal_error *error);

/* Whether this build has the page; if not, *why is the line that reports it and names the package to install.  Call it
 * before the work begins. */
bool report_available(const char **why);

/* Find what the nodes of a run hold, by repeating it on labels; and give that as the "blocks" of a page.  False or
 * NULL, and a sentence in *error, where it is unknown.
 *
 *   owner    the caller calls peal_holdings_fini, also after an error, before it destroys run; it frees the text */
bool report_holdings(struct peal_holdings *holdings, const struct peal_record *run, struct peal_error *error);
char *report_blocks(const struct peal_record *run, struct peal_error *error);

/* The text before and after the document.  Without D3 both are empty, and report_page_absent says why. */
extern const char report_page_head[], report_page_tail[];
extern const size_t report_page_head_bytes, report_page_tail_bytes;
extern const char *const report_page_absent; /* NULL: there is a page */
