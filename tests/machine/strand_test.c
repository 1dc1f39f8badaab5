/* SPDX-License-Identifier: MIT */
/* Strands of right programs; those of wrong ones are in strand_wrong_test.c. */
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

Test(strand, it_has_its_own_clock)
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
