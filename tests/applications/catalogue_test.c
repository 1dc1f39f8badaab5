/* SPDX-License-Identifier: MIT */
/* The course's catalogue of applications (section D, and its lab pairs) compared with runs: the figures are read off
 * the machine.  Where the catalogue is wrong, the test has the right figure. */
#include "harness.h"
#include <criterion/criterion.h>

/* The closed form is known, and equals the executed cost. */
static void
expect_derived(const char *name, int nodes, const char *topology, size_t n)
{
    struct app_trial trial;

    app_try(&trial, peal_application_find(name), nodes, topology, n, NULL, NULL);
    cr_expect_eq(trial.status, PEAL_OK, "%s on %s: %s", name, topology, trial.error.text);
    cr_expect(trial.outcome.has_closed_form, "%s on %s", name, topology);
    cr_expect(trial.outcome.closed_form_equal, "%s on %s", name, topology);
    app_try_fini(&trial);
}

Test(closed_forms, are_known_where_an_application_is_at_home, .timeout = 60)
{
    static const struct {
        const char *name, *topology;
        int nodes;
        size_t n;
    } homes[] = {
        {"cannon", "torus", 25, 30},
        {"cannon", "mesh", 16, 24},
        {"cannon", "hypercube", 16, 24},
        {"summa", "mesh", 12, 31},
        {"summa", "torus", 16, 31},
        {"summa", "hypercube", 32, 31},
        {"cannon-2.5d", "torus:2x4x4", 32, 20},
        {"cannon-2.5d", "mesh:2x2x2", 8, 20},
        {"transpose", "mesh", 36, 37},
        {"transpose", "torus", 36, 37},
        {"transpose", "hypercube", 64, 64},
        {"transpose-stripes", "ring", 7, 30},
        {"transpose-stripes", "line", 8, 30},
        {"jacobi", "line", 9, 50},
        {"jacobi", "mesh", 12, 50},
        {"jacobi-strips", "line", 9, 50},
        {"jacobi-blocks", "mesh", 12, 50},
        {"jacobi-blocks", "torus", 9, 50},
        {"conjugate-gradient", "line", 6, 20},
        {"odd-even-sort", "line", 11, 100},
        {"odd-even-sort", "ring", 11, 100},
        {"bitonic-sort", "hypercube", 32, 100},
        {"bitonic-sort", "line", 16, 100},
        {"bitonic-sort", "mesh", 16, 100},
        {"prefix-sums", "line", 13, 100},
        {"prefix-sums", "hypercube", 16, 100},
        {"fft", "hypercube", 16, 256},
        {"fft", "ring", 8, 256},
        {"n-body", "ring", 7, 30},
        {"n-body", "torus", 12, 30},
    };

    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++)
        expect_derived(homes[i].name, homes[i].nodes, homes[i].topology, homes[i].n);
}

/* ------------------------------------------------------------------ lab pairs */

Test(lab_pairs, bitonic_sort_needs_11_blocks_on_a_line_of_8_and_odd_even_8, .timeout = 30)
{
    size_t b = 10, n = 8 * b;
    struct peal_cost bitonic = app_cost("bitonic-sort", 8, "line", n),
                     odd_even = app_cost("odd-even-sort", 8, "line", n);
    struct peal_cost at_home = app_cost("bitonic-sort", 8, "hypercube", n);

    cr_expect_eq(bitonic.beta, (int64_t)(11 * b));
    cr_expect_eq(odd_even.beta, (int64_t)(8 * b));
    cr_expect_eq(bitonic.alpha, 6);
    cr_expect_eq(odd_even.alpha, 8);
    cr_expect_eq(at_home.beta, (int64_t)(6 * b)); /* the winner changes with the network */
}

Test(lab_pairs, bitonic_sort_on_a_line_or_ring_takes_2P_less_2_less_q_blocks, .timeout = 60)
{
    for (int q = 0; q <= 6; q++)
        for (int ring = 0; ring < 2; ring++)
            cr_expect_eq(app_cost("bitonic-sort", 1 << q, ring ? "ring" : "line", (size_t)3 << q).beta,
                         3 * (2 * ((1 << q) - 1) - q), "q = %d", q);
}

