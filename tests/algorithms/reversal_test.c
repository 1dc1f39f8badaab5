/* SPDX-License-Identifier: MIT */
/* Reversal: every scatter run backwards gathers, every broadcast run backwards reduces, at the same price wherever
 * routes run backwards too. */
#include "harness.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* What a transfer carries is seen at the posts: the calls that post sends are defined here once more, before the
 * library's, and note the words before they hand on.  Messages between two nodes never overtake, so the i-th that one
 * posted for the other is the i-th that was carried. */

/* ------------------------------------------------------------------ what was posted */

struct posted {
    int from, to;
    size_t count;
    int64_t *words;
    bool carried;
};

static struct posted *posts;
static size_t post_count;

static struct posted *
note(struct peal_node *me, int dest, size_t words)
{
    posts = realloc(posts, (post_count + 1) * sizeof *posts);
    cr_assert_not_null(posts);
    posts[post_count] =
        (struct posted){.from = peal_rank(me), .to = dest, .words = malloc((words + 1) * sizeof(int64_t))};
    cr_assert_not_null(posts[post_count].words);
    return &posts[post_count++];
}

static void
note_piece(struct posted *post, const void *data, size_t words)
{
    if (words > 0)
        memcpy(post->words + post->count, data, words * sizeof(int64_t));
    post->count += words;
}

/* The library's own function of this name. */
static void *
original(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    cr_assert_not_null(function, "%s", name);
    return function;
}

struct peal_handle
peal_send_async_at(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    struct peal_handle (*call)(struct peal_node *, const void *, size_t, int, int, const char *, int);
    void *function = original("peal_send_async_at");

    memcpy(&call, &function, sizeof call);
    note_piece(note(me, dest, words), buf, words);
    return call(me, buf, words, dest, tag, file, line);
}

struct peal_handle
peal_sendv_async_at(struct peal_node *me, const struct peal_piece *pieces, int count, int dest, int tag,
                    const char *file, int line)
{
    struct peal_handle (*call)(struct peal_node *, const struct peal_piece *, int, int, int, const char *, int);
    void *function = original("peal_sendv_async_at");
    struct posted *post;
    size_t words = 0;

    memcpy(&call, &function, sizeof call);
    for (int i = 0; i < count; i++)
        words += pieces[i].words;
    post = note(me, dest, words);
    for (int i = 0; i < count; i++)
        note_piece(post, pieces[i].data, pieces[i].words);
    return call(me, pieces, count, dest, tag, file, line);
}

void
peal_send_at(struct peal_node *me, const void *buf, size_t words, int dest, int tag, const char *file, int line)
{
    void (*call)(struct peal_node *, const void *, size_t, int, int, const char *, int);
    void *function = original("peal_send_at");

    memcpy(&call, &function, sizeof call);
    note_piece(note(me, dest, words), buf, words);
    call(me, buf, words, dest, tag, file, line);
}

struct peal_message
peal_sendrecv_at(struct peal_node *me, const void *out, size_t out_words, int dest, int out_tag, void *in,
                 size_t in_words, int source, int in_tag, const char *file, int line)
{
    struct peal_message (*call)(struct peal_node *, const void *, size_t, int, int, void *, size_t, int, int,
                                const char *, int);
    void *function = original("peal_sendrecv_at");

    memcpy(&call, &function, sizeof call);
    note_piece(note(me, dest, out_words), out, out_words);
    return call(me, out, out_words, dest, out_tag, in, in_words, source, in_tag, file, line);
}

/* The post that a transfer carries. */
static struct posted *
post_of(const struct peal_transfer *transfer)
{
    for (size_t i = 0; i < post_count; i++)
        if (!posts[i].carried && posts[i].from == transfer->from && posts[i].to == transfer->to) {
            posts[i].carried = true;
            cr_assert_eq(posts[i].count, transfer->words);
            return &posts[i];
        }
    cr_assert_fail("no send was posted from %d to %d", transfer->from, transfer->to);
    return NULL;
}

static void
forget_posts(void)
{
    for (size_t i = 0; i < post_count; i++)
        free(posts[i].words);
    free(posts);
    posts = NULL;
    post_count = 0;
}

/* ------------------------------------------------------------------ a run with words that have names */

struct subject {
    const struct peal_algorithm *algorithm;
    size_t words;
    int root;
};

