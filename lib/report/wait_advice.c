/* SPDX-License-Identifier: MIT */
/* What would end a wait: the fix of a deadlock or a livelock. */
#include "lib/machine/requests.h"
#include "lib/report/waiting.h"
#include <peal/hints.h>
#include <stdio.h>

/* Whether the node waits in a call that only sends, or only receives. */
static bool
deadlock_waits_in(const struct peal_machine *machine, const struct node *node, enum request_kind kind)
{
    static const char *const sends[] = {"MPI_Send", "MPI_Ssend", "MPI_Rsend"};
    const char *call = site_call(node->line);
    bool waits = node->open;

    for (uint32_t id = node->open; id && waits; id = machine->requests[id].open_next)
        waits = machine->requests[id].kind == kind;
    for (const struct peal_node *view = node->views; view && waits; view = view->next)
        waits = !view->collective;
    if (!waits || !call)
        return waits;
    if (kind == REQUEST_RECEIVE || kind == REQUEST_MATCHED_PROBE) /* with the latter Python receives objects */
        return strcmp(call, kind == REQUEST_RECEIVE ? "MPI_Recv" : "MPI_Mprobe") == 0;
    for (size_t i = 0; i < sizeof sends / sizeof *sends; i++)
        if (strcmp(call, sends[i]) == 0)
            return true;
    return false;
}

/* The sender of the first receive that this node waits for; -1 where it waits for none, or for one from `from`. */
static int
receives_from_another(const struct peal_machine *machine, const struct node *node, int from)
{
    int other = -1;

    for (uint32_t id = node->open; id; id = machine->requests[id].open_next) {
        const struct request *request = &machine->requests[id];

        if (request->kind != REQUEST_RECEIVE || (request->flags & REQUEST_COMPLETE))
            continue;
        if (request->peer == from || request->peer == PEAL_ANY_SOURCE)
            return -1;
        other = other < 0 ? request->peer : other;
    }
    return other;
}

static bool
sends_to(const struct peal_machine *machine, const struct node *node, int to)
{
    uint32_t id = node->open;

    while (id && (machine->requests[id].kind != REQUEST_SEND || machine->requests[id].peer != to ||
                  (machine->requests[id].flags & REQUEST_COMPLETE)))
        id = machine->requests[id].open_next;
    return id != 0;
}

const struct request *
awaited_lock(const struct peal_machine *machine, int rank, int next)
{
    const struct node *node = &machine->nodes[rank];
    const struct request *reason = node->meets || node->state == NODE_POSTS ? NULL : find_reason(machine, node, next);

    return reason && reason->kind == REQUEST_LOCK ? reason : NULL;
}

/* How many nodes of the cycle wait for locks. */
static int
count_locks(const struct peal_machine *machine, const int *cycle, int length)
{
    int locks = 0;

    for (int i = 0; i < length; i++)
        locks += awaited_lock(machine, cycle[i], cycle[(i + 1) % length]) != NULL;
    return locks;
}

void
rule_of_locks(struct peal_machine *machine)
{
    struct peal_failure *failure = &machine->reports.failure;

    if (count_locks(machine, failure->cycle, failure->cycle_length) > 0 &&
        site_call(machine->nodes[failure->rank].line))
        snprintf(failure->rule, sizeof failure->rule, "%s", PEAL_HINT(rule_of_locks));
}

/* What orders the locks of a cycle: their ranks, or those in each of several windows. */
static const char *
order_of_locks(const struct peal_machine *machine, const int *cycle, int length)
{
    const struct request *first = awaited_lock(machine, cycle[0], cycle[1 % length]);
    bool one = true;

    for (int i = 1; i < length; i++) {
        const struct request *lock = awaited_lock(machine, cycle[i], cycle[(i + 1) % length]);

        one &= lock->view->group == first->view->group && lock->tag == first->tag;
    }
    return one ? "rank" : site_call(first->line) ? "window, then by rank" : "number, then by rank";
}

