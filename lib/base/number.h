/* SPDX-License-Identifier: MIT */
/* Reading sizes as people write them. */
#pragma once

#include <peal/base.h>

/* Read all of `text` as a whole number of at most `max` into *value: decimal digits, then K or k, M, G (1000s) or Ki,
 * Mi, Gi (1024s) or nothing.  *value is left alone on error.
 *
 *   errors   PEAL_USAGE when text is empty, has a sign, a fraction or anything else around the number
 *            PEAL_USAGE when it is more than max                                                      */
enum peal_status number_parse(const char *text, uint64_t max, uint64_t *value, struct peal_error *error);
