/* SPDX-License-Identifier: MIT */
/* Finds the data that nodes hold after each round: what a program shows or, of a collective, its words, unless that
 * would make the page slow. */
#include "write/report.h"

/* A page that is much larger is slow to open. */
enum { MAX_BYTES = 4 << 20 };

bool
report_holdings(struct peal_holdings *holdings, const struct peal_record *run, struct peal_error *error)
{
    if (!run->program || run->shown.count == 0)
        return peal_holdings_make(holdings, run, NULL, MAX_BYTES, error) == PEAL_OK;
    return peal_holdings_shown(holdings, run) || peal_refuse(error, PEAL_RESOURCES, "not enough memory") == PEAL_OK;
}

char *
report_blocks(const struct peal_record *run, struct peal_error *error)
{
    struct peal_holdings holdings;
    char *text = NULL;

    if (report_holdings(&holdings, run, error))
        text = peal_holdings_json(&holdings, holdings.kind == PEAL_HOLDS_SHOWN ? SIZE_MAX : MAX_BYTES, error);
    peal_holdings_fini(&holdings);
    return text;
}
