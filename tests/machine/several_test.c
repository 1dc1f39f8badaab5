/* SPDX-License-Identifier: MIT */
/* Waiting for one of several requests, testing several, cancelling, releasing; ready sends. */
#include "tests/machine/posts.h"

/* ------------------------------------------------------------------ one of several, all of several */

static void
waits_for_any(struct peal_node *me, void *arg)
{
    uint64_t x = (uint64_t)peal_rank(me), y[4] = {0};
    struct peal_handle handles[5];
    int P = peal_size(me);

    (void)arg;
    if (peal_rank(me) > 0) {
        for (int i = peal_rank(me); i < P; i++)
            peal_next_round(me);
        peal_send(me, &x, 1, 0);
        return;
    }
    cr_expect_eq(peal_wait_any(me, handles, 0), -1);
    handles[0] = PEAL_NO_HANDLE;
    cr_expect_eq(peal_wait_any(me, handles, 1), -1);
    for (int i = 1; i < P; i++)
        handles[i] = peal_recv_async(me, &y[i], 1, i);
    for (int i = P - 1; i >= 1; i--) {
        cr_expect_eq(peal_wait_any(me, handles, P), i);
        cr_expect(peal_is_complete(me, handles[i], NULL));
        cr_expect_eq(peal_wait_any(me, handles, P), i); /* consumed by a wait only */
        peal_wait_envelope(me, handles[i]);
        cr_expect_eq(y[i], (uint64_t)i);
        handles[i] = PEAL_NO_HANDLE;
    }
}

Test(several, a_wait_for_any_ends_with_the_first)
{
    struct peal_machine *machine = run_well(options_for(4), waits_for_any, NULL);

    cr_expect_str_eq(schedule_text(machine), "3>0:1 | 2>0:1 | 1>0:1");
    peal_machine_destroy(machine);
}

static void
waits_for_envelopes(struct peal_node *me, void *arg)
{
    uint64_t x[] = {7, 8}, y[5] = {0};
    struct peal_handle handles[5] = {PEAL_NO_HANDLE};
    struct peal_envelope came[5] = {{.source = -1}};
    int P = peal_size(me);

    (void)arg;
    if (peal_rank(me) > 0) {
        peal_send(me, x, 1, 0);
        return;
    }
    for (int i = 1; i < P; i++) {
        const struct peal_piece piece = {&y[i], 1};

        const struct peal_post receive = a_receive(&piece, i < 3 ? i : PEAL_ANY_SOURCE, 0);

        handles[i] = peal_post(me, &receive);
    }
    peal_wait_envelopes(me, handles, P, came);
    cr_expect_eq(came[0].source, -1, "the envelope of no handle was written");
    for (int i = 1; i < P; i++)
        cr_expect(came[i].source == i && came[i].words == 1 && came[i].delivered == 1 && y[i] == 7);
    peal_wait_envelopes(me, handles, 0, came);
    peal_wait_envelopes(me, handles, 1, came); /* nothing to wait for */
}

Test(several, a_wait_for_envelopes_ends_with_the_last)
{
    struct peal_machine *machine = run_well(options_for(4), waits_for_envelopes, NULL);

    cr_expect_str_eq(schedule_text(machine), "1>0:1 | 2>0:1 | 3>0:1");
    peal_machine_destroy(machine);
}

static void
waits_for_one_twice(struct peal_node *me, void *arg)
{
    uint64_t x = 1, y;
    struct peal_envelope came[2];

    (void)arg;
    if (peal_rank(me) > 0) {
        peal_send(me, &x, 1, 0);
        return;
    }
    struct peal_handle handle = peal_recv_async(me, &y, 1, 1), handles[] = {handle, handle};

    peal_wait_envelopes(me, handles, 2, came);
}

Test(several, a_wait_for_envelopes_refuses_a_handle_that_is_there_twice)
{
    peal_machine_destroy(run_into(PEAL_BAD_REQUEST, options_for(2), waits_for_one_twice, NULL));
}

static void
completes_two_at_once(struct peal_node *me, void *arg)
{
    uint64_t x = 1, y[2];
    int partner = 1 - peal_rank(me);

    (void)arg;
    for (int turn = 0; turn < 3; turn++) {
        struct peal_handle handles[] = {peal_recv_async(me, y, 1, partner), peal_send_async(me, &x, 1, partner)};

        cr_expect_eq(peal_wait_any(me, handles, 2), 0);
        peal_wait(me, handles[1]);
        peal_wait(me, handles[0]);
        peal_sendrecv(me, &x, 1, partner, y, 1, partner); /* nothing is left of that wait */
    }
}

Test(several, the_lowest_of_those_complete_at_once_is_returned)
{
    struct peal_machine *machine = run_well(options_for(2), completes_two_at_once, NULL);

    expect_cost(machine, 6, 6, 0, 0);
    peal_machine_destroy(machine);
}

