/* SPDX-License-Identifier: MIT */
/* The facts on a run that its observer sees and its document lacks: which nodes waited and computed in which round, the
 * transfers of the critical path, and the lines that sent them. */
#include "lib/record/observed.h"
#include "lib/cost/arithmetic.h"
#include "lib/machine/hooks.h"
#include "lib/machine/requests.h"
#include "lib/record/json.h"

enum { MAX_TRANSFERS = 1 << 20, MAX_LOOKS = 1 << 22, MAX_BYTES = 1 << 21 };

/* A transfer, and when it begins and ends if each starts as soon as its nodes and ports allow. */
struct observed_transfer {
    uint32_t round, index; /* in the document */
    int32_t from, to;
    struct peal_cost begin, end;
    const char *file;
    int line;
};

/* A list of lists, one per round, written as the rounds come. */
struct observed_lists {
    struct peal_json json;
    char *text;
    size_t bytes;
    uint64_t rounds; /* begun */
    bool left_out;   /* it would be too long */
};

struct peal_observed {
    struct peal_machine *machine;
    struct round_listener listener;
    uint64_t rounds; /* in the document */
    uint64_t looks;  /* number of nodes looked at */
    struct peal_cost cost;
    struct observed_lists waits, computing;
    bool *busy; /* nodes with a transfer in the round at hand */
    struct observed_transfer *seen;
    size_t count, room;
    bool left_out; /* there are too many transfers */
};

/* ------------------------------------------------------------------ lists of lists */

/* Write a member of the document; each is on lines of its own. */
static void
put_member(struct peal_json *json, struct peal_json_part member)
{
    if (json->follows)
        peal_json_put(json, PEAL_LINE(0));
    peal_json_put(json, member);
}

static bool
lists_init(struct observed_lists *lists)
{
    lists->json = (struct peal_json){.out = open_memstream(&lists->text, &lists->bytes), .depth = 1, .tight = true};
    if (lists->json.out)
        peal_json_put(&lists->json, PEAL_OPEN(NULL, '['));
    return lists->json.out;
}

static void
observed_lists_fini(struct observed_lists *lists)
{
    if (lists->json.out)
        fclose(lists->json.out);
    free(lists->text);
}

static void
begin_round(struct observed_lists *lists, uint64_t round)
{
    for (; lists->rounds <= round; lists->rounds++) {
        if (lists->rounds)
            peal_json_put(&lists->json, PEAL_CLOSE(']'), PEAL_LINE(0));
        peal_json_put(&lists->json, PEAL_OPEN(NULL, '['));
    }
    lists->left_out |= ftello(lists->json.out) > MAX_BYTES;
}

static void
put_lists(struct peal_json *json, struct observed_lists *lists, const char *key)
{
    if (lists->rounds)
        peal_json_put(&lists->json, PEAL_CLOSE(']'));
    peal_json_put(&lists->json, PEAL_CLOSE(']'));
    if (fflush(lists->json.out) == 0 && !lists->left_out)
        put_member(json, (struct peal_json_part)PEAL_TEXT(key, lists->text));
}

/* ------------------------------------------------------------------ during the run */

static void
see_transfers(struct peal_observed *o, const struct round *round)
{
    if (o->count + round->transfer_count > MAX_TRANSFERS ||
        !array_grow(&o->seen, &o->room, o->count + round->transfer_count, sizeof *o->seen))
        o->left_out = true;
    if (o->left_out)
        return;
    for (size_t i = 0; i < round->transfer_count; i++) {
        const struct request *send = &round->requests[round->admitted[i]];
        const struct peal_transfer *transfer = &round->transfers[i];
        struct peal_cost alone = charge_alone(&round->charger, round->transfers, i);
        struct peal_cost end = round_end_of(round, send);
        struct call_site site = request_site(o->machine, send);

        site = site_of(o->machine, site.file, site.line);
        o->seen[o->count++] = (struct observed_transfer){
            .round = (uint32_t)o->rounds,
            .index = (uint32_t)i,
            .from = transfer->from,
            .to = transfer->to,
            .begin = cost_minus(end, alone),
            .end = end,
            .file = site.file,
            .line = site.line,
        };
    }
}

