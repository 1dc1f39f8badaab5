/* SPDX-License-Identifier: MIT */
/* Every way in which a run can fail, and that the process can go on afterwards. */
#include "lib/machine/sanitize.h"
#include "tests/machine/harness.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* Runs `program` on `nodes` nodes, expects the failure, and that the same machine then runs another program. */
static void well(struct peal_node *me, void *arg);

static struct peal_failure
fails(enum peal_failure_kind kind, struct peal_options options, peal_program program, int rank)
{
    static struct peal_failure copy;
    struct peal_machine *machine = run_into(kind, options, program, NULL);

    copy = *peal_machine_failure(machine);
    cr_expect_eq(copy.rank, rank, "rank %d: %s", copy.rank, copy.message);
    cr_expect_null(strchr(copy.message, '\n'));
    cr_expect_null(peal_run(machine, well, NULL), "%s", peal_machine_failure(machine)->message);
    cr_expect_null(peal_machine_failure(machine));
    peal_machine_destroy(machine);
    return copy;
}

static void
well(struct peal_node *me, void *arg)
{
    int64_t x = 1, y = 0;

    (void)arg;
    peal_alloc(me, 100);
    peal_sendrecv(me, &x, 1, peal_rank(me), &y, 1, peal_rank(me));
}

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
everybody_waits_for_anybody(struct peal_node *me, void *arg)
{
    int64_t x;

    (void)arg;
    if (peal_rank(me) != 1)
        peal_recv(me, &x, 1, PEAL_ANY_SOURCE);
}

Test(failures, a_receive_from_any_source_waits_for_all_others, .timeout = 20)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(4), everybody_waits_for_anybody, NULL);
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

Test(failures, ninety_nine_idle_rounds_are_not, .timeout = 20)
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

#define PROGRAM(name, ...)                                                                                             \
    static void name(struct peal_node *me, void *arg)                                                                  \
    {                                                                                                                  \
        int64_t x[4] = {0};                                                                                            \
        (void)me, (void)arg, (void)x;                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

PROGRAM(send_to_nobody, if (peal_rank(me) == 1) peal_send(me, x, 1, peal_size(me));)
PROGRAM(receive_from_nobody, if (peal_rank(me) == 1) peal_recv(me, x, 1, -2);)
PROGRAM(send_to_any, if (peal_rank(me) == 1) peal_send(me, x, 1, PEAL_ANY_SOURCE);)

Test(failures, a_rank_that_is_not_there_is_a_bad_rank, .timeout = 20)
{
    struct peal_failure failure = fails(PEAL_BAD_RANK, options_for(3), send_to_nobody, 1);

    cr_expect_str_eq(failure.message, "cannot send to node 3: ranks are 0 to 2");
    fails(PEAL_BAD_RANK, options_for(3), receive_from_nobody, 1);
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
somebody_elses_handle(struct peal_node *me, void *arg)
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
    peal_machine_destroy(run_into(PEAL_BAD_REQUEST, options, somebody_elses_handle, &shared));
}

PROGRAM(overflowing_send, peal_send(me, x, SIZE_MAX / 4, 0);)
PROGRAM(overflowing_alloc, peal_alloc(me, SIZE_MAX / 8 + 1);)
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
                     "4611686018427387904 more operations are too large to count");
    fails(PEAL_BAD_SIZE, options_for(1), most_operations, 0);
    cr_expect_str_eq(fails(PEAL_BAD_SIZE, options_for(2), operations_in_turn, 0).message, text);
    cr_expect_str_eq(fails(PEAL_BAD_SIZE, options_for(2), operations_at_last, 0).message, text);
}

Test(failures, sizes_that_overflow_are_bad_sizes, .timeout = 20)
{
    fails(PEAL_BAD_SIZE, options_for(1), overflowing_send, 0);
    fails(PEAL_BAD_SIZE, options_for(1), overflowing_alloc, 0);
    fails(PEAL_BAD_SIZE, options_for(1), null_with_words, 0);
    fails(PEAL_BAD_SIZE, options_for(1), negative_operations, 0);
}

PROGRAM(lots_of_memory, peal_alloc(me, (size_t)1 << 57);)

Test(failures, memory_that_is_not_there_is_out_of_memory, .timeout = 20)
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
                         "cannot send to node 11: ranks are 0 to 5");
    }
}

PROGRAM(give_up, peal_alloc(me, 1000); if (peal_rank(me) == 1) peal_abort(me, "no solution"); peal_recv(me, x, 1, 1);)

Test(failures, an_abort_says_its_text, .timeout = 20)
{
    struct peal_failure failure = fails(PEAL_CRASH, options_for(3), give_up, 1);

    cr_expect_str_eq(failure.message, "node 1 aborted: no solution");
}

PROGRAM(give_up_in_lines, if (peal_rank(me) == 1) peal_abort(me, "no\nsolution\x1B[2J\x7F");)

