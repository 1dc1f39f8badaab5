/* SPDX-License-Identifier: MIT */
/* Programs that are wrong in their strands. */
#include "tests/machine/harness.h"

static void
meets_barrier(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_barrier(me);
}

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
    peal_detach(me, peal_start(me, NULL, meets_barrier, NULL));
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
        {joins_twice, "was waited for before"},
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

Test(strand, its_posts_are_waited_for_in_it)
{
    peal_machine_destroy(run_into(PEAL_LOST_REQUEST, options_for(2), starts_a_careless_one, NULL));
}