static void
observed_put_wait(struct observed_lists *lists, const struct node *node)
{
    const struct request *requests = node->machine->requests;
    uint32_t id = node->open;

    while (id && (requests[id].flags & REQUEST_COMPLETE))
        id = requests[id].open_next;
    bool rests = node->state == NODE_TESTS || node->state == NODE_RESTS || !id;
    bool any = !rests && requests[id].peer == PEAL_ANY_SOURCE;
    const char *awaited = rests ? "rest" : any ? "any" : requests[id].kind == REQUEST_SEND ? "send" : "receive";

    peal_json_put(&lists->json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, node->rank), PEAL_STRING(NULL, awaited),
                  PEAL_INT(NULL, rests || any ? node->rank : requests[id].peer), PEAL_CLOSE(']'));
}

/* List the nodes that are parked, have no transfer in this round, and are not released by it. */
static void
see_waits(struct peal_observed *o, const struct round *round)
{
    const struct peal_machine *machine = o->machine;

    o->looks += (uint64_t)machine->options.nodes;
    o->waits.left_out |= o->looks > MAX_LOOKS;
    if (o->waits.left_out)
        return;
    for (size_t i = 0; i < round->transfer_count; i++)
        o->busy[round->transfers[i].from] = o->busy[round->transfers[i].to] = true;
    for (int rank = 0; rank < machine->options.nodes; rank++) {
        const struct node *node = &machine->nodes[rank];

        if (!o->busy[rank] && node->state != NODE_FINISHED && node->state != NODE_FAILED && node->state != NODE_RUNS &&
            (node->state != NODE_WAITS || round->node[rank].waiting > 0))
            observed_put_wait(&o->waits, node);
    }
    for (size_t i = 0; i < round->transfer_count; i++)
        o->busy[round->transfers[i].from] = o->busy[round->transfers[i].to] = false;
}

static void
observed_note_round(struct peal_machine *machine, void *arg)
{
    struct peal_observed *o = arg;
    const struct round *round = &machine->round;
    bool written = round->transfer_count > 0 || round->cost.tau != o->cost.tau;

    o->cost = round->cost;
    if (written) {
        begin_round(&o->waits, o->rounds);
        begin_round(&o->computing, o->rounds);
        see_transfers(o, round);
        see_waits(o, round);
    }
    for (size_t i = 0; i < machine->phase.runnable_count; i++) {
        int rank = machine->phase.runnable[i];
        int64_t *operations = &o->listener.operations[rank];

        if (written && *operations && !o->computing.left_out)
            peal_json_put(&o->computing.json, PEAL_OPEN(NULL, '['), PEAL_INT(NULL, rank), PEAL_INT(NULL, *operations),
                          PEAL_CLOSE(']'));
        *operations = 0;
    }
    o->rounds += written;
}

/* ------------------------------------------------------------------ the critical path */

/* Whether `later` can have begun when `earlier` ended, apart from computing in between. */
static bool
observed_can_follow(const struct observed_transfer *earlier, struct peal_cost begin)
{
    return earlier->end.alpha == begin.alpha && earlier->end.beta == begin.beta && earlier->end.hop == begin.hop &&
           earlier->end.tau <= begin.tau;
}

static bool
share_node(const struct observed_transfer *a, const struct observed_transfer *b)
{
    return a->from == b->from || a->from == b->to || a->to == b->from || a->to == b->to;
}

/* The transfer that leads to `next`: of those that end with `found`, in its round, one to the sender of `next`, by
 * which the data may have come; else `found`, which may only share a port. */
static size_t
before(const struct peal_observed *o, size_t found, const struct observed_transfer *next)
{
    const struct observed_transfer *seen = o->seen;

    for (size_t i = found + 1; next && i-- > 0 && seen[i].round == seen[found].round;)
        if (seen[i].to == next->from && observed_can_follow(&seen[i], next->begin))
            return i;
    return found;
}

