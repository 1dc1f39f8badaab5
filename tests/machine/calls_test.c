/* SPDX-License-Identifier: MIT */
/* The promises of each call of a node program. */
#include "tests/machine/harness.h"
#include <unistd.h>

/* ------------------------------------------------------------------ requests */

static void
ring_shift(struct peal_node *me, void *arg)
{
    int next = (peal_rank(me) + 1) % peal_size(me), before = (peal_rank(me) + peal_size(me) - 1) % peal_size(me);
    int64_t x = peal_rank(me), y = -1;

    (void)arg;
    struct peal_handle out = peal_send_async(me, &x, 1, next), in = peal_recv_async(me, &y, 1, before);
    struct peal_message message = peal_wait(me, in);

    cr_assert_eq(y, before);
    cr_assert_eq(message.source, before);
    cr_assert_eq(message.tag, 0);
    cr_assert_eq(message.words, 1);
    peal_wait(me, out);
}

Test(calls, a_ring_shift_takes_one_round, .timeout = 20)
{
    for (int nodes = 1; nodes <= 9; nodes++) {
        struct peal_machine *machine = run_well(options_for(nodes), ring_shift, NULL);

        expect_cost(machine, 1, 1, 0, 0);
        cr_expect_eq(peal_machine_schedule(machine)->transfer_count, (size_t)nodes);
        peal_machine_destroy(machine);
    }
}

static void
any_source_tells_who(struct peal_node *me, void *arg)
{
    int64_t x = 100 + peal_rank(me), y = 0;

    (void)arg;
    if (peal_rank(me) > 0) {
        peal_send_tag(me, &x, 1, 0, 10 + peal_rank(me));
        return;
    }
    for (int i = 1; i < peal_size(me); i++) {
        struct peal_message message = peal_wait(me, peal_recv_async_tag(me, &y, 1, PEAL_ANY_SOURCE, PEAL_ANY_TAG));

        cr_assert_eq(message.source, i); /* all were posted in the same phase: by rank */
        cr_assert_eq(message.tag, 10 + i);
        cr_assert_eq(y, 100 + i);
    }
}

Test(calls, a_receive_from_any_source_takes_the_first_in_the_order_of_admission, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(5), any_source_tells_who, NULL);

    cr_expect_str_eq(schedule_text(machine), "1>0:1 | 2>0:1 | 3>0:1 | 4>0:1");
    peal_machine_destroy(machine);
}

static void
who_came_first(struct peal_node *me, void *arg)
{
    int64_t x = peal_rank(me);
    int *order = arg; /* written by node 0 alone */

    if (peal_rank(me) > 0)
        peal_send(me, &x, 1, 0);
    else
        for (int i = 1; i < peal_size(me); i++)
            order[i - 1] = peal_recv(me, &x, 1, PEAL_ANY_SOURCE).source;
}

Test(calls, a_seed_permutes_receives_from_any_source_and_the_same_seed_does_it_alike, .timeout = 20)
{
    int seen[3][15], changed = 0;

    for (int i = 0; i < 3; i++) {
        struct peal_options options = options_for(16);

        options.seed = i < 2 ? 7 : 8;
        peal_machine_destroy(run_well(options, who_came_first, seen[i]));
    }
    cr_expect_arr_eq(seen[0], seen[1], sizeof seen[0]);
    for (int i = 0; i < 15; i++)
        changed += seen[0][i] != seen[2][i];
    cr_expect_gt(changed, 0);
    for (int i = 0, sum = 0; i < 15; i++)
        if (sum += seen[0][i], i == 14)
            cr_expect_eq(sum, 120, "each comes once");
}

