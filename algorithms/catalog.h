/* SPDX-License-Identifier: MIT */
/* What an algorithm's file needs: blocks, closed forms, and the other algorithms, one per file.  A new one is its file
 * and one line in catalog.def. */
#pragma once

#include "lib/collective/blocks.h"
#include "lib/collective/closed.h"
#include <peal/form.h>

#define ALGORITHM(collective, name) extern const struct peal_algorithm collective##_##name;
#include "catalog.def"
#undef ALGORITHM

/* The rows of an algorithm's closed form as text. */
#define TEXTS(...) (const struct peal_closed_text[]){__VA_ARGS__, {0}}

/* The closed forms as text, of the algorithms that use it. */
extern const struct peal_closed_text linear_block_texts[], linear_vector_texts[], ring_block_texts[], shifts_texts[],
    xors_texts[], scan_doubling_texts[], alltoall_linear_texts[], pat_texts[];

/* Rows for tables: exchanges of blocks between 2^q nodes, the farthest first and the nearest first. */
extern const struct peal_closed_text far_exchanges_texts[], near_exchanges_texts[];
