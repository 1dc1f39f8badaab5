/* SPDX-License-Identifier: MIT */
/* Costs as numbers and text, recording a schedule, pricing it again. */
#include "lib/cost/schedule.h"
#include <criterion/criterion.h>
#include <math.h>
#include <peal/network.h>
#include <string.h>

/* ------------------------------------------------------------------ costs */

Test(cost, is_written_as_a_formula, .timeout = 5)
{
    static const struct {
        struct peal_cost cost;
        const char *text;
    } table[] = {
        {{0, 0, 0, 0}, "0"},
        {{3, 28, 0, 0}, "3α + 28β"},
        {{1, 1, 1, 1}, "α + β + t_d + τ"},
        {{3, 28, 7, 2}, "3α + 28β + 7t_d + 2τ"},
        {{0, 5, 0, 0}, "5β"},
        {{0, 0, 0, 1}, "τ"},
        {{INT64_MAX - 1, 0, 0, 0}, "9223372036854775806α"},
        {{3, INT64_MAX, 0, 0}, "too large to count"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char text[128];

        cr_expect_eq(peal_cost_text(table[i].cost, text, sizeof text), text);
        cr_expect_str_eq(text, table[i].text);
    }
}

Test(cost, text_is_cut_between_characters, .timeout = 5)
{
    struct peal_cost cost = {3, 28, 0, 0}; /* 3 α(2) space + space 28 β(2): 10 bytes */
    char text[12];

    memset(text, '?', sizeof text);
    cr_expect_str_eq(peal_cost_text(cost, text, 11), "3α + 28β");
    cr_expect_str_eq(peal_cost_text(cost, text, 10), "3α + 28");
    cr_expect_str_eq(peal_cost_text(cost, text, 3), "3");
    cr_expect_str_eq(peal_cost_text(cost, text, 1), "");
    cr_expect_eq(peal_cost_text(cost, text, 0), text);
    cr_expect_eq(text[11], '?');
}

Test(cost, time_weighs_each_coefficient, .timeout = 5)
{
    struct peal_cost cost = {3, 28, 7, 2};

    cr_expect_eq(peal_cost_time(cost, (struct peal_parameters){1000, 1, 0, 0}), 3028);
    cr_expect_eq(peal_cost_time(cost, (struct peal_parameters){0, 0, 0.5, 10}), 23.5);
}

Test(cost, adds_and_compares_each_coefficient, .timeout = 5)
{
    struct peal_cost a = {1, 2, 3, 4}, b = {10, 20, 30, 40}, most = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};

    cr_expect(peal_cost_equal(peal_cost_add(a, b), (struct peal_cost){11, 22, 33, 44}));
    cr_expect(peal_cost_equal(peal_cost_add(most, a), most));
    cr_expect(peal_cost_equal(peal_cost_add(most, (struct peal_cost){-1, -1, -1, -1}), most), "it stays too large");
    cr_expect(peal_cost_counted(a));
    cr_expect_not(peal_cost_counted(peal_cost_add(a, (struct peal_cost){0, 0, 0, INT64_MAX - 3})));
    cr_expect_not(peal_cost_equal(a, (struct peal_cost){0, 2, 3, 4}));
    cr_expect_not(peal_cost_equal(a, (struct peal_cost){1, 0, 3, 4}));
    cr_expect_not(peal_cost_equal(a, (struct peal_cost){1, 2, 0, 4}));
    cr_expect_not(peal_cost_equal(a, (struct peal_cost){1, 2, 3, 0}));
}

Test(cost, rules_have_names, .timeout = 5)
{
    cr_expect_str_eq(peal_switching_name(PEAL_IDEAL), "ideal");
    cr_expect_str_eq(peal_switching_name(PEAL_WORMHOLE), "wormhole");
    cr_expect_str_eq(peal_switching_name(PEAL_STORE_FORWARD), "store-forward");
    cr_expect_null(peal_switching_name((enum peal_switching)3));
    cr_expect_str_eq(peal_congestion_name(PEAL_COUNT), "count");
    cr_expect_str_eq(peal_congestion_name(PEAL_VOLUME), "volume");
    cr_expect_null(peal_congestion_name((enum peal_congestion)2));
}

/* ------------------------------------------------------------------ recording */

Test(schedule, keeps_rounds_and_transfers_in_order, .timeout = 5)
{
    struct recorder recorder = {0};
    size_t next = 0;

    for (int again = 0; again < 2; again++) {
        for (size_t round = 0; round < 500; round++) {
            struct peal_transfer *transfers = recorder_room(&recorder, round % 7);

            cr_assert(transfers);
            for (size_t i = 0; i < round % 7; i++)
                transfers[i] = (struct peal_transfer){.words = next++};
            cr_assert(recorder_round(&recorder, round % 7, (struct peal_cost){0}));
        }
        cr_assert_eq(recorder.schedule.round_count, 500);
        cr_assert_eq(recorder.schedule.transfer_count, next);
        for (size_t round = 0, first = 0; round < 500; first += round % 7, round++) {
            const struct peal_round *kept = peal_schedule_round(&recorder.schedule, round);

            cr_assert(kept->count == 0 || kept->first == first);
            cr_assert_eq(kept->count, round % 7);
            cr_assert(peal_cost_equal(kept->charge, (struct peal_cost){0}));
        }
        for (size_t i = 0; i < next; i++)
            cr_assert_eq(recorder.schedule.transfers[i].words, i);
        recorder_clear(&recorder);
        cr_assert_eq(recorder.schedule.round_count, 0);
        next = 0;
    }
    recorder_fini(&recorder);
    cr_expect_null(recorder.schedule.rounds);
}

