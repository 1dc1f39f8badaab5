/* SPDX-License-Identifier: MIT */
/* Nodes that crash, overflow their stacks or never end, and that the process can go on afterwards. */
#include "lib/base/clock.h"
#include "lib/machine/nodes.h"
#include "lib/machine/sanitize.h"
#include "tests/machine/fails.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

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

/* Write beyond an array on the stack, upwards, for ever. */
__attribute__((no_sanitize("address", "undefined"))) static void
overrun(struct peal_node *me, void *arg)
{
    volatile char few[16], *at = few;

    (void)arg;
    __asm__("" : "+r"(at));
    peal_barrier(me);
    while (peal_rank(me) == peal_size(me) - 1)
        *at++ = 'A';
    peal_barrier(me);
}

/* Overwrite so many bytes beyond an array on the stack, then return to what is there. */
static size_t overrun_bytes;

__attribute__((no_sanitize("address", "undefined"), noinline)) static void
overrun_a_little(struct peal_node *me, void *arg)
{
    volatile char few[16], *at = few;

    (void)arg;
    __asm__("" : "+r"(at));
    if (peal_rank(me) == 1)
        for (size_t i = 0; i < overrun_bytes; i++)
            at[i] = (char)0xFF;
}

Test(failures, an_array_overrun_names_its_node_and_others_can_run_afterwards, .timeout = 60)
{
    static const int sizes[] = {1, 2, 3, 40};
    static const size_t bytes[] = {200, 800, 2000};

    for (int i = 0; i < 4; i++) {
        struct peal_machine *machine = run_into(PEAL_CRASH, options_for(sizes[i]), overrun, NULL);
        const struct peal_failure *failure = peal_machine_failure(machine);

        cr_expect(strstr(failure->message, "crashed: it wrote beyond the upper end of its stack"), "%s",
                  failure->message);
        cr_expect_eq(failure->rank, sizes[i] - 1);
        cr_expect(failure->line > 0);
        peal_machine_destroy(machine);
        peal_machine_destroy(run_well(options_for(sizes[i]), meet, NULL));
    }
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes && !ADDRESS_SANITIZER; i++) { /* it checks frames itself */
        overrun_bytes = bytes[i];
        peal_machine_destroy(run_into(PEAL_CRASH, options_for(3), overrun_a_little, NULL));
        fails(PEAL_CRASH, options_for(3), overrun_a_little, 1);
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

Test(failures, a_buffer_at_an_invalid_address_crashes_its_node, .timeout = 20)
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

    options.timeout_seconds = 0.3;
    struct peal_failure failure = fails(PEAL_TIMED_OUT, options, compute_for_ever, 1);

    cr_expect_eq(failure.status, PEAL_TIMEOUT);
    cr_expect(strstr(failure.message, "node 1 is still computing"), "%s", failure.message);
    options.timeout_seconds = 0.2;
    for (int i = 0; i < 5; i++) { /* whether a node is found computing is left to chance */
        struct peal_machine *machine = run_into(PEAL_TIMED_OUT, options, talk_for_ever, NULL);
        const struct peal_failure *talking = peal_machine_failure(machine);

        cr_expect(talking->rank >= 0 && talking->rank < 3, "%d", talking->rank);
        cr_expect(talking->line > 0);
        cr_expect(strstr(talking->message, "is still computing") || strstr(talking->message, "not ended: node 0 "),
                  "%s", talking->message);
        cr_expect(talking->node_count == 0 || strcmp(talking->nodes[talking->rank].file, talking->file) == 0);
        peal_machine_destroy(machine);
    }
}

/* Stop the thread that watches the time until the nodes have long ended and the time is up. */
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
    const int64_t began = nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID);

    pthread_kill(watching, SIGUSR1);
    while (!atomic_load(&held) || nanoseconds_of(CLOCK_PROCESS_CPUTIME_ID) - began < 150 * 1000 * 1000)
        ;
}

Test(failures, a_run_that_ends_after_its_time_is_a_timeout_whoever_sees_it_first, .timeout = 30)
{
    struct peal_options options = options_for(1);

    watching = pthread_self();
    signal(SIGUSR1, hold);
    options.timeout_seconds = 0.1;
    peal_machine_destroy(run_into(PEAL_TIMED_OUT, options, end_unseen, NULL));
}

/* Another process stops this one, once, for twice the time limit. */
static void
is_stopped(struct peal_node *me, void *arg)
{
    const pid_t stopped = getpid(), other = peal_rank(me) == 0 ? fork() : -1;
    int how;

    (void)arg;
    if (other == 0) {
        kill(stopped, SIGSTOP);
        usleep(1000 * 1000);
        kill(stopped, SIGCONT);
        _exit(0);
    }
    while (other > 0 && waitpid(other, &how, 0) < 0 && errno == EINTR)
        ;
    peal_barrier(me);
}

Test(failures, time_in_which_others_have_the_processor_does_not_count, .timeout = 60)
{
    struct peal_options options = options_for(2);
    struct peal_error error;

    options.timeout_seconds = 0.5;
    struct peal_machine *machine = peal_machine_create(&options, &error);
    const struct peal_failure *failure = peal_run(machine, is_stopped, NULL);

    cr_expect(!failure, "%s", failure ? failure->message : "");
    peal_machine_destroy(machine);
}

/* Without a supervising process (<peal/supervise.h>), a failure that cannot be jumped out of ends this one. */
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

static atomic_int waiter; /* the thread of the node that waits; 0: none does */

static void
wait_for_a_word(struct peal_node *me, void *arg)
{
    const int *ends = arg;
    char byte;

    if (peal_rank(me) == 1) {
        atomic_store(&waiter, gettid());
        (void)!syscall(SYS_read, ends[0], &byte, 1); /* the sanitizers have a read() of their own */
    }
    peal_next_round(me);
}

/* Signal the waiter in bursts: between them it gets on, however slow its handler is.  Until its time is nearly up it
 * would take no notice. */
static void *
signal_the_waiter(void *over)
{
    for (int known = 0; !atomic_load((atomic_bool *)over);) {
        if (atomic_load(&waiter) != known)
            usleep(250 * 1000);
        known = atomic_load(&waiter);
        for (int i = 0; i < 50 && atomic_load(&waiter) != 0; i++)
            tgkill(getpid(), atomic_load(&waiter), SIGNAL_STOP);
        usleep(200);
    }
    return NULL;
}

/* The machine signals a node again that does not report at once.  What a node does is where the first such signal finds
 * it, and not the handler of that one, where the next may find it. */
Test(failures, a_timeout_names_the_call_in_which_a_node_waits, .timeout = 60)
{
    struct peal_options options = options_for(3);
    atomic_bool over = false;
    pthread_t sender;
    int ends[2];

    cr_assert_eq(pipe(ends), 0);
    pthread_create(&sender, NULL, signal_the_waiter, &over);
    options.timeout_seconds = 0.3; /* by then the nodes wait, with a sanitizer and on a busy machine, too */
    for (int i = 0; i < 20; i++) {
        struct peal_machine *machine = run_into(PEAL_TIMED_OUT, options, wait_for_a_word, ends);
        const char *message = peal_machine_failure(machine)->message;

        atomic_store(&waiter, 0);
        cr_expect_eq(peal_machine_failure(machine)->status, PEAL_TIMEOUT);
        cr_expect(strstr(message, "node 1 waits in syscall()"), "%s", message);
        peal_machine_destroy(machine);
    }
    atomic_store(&over, true);
    pthread_join(sender, NULL);
}
