/* SPDX-License-Identifier: MIT */
/* Deadlocks in words: what each node waits for, and for which node. */
#include "lib/base/text.h"
#include "lib/machine/failure.h"
#include "lib/machine/meet.h"
#include "lib/machine/requests.h"
#include "lib/machine/strand.h"
#include "lib/report/waiting.h"
#include <peal/hints.h>

/* Room for what a node waits for, and for what it does. */
enum { REQUEST_WORDS = LOCK_WORDS + 2 * SITE_WORDS, DOING_WORDS = REQUEST_WORDS + 200 };

/* "get lock 2 of node 3, which node 1 has had since prog.c:12": of its holders, `next` or the first. */
static void
say_lock(const struct peal_machine *machine, const struct request *request, int next, char text[REQUEST_WORDS])
{
    uint32_t id = (uint32_t)(request - machine->requests), by = 0;
    char where[SITE_WORDS], lock[LOCK_WORDS];

    for (int rank = next < 0 ? 0 : next; rank < machine->options.nodes && !by; rank++)
        by = access_holder(&machine->round, id, rank);
    int used = snprintf(text, REQUEST_WORDS, "get %s", lock_words(machine, request, lock));

    if (!by)
        return;
    const struct request *holder = &machine->requests[by];

    snprintf(text + used, REQUEST_WORDS - (size_t)used, ", which node %d %s %s", holder->node,
             holder->flags & REQUEST_COMPLETE ? "has had since" : "has waited for since",
             site_words(machine, request_site(machine, holder), where));
}

/* "send 5 words with tag 2 to node 3" */
static void
say_request(const struct peal_machine *machine, const struct request *request, int next, char text[REQUEST_WORDS])
{
    char peer[64] = "any node", tag[32] = "";

    if (request->peer != PEAL_ANY_SOURCE)
        snprintf(peer, sizeof peer, "node %d%s", request->peer,
                 machine->nodes[request->peer].state == NODE_FINISHED ? ", which has finished" : "");
    struct near_match miss;

    if (request->tag == PEAL_ANY_TAG)
        snprintf(tag, sizeof tag, " with any tag");
    else if (request->tag != 0 || near_match(machine, request, &miss))
        snprintf(tag, sizeof tag, " with tag %d", request->tag);
    if (request->kind == REQUEST_LOCK)
        say_lock(machine, request, next, text);
    else if (request->kind == REQUEST_PROBE || request->kind == REQUEST_MATCHED_PROBE)
        snprintf(text, REQUEST_WORDS, "find a message%s from %s", tag, peer);
    else
        snprintf(text, REQUEST_WORDS, "%s %llu %s%s%s %s %s", request_verb(request), (unsigned long long)request->words,
                 machine_unit(machine), plural(request->words), tag,
                 request->kind == REQUEST_RECEIVE || request->kind == REQUEST_GET ? "from" : "to", peer);
}

/* "for node 1", the peer of a message that is not described. */
static void
say_peer(const struct peal_machine *machine, const struct request *request, char text[REQUEST_WORDS])
{
    if (request->peer == PEAL_ANY_SOURCE)
        snprintf(text, REQUEST_WORDS, "for any node");
    else
        snprintf(text, REQUEST_WORDS, "for node %d%s", request->peer,
                 machine->nodes[request->peer].state == NODE_FINISHED ? ", which has finished" : "");
}

/* " in its barrier", where the node is in a collective, or " in MPI_Send", where its call has a name. */
static void
say_collective(const struct node *node, const char *collective, char text[60])
{
    const char *call = site_call(node->line);
    const struct peal_node *strand = strand_awaited(node);

    if (call && strand)
        snprintf(text, 60, " in %.18s for its %.27s", call, strand->collective);
    else if (call)
        snprintf(text, 60, " in %.40s", call);
    else
        snprintf(text, 60, "%s%.40s", collective ? " in its " : "", collective ? collective : "");
}

/* The node's first eager send that is complete for it and not carried; NULL: none. */
static const struct request *
find_uncarried(const struct peal_machine *machine, const struct node *node)
{
    const struct request *requests = machine->requests, *first = NULL;
    uint32_t used = atomic_load(&machine->requests_used);

    for (uint32_t id = 1; id < used; id++)
        if (requests[id].kind == REQUEST_SEND && requests[id].node == node->rank &&
            (requests[id].flags & REQUEST_EAGER) && !(requests[id].flags & (REQUEST_CARRIED | REQUEST_TAKEN)) &&
            (!first || requests[id].round < first->round ||
             (requests[id].round == first->round && requests[id].sequence < first->sequence)))
            first = &requests[id];
    return first;
}

