/* SPDX-License-Identifier: MIT */
/* A node's calls where every node is a process: posts go out at once, waits poll until MPI has completed them. */
#include "lib/base/clock.h"
#include "lib/cluster/job.h"
#include "lib/machine/requests.h"

/* ------------------------------------------------------------------ posts */

static bool
cluster_make_room(struct job *job, uint32_t id)
{
    return peal_grow_zeroed(&job->packed, &job->packed_count, (size_t)id + 1, sizeof *job->packed);
}

/* One stretch of memory for a message of several pieces; NULL without memory. */
static char *
cluster_pack(struct job *job, const struct request *request, uint32_t id)
{
    size_t word_bytes = job->machine->options.word_bytes;
    char *all, *at;

    if (!cluster_make_room(job, id) || !(all = at = malloc(request->words * word_bytes + 1)))
        return NULL;
    for (uint32_t i = 0; request->kind == REQUEST_SEND && i < request->piece_count; i++)
        if (request->pieces[i].words > 0)
            at = mempcpy(at, request->pieces[i].data, request->pieces[i].words * word_bytes);
    return job->packed[id] = all;
}

static void
unpack(struct job *job, struct request *request, uint32_t id)
{
    size_t word_bytes = job->machine->options.word_bytes, left = request->words;
    const char *at = job->packed[id];

    for (uint32_t i = 0; request->kind == REQUEST_RECEIVE && i < request->piece_count && left > 0; i++) {
        size_t words = request->pieces[i].words < left ? request->pieces[i].words : left;

        if (words > 0)
            memcpy(request->pieces[i].data, at, words * word_bytes);
        at += words * word_bytes;
        left -= words;
    }
    free(job->packed[id]);
    job->packed[id] = NULL;
}

static void
remember_early(struct job *job, uint32_t id)
{
    if (array_grow(&job->early, &job->early_capacity, (size_t)job->early_count + 1, sizeof id))
        job->early[job->early_count++] = id; /* otherwise the copy is not freed before the run ends */
}

/* The request is in the log, and MPI did not take it. */
static __attribute__((noinline, noreturn)) void
cannot_post(const struct job *job, const struct request *request, int peer)
{
    if (request->tag > job->wire->most_tags)
        peal_fail_at(request->view, PEAL_BAD_REQUEST, request->file, request->line, "tag %d: %s has tags up to %d",
                     request->tag, plugged->name, job->wire->most_tags);
    peal_fail_at(request->view, PEAL_OUT_OF_MEMORY, request->file, request->line,
                 "%s refused a message of %llu words for node %d", plugged->name, (unsigned long long)request->words,
                 peer);
}

/* Gives the number of the post. */
static inline uint32_t
write_post(struct log *log, const struct request *request, int peer)
{
    struct record *record =
        log_add(log, request->kind == REQUEST_SEND ? LOG_SEND : LOG_RECEIVE, request->file, request->line);

    record->post.words = (uint32_t)request->words;
    record->post.more_words = (uint32_t)(request->words >> 32);
    record->post.peer = peer;
    record->post.tag = request->tag;
    record->post.context = request->context;
    return log->posts++;
}

void
node_posted(struct node *node, uint32_t id, int peer)
{
    struct job *job = job_of(node);
    struct wire *wire = job->wire;
    struct request *request = &job->machine->requests[id];
    struct round_node *boxes = &job->machine->round.node[node->rank];
    size_t word_bytes = job->machine->options.word_bytes;
    void *data = request->piece_count > 1 ? cluster_pack(job, request, id) : request->data;
    bool send = request->kind == REQUEST_SEND, posted = false;

    boxes->outbox = boxes->mailbox = 0; /* only the replay knows when they are full */
    if (request->tag <= wire->most_tags && (data || request->words == 0))
        posted =
            send ? plugged->send(wire, request->context, id, data, request->words, word_bytes, peer, request->tag)
                 : plugged->receive(wire, request->context, id, data, request->words, word_bytes, peer, request->tag);
    request->partner = write_post(&job->log, request, peer);
    if (!posted)
        cannot_post(job, request, peer);
    if (request->flags & REQUEST_EAGER)
        remember_early(job, id);
}

/* ------------------------------------------------------------------ waits */

/* The message does not fit: the node can do no more, and the replay finds the failure. */
static _Noreturn void
stuck(struct node *node)
{
    job_of(node)->log.now.end = NODE_IS_IDLE;
    job_of(node)->log.now.state = NODE_WAITS;
    siglongjmp(*node->entry, EXIT_UNWOUND);
}

