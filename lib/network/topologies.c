/* SPDX-License-Identifier: MIT */
/* The table of topologies: a new one is its own file and one line in topologies.def. */
#include "lib/network/network.h"
#include <stddef.h>

#define TOPOLOGY(name) extern const struct topology topology_##name;
#include "lib/network/topologies.def"
#undef TOPOLOGY

const struct topology *const topologies[] = {
#define TOPOLOGY(name) &topology_##name,
#include "lib/network/topologies.def"
#undef TOPOLOGY
    NULL};
