/* SPDX-License-Identifier: MIT */
/* The promises of <peal/application.h>: the table, refusals that name what fits, faults that are found. */
#include "harness.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

Test(table, every_application_is_complete_and_found_by_its_name, .timeout = 10)
{
    int i = 0;

    for (const struct peal_application *a; (a = peal_application_get(i)); i++) {
        cr_expect_eq(peal_application_find(a->name), a);
        cr_expect(a->summary && a->size && a->needs && a->compared && a->formula && a->differs && a->operations &&
                      a->source,
                  "%s", a->name);
        cr_expect(a->words && a->make && a->run && a->reference && a->estimate, "%s", a->name);
        cr_expect_eq(a->cost == NULL, a->closed_form == NULL, "%s", a->name);
        for (int j = 0; j < PEAL_MAX_PARAMETERS && a->parameters[j].name; j++)
            cr_expect_geq(a->parameters[j].usual, a->parameters[j].least, "%s", a->name);
    }
    cr_expect_eq(i, 16);
    cr_expect_null(peal_application_get(-1));
    cr_expect_null(peal_application_find("nothing"));
}

static void
expect_refused(const char *name, int nodes, size_t n, const size_t *parameters, const char *what_fits)
{
    struct app_trial trial;

    app_try(&trial, peal_application_find(name), nodes, "full", n, parameters, NULL);
    cr_expect_eq(trial.status, PEAL_USAGE, "%s n=%zu P=%d", name, n, nodes);
    cr_expect(strstr(trial.error.text, what_fits), "%s n=%zu P=%d: %s", name, n, nodes, trial.error.text);
    app_try_fini(&trial);
}

Test(refusals, name_sizes_that_fit, .timeout = 30)
{
    expect_refused("cannon", 8, 16, NULL, "P = 4 and 9 fit");
    expect_refused("transpose", 15, 16, NULL, "P = 9 and 16 fit");
    expect_refused("bitonic-sort", 6, 16, NULL, "P = 4 and 8 fit");
    expect_refused("cannon-2.5d", 10, 16, NULL, "P = 9 and 16 fit");
    expect_refused("cannon-2.5d", 9, 16, (size_t[]){2, 0}, "P = 8 and 32 fit");
    expect_refused("cannon-2.5d", 3, 16, (size_t[]){2, 0}, "P = 8 and 32 fit");
    expect_refused("cannon-2.5d", 3, 16, (size_t[]){1000000, 0}, "1 to 256 fit");
    expect_refused("cannon-2.5d", 1, 16, (size_t[]){3, 0}, "P = 27 and 108 fit");
    expect_refused("jacobi", 4, 7, (size_t[]){1, 2}, "n = 8 and more fits");
    expect_refused("jacobi", 4, 100, (size_t[]){1, 0}, "halo=0: 1 and more fits");
    expect_refused("jacobi-strips", 4, 3, NULL, "n = 4 and more fits");
    expect_refused("jacobi-blocks", 4, 1, NULL, "n = 2 and more fits");
    expect_refused("conjugate-gradient", 4, 3, NULL, "n = 4 and more fits");
    expect_refused("fft", 4, 12, NULL, "n = 8 and 16 fit");
    expect_refused("fft", 4, 0, NULL, "n = 1 and 2 fit");
    expect_refused("bfs", 4, 0, NULL, "n = 1 and more fits");
    expect_refused("summa", 4, 8, (size_t[]){0, 0}, "panel=0: 1 and more fits");
    expect_refused("cannon", 4, SIZE_MAX / 4, NULL, "too large");
    expect_refused("jacobi-strips", 4, SIZE_MAX, NULL, "too large");
    expect_refused("fft", 4, SIZE_MAX, NULL, "too large");
    expect_refused("n-body", 4, SIZE_MAX / 2, NULL, "too large");
    expect_refused("prefix-sums", 4, SIZE_MAX / 2, (size_t[]){3, 0}, "too large");
}

Test(refusals, an_allocation_that_fails_is_the_systems, .timeout = 30)
{
    struct app_trial trial;

    app_try(&trial, peal_application_find("odd-even-sort"), 2, "full", (size_t)1 << 58, NULL, NULL);
    cr_expect_eq(trial.status, PEAL_RESOURCES, "%s", trial.error.text);
    app_try_fini(&trial);
}

