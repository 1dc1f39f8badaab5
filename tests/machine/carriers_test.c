/* SPDX-License-Identifier: MIT */
/* Only the time depends on carriers, pinning and copying threads. */
#include "tests/machine/harness.h"
#include <sched.h>

/* Traffic with named and wildcard receives, several posts a round, two collectives, rests and computing; the last two
 * are drawn from the nodes' generators. */
static void
mixed_traffic(struct peal_node *me, void *arg)
{
    enum { ROUNDS = 20, POSTS = 4 };
    int nodes = peal_size(me), rank = peal_rank(me);
    int64_t *sum = arg, out[POSTS], in[POSTS];

    for (int round = 0; round < ROUNDS; round++) {
        int shift = 1 + round % nodes;
        int64_t most = (rank * 7 + round) % nodes;

        for (int i = 0; i < POSTS; i++) {
            out[i] = rank * 1000 + round * 10 + i;
            peal_send_async_tag(me, &out[i], 1, (rank + shift * (i + 1)) % nodes, 2 * round + i % 2);
            peal_recv_async_tag(me, &in[i], 1, i % 2 ? (rank + (nodes - shift) * (i + 1)) % nodes : PEAL_ANY_SOURCE,
                                2 * round + i % 2);
        }
        if (peal_random(me) % 4 == 0)
            peal_next_round(me);
        peal_compute(me, (int64_t)(peal_random(me) % 100));
        peal_wait_all(me);
        for (int i = 0; i < POSTS; i++)
            sum[rank] = (int64_t)((uint64_t)sum[rank] * 31 + (uint64_t)in[i]);
        if (round % 3 == 0)
            peal_barrier(me);
        else
            peal_allreduce(me, PEAL_MAX_INT64, &most, 1);
        sum[rank] = (int64_t)((uint64_t)sum[rank] + (uint64_t)most);
    }
}

Test(carriers, the_result_is_the_same_on_one_and_on_many, .timeout = 60)
{
    enum { NODES = 13, WAYS = 6 };
    int64_t sums[WAYS][NODES] = {{0}};
    struct peal_machine *machines[WAYS];

    for (int way = 0; way < WAYS; way++) {
        struct peal_options options = options_for(NODES);

        options.topology = "ring";
        options.carriers = way < 4 ? way : 0;
        options.wake_all = way == 5 && !on_fibers();
        machines[way] = run_well(options, mixed_traffic, sums[way]);
    }
    for (int way = 1; way < WAYS; way++) {
        const struct peal_schedule *a = peal_machine_schedule(machines[0]), *b = peal_machine_schedule(machines[way]);

        cr_expect_arr_eq(sums[0], sums[way], sizeof sums[0], "way %d", way);
        cr_assert_eq(a->round_count, b->round_count);
        cr_assert_eq(a->transfer_count, b->transfer_count);
        cr_assert(a->kept_rounds == b->kept_rounds && a->kept_transfers == b->kept_transfers, "way %d", way);
        cr_expect_arr_eq(a->order, b->order, a->round_count * sizeof *a->order, "way %d", way);
        cr_expect_arr_eq(a->transfers, b->transfers, a->kept_transfers * sizeof *a->transfers, "way %d", way);
        cr_expect_arr_eq(a->rounds, b->rounds, a->kept_rounds * sizeof *a->rounds, "way %d", way);
        cr_expect(peal_cost_equal(peal_machine_critical_path(machines[0]), peal_machine_critical_path(machines[way])));
    }
    for (int way = 0; way < WAYS; way++)
        peal_machine_destroy(machines[way]);
}

static void
compute(struct peal_node *me, void *arg)
{
    (void)arg;
    for (int round = 0; round < 3; round++) {
        volatile int64_t sum = 0;

        for (int64_t i = 0; i < 20000000; i++)
            sum = sum + i;
        peal_next_round(me);
    }
}

static void
communicate(struct peal_node *me, void *arg)
{
    (void)arg;
    for (int round = 0; round < 100; round++)
        peal_barrier(me);
}

Test(carriers, nodes_that_compute_use_all_cores, .timeout = 60)
{
    cpu_set_t cores;

    cr_assert_eq(sched_getaffinity(0, sizeof cores, &cores), 0);
    struct peal_options options = options_for(8);
    int most = CPU_COUNT(&cores) < 8 ? CPU_COUNT(&cores) : 8;

    if (on_fibers()) /* they stay where they are: the carriers have to be asked for */
        options.carriers = most;
    struct peal_machine *machine = run_well(options, compute, NULL);

    cr_expect_eq(peal_machine_host(machine).carriers, most);
    peal_machine_destroy(machine);
}

Test(carriers, the_callers_affinity_is_as_it_was, .timeout = 60)
{
    cpu_set_t before, after;

    cr_assert_eq(sched_getaffinity(0, sizeof before, &before), 0);
    peal_machine_destroy(run_well(options_for(8), communicate, NULL));
    cr_assert_eq(sched_getaffinity(0, sizeof after, &after), 0);
    cr_expect(CPU_EQUAL(&before, &after));
}

