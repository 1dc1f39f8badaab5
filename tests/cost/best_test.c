/* SPDX-License-Identifier: MIT */
/* Routing best compared with all choices, tried one by one: routes from a breadth-first search over the network's
 * links, charges from design.md's table. */
#include "lib/cost/best.h"
#include "lib/cost/charge.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_VERTICES = 64, MAX_ROUTES = 200, MAX_HOPS = 12, MAX_ROUND = 64, MAX_CHOICES = 20000 };

static const struct {
    const char *spec;
    int nodes;
} networks[] = {
    {"mesh:3x3", 9},     {"mesh:2x3x4", 24}, {"torus:4x4", 16},       {"torus:2x3x3", 18}, {"ring:8", 8},
    {"ring:9", 9},       {"hypercube:3", 8}, {"hypercube:4", 16},     {"fattree:4", 16},   {"star:9", 9},
    {"tree:2x4", 15},    {"line:7", 7},      {"dragonfly:3x1x2", 21}, {"full", 6},         {"debruijn:2x4", 16},
    {"butterfly:2", 12}, {"dgx1", 8},        {"dgx-a100", 8}};

enum { NETWORKS = sizeof networks / sizeof *networks };

static uint64_t state = 20;

static int
chance(int below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int)((state >> 33) % (uint64_t)below);
}

/* ------------------------------------------------------------------ all minimal routes, plainly */

static struct peal_network *network;
static struct peal_pricing pricing;
static int64_t link_between[MAX_VERTICES][MAX_VERTICES]; /* -1: none */
static int hops_between[MAX_VERTICES][MAX_VERTICES];

static void
begin(const char *spec, int nodes, enum peal_switching switching, enum peal_congestion congestion)
{
    struct peal_error error = {0};

    network = peal_network_create(spec, nodes, "best", &error);
    cr_assert(network, "%s: %s", spec, error.text);
    pricing = (struct peal_pricing){network, switching, congestion};
    for (int i = 0; i < MAX_VERTICES; i++)
        for (int j = 0; j < MAX_VERTICES; j++) {
            link_between[i][j] = network->private_links && i != j && i < nodes && j < nodes ? i * nodes + j : -1;
            hops_between[i][j] = i == j ? 0 : MAX_VERTICES;
        }
    for (uint32_t link = 0; !network->private_links && link < network->link_limit; link++) {
        int from, to;

        network->topology->ends(network, link, &from, &to);
        if (from != to)
            link_between[from][to] = link;
    }
    for (int changes = 1; changes > 0;) {
        changes = 0;
        for (int i = 0; i < network->vertices; i++)
            for (int over = 0; over < network->vertices; over++)
                for (int j = 0; j < network->vertices && link_between[i][over] >= 0; j++)
                    if (hops_between[over][j] + 1 < hops_between[i][j]) {
                        hops_between[i][j] = hops_between[over][j] + 1;
                        changes++;
                    }
    }
}

static void
end(void)
{
    peal_network_destroy(network);
}

struct routes {
    int count, hops;
    int64_t link[MAX_ROUTES][MAX_HOPS];
};

/* Go on from a vertex, `hop` hops on the way, to each next vertex in rising order. */
static void
walk(struct routes *routes, int at, int to, int hop)
{
    int64_t *way = routes->link[routes->count];

    cr_assert_lt(routes->count, MAX_ROUTES - 1);
    if (at == to) {
        memcpy(routes->link[routes->count + 1], way, sizeof routes->link[0]);
        routes->count++;
        return;
    }
    for (int next = 0; next < network->vertices; next++)
        if (link_between[at][next] >= 0 && hops_between[next][to] == hops_between[at][to] - 1) {
            routes->link[routes->count][hop] = link_between[at][next];
            walk(routes, next, to, hop + 1);
        }
}

static void
list_routes(struct routes *routes, int from, int to)
{
    routes->count = 0;
    routes->hops = hops_between[from][to];
    walk(routes, from, to, 0);
}

/* ------------------------------------------------------------------ the charge of a choice, plainly */

