/* SPDX-License-Identifier: MIT */
/* Charges against a plain computation from design.md's table, over random rounds on every kind of network. */
#include "lib/cost/charge.h"
#include "lib/cost/places_load.h"
#include "lib/network/network.h"
#include <criterion/criterion.h>
#include <limits.h>
#include <peal/network.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 64, MAX_TRANSFERS = 400 }; /* switches are nodes here */

static const struct {
    const char *spec;
    int nodes;
} networks[] = {{"full", 1},          {"full", 8},        {"line", 1},
                {"line", 8},          {"ring", 2},        {"ring", 9},
                {"mesh:3x3", 9},      {"mesh:2x3x4", 24}, {"torus:1x1", 1},
                {"torus:4x4x2", 32},  {"torus:5x7", 35},  {"hypercube", 1},
                {"hypercube", 8},     {"hypercube", 64},  {"star", 9},
                {"tree:3x3", 13},     {"fattree:4", 16},  {"dragonfly:2x2x1", 12},
                {"debruijn:2x5", 32}, {"butterfly:2", 12}};

/* ------------------------------------------------------------------ the plain computation */

static uint64_t load_transfers[MAX_NODES][MAX_NODES], load_words[MAX_NODES][MAX_NODES];

static struct peal_cost
plain_charge(const struct peal_pricing *pricing, struct peal_transfer *transfers, size_t count)
{
    struct peal_cost charge = {0};
    int path[MAX_NODES];

    memset(load_transfers, 0, sizeof load_transfers);
    memset(load_words, 0, sizeof load_words);
    for (size_t i = 0; i < count; i++) {
        int hops = peal_network_path(pricing->network, transfers[i].from, transfers[i].to, path);

        for (int hop = 0; hop < hops; hop++) {
            load_transfers[path[hop]][path[hop + 1]]++;
            load_words[path[hop]][path[hop + 1]] += transfers[i].words;
        }
    }
    for (size_t i = 0; i < count; i++) {
        int hops = peal_network_path(pricing->network, transfers[i].from, transfers[i].to, path);
        uint64_t n = transfers[i].words, k = 1, k_sum = 0, volume = n, volume_sum = 0, beta = 0;

        for (int hop = 0; hop < hops; hop++) {
            uint64_t on_link = load_transfers[path[hop]][path[hop + 1]], words = load_words[path[hop]][path[hop + 1]];

            k = on_link > k ? on_link : k;
            k_sum += on_link;
            volume = words > volume ? words : volume;
            volume_sum += words;
        }
        switch (pricing->switching) {
        case PEAL_WORMHOLE:
            charge.hop = hops > charge.hop ? hops : charge.hop;
            __attribute__((fallthrough));
        case PEAL_IDEAL:
            beta = pricing->congestion == PEAL_COUNT ? n * k : volume;
            break;
        case PEAL_STORE_FORWARD:
            beta = pricing->congestion == PEAL_COUNT ? n * k_sum : volume_sum;
            break;
        }
        charge.alpha = 1;
        charge.beta = (int64_t)beta > charge.beta ? (int64_t)beta : charge.beta;
        transfers[i].hops = (uint32_t)hops;
        transfers[i].k = (uint32_t)k;
    }
    return charge;
}

/* ------------------------------------------------------------------ helpers */

static uint64_t state = 20;

