/* SPDX-License-Identifier: MIT */
/* Calls that the chooser answers: which of several requests are returned, whether a test or a probe succeeds.
 *
 * The node parks with a question.  It waits for more requests than there are, so that no round releases it: only the
 * answer does. */
#include "lib/machine/failure.h"
#include "lib/machine/post.h"

bool
peal_picks(const struct peal_node *me)
{
    const struct match_chooser *chooser = me->node->machine->match_chooser;

    return chooser && chooser->refuse;
}

/* Park until the question is answered. */
static void
question_ask(struct node *node, struct node_question *question, uint32_t waiting)
{
    uint32_t *waits = &node->machine->round.node[node->rank].waiting;

    question->file = node->file;
    question->line = node->line;
    node->question = question;
    *waits = waiting;
    node_park(node, NODE_WAITS);
    *waits = 0;
    node->question = NULL;
}

/* Mark the requests of the call, or remove the mark.  Gives how many are not complete. */
static uint32_t
pick_mark(struct request *requests, const struct peal_pick *pick, bool asked)
{
    uint32_t open = 0;

    for (int i = 0; i < 2 * pick->count; i++) {
        const struct peal_pickable *one = &pick->list[i / 2];
        struct request *request = &requests[one->handles[i % 2].slot];

        if (!one->open || one->handles[i % 2].slot == 0)
            continue;
        request->flags = (uint16_t)(asked ? request->flags | REQUEST_ASKED : request->flags & ~REQUEST_ASKED);
        open += !(request->flags & REQUEST_COMPLETE);
    }
    return open;
}

bool
peal_choose_at(struct peal_node *me, struct peal_pick *pick, const char *file, int line)
{
    struct node *node = me->node;
    struct node_question question = {.pick = pick};

    call_enter(me, file, line);
    if (!peal_picks(me))
        node_fail(me, PEAL_BAD_REQUEST, "peal_choose in a run that is not one of several");
    for (int i = 0; i < 2 * pick->count; i++) {
        pick->list[i / 2].picked = pick->list[i / 2].seen = false;
        if (pick->list[i / 2].open && pick->list[i / 2].handles[i % 2].slot != 0)
            request_by_handle(me, pick->list[i / 2].handles[i % 2]);
    }
    uint32_t open = pick_mark(node->machine->requests, pick, true);

    node->wanted = pick->kind == PEAL_PICK_ALL ? open : 1;
    question_ask(node, &question, UINT32_MAX);
    pick_mark(node->machine->requests, pick, false);
    for (int i = 0; i < pick->count; i++)
        if (pick->list[i].picked && pick->list[i].handles[0].slot != 0)
            pick->list[i].came = envelope_of(me, pick->list[i].handles[0].slot);
    call_leave(me);
    return question.yes;
}

void
question_probe(struct node *node, uint32_t id)
{
    struct node_question question = {.probe = id};

    node->machine->requests[id].flags |= REQUEST_ASKED | REQUEST_AWAITED;
    question_ask(node, &question, 1);
    node->machine->requests[id].flags &= (uint16_t) ~(REQUEST_ASKED | REQUEST_AWAITED);
}
