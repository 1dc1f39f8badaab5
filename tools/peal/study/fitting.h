/* SPDX-License-Identifier: MIT */
/* The common part of finding α and β from measurements, made here or read: the report, the document. */
#pragma once

#include "lib/record/json.h"
#include "lib/study/fit.h"
#include "options/options.h"

/* The caller fills in the members up to `write`; `measure` fills in those after it. */
struct fitting {
    const struct command_request *request;
    const char *file;  /* NULL: measured by the command itself */
    const char *unit;  /* of a time; NULL: unknown */
    double word_bytes; /* of a size; 0: unknown */
    enum peal_status (*measure)(struct fitting *fitting, struct peal_error *error);
    void (*show)(const struct fitting *fitting);                          /* all but the last lines */
    void (*write)(struct peal_json *json, const struct fitting *fitting); /* further members; NULL: none */

    char of[300];
    struct sample *samples; /* owned by the fitting */
    size_t count;
    struct fit fit;
};

/* Measure, then report and write as the options ask, unless another process does.  `status` and *error are those of the
 * preparation: nothing is measured unless that was PEAL_OK.  Returns the exit code. */
int fitting_run(struct fitting *fitting, enum peal_status status, struct peal_error *error);

/* Constants of a machine, in nanoseconds; negative ones are unknown. */
struct fitted_machine {
    double alpha, beta; /* of a byte, as the next ones but `overlap` */
    double gamma, overlap, copy;
    const char *from; /* what they are fitted to, in words */
};

/* Write a file for --machine, with the network of the request. */
void fitting_write_machine(FILE *out, const struct command_request *request, const struct fitted_machine *machine);

/* Print the two estimates, one per line: "  α = 1000.2 ± 3.1 µs". */
void fitting_show_estimates(const struct fitting *fitting);

/* Write the estimates and the halves of their intervals, one per line if `lines`. */
void fitting_write_estimates(struct peal_json *json, const struct fit *fit, bool lines);

/* Do `peal fit [ALGORITHM] FILE`: print α and β as estimated from the file.  Returns the exit code. */
int fit_file(const struct command_request *request);

/* Do `peal fit TABLE`: constants and choices from measured times of algorithms.  Returns the exit code. */
int fit_figures(const struct command_request *request, const char *file, const char *bytes, size_t size);

/* Whether no option is given that is useless for single messages; errors: PEAL_USAGE, which names it. */
bool fit_needs_no_machine(const struct command_request *request, struct peal_error *error);
