/* SPDX-License-Identifier: MIT */
/* A partner out of range: how the program computes it, as the partners show that other nodes have in this call. */
#include "lib/machine/group.h"
#include "lib/machine/requests.h"
#include "lib/report/waiting.h"
#include <peal/hints.h>
#include <stdio.h>

/* What the partners of other nodes have in common with the one that failed. */
struct partners {
    int exchanged; /* lower ones, by the same exclusive or, and not by the same sum */
    int shifted;   /* by the same sum, and not by the same exclusive or */
    int mirrored;  /* by the same sum of rank and partner */
    int all;
    int others; /* by neither */
    int same;   /* the same number, out of range */
};

static int
rank_in(const struct group *group, int world_rank)
{
    if (!group->members)
        return world_rank;
    for (int i = 0; i < group->size; i++)
        if (group->members[i] == world_rank)
            return i;
    return -1;
}

static void
partners_compare(const struct stray *stray, int rank, int peer, struct partners *partners)
{
    bool exchanged = (rank ^ peer) == (stray->rank ^ stray->peer), shifted = peer - rank == stray->peer - stray->rank;

    partners->exchanged += exchanged && !shifted;
    partners->others += !exchanged && !shifted;
    partners->shifted += shifted && !exchanged;
    partners->all++;
    partners->mirrored += rank + peer == stray->rank + stray->peer;
}

static bool
is_at(const struct peal_failure *failure, struct call_site site)
{
    return site.file && site.line == failure->line && strcmp(site.file, failure->file) == 0;
}

/* Look at what the nodes have posted in the call at the failure's place, and whose calls failed there. */
static struct partners
partners_count(const struct peal_machine *machine, const struct stray *stray)
{
    uint32_t used = atomic_load(&machine->requests_used);
    struct partners partners = {.same = 0};

    for (uint32_t id = 1; id < used; id++) {
        const struct request *request = &machine->requests[id];
        struct call_site site = request_site(machine, request);

        if (request->kind != (stray->sends ? REQUEST_SEND : REQUEST_RECEIVE) || request->peer == PEAL_ANY_SOURCE ||
            !is_at(&machine->reports.failure, site_of(machine, site.file, site.line)))
            continue;
        int rank = rank_in(stray->group, request->node), peer = rank_in(stray->group, request->peer);

        if (rank >= 0 && peer >= 0 && rank != stray->rank)
            partners_compare(stray, rank, peer, &partners);
    }
    for (int i = 0; i < machine->options.nodes; i++) {
        const struct node *node = &machine->nodes[i];

        if (i == machine->reports.failure.rank || node->state != NODE_FAILED || node->stray.group != stray->group ||
            node->stray.sends != stray->sends ||
            !is_at(&machine->reports.failure, site_of(machine, node->file, node->line)))
            continue;
        partners_compare(stray, node->stray.rank, node->stray.peer, &partners);
        partners.same += node->stray.peer == stray->peer;
    }
    return partners;
}

void
report_partner(struct peal_machine *machine)
{
    const struct stray *stray = &machine->reports.stray;
    char *fix = machine->reports.failure.fix;

    if (machine->reports.failure.kind != PEAL_BAD_RANK || !stray->group || stray->peer < -stray->group->size)
        return;
    struct partners partners = partners_count(machine, stray);
    int size = stray->group->size, by = stray->peer - stray->rank;

    bool sum = partners.shifted > 0 && partners.exchanged == 0 && partners.others == 0;
    unsigned mask = (unsigned)(stray->rank ^ stray->peer);
    bool exchange =
        partners.exchanged > 0 && partners.shifted == 0 && ((mask & (mask - 1)) == 0 || partners.mirrored == 0);
    const char *null = strstr(stray->instead, "NULL") ? ", or name MPI_PROC_NULL" : "";

    const bool constant = partners.same > 0 && partners.others == partners.same && partners.shifted == 0;

    if (constant && stray->peer < 0)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_none), stray->instead);
    else if (constant)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_of_all), stray->peer, size, size - 1, size, stray->peer);
    else if (exchange && by > 0)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_exchange), (int)mask, size, size);
    else if (sum && by > 0 && by < size)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_up), by, by, size, by, size, null, by);
    else if (sum && by < 0 && -by < size)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_down), -by, stray->rank, -by, size, size, -by, size, -by, null,
                 -by);
    else if (partners.mirrored > 0 && partners.mirrored == partners.all && stray->rank == 0 && stray->peer == size)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_mirrored), size, size, size);
}