static void
asks(struct peal_node *me, void *arg)
{
    uint64_t x = 1, y[3];
    struct peal_handle handles[3] = {PEAL_NO_HANDLE};

    if (peal_rank(me) == 0) {
        peal_next_round(me);
        peal_send(me, &x, 1, 1);
        peal_next_round(me);
        peal_send(me, &x, 1, 1);
        return;
    }
    handles[1] = peal_recv_async(me, &y[1], 1, 0);
    handles[2] = peal_recv_async(me, &y[2], 1, 0);
    int *rounds = arg;

    for (int wanted = 1; wanted <= 2; wanted++)
        while (peal_count_complete(me, handles, 3, wanted) < wanted)
            ++*rounds;
    cr_expect_eq(peal_count_complete(me, handles, 3, 2), 2);
    cr_expect_eq(peal_count_complete(me, handles, 3, 0), 2);
    peal_wait_all(me);
}

Test(several, asking_for_several_takes_one_round)
{
    int rounds = 0;
    struct peal_machine *machine = run_well(options_for(2), asks, &rounds);

    cr_expect_eq(rounds, 2);
    cr_expect_eq(peal_machine_host(machine).rounds, 4);
    peal_machine_destroy(machine);
}

static void
asks_for_all_or_any(struct peal_node *me, void *arg)
{
    uint64_t x = 1, y;
    int partner = 1 - peal_rank(me);
    struct peal_handle handles[] = {peal_send_async(me, &x, 1, partner), peal_recv_async_tag(me, &y, 1, partner, 9)};

    while (peal_count_complete(me, handles, 2, *(const int *)arg) < *(const int *)arg)
        ;
    struct peal_handle mine = peal_recv_async(me, &y, 1, partner);

    peal_wait(me, handles[0]);
    peal_wait(me, mine);
    peal_send_tag(me, &x, 1, partner, 9);
    peal_wait(me, handles[1]);
}

Test(several, one_that_asks_is_lent_enough)
{
    struct peal_options options = options_for(2);
    int one = 1, both = 2;

    options.lend_bytes = 100;
    struct peal_machine *machine = run_well(options, asks_for_all_or_any, &one);

    cr_expect_eq(count_findings(machine), 0); /* they might ask for a while only */
    peal_machine_destroy(machine);
    machine = run_into(PEAL_LIVELOCK, options, asks_for_all_or_any, &both);
    cr_expect_eq(count_findings(machine), 0);
    peal_machine_destroy(machine);
}

/* ------------------------------------------------------------------ taken back */

static void
takes_back(struct peal_node *me, void *arg)
{
    uint64_t x = 1, y[2] = {0};
    struct peal_piece out = {&x, 1}, in = {y, 2};
    struct peal_post send = a_send(&out, 1 % peal_size(me), 7), receive = a_receive(&in, PEAL_ANY_SOURCE, 7),
                     probe = a_probe(0, 7);
    struct peal_handle handles[3];
    bool plain = *(const bool *)arg;

    if (peal_rank(me) == 0) {
        handles[0] = plain ? peal_send_async_tag(me, &x, 1, send.peer, 7) : peal_post(me, &send);
        peal_next_round(me);
        peal_cancel(me, handles[0]);
        peal_cancel(me, handles[0]);
        cr_expect(!peal_is_complete(me, handles[0], NULL));
        struct peal_envelope envelope = peal_wait_envelope(me, handles[0]);

        cr_expect(envelope.cancelled);
        receive.tag = probe.tag = 8; /* of which none comes */
        handles[0] = peal_post(me, &receive);
        handles[1] = peal_recv_async(me, y, 1, 0);
        handles[2] = peal_post(me, &probe);
        for (int i = 0; i < 3; i++)
            peal_cancel(me, handles[i]);
        for (int i = 0; i < 3; i++)
            cr_expect(peal_wait_envelope(me, handles[i]).cancelled);
        peal_send(me, &x, 1, send.peer);
    } else if (peal_rank(me) == 1) {
        peal_recv(me, y, 1, 0); /* the cancelled request has another tag */
        cr_expect_eq(y[0], 1);
    }
}

Test(several, a_request_that_is_unmatched_is_taken_back)
{
    for (int plain = 0; plain < 2; plain++) {
        bool is_plain = plain;
        struct peal_machine *machine = run_well(options_for(3), takes_back, &is_plain);

        cr_expect_str_eq(schedule_text(machine), "0>1:1");
        peal_machine_destroy(machine);
    }
}

static void
takes_back_too_late(struct peal_node *me, void *arg)
{
    uint64_t x = 4, y = 0;

    (void)arg;
    if (peal_rank(me) == 0) {
        struct peal_handle handle = peal_send_async(me, &x, 1, 1);

        peal_cancel(me, handle); /* the receive is posted in the same phase: matching comes first */
        cr_expect(!peal_wait_envelope(me, handle).cancelled);
        handle = peal_send_async(me, &x, 1, 1);
        peal_next_round(me);
        peal_cancel(me, handle);
        cr_expect(!peal_wait_envelope(me, handle).cancelled);
    } else {
        peal_recv(me, &y, 1, 0);
        cr_expect_eq(y, 4);
        peal_recv(me, &y, 1, 0);
    }
}

