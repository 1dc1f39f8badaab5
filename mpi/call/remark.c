/* SPDX-License-Identifier: MIT */
/* Findings of a call, with its name, its node and its place. */
#include "mpi/call/node.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool strict;
bool finding_watched;

void
strict_begin(void)
{
    const char *word = getenv("PEAL_STRICT");

    strict = word && *word && strcmp(word, "0") != 0;
}

bool
finding_strict(void)
{
    return strict;
}

void
remark_at(struct mpi *mpi, int kind, const char *at, int rank, const char *site, const char *format, ...)
{
    const struct peal_place other = {rank, site, PEAL_CODE};
    struct peal_run_finding finding = {
        .kind = (enum peal_failure_kind)kind, .places = &other, .place_count = rank >= 0 && site};
    va_list list;

    va_start(list, format);
    vsnprintf(finding.message, sizeof finding.message, format, list);
    va_end(list);
    peal_add_finding_at(mpi->me, &finding, at, PEAL_CODE);
}

void
mpi_find(struct mpi *mpi, int kind, int rank, const char *site, const char *format, ...)
{
    char text[700];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    remark_at(mpi, kind, mpi->file, rank, site, "%s of node %d: %s", mpi->call, peal_world_rank(mpi->me), text);
}

void
mpi_remark(struct mpi *mpi, const struct remark *remark, const char *format, ...)
{
    const struct peal_place other = {remark->rank, remark->site, PEAL_CODE};
    const struct peal_rule *rule = remark->rule;
    char text[700], node[20] = "";
    struct peal_run_finding finding = {.kind = (enum peal_failure_kind)remark->kind,
                                       .severity = remark->note ? PEAL_SEVERITY_NOTE : PEAL_SEVERITY_WARNING,
                                       .places = &other,
                                       .place_count = remark->site != NULL};
    va_list list;

    if (remark->note && !strict)
        return;
    if (rule && !remark->note)
        snprintf(finding.rule, sizeof finding.rule, "%s", rule->rule);
    if (rule && rule->fix)
        snprintf(finding.fix, sizeof finding.fix, "%s%s%s", remark->note ? rule->rule : "", remark->note ? "; " : "",
                 rule->fix);
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (!strstr(text, "node "))
        snprintf(node, sizeof node, " of node %d", peal_world_rank(mpi->me));
    snprintf(finding.message, sizeof finding.message, "%s%s: %s", remark->call ? remark->call : mpi->call, node, text);
    peal_add_finding_at(mpi->me, &finding, remark->at ? remark->at : mpi->file, PEAL_CODE);
}
