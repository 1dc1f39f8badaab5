/* SPDX-License-Identifier: MIT */
/* α and β from measured sizes and times, by least squares. */
#ifndef PEAL_FIT_H
#define PEAL_FIT_H

#include <peal/base.h>

/* One measurement: time = alpha·(its start-ups) + beta·(its words) + an error. */
struct sample {
    double size, time;
    double startups, words; /* what the closed form says; 1 and the size of a single message */
    int line;               /* of the file */
    double odd;             /* its studentized residual; 0 where there is none */
    bool outlier;
};

/* Read a file of two columns, size and time, with blanks or a comma between; # begins a comment, a line that begins
 * with a letter before any number is the heading of a table.
 *
 *   owner    the caller frees *samples
 *   errors   PEAL_USAGE with file:line for what is no such line, for a file without any; PEAL_RESOURCES      */
enum peal_status fit_read(const char *path, struct sample **samples, size_t *count, struct peal_error *error);

/* The estimates and their 95 % intervals, estimate ± half. */
struct fit {
    double alpha, beta;
    bool has_interval; /* not with two measurements: they leave no freedom */
    double alpha_half, beta_half;
    double deviation; /* of the errors: sqrt(Σe²/(N−2)) */
    double quantile;  /* of Student's t that the halves were made with */
    double r_squared; /* of the times about their mean; NaN when they do not differ */
    int outliers;
};

/* Fit by ordinary least squares without weights, and mark outliers: measurements whose externally studentized residual
 * is beyond Student's t at 5 % in all (Bonferroni), N−3 degrees of freedom.
 *
 *   errors   PEAL_USAGE with fewer than two different sizes
 *   source   Draper and Smith, Applied Regression Analysis, 3rd edition, chapters 1, 5 and 8    */
enum peal_status fit_least_squares(struct sample *samples, size_t count, struct fit *fit, struct peal_error *error);

/* The t that |T| of Student's distribution exceeds with this probability, with `freedom` degrees. */
double student_quantile(double probability, int freedom);

#endif
