/* SPDX-License-Identifier: MIT */
/* Random posts of every kind: sends in every mode with a note, receives, probes of both kinds, requests that are
 * cancelled or released, waits for any, puts, updates and locks of other nodes' memory, strands and meetings.  The plan
 * is a function of the seed, so each node knows what must come; the order is the machine's.
 *
 *   posts [PROGRAMS] */
#include "tests/stress/stress.h"

#include <peal/post.h>
#include <stdio.h>

enum { MAX_LETTERS = 5, MAX_WORDS = 12, MAX_COMING = MAX_NODES * MAX_LETTERS };

struct plan {
    struct stage stage; /* first: the stress functions see only this */
    int nodes, phases;
    bool strands;
    uint64_t counter[MAX_NODES], wall[MAX_NODES][MAX_NODES]; /* of each node, which others update, write */
};

static uint64_t
draw(const struct plan *plan, int phase, int rank, int what, uint64_t below)
{
    return chance(plan->stage.seed, (uint64_t)phase, (uint64_t)rank, (uint64_t)what) % below;
}

static int
letters(const struct plan *plan, int phase, int from)
{
    return (int)draw(plan, phase, from, 0, MAX_LETTERS + 1);
}

static int
dest(const struct plan *plan, int phase, int from, int i)
{
    return (int)draw(plan, phase, from, 100 + i, (uint64_t)plan->nodes);
}

static size_t
words(const struct plan *plan, int phase, int from, int i)
{
    return (size_t)draw(plan, phase, from, 200 + i, MAX_WORDS) + 1;
}

static uint64_t
note(int phase, int from, int i)
{
    return ((uint64_t)phase * MAX_NODES + (uint64_t)from) * MAX_LETTERS + (uint64_t)i;
}

static int
coming(const struct plan *plan, int phase, int to)
{
    int count = 0;

    for (int from = 0; from < plan->nodes; from++)
        for (int i = 0; i < letters(plan, phase, from); i++)
            count += dest(plan, phase, from, i) == to;
    return count;
}

/* Check that the message is one of the plan's, and that it has its words. */
static void
check(struct peal_node *me, struct plan *plan, const struct peal_envelope *came, const uint64_t *data)
{
    int i = (int)(came->note % MAX_LETTERS), from = (int)(came->note / MAX_LETTERS % MAX_NODES);
    int phase = (int)(came->note / MAX_LETTERS / MAX_NODES);

    if (came->cancelled || from != came->source || phase != came->tag || i >= letters(plan, phase, from) ||
        dest(plan, phase, from, i) != peal_rank(me) || words(plan, phase, from, i) != came->words)
        peal_abort(me, "a letter that was never sent");
    for (size_t j = 0; j < came->words; j++)
        if (data[j] != mix(came->note + j))
            peal_abort(me, "a letter with wrong words");
    saw(&plan->stage, me, came->note);
}

static struct peal_handle
post_send(struct peal_node *me, const struct plan *plan, int phase, int i, uint64_t *data)
{
    static const enum peal_send_mode modes[] = {PEAL_STANDARD, PEAL_SYNCHRONOUS, PEAL_BUFFERED};
    int rank = peal_rank(me);
    size_t count = words(plan, phase, rank, i), half = count / 2;
    struct peal_piece pieces[2] = {{data, half}, {data + half, count - half}};
    struct peal_post post = {.kind = PEAL_POST_SEND,
                             .mode = modes[draw(plan, phase, rank, 300 + i, 3)],
                             .pieces = pieces,
                             .piece_count = 2,
                             .peer = dest(plan, phase, rank, i),
                             .tag = phase,
                             .note = note(phase, rank, i)};

    for (size_t j = 0; j < count; j++)
        data[j] = mix(post.note + j);
    dawdle();
    return peal_post(me, &post);
}

/* Receive one letter in one of the ways there are. */
static void
receive(struct peal_node *me, struct plan *plan, int phase, uint64_t way)
{
    uint64_t data[MAX_WORDS];
    struct peal_piece piece = {data, MAX_WORDS};
    struct peal_post probe = {
        .kind = way == 1 ? PEAL_POST_MATCHED_PROBE : PEAL_POST_PROBE, .peer = PEAL_ANY_SOURCE, .tag = phase};
    struct peal_post take = {
        .kind = PEAL_POST_RECEIVE, .pieces = &piece, .piece_count = 1, .peer = PEAL_ANY_SOURCE, .tag = phase};
    struct peal_envelope there;

    if (way == 1) {
        there = peal_wait_envelope(me, peal_post(me, &probe));
        take.message = there.message;
    } else if (way == 2) {
        while (!peal_probe_now(me, &probe, &there))
            dawdle();
        take.peer = there.source;
    } else if (way == 3) {
        there = peal_wait_envelope(me, peal_post(me, &probe));
        saw(&plan->stage, me, there.note);
    }
    const struct peal_envelope came = peal_exchange(me, NULL, &take);

    check(me, plan, &came, data);
}

