/* SPDX-License-Identifier: MIT */
/* What the cells of all nodes hold after each round of a run, as changes from round to round: for the page, which gets
 * them as JSON, and for the terminal. */
#pragma once

#include "lib/base/private.h"
#include <peal/check.h>
#include <stdio.h>

/* The contributors of a combination, as ranges in their order: ends[0] .. ends[1], ends[2] .. ends[3].  None: they are
 * words of several places. */
struct peal_contributors {
    int count; /* of ends */
    int ends[];
};

/* `count` cells of a node, from `cell` on, hold something else from here on: `number`, `sum` or `text`, or nothing. */
struct peal_change {
    int node, cell, count;
    bool numbered;
    int64_t number; /* of the first cell; the others have the numbers after it */
    const struct peal_contributors *sum;
    char text[48];    /* "": none */
    const char *mark; /* what is wrong with it in the end, "never" or "wrong"; NULL: nothing */
};

/* What `count` cells should hold in the end: the numbers from `first` on or, of a sum, the nodes first .. last. */
struct peal_want {
    int node, cell, count;
    int64_t first;
    int last;
};

/* A cell whose contents a node sends on, and need not keep. */
struct peal_leave {
    int node, cell;
};

struct peal_holdings {
    enum peal_holdings_kind { PEAL_HOLDS_COPIES, PEAL_HOLDS_SUMS, PEAL_HOLDS_SHOWN } kind;
    const char *label; /* what the numbers are: "number", "pair", "name" */
    int nodes, cells;
    size_t cell_words;  /* 0: it differs, or is not known */
    const char **names; /* of the cells, where these are variables; NULL */

    /* In the order of their rounds: those up to change_end[0] are what is there at first, those from change_end[i - 1]
     * to change_end[i] of round i. */
    size_t rounds;
    size_t *change_end;
    struct peal_change *changes;

    struct peal_want *wanted;
    size_t wanted_count;

    size_t *leave_end; /* as change_end; NULL: it is not known what leaves */
    struct peal_leave *leaves;

    struct peal_contributors **contributors; /* that the changes point to */
    uint32_t contributors_count;
};

/* Find what every node holds after each round of a recorded run: see peal_check_holdings.
 *
 *   owner    the caller calls peal_holdings_fini, also after an error
 *   errors   as of peal_check_holdings; there may be so many changes that their JSON takes more than `most` bytes */
PEAL_PRIVATE enum peal_status peal_holdings_make(struct peal_holdings *holdings, const struct peal_record *run,
                                                 const union peal_check_function *function, size_t most,
                                                 struct peal_error *error);
/* Find what the nodes of a program have shown.  False without memory.
 *
 *   owner    the caller calls peal_holdings_fini in any case; borrows the names of run until then */
PEAL_PRIVATE bool peal_holdings_shown(struct peal_holdings *holdings, const struct peal_record *run);
PEAL_PRIVATE void peal_holdings_fini(struct peal_holdings *holdings);

/* Add a change of round `holdings->rounds`; end the round.  False without memory. */
PEAL_PRIVATE bool peal_holdings_add(struct peal_holdings *holdings, const struct peal_change *change);
PEAL_PRIVATE bool peal_holdings_end_round(struct peal_holdings *holdings);

/* Give it as JSON, the "blocks" of peal-json(5); NULL after an error.
 *
 *   owner    the caller frees the text
 *   errors   PEAL_USAGE if it takes more than `most` bytes; PEAL_RESOURCES */
PEAL_PRIVATE char *peal_holdings_json(const struct peal_holdings *holdings, size_t most, struct peal_error *error);
