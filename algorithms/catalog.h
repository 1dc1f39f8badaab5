/* SPDX-License-Identifier: MIT */
/* The algorithms, one a file.  A new one is its file and one line in catalog.def. */
#ifndef ALGORITHMS_CATALOG_H
#define ALGORITHMS_CATALOG_H

#include <peal/form.h>

#define ALGORITHM(collective, name) extern const struct peal_algorithm collective##_##name;
#include "catalog.def"
#undef ALGORITHM

/* Have a loaded algorithm found by its name, and among the others, until it is removed.
 *
 *   owner    borrows it
 *   errors   PEAL_USAGE when its name is taken, or the table is full                                  */
enum peal_status catalog_add(const struct peal_algorithm *algorithm, struct peal_error *error);
void catalog_remove(const struct peal_algorithm *algorithm);

/* Refuse ranks that are out of range, or duplicates. */
enum peal_status catalog_check_ranks(const int *ranks, int count, int nodes, struct peal_error *error);

#endif
