/* SPDX-License-Identifier: MIT */
/* Strands. */
#include "tests/machine/harness.h"

struct work {
    int64_t *x;
    size_t n;
    int root;
    const char *by;
};

static void
broadcasts(struct peal_node *me, void *arg)
{
    const struct work *work = arg;

    peal_broadcast_by(me, work->by, work->x, work->n, work->root);
}

static void
sums(struct peal_node *me, void *arg)
{
    const struct work *work = arg;

    peal_allreduce_by(me, work->by, PEAL_SUM_INT64, work->x, work->n);
}

static void
meets_barrier(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_barrier(me);
}

static void
nothing(struct peal_node *me, void *arg)
{
    (void)me;
    ++*(int *)arg;
}

/* ------------------------------------------------------------------ right programs */

static void
two_at_once(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), P = peal_size(me);
    int64_t x[3] = {r, r, r}, y[2] = {r, 1}, came = -1, mine = r;
    struct work first = {x, 3, P > 1, "chain:2"}, second = {y, 2, 0, NULL};
    struct peal_handle one = peal_start(me, NULL, broadcasts, &first), two = peal_start(me, NULL, sums, &second);

    (void)arg;
    peal_sendrecv(me, &mine, 1, (r + 1) % P, &came, 1, (r + P - 1) % P);
    cr_expect_eq(came, (r + P - 1) % P);
    peal_join(me, r % 2 ? one : two);
    peal_join(me, r % 2 ? two : one);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(x[i], P > 1);
    cr_expect_eq(y[0], P * (P - 1) / 2);
    cr_expect_eq(y[1], P);
}

Test(strand, several_of_a_node_are_joined_in_any_order)
{
    for (int nodes = 1; nodes <= 9; nodes++) {
        peal_machine_destroy(run_well(options_for(nodes), two_at_once, NULL));
        struct peal_options options = options_for(nodes);

        options.carriers = 3;
        peal_machine_destroy(run_well(options, two_at_once, NULL));
    }
}

struct part {
    struct peal_node *half;
    int64_t sum;
};

static void
sums_of_half(struct peal_node *me, void *arg)
{
    struct part *part = arg;
    struct peal_node *half = peal_view_part(me, part->half);

    cr_expect(peal_rank(half) == peal_rank(part->half) && peal_size(half) == peal_size(part->half));
    peal_allreduce(half, PEAL_SUM_INT64, &part->sum, 1);
    peal_view_end(half);
    peal_barrier(me);
}

static void
two_of_each_half(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), low = r % 2 == 0, members = 0;
    struct peal_node *half = peal_split(me, !low, -r); /* in the opposite order */
    struct part one = {half, 1}, two = {half, 100};
    struct peal_handle first = peal_start(me, NULL, sums_of_half, &one),
                       second = peal_start(me, NULL, sums_of_half, &two);
    int64_t plain = 10000;

    (void)arg;
    peal_allreduce(half, PEAL_SUM_INT64, &plain, 1);
    peal_join(me, low ? first : second);
    peal_join(me, low ? second : first);
    members = peal_size(half);
    cr_expect(one.sum == members && two.sum == 100 * members && plain == 10000 * members);
}

Test(strand, calls_the_collectives_of_a_part_of_its_nodes)
{
    for (int nodes = 1; nodes <= 9; nodes++)
        peal_machine_destroy(run_well(options_for(nodes), two_of_each_half, NULL));
}

static void
starts_one_that_waits_for_nothing(struct peal_node *me, void *arg)
{
    int ran = 0;
    struct peal_handle strand = peal_start(me, NULL, nothing, &ran);

    (void)arg;
    cr_expect_eq(ran, 1, "it runs at once");
    cr_expect(peal_join_test(me, strand));
}

Test(strand, one_that_does_not_wait_is_complete_at_its_start)
{
    struct peal_machine *machine = run_well(options_for(3), starts_one_that_waits_for_nothing, NULL);

    expect_cost(machine, 0, 0, 0, 0);
    peal_machine_destroy(machine);
}

static void
barriers_on_two_groups(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), asked = 0;
    struct peal_node *other = peal_split(me, 0, -r);
    struct peal_handle one = PEAL_NO_HANDLE, two;

    (void)arg;
    if (r % 2)
        one = peal_start(me, NULL, meets_barrier, NULL);
    two = peal_start(other, NULL, meets_barrier, NULL);
    if (r % 2 == 0)
        one = peal_start(me, NULL, meets_barrier, NULL);
    while (!peal_join_test(me, one))
        asked++;
    peal_join(me, two);
    cr_expect(asked > 0);
}

