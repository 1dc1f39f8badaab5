/* SPDX-License-Identifier: MIT */
/* Operators, and the algorithms that keep the order of the ranks. */
#include "reports.h"

/* ------------------------------------------------------------------ rank order */

static void
reduce_scatter_affine(struct peal_node *me, void *arg)
{
    uint64_t in[8], out;

    memset(in, 1, sizeof in);
    peal_reduce_scatter_by(me, arg, PEAL_AFFINE, in, 1, &out);
}

static void
allreduce_affine(struct peal_node *me, void *arg)
{
    uint64_t a[8];

    memset(a, 1, sizeof a);
    peal_allreduce_by(me, arg, PEAL_AFFINE, a, 8);
}

Test(order, algorithms_that_lose_it_refuse_an_operator_that_does_not_commute, .timeout = 10)
{
    expect_failure(run_plain(4, "full", reduce_scatter_affine, "ring"), PEAL_BAD_REQUEST,
                   "reduce-scatter/ring needs a commutative operator");
    expect_failure(run_plain(4, "full", allreduce_affine, "reduce-scatter-allgather"), PEAL_BAD_REQUEST,
                   "needs a commutative operator, as sum or max are; affine is not");
    cr_expect_not(run_plain(4, "full", reduce_scatter_affine, NULL).failed);
    cr_expect_not(run_plain(4, "full", allreduce_affine, NULL).failed);
}

Test(order, is_kept_by_those_that_accept_such_an_operator, .timeout = 120)
{
    const struct peal_algorithm *algorithm;

    for (int i = 0; (algorithm = peal_algorithm_get(i)) != NULL; i++) {
        if (!peal_collective_has_op(algorithm->collective) || algorithm->needs.commutative)
            continue;
        for (int nodes = 1; nodes <= 17; nodes++)
            for (int root = 0; root < (peal_collective_has_root(algorithm->collective) ? nodes : 1); root++) {
                struct peal_options options = options_for(nodes, "full");
                struct performance run;
                struct peal_situation situation = {.collective = algorithm->collective,
                                                   .nodes = nodes,
                                                   .words = 3,
                                                   .root = root,
                                                   .ports = 1,
                                                   .op = PEAL_AFFINE};

                if (peal_algorithm_fits(algorithm, &situation, NULL) != PEAL_OK)
                    continue;
                perform(&run, &options, peal_collective_name(algorithm->collective), algorithm->name, 3, root,
                        PEAL_AFFINE);
                cr_expect(run.status == PEAL_OK && run.outcome.verified, "%s P=%d root=%d: %s", algorithm->name, nodes,
                          root, run.error.text);
                performance_fini(&run);
            }
    }
}

Test(order, of_affine_maps_matters, .timeout = 10)
{
    uint64_t l = UINT64_C(5) << 32 | 3, r = UINT64_C(7) << 32 | 2, lr, rl;

    peal_affine.combine(&l, &r, &lr, 1); /* l(r(x)) = 3(2x + 7) + 5 */
    peal_affine.combine(&r, &l, &rl, 1);
    cr_expect_eq(lr, UINT64_C(26) << 32 | 6);
    cr_expect_eq(rl, UINT64_C(17) << 32 | 6);
    cr_expect_not(peal_affine.commutative);
}

Test(operators, compute_what_their_names_say, .timeout = 60)
{
    static const char *const names[] = {"sum",        "max",        "min",         "prod",  "sum-double",
                                        "max-double", "min-double", "prod-double", "affine"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct peal_op *op = peal_op_find(names[i]);
        struct peal_options options = options_for(11, "full");
        struct performance run;

        cr_assert_not_null(op, "%s", names[i]);
        cr_expect_str_eq(op->name, names[i]);
        perform(&run, &options, "reduce", NULL, 5, 4, op);
        cr_expect_eq(run.status, PEAL_OK, "%s: %s", names[i], run.error.text);
        performance_fini(&run);
    }
    cr_expect_null(peal_op_find("concatenate"));
    cr_expect_eq(peal_op_find("sum-int64"), PEAL_SUM_INT64);
}

Test(operators, compute_on_integers_and_doubles, .timeout = 10)
{
    int64_t i[2] = {INT64_MAX, -3}, j[2] = {1, 5}, k[2];
    double x[1] = {1.5}, y[1] = {-2}, z[1];

    peal_sum_int64.combine(i, j, k, 2);
    cr_expect(k[0] == INT64_MIN && k[1] == 2);
    peal_prod_int64.combine(i, j, k, 2);
    cr_expect(k[0] == INT64_MAX && k[1] == -15);
    peal_max_int64.combine(i, j, k, 2);
    cr_expect(k[0] == INT64_MAX && k[1] == 5);
    peal_min_int64.combine(i, j, k, 2);
    cr_expect(k[0] == 1 && k[1] == -3);
    peal_sum_double.combine(x, y, z, 1);
    cr_expect_eq(z[0], -0.5);
    peal_prod_double.combine(x, y, z, 1);
    cr_expect_eq(z[0], -3.0);
    peal_max_double.combine(x, y, z, 1);
    cr_expect_eq(z[0], 1.5);
    peal_min_double.combine(x, y, z, 1);
    cr_expect_eq(z[0], -2.0);
}
