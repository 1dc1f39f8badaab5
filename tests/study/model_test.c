/* SPDX-License-Identifier: MIT */
/* Tests of figures.c, counts.c and model.c: tables as suites write them, counts that are known, constants that made the
 * times. */
#include "lib/study/model.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum peal_status
read_text(const char *text, struct figures *figures, struct peal_error *error)
{
    return peal_figures_read("a table", text, strlen(text), figures, error);
}

Test(figures, knows_the_names_of_others_and_keeps_the_least_time, .timeout = 10)
{
    const char *text = "algo_name,nnodes,collective_type,buffer_size,median,tasks_per_node\n"
                       "ring_ompi,8,ALLGATHER,64,3000,1\nring_over,8,ALLGATHER,64,2000,1\n"
                       "default_ompi,8,ALLGATHER,64,1000,1\nnonsense_ompi,8,ALLGATHER,64,1,1\n"
                       "neighbor_ompi,8,ALLGATHER,64,1,4\nknomial_ompi,2x2x2,BCAST,64,5000,1\n";
    struct figures figures;

    cr_assert(peal_figures_are(text, strlen(text)));
    cr_assert_eq(read_text(text, &figures, NULL), PEAL_OK);
    cr_assert_eq(figures.count, 3);
    cr_expect(figures.unknown == 1 && figures.several == 1 && figures.repeated == 1);
    cr_expect_str_eq(figures.list[0].algorithm, "k-nomial:4");
    cr_expect(figures.list[0].nodes == 8 && strcmp(figures.list[0].shape, "2x2x2") == 0);
    cr_expect_null(figures.list[1].algorithm, "the library's own choice");
    cr_expect_str_eq(figures.list[2].algorithm, "ring");
    cr_expect_float_eq(figures.list[2].time, 2, 1e-9, "nanoseconds are %g µs", figures.list[2].time);
    free(figures.list);
}

Test(figures, names_the_line_that_is_wrong, .timeout = 10)
{
    static const char *const bad[] = {"8,bcast,binomial,64", "x8,bcast,binomial,64,1", "8,bcast,binomial,-1,1",
                                      "8,bcast,binomial,64,0"};
    struct figures figures;
    struct peal_error error;
    char text[200];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(text, sizeof text, "nodes,collective,algorithm,bytes,time\n%s\n", bad[i]);
        cr_expect_eq(read_text(text, &figures, &error), PEAL_USAGE, "%s", bad[i]);
        cr_expect(strstr(error.text, "a table:2: "), "%s", error.text);
        free(figures.list);
    }
    cr_expect_eq(read_text("nodes,algorithm,bytes,time\n", &figures, &error), PEAL_USAGE);
    cr_expect(strstr(error.text, "no column collective"), "%s", error.text);
    free(figures.list);
}

Test(figures, every_namesake_is_in_the_catalogue, .timeout = 10)
{
    const struct namesake *n;
    int parameter;

    for (int i = 0; (n = peal_namesake_get(i)); i++)
        cr_expect(peal_algorithm_parse(n->collective, n->ours, &parameter), "%s", n->ours);
}

static struct run_counts
count(enum peal_collective collective, const char *algorithm, const char *topology, int nodes)
{
    struct peal_options options;
    struct run_counts counts;
    struct peal_error error = {PEAL_OK, ""};

    peal_options_init(&options);
    options.topology = topology;
    options.nodes = nodes;
    cr_assert_eq(peal_counts_find(collective, algorithm, &options, &counts, &error), PEAL_OK, "%s", error.text);
    return counts;
}

Test(counts, a_linear_gather_waits_for_nothing_and_a_ring_for_everything, .timeout = 20)
{
    struct run_counts linear = count(PEAL_GATHER, "linear", "full", 20),
                      ring = count(PEAL_ALLGATHER, "ring", "full", 20);

    cr_expect(linear.startups == 19 && linear.overlapped == 18);
    cr_expect(ring.startups == 19 && ring.overlapped == 0);
}

