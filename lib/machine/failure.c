/* SPDX-License-Identifier: MIT */
/* Failures: the failure of the lowest rank in a phase wins; the report also says what every unfinished node was
 * doing. */
#include "lib/base/plural.h"
#include "lib/machine/machine.h"
#include "lib/machine/waiting.h"
#include <peal/hints.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kept_name {
    struct kept_name *next;
    char text[];
};

/* The name may lie in a program that is unloaded before the report.  The caller has the lock; NULL without memory. */
const char *
failure_keep_name(struct peal_machine *machine, const char *file)
{
    size_t bytes = strlen(file) + 1;
    struct kept_name *name = malloc(sizeof *name + bytes);

    if (!name)
        return NULL;
    memcpy(name->text, file, bytes);
    name->next = machine->kept_names;
    machine->kept_names = name;
    return name->text;
}

void
failure_place(struct node *node, const char *file, int line)
{
    struct peal_machine *machine = node->machine;

    pthread_mutex_lock(&machine->failure_lock);
    node->file = failure_keep_name(machine, file);
    node->line = line;
    pthread_mutex_unlock(&machine->failure_lock);
}

/* What a node did before it crashed that may be the cause. */
static void
tell_suspicion(const struct node *node, char fix[ADVICE_BYTES])
{
    const struct suspicion *suspicion = &node->suspicion;
    char where[SITE_WORDS];

    if (suspicion->file)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT_pointer_overwritten, suspicion->call,
                 site_words(node->machine, (struct call_site){suspicion->file, suspicion->line}, where));
    else if (suspicion->call)
        snprintf(fix, ADVICE_BYTES, PEAL_HINT_displs_bytes, suspicion->call, suspicion->displacement,
                 suspicion->elements);
}

static void
set(struct peal_machine *machine, int rank, enum peal_failure_kind kind, const char *file, int line, const char *format,
    va_list list)
{
    struct peal_failure *failure = &machine->failure;
    struct call_site place = site_of(machine, file, line);
    struct node *node = rank >= 0 && rank < machine->options.nodes ? &machine->nodes[rank] : NULL;
    const char *advice = node ? node->advice : NULL;

    pthread_mutex_lock(&machine->failure_lock);
    if (!machine->failed || rank < failure->rank) {
        failure->kind = kind;
        failure->status = kind == PEAL_TIMED_OUT       ? PEAL_TIMEOUT
                          : kind == PEAL_OUT_OF_MEMORY ? PEAL_RESOURCES
                                                       : PEAL_FAILED;
        failure->rank = rank;
        failure->line = place.line;
        vsnprintf(failure->message, sizeof failure->message, format, list);
        snprintf(failure->fix, sizeof failure->fix, "%s", advice ? advice : "");
        if (kind == PEAL_CRASH && !advice && node)
            tell_suspicion(node, failure->fix);
        failure->file = place.file ? failure_keep_name(machine, place.file) : NULL;
        machine->failed = true;
    }
    if (node && node->state == NODE_FINISHED) /* its memory has been freed before */
        node_advice_free(node);
    pthread_mutex_unlock(&machine->failure_lock);
}

void
failure_set(struct peal_machine *machine, int rank, enum peal_failure_kind kind, const char *file, int line,
            const char *format, ...)
{
    va_list list;

    va_start(list, format);
    set(machine, rank, kind, file, line, format, list);
    va_end(list);
}

void
failure_fix(struct peal_machine *machine, int rank, const char *format, ...)
{
    struct peal_failure *failure = &machine->failure;
    va_list list;

    va_start(list, format);
    pthread_mutex_lock(&machine->failure_lock);
    if (machine->failed && failure->rank == rank && !failure->fix[0])
        vsnprintf(failure->fix, sizeof failure->fix, format, list);
    pthread_mutex_unlock(&machine->failure_lock);
    va_end(list);
}

/* Whether the text names the node. */
static bool
names(const char *text, int rank)
{
    char name[32];
    int length = snprintf(name, sizeof name, "node %d", rank);

    for (const char *at = text; (at = strstr(at, name)); at++)
        if (at[length] < '0' || at[length] > '9')
            return true;
    return false;
}

