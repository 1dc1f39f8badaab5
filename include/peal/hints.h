/* SPDX-License-Identifier: MIT */
/* What Peal advises of one fault: PEAL_HINT(name) is a format for peal_advise.  The compiler checks its arguments
 * against the conversions in <peal/hints.def>.  Its text is not here: rewording it recompiles nothing else. */
#ifndef PEAL_HINTS_H
#define PEAL_HINTS_H

#include <peal/base.h>

PEAL_BEGIN

/* Numbers of one version of the library. */
enum {
#define PEAL_HINT(name, conversions) PEAL_HINT_NUMBER_##name,
#include <peal/hints.def>
    PEAL_HINTS
};

#define PEAL_HINT(name, conversions)                                                                                   \
    static const char peal_conversions_##name[] __attribute__((unused)) = ":" conversions;
#include <peal/hints.def>

/* The format of the hint of this number, which has these conversions. */
PEAL_API const char *peal_hint(int number, const char *conversions) __attribute__((format_arg(2)));

struct peal_node;

/* Take back what the node was advised. */
PEAL_API void peal_advise_nothing(struct peal_node *me);

/* Advise, as peal_advise does, on `peer`, which is not a rank of me's group, where a call sends to it, or receives from
 * it.  `instead` is what to do where a call has no partner: "leave the call out".  Where the run fails by it, what is
 * advised follows the partners that other nodes have in this call.  owner: borrows instead until the end of the run */
PEAL_API void peal_advise_partner(struct peal_node *me, int peer, bool sends, const char *instead);

/* Note that the node writes the error code of a call in Fortran where the program says, and then that it has done so:
 * a fault in between comes from the program's last argument. */
PEAL_API void peal_suspect_result(struct peal_node *me, bool writes);

#define PEAL_HINT(name) peal_hint(PEAL_HINT_NUMBER_##name, peal_conversions_##name)

PEAL_END

#endif
