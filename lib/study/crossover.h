/* SPDX-License-Identifier: MIT */
/* The size from which one algorithm is cheaper than another: integers and fractions of 128 bits, no tolerance.
 *
 * A closed form appears here as a curve: its cost at each size.  Two facts are used, the first of which is checked
 * wherever the curve is evaluated: a longer vector is never cheaper.  The second is searched for: sizes that are
 * multiples of some number (of P, where a vector is cut into P parts) lie on a straight line. */
#pragma once

#include "lib/base/private.h"
#include <peal/cost.h>

/* The cost of one algorithm at a size; false where its closed form is unknown. */
struct curve {
    bool (*cost)(const void *about, uint64_t size, struct peal_cost *cost);
    const void *about; /* borrowed */
};

/* The parameters as whole numbers of one unit. */
struct weights {
    int64_t alpha, beta, hop, tau;
};

/* Give the parameters as the decimals that were typed.  False when their magnitudes are too far apart. */
PEAL_PRIVATE bool peal_weights_of(struct peal_parameters parameters, struct weights *weights);

/* The time of a cost in the weights' unit; false when it does not fit. */
PEAL_PRIVATE bool peal_weights_time(const struct weights *weights, struct peal_cost cost, __int128 *time);

/* ------------------------------------------------------------------ fractions */

/* In lowest terms, den > 0. */
struct fraction {
    int64_t num, den;
};

/* num/den in lowest terms; false when that does not fit, or den is 0. */
PEAL_PRIVATE bool peal_fraction_make(__int128 num, __int128 den, struct fraction *fraction);

/* Write "5", "28/5", "−1/2". */
PEAL_PRIVATE char *peal_fraction_text(struct fraction fraction, char text[48]);

/* Where two straight lines meet: n* = alpha·α/β + hop·t_d/β + tau·τ/β + words. */
struct meeting_point {
    struct fraction alpha, hop, tau, words;
    double size; /* at the parameters */
};

/* Write "28/5·α/β", "2·α/β + 3·t_d/β − 1". */
PEAL_PRIVATE char *peal_meeting_text(const struct meeting_point *meeting, char text[200]);

/* ------------------------------------------------------------------ crossings */

struct contest {
    struct weights weights;
    struct peal_parameters parameters;
    uint64_t nodes;       /* P: lines are looked for among its multiples */
    uint64_t evaluations; /* still allowed; a search that needs more is undecided */
    bool unsettled;       /* the last search gave up, or a curve is unknown somewhere */
};

enum { DEFAULT_EVALUATIONS = 1000000 };

/* Find where the lines that a and b follow from `near` on meet; false when they follow no line, or are parallel. */
PEAL_PRIVATE bool peal_contest_meeting(const struct contest *contest, const struct curve *a, const struct curve *b,
                                       uint64_t near, struct meeting_point *meeting);

/* Which of several curves is lowest in first .. last; of equals the first. */
struct winner_range {
    uint64_t first, last;
    int winner;
};

/* Where the lowest curve changes for good: up to `last_before` it is `before`, from `from` on `after`; in between, if
 * last_before is not from - 1, they alternate (an odd word makes a part, and so a round, longer). */
struct crossing {
    int before, after;
    uint64_t last_before, from;
    bool has_meeting;
    struct meeting_point meeting;
};

enum { MAX_RANGES = 4096 };

/* The result: which curves are lowest in from .. to.
 *
 *   owner    the caller frees ranges and crossings */
struct winners {
    struct winner_range *ranges;
    size_t range_count;
    struct crossing *crossings;
    size_t crossing_count;
    bool complete; /* otherwise the search gave up after the last range */
};

/* Find the winners.  errors: PEAL_RESOURCES when out of memory */
PEAL_PRIVATE enum peal_status peal_contest_winners(struct contest *contest, const struct curve *curves, int count,
                                                   uint64_t from, uint64_t to, struct winners *winners,
                                                   struct peal_error *error);
PEAL_PRIVATE void peal_winners_fini(struct winners *winners);
