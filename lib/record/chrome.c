/* SPDX-License-Identifier: MIT */
/* The JSON of Chrome's tracing, which Perfetto opens. */
#include "lib/base/grow.h"
#include "lib/cost/arithmetic.h"
#include "lib/network/network.h"
#include "lib/record/json.h"
#include "lib/record/links.h"
#include "lib/record/trace_formats.h"
#include <inttypes.h>
#include <math.h>
#include <peal/trace.h>
#include <stdlib.h>

/* Process 1 is the machine: a thread for the rounds, and for each node one for computing and waiting, one per sending
 * port and one per receiving port, so that events of a thread never overlap.  An arrow leads from a send to its
 * receive.  Process 2 is the network: a counter per link: how many transfers share it.  A microsecond of the trace is a
 * unit of the model's time.  A round begins where the last one ended, first with what the nodes compute; a transfer
 * takes what it would cost as its round's only one, but with its actual k.
 *
 * Every event is written with its round.  A few words per node and link are kept, and nothing of the rounds.
 *
 *   source   Trace Event Format (Google, "Trace Event Format", sections "JSON Object Format", "Complete Events", "Flow
 *            Events", "Counter Events", "Metadata Events"); times are multiples of a nanosecond, since Perfetto keeps
 *            them so */

enum { MACHINE = 1, NETWORK = 2 };               /* processes */
enum { ROUNDS_THREAD = 1, FIRST_NODE_THREAD };   /* threads of the machine */
enum { OF_NODE, OF_SENDS, OF_RECEIVES, TRACKS }; /* of a node, for each of its ports */
enum { SORT_PLACES = 8 };

/* A round whose routes have more hops than this in total is written without the loads of its links. */
enum { MAX_HOPS = 1 << 23 };

struct chrome {
    const struct trace_run *run;
    struct peal_json json;
    int64_t begin, end;  /* of the transfers of the round at hand, nanoseconds */
    int64_t latest;      /* end of the last round */
    uint64_t arrows;     /* the number drawn so far */
    bool links_left_out; /* of at least one round */

    uint32_t *places[2]; /* per node: its sends and receives so far in this round */
    uint64_t *named;     /* a bit per thread: its name was written */
    size_t named_words;
    int64_t *waits_since; /* per node: nanoseconds; -1: it runs, or has finished */

    struct links links;
    bool full; /* there was no memory for a link */

    int64_t *taken; /* per transfer of the round at hand: nanoseconds */
    size_t taken_room;
};

/* ------------------------------------------------------------------ numbers */

/* A time as nanoseconds; INT64_MAX for one that does not fit. */
static int64_t
nanoseconds(double time)
{
    double exact = time * 1000;

    return exact < 0x1p62 ? llrint(exact) : INT64_MAX;
}

/* Write it as microseconds. */
static void
put_time(struct chrome *chrome, const char *key, int64_t time)
{
    char text[32];

    snprintf(text, sizeof text, time % 1000 ? "%" PRId64 ".%03" PRId64 : "%" PRId64, time / 1000, time % 1000);
    peal_json_put(&chrome->json, PEAL_TEXT(key, text));
}

static uint64_t
thread_of(const struct chrome *chrome, int node, int track, uint32_t place)
{
    return FIRST_NODE_THREAD + ((uint64_t)place * TRACKS + (uint64_t)track) * (uint64_t)chrome->run->nodes +
           (uint64_t)node;
}

/* ------------------------------------------------------------------ events */

/* Begin an event on a new line: {"ph": "X", "pid": 1, "tid": 3 */
static void
open_event(struct chrome *chrome, const char *phase, int process, uint64_t thread)
{
    peal_json_put(&chrome->json, PEAL_LINE(0), PEAL_OPEN(NULL, '{'), PEAL_STRING("ph", phase), PEAL_INT("pid", process),
                  PEAL_UINT("tid", thread));
}

static void
chrome_put_names(struct chrome *chrome, const char *name, const char *category)
{
    peal_json_put(&chrome->json, PEAL_STRING("name", name), PEAL_STRING("cat", category));
}

