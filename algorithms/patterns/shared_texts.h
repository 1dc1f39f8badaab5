/* SPDX-License-Identifier: MIT */
/* The closed forms of the patterns that several algorithms share, as text. */
#pragma once

#include <peal/collective.h>

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text linear_block_texts[], linear_vector_texts[], ring_block_texts[], shifts_texts[],
    xors_texts[], scan_doubling_texts[], alltoall_linear_texts[], pat_texts[];

/* Rows for tables: exchanges of blocks between 2^q nodes, the farthest first and the nearest first. */
extern const struct peal_closed_text far_exchanges_texts[], near_exchanges_texts[];