static uint64_t
charge_of(const struct peal_transfer *transfers, int count, const int64_t *const *way, const int *hops)
{
    uint64_t most = 0;

    for (int i = 0; i < count; i++) {
        uint64_t n = transfers[i].words, k = 0, k_sum = 0, volume = 0, volume_sum = 0, charge;

        for (int a = 0; a < hops[i]; a++) {
            uint64_t sharing = 0, words = 0;

            for (int j = 0; j < count; j++)
                for (int b = 0; b < hops[j]; b++)
                    if (way[i][a] == way[j][b]) {
                        sharing++;
                        words += transfers[j].words;
                    }
            uint64_t wires = network->capacity ? network->capacity[way[i][a] / 2] : 1;

            sharing = (sharing + wires - 1) / wires;
            words = (words + wires - 1) / wires;
            k = sharing > k ? sharing : k;
            k_sum += sharing;
            volume = words > volume ? words : volume;
            volume_sum += words;
        }
        if (pricing.switching == PEAL_STORE_FORWARD)
            charge = pricing.congestion == PEAL_VOLUME ? volume_sum : n * k_sum;
        else
            charge = hops[i] == 0 ? n : pricing.congestion == PEAL_VOLUME ? volume : n * k;
        most = charge > most ? charge : most;
    }
    return most;
}

static struct peal_cost
charge_best(struct peal_transfer *transfers, int count)
{
    struct charger charger;
    struct peal_cost charge;

    cr_assert_eq(charger_init(&charger, &pricing, NULL), PEAL_OK);
    cr_assert(charge_round(&charger, transfers, (size_t)count, &charge));
    charger_fini(&charger);
    return charge;
}

static int64_t
charge_by(const char *spec, int nodes, const char *routing, struct peal_transfer *transfers, int count)
{
    struct peal_network *other = peal_network_create(spec, nodes, routing, NULL);
    struct peal_pricing by = {other, pricing.switching, pricing.congestion};
    struct charger charger;
    struct peal_cost charge;

    cr_assert(other);
    cr_assert_eq(charger_init(&charger, &by, NULL), PEAL_OK);
    cr_assert(charge_round(&charger, transfers, (size_t)count, &charge));
    charger_fini(&charger);
    peal_network_destroy(other);
    return charge.beta;
}

/* ------------------------------------------------------------------ small rounds are exact */

static struct routes routes[BEST_TRANSFERS];

/* Try all choices; the first among the cheapest into best.  Returns its charge. */
static uint64_t
try_all(const struct peal_transfer *transfers, int count, int *best)
{
    int choice[BEST_TRANSFERS] = {0}, hops[BEST_TRANSFERS], i;
    const int64_t *way[BEST_TRANSFERS];
    uint64_t least = UINT64_MAX;

    do {
        for (i = 0; i < count; i++) {
            way[i] = routes[i].link[choice[i]];
            hops[i] = routes[i].hops;
        }
        uint64_t charge = charge_of(transfers, count, way, hops);

        if (charge < least) {
            least = charge;
            memcpy(best, choice, sizeof choice);
        }
        for (i = count - 1; i >= 0 && ++choice[i] == routes[i].count; i--)
            choice[i] = 0;
    } while (i >= 0);
    return least;
}

/* A round that can be tried in full; many go the same way or end at the same node. */
static int
small_round(int nodes, struct peal_transfer *transfers)
{
    int count = 0, choices = 1, hot = chance(nodes);

    for (int tries = 0; tries < 12 && count < BEST_TRANSFERS; tries++) {
        struct peal_transfer *transfer = &transfers[count];

        *transfer = (struct peal_transfer){.words = chance(3) ? 12 : (uint64_t)chance(20),
                                           .from = chance(nodes),
                                           .to = chance(3) ? chance(nodes) : hot};
        if (count > 0 && chance(4) == 0)
            *transfer = transfers[count - 1];
        list_routes(&routes[count], transfer->from, transfer->to);
        if (choices * routes[count].count > MAX_CHOICES || routes[count].count > BEST_ROUTES)
            continue;
        choices *= routes[count++].count;
    }
    return count;
}

