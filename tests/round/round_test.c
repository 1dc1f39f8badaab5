/* SPDX-License-Identifier: MIT */
/* Matching and admission with thousands of requests pending, against a plain model written from design.md's sentences: the
 * transfers of every round, in their order. */
#include "lib/round/round.h"
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 256, MOST_POSTS = 60000, MOST_ROUNDS = 8000 };

static uint64_t state;

static int
chance(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

/* ------------------------------------------------------------------ the model */

/* A post; its number is its request's. */
struct post {
    enum request_kind kind;
    uint64_t round;
    uint32_t sequence;
    int node, peer, tag;
    bool eager, matched, carried;
};

static struct post posts[MOST_POSTS];
static uint32_t post_count;          /* with number 0, which is none */
static uint32_t sends[MOST_POSTS];   /* in the order of admission */
static uint32_t send_count, settled; /* those from `settled` on are new */
static int ahead[MOST_NODES];

static int
compare_new(const void *a, const void *b)
{
    const struct post *x = &posts[*(const uint32_t *)a], *y = &posts[*(const uint32_t *)b];

    return x->sequence != y->sequence ? (x->sequence > y->sequence) - (x->sequence < y->sequence)
                                      : (x->node > y->node) - (x->node < y->node);
}

/* Each receive, in the order of posts, takes the first send it may take. */
static void
model_match(void)
{
    qsort(sends + settled, send_count - settled, sizeof *sends, compare_new);
    settled = send_count;
    for (uint32_t r = 1; r < post_count; r++) {
        struct post *receive = &posts[r];

        if (receive->kind != REQUEST_RECEIVE || receive->matched)
            continue;
        for (uint32_t i = 0; i < send_count; i++) {
            struct post *send = &posts[sends[i]];

            if (send->matched || send->peer != receive->node
                || (receive->peer != PEAL_ANY_SOURCE && receive->peer != send->node)
                || (receive->tag != PEAL_ANY_TAG && receive->tag != send->tag))
                continue;
            send->matched = receive->matched = true;
            ahead[receive->node] -= send->carried;
            break;
        }
    }
}

/* Once through the order; gives the sends carried in this round. */
static uint32_t
model_admit(const struct peal_options *options, uint32_t *carried)
{
    int sending[MOST_NODES] = {0}, receiving[MOST_NODES] = {0};
    uint32_t count = 0;

    for (uint32_t i = 0; i < send_count; i++) {
        struct post *send = &posts[sends[i]];
        int from = send->node, to = send->peer, ports = options->ports;
        bool fits = options->half_duplex
                        ? sending[from] + receiving[from] < ports && sending[to] + receiving[to] < ports
                        : sending[from] < ports && receiving[to] < ports;

        if (send->carried || !fits || (!send->matched && (!send->eager || ahead[to] >= options->mailbox)))
            continue;
        send->carried = true;
        ahead[to] += !send->matched;
        sending[from]++;
        receiving[to] += !(options->half_duplex && from == to);
        carried[count++] = sends[i];
    }
    /* what is over is left out, to keep the model's time in bounds */
    uint32_t kept = 0;

    for (uint32_t i = 0; i < send_count; i++)
        if (!posts[sends[i]].carried || !posts[sends[i]].matched)
            sends[kept++] = sends[i];
    send_count = settled = kept;
    return count;
}

/* ------------------------------------------------------------------ posting to both */

static struct request *requests;
static struct round a_round;

static void
hang(uint32_t *first, uint32_t *last, uint32_t id)
{
    if (*first)
        requests[*last].next = id;
    else
        *first = id;
    *last = id;
}

static void
post(enum request_kind kind, int node, int peer, int tag, bool eager)
{
    struct round_node *boxes = &a_round.node[node];
    uint32_t id = post_count++;

    cr_assert_lt(post_count, MOST_POSTS);
    posts[id] = (struct post){kind, a_round.number, boxes->sequence, node, peer, tag, eager, false, false};
    requests[id] = (struct request){
        .round = a_round.number,
        .words = kind == REQUEST_SEND ? id : MOST_POSTS, /* names the message */
        .node = node,
        .peer = peer,
        .tag = tag,
        .kind = kind,
        .piece_count = 1,
    };
    if (kind == REQUEST_SEND) {
        requests[id].sequence = boxes->sequence++;
        requests[id].flags = eager ? REQUEST_EAGER | REQUEST_COMPLETE : 0;
        boxes->outbox++;
        hang(&boxes->posted, &boxes->posted_last, id);
        sends[send_count++] = id;
    } else {
        boxes->mailbox++;
        boxes->received = true;
        hang(&boxes->receives, &boxes->receives_last, id);
    }
}

/* ------------------------------------------------------------------ comparing */

/* The matrix of a run: how often node a sends to node b. */
struct run {
    const char *name;
    int nodes, per_node;     /* sends of each node */
    int late_percent;        /* receives that are posted in a later round */
    int any_percent;         /* receives from any source, or with any tag */
    int tags;
    int order;               /* of the sends: 0 ascending, 1 shifted, 2 random, 3 all to few */
    bool eager;
    struct peal_options options;
};

static int
peer_of(const struct run *run, int node, int i)
{
    switch (run->order) {
    case 0: return i % run->nodes;
    case 1: return (node + 1 + i) % run->nodes;
    case 2: return chance(run->nodes);
    default: return chance(4) * run->nodes / 4;
    }
}

static void
compare(struct run *run, uint64_t seed)
{
    struct peal_network *network = peal_network_create("full", run->nodes, NULL, NULL);
    uint32_t carried[MOST_NODES * 4], late[MOST_POSTS], late_count = 0, posted_sends = 0, left;
    int32_t active[MOST_NODES];
    struct round_failure failure;

    state = seed;
    post_count = 1;
    send_count = settled = 0;
    memset(ahead, 0, sizeof ahead);
    requests = aligned_alloc(_Alignof(struct request), MOST_POSTS * sizeof *requests);
    requests[0] = (struct request){0};
    run->options.nodes = run->nodes;
    run->options.word_bytes = 1;
    run->options.eager = run->eager;
    cr_assert_eq(round_init(&a_round, &run->options, network, requests, NULL), PEAL_OK);
    for (int node = 0; node < run->nodes; node++)
        active[node] = node;
    for (int node = 0; node < run->nodes; node++)
        for (int i = 0; i < run->per_node; i++) {
            post(REQUEST_SEND, node, peer_of(run, node, i), chance(run->tags), run->eager && chance(2));
            posted_sends++;
        }
    /* a receive for each of them, in an order of its own */
    for (uint32_t id = 1; id <= posted_sends; id++)
        late[late_count++] = id;
    for (uint32_t i = late_count; i > 1; i--) {
        uint32_t j = (uint32_t)chance((int)i), swapped = late[i - 1];

        late[i - 1] = late[j];
        late[j] = swapped;
    }
    left = posted_sends;
    for (int round = 0; left > 0; round++) {
        uint32_t kept = 0;

        cr_assert_lt(round, MOST_ROUNDS);
        for (uint32_t i = 0; i < late_count; i++) {
            const struct post send = posts[late[i]];

            if (chance(100) < run->late_percent) {
                late[kept++] = late[i];
                continue;
            }
            bool any = chance(100) < run->any_percent;

            post(REQUEST_RECEIVE, send.peer, any && chance(2) ? PEAL_ANY_SOURCE : send.node,
                 any && chance(2) ? PEAL_ANY_TAG : send.tag, false);
        }
        late_count = kept;
        if (round == 3 && posted_sends < MOST_POSTS / 4) /* more of both while many are pending */
            for (int i = 0; i < 500; i++) {
                int from = chance(run->nodes), to = chance(run->nodes);

                post(REQUEST_SEND, from, to, 0, false);
                post(REQUEST_RECEIVE, to, from, 0, false);
                left++;
            }
        model_match();
        uint32_t count = model_admit(&run->options, carried);

        cr_assert_eq(round_make(&a_round, active, (size_t)run->nodes, 0, &failure), ROUND_MADE);
        round_delivered(&a_round);
        cr_assert_eq(a_round.transfer_count, count, "%s, seed %d, round %d: %d transfers, not %u", run->name, (int)seed,
                     round, (int)a_round.transfer_count, count);
        for (uint32_t i = 0; i < count; i++)
            cr_assert(a_round.admitted[i] == carried[i] && a_round.transfers[i].from == posts[carried[i]].node
                          && a_round.transfers[i].to == posts[carried[i]].peer,
                      "%s, seed %d, round %d: transfer %u is of request %u, not %u", run->name, (int)seed, round, i,
                      a_round.admitted[i], carried[i]);
        left -= count;
        if (count == 0 && late_count == 0) /* wildcards took what others wait for */
            break;
    }
    cr_expect(left == 0 || run->any_percent > 0, "%s: %u messages are left", run->name, left);
    round_fini(&a_round);
    peal_network_destroy(network);
    free(requests);
}

#define OPTIONS(...) {.mailbox = INT_MAX, .rounds = PEAL_ROUNDS_NONE, __VA_ARGS__}

static struct run runs[] = {
    {"all to all, ascending", 96, 96, 0, 0, 1, 0, false, OPTIONS(.ports = 1)},
    {"all to all, shifted", 96, 96, 0, 0, 2, 1, false, OPTIONS(.ports = 1)},
    {"random", 130, 80, 0, 0, 3, 2, false, OPTIONS(.ports = 1)},
    {"random, late receives", 130, 60, 60, 0, 3, 2, false, OPTIONS(.ports = 1)},
    {"random, wildcards", 70, 90, 10, 20, 2, 2, false, OPTIONS(.ports = 1)},
    {"to few", 100, 60, 20, 5, 1, 3, false, OPTIONS(.ports = 1)},
    {"half duplex", 65, 90, 10, 0, 2, 2, false, OPTIONS(.ports = 1, .half_duplex = true)},
    {"two ports", 64, 90, 10, 5, 2, 2, false, OPTIONS(.ports = 2)},
    {"two ports, half duplex", 64, 90, 10, 0, 2, 2, false, OPTIONS(.ports = 2, .half_duplex = true)},
    {"one node", 1, 5000, 10, 10, 3, 2, false, OPTIONS(.ports = 1)},
    {"two nodes", 2, 3000, 0, 0, 3, 2, false, OPTIONS(.ports = 1)},
};

Test(round, carries_what_the_plain_model_does_with_thousands_pending, .timeout = 240)
{
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        compare(&runs[i], i + 1);
}

static struct run eager_runs[] = {
    {"eager", 90, 80, 80, 5, 2, 2, true, OPTIONS(.ports = 1)},
    {"eager, few places", 90, 80, 80, 5, 2, 2, true, {.mailbox = 3, .ports = 1, .rounds = PEAL_ROUNDS_NONE}},
    {"eager, few places, to few", 80, 80, 80, 0, 1, 3, true, {.mailbox = 5, .ports = 1, .rounds = PEAL_ROUNDS_NONE}},
};

Test(round, carries_eager_messages_ahead_as_the_plain_model_does, .timeout = 240)
{
    for (size_t i = 0; i < sizeof eager_runs / sizeof *eager_runs; i++)
        compare(&eager_runs[i], 100 + i);
}
