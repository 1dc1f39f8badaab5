/* SPDX-License-Identifier: MIT */
/* Matching while receives from any source are held (round->hold): such a receive takes nothing until a chooser chooses
 * for it among the sends that are available when nothing else can move. */
#include "lib/round/match.h"

/* The other receives take their sends at once, as in match.c, except for a send that an earlier held receive may take:
 * without the hold, that receive would have taken it.  A receive from one source does not look past such a send either,
 * since messages of one source do not overtake.
 *
 * Requests for some locks, and updates of some memory, are held likewise: access.c.
 *
 * Probes from any source that their nodes wait for are held, too: such a probe finds what was chosen for it, and leaves
 * it or takes it away. */

/* Whether a receive from any source before `before` in the node's list may take the send. */
static bool
held_before(const struct round *round, const struct round_node *node, uint32_t before, const struct request *send)
{
    for (uint32_t id = node->receives; id && id != before; id = round->requests[id].next)
        if (round->requests[id].peer == PEAL_ANY_SOURCE && may_take(&round->requests[id], send))
            return true;
    return false;
}

/* The send that a receive from one source takes, with its predecessor; 0: none. */
static uint32_t
send_for(const struct round *round, const struct round_node *node, uint32_t receive, uint32_t *previous)
{
    *previous = 0;
    for (uint32_t id = node->sends; id; *previous = id, id = round->requests[id].next)
        if (may_take(&round->requests[receive], &round->requests[id]))
            return held_before(round, node, receive, &round->requests[id]) ? 0 : id;
    return 0;
}

uint32_t
hold_predecessor(const struct round *round, const struct round_node *node, uint32_t send)
{
    uint32_t previous = 0;

    for (uint32_t id = node->sends; id != send; id = round->requests[id].next)
        previous = id;
    return previous;
}

enum round_status
match_held(struct round *round, struct round_node *node, struct round_failure *failure)
{
    uint32_t before = 0, next;

    for (uint32_t id = node->receives; id && node->sends; id = next) {
        uint32_t send = 0, previous = 0;

        next = round->requests[id].next;
        if (round->requests[id].context & REQUEST_APART) { /* probe.c */
            before = id;
            continue;
        }
        if (id == round->chosen.receive) {
            send = round->chosen.send;
            previous = hold_predecessor(round, node, send);
        } else if (round->requests[id].peer != PEAL_ANY_SOURCE) {
            send = send_for(round, node, id, &previous);
        }
        if (!send) {
            before = id;
            continue;
        }
        unlink_after(round, &node->sends, &node->sends_last, previous, send);
        unlink_after(round, &node->receives, &node->receives_last, before, id);
        node->send_count--;
        enum round_status status = match_bind(round, id, send, failure);

        if (status != ROUND_MADE)
            return status;
    }
    return ROUND_MADE;
}

/* ------------------------------------------------------------------ the options */

bool
hold_has(const struct round *round, const struct request *probe)
{
    return round->hold && is_probe(probe) && (probe->flags & REQUEST_AWAITED) &&
           (probe->peer == PEAL_ANY_SOURCE || (probe->flags & REQUEST_ASKED));
}

/* Whether the held receive or probe may take the send. */
static bool
may_have(const struct request *receive, const struct request *send)
{
    return is_probe(receive) ? may_find(receive, send) : may_take(receive, send);
}

/* Whether this receive could also take an earlier send of the same node: that comes first. */
static bool
overtakes(const struct round *round, const struct round_node *node, uint32_t receive, uint32_t send)
{
    for (uint32_t id = node->sends; id != send; id = round->requests[id].next)
        if (round->requests[id].node == round->requests[send].node &&
            may_have(&round->requests[receive], &round->requests[id]))
            return true;
    return false;
}

bool
round_next_option(const struct round *round, struct round_option *option)
{
    for (; option->served == 0 && option->node < round->nodes; option->node++, option->receive = option->send = 0) {
        const struct round_node *node = &round->node[option->node];

        if (!node->sends)
            continue;
        if (!option->receive)
            option->receive = node->receives;
        for (; option->receive; option->receive = round->requests[option->receive].next, option->send = 0) {
            const struct request *receive = &round->requests[option->receive];

            if (receive->peer != PEAL_ANY_SOURCE || (is_probe(receive) && !hold_has(round, receive)))
                continue;
            option->send = option->send ? round->requests[option->send].next : node->sends;
            for (; option->send; option->send = round->requests[option->send].next)
                if (may_have(receive, &round->requests[option->send]) &&
                    !overtakes(round, node, option->receive, option->send) &&
                    !held_before(round, node, option->receive, &round->requests[option->send]))
                    return true;
        }
    }
    return round->holds && access_option(round, option->served, option);
}

bool
round_choose(struct round *round, const struct round_option *option)
{
    if (option->served > 0)
        return access_choose(round, option);
    round->chosen.receive = option->receive;
    round->chosen.send = option->send;
    return true;
}