/* Follow the path back from its end: from each transfer to the last one before it that ends when it begins, at one of
 * its nodes.  Gives their number; path[0] is the last. */
static size_t
follow_back(const struct peal_observed *o, struct peal_cost end, size_t *path)
{
    size_t length = 0;

    for (size_t i = o->count; i-- > 0;) {
        const struct observed_transfer *seen = &o->seen[i], *next = length ? &o->seen[path[length - 1]] : NULL;

        if (!observed_can_follow(seen, end) || (next && !share_node(seen, next)))
            continue;
        i = before(o, i, next);
        path[length++] = i;
        end = o->seen[i].begin;
        if (end.alpha == 0 && end.beta == 0 && end.hop == 0)
            break;
    }
    return length;
}

static void
put_path(struct peal_json *json, const struct peal_observed *o)
{
    size_t *path = o->left_out || !o->count ? NULL : malloc(o->count * sizeof *path);
    size_t length = path ? follow_back(o, peal_machine_critical_path(o->machine), path) : 0;

    if (length > 0) {
        put_member(json, (struct peal_json_part)PEAL_OPEN("critical", '['));
        for (size_t i = length; i-- > 0;)
            peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_UINT(NULL, o->seen[path[i]].round),
                          PEAL_UINT(NULL, o->seen[path[i]].index), PEAL_CLOSE(']'));
        peal_json_put(json, PEAL_CLOSE(']'));
    }
    free(path);
}

static void
put_places(struct peal_json *json, const struct peal_observed *o)
{
    bool any = false;

    for (size_t i = 0; !o->left_out && i < o->count && i < MAX_BYTES / 64; i++) {
        const struct observed_transfer *seen = &o->seen[i];

        if (!seen->file)
            continue;
        if (any)
            peal_json_put(json, PEAL_LINE(0));
        else
            put_member(json, (struct peal_json_part)PEAL_OPEN("places", '['));
        peal_json_put(json, PEAL_OPEN(NULL, '['), PEAL_STRING(NULL, seen->file), PEAL_INT(NULL, seen->line),
                      PEAL_UINT(NULL, seen->round), PEAL_UINT(NULL, seen->index), PEAL_CLOSE(']'));
        any = true;
    }
    if (any)
        peal_json_put(json, PEAL_CLOSE(']'));
}

/* ------------------------------------------------------------------ from outside */

struct peal_observed *
peal_observed_begin(struct peal_machine *machine, struct peal_error *error)
{
    size_t nodes = (size_t)peal_machine_options(machine)->nodes;
    struct peal_observed *o = calloc(1, sizeof *o);

    if (o) {
        *o = (struct peal_observed){
            .machine = machine,
            .listener = {.look = observed_note_round, .arg = o, .operations = calloc(nodes, sizeof(int64_t))},
            .busy = calloc(nodes, sizeof *o->busy)};
    }
    if (o && o->listener.operations && o->busy && lists_init(&o->waits) && lists_init(&o->computing)) {
        round_listener_add(machine, &o->listener);
        return o;
    }
    peal_observed_end(o, NULL, false);
    peal_refuse(error, PEAL_RESOURCES, "not enough memory to observe %zu nodes", nodes);
    return NULL;
}

void
peal_observed_end(struct peal_observed *o, FILE *out, bool places)
{
    struct peal_json json = {.out = out, .tight = true};

    if (!o)
        return;
    round_listener_remove(o->machine, &o->listener);
    if (out && o->waits.json.out && o->computing.json.out) {
        peal_json_put(&json, PEAL_OPEN(NULL, '{'));
        put_lists(&json, &o->waits, "waits");
        put_lists(&json, &o->computing, "compute");
        put_path(&json, o);
        if (places)
            put_places(&json, o);
        peal_json_put(&json, PEAL_CLOSE('}'));
    }
    observed_lists_fini(&o->waits);
    observed_lists_fini(&o->computing);
    free(o->listener.operations);
    free(o->busy);
    free(o->seen);
    free(o);
}