static int
chance(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

/* Transfers with messages to oneself, without words, and many that go the same way. */
static size_t
random_round(int nodes, struct peal_transfer *transfers)
{
    size_t count = (size_t)chance(chance(4) ? nodes + 2 : MAX_TRANSFERS + 1);
    bool one_sends_once = chance(2);

    for (size_t i = 0; i < count; i++)
        transfers[i] = (struct peal_transfer){
            .words = chance(5) ? (uint64_t)chance(1000) : 0,
            .from = one_sends_once ? (int)i % nodes : chance(nodes),
            .to = chance(nodes),
        };
    return one_sends_once && count > (size_t)nodes ? (size_t)nodes : count;
}

/* Charge transfers that are given as {words, from, to}. */
static struct peal_cost
charge_on(const char *spec, int nodes, const char *routing, enum peal_switching switching,
          enum peal_congestion congestion, struct peal_transfer *transfers, size_t count)
{
    struct peal_network *network = peal_network_create(spec, nodes, routing, NULL);
    struct peal_pricing pricing = {network, switching, congestion};
    struct charger charger;
    struct peal_cost charge;

    cr_assert(network);
    cr_assert_eq(charger_init(&charger, &pricing, NULL), PEAL_OK);
    cr_assert(charge_round(&charger, transfers, count, &charge));
    charger_fini(&charger);
    peal_network_destroy(network);
    return charge;
}

static void
expect_cost(struct peal_cost cost, int64_t alpha, int64_t beta, int64_t hop)
{
    char text[100], expected[100];

    cr_expect_str_eq(peal_cost_text(cost, text, sizeof text),
                     peal_cost_text((struct peal_cost){alpha, beta, hop, 0}, expected, sizeof expected));
}

/* ------------------------------------------------------------------ against the plain computation, hop by hop */

static const struct {
    const char *spec;
    int nodes;
    const char *routing;
} grids[] = {{"line:200", 200, NULL},         {"ring:301", 301, NULL},      {"ring:300", 300, NULL},
             {"mesh:150x3", 450, NULL},       {"mesh:150x3", 450, "yx"},    {"mesh:7x5x40", 1400, NULL},
             {"torus:90x101", 9090, NULL},    {"torus:90x101", 9090, "yx"}, {"torus:2x200", 400, NULL},
             {"torus:60x2x50", 6000, NULL},   {"torus:1x150", 150, NULL},   {"torus:50x100", 5000, "shortest"},
             {"torus:40x40x40", 64000, NULL}, {"mesh:1x1x300", 300, NULL}};

enum { MAX_LINKS = 400000, MAX_HOPS = 310, MANY_TRANSFERS = 3000 };

/* The charge of the table, from the loads of the links that the routes name. */
static struct peal_cost
charge_by_links(const struct peal_pricing *pricing, struct peal_transfer *transfers, size_t count)
{
    static uint64_t on_link[MAX_LINKS], words[MAX_LINKS];
    uint32_t links[MAX_HOPS];
    struct peal_cost charge = {0};

    cr_assert_leq(pricing->network->link_limit, MAX_LINKS);
    cr_assert_leq(pricing->network->diameter, MAX_HOPS);
    memset(on_link, 0, sizeof on_link);
    memset(words, 0, sizeof words);
    for (size_t i = 0; i < count; i++) {
        int hops = network_own_route(pricing->network, transfers[i].from, transfers[i].to, links);

        for (int hop = 0; hop < hops; hop++) {
            on_link[links[hop]]++;
            words[links[hop]] += transfers[i].words;
        }
    }
    for (size_t i = 0; i < count; i++) {
        int hops = network_own_route(pricing->network, transfers[i].from, transfers[i].to, links);
        bool forwarded = pricing->switching == PEAL_STORE_FORWARD, volume = pricing->congestion == PEAL_VOLUME;
        uint64_t n = transfers[i].words, k = 1, k_sum = 0, most = 0, words_sum = 0;

        for (int hop = 0; hop < hops; hop++) {
            k = on_link[links[hop]] > k ? on_link[links[hop]] : k;
            k_sum += on_link[links[hop]];
            most = words[links[hop]] > most ? words[links[hop]] : most;
            words_sum += words[links[hop]];
        }
        uint64_t beta = hops == 0 ? (forwarded ? 0 : n)
                        : volume  ? (forwarded ? words_sum : most)
                                  : n * (forwarded ? k_sum : k);

        charge.alpha = 1;
        charge.beta = (int64_t)beta > charge.beta ? (int64_t)beta : charge.beta;
        if (pricing->switching == PEAL_WORMHOLE && hops > charge.hop)
            charge.hop = hops;
        transfers[i].hops = (uint32_t)hops;
        transfers[i].k = (uint32_t)k;
    }
    return charge;
}

/* Transfers of which most go far; some to neighbours, to oneself, without words, or to a crowded node. */
static size_t
long_round(int nodes, struct peal_transfer *transfers)
{
    size_t count = (size_t)chance(MANY_TRANSFERS) + 1;
    int shift = chance(nodes), crowded = chance(nodes), kind = chance(4);

    for (size_t i = 0; i < count; i++) {
        int from = chance(nodes);

        transfers[i] = (struct peal_transfer){
            .words = chance(5) ? (uint64_t)chance(1000) : 0,
            .from = from,
            .to = kind == 0                     ? (from + shift) % nodes
                  : kind == 1 && chance(3) == 0 ? crowded
                  : kind == 2 && chance(4) == 0 ? (from + chance(3)) % nodes
                                                : chance(nodes),
        };
    }
    return count;
}

Test(charge, long_routes_cost_the_sum_over_their_links, .timeout = 120)
{
    static struct peal_transfer transfers[MANY_TRANSFERS + 1], plain[MANY_TRANSFERS + 1];
    int by_stretches = 0, rounds = 0;

    for (size_t n = 0; n < sizeof grids / sizeof *grids; n++)
        for (int rule = 0; rule < 6; rule++) {
            struct peal_network *network = peal_network_create(grids[n].spec, grids[n].nodes, grids[n].routing, NULL);
            struct peal_pricing pricing = {network, rule % 3, rule / 3};
            struct charger charger;

            cr_assert(network);
            cr_assert_eq(charger_init(&charger, &pricing, NULL), PEAL_OK);
            for (int round = 0; round < 12; round++) {
                size_t count = long_round(grids[n].nodes, transfers), hops = 0;
                struct peal_cost charge, expected;

                memcpy(plain, transfers, sizeof plain);
                expected = charge_by_links(&pricing, plain, count);
                cr_assert(charge_round(&charger, transfers, count, &charge));
                cr_assert(peal_cost_equal(charge, expected), "%s %s, rule %d, round %d: %d + %d + %d, not %d + %d + %d",
                          grids[n].spec, peal_network_routing(network), rule, round, (int)charge.alpha,
                          (int)charge.beta, (int)charge.hop, (int)expected.alpha, (int)expected.beta,
                          (int)expected.hop);
                for (size_t i = 0; i < count; i++) {
                    hops += plain[i].hops;
                    cr_assert(transfers[i].hops == plain[i].hops && transfers[i].k == plain[i].k,
                              "%s, rule %d, round %d: transfer %d from %d to %d has %u hops and k = %u, not %u and %u",
                              grids[n].spec, rule, round, (int)i, plain[i].from, plain[i].to, transfers[i].hops,
                              transfers[i].k, plain[i].hops, plain[i].k);
                }
                by_stretches += lines_pay(network, count, hops);
                rounds++;
            }
            charger_fini(&charger);
            peal_network_destroy(network);
        }
    cr_expect(by_stretches > rounds / 2 && by_stretches < rounds, "%d of %d rounds were charged by stretches",
              by_stretches, rounds);
}

Test(charge, words_beyond_63_bits_on_long_routes_are_charged_as_the_largest_number, .timeout = 60)
{
    static struct peal_transfer transfers[200];

    for (int i = 0; i < 200; i++)
        transfers[i] = (struct peal_transfer){.words = UINT64_C(1) << 60, .from = 0, .to = 199};
    expect_cost(charge_on("line", 200, NULL, PEAL_IDEAL, PEAL_VOLUME, transfers, 200), 1, INT64_MAX, 0);
    cr_expect_eq(transfers[7].k, 200);
    expect_cost(charge_on("line", 200, NULL, PEAL_STORE_FORWARD, PEAL_COUNT, transfers, 200), 1, INT64_MAX, 0);
    transfers[0].words = 3;
    expect_cost(charge_on("line", 200, NULL, PEAL_IDEAL, PEAL_COUNT, transfers, 1), 1, 3, 0);
}

/* ------------------------------------------------------------------ against the plain computation */

Test(charge, random_rounds_cost_as_the_table_says, .timeout = 60)
{
    static struct peal_transfer transfers[MAX_TRANSFERS], plain[MAX_TRANSFERS];

    for (size_t n = 0; n < sizeof networks / sizeof *networks; n++)
        for (int rule = 0; rule < 6; rule++) {
            struct peal_network *network = peal_network_create(networks[n].spec, networks[n].nodes, NULL, NULL);
            struct peal_pricing pricing = {network, rule % 3, rule / 3};
            struct charger charger;

            cr_assert(network);
            cr_assert_eq(charger_init(&charger, &pricing, NULL), PEAL_OK);
            for (int round = 0; round < 120; round++) {
                size_t count = random_round(networks[n].nodes, transfers);
                struct peal_cost charge, expected;

                memcpy(plain, transfers, sizeof plain);
                expected = plain_charge(&pricing, plain, count);
                cr_assert(charge_round(&charger, transfers, count, &charge));
                cr_assert(peal_cost_equal(charge, expected), "%s %s %s, round %d: %d + %d + %d, not %d + %d + %d",
                          peal_network_name(network), peal_switching_name(pricing.switching),
                          peal_congestion_name(pricing.congestion), round, (int)charge.alpha, (int)charge.beta,
                          (int)charge.hop, (int)expected.alpha, (int)expected.beta, (int)expected.hop);
                for (size_t i = 0; i < count; i++)
                    cr_assert(transfers[i].hops == plain[i].hops && transfers[i].k == plain[i].k,
                              "%s, round %d, transfer %zu: %u hops, k = %u, not %u and %u", networks[n].spec, round, i,
                              transfers[i].hops, transfers[i].k, plain[i].hops, plain[i].k);
            }
            charger_fini(&charger);
            peal_network_destroy(network);
        }
}

Test(charge, rounds_too_long_to_keep_their_routes_cost_the_same, .timeout = 60)
{
    enum { NODES = 30001, COUNT = 300 }; /* a total of 4.5 million hops, on routes that are not stretches */
    struct peal_transfer *transfers = calloc(COUNT, sizeof *transfers);

    for (int rule = 0; rule < 2; rule++) {
        struct peal_cost charge;

        /* i -> i + 15000: the link upwards from l is on the routes of the transfers i with i <= l < i + 15000. */
        for (int i = 0; i < COUNT; i++)
            transfers[i] = (struct peal_transfer){.words = 2, .from = i, .to = i + 15000};
        charge = charge_on("mesh:1x30001", NODES, "shortest", PEAL_STORE_FORWARD, rule, transfers, COUNT);
        for (int i = 0; i < COUNT; i++)
            cr_assert(transfers[i].k == COUNT && transfers[i].hops == 15000);
        /* The first one's route: 1, 2, .. COUNT transfers on its first links, COUNT on the rest; as much at the end
         * of the last one's.  Others lack a part of the rise but have as much of the fall. */
        uint64_t most = 0;

        for (int i = 0; i < COUNT; i++) {
            uint64_t shared = 0;

            for (int link = i; link < i + 15000; link++) {
                int first = link - 15000 + 1 > 0 ? link - 15000 + 1 : 0, last = link < COUNT - 1 ? link : COUNT - 1;

                shared += (uint64_t)(last - first + 1);
            }
            most = shared > most ? shared : most;
        }
        expect_cost(charge, 1, (int64_t)(2 * most), 0);
    }
    free(transfers);
}

Test(charge, nothing_is_left_over_for_the_next_round, .timeout = 10)
{
    struct peal_network *network = peal_network_create("line", 8, NULL, NULL);
    struct peal_pricing pricing = {network, PEAL_IDEAL, PEAL_VOLUME};
    struct charger charger;

    cr_assert_eq(charger_init(&charger, &pricing, NULL), PEAL_OK);
    for (int round = 0; round < 3; round++) {
        struct peal_transfer one = {.words = 5, .from = 0, .to = 7};
        struct peal_cost charge = {9, 9, 9, 9};

        cr_assert(charge_round(&charger, &one, 1, &charge));
        expect_cost(charge, 1, 5, 0);
        cr_expect_eq(one.k, 1);
        cr_assert(charge_round(&charger, &one, 0, &charge));
        expect_cost(charge, 0, 0, 0);
    }
    charger_fini(&charger);
    peal_network_destroy(network);
}

/* ------------------------------------------------------------------ the lecture's scenarios */

enum { N = 100 };

Test(charge, messages_on_separate_parts_of_a_line_do_not_share, .timeout = 5)
{
    struct peal_transfer transfers[] = {{N, 0, 2, 0, 0, {0}}, {N, 6, 3, 0, 0, {0}}};

    expect_cost(charge_on("line", 8, NULL, PEAL_IDEAL, PEAL_COUNT, transfers, 2), 1, N, 0);
}

Test(charge, messages_in_opposite_directions_do_not_share, .timeout = 5)
{
    struct peal_transfer transfers[] = {{N, 1, 6, 0, 0, {0}}, {N, 7, 4, 0, 0, {0}}};

    expect_cost(charge_on("line", 8, NULL, PEAL_IDEAL, PEAL_COUNT, transfers, 2), 1, N, 0);
    cr_expect(transfers[0].k == 1 && transfers[1].k == 1);
    cr_expect(transfers[0].hops == 5 && transfers[1].hops == 3);
}

Test(charge, messages_over_the_same_links_double_the_word_time, .timeout = 5)
{
    struct peal_transfer transfers[] = {{N, 1, 6, 0, 0, {0}}, {N, 4, 7, 0, 0, {0}}};

    expect_cost(charge_on("line", 8, NULL, PEAL_IDEAL, PEAL_COUNT, transfers, 2), 1, 2 * N, 0);
    cr_expect(transfers[0].k == 2 && transfers[1].k == 2);
    expect_cost(charge_on("line", 8, NULL, PEAL_WORMHOLE, PEAL_COUNT, transfers, 2), 1, 2 * N, 5);
    /* 1 -> 6 has links of 1, 1, 1, 2, 2; 4 -> 7 of 2, 2, 1 */
    expect_cost(charge_on("line", 8, NULL, PEAL_STORE_FORWARD, PEAL_COUNT, transfers, 2), 1, 7 * N, 0);
}

Test(charge, neither_dimension_order_makes_the_mesh_messages_share, .timeout = 5)
{
    struct peal_transfer transfers[] = {{N, 0, 8, 0, 0, {0}}, {N, 4, 6, 0, 0, {0}}};

    expect_cost(charge_on("mesh:3x3", 9, "xy", PEAL_IDEAL, PEAL_COUNT, transfers, 2), 1, N, 0);
    expect_cost(charge_on("mesh:3x3", 9, "yx", PEAL_IDEAL, PEAL_COUNT, transfers, 2), 1, N, 0);
}

/* ------------------------------------------------------------------ the corners of the rules */

Test(charge, a_message_to_oneself_takes_its_words_but_no_link, .timeout = 5)
{
    static const char *const specs[] = {"full", "line", "hypercube"};

    for (size_t i = 0; i < 3; i++) {
        struct peal_transfer own[] = {{N, 3, 3, 7, 7, {0}}};

        expect_cost(charge_on(specs[i], 4, NULL, PEAL_IDEAL, PEAL_COUNT, own, 1), 1, N, 0);
        expect_cost(charge_on(specs[i], 4, NULL, PEAL_IDEAL, PEAL_VOLUME, own, 1), 1, N, 0);
        expect_cost(charge_on(specs[i], 4, NULL, PEAL_WORMHOLE, PEAL_COUNT, own, 1), 1, N, 0);
        expect_cost(charge_on(specs[i], 4, NULL, PEAL_STORE_FORWARD, PEAL_COUNT, own, 1), 1, 0, 0);
        expect_cost(charge_on(specs[i], 4, NULL, PEAL_STORE_FORWARD, PEAL_VOLUME, own, 1), 1, 0, 0);
        cr_expect(own[0].hops == 0 && own[0].k == 1);
    }
}

Test(charge, a_transfer_of_no_words_counts_in_k, .timeout = 5)
{
    struct peal_transfer transfers[] = {{0, 0, 3, 0, 0, {0}}, {N, 1, 2, 0, 0, {0}}};

    expect_cost(charge_on("line", 4, NULL, PEAL_IDEAL, PEAL_COUNT, transfers, 2), 1, 2 * N, 0);
    expect_cost(charge_on("line", 4, NULL, PEAL_IDEAL, PEAL_VOLUME, transfers, 2), 1, N, 0);
    expect_cost(charge_on("line", 4, NULL, PEAL_WORMHOLE, PEAL_COUNT, transfers, 1), 1, 0, 3);
}

Test(charge, volume_counts_words_where_count_takes_the_longest_for_all, .timeout = 5)
{
    struct peal_transfer transfers[] = {{10, 0, 3, 0, 0, {0}}, {3, 1, 2, 0, 0, {0}}};

    expect_cost(charge_on("line", 4, NULL, PEAL_IDEAL, PEAL_COUNT, transfers, 2), 1, 20, 0);
    expect_cost(charge_on("line", 4, NULL, PEAL_IDEAL, PEAL_VOLUME, transfers, 2), 1, 13, 0);
    expect_cost(charge_on("line", 4, NULL, PEAL_STORE_FORWARD, PEAL_COUNT, transfers, 2), 1, 40, 0);
    expect_cost(charge_on("line", 4, NULL, PEAL_STORE_FORWARD, PEAL_VOLUME, transfers, 2), 1, 33, 0);
}

Test(charge, two_messages_from_one_node_to_another_share_a_full_network_s_link, .timeout = 5)
{
    struct peal_transfer transfers[] = {
        {10, 0, 1, 0, 0, {0}}, {4, 0, 1, 0, 0, {0}}, {7, 0, 2, 0, 0, {0}}, {9, 1, 0, 0, 0, {0}}};

    expect_cost(charge_on("full", 3, NULL, PEAL_IDEAL, PEAL_COUNT, transfers, 4), 1, 20, 0);
    cr_expect(transfers[0].k == 2 && transfers[1].k == 2 && transfers[2].k == 1 && transfers[3].k == 1);
    expect_cost(charge_on("full", 3, NULL, PEAL_IDEAL, PEAL_VOLUME, transfers, 4), 1, 14, 0);
    expect_cost(charge_on("full", 3, NULL, PEAL_STORE_FORWARD, PEAL_VOLUME, transfers, 4), 1, 14, 0);
}

Test(charge, an_overflow_is_charged_as_the_largest_number, .timeout = 5)
{
    struct peal_transfer transfers[] = {{UINT64_MAX, 0, 1, 0, 0, {0}}, {UINT64_MAX, 0, 1, 0, 0, {0}}};

    for (int rule = 0; rule < 6; rule++) {
        expect_cost(charge_on("line", 2, NULL, rule % 3, rule / 3, transfers, 2), 1, INT64_MAX,
                    rule % 3 == PEAL_WORMHOLE);
        expect_cost(charge_on("full", 2, NULL, rule % 3, rule / 3, transfers, 2), 1, INT64_MAX,
                    rule % 3 == PEAL_WORMHOLE);
    }
}

/* The charge of the first transfer as the only one of its round, and by charge_alone. */
static void
expect_alone(const char *spec, const char *routing, int rule, struct peal_transfer *one)
{
    struct peal_network *network = peal_network_create(spec, 8, routing, NULL);
    struct peal_pricing pricing = {network, rule % 3, rule / 3};
    struct charger charger;
    struct peal_cost charge;

    cr_assert_eq(charger_init(&charger, &pricing, NULL), PEAL_OK);
    cr_assert(charge_round(&charger, one, 1, &charge));
    cr_expect(peal_cost_equal(charge, charge_alone(&charger, one, 0)), "%s, rule %d, %d -> %d", spec, rule, one->from,
              one->to);
    charger_fini(&charger);
    peal_network_destroy(network);
}

Test(charge, a_transfer_alone_has_the_charge_of_a_round_of_it, .timeout = 5)
{
    for (int rule = 0; rule < 6; rule++)
        for (int to = 0; to < 8; to++) {
            struct peal_transfer one = {.words = 7, .from = 2, .to = to};

            expect_alone("line", NULL, rule, &one);
            expect_alone("dgx1", NULL, rule, &one);
            expect_alone("dgx1", "best", rule, &one);
        }
}

/* In dgx1 the link 0 -> 1 has capacity 2, 0 -> 2 has 1, and 0 -> 5 goes by 1, whose link to 5 has 1. */
Test(charge, a_link_of_capacity_c_is_c_wires, .timeout = 5)
{
    static const struct {
        int switching, congestion;
        int64_t beta;
        uint32_t k[4];
    } table[] = {
        {PEAL_IDEAL, PEAL_COUNT, 20, {2, 2, 1, 2}},         /* 3 on 0 -> 1: k = 2; 10·2 */
        {PEAL_IDEAL, PEAL_VOLUME, 11, {2, 2, 1, 2}},        /* 10 + 7 + 4 = 21 on 0 -> 1: ⌈21/2⌉ */
        {PEAL_STORE_FORWARD, PEAL_COUNT, 20, {2, 2, 1, 2}}, /* 0 -> 5: 4·(2 + 1) = 12; 0 -> 1: 10·2 */
        {PEAL_STORE_FORWARD, PEAL_VOLUME, 15, {2, 2, 1, 2}} /* 0 -> 5: ⌈21/2⌉ + 4 */
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_transfer transfers[] = {
            {10, 0, 1, 0, 0, {0}}, {7, 0, 1, 0, 0, {0}}, {6, 0, 2, 0, 0, {0}}, {4, 0, 5, 0, 0, {0}}};

        expect_cost(charge_on("dgx1", 8, NULL, table[i].switching, table[i].congestion, transfers, 4), 1, table[i].beta,
                    0);
        for (int j = 0; j < 4; j++)
            cr_expect_eq(transfers[j].k, table[i].k[j], "case %zu, transfer %d", i, j);
    }
}

Test(charge, a_zeroed_charger_can_be_freed, .timeout = 5)
{
    struct charger charger = {0};

    charger_fini(&charger);
    cr_expect_null(charger.scratch);
}