Test(counts, words_are_combined_and_links_are_shared, .timeout = 20)
{
    struct run_counts c = count(PEAL_ALLREDUCE, "recursive-doubling", "torus:4x4", 16);
    int64_t charge = 0;

    for (int i = 0; i < c.size_count; i++)
        charge += c.sizes[i].charge;
    cr_expect_eq(c.startups, 4);
    cr_expect_eq(c.combined, 4 * 16);
    cr_expect_eq(charge, 16 * 6, "of n = 16 words: 1 + 2 in each dimension");
    cr_expect_not(c.cuts);
    cr_expect(count(PEAL_ALLREDUCE, "rabenseifner", "full", 16).cuts);
}

/* Times that a model gives for two algorithms on 8 and 32 nodes. */
enum { SIZES = 14, CASES = 2 * 2 * SIZES };

static void
make_cases(const struct model *truth, const char *topology, struct figure *figures, struct run_counts counts[4],
           struct case_of_model *cases)
{
    static const char *const names[] = {"reduce-scatter-allgather", "recursive-doubling"};

    for (int i = 0; i < 4; i++)
        counts[i] = count(PEAL_ALLREDUCE, names[i % 2], topology, i < 2 ? 8 : 32);
    for (int i = 0; i < CASES; i++) {
        const struct run_counts *own = &counts[i / (2 * SIZES) * 2 + i % 2];
        int nodes = i < 2 * SIZES ? 8 : 32;

        figures[i] = (struct figure){.nodes = nodes,
                                     .collective = PEAL_ALLREDUCE,
                                     .algorithm = names[i % 2],
                                     .bytes = 128.0 * (1 << i / 2 % SIZES)};
        snprintf(figures[i].shape, sizeof figures[i].shape, "%d", nodes);
        cases[i] = (struct case_of_model){&figures[i], own};
        figures[i].time = peal_model_time(truth, own, &figures[i]);
    }
}

Test(model, finds_the_constants_that_made_the_times_and_no_others, .timeout = 30)
{
    struct model truth = {.form = {.classes = 1}, .alpha = {2}, .beta = {0.0001}}, model;
    struct model_form most = {.classes = MAX_CLASSES, .overlap = true, .combine = true, .copy = true};
    struct figure figures[CASES];
    struct run_counts counts[4];
    struct case_of_model cases[CASES];
    struct judgement judgement;

    make_cases(&truth, "full", figures, counts, cases);
    cr_assert_eq(peal_model_search(cases, CASES, 1, 100, &most, &model, NULL), PEAL_OK);
    cr_expect(model.form.classes == 1 && !model.form.overlap && !model.form.combine && !model.form.copy);
    cr_expect_float_eq(model.alpha[0], 2, 1e-3, "α = %g", model.alpha[0]);
    cr_expect_float_eq(model.beta[0], 0.0001, 1e-7, "β = %g", model.beta[0]);
    cr_assert_eq(peal_model_judge(cases, CASES, 9, 100, -1, &model, &judgement, NULL), PEAL_OK);
    cr_expect(judgement.choices == SIZES && judgement.right == SIZES && judgement.over_twice == 0);
    peal_judgement_fini(&judgement);
}

Test(model, finds_classes_of_sizes_and_what_is_combined, .timeout = 30)
{
    struct model truth = {.form = {.classes = 2, .limits = {4096}, .combine = true},
                          .alpha = {2, 8},
                          .beta = {0.0005, 0.0001},
                          .combine = 0.0002};
    struct model_form most = {.classes = MAX_CLASSES, .overlap = true, .combine = true, .copy = true};
    struct figure figures[CASES];
    struct run_counts counts[4];
    struct case_of_model cases[CASES];
    struct model model;

    make_cases(&truth, "full", figures, counts, cases);
    cr_assert_eq(peal_model_search(cases, CASES, 1, 100, &most, &model, NULL), PEAL_OK);
    cr_expect(model.form.classes == 2 && model.form.limits[0] == 4096, "%d, %g", model.form.classes,
              model.form.limits[0]);
    cr_expect_float_eq(model.alpha[1], 8, 0.1, "α = %g", model.alpha[1]);
    cr_expect_float_eq(model.combine, 0.0002, 2e-5, "γ = %g", model.combine);
}

