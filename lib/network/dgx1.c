/* SPDX-License-Identifier: MIT */
/* dgx1: the eight GPUs of a DGX-1 (V100) and the NVLinks between them; a pair of two links has capacity 2.  The matrix
 * is that of microsoft/msccl-tools, its topology of this name. */
#include "lib/network/graph.h"

enum { NODES = 8 };

static enum peal_status
dgx1_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    static const uint8_t above_diagonal[] = {
        2, 1, 1, 2, 0, 0, 0, /* from 0 to 1 .. 7 */
        1, 2, 0, 1, 0, 0,    /* from 1 to 2 .. 7 */
        2, 0, 0, 2, 0,       /* from 2 */
        0, 0, 0, 1,          /* from 3 */
        2, 1, 1,             /* from 4 */
        1, 2,                /* from 5 */
        2,                   /* from 6 to 7 */
    };

    return graph_of_matrix(network, extents, NODES, above_diagonal, error);
}

const struct topology topology_dgx1 = {
    .name = "dgx1",
    .form = "dgx1",
    .summary = "the 8 GPUs of a DGX-1, joined by NVLinks of capacity 1 and 2",
    .fixed_nodes = NODES,
    .create = dgx1_create,
    GRAPH_MEMBERS,
};