/* Some letters by simultaneous posts and a wait for any, the others one by one. */
static void
receive_all(struct peal_node *me, struct plan *plan, int phase, int count)
{
    struct peal_handle handles[MAX_COMING];
    uint64_t(*data)[MAX_WORDS] = peal_alloc(me, (size_t)MAX_COMING * MAX_WORDS);
    int at_once = (int)draw(plan, phase, peal_rank(me), 400, (uint64_t)count + 1);

    for (int i = 0; i < at_once; i++) {
        struct peal_piece piece = {data[i], MAX_WORDS};

        handles[i] = peal_post(
            me,
            &(struct peal_post){
                .kind = PEAL_POST_RECEIVE, .pieces = &piece, .piece_count = 1, .peer = PEAL_ANY_SOURCE, .tag = phase});
    }
    for (int i = 0; i < at_once; i++) {
        int ready = peal_wait_any(me, handles, at_once);
        const struct peal_envelope came = peal_wait_envelope(me, handles[ready]);

        check(me, plan, &came, data[ready]);
        handles[ready] = PEAL_NO_HANDLE;
    }
    for (int i = at_once; i < count; i++)
        receive(me, plan, phase, draw(plan, phase, peal_rank(me), 500 + i, 4));
    peal_free(me, data);
}

/* A receive that nothing matches is cancelled. */
static void
cancel_one(struct peal_node *me)
{
    uint64_t nothing;
    struct peal_piece piece = {&nothing, 1};
    struct peal_handle handle = peal_post(
        me,
        &(struct peal_post){
            .kind = PEAL_POST_RECEIVE, .pieces = &piece, .piece_count = 1, .peer = PEAL_ANY_SOURCE, .tag = 1 << 20});

    peal_cancel(me, handle);
    if (!peal_wait_envelope(me, handle).cancelled)
        peal_abort(me, "a message that was never sent");
}

static void
add(void *memory, void *data, void *result, size_t count, void *closure)
{
    (void)count, (void)closure;
    *(uint64_t *)result = *(uint64_t *)memory;
    *(uint64_t *)memory += *(uint64_t *)data;
}

/* Write on another node's wall, and count at another's counter, with its lock or without. */
static void
reach(struct peal_node *me, struct plan *plan, int phase)
{
    int rank = peal_rank(me), peer = (int)draw(plan, phase, rank, 600, (uint64_t)plan->nodes);
    bool locks = draw(plan, phase, rank, 601, 2);
    uint64_t value = (uint64_t)phase + 1, one = 1, before = 0;
    struct peal_piece written = {&value, 1}, added = {&one, 1};
    struct peal_handle lock = PEAL_NO_HANDLE, put, update;

    if (locks)
        lock =
            peal_wait_envelope(me, peal_post(me, &(struct peal_post){.kind = PEAL_POST_LOCK, .peer = peer, .tag = 7}))
                .message;
    put = peal_post(me, &(struct peal_post){.kind = PEAL_POST_PUT,
                                            .pieces = &written,
                                            .piece_count = 1,
                                            .peer = peer,
                                            .remote = {.memory = &plan->wall[peer][rank]}});
    update = peal_post(
        me, &(struct peal_post){
                .kind = PEAL_POST_UPDATE,
                .pieces = &added,
                .piece_count = 1,
                .peer = peer,
                .remote = {.memory = &plan->counter[peer], .apply = add, .result = &before, .result_words = 1}});
    peal_wait_envelope(me, put);
    peal_wait_envelope(me, update);
    saw(&plan->stage, me, before);
    if (locks)
        peal_wait_envelope(me, peal_post(me, &(struct peal_post){.kind = PEAL_POST_UNLOCK, .message = lock}));
}

static void
sum(struct peal_node *me, void *arg)
{
    peal_allreduce(me, PEAL_SUM_INT64, arg, 1);
}

static void
program(struct peal_node *me, void *arg)
{
    struct plan *plan = arg;
    int rank = peal_rank(me);
    uint64_t outbox[MAX_LETTERS][MAX_WORDS];
    struct peal_handle out[MAX_LETTERS];

    plan->counter[rank] = 0;
    peal_meet(me, &(struct peal_meeting){0});
    for (int phase = 0; phase < plan->phases; phase++) {
        int64_t total = rank;
        struct peal_handle strand = plan->strands ? peal_start(me, NULL, sum, &total) : PEAL_NO_HANDLE;
        int count = letters(plan, phase, rank);

        for (int i = 0; i < count; i++)
            out[i] = post_send(me, plan, phase, i, outbox[i]);
        if (draw(plan, phase, rank, 700, 2))
            reach(me, plan, phase);
        receive_all(me, plan, phase, coming(plan, phase, rank));
        if (draw(plan, phase, rank, 701, 3) == 0)
            cancel_one(me);
        for (int i = 0; i < count; i++)
            if (draw(plan, phase, rank, 702 + i, 4))
                peal_wait_envelope(me, out[i]);
            else
                peal_detach(me, out[i]);
        peal_wait_detached(me);
        if (plan->strands) {
            peal_join(me, strand);
            if (total != (int64_t)plan->nodes * (plan->nodes - 1) / 2)
                peal_abort(me, "a wrong sum");
        }
        peal_meet(me, &(struct peal_meeting){.number = phase});
        saw(&plan->stage, me, plan->counter[rank]);
    }
}

int
main(int argc, char **argv)
{
    int programs = how_many(argc, argv, 40);
    bool good = true;
    static struct plan plan;

    for (int i = 0; i < programs && good; i++) {
        uint64_t number = mix((uint64_t)i + 1000);
        struct peal_options options;

        plan.stage.seed = (uint64_t)i;
        plan.nodes = 1 + (int)(number % 16);
        plan.phases = 1 + (int)(number >> 8 & 3);
        plan.strands = peal_fibers_built() && number >> 12 & 1; /* a strand's stack is a fiber's */
        peal_options_init(&options);
        options.nodes = plan.nodes;
        options.topology = number >> 16 & 1 ? "ring" : "full";
        options.seed = number;
        options.timeout_seconds = 100;
        good = same_every_way(&options, program, &plan.stage);
    }
    return tell("posts", good);
}
