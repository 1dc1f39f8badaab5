/* SPDX-License-Identifier: MIT */
/* Every way in which a run can fail, and that the process can go on afterwards. */
#include "tests/machine/fails.h"

static void
stuck_on_finished(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    if (peal_rank(me) == 2)
        peal_recv_tag(me, &x, 1, 0, 5);
}

Test(failures, a_missing_partner_is_named, .timeout = 20)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(3), stuck_on_finished, NULL);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_expect(strstr(failure->message, "node 2 waits to receive 1 word with tag 5 from node 0, which has finished"),
              "%s", failure->message);
    cr_expect_eq(failure->cycle_length, 0);
    cr_expect_eq(failure->node_count, 1);
    cr_expect_eq(failure->nodes[0].tag, 5);
    cr_expect(strstr(failure->nodes[0].file, "failures_test.c"));
    cr_expect_gt(failure->nodes[0].line, 0);
    peal_machine_destroy(machine);
}

static void
tail_into_a_cycle(struct peal_node *me, void *arg)
{
    static const int waits_for[] = {1, 2, 4, 4, 5, 2, 0};
    int64_t x;

    (void)arg;
    peal_recv(me, &x, 1, waits_for[peal_rank(me)]);
}

Test(failures, the_cycle_begins_at_its_lowest_rank, .timeout = 20)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(7), tail_into_a_cycle, NULL);
    const struct peal_failure *failure = peal_machine_failure(machine);
    const int cycle[] = {2, 4, 5};

    cr_assert_eq(failure->cycle_length, 3);
    cr_expect_arr_eq(failure->cycle, cycle, sizeof cycle);
    cr_expect_eq(failure->node_count, 7);
    peal_machine_destroy(machine);
}

static void
all_wait_for_any(struct peal_node *me, void *arg)
{
    int64_t x;

    (void)arg;
    if (peal_rank(me) != 1)
        peal_recv(me, &x, 1, PEAL_ANY_SOURCE);
}

Test(failures, a_receive_from_any_source_waits_for_all_others, .timeout = 20)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(4), all_wait_for_any, NULL);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_assert_eq(failure->cycle_length, 2);
    cr_expect(failure->cycle[0] == 0 && failure->cycle[1] == 2);
    peal_machine_destroy(machine);
}

static void
long_ring(struct peal_node *me, void *arg)
{
    int64_t x;

    (void)arg;
    peal_recv(me, &x, 1, (peal_rank(me) + 1) % peal_size(me));
}

Test(failures, a_cycle_of_all_nodes_is_found, .timeout = 60)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(500), long_ring, NULL);

    cr_expect_eq(peal_machine_failure(machine)->cycle_length, 500);
    peal_machine_destroy(machine);
}

static void
rest_for_ever(struct peal_node *me, void *arg)
{
    int *rounds = arg;

    for (;;) {
        peal_next_round(me);
        if (peal_rank(me) == 0 && rounds)
            ++*rounds;
    }
}

Test(failures, a_hundred_idle_rounds_are_a_livelock, .timeout = 20)
{
    int rounds = 0;
    struct peal_machine *machine = run_into(PEAL_LIVELOCK, options_for(3), rest_for_ever, &rounds);

    cr_expect_eq(rounds, 99); /* the hundredth does not come back */
    peal_machine_destroy(machine);
    fails(PEAL_LIVELOCK, options_for(2), rest_for_ever, 0);
}

static void
rest_ninety_nine(struct peal_node *me, void *arg)
{
    int64_t x = 0, y;

    (void)arg;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 99; j++)
            peal_next_round(me);
        peal_sendrecv(me, &x, 1, 1 - peal_rank(me), &y, 1, 1 - peal_rank(me));
    }
}

Test(failures, ninety_nine_idle_rounds_are_not_a_livelock, .timeout = 20)
{
    struct peal_machine *machine = run_well(options_for(2), rest_ninety_nine, NULL);

    expect_cost(machine, 3, 3, 0, 0);
    cr_expect_eq(peal_machine_host(machine).rounds, 300);
    peal_machine_destroy(machine);
}

static void
too_long(struct peal_node *me, void *arg)
{
    int64_t x[5] = {0};

    (void)arg;
    if (peal_rank(me) == 0)
        peal_send(me, x, 5, 1);
    else
        peal_recv(me, x, 4, 0);
}

