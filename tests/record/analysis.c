/* SPDX-License-Identifier: MIT */
/* Tests of what is computed from a recorded run: the hottest link, the routes of a round, the parts of the time. */
#include <criterion/criterion.h>
#include <peal/network.h>
#include <peal/trace.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) (sizeof(list) / sizeof *(list))

static struct peal_hot_link
hottest(const char *topology, int nodes, const struct peal_transfer *transfers, size_t count)
{
    struct peal_network *network = peal_network_create(topology, nodes, NULL, NULL);
    struct peal_hot_link link;

    cr_assert_not_null(network);
    cr_assert_eq(
        peal_hottest_link(&(struct peal_pricing){network, PEAL_IDEAL, PEAL_COUNT}, transfers, count, &link, NULL),
        PEAL_OK);
    peal_network_destroy(network);
    return link;
}

/* ------------------------------------------------------------------ the hottest link */

Test(hottest_link, is_the_one_that_most_transfers_share, .timeout = 10)
{
    /* on the line, 3 → 4 carries the last three, 0 → 1 the largest alone */
    const struct peal_transfer transfers[] = {
        {.from = 0, .to = 1, .words = 100},
        {.from = 1, .to = 5, .words = 2},
        {.from = 2, .to = 4, .words = 3},
        {.from = 3, .to = 6, .words = 4},
    };
    struct peal_hot_link link = hottest("line", 8, transfers, COUNT(transfers));

    cr_expect_eq(link.from, 3);
    cr_expect_eq(link.to, 4);
    cr_expect_eq(link.transfers, 3);
    cr_expect_eq(link.words, 9);
}

Test(hottest_link, distinguishes_directions, .timeout = 10)
{
    const struct peal_transfer transfers[] = {{.from = 3, .to = 0, .words = 5}, {.from = 0, .to = 3, .words = 6}};
    struct peal_hot_link link = hottest("line", 4, transfers, COUNT(transfers));

    cr_expect_eq(link.transfers, 1);
    cr_expect_eq(link.words, 6);
    cr_expect_eq(link.from, 0);
    cr_expect_eq(link.to, 1);
}

Test(hottest_link, is_of_equals_the_one_with_most_words_then_the_first_met, .timeout = 10)
{
    const struct peal_transfer more_words[] = {{.from = 0, .to = 1, .words = 5}, {.from = 2, .to = 3, .words = 6}};
    const struct peal_transfer equal[] = {{.from = 2, .to = 0, .words = 5}, {.from = 0, .to = 2, .words = 5}};
    struct peal_hot_link link = hottest("line", 4, more_words, COUNT(more_words));

    cr_expect_eq(link.from, 2);
    link = hottest("line", 4, equal, COUNT(equal));
    cr_expect_eq(link.from, 2);
    cr_expect_eq(link.to, 1);
}

Test(hottest_link, is_none_when_no_link_is_used, .timeout = 10)
{
    const struct peal_transfer self = {.from = 2, .to = 2, .words = 9};

    cr_expect_eq(hottest("ring", 4, &self, 1).transfers, 0);
    cr_expect_eq(hottest("ring", 4, NULL, 0).transfers, 0);
    cr_expect_eq(hottest("full", 1, NULL, 0).transfers, 0);
}

Test(hottest_link, agrees_with_k_when_links_are_many, .timeout = 20)
{
    enum { P = 1024 };
    static struct peal_transfer transfers[P];
    struct peal_round round = {.first = 0, .count = P};
    struct peal_schedule schedule = {1, P, &(uint32_t){0}, 1, P, &round, transfers};
    struct peal_network *network = peal_network_create("torus:32x32", P, NULL, NULL);
    struct peal_cost total;
    struct peal_hot_link link;
    uint32_t k = 0;

    for (int i = 0; i < P; i++)
        transfers[i] = (struct peal_transfer){.from = i, .to = (i * 37 + 5) % P, .words = 3};
    cr_assert_eq(peal_price(&(struct peal_pricing){.network = network}, &schedule, &total, NULL), PEAL_OK);
    for (int i = 0; i < P; i++)
        k = transfers[i].k > k ? transfers[i].k : k;
    cr_assert_eq(peal_hottest_link(&(struct peal_pricing){network, PEAL_IDEAL, PEAL_COUNT}, transfers, P, &link, NULL),
                 PEAL_OK);
    cr_expect_gt(k, 1);
    cr_expect_eq(link.transfers, k);
    cr_expect_eq(link.words, 3 * k);
    peal_network_destroy(network);
}

