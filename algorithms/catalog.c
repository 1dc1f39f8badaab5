/* SPDX-License-Identifier: MIT */
/* The table of catalog.def, which the library has from the start: this file is linked whole (meson.build), as
 * nothing calls it. */
#include "catalog.h"
#include "lib/collective/catalog.h"

static const struct peal_algorithm *const algorithms[] = {
#define ALGORITHM(collective, name) &collective##_##name,
#include "catalog.def"
#undef ALGORITHM
};

__attribute__((constructor)) static void
register_algorithms(void)
{
    catalog_register(algorithms, sizeof algorithms / sizeof algorithms[0]);
}