/* Record the failure of a node's own call, whose message names the node. */
static void
fail(const struct peal_node *me, enum peal_failure_kind kind, const char *file, int line, const char *format,
     va_list list)
{
    char text[sizeof((struct peal_failure *)0)->message];
    int rank = me->node->rank;

    vsnprintf(text, sizeof text, format, list);
    if (names(text, rank))
        failure_set(me->node->machine, rank, kind, file, line, "%s", text);
    else
        failure_set(me->node->machine, rank, kind, file, line, "node %d: %s", rank, text);
}

_Noreturn void
node_fail(struct peal_node *me, enum peal_failure_kind kind, const char *file, int line, const char *format, ...)
{
    va_list list;

    me->node->inside = true;
    me->node->file = file;
    me->node->line = line;
    va_start(list, format);
    fail(me, kind, file, line, format, list);
    va_end(list);
    node_leave(me->node, EXIT_FAILED);
}

void
peal_fail_at(struct peal_node *me, int kind, const char *file, int line, const char *format, ...)
{
    va_list list;

    me->node->inside = true;
    me->node->file = file = me->file ? me->file : file;
    me->node->line = line = me->file ? me->line : line;
    va_start(list, format);
    fail(me, (enum peal_failure_kind)kind, file, line, format, list);
    va_end(list);
    node_leave(me->node, EXIT_FAILED);
}

void
failure_clear(struct peal_machine *machine)
{
    for (int i = 0; i < machine->failure.node_count; i++) {
        free((char *)(uintptr_t)machine->failure.nodes[i].file);
        free((char *)(uintptr_t)machine->failure.nodes[i].collective);
        free((char *)(uintptr_t)machine->failure.nodes[i].call);
    }
    free(machine->failure.nodes);
    free(machine->failure.cycle);
    for (struct kept_name *name; (name = machine->kept_names);) {
        machine->kept_names = name->next;
        free(name);
    }
    machine->failure = (struct peal_failure){0};
    machine->failed = false;
}

/* ------------------------------------------------------------------ what the others were doing */

