/* SPDX-License-Identifier: MIT */
/* Shortage of memory, address space or threads: every call that allocates some fails once, one after another.  Each
 * time there is a clean message, nothing is lost, nothing hangs, and the process goes on.
 *
 * The linker puts the functions below in place of the system's, in Peal's own code (tests/machine/meson.build). */
#include "lib/machine/host.h"
#include "lib/machine/size_classes.h"
#include "lib/machine/stacks.h"
#include "tests/machine/harness.h"
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static _Atomic long calls, failing_call = -1, outstanding;

/* Whether this is the call that fails. */
static bool
fails_now(void)
{
    return atomic_fetch_add(&calls, 1) == atomic_load(&failing_call);
}

static void *
counted(void *memory)
{
    if (memory)
        atomic_fetch_add(&outstanding, 1);
    return memory;
}

#define REAL(type, name, ...)                                                                                          \
    type __real_##name(__VA_ARGS__);                                                                                   \
    type __wrap_##name(__VA_ARGS__)

REAL(void *, malloc, size_t bytes);
void *
__wrap_malloc(size_t bytes)
{
    return fails_now() ? NULL : counted(__real_malloc(bytes));
}

REAL(void *, calloc, size_t count, size_t bytes);
void *
__wrap_calloc(size_t count, size_t bytes)
{
    return fails_now() ? NULL : counted(__real_calloc(count, bytes));
}

REAL(void *, aligned_alloc, size_t alignment, size_t bytes);
void *
__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fails_now() ? NULL : counted(__real_aligned_alloc(alignment, bytes));
}

REAL(void *, reallocarray, void *old, size_t count, size_t bytes);
void *
__wrap_reallocarray(void *old, size_t count, size_t bytes)
{
    if (fails_now())
        return NULL;
    return old ? __real_reallocarray(old, count, bytes) : counted(__real_reallocarray(old, count, bytes));
}

REAL(void *, realloc, void *old, size_t bytes);
void *
__wrap_realloc(void *old, size_t bytes)
{
    if (fails_now())
        return NULL;
    return old ? __real_realloc(old, bytes) : counted(__real_realloc(old, bytes));
}

REAL(char *, strdup, const char *text);
char *
__wrap_strdup(const char *text)
{
    return fails_now() ? NULL : counted(__real_strdup(text));
}

REAL(void, free, void *memory);
void
__wrap_free(void *memory)
{
    if (memory)
        atomic_fetch_sub(&outstanding, 1);
    __real_free(memory);
}

REAL(void *, mmap64, void *at, size_t bytes, int protection, int flags, int file, off_t offset);
void *
__wrap_mmap64(void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *memory = fails_now() ? MAP_FAILED : __real_mmap64(at, bytes, protection, flags, file, offset);

    if (memory != MAP_FAILED)
        atomic_fetch_add(&outstanding, 1);
    return memory;
}

REAL(int, munmap, void *at, size_t bytes);
int
__wrap_munmap(void *at, size_t bytes)
{
    atomic_fetch_sub(&outstanding, 1);
    return __real_munmap(at, bytes);
}

REAL(int, pthread_create, pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg);
int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *arg)
{
    return fails_now() ? EAGAIN : __real_pthread_create(thread, attributes, start, arg);
}

/* ------------------------------------------------------------------ the runs */

/* A little of everything: scratch, groups, pieces, eager copies, output, collectives, a large delivery. */
static void
everything(struct peal_node *me, void *arg)
{
    int64_t *x = peal_alloc(me, 40), *large = peal_scratch(me, 300000), sum = peal_rank(me);
    struct peal_node *half = peal_split(me, peal_rank(me) % 2, 0);
    struct peal_piece pieces[] = {{x, 3}, {x + 10, 2}};
    struct peal_handle handle = peal_sendv_async(me, pieces, 2, (peal_rank(me) + 1) % peal_size(me));

    (void)arg;
    peal_recv(me, x + 20, 5, PEAL_ANY_SOURCE);
    peal_wait(me, handle);
    peal_printf(half, "node %d\n", peal_rank(me));
    peal_allreduce(me, PEAL_SUM_INT64, &sum, 1);
    peal_barrier(half);
    if (peal_rank(me) == 0)
        peal_send(me, large, 300000, 1);
    if (peal_rank(me) == 1)
        peal_recv(me, large, 300000, 0);
    if (sum != peal_size(me) * (peal_size(me) - 1) / 2)
        peal_abort(me, "wrong sum");
}

static void
add(struct peal_node *me, void *sum)
{
    peal_allreduce(me, PEAL_SUM_INT64, sum, 1);
}

static void
nap(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_next_round(me);
}