/* "cannot post a receive since its mailbox (1 place) is full, and waits to receive 1 word from node 2" */
static void
say_full_box(const struct peal_machine *machine, const struct node *node, const struct request *reason,
             char text[DOING_WORDS])
{
    bool send = node->blocked_box == REQUEST_SEND;
    const struct request *uncarried = send ? find_uncarried(machine, node) : NULL;
    int places = machine->options.mailbox;
    char request[REQUEST_WORDS] = "", in[60] = "", first[60] = "";

    if (reason) {
        say_request(machine, reason, -1, request);
        say_collective(node, node_collective(node, reason->context & ~REQUEST_APART), in);
    }
    if (uncarried)
        snprintf(first, sizeof first, " of messages that are not carried, the first to node %d", uncarried->peer);
    snprintf(text, DOING_WORDS, "cannot post a %s since its %s (%d place%s) is full%s%s%s%s", send ? "send" : "receive",
             send ? "outbox" : "mailbox", places, plural((uint64_t)places), first, reason ? ", and waits to " : "",
             request, in);
}

/* "waits to meet node 3", "waits in MPI_Finalize for node 3": a node that has not called yet. */
static void
say_meeting(const struct peal_machine *machine, const struct node *node, int next, char text[DOING_WORDS])
{
    for (int rank = 0; next < 0 && rank < machine->options.nodes; rank++)
        if (meet_lacks(machine, node, rank))
            next = rank;
    const char *call = site_call(node->line);

    if (next < 0) { /* the machine's memory is damaged */
        snprintf(text, DOING_WORDS, "waits for nobody");
        return;
    }
    snprintf(text, DOING_WORDS, "waits %s%.40s%s node %d%s", call ? "in " : "to meet", call ? call : "",
             call ? " for" : "", next, machine->nodes[next].state == NODE_FINISHED ? ", which has finished" : "");
}

/* ", posted at ring.c:9": where a request was posted that the node waits for at another line, outside of
 * collectives. */
static void
say_posted(const struct peal_machine *machine, const struct node *node, const struct request *request,
           char text[SITE_WORDS + 16])
{
    char posted[SITE_WORDS];

    text[0] = '\0';
    if (node->state == NODE_WAITS && !collective_entered(node) && !request_is_of_call(machine, node, request))
        snprintf(text, SITE_WORDS + 16, ", posted at %s", site_words(machine, request_site(machine, request), posted));
}

/* "node 1 waits to send 5 words to node 2 (ring.c:12)": why the node waits for `next`, or with -1 at all. */
static size_t
say_node(const struct peal_machine *machine, const struct node *node, int next, char *text, size_t bytes)
{
    const struct request *reason = find_reason(machine, node, next);
    bool splits = node_splits_without(machine, node, next);
    char what[DOING_WORDS] = "waits", request[REQUEST_WORDS], in[60], where[SITE_WORDS], posted[SITE_WORDS + 16] = "";

    site_words(machine, (struct call_site){node->file, node->line}, where);
    if (node->meets && (next < 0 || meet_lacks(machine, node, next))) {
        say_meeting(machine, node, next, what);
    } else if (splits) {
        snprintf(what, sizeof what, "waits for the rest of its group to split");
    } else if (node->state == NODE_POSTS) {
        say_full_box(machine, node, reason, what);
    } else if (reason) {
        bool hidden = request_is_hidden(node, reason);

        if (hidden && request_is_of_before(machine, node, reason))
            snprintf(request, sizeof request, "complete its %.40s",
                     node_collective(node, reason->context & ~REQUEST_APART));
        else if (hidden)
            say_peer(machine, reason, request);
        else
            say_request(machine, reason, next, request);
        say_collective(node, node_collective(node, reason->context & ~REQUEST_APART), in);
        if (hidden && !request_is_of_before(machine, node, reason)) {
            snprintf(what, sizeof what, "waits%s%s %s", in, strand_awaited(node) ? ", there" : "", request);
        } else if (!request_is_of_before(machine, node, reason)) {
            snprintf(what, sizeof what, "waits%s to %s", in, request);
            say_posted(machine, node, reason, posted);
        } else {
            say_collective(node, collective_entered(node), in);
            snprintf(what, sizeof what, "has yet to %s (%s), and waits%s", request,
                     site_call_words(machine, request_site(machine, reason), posted),
                     node->split ? " in peal_split" : in);
            posted[0] = '\0';
        }
    }

    int used = snprintf(text, bytes, "node %d %s (%s%s)", node->rank, what, where, posted);

    return used < 0 ? 0 : (size_t)used < bytes ? (size_t)used : bytes - 1;
}

/* The near misses of the requests that these nodes wait for, at most two, and what the first needs to match. */
static void
say_near_matches(const struct peal_machine *machine, const bool *among, const int *cycle, int length, char *text,
                 size_t bytes, char fix[ADVICE_BYTES])
{
    const struct request *said = NULL;
    int nodes = length > 0 ? length : machine->options.nodes, count = 0;

    for (int i = 0; i < nodes && count < 2; i++) {
        const struct node *node = &machine->nodes[length > 0 ? cycle[i] : i];
        bool looked_at = node_is_left(node) && (!among || among[node->rank]);
        const struct request *reason =
            looked_at ? find_reason(machine, node, length > 0 ? cycle[(i + 1) % length] : -1) : NULL;
        struct near_match miss;

        if (!reason || !near_match(machine, reason, &miss) || miss.receive == said)
            continue;
        near_match_append(machine, &miss, text, bytes);
        if (count++ == 0)
            near_match_advise(machine, &miss, fix);
        said = miss.receive;
    }
}

