/* SPDX-License-Identifier: MIT */
/* A schedule written out: every round of the run is kept, in order, so that rounds[i] is its round i. */
#ifndef TESTS_EXPAND_H
#define TESTS_EXPAND_H

#include <peal/cost.h>
#include <stdlib.h>

/* owner: expanded_fini frees its arrays */
static inline struct peal_schedule
expanded(const struct peal_schedule *schedule)
{
    struct peal_schedule all = {.round_count = schedule->round_count,
                                .transfer_count = schedule->transfer_count,
                                .order = calloc(schedule->round_count + 1, sizeof *all.order),
                                .rounds = calloc(schedule->round_count + 1, sizeof *all.rounds),
                                .transfers = calloc(schedule->transfer_count + 1, sizeof *all.transfers)};

    for (; all.kept_rounds < all.round_count; all.kept_rounds++) {
        struct peal_round *round = &all.rounds[all.kept_rounds];
        const struct peal_transfer *transfers;

        *round = *peal_schedule_round(schedule, all.kept_rounds);
        transfers = schedule->transfers + round->first;
        round->first = all.kept_transfers;
        for (size_t i = 0; i < round->count; i++)
            all.transfers[all.kept_transfers++] = transfers[i];
        all.order[all.kept_rounds] = (uint32_t)all.kept_rounds;
    }
    return all;
}

static inline void
expanded_fini(struct peal_schedule *schedule)
{
    free(schedule->order);
    free(schedule->rounds);
    free(schedule->transfers);
}

#endif