static void
tags_in_reverse(struct peal_node *me, void *arg)
{
    int64_t x[3] = {1, 2, 3}, y[3] = {0};
    struct peal_handle handles[3];

    (void)arg;
    for (int i = 0; i < 3; i++)
        handles[i] =
            peal_rank(me) == 0 ? peal_send_async_tag(me, &x[i], 1, 1, i) : peal_recv_async_tag(me, &y[i], 1, 0, 2 - i);
    for (int i = 0; i < 3; i++)
        peal_wait(me, handles[i]);
    if (peal_rank(me) == 1)
        cr_assert(y[0] == 3 && y[1] == 2 && y[2] == 1);
}

Test(calls, tags_choose_the_message, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(2), tags_in_reverse, NULL);

    cr_expect_str_eq(schedule_text(machine), "0>1:1 | 0>1:1 | 0>1:1");
    peal_machine_destroy(machine);
}

static void
pieces(struct peal_node *me, void *arg)
{
    int64_t x[8] = {0, 1, 2, 3, 4, 5, 6, 7}, y[8], z = -1;

    (void)arg;
    for (int i = 0; i < 8; i++)
        y[i] = -1;
    if (peal_rank(me) == 0) {
        struct peal_piece list[] = {{&x[6], 2}, {NULL, 0}, {&x[0], 3}};
        struct peal_handle handle = peal_sendv_async(me, list, 3, 1);

        list[0].data = NULL; /* the list is ours again */
        peal_wait(me, handle);
    } else {
        struct peal_piece list[] = {{&z, 1}, {&y[2], 3}, {&y[7], 1}};
        struct peal_message message = peal_wait(me, peal_recvv_async(me, list, 3, 0));

        cr_assert_eq(message.words, 5);
        cr_assert(z == 6 && y[2] == 7 && y[3] == 0 && y[4] == 1 && y[7] == 2);
        cr_assert(y[0] == -1 && y[1] == -1 && y[5] == -1 && y[6] == -1);
    }
}

Test(calls, a_message_is_gathered_from_pieces_and_scattered_to_others, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(2), pieces, NULL);

    expect_cost(machine, 1, 5, 0, 0);
    cr_expect_eq(peal_machine_host(machine).copied_words, 5, "each word is copied once");
    peal_machine_destroy(machine);
}

static void
short_message(struct peal_node *me, void *arg)
{
    int64_t x[4] = {1, 2, 3, 4}, y[4] = {9, 9, 9, 9};

    (void)arg;
    if (peal_rank(me) == 0) {
        peal_send(me, x, 2, 1);
    } else {
        cr_assert_eq(peal_recv(me, y, 4, 0).words, 2);
        cr_assert(y[0] == 1 && y[1] == 2 && y[2] == 9 && y[3] == 9);
    }
}

Test(calls, a_shorter_message_leaves_the_rest_of_the_buffer_alone, .timeout = 20)
{
    peal_machine_destroy(run_well(options_for(2), short_message, NULL));
}

static void
no_words(struct peal_node *me, void *arg)
{
    (void)arg;
    if (peal_rank(me) == 0)
        peal_send(me, NULL, 0, 1);
    else
        cr_assert_eq(peal_recv(me, NULL, 0, 0).words, 0);
}

Test(calls, a_message_of_no_words_is_a_transfer, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(2), no_words, NULL);

    expect_cost(machine, 1, 0, 0, 0);
    peal_machine_destroy(machine);
}

static void
to_myself(struct peal_node *me, void *arg)
{
    int64_t x = 5, y = 0;

    (void)arg;
    peal_sendrecv(me, &x, 1, peal_rank(me), &y, 1, peal_rank(me));
    cr_assert_eq(y, 5);
}

Test(calls, a_message_to_oneself_takes_a_round_and_no_link, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(3), to_myself, NULL);
    const struct peal_schedule *schedule = peal_machine_schedule(machine);

    expect_cost(machine, 1, 1, 0, 0);
    for (size_t i = 0; i < schedule->kept_transfers; i++)
        cr_expect(schedule->transfers[i].hops == 0 && schedule->transfers[i].k == 1);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ tests, rests, eager */