static void
put_span(struct chrome *chrome, int64_t begin, int64_t end)
{
    put_time(chrome, "ts", begin);
    put_time(chrome, "dur", end - begin);
}

/* Name a process (thread 0) or a thread, and say where among the others it is shown. */
static void
name_track(struct chrome *chrome, int process, uint64_t thread, const char *name, uint64_t place)
{
    open_event(chrome, "M", process, thread);
    peal_json_put(&chrome->json, PEAL_STRING("name", thread ? "thread_name" : "process_name"), PEAL_OPEN("args", '{'),
                  PEAL_STRING("name", name), PEAL_CLOSE('}'), PEAL_CLOSE('}'));
    open_event(chrome, "M", process, thread);
    peal_json_put(&chrome->json, PEAL_STRING("name", thread ? "thread_sort_index" : "process_sort_index"),
                  PEAL_OPEN("args", '{'), PEAL_UINT("sort_index", place), PEAL_CLOSE('}'), PEAL_CLOSE('}'));
}

/* Give the number of a node's thread, named when it is new; 0 without memory. */
static uint64_t
use_thread(struct chrome *chrome, int node, int track, uint32_t place)
{
    static const char *const kinds[TRACKS] = {"", " sends", " receives"};
    uint64_t thread = thread_of(chrome, node, track, place), word = thread / 64, bit = UINT64_C(1) << thread % 64;
    char name[60], number[16] = "";

    if (!peal_grow_zeroed(&chrome->named, &chrome->named_words, (size_t)word + 1, sizeof *chrome->named))
        return 0;
    if (chrome->named[word] & bit)
        return thread;
    chrome->named[word] |= bit;
    if (place > 0)
        snprintf(number, sizeof number, " (%" PRIu32 ")", place + 1);
    snprintf(name, sizeof name, "node %d%s%s", node, kinds[track], number);
    name_track(chrome, MACHINE, thread, name,
               ((uint64_t)node + 1) * TRACKS * SORT_PLACES + (uint64_t)track * SORT_PLACES +
                   (place < SORT_PLACES ? place : SORT_PLACES - 1));
    return thread;
}

/* ------------------------------------------------------------------ links */

/* The context of the visitor of routes. */
struct visit {
    struct chrome *chrome;
    const struct trace_round *round;
};

static void
load_links(void *context, size_t transfer, const int *path, int hops)
{
    const struct visit *visit = context;

    for (int hop = 0; hop < hops; hop++) {
        struct link *link =
            peal_links_use(&visit->chrome->links, visit->chrome->run->pricing.network, path[hop], path[hop + 1]);

        if (!link) {
            visit->chrome->full = true;
            return;
        }
        link->transfers++;
        link->words = saturating_sum(link->words, visit->round->transfers[transfer].words);
    }
}

/* What the words of one transfer cost on its route, in β. */
static void
chrome_price_route(void *context, size_t transfer, const int *path, int hops)
{
    const struct visit *visit = context;
    const struct trace_run *run = visit->chrome->run;
    uint64_t words = visit->round->transfers[transfer].words, most = 0, all = 0;

    for (int hop = 0; hop < hops; hop++) {
        const struct link *link = peal_links_use(&visit->chrome->links, run->pricing.network, path[hop], path[hop + 1]);
        uint64_t load = !link ? 0
                        : run->pricing.congestion == PEAL_VOLUME
                            ? network_share(link->words, link->capacity)
                            : saturating_product(words, network_share(link->transfers, link->capacity));

        most = load > most ? load : most;
        all = saturating_sum(all, load);
    }
    if (run->pricing.switching == PEAL_STORE_FORWARD)
        most = all;
    else if (hops == 0)
        most = words;
    visit->chrome->taken[transfer] = most < INT64_MAX ? (int64_t)most : INT64_MAX;
}