/* Whatever the routes, the link that most transfers share is shared by as many as the largest k says. */
Test(hottest_link, follows_the_routes_that_best_has_chosen, .timeout = 20)
{
    static const char *const topologies[] = {"mesh", "torus", "hypercube"};
    enum { P = 64, MAX = 40 };
    uint64_t seed = 7;

    for (int round = 0; round < 60; round++) {
        struct peal_transfer transfers[MAX];
        size_t count = round % 2 ? 6 : MAX;
        struct peal_network *network = peal_network_create(topologies[round % 3], P, "best", NULL);
        struct peal_pricing pricing = {network, round % 4 ? PEAL_IDEAL : PEAL_STORE_FORWARD, PEAL_COUNT};
        struct peal_round only = {.count = count};
        struct peal_schedule schedule = {1, count, &(uint32_t){0}, 1, count, &only, transfers};
        struct peal_cost cost;
        struct peal_hot_link link;
        uint32_t k = 0;

        for (size_t i = 0; i < count; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            transfers[i] = (struct peal_transfer){
                .words = 1 + seed % 5, .from = (int)(seed >> 20) & (P / 4 - 1), .to = (int)(seed >> 40) & (P - 1)};
        }
        cr_assert_eq(peal_price(&pricing, &schedule, &cost, NULL), PEAL_OK);
        cr_assert_eq(peal_hottest_link(&pricing, transfers, count, &link, NULL), PEAL_OK);
        for (size_t i = 0; i < count; i++)
            k = transfers[i].hops && transfers[i].k > k ? transfers[i].k : k;
        cr_expect_eq(link.transfers, k, "round %d: %llu, not %u", round, (unsigned long long)link.transfers, k);
        peal_network_destroy(network);
    }
}

/* ------------------------------------------------------------------ the routes of a round */

/* The routes that a visitor got, as text, "0-1-2 3-4 ". */
struct visited {
    char text[200];
    size_t calls;
};

static void
tell(void *context, size_t transfer, const int *path, int hops)
{
    struct visited *visited = context;

    cr_expect_eq(transfer, visited->calls++);
    for (int i = 0; i <= hops; i++)
        sprintf(visited->text + strlen(visited->text), "%d%c", path[i], i < hops ? '-' : ' ');
}

static struct visited
routes_of(const char *topology, int nodes, const char *routing, const struct peal_transfer *transfers, size_t count)
{
    struct peal_network *network = peal_network_create(topology, nodes, routing, NULL);
    struct visited visited = {{0}, 0};

    cr_assert_not_null(network);
    cr_expect_eq(peal_round_routes(&(struct peal_pricing){network, PEAL_IDEAL, PEAL_COUNT}, transfers, count, tell,
                                   &visited, NULL),
                 PEAL_OK);
    peal_network_destroy(network);
    return visited;
}

Test(round_routes, are_visited_in_order_with_their_ends, .timeout = 10)
{
    const struct peal_transfer transfers[] = {{.from = 0, .to = 8}, {.from = 4, .to = 4}, {.from = 8, .to = 6}};

    cr_expect_str_eq(routes_of("mesh:3x3", 9, NULL, transfers, 3).text, "0-1-2-5-8 4 8-7-6 ");
    cr_expect_str_eq(routes_of("full", 9, NULL, transfers, 3).text, "0-8 4 8-6 ");
    cr_expect_eq(routes_of("ring", 9, NULL, NULL, 0).calls, 0);
}

Test(round_routes, are_those_that_best_chose_together, .timeout = 10)
{
    /* by rows both would share 0 → 1 */
    const struct peal_transfer transfers[] = {{.from = 0, .to = 4, .words = 1}, {.from = 0, .to = 1, .words = 1}};

    cr_expect_str_eq(routes_of("mesh:3x3", 9, "xy", transfers, 2).text, "0-1-4 0-1 ");
    cr_expect_str_eq(routes_of("mesh:3x3", 9, "best", transfers, 2).text, "0-3-4 0-1 ");
}

/* ------------------------------------------------------------------ where the time went */