Test(strand, groups_have_their_own_order)
{
    peal_machine_destroy(run_well(options_for(6), barriers_on_two_groups, NULL));
}

static void
waits_for_either(struct peal_node *me, void *arg)
{
    int r = peal_rank(me);
    int64_t x = 0, y = 7;
    struct peal_handle handles[2];

    (void)arg;
    if (r == 0) {
        handles[0] = peal_recv_async(me, &x, 1, 1);
        handles[1] = peal_start(me, NULL, meets_barrier, NULL);
        cr_expect_eq(peal_wait_any(me, handles, 2), 1, "the message comes after the barrier");
        peal_join(me, handles[1]);
        handles[1] = PEAL_NO_HANDLE;
        peal_send(me, &y, 1, 1);
        cr_expect_eq(peal_wait_any(me, handles, 2), 0);
        peal_wait(me, handles[0]);
        cr_expect_eq(x, 9);
    } else {
        peal_join(me, peal_start(me, NULL, meets_barrier, NULL));
        if (r == 1) {
            peal_recv(me, &x, 1, 0);
            x += 2;
            peal_send(me, &x, 1, 0);
        }
    }
}

Test(strand, its_handle_is_waited_for_with_those_of_messages)
{
    peal_machine_destroy(run_well(options_for(5), waits_for_either, NULL));
}

static void
meets_meanwhile(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), P = peal_size(me);
    struct peal_handle strand = peal_start(me, NULL, meets_barrier, NULL);
    int64_t sum = 1;

    (void)arg;
    if (r == 0)
        peal_join(me, strand); /* others must go on with theirs while they meet or split */
    struct peal_node *group = peal_meet(me, &(struct peal_meeting){.group = true});

    if (r == P - 1)
        peal_join(me, strand);
    struct peal_node *half = peal_split(me, r % 2, 0);

    if (r > 0 && r < P - 1)
        peal_join(me, strand);
    peal_allreduce(group, PEAL_SUM_INT64, &sum, 1);
    cr_expect_eq(sum, P);
    peal_allreduce(half, PEAL_SUM_INT64, &sum, 1);
    cr_expect_eq(sum, (int64_t)P * ((P + 1 - r % 2) / 2));
}

Test(strand, strands_go_on_while_their_node_meets_or_splits)
{
    for (int nodes = 2; nodes <= 9; nodes++)
        peal_machine_destroy(run_well(options_for(nodes), meets_meanwhile, NULL));
}

static void
meets(struct peal_node *me, void *arg)
{
    const struct work *work = arg;

    peal_meet(me, &(struct peal_meeting){.number = work->root});
}

static void
meets_in_strands(struct peal_node *me, void *arg)
{
    struct work one = {.root = 1}, two = {.root = 2};
    struct peal_handle a = peal_start(me, NULL, meets, &one), b = peal_start(me, NULL, meets, &two);

    (void)arg;
    peal_meet(me, &(struct peal_meeting){.number = 3});
    peal_join(me, b);
    peal_join(me, a);
}

Test(strand, strands_of_a_node_meet_at_the_same_time)
{
    peal_machine_destroy(run_well(options_for(4), meets_in_strands, NULL));
}

static void
computes(struct peal_node *me, void *arg)
{
    (void)arg;
    if (peal_rank(me) == 0)
        peal_compute(me, 100);
    peal_barrier(me);
}

static void
computes_beside(struct peal_node *me, void *arg)
{
    struct peal_handle strand = peal_start(me, NULL, computes, NULL);

    (void)arg;
    if (peal_rank(me) == 1)
        peal_compute(me, 30);
    peal_join(me, strand);
}

Test(strand, it_has_a_clock_of_its_own)
{
    struct peal_options options = options_for(2);

    options.parameters = (struct peal_parameters){1, 1, 0, 1};
    struct peal_machine *machine = run_well(options, computes_beside, NULL);

    expect_cost(machine, 1, 0, 0, 100);
    expect_path(machine, 1, 0, 0, 100);
    peal_machine_destroy(machine);
}

