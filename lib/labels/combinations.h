/* SPDX-License-Identifier: MIT */
/* Numbers for the combinations that labels represent, and their texts.  Labels with the same text have one
 * number: the words of a vector whose contributors are the same. */
#ifndef LIB_HOLDINGS_COMBINATIONS_H
#define LIB_HOLDINGS_COMBINATIONS_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed it is empty. */
struct combinations {
    char **text; /* of each number: a JSON value, the contributors as ranges in their order, "[0,3, 5,5]" */
    uint32_t count;
    uint32_t *by_text; /* hashes of numbers + 1, at most half full */
    struct known {
        uint64_t label;
        uint32_t number;
    } * by_label; /* label 0: free */
    size_t by_text_size, by_label_size, labels;
};

void combinations_fini(struct combinations *c);

/* The number of a label's combination, UINT32_MAX without memory.  The labels' table must still be there
 * (labels_end). */
uint32_t combinations_number(struct combinations *c, uint64_t label);

#endif
