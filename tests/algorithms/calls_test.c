/* SPDX-License-Identifier: MIT */
/* The calls of node programs: what they refuse and where, operators and rank order, groups, the choice of an algorithm. */
#include "harness.h"
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Run a program on a machine and keep what it failed with, if it did. */
struct report {
    bool failed;
    enum peal_failure_kind kind;
    char message[1000], file[200];
    int line;
};

static struct report
run_on(const struct peal_options *options, peal_program program, void *arg)
{
    struct peal_error error;
    struct peal_machine *machine = peal_machine_create(options, &error);
    const struct peal_failure *failure;
    struct report report = {0};

    cr_assert_not_null(machine, "%s", error.text);
    failure = peal_run(machine, program, arg);
    if (failure != NULL) {
        report = (struct report){.failed = true, .kind = failure->kind, .line = failure->line};
        snprintf(report.message, sizeof report.message, "%s", failure->message);
        snprintf(report.file, sizeof report.file, "%s", failure->file != NULL ? failure->file : "");
    }
    peal_machine_destroy(machine);
    return report;
}

static struct report
run_plain(int nodes, const char *topology, peal_program program, void *arg)
{
    struct peal_options options = options_for(nodes, topology);

    return run_on(&options, program, arg);
}

static void
expect_failure(struct report report, enum peal_failure_kind kind, const char *part)
{
    cr_expect(report.failed, "nothing failed");
    cr_expect_eq(report.kind, kind, "%s: %s", peal_failure_name(report.kind), report.message);
    cr_expect_not_null(strstr(report.message, part), "'%s' not in '%s'", part, report.message);
}

/* ------------------------------------------------------------------ a test an error line */

static int line_of_call;

static void
scatter_from_nowhere(struct peal_node *me, void *arg)
{
    int64_t in[4] = {0}, out;

    line_of_call = __LINE__ + 1;
    peal_scatter(me, in, 1, *(int *)arg, &out);
}

Test(calls, a_root_that_is_not_there_fails_at_the_callers_line, .timeout = 10)
{
    int roots[] = {-1, 4};

    for (int i = 0; i < 2; i++) {
        struct report report = run_plain(4, "full", scatter_from_nowhere, &roots[i]);

        expect_failure(report, PEAL_BAD_RANK, "ranks are 0 to 3");
        cr_expect_eq(report.line, line_of_call);
        cr_expect_not_null(strstr(report.file, "calls_test.c"), "%s", report.file);
    }
}

static void
other_roots(struct peal_node *me, void *arg)
{
    int64_t a[4] = {0}, b[4];

    switch (*(int *)arg) {
    case 0:
        peal_gather(me, a, 1, 9, b);
        break;
    case 1:
        peal_broadcast(me, a, 1, -3);
        break;
    default:
        peal_reduce(me, PEAL_SUM_INT64, a, 1, 4);
    }
}

Test(calls, every_rooted_call_checks_its_root, .timeout = 10)
{
    for (int i = 0; i < 3; i++)
        expect_failure(run_plain(4, "full", other_roots, &i), PEAL_BAD_RANK, "root");
}

static void
too_long(struct peal_node *me, void *arg)
{
    int64_t a[1] = {0}, b[1];

    (void)arg;
    peal_allgather(me, a, SIZE_MAX / 16, b);
}

Test(calls, sizes_that_overflow_are_refused, .timeout = 10)
{
    expect_failure(run_plain(4, "full", too_long, NULL), PEAL_BAD_SIZE, "at most");
}

/* What a wrong call with unequal blocks is called with. */
struct unequal {
    int call;
    const size_t *words;
    int root;
    void *in, *out;
};

static void
unequal_call(struct peal_node *me, void *arg)
{
    static const size_t ones[] = {1, 1, 1, 1};
    const struct unequal *with = arg;

    switch (with->call) {
    case 0:
        peal_scatterv(me, with->in, with->words, with->root, with->out);
        break;
    case 1:
        peal_gatherv(me, with->in, with->words, with->root, with->out);
        break;
    case 2:
        peal_allgatherv(me, with->in, with->words, with->out);
        break;
    case 3:
        peal_reduce_scatterv(me, PEAL_SUM_INT64, with->in, with->words, with->out);
        break;
    case 4:
        peal_alltoallv(me, with->in, with->words, with->out, ones);
        break;
    default:
        peal_alltoallv(me, with->in, ones, with->out, with->words);
    }
}

Test(unequal_calls, without_a_list_of_lengths_are_refused, .timeout = 10)
{
    int64_t in[8] = {0}, out[8];

    for (int call = 0; call < 6; call++) {
        struct unequal with = {.call = call, .in = in, .out = out};

        expect_failure(run_plain(4, "full", unequal_call, &with), PEAL_BAD_REQUEST, "the list of lengths");
    }
}

Test(unequal_calls, whose_lengths_overflow_together_are_refused_with_the_block, .timeout = 10)
{
    static const size_t words[] = {SIZE_MAX / 32, 0, SIZE_MAX / 32 + 2, 1};
    int64_t in[8] = {0}, out[8];

    for (int call = 0; call < 6; call++) {
        struct unequal with = {.call = call, .words = words, .in = in, .out = out};

        expect_failure(run_plain(4, "full", unequal_call, &with), PEAL_BAD_SIZE, "in block 2");
    }
}