Test(model, finds_what_a_byte_of_other_messages_on_the_link_costs, .timeout = 30)
{
    struct model truth = {.form = {.classes = 1, .shared = true}, .alpha = {2}, .beta = {0.0004}, .shared = 0.0001},
                 model;
    struct model_form most = {.classes = 1, .overlap = true, .combine = true, .copy = true, .shared = true};
    struct figure figures[CASES];
    struct run_counts counts[4];
    struct case_of_model cases[CASES];

    make_cases(&truth, "ring", figures, counts, cases);
    cr_assert_eq(peal_model_search(cases, CASES, 1, 100, &most, &model, NULL), PEAL_OK);
    cr_expect(model.form.shared && !model.form.overlap && !model.form.combine && !model.form.copy);
    cr_expect_float_eq(model.beta[0], 0.0004, 4e-7, "β = %g", model.beta[0]);
    cr_expect_float_eq(model.shared, 0.0001, 1e-7, "κ = %g", model.shared);
    truth.form.shared = false; /* then it costs β, as k says */
    cr_expect_gt(peal_model_time(&truth, cases[CASES - 1].counts, cases[CASES - 1].figure),
                 2 * cases[CASES - 1].figure->time);
}

Test(model, finds_what_a_block_costs_whose_place_is_computed, .timeout = 30)
{
    struct model truth = {.form = {.classes = 1, .block = true}, .alpha = {2}, .beta = {0.0001}, .block = 0.03}, model;
    struct model_form most = {.classes = 1, .overlap = true, .combine = true, .copy = true, .block = true};
    struct figure figures[CASES];
    struct run_counts counts[4];
    struct case_of_model cases[CASES];

    make_cases(&truth, "full", figures, counts, cases);
    for (int i = 0; i < CASES; i++) {
        static const enum extra extras[] = {EXTRA_PACKS, EXTRA_PERMUTES, EXTRA_SORTS};
        const struct run_counts *c = cases[i].counts;
        double blocks[] = {0, figures[i].nodes, figures[i].nodes * (1 + (double)c->startups)};

        figures[i].extra = extras[i % 3];
        figures[i].time += truth.block * blocks[i % 3]; /* 0.03 µs each, and nothing for the bytes */
    }
    cr_assert_eq(peal_model_search(cases, CASES, 1, 100, &most, &model, NULL), PEAL_OK);
    cr_expect(model.form.block && !model.form.overlap && !model.form.combine && !model.form.copy);
    cr_expect_float_eq(model.block, 0.03, 1e-5, "b = %g", model.block);
}

Test(model, a_wrong_choice_costs_what_was_measured, .timeout = 30)
{
    struct model truth = {.form = {.classes = 1}, .alpha = {2}, .beta = {0.0001}};
    struct figure figures[CASES];
    struct run_counts counts[4];
    struct case_of_model cases[CASES];
    struct judgement judgement;

    make_cases(&truth, "full", figures, counts, cases);
    for (int i = 1; i < CASES; i += 2) /* recursive doubling is best for the shortest vectors: make it slow */
        figures[i].time *= 1000;
    cr_assert_eq(peal_model_judge(cases, CASES, 8, 8, -1, &truth, &judgement, NULL), PEAL_OK);
    cr_expect(judgement.over_twice > 0 && judgement.right == judgement.choices - judgement.over_twice);
    cr_expect(judgement.worst >= figures[1].time / figures[0].time * (1 - 1e-9), "%g", judgement.worst);
    cr_expect_str_eq(judgement.worst_at->algorithm, "recursive-doubling");
    peal_judgement_fini(&judgement);
}
