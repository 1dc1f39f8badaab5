/* SPDX-License-Identifier: MIT */
/* The algorithms, one per file.  A new one is its file and one line in catalog.def. */
#pragma once

#include <peal/form.h>

#define ALGORITHM(collective, name) extern const struct peal_algorithm collective##_##name;
#include "catalog.def"
#undef ALGORITHM