Test(unequal_calls, with_a_root_that_is_not_there_are_refused, .timeout = 10)
{
    static const size_t words[] = {1, 2, 0, 1};
    int64_t in[8] = {0}, out[8];

    for (int i = 0; i < 4; i++) {
        struct unequal with = {.call = i % 2, .words = words, .root = i < 2 ? -1 : 4, .in = in, .out = out};

        expect_failure(run_plain(4, "full", unequal_call, &with), PEAL_BAD_RANK, "root");
    }
}

Test(unequal_calls, without_a_buffer_are_refused_where_there_are_words, .timeout = 10)
{
    static const size_t words[] = {1, 2, 0, 1}, none[] = {0, 0, 0, 0};
    int64_t in[8] = {0}, out[8];

    for (int call = 0; call < 5; call++) {
        struct unequal no_in = {.call = call, .words = words, .out = out},
                       no_out = {.call = call, .words = words, .in = in};
        struct unequal nothing = {.call = call % 4, .words = none};

        expect_failure(run_plain(4, "full", unequal_call, &no_in), PEAL_BAD_SIZE, "in is NULL");
        expect_failure(run_plain(4, "full", unequal_call, &no_out), PEAL_BAD_SIZE, "out is NULL");
        cr_expect_not(run_plain(4, "full", unequal_call, &nothing).failed, "call %d of no words", call);
    }
}

Test(unequal_calls, of_an_alltoall_that_sends_more_than_is_received_are_truncated, .timeout = 10)
{
    static const size_t words[] = {2, 2, 2, 2};
    int64_t in[8] = {0}, out[8];
    struct unequal with = {.call = 4, .words = words, .in = in, .out = out};

    expect_failure(run_plain(4, "full", unequal_call, &with), PEAL_TRUNCATION, "");
}

static void
own_block_of_no_words(struct peal_node *me, void *arg)
{
    static const size_t words[] = {0, 2, 1};
    int64_t in[3] = {5, 6, 7}, out[2] = {0};
    int r = peal_rank(me);

    (void)arg;
    peal_scatterv(me, r == 2 ? in : NULL, words, 2, r == 0 ? NULL : out);
    if ((r == 1 && (out[0] != 5 || out[1] != 6)) || (r == 2 && out[0] != 7))
        peal_abort(me, "not my block");
}

Test(unequal_calls, need_no_buffer_for_an_own_block_of_no_words, .timeout = 10)
{
    struct report report = run_plain(3, "full", own_block_of_no_words, NULL);

    cr_expect_not(report.failed, "%s", report.message);
}

static void
without_buffer(struct peal_node *me, void *arg)
{
    int64_t a[8] = {0};

    switch (*(int *)arg) {
    case 0:
        peal_scatter(me, NULL, 1, 0, a);
        break;
    case 1:
        peal_scatter(me, a, 1, 0, NULL);
        break;
    case 2:
        peal_gather(me, a, 1, 0, NULL);
        break;
    case 3:
        peal_broadcast(me, NULL, 1, 0);
        break;
    default:
        peal_allreduce(me, PEAL_SUM_INT64, NULL, 1);
    }
}

Test(calls, a_buffer_that_is_not_there_is_refused, .timeout = 10)
{
    for (int i = 0; i < 5; i++)
        expect_failure(run_plain(4, "full", without_buffer, &i), PEAL_BAD_SIZE, "NULL");
}

static void
without_words(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_scatter(me, NULL, 0, 0, NULL);
    peal_scatter_by(me, "linear", NULL, 0, 1, NULL);
    peal_scatter_by(me, "rda", NULL, 0, 2, NULL);
    peal_gather(me, NULL, 0, 0, NULL);
    peal_gather_by(me, "rda", NULL, 0, 3, NULL);
    peal_broadcast(me, NULL, 0, 0);
    peal_broadcast_by(me, "scatter-allgather", NULL, 0, 2);
    peal_reduce(me, PEAL_SUM_INT64, NULL, 0, 1);
    peal_allgather(me, NULL, 0, NULL);
    peal_allgather_by(me, "gather-broadcast", NULL, 0, NULL);
    peal_reduce_scatter(me, PEAL_SUM_INT64, NULL, 0, NULL);
    peal_allreduce(me, PEAL_SUM_INT64, NULL, 0);
    peal_allreduce_by(me, "reduce-scatter-allgather", PEAL_SUM_INT64, NULL, 0);
}

Test(calls, no_words_need_no_buffers, .timeout = 10)
{
    struct report report = run_plain(5, "line", without_words, NULL);

    cr_expect_not(report.failed, "%s", report.message);
}

static void
without_op(struct peal_node *me, void *arg)
{
    int64_t a = 0;

    (void)arg;
    peal_allreduce(me, NULL, &a, 1);
}