static void idle(struct node *node, enum node_state state);

/* Ask MPI at most `turns` times for request `id`, which is not complete; `wanted`: its message, too. */
static inline bool
cluster_test_request(struct node *node, uint32_t id, unsigned turns, bool wanted)
{
    struct job *job = job_of(node);
    struct request *request = &job->machine->requests[id];
    struct wire_status status;
    enum wire_answer answer = plugged->test(job->wire, id, turns, wanted ? &status : NULL);

    if (answer == WIRE_PENDING)
        return false;
    if (__builtin_expect(answer != WIRE_DONE, 0)) {
        idle(node, NODE_WAITS);
        stuck(node);
    }
    if (wanted) {
        request->rank = status.source;
        request->tag = status.tag;
        request->words =
            job->machine->options.word_bytes == 8 ? status.bytes / 8 : status.bytes / job->machine->options.word_bytes;
    }
    if (__builtin_expect(request->piece_count > 1, 0))
        unpack(job, request, id);
    request->flags |= REQUEST_COMPLETE;
    return true;
}

/* Free the copies of eager messages that have gone out. */
static void
reap_early(struct node *node)
{
    struct job *job = job_of(node);

    for (uint32_t i = 0; i < job->early_count;) {
        uint32_t id = job->early[i];
        struct request *request = &job->machine->requests[id];

        if (plugged->test(job->wire, id, 1, NULL) == WIRE_PENDING) {
            i++;
            continue;
        }
        free(request->data);
        request->data = NULL;
        request->flags |= REQUEST_TAKEN;
        if (request->flags & REQUEST_CONSUMED)
            request_recycle(node->carrier, job->machine->requests, id);
        job->early[i] = job->early[--job->early_count];
    }
}

static void
add_awaited(struct log *log, uint32_t post)
{
    if (array_grow(&log->awaited, &log->awaited_capacity, (size_t)log->awaited_count + 1, sizeof post))
        log->awaited[log->awaited_count++] = post;
}

/* Record the requests that the node waits for, for node 0's report. */
static void
idle(struct node *node, enum node_state state)
{
    struct job *job = job_of(node);
    const struct request *requests = job->machine->requests;
    struct log *log = &job->log;

    job->look_ticks = INT64_MIN;
    log->now.end = NODE_IS_IDLE;
    log->now.state = (int)state;
    log->now.site = log_site(log, node->file);
    log->now.line = node->line;
    log->awaited_count = 0;
    for (uint32_t id = node->open; id; id = requests[id].open_next)
        if ((requests[id].flags & (REQUEST_AWAITED | REQUEST_COMPLETE)) == REQUEST_AWAITED)
            add_awaited(log, requests[id].partner);
}

/* Called when nothing has come for a while. */
static __attribute__((noinline)) void
cluster_rest(struct node *node, enum node_state state)
{
    struct job *job = job_of(node);

    if (job->log.now.end != NODE_IS_IDLE || job->log.now.state != (int)state) {
        idle(node, state);
        job->idle_since = nanoseconds_now();
    }
    if (job->early_count > 0)
        reap_early(node);
    wire_relax(job->wire);
    watch_look(job, false);
    if (job->stopped || atomic_load_explicit(&job->machine->stopping, memory_order_relaxed)) {
        idle(node, state);
        siglongjmp(*node->entry, EXIT_UNWOUND);
    }
}

static __attribute__((noinline)) void
look_around(struct job *job)
{
    if (job->log.now.end == NODE_IS_IDLE) {
        job->log.now.end = NODE_GOES_ON;
        job->log.now.epoch++;
        job->idle_since = 0;
    }
    job->look_ticks = ticks_now() - job->began_ticks + (1 << 22);
    watch_look(job, false);
}

/* The node goes on after a wait. */
static inline void
cluster_go_on(struct job *job)
{
    if (__builtin_expect((++job->parks & 255) == 0 || job->look_ticks == INT64_MIN, 0))
        look_around(job);
}

static void
wait_for_requests(struct node *node)
{
    struct job *job = job_of(node);
    const struct request *requests = job->machine->requests;
    uint32_t *waiting = &job->machine->round.node[node->rank].waiting;
    unsigned polls = job->wire->polls, turns = *waiting == 1 ? polls : 1, asked = 0;

    while (*waiting > 0) {
        for (uint32_t id = node->open; id; id = requests[id].open_next)
            if ((requests[id].flags & (REQUEST_AWAITED | REQUEST_COMPLETE)) == REQUEST_AWAITED &&
                cluster_test_request(node, id, turns, requests[id].kind == REQUEST_RECEIVE))
                --*waiting;
        asked += turns;
        turns = *waiting == 1 ? polls : 1;
        if (__builtin_expect(asked >= polls && *waiting > 0, 0)) {
            cluster_rest(node, NODE_WAITS);
            asked = 0;
        }
    }
    cluster_go_on(job);
}