static void
runs_many(struct peal_node *me, void *arg)
{
    enum { MANY = 40 };
    struct peal_handle strands[MANY];
    int64_t x[MANY];
    struct work work[MANY];

    (void)arg;
    for (int i = 0; i < MANY; i++) {
        x[i] = peal_rank(me) == i % peal_size(me) ? i : -1;
        work[i] = (struct work){&x[i], 1, i % peal_size(me), NULL};
        strands[i] = peal_start(me, NULL, broadcasts, &work[i]);
    }
    peal_wait_all(me); /* joins them, too */
    for (int i = 0; i < MANY; i++)
        cr_expect_eq(x[i], i);
    (void)strands;
}

Test(strand, a_node_has_any_number_of_them)
{
    peal_machine_destroy(run_well(options_for(7), runs_many, NULL));
}

/* ------------------------------------------------------------------ wrong programs */

static void
one_calls_a_barrier(struct peal_node *me, void *arg)
{
    (void)arg;
    if (peal_rank(me) == 1)
        peal_barrier(me);
    else
        peal_join(me, peal_start(me, NULL, meets_barrier, NULL));
}

Test(strand, a_start_is_not_another_collective)
{
    struct peal_machine *machine = run_into(PEAL_COLLECTIVE_MISMATCH, options_for(3), one_calls_a_barrier, NULL);
    const char *message = peal_machine_failure(machine)->message;

    cr_expect(strstr(message, "node 0 calls strand") && strstr(message, "node 1 calls barrier"), "%s", message);
    peal_machine_destroy(machine);
}

static void
receives(struct peal_node *me, void *arg)
{
    int64_t x;

    (void)arg;
    if (peal_rank(me) == 1)
        peal_recv(me, &x, 1, 0);
}

static void
starts_a_receive(struct peal_node *me, void *arg)
{
    struct peal_handle strand = peal_start(me, NULL, receives, NULL);

    if (arg)
        peal_join(me, strand);
}

Test(strand, one_that_waits_for_ever_is_a_deadlock)
{
    int yes = 1;
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(2), starts_a_receive, &yes);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_expect(strstr(failure->message, "node 1 waits in its strand to receive 1 word from node 0, which has finished"),
              "%s", failure->message);
    cr_assert_eq(failure->node_count, 1);
    cr_expect_str_eq(failure->nodes[0].collective, "strand");
    peal_machine_destroy(machine);
}

Test(strand, one_that_is_not_joined_is_lost)
{
    struct peal_machine *machine = run_into(PEAL_LOST_REQUEST, options_for(2), starts_a_receive, NULL);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_expect_eq(failure->rank, 1);
    cr_expect(strstr(failure->message, "without joining the strand"), "%s", failure->message);
    peal_machine_destroy(machine);
}

static void
aborts(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_next_round(me);
    if (peal_rank(me) == 2)
        peal_abort(me, "in a strand");
    peal_barrier(me);
}

static void
starts_and_joins(struct peal_node *me, void *arg)
{
    peal_strand *program = arg;
    struct peal_handle one = peal_start(me, NULL, *program, NULL), two = peal_start(me, NULL, meets_barrier, NULL);

    peal_join(me, two);
    peal_join(me, one);
}

static void
expect_crash(peal_strand program, const char *words)
{
    struct peal_machine *machine = run_into(PEAL_CRASH, options_for(4), starts_and_joins, &program);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_expect_eq(failure->rank, 2);
    cr_expect(strstr(failure->message, words), "%s", failure->message);
    peal_machine_destroy(machine);
}

Test(strand, a_failure_in_one_ends_the_run)
{
    expect_crash(aborts, "in a strand");
}

#if !defined __SANITIZE_ADDRESS__
static volatile int *volatile nowhere;

static void
crashes(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_next_round(me);
    if (peal_rank(me) == 2)
        *nowhere = 1;
    peal_barrier(me);
}

static int
recurse(volatile char *above)
{
    volatile char frame[4096];

    frame[0] = above[0];
    return above == NULL ? 0 : recurse(frame) + frame[0];
}

static void
overflows(struct peal_node *me, void *arg)
{
    volatile char top = 1;

    (void)arg;
    peal_next_round(me);
    if (peal_rank(me) == 2)
        recurse(&top);
    peal_barrier(me);
}

Test(strand, a_crash_in_one_is_reported)
{
    expect_crash(crashes, "segmentation fault");
    expect_crash(overflows, "overflowed");
}
#endif