Test(several, a_matched_request_is_not_cancelled)
{
    peal_machine_destroy(run_well(options_for(2), takes_back_too_late, NULL));
}

static void
fills_its_boxes(struct peal_node *me, void *arg)
{
    uint64_t x = 1, y;

    (void)arg;
    for (int i = 0; i < 3; i++) {
        struct peal_handle receive = peal_recv_async_tag(me, &y, 1, 0, 5), send = peal_send_async_tag(me, &x, 1, 0, 6);

        peal_cancel(me, receive);
        peal_cancel(me, send);
        peal_wait_all(me);
    }
}

Test(several, a_cancelled_request_leaves_its_place_in_the_box)
{
    struct peal_options options = options_for(1);

    options.mailbox = 1;
    peal_machine_destroy(run_well(options, fills_its_boxes, NULL));
}

/* ------------------------------------------------------------------ let go */

static void
lets_go(struct peal_node *me, void *arg)
{
    int P = peal_size(me), r = peal_rank(me);
    uint64_t *x = peal_alloc(me, 2), y[2] = {0};

    (void)arg;
    x[0] = (uint64_t)r;
    struct peal_handle handle = peal_send_async(me, x, 1, (r + 1) % P);

    peal_detach(me, handle);
    peal_wait_all(me); /* is not for the released request */
    handle = peal_recv_async_tag(me, &x[1], 1, (r + P - 1) % P, 1);
    peal_detach(me, handle);
    peal_recv(me, y, 1, (r + P - 1) % P);
    cr_expect_eq(y[0], (uint64_t)((r + P - 1) % P));
    peal_detach(me, peal_send_async_tag(me, x, 1, (r + 1) % P, 1));
    for (int i = 0; i < 200; i++) { /* slots are used again */
        handle = peal_send_async_tag(me, x, 1, (r + 1) % P, 2);
        peal_detach(me, handle);
        peal_recv_tag(me, y, 1, (r + P - 1) % P, 2);
    }
}

Test(several, a_released_request_is_carried_and_forgotten)
{
    for (int nodes = 1; nodes <= 3; nodes++) {
        struct peal_machine *machine = run_well(options_for(nodes), lets_go, NULL);

        expect_cost(machine, 202, 202, 0, 0);
        peal_machine_destroy(machine);
    }
}

static void
ends_before_it_is_carried(struct peal_node *me, void *arg)
{
    uint64_t own[2] = {1, 2}, *memory = peal_alloc(me, 2);

    if (peal_rank(me) == 0) {
        memcpy(memory, own, sizeof own);
        peal_detach(me, peal_send_async(me, *(const int *)arg ? own : memory, 2, 1));
        if (*(const int *)arg)
            peal_wait_detached(me); /* data on the stack must be read before it is gone */
    } else {
        for (int i = 0; i < 5; i++)
            peal_next_round(me);
        peal_recv(me, memory, 2, 0);
        cr_expect(memory[0] == 1 && memory[1] == 2);
    }
}

static void
lets_go_and_waits(struct peal_node *me, void *arg)
{
    uint64_t x = 1;
    struct peal_handle handle = peal_send_async(me, &x, 1, 0);

    peal_detach(me, handle);
    if (*(const int *)arg)
        peal_wait(me, handle);
}

Test(several, a_node_ends_when_its_released_requests_are_complete)
{
    int waits = 0;

    for (int settles = 0; settles < 2; settles++)
        peal_machine_destroy(run_well(options_for(2), ends_before_it_is_carried, &settles));
    peal_machine_destroy(run_into(PEAL_DEADLOCK, options_for(1), lets_go_and_waits, &waits));
    waits = 1;
    peal_machine_destroy(run_into(PEAL_BAD_REQUEST, options_for(1), lets_go_and_waits, &waits));
}

/* ------------------------------------------------------------------ ready */

static void
is_ready(struct peal_node *me, void *arg)
{
    uint64_t x = 1;
    struct peal_piece piece = {&x, 1};
    struct peal_post send = a_send(&piece, 1, 0);

    send.mode = PEAL_READY;
    if (peal_rank(me) == 0) {
        peal_exchange(me, &send, NULL);
    } else {
        for (int i = 0; i < *(const int *)arg; i++)
            peal_next_round(me);
        peal_recv(me, &x, 1, 0);
    }
}

Test(several, a_ready_send_without_its_receive_is_found)
{
    for (int eager = 0; eager < 2; eager++)
        for (int late = 0; late < 3; late++) {
            struct peal_options options = options_for(2);

            options.eager = eager;
            options.eager_words = 9;
            struct peal_machine *machine = run_well(options, is_ready, &late);
            size_t count;
            const struct peal_run_finding *findings = peal_machine_findings(machine, &count);

            cr_assert_eq(count, late > 0);
            if (late > 0)
                cr_expect(findings->kind == PEAL_BAD_REQUEST && findings->places[0].rank == 0 &&
                          strstr(findings->message, "no receive is posted"));
            peal_machine_destroy(machine);
        }
}
