/* SPDX-License-Identifier: MIT */
/* Matching and admission with thousands of requests pending, against a plain model written from design.md's sentences:
 * the transfers of every round, in their order. */
#include "lib/round/round.h"
#include <criterion/criterion.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 256, MAX_POSTS = 60000, MAX_ROUNDS = 8000 };

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

static struct post posts[MAX_POSTS];
static uint32_t post_count;          /* with number 0, which stands for none */
static uint32_t sends[MAX_POSTS];    /* in the order of admission */
static uint32_t send_count, settled; /* those from `settled` on are new */
static int ahead[MAX_NODES];

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

            if (send->matched || send->peer != receive->node ||
                (receive->peer != PEAL_ANY_SOURCE && receive->peer != send->node) ||
                (receive->tag != PEAL_ANY_TAG && receive->tag != send->tag))
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
    int sending[MAX_NODES] = {0}, receiving[MAX_NODES] = {0};
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

    cr_assert_lt(post_count, MAX_POSTS);
    posts[id] = (struct post){kind, a_round.number, boxes->sequence, node, peer, tag, eager, false, false};
    requests[id] = (struct request){
        .round = a_round.number,
        .words = kind == REQUEST_SEND ? id : MAX_POSTS, /* names the message */
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
    int nodes, per_node; /* sends of each node */
    int late_percent;    /* receives that are posted in a later round */
    int any_percent;     /* receives from any source, or with any tag */
    int tags;
    int order; /* of the sends: 0 ascending, 1 shifted, 2 random, 3 all to few */
    bool eager;
    struct peal_options options;
};

static int
peer_of(const struct run *run, int node, int i)
{
    switch (run->order) {
    case 0:
        return i % run->nodes;
    case 1:
        return (node + 1 + i) % run->nodes;
    case 2:
        return chance(run->nodes);
    default:
        return chance(4) * run->nodes / 4;
    }
}

