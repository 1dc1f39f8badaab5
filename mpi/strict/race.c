/* SPDX-License-Identifier: MIT */
/* Reports a race: the finding remote-conflict, and its correction. */
#include "mpi/strict/polls.h"
#include <peal/hints.h>
#include <peal/post.h>
#include <stdio.h>
#include <string.h>

static const char undefined_rule[] = "MPI 3.1, 11.3 and 11.7: what a load finds during an update, or a get during a "
                                     "store, is undefined; in the unified memory "
                                     "model a node may poll for one value";

/* By rank, and in one node by place, so that the finding does not depend on the node that makes it. */
void
race_note(struct race *race, struct race_side a, struct race_side b, int owner, size_t bytes)
{
    bool turned = b.node < a.node || (b.node == a.node && (uintptr_t)b.site < (uintptr_t)a.site);
    const struct race_side both[2] = {turned ? b : a, turned ? a : b};

    *race = (struct race){.owner = owner, .bytes = bytes};
    for (int i = 0; i < 2; i++) {
        race->places[i] = (struct peal_place){both[i].node, both[i].site, PEAL_CODE};
        race->calls[i] = both[i].call;
        race->local[i] = both[i].local;
    }
}

/* Whether the call combines values with what is there. */
static bool
race_call_combines(const char *call)
{
    return strstr(call, "ccumulate") || strcmp(call, "MPI_Fetch_and_op") == 0 ||
           strcmp(call, "MPI_Compare_and_swap") == 0;
}

void
race_tell(struct peal_node *me, const struct race *race)
{
    struct peal_run_finding finding = {.kind = PEAL_REMOTE_CONFLICT, .places = race->places, .place_count = 2};

    snprintf(
        finding.message, sizeof finding.message,
        "%s of node %d%s and %s of node %d%s access the same %zu bytes of node %d's window, and nothing orders them",
        race->calls[0], race->places[0].rank, race->local[0] ? " with its buffer" : "", race->calls[1],
        race->places[1].rank, race->local[1] ? " with its buffer" : "", race->bytes, race->owner);
    if (race->undefined)
        snprintf(finding.rule, sizeof finding.rule, "%s", undefined_rule);
    bool own = strncmp(race->calls[0], "a ", 2) == 0 || strncmp(race->calls[1], "a ", 2) == 0;
    bool updates = !strstr(race->calls[0], "Get") && !strstr(race->calls[1], "Get");
    bool combine = race_call_combines(race->calls[0]) && race_call_combines(race->calls[1]);

    if (own)
        snprintf(finding.fix, sizeof finding.fix, PEAL_HINT(conflict_own), race->owner);
    else
        snprintf(finding.fix, sizeof finding.fix, "%s",
                 combine                            ? PEAL_HINT(conflict_combine)
                 : race->local[0] || race->local[1] ? PEAL_HINT(conflict_order)
                 : updates                          ? PEAL_HINT(conflict_update)
                                                    : PEAL_HINT(conflict_read));
    peal_record_places(me, &finding);
}

void
races_tell(struct peal_node *me, const struct race_list *races)
{
    for (int i = 0; i < races->count; i++)
        race_tell(me, &races->list[i]);
}
