/* SPDX-License-Identifier: MIT */
/* Groups of nodes that exchange messages: each group's choices are explored by themselves. */
#include "lib/check/explore.h"

int
explorer_root(const struct explorer *explorer, int node)
{
    while (explorer->group[node] != node)
        node = explorer->group[node];
    return node;
}

void
explorer_join(struct explorer *explorer, int one, int other)
{
    int a = explorer_root(explorer, one), b = explorer_root(explorer, other);

    if (a == b)
        return;
    explorer->merged |= a == explorer->active || b == explorer->active;
    if (explorer->active == b)
        explorer->active = a;
    explorer->group[b] = a;
    explorer->explored[a] = false;
    explorer->groups--;
}

bool
explorer_next_group(struct explorer *explorer)
{
    explorer->point_count = 0;
    for (int node = 0; node < explorer->nodes; node++) {
        int root = explorer_root(explorer, node);

        if (!explorer->chooses[node] || explorer->explored[root])
            continue;
        explorer->active = root;
        return true;
    }
    return false;
}

bool
explorer_is_one_group(struct explorer *explorer)
{
    int root = -1;

    explorer->whole = false;
    for (int node = 0; node < explorer->nodes; node++) {
        if (!explorer->chooses[node])
            continue;
        if (root >= 0 && root != explorer_root(explorer, node))
            return false;
        root = explorer_root(explorer, node);
    }
    explorer->active = root;
    return root >= 0;
}