Test(calls, a_reduction_needs_an_operator, .timeout = 10)
{
    expect_failure(run_plain(4, "full", without_op, NULL), PEAL_BAD_REQUEST, "operator");
}

static void
sum_of_shorts(struct peal_node *me, void *arg)
{
    short a = 0;

    (void)arg;
    peal_reduce(me, PEAL_SUM_INT64, (void *)&a, 1, 0);
}

Test(calls, an_operator_on_words_of_another_size_is_refused, .timeout = 10)
{
    struct peal_options options = options_for(4, "full");

    options.word_bytes = 2;
    expect_failure(run_on(&options, sum_of_shorts, NULL), PEAL_BAD_SIZE, "8 bytes");
}

static void
by_name(struct peal_node *me, void *arg)
{
    int64_t a[8] = {0}, b;

    peal_scatter_by(me, arg, a, 1, 0, &b);
}

Test(calls, an_unknown_algorithm_is_refused_with_those_there_are, .timeout = 10)
{
    expect_failure(run_plain(4, "full", by_name, "binomal"), PEAL_BAD_REQUEST,
                   "scatter has no algorithm 'binomal'; it has binomial, linear, rda, rda-smaller");
}

Test(calls, an_algorithm_that_does_not_fit_is_refused_with_what_would, .timeout = 10)
{
    expect_failure(run_plain(8, "hypercube", by_name, "rda"), PEAL_BAD_REQUEST,
                   "scatter/rda needs a line, ring, mesh or torus network; this one is hypercube:3");
}

static void
bundles(struct peal_node *me, void *arg)
{
    int64_t a[8] = {0}, b;

    (void)arg;
    peal_scatter_by(me, "binomial", a, 1, 0, &b);
}

Test(calls, a_bundle_on_the_noncombining_machine_is_refused, .timeout = 10)
{
    struct peal_options options = options_for(8, "full");

    options.noncombining = true;
    expect_failure(run_on(&options, bundles, NULL), PEAL_NONCOMBINING, "");
}

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

Test(operators, do_what_their_names_say, .timeout = 60)
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

Test(operators, on_integers_and_doubles, .timeout = 10)
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

/* ------------------------------------------------------------------ groups, messages, barriers */

/* Rows and columns of 3 x 4 nodes run every algorithm that fits a group, while the program's own message is under way. */
static void
in_groups(struct peal_node *me, void *arg)
{
    int rank = peal_rank(me), right = (rank + 1) % peal_size(me), left = (rank + 11) % peal_size(me);
    struct peal_node *row = peal_split(me, rank / 4, rank), *column = peal_split(me, rank % 4, -rank);
    int64_t note = rank, news = -1, x[4], y[4] = {0};
    struct peal_handle send = peal_send_async(me, &note, 1, right), recv = peal_recv_async(me, &news, 1, left);
    int *wrong = arg;

    for (int i = 0; i < 4; i++)
        x[i] = 100 * rank + i;
    peal_allgather_by(row, "ring", &x[1], 1, y);
    for (int i = 0; i < 4; i++)
        wrong[rank] += y[i] != 100 * (rank / 4 * 4 + i) + 1;
    peal_scatter(row, x, 1, 2, &y[0]);
    wrong[rank] += y[0] != 100 * (rank / 4 * 4 + 2) + rank % 4;
    y[0] = rank;
    peal_allreduce(column, PEAL_SUM_INT64, y, 1);
    wrong[rank] += y[0] != 3 * (rank % 4) + 12;
    peal_barrier(column);
    y[0] = rank;
    peal_broadcast(column, y, 1, 0); /* the keys put the last row first */
    wrong[rank] += y[0] != 8 + rank % 4;
    peal_wait(me, send);
    peal_wait(me, recv);
    wrong[rank] += news != left;
}

Test(calls, work_in_groups_and_never_meet_the_programs_messages, .timeout = 10)
{
    int wrong[12] = {0};
    struct report report = run_plain(12, "mesh:3x4", in_groups, wrong);

    cr_expect_not(report.failed, "%s", report.message);
    for (int i = 0; i < 12; i++)
        cr_expect_eq(wrong[i], 0, "node %d", i);
}

static void
rda_in_group(struct peal_node *me, void *arg)
{
    struct peal_node *half = peal_split(me, peal_rank(me) % 2, 0);
    int64_t a = 0;

    (void)arg;
    peal_broadcast_by(half, "rda", &a, 1, 0);
}

Test(calls, a_group_has_no_network_for_rda, .timeout = 10)
{
    expect_failure(run_plain(8, "line", rda_in_group, NULL), PEAL_BAD_REQUEST, "group");
}

static void
one_after_the_other(struct peal_node *me, void *arg)
{
    int P = peal_size(me), r = peal_rank(me);
    int64_t *x = peal_alloc(me, (size_t)P), *y = peal_alloc(me, (size_t)P), mine = 0;
    bool *right = arg;

    right[r] = true;
    for (int root = 0; root < P; root++) {
        for (int i = 0; i < P; i++)
            x[i] = r == root ? 1000 * root + i : -1;
        peal_scatter(me, x, 1, root, &mine);
        right[r] = right[r] && mine == 1000 * root + r;
        peal_barrier(me);
        mine += r;
        peal_gather(me, &mine, 1, P - 1 - root, y);
        for (int i = 0; i < P && r == P - 1 - root; i++)
            right[r] = right[r] && y[i] == 1000 * root + 2 * i;
    }
}

