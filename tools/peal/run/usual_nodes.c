/* SPDX-License-Identifier: MIT */
/* Small numbers of nodes: most mistakes about the first, the last and the middle node show with a few, and some only
 * where P is odd, or not a power of two. */
#include "run/target.h"

static bool
usual_nodes_fit(const char *topology, int nodes)
{
    struct peal_network *network = peal_network_create(topology, nodes, NULL, NULL);

    peal_network_destroy(network);
    return network != NULL;
}

int
usual_nodes_list(const char *topology, int more, int list[MAX_LISTED_NODES])
{
    enum { IN_ROW = 6, LAST = 8 };
    int count = 0;

    for (int nodes = 1; nodes <= LAST; nodes++)
        if ((nodes <= IN_ROW || nodes == LAST || nodes == more) && usual_nodes_fit(topology, nodes))
            list[count++] = nodes;
    if (more > LAST && usual_nodes_fit(topology, more))
        list[count++] = more;
    return count;
}

void
usual_nodes_print(FILE *out, const int *list, int count)
{
    if (count > 2 && list[count - 1] - list[0] == count - 1)
        fprintf(out, "%d:%d", list[0], list[count - 1]);
    else
        for (int i = 0; i < count; i++)
            fprintf(out, "%s%d", i ? "," : "", list[i]);
}
