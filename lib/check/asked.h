/* SPDX-License-Identifier: MIT */
/* What a check asks for: whether that can be checked, and the program that is compiled for it. */
#ifndef LIB_CHECK_ASKED_H
#define LIB_CHECK_ASKED_H

#include "lib/sandbox/unit.h"
#include <peal/check.h>

/* Refuse what cannot be checked; errors: PEAL_USAGE, PEAL_RESOURCES */
enum peal_status asked_refuse(const struct peal_check *check, struct peal_error *error);

/* The source that is compiled for a check of a user's file.  `text` holds what it adds to the file. */
struct unit_source asked_source(const struct peal_check *check, char text[1000]);

#endif
