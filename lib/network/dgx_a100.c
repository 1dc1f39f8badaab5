/* SPDX-License-Identifier: MIT */
/* dgx-a100: the eight GPUs of a DGX A100, every two joined by links of capacity 12: its switches pass on all that a
 * GPU's 12 NVLinks carry.  Source: microsoft/msccl-tools, its topology of this name. */
#include "lib/network/graph.h"
#include <string.h>

enum { NODES = 8, PAIRS = NODES * (NODES - 1) / 2, NVLINKS = 12 };

static enum peal_status
dgx_a100_create(struct peal_network *network, const char *extents, struct peal_error *error)
{
    uint8_t above_diagonal[PAIRS];

    memset(above_diagonal, NVLINKS, sizeof above_diagonal);
    return graph_of_matrix(network, extents, NODES, above_diagonal, error);
}

const struct topology topology_dgx_a100 = {
    .name = "dgx-a100",
    .form = "dgx-a100",
    .summary = "the 8 GPUs of a DGX A100, every two joined with capacity 12",
    .fixed_nodes = NODES,
    .create = dgx_a100_create,
    GRAPH_MEMBERS,
};
