/* SPDX-License-Identifier: MIT */
/* The text of a deadlock has, for each node, the request that makes the edge of the cycle, the collective it belongs
 * to, and the full box. */
#include "harness.h"
#include <criterion/criterion.h>
#include <string.h>

/* Run into a deadlock with this cycle, and expect these texts in its message, up to NULL. */
static void
expect_deadlock(struct peal_options options, peal_program program, const int *cycle, int length,
                const char *const *texts)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options, program, NULL);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_assert_eq(failure->cycle_length, length, "%s", failure->message);
    cr_expect(length == 0 || memcmp(failure->cycle, cycle, (size_t)length * sizeof *cycle) == 0, "another cycle");
    for (; *texts; texts++)
        cr_expect(strstr(failure->message, *texts), "\"%s\" is not in \"%s\"", *texts, failure->message);
    peal_machine_destroy(machine);
}

/* Node 2's first incomplete request is its send to 3; it waits for 1 in a barrier. */
static void
a_barrier_in_a_cycle(struct peal_node *me, void *arg)
{
    int64_t x = 0, y;
    int rank = peal_rank(me);

    (void)arg;
    if (rank == 1)
        peal_recv(me, &y, 1, 3);
    if (rank == 2)
        peal_send_async(me, &x, 1, 3);
    if (rank == 3)
        peal_recv_tag(me, &y, 1, 2, 7);
    peal_barrier(me);
}

Test(deadlock, names_the_request_of_each_edge_and_its_collective, .timeout = 20)
{
    static const int cycle[] = {1, 3, 2};
    static const char *const texts[] = {
        "node 1 waits to receive 1 word from node 3 (deadlock_test.c:",
        "node 3 waits to receive 1 word with tag 7 from node 2 (deadlock_test.c:",
        "node 2 waits in its barrier to receive 0 words from node 1 (deadlock_test.c:", NULL};

    expect_deadlock(options_for(4), a_barrier_in_a_cycle, cycle, 3, texts);
}

/* Node 1 posted a receive from 2 long before; it waits for a message of node 0, which has finished. */
static void
a_request_of_before(struct peal_node *me, void *arg)
{
    int64_t x = 0, y = 0;

    (void)arg;
    if (peal_rank(me) == 1) {
        peal_recv_async(me, &x, 1, 2);
        peal_recv(me, &y, 1, 0);
    }
    if (peal_rank(me) == 2)
        peal_recv(me, &y, 1, 1);
}

Test(deadlock, says_where_a_request_without_a_wait_was_posted, .timeout = 20)
{
    static const int cycle[] = {1, 2};
    static const char *const texts[] = {"node 1 has yet to receive 1 word from node 2 (deadlock_test.c:59), and waits "
                                        "(deadlock_test.c:60)",
                                        "node 2 waits to receive 1 word from node 1 (deadlock_test.c:63)", NULL};

    expect_deadlock(options_for(3), a_request_of_before, cycle, 2, texts);
}

/* Without a cycle: the request that the blocked call waits for, not the first one posted. */
static void
a_partner_that_has_finished(struct peal_node *me, void *arg)
{
    int64_t x = 0, y;

    (void)arg;
    if (peal_rank(me) == 1) {
        peal_send_async(me, &x, 1, 0);
        peal_recv(me, &y, 1, 2);
    }
}

Test(deadlock, names_the_requests_of_the_blocked_call, .timeout = 20)
{
    static const char *const texts[] = {"node 1 waits to receive 1 word from node 2, which has finished", NULL};

    expect_deadlock(options_for(3), a_partner_that_has_finished, NULL, 0, texts);
}

static void
two_receives(struct peal_node *me, void *arg)
{
    int64_t x = 0, y[2];
    int other = 1 - peal_rank(me);

    (void)arg;
    peal_recv_async(me, &y[0], 1, other);
    peal_recv_async(me, &y[1], 1, other);
    peal_send(me, &x, 1, other);
    peal_send(me, &x, 1, other);
    peal_wait_all(me);
}

Test(deadlock, names_a_full_mailbox, .timeout = 20)
{
    static const int cycle[] = {0, 1};
    static const char *const texts[] = {
        "node 0 cannot post a receive since its mailbox (1 place) is full, and waits to receive 1 word from node 1 (",
        "node 1 cannot post a receive since its mailbox (1 place) is full, and waits to receive 1 word from node 0 (",
        NULL};
    struct peal_options options = options_for(2);

    options.mailbox = 1;
    expect_deadlock(options, two_receives, cycle, 2, texts);
}