static void
with_strands(struct peal_node *me, void *arg)
{
    int64_t x = 1, y = 2;
    struct peal_handle one = peal_start(me, NULL, add, &x), two = peal_start(me, NULL, nap, NULL);

    (void)arg;
    peal_meet(me, &(struct peal_meeting){.group = true});
    peal_join(me, one);
    peal_join(me, two);
    peal_join(me, peal_start(me, NULL, add, &y));
}

/* Collectives that are recorded and played. */
static void
with_scores(struct peal_node *me, void *arg)
{
    double sum[5];

    (void)arg;
    for (int call = 0; call < 4; call++) {
        for (int i = 0; i < 5; i++)
            sum[i] = peal_rank(me) + i;
        peal_allreduce(me, PEAL_SUM_DOUBLE, sum, 5);
        for (int i = 0; i < 5; i++)
            if (sum[i] < peal_size(me) * (peal_size(me) - 1) / 2 + peal_size(me) * i)
                peal_abort(me, "wrong sum");
    }
}

/* Nothing of it lies on its stack while it is parked. */
static void
barriers(struct peal_node *me, void *arg)
{
    (void)arg;
    for (int call = 0; call < 3; call++)
        peal_barrier(me);
}

/* Make a machine and run it.  Return whether all went well; each refusal has its message. */
static bool
attempt(struct peal_options options)
{
    struct peal_error error = {.status = PEAL_OK};
    struct peal_machine *machine = peal_machine_create(&options, &error);
    bool well = false;

    if (machine) {
        const struct peal_failure *failure = peal_run(machine, everything, NULL);

        failure = failure ? failure : peal_run(machine, with_strands, NULL);
        setenv("PEAL_PLAY", "1", 1);
        failure = failure ? failure : peal_run(machine, with_scores, NULL);
        unsetenv("PEAL_PLAY");
        const int usual = peal_packed_from;

        peal_packed_from = 1;
        machine_stacks_apart(machine, true);
        failure = failure ? failure : peal_run(machine, barriers, NULL);
        peal_packed_from = usual;
        well = !failure;
        if (failure) {
            cr_expect_eq(failure->kind, PEAL_OUT_OF_MEMORY, "call %ld: %s: %s", atomic_load(&failing_call),
                         peal_failure_name(failure->kind), failure->message);
            cr_expect_gt(strlen(failure->message), 10);
        }
    } else {
        cr_expect_eq(error.status, PEAL_RESOURCES, "call %ld: %s", atomic_load(&failing_call), error.text);
        cr_expect_gt(strlen(error.text), 10);
    }
    peal_machine_destroy(machine);
    stacks_forget(); /* the next machine asks for its own */
    own_pages_forget();
    return well;
}

static void
fail_each_call(struct peal_options options)
{
    long failed = 0, call = 0;
    FILE *null = fopen("/dev/null", "w");

    cr_assert(null);
    options.output = fileno(null);
    cr_assert(attempt(options)); /* once as it should be */
    for (;; call++) {
        long before = atomic_load(&outstanding);

        atomic_store(&calls, 0);
        atomic_store(&failing_call, call);
        bool well = attempt(options);

        atomic_store(&failing_call, -1);
        cr_assert_eq(atomic_load(&outstanding), before, "call %ld lost %ld", call, atomic_load(&outstanding) - before);
        failed += !well;
        if (atomic_load(&calls) <= call)
            break; /* there were fewer */
    }
    cr_expect_gt(failed, 30, "%ld of %ld calls made the run fail", failed, call);
    fclose(null);
}

Test(allocation, every_call_that_fails_ends_the_run_cleanly, .timeout = 300)
{
    for (int eager = 0; eager < 2; eager++) {
        struct peal_options options = options_for(4);

        options.topology = "mesh:2x2";
        options.eager = eager;
        options.eager_words = 10;
        options.carriers = 1;
        fail_each_call(options);
    }
}

Test(allocation, every_call_that_fails_with_all_ports_ends_the_run_cleanly, .timeout = 300)
{
    struct peal_options options = options_for(3);

    options.ports = PEAL_PORTS_ALL;
    options.carriers = 1;
    fail_each_call(options);
}

static void
fail_in_some_way(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    peal_alloc(me, 100);
    if (peal_random(me) % 3 == 0)
        peal_send(me, &x, 1, 99);
    if (peal_random(me) % 2 == 0)
        peal_barrier(me);
    peal_recv(me, &x, 1, PEAL_ANY_SOURCE);
}

/* What the machine takes from its own pages keeps the first of them as long as the process lives. */
static void
take_pages(void)
{
    own_free(own_alloc(1));
}

TestSuite(allocation, .init = take_pages);

#ifdef __SANITIZE_ADDRESS__ /* which reports leaks itself */
enum { MACHINES = 1000 };
#else
enum { MACHINES = 10000 };
#endif

