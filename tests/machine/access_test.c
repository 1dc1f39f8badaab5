/* SPDX-License-Identifier: MIT */
/* One-sided posts: their data and charges, locks, and their failures.  tests/reference compares random programs. */
#include "tests/machine/harness.h"
#include <sys/mman.h>

/* The nodes' memory, by rank: tests run in one process. */
static uint64_t memory[8][8];

static struct peal_handle
access_memory(struct peal_node *me, enum peal_post_kind kind, int peer, uint64_t *words, size_t count, uint64_t *there)
{
    struct peal_piece piece = {words, count};
    struct peal_post post = {
        .kind = kind, .peer = peer, .pieces = &piece, .piece_count = 1, .remote = {.memory = there}};

    return peal_post(me, &post);
}

static void
puts_and_gets(struct peal_node *me, void *arg)
{
    int r = peal_rank(me);
    uint64_t x[3] = {(uint64_t)r, 10, 20}, y[3] = {0};
    struct peal_piece pieces[] = {{x, 1}, {x + 1, 0}, {x + 1, 2}};
    struct peal_post post = {.kind = PEAL_POST_PUT,
                             .peer = 1 - r,
                             .pieces = pieces,
                             .piece_count = 3,
                             .remote = {.memory = &memory[1 - r][2]}};
    struct peal_envelope envelope = peal_wait_envelope(me, peal_post(me, &post));

    cr_expect(envelope.words == 3 && envelope.source == r && !envelope.cancelled && envelope.note == 0);
    peal_wait_envelope(me, access_memory(me, PEAL_POST_GET, 1 - r, y, 3, &memory[1 - r][2]));
    cr_expect(y[0] == (uint64_t)r && y[1] == 10 && y[2] == 20, "node %d got %lu %lu %lu", r, y[0], y[1], y[2]);
    (void)arg;
}

Test(access, a_put_and_a_get_are_a_message_each_and_need_nothing_of_the_peer)
{
    struct peal_machine *machine = run_well(options_for(2), puts_and_gets, NULL);

    expect_cost(machine, 2, 6, 0, 0);
    expect_path(machine, 2, 6, 0, 0);
    cr_expect_str_eq(schedule_text(machine), "0>1:3 1>0:3 | 1>0:3 0>1:3");
    peal_machine_destroy(machine);
}

static void
add_one(void *there, void *words, void *result, size_t count, void *closure)
{
    uint64_t *at = there, before = *at;

    *at += *(uint64_t *)words + count - 1;
    if (result)
        memcpy(result, &before, sizeof before);
    ++*(int *)closure;
}

static void
counts(struct peal_node *me, void *arg)
{
    uint64_t one = 1, before = 0;
    struct peal_piece piece = {&one, 1};
    struct peal_post post = {.kind = PEAL_POST_UPDATE,
                             .peer = 0,
                             .pieces = &piece,
                             .piece_count = 1,
                             .remote = {&memory[0][0], add_one, arg, &before, 1}};
    struct peal_envelope envelope = peal_wait_envelope(me, peal_post(me, &post));

    cr_expect_eq(envelope.words, 1);
    cr_expect_eq(before, (uint64_t)peal_rank(me), "node %d found %lu", peal_rank(me), before);
    post.kind = PEAL_POST_PUT;
    post.remote.result = NULL;
    post.remote.result_words = 0;
    peal_wait_envelope(me, peal_post(me, &post));
}

Test(access, updates_of_several_nodes_are_atomic_and_in_the_order_of_admission)
{
    int calls = 0;

    memory[0][0] = 0;
    struct peal_options options = options_for(8);

    options.ports = 8;
    struct peal_machine *machine = run_well(options, counts, &calls);

    cr_expect_eq(memory[0][0], 16);
    cr_expect_eq(calls, 16);
    expect_cost(machine, 3, 3, 0, 0);
    peal_machine_destroy(machine);
}

/* Node 2 gets words from node 1, which waits in a blocking call whose send has been delivered. */
static void
gets_from_a_waiting_node(struct peal_node *me, void *arg)
{
    uint64_t words[7];

    (void)arg;
    peal_barrier(me); /* from their second calls on, nodes take the short path */
    if (peal_rank(me) == 0) {
        peal_recv(me, NULL, 0, 1);
        peal_send(me, NULL, 0, 1);
        peal_send(me, NULL, 0, 1);
    } else if (peal_rank(me) == 1) {
        peal_sendrecv(me, NULL, 0, 0, NULL, 0, 0);
        peal_recv(me, NULL, 0, 0);
    } else {
        peal_next_round(me);
        peal_wait_envelope(me, access_memory(me, PEAL_POST_GET, 1, words, 7, memory[1]));
    }
}