Test(schedule, a_round_that_cannot_be_kept_leaves_the_schedule_as_it_was, .timeout = 5)
{
    struct recorder recorder = {0};

    struct peal_transfer *transfers = recorder_room(&recorder, 3);

    for (uint64_t i = 0; i < 3; i++)
        transfers[i] = (struct peal_transfer){.words = i};
    cr_assert(recorder_round(&recorder, 3, (struct peal_cost){0}));
    cr_expect_null(recorder_room(&recorder, SIZE_MAX / 2));
    cr_expect_null(recorder_room(&recorder, SIZE_MAX));
    cr_expect_eq(recorder.schedule.round_count, 1);
    cr_expect_eq(recorder.schedule.transfer_count, 3);
    recorder_fini(&recorder);
}

/* Append a round of two messages from `node`, and one of other words where they are not 5. */
static void
append(struct recorder *recorder, int node, uint64_t words, struct peal_cost charge)
{
    struct peal_transfer *transfers = recorder_room(recorder, 2);

    transfers[0] = (struct peal_transfer){.words = 5, .from = node, .to = 0};
    transfers[1] = (struct peal_transfer){.words = words, .from = node, .to = 1};
    cr_assert(recorder_round(recorder, 2, charge));
}

Test(schedule, keeps_equal_rounds_once, .timeout = 20)
{
    const struct peal_cost cheap = {1, 5, 0, 0}, dear = {1, 5, 0, 7};
    struct recorder recorder = {0};
    struct peal_schedule *schedule = &recorder.schedule;

    for (int i = 0; i < 100000; i++) {
        append(&recorder, 2, 5, cheap);
        append(&recorder, 3, 5, cheap);
        append(&recorder, 2, 5, dear); /* the same transfers */
        append(&recorder, 2, 6, cheap);
    }
    cr_expect_eq(schedule->round_count, 400000);
    cr_expect_eq(schedule->transfer_count, 800000);
    cr_expect_eq(schedule->kept_rounds, 4);
    cr_expect_eq(schedule->kept_transfers, 6);
    for (size_t i = 0; i < schedule->round_count; i++) {
        const struct peal_round *round = peal_schedule_round(schedule, i);
        const struct peal_transfer *transfers = schedule->transfers + round->first;

        cr_assert(round->count == 2 && transfers->from == (i % 4 == 1 ? 3 : 2), "round %zu", i);
        cr_assert(transfers[1].words == (i % 4 == 3 ? 6 : 5) && transfers[1].to == 1, "round %zu", i);
        cr_assert(peal_cost_equal(round->charge, i % 4 == 2 ? dear : cheap), "round %zu", i);
    }
    recorder_fini(&recorder);
}

/* ------------------------------------------------------------------ pricing */

/* The scatter on eight nodes, largest bundles first, m = 4; then a compute step. */
static void
record_scatter(struct recorder *recorder)
{
    for (int bundle = 4, round = 0; bundle > 0; bundle /= 2, round++) {
        struct peal_transfer *transfers = recorder_room(recorder, (size_t)1 << round);

        for (int i = 0; i < 1 << round; i++)
            transfers[i] = (struct peal_transfer){
                .words = 4 * (uint64_t)bundle, .from = 2 * bundle * i, .to = 2 * bundle * i + bundle};
        recorder_round(recorder, (size_t)1 << round, (struct peal_cost){0});
    }
    recorder_round(recorder, 0, (struct peal_cost){.tau = 9});
}

