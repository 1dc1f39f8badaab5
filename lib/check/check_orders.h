/* SPDX-License-Identifier: MIT */
/* Checks of loaded programs. */
#pragma once

#include <peal/check.h>

/* Explore every order of arrival of check->loaded on each number of nodes, so many runs at a time.
 *
 *   blocks   until all runs are over
 *   errors   as of peal_explore */
enum peal_status check_orders(const struct peal_check *check, int at_once, struct peal_verdict *verdict,
                              struct peal_error *error);