static void
put_link(struct chrome *chrome, const struct link *link, int64_t at)
{
    const struct peal_network *network = chrome->run->pricing.network;
    char from[32], to[32], name[70];

    snprintf(name, sizeof name, "%s→%s", peal_network_vertex(network, link->from, from),
             peal_network_vertex(network, link->to, to));
    open_event(chrome, "C", NETWORK, 0);
    peal_json_put(&chrome->json, PEAL_STRING("name", name));
    put_time(chrome, "ts", at);
    peal_json_put(&chrome->json, PEAL_OPEN("args", '{'), PEAL_UINT("k", network_share(link->transfers, link->capacity)),
                  PEAL_CLOSE('}'), PEAL_CLOSE('}'));
}

/* Write the loads that changed.  Between two rounds without a pause a load persists. */
static void
put_links(struct chrome *chrome)
{
    bool apart = chrome->begin > chrome->latest;

    for (size_t i = 0; i < chrome->links.count; i++) {
        struct link *link = &chrome->links.links[i], none = *link;

        none.transfers = 0;
        if (link->last_transfers && (apart || !link->transfers))
            put_link(chrome, &none, chrome->latest);
        if (link->transfers && (apart || link->transfers != link->last_transfers))
            put_link(chrome, link, chrome->begin);
        link->last_transfers = link->transfers;
        link->transfers = link->words = 0;
    }
}

/* ------------------------------------------------------------------ a round */

/* Fill `taken` with how long each transfer takes, and the links' loads. */
static enum peal_status
price_transfers(struct chrome *chrome, const struct trace_round *round, struct peal_error *error)
{
    const struct trace_run *run = chrome->run;
    const struct peal_pricing *pricing = &run->pricing;
    struct visit visit = {chrome, round};
    bool by_route = pricing->switching == PEAL_STORE_FORWARD || pricing->congestion == PEAL_VOLUME;
    uint64_t hops = 0;

    if (!array_grow(&chrome->taken, &chrome->taken_room, round->count, sizeof *chrome->taken))
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a trace");
    for (size_t i = 0; i < round->count; i++) {
        const struct peal_transfer *transfer = &round->transfers[i];
        int64_t words;

        if (__builtin_mul_overflow(transfer->words, (uint64_t)transfer->k, &words))
            words = INT64_MAX;
        hops += transfer->hops;
        chrome->taken[i] = words;
    }
    if (hops > MAX_HOPS) {
        chrome->links_left_out = true;
        for (size_t i = 0; by_route && i < round->count; i++)
            chrome->taken[i] = round->charge.beta;
    } else if (hops > 0) {
        enum peal_status status = peal_round_routes(pricing, round->transfers, round->count, load_links, &visit, error);

        if (status == PEAL_OK && by_route)
            status = peal_round_routes(pricing, round->transfers, round->count, chrome_price_route, &visit, error);
        if (status != PEAL_OK)
            return status;
        if (chrome->full)
            return peal_refuse(error, PEAL_RESOURCES, "not enough memory for the links of a trace");
    }
    for (size_t i = 0; i < round->count; i++) {
        struct peal_cost cost = {.alpha = round->charge.alpha, .beta = chrome->taken[i]};

        if (pricing->switching == PEAL_STORE_FORWARD && round->transfers[i].hops == 0)
            cost.beta = 0;
        if (pricing->switching == PEAL_WORMHOLE)
            cost.hop = round->transfers[i].hops;
        int64_t end = nanoseconds(peal_cost_time(
            peal_cost_add(peal_cost_add(round->before, (struct peal_cost){.tau = round->charge.tau}), cost),
            run->parameters));

        chrome->taken[i] = (end < chrome->end ? end : chrome->end) - chrome->begin;
    }
    return PEAL_OK;
}

/* Write which call posted an end of a transfer. */
static void
put_caller(struct chrome *chrome, const struct trace_round *round, size_t i, int end)
{
    uint32_t number = round->callers ? round->transfers[i].calls[end] : 0;
    char text[400];

    if (!number)
        return;
    peal_json_put(&chrome->json,
                  PEAL_STRING("call", peal_caller_text(&round->callers->callers[number - 1], text, sizeof text)));
}

