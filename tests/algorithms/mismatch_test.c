/* SPDX-License-Identifier: MIT */
/* Nodes that call different collectives. */
#include "reports.h"
#include <criterion/parameterized.h>

/* ------------------------------------------------------------------ calls that differ */

/* Node 2's difference from the others. */
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

ParameterizedTestParameters(mismatch, is_reported_with_both_calls)
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

/* The report is one on one carrier and on several, where nodes call in any order. */
ParameterizedTest(struct difference *d, mismatch, is_reported_with_both_calls, .timeout = 20)
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
                 "(mismatch_test.c:%d)%s",
                 d->one, file, d->other, report.line, d->end);
        cr_expect_str_eq(report.message, text);
        cr_expect(strncmp(file, "(mismatch_test.c:", 17) == 0, "%s", file);
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

Test(mismatch, is_found_at_the_end_where_no_node_waits, .timeout = 10)
{
    expect_failure(
        run_plain(4, "full", stay_away, NULL), PEAL_COLLECTIVE_MISMATCH,
        "not every node makes the 2nd collective of all 4 nodes: node 0 calls multicast of 1 word with root 0 "
        "(mismatch_test.c:");
    expect_failure(run_plain(4, "full", stay_away, NULL), PEAL_COLLECTIVE_MISMATCH,
                   "as do nodes 1 and 2; node 3 has finished after 1 of them");
}

static void
leave_the_last_out(struct peal_node *me, void *arg)
{
    struct peal_node *half = peal_split(me, peal_rank(me) / 2, 0);

    (void)arg;
    if (peal_rank(me) != 3)
        peal_barrier(half);
}

Test(mismatch, is_what_stops_nodes_that_wait_for_one_that_has_finished, .timeout = 10)
{
    struct report report = run_plain(4, "full", leave_the_last_out, NULL);

    expect_failure(report, PEAL_COLLECTIVE_MISMATCH,
                   "not every node makes the 1st collective of a group of 2 nodes made at mismatch_test.c:");
    expect_failure(report, PEAL_COLLECTIVE_MISMATCH, ": node 2 calls barrier (mismatch_test.c:");
    expect_failure(report, PEAL_COLLECTIVE_MISMATCH, "); node 3 has finished");
}

/* Each node calls the barrier of another group first. */
static void
barriers_crosswise(struct peal_node *me, void *arg)
{
    struct peal_node *one = peal_split(me, 0, 0), *other = peal_split(me, 0, 0);

    (void)arg;
    peal_barrier(peal_rank(me) == 1 ? other : one);
    peal_barrier(peal_rank(me) == 1 ? one : other);
}

Test(mismatch, is_what_stops_barriers_of_different_groups, .timeout = 10)
{
    struct report report = run_plain(3, "full", barriers_crosswise, NULL);

    expect_failure(report, PEAL_COLLECTIVE_MISMATCH,
                   "collectives of 2 groups wait for one another: node 0 calls barrier");
    expect_failure(report, PEAL_COLLECTIVE_MISMATCH,
                   "before that of A; A: a group of 3 nodes made at mismatch_test.c:");
    expect_failure(report, PEAL_COLLECTIVE_MISMATCH, "the 2nd there, of nodes 0, 1 and 2");
}

/* Nodes that wait for something else are not a mismatch: the last one's message never comes. */
static void
receive_before_the_barrier(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    if (peal_rank(me) == 2)
        peal_recv(me, &x, 1, 0);
    peal_barrier(me);
}

Test(mismatch, is_none_where_a_node_waits_for_a_message_first, .timeout = 10)
{
    expect_failure(run_plain(3, "full", receive_before_the_barrier, NULL), PEAL_DEADLOCK,
                   "node 2 waits to receive 1 word from node 0");
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

Test(mismatch, is_reported_of_a_call_that_was_right_before, .timeout = 20)
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