Test(failures, a_message_longer_than_its_buffer_is_truncation, .timeout = 20)
{
    struct peal_failure failure = fails(PEAL_TRUNCATION, options_for(2), too_long, 1);

    cr_expect(strstr(failure.message, "at most 4 words, and node 0 sent 5"), "%s", failure.message);
}

PROGRAM(send_out_of_range, if (peal_rank(me) == 1) peal_send(me, x, 1, peal_size(me));)
PROGRAM(receive_out_of_range, if (peal_rank(me) == 1) peal_recv(me, x, 1, -2);)
PROGRAM(receive_from_left_of_0, if (peal_rank(me) == 0) peal_recv(me, x, 1, (peal_rank(me) - 1) % peal_size(me));)
PROGRAM(send_to_any, if (peal_rank(me) == 1) peal_send(me, x, 1, PEAL_ANY_SOURCE);)

Test(failures, a_rank_out_of_range_is_a_bad_rank, .timeout = 20)
{
    struct peal_failure failure = fails(PEAL_BAD_RANK, options_for(3), send_out_of_range, 1);

    cr_expect_str_eq(failure.message, "node 1: cannot send to node 3: ranks are 0 to 2");
    fails(PEAL_BAD_RANK, options_for(3), receive_out_of_range, 1);
    failure = fails(PEAL_BAD_RANK, options_for(3), receive_from_left_of_0, 0);
    cr_expect_str_eq(failure.message, "node 0: cannot receive from node -1: ranks are 0 to 2");
    fails(PEAL_BAD_RANK, options_for(3), send_to_any, 1);
}

PROGRAM(negative_tag, peal_send_tag(me, x, 1, 0, -3);)
PROGRAM(any_tag_to_send, peal_send_tag(me, x, 1, 0, PEAL_ANY_TAG);)
PROGRAM(wait_twice, struct peal_handle h = peal_send_async(me, x, 1, peal_rank(me)); peal_recv(me, &x[1], 1, 0);
        peal_wait(me, h); peal_wait(me, h);)
PROGRAM(double_wait, struct peal_handle h = peal_recv_async(me, x, 1, peal_rank(me));
        peal_send(me, x, 1, peal_rank(me)); peal_wait(me, h); peal_recv_async(me, x, 1, peal_rank(me));
        peal_wait(me, h);)
PROGRAM(made_up_handle, peal_wait(me, (struct peal_handle){12345678, 0});)
PROGRAM(zero_handle, peal_test(me, (struct peal_handle){0});)

Test(failures, misused_tags_and_handles_are_bad_requests, .timeout = 20)
{
    fails(PEAL_BAD_REQUEST, options_for(1), negative_tag, 0);
    fails(PEAL_BAD_REQUEST, options_for(1), any_tag_to_send, 0);
    fails(PEAL_BAD_REQUEST, options_for(1), double_wait, 0);
    fails(PEAL_BAD_REQUEST, options_for(1), made_up_handle, 0);
    fails(PEAL_BAD_REQUEST, options_for(1), zero_handle, 0);
    fails(PEAL_BAD_REQUEST, options_for(1), wait_twice, 0);
}

static void
handle_of_another_node(struct peal_node *me, void *arg)
{
    struct peal_handle *shared = arg;
    int64_t x = 0;

    if (peal_rank(me) == 0)
        *shared = peal_recv_async(me, &x, 1, 1);
    peal_next_round(me);
    if (peal_rank(me) == 1)
        peal_wait(me, *shared);
    peal_next_round(me);
}

Test(failures, another_nodes_handle_is_a_bad_request, .timeout = 20)
{
    struct peal_handle shared;
    struct peal_options options = options_for(2);

    options.carriers = 1;
    peal_machine_destroy(run_into(PEAL_BAD_REQUEST, options, handle_of_another_node, &shared));
}

PROGRAM(overflowing_send, peal_send(me, x, SIZE_MAX / 4, 0);)
PROGRAM(overflowing_alloc, peal_alloc(me, SIZE_MAX / 8 + 1);)
PROGRAM(negative_send, peal_send(me, x, (size_t)-5, 0);)
PROGRAM(negative_alloc, peal_alloc(me, (size_t)-5);)
PROGRAM(null_with_words, peal_send(me, NULL, 1, 0);)
PROGRAM(negative_operations, peal_compute(me, -1);)

