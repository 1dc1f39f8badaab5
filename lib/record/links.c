/* SPDX-License-Identifier: MIT */
/* The links that a run used, found by their ends. */
#include "lib/record/links.h"
#include "lib/base/grow.h"
#include <stdlib.h>

struct link *
peal_links_use(struct links *links, const struct peal_network *network, int from, int to)
{
    uint64_t ends = map_pair((uint32_t)from, (uint32_t)to);
    ptrdiff_t known = map_find(&links->by_ends, ends);

    if (known != MAP_NONE)
        return &links->links[known];
    if (!array_grow(&links->links, &links->room, links->count + 1, sizeof *links->links) ||
        !map_put(&links->by_ends, ends, links->count))
        return NULL;
    links->links[links->count] =
        (struct link){.from = from, .to = to, .capacity = peal_network_capacity(network, from, to)};
    return &links->links[links->count++];
}

void
peal_links_fini(struct links *links)
{
    free(links->links);
    free(links->by_ends.places);
    *links = (struct links){0};
}