void
advise_locks(const struct peal_machine *machine, const int *cycle, int length, char fix[ADVICE_BYTES])
{
    const char *unlock = length > 0 && site_call(machine->nodes[cycle[0]].line) ? " (MPI_Win_unlock)" : "";
    int locks = count_locks(machine, cycle, length);

    if (length > 1 && locks == length)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(cycle_of_locks), order_of_locks(machine, cycle, length), unlock);
    for (int i = 0; !fix[0] && locks > 0 && i < length; i++) {
        int holder = cycle[(i + 1) % length];
        const struct request *lock = awaited_lock(machine, cycle[i], holder);
        uint32_t by = lock ? access_holder(&machine->round, (uint32_t)(lock - machine->requests), holder) : 0;
        char where[SITE_WORDS];

        if (by && machine->requests[by].flags & REQUEST_COMPLETE)
            snprintf(fix, ADVICE_BYTES, PEAL_HINT(lock_held), holder, unlock,
                     site_words(machine, request_site(machine, &machine->requests[by]), where));
    }
}

void
advise_cycle(const struct peal_machine *machine, const int *cycle, int length, char fix[ADVICE_BYTES])
{
    int sends = 0, receives = 0;

    for (int i = 0; i < length; i++) {
        sends += deadlock_waits_in(machine, &machine->nodes[cycle[i]], REQUEST_SEND);
        receives += deadlock_waits_in(machine, &machine->nodes[cycle[i]], REQUEST_RECEIVE) ||
                    deadlock_waits_in(machine, &machine->nodes[cycle[i]], REQUEST_MATCHED_PROBE);
    }
    bool mpi = length > 0 && site_call(machine->nodes[cycle[0]].line);
    const char *both = mpi ? "MPI_Sendrecv" : "peal_sendrecv";

    fix[0] = '\0';
    if (length == 1 && sends == 1)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(send_to_itself), cycle[0], mpi ? "MPI_Irecv" : "peal_recv_async");
    else if (length > 1 && sends == length)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(cycle_of_sends), cycle[0], both);
    else if (length > 1 && receives == length)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(cycle_of_receives), cycle[0], both);
    else
        advise_locks(machine, cycle, length, fix);
    for (int i = 0; !fix[0] && i < length; i++) {
        int a = cycle[i], b = cycle[(i + 1) % length];
        int other =
            sends_to(machine, &machine->nodes[a], b) ? receives_from_another(machine, &machine->nodes[b], a) : -1;

        if (other >= 0)
            snprintf(fix, ADVICE_BYTES, PEAL_HINT(other_partners), a, b, other);
    }
}

/* Whether all other nodes are at their end. */
static bool
is_last(const struct peal_machine *machine, int rank)
{
    for (int i = 0; i < machine->options.nodes; i++)
        if (i != rank && !is_at_its_end(&machine->nodes[i]))
            return false;
    return true;
}

void
advise_last(const struct peal_machine *machine, int rank, char fix[ADVICE_BYTES])
{
    const struct node *node = &machine->nodes[rank];
    const struct request *reason = node_is_left(node) ? find_reason(machine, node, -1) : NULL;

    const char *call = site_call(node->line);

    if (!reason || request_is_hidden(node, reason) || node->state == NODE_POSTS ||
        (call && strncmp(call, "MPI_Win_", 8) == 0))
        return;
    bool receives = reason->kind == REQUEST_RECEIVE;
    bool ended = reason->peer >= 0 && is_at_its_end(&machine->nodes[reason->peer]);

    if (receives && machine->options.nodes == 1)
        snprintf(fix, ADVICE_BYTES, "%s", PEAL_HINT(alone));
    else if (reason->peer == PEAL_ANY_SOURCE && is_last(machine, rank))
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(finished_senders), rank, rank);
    else if (reason->peer == rank && receives)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT(from_itself), rank);
    else if (receives && reason->peer >= 0 && astray_advise(machine, reason, ended, fix))
        return;
    else if (ended)
        snprintf(fix, ADVICE_BYTES, receives ? PEAL_HINT(finished_sender) : PEAL_HINT(finished_receiver), reason->peer,
                 rank, rank);
}