Test(price, charges_a_schedule_on_any_network, .timeout = 5)
{
    static const struct {
        const char *spec;
        enum peal_switching switching;
        const char *text;
    } table[] = {
        {"hypercube:3", PEAL_IDEAL, "3α + 28β + 9τ"},
        {"hypercube:3", PEAL_STORE_FORWARD, "3α + 28β + 9τ"},
        {"hypercube:3", PEAL_WORMHOLE, "3α + 28β + 3t_d + 9τ"},
        {"line:8", PEAL_IDEAL, "3α + 28β + 9τ"},
        {"line:8", PEAL_WORMHOLE, "3α + 28β + 7t_d + 9τ"},
        {"line:8", PEAL_STORE_FORWARD, "3α + 84β + 9τ"}, /* 16·4 + 8·2 + 4·1 */
        {"full", PEAL_WORMHOLE, "3α + 28β + 3t_d + 9τ"},
    };
    struct recorder recorder = {0};

    record_scatter(&recorder);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_network *network = peal_network_create(table[i].spec, 8, NULL, NULL);
        struct peal_pricing pricing = {network, table[i].switching, PEAL_COUNT};
        struct peal_cost total, sum = {0};
        char text[100];

        cr_assert_eq(peal_price(&pricing, &recorder.schedule, &total, NULL), PEAL_OK);
        cr_expect_str_eq(peal_cost_text(total, text, sizeof text), table[i].text);
        for (size_t round = 0; round < recorder.schedule.round_count; round++)
            sum = peal_cost_add(sum, recorder.schedule.rounds[round].charge);
        cr_expect(peal_cost_equal(sum, total));
        cr_expect_eq(recorder.schedule.rounds[3].charge.alpha, 0);
        cr_expect_eq(recorder.schedule.transfers[0].hops, (uint32_t)peal_network_distance(network, 0, 4));
        peal_network_destroy(network);
    }
    recorder_fini(&recorder);
}

Test(price, refuses_a_node_that_the_network_lacks, .timeout = 5)
{
    struct peal_network *network = peal_network_create("line", 4, NULL, NULL);
    struct peal_pricing pricing = {network, PEAL_IDEAL, PEAL_COUNT};
    struct recorder recorder = {0};
    struct peal_cost total;
    struct peal_error error = {0};

    record_scatter(&recorder);
    cr_expect_eq(peal_price(&pricing, &recorder.schedule, &total, &error), PEAL_USAGE);
    cr_expect_str_eq(error.text, "round 1 has a transfer from node 0 to 4: line:4 has nodes 0 to 3");
    cr_expect_eq(recorder.schedule.transfers[0].hops, 0, "nothing is rewritten");
    recorder.schedule.transfers[0].to = 3;
    recorder.schedule.transfers[1].from = -1;
    cr_expect_eq(peal_price(&pricing, &recorder.schedule, &total, &error), PEAL_USAGE);
    cr_expect_str_eq(error.text, "round 2 has a transfer from node -1 to 2: line:4 has nodes 0 to 3");
    recorder_fini(&recorder);
    peal_network_destroy(network);
}

/* Seven transfers of 2^62 words on one wire, twice. */
Test(price, refuses_costs_too_large_to_count, .timeout = 5)
{
    static const struct {
        const char *topology;
        uint64_t words;
        enum peal_switching switching;
        enum peal_congestion congestion;
        const char *text; /* NULL: countable */
    } table[] = {
        {"line:2", (uint64_t)1 << 59, PEAL_IDEAL, PEAL_COUNT, NULL},
        {"line:2", (uint64_t)1 << 60, PEAL_IDEAL, PEAL_COUNT, "the cost up to round 2 is too large to count"},
        {"line:2", (uint64_t)1 << 62, PEAL_IDEAL, PEAL_COUNT, "the charge of round 1 is too large to count"},
        {"line:2", (uint64_t)1 << 62, PEAL_STORE_FORWARD, PEAL_COUNT, "the charge of round 1 is too large to count"},
        {"line:2", (uint64_t)1 << 62, PEAL_WORMHOLE, PEAL_VOLUME, "the charge of round 1 is too large to count"},
        {"full", (uint64_t)1 << 62, PEAL_IDEAL, PEAL_COUNT, "the charge of round 1 is too large to count"},
    };

    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct peal_network *network = peal_network_create(table[i].topology, 2, NULL, NULL);
        struct peal_pricing pricing = {network, table[i].switching, table[i].congestion};
        struct recorder recorder = {0};
        struct peal_cost total;
        struct peal_error error = {PEAL_OK, ""};

        for (int round = 0; round < 2; round++) {
            struct peal_transfer *transfers = recorder_room(&recorder, 7);

            for (int j = 0; j < 7; j++)
                transfers[j] = (struct peal_transfer){.from = 0, .to = 1, .words = table[i].words};
            recorder_round(&recorder, 7, (struct peal_cost){0});
        }
        cr_expect_eq(peal_price(&pricing, &recorder.schedule, &total, &error), table[i].text ? PEAL_USAGE : PEAL_OK);
        cr_expect_eq(
            strncmp(error.text, table[i].text ? table[i].text : "", strlen(table[i].text ? table[i].text : "")), 0,
            "case %zu: %s", i, error.text);
        recorder_fini(&recorder);
        peal_network_destroy(network);
    }
}

Test(cost, parameters_are_nothing_or_within_what_can_be_computed_with, .timeout = 5)
{
    static const double right[] = {0, 1e-100, 1, 1000, 1e100}, wrong[] = {-1, 1e-101, 1e101, 1e308, INFINITY, NAN};

    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        cr_expect(peal_parameter_allowed(right[i]), "%g", right[i]);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_not(peal_parameter_allowed(wrong[i]), "%g", wrong[i]);
}