Test(calls, follow_one_another_without_mixing_up, .timeout = 20)
{
    bool right[13] = {0};
    struct report report = run_plain(13, "ring", one_after_the_other, right);

    cr_expect_not(report.failed, "%s", report.message);
    for (int i = 0; i < 13; i++)
        cr_expect(right[i], "node %d", i);
}

/* ------------------------------------------------------------------ the choice */

/* Call `expect` in many situations that an algorithm is chosen in. */
static void
in_many_situations(void (*expect)(const struct peal_situation *situation))
{
    static const struct {
        const char *topology;
        int nodes;
    } networks[] = {{"full", 1},      {"full", 6},       {"full", 8},      {"line", 5},       {"ring", 8},
                    {"torus:3x3", 9}, {"torus:3x5", 15}, {"mesh:4x4", 16}, {"hypercube", 16}, {"star", 7}};
    static const struct peal_parameters prices[] = {{1000, 1, 0, 0}, {1, 1, 0, 0}, {1000, 1, 5, 0}};
    static const size_t sizes[] = {0, 1, 60, 5600, 1000000};

    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        struct peal_network *network = peal_network_create(networks[i].topology, networks[i].nodes, NULL, NULL);

        for (int collective = 0; collective < PEAL_COLLECTIVES; collective++)
            for (int variant = 0; variant < 5 * 3 * 2 * 2; variant++) {
                struct peal_situation situation = {.collective = (enum peal_collective)collective,
                                                   .nodes = networks[i].nodes,
                                                   .words = sizes[variant % 5],
                                                   .network = network,
                                                   .ports = 1 + variant / 30,
                                                   .by = networks[i].nodes > 2 ? 2 : 0,
                                                   .to_count = networks[i].nodes,
                                                   .switching = PEAL_WORMHOLE,
                                                   .parameters = prices[variant / 5 % 3]};

                if (peal_collective_has_op(situation.collective))
                    situation.op = variant / 15 % 2 ? PEAL_SUM_INT64 : PEAL_AFFINE;
                expect(&situation);
            }
        peal_network_destroy(network);
    }
}

static void
expect_lowest(const struct peal_situation *situation)
{
    const struct peal_algorithm *chosen = peal_algorithm_choose(situation), *other;
    struct peal_cost cost, least;

    if (situation->collective == PEAL_BARRIER) { /* the machine's rules say which */
        cr_expect_str_eq(chosen->name, "dissemination");
        return;
    }
    if (!peal_algorithm_cost(chosen, situation, &cost))
        return;
    for (int i = 0; (other = peal_algorithm_get(i)) != NULL; i++)
        if (other->collective == situation->collective && !(other->differs & PEAL_DIFFERS(NODES)) &&
            peal_algorithm_fits(other, situation, NULL) == PEAL_OK && peal_algorithm_cost(other, situation, &least))
            cr_expect_leq(peal_cost_time(cost, situation->parameters), peal_cost_time(least, situation->parameters),
                          "%s, %d nodes, %zu words: %s is chosen, %s costs less",
                          peal_collective_name(situation->collective), situation->nodes, situation->words, chosen->name,
                          other->name);
}

/* ------------------------------------------------------------------ calls that differ */

/* What node 2 does otherwise than the others. */
enum otherwise { COLLECTIVE, ROOT, WORDS, LENGTHS, LENGTH_LIST, RANKS, DISTANCE, OPERATOR, ALGORITHM, SPLITS, ALIKE };

static void
differ(struct peal_node *me, void *arg)
{
    enum otherwise how = *(enum otherwise *)arg;
    bool other = peal_rank(me) == 2 && how != ALIKE;
    int64_t in[40] = {0}, out[40];
    size_t words[4] = {1, 2, 3, 4}, others[4] = {1, 2, 4, 3};
    int ranks[2] = {1, 2}, other_ranks[2] = {2, 1};

    peal_barrier(me);
    switch (how) {
    case COLLECTIVE:
        if (other)
            peal_allreduce(me, PEAL_SUM_INT64, in, 4);
        else
            peal_broadcast(me, in, 4, 0);
        break;
    case ALIKE:
    case ROOT:
        peal_gather(me, in, 4, other ? 3 : 1, out);
        break;
    case WORDS:
        peal_scan(me, PEAL_SUM_INT64, in, other ? 3 : 4);
        break;
    case LENGTHS:
        if (other)
            peal_allgather(me, in, 4, out);
        else
            peal_allgatherv(me, in, words, out);
        break;
    case LENGTH_LIST:
        peal_scatterv(me, in, other ? others : words, 0, out);
        break;
    case RANKS:
        peal_multicast(me, in, 1, 0, other ? other_ranks : ranks, 2);
        break;
    case DISTANCE:
        peal_shift(me, in, 1, other ? 5 : -1, out);
        break;
    case OPERATOR:
        peal_reduce(me, other ? PEAL_MAX_INT64 : PEAL_SUM_INT64, in, 1, 0);
        break;
    case ALGORITHM:
        peal_broadcast_by(me, other ? "linear" : "chain:2", in, 2, 0);
        break;
    case SPLITS:
        if (other)
            peal_split(me, 0, 0);
        else
            peal_barrier(me);
        break;
    }
}

