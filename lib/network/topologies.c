/* SPDX-License-Identifier: MIT */
/* The table of topologies: a new one is its own file and one line in topologies.def. */
#include "lib/network/network.h"
#include <string.h>

#define TOPOLOGY(name) extern const struct topology topology_##name;
#include "lib/network/topologies.def"
#undef TOPOLOGY

const struct topology *const topologies[] = {
#define TOPOLOGY(name) &topology_##name,
#include "lib/network/topologies.def"
#undef TOPOLOGY
    NULL};

const struct topology *
topology_named(const char *name, size_t length)
{
    for (const struct topology *const *each = topologies; *each; each++)
        if (strlen((*each)->name) == length && memcmp((*each)->name, name, length) == 0)
            return *each;
    return NULL;
}