Test(lab_pairs, transposition_shares_s_less_1_on_a_mesh_and_half_of_s_on_a_torus, .timeout = 60)
{
    for (int s = 2; s <= 10; s++) {
        struct peal_cost mesh, torus;
        int64_t words = 4; /* of a block of 2 x 2 */

        mesh = app_cost("transpose", s * s, "mesh", 2 * (size_t)s);
        torus = app_cost("transpose", s * s, "torus", 2 * (size_t)s);
        cr_expect_eq(mesh.alpha, 1);
        cr_expect_eq(mesh.beta, words * (s - 1), "s = %d", s);
        cr_expect_eq(torus.alpha, 1);
        cr_expect_eq(torus.beta, words * (s / 2), "s = %d", s);
    }
}

Test(lab_pairs, blocks_beat_strips_when_the_words_saved_outweigh_two_start_ups, .timeout = 60)
{
    const double alpha = 100, beta = 1;
    int s = 4;

    for (size_t n = 16; n <= 400; n += 48) {
        struct peal_cost strips = app_cost_with("jacobi-strips", s * s, "mesh", n, 1);
        struct peal_cost blocks = app_cost_with("jacobi-blocks", s * s, "mesh", n, 1);
        bool won = alpha * (double)blocks.alpha + beta * (double)blocks.beta <
                   alpha * (double)strips.alpha + beta * (double)strips.beta;

        cr_expect_eq(strips.alpha, 2);
        cr_expect_eq(strips.beta, (int64_t)(2 * n));
        cr_expect_eq(blocks.alpha, 4);
        cr_expect_eq(blocks.beta, (int64_t)(4 * n) / s);
        cr_expect_eq(won, beta * (double)n * (1 - 2.0 / s) > alpha, "n = %zu", n);
    }
}

Test(lab_pairs, cannon_moves_fewer_words_than_summa_by_half_the_logarithm, .timeout = 60)
{
    for (int q = 1; q <= 3; q++) {
        int s = 1 << q;
        size_t n = 2 * (size_t)s;
        struct peal_cost cannon = app_cost("cannon", s * s, "full", n), summa;

        summa = app_cost_with("summa", s * s, "full", n, 2); /* panels as wide as blocks */
        cr_expect_eq(cannon.alpha, 2 * s);
        cr_expect_eq(cannon.beta, (int64_t)(2 * n * n) / s);    /* 2n²/√P, exactly */
        cr_expect_eq(summa.alpha, 2 * s * q);                   /* (n/b) log₂P */
        cr_expect_eq(summa.beta, (int64_t)(n * n) / s * 2 * q); /* (n²/√P) log₂P */
        cr_expect_eq(cannon.tau, summa.tau);                    /* n³/P multiply-adds */
        cr_expect_eq(cannon.tau, (int64_t)(n * n * n) / (s * s));
    }
}

Test(lab_pairs, on_a_torus_cannon_pays_for_skewing_and_summa_for_nothing, .timeout = 60)
{
    for (int s = 2; s <= 6; s++) {
        size_t n = 2 * (size_t)s;
        struct peal_cost full = app_cost("cannon", s * s, "full", n), torus = app_cost("cannon", s * s, "torus", n);

        cr_expect_eq(torus.alpha, full.alpha);
        cr_expect_eq(torus.beta - full.beta, 2 * 4 * (s / 2 - 1), "s = %d", s); /* 2(k-1) blocks, k = ⌊s/2⌋ */
        cr_expect_eq(app_cost_with("summa", s * s, "torus", n, 2).beta,
                     app_cost_with("summa", s * s, "full", n, 2).beta);
    }
}

/* ------------------------------------------------------------------ rows of the table */