static void
communicate_shortly(struct peal_node *me, void *arg)
{
    (void)arg;
    for (int round = 0; round < 4; round++)
        peal_barrier(me);
}

Test(carriers, four_thousand_nodes_work, .timeout = 120)
{
    peal_machine_destroy(run_well(options_for(4096), communicate_shortly, NULL));
}

enum { LARGE_WORDS = 1 << 20 };

static void
large_shift(struct peal_node *me, void *arg)
{
    int next = (peal_rank(me) + 1) % peal_size(me), before = (peal_rank(me) + peal_size(me) - 1) % peal_size(me);
    size_t words = LARGE_WORDS + (size_t)peal_rank(me) * 37; /* parts end anywhere */
    int64_t *out = peal_alloc(me, words), *in = peal_alloc(me, LARGE_WORDS + (size_t)peal_size(me) * 37);

    (void)arg;
    for (size_t i = 0; i < words; i++)
        out[i] = (int64_t)i * peal_size(me) + peal_rank(me);
    size_t came = peal_sendrecv(me, out, words, next, in, LARGE_WORDS + (size_t)peal_size(me) * 37, before).words;

    cr_assert_eq(came, LARGE_WORDS + (size_t)before * 37);
    for (size_t i = 0; i < came; i++)
        if (in[i] != (int64_t)i * peal_size(me) + before)
            cr_assert_fail("word %zu", i);
}

Test(carriers, large_deliveries_are_split_over_the_cores_and_copied_once, .timeout = 60)
{
    for (int nodes = 1; nodes <= 5; nodes += 2) {
        struct peal_machine *machine = run_well(options_for(nodes), large_shift, NULL);
        uint64_t words = (uint64_t)nodes * LARGE_WORDS + 37 * (uint64_t)(nodes * (nodes - 1) / 2);

        cr_expect_eq(peal_machine_host(machine).copied_words, words);
        peal_machine_destroy(machine);
    }
}

enum { BUFFERS = 4, PASSES = 3 };
static const size_t most_bytes = 6 << 20;

/* Words of one byte, in several buffers that are received into again when the cache has forgotten them: pieces begin
 * and end anywhere. */
static void
shift_bytes(struct peal_node *me, void *arg)
{
    int next = (peal_rank(me) + 1) % peal_size(me), before = (peal_rank(me) + peal_size(me) - 1) % peal_size(me);
    unsigned char *out = peal_alloc(me, most_bytes), *in[BUFFERS];

    (void)arg;
    for (int i = 0; i < BUFFERS; i++)
        in[i] = peal_alloc(me, most_bytes);
    for (int i = 0; i < PASSES * BUFFERS; i++) {
        size_t bytes = most_bytes - 70 - (size_t)(13 * i), at = (size_t)(i % 5);
        unsigned char *got = in[i % BUFFERS], from = (unsigned char)(16 * i + before);

        memset(out + at, 16 * i + peal_rank(me), bytes);
        memset(got, 255 - from, 70);
        memset(got + most_bytes - 500, 255 - from, 500);
        out[at] = out[at + bytes - 1] = (unsigned char)(i + 1);
        peal_sendrecv(me, (void *)(out + at), bytes, next, (void *)(got + 65 - at), bytes, before);
        got += 65 - at;
        cr_assert(got[0] == i + 1 && got[bytes - 1] == i + 1 && got[1] == from, "message %d", i);
        cr_assert(memcmp(got + 1, got + 2, bytes - 3) == 0, "message %d", i);
        cr_assert(got[-1] == (unsigned char)(255 - from) && got[bytes] == (unsigned char)(255 - from), "message %d", i);
    }
}

Test(carriers, large_deliveries_are_whole_where_they_go_past_the_cache, .timeout = 60)
{
    struct peal_options options = options_for(4);

    options.word_bytes = 1;
    peal_machine_destroy(run_well(options, shift_bytes, NULL));
}

static void
fail_somehow(struct peal_node *me, void *arg)
{
    int64_t x = 0;

    (void)arg;
    peal_alloc(me, 1000);
    peal_printf(me, "%s", "");
    peal_split(me, peal_rank(me) % 2, 0);
    if (peal_random(me) % 4 == 0)
        peal_send(me, &x, 1, -5);
    peal_recv(me, &x, 1, PEAL_ANY_SOURCE);
}

Test(carriers, many_machines_in_one_process_leak_nothing, .timeout = 120)
{
    for (int i = 0; i < 300; i++) {
        struct peal_options options = options_for(4);

        options.seed = (uint64_t)i;
        options.carriers = i % 3;
        struct peal_machine *machine = machine_from(options);

        cr_expect(peal_run(machine, fail_somehow, NULL));
        peal_machine_destroy(machine);
    }
}