/* Write a send, its receive, and the arrow between them. */
static bool
put_transfer(struct chrome *chrome, const struct trace_round *round, size_t i)
{
    struct peal_json *json = &chrome->json;
    const struct peal_transfer *transfer = &round->transfers[i];
    int nodes[2] = {transfer->from, transfer->to};
    uint64_t thread[2];
    char name[20];

    for (int end = 0; end < 2; end++) {
        thread[end] = use_thread(chrome, nodes[end], end ? OF_RECEIVES : OF_SENDS, chrome->places[end][nodes[end]]++);
        if (!thread[end])
            return false;
        open_event(chrome, "X", MACHINE, thread[end]);
        snprintf(name, sizeof name, "%s %d", end ? "from" : "to", nodes[1 - end]);
        chrome_put_names(chrome, name, end ? "receive" : "send");
        put_span(chrome, chrome->begin, chrome->begin + chrome->taken[i]);
        peal_json_put(json, PEAL_OPEN("args", '{'), PEAL_UINT("round", round->number + 1),
                      PEAL_UINT(chrome->run->word_bytes == 1 ? "bytes" : "words", transfer->words),
                      PEAL_UINT("hops", transfer->hops), PEAL_UINT("k", transfer->k));
        put_caller(chrome, round, i, end);
        peal_json_put(json, PEAL_CLOSE('}'), PEAL_CLOSE('}'));
    }
    chrome->arrows++;
    for (int end = 0; end < 2; end++) {
        open_event(chrome, end ? "f" : "s", MACHINE, thread[end]);
        peal_json_put(json, PEAL_WHERE(end, PEAL_STRING("bp", "e")));
        chrome_put_names(chrome, "message", "message");
        peal_json_put(json, PEAL_UINT("id", chrome->arrows));
        put_time(chrome, "ts", chrome->begin);
        peal_json_put(json, PEAL_CLOSE('}'));
    }
    return true;
}

static void
put_round(struct chrome *chrome, const struct trace_round *round, int64_t begin)
{
    char name[40];

    snprintf(name, sizeof name, "round %" PRIu64, round->number + 1);
    open_event(chrome, "X", MACHINE, ROUNDS_THREAD);
    chrome_put_names(chrome, name, "round");
    put_span(chrome, begin, chrome->end);
    peal_json_put(&chrome->json, PEAL_OPEN("args", '{'), PEAL_UINT("transfers", round->count), PEAL_COST(round->charge),
                  PEAL_CLOSE('}'), PEAL_CLOSE('}'));
}

/* Write each node's computation. */
static bool
put_computing(struct chrome *chrome, const struct trace_round *round, int64_t begin)
{
    for (size_t i = 0; i < round->ran_count; i++) {
        int node = round->ran[i];
        int64_t operations = round->operations[node];
        uint64_t thread;

        if (operations == 0)
            continue;
        if (!(thread = use_thread(chrome, node, OF_NODE, 0)))
            return false;
        int64_t end = nanoseconds(peal_cost_time(peal_cost_add(round->before, (struct peal_cost){.tau = operations}),
                                                 chrome->run->parameters));

        open_event(chrome, "X", MACHINE, thread);
        chrome_put_names(chrome, "computes", "compute");
        put_span(chrome, begin, end < chrome->begin ? end : chrome->begin);
        peal_json_put(&chrome->json, PEAL_OPEN("args", '{'), PEAL_INT("operations", operations), PEAL_CLOSE('}'),
                      PEAL_CLOSE('}'));
    }
    return true;
}

/* Write a wait that began before this round. */
static bool
chrome_put_wait(struct chrome *chrome, int node, int64_t end)
{
    int64_t since = chrome->waits_since[node];
    uint64_t thread;

    chrome->waits_since[node] = -1;
    if (since < 0 || since >= end)
        return true;
    if (!(thread = use_thread(chrome, node, OF_NODE, 0)))
        return false;
    open_event(chrome, "X", MACHINE, thread);
    chrome_put_names(chrome, "waits", "wait");
    put_span(chrome, since, end);
    peal_json_put(&chrome->json, PEAL_CLOSE('}'));
    return true;
}