struct difference {
    enum otherwise how;
    char one[80], other[80], end[60];
};

ParameterizedTestParameters(mismatch, is_told_with_both_calls)
{
    static struct difference differences[] = {
        {COLLECTIVE, "broadcast of 4 words with root 0", "allreduce of 4 words by sum", ""},
        {ROOT, "gather of blocks of 4 words with root 1", "gather of blocks of 4 words with root 3",
         ": the roots differ"},
        {WORDS, "scan of 4 words by sum", "scan of 3 words by sum", ": the sizes differ"},
        {LENGTHS, "allgather of blocks of up to 4 words", "allgather of blocks of 4 words",
         ": only one of them gives the lengths of all blocks"},
        {LENGTH_LIST, "scatter of blocks of up to 4 words with root 0",
         "scatter of blocks of up to 4 words with root 0", ": the lengths of the blocks differ"},
        {RANKS, "multicast of 1 word with root 0", "multicast of 1 word with root 0", ": the lists of ranks differ"},
        {DISTANCE, "shift of 1 word by 3", "shift of 1 word by 1", ": the distances differ"},
        {OPERATOR, "reduce of 1 word by sum with root 0", "reduce of 1 word by max with root 0",
         ": the operators differ"},
        {ALGORITHM, "broadcast/chain:2 of 2 words with root 0", "broadcast/linear of 2 words with root 0",
         ": the algorithms differ"},
        {SPLITS, "barrier", "split", ""},
    };

    return cr_make_param_array(struct difference, differences, sizeof differences / sizeof *differences);
}

/* The same on one carrier and on several, where nodes call in any order. */
ParameterizedTest(struct difference *d, mismatch, is_told_with_both_calls, .timeout = 20)
{
    for (int way = 0; way < 4; way++) {
        struct peal_options options = options_for(4, "full");

        if (way == 1 || way == 2)
            options.engine = "threads";
        options.wake_all = way == 1;
        options.carriers = way == 2 ? 2 : 0;
        options.eager = way == 3;
        options.eager_words = 100;
        struct report report = run_on(&options, differ, &d->how);
        char text[1000], file[100];
        const char *at = strstr(report.message, "(");

        expect_failure(report, PEAL_COLLECTIVE_MISMATCH,
                       "the 2nd collective of all 4 nodes is not one call: node 0 calls ");
        cr_assert_not_null(at);
        snprintf(file, sizeof file, "%.*s", (int)strcspn(at, ")") + 1, at);
        snprintf(text, sizeof text,
                 "the 2nd collective of all 4 nodes is not one call: node 0 calls %s %s, node 2 calls %s "
                 "(calls_test.c:%d)%s",
                 d->one, file, d->other, report.line, d->end);
        cr_expect_str_eq(report.message, text);
        cr_expect(strncmp(file, "(calls_test.c:", 14) == 0, "%s", file);
    }
}

static void
stay_away(struct peal_node *me, void *arg)
{
    int64_t a = 1;
    int to[2] = {1, 2};

    (void)arg;
    peal_barrier(me);
    if (peal_rank(me) != 3)
        peal_multicast(me, &a, 1, 0, to, 2);
}

Test(mismatch, is_found_at_the_end_where_nobody_waits, .timeout = 10)
{
    expect_failure(
        run_plain(4, "full", stay_away, NULL), PEAL_COLLECTIVE_MISMATCH,
        "not every node makes the 2nd collective of all 4 nodes: node 0 calls multicast of 1 word with root 0 "
        "(calls_test.c:");
    expect_failure(run_plain(4, "full", stay_away, NULL), PEAL_COLLECTIVE_MISMATCH,
                   ", node 3 has finished after 1 of them");
}

static void
leave_the_last_out(struct peal_node *me, void *arg)
{
    struct peal_node *half = peal_split(me, peal_rank(me) / 2, 0);

    (void)arg;
    if (peal_rank(me) != 3)
        peal_barrier(half);
}

Test(mismatch, explains_a_deadlock_too, .timeout = 10)
{
    expect_failure(
        run_plain(4, "full", leave_the_last_out, NULL), PEAL_DEADLOCK,
        "nothing can move: not every node makes the 1st collective of a group of 2 nodes: node 2 calls barrier");
}

/* A node runs ahead of the others by many calls, and again in another run of the same machine. */
static void
run_ahead(struct peal_node *me, void *arg)
{
    int64_t a = 0;

    for (int i = 0; i < 100; i++)
        peal_broadcast(me, &a, 1, 0);
    if (arg != NULL)
        peal_broadcast(me, &a, 1, peal_rank(me));
}