Test(rows, a_halo_of_w_saves_start_ups_and_repeats_w_times_w_less_1_cells, .timeout = 60)
{
    struct peal_cost narrow, wide;
    struct app_trial trial;
    size_t steps = 12;

    narrow = app_cost_with("jacobi", 5, "line", 200, steps);
    for (size_t w = 1; w <= 6; w++) {
        if (steps % w != 0)
            continue;
        app_try(&trial, peal_application_find("jacobi"), 5, "line", 200, (size_t[]){steps, w}, NULL);
        wide = peal_machine_cost(trial.machine);
        cr_expect_eq(narrow.alpha - wide.alpha, (int64_t)(2 * (w - 1) * steps / w), "w = %zu", w);
        cr_expect_eq(wide.beta, narrow.beta);
        cr_expect_eq(wide.tau - narrow.tau, (int64_t)(2 * w * (w - 1) * steps / w), "w = %zu",
                     w); /* 2 operations a cell */
        app_try_fini(&trial);
    }
}

Test(rows, skewing_is_congested_in_the_layers_of_the_2_5_d_product_too, .timeout = 60)
{
    /* The table has "torus k = 1 per layer".  That holds for moving on; row i moves i when skewing. */
    int q = 4, c = 2;
    size_t n = 8;
    struct peal_cost full = app_cost_with("cannon-2.5d", c * q * q, "full", n, (size_t)c);
    struct peal_cost torus = app_cost_with("cannon-2.5d", c * q * q, "torus:2x4x4", n, (size_t)c);
    int64_t block = 4;

    cr_expect_eq(full.alpha, 3 + 2 * q / c);
    cr_expect_eq(full.beta, block * (3 + 2 * q / c)); /* 3log₂c + 2√(P/c³) blocks of cn²/P */
    cr_expect_eq(torus.alpha, full.alpha);
    cr_expect_eq(torus.beta - full.beta, 2 * block * (q / 2 - 1));
}

Test(rows, copies_save_words_against_cannon, .timeout = 60)
{
    /* P = 64 both ways: 16 moves of n²/64 words, against 6 copies and sums and 2 moves of n²/16. */
    struct peal_cost one = app_cost("cannon", 64, "full", 16), four = app_cost_with("cannon-2.5d", 64, "full", 16, 4);

    cr_expect_eq(one.alpha, 16);
    cr_expect_eq(one.beta, 16 * 4);
    cr_expect_eq(four.alpha, 8);
    cr_expect_eq(four.beta, 8 * 16); /* so here they save start-ups, and cost words */
}

Test(rows, samples_of_all_nodes_are_P_less_1_squared_words, .timeout = 60)
{
    /* The table has βp(p-1) for the all-gather of p-1 samples each; a node's own do not travel, so it is β(p-1)². */
    for (int P = 2; P <= 9; P++) {
        struct app_trial trial;
        struct peal_cost samples = {0, 0, 0, 0};

        app_try(&trial, peal_application_find("sample-sort"), P, "full", 500, NULL, NULL);
        cr_assert_eq(trial.status, PEAL_OK);
        for (int i = 0; i < P - 1; i++) /* its first P-1 rounds */
            samples = peal_cost_add(samples, trial.schedule.rounds[i].charge);
        cr_expect_eq(samples.alpha, P - 1);
        cr_expect_eq(samples.beta, (P - 1) * (P - 1), "P = %d", P);
        cr_expect_eq(peal_machine_cost(trial.machine).alpha, 3 * (P - 1));
        app_try_fini(&trial);
    }
}