Test(access, a_get_takes_no_time_of_a_node_that_waits_in_a_blocking_call)
{
    struct peal_machine *machine = run_well(options_for(3), gets_from_a_waiting_node, NULL);

    cr_expect_str_eq(schedule_text(machine), "0>1:0 1>2:0 2>0:0 | 0>2:0 1>0:0 2>1:0 | 1>0:0 | 0>1:0 1>2:7 | 0>1:0");
    expect_path(machine, 5, 0, 0, 0);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ locks */

static struct peal_handle
take_lock(struct peal_node *me, int peer, int number, bool shared)
{
    struct peal_post post = {.kind = PEAL_POST_LOCK, .peer = peer, .tag = number, .shared = shared};
    struct peal_envelope envelope = peal_wait_envelope(me, peal_post(me, &post));

    cr_expect(envelope.message.slot != 0);
    return envelope.message;
}

static struct peal_handle
give_lock(struct peal_node *me, struct peal_handle lock)
{
    struct peal_post post = {.kind = PEAL_POST_UNLOCK, .message = lock};

    return peal_post(me, &post);
}

static void
increments_under_a_lock(struct peal_node *me, void *arg)
{
    uint64_t x = 0;

    for (int i = 0; i < 3; i++) {
        struct peal_handle lock = take_lock(me, 1, 5, false);

        peal_wait_envelope(me, access_memory(me, PEAL_POST_GET, 0, &x, 1, &memory[0][1]));
        x++;
        peal_wait_envelope(me, access_memory(me, PEAL_POST_PUT, 0, &x, 1, &memory[0][1]));
        peal_detach(me, give_lock(me, lock));
    }
    (void)arg;
}

Test(access, an_exclusive_lock_has_one_holder)
{
    memory[0][1] = 0;
    peal_machine_destroy(run_well(options_for(7), increments_under_a_lock, NULL));
    cr_expect_eq(memory[0][1], 21);
}

static void
locks_crosswise(struct peal_node *me, void *arg)
{
    take_lock(me, peal_rank(me), 3, false);
    peal_barrier(me);
    take_lock(me, (peal_rank(me) + 1) % peal_size(me), 3, false);
    (void)arg;
}

Test(access, a_deadlock_of_locks_names_their_holders)
{
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(3), locks_crosswise, NULL);
    const struct peal_failure *failure = peal_machine_failure(machine);

    cr_expect_eq(failure->cycle_length, 3);
    cr_expect(
        strstr(failure->message, "node 0 waits to get lock 3 of node 1, which node 1 has had since access_test.c:"),
        "%s", failure->message);
    peal_machine_destroy(machine);
}

static void
locks_twice(struct peal_node *me, void *arg)
{
    take_lock(me, 0, 3, false);
    take_lock(me, 0, 3, *(const bool *)arg);
}

static void
ends_with_a_lock(struct peal_node *me, void *arg)
{
    take_lock(me, 0, 3, *(const bool *)arg);
}