static void
starts_another(struct peal_node *me, void *arg)
{
    peal_start(me, NULL, meets_barrier, arg);
}

static void
starts_nested(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_join(me, peal_start(me, NULL, starts_another, NULL));
}

static void
starts_nothing(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_join(me, peal_start(me, NULL, NULL, NULL));
}

static void
joins_a_message(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    peal_join(me, peal_recv_async(me, &x, 1, 0));
}

static void
joins_twice(struct peal_node *me, void *arg)
{
    struct peal_handle strand = peal_start(me, NULL, meets_barrier, NULL);

    (void)arg;
    peal_join(me, strand);
    peal_join(me, strand);
}

static void
lets_go(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_let_go(me, peal_start(me, NULL, meets_barrier, NULL));
}

static void
cancels(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_cancel(me, peal_start(me, NULL, meets_barrier, NULL));
}

static struct peal_handle shared;

static void
waits_for_shared(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_wait(me, shared);
}

static void
waits_twice(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    shared = peal_recv_async(me, &x, 1, PEAL_ANY_SOURCE);
    peal_start(me, NULL, waits_for_shared, NULL);
    peal_wait(me, shared);
}

static void
views_part_of_another_node(struct peal_node *me, void *arg)
{
    static struct peal_node *first;

    (void)arg;
    if (peal_rank(me) == 0)
        first = me;
    peal_barrier(me);
    peal_view_part(me, peal_rank(me) == 0 ? me : first);
}

Test(strand, wrong_calls_are_bad_requests)
{
    const struct {
        peal_program program;
        const char *words;
    } wrong[] = {
        {starts_nested, "inside of a strand"},
        {starts_nothing, "got NULL"},
        {joins_a_message, "of a receive"},
        {joins_twice, "good for one wait"},
        {lets_go, "cannot be let go"},
        {cancels, "cannot be canceled"},
        {waits_twice, "another strand of this node waits for this handle"},
        {views_part_of_another_node, "peal_view_part expects a view of node 1, got one of node 0"},
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct peal_machine *machine = run_into(PEAL_BAD_REQUEST, options_for(i == 6 ? 1 : 3), wrong[i].program, NULL);
        const char *message = peal_machine_failure(machine)->message;

        cr_expect(strstr(message, wrong[i].words), "%s", message);
        peal_machine_destroy(machine);
    }
}

static void
joins_itself(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_next_round(me);
    peal_join(me, shared);
}

static void
starts_one_that_joins_itself(struct peal_node *me, void *arg)
{
    (void)arg;
    shared = peal_start(me, NULL, joins_itself, NULL);
    peal_next_round(me);
    peal_next_round(me);
    int64_t x = 0;

    peal_recv(me, &x, 1, 0);
}

Test(strand, one_that_joins_itself_is_a_deadlock)
{
    peal_machine_destroy(run_into(PEAL_DEADLOCK, options_for(1), starts_one_that_joins_itself, NULL));
}

static void
posts_and_leaves(struct peal_node *me, void *arg)
{
    static int64_t x;

    (void)arg;
    peal_recv_async(me, &x, 1, 0);
}

static void
starts_a_careless_one(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_join(me, peal_start(me, NULL, posts_and_leaves, NULL));
}

Test(strand, what_was_posted_in_it_is_waited_for_in_it)
{
    peal_machine_destroy(run_into(PEAL_LOST_REQUEST, options_for(2), starts_a_careless_one, NULL));
}

/* ------------------------------------------------------------------ lending */

static void
sends_first(struct peal_node *me, void *arg)
{
    int other = 1 - peal_rank(me);
    int64_t out = 5, in = 0;

    (void)arg;
    peal_send(me, &out, 1, other);
    peal_recv(me, &in, 1, other);
}

static void
is_unsafe(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_join(me, peal_start(me, NULL, sends_first, NULL));
}

Test(strand, its_sends_are_lent)
{
    struct peal_options options = options_for(2);

    options.lend_bytes = 64;
    struct peal_machine *machine = run_well(options, is_unsafe, NULL);

    size_t findings = 0;

    peal_machine_findings(machine, &findings);
    cr_expect_eq(findings, 1);
    peal_machine_destroy(machine);
    peal_machine_destroy(run_into(PEAL_DEADLOCK, options_for(2), is_unsafe, NULL));
}
