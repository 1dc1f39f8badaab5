/* SPDX-License-Identifier: MIT */
/* Numbers for the combinations that labels represent, and their texts.  Labels with the same text have one
 * number: the words of a vector whose contributors are the same. */
#ifndef LIB_HOLDINGS_COMBINATIONS_H
#define LIB_HOLDINGS_COMBINATIONS_H

#include "lib/base/map.h"
#include <stdint.h>

/* Zeroed it is empty. */
struct combinations {
    char **text; /* of each number: a JSON value, the contributors as ranges in their order, "[0,3, 5,5]" */
    uint32_t count;
    struct map by_text /* by its hash */, by_label;
};

void combinations_fini(struct combinations *c);

/* The number of a label's combination, UINT32_MAX without memory.  The labels' table must still be there
 * (labels_end). */
uint32_t combinations_number(struct combinations *c, uint64_t label);

#endif