static const char *
state_name(enum node_state state)
{
    switch (state) {
    case NODE_WAITS:
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
describe(const struct node *node)
{
    const struct request *requests = node->machine->requests;
    const struct peal_failure *failure = &node->machine->failure;
    bool finished = node->state == NODE_FINISHED; /* with a request, which is the failure */
    struct call_site place =
        finished ? (struct call_site){failure->file, failure->line} : site_of(node->machine, node->file, node->line);
    const char *call = /* copied, as its collective is: it may lie in what is unloaded */
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
            waiting.words = requests[id].words;
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
is_told(const struct node *node)
{
    const struct peal_failure *failure = &node->machine->failure;

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
    enum { MAX = 4 };
    struct peal_failure *failure = &machine->failure;
    size_t used = strlen(failure->message), bytes = sizeof failure->message;

    for (int i = 0; i < failure->node_count && i < MAX && used < bytes; i++) {
        const struct peal_waiting *node = &failure->nodes[i];
        const char *slash = node->file ? strrchr(node->file, '/') : NULL;
        char where[SITE_WORDS] = "", in[60] = "";

        if (node->file)
            snprintf(where, sizeof where, " (%.120s:%d)", slash ? slash + 1 : node->file, node->line);
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
    failure->file = failure->nodes[0].file ? failure_keep_name(machine, failure->nodes[0].file) : NULL;
    failure->line = failure->nodes[0].line;
}

void
failure_describe_nodes(struct peal_machine *machine)
{
    struct peal_failure *failure = &machine->failure;
    int count = 0;

    if (failure->nodes)
        return;
    for (int rank = 0; rank < machine->options.nodes; rank++)
        count += is_told(&machine->nodes[rank]);
    failure->nodes = calloc(count > 0 ? (size_t)count : 1, sizeof *failure->nodes);
    if (!failure->nodes)
        return; /* the failure itself is reported without them */
    for (int rank = 0; rank < machine->options.nodes; rank++)
        if (is_told(&machine->nodes[rank]))
            failure->nodes[failure->node_count++] = describe(&machine->nodes[rank]);
    if (failure->rank == NO_RANK)
        place_timeout(machine);
}

/* Every node has finished, so a message that is left was never received: report the lowest sender's first. */
void
failure_unmatched(struct peal_machine *machine)
{
    const struct request *first = NULL;
    uint32_t used = atomic_load(&machine->requests_used);

    if (!atomic_load(&machine->keeps))
        return; /* only a kept send can outlive its node */
    for (uint32_t id = 1; id < used; id++) {
        const struct request *request = &machine->requests[id];

        if (request->kind != REQUEST_SEND || (request->flags & REQUEST_TAKEN))
            continue;
        if (!first || request->node < first->node ||
            (request->node == first->node && (request->round < first->round ||
                                              (request->round == first->round && request->sequence < first->sequence))))
            first = request;
    }
    if (first)
        node_advise(&machine->nodes[first->node], PEAL_HINT_one_too_many, first->peer, first->node, first->tag,
                    first->node);
    if (first)
        failure_set(machine, first->node, PEAL_UNMATCHED_MESSAGE, first->file, first->line,
                    "node %d sent %llu %s%s with tag %d to node %d, which never received the message", first->node,
                    (unsigned long long)first->words, machine_unit(machine), plural(first->words), first->tag,
                    first->peer);
}

/* ------------------------------------------------------------------ failures found by the round and at the ends of
 * nodes */

bool
peal_frame_ended(const struct peal_node *me, const void *address, const void *frame)
{
    const struct peal_machine *machine = me->node->machine;
    uintptr_t at = (uintptr_t)address;

    return machine->stacks && at < (uintptr_t)frame && at >= (uintptr_t)node_stack(machine, me->node->rank);
}

/* That the buffer was a variable of a function that has returned, if it was: all of the program's have. */
static const char *
end_of_scope(const struct node *node, const struct request *lost)
{
    const void *data = lost->flags & REQUEST_PIECES ? lost->pieces[0].data : lost->data;
    bool own = is_access(lost->kind) || lost->words == 0; /* or there is no buffer */

    return !own && peal_frame_ended(&node->world, data, node->entry)
               ? "; its buffer was a local variable, whose scope has ended"
               : "";
}

void
failure_lost(struct node *node, const struct request *lost, bool ended)
{
    static const char *const nouns[] = {"",
                                        "send to",
                                        "receive from",
                                        "receive from",
                                        "receive from",
                                        "strand of",
                                        "put to",
                                        "get from",
                                        "update of the memory of",
                                        "lock of",
                                        "unlock of"};
    char peer[32] = "any node", tag[32] = "any tag";

    if (lost->kind == REQUEST_STRAND) {
        failure_set(node->machine, node->rank, PEAL_LOST_REQUEST, lost->file, lost->line,
                    "node %d finished without joining the strand that it started", node->rank);
        return;
    }
    if (lost->kind == REQUEST_LOCK && lost->flags & REQUEST_COMPLETE) {
        failure_set(node->machine, node->rank, PEAL_LOST_REQUEST, lost->file, lost->line,
                    "node %d finished with lock %d of node %d", node->rank, lost->tag, lost->peer);
        return;
    }

    if (lost->peer != PEAL_ANY_SOURCE)
        snprintf(peer, sizeof peer, "node %d", lost->peer);
    if (lost->tag != PEAL_ANY_TAG)
        snprintf(tag, sizeof tag, "tag %d", lost->tag);
    node_advise(node, PEAL_HINT_lost_handle, node->rank);
    failure_set(node->machine, node->rank, PEAL_LOST_REQUEST, lost->file, lost->line,
                "node %d finished without waiting for its %s %s (%llu %s%s, %s)%s", node->rank, nouns[lost->kind], peer,
                (unsigned long long)lost->words, machine_unit(node->machine), plural(lost->words), tag,
                ended ? end_of_scope(node, lost) : "");
}

void
failure_round(struct peal_machine *machine, const struct round_failure *wrong)
{
    const struct request *receive = &machine->requests[wrong->request], *send = &machine->requests[wrong->partner];

    struct call_site at = request_site(machine, receive), from = request_site(machine, send);

    from = site_of(machine, from.file, from.line);
    const char *slash = from.file ? strrchr(from.file, '/') : NULL;

    node_advise(&machine->nodes[receive->node], PEAL_HINT_truncated_by, receive->node, (unsigned long long)send->words,
                machine_unit(machine), plural(send->words), send->node, (unsigned long long)receive->words);
    failure_set(machine, receive->node, wrong->kind, at.file, at.line,
                "node %d receives at most %llu %s%s, and node %d sent %llu (tag %d, %s:%d)", receive->node,
                (unsigned long long)receive->words, machine_unit(machine), plural(receive->words), send->node,
                (unsigned long long)send->words, send->tag, slash ? slash + 1 : from.file, from.line);
}

void
failure_uncalled(struct peal_machine *machine, const struct missing *missing)
{
    machine->failure.cycle = find_cycle(machine, NULL, &machine->failure.cycle_length);
    node_advise(&machine->nodes[missing->rank], "%s", PEAL_HINT_same_calls);
    failure_set(machine, missing->rank, PEAL_COLLECTIVE_MISMATCH, missing->file, missing->line, "%s", missing->text);
}

static bool
holds(const struct peal_machine *machine, const struct request *request, const char *address)
{
    struct peal_piece one = {.data = request->data, .words = request->words};
    const struct peal_piece *pieces = request->flags & REQUEST_PIECES ? request->pieces : &one;
    uint32_t count = request->flags & REQUEST_PIECES ? request->piece_count : 1;

    for (uint32_t i = 0; i < count; i++) {
        const char *begin = pieces[i].data;

        if (address >= begin && address < begin + pieces[i].words * machine->options.word_bytes)
            return true;
    }
    const struct access *access = is_access(request->kind) ? machine->extras[request - machine->requests].access : NULL;

    return access && address >= (const char *)access->memory &&
           address < (const char *)access->memory + request->words * machine->options.word_bytes;
}

void
failure_bad_request(struct peal_machine *machine, const struct request *bad, const char *address)
{
    const struct call_site site = request_site(machine, bad);

    if (is_in_null_page(address))
        node_advise(&machine->nodes[bad->node], PEAL_HINT_buffer_at_null, bad->node);
    failure_set(machine, bad->node, PEAL_CRASH, site.file, site.line,
                "node %d crashed: segmentation fault at address 0x%lx, in the buffer of its %s", bad->node,
                (unsigned long)(uintptr_t)address, request_verb(bad));
}

void
failure_bad_buffer(struct peal_machine *machine, const char *address)
{
    const struct round *round = &machine->round;
    const struct request *bad = NULL;

    for (size_t i = 0; i < round->complete_count + round->transfer_count && !bad; i++) {
        uint32_t id = i < round->complete_count ? round->complete[i] : round->admitted[i - round->complete_count];
        const struct request *one = &round->requests[id], *other = &round->requests[one->partner];
        const struct request *receive = i < round->complete_count ? one : other;

        if (!(one->flags & REQUEST_MATCHED))
            continue;
        if (holds(machine, receive, address))
            bad = receive;
        else if (holds(machine, receive == one ? other : one, address))
            bad = receive == one ? other : one;
    }
    if (bad && bad->kind == REQUEST_RECEIVE && image_is_constant(machine->image, (uintptr_t)address)) {
        node_advise(&machine->nodes[bad->node], PEAL_HINT_own_copy, bad->node);
        failure_set(machine, bad->node, PEAL_PRIVATE_MEMORY, request_site(machine, bad).file,
                    request_site(machine, bad).line, "node %d %s", bad->node,
                    "receives into a constant: string literals, const objects and code are read-only");
    } else if (bad) {
        failure_bad_request(machine, bad, address);
    } else {
        failure_set(machine, 0, PEAL_CRASH, NULL, 0,
                    "segmentation fault at address 0x%lx while messages were delivered",
                    (unsigned long)(uintptr_t)address);
    }
}

void
failure_livelock(struct peal_machine *machine, int rounds)
{
    const struct node *lowest = &machine->nodes[machine->runnable[0]];
    const char *call = site_call(lowest->line);
    char where[SITE_WORDS], text[600] = "", fix[ADVICE_BYTES];

    site_words(machine, (struct call_site){lowest->file, lowest->line}, where);
    say_polled(machine, lowest, text, sizeof text, fix);
    if (fix[0])
        node_advise(&machine->nodes[lowest->rank], "%s", fix);
    machine->failure.cycle = find_cycle(machine, NULL, &machine->failure.cycle_length);
    failure_set(
        machine, lowest->rank, PEAL_LIVELOCK, lowest->file, lowest->line,
        "%d rounds on end carried nothing and released nobody but nodes that test or rest: node %d polls%s%s (%s)%s",
        rounds, lowest->rank, call ? " in " : "", call ? call : "", where, text);
}