static void
compare(struct run *run, uint64_t seed)
{
    struct peal_network *network = peal_network_create("full", run->nodes, NULL, NULL);
    uint32_t carried[MAX_NODES * 4], late[MAX_POSTS], late_count = 0, posted_sends = 0, left;
    int32_t active[MAX_NODES];
    struct round_failure failure;

    state = seed;
    post_count = 1;
    send_count = settled = 0;
    memset(ahead, 0, sizeof ahead);
    requests = aligned_alloc(_Alignof(struct request), MAX_POSTS * sizeof *requests);
    requests[0] = (struct request){0};
    run->options.nodes = run->nodes;
    run->options.word_bytes = 1;
    run->options.eager = run->eager;
    cr_assert_eq(round_init(&a_round, &run->options, network, requests, NULL, NULL), PEAL_OK);
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

        cr_assert_lt(round, MAX_ROUNDS);
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
        if (round == 3 && posted_sends < MAX_POSTS / 4) /* more of both while many are pending */
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
            cr_assert(a_round.admitted[i] == carried[i] && a_round.transfers[i].from == posts[carried[i]].node &&
                          a_round.transfers[i].to == posts[carried[i]].peer,
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

#define OPTIONS(...)                                                                                                   \
    {                                                                                                                  \
        .mailbox = INT_MAX, .rounds = PEAL_ROUNDS_NONE, __VA_ARGS__                                                    \
    }

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

Test(round, carries_the_transfers_of_the_plain_model_with_thousands_pending, .timeout = 240)
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

/* ------------------------------------------------------------------ the common round, and the general way */

enum { FEW_NODES = 13, FEW_POSTS = 2000 };

/* Equal posts are made to two rounds, of which the second goes the general way. */
static struct {
    struct round round;
    struct request *requests;
} two[2];

static uint32_t
post_to_both(enum request_kind kind, int node, int peer, uint64_t words, struct peal_cost clock)
{
    uint32_t id = post_count++;

    for (int i = 0; i < 2; i++) {
        struct round_node *boxes = &two[i].round.node[node];

        requests = two[i].requests;
        requests[id] = (struct request){.round = two[i].round.number,
                                        .words = words,
                                        .data = &two,
                                        .node = node,
                                        .rank = node,
                                        .peer = peer,
                                        .clock = clock,
                                        .kind = kind,
                                        .flags = REQUEST_AWAITED,
                                        .piece_count = 1};
        boxes->waiting++;
        if (kind == REQUEST_SEND) {
            requests[id].sequence = boxes->sequence++;
            boxes->outbox++;
            hang(&boxes->posted, &boxes->posted_last, id);
        } else {
            boxes->mailbox++;
            boxes->received = true;
            hang(&boxes->receives, &boxes->receives_last, id);
        }
    }
    return id;
}

static bool
same_requests(void)
{
    for (uint32_t id = 1; id < post_count; id++) {
        const struct request *a = &two[0].requests[id], *b = &two[1].requests[id];
        const unsigned compared = REQUEST_COMPLETE | REQUEST_AWAITED;

        if (a->words != b->words || a->tag != b->tag || (a->flags & REQUEST_COMPLETE) != (b->flags & REQUEST_COMPLETE))
            return false;
        if ((a->flags & REQUEST_COMPLETE) &&
            ((a->flags & compared) != (b->flags & compared) || memcmp(&a->clock, &b->clock, sizeof a->clock) != 0))
            return false;
    }
    return memcmp(&two[0].round.clocks.last, &two[1].round.clocks.last, sizeof(struct peal_cost)) == 0;
}

static int
compare_ranks(const void *a, const void *b)
{
    return (*(const int32_t *)a > *(const int32_t *)b) - (*(const int32_t *)a < *(const int32_t *)b);
}

static bool
same_lists(void)
{
    struct round *a = &two[0].round, *b = &two[1].round;

    if (a->transfer_count != b->transfer_count || a->copy_count != b->copy_count ||
        a->released_count != b->released_count)
        return false;
    if (a->transfer_count == 0)
        return true;
    qsort(a->released, a->released_count, sizeof *a->released, compare_ranks);
    qsort(b->released, b->released_count, sizeof *b->released, compare_ranks);
    for (size_t i = 0; i < a->transfer_count; i++) {
        const struct peal_transfer *x = &a->transfers[i], *y = &b->transfers[i];

        if (x->from != y->from || x->to != y->to || x->words != y->words || x->hops != y->hops || x->k != y->k ||
            a->admitted[i] != b->admitted[i])
            return false;
    }
    return a->released_count == 0 || memcmp(a->released, b->released, a->released_count * sizeof *a->released) == 0;
}

/* Most nodes have one send, whose receive is there; some have two or none, some receives come later or are first in
 * line for another one.  In the last round a receive may be too short. */
static void
post_round(int nodes, bool last)
{
    static int due[FEW_POSTS][2];
    static int due_count;
    int shift = chance(nodes), odd = chance(4) == 0 ? chance(nodes) : -1, kept = 0;
    int short_one = last ? chance(nodes) : -1;

    due_count = last || post_count == 1 ? 0 : due_count;
    for (int i = 0; i < due_count; i++)
        post_to_both(REQUEST_RECEIVE, due[i][0], due[i][1], 9, (struct peal_cost){.alpha = chance(3)});
    due_count = kept;
    for (int node = 0; node < nodes; node++) {
        struct peal_cost clock = {.alpha = chance(8) ? 5 : chance(9), .beta = chance(8) ? 2 : chance(9)};

        for (int i = 0, count = node == odd ? chance(3) : 1; i < count; i++) {
            int to = node == odd ? chance(nodes) : (node + shift) % nodes;

            uint64_t words = (uint64_t)(chance(4) ? 4 : chance(9)), room = chance(nodes * 2) ? words : words + 2;

            post_to_both(REQUEST_SEND, node, to, words + (node == short_one ? 3 : 0), clock);
            if (node == odd && chance(2) && !last) {
                due[due_count][0] = to;
                due[due_count++][1] = node;
            } else {
                post_to_both(REQUEST_RECEIVE, to, chance(nodes * 2) ? node : PEAL_ANY_SOURCE, room, clock);
            }
        }
    }
}

static void
compare_ways(enum peal_switching switching, uint64_t seed)
{
    state = seed;
    int nodes = 1 + chance(FEW_NODES);
    struct peal_network *network = peal_network_create("ring", nodes, NULL, NULL);
    const struct peal_options options = {.nodes = nodes,
                                         .word_bytes = 1,
                                         .mailbox = INT_MAX,
                                         .ports = 1,
                                         .switching = switching,
                                         .parameters = {3, 1, 1, 1}};
    struct round_failure failure[2];
    enum round_status status[2] = {ROUND_MADE, ROUND_MADE};
    int32_t active[FEW_NODES];

    post_count = 1;
    for (int node = 0; node < nodes; node++)
        active[node] = node;
    for (int i = 0; i < 2; i++) {
        two[i].requests = aligned_alloc(_Alignof(struct request), FEW_POSTS * sizeof *two[i].requests);
        two[i].requests[0] = (struct request){0};
        cr_assert_eq(round_init(&two[i].round, &options, network, two[i].requests, NULL, NULL), PEAL_OK);
    }
    cr_assert(two[0].round.one_port);
    two[1].round.one_port = false;
    for (int round = 0; round < 12 && status[0] == ROUND_MADE; round++) {
        post_round(nodes, chance(8) == 0);
        for (int i = 0; i < 2; i++)
            status[i] = round_make(&two[i].round, active, (size_t)nodes, 0, &failure[i]);
        cr_assert_eq(status[0], status[1], "seed %d, round %d: %d and %d", (int)seed, round, status[0], status[1]);
        cr_assert(same_requests(), "seed %d, round %d: the requests differ", (int)seed, round);
        if (status[0] == ROUND_MADE)
            cr_assert(same_lists(), "seed %d, round %d: the lists differ", (int)seed, round);
        else
            cr_assert(failure[0].request == failure[1].request && two[0].round.transfer_count == 0, "seed %d",
                      (int)seed);
    }
    for (int i = 0; i < 2; i++) {
        round_fini(&two[i].round);
        free(two[i].requests);
    }
    peal_network_destroy(network);
}

Test(round, delivers_the_common_round_as_the_general_way_does, .timeout = 60)
{
    for (uint64_t seed = 1; seed <= 600; seed++)
        compare_ways(seed % 3 == 0 ? PEAL_WORMHOLE : seed % 3 == 1 ? PEAL_IDEAL : PEAL_STORE_FORWARD, seed);
}