/* Nodes that ran wait from now on; of those that go on after the round, write how long they waited before it. */
static bool
note_waits(struct chrome *chrome, const struct trace_round *round)
{
    for (size_t i = 0; i < round->ran_count; i++)
        chrome->waits_since[round->ran[i]] = chrome->begin;
    for (size_t i = 0; i < round->released_count; i++)
        if (!chrome_put_wait(chrome, round->released[i], chrome->begin))
            return false;
    return true;
}

static enum peal_status
chrome_add_round(const struct trace_run *run, void *own, const struct trace_round *round, struct peal_error *error)
{
    struct chrome *chrome = own;
    struct peal_cost computed = {.tau = round->charge.tau};
    int64_t begin = nanoseconds(peal_cost_time(round->before, run->parameters));
    bool memory = true;

    chrome->begin = nanoseconds(peal_cost_time(peal_cost_add(round->before, computed), run->parameters));
    chrome->end = nanoseconds(peal_cost_time(peal_cost_add(round->before, round->charge), run->parameters));
    if (chrome->end == INT64_MAX)
        return peal_refuse(
            error, PEAL_USAGE,
            "--trace: at these parameters the run takes longer than the %.0e units of time that readers of "
            "traces can represent; smaller --alpha, --beta, --hop and --tau in the same proportions fit",
            0x1p62 / 1000);
    if (round->count > 0 || round->charge.tau > 0)
        put_round(chrome, round, begin);
    enum peal_status status = round->count ? price_transfers(chrome, round, error) : PEAL_OK;

    if (status != PEAL_OK)
        return status;
    memory = put_computing(chrome, round, begin) && note_waits(chrome, round);
    for (size_t i = 0; memory && i < round->count; i++)
        memory = put_transfer(chrome, round, i);
    for (size_t i = 0; i < round->count; i++)
        chrome->places[0][round->transfers[i].from] = chrome->places[1][round->transfers[i].to] = 0;
    if (round->count > 0 || round->charge.tau > 0) {
        put_links(chrome);
        chrome->latest = chrome->end;
    }
    return memory ? PEAL_OK : peal_refuse(error, PEAL_RESOURCES, "not enough memory for a trace");
}

/* ------------------------------------------------------------------ the document */

static enum peal_status
chrome_begin(const struct trace_run *run, void **own, struct peal_error *error)
{
    struct chrome *chrome = calloc(1, sizeof *chrome);
    size_t nodes = (size_t)run->nodes;
    bool memory;

    *own = chrome;
    if (!chrome)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a trace");
    chrome->run = run;
    chrome->json.out = run->out;
    chrome->places[0] = calloc(nodes, sizeof *chrome->places[0]);
    chrome->places[1] = calloc(nodes, sizeof *chrome->places[1]);
    chrome->waits_since = malloc(nodes * sizeof *chrome->waits_since);
    memory = chrome->places[0] && chrome->places[1] && chrome->waits_since;
    if (!memory)
        return peal_refuse(error, PEAL_RESOURCES, "not enough memory for a trace of %d nodes", run->nodes);
    for (size_t i = 0; i < nodes; i++)
        chrome->waits_since[i] = -1;
    peal_json_put(&chrome->json, PEAL_OPEN(NULL, '{'), PEAL_STRING("displayTimeUnit", "ns"),
                  PEAL_OPEN("traceEvents", '['));
    name_track(chrome, MACHINE, 0, "machine", MACHINE);
    name_track(chrome, NETWORK, 0, "network: how many transfers share a link", NETWORK);
    name_track(chrome, MACHINE, ROUNDS_THREAD, "rounds", 0);
    return PEAL_OK;
}

/* An instant with a text, of the whole trace or of a thread. */
static void
put_instant(struct chrome *chrome, uint64_t thread, const char *scope, const char *name)
{
    open_event(chrome, "i", MACHINE, thread);
    peal_json_put(&chrome->json, PEAL_STRING("s", scope), PEAL_STRING("cat", "failure"));
    put_time(chrome, "ts", chrome->latest);
    peal_json_put(&chrome->json, PEAL_STRING("name", name));
}