void
node_waits(struct node *node, enum node_state state)
{
    struct job *job = job_of(node);

    if (state == NODE_WAITS) {
        wait_for_requests(node);
    } else if (state == NODE_RESTS) {
        struct log *log = &job->log;
        struct record *last = log->count > log->sent ? &log->records[log->count - 1] : NULL;

        if (last && last->kind == LOG_REST && last->line == node->line)
            last->test.count++;
        else
            log_add(log, LOG_REST, node->file, node->line)->test.count = 1;
        cluster_go_on(job);
        if (job->stopped || atomic_load_explicit(&job->machine->stopping, memory_order_relaxed))
            siglongjmp(*node->entry, EXIT_UNWOUND);
    }
}

/* The record of a complete request's post, if it can become one record of the post and its wait: it is the last record,
 * at the wait's line, node 0 does not have it yet, and it records what came.  NULL: it cannot. */
static inline struct record *
find_post(const struct log *log, const struct node *node, const struct request *request)
{
    struct record *last = log->records + log->count - 1;

    if (request->partner + 1 != log->posts || log->count <= log->sent || last->kind > LOG_RECEIVE ||
        last->line != node->line || node->file != log->last_file || last->site != log->last_site ||
        last->post.more_words > 0)
        return NULL;
    return last->kind == LOG_SEND || (last->post.peer == request->rank && last->post.tag == request->tag) ? last : NULL;
}

void
node_consumed(struct node *node, uint32_t id)
{
    struct job *job = job_of(node);
    const struct request *request = &job->machine->requests[id];
    int64_t ticks = request->kind == REQUEST_SEND ? 0 : ticks_now() - job->began_ticks;
    struct record *record = find_post(&job->log, node, request);

    if (record) {
        record->kind = record->kind == LOG_SEND ? LOG_SENT : LOG_RECEIVED;
        record->post.ticks = ticks;
    } else {
        record = log_add(&job->log, LOG_CONSUME, node->file, node->line);
        record->consume.ticks = ticks;
        record->consume.post = request->partner;
        record->consume.source = request->rank;
        record->consume.tag = request->tag;
    }
    if (__builtin_expect(ticks > job->look_ticks, 0))
        look_around(job);
}

bool
node_tests(struct node *node, uint32_t id)
{
    struct job *job = job_of(node);
    struct log *log = &job->log;
    struct request *request = &job->machine->requests[id];

    if ((request->flags & REQUEST_COMPLETE) || cluster_test_request(node, id, 1, request->kind == REQUEST_RECEIVE)) {
        cluster_go_on(job);
        return true;
    }
    struct record *last = log->count > log->sent ? &log->records[log->count - 1] : NULL;

    if (last && last->kind == LOG_TEST && last->test.post == request->partner) {
        last->test.count++;
        if (last->test.count > 100)
            cluster_rest(node, NODE_TESTS);
        return false;
    }
    struct record *record = log_add(log, LOG_TEST, node->file, node->line);

    record->test.count = 1;
    record->test.post = request->partner;
    wire_relax(job->wire);
    return false;
}

/* ------------------------------------------------------------------ the rest */

void
node_computed(struct node *node, int64_t operations)
{
    struct job *job = job_of(node);

    node->operations = 0;
    job->machine->round.clocks.node[node->rank].tau = 0;
    log_add(&job->log, LOG_COMPUTE, node->file, node->line)->operations = operations;
}

double
node_clock(struct node *node)
{
    return (double)(nanoseconds_now() - job_of(node)->began) * 1e-3;
}

void
node_prints(struct node *node, const void *bytes, size_t count)
{
    struct job *job = job_of(node);
    struct log *log = &job->log;

    job->unsaid = true;
    job->look_ticks = INT64_MIN;
    log_text(log, log_add(log, LOG_PRINT, node->file, node->line), bytes, count);
}

void
node_calls(struct peal_node *me, const struct peal_call *call, const char *file, int line)
{
    struct job *job = job_of(me->node);
    uint64_t kind = log_kind(&job->log, call);

    struct record *record = log_add(&job->log, LOG_CALL, file, line);

    record->call.words = call->words;
    record->call.kind = kind;
    record->call.context = me->context;
    record->call.root = call->root;
}

