/* SPDX-License-Identifier: MIT */
/* The calls of node programs: their refusals and the places; groups, messages, barriers. */
#include "reports.h"

/* ------------------------------------------------------------------ a test an error line */

static int line_of_call;

static void
scatter_from_nowhere(struct peal_node *me, void *arg)
{
    int64_t in[4] = {0}, out;

    line_of_call = __LINE__ + 1;
    peal_scatter(me, in, 1, *(int *)arg, &out);
}

Test(calls, a_root_out_of_range_fails_at_the_callers_line, .timeout = 10)
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

/* The arguments of a wrong call with unequal blocks. */
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

Test(unequal_calls, with_a_root_out_of_range_are_refused, .timeout = 10)
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

Test(calls, a_missing_buffer_is_refused, .timeout = 10)
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

Test(calls, an_unknown_algorithm_is_refused_with_the_names_of_all, .timeout = 10)
{
    expect_failure(run_plain(4, "full", by_name, "binomal"), PEAL_BAD_REQUEST,
                   "scatter has no algorithm 'binomal'; it has binomial, linear, rda, rda-smaller");
}

Test(calls, an_algorithm_that_does_not_fit_is_refused_with_those_that_fit, .timeout = 10)
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

/* ------------------------------------------------------------------ groups, messages, barriers */

/* Rows and columns of 3 x 4 nodes run every algorithm that fits a group, while the program's own message is under
 * way. */
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
