/* SPDX-License-Identifier: MIT */
/* The parts that the documents of several commands have in common: JSON, XML, and fields of comma-separated values. */
#pragma once

#include "lib/record/json.h"
#include "lib/study/trial.h"
#include "options/options.h"

/* Read a recorded run from the file `path`, standard input for "-".
 *
 *   owner    the caller destroys it; NULL after an error
 *   errors   as of file_read and peal_read_json                                                  */
struct peal_record *document_read(const char *path, struct peal_error *error);

/* Refuse a recorded run whose topology is a file, unless the command line names that file, too; and, for commands that
 * price nothing, a topology other than the run's.  topology: of the document called `name`. */
enum peal_status document_fits(const struct command_request *request, const char *name, const char *topology,
                               struct peal_error *error);

/* Whether an argument names a recorded run: "-", or a file that is neither a program nor a collective. */
bool is_record(const char *what);

/* Write the closed form as a cost with "text" and "equal" (null where nothing was run); null without one. */
void document_form(struct peal_json *json, const struct trial *trial, struct peal_parameters parameters);

/* Write "measured": {"repetitions": 10, "unit": "seconds", "whole": {"median": .., "minimum": .., "maximum": ..}};
 * nothing where the trial was not measured. */
void document_measured(struct peal_json *json, const struct trial *trial);

/* The words of a block, and of a vector, in this situation; write "block_words" and "vector_words". */
size_t document_block_words(const struct peal_situation *situation);
size_t document_vector_words(const struct peal_situation *situation);
void document_sizes(struct peal_json *json, const struct peal_situation *situation);

/* Write the members that describe the machine on lines of their own; "topology" and "routing" only of a network. */
void document_machine(struct peal_json *json, const struct peal_options *machine, const struct peal_network *network,
                      const char *engine);

/* Write fields of comma-separated values (RFC 4180): texts in quotes where necessary, numbers with as many digits as
 * reading them back exactly needs; empty for NULL, NaN and what is not known.  The parts are those of peal_json_put,
 * without keys; csv_row ends the line. */
void csv_fields(FILE *out, const struct peal_json_part *parts);
#define csv_put(out, ...) csv_fields(out, (const struct peal_json_part[]){__VA_ARGS__, {.kind = PEAL_JSON_END}})
#define csv_row(out, ...) (csv_put(out, __VA_ARGS__), (void)fputc('\n', out))

/* Write an untrusted name: an apostrophe keeps a spreadsheet from taking it for a formula. */
void csv_name(FILE *out, const char *name);

/* The four coefficients of a cost, as parts. */
#define CSV_COST(cost)                                                                                                 \
    PEAL_INT(NULL, (cost).alpha), PEAL_INT(NULL, (cost).beta), PEAL_INT(NULL, (cost).hop), PEAL_INT(NULL, (cost).tau)

/* ",10,0.000124,0.0000727,0.000184", the fields of MEASURED_HEAD; empty where nothing was measured. */
void csv_measured(FILE *out, const struct trial *trial);
#define MEASURED_HEAD ",repetitions,median_seconds,minimum_seconds,maximum_seconds"

/* Write "identical": between which places the algorithm's results are identical; null where it reduces nothing, or was
 * loaded. */
void document_identical(struct peal_json *json, const struct peal_algorithm *a);