Test(access, the_locks_of_a_run_that_failed_are_forgotten)
{
    bool shared = true;
    struct peal_machine *machine = run_into(PEAL_DEADLOCK, options_for(1), locks_twice, &shared);

    cr_expect_eq(peal_machine_failure(machine)->cycle_length, 1);
    const struct peal_failure *failure = peal_run(machine, ends_with_a_lock, &shared);

    cr_assert(failure && failure->kind == PEAL_LOST_REQUEST);
    cr_expect(strstr(failure->message, "node 0 finished with lock 3 of node 0"), "%s", failure->message);
    machine = (peal_machine_destroy(machine), machine_from(options_for(1)));
    failure = peal_run(machine, increments_under_a_lock, NULL);
    cr_expect(failure && failure->kind == PEAL_BAD_RANK, "there is no node 1");
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ wrong posts */

struct wrong {
    enum peal_failure_kind kind;
    const char *message;
    struct peal_post post;
};

static struct peal_piece two_pieces[2] = {{memory[0], 1}, {memory[1], 1}}, none = {NULL, 4};

static void
posts_wrongly(struct peal_node *me, void *arg)
{
    const struct wrong *wrong = arg;

    peal_wait_envelope(me, peal_post(me, &wrong->post));
}

Test(access, mistakes_of_posts_are_reported)
{
    struct wrong cases[] = {
        {PEAL_BAD_RANK, "cannot put to node 2: ranks are 0 to 1", {.kind = PEAL_POST_PUT, .peer = 2}},
        {PEAL_BAD_RANK, "cannot get from node -1: ranks are 0 to 1", {.kind = PEAL_POST_GET, .peer = -1}},
        {PEAL_BAD_SIZE,
         "cannot put to node 1 2 words with its memory at a null pointer",
         {.kind = PEAL_POST_PUT, .peer = 1, .pieces = two_pieces, .piece_count = 2}},
        {PEAL_BAD_SIZE,
         "cannot get from node 1 4 words at a null pointer",
         {.kind = PEAL_POST_GET, .peer = 1, .pieces = &none, .piece_count = 1, .remote = {.memory = memory}}},
        {PEAL_BAD_REQUEST,
         "cannot update the memory of node 1 without a function to apply",
         {.kind = PEAL_POST_UPDATE, .peer = 1, .pieces = two_pieces, .piece_count = 1, .remote = {.memory = memory}}},
        {PEAL_BAD_REQUEST,
         "cannot put to node 1 2 pieces with a function to apply: expected one",
         {.kind = PEAL_POST_PUT, .peer = 1, .pieces = two_pieces, .piece_count = 2, .remote = {.apply = add_one}}},
        {PEAL_BAD_SIZE,
         "cannot update the memory of node 1 with a result of 1 word at a null pointer",
         {.kind = PEAL_POST_UPDATE, .peer = 1, .remote = {.apply = add_one, .result_words = 1}}},
        {PEAL_BAD_REQUEST, "this is not a handle that a post gave", {.kind = PEAL_POST_UNLOCK, .peer = 1}},
        {PEAL_BAD_REQUEST,
         "cannot lock node 1 with tag -1: tags are 0 and above",
         {.kind = PEAL_POST_LOCK, .peer = 1, .tag = -1}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct peal_machine *machine = run_into(cases[i].kind, options_for(2), posts_wrongly, &cases[i]);

        cr_expect(strstr(peal_machine_failure(machine)->message, cases[i].message), "expected \"%s\", got \"%s\"",
                  cases[i].message, peal_machine_failure(machine)->message);
        peal_machine_destroy(machine);
    }
}

static void
waits_plainly_for_a_lock(struct peal_node *me, void *arg)
{
    peal_wait(me, peal_post(me, &(struct peal_post){.kind = PEAL_POST_LOCK}));
    (void)arg;
}

static void
unlocks_twice(struct peal_node *me, void *arg)
{
    struct peal_handle lock = take_lock(me, 0, 0, true);

    peal_wait_envelope(me, give_lock(me, lock));
    peal_wait_envelope(me, give_lock(me, lock));
    (void)arg;
}

Test(access, a_lock_is_acquired_by_finish_and_released_once)
{
    peal_machine_destroy(run_into(PEAL_BAD_REQUEST, options_for(1), waits_plainly_for_a_lock, NULL));
    peal_machine_destroy(run_into(PEAL_BAD_REQUEST, options_for(1), unlocks_twice, NULL));
}

static void
puts_to_nowhere(struct peal_node *me, void *arg)
{
    uint64_t x = 1;

    if (peal_rank(me) == 1)
        peal_wait_envelope(me, access_memory(me, PEAL_POST_PUT, 0, &x, 1, arg));
}

Test(access, memory_that_is_not_mapped_is_the_fault_of_the_poster)
{
    void *nowhere = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct peal_machine *machine = run_into(PEAL_CRASH, options_for(2), puts_to_nowhere, nowhere);

    cr_expect(strstr(peal_machine_failure(machine)->message, "node 1 crashed: segmentation fault at address"));
    cr_expect(strstr(peal_machine_failure(machine)->message, "in the buffer of its put"), "%s",
              peal_machine_failure(machine)->message);
    peal_machine_destroy(machine);
    munmap(nowhere, 4096);
}

static void
loses_a_put(struct peal_node *me, void *arg)
{
    uint64_t x = 1;

    access_memory(me, PEAL_POST_PUT, 0, &x, 1, memory[0]);
    (void)arg;
}

Test(access, a_put_without_a_wait_is_lost)
{
    struct peal_machine *machine = run_into(PEAL_LOST_REQUEST, options_for(1), loses_a_put, NULL);

    cr_expect(strstr(peal_machine_failure(machine)->message,
                     "node 0 finished without waiting for its put to node 0 (1 word, tag 0)"),
              "%s", peal_machine_failure(machine)->message);
    peal_machine_destroy(machine);
}