static void
expect_the_best(const struct peal_transfer *transfers, int count)
{
    struct best *best = best_create(&pricing);
    struct peal_transfer copy[BEST_TRANSFERS];
    int choice[BEST_TRANSFERS];
    uint64_t least = try_all(transfers, count, choice);
    const uint32_t *links;
    size_t total;

    memcpy(copy, transfers, sizeof copy);
    cr_assert(best && best_choose(best, copy, (size_t)count, &links, &total));
    for (int i = 0, at = 0; i < count; at += routes[i++].hops) {
        cr_assert_eq(copy[i].hops, (uint32_t)routes[i].hops);
        for (int hop = 0; hop < routes[i].hops; hop++)
            cr_assert_eq(links[at + hop], routes[i].link[choice[i]][hop],
                         "%s %s %s: transfer %d of %d, %d -> %d, hop %d; the least is %d", peal_network_name(network),
                         peal_switching_name(pricing.switching), peal_congestion_name(pricing.congestion), i, count,
                         transfers[i].from, transfers[i].to, hop, (int)least);
    }
    best_destroy(best);
    cr_assert_eq(charge_best(copy, count).beta, (int64_t)least);
}

#ifdef __SANITIZE_ADDRESS__ /* which takes several times as long, and finds what it finds in a few */
enum { SMALL_ROUNDS = 5 };
#else
enum { SMALL_ROUNDS = 25 };
#endif

Test(best, small_rounds_take_the_first_of_the_cheapest_choices, .timeout = 120)
{
    for (int n = 0; n < NETWORKS; n++)
        for (int rule = 0; rule < 6; rule++) {
            begin(networks[n].spec, networks[n].nodes, rule % 3, rule / 3);
            for (int round = 0; round < SMALL_ROUNDS; round++) {
                struct peal_transfer transfers[BEST_TRANSFERS];
                int count = small_round(networks[n].nodes, transfers), choice[BEST_TRANSFERS];

                if (count > 0 && network->topology->route_graph)
                    expect_the_best(transfers, count);
                else if (count > 0)
                    cr_assert_eq(charge_best(transfers, count).beta, (int64_t)try_all(transfers, count, choice), "%s",
                                 networks[n].spec);
            }
            end();
        }
}

/* Each of the 8 has 24 routes: too many choices to try, but not to search. */
Test(best, rounds_at_the_limit_are_searched_in_short_time, .timeout = 120)
{
    for (int rule = 0; rule < 6; rule++)
        for (int round = 0; round < 12; round++) {
            struct peal_transfer transfers[BEST_TRANSFERS];
            int hot = chance(16), kind = round % 4;

            begin("hypercube:4", 16, rule % 3, rule / 3);
            for (int i = 0; i < BEST_TRANSFERS; i++) {
                int from = kind == 0 ? hot : kind == 1 ? hot ^ (i & 1) : kind == 2 ? hot ^ (i & 3) : chance(16);

                transfers[i] = (struct peal_transfer){
                    .words = round % 3 ? 12 : 1 + (uint64_t)chance(9), .from = from, .to = from ^ 15};
            }
            int64_t beta = charge_best(transfers, BEST_TRANSFERS).beta;

            cr_assert_leq(beta, charge_by("hypercube:4", 16, "ecube", transfers, BEST_TRANSFERS));
            cr_assert_leq(beta, charge_by("hypercube:4", 16, "reverse", transfers, BEST_TRANSFERS));
            cr_assert_leq(beta, charge_by("hypercube:4", 16, "shortest", transfers, BEST_TRANSFERS));
            if (kind == 0 && round % 3 && rule % 3 != PEAL_STORE_FORWARD)
                cr_assert_eq(beta, 24, "two on each of the four first links");
            end();
        }
}