Test(failures, an_abort_says_its_text_in_one_line_that_moves_no_cursor, .timeout = 20)
{
    struct peal_failure failure = fails(PEAL_CRASH, options_for(3), give_up_in_lines, 1);

    cr_expect_str_eq(failure.message, "node 1 aborted: no solution [2J ");
}

PROGRAM(touch_null, volatile uintptr_t low = 16; if (peal_rank(me) == 1) * (volatile int *)low = 1;
        peal_next_round(me);)
__attribute__((no_sanitize("undefined"))) /* it is meant to reach the processor */
PROGRAM(divide, volatile int zero = 0; if (peal_rank(me) == 1) zero = 7 / zero; peal_next_round(me);)
    PROGRAM(call_abort, if (peal_rank(me) == 1) abort(); peal_next_round(me);)

        static int deep(volatile char *above, int depth)
{
    volatile char frame[4096];

    frame[0] = above ? above[0] : 1;
    return depth > 0 ? deep(frame, depth - 1) + frame[0] : 0;
}

PROGRAM(overflow, if (peal_rank(me) == 1) x[0] = deep(NULL, 1 << 20); peal_next_round(me);)

Test(failures, a_crash_names_its_node, .timeout = 60)
{
    struct peal_machine *machine = run_into(PEAL_CRASH, options_for(3), touch_null, NULL);

    cr_expect(strstr(peal_machine_failure(machine)->message, "node 1 crashed: segmentation fault at address 0x10"));
    peal_machine_destroy(machine);
    machine = run_into(PEAL_CRASH, options_for(3), call_abort, NULL);
    cr_expect(strstr(peal_machine_failure(machine)->message, "node 1 crashed: abort"));
    peal_machine_destroy(machine);
    machine = run_into(PEAL_CRASH, options_for(3), overflow, NULL);
    cr_expect(strstr(peal_machine_failure(machine)->message, on_fibers()
                                                                 ? "node 1 crashed: its stack of 64 KiB overflowed"
                                                                 : "its stack of 8192 KiB overflowed"),
              "%s", peal_machine_failure(machine)->message);
    peal_machine_destroy(machine);
#if defined __x86_64__
    peal_machine_destroy(run_into(PEAL_CRASH, options_for(3), divide, NULL));
#endif
}

/* Fill the stack from here down to `end`, (nearly) every word of it. */
__attribute__((noinline)) static int
fill(volatile char *end)
{
    volatile char frame[1024];

    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = 1;
    return frame < end ? frame[0] : fill(end) + frame[1];
}

/* Overflow the stack by a little more than a KiB, which the gap below it takes, then park. */
static void
overflow_a_little(struct peal_node *me, void *arg)
{
    int *sum = arg;
    volatile char *here = __builtin_frame_address(0);

    peal_barrier(me);
    if (peal_rank(me) == peal_size(me) - 1)
        *sum = fill(here - (64 << 10));
    peal_barrier(me);
}

/* Overflow all stacks below. */
static void
overflow_much(struct peal_node *me, void *arg)
{
    (void)peal_alloc(me, 10);
    peal_barrier(me);
    if (peal_rank(me) == peal_size(me) - 1)
        *(int *)arg = deep(NULL, 1 << 20);
    peal_barrier(me);
}

PROGRAM(meet, x[0] = 0; peal_barrier(me);)

Test(failures, an_overflow_names_its_node_and_others_can_run_afterwards, .timeout = 60)
{
    static const int sizes[] = {1, 2, 3, 40};
    static const peal_program programs[] = {overflow_a_little, overflow_much};
    const char *guards = getenv("PEAL_TEST_GUARDS"); /* see hardened.c */

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++) {
            struct peal_options options = options_for(sizes[i]);
            char expected[100];
            int sum = 0;

#ifdef __SANITIZE_ADDRESS__
            if (j == 1 && guards && strcmp(guards, "none") == 0)
                continue; /* it stops the process where a stack runs into another */
#endif
            options.stack_bytes = 64 << 10;
            struct peal_machine *machine = run_into(PEAL_CRASH, options, programs[j], &sum);
            const struct peal_failure *failure = peal_machine_failure(machine);

            snprintf(expected, sizeof expected, "node %d crashed: its stack of 64 KiB overflowed", sizes[i] - 1);
            cr_expect(strncmp(failure->message, expected, strlen(expected)) == 0, "%s", failure->message);
            cr_expect(strstr(failure->message, "--stack"), "%s", failure->message);
            if (!guards || strcmp(guards, "none") != 0) /* found as it happens, not when the node parks */
                cr_expect(!strstr(failure->message, "before its call"), "%s", failure->message);
            cr_expect_eq(failure->rank, sizes[i] - 1);
            peal_machine_destroy(machine);
            peal_machine_destroy(run_well(options, meet, NULL));
        }
}