static void
put_waiting(struct chrome *chrome, const struct peal_waiting *waiting)
{
    uint64_t thread = use_thread(chrome, waiting->rank, OF_NODE, 0);
    char name[400], peer[40] = "any";

    if (!thread)
        return;
    if (waiting->peer != PEAL_ANY_SOURCE)
        snprintf(peer, sizeof peer, "%d", waiting->peer);
    if (waiting->what)
        snprintf(name, sizeof name, "%s: %s, node %s", waiting->state, waiting->what, peer);
    else
        snprintf(name, sizeof name, "%s", waiting->state);
    put_instant(chrome, thread, "t", name);
    peal_json_put(&chrome->json, PEAL_OPEN("args", '{'), PEAL_STRING("file", waiting->file),
                  PEAL_INT("line", waiting->line), PEAL_CLOSE('}'), PEAL_CLOSE('}'));
}

static void
put_failure(struct chrome *chrome, const struct trace_end *end)
{
    const struct peal_failure *failure = end->failure;
    char name[1100];

    if (failure) {
        snprintf(name, sizeof name, "%s: %s", peal_failure_name(failure->kind), failure->message);
        put_instant(chrome, ROUNDS_THREAD, "g", name);
        peal_json_put(&chrome->json, PEAL_CLOSE('}'));
        for (int i = 0; i < failure->node_count; i++)
            put_waiting(chrome, &failure->nodes[i]);
    } else if (end->failure_text) {
        put_instant(chrome, ROUNDS_THREAD, "g", "failure");
        peal_json_put(&chrome->json, PEAL_OPEN("args", '{'), PEAL_TEXT("failure", end->failure_text), PEAL_CLOSE('}'),
                      PEAL_CLOSE('}'));
    }
}

static void
put_machine(struct chrome *chrome, const struct trace_end *end)
{
    struct peal_json *json = &chrome->json;
    const struct peal_options *options = end->options;
    char text[120];

    peal_json_put(json, PEAL_LINE(0), PEAL_CLOSE(']'), PEAL_OPEN("otherData", '{'), PEAL_STRING("run", end->name),
                  PEAL_STRING("topology", options->topology), PEAL_STRING("routing", options->routing),
                  PEAL_STRING("switching", peal_switching_name(options->switching)),
                  PEAL_STRING("peal", peal_version()));
    if (chrome->links_left_out) {
        snprintf(text, sizeof text, "rounds of more than %d hops are without them", MAX_HOPS);
        peal_json_put(json, PEAL_STRING("links", text));
    }
    snprintf(text, sizeof text, "%d", chrome->run->nodes);
    peal_json_put(json, PEAL_STRING("nodes", text), PEAL_STRING("time", peal_cost_text(end->cost, text, sizeof text)),
                  PEAL_CLOSE('}'), PEAL_CLOSE('}'));
}

static enum peal_status
chrome_end(const struct trace_run *run, void *own, const struct trace_end *end, struct peal_error *error)
{
    struct chrome *chrome = own;

    (void)error;
    if (chrome && end) {
        chrome->begin = chrome->latest;
        for (int i = 0; end->failure && i < end->failure->node_count; i++)
            chrome_put_wait(chrome, end->failure->nodes[i].rank, chrome->latest);
        put_links(chrome);
        put_failure(chrome, end);
        put_machine(chrome, end);
    }
    (void)run;
    if (!chrome)
        return PEAL_OK;
    free(chrome->places[0]);
    free(chrome->places[1]);
    free(chrome->named);
    free(chrome->waits_since);
    peal_links_fini(&chrome->links);
    free(chrome->taken);
    free(chrome);
    return PEAL_OK;
}

const struct trace_format trace_chrome = {
    .name = "chrome",
    .summary = "JSON that Perfetto and chrome://tracing open: rounds, sends, receives, links",
    .begin = chrome_begin,
    .round = chrome_add_round,
    .end = chrome_end,
};
