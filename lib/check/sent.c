/* SPDX-License-Identifier: MIT */
/* Counts the messages of a run. */
#include "lib/check/sent.h"
#include <stdio.h>

void
sent_count(const struct peal_schedule *schedule, struct sent_messages *sent)
{
    *sent = (struct sent_messages){.messages = 0};
    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);

        for (size_t k = round->first; k < round->first + round->count; k++) {
            const struct peal_transfer *transfer = &schedule->transfers[k];

            sent->messages += transfer->from != transfer->to;
            if (transfer->hops > sent->hops) {
                sent->hops = transfer->hops;
                sent->from = transfer->from;
                sent->to = transfer->to;
            }
        }
    }
}

void
peal_sent_say(const struct sent_messages *sent, bool hops, char *text, size_t bytes)
{
    if (hops)
        snprintf(text, bytes, "a message from node %d to node %d takes %lld link%s", sent->from, sent->to,
                 (long long)sent->hops, sent->hops == 1 ? "" : "s");
    else
        snprintf(text, bytes, "sends %lld message%s", (long long)sent->messages, sent->messages == 1 ? "" : "s");
}