PROGRAM(many_operations, peal_compute(me, (int64_t)1 << 62); peal_compute(me, (int64_t)1 << 62);)
PROGRAM(most_operations, peal_compute(me, INT64_MAX);)
PROGRAM(operations_in_turn, if (peal_rank(me) == 1) peal_next_round(me); peal_compute(me, (int64_t)1 << 62);
        if (peal_rank(me) == 0) peal_next_round(me); peal_next_round(me);)
PROGRAM(operations_at_last, if (peal_rank(me) == 1) peal_next_round(me); peal_compute(me, (int64_t)1 << 62);)

Test(failures, costs_that_are_too_large_to_count_are_bad_sizes, .timeout = 20)
{
    static const char text[] =
        "the cost of the run is too large to count: a coefficient is at most 9223372036854775806";

    cr_expect_str_eq(fails(PEAL_BAD_SIZE, options_for(1), many_operations, 0).message,
                     "node 0: 4611686018427387904 more operations are too large to count");
    fails(PEAL_BAD_SIZE, options_for(1), most_operations, 0);
    cr_expect_str_eq(fails(PEAL_BAD_SIZE, options_for(2), operations_in_turn, 0).message, text);
    cr_expect_str_eq(fails(PEAL_BAD_SIZE, options_for(2), operations_at_last, 0).message, text);
}

Test(failures, sizes_that_overflow_are_bad_sizes, .timeout = 20)
{
    cr_expect_str_eq(fails(PEAL_BAD_SIZE, options_for(1), overflowing_send, 0).fix, "");
    cr_expect_str_eq(fails(PEAL_BAD_SIZE, options_for(1), overflowing_alloc, 0).fix, "");
    cr_expect(strstr(fails(PEAL_BAD_SIZE, options_for(1), negative_send, 0).fix, "a product overflowed an int"));
    cr_expect(strstr(fails(PEAL_BAD_SIZE, options_for(1), negative_alloc, 0).fix, "a product overflowed an int"));
    fails(PEAL_BAD_SIZE, options_for(1), null_with_words, 0);
    fails(PEAL_BAD_SIZE, options_for(1), negative_operations, 0);
}

PROGRAM(lots_of_memory, peal_alloc(me, (size_t)1 << 57);)

Test(failures, an_allocation_that_fails_is_out_of_memory, .timeout = 20)
{
    cr_expect_eq(fails(PEAL_OUT_OF_MEMORY, options_for(2), lots_of_memory, 0).status, PEAL_RESOURCES);
}

PROGRAM(lose_a_receive, if (peal_rank(me) == 1) peal_recv_async(me, x, 1, 0);)
PROGRAM(lose_a_send, if (peal_rank(me) == 0) peal_send_async(me, x, 1, 1);)
PROGRAM(not_waited_but_complete, if (peal_rank(me) == 0) peal_send_async(me, x, 1, 1); else peal_recv(me, x, 1, 0);
        peal_next_round(me);)

Test(failures, finishing_with_an_incomplete_request_loses_it, .timeout = 20)
{
    fails(PEAL_LOST_REQUEST, options_for(2), lose_a_receive, 1);
    fails(PEAL_LOST_REQUEST, options_for(2), lose_a_send, 0);
    peal_machine_destroy(run_well(options_for(2), not_waited_but_complete, NULL));
}

PROGRAM(unheard, if (peal_rank(me) > 0) peal_send(me, x, 2, 0);)
PROGRAM(unheard_and_carried, if (peal_rank(me) == 1) peal_send(me, x, 2, 0); peal_next_round(me); peal_next_round(me);)

Test(failures, a_message_never_received_is_unmatched, .timeout = 20)
{
    struct peal_options options = options_for(3);

    options.eager = true;
    options.eager_words = 10;
    struct peal_failure failure = fails(PEAL_UNMATCHED_MESSAGE, options, unheard, 1);

    cr_expect(strstr(failure.message, "node 1 sent 2 words with tag 0 to node 0"), "%s", failure.message);
    fails(PEAL_UNMATCHED_MESSAGE, options, unheard_and_carried, 1);
}

PROGRAM(two_fail, if (peal_rank(me) > 0) peal_send(me, x, 1, 10 + peal_rank(me));)

