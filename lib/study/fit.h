/* SPDX-License-Identifier: MIT */
/* α and β from measured sizes and times, by least squares. */
#pragma once

#include "lib/base/private.h"

/* One measurement: time = alpha·(its start-ups) + beta·(its words) + an error. */
struct sample {
    double size, time;
    double startups, words; /* from the closed form; for a single message 1 and its size */
    int line;               /* in the file */
    double odd;             /* its studentized residual; 0 without one */
    bool outlier;
};

/* The columns of a measurement suite's table, from its heading; zeroed: unknown. */
struct samples_form {
    bool bytes_and_microseconds; /* sizes are in bytes, times in microseconds */
    int column;                  /* of the time, from 1; 0: the second */
};

/* Read the text of a file of two columns, size and time, with blanks or a comma between; # begins a comment, a line
 * that begins with a letter before any number is the heading of a table.  `file` is its name in messages.  A heading of
 * the OSU micro-benchmarks or of the Intel MPI benchmarks, which are comments, says which column has the time.
 *
 *   owner    the caller frees *samples
 *   errors   PEAL_USAGE with file:line for any other line, for a second table and for one of bandwidths, and for a file
 *            without measurements; PEAL_RESOURCES      */
PEAL_PRIVATE enum peal_status peal_samples_read(const char *file, const char *bytes, size_t size,
                                                struct sample **samples, size_t *count, struct samples_form *form,
                                                struct peal_error *error);

/* The estimates and their 95 % intervals, estimate ± half. */
struct fit {
    double alpha, beta;
    bool has_interval; /* false for two measurements: no degrees of freedom */
    double alpha_half, beta_half;
    double deviation; /* of the errors: sqrt(Σe²/(N−2)) */
    double quantile;  /* of Student's t that the halves were computed with */
    double r_squared; /* of the times about their mean; NaN when all are equal */
    int outliers;
};

/* Fit by ordinary least squares without weights, and mark outliers: measurements whose externally studentized residual
 * is beyond Student's t at 5 % overall (Bonferroni), N−3 degrees of freedom.
 *
 *   errors   PEAL_USAGE with fewer than two different sizes
 *   source   Draper and Smith, Applied Regression Analysis, 3rd edition, chapters 1, 5 and 8    */
PEAL_PRIVATE enum peal_status peal_fit_least_squares(struct sample *samples, size_t count, struct fit *fit,
                                                     struct peal_error *error);

/* Fit times that span orders of magnitude: errors in proportion to the times.  The line with the least sum of
 * |error|/time, among those through two measurements and nowhere below 0, gives the errors' scale by their median.  The
 * measurements within 2.5 of it are fitted by least squares of error/time; the others are the outliers.  `odd` is an
 * error in that scale, `deviation` is relative to the time.  Where the second line is partly below 0, the first is
 * given.  All times must be above 0.
 *
 *   errors   PEAL_USAGE with fewer than two different sizes
 *   source   Rousseeuw and Leroy, Robust Regression and Outlier Detection, 1987, chapter 2 (reweighted least
 *            squares) */
PEAL_PRIVATE enum peal_status peal_fit_relative(struct sample *samples, size_t count, struct fit *fit,
                                                struct peal_error *error);

/* Measurements first .. last, in order of size, that one line describes. */
struct segment {
    size_t first, last;
    struct fit fit; /* by fit_relative */
};
enum { MAX_SEGMENTS = 4, MIN_OF_SEGMENT = 3, MAX_SAMPLES = 64 };

/* Find where one line gives way to another: the cut into at most MAX_SEGMENTS segments with the least sum of
 * |error|/time plus a price for each further segment (Bayesian information criterion, errors of Laplace's distribution:
 * single disturbed times make no break).  A cut must improve that by 10 to count, and no time is taken to be known
 * better than to 1 %.  `samples` in order of size, at most MAX_SAMPLES.
 *
 *   returns  the number of segments, at least 1; each fit is that of all samples in its segment
 *   source   Bai and Perron 2003 (the search by dynamic programming); Kass and Raftery 1995 (the 10)  */
PEAL_PRIVATE int peal_fit_segments(struct sample *samples, size_t count, struct segment segments[MAX_SEGMENTS]);

/* The t that |T| of Student's distribution exceeds with this probability, with `freedom` degrees. */
PEAL_PRIVATE double peal_student_quantile(double probability, int freedom);