Test(rows, regular_samples_keep_a_bucket_below_twice_its_share, .timeout = 60)
{
    for (int P = 2; P <= 8; P++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            const struct peal_application *sort = peal_application_find("sample-sort");
            struct peal_options options = options_for(P, "full");
            struct peal_application_outcome outcome;
            struct peal_problem problem;
            struct peal_machine *machine;
            const struct peal_schedule *schedule;
            uint64_t bucket[8] = {0};
            size_t n = 1000 * (size_t)P;

            options.seed = seed;
            machine = peal_machine_create(&options, NULL);
            peal_problem_init(&problem, sort, machine);
            problem.n = n;
            cr_assert_eq(peal_application_run(machine, sort, &problem, &outcome, NULL), PEAL_OK);
            schedule = peal_machine_schedule(machine);
            for (size_t i = 2 * ((size_t)P - 1); i < schedule->round_count; i++) /* the exchange */
                for (size_t j = 0; j < peal_schedule_round(schedule, i)->count; j++) {
                    const struct peal_transfer *t = &schedule->transfers[peal_schedule_round(schedule, i)->first + j];
                    bucket[t->to] += t->words;
                }
            for (int r = 0; r < P; r++)
                cr_expect_lt(bucket[r], 2 * n / (size_t)P, "P = %d, seed %llu, node %d", P, (unsigned long long)seed,
                             r);
            peal_machine_destroy(machine);
        }
}

Test(rows, prefix_sums_on_a_line_take_P_less_1_items, .timeout = 60)
{
    for (int q = 0; q <= 5; q++) {
        struct peal_cost line = app_cost_with("prefix-sums", 1 << q, "line", 64, 3), cube;

        cube = app_cost_with("prefix-sums", 1 << q, "hypercube", 64, 3);
        cr_expect_eq(line.alpha, q);
        cr_expect_eq(line.beta, 3 * ((1 << q) - 1));
        cr_expect_eq(cube.alpha, q);
        cr_expect_eq(cube.beta, 3 * q);
    }
}

Test(rows, all_to_alls_leave_out_a_nodes_own_piece, .timeout = 60)
{
    /* The table has βn²/p and βn/p; the run has (p-1)/p of that. */
    struct peal_cost stripes = app_cost("transpose-stripes", 8, "full", 16), fft = app_cost("fft", 8, "full", 256);

    cr_expect_eq(stripes.alpha, 7);
    cr_expect_eq(stripes.beta, 16 * 16 / 8 * 7 / 8);
    cr_expect_eq(fft.alpha, 7);
    cr_expect_eq(fft.beta, 2 * 256 / 8 * 7 / 8);                             /* a point is 2 words */
    cr_expect_eq(app_cost("transpose-stripes", 8, "line", 16).beta, 4 * 16); /* ⌊P²/4⌋ pieces of 4 words */
    cr_expect_eq(app_cost("transpose-stripes", 8, "ring", 16).beta, 4 * 16);
}

Test(rows, odd_even_transposition_takes_P_rounds_from_three_nodes_on, .timeout = 60)
{
    cr_expect_eq(app_cost("odd-even-sort", 1, "line", 60).alpha, 0);
    cr_expect_eq(app_cost("odd-even-sort", 2, "line", 60).alpha, 1); /* not 2: the odd round has no pair */
    for (int P = 3; P <= 12; P++) {
        cr_expect_eq(app_cost("odd-even-sort", P, "line", 60).alpha, P);
        cr_expect_eq(app_cost("odd-even-sort", P, "line", 60).beta, P * ((60 + P - 1) / P));
    }
}

Test(rows, conjugate_gradients_take_a_halo_and_two_all_reduces, .timeout = 60)
{
    struct peal_cost none = app_cost_with("conjugate-gradient", 8, "full", 24, 0), five;

    five = app_cost_with("conjugate-gradient", 8, "full", 24, 5);
    cr_expect_eq(none.alpha, 3); /* one all-reduce of log₂P rounds */
    cr_expect_eq(five.alpha - none.alpha, 5 * (2 + 2 * 3));
    cr_expect_eq(five.beta - none.beta, 5 * (2 * 24 + 2 * 3));
}

Test(rows, bodies_travel_P_less_1_times_on_any_network, .timeout = 60)
{
    static const char *const topologies[] = {"full", "line", "ring", "mesh", "torus"};

    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
        cr_expect_eq(app_cost("n-body", 9, topologies[i], 45).alpha, 8, "%s", topologies[i]);
        cr_expect_eq(app_cost("n-body", 9, topologies[i], 45).beta, 8 * 4 * 5, "%s", topologies[i]);
    }
}
