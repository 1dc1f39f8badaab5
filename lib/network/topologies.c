/* SPDX-License-Identifier: MIT */
/* The table of topologies: a new one is its own file and one line here. */
#include "lib/network/network.h"
#include <stddef.h>

/* clang-format off */
#define TOPOLOGIES(each) \
    each(full)           \
    each(line)           \
    each(ring)           \
    each(star)           \
    each(mesh)           \
    each(torus)          \
    each(hypercube)      \
    each(tree)           \
    each(fattree)        \
    each(dragonfly)      \
    each(debruijn)       \
    each(butterfly)      \
    each(file)
/* clang-format on */

#define DECLARE(name) extern const struct topology topology_##name;
#define LIST(name) &topology_##name,

TOPOLOGIES(DECLARE)

const struct topology *const topologies[] = {TOPOLOGIES(LIST) NULL};
