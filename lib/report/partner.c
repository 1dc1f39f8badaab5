/* SPDX-License-Identifier: MIT */
/* A partner out of range: how the program computes it, inferred from the partners of other nodes in this call. */
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
partners_compare(const struct bad_partner *bad_partner, int rank, int peer, struct partners *partners)
{
    bool exchanged = (rank ^ peer) == (bad_partner->rank ^ bad_partner->peer),
         shifted = peer - rank == bad_partner->peer - bad_partner->rank;

    partners->exchanged += exchanged && !shifted;
    partners->others += !exchanged && !shifted;
    partners->shifted += shifted && !exchanged;
    partners->all++;
    partners->mirrored += rank + peer == bad_partner->rank + bad_partner->peer;
}

static bool
is_at(const struct peal_failure *failure, struct call_site site)
{
    return site.file && site.line == failure->line && strcmp(site.file, failure->file) == 0;
}

/* Look at what the nodes have posted in the call at the failure's place, and whose calls failed there. */
static struct partners
partners_count(const struct peal_machine *machine, const struct bad_partner *bad_partner)
{
    uint32_t used = atomic_load(&machine->requests_used);
    struct partners partners = {.same = 0};

    for (uint32_t id = 1; id < used; id++) {
        const struct request *request = &machine->requests[id];
        struct call_site site = request_site(machine, request);

        if (request->kind != (bad_partner->sends ? REQUEST_SEND : REQUEST_RECEIVE) ||
            request->peer == PEAL_ANY_SOURCE ||
            !is_at(&machine->reports.failure, site_of(machine, site.file, site.line)))
            continue;
        int rank = rank_in(bad_partner->group, request->node), peer = rank_in(bad_partner->group, request->peer);

        if (rank >= 0 && peer >= 0 && rank != bad_partner->rank)
            partners_compare(bad_partner, rank, peer, &partners);
    }
    for (int i = 0; i < machine->options.nodes; i++) {
        const struct node *node = &machine->nodes[i];

        if (i == machine->reports.failure.rank || node->state != NODE_FAILED ||
            node->bad_partner.group != bad_partner->group || node->bad_partner.sends != bad_partner->sends ||
            !is_at(&machine->reports.failure, site_of(machine, node->file, node->line)))
            continue;
        partners_compare(bad_partner, node->bad_partner.rank, node->bad_partner.peer, &partners);
        partners.same += node->bad_partner.peer == bad_partner->peer;
    }
    return partners;
}

void
report_partner(struct peal_machine *machine)
{
    const struct bad_partner *bad_partner = &machine->reports.bad_partner;
    char *fix = machine->reports.failure.fix;

    if (machine->reports.failure.kind != PEAL_BAD_RANK || !bad_partner->group ||
        bad_partner->peer < -bad_partner->group->size)
        return;
    struct partners partners = partners_count(machine, bad_partner);
    int size = bad_partner->group->size, by = bad_partner->peer - bad_partner->rank;

    bool sum = partners.shifted > 0 && partners.exchanged == 0 && partners.others == 0;
    unsigned mask = (unsigned)(bad_partner->rank ^ bad_partner->peer);
    bool exchange =
        partners.exchanged > 0 && partners.shifted == 0 && ((mask & (mask - 1)) == 0 || partners.mirrored == 0);
    const char *null = strstr(bad_partner->instead, "NULL") ? ", or name MPI_PROC_NULL" : "";

    const bool constant = partners.same > 0 && partners.others == partners.same && partners.shifted == 0;

    if (constant && bad_partner->peer < 0)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_none), bad_partner->instead);
    else if (constant)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_of_all), bad_partner->peer, size, size - 1, size,
                 bad_partner->peer);
    else if (exchange && by > 0)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_exchange), (int)mask, size, size);
    else if (sum && by > 0 && by < size)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_up), by, by, size, by, size, null, by);
    else if (sum && by < 0 && -by < size)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_down), -by, bad_partner->rank, -by, size, size, -by, size, -by,
                 null, -by);
    else if (partners.mirrored > 0 && partners.mirrored == partners.all && bad_partner->rank == 0 &&
             bad_partner->peer == size)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(partner_mirrored), size, size, size);
}