Test(refusals, words_have_8_bytes, .timeout = 30)
{
    struct peal_options options = options_for(2, "full");
    struct peal_application_outcome outcome;
    struct peal_problem problem;
    struct peal_error error;
    struct peal_machine *machine;

    options.word_bytes = 4;
    machine = peal_machine_create(&options, &error);
    peal_problem_init(&problem, peal_application_get(0), machine);
    cr_expect_eq(peal_application_run(machine, peal_application_find("bfs"), &problem, &outcome, &error), PEAL_USAGE);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ wrong applications */

static void
run_one_off(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    peal_application_find("odd-even-sort")->run(me, problem, in, out);
    if (peal_rank(me) == 1)
        ((int64_t *)out)[problem->n - 1]++;
}

static void
run_into_a_wall(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    double x;

    (void)problem, (void)in, (void)out;
    peal_recv(me, &x, 1, 0);
}

static bool
cost_too_low(const struct peal_problem *problem, struct peal_cost *cost)
{
    bool known = peal_application_find("odd-even-sort")->cost(problem, cost);

    cost->tau--;
    return known;
}

/* Run a changed odd-even sort on 4 nodes. */
static enum peal_status
run_changed(const struct peal_application *changed, struct app_trial *trial)
{
    app_try(trial, changed, 4, "line", 40, NULL, NULL);
    return trial->status;
}

Test(wrong, results_and_closed_forms_are_found_out, .timeout = 30)
{
    struct peal_application changed = *peal_application_find("odd-even-sort");
    struct app_trial trial;

    changed.run = run_one_off;
    cr_expect_eq(run_changed(&changed, &trial), PEAL_FAILED);
    cr_expect(!trial.outcome.verified);
    cr_expect_eq(trial.outcome.wrong_words, 1);
    cr_expect(strstr(trial.outcome.wrong, "word 39 "), "%s", trial.outcome.wrong);
    app_try_fini(&trial);

    changed.run = run_into_a_wall;
    cr_expect_eq(run_changed(&changed, &trial), PEAL_FAILED);
    cr_expect(peal_machine_failure(trial.machine) != NULL);
    cr_expect(!trial.outcome.verified && !trial.outcome.closed_form_equal);
    app_try_fini(&trial);

    changed.run = peal_application_find("odd-even-sort")->run;
    changed.cost = cost_too_low;
    cr_expect_eq(run_changed(&changed, &trial), PEAL_OK);
    cr_expect(trial.outcome.verified && trial.outcome.has_closed_form && !trial.outcome.closed_form_equal);
    app_try_fini(&trial);
}

static void
run_nan(struct peal_node *me, const struct peal_problem *problem, const void *in, void *out)
{
    peal_application_find("n-body")->run(me, problem, in, out);
    if (peal_rank(me) == 0)
        ((double *)out)[0] = NAN;
}

Test(wrong, a_result_that_is_not_a_number_is_not_within_a_bound, .timeout = 30)
{
    struct peal_application changed = *peal_application_find("n-body");
    struct app_trial trial;

    changed.run = run_nan;
    app_try(&trial, &changed, 2, "full", 10, NULL, NULL);
    cr_expect_eq(trial.status, PEAL_FAILED);
    cr_expect_eq(trial.outcome.wrong_words, 1);
    app_try_fini(&trial);
}

/* ------------------------------------------------------------------ other machines */

/* The result does not depend on ports, duplex, delivery or the places of the boxes; no closed form is claimed there. */
Test(machines, of_every_kind_give_the_same_result, .timeout = 120)
{
    for (int kind = 0; kind < 7; kind++)
        for (int i = 0; peal_application_get(i); i++) {
            const struct peal_application *application = peal_application_get(i);
            struct peal_options options = options_for(16, "mesh");
            struct peal_application_outcome outcome;
            struct peal_problem problem;
            struct peal_error error;
            struct peal_machine *machine;

            options.half_duplex = kind == 0;
            options.ports = kind == 1 ? 2 : kind == 2 ? PEAL_PORTS_ALL : 1;
            options.eager = kind == 3;
            options.eager_words = 20;
            options.routing = kind == 4 ? "best" : NULL;
            options.mailbox = kind == 5 ? 1 : options.mailbox;
            options.seed = (uint64_t)kind;
            options.engine = "fibers";
            machine = peal_machine_create(&options, &error);
            cr_assert(machine, "%s", error.text);
            peal_problem_init(&problem, application, machine);
            problem.n = 32;
            cr_expect_eq(peal_application_run(machine, application, &problem, &outcome, &error), PEAL_OK,
                         "%s, kind %d: %s", application->name, kind, error.text);
            if (kind < 5)
                cr_expect(!outcome.has_closed_form, "%s, kind %d", application->name, kind);
            if (outcome.has_closed_form)
                cr_expect(outcome.closed_form_equal, "%s, kind %d", application->name, kind);
            peal_machine_destroy(machine);
        }
}