void
say_waiting(const struct peal_machine *machine, int rank, char *text, size_t bytes)
{
    say_node(machine, &machine->nodes[rank], -1, text, bytes);
}

int
say_stuck(const struct peal_machine *machine, const bool *among, const int *cycle, int length, char *text, size_t bytes)
{
    size_t used = 0;
    int rank = -1, listed = 0, unfinished = 0;

    text[0] = '\0';
    for (int i = 0; i < machine->options.nodes; i++)
        if (node_is_left(&machine->nodes[i]) && (!among || among[i])) {
            unfinished++;
            if (rank < 0)
                rank = i;
        }
    for (int i = 0; i < (length > 0 ? length : machine->options.nodes) && listed < 4; i++) {
        const struct node *node = &machine->nodes[length > 0 ? cycle[i] : i];

        if (!node_is_left(node) || (among && !among[node->rank]))
            continue;
        if (listed++ > 0)
            used += (size_t)snprintf(text + used, bytes - used, "; ");
        used += say_node(machine, node, length > 0 ? cycle[(i + 1) % length] : -1, text + used, bytes - used);
        if (used + 2 >= bytes)
            break;
    }
    int more = (length > 0 ? length : unfinished) - listed;

    if (more > 0 && used + 2 < bytes)
        snprintf(text + used, bytes - used, "; and %d more", more);
    return length > 0 ? cycle[0] : rank;
}

void
say_polled(const struct peal_machine *machine, const struct node *node, const int *cycle, int length, char *text,
           size_t bytes, char fix[ADVICE_BYTES])
{
    const struct request *reason = find_reason(machine, node, -1);
    struct near_match miss;

    fix[0] = '\0';
    advise_locks(machine, cycle, length, fix);
    for (int i = 0; fix[0] && i < length; i++)
        if (awaited_lock(machine, cycle[i], cycle[(i + 1) % length])) {
            size_t used = (size_t)snprintf(text, bytes, "; ");

            say_node(machine, &machine->nodes[cycle[i]], cycle[(i + 1) % length], text + used, bytes - used);
            return;
        }
    if (reason && near_match(machine, reason, &miss)) {
        near_match_append(machine, &miss, text, bytes);
        near_match_advise(machine, &miss, fix);
    } else if (reason && reason->peer >= 0) {
        snprintf(fix, ADVICE_BYTES, reason->kind == REQUEST_SEND ? PEAL_HINT(polled_send) : PEAL_HINT(polled),
                 reason->peer, node->rank, node->rank);
    } else if (reason && reason->peer == PEAL_ANY_SOURCE) {
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(polled_any), node->rank);
    }
}

void
report_missing(struct peal_machine *machine, const struct missing *missing)
{
    struct peal_failure *failure = &machine->reports.failure;

    if (!failure->cycle)
        failure->cycle = find_cycle(machine, NULL, &failure->cycle_length);
    peal_advise(&machine->nodes[missing->rank].world, "%s", missing->fix);
    failure_set(machine, missing->rank, PEAL_COLLECTIVE_MISMATCH, missing->file, missing->line, "%s", missing->text);
}

/* All that wait are stuck, or with `among` the flagged ones. */
static void
report_stuck(struct peal_machine *machine, const bool *among)
{
    struct peal_failure *failure = &machine->reports.failure;
    char text[sizeof failure->message - 50], fix[ADVICE_BYTES] = "";
    struct missing missing;

    failure->cycle = find_cycle(machine, among, &failure->cycle_length);
    bool missed = calls_find_missing(machine, false, &missing);

    if (!missed && !among && calls_find_missing(machine, true, &missing)) {
        missed = true;
        calls_say_cycle(machine, failure->cycle, failure->cycle_length, &missing);
    }
    if (missed) {
        report_missing(machine, &missing);
        return;
    }
    int rank = say_stuck(machine, among, failure->cycle, failure->cycle_length, text, sizeof text);

    say_near_matches(machine, among, failure->cycle, failure->cycle_length, text, sizeof text, fix);
    if (!fix[0])
        advise_cycle(machine, failure->cycle, failure->cycle_length, fix);
    for (int i = rank; i >= 0 && i < machine->options.nodes && !fix[0]; i++)
        if (!among || among[i])
            advise_last(machine, i, fix);
    if (fix[0])
        peal_advise(&machine->nodes[rank].world, "%s", fix);
    failure_set(machine, rank, PEAL_DEADLOCK, machine->nodes[rank].file, machine->nodes[rank].line, "%s: %s",
                among ? "whatever polls, these wait for ever" : "nothing can move", text);
    rule_of_locks(machine);
}

void
report_deadlock(struct peal_machine *machine)
{
    report_stuck(machine, NULL);
}

void
report_hopeless(struct peal_machine *machine)
{
    bool *stuck = find_stuck(machine), any = false;

    for (int rank = 0; stuck && rank < machine->options.nodes && !any; rank++)
        any = stuck[rank];
    if (any)
        report_stuck(machine, stuck);
    free(stuck);
}