Test(mismatch, is_none_of_nodes_that_run_ahead, .timeout = 20)
{
    struct peal_options options = options_for(5, "full");
    struct peal_machine *machine;

    options.eager = true;
    options.eager_words = 1;
    machine = peal_machine_create(&options, NULL);
    cr_assert_not_null(machine);
    for (int i = 0; i < 3; i++) {
        cr_expect_null(peal_run(machine, run_ahead, NULL));
        const struct peal_failure *failure = peal_run(machine, run_ahead, machine);

        cr_assert_not_null(failure);
        cr_expect(strstr(failure->message, "the 101st collective of all 5 nodes"), "%s", failure->message);
    }
    peal_machine_destroy(machine);
}

Test(choice, is_the_lowest_closed_form, .timeout = 60)
{
    in_many_situations(expect_lowest);
}

static void
expect_fits(const struct peal_situation *situation)
{
    struct peal_error error;

    cr_expect_eq(peal_algorithm_fits(peal_algorithm_choose(situation), situation, &error), PEAL_OK, "%s", error.text);
}

/* Every collective has an algorithm for any number of nodes, any operator, any network. */
Test(choice, is_one_that_fits, .timeout = 60)
{
    in_many_situations(expect_fits);
}

/* What a choice for unequal blocks must be as good as: the choice among those that take them, for blocks of the longest. */
static void
expect_same_for_unequal(const struct peal_situation *situation)
{
    const struct peal_algorithm *equal = peal_algorithm_choose(situation);
    struct peal_situation unequal = *situation;

    if (!peal_collective_has_blocks(situation->collective) || situation->collective == PEAL_ALLTOALL)
        return;
    unequal.unequal = true;
    if (!equal->needs.equal_blocks)
        cr_expect_eq(peal_algorithm_choose(&unequal), equal, "%s, %d nodes, %zu words: %s, not %s",
                     peal_collective_name(situation->collective), situation->nodes, situation->words,
                     peal_algorithm_choose(&unequal)->name, equal->name);
}

Test(choice, for_unequal_blocks_is_that_for_blocks_as_long_as_the_longest, .timeout = 60)
{
    in_many_situations(expect_same_for_unequal);
}

/* Where trees have no closed form, P-1 messages that all share a link take no longer than one after the other. */
Test(choice, never_prefers_a_chain_of_messages_to_a_tree_of_as_many, .timeout = 10)
{
    struct peal_network *network = peal_network_create("torus:3x5", 15, NULL, NULL);
    struct peal_situation situation = {.collective = PEAL_REDUCE,
                                       .nodes = 15,
                                       .words = 60,
                                       .network = network,
                                       .op = PEAL_SUM_INT64,
                                       .ports = 1,
                                       .parameters = {1000, 1, 0, 0}};

    cr_expect_str_neq(peal_algorithm_choose(&situation)->name, "linear");
    situation.words = 1000000;
    cr_expect_str_neq(peal_algorithm_choose(&situation)->name, "linear");
    peal_network_destroy(network);
}

/* ... as if ports were single and messages not eager. */
Test(choice, is_made_without_closed_forms_too, .timeout = 10)
{
    struct peal_situation situation = {
        .collective = PEAL_BROADCAST, .nodes = 8, .words = 10, .ports = 1, .parameters = {1000, 1, 0, 0}};

    for (; situation.words <= 100000; situation.words *= 100) {
        struct peal_situation other = situation;

        other.ports = 2;
        other.eager = other.half_duplex = true;
        cr_expect_eq(peal_algorithm_choose(&other), peal_algorithm_choose(&situation), "%zu words", situation.words);
    }
}

static void
allreduce_once(struct peal_node *me, void *arg)
{
    int64_t *a = peal_alloc(me, *(size_t *)arg + 1);

    peal_allreduce(me, PEAL_SUM_INT64, a, *(size_t *)arg);
}

/* Choices are remembered by the process: none may be taken for another machine's, size's or network's.  More of them than
 * are kept, each asked for twice. */
Test(catalogue, is_chosen_from_anew_for_every_size_network_and_price, .timeout = 60)
{
    static const char *const topologies[] = {"full", "line", "torus:2x4", "mesh:4x2", "hypercube"};
    static const double alphas[] = {1, 1000};
    int different = 0;
    const struct peal_algorithm *last = NULL;

    for (int again = 0; again < 2; again++)
        for (size_t words = 0; words <= 4096; words = words == 0 ? 8 : words * 8)
            for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
                for (size_t j = 0; j < 2; j++) {
                    struct peal_options options = options_for(8, topologies[i]);
                    struct peal_situation situation = {
                        .collective = PEAL_ALLREDUCE, .nodes = 8, .words = words, .op = PEAL_SUM_INT64, .ports = 1};
                    struct peal_machine *machine;
                    struct peal_cost cost;

                    options.parameters.alpha = alphas[j];
                    machine = peal_machine_create(&options, NULL);
                    cr_assert_not_null(machine);
                    situation.network = peal_machine_network(machine);
                    situation.parameters = options.parameters;
                    cr_assert_null(peal_run(machine, allreduce_once, &words));
                    different += last != peal_algorithm_choose(&situation);
                    last = peal_algorithm_choose(&situation);
                    if (peal_algorithm_cost(last, &situation, &cost))
                        cr_expect(peal_cost_equal(cost, peal_machine_cost(machine)), "%zu words on %s at α = %g: %s",
                                  words, topologies[i], alphas[j], last->name);
                    peal_machine_destroy(machine);
                }
    cr_expect_gt(different, 10);
}