static void
testing(struct peal_node *me, void *arg)
{
    int64_t x = 3, y = 0;
    int asked = 0;
    struct peal_message message;

    (void)arg;
    if (peal_rank(me) == 0) {
        for (int i = 0; i < 4; i++)
            peal_next_round(me);
        peal_send(me, &x, 1, 1);
        return;
    }
    struct peal_handle handle = peal_recv_async(me, &y, 1, 0);

    while (!peal_test_message(me, handle, &message))
        asked++;
    cr_assert_eq(asked, 4); /* rests through the four empty rounds; the fifth brings it */
    cr_assert(y == 3 && message.source == 0 && message.words == 1);
}

Test(calls, a_test_rests_one_round_and_then_answers, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(2), testing, NULL);

    expect_cost(machine, 1, 1, 0, 0);
    cr_expect_eq(peal_machine_host(machine).rounds, 5);
    peal_machine_destroy(machine);
}

static void
both_send_first(struct peal_node *me, void *arg)
{
    int64_t x = peal_rank(me), y = -1;
    size_t words = *(const size_t *)arg;

    peal_send(me, &x, words, 1 - peal_rank(me));
    x = 77; /* an eager message was copied */
    peal_recv(me, &y, words, 1 - peal_rank(me));
    cr_assert(words == 0 || y == 1 - peal_rank(me));
}

Test(calls, eager_sends_complete_at_the_post, .timeout = 20)
{
    for (size_t words = 0; words <= 1; words++) {
        struct peal_options options = options_for(2);

        options.eager = true;
        options.eager_words = words;
        struct peal_machine *machine = run_well(options, both_send_first, &words);

        expect_cost(machine, 1, (int64_t)words, 0, 0);
        peal_machine_destroy(machine);
    }
}

Test(calls, without_eager_delivery_the_same_is_a_deadlock, .timeout = 20)
{
    size_t words = 1;
    struct peal_options options = options_for(2);

    options.eager = true; /* messages of no words only */
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options, both_send_first, &words);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_expect_eq(failure->cycle_length, 2);
    cr_expect(failure->cycle[0] == 0 && failure->cycle[1] == 1);
    cr_expect_eq(failure->node_count, 2);
    cr_expect_str_eq(failure->nodes[0].what, "send");
    cr_expect_eq(failure->nodes[0].peer, 1);
    cr_expect_eq(failure->nodes[0].words, 1);
    peal_machine_destroy(machine);
}

static void
carried_ahead(struct peal_node *me, void *arg)
{
    int64_t x[3] = {1, 2, 3}, y = 0;

    (void)arg;
    if (peal_rank(me) == 0) {
        for (int i = 0; i < 3; i++)
            peal_send(me, &x[i], 1, 1);
        return;
    }
    for (int i = 0; i < 5; i++)
        peal_next_round(me);
    for (int i = 0; i < 3; i++) {
        peal_recv(me, &y, 1, 0);
        cr_assert_eq(y, i + 1);
    }
}

Test(calls, messages_carried_ahead_have_bounded_places, .timeout = 20)
{
    for (int places = 1; places <= 4; places++) {
        struct peal_options options = options_for(2);

        options.eager = true;
        options.eager_words = 1;
        options.mailbox = places;
        struct peal_machine *machine = run_well(options, carried_ahead, NULL);

        expect_cost(machine, 3, 3, 0, 0);
        peal_machine_destroy(machine);
    }
}

static void
many_posts(struct peal_node *me, void *arg)
{
    enum { POSTS = 20 };
    int64_t x[POSTS], y[POSTS];

    (void)arg;
    for (int i = 0; i < POSTS; i++) {
        x[i] = i;
        if (peal_rank(me) == 0)
            peal_send_async(me, &x[i], 1, 1);
        else
            peal_recv_async(me, &y[i], 1, 0);
    }
    peal_wait_all(me);
    for (int i = 0; i < POSTS && peal_rank(me) == 1; i++)
        cr_assert_eq(y[i], i);
}

