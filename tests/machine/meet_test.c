/* SPDX-License-Identifier: MIT */
/* Meetings. */
#include "tests/machine/harness.h"

static void
meets_all(struct peal_node *me, void *arg)
{
    int r = peal_rank(me), P = peal_size(me);
    int64_t mine[2] = {r, r * r}, *all = peal_alloc(me, (size_t)(2 * P));
    struct peal_meeting meeting = {.mine = mine, .all = r == 1 ? NULL : all, .bytes = sizeof mine};

    (void)arg;
    for (int i = 0; i < r; i++)
        peal_next_round(me);
    cr_expect_null(peal_meet(me, &meeting));
    for (int i = 0; i < P && r != 1; i++)
        cr_expect(all[2 * i] == i && all[2 * i + 1] == i * i);
    peal_meet(me, &(struct peal_meeting){.bytes = 0});
}

Test(meet, nodes_meet_uncharged_and_bring_bytes)
{
    for (int nodes = 1; nodes <= 5; nodes++) {
        struct peal_machine *machine = run_well(options_for(nodes), meets_all, NULL);

        expect_cost(machine, 0, 0, 0, 0);
        peal_machine_destroy(machine);
    }
}

static void
makes_a_group(struct peal_node *me, void *arg)
{
    static const int some[] = {4, 1, 3};
    int r = peal_rank(me);
    int64_t x = r, sum = r;
    struct peal_meeting meeting = {.ranks = some, .count = 3, .group = true, .mine = &x, .bytes = sizeof x};
    int64_t all[3];

    (void)arg;
    meeting.all = all;
    if (r == 4 || r == 1 || r == 3) {
        struct peal_node *group = peal_meet(me, &meeting), *again = peal_meet(me, &meeting);

        cr_assert(group && again);
        cr_expect(all[0] == 4 && all[1] == 1 && all[2] == 3);
        cr_expect_eq(peal_size(group), 3);
        cr_expect_eq(some[peal_rank(group)], r);
        cr_expect_eq(peal_rank_in_world(group, 0), 4);
        peal_allreduce(group, PEAL_SUM_INT64, &sum, 1);
        cr_expect_eq(sum, 8);
        /* another context */
        int64_t y = 0;

        if (peal_rank(group) == 0) {
            peal_send_async(group, &x, 1, 1);
            peal_send_async(again, &sum, 1, 1);
            peal_wait_all(group);
            peal_wait_all(again);
        } else if (peal_rank(group) == 1) {
            peal_recv(again, &y, 1, 0);
            cr_expect_eq(y, 8);
            peal_recv(group, &y, 1, 0);
            cr_expect_eq(y, 4);
        }
        static const int inner[] = {1, 2};

        if (peal_rank(group) > 0) { /* ranks of the group */
            struct peal_node *two =
                peal_meet(group, &(struct peal_meeting){.ranks = inner, .count = 2, .number = 7, .group = true});

            cr_expect_eq(peal_size(two), 2);
            cr_expect_eq(peal_rank_in_world(two, 0), 1);
        }
    }
    peal_barrier(me);
}

Test(meet, a_group_is_made_of_exactly_these_nodes)
{
    peal_machine_destroy(run_well(options_for(6), makes_a_group, NULL));
}

static void
meets_in_two_ways(struct peal_node *me, void *arg)
{
    int pair[] = {0, 1}, reversed[] = {1, 0};
    struct peal_meeting meetings[] = {{.ranks = pair, .count = 2, .number = 1},
                                      {.ranks = pair, .count = 2, .number = *(const int *)arg == 0 ? 2 : 1},
                                      {.ranks = reversed, .count = 2, .number = 1}};
    const int which = *(const int *)arg;

    if (which == 0) /* numbers tell them apart: each waits for the other */
        peal_meet(me, &meetings[peal_rank(me)]);
    else if (which == 1) /* the order does, too */
        peal_meet(me, &meetings[peal_rank(me) == 0 ? 0 : 2]);
    else
        peal_meet(me, &meetings[0]);
}

Test(meet, lists_and_numbers_tell_meetings_apart)
{
    for (int which = 0; which < 2; which++) {
        struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(2), meets_in_two_ways, &which);
        const struct peal_failure *failure = peal_machine_failure(machine);

        cr_expect_eq(failure->cycle_length, 2);
        cr_expect_str_eq(failure->nodes[0].state, "meets");
        cr_expect(strstr(failure->message, "node 0 waits to meet node 1 (meet_test.c:"), "%s", failure->message);
        peal_machine_destroy(machine);
    }
    peal_machine_destroy(run_well(options_for(2), meets_in_two_ways, &(int){2}));
}

static void
does_not_come(struct peal_node *me, void *arg)
{
    (void)arg;
    if (peal_rank(me) != 2)
        peal_meet(me, &(struct peal_meeting){.group = true});
}

Test(meet, a_node_that_never_comes_is_named)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(3), does_not_come, NULL);

    cr_expect(strstr(peal_machine_failure(machine)->message, "waits to meet node 2, which has finished"), "%s",
              peal_machine_failure(machine)->message);
    peal_machine_destroy(machine);
}

static void
meets_wrongly(struct peal_node *me, void *arg)
{
    static const int ranks[][2] = {{0, 2}, {1, 1}, {1 - 1, 1}};
    const int which = *(const int *)arg;
    int64_t bytes[2] = {0};
    struct peal_meeting meeting = {.ranks = ranks[which < 2 ? which : 2], .count = 2, .mine = bytes};

    if (which == 2 && peal_rank(me) == 0)
        meeting.count = 1, meeting.ranks = &ranks[1][0];
    if (which == 3)
        meeting.bytes = 8 + 8 * (size_t)peal_rank(me);
    if (which == 4)
        meeting.group = peal_rank(me);
    peal_meet(me, &meeting);
}

Test(meet, wrong_meetings_fail)
{
    static const enum peal_failure_kind kinds[] = {PEAL_BAD_RANK, PEAL_BAD_REQUEST, PEAL_BAD_REQUEST,
                                                   PEAL_COLLECTIVE_MISMATCH, PEAL_COLLECTIVE_MISMATCH};

    for (int i = 0; i < 5; i++)
        peal_machine_destroy(run_into(kinds[i], options_for(2), meets_wrongly, &i));
}
