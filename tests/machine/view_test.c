/* SPDX-License-Identifier: MIT */
/* Views with another word, and operators with a closure. */
#define PEAL_WORD_BYTES 1 /* or more: views */
#include "tests/machine/harness.h"
#include <stdatomic.h>

static struct peal_options
bytes_for(int nodes)
{
    struct peal_options options = options_for(nodes);

    options.word_bytes = 1;
    options.parameters.beta = 0.125;
    return options;
}

static void
sums_doubles(struct peal_node *me, void *arg)
{
    const char *algorithm = arg;
    int P = peal_size(me);
    double a[5];
    struct peal_node *view = peal_view(me, sizeof(double));

    cr_expect_eq(peal_word_bytes(me), 1);
    cr_expect_eq(peal_word_bytes(view), 8);
    cr_expect(peal_rank(view) == peal_rank(me) && peal_size(view) == P);
    for (int i = 0; i < 5; i++)
        a[i] = peal_rank(me) + i * 0.5;
    peal_allreduce_by(view, algorithm, PEAL_SUM_DOUBLE, a, 5);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(a[i], P * (P - 1) / 2.0 + P * i * 0.5);
    peal_view_end(view);
}

Test(view, a_reduction_of_elements_runs_on_a_machine_of_bytes)
{
    static const char *const algorithms[] = {"rabenseifner", "recursive-doubling", "ring", "reduce-broadcast", NULL};

    for (int i = 0; algorithms[i]; i++)
        for (int nodes = 1; nodes <= 8; nodes *= 2) {
            struct peal_machine *bytes = run_well(bytes_for(nodes), sums_doubles, (void *)(uintptr_t)algorithms[i]);
            struct peal_cost cost = peal_machine_cost(bytes);

            cr_expect_eq(cost.beta % 8, 0);
            cr_expect(nodes == 1 || cost.beta > 0);
            peal_machine_destroy(bytes);
        }
}

static void
sends_in_views(struct peal_node *me, void *arg)
{
    struct peal_node *view = peal_view(me, 4), *pairs = peal_split(view, 0, 0);
    int32_t x[6] = {1, 2, 3, 4, 5, 6}, y[6] = {0};
    struct peal_piece out[] = {{x + 4, 2}, {x, 1}}, in[] = {{y, 1}, {y + 3, 3}};
    int other = 1 - peal_rank(me);

    (void)arg;
    cr_expect_eq(peal_word_bytes(pairs), 4);
    if (peal_rank(me) == 0) {
        peal_send(view, x, 3, other);
        peal_sendv_async(pairs, out, 2, other);
        peal_wait_all(pairs);
        peal_send(me, x, 7, other);
    } else {
        struct peal_message message = peal_recv(view, y, 6, other);

        cr_expect(message.words == 3 && y[0] == 1 && y[2] == 3 && y[3] == 0);
        message = peal_wait(pairs, peal_recvv_async(pairs, in, 2, other));
        cr_expect(message.words == 3 && y[0] == 5 && y[3] == 6 && y[4] == 1 && y[5] == 0);
        message = peal_recv(view, y, 6, other); /* 7 bytes are one word of 4, and a part */
        cr_expect_eq(message.words, 1);
        int32_t *memory = peal_alloc(view, 3);

        memory[2] = 1; /* as ASan sees */
    }
    peal_view_end(view);
}

Test(view, sizes_are_in_its_words_and_charges_in_the_machines)
{
    struct peal_machine *machine = run_well(bytes_for(2), sends_in_views, NULL);

    cr_expect_str_eq(schedule_text(machine), "0>1:12 | 0>1:12 | 0>1:7");
    peal_machine_destroy(machine);
}

static void
makes_a_wrong_view(struct peal_node *me, void *arg)
{
    peal_view(me, *(const size_t *)arg);
}

static void
sends_too_much(struct peal_node *me, void *arg)
{
    uint64_t x;
    struct peal_node *view = peal_view(me, 8);

    (void)arg;
    peal_send(view, &x, SIZE_MAX / 8, 0);
}

Test(view, a_word_that_is_not_a_multiple_is_refused)
{
    static const size_t sizes[] = {0, 4, 12};

    for (size_t i = 0; i < 3; i++)
        peal_machine_destroy(run_into(PEAL_BAD_SIZE, options_for(1), makes_a_wrong_view, (void *)(uintptr_t)&sizes[i]));
    peal_machine_destroy(run_into(PEAL_BAD_SIZE, bytes_for(1), sends_too_much, NULL));
}

/* ------------------------------------------------------------------ closures */

struct counter {
    int64_t factor;
    _Atomic int *calls; /* of all nodes */
};

/* left + right, where both are multiples of the factor. */
static void
add_multiples(const void *left, const void *right, void *result, size_t words, void *closure)
{
    struct counter *counter = closure;
    const int64_t *a = left, *b = right;

    atomic_fetch_add(counter->calls, 1);
    for (size_t i = 0; i < words; i++) {
        cr_expect(a[i] % counter->factor == 0 && b[i] % counter->factor == 0);
        ((int64_t *)result)[i] = a[i] + b[i];
    }
}

static void
reduces_with_a_closure(struct peal_node *me, void *arg)
{
    static _Atomic int calls;
    struct counter counter = {.factor = 7, .calls = &calls};
    const struct peal_op op = {
        .name = "multiples", .commutative = true, .word_bytes = 8, .combine_with = add_multiples, .closure = &counter};
    int P = peal_size(me);
    int64_t a[4];

    for (int i = 0; i < 4; i++)
        a[i] = 7 * (peal_rank(me) + i);
    peal_allreduce_by(me, arg, &op, a, 4);
    for (int i = 0; i < 4; i++)
        cr_expect_eq(a[i], 7 * (P * (P - 1) / 2 + P * i));
    peal_barrier(me);
    cr_expect(P == 1 || atomic_load(&calls) > 0);
}

Test(view, every_allreduce_gives_an_operator_its_closure)
{
    const struct peal_algorithm *algorithm;

    for (int number = 0; (algorithm = peal_algorithm_get(number)); number++) {
        if (algorithm->collective != PEAL_ALLREDUCE)
            continue;
        struct peal_situation situation = {
            .collective = PEAL_ALLREDUCE, .nodes = 4, .words = 4, .ports = 1, .op = PEAL_SUM_INT64};

        if (peal_algorithm_fits(algorithm, &situation, NULL) == PEAL_OK)
            peal_machine_destroy(run_well(options_for(4), reduces_with_a_closure, (void *)(uintptr_t)algorithm->name));
    }
    peal_machine_destroy(run_well(options_for(1), reduces_with_a_closure, NULL));
}