/* Word j of the root's vector is j. */
static void
program(struct peal_node *me, void *arg)
{
    const struct subject *subject = arg;
    bool scatter = subject->algorithm->collective == PEAL_SCATTER;
    size_t n = scatter ? subject->words * (size_t)peal_size(me) : subject->words;
    int64_t *vector = peal_alloc(me, n + 1), *out = peal_alloc(me, subject->words + 1);

    if (peal_rank(me) == subject->root)
        for (size_t j = 0; j < n; j++)
            vector[j] = (int64_t)j;
    if (scatter)
        peal_scatter_by(me, subject->algorithm->name, vector, subject->words, subject->root, out);
    else
        peal_broadcast_by(me, subject->algorithm->name, vector, n, subject->root);
}

/* Make the run; false where the algorithm does not fit. */
static bool
record(const struct subject *subject, const char *topology, int nodes, struct peal_machine **machine)
{
    struct peal_options options = options_for(nodes, topology);
    struct peal_error error;
    struct peal_situation situation = {
        .collective = subject->algorithm->collective, .nodes = nodes, .words = subject->words, .root = subject->root};

    options.ports = subject->algorithm->needs.ports != 0 ? subject->algorithm->needs.ports : 1;
    *machine = peal_machine_create(&options, &error);
    cr_assert_not_null(*machine, "%s", error.text);
    situation.network = peal_machine_network(*machine);
    situation.ports = options.ports;
    if (peal_algorithm_fits(subject->algorithm, &situation, NULL) != PEAL_OK) {
        peal_machine_destroy(*machine);
        return false;
    }
    cr_assert_null(peal_run(*machine, program, (void *)subject));
    return true;
}

/* ------------------------------------------------------------------ the same backwards */

/* Backwards, a word that came to node v from u goes back from v to u.  Of a word that came to a node more than once
 * only the first counts, and none that the root got.  has[v][j] is how many contributions to word j node v holds: in a
 * gather there is one in all, at the node whose block the word belongs to, in a reduce one at each node. */
static void
expect_collects(const struct subject *subject, const struct peal_schedule *schedule, int nodes)
{
    bool scatter = subject->algorithm->collective == PEAL_SCATTER;
    size_t P = (size_t)nodes, n = scatter ? subject->words * P : subject->words;
    const char *name = subject->algorithm->name;
    int *has = calloc(P * n + 1, sizeof *has);
    char *came = calloc(P * n + 1, 1), *counts = calloc(1, 1);
    struct posted **carried = calloc(schedule->transfer_count + 1, sizeof *carried);
    size_t offset = 0;

    for (size_t i = 0; i < schedule->transfer_count; i++) { /* forwards: which transfers count, word by word */
        const struct peal_transfer *transfer = &schedule->transfers[i];

        carried[i] = post_of(transfer);
        counts = realloc(counts, offset + carried[i]->count + 1);
        for (size_t w = 0; w < carried[i]->count; w++) {
            char *before = &came[(size_t)transfer->to * n + (size_t)carried[i]->words[w]];

            counts[offset++] = !*before && transfer->to != subject->root;
            *before = 1;
        }
    }
    for (size_t v = 0; v < P; v++)
        for (size_t j = 0; j < n; j++)
            has[v * n + j] = !scatter || j / subject->words == v;

    for (size_t r = schedule->round_count; r-- > 0;) {
        const struct peal_round *round = &schedule->rounds[r];

        for (int arrives = 0; arrives < 2; arrives++) { /* what leaves in a round was there before it */
            size_t at = offset;

            for (size_t i = round->first + round->count; i-- > round->first;) {
                const struct peal_transfer *transfer = &schedule->transfers[i];

                at -= carried[i]->count;
                for (size_t w = 0; w < carried[i]->count; w++) {
                    size_t j = (size_t)(carried[i]->words[w] & UINT32_MAX);
                    int *from = &has[(size_t)transfer->to * n + j], *to = &has[(size_t)transfer->from * n + j];

                    if (!counts[at + w])
                        continue;
                    if (!arrives) {
                        cr_assert(*from > 0, "%s backwards: node %d has no word %zu to give in round %zu", name,
                                  transfer->to, j, r);
                        carried[i]->words[w] |= (int64_t)*from << 32; /* so many contributions are on their way */
                        *from = 0;
                    } else {
                        *to += (int)(carried[i]->words[w] >> 32);
                    }
                }
            }
            if (arrives)
                offset = at;
        }
    }
    for (size_t v = 0; v < P; v++)
        for (size_t j = 0; j < n; j++) {
            int expected = (int)v != subject->root ? 0 : scatter ? 1 : nodes;

            cr_assert_eq(has[v * n + j], expected,
                         "%s of %d nodes, %zu words, root %d, backwards: node %zu has %d of word %zu", name, nodes,
                         subject->words, subject->root, v, has[v * n + j], j);
        }
    free(has);
    free(came);
    free(counts);
    free(carried);
}

