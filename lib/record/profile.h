/* SPDX-License-Identifier: MIT */
/* The profile of a run, without its rounds: by call sites, by pairs of nodes and over time. */
#pragma once

#include "lib/base/private.h"
#include <peal/machine.h>
#include <peal/observe.h>
#include <stdio.h>

struct peal_profile;

/* What the nodes spent at one call, summed over them, in units of the model's time.  A node's time is what it computes,
 * its transfers, and what it waits for; a transfer that goes on while its node computes takes no time of the node. */
struct peal_profile_site {
    const struct peal_caller *caller; /* NULL: all for which no call is known */
    uint64_t messages, bytes;         /* sent */
    double computing;                 /* since the node's previous call */
    double transfers;
    double late_sender, late_receiver; /* waiting until the other node was there, outside of collectives */
    double collective;                 /* waiting inside a collective for a node that came later */
    double ports;                      /* waiting until a port was free */
    double path, path_computing;       /* its part of the critical path */
};

/* Profile the next run of `machine`, which keeps its callers (peal_machine_keep_callers).
 *
 *   owner    borrows machine until peal_profile_end, which is called before it is destroyed; NULL after an error
 *   errors   PEAL_RESOURCES without memory                                                          */
PEAL_PRIVATE struct peal_profile *peal_profile_begin(struct peal_machine *machine, struct peal_error *error);
PEAL_PRIVATE void peal_profile_end(struct peal_profile *profile);

/* The i-th site, by number of its caller: 0 is that without a caller.  False after the last. */
PEAL_PRIVATE bool peal_profile_site(const struct peal_profile *profile, size_t i, struct peal_profile_site *site);

/* Write the profile as JSON, the "profile" of "peal/page/1". */
PEAL_PRIVATE void peal_profile_write(struct peal_profile *profile, FILE *out);