static void
three_sends(struct peal_node *me, void *arg)
{
    int64_t x[3] = {0}, y;
    int other = 1 - peal_rank(me);

    (void)arg;
    for (int i = 0; i < 3; i++)
        peal_send_async(me, &x[i], 1, other);
    for (int i = 0; i < 3; i++)
        peal_recv(me, &y, 1, other);
    peal_wait_all(me);
}

Test(deadlock, names_a_full_outbox, .timeout = 20)
{
    static const int cycle[] = {0, 1};
    static const char *const texts[] = {
        "node 0 cannot post a send since its outbox (2 places) is full, and waits to send 1 word to node 1 (", NULL};
    struct peal_options options = options_for(2);

    options.mailbox = 2;
    expect_deadlock(options, three_sends, cycle, 2, texts);
}

/* Two are carried ahead, and take the receiver's two places; two more fill the outbox. */
static void
five_eager_sends(struct peal_node *me, void *arg)
{
    int64_t x = 0, y;
    int other = 1 - peal_rank(me);

    (void)arg;
    for (int i = 0; i < 5; i++)
        peal_send(me, &x, 1, other);
    for (int i = 0; i < 5; i++)
        peal_recv(me, &y, 1, other);
}

Test(deadlock, names_the_receivers_of_the_eager_messages_in_a_full_outbox, .timeout = 20)
{
    static const char *const texts[] = {
        "node 0 cannot post a send since its outbox (2 places) is full of messages that are not carried, the first to "
        "node 1 (deadlock_test.c:",
        NULL};
    struct peal_options options = options_for(2);

    options.mailbox = 2;
    options.eager = true;
    options.eager_words = 1;
    expect_deadlock(options, five_eager_sends, NULL, 0, texts);
}

static void
a_split_in_a_cycle(struct peal_node *me, void *arg)
{
    int64_t x = 0, y;

    (void)arg;
    if (peal_rank(me) == 0) {
        peal_send_async(me, &x, 1, 1);
        peal_split(me, 0, 0);
    } else {
        peal_recv_tag(me, &y, 1, 0, 3);
    }
}

Test(deadlock, names_a_split, .timeout = 20)
{
    static const int cycle[] = {0, 1};
    static const char *const texts[] = {"node 0 waits for the rest of its group to split (",
                                        "node 1 waits to receive 1 word with tag 3 from node 0 (", NULL};

    expect_deadlock(options_for(2), a_split_in_a_cycle, cycle, 2, texts);
}

/* ------------------------------------------------------------------ near misses */

/* Node 0 sends what node 1 does not wait for: with another tag, in another group, or both. */
enum miss { MISS_TAG = 1, MISS_GROUP = 2 };

static void
misses(struct peal_node *me, enum miss how)
{
    struct peal_node *group = peal_split(me, 0, 0);
    int64_t x = 0;

    if (peal_rank(me) == 0)
        peal_send_tag(me, &x, 1, 1, 3);
    else
        peal_recv_tag(how & MISS_GROUP ? group : me, &x, 1, PEAL_ANY_SOURCE, how & MISS_TAG ? 0 : 3);
}

static void
misses_the_tag(struct peal_node *me, void *arg)
{
    (void)arg;
    misses(me, MISS_TAG);
}

static void
misses_the_group(struct peal_node *me, void *arg)
{
    (void)arg;
    misses(me, MISS_GROUP);
}

static void
misses_both(struct peal_node *me, void *arg)
{
    (void)arg;
    misses(me, MISS_TAG | MISS_GROUP);
}

Test(deadlock, names_a_message_that_misses_its_receive, .timeout = 20)
{
    static const int cycle[] = {0, 1};
    static const char *const
        tags[] = {"; the message of node 0 (deadlock_test.c:", ") and the receive of node 1 (deadlock_test.c:",
                  ") do not match: the tags differ: 3 and 0", "to receive 1 word with tag 0 from any node", NULL},
        *const groups[] =
            {") do not match: the groups differ: all 2 nodes and a group of 2 nodes made at deadlock_test.c:", NULL},
        *const both[] = {"; the tags differ: 3 and 0", "the groups differ: all 2 nodes and ", NULL};

    expect_deadlock(options_for(2), misses_the_tag, cycle, 2, tags);
    expect_deadlock(options_for(2), misses_the_group, cycle, 2, groups);
    expect_deadlock(options_for(2), misses_both, cycle, 2, both);
}
