/* SPDX-License-Identifier: MIT */
/* The table of an algorithm's closed forms as text, row by row. */
#pragma once

#include "lib/base/private.h"
#include <peal/collective.h>

/* The i-th row of the algorithm's texts; NULL after the last. */
PEAL_PRIVATE const struct peal_closed_text *peal_closed_row(const struct peal_algorithm *algorithm, int i);

/* Where the closed form that holds here is from: the algorithm's source if it has this formula, else "derived here". */
PEAL_PRIVATE const char *peal_closed_form_source(const struct peal_algorithm *algorithm,
                                                 const struct peal_situation *situation);

/* Why there is no closed form here, as "none: ...". */
PEAL_PRIVATE const char *peal_closed_form_missing(const struct peal_algorithm *algorithm,
                                                  const struct peal_situation *situation);

/* Whether the algorithm's source has the formula that the row shows with this switching, when its `cited` holds: t_d
 * and the terms of store-forward are Peal's own. */
PEAL_PRIVATE bool peal_closed_row_cited(const struct peal_closed_text *row, enum peal_switching switching);

/* Write one text of a table as it is with this switching, whatever the machine: "B = N" where the algorithm's number
 * decides.  NULL where the row has none. */
PEAL_PRIVATE char *peal_closed_row_text(const struct peal_closed_text *row, enum peal_switching switching, char *text,
                                        size_t bytes);