/* ------------------------------------------------------------------ the table */

Test(catalogue, has_whole_entries_of_different_names, .timeout = 10)
{
    const struct peal_algorithm *algorithm;
    int count = 0;

    for (; (algorithm = peal_algorithm_get(count)) != NULL; count++) {
        cr_expect(algorithm->name && algorithm->summary && algorithm->source && algorithm->run.scatter, "entry %d",
                  count);
        cr_expect_eq(algorithm->cost == NULL, algorithm->closed_form == NULL,
                     "%s: a closed form is a function and its text, or neither", algorithm->name);
        cr_expect_eq(peal_algorithm_find(algorithm->collective, algorithm->name), algorithm);
        for (int i = 0; i < count; i++)
            cr_expect_neq(peal_algorithm_get(i), algorithm, "%s stands in the list twice", algorithm->name);
    }
    cr_expect_null(peal_algorithm_get(-1));
    cr_expect_null(peal_algorithm_find(PEAL_GATHER, "rda-smaller"));
    cr_expect_str_eq(peal_algorithm_find(PEAL_ALLREDUCE, "ring")->name, "reduce-scatter-allgather");
}

Test(catalogue, knows_collectives_by_name, .timeout = 10)
{
    static const char *const names[] = {"scatter",        "gather",    "broadcast", "reduce", "allgather",
                                        "reduce-scatter", "allreduce", "alltoall",  "scan",   "exscan",
                                        "shift",          "multicast", "barrier"};
    enum peal_collective collective;

    for (int i = 0; i < PEAL_COLLECTIVES; i++) {
        cr_expect_str_eq(peal_collective_name((enum peal_collective)i), names[i]);
        cr_assert(peal_collective_find(names[i], &collective));
        cr_expect_eq((int)collective, i);
    }
    cr_expect_not(peal_collective_find("scater", &collective));
}

Test(catalogue, says_what_an_algorithm_requires, .timeout = 10)
{
    struct peal_algorithm all = {.needs = {.power_of_two = true, .commutative = true, .kinds = "ring torus"}};
    char text[200];

    cr_expect_str_eq(peal_requirements_text(peal_algorithm_find(PEAL_SCATTER, "binomial"), text, sizeof text), "");
    cr_expect_str_eq(peal_requirements_text(peal_algorithm_find(PEAL_SCATTER, "rda"), text, sizeof text),
                     "network: line, ring, mesh or torus");
    cr_expect_str_eq(peal_requirements_text(peal_algorithm_find(PEAL_REDUCE_SCATTER, "ring"), text, sizeof text),
                     "a commutative operator");
    cr_expect_str_eq(peal_requirements_text(&all, text, sizeof text),
                     "P = 2^q; a commutative operator; network: ring or torus");
    all.needs.commutative = false;
    cr_expect_str_eq(peal_requirements_text(&all, text, sizeof text), "P = 2^q; network: ring or torus");
    all.needs = (struct peal_requirements){.even = true, .divides = true, .equal_blocks = true, .ports = 2};
    cr_expect_str_eq(peal_requirements_text(&all, text, sizeof text), "P even; P divides n; equal blocks; --ports 2");
    all.needs = (struct peal_requirements){.power_of_two = true};
    cr_expect_str_eq(peal_requirements_text(&all, text, sizeof text), "P = 2^q");
}

Test(catalogue, refuses_with_the_sizes_that_would_fit, .timeout = 10)
{
    struct peal_algorithm power = {.name = "butterfly", .needs = {.power_of_two = true}};
    struct peal_situation situation = {.nodes = 6};
    struct peal_error error;

    cr_expect_eq(peal_algorithm_fits(&power, &situation, &error), PEAL_USAGE);
    cr_expect_str_eq(error.text, "scatter/butterfly needs a power of two of nodes, not 6: 4 or 8 would fit");
    situation.nodes = 8;
    cr_expect_eq(peal_algorithm_fits(&power, &situation, &error), PEAL_OK);
}

Test(blocks, of_a_vector_are_as_equal_as_can_be_the_longer_first, .timeout = 10)
{
    for (size_t n = 0; n < 60; n++)
        for (int nodes = 1; nodes < 20; nodes++) {
            size_t begin = 0;

            for (int block = 0; block < nodes; block++) {
                size_t words = n / (size_t)nodes + (block < (int)(n % (size_t)nodes));

                cr_expect_eq(peal_block_begin(n, nodes, block), begin);
                cr_expect_eq(peal_block_words(n, nodes, block), words);
                begin += words;
            }
            cr_expect_eq(peal_block_begin(n, nodes, nodes), n);
        }
}

/* Buffers that lie so in one array of words: in and out begin at these. */
struct overlap {
    enum peal_collective collective;
    size_t in, out;
    bool fails;
};