Test(allocation, thousands_of_machines_leak_nothing, .timeout = 300)
{
    long before = atomic_load(&outstanding);

    for (int i = 0; i < MACHINES; i++) {
        struct peal_options options = options_for(1 + i % 3);

        options.seed = (uint64_t)i;
        options.carriers = 1;
        options.eager = i % 2;
        options.eager_words = 4;
        struct peal_machine *machine = machine_from(options);

        cr_assert(peal_run(machine, fail_in_some_way, NULL));
        peal_machine_destroy(machine);
        if (i % 10 == 0)
            stacks_forget(); /* the only thing that is kept, besides these pages */
        own_pages_forget();
        cr_assert_eq(atomic_load(&outstanding) - (i % 10 != 0), before, "after machine %d: %ld", i,
                     atomic_load(&outstanding) - before);
    }
    stacks_forget();
}

static void
meet(struct peal_node *me, void *arg)
{
    (void)arg;
    peal_barrier(me);
}

/* The memory that a destroyed machine leaves after a run: its stacks, or nothing. */
static long
left_by(int nodes, size_t stack_bytes)
{
    struct peal_options options = options_for(nodes);
    struct peal_machine *machine;
    long before = atomic_load(&outstanding);

    options.carriers = 1;
    options.stack_bytes = stack_bytes;
    machine = machine_from(options);
    cr_assert_null(peal_run(machine, meet, NULL));
    peal_machine_destroy(machine);
    own_pages_forget();
    return atomic_load(&outstanding) - before;
}

Test(allocation, stacks_are_kept_for_a_machine_that_they_fit_as_long_as_they_are_few, .timeout = 60)
{
    enum { LARGE_STACK = 1 << 20 };

    cr_expect_eq(left_by(1025, 0), 0);
    cr_expect_eq(left_by(7, 0), 1);
    cr_expect_eq(left_by(7, 0), 0);
    cr_expect_eq(left_by(3, 0), 0);
    cr_expect_eq(left_by(9, 0), 0);           /* these are more: the seven are freed */
    cr_expect_eq(left_by(9, LARGE_STACK), 0); /* and these are larger */
    cr_expect_eq(left_by(1025, LARGE_STACK), -1);
    cr_expect_eq(left_by(2, 0), 1);
    stacks_forget();
}

Test(allocation, pages_are_kept_for_a_machine_of_the_same_size_and_are_zero)
{
    enum { BYTES = 1 << 16 };
    char *first = own_pages(BYTES), *second;

    cr_assert(first);
    memset(first, 1, BYTES);
    own_unmap(first, BYTES);
    second = own_pages(BYTES / 2);
    cr_expect_neq(second, first);
    own_unmap(second, BYTES / 2);
    second = own_pages(BYTES);
    cr_assert_eq(second, first);
    for (int i = 0; i < BYTES; i++)
        cr_assert_eq(second[i], 0);
    own_unmap(second, BYTES);
    own_pages_forget();
}

Test(allocation, a_child_of_fork_runs_on_its_own_copy_of_the_stacks_that_are_kept, .timeout = 60)
{
    int status = -1;

    cr_assert_eq(left_by(5, 0), 1);
    pid_t child = fork();

    if (child == 0)
        _exit(left_by(5, 0) == 0 && left_by(5, 0) == 0 ? 0 : 1);
    cr_expect_eq(left_by(5, 0), 0);
    cr_expect(waitpid(child, &status, 0) == child && status == 0, "status %d", status);
    stacks_forget();
}

static void
show_nothing(const struct peal_progress *progress, void *arg)
{
    (void)progress, (void)arg;
}

Test(allocation, a_run_goes_on_unseen_when_its_observer_has_no_thread, .timeout = 60)
{
    const struct peal_observer observer = {.seconds = 1, .show = show_nothing};
    struct peal_machine *machine = machine_from(options_for(2));
    struct peal_error error;
    int unseen = 0;

    atomic_store(&calls, 0);
    atomic_store(&failing_call, 0);
    cr_expect_eq(peal_machine_observe(machine, &observer, &error), PEAL_RESOURCES);
    cr_expect(strstr(error.text, "observer"), "%s", error.text);
    atomic_store(&failing_call, -1);
    cr_assert_eq(peal_machine_observe(machine, &observer, &error), PEAL_OK);
    cr_assert_null(peal_run(machine, meet, NULL)); /* what is allocated once is there now */
    for (long call = 0; call == 0 || atomic_load(&calls) > call - 1; call++) {
        struct peal_progress progress;

        atomic_store(&calls, 0);
        atomic_store(&failing_call, call);
        const struct peal_failure *failure = peal_run(machine, meet, NULL);

        atomic_store(&failing_call, -1);
        unseen += !failure && atomic_load(&calls) > call;
        cr_expect(peal_machine_progress(machine, &progress) && !progress.running);
    }
    cr_expect_eq(unseen, 1);
    peal_machine_destroy(machine);
}