static int
cluster_member_compare(const void *a, const void *b)
{
    const int *x = a, *y = b; /* key, rank in the parent */

    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* All members have given their colors: make the group of those with mine. */
static bool
cluster_make_group(struct job *job, struct split_call *call, const int *all, uint32_t context)
{
    const struct peal_node *parent = call->parent;
    int(*mine)[2] = malloc((size_t)parent->group->size * sizeof *mine), size = 0, rank = 0;
    int32_t *members = malloc((size_t)parent->group->size * sizeof *members);
    struct group *group = NULL;

    for (int i = 0; mine && members && i < parent->group->size; i++)
        if (all[2 * i] == call->color) {
            mine[size][0] = all[2 * i + 1];
            mine[size++][1] = i;
        }
    if (mine && members) {
        qsort(mine, (size_t)size, sizeof *mine, cluster_member_compare);
        for (int i = 0; i < size; i++) {
            members[i] = peal_rank_in_world(parent, mine[i][1]);
            if (mine[i][1] == parent->rank)
                rank = i;
        }
        const struct node *node = parent->node;

        group = group_make(job->machine, members, size, (struct call_site){node->file, node->line});
    }
    if (group) {
        group->context = context; /* groups and communicators are counted alike */
        group_enter(&call->view, group, rank);
    }
    free(mine);
    free(members);
    return group;
}

bool
node_splits(struct node *node, struct split_call *call)
{
    struct job *job = job_of(node);
    uint32_t parent = call->parent->group->context, made = job->machine->contexts;
    int *said = malloc(((size_t)call->parent->group->size + 1) * 2 * sizeof *said);
    struct record record = {.kind = LOG_SPLIT,
                            .split = {.context = call->parent->context, .color = call->color, .key = call->key}};

    if (!said)
        return false;
    said[0] = call->color;
    said[1] = call->key;
    record.site = log_site(&job->log, node->file);
    record.line = node->line;
    job->log.now.split = record;
    bool well = plugged->gather_begin(job->wire, parent, said, said + 2);

    for (unsigned turns = 1; well && !plugged->gather_done(job->wire); turns++)
        if ((turns & 15) == 0 || job->wire->crowded)
            cluster_rest(node, NODE_SPLITS); /* unsent reports are lost if it does not come back */
    cluster_go_on(job);
    /* all have arrived, so this does not take long */
    well = well && plugged->split(job->wire, parent, call->color, call->key, made);
    if (well && call->color >= 0) {
        well = cluster_make_group(job, call, said + 2, made);
        record.split.made = made;
    }
    free(said);
    *log_add(&job->log, LOG_SPLIT, node->file, node->line) = record;
    return well;
}

void
node_let_go(struct job *job, struct node *node)
{
    struct request *requests = job->machine->requests;
    uint32_t id, sends = 0;

    for (id = node->open; id; id = requests[id].open_next) {
        if (requests[id].flags & REQUEST_COMPLETE)
            continue;
        if (requests[id].kind == REQUEST_RECEIVE)
            plugged->cancel(job->wire, id);
        else
            sends++;
    }
    /* All go on until the sends of all have gone out: receivers throw away what they do not expect. */
    for (bool met = false, waiting = false; !met;) {
        bool any = plugged->swallow(job->wire);

        for (id = node->open; id && sends > 0; id = requests[id].open_next)
            if (requests[id].kind == REQUEST_SEND && !(requests[id].flags & REQUEST_COMPLETE) &&
                plugged->test(job->wire, id, 1, NULL) != WIRE_PENDING) {
                requests[id].flags |= REQUEST_COMPLETE;
                sends--;
            }
        if (job->early_count > 0)
            reap_early(node);
        if (sends == 0 && job->early_count == 0 && !waiting)
            waiting = plugged->meet_begin(job->wire);
        met = waiting && plugged->meet_done(job->wire);
        if (!any && !met)
            wire_relax(job->wire);
    }
    for (int none = 0; none < 3; none++) { /* what had gone out before its receiver came here */
        int source, kind;
        size_t count;
        char *control = plugged->look(job->wire, &source, &kind, &count);

        if (plugged->swallow(job->wire) || control)
            none = -1;
        free(control);
    }
    for (uint32_t i = 0; i < job->packed_count; i++) {
        free(job->packed[i]);
        job->packed[i] = NULL;
    }
    while (node->open) {
        requests[node->open].flags |= REQUEST_TAKEN;
        request_consume(node, node->open);
    }
}