PROGRAM(receive_nowhere, if (peal_rank(me) == 0) peal_send(me, x, 1, 1); else peal_recv(me, (void *)16, 1, 0);)
PROGRAM(send_from_nowhere, if (peal_rank(me) == 0) peal_send(me, (void *)16, 1, 1); else peal_recv(me, x, 1, 0);)

static void
large_to_nowhere(struct peal_node *me, void *arg)
{
    size_t words = 1 << 20;
    void *x = peal_alloc(me, words);

    (void)arg;
    if (peal_rank(me) == 0)
        peal_send(me, x, words, 1);
    else
        peal_recv(me, (void *)4096, words, 0);
}

Test(failures, a_buffer_that_is_not_there_crashes_its_node, .timeout = 20)
{
    struct peal_failure failure = fails(PEAL_CRASH, options_for(2), receive_nowhere, 1);

    cr_expect(strstr(failure.message, "in the buffer of its receive"), "%s", failure.message);
    failure = fails(PEAL_CRASH, options_for(2), send_from_nowhere, 0);
    cr_expect(strstr(failure.message, "in the buffer of its send"), "%s", failure.message);
    fails(PEAL_CRASH, options_for(2), large_to_nowhere, 1); /* copied by several threads */
}

PROGRAM(compute_for_ever, volatile int64_t i = 0; if (peal_rank(me) == 1) for (;;) i = i + 1; peal_next_round(me);)
PROGRAM(talk_for_ever, for (;;) peal_sendrecv(me, x, 1, peal_rank(me), &x[1], 1, peal_rank(me));)

Test(failures, a_timeout_names_the_node_that_computes, .timeout = 30)
{
    struct peal_options options = options_for(3);

    options.timeout_seconds = 1;
    struct peal_failure failure = fails(PEAL_TIMED_OUT, options, compute_for_ever, 1);

    cr_expect_eq(failure.status, PEAL_TIMEOUT);
    cr_expect(strstr(failure.message, "node 1 is still computing"), "%s", failure.message);
    peal_machine_destroy(run_into(PEAL_TIMED_OUT, options, talk_for_ever, NULL));
}

/* Keep the thread that watches the time from looking, until the nodes have long ended and the time is up. */
static pthread_t watching;
static atomic_bool held;

static void
hold(int number)
{
    struct timespec moment = {.tv_nsec = 300 * 1000 * 1000};

    (void)number;
    atomic_store(&held, true);
    nanosleep(&moment, NULL);
}

static void
end_unseen(struct peal_node *me, void *arg)
{
    (void)me, (void)arg;
    pthread_kill(watching, SIGUSR1);
    while (!atomic_load(&held))
        sched_yield();
}

Test(failures, a_run_that_ends_after_its_time_is_a_timeout_whoever_sees_it_first, .timeout = 30)
{
    struct peal_options options = options_for(1);

    watching = pthread_self();
    signal(SIGUSR1, hold);
    options.timeout_seconds = 0.1;
    peal_machine_destroy(run_into(PEAL_TIMED_OUT, options, end_unseen, NULL));
}

/* Without a process that looks after this one (<peal/supervise.h>), what cannot be jumped out of ends it. */
#if !ADDRESS_SANITIZER
static void
free_twice(struct peal_node *me, void *arg)
{
    char *volatile memory = malloc(40);

    (void)me, (void)arg;
    free(memory);
    free(memory);
}

Test(failures, a_crash_that_holds_the_heap_ends_the_process, .timeout = 30, .signal = SIGABRT)
{
    struct peal_options options = options_for(2);

    peal_run(peal_machine_create(&options, NULL), free_twice, NULL);
}
#endif

static void
block_all(struct peal_node *me, void *arg)
{
    sigset_t all;

    (void)me, (void)arg;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (volatile int64_t i = 0;; i = i + 1)
        ;
}

Test(failures, a_node_that_no_signal_reaches_ends_the_process_when_its_time_is_up, .timeout = 30,
     .exit_code = PEAL_TIMEOUT)
{
    struct peal_options options = options_for(2);

    options.timeout_seconds = 0.2;
    peal_run(peal_machine_create(&options, NULL), block_all, NULL);
}

PROGRAM(wait_for_a_signal, if (peal_rank(me) == 1) pause(); peal_next_round(me);)

Test(failures, a_timeout_names_the_call_in_which_a_node_waits, .timeout = 30)
{
    struct peal_options options = options_for(3);

    options.timeout_seconds = 0.2;
    struct peal_failure failure = fails(PEAL_TIMED_OUT, options, wait_for_a_signal, 1);

    cr_expect_eq(failure.status, PEAL_TIMEOUT);
    cr_expect(strstr(failure.message, "node 1 still waits in pause(), which has not returned"), "%s", failure.message);
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