Test(calls, a_post_to_a_full_box_waits_for_a_place, .timeout = 20)
{
    for (int places = 1; places <= 21; places += 4) {
        struct peal_options options = options_for(2);

        options.mailbox = places;
        struct peal_machine *machine = run_well(options, many_posts, NULL);

        expect_cost(machine, 20, 20, 0, 0);
        peal_machine_destroy(machine);
    }
}

/* ------------------------------------------------------------------ time and chance */

static void
computing(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    peal_compute(me, 10 * (peal_rank(me) + 1));
    if (peal_rank(me) == 0) {
        cr_assert_float_eq(peal_clock(me), 20.0, 1e-9); /* τ = 2 */
        peal_send(me, &x, 1, 1);
        peal_compute(me, 7);
    } else if (peal_rank(me) == 1) {
        peal_recv(me, &x, 1, 0);
        cr_assert_float_eq(peal_clock(me), 1000.0 + 1 + 2 * 30, 1e-9);
    }
}

Test(calls, operations_are_charged_with_the_round_that_follows_them, .timeout = 20)
{
    struct peal_options options = options_for(3);

    options.parameters.tau = 2;
    struct peal_machine *machine = run_well(options, computing, NULL);

    expect_cost(machine, 1, 1, 0, 37); /* 30 of node 2 before the round, 7 of node 0 in a round of their own */
    expect_path(machine, 1, 1, 0, 27); /* node 1 computes 20, the message, node 0 computes 7 */
    cr_expect_eq(peal_machine_schedule(machine)->round_count, 2);
    peal_machine_destroy(machine);
}

static void
pipeline(struct peal_node *me, void *arg)
{
    int64_t x[10] = {0};
    int rank = peal_rank(me);

    (void)arg;
    if (rank == 0)
        peal_send(me, x, 10, 1);
    if (rank == 2)
        peal_send(me, x, 2, 3);
    if (rank == 1)
        peal_recv(me, x, 10, 0);
    if (rank == 3) {
        peal_recv(me, x, 2, 2);
        peal_send(me, x, 4, 2);
    }
    if (rank == 2)
        peal_recv(me, x, 4, 3);
}

Test(calls, the_critical_path_has_no_global_step, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(4), pipeline, NULL);

    expect_cost(machine, 2, 14, 0, 0); /* rounds of 10 and 4 words */
    expect_path(machine, 2, 6, 0, 0);  /* 2 there and 4 back; the ten words need one start-up only */
    peal_machine_destroy(machine);
}

static void
draw(struct peal_node *me, void *arg)
{
    uint64_t *numbers = arg; /* each node its own element */

    numbers[peal_rank(me)] = peal_random(me) ^ peal_random(me) << 1;
}

Test(calls, random_numbers_depend_on_seed_and_rank_only, .timeout = 20)
{
    uint64_t numbers[3][4];

    for (int i = 0; i < 3; i++) {
        struct peal_options options = options_for(4);

        options.seed = i == 2;
        options.carriers = i + 1;
        peal_machine_destroy(run_well(options, draw, numbers[i]));
    }
    cr_expect_arr_eq(numbers[0], numbers[1], sizeof numbers[0]);
    for (int i = 0; i < 4; i++) {
        cr_expect_neq(numbers[0][i], numbers[2][i]);
        cr_expect_neq(numbers[0][i], numbers[0][(i + 1) % 4]);
    }
}

/* ------------------------------------------------------------------ groups */

