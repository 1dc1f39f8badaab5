/* SPDX-License-Identifier: MIT */
/* The parts that the documents of several commands have in common: JSON, XML, and fields of comma-separated values. */
#pragma once

#include "lib/record/json.h"
#include "lib/study/trial.h"
#include <peal/tools.h>
#include <stdio.h>

/* Read a recorded run from the file `path`, standard input for "-".
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   as of file_read and peal_read_json                                                  */
struct peal_record *document_read(const char *path, struct peal_error *error);

/* Whether an argument names a recorded run: "-", or a file that is neither a program nor a collective. */
bool is_record(const char *what);

/* Write the closed form as a cost with "text" and "equal" (null where nothing was run); null without one. */
void document_form(struct peal_json *json, const struct trial *trial, struct peal_parameters parameters);

/* Write "measured": {"repetitions": 10, "unit": "seconds", "whole": {"median": .., "minimum": .., "maximum": ..}};
 * nothing where the trial was not measured. */
void document_measured(struct peal_json *json, const struct trial *trial);

/* Write the members that describe the machine on lines of their own; "topology" and "routing" only of a network. */
void document_machine(struct peal_json *json, const struct peal_options *machine, const struct peal_network *network,
                      const char *engine);

/* Write "run": and a machine's last run, of the program of this name, from the next line on.  errors: of
 * peal_write_json */
enum peal_status document_run(struct peal_json *json, const struct peal_machine *machine, const char *program,
                              struct peal_error *error);

/* One field of comma-separated values (RFC 4180): in quotes where necessary. */
void csv_text(FILE *out, const char *text);

/* ",10,0.000124,0.0000727,0.000184", the fields of MEASURED_HEAD; empty where nothing was measured. */
void csv_measured(FILE *out, const struct trial *trial);
#define MEASURED_HEAD ",repetitions,median_seconds,minimum_seconds,maximum_seconds"

/* The number with as many digits as reading it back exactly needs. */
void csv_number(FILE *out, double number);

/* Write "identical": between which places the algorithm's results are identical; null where it reduces nothing, or was
 * loaded. */
void document_identical(struct peal_json *json, const struct peal_algorithm *a);