Test(failures, of_several_between_two_rounds_the_lowest_rank_wins, .timeout = 20)
{
    for (int carriers = 1; carriers <= 3; carriers++) {
        struct peal_options options = options_for(6);

        options.carriers = carriers;
        cr_expect_str_eq(fails(PEAL_BAD_RANK, options, two_fail, 1).message,
                         "node 1: cannot send to node 11: ranks are 0 to 5");
    }
}

PROGRAM(give_up, peal_alloc(me, 1000); if (peal_rank(me) == 1) peal_abort(me, "no solution"); peal_recv(me, x, 1, 1);)

Test(failures, an_abort_reports_its_text, .timeout = 20)
{
    struct peal_failure failure = fails(PEAL_CRASH, options_for(3), give_up, 1);

    cr_expect_str_eq(failure.message, "node 1 aborted: no solution");
}

PROGRAM(give_up_in_lines, if (peal_rank(me) == 1) peal_abort(me, "no\nsolution\x1B[2J\x7F");)

Test(failures, an_abort_reports_its_text_in_one_line_that_moves_no_cursor, .timeout = 20)
{
    struct peal_failure failure = fails(PEAL_CRASH, options_for(3), give_up_in_lines, 1);

    cr_expect_str_eq(failure.message, "node 1 aborted: no solution?[2J?");
}

PROGRAM(combine, peal_packet(me, 2); if (peal_rank(me) == 0) peal_send(me, x, 3, 1); else peal_recv(me, x, 3, 0);)

Test(failures, a_noncombining_machine_refuses_bundles, .timeout = 20)
{
    struct peal_options options = options_for(2);

    peal_machine_destroy(run_well(options, combine, NULL));
    options.noncombining = true;
    struct peal_machine *machine = run_into(PEAL_NONCOMBINING, options, combine, NULL);

    cr_expect(strstr(peal_machine_failure(machine)->message, "a message of 3 words to node 1 bundles packets of 2"));
    peal_machine_destroy(machine);
}

static void
half_split(struct peal_node *me, void *arg)
{
    int64_t x;

    (void)arg;
    if (peal_rank(me) == 0)
        peal_recv(me, &x, 1, 1);
    peal_split(me, 0, 0);
}

Test(failures, a_split_that_not_all_call_is_a_deadlock_with_its_cycle, .timeout = 20)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(2), half_split, NULL);

    cr_expect_eq(peal_machine_failure(machine)->cycle_length, 2);
    cr_expect_str_eq(peal_machine_failure(machine)->nodes[1].state, "splits");
    peal_machine_destroy(machine);
}

Test(failures, impossible_options_are_refused, .timeout = 20)
{
    struct peal_options good = options_for(2), bad;
    struct peal_error error;

#define REFUSED(change, words)                                                                                         \
    bad = good;                                                                                                        \
    bad.change;                                                                                                        \
    cr_expect_null(peal_machine_create(&bad, &error));                                                                 \
    cr_expect_eq(error.status, PEAL_USAGE);                                                                            \
    cr_expect(strstr(error.text, words), "%s", error.text);

    REFUSED(nodes = 0, "expected at least 1")
    REFUSED(ports = 0, "or all")
    REFUSED(mailbox = 0, "expected at least 1")
    REFUSED(word_bytes = 0, "expected at least 1")
    REFUSED(carriers = -1, "or auto")
    REFUSED(timeout_seconds = -1, "expected 0, for none")
    REFUSED(parameters.beta = -1, "beta = -1 is out of range")
    REFUSED(parameters.alpha = 1e308, "alpha = 1e+308 is out of range")
    REFUSED(stack_bytes = SIZE_MAX - 4095, "1 TiB")
    REFUSED(engine = "steam", "expected threads, fibers, auto or mpi")
    REFUSED(topology = "moebius", "moebius")
}

#ifndef __SANITIZE_ADDRESS__ /* which gives up itself before the system does */
Test(failures, more_threads_than_the_system_allows_name_the_limit, .timeout = 60)
{
    struct peal_options options = options_for(40000);

    options.engine = "threads";
    struct peal_machine *machine = machine_from(options);
    const struct peal_failure *failure = peal_run(machine, well, NULL);

    if (failure) { /* a system may allow as many */
        cr_expect_eq(failure->status, PEAL_RESOURCES);
        cr_expect(strstr(failure->message, "limit"), "%s", failure->message);
        cr_expect(strstr(failure->message, "use fewer nodes"), "%s", failure->message);
    }
    peal_machine_destroy(machine);
}
#endif