/* Catalogue S4: the lecture's two messages on a mesh. */
Test(best, the_best_routes_of_two_mesh_messages_do_not_meet, .timeout = 10)
{
    enum { N = 100 };
    struct peal_transfer transfers[BEST_TRANSFERS] = {{N, 0, 8, 0, 0, {0}}, {N, 4, 6, 0, 0, {0}}};
    int collide = 0;

    begin("mesh:3x3", 9, PEAL_WORMHOLE, PEAL_COUNT);
    list_routes(&routes[0], 0, 8);
    list_routes(&routes[1], 4, 6);
    cr_assert(routes[0].count == 6 && routes[1].count == 2);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 2; j++) {
            const int64_t *way[] = {routes[0].link[i], routes[1].link[j]};

            collide += charge_of(transfers, 2, way, (int[]){4, 2}) == 2 * N;
        }
    cr_expect_eq(collide, 3);
    expect_the_best(transfers, 2);
    cr_expect(peal_cost_equal(charge_best(transfers, 2), (struct peal_cost){1, N, 4, 0}));
    cr_expect(transfers[0].k == 1 && transfers[1].k == 1);
    end();
}

/* ------------------------------------------------------------------ any round */

/* Messages to oneself, without words, many that go the same way. */
static int
random_round(int nodes, struct peal_transfer *transfers)
{
    int count = chance(MAX_ROUND + 1), hot = chance(nodes);

    for (int i = 0; i < count; i++)
        transfers[i] = (struct peal_transfer){.words = chance(3) ? 12 : (uint64_t)chance(40),
                                              .from = chance(nodes),
                                              .to = chance(5) ? chance(nodes) : hot};
    return count;
}

Test(best, routes_are_minimal_and_charge_no_more_than_the_topology_s_own, .timeout = 120)
{
    for (int n = 0; n < NETWORKS; n++)
        for (int rule = 0; rule < 6; rule++) {
            begin(networks[n].spec, networks[n].nodes, rule % 3, rule / 3);
            for (int round = 0; round < 12; round++) {
                struct peal_transfer transfers[MAX_ROUND];
                int count = random_round(networks[n].nodes, transfers);
                int64_t own = charge_by(networks[n].spec, networks[n].nodes, NULL, transfers, count);
                struct best *best = network->topology->route_graph ? best_create(&pricing) : NULL;
                const uint32_t *links;
                size_t total;
                struct peal_cost charge = charge_best(transfers, count);

                cr_assert_leq(charge.beta, own, "%s rule %d, %d transfers", networks[n].spec, rule, count);
                if (!best) {
                    cr_assert_eq(charge.beta, own);
                    continue;
                }
                cr_assert(best_choose(best, transfers, (size_t)count, &links, &total));
                for (int i = 0; i < count; i++) {
                    int at = transfers[i].from, before;

                    cr_assert_eq((int)transfers[i].hops, hops_between[transfers[i].from][transfers[i].to]);
                    for (uint32_t hop = 0; hop < transfers[i].hops; hop++) {
                        int from = at;

                        network->topology->ends(network, *links++, &before, &at);
                        cr_assert_eq(before, from);
                    }
                    cr_assert_eq(at, transfers[i].to);
                }
                best_destroy(best);
            }
            end();
        }
}

Test(best, the_same_round_has_the_same_routes_after_any_other, .timeout = 60)
{
    for (int n = 0; n < NETWORKS; n++)
        for (int rule = 0; rule < 6; rule++) {
            begin(networks[n].spec, networks[n].nodes, rule % 3, rule / 3);
            struct best *used = network->topology->route_graph ? best_create(&pricing) : NULL;

            for (int round = 0; used && round < 6; round++) {
                struct peal_transfer transfers[MAX_ROUND];
                size_t count = (size_t)random_round(networks[n].nodes, transfers), totals[2];
                struct best *fresh = best_create(&pricing);
                const uint32_t *links[2];

                count = round % 2 && count > 6 ? 6 : count;
                cr_assert(best_choose(used, transfers, count, &links[0], &totals[0]));
                cr_assert(best_choose(fresh, transfers, count, &links[1], &totals[1]));
                cr_assert_eq(totals[0], totals[1]);
                if (totals[0] > 0)
                    cr_assert_arr_eq(links[0], links[1], totals[0] * sizeof *links[0], "%s rule %d round %d",
                                     networks[n].spec, rule, round);
                best_destroy(fresh);
            }
            best_destroy(used);
            end();
        }
}