/* Turn the schedule round.  owner: the caller frees its arrays */
static struct peal_schedule
backwards(const struct peal_schedule *schedule)
{
    struct peal_schedule back = expanded(schedule);
    size_t next = 0;

    for (size_t r = 0; r < back.round_count; r++) {
        const struct peal_round *round = peal_schedule_round(schedule, back.round_count - 1 - r);

        back.rounds[r] = (struct peal_round){.first = next, .count = round->count};
        for (size_t i = 0; i < round->count; i++) {
            back.transfers[next] = schedule->transfers[round->first + i];
            back.transfers[next].from = schedule->transfers[round->first + i].to;
            back.transfers[next++].to = schedule->transfers[round->first + i].from;
        }
    }
    return back;
}

static struct peal_cost
price(struct peal_schedule *schedule, const char *topology, const char *routing, int nodes,
      enum peal_switching switching)
{
    struct peal_error error;
    struct peal_network *network = peal_network_create(topology, nodes, routing, &error);
    struct peal_pricing pricing = {.network = network, .switching = switching};
    struct peal_cost cost;

    cr_assert_not_null(network, "%s", error.text);
    cr_assert_eq(peal_price(&pricing, schedule, &cost, &error), PEAL_OK, "%s", error.text);
    peal_network_destroy(network);
    return cost;
}

/* Whether a message goes exactly half way round a ring of the network, where both ways are shortest and the tie goes
 * up. */
static bool
has_ties(const struct peal_schedule *schedule, const char *topology, int nodes)
{
    struct peal_error error;
    struct peal_network *network = peal_network_create(topology, nodes, NULL, &error);
    int extents[PEAL_MAX_DIMENSIONS], dimensions = peal_network_extents(network, extents), stride;
    bool ties = false;

    for (size_t i = 0; i < schedule->transfer_count && !ties; i++) {
        stride = 1;
        for (int d = dimensions - 1; d >= 0; stride *= extents[d--]) {
            int apart = abs(schedule->transfers[i].from / stride % extents[d] -
                            schedule->transfers[i].to / stride % extents[d]);

            ties = ties || (extents[d] > 2 && 2 * apart == extents[d]);
        }
    }
    peal_network_destroy(network);
    return ties;
}

static void
expect_same_price(const struct subject *subject, const struct peal_schedule *schedule, const char *topology, int nodes)
{
    struct peal_schedule there = expanded(schedule), back = backwards(schedule);
    bool closed = strncmp(topology, "ring", 4) == 0 || strncmp(topology, "torus", 5) == 0;
    bool grid = strncmp(topology, "mesh", 4) == 0 || strncmp(topology, "torus", 5) == 0;
    char one[100], two[100];

    if (!(closed && has_ties(schedule, topology, nodes)))
        for (int switching = PEAL_IDEAL; switching <= PEAL_STORE_FORWARD; switching++) {
            struct peal_cost forth = price(&there, topology, NULL, nodes, (enum peal_switching)switching);
            struct peal_cost reverse =
                price(&back, topology, grid ? "yx" : NULL, nodes, (enum peal_switching)switching);

            cr_expect(peal_cost_equal(forth, reverse), "%s/%s of %d nodes on %s: %s, backwards %s",
                      peal_collective_name(subject->algorithm->collective), subject->algorithm->name, nodes, topology,
                      peal_cost_text(forth, one, sizeof one), peal_cost_text(reverse, two, sizeof two));
        }
    expanded_fini(&there);
    expanded_fini(&back);
}

/* ------------------------------------------------------------------ every scatter, every broadcast */