static void
overlapping_call(struct peal_node *me, void *arg)
{
    const struct overlap *o = arg;
    int64_t array[40] = {0};
    size_t own = (size_t)peal_rank(me);
    void *in = array + o->in, *out = array + o->out;

    /* The smaller buffer begins where its block does, moved by what the case says. */
    switch ((int)o->collective) {
    case PEAL_SCATTER:
        peal_scatter(me, in, 2, 0, array + o->out + 2 * own);
        break;
    case PEAL_GATHER:
        peal_gather(me, array + o->in + 2 * own, 2, 0, out);
        break;
    case PEAL_ALLGATHER:
        peal_allgather(me, array + o->in + 2 * own, 2, out);
        break;
    case PEAL_REDUCE_SCATTER:
        peal_reduce_scatter(me, PEAL_SUM_INT64, in, 2, array + o->out + 2 * own);
        break;
    case PEAL_ALLTOALL:
        peal_alltoall(me, in, 2, out);
        break;
    default:
        peal_shift(me, in, 2, 1, out);
        break;
    }
}

Test(calls, refuse_buffers_that_overlap_but_for_own_blocks_in_their_place)
{
    static struct overlap overlaps[] = {
        {PEAL_SCATTER, 0, 0, false},        {PEAL_SCATTER, 0, 1, true},        {PEAL_GATHER, 0, 0, false},
        {PEAL_GATHER, 1, 0, true},          {PEAL_ALLGATHER, 4, 4, false},     {PEAL_ALLGATHER, 0, 1, true},
        {PEAL_REDUCE_SCATTER, 0, 0, false}, {PEAL_REDUCE_SCATTER, 0, 1, true}, {PEAL_ALLTOALL, 0, 0, true},
        {PEAL_ALLTOALL, 0, 8, false},       {PEAL_ALLTOALL, 0, 7, true},       {PEAL_SHIFT, 3, 3, true},
        {PEAL_SHIFT, 3, 5, false},
    };

    for (size_t i = 0; i < sizeof overlaps / sizeof *overlaps; i++) {
        struct report report = run_plain(4, "full", overlapping_call, &overlaps[i]);

        if (overlaps[i].fails)
            expect_failure(report, PEAL_BAD_REQUEST, "overlap");
        else
            cr_expect(!report.failed, "%s", report.message);
    }
}

/* Calls that take turns, more kinds than a group remembers, of which each node may be at another one. */
static void
take_turns(struct peal_node *me, void *arg)
{
    int64_t a = 0;
    int roots = *(int *)arg;

    for (int i = 0; i < 60; i++) {
        if (peal_rank(me) == i % roots)
            a = i;
        peal_broadcast(me, &a, 1, i % roots);
        if (a != i)
            peal_abort(me, "another call's word");
    }
    peal_broadcast(me, &a, 1, peal_rank(me) == 2 ? 1 : 0);
}

Test(mismatch, is_told_of_a_call_that_was_right_before, .timeout = 20)
{
    for (int roots = 1; roots <= 7; roots++)
        for (int way = 0; way < 3; way++) {
            struct peal_options options = options_for(8, "full");

            options.eager = way == 1;
            options.eager_words = 1;
            options.engine = way == 2 ? "threads" : options.engine;
            options.wake_all = way == 2;
            struct report report = run_on(&options, take_turns, &roots);

            expect_failure(report, PEAL_COLLECTIVE_MISMATCH,
                           "the 61st collective of all 8 nodes is not one call: node ");
            cr_expect_not_null(strstr(report.message, " calls broadcast of 1 word with root 0 ("), "%s",
                               report.message);
            cr_expect_not_null(strstr(report.message, "node 2 calls broadcast of 1 word with root 1 ("), "%s",
                               report.message);
        }
}

/* The names lie in one place, one after the other; or each in its own. */
static void
write_names(struct peal_node *me, void *arg)
{
    static const char *const names[] = {"linear", "chain:2", "binomial"};
    char name[16];
    int64_t a[6] = {0};

    for (int i = 0; i < 9; i++) {
        snprintf(name, sizeof name, "%s", names[i % 3]);
        peal_broadcast_by(me, arg != NULL ? name : names[i % 3], a, 6, 0);
    }
}

Test(calls, go_by_an_algorithms_name_and_not_by_where_it_lies, .timeout = 20)
{
    struct peal_cost cost[2];

    for (int i = 0; i < 2; i++) {
        struct peal_options options = options_for(5, "full");
        struct peal_machine *machine = peal_machine_create(&options, NULL);

        cr_assert_not_null(machine);
        cr_assert_null(peal_run(machine, write_names, i == 1 ? machine : NULL));
        cost[i] = peal_machine_cost(machine);
        peal_machine_destroy(machine);
    }
    cr_expect_eq(cost[0].alpha, 3 * (4 + 5 + 3), "%lld", (long long)cost[0].alpha);
    cr_expect_eq(cost[1].alpha, cost[0].alpha);
    cr_expect_eq(cost[1].beta, cost[0].beta);
}