Test(best, priced_again_a_schedule_takes_the_best_routes_of_every_round, .timeout = 10)
{
    struct peal_transfer transfers[] = {
        {9, 0, 8, 0, 0, {0}}, {9, 4, 6, 0, 0, {0}}, {5, 0, 2, 0, 0, {0}}, {5, 0, 2, 0, 0, {0}}};
    struct peal_round rounds[] = {{.first = 0, .count = 2}, {.first = 2, .count = 2, .charge = {.tau = 3}}};
    uint32_t order[] = {0, 1};
    struct peal_schedule schedule = {2, 4, order, 2, 4, rounds, transfers};
    struct peal_cost total;

    begin("mesh:3x3", 9, PEAL_IDEAL, PEAL_COUNT);
    cr_assert_eq(peal_price(&pricing, &schedule, &total, NULL), PEAL_OK);
    cr_expect(peal_cost_equal(total, (struct peal_cost){2, 9 + 10, 0, 3}));
    end();
}

Test(best, words_that_do_not_fit_are_charged_as_the_largest_number, .timeout = 10)
{
    for (int rule = 0; rule < 6; rule++) {
        struct peal_transfer transfers[20];

        begin("torus:4x4", 16, rule % 3, rule / 3);
        for (int count = 2; count <= 20; count += 18) {
            for (int i = 0; i < count; i++)
                transfers[i] = (struct peal_transfer){.words = UINT64_MAX, .from = 0, .to = 10};
            cr_expect_eq(charge_best(transfers, count).beta, INT64_MAX);
        }
        cr_expect_eq(charge_best(transfers, 0).alpha, 0);
        end();
    }
}

/* ------------------------------------------------------------------ large rounds */

static double
seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

Test(best, large_rounds_are_routed_quickly_and_better_than_by_default, .timeout = 120)
{
    static const char *const specs[] = {"torus:32x32", "hypercube:10", "mesh:32x32"};
    enum { P = 1024, EACH = 8 };
    static struct peal_transfer transfers[P * EACH];

    for (int n = 0; n < 3; n++) {
        network = peal_network_create(specs[n], P, "best", NULL);
        pricing = (struct peal_pricing){network, PEAL_IDEAL, PEAL_COUNT};
        for (int i = 0; i < P * EACH; i++)
            transfers[i] = (struct peal_transfer){.words = 10, .from = i / EACH, .to = chance(P)};
        int64_t own = charge_by(specs[n], P, NULL, transfers, P * EACH);

        double begun = seconds();
        int64_t best = charge_best(transfers, P * EACH).beta;
        double taken = seconds() - begun;

        cr_expect_lt(5 * best, 4 * own, "%s: %d, %d by default", specs[n], (int)best, (int)own);
        cr_expect_lt(taken, 5, "%s took %g s", specs[n], taken); /* 0.3 s, but not under sanitizers */
        end();
    }
}

Test(best, rounds_of_very_many_hops_keep_the_topology_s_own_routes, .timeout = 60)
{
    enum { P = 1024, COUNT = 150000 };
    struct peal_transfer *transfers = calloc(COUNT, sizeof *transfers);
    uint64_t hops = 0;

    network = peal_network_create("torus:32x32", P, "best", NULL);
    pricing = (struct peal_pricing){network, PEAL_IDEAL, PEAL_COUNT};
    for (int i = 0; i < COUNT; i++)
        transfers[i] = (struct peal_transfer){.words = 1, .from = chance(P), .to = chance(P)};
    int64_t own = charge_by("torus:32x32", P, "xy", transfers, COUNT);

    for (int i = 0; i < COUNT; i++) {
        hops += transfers[i].hops;
        transfers[i].hops = 0;
    }
    cr_assert_gt(hops, BEST_HOPS);
    cr_expect_eq(charge_best(transfers, COUNT).beta, own);
    for (int i = 0; i < COUNT; i++)
        hops -= transfers[i].hops;
    cr_expect_eq(hops, 0);
    end();
    free(transfers);
}
