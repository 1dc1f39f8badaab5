/* SPDX-License-Identifier: MIT */
/* Admission goes once through the order and admits every pair whose ports are free at that moment; a pair passed over
 * blocks nobody behind it.  An eager message without a receive takes part like a pair while the receiver has places for
 * messages carried ahead.
 *
 * With a million pairs pending most are passed over in every round, so that step is two bytes looked up.  What was carried
 * leaves a hole, which looks as if its port were taken; holes are closed when they are many. */
#include "lib/round/round.h"

void
round_close_holes(struct round *round)
{
    size_t kept = 0;

    for (size_t i = 0; i < round->pending && round->holes > 0; i++)
        if (round->order[i].send)
            round->order[kept++] = round->order[i];
    if (round->holes > 0)
        round->pending = kept;
    round->holes = 0;
}

/* The ports of this pair are taken: list the transfer, leave a hole. */
static bool
admit(struct round *round, struct pending *pending, const struct request *send)
{
    if (!grow(&round->transfers, &round->transfers_capacity, round->transfer_count + 1, sizeof *round->transfers)
        || !grow(&round->admitted, &round->admitted_capacity, round->transfer_count + 1, sizeof *round->admitted))
        return false;
    if (!(send->flags & REQUEST_MATCHED))
        round->node[pending->to].ahead++;
    round->transfers[round->transfer_count] =
        (struct peal_transfer){.words = send->words, .from = pending->from, .to = pending->to};
    round->admitted[round->transfer_count++] = pending->send;
    *pending = (struct pending){.from = round->nodes};
    round->holes++;
    return true;
}

bool
round_admit(struct round *round)
{
    struct ports *ports = &round->ports;
    bool one_place = ports->places == 1;
    size_t most = one_place ? (size_t)round->nodes : SIZE_MAX; /* transfers that there are ports for */

    round->transfer_count = 0;
    ports->round = round->number;
    for (size_t i = 0; i < round->pending && round->transfer_count < most; i++) {
        struct pending *pending = &round->order[i];

        if ((one_place && ports_busy(ports, pending->from, pending->to)) || !pending->send)
            continue;
        const struct request *send = &round->requests[pending->send];

        if (!(send->flags & REQUEST_MATCHED) && round->node[pending->to].ahead >= round->mailbox)
            continue;
        int taken = ports_take(ports, pending->from, pending->to);

        if (taken < 0 || (taken && !admit(round, pending, send)))
            return false;
    }
    for (size_t i = 0; i < round->transfer_count; i++)
        ports_give(ports, round->transfers[i].from, round->transfers[i].to);
    if (round->holes > round->pending / 4)
        round_close_holes(round);
    return true;
}
