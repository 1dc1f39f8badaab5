/* SPDX-License-Identifier: MIT */
/* What Peal advises of one fault, as formats for peal_advise: PEAL_HINT_name, from <peal/failures.def>. */
#ifndef PEAL_HINTS_H
#define PEAL_HINTS_H

#define PEAL_HINT(name, text) static const char PEAL_HINT_##name[] __attribute__((unused)) = text;
#include <peal/failures.def>

#endif
