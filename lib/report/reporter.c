/* SPDX-License-Identifier: MIT */
/* What the machine reports by lib/report: failures found by a round, those at the ends of nodes, and, in this table,
 * the others. */
#include "lib/base/in_fortran.h"
#include "lib/base/text.h"
#include "lib/machine/failure.h"
#include "lib/machine/hooks.h"
#include "lib/machine/image.h"
#include "lib/machine/requests.h"
#include "lib/machine/run_finding.h"
#include "lib/report/waiting.h"
#include <peal/hints.h>

/* ------------------------------------------------------------------ at the ends of nodes */

/* A message that is left was never received: report the lowest sender's first. */
static void
report_unmatched(struct peal_machine *machine)
{
    const struct request *first = NULL;
    uint32_t used = atomic_load(&machine->requests_used);

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
        peal_advise(&machine->nodes[first->node].world, PEAL_HINT(one_too_many), first->peer, first->node, first->tag,
                    first->node);
    if (first)
        failure_set(machine, first->node, PEAL_UNMATCHED_MESSAGE, first->file, first->line,
                    "node %d sent %llu %s%s with tag %d to node %d, which never received the message", first->node,
                    (unsigned long long)first->words, machine_unit(machine), plural(first->words), first->tag,
                    first->peer);
}

/* Say whether the buffer was a variable of a function that has returned: all functions of the program have. */
static const char *
end_of_scope(const struct node *node, const struct request *lost)
{
    const void *data = lost->flags & REQUEST_PIECES ? lost->pieces[0].data : lost->data;
    bool own = is_access(lost->kind) || lost->words == 0; /* or there is no buffer */

    return !own && peal_frame_ended(&node->world, data, node->entry)
               ? "; its buffer was a local variable, whose scope has ended"
               : "";
}

static void
report_lost(struct node *node, const struct request *lost, bool ended)
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
    char peer[32] = "any node", tag[32] = "any tag", words[LOCK_WORDS];

    if (lost->kind == REQUEST_STRAND) {
        failure_set(node->machine, node->rank, PEAL_LOST_REQUEST, lost->file, lost->line,
                    "node %d finished without joining the strand that it started", node->rank);
        return;
    }
    if (lost->kind == REQUEST_LOCK && lost->flags & REQUEST_COMPLETE) {
        failure_set(node->machine, node->rank, PEAL_LOST_REQUEST, lost->file, lost->line, "node %d finished with %s",
                    node->rank, lock_words(node->machine, lost, words));
        return;
    }

    if (lost->peer != PEAL_ANY_SOURCE)
        snprintf(peer, sizeof peer, "node %d", lost->peer);
    if (lost->tag != PEAL_ANY_TAG)
        snprintf(tag, sizeof tag, "tag %d", lost->tag);
    if (site_call(lost->line))
        peal_advise(&node->world, PEAL_HINT(lost_mpi_request), node->rank);
    else
        peal_advise(&node->world, PEAL_HINT(lost_handle), node->rank);
    failure_set(node->machine, node->rank, PEAL_LOST_REQUEST, lost->file, lost->line,
                "node %d finished without waiting for its %s %s (%llu %s%s, %s)%s", node->rank, nouns[lost->kind], peer,
                (unsigned long long)lost->words, machine_unit(node->machine), plural(lost->words), tag,
                ended ? end_of_scope(node, lost) : "");
}

/* ------------------------------------------------------------------ found by a round */

/* What may explain a receive that is too short by a whole factor, in bytes: counts of elements that are not alike. */
static void
unlike_words(const struct peal_machine *machine, uint64_t sent, uint64_t room, char text[200])
{
    static const char *const same = ", in elements of the same datatype, not in bytes";
    const uint64_t times = room > 0 && sent % room == 0 ? sent / room : 0;

    if (machine->options.word_bytes != 1)
        text[0] = '\0';
    else if (times == 2 || times == 4 || times == 8)
        snprintf(text, 200,
                 "%s; if both counts are the same, the datatypes are not: an element of the send is %d times as long",
                 same, (int)times);
    else
        snprintf(text, 200, "%s", same);
}

static void
report_truncated(struct peal_machine *machine, const struct round_failure *wrong)
{
    const struct request *receive = &machine->requests[wrong->request], *send = &machine->requests[wrong->partner];

    struct call_site at = request_site(machine, receive), from = request_site(machine, send);
    char unlike[200];

    unlike_words(machine, send->words, receive->words, unlike);
    from = site_of(machine, from.file, from.line);
    peal_advise(&machine->nodes[receive->node].world, PEAL_HINT(truncated_by), receive->node,
                (unsigned long long)send->words, machine_unit(machine), plural(send->words), send->node,
                (unsigned long long)receive->words, unlike);
    failure_set(machine, receive->node, wrong->kind, at.file, at.line,
                "node %d receives at most %llu %s%s, and node %d sent %llu (tag %d, %s:%d)", receive->node,
                (unsigned long long)receive->words, machine_unit(machine), plural(receive->words), send->node,
                (unsigned long long)send->words, send->tag, file_name(from.file), from.line);
}

static bool
range_has(const void *begin, size_t bytes, const char *address)
{
    return (uintptr_t)address - (uintptr_t)begin < bytes;
}

static bool
request_has_address(const struct peal_machine *machine, const struct request *request, const char *address)
{
    struct peal_piece one = {.data = request->data, .words = (size_t)request->words};
    const struct peal_piece *pieces = request->flags & REQUEST_PIECES ? request->pieces : &one;
    uint32_t count = request->flags & REQUEST_PIECES ? request->piece_count : 1;

    for (uint32_t i = 0; i < count; i++)
        if (range_has(pieces[i].data, pieces[i].words * machine->options.word_bytes, address))
            return true;
    const struct access *access = is_access(request->kind) ? machine->extras[request - machine->requests].access : NULL;

    return access && range_has(access->memory, request->words * machine->options.word_bytes, address);
}

