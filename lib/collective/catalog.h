/* SPDX-License-Identifier: MIT */
/* The table of algorithms: those of algorithms/, which register themselves, and those of users' files. */
#pragma once

#include <peal/form.h>

/* Make these algorithms the catalogue, in this order, and register all rows of collectives.  Called once, before main.
 *
 *   owner    borrows the table, and all that it points to, for the life of the process */
void catalog_register(const struct peal_algorithm *const *table, int count);
void forms_register(const struct peal_form *const *rows);
void algorithms_register(const struct peal_algorithm *const *table, int count);

/* Add a loaded algorithm to the catalogue until it is removed.
 *
 *   owner    borrows it
 *   errors   PEAL_USAGE when its name is taken, or the table is full                                  */
enum peal_status catalog_add(const struct peal_algorithm *algorithm, struct peal_error *error);
void catalog_remove(const struct peal_algorithm *algorithm);

/* The collective whose row this is. */
enum peal_collective form_collective(const struct peal_form *form);

/* Refuse ranks that are out of range, or duplicates. */
enum peal_status catalog_check_ranks(const int *ranks, int count, int nodes, struct peal_error *error);