static void
try(const struct subject *subject, int nodes)
{
    const char *topology;

    for (int i = 0; (topology = network_of(nodes, i)) != NULL; i++) {
        char copy[64];
        struct peal_machine *machine;

        snprintf(copy, sizeof copy, "%s", topology);
        if (!record(subject, copy, nodes, &machine))
            continue;
        struct peal_schedule schedule = expanded(peal_machine_schedule(machine));

        expect_collects(subject, &schedule, nodes);
        if (strcmp(copy, "hypercube") !=
            0) /* e-cube backwards is the mesh of twos by yx: no routing of the hypercube */
            expect_same_price(subject, &schedule, copy, nodes);
        expanded_fini(&schedule);
        peal_machine_destroy(machine);
        forget_posts();
    }
}

static struct criterion_test_params
every_scatter_and_broadcast(void)
{
    static int numbers[200];
    const struct peal_algorithm *algorithm;
    size_t count = 0;

    for (int i = 0; (algorithm = peal_algorithm_get(i)) != NULL; i++)
        if (algorithm->collective == PEAL_SCATTER || algorithm->collective == PEAL_BROADCAST)
            numbers[count++] = i;
    return cr_make_param_array(int, numbers, count, NULL);
}

ParameterizedTestParameters(reversal, of_a_scatter_gathers_and_of_a_broadcast_reduces_at_the_same_price)
{
    return every_scatter_and_broadcast();
}

ParameterizedTest(int *number, reversal, of_a_scatter_gathers_and_of_a_broadcast_reduces_at_the_same_price,
                  .timeout = 120)
{
#ifdef __SANITIZE_ADDRESS__ /* which finds what it finds on small machines */
    static const int node_counts[] = {1, 2, 3, 5, 8};
#else
    static const int node_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17};
#endif
    struct subject subject = {.algorithm = peal_algorithm_get(*number)};

    for (size_t i = 0; i < sizeof node_counts / sizeof *node_counts; i++)
        for (subject.root = 0; subject.root<node_counts[i]; subject.root += node_counts[i]> 9 ? 4 : 1)
            for (subject.words = 1; subject.words <= 20; subject.words += 19)
                try(&subject, node_counts[i]);
}

/* A message that goes exactly half way round a ring goes up, and so does its reverse: they are not on the same links.
 * Six nodes, 0 -> 3 beside 5 -> 1: two messages on the links up from 0 and none on those from 0 down; backwards 3 -> 0
 * goes up from 3 and meets no other message. */
Test(reversal, costs_one_message_less_where_a_tie_goes_the_other_way, .timeout = 10)
{
    struct peal_transfer transfers[] = {{.words = 5, .from = 0, .to = 3}, {.words = 5, .from = 5, .to = 1}};
    struct peal_round round = {.count = 2};
    struct peal_schedule forth = {1, 2, &(uint32_t){0}, 1, 2, &round, transfers};
    struct peal_schedule back = backwards(&forth);

    cr_expect_eq(price(&forth, "ring", NULL, 6, PEAL_IDEAL).beta, 10);
    cr_expect_eq(price(&back, "ring", NULL, 6, PEAL_IDEAL).beta, 5);
    expanded_fini(&back);
}

/* Under the same dimension order the way back is another one. */
Test(reversal, costs_the_same_on_a_mesh_with_the_other_dimension_order_only, .timeout = 10)
{
    struct peal_transfer transfers[] = {{.words = 5, .from = 6, .to = 2}, {.words = 5, .from = 7, .to = 5}};
    struct peal_round round = {.count = 2};
    struct peal_schedule forth = {1, 2, &(uint32_t){0}, 1, 2, &round, transfers};
    struct peal_schedule back = backwards(&forth);

    /* by xy both go along row 2 to column 2, then up: link 7 -> 8 and link 8 -> 5 are shared */
    cr_expect_eq(price(&forth, "mesh:3x3", "xy", 9, PEAL_IDEAL).beta, 10);
    /* back by yx the same links the other way */
    cr_expect_eq(price(&back, "mesh:3x3", "yx", 9, PEAL_IDEAL).beta, 10);
    /* back by xy along rows 0 and 1 first, then down columns 0 and 1: nothing is shared */
    cr_expect_eq(price(&back, "mesh:3x3", "xy", 9, PEAL_IDEAL).beta, 5);
    expanded_fini(&back);
}