/* Two rounds on a line of eight, then one of computing alone. */
static struct peal_breakdown
broken_down(enum peal_switching switching, enum peal_congestion congestion, struct peal_cost *total)
{
    struct peal_transfer transfers[] = {
        {.from = 0, .to = 4, .words = 10},
        {.from = 3, .to = 5, .words = 4},
        {.from = 6, .to = 6, .words = 3},
        {.from = 0, .to = 1, .words = 7},
    };
    struct peal_round rounds[] = {
        {.first = 0, .count = 3, .charge = {.tau = 2}}, {.first = 3, .count = 1}, {.first = 4, .charge = {.tau = 11}}};
    uint32_t order[] = {0, 1, 2};
    struct peal_schedule schedule = {COUNT(rounds),    COUNT(transfers), order,    COUNT(rounds),
                                     COUNT(transfers), rounds,           transfers};
    struct peal_network *network = peal_network_create("line", 8, NULL, NULL);
    struct peal_pricing pricing = {network, switching, congestion};

    cr_assert_eq(peal_price(&pricing, &schedule, total, NULL), PEAL_OK);
    peal_network_destroy(network);
    return peal_where_time_went(&schedule, switching);
}

static void
expect_sum(struct peal_breakdown b, struct peal_cost total)
{
    cr_expect_eq(b.startups, total.alpha);
    cr_expect_eq(b.volume + b.longer_routes + b.congestion, total.beta);
    cr_expect_eq(b.distance, total.hop);
    cr_expect_eq(b.compute, total.tau);
    cr_expect(b.volume >= 0 && b.longer_routes >= 0 && b.congestion >= 0);
}

Test(breakdown, of_ideal_switching_separates_volume_from_congestion, .timeout = 10)
{
    struct peal_cost total;
    struct peal_breakdown b = broken_down(PEAL_IDEAL, PEAL_COUNT, &total);

    expect_sum(b, total);
    cr_expect_eq(b.startups, 2);
    cr_expect_eq(b.volume, 10 + 7);
    cr_expect_eq(b.congestion, 10, "3 → 4 is shared: 10·2 instead of 10");
    cr_expect_eq(b.longer_routes, 0);
    cr_expect_eq(b.distance, 0);
    cr_expect_eq(b.compute, 13);
    b = broken_down(PEAL_IDEAL, PEAL_VOLUME, &total);
    expect_sum(b, total);
    cr_expect_eq(b.congestion, 4, "3 → 4 carries 14 words instead of 10");
}

Test(breakdown, of_wormhole_switching_adds_the_distance, .timeout = 10)
{
    struct peal_cost total;
    struct peal_breakdown b = broken_down(PEAL_WORMHOLE, PEAL_COUNT, &total);

    expect_sum(b, total);
    cr_expect_eq(b.distance, 4 + 1);
    cr_expect_eq(b.congestion, 10);
}

Test(breakdown, of_store_forward_separates_longer_routes_from_congestion, .timeout = 10)
{
    struct peal_cost total;
    struct peal_breakdown b = broken_down(PEAL_STORE_FORWARD, PEAL_COUNT, &total);

    expect_sum(b, total);
    cr_expect_eq(b.volume, 10 + 7);
    cr_expect_eq(b.longer_routes, 30, "10 words over 4 hops instead of 1");
    cr_expect_eq(b.congestion, 10, "one of the 4 links is shared by two");
    cr_expect_eq(b.distance, 0);
}

Test(breakdown, of_an_empty_run_is_zero, .timeout = 10)
{
    struct peal_breakdown b = peal_where_time_went(&(struct peal_schedule){0}, PEAL_IDEAL);

    expect_sum(b, (struct peal_cost){0});
}

Test(breakdown, of_costs_too_large_to_count_is_too_large_to_count, .timeout = 10)
{
    struct peal_transfer transfers[] = {
        {.from = 0, .to = 3, .words = UINT64_MAX, .hops = 3, .k = 1},
        {.from = 0, .to = 3, .words = (uint64_t)1 << 62, .hops = 3, .k = 1},
    };
    struct peal_round rounds[] = {
        {.charge = {1, INT64_MAX - 1, 0, 0}, .first = 0, .count = 1},
        {.charge = {1, INT64_MAX - 1, 0, INT64_MAX - 1}, .first = 1, .count = 1},
    };
    uint32_t order[] = {0, 1, 2};
    struct peal_schedule schedule = {COUNT(rounds),    COUNT(transfers), order,    COUNT(rounds),
                                     COUNT(transfers), rounds,           transfers};
    struct peal_breakdown b = peal_where_time_went(&schedule, PEAL_STORE_FORWARD);

    cr_expect_eq(b.startups, 2);
    cr_expect_eq(b.volume, INT64_MAX);
    cr_expect_eq(b.compute, INT64_MAX - 1);
    cr_expect_eq(hottest("line", 4, transfers, COUNT(transfers)).words, UINT64_MAX);
}