static void
report_bad_request(struct peal_machine *machine, const struct request *bad, const char *address)
{
    const struct call_site site = request_site(machine, bad);

    if (is_in_null_page(address))
        peal_advise(&machine->nodes[bad->node].world, PEAL_HINT(buffer_at_null), bad->node);
    failure_set(machine, bad->node, PEAL_CRASH, site.file, site.line,
                "node %d crashed: segmentation fault at address 0x%lx, in the buffer of its %s", bad->node,
                (unsigned long)(uintptr_t)address, request_verb(bad));
}

static void
report_bad_buffer(struct peal_machine *machine, const char *address)
{
    const struct round *round = &machine->round;
    const struct request *bad = NULL;

    for (size_t i = 0; i < round->complete_count + round->transfer_count && !bad; i++) {
        uint32_t id = i < round->complete_count ? round->complete[i] : round->admitted[i - round->complete_count];
        const struct request *one = &round->requests[id], *other = &round->requests[one->partner];
        const struct request *receive = i < round->complete_count ? one : other;

        if (!(one->flags & REQUEST_MATCHED))
            continue;
        if (request_has_address(machine, receive, address))
            bad = receive;
        else if (request_has_address(machine, receive == one ? other : one, address))
            bad = receive == one ? other : one;
    }
    if (bad && bad->kind == REQUEST_RECEIVE && image_is_constant(machine->image, (uintptr_t)address)) {
        peal_advise(&machine->nodes[bad->node].world, PEAL_HINT(own_copy), bad->node);
        failure_set(machine, bad->node, PEAL_PRIVATE_MEMORY, request_site(machine, bad).file,
                    request_site(machine, bad).line, "node %d %s", bad->node,
                    "receives into a constant: string literals, const objects and code are read-only");
    } else if (bad) {
        report_bad_request(machine, bad, address);
    } else {
        failure_set(machine, 0, PEAL_CRASH, NULL, 0,
                    "segmentation fault at address 0x%lx while messages were delivered",
                    (unsigned long)(uintptr_t)address);
    }
}

/* A ready send found no receive. */
static void
report_unready(struct node *node, const struct request *send)
{
    struct peal_machine *machine = node->machine;
    struct peal_place place = {node->rank, send->file, send->line};
    struct peal_run_finding finding = {.kind = PEAL_BAD_REQUEST, .places = &place, .place_count = 1};

    snprintf(finding.message, sizeof finding.message,
             "node %d sends %llu %s%s with tag %d to node %d in ready mode, and no receive is posted", node->rank,
             (unsigned long long)send->words, machine_unit(machine), plural(send->words), send->tag, send->peer);
    peal_advise(&node->world, PEAL_HINT(ready), send->peer);
    if (!finding_add(machine, &finding, NULL))
        failure_set(machine, node->rank, PEAL_OUT_OF_MEMORY, send->file, send->line, "no memory for a finding");
}

/* ------------------------------------------------------------------ when nothing moves */

static bool
report_uncalled(struct peal_machine *machine)
{
    struct missing missing;
    bool found = calls_find_missing(machine, false, &missing);

    if (found)
        report_missing(machine, &missing);
    return found;
}

static void
report_livelock(struct peal_machine *machine, int rounds)
{
    const struct node *lowest = &machine->nodes[machine->phase.runnable[0]];
    struct peal_failure *failure = &machine->reports.failure;
    const char *call = site_call(lowest->line);
    char where[SITE_WORDS], text[600] = "", fix[ADVICE_BYTES];

    site_words(machine, (struct call_site){lowest->file, lowest->line}, where);
    failure->cycle = find_cycle(machine, NULL, &failure->cycle_length);
    say_polled(machine, lowest, failure->cycle, failure->cycle_length, text, sizeof text, fix);
    if (fix[0])
        peal_advise(&machine->nodes[lowest->rank].world, "%s", fix);
    else
        peal_advise(&machine->nodes[lowest->rank].world, PEAL_HINT(polls_nothing), lowest->rank);
    if (lowest->times)
        peal_append(IN_ARRAY(text), "; it also asks for the time, in which computing costs nothing: a loop until some "
                                    "time has passed needs --compute measure");
    failure_set(
        machine, lowest->rank, PEAL_LIVELOCK, lowest->file, lowest->line,
        "%d rounds in a row carried nothing and released only nodes that test or rest: node %d polls%s%s (%s)%s",
        rounds, lowest->rank, call ? " in " : "", call ? call : "", where, text);
    rule_of_locks(machine);
}

static void
report_failed(struct peal_machine *machine)
{
    struct peal_failure *failure = &machine->reports.failure;

    report_partner(machine);
    report_nodes(machine);
    const struct peal_waiting *first = failure->node_count > 0 ? failure->nodes : NULL;

    if (peal_is_fortran(failure->file[0] || !first || !first->file ? failure->file : first->file)) {
        fortran_words(failure->message, sizeof failure->message);
        fortran_words(failure->fix, sizeof failure->fix);
    }
}

static const struct reporter report = {.deadlock = report_deadlock,
                                       .hopeless = report_hopeless,
                                       .livelock = report_livelock,
                                       .uncalled = report_uncalled,
                                       .differences = report_differences,
                                       .unmatched = report_unmatched,
                                       .truncated = report_truncated,
                                       .unready = report_unready,
                                       .lost = report_lost,
                                       .bad_buffer = report_bad_buffer,
                                       .bad_request = report_bad_request,
                                       .unbuffered = report_unbuffered,
                                       .nodes = report_failed};

__attribute__((constructor)) static void
offer(void)
{
    reporter = &report;
}
