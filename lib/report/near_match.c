/* SPDX-License-Identifier: MIT */
/* Near misses: a send and a receive of a program that face each other and do not match, since their communicators or
 * tags differ.  Messages within collectives have none: the program does not choose their tags. */
#include "lib/machine/requests.h"
#include "lib/report/waiting.h"
#include <peal/hints.h>
#include <stdio.h>

/* The group that the request's message is sent in; NULL: it is within a collective. */
static const struct group *
near_match_group(const struct peal_machine *machine, const struct request *request)
{
    uint32_t context = request->context & ~REQUEST_APART;
    const struct group *group = &machine->world;

    while (group && group->context != context)
        group = group == &machine->world ? machine->groups : group->next;
    return group;
}

static bool
tags_differ(const struct request *send, const struct request *receive)
{
    return receive->tag != PEAL_ANY_TAG && send->tag != receive->tag;
}

/* In how many ways the two differ, if they face each other; 0: they do not, or may match. */
static int
differences(const struct peal_machine *machine, const struct request *send, const struct request *receive)
{
    bool receives =
        receive->kind == REQUEST_RECEIVE || receive->kind == REQUEST_PROBE || receive->kind == REQUEST_MATCHED_PROBE;

    if (send->kind != REQUEST_SEND || !receives || (send->flags | receive->flags) & REQUEST_MATCHED ||
        receive->flags & REQUEST_COMPLETE || send->peer != receive->node ||
        (receive->peer != PEAL_ANY_SOURCE && receive->peer != send->node))
        return 0;
    int count = tags_differ(send, receive) + (send->context != (receive->context & ~REQUEST_APART));

    return count > 0 && near_match_group(machine, send) && near_match_group(machine, receive) ? count : 0;
}

bool
near_match(const struct peal_machine *machine, const struct request *request, struct near_match *miss)
{
    bool sends = request->kind == REQUEST_SEND;
    const struct round_node *boxes = &machine->round.node[sends ? request->peer : request->node];
    int least = 3;

    for (uint32_t id = sends ? boxes->receives : boxes->sends; id; id = machine->requests[id].next) {
        const struct request *other = &machine->requests[id], *send = sends ? request : other,
                             *receive = sends ? other : request;
        int count = differences(machine, send, receive);

        if (count > 0 && count < least) {
            least = count;
            *miss = (struct near_match){send, receive};
        }
    }
    return least < 3;
}

void
near_match_append(const struct peal_machine *machine, const struct near_match *miss, char *text, size_t bytes)
{
    const struct request *send = miss->send, *receive = miss->receive;
    struct call_site from = request_site(machine, send), to = request_site(machine, receive);
    bool groups = send->context != (receive->context & ~REQUEST_APART);
    char sent[SITE_WORDS], awaited[SITE_WORDS], one[GROUP_WORDS], other[GROUP_WORDS], tags[60] = "",
                                                                                      both[2 * GROUP_WORDS + 60] = "";

    if (groups)
        snprintf(both, sizeof both, "the %s differ: %s and %s", site_call(from.line) ? "communicators" : "groups",
                 group_words(machine, near_match_group(machine, send), one),
                 group_words(machine, near_match_group(machine, receive), other));
    if (tags_differ(send, receive))
        snprintf(tags, sizeof tags, "%sthe tags differ: %d and %d", groups ? "; " : "", send->tag, receive->tag);
    size_t used = strlen(text);

    snprintf(text + used, bytes - used, "; the message of node %d (%s) and the %s of node %d (%s) do not match: %s%s",
             send->node, site_words(machine, from, sent), receive->kind == REQUEST_RECEIVE ? "receive" : "probe",
             receive->node, site_words(machine, to, awaited), both, tags);
}

void
near_match_advise(const struct peal_machine *machine, const struct near_match *miss, char fix[ADVICE_BYTES])
{
    const struct request *send = miss->send, *receive = miss->receive;
    const char *what = receive->kind == REQUEST_RECEIVE ? "receive" : "probe";

    if (send->context != (receive->context & ~REQUEST_APART))
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(other_group), send->node, what, receive->node,
                 site_call(request_site(machine, send).line) ? "communicator" : "group");
    else
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(other_tag), send->node, what, receive->node);
}

/* The first send to node `to` that nothing has matched or taken; unless `from` is -1, from it, and in a group. */
static const struct request *
first_free_send(const struct peal_machine *machine, int to, int from)
{
    for (uint32_t id = machine->round.node[to].sends; id; id = machine->requests[id].next) {
        const struct request *send = &machine->requests[id];

        if (send->kind == REQUEST_SEND && !(send->flags & (REQUEST_TAKEN | REQUEST_MATCHED)) &&
            (from == -1 || (send->node == from && near_match_group(machine, send))))
            return send;
    }
    return NULL;
}

bool
is_at_its_end(const struct node *node)
{
    const char *call = node->meets ? site_call(node->line) : NULL;

    return node->state == NODE_FINISHED || (call && strcmp(call, "MPI_Finalize") == 0);
}

bool
astray_advise(const struct peal_machine *machine, const struct request *receive, bool ended, char fix[ADVICE_BYTES])
{
    const struct request *to_it = first_free_send(machine, receive->node, -1), *from_it = NULL;
    char site[SITE_WORDS];

    for (int to = 0; to < machine->options.nodes && !to_it && ended && !from_it; to++)
        if (is_at_its_end(&machine->nodes[to])) /* else it may still be received */
            from_it = first_free_send(machine, to, receive->peer);
    fix[0] = '\0';
    if (to_it && !near_match_group(machine, to_it) && to_it->node == receive->peer &&
        near_match_group(machine, receive))
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(by_collective), to_it->node,
                 site_words(machine, request_site(machine, to_it), site), receive->node);
    else if (to_it && ended && near_match_group(machine, to_it) && to_it->node != receive->peer)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(other_partners), to_it->node, receive->node, receive->peer);
    else if (!to_it && ended && from_it)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(other_receiver), from_it->node, from_it->peer, receive->node,
                 from_it->context == (receive->context & ~REQUEST_APART) ? ""
                 : site_call(request_site(machine, from_it).line)        ? ", and at its communicator"
                                                                         : ", and at its group");
    return fix[0];
}
