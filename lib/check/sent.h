/* SPDX-License-Identifier: MIT */
/* What a run has sent: how many messages, and over how many links. */
#pragma once

#include "lib/base/private.h"
#include <peal/cost.h>

/* The messages of a run, and the longest route of one. */
struct sent_messages {
    int64_t messages; /* from a node to another */
    int64_t hops;
    int32_t from, to; /* of that route */
};
void sent_count(const struct peal_schedule *schedule, struct sent_messages *sent);

/* Say its longest route, or else its messages: "sends 3 messages". */
PEAL_PRIVATE void peal_sent_say(const struct sent_messages *sent, bool hops, char *text, size_t bytes);