static void
rows(struct peal_node *me, void *arg)
{
    int rank = peal_rank(me), got = -1;
    struct peal_node *row = peal_split(me, rank / 3, -rank); /* rows of three, backwards */
    struct peal_node *column = peal_split(me, rank % 3, rank);

    (void)arg;
    cr_assert_eq(peal_size(row), 3);
    cr_assert_eq(peal_rank(row), 2 - rank % 3);
    cr_assert_eq(peal_rank_in_world(row, peal_rank(row)), rank);
    cr_assert_eq(peal_size(column), peal_size(me) / 3);
    cr_assert_eq(peal_rank(column), rank / 3);

    /* the same tag in three contexts: the messages never meet */
    int64_t x[3] = {rank, 100 + rank, 200 + rank}, y[3];
    int in_row = (peal_rank(row) + 1) % 3, in_column = (peal_rank(column) + 1) % peal_size(column);

    peal_recv_async(me, &y[0], 1, PEAL_ANY_SOURCE);
    peal_recv_async(row, &y[1], 1, PEAL_ANY_SOURCE);
    peal_recv_async(column, &y[2], 1, PEAL_ANY_SOURCE);
    peal_send_async(column, &x[2], 1, in_column);
    peal_send_async(row, &x[1], 1, in_row);
    peal_send_async(me, &x[0], 1, (rank + 1) % peal_size(me));
    peal_wait_all(row);
    got = (int)y[1] - 100;
    cr_assert_eq(got / 3, rank / 3);
    peal_wait_all(column);
    got = (int)y[2] - 200;
    cr_assert_eq(got % 3, rank % 3);
    peal_wait_all(me);
    cr_assert_eq(y[0], (rank + peal_size(me) - 1) % peal_size(me));
}

Test(calls, groups_have_their_own_ranks_and_contexts, .timeout = 20)
{
    peal_machine_destroy(run_well(options_for(12), rows, NULL));
}

static void
some_stay_out(struct peal_node *me, void *arg)
{
    struct peal_node *even = peal_split(me, peal_rank(me) % 2 ? PEAL_NO_COLOR : 0, 0);

    (void)arg;
    cr_assert_eq(!even, peal_rank(me) % 2);
    if (even)
        cr_assert_eq(peal_rank(even), peal_rank(me) / 2);
}

Test(calls, a_node_without_a_color_is_in_no_group_and_a_split_is_not_charged, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(5), some_stay_out, NULL);

    expect_cost(machine, 0, 0, 0, 0);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ memory and output */

static void
zero_memory(struct peal_node *me, void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        size_t words = i < 2 ? 300000 : 10;
        int64_t *x = peal_alloc(me, words);

        for (size_t j = 0; j < words; j++)
            cr_assert_eq(x[j], 0);
        memset(x, 0xff, words * sizeof *x);
        peal_free(me, x);
    }
    cr_assert(peal_alloc(me, 0));
}

Test(calls, allocated_words_are_zero_also_the_second_time, .timeout = 20)
{
    peal_machine_destroy(run_well(options_for(2), zero_memory, NULL));
}

static void
talk(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_printf(me, "one %d\ntwo", peal_rank(me));
    peal_next_round(me);
    peal_printf(me, " %d\n", peal_rank(me));
    if (peal_rank(me) == 1)
        peal_printf(me, "no newline");
}

static char *
output_of(struct peal_options options, peal_program program)
{
    static char text[1000];
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    options.output = ends[1];
    peal_machine_destroy(run_well(options, program, NULL));
    close(ends[1]);
    ssize_t count = read(ends[0], text, sizeof text - 1);

    cr_assert(count >= 0);
    text[count] = '\0';
    close(ends[0]);
    return text;
}

Test(calls, output_comes_in_whole_lines_in_the_order_of_the_ranks, .timeout = 20)
{
    struct peal_options options = options_for(3);

    cr_expect_str_eq(output_of(options, talk), "one 0\none 1\none 2\ntwo 0\ntwo 1\ntwo 2\nno newline\n");
    options.tag_output = true;
    options.wake_all = !on_fibers();
    cr_expect_str_eq(output_of(options, talk),
                     "0: one 0\n1: one 1\n2: one 2\n0: two 0\n1: two 1\n2: two 2\n1: no newline\n");
}
