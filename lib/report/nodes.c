/* SPDX-License-Identifier: MIT */
/* What every node that has not finished was doing when the run failed. */
#include "lib/base/text.h"
#include "lib/machine/failure.h"
#include "lib/machine/requests.h"
#include "lib/report/waiting.h"
#include <peal/hints.h>

const char *
node_collective(const struct node *node, uint32_t context)
{
    for (const struct peal_node *view = node->views; view; view = view->next)
        if (view->collective && view->context == context)
            return view->collective;
    return NULL;
}

static const char *
state_name(enum node_state state)
{
    switch (state) {
    case NODE_WAITS:
    case NODE_OFFERS:
        return "waits";
    case NODE_POSTS:
        return "posts";
    case NODE_TESTS:
        return "tests";
    case NODE_RESTS:
        return "rests";
    case NODE_SLEEPS:
        return "sleeps";
    case NODE_SPLITS:
        return "splits";
    case NODE_MEETS:
        return "meets";
    case NODE_RUNS:
        return "runs";
    case NODE_FAILED:
        return "failed";
    case NODE_FINISHED:
        break;
    }
    return "finished";
}

static struct peal_waiting
node_describe(const struct node *node)
{
    const struct request *requests = node->machine->requests;
    const struct peal_failure *failure = &node->machine->reports.failure;
    bool finished = node->state == NODE_FINISHED; /* it left a request, which is the failure */
    struct call_site place = finished ? (struct call_site){failure->file[0] ? failure->file : NULL, failure->line}
                                      : site_of(node->machine, node->file, node->line);
    const char *call = /* copied, like its collective: it may lie in a program that is unloaded */
        finished ? NULL : site_call(node->line);
    enum node_state state = node->stopped ? (enum node_state)(node->stopped - 1) : (enum node_state)node->state;
    struct peal_waiting waiting = {.rank = node->rank,
                                   .state = state_name(state),
                                   .peer = PEAL_ANY_SOURCE,
                                   .file = place.file ? strdup(place.file) : NULL,
                                   .line = place.line,
                                   .call = call ? strdup(call) : NULL};

    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if (!(requests[id].flags & REQUEST_COMPLETE) && requests[id].kind != REQUEST_STRAND) {
            waiting.what = request_verb(&requests[id]);
            waiting.peer = requests[id].peer;
            waiting.words = (size_t)requests[id].words;
            waiting.tag = requests[id].tag;
            const char *collective = node_collective(node, requests[id].context & ~REQUEST_APART);

            waiting.collective = collective ? strdup(collective) : NULL; /* it may lie in a program that is unloaded */
            break;
        }
    if (state == NODE_POSTS)
        waiting.box = node->blocked_box == REQUEST_SEND ? "outbox" : "mailbox";
    return waiting;
}

/* Whether the report says what the node was doing: it has not finished, or left a request. */
static bool
node_is_reported(const struct node *node)
{
    const struct peal_failure *failure = &node->machine->reports.failure;

    return node->state != NODE_FINISHED || (failure->kind == PEAL_LOST_REQUEST && failure->rank == node->rank);
}

/* What the node is doing, as a verb. */
static const char *
verb_of(const struct peal_waiting *node)
{
    static const char *const verbs[][2] = {
        {"runs", "computes"}, {"tests", "tests"}, {"posts", "posts"}, {"rests", "rests"}, {"sleeps", "sleeps"}};

    if (!node->file)
        return "has not come to a call";
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(node->state, verbs[i][0]) == 0)
            return verbs[i][1];
    return "waits";
}

/* The time was up, and no node was found computing: name the call of each. */
static void
place_timeout(struct peal_machine *machine)
{
    enum { MAX = 4, MANY_ROUNDS = 1000 };
    struct peal_failure *failure = &machine->reports.failure;
    size_t used = strlen(failure->message), bytes = sizeof failure->message;

    for (int i = 0; i < failure->node_count && i < MAX && used < bytes; i++) {
        const struct peal_waiting *node = &failure->nodes[i];
        char where[SITE_WORDS] = "", in[60] = "";

        if (node->file)
            snprintf(where, sizeof where, " (%.*s:%d)", FITTING(120, file_name(node->file)), node->line);
        if (node->call)
            snprintf(in, sizeof in, " %s %.50s", strcmp(node->state, "runs") == 0 ? "after" : "in", node->call);
        used += (size_t)snprintf(failure->message + used, bytes - used, "%s node %d %s%s%s", i > 0 ? ";" : ":",
                                 node->rank, verb_of(node), in, where);
    }
    if (failure->node_count > MAX && used < bytes)
        snprintf(failure->message + used, bytes - used, "; and %d more", failure->node_count - MAX);
    failure->rank = -1;
    if (failure->node_count == 0)
        return;
    failure->rank = failure->nodes[0].rank;
    snprintf(failure->file, sizeof failure->file, "%s", failure->nodes[0].file ? failure->nodes[0].file : "");
    failure->line = failure->nodes[0].line;
    if (machine->rounds_made >= MANY_ROUNDS)
        failure_fix(machine, failure->rank, PEAL_HINT(endless_rounds), (unsigned long long)machine->rounds_made);
}

void
report_nodes(struct peal_machine *machine)
{
    struct peal_failure *failure = &machine->reports.failure;
    int count = 0;

    if (failure->nodes)
        return;
    for (int rank = 0; rank < machine->options.nodes; rank++)
        count += node_is_reported(&machine->nodes[rank]);
    failure->nodes = calloc(count > 0 ? (size_t)count : 1, sizeof *failure->nodes);
    if (!failure->nodes)
        return; /* the failure itself is reported without them */
    for (int rank = 0; rank < machine->options.nodes; rank++)
        if (node_is_reported(&machine->nodes[rank]))
            failure->nodes[failure->node_count++] = node_describe(&machine->nodes[rank]);
    if (failure->rank == NO_RANK)
        place_timeout(machine);
}
